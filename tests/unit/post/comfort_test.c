/* Frequency weightings, comfort indices and Sperling's index against the reference tables. */
#include "post/comfort.h"

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

/* The reference calls Wb by its standard. */
static const kl_weighting *weighting(const char *name)
{
    const kl_weighting *w = kl_weighting_find(strncmp(name, "Wb", 2) == 0 ? "Wb" : name);
    assert_non_null(w);
    return w;
}

static void weightings_match_at_every_third_octave(void **unused)
{
    (void)unused;
    csv_text *t = csv_read("assessment/weighting_third_octave.csv");
    for (int r = 0; r < t->rows; r++) {
        const kl_weighting *w = weighting(csv_cell(t, r, "weighting"));
        double complex      g = kl_weighting_gain(w, csv_number(t, r, "f_nominal_Hz"));
        double              m = csv_number(t, r, "magnitude_at_nominal");
        near(cabs(g), m, 1e-8 * m + 1e-10);
        near(remainder(carg(g) * 180.0 / PI - csv_number(t, r, "phase_deg_at_nominal"), 360.0), 0.0,
             1e-3);
    }
    assert_true(t->rows >= 90);
    free(t);
}

/* Sum of `A*sin(2*pi*f*t)` as the reference writes it. */
static double sum_of_sines(const char *text, double t)
{
    double y = 0.0;
    for (const char *p = text; *p;) {
        char       *end;
        double      a = strtod(p, &end);
        const char *f = strstr(end, "pi*");
        y += a * sin(2.0 * PI * strtod(f + 3, &end) * t);
        const char *plus = strchr(end, '+');
        p                = plus ? plus + 2 : "";
    }
    return y;
}

static void weighted_sines_have_the_reference_rms_at_a_low_sampling_rate(void **unused)
{
    (void)unused;
    csv_text *t = csv_read("assessment/weighted_rms_of_sines.csv");
    enum { rate = 100, n = 120 * rate, skip = 60 * rate, used = 50 * rate };
    static double x[n], y[n];
    for (int r = 0; r < t->rows; r++) {
        const char *signal = csv_cell(t, r, "signal_m_per_s2");
        for (int i = 0; i < n; i++) x[i] = sum_of_sines(signal, (double)i / rate);
        assert_int_equal(kl_weighting_apply(weighting(csv_cell(t, r, "weighting")), x, n, rate, y),
                         KL_OK);
        double want = csv_number(t, r, "rms_weighted");
        /* the sudden start rings at half the sampling rate; it has faded by then */
        near(kl_root_mean_square(y + skip, used), want, 2e-5 * want);
    }
    free(t);
}

static double axis_signal(int axis, double t)
{
    static const struct {
        int    axis;
        double a, m, fm, f;
    } term[] = {{0, 0.06, 0.5, 0.01, 1.8},
                {1, 0.2, 0.6, 0.004, 1.2},
                {1, 0.1, 0.3, 0.02, 6.0},
                {2, 0.25, 0.4, 0.006, 1.4},
                {2, 0.15, 0.5, 0.013, 8.2}};
    double y = 0.0;
    for (int k = 0; k < 5; k++)
        if (term[k].axis == axis)
            y += term[k].a * (1.0 + term[k].m * sin(2.0 * PI * term[k].fm * t)) *
                 sin(2.0 * PI * term[k].f * t);
    return y;
}

static void five_minutes_of_ride_give_the_comfort_indices(void **unused)
{
    (void)unused;
    csv_text *blocks = csv_read("assessment/comfort_blocks.csv");
    csv_text *mean   = csv_read("assessment/comfort_mean.csv");
    enum { rate = 200, lead = 20, n = (300 + lead) * rate };
    static double      x[n], y[n], rms[3][60];
    static const char *column[] = {"aX_Wd_m_per_s2", "aY_Wd_m_per_s2", "aZ_Wb_m_per_s2"};
    for (int axis = 0; axis < 3; axis++) {
        for (int i = 0; i < n; i++) x[i] = axis_signal(axis, (double)i / rate - lead);
        assert_int_equal(
            kl_weighting_apply(kl_weighting_find(axis < 2 ? "Wd" : "Wb"), x, n, rate, y), KL_OK);
        assert_int_equal(kl_block_rms(y + lead * rate, 300 * rate, rate, 5.0, 60, rms[axis]), 60);
        for (int b = 0; b < 60; b++) near(rms[axis][b], csv_number(blocks, b, column[axis]), 5e-6);
        kl_sort_numbers(rms[axis], 60);
    }
    static const kl_percentile_rule rule[] = {KL_PERCENTILE_NEAREST, KL_PERCENTILE_LINEAR,
                                              KL_PERCENTILE_HAZEN};
    for (int k = 0; k < 3; k++) {
        double p95[3], p50[3];
        for (int axis = 0; axis < 3; axis++) {
            p95[axis] = kl_percentile(rms[axis], 60, 0.95, rule[k]);
            p50[axis] = kl_percentile(rms[axis], 60, 0.50, rule[k]);
        }
        near(kl_comfort_mean(p95[0], p95[1], p95[2]), csv_number(mean, k, "N_MV"), 5e-5);
        near(kl_comfort_standing(p50[0], p50[1], p50[2], p95[1]), csv_number(mean, k, "N_VD"),
             5e-5);
    }
    free(blocks), free(mean);
}

