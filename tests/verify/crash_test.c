/* Parts that are crushed and hinges that yield: closed forms, energy balance, the table of the crash test. */
#include "verify/example.h"

static example one;

/* 40 t at 15 m/s against 80 t at rest with 2 MN: 3.000 MJ, 1.500 m, 0.200 s, 5 m/s */
static void a_wagon_runs_into_two(void **unused)
{
    (void)unused;
    static const char *const channels[] = {"crush_m", "absorbed_J", "v_runner_m_s", "v_struck_m_s", "energy.balance", NULL};
    example_run("wagon-impact", "", 0.3, 1e-3, channels, &one);
    /* the elastic part takes F/k = 20 um and F^2/2k = 20 J, which drive the wagons apart with sqrt(40 J/26.7 t) = 0.0387 m/s, shared as 2 : 1 */
    double apart = sqrt(2.0 * 20.0 / (40e3 * 80e3 / 120e3));
    assert_close(example_last(&one, 0), 1.5 - 1e-5, 1e-6);
    assert_close(example_last(&one, 1), 3.0e6 - 20.0, 1.0);
    assert_close(example_last(&one, 2), 5.0 - apart * 2 / 3, 1e-3);
    assert_close(example_last(&one, 3), 5.0 + apart / 3, 1e-3);
    /* the speeds approach each other at 75 m/s2: 15 m/s are gone after 0.200 s */
    assert_close(one.value[100][0], 1.125, 2e-5);
    assert_close(one.value[190][2] - one.value[190][3], 0.75, 1e-4);
    assert_close(one.value[200][2] - one.value[200][3], 0.0, 1e-4);
    for (int r = 0; r < one.n; r++) assert_close(one.value[r][4], 4.5e6, 1e-6 * 3.0e6);
}

/* the energies of table 1 (simulation column), with masses, speed and curves that were chosen for that */
static void the_crash_test_absorbs_as_in_the_table(void **unused)
{
    (void)unused;
    static const char *const channels[] = {"buffer_C_kJ", "buffer_A_kJ", "coupler_kJ", "honeycomb_kJ", "total_kJ", "energy.balance", NULL};
    static const double      table[]    = {624, 373, 300, 2780, 4077};
    example_run("train-crash", "", 0.6, 1e-3, channels, &one);
    for (int i = 0; i < 5; i++) assert_close(example_last(&one, i), table[i], 0.03 * table[i]);
    for (int r = 0; r < one.n; r++) assert_close(one.value[r][5], one.value[0][5], 5e-5 * 4.077e6); /* of the energy absorbed */
}

/* Plates with ribs stick, plain ones climb on the inclined plate. Momentum gives the common speed 5 m/s and half of the kinetic energy is lost. */
static void anti_climbers_keep_cars_from_overriding(void **unused)
{
    (void)unused;
    static const char *const channels[] = {"nose_kJ", "end_m1_kJ", "end_s1_kJ", "overriding_m", "energy.balance", "meet.ribs.indentation", "lift_m1_m", "lift_s1_m", NULL};
    double                   riding[2];
    for (int ribs = 0; ribs < 2; ribs++) {
        example_run("train-against-train", ribs ? "cars=2" : "cars=2 anti_climbers=0", 0.3, 2e-3, channels, &one);
        double absorbed = example_last(&one, 0) + example_last(&one, 1) + example_last(&one, 2);
        assert_true(absorbed > 1700.0 && absorbed < 1950.0); /* of 1940 kJ: springs, joints and pitch keep some */
        assert_true(example_last(&one, 0) > 4.0 * example_last(&one, 1));
        assert_close(example_last(&one, 1), example_last(&one, 2), 0.06 * example_last(&one, 1)); /* both trains alike */
        assert_true(example_last(&one, 5) > 0.01);
        for (int r = 0; r < one.n; r++) assert_close(one.value[r][4], one.value[0][4], 2e-4 * 1.94e6);
        riding[ribs] = example_peak(&one, 3);
        assert_true(example_peak(&one, 6) < 0.05 && example_peak(&one, 7) < 0.05); /* springs keep the frames upright and the cars up */
    }
    assert_true(riding[0] > 0.15 && riding[1] < 0.03);
}

static void a_coupler_yields_and_energies_balance(void **unused)
{
    (void)unused;
    static const char *const channels[] = {"plastic_angle_rad", "absorbed_J", "balance_J", "moment_Nm", NULL};
    example_run("plastic-four-bar", "", 1, 2e-3, channels, &one);
    assert_true(fabs(example_last(&one, 0)) > 0.05 && example_last(&one, 1) > 1.0);
    for (int r = 0; r < one.n; r++) assert_close(one.value[r][2], one.value[0][2], 1e-4 * 153.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_wagon_runs_into_two),
        cmocka_unit_test(the_crash_test_absorbs_as_in_the_table),
        cmocka_unit_test(anti_climbers_keep_cars_from_overriding),
        cmocka_unit_test(a_coupler_yields_and_energies_balance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
