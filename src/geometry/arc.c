#include "geometry/arc.h"

#include <math.h>

#include "geometry/gauss.h"

typedef struct curve_piece {
    const kl_curve *curve;
    int             piece;
} curve_piece;

static void curve_speed(const void *context, double u, double speed[2])
{
    const curve_piece *t = context;
    kl_vec3            d[3];
    kl_curve_eval(t->curve, t->piece, u, 2, d);
    speed[0] = kl_norm(d[1]);
    speed[1] = kl_dot(d[1], d[2]) / speed[0];
}

static double speed_at(const void *context, double u)
{
    const kl_speed *v = context;
    double          speed[2];
    v->eval(v->context, u, speed);
    return speed[0];
}

/* u, du/ds, d2u/ds2 at u; false where dr/du is zero. */
static bool inverse_rates(const kl_speed *v, double u, double rate[3])
{
    double speed[2];
    v->eval(v->context, u, speed);
    rate[0] = u;
    rate[1] = 1.0 / speed[0];
    rate[2] = -speed[1] / (speed[0] * speed[0] * speed[0]);
    return speed[0] > 0.0 && isfinite(rate[1]) && isfinite(rate[2]);
}

double kl_arc_interval_end(const kl_arc *arc, int i)
{
    return i + 1 < arc->n ? arc->interval[i + 1].s : arc->length;
}

static kl_arc_interval *add_interval(kl_arc *arc, kl_arena *arena)
{
    void            *data = arc->interval;
    kl_arc_interval *slot =
        kl_arena_grow(arena, &data, arc->n, &arc->capacity, sizeof *arc->interval);
    if (!slot) return NULL;
    arc->interval = data;
    arc->n++;
    return slot;
}

static double polynomial(const double c[6], double x)
{
    return c[0] + x * (c[1] + x * (c[2] + x * (c[3] + x * (c[4] + x * c[5]))));
}

void kl_hermite_quintic(double h, const double f0[3], const double f1[3], double c[6])
{
    double d = (f1[0] - f0[0]) / h, h2 = h * h;
    c[0] = f0[0], c[1] = f0[1], c[2] = 0.5 * f0[2];
    c[3] = (10.0 * d - 6.0 * f0[1] - 4.0 * f1[1]) / h2 - (1.5 * f0[2] - 0.5 * f1[2]) / h;
    c[4] = (-15.0 * d + 8.0 * f0[1] + 7.0 * f1[1]) / (h2 * h) + (1.5 * f0[2] - f1[2]) / h2;
    c[5] = (6.0 * d - 3.0 * (f0[1] + f1[1])) / (h2 * h2) + 0.5 * (f1[2] - f0[2]) / (h2 * h);
}

/* The interval of u in [a, b], unless it is too long for the tolerance. */
static bool try_interval(const kl_speed *v, double a, double b, double tolerance, double c[6],
                         double *length, double *error)
{
    double mid = 0.5 * (a + b), f0[3], f1[3];
    if (!inverse_rates(v, a, f0) || !inverse_rates(v, b, f1)) return false;
    double whole = kl_gauss(speed_at, v, a, b);
    double first = kl_gauss(speed_at, v, a, mid), second = kl_gauss(speed_at, v, mid, b);
    *length = first + second;
    if (!(*length > 0.0) || !(fabs(whole - *length) <= 1e-14 * *length + 1e-3 * tolerance))
        return false;
    kl_hermite_quintic(*length, f0, f1, c);
    *error    = 0.0;
    tolerance = fmax(tolerance, 4.0 * 2.2e-16 * fabs(b) / f1[1]); /* u itself is rounded */
    for (int k = 1; k < 8; k++) {
        double u = a + 0.125 * k * (b - a), s = kl_gauss(speed_at, v, a, u);
        *error = fmax(*error, fabs(polynomial(c, s) - u) * speed_at(v, u));
    }
    return *error <= tolerance;
}

/* A cusp at the end of a piece belongs to the point that the next one begins with. */
static kl_status report_cusp(const curve_piece *t, double u, kl_diag *diag)
{
    const kl_curve *c      = t->curve;
    double          middle = 0.5 * (c->piece[t->piece].u + kl_curve_piece_end(c, t->piece));
    int             at     = u > middle && t->piece + 1 < c->npiece ? t->piece + 1 : t->piece;
    kl_vec3         d[1];
    kl_curve_eval(c, t->piece, u, 0, d);
    return kl_fail(
        diag, KL_E_RANGE, kl_curve_place(c, at),
        "the curve has a cusp near (%g, %g, %g), at %s %d; move that point or use another `spline`",
        d[0].x, d[0].y, d[0].z, c->source_word, c->piece[at].source + 1);
}

/* Of one piece. A smooth one takes a handful; many mean that dr/du nearly vanishes somewhere. */
enum { MOST_INTERVALS = 2000 };

