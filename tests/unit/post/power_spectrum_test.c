/* Spectra obey Parseval, find the frequency that is in the signal, and refuse what has none. */
#include "post/power_spectrum.h"

#include <math.h>
#include <stdlib.h>

#include "unit/test.h"

enum { N = 4096 };

/* A number between -1 and 1 that looks random. */
static double noise(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / 8388608.0 - 1.0;
}

static void the_transform_keeps_the_energy_and_undoes_itself(void **unused)
{
    (void)unused;
    enum { n = 64 };
    double   re[n], im[n], was[n], in = 0.0, out = 0.0;
    unsigned seed = 7;
    for (int i = 0; i < n; i++) was[i] = re[i] = noise(&seed), im[i] = 0.0, in += re[i] * re[i];
    kl_fft(re, im, n);
    for (int i = 0; i < n; i++) out += re[i] * re[i] + im[i] * im[i];
    assert_true(fabs(out / n - in) < 1e-12 * in);
    for (int i = 0; i < n; i++) im[i] = -im[i]; /* conjugate, again, conjugate: n times the start */
    kl_fft(re, im, n);
    for (int i = 0; i < n; i++) assert_true(fabs(re[i] / n - was[i]) < 1e-13);
}

static void fill(double *t, double *y, double frequency, double amplitude)
{
    for (int i = 0; i < N; i++) {
        t[i] = 1e-3 * i;
        y[i] = 5.0 + amplitude * sin(6.283185307179586 * frequency * t[i]);
    }
}

static void the_integral_of_a_density_is_the_variance(void **unused)
{
    (void)unused;
    static double   t[N], y[N];
    kl_spectrum_map m;
    unsigned        seed = 3;
    fill(t, y, 40.0, 2.0);
    double sum = 0.0, mean = 0.0, variance = 0.0;
    for (int i = 0; i < N; i++) y[i] += noise(&seed);
    for (int i = 0; i < N; i++) mean += y[i] / N;
    for (int i = 0; i < N; i++) variance += (y[i] - mean) * (y[i] - mean) / N;
    assert_int_equal(kl_psd_find(t, y, N, 0.0, &m), KL_OK);
    int top = 0;
    for (int k = 0; k < m.nfrequency; k++) {
        sum += m.density[k] * m.frequency[1];
        if (m.density[k] > m.density[top]) top = k;
    }
    assert_true(fabs(sum - variance) < 0.03 * variance); /* windows see the rows unequally */
    assert_true(fabs(m.frequency[top] - 40.0) <= m.frequency[1]);
    kl_spectrum_map_free(&m);
}

static void a_window_is_as_long_as_asked(void **unused)
{
    (void)unused;
    static double t[N], y[N];
    const double  asked[] = {0.3, 1.0, 2.5, 100.0}, got[] = {0.3, 1.0, 2.5, 1e-3 * N};
    fill(t, y, 40.0, 2.0);
    for (int i = 0; i < 4; i++) {
        kl_spectrum_map m;
        double          sum = 0.0;
        assert_int_equal(kl_psd_find(t, y, N, asked[i], &m), KL_OK);
        assert_close(m.window, got[i], 1e-9);
        for (int k = 0; k < m.nfrequency; k++) sum += m.density[k] * m.frequency[1];
        assert_close(sum, 2.0, 0.02); /* variance of a sine of 2 */
        kl_spectrum_map_free(&m);
    }
}

static void a_spectrogram_shows_when_the_frequency_changed(void **unused)
{
    (void)unused;
    static double   t[N], y[N];
    kl_spectrum_map m;
    fill(t, y, 50.0, 1.0);
    for (int i = N / 2; i < N; i++) y[i] = 5.0 + sin(6.283185307179586 * 200.0 * t[i]);
    assert_int_equal(kl_spectrogram_find(t, y, N, 0.0, &m), KL_OK);
    assert_true(m.ntime > 20);
    for (int i = 0; i < m.ntime; i++) {
        if (fabs(m.time[i] - 0.5e-3 * N) < m.window) continue; /* both are in it */
        const double *d   = m.density + i * m.nfrequency;
        int           top = 0;
        for (int k = 0; k < m.nfrequency; k++)
            if (d[k] > d[top]) top = k;
        double expected = m.time[i] < 0.5e-3 * N ? 50.0 : 200.0;
        assert_true(fabs(m.frequency[top] - expected) <= m.frequency[1]);
    }
    kl_spectrum_map_free(&m);
}

