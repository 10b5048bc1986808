#include "geometry/smooth_curve.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* ---- noise ---- */

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Standard deviation of n sizes, which are sorted. Rounded numbers are not normally distributed and a
 * few points may lie far off: the larger of the median and of the root mean square without the
 * largest tenth, each scaled to what it is for normal noise. */
static double usual_size(double *size, int n)
{
    double sum  = 0.0;
    int    most = n - n / 10;
    qsort(size, (size_t)n, sizeof *size, ascending);
    for (int i = 0; i < most; i++) sum += size[i] * size[i];
    return fmax(size[n / 2] / 0.6745, sqrt(sum / most) / 0.7893);
}

double kl_points_noise(const double *y, const double *z, int n, kl_arena *scratch)
{
    double *miss = kl_arena_array(scratch, double, n);
    if (!miss) return 0.0;
    int m = 0;
    for (int i = 2; i + 2 < n; i++) {
        /* Lagrange's cubic through i-2, i-1, i+1, i+2 over the chord length, at i */
        double s[5] = {0}, ey = y[i], ez = z[i], gain = 1.0;
        for (int k = 1; k < 5; k++)
            s[k] = s[k - 1] + hypot(y[i - 2 + k] - y[i - 3 + k], z[i - 2 + k] - z[i - 3 + k]);
        for (int k = 0; k < 5; k++) {
            if (k == 2) continue;
            double w = 1.0;
            for (int j = 0; j < 5; j++)
                if (j != k && j != 2) w *= (s[2] - s[j]) / (s[k] - s[j]);
            ey -= w * y[i - 2 + k], ez -= w * z[i - 2 + k], gain += w * w;
        }
        /* across the curve: along it, uneven steps are no noise */
        double ty = y[i + 1] - y[i - 1], tz = z[i + 1] - z[i - 1];
        miss[m++] = fabs(ey * tz - ez * ty) / hypot(ty, tz) / sqrt(gain);
    }
    return usual_size(miss, m);
}

/* ---- the equations ---- */

enum { BAND = 7 }; /* two unknowns an index, splines reach over four indices */

typedef struct fit {
    int           n, m;   /* points, intervals */
    const double *y, *z;  /* points, n */
    double       *s;      /* chord length in intervals, n */
    double       *c;      /* unknowns: y and z of each coefficient in turn, 2 (m + 3) */
    double       *matrix; /* lower band, row by row, BAND + 1 */
    double       *hold;   /* 2 m + 1 places: 1 where the curvature is held at zero */
    double       *miss;   /* distances of the points, n */
    double       *ease;   /* factor of lambda in each interval, m */
    double        lambda;
} fit;

static void basis(double t, double b[4])
{
    double u = 1.0 - t;
    b[0] = u * u * u / 6, b[3] = t * t * t / 6;
    b[1] = (4 + t * t * (3 * t - 6)) / 6, b[2] = (4 + u * u * (3 * u - 6)) / 6;
}

static void slope_basis(double t, double b[4])
{
    double u = 1.0 - t;
    b[0] = -u * u / 2, b[3] = t * t / 2;
    b[1] = t * (3 * t - 4) / 2, b[2] = -u * (3 * u - 4) / 2;
}

static void bend_basis(double t, double b[4])
{
    b[0] = 1 - t, b[1] = 3 * t - 2, b[2] = 1 - 3 * t, b[3] = t;
}

static int interval_of(const fit *f, double s, double *t)
{
    int k = (int)s;
    if (k >= f->m) k = f->m - 1;
    *t = s - k;
    return k;
}

/* Value of a combination of the coefficients k .. k+3 of y and z. */
static void combine(const fit *f, int k, const double b[4], double out[2])
{
    out[0] = out[1] = 0.0;
    for (int i = 0; i < 4; i++) {
        out[0] += b[i] * f->c[2 * (k + i)];
        out[1] += b[i] * f->c[2 * (k + i) + 1];
    }
}

/* Adds w (a . c)^2/2 to the sum: a has 8 entries from unknown 2k on. */
static void add_square(fit *f, int k, const double a[8], double w)
{
    for (int i = 0; i < 8; i++)
        for (int j = 0; j <= i; j++)
            f->matrix[(2 * k + i) * (BAND + 1) + (BAND + j - i)] += w * a[i] * a[j];
}

static void add_both(fit *f, int k, const double b[4], double w)
{
    for (int e = 0; e < 2; e++) {
        double a[8] = {0};
        for (int i = 0; i < 4; i++) a[2 * i + e] = b[i];
        add_square(f, k, a, w);
    }
}