static kl_status build_piece(kl_arc *arc, int piece, kl_arena *arena, kl_diag *diag)
{
    const kl_curve *curve = arc->curve;
    curve_piece     t     = {curve, piece};
    kl_speed        v     = {&t, curve_speed};
    double          a = curve->piece[piece].u, end = kl_curve_piece_end(curve, piece);
    double          least = 1e-9 * (end - a), step = end - a;
    int             most = arc->n + MOST_INTERVALS;
    while (a < end) {
        double          b = end - a <= 1.0000001 * step ? end : a + step, length = 0.0, error = 0.0;
        kl_arc_interval trial = {.s = arc->length, .piece = piece};
        if (curve->piece[piece].unit_speed) {
            trial.c[0] = a, trial.c[1] = 1.0;
            length = b - a;
        } else if (!try_interval(&v, a, b, arc->tolerance, trial.c, &length, &error)) {
            step = 0.5 * (b - a);
            if (!(step > least)) return report_cusp(&t, a, diag);
            continue;
        }
        if (arc->n >= most) return report_cusp(&t, a, diag);
        kl_arc_interval *slot = add_interval(arc, arena);
        if (!slot) return KL_E_MEMORY;
        *slot = trial;
        arc->length += length;
        arc->error = fmax(arc->error, error);
        a          = b;
        step *= 2.0;
    }
    return KL_OK;
}

/* Length of the polygon through the ends of the pieces. */
static double chords(const kl_curve *curve)
{
    double  sum = 0.0;
    kl_vec3 a[1], b[1];
    for (int i = 0; i < curve->npiece; i++) {
        kl_curve_eval(curve, i, curve->piece[i].u, 0, a);
        kl_curve_eval(curve, i, kl_curve_piece_end(curve, i), 0, b);
        sum += kl_norm(kl_sub(b[0], a[0]));
    }
    return sum;
}

kl_status kl_arc_build(const kl_curve *curve, double tolerance, kl_arena *arena, kl_diag *diag,
                       kl_arc **out)
{
    kl_arc *arc = kl_arena_array(arena, kl_arc, 1);
    if (!arc) return KL_E_MEMORY;
    /* a track of a millimetre is kept as exactly, for its size, as one of a metre */
    if (!(tolerance > 0.0)) tolerance = 1e-11 * fmin(1.0, chords(curve));
    *arc = (kl_arc){.curve = curve, .tolerance = tolerance};
    for (int i = 0; i < curve->npiece; i++) KL_TRY(build_piece(arc, i, arena, diag));
    *out = arc;
    return KL_OK;
}

int kl_arc_find(const kl_arc *arc, double s, int side, int hint)
{
    const kl_arc_interval *v = arc->interval;
    for (int i = hint < 0 ? 0 : hint; i < arc->n && i <= hint + 1; i++) {
        double a = v[i].s, b = kl_arc_interval_end(arc, i);
        if (side < 0 ? s > a && s <= b : s >= a && s < b) return i;
    }
    int low = 0, high = arc->n - 1;
    while (low < high) {
        int mid = (low + high + 1) / 2;
        if (side < 0 ? v[mid].s < s : v[mid].s <= s) low = mid;
        else high = mid - 1;
    }
    return low;
}

/* Derivatives by s from derivatives g by u, as series: with b the series of s(u) at the point, its
 * inverse x(y) (Lagrange) goes into the series of g. */
static void by_length(const kl_vec3 *g, int order, kl_vec3 *d)
{
    static const double factorial[KL_CURVE_ORDER + 1] = {1, 1, 2, 6, 24, 120};
    /* |g'|^2 as a series: w_n = sum of products of the terms of g' */
    kl_vec3 q[KL_CURVE_ORDER];
    double  v[KL_CURVE_ORDER] = {0}, b[KL_CURVE_ORDER + 1] = {0}, B[KL_CURVE_ORDER + 1] = {0};
    for (int n = 0; n < order; n++) q[n] = kl_scale(1.0 / factorial[n], g[n + 1]);
    for (int n = 0; n < order; n++) {
        double w = 0.0;
        for (int k = 0; k <= n; k++) w += kl_dot(q[k], q[n - k]);
        for (int k = 1; k < n; k++) w -= v[k] * v[n - k];
        v[n]     = n == 0 ? sqrt(w) : w / (2.0 * v[0]); /* speed: its square is w */
        b[n + 1] = v[n] / (n + 1);
    }
    double i1 = 1.0 / b[1], e2 = b[2] * i1, e3 = b[3] * i1, e4 = b[4] * i1, e5 = b[5] * i1;
    double i2 = i1 * i1;
    B[1]      = i1;
    B[2]      = -e2 * i2;
    B[3]      = (2.0 * e2 * e2 - e3) * i2 * i1;
    B[4]      = (5.0 * e2 * e3 - e4 - 5.0 * e2 * e2 * e2) * i2 * i2;
    B[5] = (6.0 * e2 * e4 + 3.0 * e3 * e3 + 14.0 * e2 * e2 * e2 * e2 - e5 - 21.0 * e2 * e2 * e3) *
           i2 * i2 * i1;

    /* sum over k of g_k x(y)^k, power by power */
    double power[KL_CURVE_ORDER + 1] = {1.0};
    for (int n = 0; n <= order; n++) d[n] = (kl_vec3){0};
    d[0] = g[0];
    for (int k = 1; k <= order; k++) {
        double next[KL_CURVE_ORDER + 1] = {0};
        for (int i = k - 1; i < order; i++)
            for (int j = 1; i + j <= order; j++) next[i + j] += power[i] * B[j];
        for (int n = 0; n <= order; n++) power[n] = next[n];
        for (int n = k; n <= order; n++) d[n] = kl_axpy(power[n] / factorial[k], g[k], d[n]);
    }
    for (int n = 2; n <= order; n++) d[n] = kl_scale(factorial[n], d[n]);
}

