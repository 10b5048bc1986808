/* Eigenmodes: shift, factor, block Lanczos; see the header.
 *
 * The shift is negative, so K - sigma M is positive definite even for a free body and needs no
 * pivoting. Its size comes from a Rayleigh-Ritz step on polynomials of the coordinates up to the
 * second degree, which also start the iteration. Rigid motions are those of the geometry that leave
 * no energy, M-orthonormalised, and the iteration stays away from them. */
#include "reduce/modes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "algebra/arpack.h"
#include "algebra/dense.h"
#include "algebra/lanczos.h"
#include "reduce/free_motion.h"

static double wall_clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

kl_status kl_symmetric_extract(const kl_symmetric *A, const int *keep, int n, kl_symmetric *out)
{
    int64_t nnz = 0;
    for (int j = 0; j < A->n; j++)
        for (int64_t p = A->start[j]; keep[j] >= 0 && p < A->start[j + 1]; p++)
            nnz += keep[A->row[p]] >= 0;
    *out = (kl_symmetric){n, malloc(((size_t)n + 1) * sizeof(int64_t)),
                          malloc((size_t)(nnz + 1) * sizeof(int)),
                          malloc((size_t)(nnz + 1) * sizeof(double))};
    if (!out->start || !out->row || !out->value) {
        kl_symmetric_free(out);
        return KL_E_MEMORY;
    }
    /* kept unknowns stay in order, so columns stay sorted */
    int64_t used = 0;
    for (int j = 0; j < A->n; j++) {
        if (keep[j] < 0) continue;
        out->start[keep[j]] = used;
        for (int64_t p = A->start[j]; p < A->start[j + 1]; p++) {
            if (keep[A->row[p]] < 0) continue;
            out->row[used]     = keep[A->row[p]];
            out->value[used++] = A->value[p];
        }
    }
    out->start[n] = used;
    return KL_OK;
}

/* the problem on the free unknowns */
typedef struct problem {
    const kl_system       *s;
    const kl_mode_options *o;
    kl_modes              *out;
    kl_diag               *diag;
    int                    n;
    kl_symmetric           K, M; /* owned only when something is fixed */
    bool                   owned;
    double                 norm_K;
    double                *rigid; /* n x nrigid */
    double                *start; /* n x nstart polynomial Ritz vectors */
    int                    nstart;
    double                 lowest; /* estimate of the lowest elastic eigenvalue */
} problem;

static kl_status reduce_problem(problem *p)
{
    const kl_system *s    = p->s;
    int             *keep = malloc(((size_t)s->ndof + 1) * sizeof(int));
    p->out->free_dof      = malloc(((size_t)s->ndof + 1) * sizeof(int));
    if (!keep || !p->out->free_dof) {
        free(keep);
        return KL_E_MEMORY;
    }
    for (int d = 0; d < s->ndof; d++) {
        bool fixed = p->o->fixed && p->o->fixed[d];
        keep[d]    = fixed ? -1 : p->n;
        if (!fixed) p->out->free_dof[p->n++] = d;
    }
    p->out->nfree    = p->n;
    kl_status status = KL_OK;
    if (p->n == s->ndof) {
        p->K = s->K, p->M = s->M;
    } else {
        p->owned = true;
        status   = kl_symmetric_extract(&s->K, keep, p->n, &p->K);
        if (status == KL_OK) status = kl_symmetric_extract(&s->M, keep, p->n, &p->M);
    }
    free(keep);
    if (status == KL_OK && p->n < 1)
        return kl_fail(p->diag, KL_E_MODEL, KL_NOWHERE,
                       "all degrees of freedom are fixed; release some");
    return status;
}

/* ---- trial motions: polynomials of x, y, z ---- */

enum { POLYNOMIALS = 10, TRIALS = 3 * POLYNOMIALS };

