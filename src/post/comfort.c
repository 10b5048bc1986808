#include "post/comfort.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "post/power_spectrum.h"

static const double         PI = 3.141592653589793;
static const double complex J  = (double complex)I;

const kl_weighting kl_weightings[] = {
    {"Wk", "ISO 2631-1", 0.4, 100, 12.5, 12.5, 0.63, 2.37, 0.91, 3.35, 0.91, 0.5005034529},
    {"Wd", "ISO 2631-1", 0.4, 100, 2.0, 2.0, 0.63, 0, 1, 0, 1, 1},
    {"Wc", "ISO 2631-1", 0.4, 100, 8.0, 8.0, 0.63, 0, 1, 0, 1, 1},
    {"Wb", "EN 12299:2009", 0.4, 100, 16.0, 16.0, 0.63, 2.5, 0.8, 4.0, 0.8, 0.4},
    {0},
};

const kl_weighting *kl_weighting_find(const char *name)
{
    for (const kl_weighting *w = kl_weightings; w->name; w++)
        if (strcmp(w->name, name) == 0) return w;
    return NULL;
}

/* 1 + s/(Q w) + (s/w)^2 with s/w = j f/corner */
static double complex second_order(double f, double corner, double Q)
{
    double r = f / corner;
    return 1.0 - r * r + J * r / Q;
}

double complex kl_weighting_gain(const kl_weighting *w, double f)
{
    double         high = f / w->f1, low = f / w->f2;
    double complex gain = -high * high / (1.0 - high * high + J * sqrt(2.0) * high);
    gain /= 1.0 - low * low + J * sqrt(2.0) * low;
    gain *= (1.0 + J * f / w->f3) / second_order(f, w->f4, w->Q4);
    if (w->f5 > 0.0) gain *= second_order(f, w->f5, w->Q5) / second_order(f, w->f6, w->Q6);
    return w->K * gain;
}

/* Gains at the lines of a transform, for both signs of the frequency: W(-f) is the conjugate of W(f). */
static void fill_gains(const kl_weighting *w, double rate, int size, double complex *gain)
{
    for (int k = 0; k <= size / 2; k++) {
        gain[k]                 = kl_weighting_gain(w, k * rate / size);
        gain[(size - k) % size] = conj(gain[k]);
    }
}

/* Filters two signals at once, one as the real and one as the imaginary part: the filter is real, so that
 * they stay apart. */
static void filter_pair(const double complex *gain, int size, double *re, double *im)
{
    kl_fft(re, im, size);
    for (int k = 0; k < size; k++) { /* X W; the inverse is the transform of the conjugate */
        double a = creal(gain[k]), b = cimag(gain[k]), x = re[k] * a - im[k] * b;
        im[k] = -(re[k] * b + im[k] * a), re[k] = x;
    }
    kl_fft(re, im, size);
    for (int k = 0; k < size; k++) re[k] /= size, im[k] /= -size;
}

/* Zeros beside a piece of the signal: the high-pass of 0.4 Hz has died out 10 s behind it, and the sharp end
 * of the spectrum at half the rate rings a little before it. */
static const double BEHIND = 10.0, BEFORE = 2.0; /* [s] */

/* Filters pieces number i and i + 1 and adds their responses to `out`. `part`: room for 2 x size. */
static void add_pieces(const double complex *gain, int size, int piece, int before, int i,
                       const double *x, int n, double *part, double *out)
{
    memset(part, 0, 2 * (size_t)size * sizeof *part);
    for (int k = 0; k < 2; k++) {
        int first = (i + k) * piece, rows = n - first < piece ? n - first : piece;
        if (rows > 0) memcpy(part + k * size, x + first, (size_t)rows * sizeof *x);
    }
    filter_pair(gain, size, part, part + size);
    for (int k = 0; k < 2; k++) {
        int           first = (i + k) * piece;
        const double *y     = part + k * size;
        if (first >= n) continue;
        for (int row = 0; row < size - before && first + row < n; row++) out[first + row] += y[row];
        /* the end of the transform is what comes before its beginning */
        for (int row = 1; row <= before && first >= row; row++) out[first - row] += y[size - row];
    }
}

kl_status kl_weighting_apply(const kl_weighting *w, const double *x, int n, double rate,
                             double *out)
{
    /* In pieces, whose responses are added: short transforms stay in the cache of the processor. */
    double tail = ceil((BEHIND + BEFORE) * rate);
    int    size = 2;
    while (size < fmin(4.0 * tail, n + tail) && size < 1 << 28) size *= 2;
    if (size < fmin(2.0 * tail, n + tail)) return KL_E_RANGE;
    int             piece = size - (int)tail, count = (n + piece - 1) / piece;
    double         *part = malloc(2 * (size_t)size * sizeof *part);
    double complex *gain = malloc((size_t)size * sizeof *gain);
    if (part && gain) fill_gains(w, rate, size, gain);
    memset(out, 0, (size_t)n * sizeof *out);
    for (int i = 0; part && gain && i < count; i += 2)
        add_pieces(gain, size, piece, (int)(BEFORE * rate), i, x, n, part, out);
    kl_status status = part && gain ? KL_OK : KL_E_MEMORY;
    free(part), free(gain);
    return status;
}