static void the_other_indices_match_the_reference(void **unused)
{
    (void)unused;
    csv_text *t = csv_read("assessment/comfort_nva_arithmetic.csv");
    for (int r = 0; r < t->rows; r++)
        near(kl_comfort_seated(csv_number(t, r, "aZP95"), csv_number(t, r, "aYA95"),
                               csv_number(t, r, "aZA95"), csv_number(t, r, "aXD95")),
             csv_number(t, r, "N_VA"), 1e-8);
    free(t);
    t = csv_read("assessment/comfort_pct.csv");
    for (int r = 0; r < t->rows; r++)
        near(kl_comfort_transition(strcmp(csv_cell(t, r, "position"), "standing") == 0,
                                   csv_number(t, r, "lateral_acc_max_m_per_s2"),
                                   csv_number(t, r, "lateral_jerk_max_m_per_s3"),
                                   csv_number(t, r, "roll_velocity_max_deg_per_s") * PI / 180.0),
             csv_number(t, r, "P_CT_percent"), 1e-6);
    free(t);
}

static void sperling_weightings_and_indices_match_the_reference(void **unused)
{
    (void)unused;
    csv_text *t = csv_read("assessment/sperling_weighting.csv");
    for (int r = 0; r < t->rows; r++) {
        double f = csv_number(t, r, "f_Hz"), one = 1.0;
        near(kl_sperling_weighting(KL_SPERLING_COMFORT_VERTICAL, f),
             csv_number(t, r, "B_comfort_vertical"), 1e-7);
        near(kl_sperling_weighting(KL_SPERLING_COMFORT_LATERAL, f),
             csv_number(t, r, "B_comfort_lateral"), 1e-7);
        near(kl_sperling_weighting(KL_SPERLING_RIDE_QUALITY, f), csv_number(t, r, "B_ride_quality"),
             1e-7);
        near(kl_sperling_harmonic(KL_SPERLING_COMFORT_VERTICAL, &one, &f, 1),
             csv_number(t, r, "Wz_harmonic_comfort_vertical_A1"), 1e-5);
        near(kl_sperling_harmonic(KL_SPERLING_RIDE_QUALITY, &one, &f, 1),
             csv_number(t, r, "Wz_harmonic_quality_A1"), 1e-5);
    }
    free(t);
    t = csv_read("assessment/sperling_sines.csv");
    for (int r = 0; r < t->rows; r++) {
        double      a[8], f[8];
        int         n    = 0;
        kl_sperling kind = strcmp(csv_cell(t, r, "direction"), "lateral") == 0
                               ? KL_SPERLING_COMFORT_LATERAL
                               : KL_SPERLING_COMFORT_VERTICAL;
        for (char *p = (char *)(size_t)csv_cell(t, r, "components_amplitude_m_per_s2_at_Hz");
             *p && n < 8; n++) {
            a[n] = strtod(p, &p), f[n] = strtod(p + 1, &p);
            while (*p == ' ' || *p == '+' || *p == ';') p++;
        }
        near(kl_sperling_harmonic(kind, a, f, n), csv_number(t, r, "W_harmonic_comfort_sum10"),
             1e-6);
        near(kl_sperling_harmonic(KL_SPERLING_RIDE_QUALITY, a, f, n),
             csv_number(t, r, "W_harmonic_quality_sum10"), 1e-6);
    }
    free(t);
    t = csv_read("assessment/sperling_noise.csv");
    for (int r = 0; r < t->rows; r++) {
        enum { n = 6001 };
        static double f[n], S[n];
        double        f1 = csv_number(t, r, "f1_Hz"), f2 = csv_number(t, r, "f2_Hz");
        for (int i = 0; i < n; i++) {
            f[i] = 0.005 * i;
            S[i] = csv_number(t, r, "S0_one_sided_(m/s2)^2_per_Hz");
            if (f[i] < f1 + 1e-9 || f[i] > f2 - 1e-9) S[i] *= 0.5; /* the edges of the band */
            if (f[i] < f1 - 1e-9 || f[i] > f2 + 1e-9) S[i] = 0.0;
        }
        kl_sperling kind = strcmp(csv_cell(t, r, "direction"), "lateral") == 0
                               ? KL_SPERLING_COMFORT_LATERAL
                               : KL_SPERLING_COMFORT_VERTICAL;
        double      want = csv_number(t, r, "W_comfort_a2B2_amplitude");
        near(kl_sperling_of_density(kind, f, S, n), want, 1e-3 * want);
        want = csv_number(t, r, "W_quality_a2B2_amplitude");
        near(kl_sperling_of_density(KL_SPERLING_RIDE_QUALITY, f, S, n), want, 1e-3 * want);
    }
    free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weightings_match_at_every_third_octave),
        cmocka_unit_test(weighted_sines_have_the_reference_rms_at_a_low_sampling_rate),
        cmocka_unit_test(five_minutes_of_ride_give_the_comfort_indices),
        cmocka_unit_test(the_other_indices_match_the_reference),
        cmocka_unit_test(sperling_weightings_and_indices_match_the_reference),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
