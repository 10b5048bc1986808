#include "post/welch.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "post/power_spectrum.h"
#include "post/statistics.h"

/* Enough to measure a scatter with, few enough that they are much longer than what they hold. */
enum { MOST_BATCHES = 16 };
static const double TWO_PI = 6.283185307179586;

static void window_fill(kl_window kind, int n, double *w)
{
    for (int i = 0; i < n; i++)
        w[i] = kind == KL_WINDOW_RECTANGULAR
                   ? 1.0
                   : 0.5 - 0.5 * cos(TWO_PI * i / (kind == KL_WINDOW_HANN ? n : n - 1));
}

/* Transform of any length by Bluestein's chirp: i k = (i^2 + k^2 - (k - i)^2)/2 turns it into a
 * convolution, which transforms of a power of two compute. */
typedef struct transform {
    int     n, size;     /* of the signal; power of two, at least 2 n - 1 */
    double *re, *im;     /* size: in and out */
    double *chirp, *hre; /* 2 n: cos, sin of pi i^2/n; 2 size: transform of the conjugate chirp */
} transform;

static bool power_of_two(int n) { return (n & (n - 1)) == 0; }

static kl_status transform_make(transform *t, int n)
{
    *t = (transform){.n = n, .size = 1};
    while (t->size < (power_of_two(n) ? n : 2 * n - 1)) t->size *= 2;
    t->re = calloc((size_t)(4 * t->size + 2 * n), sizeof *t->re);
    if (!t->re) return KL_E_MEMORY;
    t->im = t->re + t->size, t->hre = t->im + t->size, t->chirp = t->hre + 2 * t->size;
    if (power_of_two(n)) return KL_OK;
    double *him = t->hre + t->size;
    for (int i = 0; i < n; i++) {
        /* i^2 modulo 2 n keeps the angle small */
        double angle    = 0.5 * TWO_PI * (double)((long long)i * i % (2LL * n)) / n;
        t->chirp[i]     = cos(angle);
        t->chirp[n + i] = sin(angle);
        int back        = i ? t->size - i : 0;
        t->hre[i] = t->hre[back] = t->chirp[i];
        him[i] = him[back] = t->chirp[n + i];
    }
    kl_fft(t->hre, him, t->size);
    return KL_OK;
}

/* t->re, t->im (n values, zeros behind) to their transform. */
static void transform_run(transform *t)
{
    if (power_of_two(t->n)) {
        kl_fft(t->re, t->im, t->size);
        return;
    }
    const double *him = t->hre + t->size, *c = t->chirp, *s = t->chirp + t->n;
    for (int i = 0; i < t->n; i++) { /* x exp(-j pi i^2/n) */
        double x = t->re[i], y = t->im[i];
        t->re[i] = x * c[i] + y * s[i], t->im[i] = y * c[i] - x * s[i];
    }
    kl_fft(t->re, t->im, t->size);
    for (int i = 0; i < t->size;
         i++) { /* conjugate of the product: the next transform inverts it */
        double x = t->re[i] * t->hre[i] - t->im[i] * him[i];
        t->im[i] = -(t->re[i] * him[i] + t->im[i] * t->hre[i]), t->re[i] = x;
    }
    kl_fft(t->re, t->im, t->size);
    for (int i = 0; i < t->n; i++) {
        double x = t->re[i] / t->size, y = -t->im[i] / t->size;
        t->re[i] = x * c[i] + y * s[i], t->im[i] = y * c[i] - x * s[i];
    }
}

static void add_segment(const double *x, const double *w, bool keep_mean, transform *t, double *sum)
{
    double mean = keep_mean ? 0.0 : kl_mean(x, t->n);
    memset(t->re, 0, 2 * (size_t)t->size * sizeof *t->re);
    for (int i = 0; i < t->n; i++) t->re[i] = w[i] * (x[i] - mean);
    transform_run(t);
    for (int k = 0; k <= t->n / 2; k++) sum[k] += t->re[k] * t->re[k] + t->im[k] * t->im[k];
}

static double equivalent_freedom(const double *w, int n, int step, int segments, double power)
{
    double sum = 1.0;
    for (int m = 1; m < segments && m * step < n; m++) {
        double overlap = 0.0;
        for (int i = 0; i + m * step < n; i++) overlap += w[i] * w[i + m * step];
        sum += 2.0 * (1.0 - (double)m / segments) * overlap * overlap / (power * power);
    }
    return 2.0 * segments / sum;
}

