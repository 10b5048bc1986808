#include "beams/beam_line.h"

#include "geometry/path.h"

static const double parallel = 1e-6; /* sine below which two directions count as parallel */

/* The circle through three points: its centre is where the perpendicular bisectors meet. */
static const char *close_arc(kl_beam_line *l)
{
    kl_vec3 a = kl_sub(l->through, l->from), b = kl_sub(l->to, l->from), n = kl_cross(a, b);
    double  nn = kl_dot(n, n), aa = kl_dot(a, a), bb = kl_dot(b, b);
    if (!(nn > parallel * parallel * aa * bb))
        return "`from`, `through` and `to` lie on one line; leave `through` out for a straight "
               "beam";
    kl_vec3 to    = kl_scale(0.5 / nn, kl_cross(kl_sub(kl_scale(aa, b), kl_scale(bb, a)), n));
    l->center     = kl_add(l->from, to);
    l->radius     = kl_norm(to);
    l->normal     = kl_unit(n);
    l->first      = kl_scale(-1.0 / l->radius, to);
    kl_vec3 last  = kl_sub(l->to, l->center);
    double  angle = atan2(kl_dot(kl_cross(l->first, last), l->normal), kl_dot(l->first, last));
    if (angle <= 0.0) angle += 2.0 * KL_PI;
    l->length = angle * l->radius;
    if (kl_norm(l->z) == 0.0) l->z = l->normal;
    return NULL;
}

const char *kl_beam_line_close(kl_beam_line *l)
{
    if (l->path) {
        l->length = l->path->length;
        return kl_path_window_bytes(l->path) == 0 ? NULL
                                                  : "a beam cannot follow a track from a .ktrack "
                                                    "file; give the track by points or "
                                                    "segments";
    }
    if (l->arc) return close_arc(l);
    kl_vec3 x = kl_sub(l->to, l->from);
    l->length = kl_norm(x);
    if (!(l->length > 0.0)) return "`from` and `to` are the same point; give two different points";
    x = kl_scale(1.0 / l->length, x);
    if (kl_norm(l->z) == 0.0)
        l->z = kl_norm(kl_cross(x, kl_vec(0, 0, 1))) > parallel ? kl_vec(0, 0, 1) : kl_vec(1, 0, 0);
    if (!(kl_norm(kl_cross(x, l->z)) > parallel))
        return "`z_axis` is parallel to the beam; give a direction across it";
    return NULL;
}

/* x along the tangent, z as near to the wish as it can be */
static kl_mat3 axes_of(kl_vec3 x, kl_vec3 wish)
{
    kl_vec3 z = kl_unit(kl_sub(wish, kl_scale(kl_dot(wish, x), x)));
    return kl_from_axes(x, kl_cross(z, x), z);
}

void kl_beam_line_at(const kl_beam_line *l, double s, kl_vec3 *r, kl_mat3 *A)
{
    if (l->path) {
        kl_path_cursor cursor = {0};
        kl_path_point  at;
        if (kl_path_eval(l->path, s, &cursor, &at) != KL_OK)
            at = (kl_path_point){.A = kl_identity()};
        *r = at.r;
        *A = at.A;
        return;
    }
    if (!l->arc) {
        kl_vec3 x = kl_unit(kl_sub(l->to, l->from));
        *r        = kl_axpy(s, x, l->from);
        *A        = axes_of(x, l->z);
        return;
    }
    double  a      = s / l->radius;
    kl_vec3 across = kl_cross(l->normal, l->first);
    kl_vec3 out    = kl_axpy(sin(a), across, kl_scale(cos(a), l->first));
    *r             = kl_axpy(l->radius, out, l->center);
    *A             = axes_of(kl_cross(l->normal, out), l->z);
}
