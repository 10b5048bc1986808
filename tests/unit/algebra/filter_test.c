/* Butterworth filters have the gain and phase of the reference tables, by their formula and by what they do to sines. */
#include "algebra/filter.h"

#include <math.h>
#include <stdlib.h>

#include "unit/csv_text.h"
#include "unit/test.h"

static const double PI = 3.141592653589793;

static void near(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance))
        fail_msg("%.12g instead of %.12g (+- %g)", value, expected, tolerance);
}

static void the_low_pass_matches_the_reference(void **unused)
{
    (void)unused;
    csv_text *t    = csv_read("assessment/lowpass_butterworth.csv");
    int       seen = 0;
    for (int r = 0; r < t->rows; r++) {
        double rate = csv_number(t, r, "fs_Hz"), f = csv_number(t, r, "f_Hz");
        if (rate == 0.0) continue; /* analog rows */
        kl_filter four, two;
        assert_int_equal(kl_filter_lowpass(&four, 4, 20.0, rate), KL_OK);
        assert_int_equal(kl_filter_lowpass(&two, 2, 20.0, rate), KL_OK);
        double complex g = kl_filter_gain(&four, f, rate);
        near(cabs(g), csv_number(t, r, "order4_single_pass_gain"), 1e-8);
        double phase = carg(g) * 180.0 / PI;
        near(remainder(phase - csv_number(t, r, "order4_single_pass_phase_deg"), 360.0), 0.0, 1e-4);
        near(pow(cabs(g), 2.0), csv_number(t, r, "order4_forward_backward_gain"), 1e-8);
        near(pow(cabs(kl_filter_gain(&two, f, rate)), 2.0),
             csv_number(t, r, "order2_forward_backward_gain"), 1e-8);
        seen++;
    }
    assert_true(seen > 10);
    free(t);
}

static void the_band_pass_matches_the_reference(void **unused)
{
    (void)unused;
    csv_text *t = csv_read("assessment/bandpass_instability.csv");
    for (int r = 0; r < t->rows; r++) {
        kl_filter f;
        double    rate = csv_number(t, r, "fs_Hz"), middle = csv_number(t, r, "f0_Hz");
        assert_int_equal(kl_filter_bandpass(&f, (int)csv_number(t, r, "design_order_n"),
                                            middle - 2.0, middle + 2.0, rate),
                         KL_OK);
        double gain = cabs(kl_filter_gain(&f, csv_number(t, r, "f_Hz"), rate));
        near(gain, csv_number(t, r, "gain_bilinear_prewarped"), 1e-8);
        near(gain * gain, csv_number(t, r, "gain_bilinear_forward_backward"), 1e-8);
    }
    assert_true(t->rows > 20);
    free(t);
}

/* Amplitude of the middle half of a record that was a sine of amplitude 1. */
static void a_sine_comes_out_with_the_gain_and_without_shift(void **unused)
{
    (void)unused;
    enum { n = 8000 };
    static double x[n];
    kl_filter     f;
    double        rate = 400.0, sine = 0.0, cosine = 0.0, hertz = 12.5;
    assert_int_equal(kl_filter_lowpass(&f, 4, 20.0, rate), KL_OK);
    for (int i = 0; i < n; i++) x[i] = 3.0 + sin(2.0 * PI * hertz * i / rate);
    kl_filter_run_both_ways(&f, x, n);
    for (int i = n / 4; i < 3 * n / 4; i++) {
        sine += 4.0 / n * (x[i] - 3.0) * sin(2.0 * PI * hertz * i / rate);
        cosine += 4.0 / n * (x[i] - 3.0) * cos(2.0 * PI * hertz * i / rate);
    }
    near(sine, pow(cabs(kl_filter_gain(&f, hertz, rate)), 2.0), 1e-9);
    near(cosine, 0.0, 1e-9);
    for (int i = 0; i < n; i++) x[i] = 3.0;
    kl_filter_run_both_ways(&f, x, n); /* it starts in the steady state of the first value */
    for (int i = 0; i < n; i++) near(x[i], 3.0, 1e-9);
}

static void corners_outside_the_sampled_band_are_refused(void **unused)
{
    (void)unused;
    kl_filter f;
    assert_int_equal(kl_filter_lowpass(&f, 4, 50.0, 100.0), KL_E_RANGE);
    assert_int_equal(kl_filter_lowpass(&f, 3, 20.0, 100.0), KL_E_RANGE);
    assert_int_equal(kl_filter_bandpass(&f, 2, 5.0, 4.0, 100.0), KL_E_RANGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_low_pass_matches_the_reference),
        cmocka_unit_test(the_band_pass_matches_the_reference),
        cmocka_unit_test(a_sine_comes_out_with_the_gain_and_without_shift),
        cmocka_unit_test(corners_outside_the_sampled_band_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
