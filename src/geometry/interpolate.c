/* Every kind first finds slopes m_i (and for the quintic second derivatives M_i) at the points;
 * Hermite's formula on each interval then gives the coefficients.
 *
 *   cubic:   m from continuity of f'' (de Boor, A Practical Guide to Splines, ch. IV)
 *   akima:   m_i = (w1 d_{i-1} + w2 d_i)/(w1 + w2), w1 = |d_{i+1} - d_i|, w2 = |d_{i-1} - d_{i-2}|
 *            (Akima, J. ACM 17, 1970)
 *   monotone: weighted harmonic mean of the two chord slopes, zero where they differ in
 *            sign (Fritsch and Butland, SIAM J. Sci. Stat. Comput. 5, 1984), so that |m| stays
 *            under three times the smaller chord slope: Fritsch and Carlson's condition
 *   quintic: m and M make the integral of (f''')^2 stationary, which is continuity of f''' and
 *            f''''; the matrix is that integral's Hessian, symmetric and positive definite
 *
 * The two global kinds are block tridiagonal (blocks of 1 and 2). The concavity-preserving kind has
 * pieces of its own: concave_spline.h. */
#include "geometry/interpolate.h"

#include <math.h>
#include <string.h>

#include "geometry/block_tridiagonal.h"
#include "geometry/concave_spline.h"

static const struct {
    const char *name;
    int         smoothness;
} kinds[KL_NINTERPOLATION] = {
    [KL_LINEAR] = {"linear", 0},   [KL_CUBIC] = {"cubic", 2},
    [KL_AKIMA] = {"akima", 1},     [KL_MONOTONE] = {"monotone", 1},
    [KL_QUINTIC] = {"quintic", 4}, [KL_CONCAVITY] = {"concavity-preserving", 1},
};

const char *kl_interpolation_name(kl_interpolation kind)
{
    return kind < KL_NINTERPOLATION ? kinds[kind].name : NULL;
}

const char *const *kl_interpolation_names(void)
{
    static const char *const names[] = {
        "linear", "cubic", "akima", "monotone", "quintic", "concavity-preserving", NULL};
    return names;
}

bool kl_interpolation_find(const char *name, kl_interpolation *kind)
{
    if (strcmp(name, "shape-preserving") == 0) name = "monotone"; /* its name in older models */
    for (int k = 0; k < KL_NINTERPOLATION; k++) {
        if (strcmp(name, kinds[k].name) != 0) continue;
        *kind = (kl_interpolation)k;
        return true;
    }
    return false;
}

bool kl_interpolation_renamed(kl_diag *diag, kl_place place, const char *key, const char **name)
{
    if (strcmp(*name, "shape-preserving") != 0) return false;
    *name = "monotone";
    kl_note(diag, place,
            "%s: 'shape-preserving' is now called 'monotone'; 'concavity-preserving' gives a curve "
            "whose curvature follows the points",
            key);
    return true;
}

int kl_interpolation_smoothness(kl_interpolation kind) { return kinds[kind].smoothness; }

/* ---- the problem as the methods see it ---- */

typedef struct task {
    int           n;     /* points */
    int           np;    /* pieces: n - 1, closed n */
    const double *h, *d; /* interval lengths and chord slopes, np each */
    bool          closed;
    kl_end        end[2];
    double       *m, *M; /* found: first and second derivatives at the n points */
    kl_arena     *scratch;
    const double *f, *x; /* values and places, n each */
} task;

static int before(const task *t, int i) { return i > 0 ? i - 1 : t->np - 1; }

/* ---- the C2 cubic ---- */