int kl_block_rms(const double *x, int n, double rate, double seconds, int most, double *rms)
{
    int rows = (int)lround(seconds * rate), count = 0;
    for (; rows > 0 && count < most && (count + 1) * rows <= n; count++)
        rms[count] = kl_root_mean_square(x + count * rows, rows);
    return count;
}

double kl_comfort_mean(double x_p95, double y_p95, double z_p95)
{
    return 6.0 * sqrt(x_p95 * x_p95 + y_p95 * y_p95 + z_p95 * z_p95);
}

double kl_comfort_seated(double z_p95, double y_a95, double z_a95, double x_d95)
{
    return 4.0 * z_p95 + 2.0 * hypot(y_a95, z_a95) + 4.0 * x_d95;
}

double kl_comfort_standing(double x_p50, double y_p50, double z_p50, double y_p95)
{
    return 3.0 * sqrt(16.0 * x_p50 * x_p50 + 4.0 * y_p50 * y_p50 + z_p50 * z_p50) + 5.0 * y_p95;
}

double kl_comfort_transition(bool standing, double acceleration, double jerk, double roll_rate)
{
    /* A a + B j - C + D r^E with r in degrees per second */
    static const double constants[2][5] = {{8.97, 9.68, 5.9, 0.120, 1.626},
                                           {28.54, 20.69, 11.1, 0.185, 2.283}};
    const double       *c               = constants[standing];
    double              r               = fabs(roll_rate) * 180.0 / PI;
    return fmax(c[0] * fabs(acceleration) + c[1] * fabs(jerk) - c[2], 0.0) + c[3] * pow(r, c[4]);
}

/* ---- Sperling ---- */

static double harmonic_factor(kl_sperling kind, double f)
{
    if (kind == KL_SPERLING_RIDE_QUALITY) return 1.0;
    bool lateral = kind == KL_SPERLING_COMFORT_LATERAL;
    if (f < (lateral ? 5.4 : 5.9)) return (lateral ? 0.8 : 0.325) * f * f;
    if (f < (lateral ? 26.0 : 20.0)) return (lateral ? 650.0 : 400.0) / (f * f);
    return 1.0;
}

double kl_sperling_harmonic(kl_sperling kind, const double *amplitude, const double *frequency,
                            int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++)
        sum += pow(fabs(amplitude[i]), 3.0) * harmonic_factor(kind, frequency[i]) / frequency[i];
    return 3.57 * pow(sum, 0.1);
}

double kl_sperling_weighting(kl_sperling kind, double f)
{
    double p = f * f;
    if (kind == KL_SPERLING_RIDE_QUALITY) {
        double above = (pow(1.0 - 0.056 * p, 2.0) + pow(0.645 * f, 2.0)) * 3.55 * p;
        double below =
            (pow(1.0 - 0.252 * p, 2.0) + pow(1.547 * f - 0.00444 * f * p, 2.0)) * (1.0 + 3.55 * p);
        return 1.14 * sqrt(above / below);
    }
    double above = 1.911 * p + pow(0.25 * p, 2.0);
    double below = pow(1.0 - 0.277 * p, 2.0) + pow(1.563 * f - 0.0368 * f * p, 2.0);
    return (kind == KL_SPERLING_COMFORT_LATERAL ? 0.737 : 0.588) * sqrt(above / below);
}

double kl_sperling_of_density(kl_sperling kind, const double *frequency, const double *density,
                              int n)
{
    static const double low = 0.5, high = 30.0; /* the usual range [Hz] */
    double              sum = 0.0;
    for (int i = 0; i < n; i++) {
        /* each line represents the band halfway to its neighbours */
        double from = i > 0 ? 0.5 * (frequency[i - 1] + frequency[i]) : frequency[i];
        double to   = i < n - 1 ? 0.5 * (frequency[i + 1] + frequency[i]) : frequency[i];
        double wide = fmin(to, high) - fmax(from, low),
               B    = kl_sperling_weighting(kind, frequency[i]);
        if (wide > 0.0) sum += density[i] * 1e4 * B * B * wide; /* in (cm/s2)^2 */
    }
    return pow(2.0 * sum, 1.0 / 6.67);
}
