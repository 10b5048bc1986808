/* Every rigid mechanism with every integrator against its reference. With KL_SLOW set, as `make
 * test-full` does, Gear's method must reach eight digits on all of them. */
#include <math.h>
#include <stdlib.h>

#include "verify/mechanisms.h"

static const method methods[] = {
    {"generalized-alpha", KL_GENERALIZED_ALPHA, KL_PROJECTION, 1e-9},
    {"runge-kutta", KL_RUNGE_KUTTA, KL_PROJECTION, 1e-9},
    {"gear, projection", KL_GEAR, KL_PROJECTION, 1e-9},
    {"gear, baumgarte", KL_GEAR, KL_BAUMGARTE, 1e-9},
    /* passes the singular positions of the windows only with loose tolerances */
    {"gear, stabilized", KL_GEAR, KL_STABILIZED, 1e-8},
};
/* What the local errors may add up to, as docs/guide/integrators.md says. */
static const double allowed[] = {1e-4, 1e-8, 1e-5, 1e-5, 1e-4};
enum {
    METHODS    = sizeof methods / sizeof *methods,
    MECHANISMS = sizeof mechanisms / sizeof *mechanisms - 2 /* without variants of the top */
};

static bool is_singular(const mechanism *m) { return strcmp(m->example, "n-four-bar") == 0; }

/* Singular positions, and standing nearly upright after each turn, cost a digit. */
static double limit(int i, int k)
{
    return is_singular(&mechanisms[i]) ? fmin(10.0 * allowed[k], 5e-4) : allowed[k];
}

static void every_integrator_gives_every_mechanism(void **unused)
{
    (void)unused;
    for (int i = 0; i < MECHANISMS; i++)
        for (int k = 0; k < METHODS; k++)
            assert_true(worst_error_with(&mechanisms[i], methods[k], NULL) < limit(i, k));
}

static void runge_kutta_reaches_eight_digits(void **unused)
{
    (void)unused;
    const method tight = {"runge-kutta", KL_RUNGE_KUTTA, KL_PROJECTION, 1e-11};
    for (int i = 0; i < MECHANISMS; i++)
        assert_true(worst_error_with(&mechanisms[i], tight, NULL) < 1e-8);
}

/* Also past the ten singular positions of the windows, each of which magnifies errors. */
static void gear_reaches_eight_digits(void **unused)
{
    (void)unused;
    const method tight = {"gear, projection", KL_GEAR, KL_PROJECTION, 1e-13};
    for (int i = 0; i < MECHANISMS; i++) {
        if (!getenv("KL_SLOW") && !is_singular(&mechanisms[i])) continue;
        assert_true(worst_error_with(&mechanisms[i], tight, NULL) < 1e-8);
    }
}

/* Geometric mean of the errors at five tolerances from `tolerance` to 1.5 times that. Singular positions magnify
 * rounding: at the smallest tolerances single errors are anything from 1e-9 to 3e-8, their mean 6e-9. */
static double typical_error(const mechanism *windows, double tolerance)
{
    enum { RUNS = 5 };
    double sum = 0.0;
    for (int k = 0; k < RUNS; k++) {
        method m = {"gear, projection", KL_GEAR, KL_PROJECTION, tolerance * (1.0 + 0.1 * k)};
        sum += log(worst_error_with(windows, m, NULL));
    }
    return exp(sum / RUNS);
}

/* The error falls with the tolerance, and tolerances below what rounding errors leave do not stop it. */
static void gear_passes_singular_positions_at_all_tolerances(void **unused)
{
    (void)unused;
    const mechanism *windows = &mechanisms[1];
    assert_true(is_singular(windows));
    double before = 0.5;
    for (double tolerance = 1e-6; tolerance > 1e-15; tolerance *= 1e-2) {
        double error = typical_error(windows, tolerance);
        assert_true(error < fmax(0.1 * before, 2e-8));
        before = error;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_integrator_gives_every_mechanism),
        cmocka_unit_test(runge_kutta_reaches_eight_digits),
        cmocka_unit_test(gear_reaches_eight_digits),
        cmocka_unit_test(gear_passes_singular_positions_at_all_tolerances),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
