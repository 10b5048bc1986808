/* The door to MUMPS, sequential, double precision. Settings by their numbers in the MUMPS 5.5
 * guide: ICNTL(1..4) printing off; ICNTL(7) ordering; ICNTL(14) spare room in percent; ICNTL(24)
 * null pivots; ICNTL(27) right-hand sides handled together. */
#include "algebra/mumps.h"

#include <dmumps_c.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "algebra/order.h"

enum { USE_COMM_WORLD = -987654, INIT = -1, END = -2, ANALYSE = 1, FACTOR = 2, SOLVE = 3 };
enum {
    AMD                   = 0,
    GIVEN                 = 1,
    SCOTCH                = 3,
    SPARE_PERCENT         = 30,
    SPARE_DEFINITE        = 5, /* without pivoting the estimate is nearly exact */
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
    int            *order;        /* position of each unknown in the elimination, from 1 */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void call(kl_factor *f, int job)
{
    f->mumps.job = job;
    pthread_mutex_lock(&lock);
    dmumps_c(&f->mumps);
    pthread_mutex_unlock(&lock);
}

static double wall_clock(void)
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
    ICNTL(7)  = AMD;
    ICNTL(14) = f->mumps.sym == 1 ? SPARE_DEFINITE : SPARE_PERCENT;
    ICNTL(24) = 1;
    ICNTL(27) = 32;
}

static kl_status failed(const kl_factor *f, kl_diag *diag)
{
    int code = f->mumps.infog[0], more = f->mumps.infog[1];
    if (code == NO_MEMORY || code == MEMORY_SHORT_1 || code == MEMORY_SHORT_2)
        return kl_fail(diag, KL_E_MEMORY, KL_NOWHERE,
                       "not enough memory to factor a matrix of %d unknowns (MUMPS %d, %d); use a "
                       "coarser mesh, or klingel-fe-mpi on several machines",
                       (int)f->mumps.n, code, more);
    if (code == NOT_DEFINITE || code == NUMERICALLY_SINGULAR || code == STRUCTURALLY_SINGULAR)
        return kl_fail(diag, KL_E_SINGULAR, KL_NOWHERE,
                       "the matrix of %d unknowns cannot be factorised: it is singular or not "
                       "positive definite (MUMPS %d, %d)",
                       (int)f->mumps.n, code, more);
    return kl_fail(diag, KL_E_INTERNAL, KL_NOWHERE,
                   "the sparse solver MUMPS failed (codes %d, %d); use a coarser mesh", code, more);
}

