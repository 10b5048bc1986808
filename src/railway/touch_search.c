#include "railway/touch_search.h"

#include <math.h>
#include <string.h>

#include "railway/distance_grid.h"

enum { BLOCK = 8 };

/* One joint of the wheel's outline, ready for the trace. */
typedef struct joint {
    double u, r;   /* along the axle from the taping line, from the axle [m] */
    double nu, nr; /* outward normal of the surface along the axle and away from it */
} joint;

/* BLOCK pieces of the wheel that are left out together when they are far from the rail. */
typedef struct block {
    int    first, last; /* joints */
    double bend;        /* largest curvature [1/m], at least 0 */
} block;

/* Least and largest curvature of a piece [1/m]. */
typedef struct range {
    double low, high;
} range;

typedef struct search {
    const kl_outline *wheel, *rail;
    double            r0, rail_shift;
    double flange_u, tip_u; /* where the flange and its back begin, towards the track [m] */
    int    njoint, nblock;
    joint *joint; /* njoint */
    block *block;
    kl_distance_grid grid;
    double           rail_convex; /* largest curvature of the rail where it is convex [1/m] */
    range           *wheel_bend, *rail_bend; /* of each piece */
} search;

/* ---- the trace ---- */

/* The wheel's position and axes as the trace needs them. */
typedef struct stand {
    kl_vec3 c, a;   /* point of the axle, its direction */
    kl_vec3 b1, b2; /* square to the axle: forward, down */
    double  yaw;    /* tangent of the yaw angle */
    double  q;      /* x component of b1 */
} stand;

static stand stand_of(const kl_wheel_pose *pose)
{
    kl_vec3 a = pose->axle;
    double  q = sqrt(1.0 - a.x * a.x);
    return (stand){.c   = pose->center,
                   .a   = a,
                   .b1  = {q, -a.x * a.y / q, -a.x * a.z / q},
                   .b2  = {0.0, a.z / q, -a.y / q},
                   .yaw = a.x / q,
                   .q   = q};
}

/* A point of the trace with the wheel's normal there, which has no x component. */
typedef struct trace_point {
    double y, z, ny, nz;
    double sin, cos; /* of the lead angle; cos = 0: this circle has no such point */
} trace_point;

static inline trace_point trace(const stand *w, const joint *j)
{
    trace_point p;
    double      s = -j->nu * w->yaw, rest = j->nr * j->nr - s * s;
    if (rest > 0.0) {
        p.sin = s / j->nr, p.cos = sqrt(rest) / j->nr;
    } else {
        /* a face square to the axle is touched all round when there is no yaw */
        bool flat = s == 0.0 && j->nr == 0.0;
        p.sin = 0.0, p.cos = flat ? 1.0 : 0.0;
    }
    double ey = p.sin * w->b1.y + p.cos * w->b2.y, ez = p.sin * w->b1.z + p.cos * w->b2.z;
    p.y  = w->c.y + j->u * w->a.y + j->r * ey;
    p.z  = w->c.z + j->u * w->a.z + j->r * ez;
    p.ny = j->nu * w->a.y + j->nr * ey;
    p.nz = j->nu * w->a.z + j->nr * ez;
    return p;
}

/* The place on the wheel at w = piece + t. */
static kl_outline_place wheel_place(const search *f, double w)
{
    int i = w >= f->wheel->n ? f->wheel->n - 1 : (int)w;
    return (kl_outline_place){i, w - i};
}

static joint joint_at(const search *f, kl_outline_place p)
{
    kl_outline_point o = kl_outline_at(f->wheel, p);
    return (joint){.u = o.y, .r = f->r0 - o.z, .nu = o.tz, .nr = fmax(o.ty, 0.0)};
}

/* ---- penetration along the trace ---- */

/* What is known at one place of the wheel's outline. */
typedef struct node {
    double           w;    /* piece + t */
    double           d;    /* penetration [m] */
    double           f;    /* its rate by length along the trace: zero at a contact */
    kl_outline_place foot; /* nearest place of the rail */
    trace_point      p;
} node;

static void measure(const search *f, node *n)
{
    double ny, nz;
    n->foot = kl_outline_foot(f->rail, n->p.y, n->p.z, n->foot);
    n->d    = kl_outline_depth(f->rail, n->foot, n->p.y, n->p.z, &ny, &nz);
    /* tangent of the trace outward: the wheel's normal turned by a right angle, (-nz, ny) */
    n->f = ny * n->p.nz - nz * n->p.ny;
}

static node node_at(const search *f, const stand *s, double w, kl_outline_place foot)
{
    joint j = joint_at(f, wheel_place(f, w));
    node  n = {.w = w, .foot = foot, .p = trace(s, &j)};
    measure(f, &n);
    return n;
}

