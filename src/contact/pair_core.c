/* A core (point, line, circle, patch) with a radius round it against the signed distance of the
 * other shape: f(x) = d(c(x)), smallest where the gradient n.c' vanishes or at an end. */
#include <math.h>
#include <string.h>

#include "contact/pair.h"

enum { LINE_NET = 16, CIRCLE_NET = 96, PATCH_U = 72, PATCH_V = 9, SURFACE_NET = 24, MINIMA = 32 };

typedef struct core {
    int             dim;
    double          low[2], high[2];
    bool            closed[2];
    int             net[2];
    double          radius;
    const kl_solid *solid;
} core;

typedef struct sight { /* of the other shape from a place of the core; global axes */
    double  f, slope[2];
    kl_vec3 p, n, foot;
    double  uv[2];
    int     part;
} sight;

static core core_of(const kl_solid *s)
{
    core c = {.solid = s, .radius = s->radius};
    switch (s->kind) {
    case KL_SOLID_CAPSULE:
        c.dim = 1, c.low[0] = -s->half, c.high[0] = s->half, c.net[0] = LINE_NET;
        break;
    case KL_SOLID_TORUS:
        c.dim = 1, c.high[0] = 2.0 * KL_PI, c.closed[0] = true, c.net[0] = CIRCLE_NET;
        c.radius = s->tube;
        break;
    case KL_SOLID_REVOLVED_ARC:
        c.dim = 2, c.radius = 0.0;
        c.high[0] = 2.0 * KL_PI, c.closed[0] = true, c.net[0] = PATCH_U;
        c.low[1]  = fmin(s->arc.theta[0], s->arc.theta[1]);
        c.high[1] = fmax(s->arc.theta[0], s->arc.theta[1]), c.net[1] = PATCH_V;
        break;
    case KL_SOLID_SURFACE:
        c.dim = 2, c.radius = 0.0;
        for (int i = 0; i < 2; i++) {
            const double *range = i ? s->surface->v : s->surface->u;
            c.low[i] = range[0], c.high[i] = range[1], c.net[i] = SURFACE_NET;
            c.closed[i] = i ? s->surface->closed_v : s->surface->closed_u;
        }
        break;
    default: break; /* a sphere: a point */
    }
    return c;
}

/* Point of the core and its derivatives, own axes. */
static void core_at(const core *c, const double x[2], kl_vec3 *p, kl_vec3 d[2])
{
    const kl_solid *s = c->solid;
    *p = d[0] = d[1] = (kl_vec3){0};
    if (s->kind == KL_SOLID_CAPSULE) {
        *p = kl_vec(0, 0, x[0]), d[0] = kl_vec(0, 0, 1);
    } else if (s->kind == KL_SOLID_TORUS) {
        double cs = cos(x[0]), sn = sin(x[0]);
        *p   = kl_vec(s->radius * cs, s->radius * sn, 0),
        d[0] = kl_vec(-s->radius * sn, s->radius * cs, 0);
    } else if (s->kind == KL_SOLID_REVOLVED_ARC) {
        double cs = cos(x[0]), sn = sin(x[0]), ct = s->arc.radius * cos(x[1]),
               st = s->arc.radius * sin(x[1]), R = ct + s->arc.c[0];
        *p   = kl_vec(R * cs, st + s->arc.c[1], -R * sn);
        d[0] = kl_vec(-R * sn, 0, -R * cs);
        d[1] = kl_vec(-st * cs, ct, st * sn);
    } else if (s->kind == KL_SOLID_SURFACE) {
        kl_surface_cursor cursor = {0};
        kl_surface_point  at     = {0};
        kl_surface_eval(s->surface, x[0], x[1], &cursor, &at);
        *p = at.r, d[0] = at.ru, d[1] = at.rv;
    }
}

static void evaluate_at(const kl_pair *q, const core *c, const double x[2], const double *uv,
                        sight *out)
{
    kl_vec3   p, d[2];
    kl_offset far = {0};
    core_at(c, x, &p, d);
    out->p = kl_pose_point(&q->A, p);
    if (uv) far.uv[0] = uv[0], far.uv[1] = uv[1], far.warm = true;
    kl_solid_project(q->b, kl_pose_local(&q->B, out->p), &far);
    out->f     = far.d - c->radius;
    out->n     = kl_mul(&q->B.A, far.n);
    out->foot  = kl_pose_point(&q->B, far.foot);
    out->uv[0] = far.uv[0], out->uv[1] = far.uv[1];
    out->part = far.part;
    for (int i = 0; i < 2; i++) out->slope[i] = kl_dot(out->n, kl_mul(&q->A.A, d[i]));
}

