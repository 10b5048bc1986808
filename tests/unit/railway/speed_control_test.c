/* A driver against closed forms: a speed that grows with the distance, braking at the limit, a speed
 * held against resistance. */
#include <math.h>

#include "unit/solve/simulate.h"

static rows r;

static const char *const names[] = {"d.running_speed", "d.distance", "d.pull", NULL};

#define CAR                                                                                        \
    "klingel: 1\nbodies:\n"                                                                        \
    "  car: {mass: 10 t, inertia: [1e4, 1e4, 1e4], position: [5, 0, 0], velocity: [10, 0, 0]}\n"   \
    "joints: {way: {type: translational, between: [ground, car], at: [5, 0, 0], axis: x}}\n"       \
    "integrator: {tolerance: 1e-9}\nforces:\n"

/* speed = 10 + 0.1 (s - 5) from 5 m to 105 m: s - 5 = 100 (exp(0.1 t) - 1), then constant. The car
 * lags by what its inertia asks of the driver: m a/k and no more. */
static void a_timetable_follows_the_speed_over_distance(void **unused)
{
    (void)unused;
    built b = must_build(CAR "  d: {type: speed-control, between: [ground, car], at: [[0, 0, 0], "
                             "[5, 0, 0]], stiffness: 1e9, damping: 1e7,\n"
                             "      speed: {linear_table: [[5, 10], [105, 20], [300, 20]]}}\n");
    simulate(&b, 9.0, 0.5, names, &r, NULL);
    double reached = 10.0 * log(2.0);
    for (int i = 0; i < r.count; i++) {
        double t = r.t[i], e = exp(0.1 * fmin(t, reached));
        double s = 5.0 + 100.0 * (e - 1.0) + 20.0 * fmax(0.0, t - reached);
        assert_close(r.value[i][1], s, 2e-4);
        if (fabs(t - reached) > 0.3) assert_close(r.value[i][0], 10.0 * e, 2e-3);
    }
    built_free(&b);
}

/* The brake asks for far more than 20 kN, so the car slows down by 2 m/s2: v = 10 - 2 t. */
static void braking_is_limited(void **unused)
{
    (void)unused;
    built b = must_build(CAR "  d: {type: speed-control, between: [ground, car], at: [[0, 0, 0], "
                             "[5, 0, 0]], speed: 0, damping: 1e6, braking: 20 kN}\n");
    simulate(&b, 4.5, 0.5, names, &r, NULL);
    for (int i = 0; i < r.count; i++) {
        assert_close(r.value[i][0], 10.0 - 2.0 * r.t[i], 1e-6);
        assert_close(r.value[i][2], -20e3, 1e-3);
    }
    built_free(&b);
}

/* Against 3 kN of resistance the car falls behind the timetable by 3 kN/stiffness and keeps the speed. */
static void resistance_does_not_change_the_speed(void **unused)
{
    (void)unused;
    built b = must_build(
        CAR "  d: {type: speed-control, between: [ground, car], at: [[0, 0, 0], [5, 0, 0]], speed: "
            "10 m/s, stiffness: 60 kN/m, damping: 50 kN s/m}\n"
            "  drag: {type: force, on: car, at: [5, 0, 0], axis: -x, value: 3 kN}\n");
    simulate(&b, 20.0, 20.0, names, &r, NULL);
    int last = r.count - 1;
    assert_close(r.value[last][0], 10.0, 1e-6);
    assert_close(r.value[last][1], 5.0 + 200.0 - 0.05, 1e-6);
    assert_close(r.value[last][2], 3000.0, 0.1);
    built_free(&b);
}

static void a_timetable_that_stops_is_refused(void **unused)
{
    (void)unused;
    built b;
    assert_int_not_equal(
        try_build(CAR "  d: {type: speed-control, between: [ground, car], at: [[0, 0, 0], [5, 0, "
                      "0]], speed: {linear_table: [[0, 10], [50, 0]]}}\n",
                  &b),
        KL_OK);
    bool said = false;
    for (int i = 0; i < kl_diag_size(b.diag); i++)
        said |= strstr(kl_diag_at(b.diag, i)->text, "give `braking") != NULL;
    assert_true(said);
    built_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_timetable_follows_the_speed_over_distance),
        cmocka_unit_test(braking_is_limited),
        cmocka_unit_test(resistance_does_not_change_the_speed),
        cmocka_unit_test(a_timetable_that_stops_is_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
