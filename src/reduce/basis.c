/* Making the mode basis; see the header. Craig and Bampton 1968; attachment modes with inertia
 * relief: Craig, Structural Dynamics, ch. 19; orthogonalised Craig-Bampton as in common flexible
 * multibody programs. */
#include "reduce/basis.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algebra/dense.h"

typedef struct maker {
    const kl_system        *s;
    const kl_basis_options *o;
    kl_basis               *b;
    kl_diag                *diag;
    size_t                  N;
    int                     n;     /* columns so far */
    double                 *R;     /* N x 6 rigid motions of the geometry about the origin */
    unsigned char          *held;  /* N: 1 where the reference conditions hold the unknown */
    const unsigned char    *fixed; /* N: or where an interface of Craig-Bampton modes is held */
} maker;

static double rank_tolerance(const kl_basis_options *o)
{
    return o->rank_tolerance > 0 ? o->rank_tolerance : 1e-6;
}

/* ---- reference conditions ---- */

static const char *const component_names[6] = {"x", "y", "z", "rx", "ry", "rz"};

enum { NAME = 80 };

/* "interface 'pivot'", or for i < 0 "reference: node 17" */
static const char *name_at(const maker *k, int i, int node, char text[NAME])
{
    if (i < 0) snprintf(text, NAME, "reference: node %d", k->s->node_id[node]);
    else if (k->o->interface_name)
        snprintf(text, NAME, "interface '%.60s'", k->o->interface_name[i]);
    else snprintf(text, NAME, "interface at node %d", k->s->node_id[node]);
    return text;
}

/* unknown of a component of interface i (or of the reference: -1), or a message why there is none
 */
static kl_status unknown_of(const maker *k, int i, int node, int component, int *dof)
{
    char name[NAME];
    *dof = k->s->dof[6 * node + component];
    if (*dof >= 0) return KL_OK;
    if (kl_system_has(k->s, node, component))
        return kl_fail(k->diag, KL_E_MODEL, KL_NOWHERE,
                       "%s: component %s depends on other nodes (a tie) and cannot be fixed; use a "
                       "free node of the mesh or an RBE2 marker",
                       name_at(k, i, node, name), component_names[component]);
    return kl_fail(k->diag, KL_E_MODEL, KL_NOWHERE,
                   "%s has no component %s (solid elements have no rotations); make it an RBE2 "
                   "marker, or fix translations of more nodes",
                   name_at(k, i, node, name), component_names[component]);
}

static kl_status hold_reference(const maker *k, unsigned char *fixed)
{
    for (int i = 0; i < k->o->ncondition; i++)
        for (int c = 0; c < 6; c++) {
            if (!(k->o->condition[i].components >> c & 1u)) continue;
            int dof;
            KL_TRY(unknown_of(k, -1, k->o->condition[i].node, c, &dof));
            fixed[dof] = 1;
        }
    return KL_OK;
}

/* A constraint mode moves its interface, which the reference must not hold then. */
static kl_status hold_interfaces(const maker *k, unsigned char *fixed)
{
    for (int i = 0; i < k->o->ninterface; i++)
        for (int c = 0; c < 6; c++) {
            const kl_node_mask *at = &k->o->interface_at[i];
            int                 dof;
            char                name[NAME];
            if (!(at->components >> c & 1u)) continue;
            KL_TRY(unknown_of(k, i, at->node, c, &dof));
            if (k->held[dof])
                return kl_fail(k->diag, KL_E_MODEL, KL_NOWHERE,
                               "%s: component %s is fixed by `reference:`, so it cannot be an "
                               "interface of Craig-Bampton modes; remove it from one of them, or "
                               "use `reference: mean-axis`",
                               name_at(k, i, at->node, name), component_names[c]);
            fixed[dof] = 1;
        }
    return KL_OK;
}

