#include "railway/contact_trace.h"

#include <string.h>

kl_trace_stand kl_trace_stand_of(const kl_wheel_pose *pose)
{
    kl_vec3 a = pose->axle;
    double  q = sqrt(1.0 - a.x * a.x);
    return (kl_trace_stand){.c   = pose->center,
                            .a   = a,
                            .b1  = {q, -a.x * a.y / q, -a.x * a.z / q},
                            .b2  = {0.0, a.z / q, -a.y / q},
                            .yaw = a.x / q,
                            .q   = q};
}

void kl_trace_measure(const kl_trace_data *f, kl_trace_node *n)
{
    double ny, nz;
    n->foot = kl_outline_foot(f->rail, n->p.y, n->p.z, n->foot);
    n->d    = kl_outline_depth(f->rail, n->foot, n->p.y, n->p.z, &ny, &nz);
    /* tangent of the trace outward: the wheel's normal turned by a right angle, (-nz, ny) */
    n->f = ny * n->p.nz - nz * n->p.ny;
}

kl_trace_node kl_trace_node_at(const kl_trace_data *f, const kl_trace_stand *s, double w,
                               kl_outline_place foot)
{
    kl_trace_joint j = kl_trace_joint_at(f, kl_trace_place(f, w));
    kl_trace_node  n = {.w = w, .foot = foot, .p = kl_trace_at(s, &j)};
    kl_trace_measure(f, &n);
    return n;
}

/* Secant method from the place where the line through both ends is zero. */
static bool secant(const kl_trace_data *f, const kl_trace_stand *s, const kl_trace_node *a,
                   const kl_trace_node *b, kl_trace_node *out)
{
    double        slope = (b->f - a->f) / (b->w - a->w), w = a->w - a->f / slope;
    kl_trace_node n = kl_trace_node_at(f, s, w, w < 0.5 * (a->w + b->w) ? a->foot : b->foot);
    for (int k = 0; k < 8 && fabs(n.f) > 1e-11; k++) {
        double next = n.w - n.f / slope;
        if (!(next > a->w - 0.1 && next < b->w + 0.1)) return false;
        next               = fmin(fmax(next, 0.0), f->wheel->n);
        kl_trace_node last = n;
        n                  = kl_trace_node_at(f, s, next, n.foot);
        if (n.w != last.w && n.f != last.f) slope = (n.f - last.f) / (n.w - last.w);
        if (!(slope < 0.0)) return false;
    }
    *out = n;
    return fabs(n.f) <= 1e-11;
}

/* Regula falsi after Illinois, where the secant method leaves the interval. */
kl_trace_node kl_trace_root(const kl_trace_data *f, const kl_trace_stand *s, kl_trace_node a,
                            kl_trace_node b)
{
    kl_trace_node quick;
    if (secant(f, s, &a, &b, &quick)) return quick;
    if (f->by_table) kl_trace_measure(f, &a), kl_trace_measure(f, &b);
    if (!(a.f > 0.0 && b.f <= 0.0)) return fabs(a.f) < fabs(b.f) ? a : b;
    enum { MOST = 60 };
    double fa = a.f, fb = b.f;
    int    side = 0;
    for (int k = 0; k < MOST && b.w - a.w > 1e-9; k++) {
        double        x = fa == fb ? 0.5 : fa / (fa - fb);
        kl_trace_node c = kl_trace_node_at(f, s, a.w + x * (b.w - a.w), x < 0.5 ? a.foot : b.foot);
        if (c.f == 0.0 || fabs(c.f) < 1e-13) return c;
        if (c.f > 0.0) {
            a = c, fa = c.f;
            if (side > 0) fb *= 0.5;
            side = 1;
        } else {
            b = c, fb = c.f;
            if (side < 0) fa *= 0.5;
            side = -1;
        }
    }
    return fabs(a.f) < fabs(b.f) ? a : b;
}

static kl_touch_region region_of(const kl_trace_data *f, double u)
{
    return u < f->tip_u ? KL_TOUCH_BACK : u < f->flange_u ? KL_TOUCH_FLANGE : KL_TOUCH_TREAD;
}

static const double HALF_PATCH = 2e-3; /* of a contact patch across the rail, about [m] */

/* The place `way` further along the outline, held within its ends; pieces are run through at a speed
 * that is constant to a thousandth, which is enough for a mean. */
static kl_outline_place along(const kl_outline *o, kl_outline_place p, double *way)
{
    double length = o->s[p.i + 1] - o->s[p.i], s = o->s[p.i] + p.t * length;
    double to = fmin(fmax(s + *way, 0.0), kl_outline_length(o));
    *way      = to - s;
    while (p.i > 0 && o->s[p.i] > to) p.i--;
    while (p.i < o->n - 1 && o->s[p.i + 1] < to) p.i++;
    p.t = (to - o->s[p.i]) / (o->s[p.i + 1] - o->s[p.i]);
    return p;
}

