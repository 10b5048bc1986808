/* A bushing that turns far: its rotation vector goes on past half a turn, and without stiffness
 * against turning it turns as often as it likes. */
#include <math.h>

#include "unit/solve/simulate.h"

static rows r;

static const char *const names[] = {"b.turn_z",       "b.turn_x",  "h.angle",
                                    "energy.balance", "a.omega.z", NULL};

/* A flywheel on a hinge, thrown against the torsional stiffness of a bushing: angle =
 * (w0/w) sin(w t) with w^2 = k/J. It swings by 5 radian, past half a turn and back. */
static void the_rotation_vector_goes_on_past_half_a_turn(void **unused)
{
    (void)unused;
    built b = must_build(
        "klingel: 1\ngravity: 0\nbodies: {a: {mass: 1, inertia: [1, 1, 1], omega: [0, 0, 5]}}\n"
        "joints: {h: {type: revolute, between: [ground, a], at: [0, 0, 0], axis: z}}\n"
        "forces: {b: {type: bushing, between: [ground, a], at: [0, 0, 0],\n"
        "             stiffness: [1, 1, 1, 2, 2, 1 N m/rad]}}\n"
        "integrator: {tolerance: 1e-10}\n");
    simulate(&b, 7.0, 0.1, names, &r, NULL);
    double far = 0.0;
    for (int i = 0; i < r.count; i++) {
        double angle = 5.0 * sin(r.t[i]);
        assert_true(fabs(r.value[i][0] - angle) < 1e-5);
        assert_true(fabs(r.value[i][2] - angle) < 1e-5); /* the hinge counts the same */
        assert_true(fabs(r.value[i][3] - r.value[0][3]) < 1e-5 * 12.5);
        far = fmax(far, fabs(r.value[i][0]));
    }
    assert_true(far > 4.9);
    built_free(&b);
}

/* Free in space with unequal inertias and damping: what turns has a stiffness in no direction. */
static void without_stiffness_against_turning_it_turns_as_often_as_it_likes(void **unused)
{
    (void)unused;
    built b =
        must_build("klingel: 1\ngravity: 0\n"
                   "bodies: {a: {mass: 1, inertia: [1, 1.2, 1.5], omega: [0.1, 0, 20]}}\n"
                   "joints: {h: {type: revolute, between: [ground, a], at: [0, 0, 0], axis: z}}\n"
                   "forces: {b: {type: bushing, between: [ground, a], at: [0, 0, 0],\n"
                   "             stiffness: [10, 10, 10], damping: [1, 1, 1, 0.3, 0.3, 0.3]}}\n");
    simulate(&b, 5.0, 0.1, names, &r, NULL);
    for (int i = 0; i < r.count; i++) {
        double w = 20.0 * exp(-0.3 / 1.5 * r.t[i]); /* J w' = -c w */
        assert_true(fabs(r.value[i][4] - w) < 1e-5 * 20.0);
        assert_true(fabs(r.value[i][3] - r.value[0][3]) < 1e-4 * 300.0);
    }
    assert_true(r.value[r.count - 1][2] > 60.0); /* ten turns */
    built_free(&b);
}

static void a_whole_turn_is_refused_by_name(void **unused)
{
    (void)unused;
    built b = must_build(
        "klingel: 1\ngravity: 0\nbodies: {a: {mass: 1, inertia: [1, 1, 1], omega: [0, 0, 9]}}\n"
        "joints: {h: {type: revolute, between: [ground, a], at: [0, 0, 0], axis: z}}\n"
        "forces: {b: {type: bushing, between: [ground, a], at: [0, 0, 0],\n"
        "             stiffness: [1, 1, 1, 1, 1, 1]}}\n");
    kl_simulation *s    = NULL;
    kl_sink        sink = {.context = &r, .row = rows_take};
    assert_int_equal(kl_simulation_create(b.model, b.diag, &s), KL_OK);
    r.n = r.count = 0;
    assert_int_equal(kl_simulation_run(s, 5.0, 0.1, &sink, b.diag), KL_E_STEP);
    bool named = false;
    for (int i = 0; i < kl_diag_size(b.diag); i++)
        named |= strstr(kl_diag_at(b.diag, i)->text, "bushing 'b'") &&
                 strstr(kl_diag_at(b.diag, i)->text, "rotational-spring-damper");
    assert_true(named);
    kl_simulation_destroy(s);
    built_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_rotation_vector_goes_on_past_half_a_turn),
        cmocka_unit_test(without_stiffness_against_turning_it_turns_as_often_as_it_likes),
        cmocka_unit_test(a_whole_turn_is_refused_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
