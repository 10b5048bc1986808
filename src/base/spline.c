/* Cubic splines by their second derivatives M at the points.
 *
 * With h_i = x_{i+1} - x_i and slopes d_i = (y_{i+1} - y_i)/h_i, a continuous first derivative asks
 *
 *   h_{i-1} M_{i-1} + 2 (h_{i-1} + h_i) M_i + h_i M_{i+1} = 6 (d_i - d_{i-1}),   0 < i < n-1
 *
 * (de Boor, A Practical Guide to Splines, chapter IV). Not-a-knot asks that the third derivative be
 * continuous at x_1 and x_{n-2}, which gives M_0 = M_1 - (h_0/h_1)(M_2 - M_1) and its mirror image;
 * put into the first and last row they leave a tridiagonal system that is diagonally dominant.
 */
#include "base/spline.h"

#include <math.h>
#include <string.h>

struct kl_spline {
    int            n;
    kl_spline_kind kind;
    kl_spline_ends ends;
    double        *x, *y, *M; /* points and second derivatives there; M stays zero for lines */
};

int kl_spline_check(const double *x, int n)
{
    for (int i = 0; i < n; i++)
        if (!isfinite(x[i]) || (i > 0 && !(x[i] > x[i - 1]))) return i;
    return -1;
}

/* Solves a tridiagonal system in place: lower a, diagonal b, upper c, right side r. The diagonal is
 * dominant, so no pivots are needed. b and r are overwritten; the solution is in r. */
static void solve_tridiagonal(const double *a, double *b, const double *c, double *r, int n)
{
    for (int i = 1; i < n; i++) {
        double w = a[i] / b[i - 1];
        b[i] -= w * c[i - 1];
        r[i] -= w * r[i - 1];
    }
    r[n - 1] /= b[n - 1];
    for (int i = n - 2; i >= 0; i--) r[i] = (r[i] - c[i] * r[i + 1]) / b[i];
}

static double step(const kl_spline *s, int i) { return s->x[i + 1] - s->x[i]; }
static double slope(const kl_spline *s, int i) { return (s->y[i + 1] - s->y[i]) / step(s, i); }

/* The inner rows, for M_1 to M_{n-2}, at [0] to [n-3]. */
static void inner_rows(const kl_spline *s, double *a, double *b, double *c, double *r)
{
    for (int i = 1; i < s->n - 1; i++) {
        a[i - 1] = step(s, i - 1);
        b[i - 1] = 2 * (step(s, i - 1) + step(s, i));
        c[i - 1] = step(s, i);
        r[i - 1] = 6 * (slope(s, i) - slope(s, i - 1));
    }
}

static void solve_natural(kl_spline *s, double *a, double *b, double *c)
{
    inner_rows(s, a, b, c, s->M + 1);
    solve_tridiagonal(a, b, c, s->M + 1, s->n - 2);
}

static void solve_not_a_knot(kl_spline *s, double *a, double *b, double *c)
{
    int     n = s->n;
    double *M = s->M;
    if (n == 3) {    // the parabola: one second derivative everywhere
        M[0] = M[1] = M[2] = 2 * (slope(s, 1) - slope(s, 0)) / (s->x[2] - s->x[0]);
        return;
    }
    double p = step(s, 0) / step(s, 1), q = step(s, n - 2) / step(s, n - 3);
    inner_rows(s, a, b, c, M + 1);
    b[0] += a[0] * (1 + p);
    c[0] -= a[0] * p;
    b[n - 3] += c[n - 3] * (1 + q);
    a[n - 3] -= c[n - 3] * q;
    solve_tridiagonal(a, b, c, M + 1, n - 2);
    M[0]     = (1 + p) * M[1] - p * M[2];
    M[n - 1] = (1 + q) * M[n - 2] - q * M[n - 3];
}

/* Periodic: m = n-1 unknowns in a ring. The two corner entries are a rank-one change of a
 * tridiagonal matrix (Sherman and Morrison); z is one more column of scratch. */
static void solve_periodic(kl_spline *s, double *a, double *b, double *c, double *z)
{
    int     m = s->n - 1;
    double *M = s->M;
    for (int i = 0; i < m; i++) {
        int before = i > 0 ? i - 1 : m - 1;
        a[i]       = step(s, before);
        b[i]       = 2 * (step(s, before) + step(s, i));
        c[i]       = step(s, i);
        M[i]       = 6 * (slope(s, i) - slope(s, before));
    }
    if (m == 1) M[0] = 0;
    if (m == 2) {    // both neighbours are the same point
        double off = a[0] + c[0], det = b[0] * b[1] - off * off, r0 = M[0], r1 = M[1];
        M[0] = (b[1] * r0 - off * r1) / det;
        M[1] = (b[0] * r1 - off * r0) / det;
    }
    if (m > 2) {
        // A = T + u v' with u = (g, 0, ..., corner), v = (1, 0, ..., corner/g)
        double  corner = a[0], g = -b[0];
        double *b2 = z + m;
        b[0] -= g;
        b[m - 1] -= corner * corner / g;
        memset(z, 0, (size_t)m * sizeof *z);
        z[0]     = g;
        z[m - 1] = corner;
        memcpy(b2, b, (size_t)m * sizeof *b);
        solve_tridiagonal(a, b, c, M, m);
        solve_tridiagonal(a, b2, c, z, m);
        double k = (M[0] + corner / g * M[m - 1]) / (1 + z[0] + corner / g * z[m - 1]);
        for (int i = 0; i < m; i++) M[i] -= k * z[i];
    }
    M[m] = M[0];
}

