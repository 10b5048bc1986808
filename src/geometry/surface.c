/* What all surfaces share. Fundamental forms E = r_u.r_u, ..., L = n.r_uu, ...; Weingarten's
 * equations give the derivatives of n; principal curvatures are the eigenvalues of I^-1 II (do
 * Carmo, Differential Geometry of Curves and Surfaces, ch. 3). */
#include "geometry/surface.h"

#include <math.h>

kl_status kl_surface_cursor_init(const kl_surface *s, kl_arena *arena, kl_surface_cursor *cursor)
{
    *cursor = (kl_surface_cursor){0};
    return s->type->cursor ? s->type->cursor(s->data, arena, cursor) : KL_OK;
}

size_t kl_surface_window_bytes(const kl_surface *s)
{
    return s->type->window ? s->type->window(s->data) : 0;
}

static double wrap(double x, const double range[2])
{
    double period = range[1] - range[0];
    return x - period * floor((x - range[0]) / period);
}

bool kl_surface_inside(const kl_surface *s, double u, double v)
{
    return (s->closed_u || (u >= s->u[0] && u <= s->u[1])) &&
           (s->closed_v || (v >= s->v[0] && v <= s->v[1]));
}

void kl_surface_place(kl_surface *s, kl_pose pose)
{
    s->pose   = pose;
    s->placed = true;
}

static void place_point(const kl_pose *pose, kl_surface_point *p)
{
    const kl_mat3 *A = &pose->A;

    p->r   = kl_add(pose->r, kl_mul(A, p->r));
    p->ru  = kl_mul(A, p->ru);
    p->rv  = kl_mul(A, p->rv);
    p->ruu = kl_mul(A, p->ruu);
    p->ruv = kl_mul(A, p->ruv);
    p->rvv = kl_mul(A, p->rvv);
}

kl_status kl_surface_eval(const kl_surface *s, double u, double v, kl_surface_cursor *cursor,
                          kl_surface_point *out)
{
    if (!isfinite(u) || !isfinite(v)) return KL_E_NAN;
    if (s->closed_u) u = wrap(u, s->u);
    if (s->closed_v) v = wrap(v, s->v);
    KL_TRY(s->type->eval(s->data, u, v, cursor, out));
    if (s->placed) place_point(&s->pose, out);
    return KL_OK;
}

/* Unit vector along a r_u + b r_v. */
static kl_vec3 along(const kl_surface_point *p, double a, double b)
{
    return kl_unit(kl_axpy(b, p->rv, kl_scale(a, p->ru)));
}

/* Principal curvatures and directions from the forms. */
static void principal(const kl_surface_point *p, kl_surface_shape *s)
{
    double det = s->E * s->G - s->F * s->F;
    s->gauss   = (s->L * s->N - s->M * s->M) / det;
    s->mean    = (s->E * s->N - 2.0 * s->F * s->M + s->G * s->L) / (2.0 * det);
    double d   = sqrt(fmax(s->mean * s->mean - s->gauss, 0.0));
    s->k[0] = s->mean + d, s->k[1] = s->mean - d;
    /* (II - k I) x = 0: take the row that says more */
    double a0 = s->L - s->k[0] * s->E, b0 = s->M - s->k[0] * s->F;
    double a1 = s->M - s->k[0] * s->F, b1 = s->N - s->k[0] * s->G;
    double w0 = a0 * a0 * s->G + b0 * b0 * s->E, w1 = a1 * a1 * s->G + b1 * b1 * s->E;
    double size = s->mean * s->mean * det * det + 1e-300;
    if (fmax(w0, w1) <= 1e-24 * size) s->direction[0] = s->t; /* the same in all directions */
    else s->direction[0] = w0 >= w1 ? along(p, -b0, a0) : along(p, -b1, a1);
    s->direction[1] = kl_cross(s->n, s->direction[0]);
}

kl_status kl_surface_shape_at(const kl_surface *surface, const kl_surface_point *p,
                              kl_surface_shape *s)
{
    kl_vec3 n    = kl_cross(p->ru, p->rv);
    double  area = kl_norm(n), size = kl_norm(p->ru) * kl_norm(p->rv);
    /* parallel, or one vanishes within 1e-12 of a parameter: a pole */
    double least = 1e-12 * kl_norm(p->ruv);
    if (!(area > 1e-12 * size) || kl_norm(p->ru) < least || kl_norm(p->rv) < least)
        return KL_E_SINGULAR;
    s->n = kl_scale((surface->flip ? -1.0 : 1.0) / area, n);
    s->t = kl_unit(p->ru);
    s->b = kl_cross(s->n, s->t);
    s->E = kl_dot(p->ru, p->ru), s->F = kl_dot(p->ru, p->rv), s->G = kl_dot(p->rv, p->rv);
    s->L = kl_dot(s->n, p->ruu), s->M = kl_dot(s->n, p->ruv), s->N = kl_dot(s->n, p->rvv);
    double det = s->E * s->G - s->F * s->F;
    s->nu      = kl_axpy((s->F * s->L - s->E * s->M) / det, p->rv,
                         kl_scale((s->F * s->M - s->G * s->L) / det, p->ru));
    s->nv      = kl_axpy((s->F * s->M - s->E * s->N) / det, p->rv,
                         kl_scale((s->F * s->N - s->G * s->M) / det, p->ru));
    principal(p, s);
    return KL_OK;
}
