/* Profiles turned about an axis or taken along a path, and functions given by the caller. */
#include <math.h>

#include "geometry/surface.h"

static const double TWO_PI = 6.283185307179586477;

static kl_surface *new_surface(const kl_surface_type *type, const void *data, kl_arena *arena)
{
    kl_surface *s = kl_arena_array(arena, kl_surface, 1);
    if (s) s->type = type, s->data = data, s->pose.A = kl_identity();
    return s;
}

/* ---- revolution ---- */

typedef struct revolution {
    const kl_profile *profile;
    double            fy, fz;
} revolution;

static kl_status revolution_eval(const void *data, double u, double v, kl_surface_cursor *cursor,
                                 kl_surface_point *out)
{
    const revolution *s = data;
    kl_vec3           d[3];
    kl_profile_eval(s->profile, u, &cursor->hint[0], d);
    double cy = s->fy * cos(v), sz = s->fz * sin(v), sy = s->fy * sin(v), cz = s->fz * cos(v);
    out->r   = kl_vec(d[0].x, d[0].y * cy, d[0].y * sz);
    out->ru  = kl_vec(d[1].x, d[1].y * cy, d[1].y * sz);
    out->ruu = kl_vec(d[2].x, d[2].y * cy, d[2].y * sz);
    out->rv  = kl_vec(0, -d[0].y * sy, d[0].y * cz);
    out->ruv = kl_vec(0, -d[1].y * sy, d[1].y * cz);
    out->rvv = kl_vec(0, -d[0].y * cy, -d[0].y * sz);
    return KL_OK;
}

static const kl_surface_type revolution_type = {"revolution", revolution_eval, NULL, NULL};

kl_status kl_surface_revolution(const kl_profile *profile, double fy, double fz, kl_arena *arena,
                                kl_surface **out)
{
    revolution *r = kl_arena_array(arena, revolution, 1);
    kl_surface *s = new_surface(&revolution_type, r, arena);
    if (!kl_arena_ok(arena)) return KL_E_MEMORY;
    *r      = (revolution){profile, fy, fz};
    s->u[1] = kl_profile_length(profile), s->v[1] = TWO_PI;
    s->closed_u = profile->closed, s->closed_v = true;
    *out = s;
    return KL_OK;
}

/* ---- sweep ---- */

typedef struct sweep {
    const kl_profile *profile;
    const kl_path    *path;
} sweep;

static kl_status sweep_eval(const void *data, double u, double v, kl_surface_cursor *cursor,
                            kl_surface_point *out)
{
    const sweep  *s = data;
    kl_vec3       d[3], q[3];
    kl_path_point p;
    kl_profile_eval(s->profile, u, &cursor->hint[0], d);
    KL_TRY(kl_path_eval(s->path, v, &cursor->path, &p));
    for (int i = 0; i < 3; i++) q[i] = kl_mul(&p.A, kl_vec(0, d[i].x, d[i].y));
    out->r   = kl_add(p.r, q[0]);
    out->ru  = q[1];
    out->ruu = q[2];
    out->rv  = kl_add(p.t, kl_cross(p.kappa, q[0]));
    out->ruv = kl_cross(p.kappa, q[1]);
    out->rvv =
        kl_add(p.dt, kl_add(kl_cross(p.dkappa, q[0]), kl_cross(p.kappa, kl_cross(p.kappa, q[0]))));
    return KL_OK;
}

static kl_status sweep_cursor(const void *data, kl_arena *arena, kl_surface_cursor *cursor)
{
    return kl_path_cursor_init(((const sweep *)data)->path, arena, &cursor->path);
}

static const kl_surface_type sweep_type = {"sweep", sweep_eval, sweep_cursor, NULL};

kl_status kl_surface_sweep(const kl_profile *profile, const kl_path *path, kl_arena *arena,
                           kl_surface **out)
{
    sweep      *w = kl_arena_array(arena, sweep, 1);
    kl_surface *s = new_surface(&sweep_type, w, arena);
    if (!kl_arena_ok(arena)) return KL_E_MEMORY;
    *w      = (sweep){profile, path};
    s->u[1] = kl_profile_length(profile), s->v[1] = path->length;
    s->closed_u = profile->closed, s->closed_v = path->closed;
    *out = s;
    return KL_OK;
}

/* ---- a function of the caller ---- */

static kl_status freeform_eval(const void *data, double u, double v, kl_surface_cursor *cursor,
                               kl_surface_point *out)
{
    const kl_surface_function *f = data;
    (void)cursor;
    f->eval(f->context, u, v, out);
    return KL_OK;
}