/* Mean curvature within HALF_PATCH to both sides of a place: the turn of the tangent over the length.
 * Where two arcs meet it passes from one curvature to the other without a jump. */
static double mean_curvature(const kl_outline *o, kl_outline_place p)
{
    double           back = -HALF_PATCH, on = HALF_PATCH;
    kl_outline_rates a = kl_outline_rates_at(o, along(o, p, &back)),
                     b = kl_outline_rates_at(o, along(o, p, &on));
    return atan2(a.y1 * b.z1 - a.z1 * b.y1, a.y1 * b.y1 + a.z1 * b.z1) / (on - back);
}

/* Second fundamental forms at the contact; x along the rail, y along the outlines' common tangent.
 * The wheel's principal directions (circle, profile) stand at an angle omega to them:
 * cos omega = x . tangent of the circle. */
typedef struct forms {
    double xx, yy, xy;  /* of the gap [1/m] */
    double wheel, rail; /* curvatures of the outlines [1/m] */
} forms;

static forms forms_at(const kl_trace_data *f, const kl_trace_stand *s, const kl_trace_node *n,
                      const kl_wheel_pose *pose)
{
    kl_outline_place at    = kl_trace_place(f, n->w);
    kl_outline_point wheel = kl_outline_at(f->wheel, at), rail = kl_outline_at(f->rail, n->foot);
    double           kw = wheel.curvature, nr = fmax(wheel.ty, 0.0);
    /* curvature of the rail's parallel curve through the wheel's point, which is what d has */
    double kr = rail.curvature / fmax(1.0 + rail.curvature * n->d, 0.1);
    /* tangent of the circle, forward: derivative of e = sin s b1 + cos s b2 */
    kl_vec3 c  = kl_sub(kl_scale(n->p.cos, s->b1), kl_scale(n->p.sin, s->b2));
    double  co = c.x, si = c.z * n->p.ny - c.y * n->p.nz; /* along x and along (-nz, ny) */
    double  kc = nr / (f->r0 - wheel.z);
    return (forms){.xx = co * co * kc + si * si * kw + pose->bend_y * rail.tz -
                         pose->bend_z * rail.ty,
                   .yy    = si * si * kc + co * co * kw - kr,
                   .xy    = co * si * (kc - kw),
                   .wheel = kw,
                   .rail  = rail.curvature};
}

/* False where the surfaces do not part: no contact. Where both are flat across, the gap has no
 * curvature: still a contact, all along a line. */
static bool parts(const forms *k)
{
    return k->xx > 0.0 && k->xx * k->yy - k->xy * k->xy > -1e-6 * k->xx;
}

bool kl_trace_curvatures(const kl_trace_data *f, const kl_trace_stand *s, const kl_trace_node *n,
                         const kl_wheel_pose *pose, kl_touch *t)
{
    forms k = forms_at(f, s, n, pose);
    t->Ax = 0.5 * k.xx, t->By = 0.5 * k.yy, t->Cxy = 0.5 * k.xy;
    t->By_wide = t->By + 0.5 * (mean_curvature(f->wheel, kl_trace_place(f, n->w)) - k.wheel) -
                 0.5 * (mean_curvature(f->rail, n->foot) - k.rail);
    return parts(&k);
}

/* f' = -(yy - xy^2/xx) by length along the wheel. */
bool kl_trace_newton(const kl_trace_data *f, const kl_trace_stand *s, const kl_wheel_pose *pose,
                     kl_trace_node *n)
{
    const double SMALL = 1e-11, FAR = 8.0; /* of f; pieces in one step */
    if (fabs(n->f) < SMALL) return true;
    forms k = forms_at(f, s, n, pose);
    int   i = kl_trace_place(f, n->w).i;
    if (!parts(&k)) return false;
    double slope = -(k.yy - k.xy * k.xy / k.xx) * (f->wheel->s[i + 1] - f->wheel->s[i]);
    for (int pass = 0; pass < 8; pass++) {
        double step = -n->f / slope, w0 = n->w, f0 = n->f;
        if (!(slope < 0.0 && fabs(step) < FAR)) return false;
        if (w0 + step <= 0.0 || w0 + step >= f->wheel->n) return false;
        *n = kl_trace_node_at(f, s, w0 + step, n->foot);
        if (fabs(n->f) < SMALL) return true;
        slope = (n->f - f0) / (n->w - w0);
    }
    return false;
}

