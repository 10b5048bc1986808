/* What a wheel on a rail shows: loads, creepages, patches; and that it derailed. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "railway/wheel_rail_parts.h"

static const double LIFT_MARGIN = 0.05; /* distances up to this are reported as lift [m] */

/* Of one wheel, in this order. */
enum { Q, Y, YQ, N, XI, ETA, PHI, A, B, WEAR, SLIP, ANGLE, WHEEL_U, RAIL_U, PATCHES, LIFT, NWHEEL };
enum { SHIFT, YAW, RUNNING_SPEED, DISTANCE, CURVATURE, CANT, NCOMMON };

/* Distance of wheel k from its rail, up to LIFT_MARGIN. */
static double lift_of(const wheel_rail *p, const kl_motion *m, const rail_frame *rail, int k)
{
    kl_wheel_pose pose = kl_wheel_rail_pose(p, m, rail, k);
    kl_touch      touch[KL_TOUCH_MOST];
    int           n = p->one[k].search.find(p->one[k].search.data, &pose, LIFT_MARGIN, NULL, touch);
    double        gap = LIFT_MARGIN;
    for (int i = 0; i < n; i++) gap = fmin(gap, fmax(0.0, -touch[i].depth));
    return gap;
}

static void wheel_output(const kl_reading *in, int k, double *v)
{
    const wheel_rail       *p     = in->data;
    const wheel_rail_cache *cache = in->cache;
    const wheel_state      *w     = &cache->wheel[k];
    kl_vec3                 up    = kl_axis(&cache->middle.A, 2);
    kl_vec3                 left  = kl_axis(&cache->middle.A, 1);
    double                  most  = 0.0;
    memset(v, 0, NWHEEL * sizeof *v);
    v[PATCHES] = w->n;
    v[LIFT]    = w->n > 0 || !has_side(p, k) ? 0.0 : lift_of(p, in->m, &cache->rail[k], k);
    for (int i = 0; i < w->n; i++) {
        const kl_wheel_contact *c = &w->contact[i];
        kl_wheel_force          f;
        kl_wheel_rail_force(p, &p->law, in->m, c, &f);
        v[Q] += kl_dot(f.force, up);
        v[Y] -= side_of(k) * kl_dot(f.force, left);
        v[N] += f.N;
        v[WEAR] += f.wear;
        if (f.N <= most) continue;
        /* the rest is that of the patch with the largest load */
        most  = f.N;
        v[XI] = f.xi, v[ETA] = f.eta, v[PHI] = f.phi, v[SLIP] = f.slip;
        v[A] = c->a, v[B] = c->b, v[WHEEL_U] = c->wheel_u, v[RAIL_U] = c->rail_u;
        v[ANGLE] = atan2(-side_of(k) * kl_dot(c->n, left), kl_dot(c->n, up));
    }
    v[YQ] = v[Q] != 0.0 ? v[Y] / v[Q] : 0.0;
}

void kl_wheel_rail_output(const kl_reading *in, const double *lambda, double *values)
{
    (void)lambda;
    const wheel_rail       *p  = in->data;
    const wheel_rail_cache *c  = in->cache;
    const kl_motion        *m  = in->m;
    kl_vec3                 ex = kl_axis(&c->middle.A, 0), ey = kl_axis(&c->middle.A, 1);
    kl_vec3 v     = kl_sub(kl_sub(m[1].v, m[0].v), kl_cross(m[0].w, kl_sub(m[1].r, m[0].r)));
    kl_vec3 axle  = kl_mul(&m[1].A, p->axle);
    values[SHIFT] = kl_dot(kl_sub(m[1].r, c->middle.r), ey);
    values[YAW]   = atan2(-kl_dot(axle, ex), kl_dot(axle, ey));
    values[RUNNING_SPEED] = kl_dot(v, ex) + p->speed;
    values[DISTANCE]      = c->s + p->speed * in->t;
    values[CURVATURE]     = c->middle.bend_y;
    values[CANT]          = asin(fmax(-1.0, fmin(1.0, ey.z)));
    for (int k = 0; k < 2; k++) wheel_output(in, k, values + NCOMMON + k * NWHEEL);
}