/* the part of full-system rigid or polynomial motion on the free unknowns; column k of TRIALS */
static double trial(int k, int component, kl_vec3 b)
{
    double poly[POLYNOMIALS] = {1,         b.x,       b.y,       b.z,       b.x * b.x,
                                b.y * b.y, b.z * b.z, b.x * b.y, b.y * b.z, b.z * b.x};
    return component == k / POLYNOMIALS ? poly[k % POLYNOMIALS] : 0.0;
}

/* curl/2 of the trial motion: what a node's rotation follows, by differences of the polynomial */
static double trial_rotation(int k, int component, kl_vec3 b)
{
    const double h = 1e-4;
    double       d[3][3]; /* d[i][j] = du_i / dx_j */
    for (int j = 0; j < 3; j++) {
        kl_vec3 e = kl_vec(h * (j == 0), h * (j == 1), h * (j == 2));
        for (int i = 0; i < 3; i++)
            d[i][j] = (trial(k, i, kl_add(b, e)) - trial(k, i, kl_sub(b, e))) / (2 * h);
    }
    int a = (component + 1) % 3, c = (component + 2) % 3;
    return 0.5 * (d[c][a] - d[a][c]);
}

static void fill_trials(const problem *p, double *X)
{
    const kl_system *s  = p->s;
    kl_vec3          lo = s->x[0], hi = s->x[0];
    for (int i = 0; i < s->nnode; i++) {
        lo = kl_vec(fmin(lo.x, s->x[i].x), fmin(lo.y, s->x[i].y), fmin(lo.z, s->x[i].z));
        hi = kl_vec(fmax(hi.x, s->x[i].x), fmax(hi.y, s->x[i].y), fmax(hi.z, s->x[i].z));
    }
    kl_vec3 centre = kl_scale(0.5, kl_add(lo, hi));
    double  size   = fmax(0.5 * kl_norm(kl_sub(hi, lo)), 1e-300);
    for (int i = 0; i < p->n; i++) {
        int     d = p->out->free_dof[i], c = s->dof_component[d];
        kl_vec3 b = kl_scale(1 / size, kl_sub(s->x[s->dof_node[d]], centre));
        for (int k = 0; k < TRIALS; k++)
            X[(size_t)k * (size_t)p->n + (size_t)i] =
                c < 3 ? trial(k, c, b) : trial_rotation(k, c - 3, b) / size;
    }
}

/* Rayleigh-Ritz on the columns of X (n x k); drops directions lost in rounding. Ritz values in w,
 * M-orthonormal Ritz vectors over X; returns how many. */
static kl_status rayleigh_ritz(const problem *p, int k, double *X, double *w, int *kept)
{
    size_t  n = (size_t)p->n, K = (size_t)k;
    double *Y = malloc(n * K * sizeof(double)), *A = malloc(K * K * sizeof(double)),
           *B = malloc(K * K * sizeof(double)), *g = malloc(K * sizeof(double)),
           *C        = malloc(K * K * sizeof(double));
    kl_status status = Y && A && B && g && C ? KL_OK : KL_E_MEMORY;
    if (status == KL_OK) {
        kl_symmetric_multiply(&p->M, k, X, Y);
        kl_gemm(true, false, k, k, p->n, 1, X, p->n, Y, p->n, 0, B, k);
        /* scale columns, then orthonormalise; a column that is nothing but the rounding of what was
         * taken out before must not be blown up to a motion */
        double most = 0;
        for (int j = 0; j < k; j++) most = fmax(most, B[(size_t)j * K + (size_t)j]);
        for (int j = 0; j < k; j++) {
            double s = B[(size_t)j * K + (size_t)j];
            g[j]     = s > 1e-20 * most ? 1 / sqrt(s) : 0;
            for (size_t i = 0; i < n; i++) X[(size_t)j * n + i] *= g[j];
        }
        for (int j = 0; j < k; j++)
            for (int i = 0; i < k; i++) B[(size_t)j * K + (size_t)i] *= g[i] * g[j];
        status = kl_symmetric_eigen(k, B, g);
    }
    int first = 0, m = 0;
    if (status == KL_OK) {
        while (first < k && !(g[first] > 1e-11 * g[k - 1])) first++;
        m = k - first;
        for (int j = first; j < k; j++)
            for (int i = 0; i < k; i++) B[(size_t)j * K + (size_t)i] /= sqrt(g[j]);
        kl_gemm(false, false, p->n, m, k, 1, X, p->n, B + (size_t)first * K, k, 0, Y, p->n);
        kl_symmetric_multiply(&p->K, m, Y, X);
        kl_gemm(true, false, m, m, p->n, 1, Y, p->n, X, p->n, 0, A, m);
        status = kl_symmetric_eigen(m, A, w);
    }
    if (status == KL_OK) kl_gemm(false, false, p->n, m, m, 1, Y, p->n, A, m, 0, X, p->n);
    *kept = m;
    free(Y);
    free(A);
    free(B);
    free(g);
    free(C);
    return status;
}

