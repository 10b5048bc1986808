/* The door to ARPACK-NG: dsaupd, dseupd in mode 3 (shift and invert, M may be semidefinite).
 * Lehoucq, Sorensen, Yang: ARPACK Users' Guide, 1998, section 3.2. */
#include "algebra/arpack.h"

#include <arpack/arpack.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

typedef struct workspace {
    double *resid, *V, *workd, *workl;
    int    *select;
} workspace;

static void release(workspace *w)
{
    free(w->resid);
    free(w->V);
    free(w->workd);
    free(w->workl);
    free(w->select);
}

static kl_status iterate(const kl_symmetric *M, double sigma, int nev, int ncv, double tolerance,
                         kl_solve_fn solve, void *context, workspace *w, double *value,
                         double *vector, kl_diag *diag)
{
    int n = M->n, ido = 0, info = 1, lworkl = ncv * (ncv + 8);
    int iparam[11] = {1, 0, 1000, 1, 0, 0, 3}, ipntr[14] = {0};
    /* a fixed start, so that equal input gives equal bits */
    for (int i = 0; i < n; i++)
        w->resid[i] = 0.5 + (double)((unsigned)i * 2654435761u % 1000u) / 1000.0;
    for (;;) {
        dsaupd_c(&ido, "G", n, "LM", nev, tolerance, w->resid, ncv, w->V, n, iparam, ipntr,
                 w->workd, w->workl, lworkl, &info);
        double *x = w->workd + ipntr[0] - 1, *y = w->workd + ipntr[1] - 1;
        if (ido == -1) {
            kl_symmetric_multiply(M, 1, x, y);
            KL_TRY(solve(context, y));
        } else if (ido == 1) {
            memcpy(y, w->workd + ipntr[2] - 1, (size_t)n * sizeof(double));
            KL_TRY(solve(context, y));
        } else if (ido == 2) {
            kl_symmetric_multiply(M, 1, x, y);
        } else {
            break;
        }
    }
    if (info < 0 || iparam[4] < nev)
        return kl_fail(diag, KL_E_SINGULAR, KL_NOWHERE,
                       "ARPACK found %d of %d modes (info %d); request fewer modes", iparam[4], nev,
                       info);
    dseupd_c(1, "A", w->select, value, vector, n, sigma, "G", n, "LM", nev, tolerance, w->resid,
             ncv, w->V, n, iparam, ipntr, w->workd, w->workl, lworkl, &info);
    if (info != 0)
        return kl_fail(diag, KL_E_INTERNAL, KL_NOWHERE,
                       "the eigenvalue solver ARPACK failed (dseupd, code %d); request fewer modes",
                       info);
    return KL_OK;
}

kl_status kl_arpack_shift_invert(const kl_symmetric *M, double sigma, int nev, double tolerance,
                                 kl_solve_fn solve, void *context, double *value, double *vector,
                                 kl_diag *diag)
{
    int n = M->n, ncv = 2 * nev + 10 < n ? 2 * nev + 10 : n;
    if (nev < 1 || nev >= n)
        return kl_fail(diag, KL_E_RANGE, KL_NOWHERE, "ARPACK can find 1 to %d modes here, not %d",
                       n - 1, nev);
    size_t    N = (size_t)n, C = (size_t)ncv;
    workspace w      = {malloc(N * sizeof(double)), malloc(N * C * sizeof(double)),
                        calloc(3 * N, sizeof(double)), calloc(C * (C + 8), sizeof(double)),
                        calloc(C, sizeof(int))};
    kl_status status = KL_E_MEMORY;
    if (w.resid && w.V && w.workd && w.workl && w.select) {
        pthread_mutex_lock(&lock);
        status = iterate(M, sigma, nev, ncv, tolerance, solve, context, &w, value, vector, diag);
        pthread_mutex_unlock(&lock);
    }
    release(&w);
    return status;
}
