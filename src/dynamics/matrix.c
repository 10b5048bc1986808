#include "dynamics/matrix.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/groups.h"

static const double usual_eps = 1e-11; /* against a scaled matrix whose rows are of size one */

struct kl_matrix {
    kl_arena     *arena;
    kl_assembler *parts;
    kl_lu        *lu;
    double       *scale, *scratch;
    bool  *massless; /* nv + nz: coordinates of elements, whose diagonal gives no information */
    bool   any_massless;
    int    n, nv, nz, nlam;
    double eps;   /* of the factors */
    double moved; /* by the last pass of the last solve: see kl_matrix_weakness */
};

kl_matrix *kl_matrix_create(const kl_model *m, kl_coupling coupling)
{
    kl_arena  *a = kl_arena_create();
    kl_matrix *x = kl_arena_array(a, kl_matrix, 1);
    if (!x) {
        kl_arena_destroy(a);
        return NULL;
    }
    *x          = (kl_matrix){.arena = a, .nv = m->nv, .nz = m->nz, .nlam = m->nlam};
    x->eps      = usual_eps;
    x->n        = m->nv + m->nz + m->nlam;
    x->massless = kl_arena_array(a, bool, m->nv + m->nz + 1);
    x->scale    = kl_arena_array(a, double, x->n + 1);
    x->scratch  = kl_arena_array(a, double, 2 * (size_t)x->n + 1);
    x->parts    = kl_assembler_create(m, coupling);
    if (x->parts && x->n > 0) x->lu = kl_lu_create(&x->parts->p);
    if (!kl_arena_ok(a) || !x->parts || (x->n > 0 && !x->lu)) {
        kl_lu_destroy(x->lu);
        kl_assembler_destroy(x->parts);
        kl_arena_destroy(a);
        return NULL;
    }
    return x;
}

void kl_matrix_destroy(kl_matrix *x)
{
    if (!x) return;
    kl_lu_destroy(x->lu);
    kl_assembler_destroy(x->parts);
    kl_arena_destroy(x->arena);
}

/* ---- scaling and factors ---- */

/* What a diagonal too small to scale by is taken for: the geometric mean of the others. */
static double typical_diagonal(const double *diagonal, const bool *massless, int n)
{
    double sum   = 0.0;
    int    count = 0;
    for (int c = 0; c < n; c++)
        if (diagonal[c] > 0.0 && !massless[c]) sum += log(diagonal[c]), count++;
    return count ? exp(sum / count) : 1.0;
}

/* How far a marker can move and turn by one coordinate of its body, scaled; both squared. */
static void mobility(const kl_model *m, const kl_matrix *x, int marker, double out[2])
{
    const kl_body *b = &m->body[m->marker[marker].body];
    const double  *B = x->parts->B + x->parts->map[marker];
    out[0] = out[1] = 0.0;
    for (int c = 0; c < b->nv; c++) {
        double part[2] = {0.0, 0.0}, scale = x->scale[b->v + c];
        for (int p = 0; p < 6; p++) part[p / 3] += B[p * b->nv + c] * B[p * b->nv + c];
        for (int k = 0; k < 2; k++) out[k] = fmax(out[k], part[k] * scale * scale);
    }
}

/* Squared sizes that the rows of an element would have if they held motions that its markers can make. */
static void natural_sizes(const kl_model *m, const kl_work *w, const kl_matrix *x,
                          const kl_element *e, double *square)
{
    int wide = 6 * e->nmarker;
    for (int k = 0; k < e->nphi; k++) square[k] = 0.0;
    for (int j = 0; e->nphi > 0 && j < e->nmarker; j++) {
        double size[2];
        mobility(m, x, e->marker + j, size);
        for (int k = 0; k < e->nphi; k++)
            for (int p = 0; p < 6; p++) {
                double v = w->rows[e->rows + k * wide + 6 * j + p];
                square[k] += v * v * size[p / 3];
            }
    }
}

/* Unit rows for the constraints, except those that hold a motion which hardly exists: a planar joint on an
 * axle box holds a turn about the axle, which a marker that does not spin never makes. What is left of
 * such a row comes from small angles and rounding; scaled up to one it contradicts the other rows by
 * rounding errors over eps. */
static void scale_rows(const kl_model *m, const kl_work *w, kl_matrix *x)
{
    const kl_pattern *p      = &x->parts->p;
    const double     *values = x->parts->values;
    const double      weak   = 1e-5;
    int               n      = x->nv + x->nz;
    for (int i = 0; i < m->nelement; i++)
        natural_sizes(m, w, x, &m->element[i], x->scale + n + m->element[i].phi);
    for (int k = 0; k < x->nlam; k++) {
        double square = 0.0, natural = x->scale[n + k];
        for (int i = p->start[n + k]; i < p->start[n + k + 1]; i++) {
            double v = p->row[i] < x->nv ? values[i] * x->scale[p->row[i]] : 0.0;
            square += v * v;
        }
        double least    = square > 0.0 ? fmax(square, weak * weak * natural) : 1.0;
        x->scale[n + k] = 1.0 / sqrt(least);
    }
}

