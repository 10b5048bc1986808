/* Every rigid mechanism against its reference over the whole time span: at default settings within 1e-4 of the mechanism's
 * size, at tight ones within 1e-6; energy and drift printed. */
#include "verify/example.h"
#include "verify/mechanisms.h"

static void default_settings_give_four_digits(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof mechanisms / sizeof *mechanisms; i++) assert_true(worst_error(&mechanisms[i], 0, 0) < 1e-4);
}

static void tight_settings_give_six_digits(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof mechanisms / sizeof *mechanisms; i++)
        assert_true(worst_error(&mechanisms[i], mechanisms[i].tight, mechanisms[i].integrator) < 1e-6);
}

/* Forty windows in a row 40 m long: 1091 unknowns, 120 redundant constraints, ten singular positions on the way. */
static void forty_windows_pass_their_singular_positions(void **unused)
{
    (void)unused;
    const mechanism forty = {"n-four-bar", "A02_nfourbar_N40", "loops=40", 40.0, " B0x_m B0y_m ", 1e-10, KL_RUNGE_KUTTA};
    assert_true(worst_error(&forty, 0, 0) < 1e-4);
    assert_true(worst_error(&forty, forty.tight, forty.integrator) < 1e-6);
}

/* A step may land just beside a singular position, where rounding is all that Newton sees: these two did. */
static void windows_in_number_pass_wherever_a_step_lands(void **unused)
{
    (void)unused;
    static const char *const loops[] = {"loops=20", "loops=24"}, *const balance[] = {"energy.balance", NULL};
    example                 *e       = calloc(1, sizeof *e);
    assert_non_null(e);
    for (int i = 0; i < 2; i++) {
        example_try("n-four-bar", loops[i], 10.0, 0.01, balance, KL_OK, e);
        assert_close(e->value[e->n - 1][0], e->value[0][0], 1e-4 * fabs(e->value[0][0]));
    }
    free(e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(windows_in_number_pass_wherever_a_step_lands),
        cmocka_unit_test(default_settings_give_four_digits),
        cmocka_unit_test(tight_settings_give_six_digits),
        cmocka_unit_test(forty_windows_pass_their_singular_positions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
