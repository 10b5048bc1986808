/* Level frame: with q = tan(slope) and k_y = t'.y the rate about t is q k_y, so
 * kappa = t x t' + q k_y t. Frenet: kappa = t x t' + tau t, tau = t.(t' x t'')/|t'|^2.
 *
 * Least rotation: between two nodes the y axis of the first node is taken along by the shortest
 * rotation from its tangent t0 to t, which turns about t at the rate -(t0 x t).t'/(1 + t0.t); the
 * integral of that rate is taken off again as an angle, kept as a quintic. Nodes are close enough
 * that this is exact to rounding.
 * Source: Bishop, Amer. Math. Monthly 82, 1975; Tandl and Kecskemethy on singular stretches. */
#include "geometry/frame.h"

#include <math.h>
#include <string.h>

#include "geometry/gauss.h"

static const double PI = 3.14159265358979323846;

typedef struct node {
    double  s;
    kl_vec3 t, y;
    double  c[6]; /* angle about t, in s - node.s */
} node;

typedef struct span {
    double s;            /* where it begins */
    bool   carried;      /* by least rotation; else by the formula of the kind */
    double sign;         /* of y, for the formula */
    int    first, count; /* nodes of a carried span */
    double c[6];         /* its angle, in s - span.s */
} span;

struct kl_frame {
    kl_frame_settings set;
    double            threshold; /* of measure(), below which the kind is singular */
    double            length;
    int               nspan, span_capacity, nnode, node_capacity;
    span             *span;
    node             *node;
};

static const char *const names[] = {"level", "frenet", "minimal-rotation", NULL};

const char *const *kl_frame_names(void) { return names; }

bool kl_frame_find(const char *name, kl_frame_kind *kind)
{
    for (int i = 0; names[i]; i++) {
        if (strcmp(name, names[i]) != 0) continue;
        *kind = (kl_frame_kind)i;
        return true;
    }
    return false;
}

/* ---- the formulas ---- */

/* kappa = t x t' + w t from the twist w and its derivatives; d[1] = t, d[2] = t', ... */
static void rate_from_twist(const kl_vec3 *d, const double w[3], kl_frame_point *p)
{
    kl_vec3 t = d[1], t1 = d[2], t2 = d[3], t3 = d[4];
    p->kappa   = kl_axpy(w[0], t, kl_cross(t, t1));
    p->dkappa  = kl_axpy(w[0], t1, kl_axpy(w[1], t, kl_cross(t, t2)));
    p->ddkappa = kl_axpy(
        w[0], t2,
        kl_axpy(2.0 * w[1], t1, kl_axpy(w[2], t, kl_add(kl_cross(t1, t2), kl_cross(t, t3)))));
}

static void level_eval(const kl_vec3 *d, double sign, kl_frame_point *p)
{
    const kl_vec3 e = {0, 0, 1};
    kl_vec3       t = d[1], t1 = d[2], t2 = d[3], t3 = d[4];
    kl_vec3       y = kl_scale(sign, kl_unit(kl_cross(e, t))), z = kl_cross(t, y);
    p->A = kl_from_axes(t, y, z);

    /* q = tan slope, positive frame or not: sin/cos with the cosine along z */
    double c = kl_dot(e, z), s = t.z, s1 = t1.z, s2 = t2.z, c3 = c * c * c;
    double q[3] = {s / c, s1 / c3, s2 / c3 + 3.0 * s * s1 * s1 / (c3 * c * c)}, k[3], w[3];
    k[0]        = kl_dot(t1, y);
    w[0]        = q[0] * k[0];
    rate_from_twist(d, (double[3]){w[0], 0, 0}, p);
    kl_vec3 y1 = kl_cross(p->kappa, y);
    k[1]       = kl_dot(t2, y) + kl_dot(t1, y1);
    w[1]       = q[1] * k[0] + q[0] * k[1];
    rate_from_twist(d, (double[3]){w[0], w[1], 0}, p);
    kl_vec3 y2 = kl_add(kl_cross(p->dkappa, y), kl_cross(p->kappa, y1));
    k[2]       = kl_dot(t3, y) + 2.0 * kl_dot(t2, y1) + kl_dot(t1, y2);
    w[2]       = q[2] * k[0] + 2.0 * q[1] * k[1] + q[0] * k[2];
    rate_from_twist(d, w, p);
}

