/* Quantities of a point of a body, against a disc that turns at a constant rate about an axis in the
 * earth's gravity: v = omega r along the body's y, a = -omega^2 r along its x, at any angle. */
#include "unit/build_model.h"

#include "solve/simulation.h"

static const char *const disc =
    "klingel: 1\ngravity: [0, -9.81, 0]\nbodies:\n"
    "  disc: {mass: 2, inertia: [1, 1, 2], omega: [0, 0, 5], fixed: [omega]}\n"
    "joints:\n  axle: {type: revolute, between: [ground, disc], at: [0, 0, 0], axis: z}\n"
    "outputs:\n"
    "  vx: {of: disc, point: [0.3, 0, 0], quantity: body_velocity.x}\n"
    "  vy: {of: disc, point: [0.3, 0, 0], quantity: body_velocity.y}\n"
    "  ax: {of: disc, point: [0.3, 0, 0], quantity: body_acceleration.x}\n"
    "  ay: {of: disc, point: [0.3, 0, 0], quantity: body_acceleration.y}\n"
    "  fx: {of: disc, point: [0.3, 0, 0], quantity: accelerometer.x}\n"
    "  old: {of: disc, point: [0.3, 0, 0], quantity: felt.x}\n" /* its name in older models */
    "  px: {of: disc, point: [0.3, 0, 0], quantity: position.x}\n"
    "run: {end: 1, every: 0.1}\nintegrator: {type: runge-kutta, tolerance: 1e-10}\n";

static void quantities_in_body_axes_turn_with_the_body(void **unused)
{
    (void)unused;
    built          b = must_build(disc);
    kl_simulation *s = NULL;
    assert_int_equal(kl_simulation_create(b.model, b.diag, &s), KL_OK);
    int notes = 0;
    for (int i = 0; i < kl_diag_size(b.diag); i++)
        notes += strstr(kl_diag_at(b.diag, i)->text,
                        "'old': the quantity 'felt.x' is now called 'accelerometer.x'") != NULL;
    assert_int_equal(notes, 1);
    assert_int_equal(kl_simulation_start(s, b.diag), KL_OK);
    for (int n = 1; n <= 10; n++) {
        double t       = 0.1 * n,
               want[6] = {0.0, 1.5, -7.5, 0.0, -7.5 + 9.81 * sin(5.0 * t), 0.3 * cos(5.0 * t)};
        const char   *name[6] = {"vx", "vy", "ax", "ay", "fx", "px"};
        const double *v;
        while (s->solver->s->t < t - 1e-12)
            assert_int_equal(kl_simulation_step(s, t, b.diag), KL_OK);
        assert_int_equal(kl_simulation_sample(s, b.diag, &v), KL_OK);
        for (int i = 0; i < 6; i++)
            assert_close(v[kl_channels_find(s->channels, name[i])], want[i], 1e-7);
        assert_true(v[kl_channels_find(s->channels, "old")] ==
                    v[kl_channels_find(s->channels, "fx")]);
    }
    kl_simulation_destroy(s);
    built_free(&b);
}

/* A channel of older models is read under its present name, with a note. */
static void the_old_name_of_plastic_energy_is_read(void **unused)
{
    (void)unused;
    static const char *const text =
        "klingel: 1\nbodies: {a: {mass: 1, inertia: [1, 1, 1]}}\n"
        "forces: {s: {type: spring-damper, between: [ground, a], at: [[0, 0, 1], [0, 0, 0]], "
        "stiffness: 1}}\n"
        "outputs: {old: {expression: s.spent + 1 J}, new: {expression: s.plastic_energy + 2 J}}\n";
    built          b = must_build(text);
    kl_simulation *s = NULL;
    const double  *v;
    assert_int_equal(kl_simulation_create(b.model, b.diag, &s), KL_OK);
    assert_int_equal(kl_diag_size(b.diag), 1);
    assert_non_null(strstr(kl_diag_at(b.diag, 0)->text,
                           "`spent` of an element is now called `plastic_energy`"));
    assert_int_equal(kl_simulation_start(s, b.diag), KL_OK);
    assert_int_equal(kl_simulation_sample(s, b.diag, &v), KL_OK);
    assert_close(v[kl_channels_find(s->channels, "old")], 1.0, 1e-12);
    assert_close(v[kl_channels_find(s->channels, "new")], 2.0, 1e-12);
    kl_simulation_destroy(s);
    built_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(quantities_in_body_axes_turn_with_the_body),
                                       cmocka_unit_test(the_old_name_of_plastic_energy_is_read)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