/* The curvature at place p (half intervals) held at zero: its normal part n . P''. */
static void add_hold(fit *f, int p)
{
    double t = p % 2 ? 0.5 : 0.0, b[4], d[2], a[8];
    int    k = p / 2;
    if (k == f->m) k--, t = 1.0;
    slope_basis(t, b);
    combine(f, k, b, d);
    double v = hypot(d[0], d[1]);
    bend_basis(t, b);
    for (int i = 0; i < 4; i++) a[2 * i] = -b[i] * d[1] / v, a[2 * i + 1] = b[i] * d[0] / v;
    add_square(f, k, a, 1e3 * fmax(f->lambda, 1.0));
}

/* Cholesky's decomposition A = L L' in the band, then L y = b, L' c = y. A_ij is at [i (BAND + 1) + BAND + j - i],
 * lower triangle. */
static void solve(fit *f, double *right)
{
    int     n = 2 * (f->m + 3);
    double *A = f->matrix;
    for (int i = 0; i < n; i++)
        for (int j = i < BAND ? 0 : i - BAND; j <= i; j++) {
            double sum = A[i * (BAND + 1) + BAND + j - i];
            for (int k = i < BAND ? 0 : i - BAND; k < j; k++)
                if (k >= j - BAND)
                    sum -= A[i * (BAND + 1) + BAND + k - i] * A[j * (BAND + 1) + BAND + k - j];
            A[i * (BAND + 1) + BAND + j - i] =
                i == j ? sqrt(fmax(sum, 1e-30)) : sum / A[j * (BAND + 1) + BAND];
        }
    for (int i = 0; i < n; i++) {
        for (int k = i < BAND ? 0 : i - BAND; k < i; k++)
            right[i] -= A[i * (BAND + 1) + BAND + k - i] * right[k];
        right[i] /= A[i * (BAND + 1) + BAND];
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int k = i + 1; k < n && k <= i + BAND; k++)
            right[i] -= A[k * (BAND + 1) + BAND + i - k] * right[k];
        right[i] /= A[i * (BAND + 1) + BAND];
    }
    memcpy(f->c, right, (size_t)n * sizeof *f->c);
}

static const double jerk[4] = {-1, 3, -3, 1}; /* third derivative in an interval */

static void fit_with(fit *f, double lambda, double *right)
{
    int n     = 2 * (f->m + 3);
    f->lambda = lambda;
    memset(f->matrix, 0, (size_t)n * (BAND + 1) * sizeof *f->matrix);
    memset(right, 0, (size_t)n * sizeof *right);
    for (int i = 0; i < f->n; i++) {
        double t, b[4];
        int    k = interval_of(f, f->s[i], &t);
        basis(t, b);
        add_both(f, k, b, 1.0);
        for (int j = 0; j < 4; j++) {
            right[2 * (k + j)] += b[j] * f->y[i];
            right[2 * (k + j) + 1] += b[j] * f->z[i];
        }
    }
    for (int k = 0; k < f->m; k++) add_both(f, k, jerk, lambda * f->ease[k]);
    for (int p = 0; p <= 2 * f->m; p++)
        if (f->hold[p] != 0.0) add_hold(f, p);
    solve(f, right);
}

/* ---- how good it is ---- */

/* Largest and usual distance of the points, across the curve. */
static double deviation(const fit *f, double *usual)
{
    double worst = 0.0;
    for (int i = 0; i < f->n; i++) {
        double t, b[4], p[2], d[2];
        int    k = interval_of(f, f->s[i], &t);
        basis(t, b);
        combine(f, k, b, p);
        slope_basis(t, b);
        combine(f, k, b, d);
        double off = fabs((p[0] - f->y[i]) * d[1] - (p[1] - f->z[i]) * d[0]) / hypot(d[0], d[1]);
        if (off > worst) worst = off;
        f->miss[i] = off;
    }
    *usual = usual_size(f->miss, f->n);
    return worst;
}

/* Curvature at place p, in half intervals [1/m]. */
static double curvature(const fit *f, int p)
{
    double t = p % 2 ? 0.5 : 0.0, b[4], d[2], e[2];
    int    k = p / 2;
    if (k == f->m) k--, t = 1.0;
    slope_basis(t, b);
    combine(f, k, b, d);
    bend_basis(t, b);
    combine(f, k, b, e);
    return (d[0] * e[1] - d[1] * e[0]) / pow(d[0] * d[0] + d[1] * d[1], 1.5);
}

/* Marks stretches whose bulge k L^2/8 is below the tolerance and whose sign is not that of a
 * neighbour; true when there are new ones. */
static bool hold_small_bulges(fit *f, double spacing, double tolerance)
{
    bool any = false;
    for (int p = 0, q; p <= 2 * f->m; p = q) {
        double k = curvature(f, p), most = fabs(k);
        for (q = p + 1; q <= 2 * f->m; q++) {
            double next = curvature(f, q);
            if ((next > 0.0) != (k > 0.0)) break;
            most = fmax(most, fabs(next));
        }
        double length = 0.5 * spacing * (q - p);
        bool   whole  = p == 0 && q > 2 * f->m;
        if (whole || most * length * length / 8.0 > tolerance) continue;
        for (int i = p; i < q; i++) {
            if (f->hold[i] == 0.0 && most > 1e-6) any = true;
            f->hold[i] = 1.0;
        }
    }
    return any;
}