/* Unit diagonal for the bodies, unit rows for the constraints: then eps means something. */
static void find_scale(const kl_model *m, const kl_work *w, kl_matrix *x)
{
    const double *values = x->parts->values;
    const double  tiny   = 1e-12;
    int           n      = x->nv + x->nz;
    double        most = 0.0, least = HUGE_VAL;
    for (int c = 0; c < n; c++) {
        x->scale[c] = fabs(values[x->parts->diagonal[c]]);
        if (x->massless[c]) continue;
        most  = fmax(most, x->scale[c]);
        least = fmin(least, x->scale[c]);
    }
    bool   fine    = least > tiny * most && !x->any_massless;
    double typical = fine ? least : typical_diagonal(x->scale, x->massless, n);
    for (int c = 0; c < n; c++) {
        bool good   = x->scale[c] > tiny * typical && !x->massless[c];
        x->scale[c] = 1.0 / sqrt(good ? x->scale[c] : typical);
    }
    scale_rows(m, w, x);
}

static kl_status scale_and_factor(const kl_model *m, const kl_work *w, kl_matrix *x)
{
    const kl_pattern *p      = &x->parts->p;
    double           *values = x->parts->values;
    if (p->n == 0) return KL_OK;
    find_scale(m, w, x);
    for (int c = 0; c < p->n; c++)
        for (int i = p->start[c]; i < p->start[c + 1]; i++)
            values[i] *= x->scale[c] * x->scale[p->row[i]];
    for (int k = x->nv + x->nz; k < p->n; k++) values[x->parts->diagonal[k]] = -x->eps;
    return kl_lu_factor(x->lu, values);
}

/* The pattern follows links between bodies that were not linked before. */
static kl_status follow_links(const kl_model *m, const kl_state *s, const kl_work *w, kl_matrix *x)
{
    if (kl_assembler_covers(m, s, w, x->parts)) return KL_OK;
    kl_assembler *parts = kl_assembler_renew(m, s, w, x->parts);
    kl_lu        *lu    = parts ? kl_lu_create(&parts->p) : NULL;
    if (!lu) {
        kl_assembler_destroy(parts);
        return KL_E_MEMORY;
    }
    kl_lu_destroy(x->lu);
    kl_assembler_destroy(x->parts);
    x->parts = parts;
    x->lu    = lu;
    return KL_OK;
}

/* What a reaction does to the diagonal of a massless body says nothing about its size. */
static void mark_massless(const kl_model *m, const kl_work *w, kl_matrix *x)
{
    x->any_massless = false;
    for (int i = 0; i < m->nbody; i++)
        for (int k = 0, n = m->body[i].nv; k < n; k++) {
            bool none = m->body[i].own || w->M[m->body[i].M + k * (n + 1)] == 0.0;
            x->massless[m->body[i].v + k] = none;
            x->any_massless |= none;
        }
}

kl_status kl_matrix_factor(const kl_model *m, const kl_state *s, kl_work *w, kl_matrix *x,
                           kl_weights c, const double *a, const double *lambda, const double *dx)
{
    mark_massless(m, w, x);
    if (c.stiffness != 0.0 || c.damping != 0.0) KL_TRY(follow_links(m, s, w, x));
    kl_assemble_matrix(m, s, w, x->parts, c, a, lambda, dx);
    return scale_and_factor(m, w, x);
}

kl_status kl_matrix_factor_kept(const kl_model *m, const kl_state *s, kl_work *w, kl_matrix *x,
                                kl_weights c, const double *a, const double *lambda,
                                const double *dx, const unsigned char *renew)
{
    mark_massless(m, w, x);
    KL_TRY(follow_links(m, s, w, x));
    KL_TRY(kl_assemble_kept(m, s, w, x->parts, c, a, lambda, dx, renew));
    return scale_and_factor(m, w, x);
}

/* What assembly pays for moving velocity coordinate k, squared. */
static double weight_of(const kl_model *m, int k)
{
    double length = m->length / m->unit[k];
    return m->weight ? m->weight[k] : length * length;
}

/* Which coordinates give no information about the size of the matrix: those that elements own. */
static void mark_own_coordinates(const kl_model *m, kl_matrix *x)
{
    x->any_massless = false;
    for (int i = 0; i < m->nbody; i++)
        for (int k = 0; k < m->body[i].nv; k++) {
            x->massless[m->body[i].v + k] = m->body[i].own;
            x->any_massless |= m->body[i].own;
        }
}