static kl_status not_definite(const kl_factor *f, kl_diag *diag)
{
    return kl_fail(diag, KL_E_SINGULAR, KL_NOWHERE,
                   "the matrix of %d unknowns is singular or not positive definite: %d pivots are "
                   "negative, %d are zero",
                   (int)f->mumps.n, (int)f->mumps.infog[11], (int)f->mumps.infog[27]);
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

static kl_status pass_matrix_to_mumps(kl_factor *f, const kl_symmetric *A)
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

/* ---- ordering ----
 *
 * Unknowns of one node have the same neighbours, so the graph of nodes is ordered (nested
 * dissection) and each node's unknowns follow one another: as good an order, found several times
 * faster. SCOTCH is used when that fails. Not PORD: it ends the whole process on some small
 * graphs. */

/* groups of successive unknowns with the same rows; returns how many, group of each in `group` */
static int find_groups(const kl_symmetric *A, int *group)
{
    int count = 0;
    for (int j = 0; j < A->n; j++) {
        bool same = false;
        if (j > 0) {
            int64_t before = A->start[j] - A->start[j - 1], here = A->start[j + 1] - A->start[j];
            same = before == here + 1 && memcmp(A->row + A->start[j - 1] + 1, A->row + A->start[j],
                                                (size_t)here * sizeof(int)) == 0;
        }
        if (!same) count++;
        group[j] = count - 1;
    }
    return count;
}

/* entries of the graph of groups, from 1, below the diagonal; counts only while row is NULL */
static int64_t group_entries(const kl_symmetric *A, const int *group, int *row, int *column)
{
    int64_t count = 0;
    for (int j = 0; j < A->n; j++) {
        if (j > 0 && group[j] == group[j - 1]) continue;
        int last = -1;
        for (int64_t p = A->start[j]; p < A->start[j + 1]; p++) {
            int g = group[A->row[p]];
            if (g == last) continue;
            last = g;
            if (row) row[count] = g + 1, column[count] = group[j] + 1;
            count++;
        }
    }
    return count;
}

static void find_order(kl_factor *f, const kl_symmetric *A)
{
    enum { WORTH_IT = 2000 };
    if (A->n < WORTH_IT) return;
    size_t     n     = (size_t)A->n;
    MUMPS_INT *icntl = f->mumps.icntl;
    int       *group = malloc(n * sizeof(int)), *position = malloc(n * sizeof(int)),
        *first = malloc((n + 1) * sizeof(int)), *row = NULL, *column = NULL;
    f->order = malloc(n * sizeof(int));
    ICNTL(7) = SCOTCH;
    if (group && position && first && f->order) {
        int     ngroup = find_groups(A, group);
        int64_t nnz    = group_entries(A, group, NULL, NULL);
        row            = malloc((size_t)nnz * sizeof(int));
        column         = malloc((size_t)nnz * sizeof(int));
        if (row && column) {
            group_entries(A, group, row, column);
            if (kl_order_dissect(ngroup, nnz, row, column, position)) {
                kl_order_spread(A->n, ngroup, group, position, first, f->order);
                f->mumps.perm_in = f->order;
                ICNTL(7)         = GIVEN;
            }
        }
    }
    free(group);
    free(position);
    free(first);
    free(row);
    free(column);
}

kl_status kl_factor_create(kl_factor **out, const kl_symmetric *A, bool definite, kl_diag *diag)
{
    *out         = NULL;
    kl_factor *f = calloc(1, sizeof *f);
    if (!f) return kl_fail(diag, KL_E_MEMORY, KL_NOWHERE, "out of memory before a factorisation");
    double start          = wall_clock();
    f->mumps.comm_fortran = USE_COMM_WORLD;
    f->mumps.par          = 1;
    f->mumps.sym          = definite ? 1 : 2;
    call(f, INIT);
    settings(f);
    find_order(f, A);
    kl_status status = pass_matrix_to_mumps(f, A);
    if (status != KL_OK) kl_fail(diag, status, KL_NOWHERE, "out of memory before a factorisation");
    else status = factor(f, diag);
    /* INFOG(12), INFOG(28): negative and null pivots; MUMPS continues with them */
    if (status == KL_OK && definite && (f->mumps.infog[11] > 0 || f->mumps.infog[27] > 0))
        status = not_definite(f, diag);

    free(f->row);
    free(f->column);
    free(f->order);
    f->row = f->column = f->order = NULL;
    f->mumps.perm_in              = NULL;
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
        .seconds  = wall_clock() - start,
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
    free(f->order);
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

/* ---- a matrix that is factored again and again ---- */

struct kl_elimination {
    DMUMPS_STRUC_C mumps;
};

static void call_elimination(kl_elimination *e, int job)
{
    e->mumps.job = job;
    pthread_mutex_lock(&lock);
    dmumps_c(&e->mumps);
    pthread_mutex_unlock(&lock);
}

static kl_status elimination_status(const kl_elimination *e)
{
    int code = e->mumps.infog[0];
    if (code >= 0) return KL_OK;
    bool memory = code == NO_MEMORY || code == MEMORY_SHORT_1 || code == MEMORY_SHORT_2;
    return memory ? KL_E_MEMORY : KL_E_SINGULAR;
}

kl_status kl_elimination_open(kl_elimination **out, const kl_elimination_matrix *A)
{
    kl_elimination *e = calloc(1, sizeof *e);
    *out              = e;
    if (!e) return KL_E_MEMORY;
    e->mumps.comm_fortran = USE_COMM_WORLD;
    e->mumps.par          = 1;
    e->mumps.sym          = A->symmetric ? 2 : 0;
    call_elimination(e, INIT);
    MUMPS_INT *icntl = e->mumps.icntl;
    for (int i = 1; i <= 3; i++) ICNTL(i) = -1;
    ICNTL(4)         = 0;
    ICNTL(6)         = 0; /* columns stay: the caller scales, and the diagonal is there */
    ICNTL(7)         = A->order ? GIVEN : AMD;
    ICNTL(8)         = 0; /* no scaling */
    ICNTL(14)        = SPARE_PERCENT;
    e->mumps.n       = A->n;
    e->mumps.nnz     = A->nnz;
    e->mumps.irn     = A->row;
    e->mumps.jcn     = A->column;
    e->mumps.a       = A->value;
    e->mumps.perm_in = A->order;
    call_elimination(e, ANALYSE);
    return elimination_status(e);
}

kl_status kl_elimination_factor(kl_elimination *e)
{
    MUMPS_INT *icntl = e->mumps.icntl;
    for (;;) {
        call_elimination(e, FACTOR);
        int code = e->mumps.infog[0];
        if ((code != MEMORY_SHORT_1 && code != MEMORY_SHORT_2) || ICNTL(14) >= SPARE_LIMIT)
            return elimination_status(e);
        ICNTL(14) *= 2;
    }
}

kl_status kl_elimination_solve(kl_elimination *e, double *x)
{
    e->mumps.rhs  = x;
    e->mumps.nrhs = 1;
    e->mumps.lrhs = e->mumps.n;
    call_elimination(e, SOLVE);
    return elimination_status(e);
}

void kl_elimination_close(kl_elimination *e)
{
    if (!e) return;
    call_elimination(e, END);
    free(e);
}
