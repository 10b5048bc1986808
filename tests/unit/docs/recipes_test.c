/* What the recipes say of their models is so: each against its closed form. */
#include <math.h>
#include <stdlib.h>

#include "solve/mobility.h"
#include "unit/solve/simulate.h"

static const double G = 9.81, PI = 3.14159265358979323846;

/* The model of a page. */
static built recipe(const char *name)
{
    char  path[300];
    char *text = calloc(1, 1 << 16);
    snprintf(path, sizeof path, KL_SOURCE_DIR "/docs/recipes/%s.md", name);
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    assert_true(fread(text, 1, (1 << 16) - 1, f) > 0);
    fclose(f);
    char *start = strstr(text, "```yaml\nklingel:");
    assert_non_null(start);
    *strstr(start + 8, "```") = '\0';
    built b                   = must_build(start + 8);
    free(text);
    return b;
}

static rows run_recipe(built *b, double every, const char *const *names)
{
    static rows r;
    simulate(b, b->model->settings.end, every, names, &r, NULL);
    assert_true(r.count > 5);
    return r;
}

static int redundant(const kl_model *m, kl_diag *diag)
{
    kl_solver   *x = NULL;
    kl_mobility *b = NULL;
    assert_int_equal(kl_solver_create(m, &x), KL_OK);
    assert_int_equal(kl_assemble(x, diag), KL_OK);
    assert_int_equal(kl_mobility_find(x, diag, &b), KL_OK);
    int n = b->redundant;
    kl_mobility_destroy(b);
    kl_solver_destroy(x);
    return n;
}

/* ---- the recipes ---- */

static void a_rope_pulls_when_taut_and_never_pushes(void **unused)
{
    (void)unused;
    built b = recipe("cable");
    rows  r = run_recipe(
         &b, 1e-3,
         (const char *const[]){"rope.push", "s1.push", "s11.push", "bob.velocity.z", NULL});
    double taut = sqrt(2.0 * 0.1 / G), most = 0.0, back = 0.0;
    for (int i = 0; i < r.count; i++) {
        for (int k = 0; k < 3; k++) assert_true(r.value[i][k] >= 0.0);
        if (r.t[i] < taut) {
            assert_true(r.value[i][0] == 0.0);
            assert_close(r.value[i][3], -G * r.t[i], 1e-6);
        }
        most = fmax(most, r.value[i][0]);
        back = fmax(back, r.value[i][3]);
    }
    assert_true(most > sqrt(20e3 * 1.0) * G * taut * 0.9); /* about sqrt(k m) v */
    assert_true(back > 0.5 * G * taut && back < G * taut); /* it bounces, with some loss */
    built_free(&b);
}

static void the_worm_holds_its_load_until_the_motor_turns_it_forwards(void **unused)
{
    (void)unused;
    built b = recipe("worm-gear");
    rows  r = run_recipe(&b, 0.01,
                         (const char *const[]){"shaft.angular_speed", "axle.angular_speed", NULL});
    for (int i = 0; i < r.count; i++) {
        assert_close(r.value[i][1], r.value[i][0] / 20.0, 1e-9);
        if (r.t[i] > 0.1 && r.t[i] < 0.3) assert_close(r.value[i][0], -0.02 * 0.25 / 0.3, 1e-6);
    }
    /* full motor torque: (0.8 - 0.25 - 0.3) / (J_worm + J_wheel/400) */
    int n = r.count - 1;
    assert_close((r.value[n][0] - r.value[n - 10][0]) / 0.1, 0.25 / (1e-3 + 0.02 / 400.0), 1e-3);
    built_free(&b);
}

static void the_gear_train_runs_up_as_one_inertia(void **unused)
{
    (void)unused;
    built  b = recipe("gear-train");
    rows   r = run_recipe(&b, 0.1,
                          (const char *const[]){"axle1.angular_speed", "axle3.angular_speed", NULL});
    double J = 2e-3 * (1.0 + 1.0 / 9.0 + 1.0 / 36.0);
    for (int i = 0; i < r.count; i++) {
        assert_close(r.value[i][0], 500.0 * (1.0 - exp(-1e-3 * r.t[i] / J)), 1e-4);
        assert_close(r.value[i][1], r.value[i][0] / 6.0, 1e-9);
    }
    built_free(&b);
}

