/* Rainflow against the worked example of ASTM E1049-85 (figure 6), damage against hand sums. */
#include "unit/csv_text.h"

#include <stdlib.h>

#include "post/fatigue.h"

enum { MOST = 4096 };

static double count_of(const kl_cycle *c, int n, double range)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        if (fabs(c[i].range - range) < 1e-12) sum += c[i].count;
    return sum;
}

static void the_example_of_the_standard_is_counted_as_it_says(void **unused)
{
    (void)unused;
    const double history[] = {-2, 1, -3, 5, -1, 3, -4, 4, -2};
    double       scratch[9];
    kl_cycle     c[9];
    int          n             = kl_rainflow(history, 9, scratch, c);
    const double expected[][2] = {{3, 0.5}, {4, 1.5}, {6, 0.5}, {8, 1.0}, {9, 0.5}};
    double       all           = 0;
    for (int i = 0; i < n; i++) all += c[i].count;
    for (int i = 0; i < 5; i++) assert_close(count_of(c, n, expected[i][0]), expected[i][1], 0);
    assert_close(all, 4.0, 0);
}

/* Points between the turns, repeated values and gaps in the data change nothing; half the reversals less one are counted. */
static void what_lies_between_the_turns_does_not_count(void **unused)
{
    (void)unused;
    const double turns[] = {0, 4, -1, 3, -2, 6, 1, 2, -5, 0};
    double       fine[400], scratch[400];
    kl_cycle     a[10], b[400];
    int          n = 0;
    for (int i = 0; i + 1 < 10; i++)
        for (int k = 0; k < 20; k++)
            fine[n++] = k == 7 ? (double)NAN : turns[i] + (turns[i + 1] - turns[i]) * (k / 4) / 5.0;
    fine[n++] = turns[9];
    int na = kl_rainflow(turns, 10, scratch, a), nb = kl_rainflow(fine, n, scratch, b);
    assert_int_equal(na, nb);
    double all = 0;
    for (int i = 0; i < na; i++) {
        assert_close(a[i].range, b[i].range, 0);
        assert_close(a[i].mean, b[i].mean, 0);
        all += a[i].count;
    }
    assert_close(all, 4.5, 0);
}

static void the_largest_range_is_always_found(void **unused)
{
    (void)unused;
    static double   x[MOST], scratch[MOST];
    static kl_cycle c[MOST];
    srand(7);
    for (int trial = 0; trial < 50; trial++) {
        double low = HUGE_VAL, high = -HUGE_VAL, all = 0;
        for (int i = 0; i < MOST; i++) {
            x[i] = rand() / (double)RAND_MAX;
            low = fmin(low, x[i]), high = fmax(high, x[i]);
        }
        int    n    = kl_rainflow(x, MOST, scratch, c);
        double most = 0;
        for (int i = 0; i < n; i++) most = fmax(most, c[i].range), all += c[i].count;
        assert_close(most, high - low, 0);
        assert_true(n <= MOST && all <= 0.5 * MOST);
    }
}

static const kl_sn_curve weld = {
    .range = 90e6, .cycles = 2e6, .slope = 3, .knee = 1e7, .slope_after = 5};

static void damage_is_the_sum_of_shares(void **unused)
{
    (void)unused;
    assert_close(kl_sn_life(&weld, 90e6), 2e6, 1e-6);
    assert_close(kl_sn_life(&weld, 180e6), 2e6 / 8, 1e-6);
    double knee = 90e6 * cbrt(0.2);
    assert_close(kl_sn_life(&weld, knee * (1 - 1e-12)) / 1e7, 1, 1e-9);
    assert_close(kl_sn_life(&weld, knee / 2) / 1e7, 32, 1e-9);
    const kl_cycle two[] = {{90e6, 0, 1}, {180e6, 40e6, 0.5}};
    assert_close(kl_sn_damage(&weld, two, 2), 1 / 2e6 + 0.5 * 8 / 2e6, 1e-18);
    kl_sn_curve limit = weld;
    limit.slope_after = 0;
    assert_true(isinf(kl_sn_life(&limit, knee / 2)));
    assert_true(isinf(kl_sn_life(&weld, 0)));
}

static void tension_harms_and_pressure_does_not_heal(void **unused)
{
    (void)unused;
    kl_sn_curve c = weld;
    c.ultimate    = 400e6;
    c.mean        = KL_MEAN_GOODMAN;
    assert_close(kl_sn_equivalent(&c, 100e6, 200e6), 200e6, 1);
    assert_close(kl_sn_equivalent(&c, 100e6, -200e6), 100e6, 0);
    assert_true(isinf(kl_sn_equivalent(&c, 100e6, 400e6)));
    c.mean = KL_MEAN_GERBER;
    assert_close(kl_sn_equivalent(&c, 90e6, 200e6), 120e6, 1);
    c.mean = KL_MEAN_SWT;
    assert_close(kl_sn_equivalent(&c, 100e6, 0), 100e6, 1e-6);
    assert_close(kl_sn_equivalent(&c, 100e6, 150e6), 200e6, 1e-6);
    assert_close(kl_sn_equivalent(&c, 100e6, -60e6), 0, 0);
}

static void curves_that_make_no_sense_are_named(void **unused)
{
    (void)unused;
    assert_null(kl_sn_fault(&weld));
    kl_sn_curve c = weld;
    c.slope       = 0.5;
    assert_non_null(kl_sn_fault(&c));
    c = weld, c.range = NAN;
    assert_non_null(kl_sn_fault(&c));
    c = weld, c.mean = KL_MEAN_GOODMAN;
    assert_non_null(kl_sn_fault(&c));
    c = weld, c.slope_after = 2;
    assert_non_null(kl_sn_fault(&c));
    c = weld, c.knee = 1e6; /* the range would not lie on the curve */
    assert_non_null(kl_sn_fault(&c));
}

