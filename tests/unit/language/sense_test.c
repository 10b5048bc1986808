/* What a model means where it could be read in two ways: units of inputs, turns of angles, entries
 * made by `for`. What makes no sense is in tests/corpus/bad. */
#include <math.h>

#include "unit/solve/simulate.h"

static rows r;

static void a_bare_value_of_an_input_is_in_its_unit(void **unused)
{
    (void)unused;
    static const char *const names[] = {"f.value", "g.value", "input.u", NULL};
    built b = must_build("klingel: 1\nbodies: {a: {mass: 1, inertia: [1, 1, 1]}}\n"
                         "inputs: {u: {unit: kN, value: 3}, w: {unit: kN, value: 3 N}}\n"
                         "forces:\n"
                         "  f: {type: force, on: a, axis: x, value: {input: u}}\n"
                         "  g: {type: force, on: a, axis: x, value: {input: w}}\n");
    simulate(&b, 0.01, 0.01, names, &r, NULL);
    assert_true(r.value[0][0] == 3000.0);
    assert_true(r.value[0][1] == 3.0);
    assert_true(r.value[0][2] == 3000.0);
    built_free(&b);
}

/* All that looks at the hinge counts the turns that its driver starts with. */
static void a_driver_may_start_beyond_half_a_turn(void **unused)
{
    (void)unused;
    static const char *const names[] = {"h.angle", "d.value", "s.angle", "c.x", "s.torque.z", NULL};
    built                    b       = must_build(
                                 "klingel: 1\nbodies: {a: {mass: 1, inertia: [1, 1, 1], position: [1, 0, 0]}}\n"
                                                          "joints:\n"
                                                          "  h: {type: revolute, between: [ground, a], at: [0, 0, 0], axis: z}\n"
                                                          "  d: {type: driver, of: h, value: {polynomial: [1000 deg, 3 rad/s]}}\n"
                                                          "forces:\n"
                                                          "  s: {type: rotational-spring-damper, of: h, stiffness: 2 N m/rad, angle: 0}\n"
                                                          "  c: {type: controller, inputs: {x: h.angle}, outputs: {T: h.torque}, lua: T = 0*x}\n");
    simulate(&b, 1.0, 0.1, names, &r, NULL);
    for (int i = 0; i < r.count; i++) {
        double angle = 1000.0 * KL_PI / 180.0 + 3.0 * r.t[i];
        for (int k = 0; k < 4; k++) assert_true(fabs(r.value[i][k] - angle) < 1e-9);
        assert_true(fabs(r.value[i][4] + 2.0 * angle) < 1e-7);
    }
    built_free(&b);
}

/* The axes that an element gives count also where it names a marker, for a joint on both bodies; `x_axis`
 * alone keeps the axis of the marker. */
static void an_element_gives_the_axes_of_a_named_marker(void **unused)
{
    (void)unused;
    static const char *const ways[] = {
        "between: [ground, a], at: [0, 0, 0], axis: y, x_axis: [1, 0, 1]",
        "between: [ground, a.pin], axis: y, x_axis: [1, 0, 1]",
        "between: [ground, a.pin], at: [0, 0, 0], axis: y, x_axis: [1, 0, 1]",
        "between: [ground.origin, a.pin], axis: y, x_axis: [1, 0, 1]",
        "between: [ground, a.turned], x_axis: [1, 0, 1]",
    };
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        char text[1000];
        snprintf(text, sizeof text,
                 "klingel: 1\nbodies:\n  a: {mass: 1, inertia: [1, 1, 1], position: [1, 0, 0],\n"
                 "      orientation: {axis: y, angle: 20 deg}, markers: {\n"
                 "      pin: {at: [-cos(20 deg), 0, -sin(20 deg)]},\n"
                 "      turned: {at: [-cos(20 deg), 0, -sin(20 deg)], axis: y}}}\n"
                 "joints:\n  h: {type: revolute, %s}\n"
                 "forces:\n  f: {type: force, on: a.pin, axis: y, value: 2}\n",
                 ways[i]);
        built            b    = must_build(text);
        const kl_marker *pair = b.model->marker + b.model->element[0].marker;
        for (int k = 0; k < 2; k++) {
            kl_vec3 at;
            kl_mat3 A;
            kl_model_pose(b.model, pair[k].body, &at, &A);
            A = kl_matmul(&A, &pair[k].A);
            assert_true(kl_norm(kl_sub(kl_axis(&A, 2), kl_vec(0, 1, 0))) < 1e-12);
            assert_true(kl_norm(kl_sub(kl_axis(&A, 0), kl_vec(sqrt(0.5), 0, sqrt(0.5)))) < 1e-12);
        }
        static const char *const names[] = {"f.force.y", NULL};
        simulate(&b, 0.01, 0.01, names, &r, NULL);
        assert_true(fabs(r.value[0][0] - 2.0) < 1e-12);
        built_free(&b);
    }
}