/* A held velocity or position has no column and no row, but keeps its diagonal. */
static void leave_out(kl_matrix *x, const unsigned char *held)
{
    const kl_pattern *p = &x->parts->p;
    for (int c = 0; held && c < p->n; c++)
        for (int i = p->start[c]; i < p->start[c + 1]; i++) {
            int r = p->row[i];
            if (r != c && ((c < x->nv && held[c]) || (r < x->nv && held[r])))
                x->parts->values[i] = 0.0;
        }
}

kl_status kl_matrix_factor_projection(const kl_model *m, kl_work *w, kl_matrix *x,
                                      const unsigned char *held)
{
    double *values = x->parts->values;
    mark_own_coordinates(m, x);
    kl_assemble_rows(m, w, x->parts);
    leave_out(x, held);
    for (int k = 0; k < x->nv; k++) values[x->parts->diagonal[k]] = weight_of(m, k);
    for (int k = x->nv; k < x->nv + x->nz; k++) values[x->parts->diagonal[k]] = 1.0;
    return scale_and_factor(m, w, x);
}

/* The mass that represents a body's size: of its translation, or else the largest of its
 * coordinates in units of the model. */
static double mass_of(const kl_model *m, const kl_work *w, const kl_body *b)
{
    const double *M    = w->M + b->M;
    kl_group      move = kl_body_group(b, KL_TRANSLATION);
    double        most = 0.0;
    if (move.nv) return M[(move.v - b->v) * (b->nv + 1)];
    for (int k = 0; k < b->nv; k++) most = fmax(most, M[k * (b->nv + 1)] / weight_of(m, b->v + k));
    return most;
}

/* What a massless coordinate counts: so little that it follows the others, and so much that the
 * scaled rows stay apart (squared ratios well above eps). */
static double mass_of_massless(const kl_model *m, const kl_work *w)
{
    double least = HUGE_VAL, most = 0.0;
    for (int i = 0; i < m->nbody; i++) {
        double mass = mass_of(m, w, &m->body[i]);
        if (mass > 0.0) least = fmin(least, mass), most = fmax(most, mass);
    }
    return most > 0.0 ? fmax(1e-6 * least, 1e-9 * most) : 1.0;
}

/* Inertia of body i as its block of the matrix. Deformation keeps the weight that the body gives it,
 * times the mass: a body moves as a whole before it deforms. */
static void add_inertia(const kl_model *m, const kl_work *w, kl_matrix *x, int i, double massless,
                        double gyration)
{
    const kl_body *b      = &m->body[i];
    const double  *M      = w->M + b->M;
    double        *values = x->parts->values, mass = mass_of(m, w, b);
    for (int c = 0; c < b->nv; c++) {
        kl_group_kind column = kl_body_group_at(b, b->v + c).kind;
        double       *at     = values + x->parts->body_slot[i][c];
        double        weight = weight_of(m, b->v + c);
        /* find_units has made the weight of virtual bodies small already */
        double light = (m->weight && b->made ? 1e6 : 1.0) * massless * weight;
        bool   rigid = column == KL_TRANSLATION || column == KL_ROTATION;
        for (int r = 0; rigid && r < b->nv; r++) {
            kl_group_kind row = kl_body_group_at(b, b->v + r).kind;
            if (row == KL_TRANSLATION || row == KL_ROTATION) at[r] = M[r * b->nv + c];
        }
        if (!rigid) at[c] = mass * weight;
        double least = column == KL_ROTATION ? gyration * gyration * mass * weight : 0.0;
        at[c]        = fmax(at[c], fmax(least, light));
    }
}

kl_status kl_matrix_factor_inertia(const kl_model *m, kl_work *w, kl_matrix *x, double gyration,
                                   const unsigned char *held)
{
    double massless = mass_of_massless(m, w);
    mark_own_coordinates(m, x);
    kl_assemble_rows(m, w, x->parts);
    for (int i = 0; i < m->nbody; i++) add_inertia(m, w, x, i, massless, gyration);
    leave_out(x, held);
    for (int k = x->nv; k < x->nv + x->nz; k++) x->parts->values[x->parts->diagonal[k]] = 1.0;
    return scale_and_factor(m, w, x);
}

/* ---- solving --------------------------------------------------------------------------------- */

static void apply_scale(const kl_matrix *x, double *y)
{
    for (int i = 0; i < x->n; i++) y[i] *= x->scale[i];
}

kl_status kl_matrix_solve(const kl_matrix *x, double *y)
{
    if (x->n == 0) return KL_OK;
    apply_scale(x, y);
    KL_TRY(kl_lu_solve(x->lu, y));
    apply_scale(x, y);
    return KL_OK;
}

kl_status kl_matrix_solve_two(const kl_matrix *x, double *y)
{
    if (x->n == 0) return KL_OK;
    apply_scale(x, y), apply_scale(x, y + x->n);
    KL_TRY(kl_lu_solve_two(x->lu, y));
    apply_scale(x, y), apply_scale(x, y + x->n);
    return KL_OK;
}

