/* Percentiles, sections, regression and windows against the reference tables; distributions too. */
#include "post/statistics.h"

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

static const struct {
    const char        *column;
    kl_percentile_rule rule;
} rules[] = {{"nearest_rank", KL_PERCENTILE_NEAREST},
             {"linear_N_minus_1", KL_PERCENTILE_LINEAR},
             {"hazen_Np_plus_half", KL_PERCENTILE_HAZEN}};

static void percentiles_of_a_short_list_follow_their_definitions(void **unused)
{
    (void)unused;
    csv_text *data = csv_read("assessment/percentiles_short_list_data.csv");
    csv_text *want = csv_read("assessment/percentiles_short_list.csv");
    double    x[64];
    for (int i = 0; i < data->rows; i++) x[i] = csv_number(data, i, "value");
    kl_sort_numbers(x, data->rows);
    for (int r = 0; r < want->rows; r++)
        for (int k = 0; k < 3; k++)
            near(kl_percentile(x, data->rows, csv_number(want, r, "percentile") / 100.0,
                               rules[k].rule),
                 csv_number(want, r, rules[k].column), 1e-9);
    free(data), free(want);
}

static void long_records_of_sines_reach_the_continuous_percentiles(void **unused)
{
    (void)unused;
    csv_text *want = csv_read("assessment/percentiles_of_sines.csv");
    enum { n = 400000 };
    double *x = malloc(n * sizeof *x);
    for (int r = 0; r < want->rows; r++) {
        const char *text = csv_cell(want, r, "amplitudes");
        if (r == 0 || strcmp(text, csv_cell(want, r - 1, "amplitudes")) != 0) {
            static const double f[] = {1.0,
                                       1.4142135623730951,
                                       1.7320508075688772,
                                       2.23606797749979,
                                       2.6457513110645907,
                                       3.3166247903554};
            for (int i = 0; i < n; i++) {
                char  *p = (char *)(size_t)text;
                double y = 0.0;
                for (int k = 0; *p && k < 6; k++) y += strtod(p, &p) * sin(0.7390851 * f[k] * i);
                x[i] = y;
            }
            kl_sort_numbers(x, n);
        }
        near(kl_percentile(x, n, csv_number(want, r, "percentile") / 100.0, KL_PERCENTILE_LINEAR),
             csv_number(want, r, "quantile_continuous"), 2e-3);
    }
    free(x), free(want);
}

static void sections_and_regression_match_the_reference(void **unused)
{
    (void)unused;
    csv_text *data = csv_read("assessment/section_statistics_data.csv");
    csv_text *want = csv_read("assessment/section_statistics.csv");
    double    x[64], y[64];
    int       n = data->rows;
    for (int i = 0; i < n; i++) y[i] = csv_number(data, i, "value_kN");
    double mean = kl_mean(y, n), s = kl_standard_deviation(y, n);
    near(mean, csv_quantity(want, "mean"), 1e-8);
    near(s, csv_quantity(want, "s_N_minus_1"), 1e-8);
    near(mean + 2.2 * s, csv_quantity(want, "mean_plus_2.2_s"), 1e-7);
    near(kl_student_quantile(0.9985, n - 1), csv_quantity(want, "t_quantile_0.9985_nu_N_minus_1"),
         1e-7);
    near(kl_student_quantile(0.985, n - 1), csv_quantity(want, "t_quantile_0.985_nu_N_minus_1"),
         1e-7);
    near(kl_student_quantile(0.0015, n - 1), -csv_quantity(want, "t_quantile_0.9985_nu_N_minus_1"),
         1e-7);
    free(data), free(want);

    data = csv_read("assessment/section_regression_data.csv");
    want = csv_read("assessment/section_regression.csv");
    n    = data->rows;
    for (int i = 0; i < n; i++) {
        x[i] = csv_number(data, i, "cant_deficiency_mm");
        y[i] = csv_number(data, i, "value_kN");
    }
    kl_regression fit;
    assert_int_equal(kl_regression_fit(x, y, n, &fit), KL_OK);
    near(fit.intercept, csv_quantity(want, "intercept"), 1e-8);
    near(fit.slope, csv_quantity(want, "slope"), 1e-9);
    near(fit.residual, csv_quantity(want, "s_residual_N_minus_2"), 1e-9);
    near(kl_regression_bound(&fit, 150.0, 0.0), csv_quantity(want, "predicted_at_x0"), 1e-7);
    near(kl_regression_bound(&fit, 150.0, kl_student_quantile(0.9985, n - 2)),
         csv_quantity(want, "upper_prediction_t"), 1e-6);
    assert_int_equal(kl_regression_fit(x, y, 2, &fit), KL_E_RANGE);
    free(data), free(want);
}

