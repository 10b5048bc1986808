/* Matrices of a catenary, and points of its wires.
 *
 * Cubic element of length l, unknowns z1 z1' z2 z2', tension T, bending stiffness EI, mass mu:
 * bending and tension stiffness and consistent mass of the Hermite shape functions (Przemieniecki,
 * Theory of Matrix Structural Analysis, chapters 5, 11 and 15). */
#include "catenary/line.h"

#include <math.h>
#include <string.h>

typedef double matrix4[4][4];

static void wire_stiffness(const kl_wire_data *w, double T, double l, matrix4 K)
{
    double b = w->bending / (l * l * l), t = T / (30.0 * l);
    /* clang-format off */
    const matrix4 bend = {{ 12,     6*l,    -12,     6*l  },
                          {  6*l,   4*l*l,   -6*l,   2*l*l},
                          {-12,    -6*l,     12,    -6*l  },
                          {  6*l,   2*l*l,   -6*l,   4*l*l}};
    const matrix4 pull = {{ 36,     3*l,    -36,     3*l  },
                          {  3*l,   4*l*l,   -3*l,    -l*l},
                          {-36,    -3*l,     36,    -3*l  },
                          {  3*l,    -l*l,   -3*l,   4*l*l}};
    /* clang-format on */
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) K[i][j] = b * bend[i][j] + t * pull[i][j];
}

/* E += density times the integral of two shape functions: consistent mass, elastic foundation. */
static void add_distributed(double density, double l, matrix4 E)
{
    double m = density * l / 420.0;
    /* clang-format off */
    const matrix4 shape = {{156,    22*l,    54,    -13*l  },
                           { 22*l,   4*l*l,  13*l,   -3*l*l},
                           { 54,    13*l,   156,    -22*l  },
                           {-13*l,  -3*l*l, -22*l,    4*l*l}};
    /* clang-format on */
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) E[i][j] += m * shape[i][j];
}

static void wire_mass(const kl_wire_data *w, double l, matrix4 M)
{
    memset(M, 0, sizeof(matrix4));
    add_distributed(w->mass, l, M);
}

/* A += factor E for the unknowns of an element; `offset` 0: vertical, 2: lateral. */
static void add_element(kl_skyline *A, const kl_line_wire *w, int e, int offset, double factor,
                        matrix4 E)
{
    int dof[4] = {w->dof[e] + offset, w->dof[e] + offset + 1, w->dof[e + 1] + offset,
                  w->dof[e + 1] + offset + 1};
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            if (dof[i] >= dof[j]) *kl_skyline_at(A, dof[i], dof[j]) += factor * E[i][j];
}

static void add_pair(kl_skyline *A, int a, int b, double value)
{
    *kl_skyline_at(A, a > b ? a : b, a > b ? b : a) += value;
}

static void add_spring(kl_skyline *A, int dof, int other, double k)
{
    *kl_skyline_at(A, dof, dof) += k;
    if (other < 0) return;
    *kl_skyline_at(A, other, other) += k;
    add_pair(A, dof, other, -k);
}

/* k n n' along the dropper and F/L across it, between both ends; a slack one keeps the latter. */
static void add_dropper(kl_skyline *A, const kl_line_dropper *d, int per, bool slack)
{
    double k = slack ? 0.0 : d->k, along = k * d->nz * d->nz + d->lateral * d->ny * d->ny;
    add_spring(A, d->upper, d->lower, along);
    if (per < 4) return;
    double across = k * d->ny * d->ny + d->lateral * d->nz * d->nz;
    double mixed  = (k - d->lateral) * d->ny * d->nz;
    add_spring(A, d->upper + 2, d->lower + 2, across);
    add_pair(A, d->upper, d->upper + 2, mixed);
    add_pair(A, d->lower, d->lower + 2, mixed);
    add_pair(A, d->upper, d->lower + 2, -mixed);
    add_pair(A, d->lower, d->upper + 2, -mixed);
}

void kl_line_add_stiffness(const kl_line *line, kl_stiffness_parts parts, kl_skyline *K)
{
    matrix4 E;
    for (int i = 0; i < line->nwire; i++) {
        const kl_line_wire *w = &line->wire[i];
        for (int e = 0; e + 1 < w->n; e++) {
            double l = w->x[e + 1] - w->x[e];
            wire_stiffness(&w->data, w->tension[e], l, E);
            if (w->data.foundation > 0.0) add_distributed(w->data.foundation, l, E);
            for (int k = 0; k < line->per; k += 2) add_element(K, w, e, k, 1.0, E);
        }
    }
    for (int i = 0; i < line->nspring; i++) {
        const kl_line_spring *s = &line->spring[i];
        if (parts.springs || s->kind == KL_SPRING_CLAMP) add_spring(K, s->dof, s->other, s->k);
    }
    for (int i = 0; i < line->ndropper && parts.droppers; i++)
        add_dropper(K, &line->dropper[i], line->per, parts.slack && parts.slack[i]);
}