/* Rigid motions without energy among the six of the geometry. */
static kl_status find_rigid(problem *p)
{
    size_t  n    = (size_t)p->n;
    double *R    = malloc(6 * n * sizeof(double)),
           *full = malloc(6 * (size_t)p->s->ndof * sizeof(double));
    double    w[6];
    int       kept   = 0;
    kl_status status = R && full ? KL_OK : KL_E_MEMORY;
    if (status == KL_OK) {
        kl_vec3 centre = {0, 0, 0};
        for (int i = 0; i < p->s->nnode; i++)
            centre = kl_axpy(1.0 / p->s->nnode, p->s->x[i], centre);
        kl_system_rigid(p->s, centre, full);
        for (int k = 0; k < 6; k++)
            for (size_t i = 0; i < n; i++)
                R[(size_t)k * n + i] =
                    full[(size_t)k * (size_t)p->s->ndof + (size_t)p->out->free_dof[i]];
        status = rayleigh_ritz(p, 6, R, w, &kept);
    }
    free(full);
    if (status != KL_OK) {
        free(R);
        return status;
    }
    /* a held body stores energy of the size of its lowest modes in them; a free one only rounding:
     * |x'Kx| <= eps |K| |x|^2, with x'Mx = 1. Thin sheets may store as little, so that no more count
     * than the held unknowns leave. */
    kl_free_motions left;
    int             free_ones = 0;
    kl_free_motions_find(p->s, p->o->fixed, &left);
    for (int k = 0; k < kept && k < left.n; k++) {
        double x2 = kl_vdot(p->n, R + (size_t)k * n, R + (size_t)k * n);
        if (fabs(w[k]) <= 1e-10 * p->norm_K * x2) free_ones++;
        else break;
    }
    p->out->nrigid = free_ones;
    p->rigid       = R;
    return KL_OK;
}

/* X -= R R'M X */
static kl_status remove_rigid(const problem *p, int k, double *X)
{
    int nr = p->out->nrigid;
    if (nr == 0 || k == 0) return KL_OK;
    size_t  n  = (size_t)p->n;
    double *MR = malloc(n * (size_t)nr * sizeof(double)),
           *c  = malloc((size_t)nr * (size_t)k * sizeof(double));
    if (MR && c) {
        kl_symmetric_multiply(&p->M, nr, p->rigid, MR);
        for (int pass = 0; pass < 2; pass++) {
            kl_gemm(true, false, nr, k, p->n, 1, MR, p->n, X, p->n, 0, c, nr);
            kl_gemm(false, false, p->n, k, nr, -1, p->rigid, p->n, c, nr, 1, X, p->n);
        }
    }
    kl_status status = MR && c ? KL_OK : KL_E_MEMORY;
    free(MR);
    free(c);
    return status;
}

