#include "unit/solve/simulate.h"

static const char *const xy[] = {"x", "y", NULL};
static rows              r, exact;

static void run_with(const char *text, int integrator, double tolerance, double end, rows *out)
{
    built b                      = must_build(text);
    b.model->settings.integrator = integrator;
    b.model->settings.tolerance  = tolerance;
    simulate(&b, end, 0.05, xy, out, NULL);
    built_free(&b);
}

static double worst(void)
{
    double largest = 0.0;
    assert_int_equal(r.count, exact.count);
    for (int i = 0; i < r.count; i++)
        largest = fmax(largest,
                       hypot(r.value[i][0] - exact.value[i][0], r.value[i][1] - exact.value[i][1]));
    return largest;
}

static void error_falls_with_the_tolerance(void **unused)
{
    (void)unused;
    double tolerance[] = {1e-6, 1e-8, 1e-10}, error[3];
    run_with(double_pendulum, KL_RUNGE_KUTTA, 1e-13, 3.0, &exact);
    for (int k = 0; k < 3; k++) {
        run_with(double_pendulum, KL_GEAR, tolerance[k], 3.0, &r);
        error[k] = worst();
        print_message("tolerance %.0e: error %.2e m\n", tolerance[k], error[k]);
        assert_true(error[k] < 2e4 * tolerance[k]);
        assert_true(k == 0 || error[k] < 0.2 * error[k - 1]);
    }
}

/* Two windows: twelve redundant constraints and singular positions on the way. */
static void redundant_joints_and_singular_positions_are_passed(void **unused)
{
    (void)unused;
    char two[4096];
    snprintf(two, sizeof two, "%s", four_bars);
    strstr(two, "loops: 6")[7] = '2';
    run_with(two, KL_RUNGE_KUTTA, 1e-9, 4.0, &exact);
    run_with(two, KL_GEAR, 1e-8, 4.0, &r);
    assert_true(worst() < 1e-3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(error_falls_with_the_tolerance),
        cmocka_unit_test(redundant_joints_and_singular_positions_are_passed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