/* rows C (6 x N, stored N x 6) of the conditions C u = 0 that take rigid motion out */
static kl_status condition_rows(const maker *k, kl_reference reference, double *C)
{
    kl_symmetric_multiply(&k->s->M, 6, k->R, C); /* mean axis: M R */
    if (reference != KL_PRINCIPAL_AXIS) return KL_OK;

    /* products of inertia: sum m (b_y d_x + b_x d_y), ... = 0 in principal axes of the body: the
     * fields (y, x, 0), (z, 0, x), (0, z, y) about the centre of mass, turned to those axes */
    const kl_system *s      = k->s;
    double           total  = 0, J[3][3];
    kl_vec3          centre = {0, 0, 0};
    for (size_t d = 0; d < k->N; d++) {
        if (s->dof_component[d] != 0) continue;
        double m = C[d]; /* column 0: M times a unit motion along x */
        total += m;
        centre = kl_axpy(m, s->x[s->dof_node[d]], centre);
    }
    if (!(total > 0))
        return kl_fail(k->diag, KL_E_MODEL, KL_NOWHERE, "the body has no mass; give a density");
    centre = kl_scale(1 / total, centre);
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++)
            J[a][b] = kl_vdot((int)k->N, k->R + (size_t)(3 + a) * k->N, C + (size_t)(3 + b) * k->N);
    /* about the centre of mass */
    kl_mat3 I = kl_identity(), o = kl_outer(centre, centre);
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++)
            J[a][b] -= total * (kl_dot(centre, centre) * I.m[a][b] - o.m[a][b]);
    double A[9], w[3];
    for (int a = 0; a < 9; a++) A[a] = J[a % 3][a / 3];
    KL_TRY(kl_symmetric_eigen(3, A, w));
    if (w[1] - w[0] < 1e-6 * w[2] || w[2] - w[1] < 1e-6 * w[2])
        return kl_fail(k->diag, KL_E_SINGULAR, KL_NOWHERE,
                       "`reference: principal-axis` needs three different principal moments of "
                       "inertia, but they are %.6g, %.6g, %.6g kg m2; use `reference: mean-axis`",
                       w[0], w[1], w[2]);
    double *field = calloc(3 * k->N, sizeof(double));
    if (!field) return KL_E_MEMORY;
    static const int pair[3][2] = {{0, 1}, {0, 2}, {1, 2}};
    for (size_t d = 0; d < k->N; d++) {
        int c = s->dof_component[d];
        if (c >= 3) continue;
        kl_vec3 b    = kl_sub(s->x[s->dof_node[d]], centre);
        double  x[3] = {b.x, b.y, b.z}, local[3] = {0};
        for (int a = 0; a < 3; a++)
            for (int i = 0; i < 3; i++) local[a] += A[3 * a + i] * x[i];
        for (int p = 0; p < 3; p++) {
            int f = pair[p][0], g = pair[p][1];
            field[(size_t)p * k->N + d] = local[g] * A[3 * f + c] + local[f] * A[3 * g + c];
        }
    }
    kl_symmetric_multiply(&s->M, 3, field, C + 3 * k->N);
    free(field);
    return KL_OK;
}

/* X := X - R (C R)^-1 C X */
static kl_status remove_rigid(const maker *k, kl_reference reference, int n, double *X)
{
    double *C = malloc(6 * k->N * sizeof(double)), *CX = malloc(6 * (size_t)n * sizeof(double)),
           CR[36];
    kl_status status = C && CX ? condition_rows(k, reference, C) : KL_E_MEMORY;
    for (int pass = 0; pass < 2 && status == KL_OK; pass++) {
        kl_gemm(true, false, 6, 6, (int)k->N, 1, C, (int)k->N, k->R, (int)k->N, 0, CR, 6);
        kl_gemm(true, false, 6, n, (int)k->N, 1, C, (int)k->N, X, (int)k->N, 0, CX, 6);
        status = kl_dense_solve(6, n, CR, CX);
        if (status == KL_OK)
            kl_gemm(false, false, (int)k->N, n, 6, -1, k->R, (int)k->N, CX, 6, 1, X, (int)k->N);
    }
    free(C);
    free(CX);
    if (status == KL_E_SINGULAR)
        return kl_fail(
            k->diag, status, KL_NOWHERE,
            "the reference conditions do not determine one rotation of the body (for example "
            "principal-axis with all nodes on a line); use `reference: mean-axis`");
    return status;
}

static double mass_norm(const maker *k, const double *x, double *scratch)
{
    kl_symmetric_multiply(&k->s->M, 1, x, scratch);
    return sqrt(fmax(kl_vdot((int)k->N, x, scratch), 0));
}

/* Takes rigid motion out; a vector of which only rounding is left becomes zero and is dropped
 * later. */
