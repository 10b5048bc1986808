#include "post/statistics.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void kl_sort_numbers(double *x, int n) { qsort(x, (size_t)n, sizeof *x, compare); }

double kl_percentile(const double *sorted, int n, double p, kl_percentile_rule rule)
{
    if (n < 1) return (double)NAN;
    if (rule == KL_PERCENTILE_NEAREST) {
        int k = (int)ceil(p * n - 1e-9);
        return sorted[k < 1 ? 0 : k > n ? n - 1 : k - 1];
    }
    double place = rule == KL_PERCENTILE_LINEAR ? p * (n - 1) : p * n - 0.5;
    place        = fmin(fmax(place, 0.0), n - 1.0);
    int i        = (int)fmin(floor(place), fmax(n - 2.0, 0.0));
    return n == 1 ? sorted[0] : sorted[i] + (place - i) * (sorted[i + 1] - sorted[i]);
}

double kl_mean(const double *x, int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += x[i];
    return sum / n;
}

double kl_standard_deviation(const double *x, int n)
{
    double mean = kl_mean(x, n), sum = 0.0;
    for (int i = 0; i < n; i++) sum += (x[i] - mean) * (x[i] - mean);
    return sqrt(sum / (n - 1));
}

double kl_root_mean_square(const double *x, int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += x[i] * x[i];
    return sqrt(sum / n);
}

kl_status kl_regression_fit(const double *x, const double *y, int n, kl_regression *out)
{
    if (n < 3) return KL_E_RANGE;
    double mx = kl_mean(x, n), my = kl_mean(y, n), xx = 0.0, xy = 0.0, rest = 0.0;
    for (int i = 0; i < n; i++) {
        xx += (x[i] - mx) * (x[i] - mx);
        xy += (x[i] - mx) * (y[i] - my);
    }
    if (!(xx > 0.0)) return KL_E_RANGE;
    *out           = (kl_regression){.slope = xy / xx, .mean_x = mx, .sum_xx = xx, .n = n};
    out->intercept = my - out->slope * mx;
    for (int i = 0; i < n; i++) {
        double e = y[i] - out->intercept - out->slope * x[i];
        rest += e * e;
    }
    out->residual = sqrt(rest / (n - 2));
    return KL_OK;
}

double kl_regression_bound(const kl_regression *r, double x, double quantile)
{
    double away  = x - r->mean_x;
    double wider = sqrt(1.0 + 1.0 / r->n + away * away / r->sum_xx);
    return r->intercept + r->slope * x + quantile * r->residual * wider;
}

/* ---- windows along the track ---- */

typedef double (*measure)(double y);
static double as_is(double y) { return y; }
static double squared(double y) { return y * y; }

/* Integral of m(y) from s[0] to x, y held from row to row; *row follows x upwards. */
static double held_integral(const double *s, const double *y, int n, const double *sum, measure m,
                            double x, int *row)
{
    while (*row < n - 2 && s[*row + 1] <= x) (*row)++;
    return sum[*row] + m(y[*row]) * (x - s[*row]);
}

static int windows(const double *s, const double *y, int n, const kl_windows *w, measure m,
                   double *out)
{
    if (n < 2 || !(w->length > 0.0) || !(w->step > 0.0)) return 0;
    double *sum = malloc((size_t)n * sizeof *sum);
    if (!sum) return 0;
    sum[0] = 0.0;
    for (int i = 1; i < n; i++) sum[i] = sum[i - 1] + m(y[i - 1]) * (s[i] - s[i - 1]);
    /* the last value lasts as long as the one before it did */
    double end = s[n - 1] + (s[n - 1] - s[n - 2]), slack = 1e-9 * w->length;
    int    count = 0, low = 0, high = 0;
    for (; count < w->most; count++) {
        double from = fmax(w->first, s[0]) + count * w->step, to = from + w->length;
        if (to > end + slack) break;
        double b = held_integral(s, y, n, sum, m, fmin(to, s[n - 1]), &high);
        if (to > s[n - 1]) b = sum[n - 1] + m(y[n - 1]) * (to - s[n - 1]);
        out[count] = (b - held_integral(s, y, n, sum, m, from, &low)) / w->length;
    }
    free(sum);
    return count;
}