/* Row of the first (side 0) or last point; `a` is the interval at that end, `b` the next one. */
static void cubic_end(const task *t, kl_blocks *s, int side)
{
    int     i = side ? t->n - 1 : 0, a = side ? t->np - 1 : 0, b = side ? t->np - 2 : 1;
    double  ha = t->h[a], da = t->d[a];
    double *towards = side ? s->lower : s->upper;
    if (t->end[side].kind == KL_END_SLOPE) {
        s->diag[i] = 1.0, s->rhs[i] = t->end[side].slope;
        return;
    }
    if (t->end[side].kind == KL_END_NATURAL) {
        s->diag[i] = 2.0, towards[i] = 1.0, s->rhs[i] = 3.0 * da;
        return;
    }
    if (t->np == 1) { /* two points: the line, or the parabola with the other end's slope */
        bool other = t->end[1 - side].kind == KL_END_SLOPE;
        s->diag[i] = 1.0, s->rhs[i] = other ? 2.0 * da - t->end[1 - side].slope : da;
        return;
    }
    double hb = t->h[b], db = t->d[b];
    if (t->np == 2) { /* three points: the slope of their parabola */
        s->diag[i] = 1.0, s->rhs[i] = da + (da - db) * ha / (ha + hb);
        return;
    }
    s->diag[i] = hb, towards[i] = ha + hb;
    s->rhs[i] = ((ha + 2.0 * (ha + hb)) * hb * da + ha * ha * db) / (ha + hb);
}

static kl_status cubic_slopes(task *t)
{
    kl_blocks s;
    if (!kl_blocks_create(&s, t->n, 1, t->scratch)) return KL_E_MEMORY;
    int inner0 = t->closed ? 0 : 1, inner1 = t->closed ? t->n : t->n - 1;
    for (int i = inner0; i < inner1; i++) {
        int    p  = before(t, i);
        double hp = t->h[p], hi = t->h[i];
        s.lower[i] = hi, s.diag[i] = 2.0 * (hp + hi), s.upper[i] = hp;
        s.rhs[i] = 3.0 * (hi * t->d[p] + hp * t->d[i]);
    }
    if (!t->closed) {
        cubic_end(t, &s, 0);
        cubic_end(t, &s, 1);
    }
    if (!kl_blocks_solve(&s, t->closed, t->scratch)) return KL_E_MEMORY;
    memcpy(t->m, s.rhs, (size_t)t->n * sizeof *t->m);
    return KL_OK;
}

/* ---- the C4 quintic ---- */

/* First and second derivative at x[first] of the polynomial through `count` points from there on in
 * direction `step`; by Newton's divided differences. */
static void end_derivatives(const task *t, int first, int step, int count, double *m, double *M)
{
    double a[6] = {0}, p = 1.0, p1 = 0.0, p2 = 0.0, x0 = t->x[first];
    for (int i = 0; i < count; i++) a[i] = t->f[first + step * i];
    for (int k = 1; k < count; k++)
        for (int i = count - 1; i >= k; i--)
            a[i] = (a[i] - a[i - 1]) / (t->x[first + step * i] - t->x[first + step * (i - k)]);
    *m = *M = 0.0;
    for (int k = 0; k < count; k++) {
        *m += a[k] * p1;
        *M += a[k] * p2;
        double y = x0 - t->x[first + step * k]; /* the next basis polynomial is p (x - x_k) */
        p2       = p2 * y + 2.0 * p1;
        p1       = p1 * y + p;
        p        = p * y;
    }
}

/* Rows of an end. Free: m and M of the sextic's worth of points at the end, whose errors h^5 and
 * h^4 keep the order 6 of the spline. Slope: m given, f''' = 0 stays. Natural: nothing to do. */
static void quintic_end(const task *t, kl_blocks *s, int side)
{
    int     i = side ? t->n - 1 : 0;
    double *D = s->diag + 4 * (size_t)i, *O = (side ? s->lower : s->upper) + 4 * (size_t)i;
    double *rhs = s->rhs + 2 * (size_t)i;
    if (t->end[side].kind == KL_END_NATURAL) return;
    if (t->end[side].kind == KL_END_SLOPE) {
        D[0] = 1.0, D[1] = 0.0, O[0] = O[1] = 0.0, rhs[0] = t->end[side].slope;
        return;
    }
    D[0] = 1.0, D[1] = 0.0, D[2] = 0.0, D[3] = 1.0;
    O[0] = O[1] = O[2] = O[3] = 0.0;
    end_derivatives(t, i, side ? -1 : 1, t->n < 6 ? t->n : 6, &rhs[0], &rhs[1]);
}

/* Adds the derivatives of half the integral of (f''')^2 over the interval from point i to j by m
 * and M at its ends; chord slope d. */