static void a_body_may_be_like_one_that_for_makes(void **unused)
{
    (void)unused;
    built b = must_build("klingel: 1\n"
                         "bodies:\n"
                         "  \"a{i}{side}\": {for: {i: 1..3, side: [left, right]}, mass: i,\n"
                         "                   inertia: [i, i, i], position: [i, 0, 0]}\n"
                         "  z: {like: a2right, position: [0, 7, 0]}\n");
    int   z = kl_model_find_body(b.model, "z"), a = kl_model_find_body(b.model, "a2right");
    assert_true(z > 0 && a > 0);
    kl_vec3 at;
    kl_mat3 A;
    kl_model_pose(b.model, z, &at, &A);
    assert_true(at.y == 7.0 && at.x == 0.0);
    static const char *const names[] = {"z.kinetic_energy", "energy.kinetic", NULL};
    simulate(&b, 0.1, 0.1, names, &r, NULL);
    /* all fall alike: masses 1, 1, 2, 2, 3, 3 and 2 */
    assert_true(fabs(r.value[1][0] / r.value[1][1] - 2.0 / 14.0) < 1e-12);
    built_free(&b);
}

static void a_rigid_set_tells_the_force_on_each_node(void **unused)
{
    (void)unused;
    static const char *const names[] = {"s.b.force.z", "s.c.force.z", "w.force.z", NULL};
    built                    b       = must_build("klingel: 1\ngravity: 10 m/s2\n"
                                                                           "bodies: {a: {mass: 1, inertia: [1, 1, 1]},\n"
                                                                           "  b: {mass: 2, inertia: [1, 1, 1], position: [1, 0, 0]},\n"
                                                                           "  c: {mass: 3, inertia: [1, 1, 1], position: [2, 0, 0]}}\n"
                                                                           "joints:\n"
                                                                           "  w: {type: fixed, between: [ground, a], at: [0, 0, 0]}\n"
                                                                           "  s: {type: rigid-set, pilot: a, nodes: [b, c]}\n");
    simulate(&b, 0.1, 0.1, names, &r, NULL);
    for (int i = 0; i < r.count; i++) {
        assert_true(fabs(r.value[i][0] - 20.0) < 1e-9);
        assert_true(fabs(r.value[i][1] - 30.0) < 1e-9);
        assert_true(fabs(r.value[i][2] - 60.0) < 1e-9);
    }
    built_free(&b);
}

static const char *const slider_crank =
    "klingel: 1\n"
    "parameters: {a: 40 deg, w: 100 rpm}\n"
    "bodies:\n"
    "  crank: {mass: 1, inertia: [0.01, 0.01, 0.01], position: [0.05, 0, 0]}\n"
    "  rod: {mass: 1, inertia: [0.01, 0.02, 0.02], position: [0.25, 0, 0]}\n"
    "  piston: {mass: 1, inertia: [0.01, 0.01, 0.01], position: [0.4, 0, 0]}\n"
    "joints:\n"
    "  main: {type: revolute, between: [ground, crank], at: [0, 0, 0], axis: z,\n"
    "         start: {angle: a + 1 rev, angular_speed: w, fixed: [angle, angular_speed]}}\n"
    "  pin: {type: revolute, between: [crank, rod], at: [0.1, 0, 0], axis: z}\n"
    "  end: {type: spherical, between: [rod, piston], at: [0.4, 0, 0]}\n"
    "  bore: {type: translational, between: [ground, piston], at: [0.4, 0, 0], axis: x%s}\n";