static void add(const core *c, const double x[2], const sight *s, kl_spots *out)
{
    kl_spot t = {.gap  = s->f,
                 .part = {0, s->part},
                 .p1   = kl_axpy(-c->radius, s->n, s->p),
                 .p2   = s->foot,
                 .n    = kl_neg(s->n),
                 .key  = out->n,
                 .at   = {x[0], x[1]},
                 .foot = {s->uv[0], s->uv[1]}};
    kl_spots_add(out, &t);
}

/* ---- line and circle ---- */

static double step_of(const core *c) { return (c->high[0] - c->low[0]) / c->net[0]; }

/* The slope changes its sign from - to + between a and b: a smallest value, also at a kink. The
 * secant with halved weights (Illinois) and bisection in turn. */
static double bisect(const kl_pair *q, const core *c, double a, double fa, double b, double fb,
                     sight *s)
{
    double x = 0.5 * (a + b), tiny = 1e-15 * (fabs(c->low[0]) + fabs(c->high[0]));
    for (int i = 0; i < 100 && b - a > tiny; i++) {
        double secant = (a * fb - b * fa) / (fb - fa), xx[2];
        x             = i % 3 == 2 || !(secant > a && secant < b) ? 0.5 * (a + b) : secant;
        xx[0] = x, xx[1] = 0.0;
        evaluate_at(q, c, xx, NULL, s);
        if (s->slope[0] == 0.0) return x;
        if (s->slope[0] < 0.0) a = x, fa = s->slope[0], fb *= 0.5;
        else b = x, fb = s->slope[0], fa *= 0.5;
    }
    return x;
}

static void slopes_at(const kl_pair *q, const core *c, double x, sight *s)
{
    evaluate_at(q, c, (double[2]){x, 0.0}, NULL, s);
}

/* From a remembered place: widen until the slope changes its sign, then bisect. */
static bool follow_line(const kl_pair *q, const core *c, double x0, double *x, sight *s)
{
    double wide = 1e-3 * (c->high[0] - c->low[0]), a = x0, b = x0, fa, fb;
    slopes_at(q, c, x0, s);
    fa = fb = s->slope[0];
    for (int i = 0; i < 12 && fa > 0.0; i++, wide *= 2.0) {
        b = a, fb = fa, a = a - wide;
        if (!c->closed[0] && a <= c->low[0]) a = c->low[0];
        slopes_at(q, c, a, s);
        fa = s->slope[0];
        if (fa > 0.0 && !c->closed[0] && a == c->low[0]) return *x = a, true;
    }
    for (int i = 0; i < 12 && fb < 0.0; i++, wide *= 2.0) {
        a = b, fa = fb, b = b + wide;
        if (!c->closed[0] && b >= c->high[0]) b = c->high[0];
        slopes_at(q, c, b, s);
        fb = s->slope[0];
        if (fb < 0.0 && !c->closed[0] && b == c->high[0]) return *x = b, true;
    }
    if (!(fa <= 0.0 && fb >= 0.0)) return false;
    *x = bisect(q, c, a, fa, b, fb, s);
    return true;
}

static void line_minima(const kl_pair *q, const core *c, kl_spots *out)
{
    double x[CIRCLE_NET + 1], g[CIRCLE_NET + 1], h = step_of(c);
    sight  s;
    for (int i = 0; i <= c->net[0]; i++) {
        x[i] = i == c->net[0] ? c->high[0] : c->low[0] + h * i;
        slopes_at(q, c, x[i], &s);
        g[i] = s.slope[0];
        /* ends of a line */
        if (!c->closed[0] && ((i == 0 && g[i] >= 0.0) || (i == c->net[0] && g[i] <= 0.0)))
            add(c, (double[2]){x[i], 0.0}, &s, out);
    }
    for (int i = 0; i < c->net[0]; i++) {
        if (!(g[i] < 0.0 && g[i + 1] > 0.0) && !(g[i] == 0.0 && g[i + 1] > 0.0 && i > 0)) continue;
        double at = bisect(q, c, x[i], g[i], x[i + 1], g[i + 1], &s);
        add(c, (double[2]){at, 0.0}, &s, out);
    }
    if (out->n == 0) { /* the same everywhere: parallel lines, a common axis */
        slopes_at(q, c, 0.5 * (c->low[0] + c->high[0]), &s);
        add(c, (double[2]){0.5 * (c->low[0] + c->high[0]), 0.0}, &s, out);
    }
}