static void quintic_interval(kl_blocks *s, int i, int j, double h, double d)
{
    double h2 = h * h, h3 = h2 * h;
    /* at the start: d/dm = f''''(0), d/dM = -f'''(0) */
    double *D = s->diag + 4 * (size_t)i, *U = s->upper + 4 * (size_t)i;
    D[0] += 192.0 / h3, D[1] += 36.0 / h2, U[0] += 168.0 / h3, U[1] -= 24.0 / h2;
    D[2] += 36.0 / h2, D[3] += 9.0 / h, U[2] += 24.0 / h2, U[3] -= 3.0 / h;
    s->rhs[2 * i] += 360.0 * d / h3;
    s->rhs[2 * i + 1] += 60.0 * d / h2;
    /* at the end: d/dm = -f''''(h), d/dM = f'''(h) */
    double *E = s->diag + 4 * (size_t)j, *L = s->lower + 4 * (size_t)j;
    L[0] += 168.0 / h3, L[1] += 24.0 / h2, E[0] += 192.0 / h3, E[1] -= 36.0 / h2;
    L[2] -= 24.0 / h2, L[3] -= 3.0 / h, E[2] -= 36.0 / h2, E[3] += 9.0 / h;
    s->rhs[2 * j] += 360.0 * d / h3;
    s->rhs[2 * j + 1] -= 60.0 * d / h2;
}

static kl_status quintic_slopes(task *t)
{
    kl_blocks s;
    if (!kl_blocks_create(&s, t->n, 2, t->scratch)) return KL_E_MEMORY;
    for (int i = 0; i < t->np; i++) quintic_interval(&s, i, (i + 1) % t->n, t->h[i], t->d[i]);
    if (!t->closed) {
        quintic_end(t, &s, 0);
        quintic_end(t, &s, 1);
    }
    if (!kl_blocks_solve(&s, t->closed, t->scratch)) return KL_E_MEMORY;
    for (int i = 0; i < t->n; i++) t->m[i] = s.rhs[2 * i], t->M[i] = s.rhs[2 * i + 1];
    return KL_OK;
}

/* ---- the local kinds ---- */

/* Chord slope i, continued beyond the ends: around (closed) or on a parabola (open; Akima). */
static double chord(const task *t, int i)
{
    if (t->closed) return t->d[(i + 2 * t->np) % t->np];
    if (i >= 0 && i < t->np) return t->d[i];
    if (t->np == 1) return t->d[0];
    double first = i < 0 ? t->d[0] : t->d[t->np - 1], next = i < 0 ? t->d[1] : t->d[t->np - 2];
    int    out = i < 0 ? -i : i - t->np + 1;
    return first + out * (first - next);
}

static kl_status akima_slopes(task *t)
{
    for (int i = 0; i < t->n; i++) {
        double a = chord(t, i - 1), b = chord(t, i);
        double wa = fabs(chord(t, i + 1) - b), wb = fabs(a - chord(t, i - 2));
        bool   even = wa + wb <= 1e-12 * (fabs(a) + fabs(b)); /* no kink on either side */
        t->m[i]     = even ? 0.5 * (a + b) : (wa * a + wb * b) / (wa + wb);
    }
    return KL_OK;
}

/* Slope at an open end: the parabola's, held back so that the first interval stays monotone. */
static double monotone_end(double h0, double h1, double d0, double d1)
{
    double m = ((2.0 * h0 + h1) * d0 - h0 * d1) / (h0 + h1);
    if (m * d0 <= 0.0) return 0.0;
    if (d0 * d1 <= 0.0 && fabs(m) > 3.0 * fabs(d0)) return 3.0 * d0;
    return m;
}

static kl_status monotone_slopes(task *t)
{
    int last = t->np - 1;
    for (int i = 0; i < t->n; i++) {
        if (!t->closed && (i == 0 || i == t->n - 1)) continue;
        int    p  = before(t, i);
        double dp = t->d[p], di = t->d[i];
        double w1 = 2.0 * t->h[i] + t->h[p], w2 = t->h[i] + 2.0 * t->h[p];
        t->m[i] = dp * di <= 0.0 ? 0.0 : (w1 + w2) / (w1 / dp + w2 / di);
    }
    if (t->closed) return KL_OK;
    if (last == 0) {
        t->m[0] = t->m[1] = t->d[0];
        return KL_OK;
    }
    t->m[0]        = monotone_end(t->h[0], t->h[1], t->d[0], t->d[1]);
    t->m[t->n - 1] = monotone_end(t->h[last], t->h[last - 1], t->d[last], t->d[last - 1]);
    return KL_OK;
}

