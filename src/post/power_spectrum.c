#include "post/power_spectrum.h"

#include <math.h>
#include <stdlib.h>

#include "post/statistics.h"
#include "post/welch.h"

enum {
    LARGEST      = 8192, /* rows of a window that we choose */
    MOST_COLUMNS = 600,  /* windows of a spectrogram */
};
static const double TWO_PI = 6.283185307179586;

/* `count` butterflies side by side: (low, high) become low + w high, low - w high with
 * w = (c + j s) fine[b]. */
static void fft_butterflies(double *restrict re, double *restrict im, double *restrict high_re,
                            double *restrict high_im, const double *restrict fine_re,
                            const double *restrict fine_im, double c, double s, int count)
{
    for (int b = 0; b < count; b++) {
        double w = c * fine_re[b] - s * fine_im[b], v = c * fine_im[b] + s * fine_re[b];
        double x = high_re[b] * w - high_im[b] * v, y = high_re[b] * v + high_im[b] * w;
        high_re[b] = re[b] - x, high_im[b] = im[b] - y;
        re[b] += x, im[b] += y;
    }
}

/* Pairs of transforms of size/2 into transforms of `size`, in the order of memory. The factor
 * exp(-2 pi j k/size), k = a + b, is the product of one for a and one for b, so that few sines are needed. */
static void combine(double *re, double *im, int n, int size)
{
    enum { PART = 512 };
    double fine_re[PART], fine_im[PART];
    int    half = size / 2, part = half < PART ? half : PART;
    for (int b = 0; b < part; b++)
        fine_re[b] = cos(TWO_PI * b / size), fine_im[b] = -sin(TWO_PI * b / size);
    for (int a = 0; a < half; a += part) {
        double c = cos(TWO_PI * a / size), s = -sin(TWO_PI * a / size);
        for (int i = a; i < n; i += size)
            fft_butterflies(re + i, im + i, re + i + half, im + i + half, fine_re, fine_im, c, s,
                            part);
    }
}

void kl_fft(double *re, double *im, int n)
{
    /* order of bits turned round */
    for (int i = 1, j = 0; i < n; i++) {
        int bit = n >> 1;
        for (; j & bit; bit >>= 1) j ^= bit;
        j ^= bit;
        if (i >= j) continue;
        double r = re[i], m = im[i];
        re[i] = re[j], im[i] = im[j];
        re[j] = r, im[j] = m;
    }
    for (int size = 2; size <= n; size *= 2) combine(re, im, n, size);
}

/* ---- one series at equal steps ---- */

typedef struct series {
    double *y; /* n, without its mean */
    int     n;
    double  start, rate; /* [s], [1/s] */
} series;

static kl_status series_make(const double *time, const double *y, int n, series *s)
{
    *s = (series){0};
    if (n < KL_SPECTRUM_LEAST || !(time[n - 1] > time[0])) return KL_E_RANGE;
    for (int i = 0; i < n; i++)
        if (!isfinite(y[i]) || !isfinite(time[i])) return KL_E_RANGE;
    s->y = malloc((size_t)n * sizeof *s->y);
    if (!s->y) return KL_E_MEMORY;
    double rate = kl_equal_steps(time, y, n, s->y), mean = kl_mean(s->y, n);
    *s = (series){.y = s->y, .n = n, .start = time[0], .rate = rate};
    for (int i = 0; i < n; i++) s->y[i] -= mean;
    return KL_OK;
}

/* The largest power of two that is not above `rows`, within what a series allows. */
static int chosen_rows(const series *s, double rows)
{
    int size = KL_SPECTRUM_LEAST;
    while (2.0 * size <= rows && 2 * size <= s->n) size *= 2;
    return size;
}

/* A length that was asked for, within what a series allows; even, so that windows overlap by half.
 */
static int requested_length(const series *s, double rows)
{
    double size = 2.0 * round(0.5 * fmin(rows, s->n));
    return (int)fmax(KL_SPECTRUM_LEAST, size > s->n ? size - 2.0 : size);
}

/* Rows of a window are filled up with zeros for the transform, which only makes frequencies finer.
 */
static int transform_size(int rows)
{
    int size = KL_SPECTRUM_LEAST;
    while (size < rows) size *= 2;
    return size;
}

/* ---- windows ---- */