#define WHEEL_OUTPUTS(side)                                                                        \
    {"Q_" side, "N", "vertical force of the " side " wheel on the rail"},                          \
        {"Y_" side, "N", "lateral force of the " side " wheel on the rail, outward"},              \
        {"YQ_" side, "1", "Y over Q of the " side " wheel"},                                       \
        {"N_" side, "N", "sum of the normal forces of the " side " wheel"},                        \
        {"xi_" side, "1", "longitudinal creepage at the patch with the largest load"},             \
        {"eta_" side, "1", "lateral creepage there"}, {"phi_" side, "1/m", "spin creepage there"}, \
        {"a_" side, "m", "semi-axis of the patch along the rail"},                                 \
        {"b_" side, "m", "semi-axis of the patch across the rail"},                                \
        {"wear_" side, "N", "wear number T gamma: energy dissipated for each metre rolled"},       \
        {"slip_" side, "1", "share of the patch that slips; the law linear gives 0"},              \
        {"angle_" side, "rad", "contact angle against the track plane"},                           \
        {"wheel_u_" side, "m",                                                                     \
         "outward coordinate of the contact point on the wheel, from the running circle"},         \
        {"rail_u_" side, "m", "outward coordinate of the contact point in the rail profile"},      \
        {"patches_" side, "1", "number of contact patches"},                                       \
    {                                                                                              \
        "lift_" side, "m", "distance of the " side " wheel from its rail; 0 in contact"            \
    }

const kl_output kl_wheel_rail_outputs[] = {
    {"shift", "m", "lateral displacement of the wheelset from the track centre, to the left"},
    {"yaw", "rad", "yaw angle of the axle relative to the track"},
    {"running_speed", "m/s", "speed along the track"},
    {"distance", "m", "length along the track"},
    {"curvature", "1/m", "curvature of the track at the wheelset, positive in a left-hand curve"},
    {"cant", "rad", "cant angle of the track; positive: the left rail is higher"},
    WHEEL_OUTPUTS("left"),
    WHEEL_OUTPUTS("right"),
    {0}};

/* ---- derailment ---- */

/* Is the flange tip of wheel k above the rail top, or the wheel beside its rail? */
static bool derailed(const wheel_rail *p, const kl_motion *m, const rail_frame *rail, int k)
{
    const double beside = 0.06; /* lateral shift that no flange allows [m] */
    if (!has_side(p, k) || !(p->one[k].search.flange_height > 5e-3)) return false;
    kl_wheel_pose pose = kl_wheel_rail_pose(p, m, rail, k);
    double        tip  = pose.center.z - (p->one[k].radius + p->one[k].search.flange_height);
    return tip > 0.0 || fabs(pose.center.y - p->half_gauge) > beside;
}

static bool off_the_end(const wheel_rail *p, double s)
{
    const kl_path *path = p->rails.path;
    return path && !path->closed && (s < 0.0 || s > path->length);
}

/* Wheels that slide from the start, usually because only one of `rolling` and `velocity` was given. The
 * lowest point of a wheel of radius r moves against the rail with V - omega r: V along the track, omega
 * about the axle, which points to the left. */
static void watch_start(const wheel_rail *p, const kl_reading *in, const rail_frame *middle,
                        kl_notice *notice)
{
    const double start = 0.01,
                 slow  = 1.0; /* [s], [m/s]: later and below that sliding is ordinary */
    kl_vec3 axle       = kl_mul(&in->m[1].A, p->axle);
    kl_vec3 v = kl_sub(in->m[1].v, in->m[0].v), w = kl_sub(in->m[1].w, in->m[0].w);
    double  forward = p->speed + kl_dot(v, kl_axis(&middle->A, 0));
    double  rolling = kl_dot(w, axle) * p->radius, fastest = fmax(fabs(forward), fabs(rolling));
    if (in->t > start || fastest < slow || fabs(forward - rolling) < 0.5 * fastest) return;
    notice->count   = 1;
    notice->is_note = true;
    snprintf(notice->text, sizeof notice->text,
             "slides: its axle moves forward at %.3g m/s and its wheels roll at %.3g m/s; give "
             "`velocity` (or `speed`) and `rolling` (or `omega`) the same speed",
             forward, rolling);
}

void kl_wheel_rail_watch(const kl_reading *in, kl_notice *notice)
{
    const wheel_rail       *p = in->data;
    const wheel_rail_cache *c = in->cache;
    double                  s = c->s + p->speed * in->t;
    bool left = derailed(p, in->m, &c->rail[0], 0), right = derailed(p, in->m, &c->rail[1], 1);
    if (off_the_end(p, c->s)) {
        notice->stop = true;
        if (c->s < 0.0)
            snprintf(
                notice->text, sizeof notice->text,
                "has left the track at its beginning, 0 m; let the vehicle start further along the "
                "track, or end the run before it rolls back");
        else
            snprintf(notice->text, sizeof notice->text,
                     "has left the track, which ends at %.6g m; make the track longer, or end the "
                     "run earlier",
                     p->rails.path->length);
    } else if (left || right) {
        notice->count = 2; /* also after the note about the start */
        snprintf(notice->text, sizeof notice->text,
                 "derailed: the flange of the %s wheel is above its rail, %.6g m along the track",
                 left ? "left" : "right", s);
    } else watch_start(p, in, &c->middle, notice);
}