/* A capsule along a flat or parallel shape: both ends carry. */
static void add_ends(const kl_pair *q, const core *c, kl_spots *out)
{
    for (int k = 0; k < 2; k++) {
        double x[2] = {k ? c->high[0] : c->low[0], 0.0};
        sight  s;
        bool   known = false;
        evaluate_at(q, c, x, NULL, &s);
        for (int i = 0; i < out->n; i++)
            known |= fabs(out->item[i].at[0] - x[0]) < 1e-6 * c->high[0];
        if (!known) add(c, x, &s, out);
    }
}

/* Place on the line over the foot of x. Of two capsules the foot on the line of the other one. */
static double place_over_foot(const kl_pair *q, const core *c, double x)
{
    sight s;
    slopes_at(q, c, x, &s);
    kl_vec3 foot = q->b->kind == KL_SOLID_CAPSULE ? kl_axpy(-q->b->radius, s.n, s.foot) : s.foot;
    return kl_dot(kl_sub(foot, q->A.r), kl_axis(&q->A.A, 2));
}

/* Where the line stops lying over the other shape, seen from its end x. Beyond an edge, the foot of x is on the
 * edge; the place over that foot is nearer to the place over the edge by the same factor each time (cos^2 of the
 * angle between both), so that two steps tell where this ends (Aitken). Over a face, or along an edge, the steps
 * do not become smaller: then it is the end itself. */
static double end_of_shared(const kl_pair *q, const core *c, double x, double scale)
{
    double y = place_over_foot(q, c, x), first = y - x;
    if (fabs(first) <= 1e-9 * scale || first * x > 0.0) return x;
    double z = place_over_foot(q, c, fmin(fmax(y, c->low[0]), c->high[0])), second = z - y;
    if (!(fabs(second) < 0.9 * fabs(first))) return x;
    return fmin(fmax(y + second * first / (first - second), c->low[0]), c->high[0]);
}

/* The lowest place of the line between a and b, where the distance is convex. */
static double lowest_between(const kl_pair *q, const core *c, double a, double b, sight *s)
{
    sight low, high;
    slopes_at(q, c, a, &low), slopes_at(q, c, b, &high);
    if (low.slope[0] < 0.0 && high.slope[0] > 0.0)
        return bisect(q, c, a, low.slope[0], b, high.slope[0], s);
    *s = low.slope[0] >= 0.0 ? low : high;
    return low.slope[0] >= 0.0 ? a : b;
}

/* A capsule and a convex shape: the distance along the line is convex. Where both are side by side the two ends of
 * what they share carry; the lowest place has a key of its own where it is deeper than both. */
static void side_by_side(const kl_pair *q, const core *c, kl_spots *out)
{
    enum { LOW, HIGH, LOWEST };
    sight   s[3];
    kl_vec3 centre, half;
    kl_solid_types[q->b->kind].bounds(q->b, &centre, &half);
    double scale = c->high[0] + c->radius + kl_norm(half),
           x[2]  = {end_of_shared(q, c, c->low[0], scale), end_of_shared(q, c, c->high[0], scale)};
    bool both    = x[HIGH] - x[LOW] > 1e-6 * scale;
    for (int k = 0; both && k < 2; k++) slopes_at(q, c, x[k], &s[k]);
    /* along a curved edge the end is rough: none lies beyond the lowest place */
    if (both && s[LOW].slope[0] > 0.0) x[LOW] = lowest_between(q, c, c->low[0], x[LOW], &s[LOW]);
    if (both && s[HIGH].slope[0] < 0.0)
        x[HIGH] = lowest_between(q, c, x[HIGH], c->high[0], &s[HIGH]);
    for (int k = 0; both && k < 2; k++) {
        add(c, (double[2]){x[k], 0.0}, &s[k], out);
        out->item[out->n - 1].key = k;
    }
    double lowest = both ? lowest_between(q, c, x[LOW], x[HIGH], &s[LOWEST])
                         : lowest_between(q, c, c->low[0], c->high[0], &s[LOWEST]);
    if (both && s[LOWEST].f >= fmin(s[LOW].f, s[HIGH].f) - 1e-9 * scale) return;
    add(c, (double[2]){lowest, 0.0}, &s[LOWEST], out);
    out->item[out->n - 1].key = LOWEST;
}

