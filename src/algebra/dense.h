/* Dense linear algebra: the door to BLAS and LAPACK. Matrices are by columns; lda is the row count
 * unless said. Nothing here prints; what can fail returns a status. */
#ifndef KL_ALGEBRA_DENSE_H
#define KL_ALGEBRA_DENSE_H

#include <stdbool.h>

#include "klingel/status.h"

/* Threads that BLAS may use from now on in this process; returns what it was. */
int kl_blas_threads(int n);
/* Lets BLAS take its own scratch memory now. Where there is none OpenBLAS asks again and again
 * without end, so this comes before large memory is taken: KL_E_MEMORY when it would not fit. */
kl_status kl_blas_ready(void);

/* C (m x n) = alpha op(A) op(B) + beta C, inner size k; leading dimensions given. */
void kl_gemm(bool transpose_a, bool transpose_b, int m, int n, int k, double alpha, const double *A,
             int lda, const double *B, int ldb, double beta, double *C, int ldc);
double kl_vdot(int n, const double *x, const double *y);
double kl_vnorm(int n, const double *x);
void   kl_vaxpy(int n, double a, const double *x, double *y); /* y += a x */

/* Eigenvalues ascending in w, vectors over A (n x n, symmetric). */
kl_status kl_symmetric_eigen(int n, double *A, double *w);
/* A x = w B x, B positive definite; vectors over A with x'Bx = 1; B is destroyed. */
kl_status kl_generalized_eigen(int n, double *A, double *B, double *w);
/* Upper Cholesky factor over A; KL_E_SINGULAR when A is not positive definite. */
kl_status kl_cholesky(int n, double *A);
/* X := X R^-1 (rows x n), R upper triangular n x n. */
void kl_right_divide(int rows, int n, const double *R, double *X, int ldx);
/* A X = B by LU with pivoting; both destroyed, X over B. */
kl_status kl_dense_solve(int n, int nrhs, double *A, double *B);
/* Singular values descending; A (m x n) destroyed. s has min(m, n). */
kl_status kl_singular_values(int m, int n, double *A, double *s);
/* Least squares of minimum norm, A (m x n) X = B; X over B (ldb >= max(m, n)); A destroyed. */
kl_status kl_least_squares(int m, int n, int nrhs, double *A, double *B, int ldb, double rcond,
                           int *rank);

/* Eigenvalues wr + i wi of A (n x n, any; destroyed) and, unless V is NULL, right eigenvectors by
 * columns: a real one takes a column, a conjugate pair two (real and imaginary part). */
kl_status kl_general_eigen(int n, double *A, double *wr, double *wi, double *V);
/* The same of A x = w E x, E perhaps singular: w = (wr + i wi)/beta, beta 0 for infinite ones. */
kl_status kl_pencil_eigen(int n, double *A, double *E, double *wr, double *wi, double *beta,
                          double *V);

#endif