static kl_status remove_rigid_part(const maker *k, int n, double *X, double tolerance)
{
    double   *before = malloc((size_t)n * sizeof(double)), *y = malloc(k->N * sizeof(double));
    kl_status status = before && y ? KL_OK : KL_E_MEMORY;
    for (int j = 0; j < n && status == KL_OK; j++)
        before[j] = mass_norm(k, X + (size_t)j * k->N, y);
    if (status == KL_OK) status = remove_rigid(k, KL_MEAN_AXIS, n, X);
    for (int j = 0; j < n && status == KL_OK; j++)
        if (!(mass_norm(k, X + (size_t)j * k->N, y) > tolerance * before[j]))
            memset(X + (size_t)j * k->N, 0, k->N * sizeof(double));
    free(before);
    free(y);
    return status;
}

/* ---- columns ---- */

static double *grow_basis(maker *k, int columns)
{
    double *X = realloc(k->b->X, k->N * (size_t)(k->n + columns + 1) * sizeof(double));
    if (!X) return NULL;
    k->b->X     = X;
    double *new = X + k->N *(size_t)k->n;
    memset(new, 0, k->N * (size_t)columns * sizeof(double));
    k->n += columns;
    return new;
}

static kl_status add_eigenmodes(maker *k, const unsigned char *fixed)
{
    kl_mode_options o = {.count       = k->o->count,
                         .method      = k->o->method,
                         .fixed       = fixed,
                         .count_check = k->o->count_check,
                         .threads     = k->o->threads,
                         .progress    = k->o->progress,
                         .context     = k->o->context};
    KL_TRY(kl_modes_find(k->s, &o, &k->b->modes, k->diag));
    kl_modes *m = &k->b->modes;
    kl_modes_sort(m);
    KL_TRY(kl_modes_check(k->s, m, k->diag));
    double *to = grow_basis(k, m->n);
    if (!to) return KL_E_MEMORY;
    memcpy(to, m->vector, k->N * (size_t)m->n * sizeof(double));
    k->b->neigen = m->n;
    k->b->nrigid = m->nrigid;
    return KL_OK;
}

/* ---- given eigenmodes ---- */

/* x_i'M x_j of two of the columns X, which are scaled to x'M x = 1. */
static kl_status check_orthogonal(const maker *k, int n, const double *X)
{
    const double allowed = 1e-4; /* printed with five digits */
    double      *MX      = malloc(k->N * sizeof(double));
    kl_status    status  = MX ? KL_OK : KL_E_MEMORY;
    for (int j = 0; j < n && status == KL_OK; j++) {
        kl_symmetric_multiply(&k->s->M, 1, X + (size_t)j * k->N, MX);
        for (int i = 0; i < j && status == KL_OK; i++) {
            double both = kl_vdot((int)k->N, X + (size_t)i * k->N, MX);
            if (fabs(both) > allowed)
                status =
                    kl_fail(k->diag, KL_E_MODEL, KL_NOWHERE,
                            "modes %d and %d of `vectors` are not orthogonal with this mass "
                            "matrix (x'M x = %.2g); give the mass that the modes were computed "
                            "with, or more digits",
                            i + 1, j + 1, both);
        }
    }
    free(MX);
    return status;
}

/* Eigenmodes from elsewhere: x'M x = 1, no rigid motion in those of a free body, rest at held nodes. */
static kl_status add_given_modes(maker *k)
{
    int     n  = k->o->nuser;
    double *to = grow_basis(k, n), *scratch = malloc(k->N * sizeof(double));
    if (!to || !scratch) {
        free(scratch);
        return KL_E_MEMORY;
    }
    memcpy(to, k->o->user, k->N * (size_t)n * sizeof(double));
    for (int j = 0; j < n; j++)
        for (size_t d = 0; d < k->N; d++)
            if (k->fixed[d]) to[(size_t)j * k->N + d] = 0.0;
    kl_status status = k->b->free ? remove_rigid(k, KL_MEAN_AXIS, n, to) : KL_OK;
    for (int j = 0; j < n && status == KL_OK; j++) {
        double *x = to + (size_t)j * k->N, norm = mass_norm(k, x, scratch);
        if (!(norm > 0.0))
            status =
                kl_fail(k->diag, KL_E_MODEL, KL_NOWHERE,
                        "mode %d of `vectors` moves no mass; remove it and its frequency", j + 1);
        for (size_t d = 0; d < k->N && norm > 0.0; d++) x[d] /= norm;
    }
    free(scratch);
    k->b->neigen = n;
    k->b->nrigid = k->b->free ? 6 : 0;
    k->b->modes  = (kl_modes){.ndof = (int)k->N, .nrigid = k->b->nrigid};
    return status == KL_OK ? check_orthogonal(k, n, to) : status;
}