static bool lies_on_convex(const kl_pair *q, const core *c)
{
    return c->solid->kind == KL_SOLID_CAPSULE && c->high[0] > 0.0 && !q->b->inside &&
           kl_solid_types[q->b->kind].convex;
}

/* Two places that have become one. */
static bool same_place(const core *c, const kl_spots *t, double x)
{
    double range = c->high[0] - c->low[0];
    for (int i = 0; i < t->n; i++) {
        double apart = x - t->item[i].at[0];
        if (c->closed[0]) apart = remainder(apart, range);
        if (fabs(apart) < 1e-9 * range) return true;
    }
    return false;
}

static void line(const kl_pair *q, const core *c, const kl_spots *warm, kl_spots *out)
{
    if (lies_on_convex(q, c)) {
        side_by_side(q, c, out);
        return;
    }
    if (warm) {
        for (int i = 0; i < warm->n; i++) {
            double x[2] = {0, 0};
            sight  s;
            if (follow_line(q, c, warm->item[i].at[0], &x[0], &s) && !same_place(c, out, x[0]))
                add(c, x, &s, out);
        }
        if (out->n == warm->n) return;
        out->n = 0;
    }
    line_minima(q, c, out);
    if (c->solid->kind == KL_SOLID_CAPSULE && c->high[0] > 0.0) add_ends(q, c, out);
}

/* ---- patch ---- */

static void hold(const core *c, double x[2])
{
    for (int i = 0; i < 2; i++)
        if (!c->closed[i]) x[i] = fmin(fmax(x[i], c->low[i]), c->high[i]);
}

/* Directions in which x may move: not beyond an end that the slope pushes against. */
static void free_of(const core *c, const double x[2], const double g[2], bool open[2])
{
    for (int i = 0; i < 2; i++)
        open[i] = c->closed[i] ||
                  !((x[i] <= c->low[i] && g[i] > 0.0) || (x[i] >= c->high[i] && g[i] < 0.0));
}

/* Second derivatives from differences of the exact slope, which is `here` at x. One-sided differences
 * are as good as Newton's method needs: each step leaves 1e-5 of the error. */
static void hessian(const kl_pair *q, const core *c, const double x[2], const sight *here,
                    double H[2][2])
{
    for (int j = 0; j < 2; j++) {
        double h = 1e-6 * (c->high[j] - c->low[j]), there[2] = {x[0], x[1]};
        sight  s;
        /* towards the middle: beyond the end of an arc there is no surface */
        if (!c->closed[j] && x[j] + h > c->high[j]) h = -h;
        there[j] += h;
        evaluate_at(q, c, there, here->uv, &s);
        for (int i = 0; i < 2; i++) H[i][j] = (s.slope[i] - here->slope[i]) / h;
    }
    H[0][1] = H[1][0] = 0.5 * (H[0][1] + H[1][0]);
}

static void newton_step(const double g[2], double H[2][2], const bool open[2], const core *c,
                        double step[2])
{
    double det = H[0][0] * H[1][1] - H[0][1] * H[1][0];
    step[0] = step[1] = 0.0;
    if (open[0] && open[1] && H[0][0] > 0.0 && det > 1e-14 * H[0][0] * H[1][1]) {
        step[0] = -(H[1][1] * g[0] - H[0][1] * g[1]) / det;
        step[1] = -(H[0][0] * g[1] - H[1][0] * g[0]) / det;
    } else {
        for (int i = 0; i < 2; i++)
            if (open[i] && g[i] != 0.0)
                step[i] =
                    -g[i] / fmax(fabs(H[i][i]), 1e-12 + fabs(g[i]) / (c->high[i] - c->low[i]));
    }
    for (int i = 0; i < 2; i++) {
        double most = (c->high[i] - c->low[i]) / fmax(4, c->net[i] / 2);
        if (fabs(step[i]) > most) step[0] *= most / fabs(step[i]), step[1] *= most / fabs(step[i]);
    }
}

