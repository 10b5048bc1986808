/* What Newton's method leaves undone in a step, seen over a whole run. */
#include <math.h>

#include "unit/solve/simulate.h"

/* A spatial double pendulum on a spring, beside a wheel that makes the steps short. */
static const char *const arms =
    "klingel: 1\nbodies:\n"
    "  p: {mass: 2 kg, inertia: [0.1, 0.2, 0.15], position: [0.3, 0, 0]}\n"
    "  q: {mass: 1 kg, inertia: [0.01, 0.02, 0.015], position: [0.8, 0, 0]}\n"
    "  w: {mass: 3 kg, inertia: [0.2, 0.3, 0.2], position: [0, 3, 0], omega: [0.3, 100, 0.1]}\n"
    "  f: {mass: 3 kg, inertia: [0.2, 0.3, 0.25], position: [0, 5, 0], omega: [0.3, 10, 0.1]}\n"
    "joints:\n"
    "  a: {type: revolute, between: [ground, p], at: [0, 0, 0], axis: y}\n"
    "  b: {type: spherical, between: [p, q], at: [0.6, 0, 0]}\n"
    "forces:\n"
    "  s: {type: spring-damper, between: [ground, q], at: [[0, 0.3, -1], [0.9, 0, 0]], stiffness: "
    "100, damping: 1, length: 1}\n"
    "  g: {type: spring-damper, between: [ground, f], at: [[0, 5, 1], [0.3, 5.1, 0]], stiffness: "
    "500, damping: 3, length: 1}\n"
    "  gw: {type: spring-damper, between: [ground, w], at: [[0, 5, 1], [0, 3.1, 0]], stiffness: "
    "500, damping: 3, length: 1}\n";

static rows run_arms(int integrator, double tolerance)
{
    static const char *const names[] = {"q.position.x", "q.position.y", "q.position.z", NULL};
    static rows              r;
    built                    b   = must_build(arms);
    b.model->settings.integrator = integrator;
    b.model->settings.tolerance  = tolerance;
    simulate(&b, 2.0, 0.002, names, &r, NULL);
    built_free(&b);
    return r;
}

/* What Newton leaves undone adds up over the steps. It must stay below the error of the method, which
 * falls by 10^(2/3) with each decade of the tolerance. */
static void errors_of_newton_do_not_add_up(void **unused)
{
    (void)unused;
    static rows exact, found;
    double      error[3] = {0.0};
    exact                = run_arms(KL_RUNGE_KUTTA, 1e-13);
    for (int k = 0; k < 3; k++) {
        found = run_arms(KL_GENERALIZED_ALPHA, pow(10.0, -6 - k));
        for (int i = 0; i < found.count; i++)
            for (int c = 0; c < 3; c++)
                error[k] = fmax(error[k], fabs(found.value[i][c] - exact.value[i][c]));
    }
    print_message("errors %.2e %.2e %.2e m\n", error[0], error[1], error[2]);
    assert_true(error[1] < 0.28 * error[0] && error[2] < 0.28 * error[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(errors_of_newton_do_not_add_up)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
