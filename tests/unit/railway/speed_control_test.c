/* A driver against closed forms: a speed that grows with the distance, braking at the limit, a speed
 * held against resistance. */
#include <math.h>
#include <stdlib.h>

#include "dynamics/slopes.h"
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

/* A run that starts in steady motion holds its speed against 3 kN of resistance at first, then brakes with all of the
 * 20 kN: by 2.3 m/s2 from 0.2 s on. With `traction` it drives as steadily. */
static void a_steady_start_comes_before_the_brakes(void **unused)
{
    (void)unused;
    static const char *const law[]   = {"speed: 0, braking: 20 kN", "speed: 30, traction: 10 kN"};
    const double             force[] = {-20e3, 10e3};
    for (int k = 0; k < 2; k++) {
        char text[1024];
        snprintf(text, sizeof text,
                 CAR "  d: {type: speed-control, between: [ground, car], at: [[0, 0, 0], [5, 0, "
                     "0]], damping: 1e5, %s}\n"
                     "  drag: {type: force, on: car, at: [5, 0, 0], axis: -x, value: 3 kN}\nrun: "
                     "{start: steady}\n",
                 law[k]);
        built b = must_build(text);
        simulate(&b, 3.2, 1.0, names, &r, NULL);
        assert_close(r.value[0][0], 10.0, 1e-9);
        assert_close(r.value[0][2], 3000.0, 1e-3);
        for (int i = 1; i < r.count; i++) assert_close(r.value[i][2], force[k], 1e-3);
        assert_close(r.value[3][0] - r.value[1][0], (r.t[3] - r.t[1]) * (force[k] - 3000.0) / 10e3,
                     1e-6);
        built_free(&b);
    }
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

/* On a track that bends and climbs, both markers turning: the driver pulls along the track there, which
 * turns as the car moves. Differences evaluate the element itself. */
static void derivatives_follow_a_bent_track(void **unused)
{
    (void)unused;
    built b =
        must_build("klingel: 1\ntracks: {t: {points: [[-4, 1, 0], [-2, 0, 1], [0, 0.5, "
                   "0.2], [2, 0, -0.5], [4, 1, 0]], spline: quintic}}\n"
                   "bodies: {car: {mass: 1, inertia: [1, 1, 1], position: [0.4, 0.3, 0.1]}}\n"
                   "forces: {d: {type: speed-control, between: [ground, car], at: [[0, 0, 0], "
                   "[0.4, 0.3, 0.1]], track: t, speed: 3, stiffness: 2, damping: 0.7}}\n");
    const kl_element *e            = &b.model->element[kl_model_find_element(b.model, "d")];
    double            mine[2][144] = {{0}}, theirs[2][144] = {{0}}, unused_force[1] = {0};
    void *cache = calloc(1, (size_t)e->ncache), *room = calloc(1, kl_difference_room(e));
    assert_non_null(cache);
    assert_non_null(room);
    kl_vec3   turn = kl_vec(0.3, -0.2, 0.5);
    kl_motion m[2] = {
        {.r = {0.1, 0, 0}, .A = kl_identity(), .v = {0.2, 0.1, 0}, .w = {0.3, 0.4, -0.2}},
        {.r = {0.5, 0.4, 0.2}, .A = kl_identity(), .v = {1, -0.5, 0.4}, .w = turn}};
    kl_reading in   = {.t = 1.0, .m = m, .data = e->data, .nmarker = 2, .cache = cache};
    kl_slopes  s[2] = {{.K = mine[0], .C = mine[1]}, {.K = theirs[0], .C = theirs[1]}};
    assert_int_equal(e->type->locate(&in, cache), KL_OK);
    e->type->tangent(&in, unused_force, &s[0]);
    kl_difference_slopes(b.model, e, &in, unused_force, NULL, room, &s[1]);
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < 144; i++) assert_close(mine[k][i], theirs[k][i], 1e-7);
    free(cache);
    free(room);
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
        cmocka_unit_test(a_steady_start_comes_before_the_brakes),
        cmocka_unit_test(resistance_does_not_change_the_speed),
        cmocka_unit_test(derivatives_follow_a_bent_track),
        cmocka_unit_test(a_timetable_that_stops_is_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
