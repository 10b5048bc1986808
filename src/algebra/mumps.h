/* Factorisation of a large sparse symmetric matrix: the door to MUMPS (sequential).
 *
 *   A = L L'   (definite) or   A = L D L'   (indefinite, with pivoting)
 *
 * MUMPS is not re-entrant: the door holds one lock, so calls from several threads wait. */
#ifndef KL_ALGEBRA_MUMPS_H
#define KL_ALGEBRA_MUMPS_H

#include <stdbool.h>

#include "algebra/symmetric.h"
#include "base/diag.h"

typedef struct kl_factor kl_factor;

typedef struct kl_factor_stats {
    double entries;  /* in the factor */
    double bytes;    /* taken by MUMPS at most */
    double flops;    /* of the elimination */
    int    negative; /* pivots below zero (indefinite only) */
    int    null;     /* pivots found zero (indefinite only) */
    double seconds;
} kl_factor_stats;

/* Factors A, whose values are not needed afterwards. With `definite` a pivot <= 0 is an error:
 * KL_E_SINGULAR. On failure *f is NULL. */
kl_status kl_factor_create(kl_factor **f, const kl_symmetric *A, bool definite, kl_diag *diag);
void      kl_factor_destroy(kl_factor *f);
/* X := A^-1 X for k columns (n x k). Several columns at once cost far less than one by one. */
kl_status              kl_factor_solve(kl_factor *f, int k, double *X, kl_diag *diag);
const kl_factor_stats *kl_factor_stats_of(const kl_factor *f);

#endif