static void frenet_eval(const kl_vec3 *d, double sign, kl_frame_point *p)
{
    kl_vec3 t = d[1], k = d[2], k1 = d[3], k2 = d[4], k3 = d[5];
    kl_vec3 y = kl_scale(sign, kl_unit(k));
    p->A      = kl_from_axes(t, y, kl_cross(t, y));

    /* tau = N/D with N = t.(k x k'), D = k.k; (t' x anything with k).. drops out since t' = k */
    double N[3] = {kl_dot(t, kl_cross(k, k1)), kl_dot(t, kl_cross(k, k2)),
                   kl_dot(k, kl_cross(k, k2)) + kl_dot(t, kl_cross(k1, k2)) +
                       kl_dot(t, kl_cross(k, k3))};
    double D[3] = {kl_dot(k, k), 2.0 * kl_dot(k, k1), 2.0 * (kl_dot(k1, k1) + kl_dot(k, k2))};
    double w[3];
    w[0] = N[0] / D[0];
    w[1] = (N[1] - w[0] * D[1]) / D[0];
    w[2] = (N[2] - 2.0 * w[1] * D[1] - w[0] * D[2]) / D[0];
    rate_from_twist(d, w, p);
}

void kl_frame_roll(kl_frame_point *p, const kl_vec3 *d, const double f[4])
{
    double  c = cos(f[0]), s = sin(f[0]);
    kl_vec3 t = kl_axis(&p->A, 0), y = kl_axis(&p->A, 1), z = kl_axis(&p->A, 2);
    p->A = kl_from_axes(t, kl_axpy(s, z, kl_scale(c, y)), kl_axpy(-s, y, kl_scale(c, z)));
    /* kappa + f' t and its derivatives */
    p->kappa   = kl_axpy(f[1], d[1], p->kappa);
    p->dkappa  = kl_axpy(f[2], d[1], kl_axpy(f[1], d[2], p->dkappa));
    p->ddkappa = kl_axpy(f[3], d[1], kl_axpy(2.0 * f[2], d[2], kl_axpy(f[1], d[3], p->ddkappa)));
}

/* ---- least rotation ---- */

/* y of the node, taken to the tangent t by the shortest rotation. */
static kl_vec3 take_along(const node *n, kl_vec3 t)
{
    double f = kl_dot(t, n->y) / (1.0 + kl_dot(t, n->t));
    return kl_sub(n->y, kl_scale(f, kl_add(t, n->t)));
}

/* Angle and derivatives of a quintic. */
static void angle_of(const double c[6], double x, double f[4])
{
    f[0] = c[0] + x * (c[1] + x * (c[2] + x * (c[3] + x * (c[4] + x * c[5]))));
    f[1] = c[1] + x * (2 * c[2] + x * (3 * c[3] + x * (4 * c[4] + x * 5 * c[5])));
    f[2] = 2 * c[2] + x * (6 * c[3] + x * (12 * c[4] + x * 20 * c[5]));
    f[3] = 6 * c[3] + x * (24 * c[4] + x * 60 * c[5]);
}

static int node_find(const kl_frame *f, const span *a, double s, int hint)
{
    const node *n   = f->node + a->first;
    int         low = 0, high = a->count - 1;
    if (hint >= 0 && hint < a->count && n[hint].s <= s && (hint == high || s < n[hint + 1].s))
        return hint;
    while (low < high) {
        int mid = (low + high + 1) / 2;
        if (n[mid].s <= s) low = mid;
        else high = mid - 1;
    }
    return low;
}

static void carried_eval(const kl_frame *f, const span *a, double s, const kl_vec3 *d, int *hint,
                         kl_frame_point *p)
{
    *hint         = node_find(f, a, s, *hint);
    const node *n = &f->node[a->first + *hint];
    double      theta[4], psi[4];
    kl_vec3     y = take_along(n, d[1]);
    p->A          = kl_from_axes(d[1], y, kl_cross(d[1], y));
    rate_from_twist(d, (double[3]){0, 0, 0}, p);
    /* the node's angle keeps the rotation least, so only the span's own angle turns the frame */
    angle_of(n->c, s - n->s, theta);
    angle_of(a->c, s - a->s, psi);
    psi[0] += theta[0];
    kl_frame_roll(p, d, psi);
}

/* ---- evaluation ---- */

static int span_find(const kl_frame *f, double s, int side, int hint)
{
    for (int i = hint < 0 ? 0 : hint; i < f->nspan && i <= hint + 1; i++) {
        double a = f->span[i].s, b = i + 1 < f->nspan ? f->span[i + 1].s : HUGE_VAL;
        if (side < 0 ? s > a && s <= b : s >= a && s < b) return i;
    }
    int low = 0, high = f->nspan - 1;
    while (low < high) {
        int mid = (low + high + 1) / 2;
        if (side < 0 ? f->span[mid].s < s : f->span[mid].s <= s) low = mid;
        else high = mid - 1;
    }
    return low;
}