int kl_window_means(const double *s, const double *y, int n, const kl_windows *w, double *mean)
{
    return windows(s, y, n, w, as_is, mean);
}

int kl_window_rms(const double *s, const double *y, int n, const kl_windows *w, double *rms)
{
    int count = windows(s, y, n, w, squared, rms);
    for (int i = 0; i < count; i++) rms[i] = sqrt(fmax(rms[i], 0.0));
    return count;
}

/* ---- distributions ---- */

/* Continued fraction of the incomplete beta function (Abramowitz and Stegun 26.5.8), evaluated
 * forwards by Lentz's method. */
static double beta_fraction(double x, double a, double b)
{
    double tiny = DBL_MIN / DBL_EPSILON, c = 1.0, d = 1.0 - (a + b) * x / (a + 1.0);
    d        = 1.0 / (fabs(d) < tiny ? tiny : d);
    double h = d;
    for (int m = 1; m < 1000; m++) {
        double even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        double odd  = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        for (int k = 0; k < 2; k++) {
            double term = k ? odd : even;
            d = 1.0 + term * d, c = 1.0 + term / c;
            d = 1.0 / (fabs(d) < tiny ? tiny : d), c = fabs(c) < tiny ? tiny : c;
            h *= c * d;
        }
        if (fabs(c * d - 1.0) < DBL_EPSILON) break;
    }
    return h;
}

static double incomplete_beta(double x, double a, double b)
{
    if (x <= 0.0) return 0.0;
    if (x >= 1.0) return 1.0;
    double front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
    return x < (a + 1.0) / (a + b + 2.0) ? front * beta_fraction(x, a, b) / a
                                         : 1.0 - front * beta_fraction(1.0 - x, b, a) / b;
}

/* Series of the lower incomplete gamma function, or the fraction of the upper one. */
static double incomplete_gamma(double a, double x)
{
    if (x <= 0.0) return 0.0;
    double front = exp(a * log(x) - x - lgamma(a));
    if (x < a + 1.0) {
        double term = 1.0 / a, sum = term;
        for (int k = 1; k < 10000 && term > sum * DBL_EPSILON; k++) sum += term *= x / (a + k);
        return front * sum;
    }
    double tiny = DBL_MIN / DBL_EPSILON, b = x + 1.0 - a, c = 1.0 / tiny, d = 1.0 / b, h = d;
    for (int k = 1; k < 10000; k++) {
        double an = -k * (k - a);
        b += 2.0;
        d = an * d + b, c = b + an / c;
        d = 1.0 / (fabs(d) < tiny ? tiny : d), c = fabs(c) < tiny ? tiny : c;
        h *= c * d;
        if (fabs(c * d - 1.0) < DBL_EPSILON) break;
    }
    return 1.0 - front * h;
}

static double student(double t, double freedom)
{
    double tail = 0.5 * incomplete_beta(freedom / (freedom + t * t), 0.5 * freedom, 0.5);
    return t > 0.0 ? 1.0 - tail : tail;
}

static double chi_square(double x, double freedom)
{
    return incomplete_gamma(0.5 * freedom, 0.5 * x);
}

double kl_f_distribution(double x, double freedom1, double freedom2)
{
    if (!(x > 0.0)) return 0.0;
    return incomplete_beta(freedom1 * x / (freedom1 * x + freedom2), 0.5 * freedom1,
                           0.5 * freedom2);
}

/* Where a growing distribution reaches p, by bisection from a bracket that is widened first. */
static double quantile(double (*of)(double, double), double p, double freedom, double low)
{
    double high = 1.0;
    while (of(high, freedom) < p && high < 1e300) high *= 2.0;
    while (low < 0.0 && of(low, freedom) > p) low *= 2.0;
    for (int k = 0; k < 200 && high - low > 1e-15 * fabs(high); k++) {
        double middle                             = 0.5 * (low + high);
        *(of(middle, freedom) < p ? &low : &high) = middle;
    }
    return 0.5 * (low + high);
}

double kl_student_quantile(double p, double freedom) { return quantile(student, p, freedom, -1.0); }

double kl_chi_square_quantile(double p, double freedom)
{
    return quantile(chi_square, p, freedom, 0.0);
}
