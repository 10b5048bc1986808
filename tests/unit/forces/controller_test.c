/* A controller in Lua against the same law in closed form or by other elements. */
#include "unit/build_model.h"

#include "base/rotation.h"
#include "solve/simulation.h"

static kl_state *after(const built *b, double end)
{
    kl_simulation *s = NULL;
    assert_int_equal(kl_simulation_create(b->model, b->diag, &s), KL_OK);
    kl_status status = kl_simulation_start(s, b->diag);
    while (status == KL_OK && s->solver->s->t < end) status = kl_simulation_step(s, end, b->diag);
    if (status != KL_OK) print_messages(b->diag);
    assert_int_equal(status, KL_OK);
    kl_state *copy = kl_state_create(b->model);
    kl_state_copy(copy, s->solver->s);
    kl_simulation_destroy(s);
    return copy;
}

#define CART                                                                                       \
    "klingel: 1\nparameters: {k: 40 N/m, c: 3}\nbodies:\n"                                         \
    "  cart: {mass: 2, inertia: [0.1, 0.1, 0.1], position: [0.3, 0, 0]}\n"                         \
    "joints:\n  guide: {type: translational, between: [ground, cart], at: [[0, 0, 0], [0.3, 0, "   \
    "0]],\n"                                                                                       \
    "          axis: x}\n"                                                                         \
    "forces:\n"

static void a_controller_can_be_a_spring_and_damper(void **unused)
{
    (void)unused;
    built     a = must_build(CART "  s: {type: slide-spring-damper, of: guide, stiffness: k,\n"
                                      "      damping: c, length: 0}\n");
    built     b = must_build(CART "  s:\n    type: controller\n"
                                      "    inputs: {x: guide.displacement, v: guide.speed}\n"
                                      "    outputs: {F: guide.force}\n"
                                      "    lua: |\n      local pull = k*x + c*v\n      F = -pull\n");
    kl_state *x = after(&a, 1.0), *y = after(&b, 1.0);
    assert_true(fabs(x->q[0]) < 0.299); /* it does move */
    assert_close(x->q[0], y->q[0], 1e-7);
    assert_close(x->v[0], y->v[0], 1e-6);
    kl_state_destroy(x);
    kl_state_destroy(y);
    built_free(&a);
    built_free(&b);
}

/* A spring and damper between two points that are not in line with any axis: its controller measures
 * the length and its rate and pulls, and its channels have the same values. */
