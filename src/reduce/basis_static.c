/* Static solutions with the interfaces free, also where the factor holds them.
 *
 * Craig-Bampton's basis X spans all that the interfaces can do (but rigid motion), so with u0 the
 * solution with interfaces held
 *
 *   u = u0 + X c,   (X'K X) c = X'(f - K u0)
 *
 * is exact. Rigid motions in X, of a plain basis, are left out. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "algebra/dense.h"
#include "reduce/basis.h"

/* f := f - M R (R'M R)^-1 R'f */
static kl_status balance(const kl_system *s, int k, double *f)
{
    int     N        = s->ndof;
    double *R        = malloc(6 * (size_t)N * sizeof(double)),
           *MR       = malloc(6 * (size_t)N * sizeof(double));
    double   *c      = malloc(6 * (size_t)k * sizeof(double)), G[36];
    kl_status status = R && MR && c ? KL_OK : KL_E_MEMORY;
    if (status == KL_OK) {
        kl_system_rigid(s, kl_vec(0, 0, 0), R);
        kl_symmetric_multiply(&s->M, 6, R, MR);
        kl_gemm(true, false, 6, 6, N, 1, R, N, MR, N, 0, G, 6);
        kl_gemm(true, false, 6, k, N, 1, R, N, f, N, 0, c, 6);
        status = kl_dense_solve(6, k, G, c);
    }
    if (status == KL_OK) kl_gemm(false, false, N, k, 6, -1, MR, N, c, 6, 1, f, N);
    free(R);
    free(MR);
    free(c);
    return status;
}

/* c := Kff^-1 c, n x k, without what has no stiffness */
static kl_status solve_reduced(const kl_basis *b, int k, double *c)
{
    size_t    n  = (size_t)b->n;
    int       ni = b->n;
    double   *A = malloc(n * n * sizeof(double)), *w = malloc(n * sizeof(double));
    double   *y = malloc(n * (size_t)k * sizeof(double)), *size = malloc(n * sizeof(double));
    kl_status status = A && w && y && size ? KL_OK : KL_E_MEMORY;
    if (status == KL_OK) {
        /* columns of equal mass, or the stiffest would hide the softest */
        for (size_t i = 0; i < n; i++) size[i] = 1.0 / sqrt(fmax(b->Mff[i * n + i], 1e-300));
        for (size_t i = 0; i < n * n; i++) A[i] = b->Kff[i] * size[i / n] * size[i % n];
        for (size_t i = 0; i < n * (size_t)k; i++) c[i] *= size[i % n];
        status = kl_symmetric_eigen(ni, A, w);
    }
    if (status == KL_OK) {
        kl_gemm(true, false, ni, k, ni, 1, A, ni, c, ni, 0, y, ni);
        for (size_t i = 0; i < n * (size_t)k; i++)
            y[i] = w[i % n] > 1e-12 * w[n - 1] ? y[i] / w[i % n] : 0.0;
        kl_gemm(false, false, ni, k, ni, 1, A, ni, y, ni, 0, c, ni);
        for (size_t i = 0; i < n * (size_t)k; i++) c[i] *= size[i % n];
    }
    free(A);
    free(w);
    free(y);
    free(size);
    return status;
}

/* u += X Kff^-1 X'(f - K u); f is used up and holds the residual behind */
static kl_status release(const kl_system *s, const kl_basis *b, int k, double *f, double *u)
{
    int       N      = s->ndof;
    size_t    all    = (size_t)N * (size_t)k;
    double   *Ku     = malloc((all + 1) * sizeof(double));
    double   *c      = malloc(((size_t)b->n * (size_t)k + 1) * sizeof(double));
    kl_status status = Ku && c ? KL_OK : KL_E_MEMORY;
    if (status == KL_OK) {
        kl_symmetric_multiply(&s->K, k, u, Ku);
        kl_vaxpy((int)all, -1, Ku, f);
        kl_gemm(true, false, b->n, k, N, 1, b->X, N, f, N, 0, c, b->n);
        status = solve_reduced(b, k, c);
    }
    if (status == KL_OK) kl_gemm(false, false, N, k, b->n, 1, b->X, N, c, b->n, 1, u, N);
    free(Ku);
    free(c);
    return status;
}

kl_status kl_basis_static(const kl_system *s, const kl_basis *b, int k, double *f, kl_diag *diag)
{
    if (!b->bordered) return kl_modes_static(s, &b->modes, k, f, diag);
    enum { TOGETHER = 8 };
    size_t  N    = (size_t)s->ndof;
    double *rest = malloc((N * TOGETHER + 1) * sizeof(double));
    if (!rest) return KL_E_MEMORY;
    kl_status status = KL_OK;
    for (int j = 0; j < k && status == KL_OK; j += TOGETHER) {
        int     some = k - j < TOGETHER ? k - j : TOGETHER;
        double *u    = f + (size_t)j * N;
        if (b->free) status = balance(s, some, u);
        memcpy(rest, u, N * (size_t)some * sizeof(double));
        if (status == KL_OK) status = kl_modes_static(s, &b->modes, some, u, diag);
        if (status == KL_OK) status = release(s, b, some, rest, u);
    }
    free(rest);
    return status;
}
