/* Iterations of Newton's method that serve a few bodies leave the others out, and results stay as
 * accurate. */
#include <math.h>

#include "unit/solve/simulate.h"

/* A fast body on a stiff spring makes the steps short; slow ones swing beside it, and far. */
static const char *const quick_and_slow =
    "klingel: 1\ngravity: [0, 0, -9.81]\nbodies:\n"
    "  quick: {type: point, mass: 1 kg, position: [1.05, 0, 0], velocity: [0, 3, 0]}\n"
    "  slow: {type: point, mass: 1 kg, position: [5.3, 0, -1], velocity: [0, 1, 0]}\n"
    "  low: {type: point, mass: 1 kg, position: [5.4, 0.1, -2.1], velocity: [0.5, 0, 0]}\n"
    "forces:\n"
    "  stiff: {type: spring-damper, between: [ground, quick], at: [[0, 0, 0], [1.05, 0, 0]], "
    "stiffness: 20000, "
    "damping: 1, length: 1}\n"
    "  soft: {type: spring-damper, between: [ground, slow], at: [[5, 0, 0], [5.3, 0, -1]], "
    "stiffness: 50, length: 1}\n"
    "  below: {type: spring-damper, between: [slow, low], at: [[5.3, 0, -1], [5.4, 0.1, -2.1]], "
    "stiffness: 50, "
    "damping: 1, length: 1}\n";

/* The same; the slow ones are a double pendulum in joints. */
static const char *const quick_and_pendulum =
    "klingel: 1\ngravity: [0, 0, -9.81]\nbodies:\n"
    "  quick: {type: point, mass: 1 kg, position: [1.05, 0, 0], velocity: [0, 3, 0]}\n"
    "  slow: {mass: 1 kg, inertia: [0.02, 0.03, 0.01], position: [5.02, 0, -0.5]}\n"
    "  low: {mass: 1 kg, inertia: [0.02, 0.01, 0.03], position: [5.04, 0, -1.5]}\n"
    "joints:\n"
    "  top: {type: spherical, between: [ground, slow], at: [5, 0, 0]}\n"
    "  middle: {type: revolute, between: [slow, low], at: [5.04, 0, -1], axis: y}\n"
    "forces:\n"
    "  stiff: {type: spring-damper, between: [ground, quick], at: [[0, 0, 0], [1.05, 0, 0]], "
    "stiffness: 20000, damping: 1, length: 1}\n";

static kl_statistics run(const char *text, double tolerance, rows *r)
{
    static const char *const names[] = {"slow.position.x", "slow.position.z",  "low.position.x",
                                        "low.position.z",  "quick.position.x", NULL};
    kl_statistics            count;
    built                    b   = must_build(text);
    b.model->settings.integrator = KL_GENERALIZED_ALPHA;
    b.model->settings.tolerance  = tolerance;
    simulate(&b, 2.0, 0.01, names, r, &count);
    built_free(&b);
    return count;
}

static void compare(const char *text)
{
    static rows   exact, found;
    double        error[2] = {0.0, 0.0};
    kl_statistics count    = run(text, 1e-7, &found);
    run(text, 1e-11, &exact);
    assert_int_equal(found.count, exact.count);
    for (int i = 0; i < found.count; i++)
        for (int c = 0; c < 5; c++) {
            double *most = &error[c == 4];
            *most        = fmax(*most, fabs(found.value[i][c] - exact.value[i][c]));
        }
    print_message("%ld steps, %ld iterations, %ld evaluations; errors %.2e m slow, %.2e m quick\n",
                  count.steps, count.iterations, count.evaluations, error[0], error[1]);
    assert_true(count.evaluations < 0.85 * count.iterations);
    assert_true(count.evaluations > 1.2 * count.steps); /* the quick one is evaluated again */
    assert_true(error[0] < 1e-6);
}

static void bodies_that_have_settled_are_left_out(void **unused)
{
    (void)unused;
    compare(quick_and_slow);
}

static void so_are_their_constraints(void **unused)
{
    (void)unused;
    compare(quick_and_pendulum);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bodies_that_have_settled_are_left_out),
        cmocka_unit_test(so_are_their_constraints),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