/* start vectors and an estimate of the lowest elastic eigenvalue */
static kl_status find_start(problem *p)
{
    size_t  n = (size_t)p->n;
    double *X = malloc(TRIALS * n * sizeof(double)), w[TRIALS];
    if (!X) return KL_E_MEMORY;
    fill_trials(p, X);
    kl_status status = remove_rigid(p, TRIALS, X);
    int       kept   = 0;
    if (status == KL_OK) status = rayleigh_ritz(p, TRIALS, X, w, &kept);
    p->nstart    = kept < 8 ? kept : 8;
    double *some = realloc(X, (size_t)(p->nstart + 1) * n * sizeof(double));
    p->start     = some ? some : X;
    p->lowest    = 0;
    for (int k = 0; k < kept && p->lowest <= 0; k++)
        if (w[k] > 0 && isfinite(w[k])) p->lowest = w[k];
    return status;
}

/* ---- factor and solve ---- */

/* A = K - sigma M */
static kl_status shifted(const problem *p, double sigma, kl_symmetric *out)
{
    kl_symmetric A;
    KL_TRY(kl_symmetric_copy(&A, &p->K));
    /* M's pattern lies inside K's: walk both columns together */
    for (int j = 0; j < p->n; j++) {
        int64_t q = A.start[j];
        for (int64_t m = p->M.start[j]; m < p->M.start[j + 1]; m++) {
            while (q < A.start[j + 1] && A.row[q] < p->M.row[m]) q++;
            if (q < A.start[j + 1] && A.row[q] == p->M.row[m]) A.value[q] -= sigma * p->M.value[m];
            else if (p->M.value[m] != 0.0) {
                kl_symmetric_free(&A);
                return kl_fail(p->diag, KL_E_MODEL, KL_NOWHERE,
                               "the mass matrix couples unknowns %d and %d, but the stiffness "
                               "matrix does not; give two matrices of the same model",
                               p->M.row[m] + 1, j + 1);
            }
        }
    }
    *out = A;
    return KL_OK;
}

/* Large fronts gain from several threads of BLAS on idle cores; solves with a few columns become slower. */
static kl_status factor(const problem *p, const kl_symmetric *A, bool definite, kl_factor **f)
{
    enum { WORTH_IT = 20000 };
    int       before = kl_blas_threads(A->n > WORTH_IT && p->o->threads > 0 ? p->o->threads : 1);
    kl_status status = kl_factor_create(f, A, definite, p->diag);
    kl_blas_threads(before);
    return status;
}

static kl_status factor_shifted(problem *p, double sigma)
{
    kl_symmetric A;
    KL_TRY(shifted(p, sigma, &A));
    kl_status status = factor(p, &A, true, &p->out->factor);
    kl_symmetric_free(&A);
    if (status == KL_OK) p->out->factor_stats = *kl_factor_stats_of(p->out->factor);
    return status;
}

/* Sylvester's law of inertia: K - sigma M has as many negative pivots as there are eigenvalues
 * below sigma. Taken in the widest gap among the last modes, the count says whether one was missed.
 */
static kl_status count_below(problem *p, int n, const double *w2)
{
    int    last   = -1;
    double widest = 0;
    for (int i = n > 8 ? n - 8 : 0; i + 1 < n; i++) {
        double gap = w2[i + 1] - w2[i];
        if (gap > widest && gap > 1e-6 * w2[i + 1]) widest = gap, last = i;
    }
    if (last < 0) return KL_OK; /* too few modes, or all alike */
    kl_symmetric A;
    kl_factor   *f = NULL;
    if (p->o->progress && !p->o->progress(p->o->context, "count", 0)) return KL_E_INTERRUPTED;
    KL_TRY(shifted(p, w2[last] + 0.5 * widest, &A));
    kl_status status = factor(p, &A, false, &f);
    kl_symmetric_free(&A);
    KL_TRY(status);
    int there = kl_factor_stats_of(f)->negative, found = p->out->nrigid + last + 1;
    kl_factor_destroy(f);
    if (there == found) {
        p->out->counted = last + 1;
        return KL_OK;
    }
    return kl_fail(p->diag, KL_E_SINGULAR, KL_NOWHERE,
                   "there are %d eigenmodes below %.6g Hz, but only %d were found; request a few "
                   "more modes or use `solver: arpack`",
                   there, sqrt(w2[last] + 0.5 * widest) / 6.28318530717958647693, found);
}

