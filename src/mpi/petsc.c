/* The interface to PETSc and SLEPc: factor and eigenmodes of a matrix that rank 0 holds, spread by rows
 * over all ranks.
 *
 * Rank 0 calls kl_factor_create, kl_factor_solve, kl_lanczos_solve as in the sequential program;
 * each first sends the other ranks an order, then all do it together. The lower
 * triangle by columns is the upper triangle by rows, which is PETSc's symmetric format: every rank
 * gets its rows as they stand. */
#include <mpi.h>
#include <slepceps.h>

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "algebra/arpack.h"
#include "algebra/lanczos.h"
#include "algebra/mumps.h"
#include "mpi/serve.h"

#ifndef PETSC_SUCCESS
#define PETSC_SUCCESS 0 /* before PETSc 3.19 */
#endif

typedef enum order_kind {
    ORDER_END,
    ORDER_FACTOR,
    ORDER_SOLVE,
    ORDER_EIGEN,
    ORDER_DROP
} order_kind;

/* orders of rank 0 to the others, and their numbers */
typedef struct order {
    int    kind, n, k, ndeflate;
    double tolerance;
} order;

/* the one factor and its matrix, alike on every rank; a process has one such program state */
struct kl_factor {
    kl_factor_stats stats;
    int             n;
};
typedef struct spread {
    Mat A;
    KSP ksp;
    int n;
} spread;
static spread current; /* PETSc objects live across orders; orders come one at a time */

static int rank_of(void)
{
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
}

int kl_mpi_size(void)
{
    int size = 1;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    return size;
}

static void broadcast(order *o) { MPI_Bcast(o, (int)sizeof *o, MPI_BYTE, 0, MPI_COMM_WORLD); }

/* rows of rank r: first .. last - 1 */
static void rows_of(int n, int r, int *first, int *last)
{
    int size = kl_mpi_size();
    *first   = (int)((long long)n * r / size);
    *last    = (int)((long long)n * (r + 1) / size);
}

/* ---- spreading a matrix ---- */

typedef struct slice {
    PetscInt *start, *column;
    double   *value;
} slice;

static void free_slice(slice *s)
{
    free(s->start);
    free(s->column);
    free(s->value);
}

static bool make_slice(slice *s, int rows, int entries)
{
    s->start  = malloc(((size_t)rows + 1) * sizeof(PetscInt));
    s->column = malloc(((size_t)entries + 1) * sizeof(PetscInt));
    s->value  = malloc(((size_t)entries + 1) * sizeof(double));
    return s->start && s->column && s->value;
}

static void fill_slice(const kl_symmetric *A, int first, int last, slice *s)
{
    for (int j = first; j <= last; j++)
        s->start[j - first] = (PetscInt)(A->start[j] - A->start[first]);
    for (int64_t p = A->start[first]; p < A->start[last]; p++) {
        s->column[p - A->start[first]] = A->row[p];
        s->value[p - A->start[first]]  = A->value[p];
    }
}