/* y(x) = mean + sum A sin(2 pi x/L + phase) of a signal file. */
static double signal_at(const csv_text *t, double x, int components)
{
    double y = csv_quantity(t, "mean");
    for (int k = 1; k <= components; k++) {
        char name[3][40];
        snprintf(name[0], 40, "component %d amplitude", k);
        snprintf(name[1], 40, "component %d wavelength", k);
        snprintf(name[2], 40, "component %d phase", k);
        y += csv_quantity(t, name[0]) *
             sin(2.0 * PI * x / csv_quantity(t, name[1]) + csv_quantity(t, name[2]));
    }
    return y;
}

static void sliding_means_and_their_percentiles_match_the_reference(void **unused)
{
    (void)unused;
    csv_text *signal = csv_read("assessment/sliding_mean_signal.csv");
    csv_text *want   = csv_read("assessment/sliding_mean_windows.csv");
    enum { n = 2500 };
    static double s[n], y[n], mean[n];
    for (int i = 0; i < n; i++) s[i] = 0.1 * i, y[i] = signal_at(signal, s[i], 3);
    kl_windows w     = {.first = 0.0, .length = 2.0, .step = 0.5, .most = n};
    int        count = kl_window_means(s, y, n, &w, mean);
    assert_int_equal(count, 497);
    for (int r = 0; r < want->rows; r++) {
        int k = (int)lround(csv_number(want, r, "window_start_m") / 0.5);
        near(mean[k], csv_number(want, r, "mean_of_samples"), 1e-7);
    }
    csv_text *p = csv_read("assessment/sliding_mean_percentiles.csv");
    kl_sort_numbers(mean, count);
    int seen = 0;
    for (int r = 0; r < p->rows; r++) {
        if (strcmp(csv_cell(p, r, "quantity"), "sliding_mean_of_samples") != 0) continue;
        if (!*csv_cell(p, r, "linear_N_minus_1")) continue; /* rows of extremes */
        for (int k = 0; k < 3; k++)
            near(kl_percentile(mean, count, csv_number(p, r, "percentile") / 100.0, rules[k].rule),
                 csv_number(p, r, rules[k].column), 1e-7);
        seen++;
    }
    assert_true(seen > 0);
    free(signal), free(want), free(p);
}

static void sliding_rms_matches_the_reference(void **unused)
{
    (void)unused;
    csv_text *signal = csv_read("assessment/sliding_rms_100m_signal.csv");
    csv_text *want   = csv_read("assessment/sliding_rms_100m.csv");
    enum { n = 2000 };
    static double s[n], y[n], rms[n];
    for (int i = 0; i < n; i++) s[i] = 0.25 * i, y[i] = signal_at(signal, s[i], 2);
    kl_windows w     = {.first = 0.0, .length = 100.0, .step = 10.0, .most = n};
    int        count = kl_window_rms(s, y, n, &w, rms);
    assert_true(count >= want->rows);
    for (int r = 0; r < want->rows; r++) near(rms[r], csv_number(want, r, "rms_of_samples"), 1e-7);
    free(signal), free(want);
}

/* Chi-square against the interval factors of the spectra's reference; F against closed forms. */
static void distributions_match_known_values(void **unused)
{
    (void)unused;
    csv_text *t = csv_read("assessment/welch_expected.csv");
    for (int r = 0; r < t->rows; r++) {
        double f = csv_number(t, r, "equivalent_dof");
        near(f / kl_chi_square_quantile(0.975, f), csv_number(t, r, "ci95_factor_low"), 2e-6);
        near(f / kl_chi_square_quantile(0.025, f), csv_number(t, r, "ci95_factor_high"), 5e-6);
    }
    free(t);
    near(kl_f_distribution(3.0, 2.0, 2.0), 0.75, 1e-14); /* x/(1 + x) */
    near(kl_f_distribution(2.5, 2.0, 10.0), 1.0 - pow(1.5, -5.0),
         1e-14); /* 1 - (1 + 2x/d)^(-d/2) */
    near(kl_chi_square_quantile(0.9, 2.0), -2.0 * log(0.1), 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(percentiles_of_a_short_list_follow_their_definitions),
        cmocka_unit_test(long_records_of_sines_reach_the_continuous_percentiles),
        cmocka_unit_test(sections_and_regression_match_the_reference),
        cmocka_unit_test(sliding_means_and_their_percentiles_match_the_reference),
        cmocka_unit_test(sliding_rms_matches_the_reference),
        cmocka_unit_test(distributions_match_known_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