static kl_status map_make(kl_spectrum_map *m, const series *s, int size, int ntime)
{
    int whole     = transform_size(size);
    m->nfrequency = whole / 2 + 1;
    m->ntime      = ntime;
    m->window     = size / s->rate;
    m->frequency  = calloc((size_t)m->nfrequency, sizeof *m->frequency);
    m->time       = calloc((size_t)ntime, sizeof *m->time);
    m->density    = calloc((size_t)ntime * (size_t)m->nfrequency, sizeof *m->density);
    if (!m->frequency || !m->time || !m->density) return KL_E_MEMORY;
    for (int k = 0; k < m->nfrequency; k++) m->frequency[k] = k * s->rate / whole;
    return KL_OK;
}

/* Adds `share` of the density of the window from row `first` on. `work`: two of the transform. */
static void add_window(const series *s, int first, int size, double share, double *work,
                       double *density)
{
    int     whole = transform_size(size);
    double *re = work, *im = work + whole, power = 0.0;
    for (int i = 0; i < whole; i++) {
        double w = i < size ? 0.5 - 0.5 * cos(TWO_PI * i / size) : 0.0;
        power += w * w;
        re[i] = i < size ? w * s->y[first + i] : 0.0;
        im[i] = 0.0;
    }
    kl_fft(re, im, whole);
    for (int k = 0; k <= whole / 2; k++) {
        double sides = k == 0 || k == whole / 2 ? 1.0 : 2.0;
        density[k] += share * sides * (re[k] * re[k] + im[k] * im[k]) / (s->rate * power);
    }
}

/* The density of the whole record is Welch's estimate (welch.h). */
static kl_status psd_of(const series *s, int size, double *work, kl_spectrum_map *out)
{
    (void)work;
    kl_density d;
    kl_welch   how = {.segment = size - size % 2};
    KL_TRY(kl_density_find(s->y, s->n, s->rate, &how, &d));
    *out        = (kl_spectrum_map){.nfrequency = d.n,
                                    .ntime      = 1,
                                    .frequency  = d.frequency,
                                    .time       = malloc(sizeof *out->time),
                                    .density    = d.value,
                                    .window     = how.segment / s->rate,
                                    .freedom    = d.freedom};
    d.frequency = d.value = NULL; /* they belong to the map now */
    kl_density_free(&d);
    if (!out->time) return KL_E_MEMORY;
    out->time[0] = s->start + 0.5 * (s->n - 1) / s->rate;
    return KL_OK;
}

static kl_status spectrogram_of(const series *s, int size, double *work, kl_spectrum_map *out)
{
    int hop = size / 4;
    while ((s->n - size) / hop + 1 > MOST_COLUMNS) hop++;
    int count = (s->n - size) / hop + 1;
    KL_TRY(map_make(out, s, size, count));
    for (int i = 0; i < count; i++) {
        out->time[i] = s->start + (i * hop + 0.5 * size) / s->rate;
        add_window(s, i * hop, size, 1.0, work, out->density + (size_t)i * (size_t)out->nfrequency);
    }
    return KL_OK;
}

typedef kl_status (*finder)(const series *s, int size, double *work, kl_spectrum_map *out);

static kl_status find(const double *time, const double *y, int n, double window, double own,
                      finder use, kl_spectrum_map *out)
{
    series s;
    *out = (kl_spectrum_map){0};
    KL_TRY(series_make(time, y, n, &s));
    int size =
        window > 0.0 ? requested_length(&s, window * s.rate) : chosen_rows(&s, fmin(own, LARGEST));
    double   *work   = malloc(2 * (size_t)transform_size(size) * sizeof *work);
    kl_status status = work ? use(&s, size, work, out) : KL_E_MEMORY;
    free(work);
    free(s.y);
    if (status != KL_OK) kl_spectrum_map_free(out);
    return status;
}

kl_status kl_psd_find(const double *time, const double *y, int n, double window,
                      kl_spectrum_map *out)
{
    return find(time, y, n, window, 0.4 * n, psd_of, out);
}

kl_status kl_spectrogram_find(const double *time, const double *y, int n, double window,
                              kl_spectrum_map *out)
{
    return find(time, y, n, window, sqrt(8.0 * n), spectrogram_of, out);
}

void kl_spectrum_map_free(kl_spectrum_map *m)
{
    free(m->frequency);
    free(m->time);
    free(m->density);
    *m = (kl_spectrum_map){0};
}
