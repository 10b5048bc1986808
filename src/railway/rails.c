/* A point of the rail's line (its gauge corner at half the gauge h to the left or right) is
 *
 *     p(s) = r(s) + (side h + off_y) l(s) + off_z u(s),    l, u: left and up of the track's frame
 *
 * Its direction and curvature follow from the derivatives of the frame, l' = kappa x l. The origin of
 * the rail's frame is p less side h times the frame's own left axis, so that the profile, placed for
 * the nominal gauge, passes through p. */
#include "railway/rails.h"

#include <math.h>

static const double HALF = 0.7175; /* where direction and curvature of a rail are taken [m] */

static void offsets(const kl_rails *rails, int side, double s, kl_rails_cursor *cursor,
                    kl_rail_point *out)
{
    kl_irregularity_value v       = {{0}};
    double                wide[3] = {0};
    if (rails->irregularity) kl_irregularity_at(rails->irregularity, s, &cursor->irregularity, v);
    if (rails->widening) kl_function_eval(rails->widening, s, NULL, wide);
    for (int k = 0; k < 3; k++) {
        out->off_y[k] = v[KL_TRACK_LATERAL][k] + 0.5 * side * (v[KL_TRACK_GAUGE][k] + wide[k]);
        out->off_z[k] = v[KL_TRACK_VERTICAL][k] + 0.5 * side * v[KL_TRACK_CROSS_LEVEL][k];
    }
}

/* The point of the track's middle; the one found last is kept. */
static kl_status middle_at(const kl_rails *rails, double s, kl_rails_cursor *cursor,
                           const kl_path_point **out)
{
    if (!cursor->known || cursor->s != s) {
        cursor->known = false;
        KL_TRY(kl_path_eval(rails->path, s, &cursor->path, &cursor->last));
        cursor->known = true, cursor->s = s;
    }
    *out = &cursor->last;
    return KL_OK;
}

/* The frame at the gauge corner: along the rail, whose first and second derivatives by s are d1 and d2; left
 * as near to the track's left axis l as that allows. */
static void set_frame(int side, kl_vec3 corner, kl_vec3 l, kl_vec3 d1, kl_vec3 d2,
                      kl_rail_point *out)
{
    double  slow = 1.0 / kl_norm(d1);
    kl_vec3 t = kl_scale(slow, d1), left = kl_unit(kl_axpy(-kl_dot(l, t), t, l)),
            up  = kl_cross(t, left);
    out->A      = kl_from_axes(t, left, up);
    out->bend_y = kl_dot(d2, left) * slow * slow;
    out->bend_z = kl_dot(d2, up) * slow * slow;
    out->r      = kl_axpy(-side * HALF, left, corner);
    out->dr     = d1;
}

/* Straight along x: the track's frame does not turn, p' = (1, off_y', off_z'). */
static void on_straight(int side, double s, kl_rail_point *out)
{
    const double *oy = out->off_y, *oz = out->off_z;
    set_frame(side, kl_vec(s, side * HALF + oy[0], oz[0]), kl_vec(0, 1, 0), kl_vec(1, oy[1], oz[1]),
              kl_vec(0, oy[2], oz[2]), out);
}

static void on_path(int side, const kl_path_point *p, kl_rail_point *out)
{
    kl_vec3 l = kl_axis(&p->A, 1), u = kl_axis(&p->A, 2);
    kl_vec3 l1 = kl_path_axis_d1(p, 1), u1 = kl_path_axis_d1(p, 2);
    kl_vec3 l2 = kl_path_axis_d2(p, 1), u2 = kl_path_axis_d2(p, 2);
    /* derivatives of p by s, product rule */
    double        y = side * HALF + out->off_y[0], z = out->off_z[0];
    const double *oy = out->off_y, *oz = out->off_z;
    kl_vec3       d1 = kl_add(
              p->t, kl_add(kl_axpy(oy[1], l, kl_scale(y, l1)), kl_axpy(oz[1], u, kl_scale(z, u1))));
    kl_vec3 d2 = kl_add(p->dt, kl_add(kl_axpy(oy[2], l, kl_axpy(2 * oy[1], l1, kl_scale(y, l2))),
                                      kl_axpy(oz[2], u, kl_axpy(2 * oz[1], u1, kl_scale(z, u2)))));
    set_frame(side, kl_axpy(y, l, kl_axpy(z, u, p->r)), l, d1, d2, out);
}

kl_status kl_rail_at(const kl_rails *rails, int side, double s, kl_rails_cursor *cursor,
                     kl_rail_point *out)
{
    const kl_path_point *p = NULL;
    if (rails->path) KL_TRY(middle_at(rails, s, cursor, &p));
    offsets(rails, side, s, cursor, out);
    if (p) on_path(side, p, out);
    else on_straight(side, s, out);
    return KL_OK;
}