static void formula_eval(const kl_frame *f, const kl_vec3 *d, double sign, kl_frame_point *p)
{
    if (f->set.kind == KL_FRAME_FRENET) frenet_eval(d, sign, p);
    else level_eval(d, sign, p);
}

int kl_frame_order(const kl_frame *f) { return f->set.kind == KL_FRAME_FRENET ? 5 : 4; }

void kl_frame_eval(const kl_frame *f, double s, int side, const kl_vec3 *d, int hint[2],
                   kl_frame_point *out)
{
    int i = span_find(f, s, side, hint[0]);
    if (i != hint[0]) hint[0] = i, hint[1] = 0;
    const span *a = &f->span[i];
    if (a->carried) carried_eval(f, a, s, d, &hint[1], out);
    else formula_eval(f, d, a->sign, out);
}

int    kl_frame_joints(const kl_frame *f) { return f->nspan - 1; }
double kl_frame_joint(const kl_frame *f, int i) { return f->span[i + 1].s; }

/* ---- building: where is the kind regular? ---- */

typedef struct walk {
    kl_frame     *f;
    const kl_arc *arc;
    kl_arena     *arena;
} walk;

static void derivatives(const walk *w, int interval, double s, kl_vec3 *d)
{
    kl_arc_eval(w->arc, interval, s, KL_CURVE_ORDER, d);
}

/* How far from singular: cosine of the slope, or curvature. */
static double measure(const walk *w, const kl_vec3 *d)
{
    if (w->f->set.kind == KL_FRAME_FRENET) return kl_norm(d[2]);
    return hypot(d[1].x, d[1].y);
}

static double measure_at(const walk *w, int interval, double s)
{
    kl_vec3 d[KL_CURVE_ORDER + 1];
    derivatives(w, interval, s, d);
    return measure(w, d);
}

/* y of the formula with positive sign; only its line matters. */
static kl_vec3 line_of(const walk *w, const kl_vec3 *d)
{
    if (w->f->set.kind == KL_FRAME_FRENET) return kl_unit(d[2]);
    return kl_unit(kl_cross(kl_vec(0, 0, 1), d[1]));
}

static span *add_span(const walk *w, double s, bool carried, double sign)
{
    kl_frame *f = w->f;
    /* a span that would have no length is replaced */
    if (f->nspan > 0 && s <= f->span[f->nspan - 1].s) f->nspan--;
    void *data = f->span;
    span *a    = kl_arena_grow(w->arena, &data, f->nspan, &f->span_capacity, sizeof *a);
    if (!a) return NULL;
    f->span = data;
    f->nspan++;
    *a = (span){.s = s, .carried = carried, .sign = sign};
    return a;
}

/* Where measure crosses the threshold between a and b of one interval, one above and one below. */
static double crossing(const walk *w, int interval, double a, double b)
{
    bool above = measure_at(w, interval, a) >= w->f->threshold;
    for (int i = 0; i < 60; i++) {
        double mid                                                              = 0.5 * (a + b);
        *((measure_at(w, interval, mid) >= w->f->threshold) == above ? &a : &b) = mid;
    }
    return 0.5 * (a + b);
}

enum { SAMPLES = 8 }; /* looks per interval of the length table */

/* y turned by more than a right angle between two looks, both regular: an inflection lies between
 * them. Finds it, and makes the stretch around it carried. */
static kl_status pass_inflection(const walk *w, int interval, double a, double b)
{
    kl_vec3 d[KL_CURVE_ORDER + 1];
    derivatives(w, interval, a, d);
    kl_vec3 y   = line_of(w, d);
    double  low = a, high = b;
    for (int i = 0; i < 60; i++) {
        double mid = 0.5 * (low + high);
        derivatives(w, interval, mid, d);
        *(kl_dot(line_of(w, d), y) > 0.0 ? &low : &high) = mid;
    }
    double at = 0.5 * (low + high);
    if (measure_at(w, interval, at) >= w->f->threshold) { /* it jumps: only the sign changes */
        return add_span(w, at, false, 1.0) ? KL_OK : KL_E_MEMORY;
    }
    double begin = crossing(w, interval, a, at), end = crossing(w, interval, at, b);
    if (!add_span(w, begin, true, 0.0) || !add_span(w, end, false, 1.0)) return KL_E_MEMORY;
    return KL_OK;
}