/* Kff of given eigenmodes: their frequencies. */
static void take_given_frequencies(maker *k)
{
    kl_basis *b = k->b;
    size_t    n = (size_t)b->n;
    memset(b->Kff, 0, n * n * sizeof(double));
    for (size_t j = 0; j < n; j++) {
        double w            = 6.28318530717958647693 * k->o->user_frequency[j];
        b->frequency[j]     = k->o->user_frequency[j];
        b->Kff[j * (n + 1)] = w * w;
        b->residual[j]      = 0.0; /* not known */
    }
}

static int count_components(int n, const kl_node_mask *list)
{
    int count = 0;
    for (int i = 0; i < n; i++)
        for (int c = 0; c < 6; c++) count += list[i].components >> c & 1u;
    return count;
}

/* static solutions by eights, which share each solve, and reported in between */
static kl_status solve_static(const maker *k, int n, double *columns)
{
    enum { TOGETHER = 8 };
    for (int j = 0; j < n; j += TOGETHER) {
        if (k->o->progress && !k->o->progress(k->o->context, "statics", (double)j / n))
            return KL_E_INTERRUPTED;
        KL_TRY(kl_modes_static(k->s, &k->b->modes, n - j < TOGETHER ? n - j : TOGETHER,
                               columns + k->N * (size_t)j, k->diag));
    }
    return KL_OK;
}

static kl_status add_attachment(maker *k)
{
    int     n = count_components(k->o->ninterface, k->o->interface_at), j = 0;
    double *to = grow_basis(k, n);
    if (!to) return KL_E_MEMORY;
    for (int i = 0; i < k->o->ninterface; i++)
        for (int c = 0; c < 6; c++) {
            const kl_node_mask *at = &k->o->interface_at[i];
            char                name[NAME];
            if (!(at->components >> c & 1u)) continue;
            if (!kl_system_has(k->s, at->node, c))
                return kl_fail(
                    k->diag, KL_E_MODEL, KL_NOWHERE,
                    "%s: a moment needs rotational degrees of freedom, which nodes of solid "
                    "elements do not have; use an RBE2 or RBE3 marker, or forces only",
                    name_at(k, i, at->node, name));
            kl_system_load(k->s, at->node, c, 1.0, to + k->N * (size_t)j++);
        }
    k->b->nstatic = n;
    return solve_static(k, n, to);
}

/* Says which rigid motions are left. Springs to the ground may hold some that no condition does:
 * then only how many. */
static kl_status motions_left(const maker *k, const char *what, const char *instead)
{
    kl_text         t = {0};
    kl_free_motions f;
    int             n = k->b->nrigid;
    kl_free_motions_find(k->s, k->fixed, &f);
    kl_text_add(&t, "%s %d rigid body motion%s", what, n, n == 1 ? "" : "s");
    if (f.n == n) {
        kl_text_add(&t, ": ");
        kl_free_motions_describe(k->s, k->fixed, &f, &k->o->names, &t);
    } else kl_text_add(&t, "; fix more components");
    kl_text_add(&t, ", or %s", instead);
    char     *text   = kl_text_finish(&t);
    kl_status status = text ? kl_fail(k->diag, KL_E_MODEL, KL_NOWHERE, "%s", text) : KL_E_MEMORY;
    free(text);
    return status;
}

