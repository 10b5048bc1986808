/* A point of one body stays on a surface of another.
 *
 *   r_j - r_i - A_i x(u, v) = 0        3 equations; the parameters u, v are coordinates of its own
 *
 * With X = A_i x and subscripts for partial derivatives: rows -I, [X], I and -X_u, -X_v; bias
 * -(w x (w x X) + 2 w x (X_u u' + X_v v') + X_uu u'^2 + 2 X_uv u' v' + X_vv v'^2). The equations of
 * motion of u and v, which have no mass, say that the surface pushes along its normal only.
 * Ambrosio 2019, section 1.2, for the surfaces. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "geometry/named.h"
#include "geometry/nearest.h"
#include "joints/joints.h"

enum { WIDE = 18, COLUMN_WI = 3, COLUMN_J = 6, COLUMN_U = 12, COLUMN_V = 13 };

typedef struct surface_joint {
    const kl_named_surface *skin;
    double                  u, v; /* at the start; NaN: found */
} surface_joint;

typedef struct spot {
    kl_vec3 X, Xu, Xv, Xuu, Xuv, Xvv; /* global axes */
} spot;

/* Its cache. */
typedef struct surface_cache {
    spot              x;
    kl_surface_cursor cursor;
    double            window[]; /* of a table that is read from a file */
} surface_cache;

static const spot *spot_of(const kl_reading *in) { return &((const surface_cache *)in->cache)->x; }

static kl_status surface_locate(const kl_reading *in, void *cache)
{
    const surface_joint *p = in->data;
    surface_cache       *c = cache;
    const kl_mat3       *A = &in->m[0].A;
    kl_surface_point     at;
    if (kl_surface_window_bytes(p->skin->surface) > 0) c->cursor.window = c->window;
    KL_TRY(kl_surface_eval(p->skin->surface, in->m[2].r.x, in->m[2].r.y, &c->cursor, &at));
    c->x = (spot){kl_mul(A, at.r),   kl_mul(A, at.ru),  kl_mul(A, at.rv),
                  kl_mul(A, at.ruu), kl_mul(A, at.ruv), kl_mul(A, at.rvv)};
    return KL_OK;
}

static kl_status surface_eval(const kl_reading *in, kl_writing *out)
{
    const kl_motion *m = in->m;
    const spot      *x = spot_of(in);
    kl_store(out->phi, kl_sub(kl_sub(m[1].r, m[0].r), x->X));
    double skew[9] = {0, -x->X.z, x->X.y, x->X.z, 0, -x->X.x, -x->X.y, x->X.x, 0}, u[3], v[3];
    kl_store(u, x->Xu);
    kl_store(v, x->Xv);
    for (int k = 0; k < 3; k++) {
        double *row       = out->rows + WIDE * k;
        row[k]            = -1.0;
        row[COLUMN_J + k] = 1.0;
        row[COLUMN_U]     = -u[k];
        row[COLUMN_V]     = -v[k];
        memcpy(row + COLUMN_WI, skew + 3 * k, 3 * sizeof *row);
    }
    if (!out->bias) return KL_OK;
    double  du = m[2].v.x, dv = m[2].v.y;
    kl_vec3 w = m[0].w, slides = kl_axpy(du, x->Xu, kl_scale(dv, x->Xv));
    kl_vec3 bias = kl_cross(w, kl_axpy(2.0, slides, kl_cross(w, x->X)));
    bias         = kl_axpy(du * du, x->Xuu, bias);
    bias         = kl_axpy(2.0 * du * dv, x->Xuv, bias);
    bias         = kl_axpy(dv * dv, x->Xvv, bias);
    kl_store(out->bias, kl_neg(bias));
    return KL_OK;
}

/* dw/dq of w = -Phi_q' l at fixed l, Phi = r_j - r_i - X(u, v), X fixed in marker i: the moment X x l on marker
 * i and the forces Xu.l, Xv.l on the surface coordinates.
 *
 *   d(X x l)/dtheta_i = X l' - (X.l) I,   d(X x l)/du = Xu x l,   d(Xu.l)/du = Xuu.l,   d(Xu.l)/dv = Xuv.l
 */