/* Slider crank with crank r and rod l: x = r cos a + sqrt(l^2 - r^2 sin^2 a). */
static void a_joint_starts_with_the_values_given(void **unused)
{
    (void)unused;
    static const char *const names[] = {"main.angle", "main.angular_speed", "piston.position.x",
                                        "piston.velocity.x", NULL};
    char                     text[2000];
    snprintf(text, sizeof text, slider_crank, "");
    built b = must_build(text);
    simulate(&b, 0.001, 0.001, names, &r, NULL);
    double a = 40.0 * KL_PI / 180.0, w = 100.0 * KL_PI / 30.0, s = sin(a), c = cos(a);
    double root = sqrt(0.09 - 0.01 * s * s);
    assert_true(fabs(r.value[0][0] - a - 2.0 * KL_PI) < 1e-12);
    assert_true(fabs(r.value[0][1] - w) < 1e-12);
    assert_true(fabs(r.value[0][2] - 0.1 * c - root) < 1e-12);
    assert_true(fabs(r.value[0][3] + (0.1 * s + 0.01 * s * c / root) * w) < 1e-11);
    for (int i = 0; i < kl_diag_size(b.diag); i++)
        assert_null(strstr(kl_diag_at(b.diag, i)->text, "moved"));
    built_free(&b);
}

static void in_an_open_chain_all_else_stays_as_drawn(void **unused)
{
    (void)unused;
    static const char *const names[] = {"rail.displacement", "hinge.angle", "elbow.angle", NULL};
    built                    b       = must_build(
                                 "klingel: 1\nbodies:\n  cart: {mass: 1, inertia: [1, 1, 1]}\n"
                                                          "  pole: {mass: 9, inertia: [1, 1, 1], position: [0, 0, 1]}\n"
                                                          "  tip: {mass: 9, inertia: [1, 1, 1], position: [0, 0, 3]}\n"
                                                          "joints:\n  rail: {type: translational, between: [ground, cart], at: [0, 0, 0], axis: x}\n"
                                                          "  hinge: {type: revolute, between: [cart, pole], at: [0, 0, 0], axis: y,\n"
                                                          "          start: {angle: 30 deg}}\n"
                                                          "  elbow: {type: revolute, between: [pole, tip], at: [0, 0, 2], axis: y}\n");
    simulate(&b, 0.001, 0.001, names, &r, NULL);
    assert_true(fabs(r.value[0][0]) < 1e-12 && fabs(r.value[0][2]) < 1e-12);
    assert_true(fabs(r.value[0][1] - KL_PI / 6.0) < 1e-12);
    built_free(&b);
}

static void a_guess_gives_way_and_a_fixed_value_does_not(void **unused)
{
    (void)unused;
    static const char *const names[] = {"main.angle", NULL};
    char                     text[2000];
    snprintf(text, sizeof text, slider_crank, ", start: {displacement: 50 mm}");
    built b = must_build(text);
    simulate(&b, 0.001, 0.001, names, &r, NULL);
    assert_true(fabs(r.value[0][0] - (40.0 / 180.0 + 2.0) * KL_PI) < 1e-12);
    assert_non_null(strstr(kl_diag_at(b.diag, 0)->text, "initial guess"));
    built_free(&b);
    snprintf(text, sizeof text, slider_crank,
             ", start: {displacement: 50 mm, fixed: [displacement]}");
    assert_int_equal(try_build(text, &b), KL_E_ASSEMBLY);
    built_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bare_value_of_an_input_is_in_its_unit),
        cmocka_unit_test(a_driver_may_start_beyond_half_a_turn),
        cmocka_unit_test(an_element_gives_the_axes_of_a_named_marker),
        cmocka_unit_test(a_body_may_be_like_one_that_for_makes),
        cmocka_unit_test(a_rigid_set_tells_the_force_on_each_node),
        cmocka_unit_test(a_joint_starts_with_the_values_given),
        cmocka_unit_test(in_an_open_chain_all_else_stays_as_drawn),
        cmocka_unit_test(a_guess_gives_way_and_a_fixed_value_does_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