static bool relay(void *context, double done)
{
    const kl_mode_options *o = context;
    return !o->progress || o->progress(o->context, "modes", done);
}

static kl_status solve_one(void *context, double *x)
{
    problem *p = context;
    p->out->nsolve++;
    p->out->nblock++;
    return kl_factor_solve(p->out->factor, 1, x, p->diag);
}

/* ARPACK knows no deflation: rigid modes come first and are dropped */
static kl_status run_arpack(problem *p, int count, double sigma, double *value, double *vector,
                            int *found)
{
    int     nr = p->out->nrigid, all = count + nr < p->n ? count + nr : p->n - 1;
    double *w        = malloc((size_t)all * sizeof(double)),
           *X        = malloc((size_t)all * (size_t)p->n * sizeof(double));
    kl_status status = w && X ? KL_OK : KL_E_MEMORY;
    if (status == KL_OK)
        status = kl_arpack_shift_invert(&p->M, sigma, all, 1e-12, solve_one, p, w, X, p->diag);
    *found = 0;
    if (status == KL_OK && all > nr) {
        *found = all - nr;
        memcpy(value, w + nr, (size_t)*found * sizeof(double));
        memcpy(vector, X + (size_t)nr * (size_t)p->n,
               (size_t)*found * (size_t)p->n * sizeof(double));
    }
    free(w);
    free(X);
    return status;
}

static kl_status run(problem *p, int count, double *value, double *vector, int *found)
{
    double sigma = p->out->sigma;
    if (p->o->method == KL_ARPACK) return run_arpack(p, count, sigma, value, vector, found);
    kl_mode_options options = *p->o;
    kl_lanczos      l       = {
                   .nev       = count,
                   .sigma     = sigma,
                   .tolerance = p->o->tolerance > 0 ? p->o->tolerance : 1e-9,
                   .ndeflate  = p->out->nrigid,
                   .deflate   = p->rigid,
                   .nstart    = p->nstart,
                   .start     = p->start,
                   .progress  = relay,
                   .context   = &options,
    };
    kl_status status = kl_lanczos_solve(&l, &p->M, p->out->factor, value, vector, found, p->diag);
    p->out->nsolve = l.nsolve, p->out->nblock = l.nblock;
    return status;
}

/* |K x - w2 M x| / |w2 M x| */
static kl_status residuals(const problem *p, int k, const double *w2, const double *X, double *out)
{
    enum { STRIP = 8 };
    size_t  n  = (size_t)p->n;
    double *KX = malloc(2 * STRIP * n * sizeof(double)), *MX = KX ? KX + STRIP * n : NULL;
    if (!KX) return KL_E_MEMORY;
    for (int j = 0; j < k; j++) {
        int column = j % STRIP, some = k - j < STRIP ? k - j : STRIP;
        if (column == 0) {
            kl_symmetric_multiply(&p->K, some, X + (size_t)j * n, KX);
            kl_symmetric_multiply(&p->M, some, X + (size_t)j * n, MX);
        }
        double *y = KX + (size_t)column * n, *z = MX + (size_t)column * n;
        double  scale = fabs(w2[j]) * kl_vnorm(p->n, z);
        kl_vaxpy(p->n, -w2[j], z, y);
        out[j] = scale > 0 ? kl_vnorm(p->n, y) / scale : HUGE_VAL;
    }
    free(KX);
    return KL_OK;
}

/* each mode's largest entry is made positive, so that signs do not depend on chance */
static void fix_signs(int n, int k, double *X)
{
    for (int j = 0; j < k; j++) {
        double *x = X + (size_t)j * (size_t)n, most = 0;
        for (int i = 0; i < n; i++)
            if (fabs(x[i]) > 1.0001 * fabs(most)) most = x[i];
        for (int i = 0; most < 0 && i < n; i++) x[i] = -x[i];
    }
}