static void given_end_slopes(task *t)
{
    if (t->closed) return;
    if (t->end[0].kind == KL_END_SLOPE) t->m[0] = t->end[0].slope;
    if (t->end[1].kind == KL_END_SLOPE) t->m[t->n - 1] = t->end[1].slope;
}

/* ---- coefficients from derivatives at the points ---- */

static void write_pieces(const task *t, kl_interpolation kind, double *c, int cstride)
{
    for (int i = 0; i < t->np; i++) {
        int    j = (i + 1) % t->n;
        double h = t->h[i], d = t->d[i], h2 = h * h;
        double m0 = t->m[i], m1 = t->m[j], M0 = t->M[i], M1 = t->M[j];
        double v[KL_NCOEFFICIENT] = {t->f[i], d};
        if (kind == KL_QUINTIC) {
            v[1] = m0;
            v[2] = 0.5 * M0;
            v[3] = (10.0 * d - 6.0 * m0 - 4.0 * m1) / h2 - (1.5 * M0 - 0.5 * M1) / h;
            v[4] = (-15.0 * d + 8.0 * m0 + 7.0 * m1) / (h2 * h) + (1.5 * M0 - M1) / h2;
            v[5] = (6.0 * d - 3.0 * (m0 + m1)) / (h2 * h2) + 0.5 * (M1 - M0) / (h2 * h);
        } else if (kind != KL_LINEAR) {
            v[1] = m0;
            v[2] = (3.0 * d - 2.0 * m0 - m1) / h;
            v[3] = (m0 + m1 - 2.0 * d) / h2;
        }
        double *out = c + (size_t)i * KL_NCOEFFICIENT * (size_t)cstride;
        for (int k = 0; k < KL_NCOEFFICIENT; k++) out[(size_t)k * (size_t)cstride] = v[k];
    }
}

kl_status kl_interpolate(kl_interpolation kind, const double *x, const double *f, int stride, int n,
                         bool closed, const kl_end ends[2], double *c, int cstride,
                         kl_arena *scratch)
{
    if (n < (closed ? 3 : 2) || kind >= KL_CONCAVITY) return KL_E_USAGE;
    int     np = closed ? n : n - 1;
    double *h = kl_arena_array(scratch, double, np), *d = kl_arena_array(scratch, double, np);
    double *m = kl_arena_array(scratch, double, n), *M = kl_arena_array(scratch, double, n);
    double *value = kl_arena_array(scratch, double, n);
    if (!kl_arena_ok(scratch)) return KL_E_MEMORY;
    for (int i = 0; i < n; i++) value[i] = f[(size_t)i * (size_t)stride];
    for (int i = 0; i < np; i++) {
        h[i] = x[i + 1] - x[i];
        d[i] = (value[(i + 1) % n] - value[i]) / h[i];
        if (!(h[i] > 0.0)) return KL_E_USAGE;
    }
    task t = {.n       = n,
              .np      = np,
              .x       = x,
              .f       = value,
              .h       = h,
              .d       = d,
              .closed  = closed,
              .m       = m,
              .M       = M,
              .scratch = scratch};
    if (ends) t.end[0] = ends[0], t.end[1] = ends[1];

    static kl_status (*const slopes[KL_NINTERPOLATION])(task *) = {
        [KL_CUBIC]    = cubic_slopes,
        [KL_AKIMA]    = akima_slopes,
        [KL_MONOTONE] = monotone_slopes,
        [KL_QUINTIC]  = quintic_slopes,
    };
    if (slopes[kind]) KL_TRY(slopes[kind](&t));
    if (kind == KL_AKIMA || kind == KL_MONOTONE) given_end_slopes(&t);
    write_pieces(&t, kind, c, cstride);
    return KL_OK;
}