/* Slopes of a monotone C1 curve: the weighted harmonic mean of the neighbouring secants, zero where
 * they differ in sign (Fritsch and Butland 1984). The end slopes are the end secants, so that the curve is
 * extrapolated by straight lines without a corner. The slopes take the place of M. */
static void solve_monotone(kl_spline *s)
{
    int n                   = s->n;
    s->M[0]                 = n > 1 ? slope(s, 0) : 0.0;
    s->M[n > 1 ? n - 1 : 0] = n > 1 ? slope(s, n - 2) : 0.0;
    for (int i = 1; i < n - 1; i++) {
        double a = slope(s, i - 1), b = slope(s, i), h = step(s, i - 1), k = step(s, i);
        s->M[i] = a * b > 0.0 ? 3.0 * (h + k) / ((2.0 * k + h) / a + (k + 2.0 * h) / b) : 0.0;
    }
}

static void solve(kl_spline *s, double *scratch)
{
    double *a = scratch, *b = a + s->n, *c = b + s->n, *z = c + s->n;
    if (s->kind == KL_SPLINE_PERIODIC) solve_periodic(s, a, b, c, z);
    else if (s->kind == KL_SPLINE_MONOTONE) solve_monotone(s);
    else if (s->n < 3) return;
    else if (s->kind == KL_SPLINE_NATURAL) solve_natural(s, a, b, c);
    else if (s->kind == KL_SPLINE_CUBIC) solve_not_a_knot(s, a, b, c);
}

kl_spline *kl_spline_create(kl_arena *arena, const double *x, const double *y, int n,
                            kl_spline_kind kind, kl_spline_ends ends)
{
    if (n < 1 || kl_spline_check(x, n) >= 0) return NULL;
    if (kind == KL_SPLINE_PERIODIC && (n < 2 || y[0] != y[n - 1])) return NULL;
    kl_arena  *temporary = kl_arena_create();
    double    *scratch   = kl_arena_array(temporary, double, 5 * (size_t)n);
    kl_spline *s         = kl_arena_take(arena, sizeof *s);
    double    *data      = kl_arena_array(arena, double, 3 * (size_t)n);
    if (s && data && scratch) {
        *s = (kl_spline){n, kind, ends, data, data + n, data + 2 * n};
        memcpy(s->x, x, (size_t)n * sizeof *x);
        memcpy(s->y, y, (size_t)n * sizeof *y);
        solve(s, scratch);
    } else {
        s = NULL;
    }
    kl_arena_destroy(temporary);
    return s;
}

/* The interval x lies in, by halving; the first or last one if outside. */
static int find_interval(const kl_spline *s, double x)
{
    int low = 0, high = s->n - 1;
    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        if (x >= s->x[middle]) low = middle;
        else high = middle;
    }
    return low;
}

static void eval_interval(const kl_spline *s, int i, double x, double out[3])
{
    double h = step(s, i), t = x - s->x[i], M0 = s->M[i], M1 = s->M[i + 1];
    if (s->kind == KL_SPLINE_MONOTONE) { /* from end slopes to second derivatives at the ends */
        double d0 = M0, d1 = M1, secant = slope(s, i);
        M0 = (6.0 * secant - 4.0 * d0 - 2.0 * d1) / h;
        M1 = (2.0 * d0 + 4.0 * d1 - 6.0 * secant) / h;
    }
    double b = slope(s, i) - h * (2 * M0 + M1) / 6, d = (M1 - M0) / (6 * h);
    out[0] = s->y[i] + t * (b + t * (M0 / 2 + t * d));
    out[1] = b + t * (M0 + 3 * t * d);
    out[2] = M0 + 6 * t * d;
}

void kl_spline_eval(const kl_spline *s, double x, double out[3])
{
    double first = s->x[0], last = s->x[s->n - 1];
    if (s->n == 1) {
        out[0] = s->y[0];
        out[1] = out[2] = 0;
        return;
    }
    if (s->kind == KL_SPLINE_PERIODIC) {
        double period = last - first;
        if (x < first || x >= last) x -= period * floor((x - first) / period);
        eval_interval(s, find_interval(s, x), x, out);
        return;
    }
    if (x < first || x > last) {
        double end = x < first ? first : last;
        eval_interval(s, find_interval(s, end), end, out);
        out[0] = x < first ? s->y[0] : s->y[s->n - 1];
        out[1] = s->ends == KL_ENDS_LINEAR ? out[1] : 0;
        out[2] = 0;
        if (s->ends == KL_ENDS_LINEAR) out[0] += out[1] * (x - end);
        return;
    }
    eval_interval(s, find_interval(s, x), x, out);
}

int            kl_spline_size(const kl_spline *s) { return s->n; }
double         kl_spline_x(const kl_spline *s, int i) { return s->x[i]; }
double         kl_spline_y(const kl_spline *s, int i) { return s->y[i]; }
kl_spline_kind kl_spline_kind_of(const kl_spline *s) { return s->kind; }

int kl_spline_corners(const kl_spline *s, double *x, int capacity)
{
    if (s->kind == KL_SPLINE_PERIODIC || s->n == 1) return 0;
    bool all = s->kind == KL_SPLINE_LINEAR || s->kind == KL_SPLINE_MONOTONE;
    int  n   = all ? s->n : 2;
    for (int i = 0; i < n && i < capacity; i++) x[i] = s->x[all || i == 0 ? i : s->n - 1];
    return n;
}