/* n x k on the free unknowns to ndof x k with zeros where fixed */
static double *expand(const problem *p, int k, const double *X)
{
    size_t  N = (size_t)p->s->ndof, n = (size_t)p->n;
    double *out = calloc(N * (size_t)k + 1, sizeof(double));
    for (int j = 0; out && j < k; j++)
        for (size_t i = 0; i < n; i++)
            out[(size_t)j * N + (size_t)p->out->free_dof[i]] = X[(size_t)j * n + i];
    return out;
}

static kl_status find_all(problem *p)
{
    kl_modes *out = p->out;
    KL_TRY(reduce_problem(p));
    p->norm_K = kl_symmetric_norm(&p->K);
    if (!isfinite(p->norm_K))
        return kl_fail(p->diag, KL_E_NAN, KL_NOWHERE,
                       "the stiffness matrix contains values that are not finite; check materials "
                       "and coordinates");
    KL_TRY(find_rigid(p));
    KL_TRY(find_start(p));
    /* an estimate from above; a tenth of it stays clear of zero and near the wanted end */
    out->sigma = p->lowest > 0 ? -0.1 * p->lowest : -1.0;

    double start = wall_clock();
    if (p->o->progress && !p->o->progress(p->o->context, "factor", 0)) return KL_E_INTERRUPTED;
    KL_TRY(factor_shifted(p, out->sigma));
    out->seconds_factor = wall_clock() - start;
    start               = wall_clock();

    int     count    = p->o->count < p->n - out->nrigid ? p->o->count : p->n - out->nrigid;
    size_t  k        = (size_t)(count > 0 ? count : 0);
    double *value    = malloc((k + 1) * sizeof(double)),
           *X        = malloc((k + 1) * (size_t)p->n * sizeof(double));
    out->residual    = malloc((k + 1) * sizeof(double));
    int       found  = 0;
    kl_status status = value && X && out->residual ? KL_OK : KL_E_MEMORY;
    if (status == KL_OK && count > 0) status = run(p, count, value, X, &found);
    if (status == KL_OK) {
        fix_signs(p->n, found, X);
        status = residuals(p, found, value, X, out->residual);
        if (status == KL_OK && p->o->count_check) status = count_below(p, found, value);
        out->n      = found;
        out->vector = expand(p, found, X);
        out->rigid  = expand(p, out->nrigid, p->rigid);
        if (!out->vector || !out->rigid) status = KL_E_MEMORY;
    }
    out->omega2        = value;
    out->seconds_modes = wall_clock() - start;
    free(X);
    return status;
}

kl_status kl_modes_find(const kl_system *s, const kl_mode_options *o, kl_modes *modes,
                        kl_diag *diag)
{
    *modes           = (kl_modes){.ndof = s->ndof};
    problem   p      = {.s = s, .o = o, .out = modes, .diag = diag};
    int       before = kl_blas_threads(1);
    kl_status status = find_all(&p);
    kl_blas_threads(before);
    if (p.owned) {
        kl_symmetric_free(&p.K);
        kl_symmetric_free(&p.M);
    }
    free(p.rigid);
    free(p.start);
    if (status == KL_E_MEMORY) kl_fail(diag, status, KL_NOWHERE, "out of memory for eigenmodes");
    if (status != KL_OK) kl_modes_free(modes);
    return status;
}

void kl_modes_free(kl_modes *m)
{
    free(m->omega2);
    free(m->vector);
    free(m->residual);
    free(m->rigid);
    free(m->free_dof);
    kl_factor_destroy(m->factor);
    *m = (kl_modes){0};
}

/* ---- static solutions on the shifted factor ----
 *
 * Conjugate gradients on K with (K - sigma M)^-1 before it: the eigenvalues of the product lie
 * between l1 / (l1 + |sigma|) and 1, so a few steps reach rounding; several columns share each
 * solve. */

