/* Welch's estimate equals the reference values to 1e-6, its scatter the expected one, for any segment length. */
#include "post/welch.h"

#include <math.h>
#include <stdlib.h>

#include "unit/csv_text.h"

static const double PI = 3.141592653589793;

static void near(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance))
        fail_msg("%.12g instead of %.12g (+- %g)", value, expected, tolerance);
}

enum { N = 16384 };
static double noise[N], both[N];

static void fill(void)
{
    unsigned seed = 12345;
    for (int i = 0; i < N; i++) {
        seed     = 1664525u * seed + 1013904223u;
        noise[i] = seed / 4294967296.0 - 0.5;
        both[i]  = noise[i] + 0.3 * sin(2.0 * PI * 25.0 * i / 200.0) +
                  0.2 * sin(2.0 * PI * 60.1 * i / 200.0);
    }
}

static kl_window window_of(const char *name)
{
    if (strcmp(name, "hann_symmetric") == 0) return KL_WINDOW_HANN_SYMMETRIC;
    return strcmp(name, "rectangular") == 0 ? KL_WINDOW_RECTANGULAR : KL_WINDOW_HANN;
}

static kl_density estimate(const csv_text *t, int r)
{
    kl_density d;
    kl_welch   how  = {.segment   = 1024,
                       .step      = 512,
                       .window    = window_of(csv_cell(t, r, "window")),
                       .keep_mean = strcmp(csv_cell(t, r, "detrend"), "none") == 0};
    bool       bare = strcmp(csv_cell(t, r, "signal"), "noise") == 0;
    assert_int_equal(kl_density_find(bare ? noise : both, N, 200.0, &how, &d), KL_OK);
    return d;
}

static void values_and_totals_match_the_reference(void **unused)
{
    (void)unused;
    fill();
    csv_text *t = csv_read("assessment/welch_values.csv");
    for (int r = 0; r < t->rows; r++) {
        kl_density d    = estimate(t, r);
        double     want = csv_number(t, r, "psd_one_sided");
        near(d.value[(int)csv_number(t, r, "bin")], want, 1e-6 * want + 1e-15);
        assert_int_equal(d.segments, (int)csv_number(t, r, "segments"));
        kl_density_free(&d);
    }
    free(t);
    t = csv_read("assessment/welch_totals.csv");
    for (int r = 0; r < t->rows; r++) {
        kl_density d   = estimate(t, r);
        double     sum = 0.0, want = csv_number(t, r, "sum_psd_times_df");
        for (int k = 0; k < d.n; k++) sum += d.value[k] * d.frequency[1];
        near(sum, want, 1e-6 * want);
        kl_density_free(&d);
    }
    free(t);
}

static void freedom_and_intervals_match_the_reference(void **unused)
{
    (void)unused;
    fill();
    csv_text *t = csv_read("assessment/welch_expected.csv");
    for (int r = 0; r < t->rows; r++) {
        kl_density d;
        double     low, high;
        kl_welch   how = {.segment = 1024, .window = window_of(csv_cell(t, r, "window"))};
        assert_int_equal(kl_density_find(noise, N, 200.0, &how, &d), KL_OK);
        near(d.freedom, csv_number(t, r, "equivalent_dof"), 1e-3);
        near(d.bandwidth, csv_number(t, r, "noise_bandwidth_Hz"), 1e-8);
        kl_density_interval(&d, 0.95, &low, &high);
        near(low, csv_number(t, r, "ci95_factor_low"), 2e-6);
        near(high, csv_number(t, r, "ci95_factor_high"), 1e-5);
        kl_density_free(&d);
    }
    free(t);
}

/* Segments of 1000 rows by the chirp: a sine on a bin has all its power in three bins of a Hann window. */
static void segments_need_not_be_powers_of_two(void **unused)
{
    (void)unused;
    static double x[N];
    for (int i = 0; i < N; i++) x[i] = 2.0 * sin(2.0 * PI * 30.0 * i / 200.0);
    kl_density d;
    kl_welch   how = {.segment = 1000};
    assert_int_equal(kl_density_find(x, N, 200.0, &how, &d), KL_OK);
    near(d.frequency[150], 30.0, 1e-12);
    near((d.value[149] + d.value[150] + d.value[151]) * d.frequency[1], 2.0, 1e-9);
    near(d.value[160] + d.value[0] + d.value[500], 0.0, 1e-12);
    kl_density_free(&d);
    assert_int_equal(kl_density_find(x, 999, 200.0, &how, &d), KL_E_RANGE);
    x[5] = (double)NAN;
    assert_int_equal(kl_density_find(x, N, 200.0, &how, &d), KL_E_RANGE);
}

/* A signal A (-1)^i has the power A^2 at half the rate, a constant A at zero: both lines have one
 * side only. The Hann window leaves 2/3 there and brings 1/3 to the line beside it. */
static void the_first_and_the_last_line_are_counted_once(void **unused)
{
    (void)unused;
    const double  A = 3.0, rate = 200.0;
    const int     segment[2] = {1024, 1000}; /* power of two, chirp */
    static double x[N], level[N];
    for (int i = 0; i < N; i++) x[i] = i % 2 ? -A : A, level[i] = A;
    for (int c = 0; c < 4; c++) {
        bool       hann = c % 2;
        kl_density d;
        kl_welch   how  = {.segment   = segment[c / 2],
                           .window    = hann ? KL_WINDOW_HANN : KL_WINDOW_RECTANGULAR,
                           .keep_mean = true};
        double     edge = hann ? A * A * 2 / 3 : A * A, beside = A * A - edge, rest = 0.0;
        for (int low = 0; low < 2; low++) {
            assert_int_equal(kl_density_find(low ? level : x, N, rate, &how, &d), KL_OK);
            int last = d.n - 1, at = low ? 0 : last, next = low ? 1 : last - 1;
            near(d.frequency[last], 0.5 * rate, 1e-12);
            near(d.value[at] * d.frequency[1], edge, 1e-9);
            near(d.value[next] * d.frequency[1], beside, 1e-9);
            for (int k = 0; k < d.n; k++)
                if (k != at && k != next) rest += d.value[k] * d.frequency[1];
            near(rest, 0.0, 1e-12);
            kl_density_free(&d);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_and_totals_match_the_reference),
        cmocka_unit_test(freedom_and_intervals_match_the_reference),
        cmocka_unit_test(segments_need_not_be_powers_of_two),
        cmocka_unit_test(the_first_and_the_last_line_are_counted_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
