#include "railway/contact_trace.h"

#include <string.h>

kl_trace_stand kl_trace_stand_of(const kl_wheel_pose *pose)
{
    kl_vec3 a = pose->axle;
    double  q = sqrt(1.0 - a.x * a.x), per_q = 1.0 / q, yaw = a.x * per_q;
    return (kl_trace_stand){.c   = pose->center,
                            .a   = a,
                            .b1  = {q, -yaw * a.y, -yaw * a.z},
                            .b2  = {0.0, a.z * per_q, -a.y * per_q},
                            .yaw = yaw,
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
    double to = s + *way, end = o->s[o->n];
    to   = to < 0.0 ? 0.0 : to > end ? end : to;
    *way = to - s;
    /* neighbours are about as long */
    p.i += (int)(p.t + *way / length);
    p.i = p.i < 0 ? 0 : p.i > o->n - 1 ? o->n - 1 : p.i;
    while (p.i > 0 && o->s[p.i] > to) p.i--;
    while (p.i < o->n - 1 && o->s[p.i + 1] < to) p.i++;
    p.t = (to - o->s[p.i]) / (o->s[p.i + 1] - o->s[p.i]);
    return p;
}

/* Mean curvature within HALF_PATCH to both sides of a place: the turn of the tangent over the length.
 * Where two arcs meet it passes from one curvature to the other without a jump. */
static double mean_curvature(const kl_outline *o, kl_outline_place p)
{
    double back = -HALF_PATCH, on = HALF_PATCH;
    double a = kl_outline_angle(o, along(o, p, &back)), b = kl_outline_angle(o, along(o, p, &on));
    return (b - a) / (on - back);
}

/* ---- a place of the wheel beside a place of the rail ---- */

typedef struct beside {
    kl_outline_point wheel, rail;
    kl_trace_joint   j;
    kl_trace_point   p;
    double           d; /* penetration along the rail's normal [m] */
    double along;       /* of the wheel's point before that of the rail, along its tangent [m] */
    double turn;        /* sine of the angle from the rail's tangent to that of the trace */
} beside;

static void beside_at(const kl_trace_data *f, const kl_trace_stand *s, const kl_trace_node *n,
                      beside *b)
{
    b->wheel  = kl_outline_at(f->wheel, kl_trace_place(f, n->w));
    b->rail   = kl_outline_at(f->rail, n->foot);
    b->j      = kl_trace_joint_of(f, &b->wheel);
    double ty = b->rail.ty, tz = b->rail.tz;
    kl_trace_point_at(s, &b->j, &b->p);
    double dy = b->p.y - b->rail.y, dz = b->p.z - b->rail.z;
    b->d     = dy * tz - dz * ty;
    b->along = dy * ty + dz * tz;
    /* tangent of the trace outward: the wheel's normal turned by a right angle, (-nz, ny) */
    b->turn = ty * b->p.ny + tz * b->p.nz;
}

/* Second fundamental forms; x along the rail, y along the outlines' common tangent. The wheel's
 * principal directions (circle, profile) stand at an angle omega to them:
 * cos omega = x . tangent of the circle. */
typedef struct forms {
    double xx, yy, xy; /* of the gap [1/m] */
    double trace;      /* curvature of the trace [1/m] */
} forms;

static forms forms_of(const kl_trace_stand *s, const kl_wheel_pose *pose, const beside *b)
{
    double kw = b->wheel.curvature, kc = b->j.nr / b->j.r;
    /* curvature of the rail's parallel curve through the wheel's point, which is what d has */
    double kr = b->rail.curvature / fmax(1.0 + b->rail.curvature * b->d, 0.1);
    /* tangent of the circle, forward: derivative of e = sin s b1 + cos s b2 */
    kl_vec3 c  = kl_sub(kl_scale(b->p.cos, s->b1), kl_scale(b->p.sin, s->b2));
    double  co = c.x, si = c.z * b->p.ny - c.y * b->p.nz; /* along x and along (-nz, ny) */
    double xx = co * co * kc + si * si * kw + pose->bend_y * b->rail.tz - pose->bend_z * b->rail.ty;
    double yy = si * si * kc + co * co * kw, xy = co * si * (kc - kw);
    return (forms){.xx = xx, .yy = yy - kr, .xy = xy, .trace = yy - xy * xy / xx};
}

/* False where the surfaces do not part: no contact. Where both are flat across, the gap has no
 * curvature: still a contact, all along a line. */
static bool parts(const forms *k)
{
    return k->xx > 0.0 && k->xx * k->yy - k->xy * k->xy > -1e-6 * k->xx;
}

static bool curvatures(const kl_trace_data *f, const kl_trace_stand *s, const kl_trace_node *n,
                       const kl_wheel_pose *pose, const beside *b, kl_touch *t)
{
    forms k = forms_of(s, pose, b);
    t->Ax = 0.5 * k.xx, t->By = 0.5 * k.yy, t->Cxy = 0.5 * k.xy;
    t->By_wide = t->By +
                 0.5 * (mean_curvature(f->wheel, kl_trace_place(f, n->w)) - b->wheel.curvature) -
                 0.5 * (mean_curvature(f->rail, n->foot) - b->rail.curvature);
    return parts(&k);
}

bool kl_trace_curvatures(const kl_trace_data *f, const kl_trace_stand *s, const kl_trace_node *n,
                         const kl_wheel_pose *pose, kl_touch *t)
{
    beside b;
    beside_at(f, s, n, &b);
    b.d = n->d;
    return curvatures(f, s, n, pose, &b, t);
}

/* Moves a place by `way` [m]; false: out of the outline, or more than FAR pieces away. */
static bool move(const kl_outline *o, kl_outline_place *p, double way)
{
    const double FAR = 8.0;
    double       t = p->t + way / (o->s[p->i + 1] - o->s[p->i]), jump = floor(t);
    if (!(fabs(t - p->t) < FAR)) return false;
    p->i += (int)jump, p->t = t - jump;
    return p->i >= 0 && p->i < o->n;
}

/* Newton's method on both outlines at once: along = 0 and turn = 0. With the ways `on` along the trace
 * and `over` along the rail, curvatures kt and kr and q = 1 + kr d,
 *
 *   on - q over = -along,   kt on - kr over = -turn.
 *
 * Trace and profile differ in length by the square of the lead angle, so convergence is nearly
 * quadratic: behind a step that begins CLOSE and stays on both pieces 1e-13 is left, and d, which is
 * largest at a contact, was good to that before. */
bool kl_trace_newton(const kl_trace_data *f, const kl_trace_stand *s, const kl_wheel_pose *pose,
                     kl_trace_node *n)
{
    const double     SMALL = 1e-11, CLOSE = 1e-7; /* angle; of the length in metres 0.1 of it */
    kl_outline_place at = kl_trace_place(f, n->w);
    for (int pass = 0; pass < 10; pass++) {
        beside b;
        beside_at(f, s, n, &b);
        if (b.p.cos <= 0.0) return false;
        n->d = b.d, n->f = -b.turn, n->p = b.p;
        if (fabs(b.turn) < SMALL && fabs(b.along) < 0.1 * SMALL) return true;
        forms  k  = forms_of(s, pose, &b);
        double kr = b.rail.curvature, q = 1.0 + kr * b.d, det = q * k.trace - kr;
        if (!(parts(&k) && det > 0.0)) return false;
        int wheel = at.i, rail = n->foot.i;
        if (!move(f->wheel, &at, (kr * b.along - q * b.turn) / det)) return false;
        if (!move(f->rail, &n->foot, (k.trace * b.along - b.turn) / det)) return false;
        n->w = at.i + at.t;
        if (fabs(b.turn) < CLOSE && fabs(b.along) < 0.1 * CLOSE && at.i == wheel &&
            n->foot.i == rail)
            return true;
    }
    return false;
}

/* The contact at a root, without curvatures. */
static kl_touch touch_of(const kl_trace_data *f, const kl_trace_stand *s, const kl_trace_node *n,
                         const kl_trace_point *p, const kl_trace_joint *j,
                         const kl_outline_point *r)
{
    double x = kl_trace_x(s, j, p);
    return (kl_touch){.wheel   = {x, p->y, p->z},
                      .rail    = {x, r->y, r->z},
                      .normal  = {0.0, -r->tz, r->ty},
                      .depth   = n->d,
                      .wheel_u = j->u,
                      .rail_u  = r->y - f->rail_shift,
                      .radius  = j->r,
                      .region  = region_of(f, j->u),
                      .w       = n->w,
                      .foot    = n->foot.i + n->foot.t};
}

kl_touch kl_trace_touch(const kl_trace_data *f, const kl_trace_stand *s, const kl_trace_node *n,
                        const kl_trace_joint *j)
{
    kl_outline_point r = kl_outline_at(f->rail, n->foot);
    return touch_of(f, s, n, &n->p, j, &r);
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
 * sought again in the axes of that section, until those no longer turn: the error shrinks by r/R, a
 * hundredth or less, each time. *s and *x are the section that n was found in. */
static kl_trace_node follow_bend(const kl_trace_found *q, kl_trace_node n, kl_trace_stand *s,
                                 double *x)
{
    const kl_trace_data *f    = q->f;
    const double         LEFT = 1e-9; /* [rad]: moves the wheel by 1e-13 m */
    double               bend = fabs(q->pose->bend_y) + fabs(q->pose->bend_z);
    for (int k = 0; k < 2; k++) {
        kl_trace_joint j    = kl_trace_joint_at(f, kl_trace_place(f, n.w));
        double         last = *x;
        *x                  = kl_trace_x(s, &j, &n.p);
        if (bend * fabs(*x - last) < LEFT) break;
        *s               = kl_trace_section(q->pose, *x);
        kl_trace_node at = n;
        if (kl_trace_newton(f, s, q->pose, &at)) n = at;
        else n = kl_trace_node_at(f, s, n.w, n.foot);
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
    beside b;
    beside_at(f, s, n, &b);
    b.d = n->d;
    *t  = touch_of(f, s, n, &b.p, &b.j, &b.rail);
    /* normals must point against each other; deep inside they may also be parallel */
    if (b.p.ny * t->normal.y + b.p.nz * t->normal.z > 0.0) return false;
    if (!curvatures(f, s, n, pose, &b, t)) return false;
    if (kl_trace_bent(pose)) turn_back(pose, x, t);
    return true;
}

void kl_trace_accept_near(kl_trace_found *q, kl_trace_node n, kl_trace_stand s, double x)
{
    kl_touch t;
    if (kl_trace_bent(q->pose)) n = follow_bend(q, n, &s, &x);
    if (n.d <= -q->margin || n.p.cos <= 0.0) return;
    if (kl_trace_contact(q->f, q->pose, &s, &n, x, &t)) kl_trace_keep(q, &t);
}

void kl_trace_accept(kl_trace_found *q, kl_trace_node n) { kl_trace_accept_near(q, n, q->s, 0.0); }