static void surface_tangent(const kl_reading *in, const double *lambda, kl_slopes *out)
{
    const spot *x = spot_of(in);
    double     *K = out->K, n[3], l_[3], cu[3], cv[3];
    kl_vec3     l = kl_load(lambda);
    kl_store(n, x->X);
    kl_store(l_, l);
    kl_store(cu, kl_cross(x->Xu, l));
    kl_store(cv, kl_cross(x->Xv, l));
    double across = kl_dot(l, x->X);
    for (int i = 0; i < 3; i++) {
        int row = COLUMN_WI + i;
        for (int j = 0; j < 3; j++)
            K[WIDE * row + COLUMN_WI + j] -= (i == j ? across : 0.0) - n[i] * l_[j];
        K[WIDE * row + COLUMN_U] += cu[i];
        K[WIDE * row + COLUMN_V] += cv[i];
        K[WIDE * COLUMN_U + row] += cu[i];
        K[WIDE * COLUMN_V + row] += cv[i];
    }
    K[WIDE * COLUMN_U + COLUMN_U] += kl_dot(x->Xuu, l);
    K[WIDE * COLUMN_U + COLUMN_V] += kl_dot(x->Xuv, l);
    K[WIDE * COLUMN_V + COLUMN_U] += kl_dot(x->Xuv, l);
    K[WIDE * COLUMN_V + COLUMN_V] += kl_dot(x->Xvv, l);
}

static kl_status surface_begin(void *data, const kl_setup *s, const kl_motion *m,
                               kl_own_start *start)
{
    surface_joint    *p      = data;
    kl_surface_cursor cursor = {0};
    kl_surface_point  at;
    if (!p->skin) return KL_E_MODEL;
    if (isnan(p->u) != isnan(p->v))
        return kl_fail(s->diag, KL_E_MODEL, s->place, "joint '%s': give both u and v, or neither",
                       s->name);
    start->x[0] = p->u, start->x[1] = p->v;
    kl_vec3 point = kl_mul_t(&m[0].A, kl_sub(m[1].r, m[0].r));
    KL_TRY(kl_surface_cursor_init(p->skin->surface, s->arena, &cursor));
    if (isnan(p->u)) KL_TRY(kl_surface_nearest(p->skin->surface, point, &cursor, start->x));
    start->held_x = !isnan(p->u);
    KL_TRY(kl_surface_eval(p->skin->surface, start->x[0], start->x[1], &cursor, &at));

    /* rates that the body's velocity belongs to: the tangential part of it */
    kl_vec3 moves = kl_add(m[0].v, kl_cross(m[0].w, kl_mul(&m[0].A, at.r)));
    kl_vec3 v     = kl_mul_t(&m[0].A, kl_sub(m[1].v, moves));
    double  a = kl_dot(at.ru, at.ru), b = kl_dot(at.ru, at.rv), c = kl_dot(at.rv, at.rv);
    double  f = kl_dot(at.ru, v), g = kl_dot(at.rv, v), det = a * c - b * b;
    if (!(det > 1e-16 * a * c))
        return kl_fail(s->diag, KL_E_SINGULAR, s->place,
                       "joint '%s': at u = %g, v = %g the parameters of surface '%s' are singular "
                       "(a pole); start at another point",
                       s->name, start->x[0], start->x[1], p->skin->name);
    start->v[0] = (c * f - b * g) / det;
    start->v[1] = (a * g - b * f) / det;
    return KL_OK;
}

static kl_status surface_setup(void *data, const kl_setup *s, const kl_motion *m, int nmarker,
                               kl_element_size *size)
{
    (void)s, (void)m;
    if (!((const surface_joint *)data)->skin || nmarker < 3) return KL_E_MODEL;
    size->nphi   = 3;
    size->nevent = 4;
    size->cache  = size->buffer =
        sizeof(surface_cache) +
        kl_surface_window_bytes(((const surface_joint *)data)->skin->surface);
    return KL_OK;
}