/* ---- the search for lambda ---- */

static void smoothest(fit *f, double tolerance, double noise, double *right)
{
    double low = -6.0, high = 9.0; /* powers of ten */
    for (int k = 0; k < 30; k++) {
        double mid = 0.5 * (low + high);
        fit_with(f, pow(10.0, mid), right);
        double usual, worst = deviation(f, &usual);
        if (worst <= tolerance && usual <= noise) low = mid;
        else high = mid;
    }
    fit_with(f, pow(10.0, low), right);
}

/* Where arcs meet, curvature jumps: there |P'''| is many times its median and must not be evened out
 * (it would ring to both sides), so its square counts less. Scratch: m numbers. */
static void ease_jumps(fit *f, double *scratch)
{
    for (int k = 0; k < f->m; k++) {
        double d[2];
        combine(f, k, jerk, d);
        f->ease[k] = scratch[k] = hypot(d[0], d[1]);
    }
    qsort(scratch, (size_t)f->m, sizeof *scratch, ascending);
    double usual = 2.0 * scratch[f->m / 2] + 1e-300;
    for (int k = 0; k < f->m; k++)
        f->ease[k] = pow(1.0 + f->ease[k] * f->ease[k] / (usual * usual), -0.75);
}

static void measure_chords(fit *f, double *length)
{
    f->s[0] = 0.0;
    for (int i = 1; i < f->n; i++)
        f->s[i] = f->s[i - 1] + hypot(f->y[i] - f->y[i - 1], f->z[i] - f->z[i - 1]);
    *length = f->s[f->n - 1];
    for (int i = 0; i < f->n; i++) f->s[i] *= f->m / *length;
}

static kl_status take_memory(fit *f, double **right, kl_arena *arena)
{
    int n     = 2 * (f->m + 3);
    f->c      = kl_arena_array(arena, double, n);
    f->matrix = kl_arena_array(arena, double, n *(BAND + 1));
    f->hold   = kl_arena_array(arena, double, 2 * f->m + 1);
    f->miss   = kl_arena_array(arena, double, f->n);
    f->ease   = kl_arena_array(arena, double, f->m);
    f->s      = kl_arena_array(arena, double, f->n);
    *right    = kl_arena_array(arena, double, n);
    return kl_arena_ok(arena) ? KL_OK : KL_E_MEMORY;
}

kl_status kl_smooth_curve_fit(const double *y, const double *z, int n, double spacing,
                              double tolerance, double noise, kl_arena *arena, kl_smooth_curve *out)
{
    double length = 0.0, *right, usual;
    for (int i = 1; i < n; i++) length += hypot(y[i] - y[i - 1], z[i] - z[i - 1]);
    fit f = {.n = n, .y = y, .z = z, .m = (int)ceil(length / spacing)};
    if (f.m < 4) f.m = 4;
    noise = fmax(1.35 * noise, 0.002 * tolerance); /* rounding is not normal */
    KL_TRY(take_memory(&f, &right, arena));
    measure_chords(&f, &length);
    double *scratch = kl_arena_array(arena, double, f.m);
    if (!scratch) return KL_E_MEMORY;
    for (int k = 0; k < f.m; k++) f.ease[k] = 1.0;
    smoothest(&f, tolerance, noise, right);
    for (int k = 0; k < 8; k++) {
        ease_jumps(&f, scratch);
        smoothest(&f, tolerance, noise, right);
    }
    for (int k = 0; k < 12 && hold_small_bulges(&f, length / f.m, tolerance); k++)
        smoothest(&f, tolerance, noise, right);
    *out   = (kl_smooth_curve){.n = f.m, .deviation = deviation(&f, &usual), .length = length};
    out->y = kl_arena_array(arena, double, f.m + 3);
    out->z = kl_arena_array(arena, double, f.m + 3);
    if (!kl_arena_ok(arena)) return KL_E_MEMORY;
    for (int i = 0; i < f.m + 3; i++) out->y[i] = f.c[2 * i], out->z[i] = f.c[2 * i + 1];
    return KL_OK;
}

static void polynomial(const double *c, double p[4])
{
    p[0] = (c[0] + 4 * c[1] + c[2]) / 6;
    p[1] = (c[2] - c[0]) / 2;
    p[2] = (c[0] - 2 * c[1] + c[2]) / 2;
    p[3] = (c[3] - c[0] + 3 * (c[1] - c[2])) / 6;
}

void kl_smooth_curve_piece(const kl_smooth_curve *c, int k, double cy[4], double cz[4])
{
    polynomial(c->y + k, cy);
    polynomial(c->z + k, cz);
}