static void the_rack_moves_forwards_with_the_pinion(void **unused)
{
    (void)unused;
    built b = recipe("rack-and-pinion");
    rows  r =
        run_recipe(&b, 0.1, (const char *const[]){"axle.angular_speed", "rack.position.x", NULL});
    double alpha = 0.2 / (1e-4 + 2.0 * 0.02 * 0.02);
    for (int i = 0; i < r.count; i++) {
        assert_close(r.value[i][0], alpha * r.t[i], 1e-7);
        assert_close(r.value[i][1], 0.02 * alpha * r.t[i] * r.t[i] / 2.0, 1e-7);
    }
    built_free(&b);
}

static void the_belt_hands_on_all_momentum(void **unused)
{
    (void)unused;
    built b = recipe("rolling-and-belts");
    rows  r = run_recipe(&b, 0.05,
                         (const char *const[]){"small.omega.z", "large.omega.z", "out.angle", NULL});
    int   n = r.count - 1;
    /* seen at the large pulley: J1/ratio w1 + J2 w2 = integral of T/ratio; half of the ramp counts */
    assert_close(1e-3 / 0.5 * r.value[n][0] + 0.02 * r.value[n][1], 2.0 / 0.5 * (0.5 - 0.05), 1e-6);
    /* the stretch that accelerates the large pulley, but for what still swings */
    assert_close(r.value[n][2], -0.02 * (4.0 / 0.024) / 200.0, 2e-3);
    assert_true(r.value[n][1] > 60.0);
    built_free(&b);
}

static void the_parallelogram_falls_as_its_energy_says(void **unused)
{
    (void)unused;
    built b = recipe("closed-loop-without-redundancy");
    assert_int_equal(redundant(b.model, b.diag), 0);
    rows r = run_recipe(&b, 0.05, (const char *const[]){"A.angle", "A.angular_speed", NULL});
    assert_close(r.value[0][0], PI / 6.0, 1e-9);
    double turned = 0.0;
    for (int i = 0; i < r.count; i++) {
        double w2 = 2.0 * (2.0 * G * 0.2) * (cos(PI / 6.0) - cos(r.value[i][0])) / 0.08;
        assert_close(r.value[i][1] * r.value[i][1], w2, 1e-5 * (1.0 + w2));
        turned = fmax(turned, r.value[i][0]);
    }
    assert_true(turned > PI);
    built_free(&b);
}

/* Closed form while the pin is in the slot; beside it the play of 0.1 mm at 20 mm from the axis. */
static void the_geneva_wheel_follows_the_pin_and_rests(void **unused)
{
    (void)unused;
    built  b = recipe("geneva-drive");
    rows   r = run_recipe(&b, 0.01, (const char *const[]){"driving.angle", "driven.angle", NULL});
    double a = 0.05, C = a * sqrt(2.0);
    for (int i = 0; i < r.count; i++) {
        double phi = PI / 2.0 + r.value[i][0], turned = phi > PI / 4.0 ? 0.0 : PI / 2.0;
        if (fabs(phi) <= PI / 4.0) turned = PI / 4.0 - atan2(a * sin(phi), C - a * cos(phi));
        assert_close(r.value[i][1], turned, 7e-3);
    }
    built_free(&b);
}

