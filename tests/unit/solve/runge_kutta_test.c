#include "unit/solve/simulate.h"

static const char *const xy[] = {"x", "y", NULL};
static rows              r;

static built with_runge_kutta(const char *text, double tolerance)
{
    built b                      = must_build(text);
    b.model->settings.integrator = KL_RUNGE_KUTTA;
    b.model->settings.tolerance  = tolerance;
    return b;
}

/* Where the tip stands after 10 s is known to 8 digits from other programs. */
static void double_pendulum_ends_where_it_should(void **unused)
{
    (void)unused;
    built b = with_runge_kutta(double_pendulum, 1e-8);
    simulate(&b, 10.0, 0.02, xy, &r, NULL);
    assert_int_equal(r.count, 501);
    assert_close(r.value[500][0], 1.07282982, 1.2e-8);
    assert_close(r.value[500][1], -1.64015534, 1.2e-8);
    built_free(&b);
}

static double end_error(double step, const double *exact)
{
    built b                = with_runge_kutta(double_pendulum, 1e-9);
    b.model->settings.step = step;
    simulate(&b, 1.0, 1.0, xy, &r, NULL);
    built_free(&b);
    return hypot(r.value[1][0] - exact[0], r.value[1][1] - exact[1]);
}

static void fixed_steps_converge_with_order_eight(void **unused)
{
    (void)unused;
    built b = with_runge_kutta(double_pendulum, 1e-14);
    simulate(&b, 1.0, 1.0, xy, &r, NULL);
    built_free(&b);
    double exact[2] = {r.value[1][0], r.value[1][1]};
    double coarse = end_error(0.1, exact), fine = end_error(0.05, exact);
    print_message("errors %.3g and %.3g, order %.2f\n", coarse, fine, log2(coarse / fine));
    assert_true(log2(coarse / fine) > 7.5);
}

/* Rows between steps come from a polynomial: as good as the steps. */
static void rows_between_steps_agree_with_steps_onto_them(void **unused)
{
    (void)unused;
    static rows onto;
    built       b = with_runge_kutta(double_pendulum, 1e-9);
    simulate(&b, 3.0, 0.01, xy, &r, NULL);
    b.model->settings.max_step = 0.01;
    simulate(&b, 3.0, 0.01, xy, &onto, NULL);
    for (int i = 0; i < r.count; i++)
        for (int k = 0; k < 2; k++) assert_close(r.value[i][k], onto.value[i][k], 5e-8);
    built_free(&b);
}

/* Off its branch the first post would still go round, but the energy (97 J) would jump: between
 * rows of the largest steps it is out by some 2e5 times the tolerance, which is relative to 6 m. */
static void singular_positions_are_passed(void **unused)
{
    (void)unused;
    double tolerances[] = {1e-6, 1e-7, 1e-8, 1e-9};
    for (int k = 0; k < 4; k++) {
        built             b       = with_runge_kutta(four_bars, tolerances[k]);
        const char *const names[] = {"x", "y", "energy.total", NULL};
        simulate(&b, 10.0, 0.1, names, &r, NULL);
        for (int i = 0; i < r.count; i++) {
            assert_close(hypot(r.value[i][0], r.value[i][1]), 1.0, 1e-3);
            assert_close(r.value[i][2], r.value[0][2], 1e6 * tolerances[k]);
        }
        built_free(&b);
    }
}

/* A row of pendulums at rest must not average away the one that moves. */
static void energy_lost_in_a_damper_is_as_exact_as_the_motion(void **unused)
{
    (void)unused;
    built b = with_runge_kutta(
        "klingel: 1\n"
        "gravity: [0, 0, 0]\n"
        "bodies:\n  cart: {mass: 2 kg, inertia: [1, 1, 1], position: [1, 0, 0], velocity: [3, 0, "
        "0]}\n"
        "joints:\n  rail: {type: translational, between: [ground, cart], at: [1, 0, 0], axis: x}\n"
        "forces:\n  spring: {type: spring-damper, between: [ground, cart], at: [[0, 0, 0], [1, 0, "
        "0]], stiffness: 50 N/m, damping: 4 N s/m}\n",
        1e-10);
    const char *const names[] = {"energy.lost", "energy.kinetic", "energy.potential", NULL};
    simulate(&b, 4.0, 0.05, names, &r, NULL);
    for (int i = 0; i < r.count; i++)
        assert_close(r.value[i][0] + r.value[i][1] + r.value[i][2], 9.0, 1e-7);
    built_free(&b);
}

/* A force falls within 0.1 s from 51 to 1 N and stays: v = t + 0.5 (1 - exp(-t/0.01)), in steps that are soon longer than a
 * second. Rows inside them must not follow what happened before. */
static void rows_in_long_steps_forget_what_was_before(void **unused)
{
    (void)unused;
    static const char *const names[] = {"b.velocity.x", "b.position.x", NULL};
    built                    b =
        with_runge_kutta("klingel: 1\ngravity: 0\nbodies: {b: {mass: 1, inertia: [1, 1, 1]}}\n"
                         "forces: {f: {type: force, on: b, at: [0, 0, 0], axis: x, value: "
                         "{expression: \"1 + 50*exp(-t/0.01)\"}}}\n",
                         1e-9);
    simulate(&b, 8.0, 0.25, names, &r, NULL);
    for (int i = 1; i < r.count; i++) {
        double t = r.t[i], v = t + 0.5 * (1.0 - exp(-t / 0.01)),
               x = 0.5 * t * t + 0.5 * t - 0.005 * (1.0 - exp(-t / 0.01));
        assert_close(r.value[i][0], v, 1e-7);
        assert_close(r.value[i][1], x, 1e-7);
    }
    built_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(double_pendulum_ends_where_it_should),
        cmocka_unit_test(fixed_steps_converge_with_order_eight),
        cmocka_unit_test(rows_between_steps_agree_with_steps_onto_them),
        cmocka_unit_test(rows_in_long_steps_forget_what_was_before),
        cmocka_unit_test(singular_positions_are_passed),
        cmocka_unit_test(energy_lost_in_a_damper_is_as_exact_as_the_motion),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