static void a_controller_pulls_two_points_together(void **unused)
{
    (void)unused;
#define OBLIQUE(stiffness, damping)                                                                \
    CART "  s: {type: spring-damper, between: [ground, cart], at: [[0, 0, 0.4], [0.3, 0, 0]],\n"   \
         "      length: 0.1, stiffness: " stiffness ", damping: " damping "}\n"
    built b[2] = {
        must_build(OBLIQUE("k", "c")),
        must_build(OBLIQUE("0", "0") "  servo:\n    type: controller\n"
                                     "    inputs: {l: s.length, v: s.speed, w: s.length_rate}\n"
                                     "    outputs: {F: s.pull}\n"
                                     "    lua: F = k*(l - 0.1) + c*(v + w)/2\n")};
    kl_state *x = after(&b[0], 1.0), *y = after(&b[1], 1.0);
    assert_true(fabs(x->q[0] - 0.3) > 0.01); /* it does move */
    assert_close(x->q[0], y->q[0], 1e-7);
    assert_close(x->v[0], y->v[0], 1e-6);
    kl_state_destroy(x);
    kl_state_destroy(y);
    for (int i = 0; i < 2; i++) built_free(&b[i]);

    static const struct {
        const char *signals, *message;
    } bad[] = {
        {"outputs: {F: s.force}", "the spring-damper 's' has no quantity `force`; give pull"},
        {"inputs: {x: s.displacement}, outputs: {F: s.pull}",
         "the spring-damper 's' has no quantity `displacement`; give length or speed"},
        {"inputs: {x: s.length}, outputs: {F: input.u}", "'input.u' is an input"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char  text[1000];
        built wrong;
        bool  told = false;
        snprintf(
            text, sizeof text,
            OBLIQUE("k", "c") "  servo: {type: controller, %s, lua: \"F = 1\"}\ninputs: {u: {}}\n",
            bad[i].signals);
        assert_int_not_equal(try_build(text, &wrong), KL_OK);
        for (int k = 0; k < kl_diag_size(wrong.diag); k++)
            told |= strstr(kl_diag_at(wrong.diag, k)->text, bad[i].message) != NULL;
        assert_true(told);
        built_free(&wrong);
    }
}

/* m x'' = -40 x - 6 x' - 30 e, e' = x, with the classical Runge-Kutta of a fine step beside it */
static void own_states_are_integrated(void **unused)
{
    (void)unused;
    built  b    = must_build(CART "  s:\n    type: controller\n"
                                      "    inputs: {x: cart.position.x, v: cart.velocity.x}\n"
                                      "    outputs: {F: cart.force.x}\n    states: {e: 0.1}\n"
                                      "    lua: |\n      F = -40*x - 6*v - 30*e\n      e_dot = x\n"
                                      "integrator: {tolerance: 1e-10}\n");
    double y[3] = {0.3, 0.0, 0.1}, h = 1e-4;
    for (int i = 0; i < 10000; i++) {
        double k[4][3], s[3];
        for (int r = 0; r < 4; r++) {
            double f = r == 3 ? h : h / 2;
            for (int j = 0; j < 3; j++) s[j] = y[j] + (r ? f * k[r - 1][j] : 0.0);
            k[r][0] = s[1];
            k[r][1] = (-40 * s[0] - 6 * s[1] - 30 * s[2]) / 2.0;
            k[r][2] = s[0];
        }
        for (int j = 0; j < 3; j++) y[j] += h / 6 * (k[0][j] + 2 * k[1][j] + 2 * k[2][j] + k[3][j]);
    }
    kl_state *x = after(&b, 1.0);
    assert_close(x->q[0], y[0], 1e-6);
    assert_close(x->z[0], y[2], 1e-6);
    kl_state_destroy(x);
    built_free(&b);
}

static void gyros_and_torques_act_about_global_axes(void **unused)
{
    (void)unused;
    built     b = must_build("klingel: 1\ngravity: 0\nbodies:\n"
                                 "  top: {mass: 1, inertia: [2, 2, 2], omega: [1, 0.5, -0.3]}\n"
                                 "forces:\n  brake: {type: controller, inputs: {w: top.omega.y},"
                                 " outputs: {T: top.torque.y}, lua: \"T = -4*w\"}\n"
                                 "integrator: {tolerance: 1e-10}\n");
    kl_state *x = after(&b, 1.0);
    /* equal moments: each component of the spin for itself, I w' = -4 w */
    kl_mat3 A  = kl_quat_matrix(x->q + 3);
    kl_vec3 om = kl_mul(&A, kl_load(x->v + 3));
    assert_close(om.x, 1.0, 1e-6);
    assert_close(om.y, 0.5 * exp(-2.0), 1e-6);
    assert_close(om.z, -0.3, 1e-6);
    kl_state_destroy(x);
    built_free(&b);
}

static void mistakes_in_a_controller_are_told_before_anything_runs(void **unused)
{
    (void)unused;
    static const struct {
        const char *body, *message;
    } bad[] = {
        {"inputs: {x: guide.angel}, outputs: {F: guide.force}, lua: \"F = 1\"",
         "input 'x': the translational 'guide' has no quantity `angel`; did you mean `angle`? "
         "Otherwise "
         "give angle, angular_speed"},
        {"inputs: {x: guid.speed}, outputs: {F: guide.force}, lua: \"F = 1\"",
         "there is no quantity 'guid.speed'; name one of a joint or body, such as hinge.angle or "
         "cart.velocity.x; did you mean 'guide'?"},
        {"inputs: {x: input.u}, outputs: {F: guide.force}, lua: \"F = 1\"",
         "there is no input 'u'"},
        {"outputs: {F: guide.speed}, lua: \"F = 1\"",
         "the translational 'guide' has no quantity `speed`; give force or torque"},
        {"outputs: {F: cart.pull}, lua: \"F = 1\"",
         "the body 'cart' has no quantity `pull`; give force.x, torque.z, ..."},
        {"outputs: {F: guide.force}, lua: \"F = nix\"",
         "test.yaml:9:58: force 's': Lua: there is no name 'nix' here"},
        {"outputs: {F: guide.force}, lua: \"while true do end\"", "more than 1000000 instructions"},
        {"outputs: {F: guide.force}, lua: \"F == 1\"", "Lua: "},
        {"outputs: {F: guide.force}, states: {e: 1}, lua: \"F = 1\"", "result 2 is nil"},
        {"outputs: {end: guide.force}, lua: \"F = 1\"", "'end' is not a valid variable name"},
        {"outputs: {F: guide.force}", "lua is missing"},
        {"outputs: [F], lua: \"F = 1\"", "give names: {x: hinge.angle"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char  text[1000];
        built b;
        bool  told = false;
        snprintf(text, sizeof text, CART "  s: {type: controller, %s}\n", bad[i].body);
        assert_int_not_equal(try_build(text, &b), KL_OK);
        for (int k = 0; k < kl_diag_size(b.diag); k++)
            told |= strstr(kl_diag_at(b.diag, k)->text, bad[i].message) != NULL;
        if (!told) {
            print_messages(b.diag);
            fail_msg("wanted: %s", bad[i].message);
        }
        built_free(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_controller_can_be_a_spring_and_damper),
        cmocka_unit_test(a_controller_pulls_two_points_together),
        cmocka_unit_test(own_states_are_integrated),
        cmocka_unit_test(gyros_and_torques_act_about_global_axes),
        cmocka_unit_test(mistakes_in_a_controller_are_told_before_anything_runs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
