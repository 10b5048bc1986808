/* With the hat functions N_i (1 at x_i, 0 at its neighbours) f interpolates exactly when
 *
 *   integral of f'' N_i = D_i = d_i - d_{i-1}            (change of chord slope at point i)
 *
 * (at an end with slope m: D = d_0 - m). The least curvature under a sign condition is
 * f'' = P(sum_j alpha_j N_j), where P keeps the positive part in convex intervals, the negative part
 * in concave ones, nothing where three points lie on a line, and everything elsewhere. alpha
 * minimises the convex function
 *
 *   L(alpha) = 1/2 integral of P(sum alpha_j N_j)^2 - sum alpha_j D_j
 *
 * by Newton's method: its gradient is M(alpha) alpha - D with M_ij = integral of N_i N_j over the
 * active parts, which is tridiagonal (Dontchev, Qi and Qi, Constructive Approximation 19, 2003,
 * prove its convergence). */
#include "geometry/concave_spline.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "geometry/block_tridiagonal.h"

enum { FLAT = 2, MOST_ITERATIONS = 200 };

typedef struct fit {
    kl_concave_spline *s;
    int                n; /* points */
    bool               closed, natural[2];
    double            *D; /* n: change of slope at the points */
    double             largest;
    double            *alpha; /* n */
} fit;

static int next(const fit *t, int i) { return (i + 1) % t->n; }

static double at(const double *f, int stride, int i) { return f[(size_t)i * (size_t)stride]; }

/* The active part [u, v] of an interval, in parts of its length. */
static bool active(int sign, double a, double b, double *u, double *v)
{
    *u = 0.0, *v = 1.0;
    if (sign == FLAT) return false;
    if (sign == 0) return true;
    double p = sign * a, q = sign * b;
    if (p <= 0.0 && q <= 0.0) return false;
    if (p < 0.0) *u = p / (p - q);
    if (q < 0.0) *v = p / (p - q);
    return *v > *u;
}

/* Integrals of N_i^2, N_i N_j, N_j^2 over the active part, N_i = 1 - r, N_j = r. */
static void gram(double h, double u, double v, double g[3])
{
    double cube = (v * v * v - u * u * u) / 3.0, square = (v * v - u * u) / 2.0;
    g[0] = h * ((v - u) - 2.0 * square + cube);
    g[1] = h * (square - cube);
    g[2] = h * cube;
}

/* D - M alpha into `r`, and M. */
static void gradient(const fit *t, const double *alpha, double *r, kl_blocks *m)
{
    for (int i = 0; i < t->n; i++) {
        r[i]        = t->D[i];
        m->lower[i] = m->upper[i] = m->diag[i] = 0.0;
    }
    for (int i = 0; i < t->s->np; i++) {
        int    j = next(t, i);
        double u, v, g[3] = {0};
        /* a small part of the full Gram matrix keeps the step finite where nothing is active */
        double least = 1e-12 * t->s->h[i] / 3.0;
        if (active(t->s->sign[i], alpha[i], alpha[j], &u, &v)) gram(t->s->h[i], u, v, g);
        r[i] -= g[0] * alpha[i] + g[1] * alpha[j];
        r[j] -= g[1] * alpha[i] + g[2] * alpha[j];
        m->diag[i] += g[0] + least, m->diag[j] += g[2] + least;
        m->upper[i] += g[1], m->lower[j] += g[1];
    }
}

/* f'' = 0 at a natural end: its alpha stays 0. */
static void hold_natural_ends(const fit *t, double *r, kl_blocks *m)
{
    for (int side = 0; side < 2; side++) {
        int i = side ? t->n - 1 : 0, j = side ? t->n - 2 : 1;
        if (!t->natural[side]) continue;
        r[i] = 0.0, m->diag[i] = 1.0, m->upper[i] = m->lower[i] = 0.0;
        (side ? m->upper : m->lower)[j] = 0.0;
    }
}

static double largest(const double *v, int n)
{
    double most = 0.0;
    for (int i = 0; i < n; i++) most = fmax(most, fabs(v[i]));
    return most;
}

