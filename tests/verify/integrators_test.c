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

/* The windows lose digits where they are flat: whoever passes there a rounding error apart, leaves
 * there a thousandfold apart. */
static void runge_kutta_reaches_eight_digits(void **unused)
{
    (void)unused;
    const method tight = {"runge-kutta", KL_RUNGE_KUTTA, KL_PROJECTION, 1e-11};
    for (int i = 0; i < MECHANISMS; i++)
        assert_true(worst_error_with(&mechanisms[i], tight, NULL) <
                    (is_singular(&mechanisms[i]) ? 1e-6 : 1e-8));
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
        cmocka_unit_test(gear_reaches_eight_digits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