void kl_arc_eval(const kl_arc *arc, int i, double s, int order, kl_vec3 *d)
{
    const kl_arc_interval *v = &arc->interval[i];
    double                 u = polynomial(v->c, s - v->s);
    if (arc->curve->piece[v->piece].unit_speed) {
        kl_curve_eval(arc->curve, v->piece, u, order, d);
        return;
    }
    kl_vec3 g[KL_CURVE_ORDER + 1];
    kl_curve_eval(arc->curve, v->piece, u, order, g);
    by_length(g, order, d);
}

double kl_arc_length_at(const void *context, double u)
{
    const kl_arc *arc = context;
    int           low = 0, high = arc->n - 1;
    while (low < high) {
        int mid = (low + high + 1) / 2;
        if (arc->interval[mid].c[0] <= u) low = mid;
        else high = mid - 1;
    }
    const kl_arc_interval *v = &arc->interval[low];
    double                 h = kl_arc_interval_end(arc, low) - v->s, u1 = polynomial(v->c, h);
    double                 x = h * fmin(fmax((u - v->c[0]) / (u1 - v->c[0]), 0.0), 1.0);
    /* Newton on the quintic; its slope is near the mean one, so a few steps do */
    for (int k = 0; k < 50; k++) {
        const double *c = v->c;
        double slope    = c[1] + x * (2 * c[2] + x * (3 * c[3] + x * (4 * c[4] + x * 5 * c[5])));
        double step     = (polynomial(c, x) - u) / slope;
        x -= step;
        if (fabs(step) <= 1e-15 * h) break;
    }
    return v->s + fmin(fmax(x, 0.0), h);
}

/* ---- any parameter by length ---- */

kl_status kl_length_map_build(kl_speed speed, double u0, double u1, double tolerance,
                              kl_arena *arena, kl_length_map **out)
{
    kl_length_map *map = kl_arena_array(arena, kl_length_map, 1);
    if (!map) return KL_E_MEMORY;
    if (!(tolerance > 0.0)) tolerance = 1e-9;
    double a = u0, step = u1 - u0, least = 1e-9 * (u1 - u0);
    while (a < u1) {
        double          b     = u1 - a <= 1.0000001 * step ? u1 : a + step, length, error;
        kl_arc_interval trial = {.s = map->length};
        if (!try_interval(&speed, a, b, tolerance, trial.c, &length, &error)) {
            step = 0.5 * (b - a);
            if (!(step > least) || map->n > MOST_INTERVALS) return KL_E_RANGE;
            continue;
        }
        void            *data = map->interval;
        kl_arc_interval *slot = kl_arena_grow(arena, &data, map->n, &map->capacity, sizeof *slot);
        if (!slot) return KL_E_MEMORY;
        map->interval = data;
        *slot         = trial;
        map->n++;
        map->length += length;
        a = b;
        step *= 2.0;
    }
    *out = map;
    return KL_OK;
}

void kl_length_map_eval(const kl_length_map *map, double s, double u[3])
{
    int low = 0, high = map->n - 1;
    while (low < high) {
        int mid = (low + high + 1) / 2;
        if (map->interval[mid].s <= s) low = mid;
        else high = mid - 1;
    }
    const double *c = map->interval[low].c;
    double        x = s - map->interval[low].s;
    u[0]            = polynomial(c, x);
    u[1]            = c[1] + x * (2 * c[2] + x * (3 * c[3] + x * (4 * c[4] + x * 5 * c[5])));
    u[2]            = 2 * c[2] + x * (6 * c[3] + x * (12 * c[4] + x * 20 * c[5]));
}
