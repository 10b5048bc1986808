/* Every rigid mechanism with every integrator against its reference. With KL_SLOW set, as `make
 * test-full` does, Gear's method must come as near as Runge-Kutta does. */
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
enum {
    METHODS    = sizeof methods / sizeof *methods,
    MECHANISMS = sizeof mechanisms / sizeof *mechanisms - 2 /* without variants of the top */
};

static bool is_singular(const mechanism *m) { return strcmp(m->example, "n-four-bar") == 0; }

static void every_integrator_gives_every_mechanism(void **unused)
{
    (void)unused;
    for (int i = 0; i < MECHANISMS; i++)
        for (int k = 0; k < METHODS; k++)
            assert_true(worst_error_with(&mechanisms[i], methods[k], NULL) <
                        (is_singular(&mechanisms[i]) ? 5e-4 : 1e-4));
}

static void runge_kutta_reaches_eight_digits(void **unused)
{
    (void)unused;
    const method tight = {"runge-kutta", KL_RUNGE_KUTTA, KL_PROJECTION, 1e-11};
    for (int i = 0; i < MECHANISMS; i++)
        assert_true(worst_error_with(&mechanisms[i], tight, NULL) < 1e-8);
}

/* The windows pass ten singular positions, each of which magnifies errors: tolerances below some
 * 1e-12 are rounding errors there. */
static void gear_passes_singular_positions_at_tight_tolerances(void **unused)
{
    (void)unused;
    const method     tight   = {"gear, projection", KL_GEAR, KL_PROJECTION, 1e-11};
    const method     tighter = {"gear, projection", KL_GEAR, KL_PROJECTION, 1e-12};
    const mechanism *windows = &mechanisms[1];
    assert_true(is_singular(windows));
    assert_true(worst_error_with(windows, tight, NULL) < 3e-6);
    if (getenv("KL_SLOW")) assert_true(worst_error_with(windows, tighter, NULL) < 3e-7);
}

static void gear_reaches_eight_digits(void **unused)
{
    (void)unused;
    if (!getenv("KL_SLOW")) skip();
    for (int i = 0; i < MECHANISMS; i++) {
        if (is_singular(&mechanisms[i])) continue;
        const method tight = {"gear, projection", KL_GEAR, KL_PROJECTION, 1e-13};
        assert_true(worst_error_with(&mechanisms[i], tight, NULL) < 1e-8);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_integrator_gives_every_mechanism),
        cmocka_unit_test(runge_kutta_reaches_eight_digits),
        cmocka_unit_test(gear_passes_singular_positions_at_tight_tolerances),
        cmocka_unit_test(gear_reaches_eight_digits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
