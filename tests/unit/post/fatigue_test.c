/* Rainflow against the worked example of ASTM E1049-85 (figure 6), damage against hand sums. */
#include "unit/test.h"

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
    int          n = kl_rainflow(history, 9, scratch, c);
    const double expected[][2] = {{3, 0.5}, {4, 1.5}, {6, 0.5}, {8, 1.0}, {9, 0.5}};
    double       all = 0;
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
        for (int k = 0; k < 20; k++) fine[n++] = k == 7 ? (double)NAN : turns[i] + (turns[i + 1] - turns[i]) * (k / 4) / 5.0;
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
        int    n = kl_rainflow(x, MOST, scratch, c);
        double most = 0;
        for (int i = 0; i < n; i++) most = fmax(most, c[i].range), all += c[i].count;
        assert_close(most, high - low, 0);
        assert_true(n <= MOST && all <= 0.5 * MOST);
    }
}

static const kl_sn_curve weld = {.range = 90e6, .cycles = 2e6, .slope = 3, .knee = 1e7, .slope_after = 5};

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_example_of_the_standard_is_counted_as_it_says),
        cmocka_unit_test(what_lies_between_the_turns_does_not_count),
        cmocka_unit_test(the_largest_range_is_always_found),
        cmocka_unit_test(damage_is_the_sum_of_shares),
        cmocka_unit_test(tension_harms_and_pressure_does_not_heal),
        cmocka_unit_test(curves_that_make_no_sense_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