static double largest_curvature(const kl_arc *arc)
{
    double largest = 0.0;
    for (int i = 0; i < arc->n; i++) {
        double a = arc->interval[i].s, b = kl_arc_interval_end(arc, i);
        for (int k = 0; k <= SAMPLES; k++) {
            kl_vec3 d[3];
            kl_arc_eval(arc, i, a + (b - a) * k / SAMPLES, 2, d);
            largest = fmax(largest, kl_norm(d[2]));
        }
    }
    return largest;
}

/* Cuts the way into spans with the formula and spans that are carried. Signs come later. */
static kl_status find_spans(const walk *w)
{
    bool    regular = false, started = false;
    kl_vec3 y = {0};
    for (int i = 0; i < w->arc->n; i++) {
        double s = w->arc->interval[i].s, b = kl_arc_interval_end(w->arc, i), h = (b - s) / SAMPLES;
        for (int k = 0; k <= SAMPLES; k++) {
            double  at = k == SAMPLES ? b : s + k * h, before = s + (k - 1) * h;
            kl_vec3 d[KL_CURVE_ORDER + 1];
            derivatives(w, i, at, d);
            bool    now   = measure(w, d) >= w->f->threshold;
            kl_vec3 y_now = now ? line_of(w, d) : (kl_vec3){0};
            if (!started || (k == 0 && now != regular)) {
                if (!add_span(w, at, !now, 1.0)) return KL_E_MEMORY;
            } else if (now != regular) {
                if (!add_span(w, crossing(w, i, before, at), !now, 1.0)) return KL_E_MEMORY;
            } else if (now && kl_dot(y, y_now) < 0.0) {
                if (k > 0) KL_TRY(pass_inflection(w, i, before, at));
                else if (!add_span(w, at, false, 1.0)) return KL_E_MEMORY;
            }
            started = true, regular = now, y = y_now;
        }
    }
    return KL_OK;
}

/* ---- building: carrying ---- */

typedef struct twist_task {
    const walk *w;
    int         interval;
    kl_vec3     t0;
} twist_task;

/* Rate about t of the shortest rotation from t0, and its derivative. */
static void shortest_twist(const kl_vec3 *d, kl_vec3 t0, double rate[2])
{
    kl_vec3 c = kl_cross(t0, d[1]);
    double  D = 1.0 + kl_dot(t0, d[1]);
    rate[0]   = -kl_dot(c, d[2]) / D;
    rate[1]   = (-kl_dot(c, d[3]) - rate[0] * kl_dot(t0, d[2])) / D;
}

static double twist_rate(const void *context, double s)
{
    const twist_task *t = context;
    kl_vec3           d[KL_CURVE_ORDER + 1];
    double            rate[2];
    derivatives(t->w, t->interval, s, d);
    shortest_twist(d, t->t0, rate);
    return rate[0];
}

/* Reaches from node n to s1 in one go: fills its angle and gives y at s1. False when that is not
 * exact to rounding. */
static bool try_node(const walk *w, int interval, double s1, node *n, kl_vec3 *y1)
{
    kl_vec3 d[KL_CURVE_ORDER + 1];
    double  h = s1 - n->s, rate[2];
    derivatives(w, interval, s1, d);
    twist_task task  = {w, interval, n->t};
    double     angle = kl_gauss(twist_rate, &task, n->s, s1);
    shortest_twist(d, n->t, rate);
    double f0[3] = {0}, f1[3] = {-angle, -rate[0], -rate[1]};
    kl_hermite_quintic(h, f0, f1, n->c);
    kl_vec3 y = take_along(n, d[1]), z = kl_cross(d[1], y);
    *y1 = kl_unit(kl_axpy(sin(-angle), z, kl_scale(cos(angle), y)));
    if (!(kl_dot(n->t, d[1]) >= 0.95)) return false; /* 18 degrees */
    for (int k = 1; k < 4; k++) {
        double f[4], x = 0.25 * k * h;
        angle_of(n->c, x, f);
        if (!(fabs(f[0] + kl_gauss(twist_rate, &task, n->s, n->s + x)) <= 1e-13)) return false;
    }
    return true;
}

