/* The lowest eigenpairs with ARPACK in shift-invert: the door to ARPACK-NG.
 *
 * The block method of modes.h is faster on large systems; this one is a second road to the same
 * result. ARPACK keeps static data: the door holds one lock. */
#ifndef KL_ALGEBRA_ARPACK_H
#define KL_ALGEBRA_ARPACK_H

#include "algebra/symmetric.h"
#include "base/diag.h"

/* Applies (K - sigma M)^-1 to x (n values, in place). */
typedef kl_status (*kl_solve_fn)(void *context, double *x);

/* `nev` eigenvalues nearest above the shift `sigma`, ascending in `value`, M-orthonormal vectors in
 * `vector` (n x nev). */
kl_status kl_arpack_shift_invert(const kl_symmetric *M, double sigma, int nev, double tolerance,
                                 kl_solve_fn solve, void *context, double *value, double *vector,
                                 kl_diag *diag);

#endif