static void the_load_swings_on_when_the_trolley_has_arrived(void **unused)
{
    (void)unused;
    built  b      = recipe("crane-with-hook");
    rows   r      = run_recipe(&b, 0.1,
                               (const char *const[]){"rail.displacement", "load.position.z",
                                                     "load.velocity.x", "load.velocity.z", "swing", NULL});
    double energy = NAN, most = 0.0;
    for (int i = 0; i < r.count; i++) {
        if (r.t[i] < 4.0 + 1e-9) continue;
        const double *v   = r.value[i];
        double        sum = v[2] * v[2] / 2.0 + v[3] * v[3] / 2.0 + G * v[1];
        assert_close(v[0], 5.0, 1e-9);
        if (isnan(energy)) energy = sum;
        assert_close(sum, energy, 1e-5);
        most = fmax(most, fabs(v[4]));
    }
    assert_true(most > 0.2);
    built_free(&b);
}

static void the_pendulum_starts_where_it_is_told(void **unused)
{
    (void)unused;
    built b = recipe("pendulum-with-large-swing");
    rows  r = run_recipe(&b, 0.05,
                         (const char *const[]){"hinge.angle", "hinge.angular_speed",
                                               "bar.position.x", "bar.position.z", NULL});
    assert_close(r.value[0][0], 2.0 * PI / 3.0, 1e-9);
    assert_close(r.value[0][2], -0.5 * sin(2.0 * PI / 3.0), 1e-9);
    assert_close(r.value[0][3], 0.25, 1e-9);
    for (int i = 0; i < r.count; i++) {
        double w2 = 3.0 * G * (cos(r.value[i][0]) + 0.5);
        assert_close(r.value[i][1] * r.value[i][1], w2, 1e-5 * (1.0 + w2));
    }
    built_free(&b);
}

static void the_screw_needs_the_torque_of_its_weight(void **unused)
{
    (void)unused;
    built b = recipe("ball-screw");
    assert_int_equal(redundant(b.model, b.diag), 0);
    rows r = run_recipe(&b, 0.1, (const char *const[]){"nut.position.z", "motor.effort", NULL});
    for (int i = 0; i < r.count; i++) {
        assert_close(r.value[i][0], 20.0 * r.t[i] / (2.0 * PI) * 5e-3, 1e-9);
        assert_close(fabs(r.value[i][1]), 3.0 * G * 5e-3 / (2.0 * PI), 1e-6);
    }
    built_free(&b);
}

/* w_out / w_in = cos b / (1 - sin^2 b sin^2 phi); at phi = 0 the input fork stands across the bend. */
static void the_cardan_shaft_swings_between_cos_b_and_its_inverse(void **unused)
{
    (void)unused;
    built b = recipe("shaft-with-cardan-joints");
    assert_int_equal(redundant(b.model, b.diag), 0);
    rows   r = run_recipe(&b, 0.01, (const char *const[]){"output_speed", NULL});
    double c = cos(PI / 9.0), s = sin(PI / 9.0), low = 100.0, high = 0.0;
    for (int i = 0; i < r.count; i++) {
        double fork = sin(10.0 * r.t[i]);
        assert_close(r.value[i][0], 10.0 * c / (1.0 - s * s * fork * fork), 1e-5);
        low  = fmin(low, r.value[i][0]);
        high = fmax(high, r.value[i][0]);
    }
    assert_close(low, 10.0 * c, 5e-3);
    assert_close(high, 10.0 / c, 5e-3);
    built_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rope_pulls_when_taut_and_never_pushes),
        cmocka_unit_test(the_worm_holds_its_load_until_the_motor_turns_it_forwards),
        cmocka_unit_test(the_gear_train_runs_up_as_one_inertia),
        cmocka_unit_test(the_rack_moves_forwards_with_the_pinion),
        cmocka_unit_test(the_belt_hands_on_all_momentum),
        cmocka_unit_test(the_parallelogram_falls_as_its_energy_says),
        cmocka_unit_test(the_geneva_wheel_follows_the_pin_and_rests),
        cmocka_unit_test(the_load_swings_on_when_the_trolley_has_arrived),
        cmocka_unit_test(the_pendulum_starts_where_it_is_told),
        cmocka_unit_test(the_screw_needs_the_torque_of_its_weight),
        cmocka_unit_test(the_cardan_shaft_swings_between_cos_b_and_its_inverse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