static kl_status add_node(const walk *w, const node *n)
{
    kl_frame *f    = w->f;
    void     *data = f->node;
    node     *slot = kl_arena_grow(w->arena, &data, f->nnode, &f->node_capacity, sizeof *slot);
    if (!slot) return KL_E_MEMORY;
    f->node = data;
    *slot   = *n;
    f->nnode++;
    return KL_OK;
}

/* Nodes over the part of one interval from s to stop. A wild curve may never be exact to rounding:
 * after many nodes what comes is taken. */
static kl_status carry_interval(const walk *w, int i, double s, double stop, kl_vec3 *y)
{
    enum { MANY = 500 };
    double step = stop - s, least = 1e-6 * step;
    for (int count = 0; s < stop;) {
        kl_vec3 d[KL_CURVE_ORDER + 1], y1;
        derivatives(w, i, s, d);
        node   n    = {.s = s, .t = d[1], .y = *y};
        double next = stop - s <= 1.0000001 * step ? stop : s + step;
        if (!try_node(w, i, next, &n, &y1) && count < MANY && next - s > least) {
            step = 0.5 * (next - s);
            continue;
        }
        KL_TRY(add_node(w, &n));
        s = next, *y = y1;
        count++;
        step = count < MANY ? 2.0 * step : stop - s;
    }
    return KL_OK;
}

/* Nodes of least rotation from `begin` to `end`, starting with y; gives y at the end. */
static kl_status carry(const walk *w, span *a, double begin, double end, kl_vec3 *y)
{
    int i = kl_arc_find(w->arc, begin, 1, 0), first = w->f->nnode;
    for (double s = begin; s < end;) {
        while (i + 1 < w->arc->n && kl_arc_interval_end(w->arc, i) <= s) i++;
        double stop = fmin(end, kl_arc_interval_end(w->arc, i));
        if (!(stop > s)) stop = end; /* the last interval ends where the curve does */
        KL_TRY(carry_interval(w, i, s, stop, y));
        s = stop;
    }
    a->first = first;
    a->count = w->f->nnode - first;
    return KL_OK;
}

/* Some y at right angle to t: left when `up` is up. */
static kl_vec3 start_y(const kl_frame_settings *set, kl_vec3 t)
{
    kl_vec3 up   = kl_norm(set->up) > 0.0 ? kl_unit(set->up) : kl_vec(0, 0, 1);
    kl_vec3 left = kl_cross(up, t);
    return kl_norm(left) > 1e-6 ? kl_unit(left) : kl_normal_to(t);
}

/* Angle about t from y to y1. */
static double angle_between(kl_vec3 t, kl_vec3 y, kl_vec3 y1)
{
    return atan2(kl_dot(kl_cross(t, y), y1), kl_dot(y, y1));
}

/* Twist of the formula at s with its derivative, and its y for positive sign. */
static kl_vec3 formula_at(const walk *w, double s, int side, double f[3])
{
    kl_vec3        d[KL_CURVE_ORDER + 1];
    kl_frame_point p;
    derivatives(w, kl_arc_find(w->arc, s, side, 0), s, d);
    formula_eval(w->f, d, 1.0, &p);
    f[0] = 0.0;
    f[1] = kl_dot(p.kappa, d[1]);
    f[2] = kl_dot(p.dkappa, d[1]) + kl_dot(p.kappa, d[2]);
    return kl_axis(&p.A, 1);
}

static kl_vec3 tangent_at(const walk *w, double s, int side)
{
    kl_vec3 d[KL_CURVE_ORDER + 1];
    derivatives(w, kl_arc_find(w->arc, s, side, 0), s, d);
    return d[1];
}

/* The first span has nothing before it: it starts turned so that it meets the next without a turn.
 */
static kl_status carry_first(const walk *w, double end, double turn, kl_vec3 *y0)
{
    kl_vec3 z0 = kl_cross(tangent_at(w, 0.0, 1), *y0);
    *y0        = kl_axpy(sin(turn), z0, kl_scale(cos(turn), *y0));
    kl_vec3 y  = *y0;

    w->f->nnode = w->f->span[0].first;
    return carry(w, &w->f->span[0], 0.0, end, &y);
}

/* A carried span: carries y over from the span before, then bends its angle so that it meets what
 * follows. `y_start` is y at s = 0, to which a closed way returns. */