/* rank 0 sends every rank its rows; each returns its own slice */
static bool distribute_rows(const kl_symmetric *A, int n, slice *mine)
{
    int rank = rank_of(), size = kl_mpi_size(), first, last, entries = 0;
    for (int r = size - 1; rank == 0 && r >= 0; r--) {
        slice s = {0};
        rows_of(n, r, &first, &last);
        entries = (int)(A->start[last] - A->start[first]);
        if (!make_slice(r == 0 ? mine : &s, last - first, entries)) return false;
        fill_slice(A, first, last, r == 0 ? mine : &s);
        if (r == 0) return true;
        MPI_Send(&entries, 1, MPI_INT, r, 1, MPI_COMM_WORLD);
        MPI_Send(s.start, last - first + 1, MPIU_INT, r, 2, MPI_COMM_WORLD);
        MPI_Send(s.column, entries, MPIU_INT, r, 3, MPI_COMM_WORLD);
        MPI_Send(s.value, entries, MPI_DOUBLE, r, 4, MPI_COMM_WORLD);
        free_slice(&s);
    }
    rows_of(n, rank, &first, &last);
    MPI_Recv(&entries, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (!make_slice(mine, last - first, entries)) MPI_Abort(MPI_COMM_WORLD, 3);
    MPI_Recv(mine->start, last - first + 1, MPIU_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Recv(mine->column, entries, MPIU_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Recv(mine->value, entries, MPI_DOUBLE, 0, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return true;
}

static PetscErrorCode spread_matrix(const kl_symmetric *A, int n, Mat *out)
{
    slice s = {0};
    int   first, last;
    rows_of(n, rank_of(), &first, &last);
    if (!distribute_rows(A, n, &s)) return PETSC_ERR_MEM;
    PetscCall(MatCreate(PETSC_COMM_WORLD, out));
    PetscCall(MatSetSizes(*out, last - first, last - first, n, n));
    PetscCall(MatSetType(*out, MATSBAIJ));
    PetscCall(MatSeqSBAIJSetPreallocationCSR(*out, 1, s.start, s.column, s.value));
    PetscCall(MatMPISBAIJSetPreallocationCSR(*out, 1, s.start, s.column, s.value));
    PetscCall(MatSetOption(*out, MAT_SYMMETRIC, PETSC_TRUE));
    PetscCall(MatSetOption(*out, MAT_SPD, PETSC_TRUE));
    free_slice(&s);
    return PETSC_SUCCESS;
}

/* ---- spreading and gathering columns ---- */

/* k columns of length n on rank 0 <-> local rows of a dense matrix */
static PetscErrorCode move_columns(int n, int k, double *whole, Mat B, bool to_ranks)
{
    int          rank = rank_of(), size = kl_mpi_size(), first, last;
    int         *count = calloc((size_t)size, sizeof(int)), *at = calloc((size_t)size, sizeof(int));
    PetscInt     ld;
    PetscScalar *local;
    if (!count || !at) return PETSC_ERR_MEM;
    for (int r = 0; r < size; r++) {
        rows_of(n, r, &first, &last);
        count[r] = last - first, at[r] = first;
    }
    PetscCall(MatDenseGetLDA(B, &ld));
    PetscCall(MatDenseGetArray(B, &local));
    for (int j = 0; j < k; j++) {
        double *column = rank == 0 ? whole + (size_t)j * (size_t)n : NULL;
        double *mine   = local + (size_t)j * (size_t)ld;
        if (to_ranks)
            MPI_Scatterv(column, count, at, MPI_DOUBLE, mine, count[rank], MPI_DOUBLE, 0,
                         MPI_COMM_WORLD);
        else
            MPI_Gatherv(mine, count[rank], MPI_DOUBLE, column, count, at, MPI_DOUBLE, 0,
                        MPI_COMM_WORLD);
    }
    PetscCall(MatDenseRestoreArray(B, &local));
    free(count);
    free(at);
    return PETSC_SUCCESS;
}

static PetscErrorCode dense(int n, int k, Mat *B)
{
    int first, last;
    rows_of(n, rank_of(), &first, &last);
    return MatCreateDense(PETSC_COMM_WORLD, last - first, PETSC_DECIDE, n, k, NULL, B);
}

/* ---- what all ranks do together ---- */

static PetscErrorCode together_drop(void)
{
    PetscCall(KSPDestroy(&current.ksp));
    PetscCall(MatDestroy(&current.A));
    return PETSC_SUCCESS;
}

static PetscErrorCode together_factor(const kl_symmetric *A, int n)
{
    PC pc;
    PetscCall(together_drop());
    current.n = n;
    PetscCall(spread_matrix(A, n, &current.A));
    PetscCall(KSPCreate(PETSC_COMM_WORLD, &current.ksp));
    PetscCall(KSPSetOperators(current.ksp, current.A, current.A));
    PetscCall(KSPSetType(current.ksp, KSPPREONLY));
    PetscCall(KSPGetPC(current.ksp, &pc));
    PetscCall(PCSetType(pc, PCCHOLESKY));
    PetscCall(PCFactorSetMatSolverType(pc, MATSOLVERMUMPS));
    PetscCall(KSPSetUp(current.ksp));
    KSPConvergedReason reason;
    PCFailedReason     failed;
    PetscCall(KSPGetConvergedReason(current.ksp, &reason));
    PetscCall(PCGetFailedReason(pc, &failed));
    return failed == PC_NOERROR ? PETSC_SUCCESS : PETSC_ERR_MAT_LU_ZRPVT;
}

static PetscErrorCode together_solve(int k, double *X)
{
    Mat B, Y, F;
    PC  pc;
    PetscCall(dense(current.n, k, &B));
    PetscCall(dense(current.n, k, &Y));
    PetscCall(move_columns(current.n, k, X, B, true));
    PetscCall(MatAssemblyBegin(B, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(B, MAT_FINAL_ASSEMBLY));
    PetscCall(KSPGetPC(current.ksp, &pc));
    PetscCall(PCFactorGetMatrix(pc, &F));
    PetscCall(MatMatSolve(F, B, Y));
    PetscCall(move_columns(current.n, k, X, Y, false));
    PetscCall(MatDestroy(&B));
    PetscCall(MatDestroy(&Y));
    return PETSC_SUCCESS;
}

/* eigenpairs of (K - sigma M) x = mu M x nearest zero, on the factor that is there */
static PetscErrorCode together_eigen(const order *o, const kl_symmetric *M, const double *known,
                                     double *value, double *vector, int *found)
{
    Mat      Ms, Q;
    EPS      eps;
    ST       st;
    Vec     *deflate   = NULL, x;
    PetscInt converged = 0;
    PetscCall(spread_matrix(M, o->n, &Ms));
    PetscCall(EPSCreate(PETSC_COMM_WORLD, &eps));
    PetscCall(EPSSetOperators(eps, current.A, Ms));
    PetscCall(EPSSetProblemType(eps, EPS_GHEP));
    PetscCall(EPSSetType(eps, EPSKRYLOVSCHUR));
    PetscCall(EPSSetDimensions(eps, o->k, PETSC_DEFAULT, PETSC_DEFAULT));
    PetscCall(EPSSetTolerances(eps, o->tolerance, PETSC_DEFAULT));
    PetscCall(EPSSetTarget(eps, 0.0));
    PetscCall(EPSSetWhichEigenpairs(eps, EPS_TARGET_MAGNITUDE));
    PetscCall(EPSGetST(eps, &st));
    PetscCall(STSetType(st, STSINVERT));
    PetscCall(STSetKSP(st, current.ksp));
    if (o->ndeflate > 0) {
        double *copy = NULL;
        if (rank_of() == 0) {
            size_t bytes = (size_t)o->n * (size_t)o->ndeflate * sizeof(double);
            copy         = malloc(bytes);
            if (!copy) return PETSC_ERR_MEM;
            memcpy(copy, known, bytes);
        }
        PetscCall(dense(o->n, o->ndeflate, &Q));
        PetscCall(move_columns(o->n, o->ndeflate, copy, Q, true));
        free(copy);
        PetscCall(MatCreateVecs(current.A, &x, NULL));
        PetscCall(VecDuplicateVecs(x, o->ndeflate, &deflate));
        for (int j = 0; j < o->ndeflate; j++) PetscCall(MatGetColumnVector(Q, deflate[j], j));
        PetscCall(EPSSetDeflationSpace(eps, o->ndeflate, deflate));
        PetscCall(VecDestroyVecs(o->ndeflate, &deflate));
        PetscCall(VecDestroy(&x));
        PetscCall(MatDestroy(&Q));
    }
    PetscCall(EPSSolve(eps));
    PetscCall(EPSGetConverged(eps, &converged));
    *found = converged < o->k ? (int)converged : o->k;
    PetscCall(dense(o->n, *found > 0 ? *found : 1, &Q));
    PetscCall(MatCreateVecs(current.A, &x, NULL));
    for (int j = 0; j < *found; j++) {
        PetscScalar mu;
        PetscCall(EPSGetEigenpair(eps, j, &mu, NULL, x, NULL));
        if (rank_of() == 0) value[j] = mu;
        const PetscScalar *from;
        PetscScalar       *to;
        PetscInt           local;
        PetscCall(VecGetLocalSize(x, &local));
        PetscCall(VecGetArrayRead(x, &from));
        PetscCall(MatDenseGetColumn(Q, j, &to));
        memcpy(to, from, (size_t)local * sizeof(double));
        PetscCall(MatDenseRestoreColumn(Q, &to));
        PetscCall(VecRestoreArrayRead(x, &from));
    }
    PetscCall(move_columns(o->n, *found, vector, Q, false));
    PetscCall(VecDestroy(&x));
    PetscCall(MatDestroy(&Q));
    PetscCall(EPSDestroy(&eps));
    PetscCall(MatDestroy(&Ms));
    /* the spectral transformation resets the solver: static modes need it again */
    PetscCall(KSPSetOperators(current.ksp, current.A, current.A));
    PetscCall(KSPSetUp(current.ksp));
    return PETSC_SUCCESS;
}

void kl_mpi_serve(void)
{
    for (;;) {
        order o;
        int   found;
        broadcast(&o);
        if (o.kind == ORDER_END) return;
        if (o.kind == ORDER_FACTOR) (void)together_factor(NULL, o.n);
        if (o.kind == ORDER_SOLVE) (void)together_solve(o.k, NULL);
        if (o.kind == ORDER_EIGEN) (void)together_eigen(&o, NULL, NULL, NULL, NULL, &found);
        if (o.kind == ORDER_DROP) (void)together_drop();
    }
}

int kl_mpi_begin(int *argc, char ***argv)
{
    (void)argv;
    *argc = *argc > 0 ? *argc : 0;
    /* PETSc must not take our options for its own */
    if (SlepcInitialize(NULL, NULL, NULL, NULL) != PETSC_SUCCESS) return -1;
    PetscPushErrorHandler(PetscReturnErrorHandler, NULL);
    return rank_of();
}

void kl_mpi_end(int rank)
{
    order o = {.kind = ORDER_END};
    if (rank == 0) broadcast(&o);
    (void)together_drop();
    SlepcFinalize();
}

/* ---- the library's doors, for rank 0 ---- */

static double wall_clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

kl_status kl_factor_create(kl_factor **f, const kl_symmetric *A, bool definite, kl_diag *diag)
{
    (void)definite;
    double start = wall_clock();
    order  o     = {.kind = ORDER_FACTOR, .n = A->n};
    *f           = NULL;
    broadcast(&o);
    PetscErrorCode e = together_factor(A, A->n);
    if (e != PETSC_SUCCESS)
        return kl_fail(diag, KL_E_SINGULAR, KL_NOWHERE,
                       "the matrix of %d unknowns cannot be factorised (PETSc %d)", A->n, (int)e);
    kl_factor *made = calloc(1, sizeof *made);
    if (!made) return KL_E_MEMORY;
    Mat      F;
    PC       pc;
    PetscInt mb = 0, entries = 0;
    if (KSPGetPC(current.ksp, &pc) == PETSC_SUCCESS && PCFactorGetMatrix(pc, &F) == PETSC_SUCCESS) {
        MatMumpsGetInfog(F, 22,
                         &mb); /* MB at most on one rank; 29: entries, millions if negative */
        MatMumpsGetInfog(F, 29, &entries);
    }
    made->n = A->n;
    made->stats =
        (kl_factor_stats){.entries = entries >= 0 ? (double)entries : -1e6 * (double)entries,
                          .bytes   = 1e6 * (double)mb,
                          .seconds = wall_clock() - start};
    *f = made;
    return KL_OK;
}

void kl_factor_destroy(kl_factor *f)
{
    if (!f) return;
    order o = {.kind = ORDER_DROP};
    broadcast(&o);
    (void)together_drop();
    free(f);
}

kl_status kl_factor_solve(kl_factor *f, int k, double *X, kl_diag *diag)
{
    order o = {.kind = ORDER_SOLVE, .n = f->n, .k = k};
    if (k == 0) return KL_OK;
    broadcast(&o);
    PetscErrorCode e = together_solve(k, X);
    return e == PETSC_SUCCESS
               ? KL_OK
               : kl_fail(diag, KL_E_SINGULAR, KL_NOWHERE, "a solve failed (PETSc %d)", (int)e);
}

const kl_factor_stats *kl_factor_stats_of(const kl_factor *f) { return &f->stats; }

kl_status kl_lanczos_solve(kl_lanczos *l, const kl_symmetric *M, kl_factor *factor, double *value,
                           double *vector, int *found, kl_diag *diag)
{
    order o = {.kind      = ORDER_EIGEN,
               .n         = factor->n,
               .k         = l->nev,
               .ndeflate  = l->ndeflate,
               .tolerance = 1e-12};
    if (l->progress && !l->progress(l->context, 0)) return KL_E_INTERRUPTED;
    broadcast(&o);
    PetscErrorCode e = together_eigen(&o, M, l->deflate, value, vector, found);
    if (e != PETSC_SUCCESS)
        return kl_fail(diag, KL_E_SINGULAR, KL_NOWHERE, "the eigenmodes failed (SLEPc %d)", (int)e);
    if (*found < l->nev)
        return kl_fail(diag, KL_E_SINGULAR, KL_NOWHERE,
                       "SLEPc found %d of %d modes; request fewer modes", *found, l->nev);
    for (int j = 0; j < *found; j++) value[j] += l->sigma;
    l->nsolve = l->nblock = 0;
    return KL_OK;
}

kl_status kl_arpack_shift_invert(const kl_symmetric *M, double sigma, int nev, double tolerance,
                                 kl_solve_fn solve, void *context, double *value, double *vector,
                                 kl_diag *diag)
{
    (void)M, (void)sigma, (void)nev, (void)tolerance, (void)solve, (void)context, (void)value,
        (void)vector;
    return kl_fail(diag, KL_E_USAGE, KL_NOWHERE,
                   "klingel-fe-mpi computes modes with SLEPc; remove `solver: arpack`");
}
