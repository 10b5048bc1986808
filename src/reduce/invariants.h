/* The inertia invariants of a reduced body from any mass matrix. */
#ifndef KL_REDUCE_INVARIANTS_H
#define KL_REDUCE_INVARIANTS_H

#include "mesh/system.h"
#include "reduce/kbody.h"

/* For the modes X (ndof x n); arrays from `arena`. */
kl_status kl_invariants_find(const kl_system *s, int n, const double *X, kl_arena *arena,
                             kl_invariants *out);
/* Motion of all nodes' own unknowns (rows of kl_system_mass) for the unknowns X; n columns. */
void kl_system_spread(const kl_system *s, int n, const double *X, double *full);

#endif
