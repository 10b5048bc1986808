/* The SAR antenna of paper 001: what it is made of, that it unfolds and locks in two phases, that
 * nothing outside acts on it, and what flexible panels do to it. */
#include "verify/example.h"

static const char *const channels[] = {"A_rad",       "B_rad",       "twist_m", "energy.balance",
                                       "lock_A.held", "lock_B.held", NULL};

static example one, other;

static void antenna(const char *set, double end, example *e)
{
    example_run("sar-antenna", set, end, 0.05, channels, e);
}

/* from the model's own geometry */
static const double a = 1.032171, travel = 2.746393;

static void it_is_made_of_what_the_paper_says(void **unused)
{
    (void)unused;
    kl_diag   *d         = kl_diag_create();
    kl_source *source    = NULL;
    kl_model  *m         = NULL;
    int        spherical = 0, revolute = 0;
    assert_int_equal(kl_source_read(KL_SOURCE_DIR "/examples/sar-antenna/model.yaml", d, &source),
                     KL_OK);
    assert_int_equal(kl_source_build(source, NULL, 0, d, &m), KL_OK);
    for (int i = 0; i < m->nelement; i++) {
        spherical += strcmp(m->element[i].type->name, "spherical") == 0;
        revolute += strcmp(m->element[i].type->name, "revolute") == 0;
    }
    assert_int_equal(kl_model_bodies(m), 12);
    assert_int_equal(spherical, 16);
    assert_int_equal(revolute, 3);
    kl_model_destroy(m);
    kl_source_destroy(source);
    kl_diag_destroy(d);
}

/* Rigid: panel 3 moves on a circle without turning, so joint A is a damped oscillator: J = m_panel
 * a^2 + frame + two rods about their pivots. The satellite hardly moves. */
static void the_rigid_one_unfolds_as_a_damped_oscillator_and_locks(void **unused)
{
    (void)unused;
    antenna("flexible=false", 40.0, &one);
    double mu = 1610 * 3.14159265 * 0.03 * 0.0015, rod = mu * a,
           J = 8.346884 * a * a + 4 * rod * a * a / 3;
    double k = 0.5, c = 4, d = c / (2 * J), s = sqrt(d * d - k / J), p = -d + s, q = -d - s;
    for (int i = 0; i < one.n && one.t[i] < 11.0; i++) {
        double t = one.t[i], left = 3.5 * (q * exp(p * t) - p * exp(q * t)) / (q - p);
        if (fabs(one.value[i][0] - (3.5 - left)) > 0.01 * travel)
            fail_msg("t = %g s: A at %g rad, %g of the closed form", t, one.value[i][0],
                     3.5 - left);
    }
    assert_close(example_last(&one, 0), travel, 1e-3);
    assert_close(example_last(&one, 1), travel, 1e-3);
    assert_close(example_peak(&one, 2), 0.0, 2e-5); /* C and D move alike, within the tolerance */
    assert_non_null(strstr(one.said, "'lock_A' locks"));
    assert_non_null(strstr(one.said, "'D' is released"));
    assert_non_null(strstr(one.said, "'lock_B' locks"));
}

/* all energy comes from the springs of the actuators */
static void energy_is_kept_and_plies_decide_about_twist(void **unused)
{
    (void)unused;
    antenna("", 3.0, &one);
    for (int i = 0; i < one.n; i++)
        assert_close(one.value[i][3], one.value[0][3], 2e-4 * fabs(one.value[0][3]));
    antenna("stiffening=true", 3.0, &other); /* the shells' second-order motion keeps it too */
    for (int i = 0; i < other.n; i++)
        assert_close(other.value[i][3], other.value[0][3], 2e-4 * fabs(other.value[0][3]));
    assert_close(example_peak(&other, 2), example_peak(&one, 2), 0.1 * example_peak(&one, 2));
    antenna("ply=0deg", 3.0, &other);
    assert_true(example_peak(&one, 2) > 1e-3);
    assert_true(example_peak(&other, 2) < 1e-9); /* no coupling of bending and twist */
}