/* The edges, located to a millionth of a percent of the range; a closed direction has none. */
static void surface_crossings(const kl_reading *in, kl_crossing *out)
{
    const kl_surface *s        = ((const surface_joint *)in->data)->skin->surface;
    const double     *range[2] = {s->u, s->v};
    double            x[2] = {in->m[2].r.x, in->m[2].r.y}, v[2] = {in->m[2].v.x, in->m[2].v.y};
    bool              closed[2] = {s->closed_u, s->closed_v};
    for (int k = 0; k < 2; k++) {
        double close = 1e-8 * (range[k][1] - range[k][0]);
        out[2 * k] = out[2 * k + 1] = (kl_crossing){0}; /* nothing to cross */
        if (closed[k]) continue;
        out[2 * k]     = (kl_crossing){.value     = x[k] - range[k][0],
                                       .rate      = v[k],
                                       .tolerance = close,
                                       .kind      = KL_CROSSING_JUMP};
        out[2 * k + 1] = (kl_crossing){.value     = range[k][1] - x[k],
                                       .rate      = -v[k],
                                       .tolerance = close,
                                       .kind      = KL_CROSSING_JUMP};
    }
}

static void surface_watch(const kl_reading *in, kl_notice *notice)
{
    const surface_joint *p = in->data;
    double               u = in->m[2].r.x, v = in->m[2].r.y;
    if (kl_surface_inside(p->skin->surface, u, v)) return;
    notice->stop = true;
    snprintf(notice->text, sizeof notice->text,
             "left surface '%s' at its edge, at u = %.6g, v = %.6g", p->skin->name, u, v);
}

static void surface_output(const kl_reading *in, const double *lambda, double *values)
{
    const surface_joint *p = in->data;
    const spot          *x = spot_of(in);
    values[0]              = in->m[2].r.x;
    values[1]              = in->m[2].r.y;
    values[2]              = 0.0;
    kl_vec3 n              = kl_cross(x->Xu, x->Xv);
    double  size = kl_norm(n), sign = p->skin->surface->flip ? -1.0 : 1.0;
    if (size > 0.0) values[2] = -sign * kl_dot(kl_load(lambda), n) / size;
}

static const kl_key surface_keys[] = {
    {.name   = "surface",
     .kind   = KL_KEY_RESOURCE,
     .words  = "surfaces",
     .offset = offsetof(surface_joint, skin),
     .help   = "surface defined under `surfaces`, in the axes of the body that carries it"},
    {.name     = "u",
     .kind     = KL_KEY_NUMBER,
     .offset   = offsetof(surface_joint, u),
     .unit     = "1",
     .fallback = "",
     .help     = "initial first parameter (default: the nearest point of the surface)"},
    {.name     = "v",
     .kind     = KL_KEY_NUMBER,
     .offset   = offsetof(surface_joint, v),
     .unit     = "1",
     .fallback = "",
     .help     = "initial second parameter"},
    {0}};

static const kl_output surface_outputs[] = {
    {"u", "1", "first parameter"},
    {"v", "1", "second parameter"},
    {"normal", "N", "force of the surface on the body along its normal"},
    {0}};

const kl_element_type kl_point_on_surface = {
    .name            = "point-on-surface",
    .help            = "a point of one body stays on a surface of another",
    .equation        = "r_j = r_i + A_i x(u, v); u and v are coordinates",
    .example         = "ball: {type: point-on-surface, body: marble, surface: bowl}",
    .keys            = surface_keys,
    .outputs         = surface_outputs,
    .attach          = &kl_attach_follow,
    .data_size       = sizeof(surface_joint),
    .own             = 2,
    .begin           = surface_begin,
    .only_constrains = true,
    .setup           = surface_setup,
    .locate          = surface_locate,
    .eval            = surface_eval,
    .tangent         = surface_tangent,
    .crossings       = surface_crossings,
    .watch           = surface_watch,
    .output          = surface_output};
