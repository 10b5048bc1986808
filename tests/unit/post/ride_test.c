/* What riders feel: filter, durations and the head injury criterion against closed forms. */
#include <math.h>
#include <stdlib.h>

#include "unit/test.h"

#include "post/ride.h"

enum { N = 20000 };

static double *signal(void)
{
    double *x = calloc(N, sizeof *x);
    assert_non_null(x);
    return x;
}

/* A four-pole Butterworth passes 1/sqrt(1 + (f/fc)^8). */
static void readings_of_older_results_are_recognised(void **unused)
{
    (void)unused;
    assert_true(kl_ride_is_reading("accelerometer.x", 'x'));
    assert_true(kl_ride_is_reading("felt.z", 'z'));
    assert_false(kl_ride_is_reading("felt.z", 'x'));
    assert_false(kl_ride_is_reading("accelerometer.xy", 'x'));
    assert_false(kl_ride_is_reading("acceleration.x", 'x'));
}

static void the_filter_has_four_poles_at_five_hertz(void **unused)
{
    (void)unused;
    static const double f[] = {0.5, 2.0, 5.0, 10.0, 20.0};
    double             *x = signal(), *y = signal(), dt = 1e-3, pi = acos(-1.0);
    for (int k = 0; k < 5; k++) {
        double most = 0.0;
        for (int i = 0; i < N; i++) x[i] = sin(2 * pi * f[k] * i * dt);
        kl_ride_filter(x, N, dt, 5.0, y);
        for (int i = N / 2; i < N; i++) most = fmax(most, fabs(y[i]));
        assert_true(fabs(most - 1.0 / sqrt(1.0 + pow(f[k] / 5.0, 8))) < 0.01);
    }
    for (int i = 0; i < N; i++) x[i] = 3.0; /* what stays is passed whole, from the start on */
    kl_ride_filter(x, N, dt, 5.0, y);
    for (int i = 0; i < N; i++) assert_true(fabs(y[i] - 3.0) < 1e-9);
    free(x);
    free(y);
}

static void a_level_is_kept_as_long_as_the_signal_stays_above(void **unused)
{
    (void)unused;
    double *x = signal();
    int    *q = calloc(N, sizeof *q);
    assert_non_null(q);
    for (int i = 0; i < N; i++)
        x[i] = i >= 5000 && i < 7000 ? 4.0 : i >= 9000 && i < 9100 ? 6.0 : 1.0;
    assert_true(kl_ride_kept(x, N, 100, q) == 6.0);
    assert_true(kl_ride_kept(x, N, 101, q) == 4.0);
    assert_true(kl_ride_kept(x, N, 2000, q) == 4.0);
    assert_true(kl_ride_kept(x, N, 2001, q) == 1.0);
    assert_true(kl_ride_kept(x, N, N + 1, q) == -HUGE_VAL);
    free(x);
    free(q);
}

/* A block of a g for T: HIC = T a^2.5, cut at the longest window. */
static void hic_of_a_block_is_its_closed_form(void **unused)
{
    (void)unused;
    double *x = signal(), dt = 1e-4;
    for (int i = 3000; i <= 3100; i++) x[i] = 60.0; /* 10 ms */
    assert_true(fabs(kl_hic(x, N, dt, 0.015) / (0.01 * pow(60.0, 2.5)) - 1.0) < 0.02);
    for (int i = 3000; i <= 4000; i++) x[i] = 60.0; /* 100 ms */
    assert_true(fabs(kl_hic(x, N, dt, 0.015) / (0.015 * pow(60.0, 2.5)) - 1.0) < 1e-6);
    assert_true(fabs(kl_hic(x, N, dt, 0.036) / (0.036 * pow(60.0, 2.5)) - 1.0) < 1e-6);
    for (int i = 0; i < N; i++) x[i] = 0.0;
    assert_true(kl_hic(x, N, dt, 0.015) == 0.0);
    free(x);
}

/* Windows end at any time: coarse rows change HIC of a smooth pulse little and never make it zero. */
static void hic_does_not_depend_on_where_rows_stand(void **unused)
{
    (void)unused;
    double *x = signal();
    for (int i = 0; i < 100; i++) x[i] = 30.0;
    for (double dt = 1e-3; dt < 2.0; dt *= 1.7)
        assert_true(fabs(kl_hic(x, 100, dt, 0.015) / (0.015 * pow(30.0, 2.5)) - 1.0) < 1e-9);
    double fine = 0.0;
    for (int rows = 1000; rows >= 20; rows /= 2) { /* half a sine of 100 ms, 0.1 ms to 6 ms rows */
        double dt = 0.1 / rows;
        for (int i = 0; i <= rows; i++) x[i] = 50.0 * sin(acos(-1.0) * i / rows);
        double hic = kl_hic(x, rows + 1, dt, 0.015);
        if (fine == 0.0) fine = hic;
        assert_true(fabs(hic / fine - 1.0) < 0.01);
    }
    assert_true(kl_hic(x, 1, 1e-3, 0.015) == 0.0 && kl_hic(x, 0, 1e-3, 0.015) == 0.0);
    free(x);
}

static void limits_fall_with_duration_and_a_long_press_breaks_them(void **unused)
{
    (void)unused;
    for (int w = 0; w < KL_NRIDE; w++)
        for (double t = 0.1; t < 50; t += 0.1)
            assert_true(kl_ride_level(&kl_ride_limits[w], t + 0.1) <=
                        kl_ride_level(&kl_ride_limits[w], t) + 1e-12);
    double   *x = signal(), *z = signal();
    kl_arena *arena = kl_arena_create();
    kl_ride   ride;
    for (int i = 0; i < N; i++)
        z[i] = 9.80665 * (i >= 4000 && i < 9000 ? 4.6 : 1.0); /* 5 s at 1 ms */
    const double *const a[3] = {x, x, z};
    assert_int_equal(kl_ride_assess(a, N, 1e-3, arena, &ride), KL_OK);
    assert_true(ride.way[KL_RIDE_DOWN].share > 1.1 && ride.way[KL_RIDE_DOWN].share < 1.2);
    assert_true(ride.way[KL_RIDE_UP].share == 0.0);
    for (int i = 0; i < N; i++) z[i] = 9.80665 * (i >= 4000 && i < 4800 ? 4.6 : 1.0); /* 0.8 s */
    assert_int_equal(kl_ride_assess(a, N, 1e-3, arena, &ride), KL_OK);
    assert_true(ride.way[KL_RIDE_DOWN].share < 0.85);
    kl_arena_destroy(arena);
    free(x);
    free(z);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(readings_of_older_results_are_recognised),
        cmocka_unit_test(the_filter_has_four_poles_at_five_hertz),
        cmocka_unit_test(a_level_is_kept_as_long_as_the_signal_stays_above),
        cmocka_unit_test(hic_of_a_block_is_its_closed_form),
        cmocka_unit_test(hic_does_not_depend_on_where_rows_stand),
        cmocka_unit_test(limits_fall_with_duration_and_a_long_press_breaks_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