/* u_b = e, u_i = -Kii^-1 Kib e */
static kl_status add_constraint_modes(maker *k)
{
    int       n = count_components(k->o->ninterface, k->o->interface_at), j = 0;
    double   *to     = grow_basis(k, n);
    int      *dof    = malloc((size_t)(n + 1) * sizeof(int));
    kl_status status = to && dof ? KL_OK : KL_E_MEMORY;
    if (k->b->nrigid > 0 && status == KL_OK)
        status = motions_left(k, "Craig-Bampton: with fixed interfaces the body still has",
                              "use attachment modes");
    double *unit = status == KL_OK ? calloc(k->N, sizeof(double)) : NULL;
    if (status == KL_OK && !unit) status = KL_E_MEMORY;
    for (int i = 0; status == KL_OK && i < k->o->ninterface; i++)
        for (int c = 0; c < 6 && status == KL_OK; c++) {
            if (!(k->o->interface_at[i].components >> c & 1u)) continue;
            status = unknown_of(k, i, k->o->interface_at[i].node, c, &dof[j]);
            if (status != KL_OK) break;
            unit[dof[j]] = -1.0;
            kl_symmetric_multiply(&k->s->K, 1, unit, to + k->N * (size_t)j);
            unit[dof[j++]] = 0.0;
        }
    if (status == KL_OK) status = solve_static(k, n, to);
    for (j = 0; status == KL_OK && j < n; j++) to[k->N * (size_t)j + (size_t)dof[j]] = 1.0;
    free(unit);
    free(dof);
    k->b->nstatic = n;
    return status;
}

static kl_status add_user(maker *k)
{
    if (k->o->nuser == 0) return KL_OK;
    double *to = grow_basis(k, k->o->nuser);
    if (!to) return KL_E_MEMORY;
    memcpy(to, k->o->user, k->N * (size_t)k->o->nuser * sizeof(double));
    k->b->nuser = k->o->nuser;
    return KL_OK;
}

/* ---- orthonormal, rank revealed, ordered ---- */

static void mirror(int n, double *G)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++) {
            double mean  = 0.5 * (G[i * n + j] + G[j * n + i]);
            G[i * n + j] = G[j * n + i] = mean;
        }
}

/* G = X'A X for all columns */
static kl_status gram(const maker *k, const kl_symmetric *A, int n, const double *X, double *G)
{
    enum { STRIP = 16 };
    double *Y = malloc(k->N * STRIP * sizeof(double));
    if (!Y) return KL_E_MEMORY;
    for (int j = 0; j < n; j += STRIP) {
        int some = n - j < STRIP ? n - j : STRIP;
        kl_symmetric_multiply(A, some, X + k->N * (size_t)j, Y);
        kl_gemm(true, false, n, some, (int)k->N, 1, X, (int)k->N, Y, (int)k->N, 0,
                G + (size_t)j * (size_t)n, n);
    }
    free(Y);
    mirror(n, G);
    return KL_OK;
}

/* X := X T (n -> m columns), by strips of rows */
static kl_status combine(const maker *k, int n, int m, double *X, const double *T)
{
    enum { STRIP = 4096 };
    double *strip = malloc(STRIP * (size_t)(m + 1) * sizeof(double));
    if (!strip) return KL_E_MEMORY;
    for (size_t r = 0; r < k->N; r += STRIP) {
        int rows = (int)(k->N - r < STRIP ? k->N - r : STRIP);
        kl_gemm(false, false, rows, m, n, 1, X + r, (int)k->N, T, n, 0, strip, rows);
        for (int j = 0; j < m; j++)
            memcpy(X + (size_t)j * k->N + r, strip + (size_t)j * (size_t)rows,
                   (size_t)rows * sizeof(double));
    }
    free(strip);
    return KL_OK;
}

static void scale_columns(const maker *k, int n, double *X, const double *G)
{
    for (int j = 0; j < n; j++) {
        double norm = G[(size_t)j * (size_t)n + (size_t)j];
        norm        = norm > 0 ? 1 / sqrt(norm) : 0;
        for (size_t i = 0; i < k->N; i++) X[(size_t)j * k->N + i] *= norm;
    }
}

/* M-orthonormal basis of what counts; then the modes of the reduced problem */
static kl_status orthonormalise(maker *k, double *G, double *w)
{
    int    n   = k->n;
    double tol = rank_tolerance(k->o);
    KL_TRY(gram(k, &k->s->M, n, k->b->X, G));
    scale_columns(k, n, k->b->X, G);
    KL_TRY(gram(k, &k->s->M, n, k->b->X, G));
    KL_TRY(kl_symmetric_eigen(n, G, w));
    int first = 0;
    while (first < n && !(w[first] > tol * tol * w[n - 1])) first++;
    k->b->condition = w[n - 1] / fmax(w[first < n ? first : n - 1], 1e-300);
    for (int j = first; j < n; j++)
        for (int i = 0; i < n; i++) G[(size_t)j * (size_t)n + (size_t)i] /= sqrt(w[j]);
    KL_TRY(combine(k, n, n - first, k->b->X, G + (size_t)first * (size_t)n));
    k->b->ndropped = first;
    k->n           = n -= first;
    if (n == 0)
        return kl_fail(
            k->diag, KL_E_MODEL, KL_NOWHERE,
            "no deformation modes remain; request at least one, for example `modes: 10`");

    double *B = malloc((size_t)n * (size_t)n * sizeof(double));
    if (!B) return KL_E_MEMORY;
    kl_status status = gram(k, &k->s->K, n, k->b->X, G);
    if (status == KL_OK) status = gram(k, &k->s->M, n, k->b->X, B);
    if (status == KL_OK) status = kl_generalized_eigen(n, G, B, w);
    if (status == KL_OK) status = combine(k, n, n, k->b->X, G);
    free(B);
    return status;
}