static double size_of(const kl_solid *s)
{
    kl_vec3 c, h;
    kl_solid_types[s->kind].bounds(s, &c, &h);
    return kl_norm(h);
}

static bool polish(const kl_pair *q, const core *c, double x[2], const double *uv, sight *s)
{
    evaluate_at(q, c, x, uv, s);
    for (int k = 0; k < 60; k++) {
        double H[2][2], step[2], cut = 1.0;
        bool   open[2], moved = false;
        free_of(c, x, s->slope, open);
        if (hypot(open[0] ? s->slope[0] : 0.0, open[1] ? s->slope[1] : 0.0) < 1e-15) return true;
        hessian(q, c, x, s, H);
        newton_step(s->slope, H, open, c, step);
        double size =
            fabs(step[0]) / (c->high[0] - c->low[0]) + fabs(step[1]) / (c->high[1] - c->low[1]);
        if (size < 1e-13) return true;
        if (size < 1e-5 && H[0][0] >= 0.0 && H[1][1] >= 0.0) { /* Newton has converged but once */
            double y[2] = {x[0] + step[0], x[1] + step[1]};
            sight  t;
            hold(c, y);
            evaluate_at(q, c, y, s->uv, &t);
            double worse = t.f - s->f;
            if (worse <= 0.0 || worse <= 1e-10 * size_of(c->solid)) {
                *s = t, x[0] = y[0], x[1] = y[1];
                if (size < 1e-8) return true;
                continue;
            }
        }
        for (int j = 0; j < 30 && !moved; j++, cut *= 0.5) {
            double y[2] = {x[0] + cut * step[0], x[1] + cut * step[1]};
            sight  t;
            hold(c, y);
            evaluate_at(q, c, y, s->uv, &t);
            /* near the end the value no longer decides: the slope does */
            bool down =
                t.f < s->f || (t.f <= s->f + 1e-15 * (1.0 + fabs(s->f)) &&
                               hypot(t.slope[0], t.slope[1]) < hypot(s->slope[0], s->slope[1]));
            if (!down) continue;
            moved = true;
            *s = t, x[0] = y[0], x[1] = y[1];
        }
        if (!moved) return true;
    }
    return false;
}

/* Where the distance has a kink (the edge of a patch) Newton's method may stop beside the lowest place:
 * steps in eight directions, halved until none goes down. */
static void compass(const kl_pair *q, const core *c, double x[2], sight *s)
{
    for (double step = 1e-2; step > 1e-9;) {
        bool moved = false;
        for (int d = 0; d < 8 && !moved; d++) {
            double y[2] = {x[0] + step * (c->high[0] - c->low[0]) * cos(0.25 * KL_PI * d),
                           x[1] + step * (c->high[1] - c->low[1]) * sin(0.25 * KL_PI * d)};
            sight  t;
            hold(c, y);
            evaluate_at(q, c, y, s->uv, &t);
            if (t.f >= s->f - 1e-14) continue;
            moved = true;
            *s = t, x[0] = y[0], x[1] = y[1];
        }
        if (!moved) step *= 0.5;
    }
}

static bool known(const kl_spots *t, const sight *s, const kl_solid *solid)
{
    if (t->n == 0) return false; /* the size of a surface takes many evaluations */
    double near = 1e-5 * size_of(solid);
    for (int i = 0; i < t->n; i++)
        if (kl_norm(kl_sub(t->item[i].p2, s->foot)) < near) return true;
    return false;
}