/* Full steps; the iterate with the smallest gradient is kept, should the last digits not settle. */
static kl_status newton(fit *t, kl_arena *scratch)
{
    kl_blocks m;
    double   *r     = kl_arena_array(scratch, double, t->n);
    double   *alpha = kl_arena_array(scratch, double, t->n);
    if (!kl_blocks_create(&m, t->n, 1, scratch) || !kl_arena_ok(scratch)) return KL_E_MEMORY;
    double enough = 1e-12 * largest(t->D, t->n), best = HUGE_VAL;
    for (int k = 0; k < MOST_ITERATIONS && best > enough; k++) {
        gradient(t, alpha, r, &m);
        if (!t->closed) hold_natural_ends(t, r, &m);
        double left = largest(r, t->n);
        if (left < best) {
            best = left;
            memcpy(t->alpha, alpha, (size_t)t->n * sizeof *alpha);
        }
        memcpy(m.rhs, r, (size_t)t->n * sizeof *r);
        if (!kl_blocks_solve(&m, t->closed, scratch)) return KL_E_MEMORY;
        for (int i = 0; i < t->n; i++) alpha[i] += m.rhs[i];
    }
    return KL_OK; /* slopes at the points differ by `best` */
}

/* ---- signs and ends ---- */

/* Change of slope at point i below which the line is straight: what rounding of the values makes, or
 * nothing beside the largest change. */
static double rounding(const fit *t, const double *f, int stride, int i)
{
    const double *h = t->s->h;
    int           p = i > 0 ? i - 1 : t->s->np - 1, q = i < t->s->np ? i : t->s->np - 1;
    double        noise = 32.0 * DBL_EPSILON * fabs(at(f, stride, i)) * (1.0 / h[p] + 1.0 / h[q]);
    return fmax(noise, 1e-8 * t->largest);
}

static int sign_of(double D, double noise) { return D > noise ? 1 : D < -noise ? -1 : 0; }

static int sign_at(const fit *t, const double *f, int stride, int i)
{
    return sign_of(t->D[i], rounding(t, f, stride, i));
}

/* Do at least three points bend the line from point i on in direction `step`? Fewer are a corner
 * between straight lines: f'' >= 0 would squeeze it into a fraction of an interval. */
static bool bends(const fit *t, const double *f, int stride, int i, int step)
{
    for (int k = 0; k < 3; k++) {
        int j = i + k * step;
        if (!t->closed && (j <= 0 || j >= t->n - 1)) return true;
        if (sign_at(t, f, stride, (j + 2 * t->n) % t->n) == 0) return false;
    }
    return true;
}

/* Sign of f'' in interval i. Between a straight line and a bend f'' = 0, so that the line stays
 * straight; beside a corner it is free, so that the slope stays continuous. */
static int interval_sign(const fit *t, const double *f, int stride, int i)
{
    int j = next(t, i), p = sign_at(t, f, stride, i), q = sign_at(t, f, stride, j);
    if (!t->closed && t->s->np > 1) { /* the sign at an end is that of its neighbour */
        if (i == 0) p = q;
        if (i == t->s->np - 1) q = p;
    }
    if (p * q != 0) return p * q < 0 ? 0 : p;
    if (p != 0) return bends(t, f, stride, i, -1) ? FLAT : 0;
    if (q != 0) return bends(t, f, stride, j, 1) ? FLAT : 0;
    return FLAT;
}

static void find_signs(fit *t, const double *f, int stride)
{
    for (int i = 0; i < t->s->np; i++) t->s->sign[i] = (signed char)interval_sign(t, f, stride, i);
}

/* Slope at an end of the polynomial through up to four points (Newton's divided differences). */
static double free_slope(const double *x, const double *f, int stride, int n, int side)
{
    int    count = n < 4 ? n : 4, first = side ? n - 1 : 0, step = side ? -1 : 1;
    double a[4], X[4], slope = 0.0, product = 1.0;
    for (int i = 0; i < count; i++)
        X[i] = x[first + step * i], a[i] = at(f, stride, first + step * i);
    for (int k = 1; k < count; k++)
        for (int i = count - 1; i >= k; i--) a[i] = (a[i] - a[i - 1]) / (X[i] - X[i - k]);
    for (int k = 1; k < count; k++) {
        slope += a[k] * product;
        product *= X[0] - X[k];
    }
    return slope;
}

/* D at an open end. A free slope is limited so that the first interval can have the sign of its
 * neighbour: 0 <= D_0 <= 2 D_1 (a linear f'' >= 0 that ends in zero gives D_0 = 2 D_1). */
static void find_end(fit *t, const double *x, const double *f, int stride, const kl_end *end,
                     int side)
{
    int    i = side ? t->n - 1 : 0, near = side ? t->n - 2 : 1;
    double h     = side ? -t->s->h[t->s->np - 1] : t->s->h[0];
    double chord = (at(f, stride, near) - at(f, stride, i)) / h;
    bool   given = end && end->kind == KL_END_SLOPE;
    double m     = given ? end->slope : free_slope(x, f, stride, t->n, side);
    double D     = side ? m - chord : chord - m;
    if (!given && t->n > 2) {
        double most = 2.0 * t->D[near];
        D           = most > 0.0 ? fmin(fmax(D, 0.0), most) : fmax(fmin(D, 0.0), most);
    }
    t->natural[side] = end && end->kind == KL_END_NATURAL;
    t->D[i]          = D;
}

