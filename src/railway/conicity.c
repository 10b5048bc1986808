#include "railway/conicity.h"

#include <math.h>

#include "base/vec.h"

kl_status kl_delta_r_init(const double *y, const double *dr, int n, kl_arena *arena,
                          kl_delta_r *out)
{
    while (n > 0 && !isfinite(dr[n - 1])) n--;
    while (n > 0 && !isfinite(dr[0])) y++, dr++, n--;
    *out = (kl_delta_r){n, y, dr, kl_arena_array(arena, double, n + 1)};
    if (!out->potential) return KL_E_MEMORY;
    for (int i = 1; i < n; i++)
        out->potential[i] = out->potential[i - 1] + 0.5 * (dr[i] + dr[i - 1]) * (y[i] - y[i - 1]);
    return KL_OK;
}

/* Index of the interval that holds y. */
static int interval(const kl_delta_r *f, double y)
{
    int low = 0, high = f->n - 1;
    while (high - low > 1) {
        int mid = (low + high) / 2;
        if (f->y[mid] <= y) low = mid;
        else high = mid;
    }
    return low;
}

static double delta_r(const kl_delta_r *f, double y)
{
    int i = interval(f, y);
    return f->dr[i] + (y - f->y[i]) * (f->dr[i + 1] - f->dr[i]) / (f->y[i + 1] - f->y[i]);
}

/* Integral of delta_r: exact, a parabola in each interval. */
static double potential(const kl_delta_r *f, double y)
{
    int    i = interval(f, y);
    double s = y - f->y[i], slope = (f->dr[i + 1] - f->dr[i]) / (f->y[i + 1] - f->y[i]);
    return f->potential[i] + s * (f->dr[i] + 0.5 * slope * s);
}

double kl_conicity_most(const kl_delta_r *f)
{
    return f->n < 2 ? 0.0 : 0.5 * (f->y[f->n - 1] - f->y[0]);
}

/* ---- the middle of the motion ---- */

/* Difference that must vanish in the middle m of a motion of amplitude a. */
typedef double (*balance)(const kl_delta_r *f, double m, double a);

/* Turning points lie at the same potential. */
static double turning_balance(const kl_delta_r *f, double m, double a)
{
    return potential(f, m + a) - potential(f, m - a);
}

enum { QUADRATURE = 4000 };

/* The mean of delta_r over a harmonic motion. */
static double mean_balance(const kl_delta_r *f, double m, double a)
{
    double sum = 0.0;
    for (int k = 0; k < QUADRATURE; k++)
        sum += delta_r(f, m + a * sin(KL_PI * ((k + 0.5) / QUADRATURE - 0.5)));
    return sum / QUADRATURE;
}

/* The middle, by bisection around where delta_r is zero; NAN when the data do not reach. */
static double middle(const kl_delta_r *f, double a, balance b)
{
    double low = f->y[0] + a, high = f->y[f->n - 1] - a;
    if (!(a > 0.0) || low > high + 1e-12) return NAN;
    if (high <= low) return fabs(b(f, low, a)) < 1e-9 * a ? low : (double)NAN;
    double at_low = b(f, low, a), at_high = b(f, high, a);
    if (at_low == 0.0) return low;
    if (at_high == 0.0) return high;
    if ((at_low > 0.0) == (at_high > 0.0)) return NAN;
    for (int k = 0; k < 60; k++) {
        double mid = 0.5 * (low + high), at = b(f, mid, a);
        if ((at > 0.0) == (at_high > 0.0)) high = mid;
        else low = mid;
    }
    return 0.5 * (low + high);
}

/* ---- the two methods ---- */

double kl_conicity_wavelength(const kl_delta_r *f, double amplitude)
{
    double m = f->n < 2 ? (double)NAN : middle(f, amplitude, turning_balance), sum = 0.0;
    if (!isfinite(m)) return NAN;
    /* half a wavelength = integral of dy / sqrt(2 (E - V)), y = m + A sin(theta); in units of
     * sqrt(e r0), which cancels */
    double energy = potential(f, m + amplitude);
    for (int k = 0; k < QUADRATURE; k++) {
        double theta = KL_PI * ((k + 0.5) / QUADRATURE - 0.5);
        double left  = 2.0 * (energy - potential(f, m + amplitude * sin(theta)));
        if (left <= 0.0) return NAN;
        sum += amplitude * cos(theta) / sqrt(left);
    }
    double half = KL_PI * sum / QUADRATURE;
    return 0.5 * (KL_PI / half) * (KL_PI / half);
}

double kl_conicity_harmonic(const kl_delta_r *f, double amplitude)
{
    double m = f->n < 2 ? (double)NAN : middle(f, amplitude, mean_balance), sum = 0.0;
    if (!isfinite(m)) return NAN;
    for (int k = 0; k < QUADRATURE; k++) {
        double s = sin(KL_PI * ((k + 0.5) / QUADRATURE - 0.5));
        sum += delta_r(f, m + amplitude * s) * s;
    }
    return sum / QUADRATURE / amplitude;
}

double kl_klingel_wavelength(double conicity, double contact_distance, double radius)
{
    return 2.0 * KL_PI * sqrt(0.5 * contact_distance * radius / conicity);
}