typedef struct statics {
    const kl_system *s;
    const kl_modes  *m;
    int              k;
    size_t           N;
    double          *r, *z, *p, *q, *u; /* ndof x k */
    double          *MR;                /* ndof x nrigid */
    double          *packed;            /* nfree x k */
    unsigned char   *held;              /* ndof */
    double           goal[64];          /* residual that is small enough, a column */
} statics;

static kl_status precondition(statics *a, kl_diag *diag)
{
    size_t nf = (size_t)a->m->nfree;
    for (int j = 0; j < a->k; j++)
        for (size_t i = 0; i < nf; i++)
            a->packed[(size_t)j * nf + i] = a->r[(size_t)j * a->N + (size_t)a->m->free_dof[i]];
    KL_TRY(kl_factor_solve(a->m->factor, a->k, a->packed, diag));
    memset(a->z, 0, a->N * (size_t)a->k * sizeof(double));
    for (int j = 0; j < a->k; j++)
        for (size_t i = 0; i < nf; i++)
            a->z[(size_t)j * a->N + (size_t)a->m->free_dof[i]] = a->packed[(size_t)j * nf + i];
    return KL_OK;
}

/* x -= A (B'x), columns of A and B belong to the rigid motions */
static void deflate(const statics *a, const double *A, const double *B, double *x)
{
    for (int pass = 0; pass < 2; pass++)
        for (int j = 0; j < a->k; j++)
            for (int c = 0; c < a->m->nrigid; c++) {
                double *column = x + (size_t)j * a->N;
                double  f      = kl_vdot((int)a->N, B + (size_t)c * a->N, column);
                kl_vaxpy((int)a->N, -f, A + (size_t)c * a->N, column);
            }
}

static void hold(const statics *a, double *x)
{
    for (int j = 0; j < a->k; j++)
        for (size_t i = 0; i < a->N; i++)
            if (a->held[i]) x[(size_t)j * a->N + i] = 0.0;
}

/* The known modes answer their part of the load at once, u = X (X'f) / w2; what is left has only
 * eigenvalues beyond them, for which the preconditioner is nearly exact. */
static kl_status begin_with_modes(statics *a)
{
    int     n = (int)a->N, k = a->k, m = a->m->n;
    double *c = malloc(((size_t)m * (size_t)k + 1) * sizeof(double));
    if (!c) return KL_E_MEMORY;
    if (m > 0) {
        kl_gemm(true, false, m, k, n, 1, a->m->vector, n, a->r, n, 0, c, m);
        for (int j = 0; j < k; j++)
            for (int i = 0; i < m; i++) c[j * m + i] /= a->m->omega2[i];
        kl_gemm(false, false, n, k, m, 1, a->m->vector, n, c, m, 0, a->u, n);
        kl_symmetric_multiply(&a->s->K, k, a->u, a->q);
        hold(a, a->q);
        kl_vaxpy(n * k, -1, a->q, a->r);
        deflate(a, a->MR, a->m->rigid, a->r);
    }
    free(c);
    return KL_OK;
}

/* Rounding is reached when no column gets better: 1e-8 of the load, or what K u itself loses where a
 * thin body gives way far. */
static bool at_rounding(const statics *a)
{
    int    n      = (int)a->N;
    double norm_K = kl_symmetric_norm(&a->s->K);
    for (int j = 0; j < a->k; j++) {
        double lost = 1e-14 * norm_K * kl_vnorm(n, a->u + (size_t)j * a->N);
        if (!(kl_vnorm(n, a->r + (size_t)j * a->N) <= fmax(1e5 * a->goal[j], lost))) return false;
    }
    return true;
}

/* Preconditioned conjugate gradients for all right-hand sides at once, each with its own step lengths:
 *
 *   z = P^-1 r,  beta = r.z/(r.z before),  p = z + beta p,  alpha = r.z/(p.K p),  u += alpha p,  r -= alpha K p
 *
 * `deflate` removes rigid body motion from z, on which K is singular. A column stops improving when rounding is
 * reached (less than 10 % in a step). */