kl_touch kl_trace_touch(const kl_trace_data *f, const kl_trace_stand *s, const kl_trace_node *n,
                        const kl_trace_joint *j)
{
    kl_outline_point r = kl_outline_at(f->rail, n->foot);
    double           x = kl_trace_x(s, j, &n->p);
    kl_touch         t = {.wheel   = {x, n->p.y, n->p.z},
                          .rail    = {x, r.y, r.z},
                          .normal  = {0.0, -r.tz, r.ty},
                          .depth   = n->d,
                          .wheel_u = j->u,
                          .rail_u  = r.y - f->rail_shift,
                          .radius  = j->r,
                          .region  = region_of(f, j->u),
                          .w       = n->w,
                          .foot    = n->foot.i + n->foot.t};
    return t;
}

/* Sorted by wheel_u; when there are too many the shallowest is lost. */
void kl_trace_keep(kl_trace_found *q, const kl_touch *t)
{
    int at = q->n;
    if (q->n == KL_TOUCH_MOST) {
        int least = 0;
        for (int i = 1; i < q->n; i++)
            if (q->touch[i].depth < q->touch[least].depth) least = i;
        if (q->touch[least].depth >= t->depth) return;
        memmove(q->touch + least, q->touch + least + 1,
                (size_t)(q->n - least - 1) * sizeof *q->touch);
        at = --q->n;
    }
    while (at > 0 && q->touch[at - 1].wheel_u > t->wheel_u) at--;
    memmove(q->touch + at + 1, q->touch + at, (size_t)(q->n - at) * sizeof *q->touch);
    q->touch[at] = *t;
    q->n++;
}

/* The wheel as seen from the rail's section at `x`, whose normal is the rail's tangent (1, ty, tz). */
kl_trace_stand kl_trace_section(const kl_wheel_pose *pose, double x)
{
    kl_wheel_pose p  = *pose;
    double        ty = pose->bend_y * x, tz = pose->bend_z * x;
    p.axle = kl_unit(kl_vec(p.axle.x + ty * p.axle.y + tz * p.axle.z, p.axle.y - ty * p.axle.x,
                            p.axle.z - tz * p.axle.x));
    p.center.y += ty * (0.5 * x - p.center.x);
    p.center.z += tz * (0.5 * x - p.center.x);
    return kl_trace_stand_of(&p);
}

/* The rail is bent: near the contact it is a prism along its own tangent there, so the contact is
 * sought again in the axes of that section. The error shrinks by r/R, a hundredth or less, each time. */
static kl_trace_node follow_bend(const kl_trace_found *q, kl_trace_node n, kl_trace_stand *s,
                                 double *x)
{
    const kl_trace_data *f = q->f;
    for (int k = 0; k < 2; k++) {
        kl_trace_joint j = kl_trace_joint_at(f, kl_trace_place(f, n.w));
        *x               = kl_trace_x(s, &j, &n.p);
        *s               = kl_trace_section(q->pose, *x);
        n                = kl_trace_node_at(f, s, n.w, n.foot);
        kl_trace_node at = n;
        if (kl_trace_newton(f, s, q->pose, &at)) n = at;
    }
    return n;
}

/* From the axes of the section at x back to those of the pose. */
static void turn_back(const kl_wheel_pose *pose, double x, kl_touch *t)
{
    double ty = pose->bend_y * x, tz = pose->bend_z * x;
    t->wheel.y += 0.5 * ty * x, t->wheel.z += 0.5 * tz * x;
    t->rail.y += 0.5 * ty * x, t->rail.z += 0.5 * tz * x;
    t->normal.x = -ty * t->normal.y - tz * t->normal.z;
}

bool kl_trace_contact(const kl_trace_data *f, const kl_wheel_pose *pose, const kl_trace_stand *s,
                      const kl_trace_node *n, double x, kl_touch *t)
{
    kl_trace_joint j = kl_trace_joint_at(f, kl_trace_place(f, n->w));
    *t               = kl_trace_touch(f, s, n, &j);
    /* normals must point against each other; deep inside they may also be parallel */
    if (n->p.ny * t->normal.y + n->p.nz * t->normal.z > 0.0) return false;
    if (!kl_trace_curvatures(f, s, n, pose, t)) return false;
    if (kl_trace_bent(pose)) turn_back(pose, x, t);
    return true;
}

void kl_trace_accept(kl_trace_found *q, kl_trace_node n)
{
    kl_trace_stand s = q->s;
    double         x = 0.0;
    kl_touch       t;
    if (kl_trace_bent(q->pose)) n = follow_bend(q, n, &s, &x);
    if (n.d <= -q->margin || n.p.cos <= 0.0) return;
    if (kl_trace_contact(q->f, q->pose, &s, &n, x, &t)) kl_trace_keep(q, &t);
}
