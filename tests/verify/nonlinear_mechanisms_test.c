/* Mechanisms with a nonlinear body: the modal body at small strain, energy balance, buckling. */
#include "verify/example.h"

static example one, two;

/* Small strain, large and fast motion: modes and nodes give the same lag of the tip. */
static void a_stiff_arm_moves_like_the_modal_body(void **state)
{
    (void)state;
    static const char *const channels[] = {"lag_m", NULL};
    example_run("soft-arm", "E=20e9 swing=0.05 duration=0.02 tolerance=1e-8", 0.03, 0.005, channels,
                &one);
    example_run("soft-arm", "kind=modal E=20e9 swing=0.05 duration=0.02 tolerance=1e-8", 0.03,
                0.005, channels, &two);
    double off = example_apart(&one, &two, 0) / example_peak(&two, 0);
    print_message("nonlinear against modal: %.2g of the lag\n", off);
    assert_true(off < 2e-3);
}

/* A slider-crank whose rod bends a little: modes with geometric stiffening and nodes agree. */
static void a_rod_bends_like_the_modal_body(void **state)
{
    (void)state;
    static const char *const channels[] = {"bend_m", "slider_m", NULL};
    example_run("nonlinear-slider-crank", "", 0.03, 0.001, channels, &one);
    example_run("nonlinear-slider-crank", "kind=modal", 0.03, 0.001, channels, &two);
    double bend = example_apart(&one, &two, 0) / example_peak(&two, 0);
    double slip = example_apart(&one, &two, 1);
    print_message("slider-crank: bending to %.2g, slider to %.2g m\n", bend, slip);
    assert_true(example_peak(&two, 0) > 8e-5);
    assert_true(bend < 3e-3 && slip < 1e-7);
}

static void a_soft_arm_keeps_its_energy(void **state)
{
    (void)state;
    static const char *const channels[] = {"lag_m", "energy.balance", "arm.elastic_energy", NULL};
    example_run("soft-arm", "", 0.7, 0.01, channels, &one);
    assert_true(example_peak(&one, 0) > 0.2); /* far beyond small deformation */
    assert_true(example_peak(&one, 1) < 1e-3 * example_peak(&one, 2));
}

static void a_box_beam_folds_with_its_energy_in_balance(void **state)
{
    (void)state;
    static const char *const channels[] = {"down_m", "energy.balance", "energy.kinetic", NULL};
    example_run("box-beam-crash", "", 0.02, 0.001, channels, &one);
    double start = one.value[0][1], most = 0.0;
    for (int k = 0; k < one.n; k++) most = fmax(most, fabs(one.value[k][1] - start));
    print_message("crash: balance to %.2g\n", most / start);
    assert_true(most < 1e-3 * start);
    assert_true(example_last(&one, 0) < -0.07);       /* folded */
    assert_true(example_last(&one, 2) < 0.3 * start); /* most of the energy is plastic work */
}

/* Contact with the skin: the nonlinear strip answers a ball as the modal one does, and momentum is that of the contact force. */
static void a_ball_hits_the_skin_of_a_nonlinear_body(void **state)
{
    (void)state;
    static const char *const channels[] = {"ball_v_m_s", "tip_m", "force_N", "energy_J", NULL};
    example_run("ball-on-strip", "kind=modal", 0.001, 1e-5, channels, &two);
    example_run("ball-on-strip", "", 0.001, 1e-5, channels, &one);
    double impulse = 0.0, most = example_peak(&one, 2);
    for (int k = 1; k < one.n; k++) impulse += 0.5e-5 * (one.value[k][2] + one.value[k - 1][2]);
    print_message("ball on a strip: rebound %.4f and %.4f m/s, force %.0f and %.0f N, energy to %.2g\n",
                  example_last(&one, 0), example_last(&two, 0), most, example_peak(&two, 2),
                  fabs(example_last(&one, 3) / 0.2 - 1.0));
    assert_close(impulse, 0.1 * (example_last(&one, 0) + 2.0), 1e-3 * 0.2);
    assert_close(example_last(&one, 0), example_last(&two, 0), 0.01 * 2.0);
    assert_close(most, example_peak(&two, 2), 0.03 * most);
    assert_true(example_apart(&one, &two, 1) < 0.03 * example_peak(&two, 1));
    for (int k = 0; k < one.n; k++) assert_close(one.value[k][3], 0.2, 5e-5 * 0.2);
}

static void a_coupler_buckles(void **state)
{
    (void)state;
    static const char *const channels[] = {"shortening_m", "b.force.x", NULL};
    example_run("buckling-four-bar", "", 0.06, 0.001, channels, &one);
    double most = example_peak(&one, 1), euler = 259.0; /* pi^2 E I/L^2 */
    assert_true(one.value[30][0] < 1e-4);               /* straight at half the time */
    assert_true(most > euler && most < 2 * euler);
    assert_true(example_last(&one, 0) > 0.015);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stiff_arm_moves_like_the_modal_body),
        cmocka_unit_test(a_rod_bends_like_the_modal_body),
        cmocka_unit_test(a_soft_arm_keeps_its_energy),
        cmocka_unit_test(a_box_beam_folds_with_its_energy_in_balance),
        cmocka_unit_test(a_ball_hits_the_skin_of_a_nonlinear_body),
        cmocka_unit_test(a_coupler_buckles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