static void rows_at_unequal_times_give_the_same_peak(void **unused)
{
    (void)unused;
    static double   t[N], y[N];
    kl_spectrum_map m;
    unsigned        seed = 11;
    for (int i = 0; i < N; i++) {
        t[i] = 1e-3 * (i + 0.4 * noise(&seed));
        y[i] = sin(6.283185307179586 * 30.0 * t[i]);
    }
    assert_int_equal(kl_psd_find(t, y, N, 0.5, &m), KL_OK);
    int top = 0;
    for (int k = 0; k < m.nfrequency; k++)
        if (m.density[k] > m.density[top]) top = k;
    assert_true(fabs(m.frequency[top] - 30.0) <= m.frequency[1]);
    assert_true(m.window > 0.35 && m.window < 0.75);
    kl_spectrum_map_free(&m);
}

static void too_few_rows_no_time_and_no_number_are_refused(void **unused)
{
    (void)unused;
    static double   t[N], y[N];
    kl_spectrum_map m;
    fill(t, y, 30.0, 1.0);
    assert_int_equal(kl_psd_find(t, y, KL_SPECTRUM_LEAST - 1, 0.0, &m), KL_E_RANGE);
    y[100] = (double)NAN;
    assert_int_equal(kl_psd_find(t, y, N, 0.0, &m), KL_E_RANGE);
    for (int i = 0; i < N; i++) t[i] = 1.0, y[i] = 0.0;
    assert_int_equal(kl_spectrogram_find(t, y, N, 0.0, &m), KL_E_RANGE);
}

/* A signal A (-1)^i has all its power, A^2, at half the rate, where a spectrum has one side only:
 * 2/3 in the last line and 1/3 in the line beside it, which the Hann window brings there. */
static void the_last_line_is_counted_once(void **unused)
{
    (void)unused;
    const double  A = 3.0;
    static double t[N], y[N];
    kl_status (*const find[2])(const double *, const double *, int, double,
                               kl_spectrum_map *) = {kl_psd_find, kl_spectrogram_find};
    for (int i = 0; i < N; i++) t[i] = i / 1024.0, y[i] = i % 2 ? -A : A;
    for (int c = 0; c < 2; c++) {
        kl_spectrum_map m;
        assert_int_equal(find[c](t, y, N, 0.25, &m), KL_OK);
        int last = m.nfrequency - 1;
        assert_close(m.frequency[last], 512.0, 1e-9);
        for (int i = 0; i < m.ntime; i++) {
            const double *d  = m.density + i * m.nfrequency;
            double        df = m.frequency[1], sum = 0.0;
            for (int k = 0; k <= last; k++) sum += d[k] * df;
            assert_close(d[last] * df, A * A * 2 / 3, 1e-9);
            assert_close(d[last - 1] * df, A * A / 3, 1e-9);
            assert_close(sum, A * A, 1e-9);
        }
        kl_spectrum_map_free(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_transform_keeps_the_energy_and_undoes_itself),
        cmocka_unit_test(the_integral_of_a_density_is_the_variance),
        cmocka_unit_test(a_window_is_as_long_as_asked),
        cmocka_unit_test(a_spectrogram_shows_when_the_frequency_changed),
        cmocka_unit_test(rows_at_unequal_times_give_the_same_peak),
        cmocka_unit_test(too_few_rows_no_time_and_no_number_are_refused),
        cmocka_unit_test(the_last_line_is_counted_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