static void assert_cycles(const double *x, int n, const kl_cycle *expected, int count)
{
    double   scratch[32];
    kl_cycle c[32];
    assert_true(n <= 32);
    assert_int_equal(kl_rainflow(x, n, scratch, c), count);
    for (int i = 0; i < count; i++) {
        assert_close(c[i].range, expected[i].range, 0);
        assert_close(c[i].mean, expected[i].mean, 0);
        assert_close(c[i].count, expected[i].count, 0);
    }
}

/* ASTM E1049-85, 5.4.4, counted by hand: a range X that equals the range Y before it closes Y, as a
 * whole cycle unless Y contains the start. Equal values in a row are one reversal. */
static void equal_ranges_close_cycles(void **unused)
{
    (void)unused;
    /* 2-6 is closed by 6-2 and does not contain the start */
    const double   inner[]    = {-5, 10, 2, 6, 2};
    const kl_cycle inner_is[] = {{4, 4, 1}, {15, 2.5, 0.5}, {8, 6, 0.5}};
    const double   held[]     = {-5, -5, 10, 10, 10, 2, 2, 6, 6, 2, 2};
    /* two equal inner cycles, one after the other */
    const double   twice[]    = {0, 9, 3, 5, 3, 5, 3, 12};
    const kl_cycle twice_is[] = {{2, 4, 1}, {2, 4, 1}, {6, 6, 1}, {12, 6, 0.5}};
    /* constant amplitude: every range contains the start, half cycles only */
    const double   constant[]    = {-1, 1, -1, 1, -1};
    const kl_cycle constant_is[] = {{2, 0, 0.5}, {2, 0, 0.5}, {2, 0, 0.5}, {2, 0, 0.5}};
    /* 0-4 contains the start: half; then 0-3 is closed by 3-0 */
    const double   start[]    = {0, 4, 0, 3, 0};
    const kl_cycle start_is[] = {{4, 2, 0.5}, {3, 1.5, 1}, {4, 2, 0.5}};
    const double   level[]    = {7, 7, 7, 7};
    assert_cycles(inner, 5, inner_is, 3);
    assert_cycles(held, 11, inner_is, 3);
    assert_cycles(twice, 8, twice_is, 4);
    assert_cycles(constant, 5, constant_is, 4);
    assert_cycles(start, 5, start_is, 3);
    assert_cycles(level, 4, NULL, 0);
}

/* The reference history, each value held for three rows, gives each cycle of the reference once. */
static void cycles_and_damage_match_the_reference(void **unused)
{
    (void)unused;
    csv_text *h = csv_read("assessment/rainflow_history.csv"),
             *r = csv_read("assessment/rainflow_cycles.csv"),
             *d = csv_read("assessment/rainflow_damage.csv");
    static double   x[1800], scratch[1800];
    static kl_cycle c[1800];
    for (int i = 0; i < 3 * h->rows; i++) x[i] = csv_number(h, i / 3, "stress_MPa");
    int n = kl_rainflow(x, 3 * h->rows, scratch, c), rows = 0;
    for (int i = 0; i < r->rows; i++) {
        if (strcmp(csv_cell(r, i, "method"), "ASTM_E1049_three_point") != 0) continue;
        int same = 0;
        for (int k = 0; k < n; k++)
            same += fabs(c[k].range - csv_number(r, i, "range_MPa")) < 1e-9 &&
                    fabs(c[k].mean - csv_number(r, i, "mean_MPa")) < 1e-9 &&
                    c[k].count == csv_number(r, i, "count");
        if (same != 1) fail_msg("row %d of the reference: found %d times", i + 1, same);
        rows++;
    }
    assert_int_equal(n, rows);
    for (int i = 0; i < d->rows; i++) {
        const char *curve = csv_cell(d, i, "sn_curve");
        if (strcmp(csv_cell(d, i, "method"), "ASTM_E1049_three_point") != 0) continue;
        if (strcmp(curve, "cutoff") == 0) continue; /* a curve of three parts */
        bool        two_slopes = strcmp(curve, "bilinear") == 0;
        kl_sn_curve s          = {.range       = csv_number(d, i, "FAT_at_2e6_MPa"),
                                  .cycles      = 2e6,
                                  .slope       = strcmp(curve, "m5") == 0 ? 5 : 3,
                                  .knee        = two_slopes ? 5e6 : 0,
                                  .slope_after = two_slopes ? 5 : 0};
        assert_close(kl_sn_damage(&s, c, n) / csv_number(d, i, "damage_per_history"), 1, 1e-8);
        rows++;
    }
    assert_int_equal(rows, n + 3);
    free(h), free(r), free(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_example_of_the_standard_is_counted_as_it_says),
        cmocka_unit_test(what_lies_between_the_turns_does_not_count),
        cmocka_unit_test(the_largest_range_is_always_found),
        cmocka_unit_test(damage_is_the_sum_of_shares),
        cmocka_unit_test(tension_harms_and_pressure_does_not_heal),
        cmocka_unit_test(curves_that_make_no_sense_are_named),
        cmocka_unit_test(equal_ranges_close_cycles),
        cmocka_unit_test(cycles_and_damage_match_the_reference),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