static void fix_signs(maker *k)
{
    for (int j = 0; j < k->n; j++) {
        double *x = k->b->X + (size_t)j * k->N, most = 0;
        for (size_t i = 0; i < k->N; i++)
            if (fabs(x[i]) > 1.0001 * fabs(most)) most = x[i];
        for (size_t i = 0; most < 0 && i < k->N; i++) x[i] = -x[i];
    }
}

/* frequency and residual of mode j from its K x and M x, which are used up; where an unknown is
 * held, the reaction is no error */
static void measure_one(const maker *k, int j, double *Kx, double *Mx)
{
    kl_basis *b = k->b;
    size_t    d = (size_t)j * (size_t)b->n + (size_t)j;
    int       N = (int)k->N;
    for (int i = 0; i < N; i++)
        if (k->held[i]) Kx[i] = Mx[i] = 0.0;
    double w2 = b->Kff[d] / b->Mff[d], scale = fabs(w2) * kl_vnorm(N, Mx);
    kl_vaxpy(N, -w2, Mx, Kx);
    b->frequency[j] = sqrt(fmax(w2, 0)) / 6.28318530717958647693;
    b->residual[j]  = scale > 0 ? kl_vnorm(N, Kx) / scale : HUGE_VAL;
}

/* Kff, Mff, frequencies and residuals, with one product by K and one by M a column */
static kl_status measure(maker *k)
{
    enum { STRIP = 8 };
    kl_basis *b = k->b;
    size_t    n = (size_t)k->n;
    int       N = (int)k->N;
    b->n        = k->n;
    b->Mff = malloc((n * n + 1) * sizeof(double)), b->Kff = malloc((n * n + 1) * sizeof(double));
    b->frequency = malloc((n + 1) * sizeof(double)), b->residual = malloc((n + 1) * sizeof(double));
    double *KX = malloc(2 * STRIP * k->N * sizeof(double)), *MX = KX ? KX + STRIP * k->N : NULL;
    bool    ok = b->Mff && b->Kff && b->frequency && b->residual && KX;
    for (int j = 0; ok && j < k->n; j += STRIP) {
        int     some = k->n - j < STRIP ? k->n - j : STRIP;
        double *x    = b->X + (size_t)j * k->N;
        kl_symmetric_multiply(&k->s->K, some, x, KX);
        kl_symmetric_multiply(&k->s->M, some, x, MX);
        kl_gemm(true, false, k->n, some, N, 1, b->X, N, KX, N, 0, b->Kff + (size_t)j * n, k->n);
        kl_gemm(true, false, k->n, some, N, 1, b->X, N, MX, N, 0, b->Mff + (size_t)j * n, k->n);
        for (int c = 0; c < some; c++)
            measure_one(k, j + c, KX + (size_t)c * k->N, MX + (size_t)c * k->N);
    }
    free(KX);
    if (!ok) return KL_E_MEMORY;
    mirror(k->n, b->Kff);
    mirror(k->n, b->Mff);
    return KL_OK;
}

/* do the nodal conditions leave rigid motions? */
static kl_status check_held(const maker *k)
{
    if (k->o->reference != KL_NODAL || k->b->nrigid == 0) return KL_OK;
    return motions_left(k, "the reference conditions leave", "use mean-axis");
}