/* Places of the net that lie below their neighbours, deepest first; then Newton from each. */
static void patch_minima(const kl_pair *q, const core *c, kl_spots *out)
{
    double f[PATCH_U + 1][SURFACE_NET + 1], low[MINIMA], start[MINIMA][2];
    int    nu = c->net[0], nv = c->net[1], found = 0;
    sight  s = {0};
    for (int i = 0; i <= nu; i++)
        for (int j = 0; j <= nv; j++) {
            double x[2] = {c->low[0] + (c->high[0] - c->low[0]) * i / nu,
                           c->low[1] + (c->high[1] - c->low[1]) * j / nv};
            /* the foot on a surface is near that of the neighbour: search anew now and then */
            evaluate_at(q, c, x, j % 6 > 0 ? s.uv : NULL, &s);
            f[i][j] = s.f;
        }
    for (int i = 0; i < nu + !c->closed[0]; i++)
        for (int j = 0; j < nv + !c->closed[1]; j++) {
            bool least = true;
            for (int di = -1; di <= 1; di++)
                for (int dj = -1; dj <= 1; dj++) {
                    int a = i + di, b = j + dj;
                    if (c->closed[0]) a = (a + nu) % nu;
                    if (c->closed[1]) b = (b + nv) % nv;
                    if (a < 0 || b < 0 || a > nu || b > nv) continue;
                    if (f[a][b] < f[i][j]) least = false;
                }
            if (!least) continue;
            int at = found < MINIMA ? found++ : -1;
            for (int k = 0; at < 0 && k < MINIMA; k++)
                if (low[k] > f[i][j]) at = k;
            if (at < 0) continue;
            low[at]      = f[i][j];
            start[at][0] = c->low[0] + (c->high[0] - c->low[0]) * i / nu;
            start[at][1] = c->low[1] + (c->high[1] - c->low[1]) * j / nv;
        }
    for (int k = 0; k < found; k++) {
        polish(q, c, start[k], NULL, &s);
        compass(q, c, start[k], &s);
        polish(q, c, start[k], s.uv, &s);
        if (!known(out, &s, c->solid)) add(c, start[k], &s, out);
    }
}

static void patch(const kl_pair *q, const core *c, const kl_spots *warm, kl_spots *out)
{
    if (warm) {
        for (int i = 0; i < warm->n; i++) {
            double x[2] = {warm->item[i].at[0], warm->item[i].at[1]};
            sight  s;
            if (polish(q, c, x, warm->item[i].foot, &s) && !known(out, &s, c->solid))
                add(c, x, &s, out);
        }
        if (out->n == warm->n) return;
        out->n = 0;
    }
    patch_minima(q, c, out);
}

void kl_pair_core(const kl_pair *p, const kl_spots *warm, kl_spots *out)
{
    core  c = core_of(p->a);
    sight s;
    if (c.dim == 1) line(p, &c, warm, out);
    else if (c.dim == 2) patch(p, &c, warm, out);
    else {
        double x[2] = {0, 0};
        evaluate_at(p, &c, x, warm ? warm->item[0].foot : NULL, &s);
        add(&c, x, &s, out);
    }
}

/* ---- a chain of arcs: the deepest place of each ---- */

static const kl_spot *start_of(const kl_spots *warm, int key, double x[2])
{
    for (int i = 0; warm && i < warm->n; i++)
        if (warm->item[i].key == key) {
            x[0] = warm->item[i].at[0], x[1] = warm->item[i].at[1];
            return &warm->item[i];
        }
    return NULL;
}

static void deepest_of_net(const kl_pair *q, const core *c, double best[2])
{
    double least = (double)INFINITY;
    sight  s;
    for (int i = 0; i < c->net[0]; i++)
        for (int j = 0; j <= c->net[1]; j++) {
            double x[2] = {c->low[0] + (c->high[0] - c->low[0]) * i / c->net[0],
                           c->low[1] + (c->high[1] - c->low[1]) * j / c->net[1]};
            evaluate_at(q, c, x, NULL, &s);
            if (s.f < least) least = s.f, best[0] = x[0], best[1] = x[1];
        }
}

/* -1: at the joint with the arc before, 1: with the arc after, 0: between. */
static int end_of(const core *c, const kl_arc2 *arc, double theta)
{
    double tiny = 1e-9 * (c->high[1] - c->low[1]);
    bool   low = theta <= c->low[1] + tiny, high = theta >= c->high[1] - tiny;
    if (!low && !high) return 0;
    bool forward = arc->theta[1] > arc->theta[0];
    return low == forward ? -1 : 1;
}

