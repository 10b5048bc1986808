/* A cone on a circular cylinder along x.
 *
 * The cone's outward normal at the radial direction d (unit, at right angles to the axle e) is
 * (d + conicity e)/s with s = sqrt(1 + conicity^2): the same along a whole generator. At a contact it
 * is at right angles to the rail, d.x = -conicity e.x, which gives d without a search; this is the
 * lead of a yawed wheel. The generator and the rail's centre line then have the common normal n, and
 * their distance less the rail radius is the gap. */
#include "railway/cone_on_arc.h"

#include <math.h>
#include <stddef.h>

/* The lower of the two directions d at right angles to e with d.x = c. */
static kl_vec3 radial(kl_vec3 e, double c)
{
    kl_vec3 down = kl_vec(0.0, 0.0, -1.0), f = kl_unit(kl_axpy(-kl_dot(down, e), e, down));
    kl_vec3 g = kl_cross(e, f);
    /* cos(th) f.x + sin(th) g.x = c; f.x is small */
    double size = hypot(f.x, g.x), th = atan2(g.x, f.x);
    double half = acos(fmax(-1.0, fmin(1.0, c / size)));
    double a = th + half, b = th - half;
    double angle = cos(a) > cos(b) ? a : b;
    return kl_add(kl_scale(cos(angle), f), kl_scale(sin(angle), g));
}

static int find(const void *data, const kl_wheel_pose *pose, double margin, double *warm,
                kl_touch *touch)
{
    (void)warm;
    const kl_cone_on_arc *p = data;
    kl_vec3               e = pose->axle, x = kl_vec(1.0, 0.0, 0.0);
    kl_vec3               d = radial(e, -p->conicity * e.x);
    double                s = sqrt(1.0 + p->conicity * p->conicity);
    kl_vec3               n = kl_scale(-1.0 / s, kl_axpy(p->conicity, e, d));
    kl_vec3 side = kl_cross(n, x), along = kl_axpy(-p->conicity, d, e); /* along the generator */
    kl_vec3 p0 = kl_axpy(p->r0, d, pose->center), k = kl_vec(p0.x, p->y, p->z);
    double  distance = kl_dot(kl_sub(p0, k), n), depth = p->rail_radius - distance;
    /* a wheel that lies on its side rolls no more */
    if (!(depth > -margin) || kl_dot(along, side) < 0.5) return 0;

    double  u     = kl_dot(kl_sub(k, p0), side) / kl_dot(along, side);
    kl_vec3 wheel = kl_axpy(u, along, p0), rail = kl_axpy(depth, n, wheel);
    double  rho = p->r0 - p->conicity * u;
    if (rho < 0.25 * p->r0) return 0; /* so near to the apex no wheel is */
    /* normal curvature of the cone round the axle, seen along x and across */
    kl_vec3 round = kl_cross(e, d);
    double  bend = 1.0 / (rho * s), across = kl_dot(round, side);
    *touch         = (kl_touch){.wheel   = wheel,
                                .rail    = rail,
                                .normal  = n,
                                .depth   = depth,
                                .wheel_u = u,
                                .rail_u  = p->rail_radius * n.y,
                                .radius  = rho,
                                .Ax      = 0.5 * bend * round.x * round.x,
                                .By     = 0.5 * (bend * across * across + 1.0 / fmax(p->rail_radius, 1e-3)),
                                .region = KL_TOUCH_TREAD};
    touch->By_wide = touch->By;
    return 1;
}

static void follow(const void *data, const kl_wheel_pose *pose, kl_touch *touch, int n)
{
    if (n > 0) find(data, pose, INFINITY, NULL, touch);
}

kl_cone_on_arc kl_cone_on_arc_place(double conicity, double r0, double rail_radius,
                                    double half_gauge)
{
    double s = sqrt(1.0 + conicity * conicity);
    return (kl_cone_on_arc){.conicity    = conicity,
                            .r0          = r0,
                            .rail_radius = rail_radius,
                            .y           = half_gauge + rail_radius * conicity / s,
                            .z           = -rail_radius / s};
}

kl_contact_search kl_cone_on_arc_search(const kl_cone_on_arc *data)
{
    return (kl_contact_search){.data = data, .find = find, .follow = follow, .radius = data->r0};
}
