/* Sparse symmetric matrices: the lower triangle by columns (equally: the upper triangle by rows).
 *
 * Made once from triplets or from a pattern with slots; the values then change in place. */
#ifndef KL_ALGEBRA_SYMMETRIC_H
#define KL_ALGEBRA_SYMMETRIC_H

#include <stdint.h>

#include "klingel/status.h"

typedef struct kl_symmetric {
    int      n;
    int64_t *start; /* n + 1; column j has entries start[j] .. start[j+1]-1 */
    int     *row;   /* row index >= j, ascending, the diagonal always first and present */
    double  *value;
} kl_symmetric;

/* From triplets in any order, of either triangle (i, j and j, i are the same entry and must be
 * given once); entries given twice are added. */
kl_status kl_symmetric_from_triplets(kl_symmetric *A, int n, int64_t nnz, const int *row,
                                     const int *column, const double *value);
/* As that, with `both` triangles given in full: the strictly upper one is dropped. */
kl_status kl_symmetric_from_full(kl_symmetric *A, int n, int64_t nnz, const int *row,
                                 const int *column, const double *value);
kl_status kl_symmetric_copy(kl_symmetric *to, const kl_symmetric *from);
void      kl_symmetric_free(kl_symmetric *A); /* leaves an empty matrix */

static inline int64_t kl_symmetric_nnz(const kl_symmetric *A)
{
    return A->start ? A->start[A->n] : 0;
}

/* Y = A X, with k columns of leading dimension n. */
void kl_symmetric_multiply(const kl_symmetric *A, int k, const double *X, double *Y);
/* The slot of entry (i, j), or -1. */
int64_t kl_symmetric_find(const kl_symmetric *A, int i, int j);
/* Sum of absolute values of the heaviest row: a bound of the largest eigenvalue. */
double kl_symmetric_norm(const kl_symmetric *A);

#endif