/* An end is a contact of its own where the neighbour ends there too (a kink), or there is none. */
static void mark_idle(const kl_solid *a, const int *end, kl_spots *out)
{
    for (int i = 0; i < out->n; i++) {
        int next = i + end[i];
        if (end[i] == 0 || next < 0 || next >= a->narc) continue;
        bool kink         = end[next] == -end[i];
        out->item[i].idle = !kink || end[i] > 0;
    }
}

/* Arcs with a gap above this share of the shape's size are only looked at. */
static const double FAR_ARC = 0.005;

typedef struct arc_sight {
    sight  s;
    double x[2];
    core   c;
    bool   there;
} arc_sight;

/* An arc may have a second place that grows deeper than the one that is followed: looks along the arc,
 * at the same place on its way round, and polishes from the deepest. */
static void compare_along(const kl_pair *q, const core *c, arc_sight *out)
{
    enum { PLACES = 7 };
    double    x[2] = {out->x[0], 0.0};
    arc_sight best = *out;
    for (int j = 0; j <= PLACES; j++) {
        sight s;
        x[1] = c->low[1] + (c->high[1] - c->low[1]) * j / PLACES;
        evaluate_at(q, c, x, NULL, &s);
        if (s.f < best.s.f) best.s = s, best.x[0] = x[0], best.x[1] = x[1];
    }
    if (best.s.f >= out->s.f) return;
    polish(q, c, best.x, NULL, &best.s);
    *out = best;
}

/* The deepest place of arc i. An arc that was far off is looked at where the nearest one is on its
 * way round (`turn`; NULL: not yet known), because the shape may have rolled on since. False: it is
 * its turn later. */
static bool find_on_arc(const kl_pair *p, int i, const kl_spots *warm, const double *turn,
                        arc_sight *out)
{
    kl_solid one = *p->a;
    kl_pair  q   = *p;
    one.arc = p->a->arcs[i], one.side = p->a->sides[i], one.narc = 0;
    q.a                 = &one;
    core           c    = core_of(&one);
    const kl_spot *last = start_of(warm, i, out->x);
    bool           far  = last && last->gap > FAR_ARC * size_of(p->a);
    if (warm && !last) return true; /* asked for some of them only */
    if (far && !turn) return false;
    c.net[0] = PATCH_U / 3, c.net[1] = PATCH_V / 2; /* one place is wanted of each arc */
    if (!warm) deepest_of_net(&q, &c, out->x);
    if (far) out->x[0] = *turn, evaluate_at(&q, &c, out->x, NULL, &out->s);
    if (!far || out->s.f < 2.0 * FAR_ARC * size_of(p->a)) polish(&q, &c, out->x, NULL, &out->s);
    bool all = !warm || warm->n == p->a->narc; /* else derivatives of some are asked for */
    if (all && out->s.f < 2.0 * FAR_ARC * size_of(p->a)) compare_along(&q, &c, out);
    c.solid    = p->a;
    out->c     = c;
    out->there = true;
    return true;
}

/* Place on the way round of the nearest arc seen so far, or of the nearest that is remembered. */
static double turn_of(const arc_sight *arc, int n, const kl_spots *warm)
{
    double least = (double)INFINITY, turn = 0.0;
    for (int i = 0; i < n; i++)
        if (arc[i].there && arc[i].s.f < least) least = arc[i].s.f, turn = arc[i].x[0];
    if (isfinite(least)) return turn;
    for (int i = 0; i < warm->n; i++)
        if (warm->item[i].gap < least) least = warm->item[i].gap, turn = warm->item[i].at[0];
    return turn;
}

/* Polishes arc i from the place x where its neighbour ends. */
static void find_from_joint(const kl_pair *p, int i, int end, double turn, arc_sight *out)
{
    kl_solid one = *p->a;
    kl_pair  q   = *p;
    one.arc = p->a->arcs[i], one.side = p->a->sides[i], one.narc = 0;
    q.a       = &one;
    core c    = core_of(&one);
    out->x[0] = turn, out->x[1] = one.arc.theta[end < 0];
    c.net[0] = PATCH_U / 3, c.net[1] = PATCH_V / 2;
    polish(&q, &c, out->x, NULL, &out->s);
}

/* The deepest place of an arc is at its end: there the next arc begins, so that one is no less deep. If
 * it seems so, the search began in a wrong place: again from the joint. */