/* M and C = alpha M + beta K of wires; masses take part in both without damping. */
static void add_inertia(kl_line *line)
{
    matrix4 E;
    for (int i = 0; i < line->nwire; i++) {
        const kl_line_wire *w = &line->wire[i];
        if (w->data.alpha != 0.0 || w->data.beta != 0.0) line->damped = true;
        for (int e = 0; e + 1 < w->n; e++) {
            double l = w->x[e + 1] - w->x[e];
            for (int k = 0; k < line->per; k += 2) {
                wire_mass(&w->data, l, E);
                add_element(&line->M, w, e, k, 1.0, E);
                add_element(&line->C, w, e, k, w->data.alpha, E);
                wire_stiffness(&w->data, w->tension[e], l, E);
                add_element(&line->C, w, e, k, w->data.beta, E);
            }
        }
    }
    for (int i = 0; i < line->nmass; i++)
        for (int k = 0; k < line->per; k += 2) {
            int dof = line->mass[i].dof + k;
            *kl_skyline_at(&line->M, dof, dof) += line->mass[i].m;
        }
}

void kl_line_fix(const kl_line *line, const bool *fixed, kl_skyline *A)
{
    for (int i = 0; i < line->ndof; i++)
        for (int j = line->first[i]; j <= i; j++)
            if (fixed[i] || fixed[j]) *kl_skyline_at(A, i, j) = i == j ? 1.0 : 0.0;
}

kl_status kl_line_matrices(kl_line *line)
{
    line->M = kl_skyline_create(line->arena, line->ndof, line->first);
    line->C = kl_skyline_create(line->arena, line->ndof, line->first);
    line->K = kl_skyline_create(line->arena, line->ndof, line->first);
    if (!kl_arena_ok(line->arena)) return KL_E_MEMORY;
    add_inertia(line);
    kl_line_add_stiffness(line, (kl_stiffness_parts){.springs = true, .droppers = true}, &line->K);
    kl_line_fix(line, line->fixed, &line->M);
    kl_line_fix(line, line->fixed, &line->C);
    kl_line_fix(line, line->fixed, &line->K);
    return KL_OK;
}

kl_status kl_line_create(const kl_catenary_design *design, kl_arena *arena, kl_diag *diag,
                         kl_line **out)
{
    kl_line *line = kl_arena_array(arena, kl_line, 1);
    *out          = line;
    if (!line) return KL_E_MEMORY;
    line->arena  = arena;
    line->design = design;
    KL_TRY(kl_line_mesh(line, diag));
    KL_TRY(kl_line_shape(line, diag));
    return kl_line_matrices(line);
}

/* ---- points ---- */

bool kl_wire_at(const kl_line_wire *w, double x, kl_wire_point *p)
{
    if (!(x >= w->x[0] && x <= w->x[w->n - 1])) return false;
    int lo = 0, hi = w->n - 1;
    while (hi - lo > 1) {
        int mid = (lo + hi) / 2;
        if (w->x[mid] <= x) lo = mid;
        else hi = mid;
    }
    double l = w->x[hi] - w->x[lo], s = (x - w->x[lo]) / l, s2 = s * s, s3 = s2 * s;
    *p = (kl_wire_point){
        .dof = {w->dof[lo], w->dof[hi]},
        .N   = {1 - 3 * s2 + 2 * s3, l * (s - 2 * s2 + s3), 3 * s2 - 2 * s3, l * (s3 - s2)},
        .D   = {(6 * s2 - 6 * s) / l, 1 - 4 * s + 3 * s2, (6 * s - 6 * s2) / l, 3 * s2 - 2 * s}};
    return true;
}

static double combine(const kl_wire_point *p, const double *c, const double *u, int offset)
{
    const double *a = u + p->dof[0] + offset, *b = u + p->dof[1] + offset;
    return c[0] * a[0] + c[1] * a[1] + c[2] * b[0] + c[3] * b[1];
}

double kl_wire_value(const kl_wire_point *p, const double *u, int offset)
{
    return combine(p, p->N, u, offset);
}

double kl_wire_slope(const kl_wire_point *p, const double *u, int offset)
{
    return combine(p, p->D, u, offset);
}

const kl_line_wire *kl_line_find(const kl_line *line, kl_wire_kind kind, int part)
{
    for (int i = 0; i < line->nwire; i++)
        if (line->wire[i].kind == kind && line->wire[i].part == part) return &line->wire[i];
    return NULL;
}

void kl_line_support_near(const kl_line *line, double x, const double *d, double *at,
                          double *uplift)
{
    double least = HUGE_VAL;
    for (int i = 0; i < line->nsupport; i++) {
        double away = fabs(line->support[i].x - x);
        if (away < least) least = away, *at = line->support[i].x, *uplift = d[line->support[i].dof];
    }
}
