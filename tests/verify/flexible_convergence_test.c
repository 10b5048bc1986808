/* Flexible examples converge in the modes and in the step, with the order of the integrator. (The
 * slider-crank has such tests in flexible_test.c, the antenna in sar_antenna_test.c.) Links that begin
 * as their loads have them (`start=static`) show the order at longer steps: no modes ring. */
#include "verify/example.h"

static example exact, coarse, fine;

static const struct {
    const char *name, *set, *channel;
    double      end, every;
    double      step, least; /* steps: step, half of it; the exact one's */
    int         modes[4];    /* fewer to more; errors against the last */
} cases[] = {
    {"rotating-beam", "", "tip_u2_transverse_m", 2.0, 0.1, 5e-3, 5e-4, {1, 2, 3, 6}},
    {"free-plate", "", "corner_z_m", 0.1, 0.005, 2e-4, 1e-5, {2, 4, 6, 10}},
    {"flexible-double-pendulum", "", "tip_x_m", 0.08, 0.01, 5e-5, 5e-6, {1, 2, 4, 8}},
    {"flexible-four-bar",
     "start=static",
     "rocker_angle_rad",
     0.02,
     0.002,
     5e-5,
     5e-6,
     {1, 2, 6, 10}},
};

static void run_case(size_t i, double end, const char *more, double number, example *e)
{
    const char *const channels[] = {cases[i].channel, NULL};
    char              set[512];
    snprintf(set, sizeof set, "%s %s=%.9g", cases[i].set, more, number);
    example_run(cases[i].name, set, end, cases[i].every, channels, e);
}

static void halving_the_step_divides_the_error_by_four(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        run_case(i, cases[i].end, "step", cases[i].least, &exact);
        run_case(i, cases[i].end, "step", cases[i].step, &coarse);
        run_case(i, cases[i].end, "step", 0.5 * cases[i].step, &fine);
        double one = example_apart(&coarse, &exact, 0), half = example_apart(&fine, &exact, 0);
        print_message("%s: %.3g, %.3g m or rad with half the step\n", cases[i].name, one, half);
        assert_true(one > 3.4 * half && one < 4.8 * half);
    }
}

static void more_modes_change_less_and_less(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double before = HUGE_VAL;
        char   step[64];
        snprintf(step, sizeof step, "step=%g modes", 0.5 * cases[i].step);
        run_case(i, 3.0 * cases[i].end, step, cases[i].modes[3], &exact);
        for (int k = 0; k < 3; k++) {
            run_case(i, 3.0 * cases[i].end, step, cases[i].modes[k], &coarse);
            double off = example_apart(&coarse, &exact, 0);
            print_message("%s: %d modes, off by %.3g m or rad\n", cases[i].name, cases[i].modes[k],
                          off);
            assert_true(off < 0.7 * before || off < 1e-8 * example_peak(&exact, 0));
            before = off;
        }
    }
}

/* Methods that find their steps: a hundredth of the tolerance, an error that is much smaller:
 * h^2 follows from errors of h^3 a step, 100^(2/3) = 21 */
static void errors_follow_the_tolerance(void **unused)
{
    (void)unused;
    static const int methods[] = {KL_GENERALIZED_ALPHA, KL_RUNGE_KUTTA, KL_GEAR};
    const size_t     plate     = 1;
    run_case(plate, cases[plate].end, "integrator=3 tolerance", 1e-12, &exact);
    for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
        char more[64];
        snprintf(more, sizeof more, "integrator=%d tolerance", methods[k]);
        run_case(plate, cases[plate].end, more, 1e-5, &coarse);
        run_case(plate, cases[plate].end, more, 1e-7, &fine);
        double one = example_apart(&coarse, &exact, 0), less = example_apart(&fine, &exact, 0);
        print_message("integrator %d: %.3g m at 1e-5, %.3g m at 1e-7\n", methods[k], one, less);
        assert_true(one > 15.0 * less);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(halving_the_step_divides_the_error_by_four),
        cmocka_unit_test(more_modes_change_less_and_less),
        cmocka_unit_test(errors_follow_the_tolerance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