/* Double integral of f'' over interval i: the rise above the tangent at its beginning. */
static double rise(const kl_concave_spline *s, int i)
{
    double u, v, g[3];
    if (!active(s->sign[i], s->a[i], s->b[i], &u, &v)) return 0.0;
    gram(s->h[i], u, v, g); /* h times the integral of (1 - r) f'' */
    return s->h[i] * (g[0] * s->a[i] + g[1] * s->b[i]);
}

static void finish(fit *t, const double *f, int stride)
{
    kl_concave_spline *s = t->s;
    for (int i = 0; i < s->np; i++) {
        int    j     = next(t, i);
        double value = at(f, stride, i);
        s->a[i] = t->alpha[i], s->b[i] = t->alpha[j], s->f0[i] = value;
        s->m[i] = (at(f, stride, j) - value - rise(s, i)) / s->h[i];
    }
}

static bool take_memory(kl_concave_spline *s, fit *t, kl_arena *scratch)
{
    s->h     = kl_arena_array(scratch, double, s->np);
    s->f0    = kl_arena_array(scratch, double, s->np);
    s->m     = kl_arena_array(scratch, double, s->np);
    s->a     = kl_arena_array(scratch, double, s->np);
    s->b     = kl_arena_array(scratch, double, s->np);
    s->sign  = kl_arena_array(scratch, signed char, s->np);
    t->D     = kl_arena_array(scratch, double, t->n);
    t->alpha = kl_arena_array(scratch, double, t->n);
    return kl_arena_ok(scratch);
}

kl_status kl_concave_fit(kl_concave_spline *s, const double *x, const double *f, int stride, int n,
                         bool closed, const kl_end ends[2], kl_arena *scratch)
{
    if (n < (closed ? 3 : 2)) return KL_E_USAGE;
    *s    = (kl_concave_spline){.np = closed ? n : n - 1};
    fit t = {.s = s, .n = n, .closed = closed};
    if (!take_memory(s, &t, scratch)) return KL_E_MEMORY;
    for (int i = 0; i < s->np; i++) {
        int j   = next(&t, i);
        s->h[i] = x[i + 1] - x[i];
        if (!(s->h[i] > 0.0)) return KL_E_USAGE;
        double chord = (at(f, stride, j) - at(f, stride, i)) / s->h[i];
        t.D[i] += chord, t.D[j] -= chord;
    }
    for (int side = 0; side < 2 && !closed; side++)
        find_end(&t, x, f, stride, ends ? &ends[side] : NULL, side);
    t.largest = largest(t.D, n);
    find_signs(&t, f, stride);
    KL_TRY(newton(&t, scratch));
    finish(&t, f, stride);
    return KL_OK;
}

/* ---- pieces ---- */

bool kl_concave_knot(const kl_concave_spline *s, int i, double *place)
{
    double a = s->a[i], b = s->b[i];
    if ((s->sign[i] != 1 && s->sign[i] != -1) || !(a * b < 0.0)) return false;
    *place = s->h[i] * a / (a - b);
    return true;
}

/* With an inner knot the cubics on its two sides differ by (jump of the third derivative)/6 times
 * (x - knot)^3. */
void kl_concave_piece(const kl_concave_spline *s, int i, double x, double inside,
                      double c[KL_NCOEFFICIENT])
{
    double slope = (s->b[i] - s->a[i]) / s->h[i], knot = 0.0, u, v;
    bool   cut  = kl_concave_knot(s, i, &knot);
    bool begins = active(s->sign[i], s->a[i], s->b[i], &u, &v) && u == 0.0; /* f'' not 0 at first */
    double second = begins ? s->a[i] : 0.0, third = begins ? slope : 0.0;
    double jump = !cut || inside < knot ? 0.0 : begins ? -slope : slope, y = x - knot;
    c[0] = s->f0[i] + x * (s->m[i] + x * (second / 2.0 + x * third / 6.0)) + jump * y * y * y / 6.0;
    c[1] = s->m[i] + x * (second + x * third / 2.0) + jump * y * y / 2.0;
    c[2] = (second + x * third + jump * y) / 2.0;
    c[3] = (third + jump) / 6.0;
    c[4] = c[5] = 0.0;
}
