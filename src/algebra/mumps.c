/* The door to MUMPS, sequential, double precision. Settings by their numbers in the MUMPS 5.5
 * guide: ICNTL(1..4) printing off; ICNTL(7) ordering; ICNTL(14) spare room in percent; ICNTL(24)
 * null pivots; ICNTL(27) right-hand sides handled together. */
#include "algebra/mumps.h"

#include <dmumps_c.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { USE_COMM_WORLD = -987654, INIT = -1, END = -2, ANALYSE = 1, FACTOR = 2, SOLVE = 3 };
enum {
    PORD                  = 4,
    SPARE_PERCENT         = 30,
    SPARE_LIMIT           = 500,
    MEMORY_SHORT_1        = -8,
    MEMORY_SHORT_2        = -9,
    NOT_DEFINITE          = -40,
    NUMERICALLY_SINGULAR  = -10,
    STRUCTURALLY_SINGULAR = -6,
    NO_MEMORY             = -13
};

struct kl_factor {
    DMUMPS_STRUC_C  mumps;
    kl_factor_stats stats;
    int            *row, *column; /* from 1; MUMPS borrows them until the factors are there */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void call(kl_factor *f, int job)
{
    f->mumps.job = job;
    pthread_mutex_lock(&lock);
    dmumps_c(&f->mumps);
    pthread_mutex_unlock(&lock);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#define ICNTL(i) icntl[(i)-1]

static void settings(kl_factor *f)
{
    MUMPS_INT *icntl = f->mumps.icntl;
    for (int i = 1; i <= 3; i++) ICNTL(i) = -1;
    ICNTL(4)  = 0;
    ICNTL(7)  = PORD; /* as little fill as SCOTCH on our meshes, found in half the time */
    ICNTL(14) = SPARE_PERCENT;
    ICNTL(24) = 1;
    ICNTL(27) = 32;
}

static kl_status failed(const kl_factor *f, kl_diag *diag)
{
    int code = f->mumps.infog[0], more = f->mumps.infog[1];
    if (code == NO_MEMORY || code == MEMORY_SHORT_1 || code == MEMORY_SHORT_2)
        return kl_fail(
            diag, KL_E_MEMORY, KL_NOWHERE,
            "not enough memory to factor a matrix of %d unknowns (MUMPS %d, %d); a coarser "
            "mesh or klingel-fe-mpi on several machines needs less of it",
            (int)f->mumps.n, code, more);
    if (code == NOT_DEFINITE || code == NUMERICALLY_SINGULAR || code == STRUCTURALLY_SINGULAR)
        return kl_fail(
            diag, KL_E_SINGULAR, KL_NOWHERE,
            "the matrix of %d unknowns cannot be factored: it is singular or not positive "
            "definite (MUMPS %d, %d)",
            (int)f->mumps.n, code, more);
    return kl_fail(diag, KL_E_INTERNAL, KL_NOWHERE, "MUMPS failed with %d, %d", code, more);
}

/* factor with more room when MUMPS asks for it */
static kl_status factor(kl_factor *f, kl_diag *diag)
{
    MUMPS_INT *icntl = f->mumps.icntl;
    call(f, ANALYSE);
    if (f->mumps.infog[0] < 0) return failed(f, diag);
    for (;;) {
        call(f, FACTOR);
        int code = f->mumps.infog[0];
        if (code >= 0) return KL_OK;
        if ((code != MEMORY_SHORT_1 && code != MEMORY_SHORT_2) || ICNTL(14) >= SPARE_LIMIT)
            return failed(f, diag);
        ICNTL(14) *= 2;
    }
}

static kl_status give_matrix(kl_factor *f, const kl_symmetric *A)
{
    int64_t nnz = kl_symmetric_nnz(A);
    f->row      = malloc((size_t)nnz * sizeof(int));
    f->column   = malloc((size_t)nnz * sizeof(int));
    if (!f->row || !f->column) return KL_E_MEMORY;
    for (int j = 0; j < A->n; j++)
        for (int64_t p = A->start[j]; p < A->start[j + 1]; p++) {
            f->row[p]    = A->row[p] + 1;
            f->column[p] = j + 1;
        }
    f->mumps.n   = A->n;
    f->mumps.nnz = nnz;
    f->mumps.irn = f->row;
    f->mumps.jcn = f->column;
    f->mumps.a   = A->value; /* MUMPS reads it only */
    return KL_OK;
}

kl_status kl_factor_create(kl_factor **out, const kl_symmetric *A, bool definite, kl_diag *diag)
{
    *out         = NULL;
    kl_factor *f = calloc(1, sizeof *f);
    if (!f) return kl_fail(diag, KL_E_MEMORY, KL_NOWHERE, "out of memory before a factorisation");
    double start          = now();
    f->mumps.comm_fortran = USE_COMM_WORLD;
    f->mumps.par          = 1;
    f->mumps.sym          = definite ? 1 : 2;
    call(f, INIT);
    settings(f);
    kl_status status = give_matrix(f, A);
    if (status == KL_OK) status = factor(f, diag);
    else kl_fail(diag, status, KL_NOWHERE, "out of memory before a factorisation");

    free(f->row);
    free(f->column);
    f->row = f->column = NULL;
    f->mumps.irn = f->mumps.jcn = NULL;
    f->mumps.a                  = NULL;
    if (status != KL_OK) {
        kl_factor_destroy(f);
        return status;
    }
    const MUMPS_INT *infog = f->mumps.infog;
    /* INFOG(29) entries, in millions when negative; INFOG(22) MB used; RINFOG(3) flops;
     * INFOG(12) negative pivots, INFOG(28) null pivots */
    f->stats = (kl_factor_stats){
        .entries  = infog[28] >= 0 ? (double)infog[28] : -1e6 * (double)infog[28],
        .bytes    = 1e6 * (double)infog[21],
        .flops    = f->mumps.rinfog[2],
        .negative = (int)infog[11],
        .null     = (int)infog[27],
        .seconds  = now() - start,
    };
    *out = f;
    return KL_OK;
}

void kl_factor_destroy(kl_factor *f)
{
    if (!f) return;
    call(f, END);
    free(f->row);
    free(f->column);
    free(f);
}

kl_status kl_factor_solve(kl_factor *f, int k, double *X, kl_diag *diag)
{
    if (k == 0) return KL_OK;
    f->mumps.rhs  = X;
    f->mumps.nrhs = k;
    f->mumps.lrhs = f->mumps.n;
    call(f, SOLVE);
    f->mumps.rhs = NULL;
    return f->mumps.infog[0] < 0 ? failed(f, diag) : KL_OK;
}

const kl_factor_stats *kl_factor_stats_of(const kl_factor *f) { return &f->stats; }
