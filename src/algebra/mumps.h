/* Factorisation of a large sparse symmetric matrix: the door to MUMPS (sequential).
 *
 *   A = L L'   (definite) or   A = L D L'   (indefinite, with pivoting)
 *
 * MUMPS is not re-entrant: the door holds one lock, so calls from several threads wait. */
#ifndef KL_ALGEBRA_MUMPS_H
#define KL_ALGEBRA_MUMPS_H

#include <stdbool.h>
#include <stdint.h>

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

/* ---- a matrix of one pattern that is factored again and again ---- */

typedef struct kl_elimination kl_elimination;

/* Entries in any order, rows and columns from 1; `symmetric`: of one triangle, A = L D L'. All arrays are
 * borrowed for as long as the elimination is open; `value` is read by each factorisation. `order`:
 * position of each unknown, from 1; NULL: found. */
typedef struct kl_elimination_matrix {
    bool    symmetric;
    int     n;
    int64_t nnz;
    int    *row, *column, *order;
    double *value;
} kl_elimination_matrix;

/* Also to be closed after a failure. KL_E_SINGULAR, KL_E_MEMORY. */
kl_status kl_elimination_open(kl_elimination **e, const kl_elimination_matrix *A);
kl_status kl_elimination_factor(kl_elimination *e);
kl_status kl_elimination_solve(kl_elimination *e, double *x); /* x := A^-1 x */
void      kl_elimination_close(kl_elimination *e);            /* accepts NULL */

#endif
