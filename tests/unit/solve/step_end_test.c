/* What happens at the end of a step: a condition that is true for a moment ends the run, and what begins
 * there loses no energy before. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "unit/solve/simulate.h"

static kl_status pass(void *context, double t, const double *values)
{
    (void)values;
    *(double *)context = t;
    return KL_OK;
}

/* Flies by at 0.1234 s within 30 mm: true for 5.6 ms of a run whose steps are far longer. */
static void a_condition_between_steps_ends_the_run(void **unused)
{
    (void)unused;
    built b = must_build(
        "klingel: 1\ngravity: [0, 0, 0]\n"
        "bodies: {a: {mass: 1 kg, inertia: [1, 1, 1], velocity: [10, 0, 0], position: [-1.234, "
        "0.01, 0]}}\n"
        "run: {end: 1, every: 0.001, stop_when: \"hypot(a.position.x, a.position.y) < 30 mm\"}\n");
    kl_simulation *s    = NULL;
    double         last = 0.0;
    kl_sink        sink = {.context = &last, .row = pass};
    assert_int_equal(kl_simulation_create(b.model, b.diag, &s), KL_OK);
    assert_int_equal(kl_simulation_run(s, 1.0, 0.001, &sink, b.diag), KL_OK);
    assert_true(fabs(last - (1.234 - sqrt(0.0009 - 0.0001)) / 10.0) < 1e-6);
    kl_simulation_destroy(s);
    built_free(&b);
}

/* Rows neither help nor hinder: the run ends where the condition becomes true, whatever `every` is. */
static void rows_do_not_move_the_end(void **unused)
{
    (void)unused;
    static const char *const method[] = {"generalized-alpha", "runge-kutta", "gear"};
    for (int k = 0; k < 3; k++) {
        double end[3];
        for (int i = 0; i < 3; i++) {
            static const double every[] = {1e-3, 0.03, 5.0};
            char                text[512];
            snprintf(
                text, sizeof text,
                "klingel: 1\nbodies: {a: {mass: 1 kg, inertia: [1, 1, 1], velocity: [1, 0, 3]}}\n"
                "integrator: {type: %s}\n"
                "run: {end: 5, every: %g, stop_when: \"a.velocity.z < -1 m/s\"}\n",
                method[k], every[i]);
            built          b    = must_build(text);
            kl_simulation *s    = NULL;
            kl_sink        sink = {.context = &end[i], .row = pass};
            assert_int_equal(kl_simulation_create(b.model, b.diag, &s), KL_OK);
            assert_int_equal(kl_simulation_run(s, 5.0, every[i], &sink, b.diag), KL_OK);
            kl_simulation_destroy(s);
            built_free(&b);
        }
        assert_true(end[0] == end[1] && end[1] == end[2]);
        assert_true(fabs(end[0] - 4.0 / 9.81) < 1e-7);
    }
}

/* A latch closes beside an element with a state of its own: the balance keeps its value. */
static void a_latch_that_closes_loses_nothing_before(void **unused)
{
    (void)unused;
    built b =
        must_build("klingel: 1\nbodies:\n"
                   "  pen: {mass: 2 kg, inertia: [0.1, 0.2, 0.15], position: [0.3, 2, 0]}\n"
                   "  a: {mass: 1 kg, inertia: [0.01, 0.01, 0.01], velocity: [0.5, 0, 0]}\n"
                   "joints:\n"
                   "  guide: {type: translational, between: [ground, a], at: [0, 0, 0], axis: x}\n"
                   "  pivot: {type: revolute, between: [ground, pen], at: [0, 2, 0], axis: y}\n"
                   "forces:\n"
                   "  lock: {type: latch, of: pivot, coordinate: angle, mark: 100 deg, stiffness: "
                   "5 kN m/rad, damping: 20 N m s/rad}\n"
                   "  link: {type: series-spring-damper, between: [ground, a], at: [[-1, 0, 0], "
                   "[0, 0, 0]], stiffness: 20 N/m, damping: 2 N s/m}\n");
    static const char *const names[] = {"energy.balance", "lock.push", NULL};
    static rows              r;
    kl_statistics            count;
    b.model->settings.tolerance = 1e-7;
    simulate(&b, 0.8, 0.001, names, &r, &count);
    double first = r.value[0][0], worst = 0.0, push = 0.0;
    for (int i = 0; i < r.count; i++) {
        worst = fmax(worst, fabs(r.value[i][0] - first));
        push  = fmax(push, fabs(r.value[i][1]));
    }
    assert_true(push > 0.0); /* it did close; about 6 J are lost then */
    if (!(worst < 0.03)) fail_msg("the balance moves by %g J", worst);
    built_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_condition_between_steps_ends_the_run),
        cmocka_unit_test(rows_do_not_move_the_end),
        cmocka_unit_test(a_latch_that_closes_loses_nothing_before),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