/* Largest change of n accelerations over the largest of them or of the forces that make them. In the scaled
 * matrix both have the same unit, and forces in balance leave accelerations that are rounding errors of the
 * forces: those changes say nothing about the constraints. */
static double moved(const double *old, const double *new, const double *force, int n)
{
    double change = 0.0, size = 1e-300;
    for (int i = 0; i < n; i++) {
        change = fmax(change, fabs(new[i] - old[i]));
        size   = fmax(size, fmax(fabs(new[i]), fabs(force[i])));
    }
    return change / size;
}

/* (K - eps) y_k+1 = rhs - eps lambda_k: the proximal point iteration towards eps = 0.
 *
 * Along a direction that no body feels (redundant loops, singular positions) the right-hand side
 * holds only errors r, and each pass adds the same r/eps: lambda_k = lambda + k r/eps. When the
 * change no longer shrinks, that is all that is left of it, and taking k times the last change back
 * gives the smallest multipliers. */
static kl_status proximal(kl_matrix *x, double *y, int most, double enough)
{
    int     n = x->n, first = x->nv + x->nz;
    double *rhs = x->scratch, *old = rhs + n, last = HUGE_VAL;
    x->moved = 0.0;
    if (n == 0) return KL_OK;
    for (int i = 0; i < n; i++) rhs[i] = y[i] * x->scale[i];
    for (int pass = 1; pass <= most; pass++) {
        memcpy(y, rhs, (size_t)n * sizeof *y);
        for (int i = first; pass > 1 && i < n; i++) y[i] -= x->eps * old[i];
        KL_TRY(kl_lu_solve(x->lu, y));
        if (pass > 1) x->moved = moved(old, y, rhs, first);
        if (pass == most) break;
        double change = 0.0, size = 0.0;
        for (int i = first; i < n; i++) {
            double d = fabs(pass > 1 ? y[i] - old[i] : y[i]), a = fabs(y[i]);
            change = d > change ? d : change;
            size   = a > size ? a : size;
            if (!(d <= 1e300)) return KL_E_SINGULAR;
        }
        if (change <= enough * size + 1e-300) break;
        if (pass > 2 && change > 0.5 * last) {
            for (int i = first; i < n; i++) y[i] -= pass * (y[i] - old[i]);
            break;
        }
        last = change;
        memcpy(old, y, (size_t)n * sizeof *y);
    }
    for (int i = 0; i < n; i++) y[i] *= x->scale[i];
    return KL_OK;
}

kl_status kl_matrix_solve_exact(kl_matrix *x, double *y) { return proximal(x, y, 30, 1e-12); }

kl_status kl_matrix_solve_passes(kl_matrix *x, double *y, int passes)
{
    return proximal(x, y, passes, 1e-14);
}

void kl_matrix_rows_times(const kl_model *m, const kl_work *w, const kl_matrix *x, const double *u,
                          double *out)
{
    memset(out, 0, (size_t)m->nlam * sizeof *out);
    for (int i = 0; i < m->nelement; i++) {
        const kl_element *e    = &m->element[i];
        size_t            wide = 6 * (size_t)e->nmarker;
        for (int j = 0; e->nphi > 0 && j < e->nmarker; j++) {
            const kl_body *b        = &m->body[m->marker[e->marker + j].body];
            const double  *B        = x->parts->B + x->parts->map[e->marker + j];
            double         speed[6] = {0};
            for (int p = 0; p < 6; p++)
                for (int c = 0; c < b->nv; c++) speed[p] += B[p * b->nv + c] * u[b->v + c];
            for (int k = 0; k < e->nphi; k++) {
                const double *row = w->rows + e->rows + (size_t)k * wide + 6 * (size_t)j;
                for (int p = 0; p < 6; p++) out[e->phi + k] += row[p] * speed[p];
            }
        }
    }
}

int           kl_matrix_size(const kl_matrix *x) { return x->n; }
int           kl_matrix_nonzeros(const kl_matrix *x) { return x->parts->p.nnz; }
const kl_lu  *kl_matrix_lu(const kl_matrix *x) { return x->lu; }
const double *kl_matrix_scale(const kl_matrix *x) { return x->scale; }

double kl_matrix_eps(const kl_matrix *x, int k)
{
    double e = x->scale[x->nv + x->nz + k];
    return x->eps / (e * e);
}

double kl_matrix_weakness(const kl_matrix *x) { return x->moved; }

void kl_matrix_soften(kl_matrix *x, double factor) { x->eps = factor * usual_eps; }

void kl_matrix_invalidate(kl_matrix *x)
{
    if (x->lu) kl_lu_invalidate(x->lu);
}