/* ---- several components with common knots ---- */

static kl_status pieces_of_intervals(kl_interpolation kind, const kl_points *in,
                                     const kl_end (*ends)[2], kl_pieces *out, kl_arena *scratch)
{
    for (int i = 0; i < out->n; i++) out->x[i] = in->x[i], out->interval[i] = i;
    for (int axis = 0; axis < in->dim; axis++)
        KL_TRY(kl_interpolate(kind, in->x, in->f + axis, in->dim, in->n, in->closed,
                              ends ? ends[axis] : NULL, out->c + axis, in->dim, scratch));
    return KL_OK;
}

/* Places where an interval is cut because the second derivative of a component meets zero there;
 * ascending, without those that all but coincide. */
static int cuts_of(const kl_concave_spline *spline, int dim, int i, double h, double *cut)
{
    int n = 0, kept = 0;
    for (int axis = 0; axis < dim; axis++) {
        double at;
        if (!kl_concave_knot(&spline[axis], i, &at)) continue;
        int k = n++;
        for (; k > 0 && cut[k - 1] > at; k--) cut[k] = cut[k - 1];
        cut[k] = at;
    }
    for (int k = 0; k < n; k++) {
        double before = kept > 0 ? cut[kept - 1] : 0.0;
        if (cut[k] - before > 1e-6 * h && h - cut[k] > 1e-6 * h) cut[kept++] = cut[k];
    }
    return kept;
}

static void add_piece(const kl_points *in, const kl_concave_spline *spline, int i, double from,
                      double to, kl_pieces *out)
{
    int k            = out->n++;
    out->x[k]        = in->x[i] + from;
    out->interval[k] = i;
    double *c        = out->c + (size_t)k * KL_NCOEFFICIENT * (size_t)in->dim;
    for (int axis = 0; axis < in->dim; axis++) {
        double v[KL_NCOEFFICIENT];
        kl_concave_piece(&spline[axis], i, from, 0.5 * (from + to), v);
        for (int j = 0; j < KL_NCOEFFICIENT; j++) c[j * in->dim + axis] = v[j];
    }
}

static kl_status pieces_of_concavity(const kl_points *in, const kl_end (*ends)[2], kl_pieces *out,
                                     kl_arena *scratch)
{
    kl_concave_spline spline[KL_MOST_COMPONENTS];
    for (int axis = 0; axis < in->dim; axis++)
        KL_TRY(kl_concave_fit(&spline[axis], in->x, in->f + axis, in->dim, in->n, in->closed,
                              ends ? ends[axis] : NULL, scratch));
    int intervals = out->n;
    out->n        = 0;
    for (int i = 0; i < intervals; i++) {
        double cut[KL_MOST_COMPONENTS], h = in->x[i + 1] - in->x[i], from = 0.0;
        int    ncut = cuts_of(spline, in->dim, i, h, cut);
        for (int k = 0; k < ncut; from = cut[k++]) add_piece(in, spline, i, from, cut[k], out);
        add_piece(in, spline, i, from, h, out);
    }
    return KL_OK;
}

kl_status kl_interpolate_pieces(kl_interpolation kind, const kl_points *in, const kl_end (*ends)[2],
                                kl_pieces *out, kl_arena *scratch)
{
    if (in->dim < 1 || in->dim > KL_MOST_COMPONENTS || in->n < (in->closed ? 3 : 2))
        return KL_E_USAGE;
    int    intervals = in->closed ? in->n : in->n - 1;
    size_t most      = (size_t)intervals * (kind == KL_CONCAVITY ? (size_t)(1 + in->dim) : 1);
    out->n           = intervals;
    out->x           = kl_arena_array(scratch, double, most);
    out->interval    = kl_arena_array(scratch, int, most);
    out->c           = kl_arena_array(scratch, double, most *KL_NCOEFFICIENT *(size_t)in->dim);
    if (!kl_arena_ok(scratch)) return KL_E_MEMORY;
    return kind == KL_CONCAVITY ? pieces_of_concavity(in, ends, out, scratch)
                                : pieces_of_intervals(kind, in, ends, out, scratch);
}