static kl_status conjugate_gradients(statics *a, kl_diag *diag)
{
    enum { MOST = 200 };
    int    n = (int)a->N, k = a->k;
    double rz[64] = {0}, *goal = a->goal;
    for (int step = 0; step < MOST; step++) {
        bool done = true;
        for (int j = 0; j < k; j++) done = done && kl_vnorm(n, a->r + (size_t)j * a->N) <= goal[j];
        if (done) return KL_OK;
        KL_TRY(precondition(a, diag));
        deflate(a, a->m->rigid, a->MR, a->z);
        for (int j = 0; j < k; j++) {
            size_t at     = (size_t)j * a->N;
            double now_rz = kl_vdot(n, a->r + at, a->z + at), beta = rz[j] > 0 ? now_rz / rz[j] : 0;
            rz[j] = now_rz;
            for (int i = 0; i < n; i++)
                a->p[at + (size_t)i] = a->z[at + (size_t)i] + beta * a->p[at + (size_t)i];
        }
        kl_symmetric_multiply(&a->s->K, k, a->p, a->q);
        hold(a, a->q);
        bool moved = false;
        for (int j = 0; j < k; j++) {
            size_t at = (size_t)j * a->N;
            double pq = kl_vdot(n, a->p + at, a->q + at);
            if (!(pq > 0.0) || !(rz[j] > 0.0)) continue;
            double before = kl_vnorm(n, a->r + at);
            kl_vaxpy(n, rz[j] / pq, a->p + at, a->u + at);
            kl_vaxpy(n, -rz[j] / pq, a->q + at, a->r + at);
            moved = moved || kl_vnorm(n, a->r + at) < 0.9 * before || step < 5;
        }
        if (!moved && at_rounding(a)) return KL_OK;
        if (!moved) break;
    }
    return kl_fail(
        diag, KL_E_SINGULAR, KL_NOWHERE,
        "the static deformation does not converge; check that all parts of the body are connected");
}

static kl_status static_block(const kl_system *s, const kl_modes *m, int k, double *f,
                              kl_diag *diag)
{
    size_t    N = (size_t)s->ndof, K = (size_t)k;
    statics   a      = {.s      = s,
                        .m      = m,
                        .k      = k,
                        .N      = N,
                        .r      = f,
                        .z      = malloc(N * K * sizeof(double)),
                        .p      = calloc(N * K, sizeof(double)),
                        .q      = malloc(N * K * sizeof(double)),
                        .u      = calloc(N * K, sizeof(double)),
                        .MR     = malloc(N * 6 * sizeof(double)),
                        .held   = malloc(N + 1),
                        .packed = malloc((size_t)m->nfree * K * sizeof(double))};
    kl_status status = KL_E_MEMORY;
    if (a.z && a.p && a.q && a.u && a.MR && a.held && a.packed) {
        memset(a.held, 1, N);
        for (int i = 0; i < m->nfree; i++) a.held[m->free_dof[i]] = 0;
        hold(&a, f);
        for (int j = 0; j < k; j++) a.goal[j] = 1e-13 * kl_vnorm((int)N, f + (size_t)j * N);
        if (m->nrigid > 0) {
            kl_symmetric_multiply(&s->M, m->nrigid, m->rigid, a.MR);
            deflate(&a, a.MR, m->rigid, f); /* inertia relief */
        }
        status = begin_with_modes(&a);
        if (status == KL_OK) status = conjugate_gradients(&a, diag);
        deflate(&a, m->rigid, a.MR, a.u);
        memcpy(f, a.u, N * K * sizeof(double));
    }
    free(a.z);
    free(a.p);
    free(a.q);
    free(a.u);
    free(a.MR);
    free(a.held);
    free(a.packed);
    return status;
}

kl_status kl_modes_static(const kl_system *s, const kl_modes *m, int k, double *f, kl_diag *diag)
{
    for (int j = 0; j < k; j += 8) {
        int some = k - j < 8 ? k - j : 8;
        KL_TRY(static_block(s, m, some, f + (size_t)j * (size_t)s->ndof, diag));
    }
    return KL_OK;
}