/* Root of f between a (f > 0) and b (f <= 0): regula falsi after Illinois. */
static node root(const search *f, const stand *s, node a, node b)
{
    enum { MOST = 60 };
    double fa = a.f, fb = b.f;
    int    side = 0;
    for (int k = 0; k < MOST && b.w - a.w > 1e-9; k++) {
        double x = fa == fb ? 0.5 : fa / (fa - fb);
        node   c = node_at(f, s, a.w + x * (b.w - a.w), x < 0.5 ? a.foot : b.foot);
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

/* ---- a contact found ---- */

typedef struct found {
    const search        *f;
    const kl_wheel_pose *pose;
    stand                s;
    double               margin;
    kl_touch            *touch;
    int                  n;
} found;

static kl_touch_region region_of(const search *f, double u)
{
    return u < f->tip_u ? KL_TOUCH_BACK : u < f->flange_u ? KL_TOUCH_FLANGE : KL_TOUCH_TREAD;
}

/* Second fundamental forms at the contact; x along the rail, y along the outlines' common tangent.
 * The wheel's principal directions (circle, profile) stand at an angle omega to them:
 * cos omega = x . tangent of the circle. False where the surfaces do not part: no contact. */
static bool curvatures(const stand *s, const node *n, const joint *j, double kw, double kr,
                       const kl_wheel_pose *pose, kl_touch *t)
{
    /* tangent of the circle, forward: derivative of e = sin s b1 + cos s b2 */
    kl_vec3 c  = kl_sub(kl_scale(n->p.cos, s->b1), kl_scale(n->p.sin, s->b2));
    double  co = c.x, si = c.z * n->p.ny - c.y * n->p.nz; /* along x and along (-nz, ny) */
    double  kc  = j->nr / j->r;
    double  kxx = co * co * kc + si * si * kw, kyy = si * si * kc + co * co * kw - kr;
    double  kxy = co * si * (kc - kw);
    kxx -= pose->bend_y * t->normal.y + pose->bend_z * t->normal.z;
    t->Ax = 0.5 * kxx, t->By = 0.5 * kyy, t->Cxy = 0.5 * kxy;
    /* where both are flat across, the gap has no curvature: still a contact, all along a line */
    return kxx > 0.0 && kxx * kyy - kxy * kxy > -1e-6 * kxx;
}

static double x_of(const stand *s, const joint *j, const trace_point *p)
{
    return s->c.x + j->u * s->a.x + j->r * p->sin * s->q;
}

static kl_touch touch_of(const search *f, const stand *s, const node *n, const joint *j)
{
    kl_outline_point r = kl_outline_at(f->rail, n->foot);
    double           x = x_of(s, j, &n->p);
    kl_touch         t = {.wheel   = {x, n->p.y, n->p.z},
                          .rail    = {x, r.y, r.z},
                          .normal  = {0.0, -r.tz, r.ty},
                          .depth   = n->d,
                          .wheel_u = j->u,
                          .rail_u  = r.y - f->rail_shift,
                          .radius  = j->r,
                          .region  = region_of(f, j->u)};
    return t;
}

/* Sorted by wheel_u; when there are too many the shallowest is lost. */
static void keep(found *q, const kl_touch *t)
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
static stand stand_at_section(const kl_wheel_pose *pose, double x)
{
    kl_wheel_pose p  = *pose;
    double        ty = pose->bend_y * x, tz = pose->bend_z * x;
    p.axle = kl_unit(kl_vec(p.axle.x + ty * p.axle.y + tz * p.axle.z, p.axle.y - ty * p.axle.x,
                            p.axle.z - tz * p.axle.x));
    p.center.y += ty * (0.5 * x - p.center.x);
    p.center.z += tz * (0.5 * x - p.center.x);
    return stand_of(&p);
}

/* The rail is bent: near the contact it is a prism along its own tangent there, so the contact is
 * sought again in the axes of that section. The error shrinks by r/R, a hundredth or less, each time. */
static node follow_bend(const found *q, node n, stand *s, double *x)
{
    const search *f = q->f;
    for (int k = 0; k < 2; k++) {
        joint j = joint_at(f, wheel_place(f, n.w));
        *x      = x_of(s, &j, &n.p);
        *s      = stand_at_section(q->pose, *x);
        node a  = node_at(f, s, fmax(0.0, n.w - 0.5), n.foot);
        node b  = node_at(f, s, fmin(f->wheel->n, n.w + 0.5), n.foot);
        n       = a.f > 0.0 && b.f <= 0.0 ? root(f, s, a, b) : node_at(f, s, n.w, n.foot);
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

static void accept(found *q, node n)
{
    const search *f    = q->f;
    stand         s    = q->s;
    double        x    = 0.0;
    bool          bent = q->pose->bend_y != 0.0 || q->pose->bend_z != 0.0;
    if (bent) n = follow_bend(q, n, &s, &x);
    if (n.d <= -q->margin || n.p.cos <= 0.0) return;
    kl_outline_place at    = wheel_place(f, n.w);
    joint            j     = joint_at(f, at);
    kl_outline_point wheel = kl_outline_at(f->wheel, at), rail = kl_outline_at(f->rail, n.foot);
    kl_touch         t = touch_of(f, &s, &n, &j);
    /* normals must point against each other; deep inside they may also be parallel */
    if (n.p.ny * t.normal.y + n.p.nz * t.normal.z > 0.0) return;
    /* curvature of the rail's parallel curve through the wheel's point, which is what d has */
    double kr = rail.curvature / fmax(1.0 + rail.curvature * n.d, 0.1);
    if (!curvatures(&s, &n, &j, wheel.curvature, kr, q->pose, &t)) return;
    if (bent) turn_back(q->pose, x, &t);
    keep(q, &t);
}

/* ---- all contacts ---- */

/* Upper bound of the penetration between two points of the trace. Along it d'' is the rail's
 * curvature less that of the wheel, so d lies less than K h^2/8 above the straight line. The trace
 * rises without end where the flange's back is steeper than the yaw allows: nothing touches there. */
static bool may_touch(const found *q, const node *a, const node *b, double bend)
{
    double dy = b->p.y - a->p.y, dz = b->p.z - a->p.z, hh = dy * dy + dz * dz;
    double top = a->d > b->d ? a->d : b->d;
    if (hh > 0.05 * 0.05) return a->p.cos > 0.0 && b->p.cos > 0.0;
    return top + 0.14 * (bend + q->f->rail_convex) * hh > -q->margin;
}

/* May f rise and fall between two places? Its rate is the rail's curvature less that of the trace,
 * which yaw makes smaller than the profile's by kxy^2/kxx (see curvatures). */
static bool may_turn(const found *q, const node *a, const node *b)
{
    const search *f     = q->f;
    const range  *w     = &f->wheel_bend[(int)a->w];
    const joint  *j     = &f->joint[(int)a->w];
    int           first = a->foot.i < b->foot.i ? a->foot.i : b->foot.i;
    int           last  = a->foot.i < b->foot.i ? b->foot.i : a->foot.i;
    range         r     = f->rail_bend[first];
    for (int i = first + 1; i <= last; i++)
        r = (range){fmin(r.low, f->rail_bend[i].low), fmax(r.high, f->rail_bend[i].high)};
    double kc = fmax(j->nr, 0.05) / j->r, turn = q->s.yaw / fmax(j->nr, 0.05);
    double cross = turn * (fabs(w->low) + fabs(w->high) + kc);
    return r.low - 1.1 * w->high - 0.1 < 0.0 &&
           r.high - w->low + 1.2 * cross * cross / kc + 0.1 > 0.0;
}

/* Between two neighbouring joints the rate f may pass through zero twice; then the middle is looked
 * at. */
static void between(found *q, const node *a, const node *b, int level)
{
    if (a->f > 0.0 && b->f <= 0.0) {
        accept(q, root(q->f, &q->s, *a, *b));
        return;
    }
    if (level == 0 || !may_touch(q, a, b, q->f->wheel_bend[(int)a->w].high)) return;
    if (!may_turn(q, a, b)) return;
    node mid = node_at(q->f, &q->s, 0.5 * (a->w + b->w), a->foot);
    between(q, a, &mid, level - 1);
    between(q, &mid, b, level - 1);
}

/* The ends of the wheel's outline are edges: they may dig in, too. */
static void edge(found *q, const node *n, int outward)
{
    if (outward * n->f <= 0.0 || n->d <= -q->margin || n->p.cos <= 0.0) return;
    int              i = n->w > 0.0 ? q->f->wheel->n - 1 : 0;
    joint            j = joint_at(q->f, (kl_outline_place){i, n->w - i});
    kl_touch         t = touch_of(q->f, &q->s, n, &j);
    kl_outline_point r = kl_outline_at(q->f->rail, n->foot);
    if (n->p.ny * t.normal.y + n->p.nz * t.normal.z > 0.0) return;
    t.Ax = 0.5 * fmax(j.nr, 1e-3) / j.r;
    t.By = 0.5 * (1.0 / 0.002 - r.curvature); /* as if rounded with 2 mm */
    keep(q, &t);
}

/* A joint of the outline with a bound of its penetration. */
static inline node glance(const found *q, int i)
{
    const search *f = q->f;
    int           piece;
    node          n = {.w = i, .f = NAN, .p = trace(&q->s, &f->joint[i])};
    n.d             = kl_distance_bound(&f->grid, n.p.y, n.p.z, &piece);
    n.foot          = (kl_outline_place){piece, 0.5};
    return n;
}

/* Follows the trace through a block. `a` is its first joint; on return its last. */
static void walk(found *q, const block *k, node *a)
{
    const search *f = q->f;
    for (int i = k->first + 1; i <= k->last; i++) {
        node b = glance(q, i), exact = b;
        if (may_touch(q, a, &b, f->wheel_bend[i - 1].high)) {
            if (isnan(a->f)) measure(f, a);
            exact.foot = a->foot;
            measure(f, &exact);
            between(q, a, &exact, 4);
            if (i == 1) edge(q, a, -1);
            if (i == f->njoint - 1) edge(q, &exact, 1);
            b = exact;
        }
        *a = b;
    }
}

static int search_find(const void *data, const kl_wheel_pose *pose, double margin, double *warm,
                       kl_touch *touch)
{
    const search *f = data;
    found         q = {.f = f, .pose = pose, .s = stand_of(pose), .margin = margin, .touch = touch};
    node          a = glance(&q, 0);
    (void)warm;
    for (int k = 0; k < f->nblock; k++) {
        const block *part = &f->block[k];
        node         b    = glance(&q, part->last);
        if (may_touch(&q, &a, &b, part->bend)) walk(&q, part, &a);
        else a = b;
    }
    return q.n;
}

/* ---- preparation ---- */

static void fill_blocks(search *f)
{
    for (int k = 0; k < f->nblock; k++) {
        block *b = &f->block[k];
        *b       = (block){.first = k * BLOCK};
        b->last  = b->first + BLOCK < f->njoint ? b->first + BLOCK : f->njoint - 1;
        for (int i = b->first; i < b->last; i++) b->bend = fmax(b->bend, f->wheel_bend[i].high);
    }
}

static void fill_bends(const kl_outline *o, range *bend)
{
    for (int i = 0; i < o->n; i++) {
        bend[i] = (range){INFINITY, -INFINITY};
        for (int e = 0; e < 5; e++) {
            double k = kl_outline_at(o, (kl_outline_place){i, 0.25 * e}).curvature;
            bend[i]  = (range){fmin(bend[i].low, k), fmax(bend[i].high, k)};
        }
    }
}

/* The flange begins, seen from the tread, where the outline is steeper than 30 degrees. */
static void find_flange(search *f, double *height)
{
    kl_outline_rates tip = kl_outline_rates_at(f->wheel, kl_outline_extreme(f->wheel, -1));
    f->tip_u = f->flange_u = -INFINITY;
    *height                = fmax(0.0, -tip.z);
    for (int i = 0; i < f->njoint; i++) {
        const joint *j = &f->joint[i];
        if (j->u > tip.y && j->u < 0.0 && j->nu > 0.5) f->tip_u = tip.y, f->flange_u = j->u;
    }
}

kl_status kl_touch_search_create(const kl_outline *wheel, double radius, const kl_outline *rail,
                                 double rail_shift_y, kl_arena *arena, kl_contact_search *out)
{
    search *f = kl_arena_array(arena, search, 1);
    if (!f) return KL_E_MEMORY;
    *f        = (search){.wheel = wheel, .rail = rail, .r0 = radius, .rail_shift = rail_shift_y};
    f->njoint = wheel->n + 1, f->nblock = (wheel->n + BLOCK - 1) / BLOCK;
    f->joint      = kl_arena_array(arena, joint, f->njoint);
    f->block      = kl_arena_array(arena, block, f->nblock);
    f->wheel_bend = kl_arena_array(arena, range, wheel->n);
    f->rail_bend  = kl_arena_array(arena, range, rail->n);
    if (!kl_arena_ok(arena)) return KL_E_MEMORY;
    for (int i = 0; i < f->njoint; i++)
        f->joint[i] =
            joint_at(f, i < wheel->n ? (kl_outline_place){i, 0.0} : (kl_outline_place){i - 1, 1.0});
    *out = (kl_contact_search){.data = f, .nwarm = 0, .find = search_find, .radius = radius};
    find_flange(f, &out->flange_height);
    fill_bends(wheel, f->wheel_bend);
    fill_bends(rail, f->rail_bend);
    fill_blocks(f);
    for (int i = 0; i < rail->n; i++) f->rail_convex = fmax(f->rail_convex, -f->rail_bend[i].low);
    return kl_distance_grid_create(rail, 0.7e-3, arena, &f->grid);
}