static kl_status carry_span(const walk *w, int i, kl_vec3 *y_start)
{
    kl_frame *f     = w->f;
    bool      last  = i + 1 == f->nspan;
    double    begin = f->span[i].s, end = last ? f->length : f->span[i + 1].s;
    double    f0[3] = {0}, f1[3] = {0}; /* angle and its derivatives at both ends */
    kl_vec3   y, t1              = tangent_at(w, end, -1);
    if (i > 0) y = kl_scale(f->span[i - 1].sign, formula_at(w, begin, -1, f0));
    else y = *y_start = start_y(&f->set, tangent_at(w, 0.0, 1));
    KL_TRY(carry(w, &f->span[i], begin, end, &y));

    if (last && w->arc->curve->closed) {
        if (!f->span[0].carried) formula_at(w, 0.0, 1, f1);
        f1[0] = angle_between(t1, y, *y_start);
    } else if (!last) {
        kl_vec3 next = formula_at(w, end, 1, f1);
        f1[0]        = angle_between(t1, y, next);
        /* either side of the line will do: take the nearer */
        double sign         = fabs(f1[0]) <= 0.5 * PI ? 1.0 : -1.0;
        f->span[i + 1].sign = sign;
        if (sign < 0.0) f1[0] -= copysign(PI, f1[0]);
        if (i == 0) {
            KL_TRY(carry_first(w, end, f1[0], y_start));
            f1[0] = 0.0;
        }
    }
    kl_hermite_quintic(end - begin, f0, f1, f->span[i].c);
    return KL_OK;
}

/* Signs of regular spans, from one to the next, and the carried ones between. */
static kl_status fill_spans(const walk *w, kl_diag *diag)
{
    kl_frame *f       = w->f;
    kl_vec3   y_start = {0};
    for (int i = 0; i < f->nspan; i++) {
        if (f->span[i].carried) {
            KL_TRY(carry_span(w, i, &y_start));
            continue;
        }
        double  ignored[3];
        kl_vec3 y = formula_at(w, f->span[i].s, 1, ignored), wanted;
        if (i == 0) { /* upright at the start */
            wanted          = start_y(&f->set, tangent_at(w, 0.0, 1));
            f->span[0].sign = kl_dot(y, wanted) < 0.0 ? -1.0 : 1.0;
            y_start         = kl_scale(f->span[0].sign, y);
        } else if (!f->span[i - 1].carried) { /* a jump of the line: go on on the same side */
            wanted = kl_scale(f->span[i - 1].sign, formula_at(w, f->span[i].s, -1, ignored));
            f->span[i].sign = kl_dot(y, wanted) < 0.0 ? -1.0 : 1.0;
        }
    }
    const span *last = &f->span[f->nspan - 1];
    if (w->arc->curve->closed && !last->carried) {
        double  ignored[3];
        kl_vec3 y = kl_scale(last->sign, formula_at(w, f->length, -1, ignored));
        if (kl_dot(y, y_start) < 0.0)
            kl_warn(diag, KL_NOWHERE,
                    "the %s frame of this closed track returns upside down; choose another "
                    "`frame`, or add 180 deg of roll",
                    names[f->set.kind]);
    }
    return KL_OK;
}

/* Least rotation all along; a closed way spreads the angle that is missing at the end evenly. */
static kl_status fill_minimal(const walk *w)
{
    kl_frame *f = w->f;
    if (!add_span(w, 0.0, true, 1.0)) return KL_E_MEMORY;
    kl_vec3 y0 = start_y(&f->set, tangent_at(w, 0.0, 1)), y = y0;
    span   *a = &f->span[0];
    KL_TRY(carry(w, a, 0.0, f->length, &y));
    if (!w->arc->curve->closed) return KL_OK;
    f->span[0].c[1] = angle_between(tangent_at(w, f->length, -1), y, y0) / f->length;
    return KL_OK;
}

kl_status kl_frame_build(const kl_arc *arc, const kl_frame_settings *settings, kl_arena *arena,
                         kl_diag *diag, kl_frame **out)
{
    kl_frame *f = kl_arena_array(arena, kl_frame, 1);
    if (!f) return KL_E_MEMORY;
    f->set    = *settings;
    f->length = arc->length;
    walk w    = {f, arc, arena};
    *out      = f;
    if (settings->kind == KL_FRAME_MINIMAL_ROTATION) return fill_minimal(&w);
    if (settings->kind == KL_FRAME_FRENET)
        f->threshold = settings->limit > 0.0 ? settings->limit : 1e-3 * largest_curvature(arc);
    else f->threshold = cos(settings->limit > 0.0 ? settings->limit : PI / 3.0);
    if (f->threshold <= 0.0) f->threshold = 1e-12; /* a straight way has no normal anywhere */
    KL_TRY(find_spans(&w));
    return fill_spans(&w, diag);
}