/* all columns into the modes of the reduced problem, by frequency */
static kl_status order(maker *k)
{
    if (k->b->free) KL_TRY(remove_rigid_part(k, k->n, k->b->X, rank_tolerance(k->o)));
    size_t    n = (size_t)k->n;
    double   *G = malloc(n * n * sizeof(double)), *w = malloc(n * sizeof(double));
    kl_status status = G && w ? orthonormalise(k, G, w) : KL_E_MEMORY;
    free(G);
    free(w);
    if (status == KL_OK) fix_signs(k);
    return status;
}

/* The modes stay those of the free body, with its frequencies and residuals; rigid motion is added so
 * that each keeps the principal axes. That gives them mass in common, and no stiffness. */
static kl_status turn_to_principal_axes(maker *k)
{
    KL_TRY(remove_rigid(k, KL_PRINCIPAL_AXIS, k->n, k->b->X));
    return gram(k, &k->s->M, k->n, k->b->X, k->b->Mff);
}

static kl_status make(maker *k, unsigned char *fixed)
{
    const kl_basis_options *o     = k->o;
    bool                    nodal = o->reference == KL_NODAL, cb = o->statics == KL_CRAIG_BAMPTON;
    k->b->free = !nodal, k->b->bordered = cb, k->fixed = fixed;
    if (nodal) KL_TRY(hold_reference(k, fixed));
    memcpy(k->held, fixed, k->N);
    if (cb) KL_TRY(hold_interfaces(k, fixed));
    bool given = o->user_frequency != NULL;
    if (given && o->statics != KL_NO_STATICS)
        return kl_fail(k->diag, KL_E_MODEL, KL_NOWHERE,
                       "static modes need the stiffness matrix, which a modal model does not have; "
                       "remove `statics`, or give `stiffness:` under `matrices:`");
    KL_TRY(given ? add_given_modes(k) : add_eigenmodes(k, nodal || cb ? fixed : NULL));
    KL_TRY(check_held(k));
    if (!nodal && !cb && k->b->nrigid != 6)
        return kl_fail(
            k->diag, KL_E_MODEL, KL_NOWHERE,
            "a free body has six rigid body motions, but this one has %d; check for springs to "
            "ground and missing degrees of freedom. If nodes are fixed, name them with `reference: "
            "{root: all}`; if springs or the matrices hold the body, write `reference: {}`",
            k->b->nrigid);
    if (o->statics == KL_ATTACHMENT) KL_TRY(add_attachment(k));
    if (cb) KL_TRY(add_constraint_modes(k));
    if (!given) KL_TRY(add_user(k));
    if (k->n == 0)
        return kl_fail(
            k->diag, KL_E_MODEL, KL_NOWHERE,
            "no deformation modes remain; request at least one, for example `modes: 10`");
    /* eigenmodes alone are orthonormal, ordered and free of rigid motion already */
    bool alone      = k->n == k->b->neigen;
    k->b->condition = 1.0;
    if (!o->plain && !alone) KL_TRY(order(k));
    KL_TRY(measure(k));
    if (given) take_given_frequencies(k);
    return o->reference == KL_PRINCIPAL_AXIS && !o->plain ? turn_to_principal_axes(k) : KL_OK;
}

kl_status kl_basis_make(const kl_system *s, const kl_basis_options *o, kl_basis *b, kl_diag *diag)
{
    *b                    = (kl_basis){.ndof = s->ndof};
    maker          k      = {.s    = s,
                             .o    = o,
                             .b    = b,
                             .diag = diag,
                             .N    = (size_t)s->ndof,
                             .R    = malloc(6 * (size_t)s->ndof * sizeof(double)),
                             .held = calloc((size_t)s->ndof + 1, 1)};
    unsigned char *fixed  = calloc((size_t)s->ndof + 1, 1);
    kl_status      status = k.R && k.held && fixed ? KL_OK : KL_E_MEMORY;
    if (status == KL_OK) {
        kl_system_rigid(s, kl_vec(0, 0, 0), k.R);
        status = make(&k, fixed);
    }
    free(fixed);
    free(k.R);
    free(k.held);
    if (status == KL_E_MEMORY)
        kl_fail(diag, status, KL_NOWHERE, "out of memory for the mode basis");
    if (status != KL_OK) kl_basis_free(b);
    return status;
}

void kl_basis_free(kl_basis *b)
{
    free(b->X);
    free(b->Mff);
    free(b->Kff);
    free(b->frequency);
    free(b->residual);
    kl_modes_free(&b->modes);
    *b = (kl_basis){0};
}