static kl_status density_make(kl_density *d, int segment)
{
    d->n         = segment / 2 + 1;
    d->frequency = calloc((size_t)d->n, sizeof *d->frequency);
    d->value     = calloc((size_t)d->n, sizeof *d->value);
    d->batch     = calloc((size_t)d->batches * (size_t)d->n, sizeof *d->batch);
    return d->frequency && d->value && d->batch ? KL_OK : KL_E_MEMORY;
}

/* First segment of a batch: as equal in size as possible. */
static int batch_begin(const kl_density *d, int batch)
{
    return (int)((long long)batch * d->segments / d->batches);
}

/* Periodograms of all segments, added up for each batch and together, without their factor. */
static void add_segments(const double *x, const double *w, int step, bool keep_mean, transform *t,
                         kl_density *d)
{
    for (int b = 0; b < d->batches; b++) {
        double *sum = d->batch + (size_t)b * (size_t)d->n;
        for (int k = batch_begin(d, b); k < batch_begin(d, b + 1); k++)
            add_segment(x + k * step, w, keep_mean, t, sum);
        for (int k = 0; k < d->n; k++) d->value[k] += sum[k];
    }
}

static void scale_densities(kl_density *d, double rate, double power)
{
    for (int k = 0; k < d->n; k++) {
        double factor = (k == 0 || k == d->n - 1 ? 1.0 : 2.0) / (rate * power);
        d->value[k] *= factor / d->segments;
        for (int b = 0; b < d->batches; b++)
            d->batch[(size_t)b * (size_t)d->n + (size_t)k] *=
                factor / (batch_begin(d, b + 1) - batch_begin(d, b));
    }
}

kl_status kl_density_find(const double *x, int n, double rate, const kl_welch *how, kl_density *out)
{
    *out        = (kl_density){0};
    int segment = how->segment, step = how->step > 0 ? how->step : segment / 2;
    if (segment < 2 || segment % 2 || n < segment || !(rate > 0.0)) return KL_E_RANGE;
    for (int i = 0; i < n; i++)
        if (!isfinite(x[i])) return KL_E_RANGE;
    out->segments    = (n - segment) / step + 1;
    out->batches     = out->segments < MOST_BATCHES ? out->segments : MOST_BATCHES;
    transform t      = {0};
    double   *w      = malloc((size_t)segment * sizeof *w);
    kl_status status = w ? density_make(out, segment) : KL_E_MEMORY;
    if (status == KL_OK) status = transform_make(&t, segment);
    if (status == KL_OK) {
        double power = 0.0, sum = 0.0;
        int    size = out->segments / out->batches;
        window_fill(how->window, segment, w);
        for (int i = 0; i < segment; i++) power += w[i] * w[i], sum += w[i];
        for (int k = 0; k < out->n; k++) out->frequency[k] = k * rate / segment;
        add_segments(x, w, step, how->keep_mean, &t, out);
        scale_densities(out, rate, power);
        out->freedom = equivalent_freedom(w, segment, step, out->segments, power);
        out->overlap =
            equivalent_freedom(w, segment, step, size, power) / size * out->segments / out->freedom;
        out->bandwidth = rate * power / (sum * sum);
    }
    free(w), free(t.re);
    if (status != KL_OK) kl_density_free(out);
    return status;
}

void kl_density_free(kl_density *d)
{
    free(d->frequency), free(d->value), free(d->batch);
    *d = (kl_density){0};
}

void kl_density_interval(const kl_density *d, double confidence, double *low, double *high)
{
    double tail = 0.5 * (1.0 - confidence);
    *low        = d->freedom / kl_chi_square_quantile(1.0 - tail, d->freedom);
    *high       = d->freedom / kl_chi_square_quantile(tail, d->freedom);
}

double kl_equal_steps(const double *time, const double *y, int n, double *out)
{
    if (n < 2 || !(time[n - 1] > time[0])) return 0.0;
    double step = (time[n - 1] - time[0]) / (n - 1);
    for (int i = 0, k = 0; i < n; i++) {
        double t = time[0] + i * step;
        while (k < n - 2 && time[k + 1] < t) k++;
        double span = time[k + 1] - time[k], part = span > 0.0 ? (t - time[k]) / span : 0.0;
        out[i] = y[k] + part * (y[k + 1] - y[k]);
    }
    return 1.0 / step;
}