static const kl_surface_type freeform_type = {"freeform", freeform_eval, NULL, NULL};

kl_status kl_surface_freeform(kl_surface_function function, const double u[2], const double v[2],
                              kl_arena *arena, kl_surface **out)
{
    kl_surface_function *f = kl_arena_array(arena, kl_surface_function, 1);
    kl_surface          *s = new_surface(&freeform_type, f, arena);
    if (!kl_arena_ok(arena)) return KL_E_MEMORY;
    *f      = function;
    s->u[0] = u[0], s->u[1] = u[1], s->v[0] = v[0], s->v[1] = v[1];
    *out = s;
    return KL_OK;
}

/* ---- by length ---- */

typedef struct by_length {
    const kl_surface *inner;
    kl_length_map    *u, *v;
} by_length;

/* Speed along u (axis 0) or v on the middle line of the other. */
typedef struct middle_line {
    const kl_surface  *surface;
    kl_surface_cursor *cursor;
    int                axis;
    double             other;
} middle_line;

static void middle_speed(const void *context, double x, double speed[2])
{
    const middle_line *m = context;
    kl_surface_point   p;
    bool               along_u = m->axis == 0;
    speed[0] = speed[1] = 0.0;
    if (kl_surface_eval(m->surface, along_u ? x : m->other, along_u ? m->other : x, m->cursor,
                        &p) != KL_OK)
        return;
    kl_vec3 d = along_u ? p.ru : p.rv;
    speed[0]  = kl_norm(d);
    speed[1]  = kl_dot(d, along_u ? p.ruu : p.rvv) / speed[0];
}

static kl_status by_length_eval(const void *data, double lu, double lv, kl_surface_cursor *cursor,
                                kl_surface_point *out)
{
    const by_length *s = data;
    double           a[3], b[3];
    kl_length_map_eval(s->u, lu, a);
    kl_length_map_eval(s->v, lv, b);
    kl_surface_point p;
    KL_TRY(kl_surface_eval(s->inner, a[0], b[0], cursor, &p));
    out->r   = p.r;
    out->ru  = kl_scale(a[1], p.ru);
    out->rv  = kl_scale(b[1], p.rv);
    out->ruu = kl_axpy(a[2], p.ru, kl_scale(a[1] * a[1], p.ruu));
    out->rvv = kl_axpy(b[2], p.rv, kl_scale(b[1] * b[1], p.rvv));
    out->ruv = kl_scale(a[1] * b[1], p.ruv);
    return KL_OK;
}

static kl_status by_length_cursor(const void *data, kl_arena *arena, kl_surface_cursor *cursor)
{
    return kl_surface_cursor_init(((const by_length *)data)->inner, arena, cursor);
}

static const kl_surface_type by_length_type = {"by-length", by_length_eval, by_length_cursor, NULL};

kl_status kl_surface_by_length(const kl_surface *inner, double tolerance, kl_arena *arena,
                               kl_diag *diag, kl_surface **out)
{
    by_length        *b = kl_arena_array(arena, by_length, 1);
    kl_surface       *s = new_surface(&by_length_type, b, arena);
    kl_surface_cursor cursor;
    if (!kl_arena_ok(arena)) return KL_E_MEMORY;
    KL_TRY(kl_surface_cursor_init(inner, arena, &cursor));
    middle_line lines[2] = {{inner, &cursor, 0, 0.5 * (inner->v[0] + inner->v[1])},
                            {inner, &cursor, 1, 0.5 * (inner->u[0] + inner->u[1])}};
    b->inner             = inner;
    for (int axis = 0; axis < 2; axis++) {
        const double *range = axis == 0 ? inner->u : inner->v;
        kl_speed      speed = {&lines[axis], middle_speed};
        if (kl_length_map_build(speed, range[0], range[1], tolerance, arena,
                                axis == 0 ? &b->u : &b->v) != KL_OK)
            return kl_fail(diag, KL_E_RANGE, KL_NOWHERE,
                           "the surface cannot be parametrised by length, because its middle line "
                           "along %c has a kink or a pole",
                           axis == 0 ? 'u' : 'v');
    }
    s->u[1] = b->u->length, s->v[1] = b->v->length;
    s->closed_u = inner->closed_u, s->closed_v = inner->closed_v;
    s->flip = inner->flip;
    *out    = s;
    return KL_OK;
}