static void it_converges_in_modes_and_in_tolerance(void **unused)
{
    (void)unused;
    static example exact;
    antenna("", 3.0, &one);
    antenna("modes=4", 3.0, &other);
    assert_true(example_apart(&one, &other, 0) < 2e-3 * travel);
    assert_true(example_apart(&one, &other, 2) < 0.2 * example_peak(&one, 2));
    antenna("tolerance=1e-8", 3.0, &exact);
    antenna("tolerance=1e-7", 3.0, &other);
    double coarse = example_apart(&one, &exact, 2), fine = example_apart(&other, &exact, 2);
    if (!(fine < 0.5 * coarse && coarse < 0.1 * example_peak(&exact, 2)))
        fail_msg("twist off by %.3g m, with a tenth of the tolerance by %.3g m", coarse, fine);
}

static void parameters_of_a_body_file_are_checked(void **unused)
{
    (void)unused;
    example_try("sar-antenna", "ply=3kg", 1.0, 0.05, channels, KL_E_MODEL, &one);
}

/* ---- panels that turn (examples/sar-antenna-turning) ---- */

static const char *const turning[] = {
    "A_rad", "B_rad", "panel_3_rad_s", "energy.balance", "lock_A.held", "lock_B.held", NULL};

/* Satellite and panel 2 held: J angle'' + c angle' + k (angle - 3.5 rad) = 0, J of panel and frame about
 * joint A. The hold-downs yield a little. */
static void panel_3_rolls_out_as_a_damped_oscillator(void **unused)
{
    (void)unused;
    example_run("sar-antenna-turning", "flexible=false free=false", 14.0, 0.1, turning, &one);
    double m = 1610.0 * 1.994 * 1.3 * 0.002, e = 0.997;
    double J = m * ((1.994 * 1.994 + 1.3 * 1.3) / 12.0 + e * e) + 0.35 + 0.9 * e * e;
    double b = 4.0 / (2.0 * J), w = sqrt(0.5 / J - b * b);
    for (int i = 0; i < one.n; i++) {
        double t = one.t[i];
        double x = 3.5 * (1.0 - exp(-b * t) * (cos(w * t) + b / w * sin(w * t)));
        double v = 3.5 * exp(-b * t) * (b * b / w + w) * sin(w * t);
        assert_close(one.value[i][0], x, 2e-4);
        assert_close(one.value[i][2], v, 2e-4);
    }
}

/* In its plane the panel is stiff; swinging out it bends, and the rigid model misses most of its angular
 * velocity after the lock (figure 40). Nothing outside acts. */
static void flexible_panels_swing_where_rigid_ones_do_not(void **unused)
{
    (void)unused;
    example_run("sar-antenna-turning", "flexible=false", 60.0, 0.05, turning, &one);
    example_run("sar-antenna-turning", "", 60.0, 0.05, turning, &other);
    double rigid[2] = {0}, flexible[2] = {0}, balance = 0.0;
    for (int i = 0; i < one.n; i++) {
        int phase = one.t[i] < 14.0 ? 0 : one.t[i] > 39.0 ? 1 : -1;
        balance   = fmax(balance, fabs(other.value[i][3] - other.value[0][3]));
        if (phase < 0) continue;
        rigid[phase]    = fmax(rigid[phase], one.value[i][2]);
        flexible[phase] = fmax(flexible[phase], other.value[i][2]);
    }
    assert_close(flexible[0], rigid[0], 2e-3);
    assert_true(flexible[1] > 2.0 * rigid[1]);
    assert_true(balance < 0.01); /* of 6.8 J that the actuators lose */
    for (int k = 0; k < 2; k++) {
        const example *e = k ? &other : &one;
        assert_close(e->value[e->n - 1][0], 3.141593, 2e-4);
        assert_close(e->value[e->n - 1][1], 1.570796, 2e-3);
        assert_close(e->value[e->n - 1][4] + e->value[e->n - 1][5], 2.0, 0.0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_made_of_what_the_paper_says),
        cmocka_unit_test(the_rigid_one_unfolds_as_a_damped_oscillator_and_locks),
        cmocka_unit_test(energy_is_kept_and_plies_decide_about_twist),
        cmocka_unit_test(it_converges_in_modes_and_in_tolerance),
        cmocka_unit_test(panel_3_rolls_out_as_a_damped_oscillator),
        cmocka_unit_test(flexible_panels_swing_where_rigid_ones_do_not),
        cmocka_unit_test(parameters_of_a_body_file_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
