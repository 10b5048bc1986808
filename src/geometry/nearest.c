/* Least distance to a path or surface: a coarse look over all of it, then Newton from the best.
 *
 *   path      f = (r - p).t,            f' = t.t + (r - p).t'
 *   surface   f = J'(r - p), J = [r_u r_v]; Gauss-Newton: J'J d = -f, which converges near the
 *             surface */
#include "geometry/nearest.h"

#include <math.h>

kl_status kl_path_nearest(const kl_path *path, kl_vec3 p, kl_path_cursor *cursor, double *s)
{
    enum { PLACES = 4096, STEPS = 20 };
    kl_path_point at;
    double        best = HUGE_VAL, step = path->length / PLACES;
    *s = 0.0;
    for (int i = 0; i <= PLACES; i++) {
        KL_TRY(kl_path_eval(path, i * step, cursor, &at));
        double d = kl_norm(kl_sub(at.r, p));
        if (d < best) best = d, *s = i * step;
    }
    double from = *s;
    for (int i = 0; i < STEPS; i++) {
        KL_TRY(kl_path_eval(path, *s, cursor, &at));
        kl_vec3 d = kl_sub(at.r, p);
        double  f = kl_dot(d, at.t), slope = kl_dot(at.t, at.t) + kl_dot(d, at.dt);
        double  change = slope > 0.1 ? -f / slope : -f;
        *s             = fmin(fmax(*s + change, from - step), from + step);
        if (!path->closed) *s = fmin(fmax(*s, 0.0), path->length);
        if (fabs(change) < 1e-13 * (1.0 + path->length)) break;
    }
    return KL_OK;
}

static double within(double x, const double range[2], bool closed)
{
    return closed ? x : fmin(fmax(x, range[0]), range[1]);
}

kl_status kl_surface_nearest(const kl_surface *surface, kl_vec3 p, kl_surface_cursor *cursor,
                             double uv[2])
{
    enum { SIDE = 32, STEPS = 50 };
    kl_surface_point at;
    double           best = HUGE_VAL;
    const double    *u = surface->u, *v = surface->v;
    uv[0] = u[0], uv[1] = v[0];
    for (int i = 0; i <= SIDE; i++)
        for (int j = 0; j <= SIDE; j++) {
            double x = u[0] + (u[1] - u[0]) * i / SIDE, y = v[0] + (v[1] - v[0]) * j / SIDE;
            if (kl_surface_eval(surface, x, y, cursor, &at) != KL_OK) continue;
            double d = kl_norm(kl_sub(at.r, p));
            if (d < best) best = d, uv[0] = x, uv[1] = y;
        }
    for (int i = 0; i < STEPS; i++) {
        KL_TRY(kl_surface_eval(surface, uv[0], uv[1], cursor, &at));
        kl_vec3 d = kl_sub(at.r, p);
        double  a = kl_dot(at.ru, at.ru), b = kl_dot(at.ru, at.rv), c = kl_dot(at.rv, at.rv);
        double  f = -kl_dot(at.ru, d), g = -kl_dot(at.rv, d), det = a * c - b * b;
        if (!(det > 1e-24 * a * c)) break; /* a pole: the best place of the net will do */
        double du = (c * f - b * g) / det, dv = (a * g - b * f) / det;
        uv[0] = within(uv[0] + du, u, surface->closed_u);
        uv[1] = within(uv[1] + dv, v, surface->closed_v);
        if (fabs(du) + fabs(dv) < 1e-13) break;
    }
    return KL_OK;
}
