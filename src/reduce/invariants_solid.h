/* The short way to the invariants for bodies of solid elements; invariants.h decides. */
#ifndef KL_REDUCE_INVARIANTS_SOLID_H
#define KL_REDUCE_INVARIANTS_SOLID_H

#include "reduce/kbody.h"
#include "reduce/modes.h"

/* Fills `out`, whose arrays are there, when the mass `v` is the same in all directions: *done.
 * X: v->n x n, the motion of all nodes. */
kl_status kl_invariants_solid(const kl_system *s, const kl_mass_view *v, int n, const double *X,
                              kl_invariants *out, bool *done);

#endif