static void agree_at_joints(const kl_pair *p, arc_sight *arc, int n)
{
    double tiny = 1e-9 * size_of(p->a);
    for (int sweep = 0, changed = 1; changed && sweep < n; sweep++) {
        changed = 0;
        for (int i = 0; i < n; i++) {
            int end  = arc[i].there ? end_of(&arc[i].c, &p->a->arcs[i], arc[i].x[1]) : 0;
            int next = i + end;
            if (end == 0 || next < 0 || next >= n || !arc[next].there) continue;
            if (arc[next].s.f <= arc[i].s.f + tiny) continue;
            arc_sight again = arc[next];
            find_from_joint(p, next, end, arc[i].x[0], &again);
            if (!(again.s.f < arc[next].s.f)) continue;
            arc[next] = again;
            changed   = 1;
        }
    }
}

/* The deepest place of arc i between its ends, at the same place on its way round. It is a contact of its own
 * also where the joint with the next arc is deeper: a flange touches while the tread, and with it the end of
 * the flange root, lies deeper. */
static bool find_between_ends(const kl_pair *p, int i, const arc_sight *end, arc_sight *out)
{
    enum { PLACES = 12 };
    kl_solid one = *p->a;
    kl_pair  q   = *p;
    one.arc = p->a->arcs[i], one.side = p->a->sides[i], one.narc = 0;
    q.a           = &one;
    core   c      = core_of(&one);
    bool   found  = false;
    double before = 0.0;
    c.net[0] = PATCH_U / 3, c.net[1] = PATCH_V / 2;
    for (int j = 0; j <= PLACES; j++) {
        arc_sight t = *end;
        t.x[1]      = c.low[1] + (c.high[1] - c.low[1]) * j / PLACES;
        evaluate_at(&q, &c, t.x, NULL, &t.s);
        bool lowest = j > 0 && before < 0.0 && t.s.slope[1] > 0.0;
        before      = t.s.slope[1];
        if (!lowest) continue;
        t.x[1] -= 0.5 * (c.high[1] - c.low[1]) / PLACES;
        polish(&q, &c, t.x, NULL, &t.s);
        if (end_of(&c, &one.arc, t.x[1]) != 0 || (found && t.s.f >= out->s.f)) continue;
        found = true;
        *out  = t;
    }
    return found;
}

/* Arcs whose deepest place is the joint with a deeper neighbour: their contact is between their ends, if they
 * have one there. */
static void prefer_contacts_between_ends(const kl_pair *p, arc_sight *arc, kl_spots *out)
{
    double near = 2.0 * FAR_ARC * size_of(p->a);
    for (int i = 0; i < out->n; i++) {
        kl_spot  *t = &out->item[i];
        arc_sight inner;
        if (!t->idle || t->gap > near || !find_between_ends(p, i, &arc[i], &inner)) continue;
        kl_spots one = {0};
        add(&arc[i].c, inner.x, &inner.s, &one);
        one.item[0].part[0] = i, one.item[0].key = i;
        *t = one.item[0];
    }
}

void kl_pair_chain(const kl_pair *p, const kl_spots *warm, kl_spots *out)
{
    arc_sight arc[KL_PAIR_SPOTS];
    bool      later[KL_PAIR_SPOTS];
    int       end[KL_PAIR_SPOTS] = {0}, n = p->a->narc < KL_PAIR_SPOTS ? p->a->narc : KL_PAIR_SPOTS;
    memset(arc, 0, sizeof arc);
    for (int i = 0; i < n; i++) later[i] = !find_on_arc(p, i, warm, NULL, &arc[i]);
    for (int i = 0; i < n; i++) {
        double turn = later[i] ? turn_of(arc, n, warm) : 0.0;
        if (later[i]) find_on_arc(p, i, warm, &turn, &arc[i]);
    }
    agree_at_joints(p, arc, n);
    for (int i = 0; i < n; i++) {
        if (!arc[i].there) continue;
        add(&arc[i].c, arc[i].x, &arc[i].s, out);
        out->item[out->n - 1].part[0] = i;
        out->item[out->n - 1].key     = i;
        end[i]                        = end_of(&arc[i].c, &p->a->arcs[i], arc[i].x[1]);
    }
    if (out->n < n) return; /* derivatives of some places are asked for */
    mark_idle(p->a, end, out);
    prefer_contacts_between_ends(p, arc, out);
}
