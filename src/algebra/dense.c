/* The door to BLAS and LAPACK (OpenBLAS and LAPACKE). */
#include "algebra/dense.h"

#include <cblas.h>
#include <lapacke.h>
#include <stdlib.h>

/* OpenBLAS asks this function of its own, while the program is loaded, how many threads to start. The
 * definition here takes precedence: none besides the one that calls, unless OPENBLAS_NUM_THREADS says
 * so or kl_blas_threads asks for more. Without it a small model would wait for a thread on every
 * processor. Another BLAS never calls it. */
int openblas_num_threads_env(void);
int openblas_num_threads_env(void)
{
    const char *wish = getenv("OPENBLAS_NUM_THREADS");
    int         n    = wish ? atoi(wish) : 0;
    return n > 0 ? n : 1;
}

int kl_blas_threads(int n)
{
    int before = openblas_get_num_threads();
    openblas_set_num_threads(n > 0 ? n : 1);
    return before;
}

kl_status kl_blas_ready(void)
{
    enum { SIDE = 128 }; /* large enough for the way that takes scratch memory */
    const size_t scratch = (size_t)160 << 20; /* 128 MB a thread on 64-bit processors */
    void        *room    = malloc(scratch);
    free(room);
    double *A = room ? calloc(2 * SIDE * SIDE, sizeof(double)) : NULL;
    if (!A) return KL_E_MEMORY;
    kl_gemm(false, false, SIDE, SIDE, SIDE, 1, A, SIDE, A, SIDE, 0, A + SIDE * SIDE, SIDE);
    free(A);
    return KL_OK;
}

void kl_gemm(bool transpose_a, bool transpose_b, int m, int n, int k, double alpha, const double *A,
             int lda, const double *B, int ldb, double beta, double *C, int ldc)
{
    cblas_dgemm(CblasColMajor, transpose_a ? CblasTrans : CblasNoTrans,
                transpose_b ? CblasTrans : CblasNoTrans, m, n, k, alpha, A, lda, B, ldb, beta, C,
                ldc);
}

double kl_vdot(int n, const double *x, const double *y) { return cblas_ddot(n, x, 1, y, 1); }
double kl_vnorm(int n, const double *x) { return cblas_dnrm2(n, x, 1); }
void   kl_vaxpy(int n, double a, const double *x, double *y) { cblas_daxpy(n, a, x, 1, y, 1); }

/* negative: a wrong argument, which would be our bug; LAPACKE reports memory as -1010, -1011 */
static kl_status status_of(lapack_int info, kl_status positive)
{
    if (info == 0) return KL_OK;
    if (info <= -1010) return KL_E_MEMORY;
    return info < 0 ? KL_E_NAN
                    : positive; /* LAPACKE checks for NaN and answers with the argument */
}

kl_status kl_symmetric_eigen(int n, double *A, double *w)
{
    if (n == 0) return KL_OK;
    return status_of(LAPACKE_dsyevd(LAPACK_COL_MAJOR, 'V', 'U', n, A, n, w), KL_E_INTERNAL);
}

kl_status kl_generalized_eigen(int n, double *A, double *B, double *w)
{
    if (n == 0) return KL_OK;
    return status_of(LAPACKE_dsygvd(LAPACK_COL_MAJOR, 1, 'V', 'U', n, A, n, B, n, w),
                     KL_E_SINGULAR);
}

kl_status kl_cholesky(int n, double *A)
{
    if (n == 0) return KL_OK;
    return status_of(LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'U', n, A, n), KL_E_SINGULAR);
}

void kl_right_divide(int rows, int n, const double *R, double *X, int ldx)
{
    if (n == 0) return;
    cblas_dtrsm(CblasColMajor, CblasRight, CblasUpper, CblasNoTrans, CblasNonUnit, rows, n, 1.0, R,
                n, X, ldx);
}

kl_status kl_dense_solve(int n, int nrhs, double *A, double *B)
{
    if (n == 0 || nrhs == 0) return KL_OK;
    lapack_int *pivot = malloc((size_t)n * sizeof *pivot);
    if (!pivot) return KL_E_MEMORY;
    lapack_int info = LAPACKE_dgesv(LAPACK_COL_MAJOR, n, nrhs, A, n, pivot, B, n);
    free(pivot);
    return status_of(info, KL_E_SINGULAR);
}

kl_status kl_singular_values(int m, int n, double *A, double *s)
{
    if (m == 0 || n == 0) return KL_OK;
    return status_of(LAPACKE_dgesdd(LAPACK_COL_MAJOR, 'N', m, n, A, m, s, NULL, 1, NULL, 1),
                     KL_E_INTERNAL);
}

kl_status kl_least_squares(int m, int n, int nrhs, double *A, double *B, int ldb, double rcond,
                           int *rank)
{
    if (m == 0 || n == 0 || nrhs == 0) return KL_OK;
    double *s = malloc((size_t)(m < n ? m : n) * sizeof(double));
    if (!s) return KL_E_MEMORY;
    lapack_int r    = 0;
    lapack_int info = LAPACKE_dgelsd(LAPACK_COL_MAJOR, m, n, nrhs, A, m, B, ldb, s, rcond, &r);
    if (rank) *rank = (int)r;
    free(s);
    return status_of(info, KL_E_INTERNAL);
}

kl_status kl_general_eigen(int n, double *A, double *wr, double *wi, double *V)
{
    if (n == 0) return KL_OK;
    double *scale = malloc(3 * (size_t)n * sizeof *scale), norm;
    if (!scale) return KL_E_MEMORY;
    lapack_int low, high;
    lapack_int info =
        LAPACKE_dgeevx(LAPACK_COL_MAJOR, 'B', 'N', V ? 'V' : 'N', 'N', n, A, n, wr, wi, NULL, n, V,
                       n, &low, &high, scale, &norm, scale + n, scale + 2 * (size_t)n);
    free(scale);
    return status_of(info, KL_E_INTERNAL);
}

kl_status kl_pencil_eigen(int n, double *A, double *E, double *wr, double *wi, double *beta,
                          double *V)
{
    if (n == 0) return KL_OK;
    return status_of(LAPACKE_dggev(LAPACK_COL_MAJOR, 'N', V ? 'V' : 'N', n, A, n, E, n, wr, wi,
                                   beta, NULL, n, V, n),
                     KL_E_INTERNAL);
}
