/* Sparse LU of a matrix whose pattern is known beforehand: analyse once, factor, refactor, solve.
 * The interface to KLU; matrices whose factors need much work go to MUMPS (lu_mumps.h).
 *
 * The matrix is expected to be scaled by the caller: KLU's own scaling is off. Refactoring keeps
 * the pivots of the last full factorisation and pivots anew by itself when they have become bad. */
#ifndef KL_ALGEBRA_LU_H
#define KL_ALGEBRA_LU_H

#include "algebra/pattern.h"
#include "klingel/status.h"

typedef struct kl_lu kl_lu;

kl_lu *kl_lu_create(const kl_pattern *p); /* NULL when out of memory; borrows the pattern */
void   kl_lu_destroy(kl_lu *lu);

/* KL_E_SINGULAR when a pivot is zero or not finite. */
kl_status kl_lu_factor(kl_lu *lu, const double *values);
/* Forget the pivots: the next factorisation chooses them anew (checkpoints, events). */
void kl_lu_invalidate(kl_lu *lu);
/* x <- A^-1 x */
kl_status kl_lu_solve(const kl_lu *lu, double *x);
/* The same for two right-hand sides, one behind the other: the factors are read once. */
kl_status kl_lu_solve_two(const kl_lu *lu, double *x);

int    kl_lu_bad_column(const kl_lu *lu); /* unknown behind the pivot that was missing, or -1 */
int    kl_lu_pivotings(const kl_lu *lu);  /* full factorisations so far */
double kl_lu_condition(const kl_lu *lu); /* smallest over largest pivot of the last factorisation */
double kl_lu_work(const kl_lu *lu);      /* of one factorisation, from the pattern [flops] */

#endif
