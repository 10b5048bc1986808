/* Warnings of characteristics: beyond their points, and dampers that feed energy. */
#include <math.h>

#include "unit/build_model.h"

#include "solve/simulation.h"

static kl_status no_row(void *context, double t, const double *values)
{
    (void)context, (void)t, (void)values;
    return KL_OK;
}

/* A mass that falls onto a damper for two seconds: its speed passes 1 m/s. */
static int says(const char *law, const char *text)
{
    char model[600];
    snprintf(
        model, sizeof model,
        "klingel: 1\nbodies: {m: {type: point, mass: 10, position: [0, 0, 1]}}\n"
        "forces: {d: {type: spring-damper, between: [ground, m], at: [[0, 0, 100], [0, 0, 1]], "
        "%s}}\nrun: {end: 1.0, every: 0.1}\n",
        law);
    built          b = must_build(model);
    kl_simulation *s = NULL;
    assert_int_equal(kl_simulation_create(b.model, b.diag, &s), KL_OK);
    kl_sink sink = {.row = no_row};
    assert_int_equal(kl_simulation_run(s, 1.0, 0.1, &sink, b.diag), KL_OK);
    int found = 0;
    for (int i = 0; i < kl_diag_size(b.diag); i++)
        found += strstr(kl_diag_at(b.diag, i)->text, text) != NULL;
    kl_simulation_destroy(s);
    built_free(&b);
    return found;
}

static void leaving_the_points_is_said_once(void **unused)
{
    (void)unused;
    const char *damper = "damper: {table: [[-1, -20], [-0.5, -15], [0, 0], [0.5, 15], [1, 20]]}";
    assert_int_equal(says(damper, "leaves the points of its `damper` characteristic"), 1);
    assert_int_equal(says("damper: {table: [[-20, -400], [0, 0], [20, 400]]}", "leaves"), 0);
    assert_int_equal(says("spring: {table: [[-1, -10], [0, 0], [1, 10]]}",
                          "leaves the points of its `spring` characteristic"),
                     1);
}

static void a_damper_that_feeds_energy_is_said_once(void **unused)
{
    (void)unused;
    assert_int_equal(says("damper: {table: [[-20, 4], [0, 0], [20, -4]]}", "supplies energy"), 1);
    assert_int_equal(says("damper: {table: [[-20, -4], [0, 0], [20, 4]]}", "supplies energy"), 0);
}

/* A rotor of 0.04 kg m^2 under a motor that gives 12 N m - 0.1 N m s/rad w and beyond 120 rad/s brakes:
 * from rest to w = 120 (1 - exp(-2.5 t)) rad/s it takes J w^2/2, all of it from the motor. Driven down
 * from 200 rad/s it brakes only, and that is dissipated. */
static void work_of_a_motor_is_supplied(void **unused)
{
    (void)unused;
    for (int brakes = 0; brakes < 2; brakes++) {
        char model[700];
        snprintf(model, sizeof model,
                 "klingel: 1\nbodies: {rotor: {mass: 5, inertia: [0.02, 0.02, 0.04], omega: [0, 0, "
                 "%d]}}\njoints: {axle: {type: revolute, between: [ground, rotor], at: [0, 0, 0], "
                 "axis: z}}\nforces: {motor: {type: rotational-spring-damper, of: axle, damper: "
                 "{linear_table: [[0, -12], [240, 12]]}}}\n",
                 brakes ? 200 : 0);
        built          b    = must_build(model);
        kl_simulation *s    = NULL;
        kl_sink        sink = {.row = no_row};
        assert_int_equal(kl_simulation_create(b.model, b.diag, &s), KL_OK);
        assert_int_equal(kl_simulation_run(s, 1.0, 0.1, &sink, b.diag), KL_OK);
        double w    = 120.0 + (brakes ? 80.0 : -120.0) * exp(-2.5);
        double work = 0.5 * 0.04 * (w * w - (brakes ? 4e4 : 0.0));
        assert_close(s->count.supplied, brakes ? 0.0 : work, 1e-4 * fabs(work));
        assert_close(s->count.lost, brakes ? -work : 0.0, 1e-4 * fabs(work));
        for (int i = 0; i < kl_diag_size(b.diag); i++)
            assert_null(strstr(kl_diag_at(b.diag, i)->text, "supplies energy"));
        kl_simulation_destroy(s);
        built_free(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(leaving_the_points_is_said_once),
                                       cmocka_unit_test(a_damper_that_feeds_energy_is_said_once),
                                       cmocka_unit_test(work_of_a_motor_is_supplied)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
