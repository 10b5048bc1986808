/* Left and right of a wheelset may differ: profiles, radii, friction; the gauge may widen. */
#include "unit/build_model.h"

#include <stdlib.h>

#include "solve/simulation.h"

enum {
    SHIFT,
    YAW,
    WHEEL_LEFT,
    RAIL_LEFT,
    WHEEL_RIGHT,
    RAIL_RIGHT,
    WEAR_LEFT,
    WEAR_RIGHT,
    Q_LEFT,
    Q_RIGHT,
    N
};

/* A wheelset at 10 m/s on straight rails for `end` seconds; `keys` are added to the element. */
static void roll(const char *keys, double end, double out[N])
{
    static const char *const names[N] = {
        "rails.shift",         "rails.yaw",          "rails.wheel_u_left", "rails.rail_u_left",
        "rails.wheel_u_right", "rails.rail_u_right", "rails.wear_left",    "rails.wear_right",
        "rails.Q_left",        "rails.Q_right"};
    char text[2048];
    snprintf(text, sizeof text,
             "klingel: 1\ngravity: [0, 0, -9.81]\nbodies:\n"
             "  ws: {mass: 6000, inertia: [3000, 115, 3000], position: [5, 0, 0.45995],\n"
             "       velocity: [10, 0, 0], spin_axis: y, omega: [0, 21.7391304, 0]}\n"
             "tracks: {line: {layout: [straight 100 m]}}\nforces:\n"
             "  rails: {type: wheel-rail, between: [ground, ws], track: line,\n"
             "    at: [[0, 0, 0], [5, 0, 0.45995]], wheel: S1002, rail: \"60E1\",\n"
             "    creep: polach%s}\nrun: {end: 1}\n",
             keys);
    built          b = must_build(text);
    kl_simulation *s = NULL;
    const double  *values;
    assert_int_equal(kl_simulation_create(b.model, b.diag, &s), KL_OK);
    assert_int_equal(kl_simulation_start(s, b.diag), KL_OK);
    while (s->solver->s->t < end) assert_int_equal(kl_simulation_step(s, end, b.diag), KL_OK);
    assert_int_equal(kl_simulation_sample(s, b.diag, &values), KL_OK);
    for (int k = 0; k < N; k++) {
        int at = kl_channels_find(s->channels, names[k]);
        assert_true(at >= 0);
        out[k] = values[at];
    }
    kl_simulation_destroy(s);
    built_free(&b);
}

/* Contacts of both surfaces are one point in space: half the widening lies between their coordinates. */
static void a_wider_gauge_moves_both_rails(void **unused)
{
    (void)unused;
    double narrow[N], wide[N];
    roll("", 0.5, narrow);
    roll(", widening: {table: [[0, 0.01], [100, 0.01]]}", 0.5, wide);
    for (int k = WHEEL_LEFT; k <= WHEEL_RIGHT; k += 2) {
        double before = narrow[k] - narrow[k + 1], after = wide[k] - wide[k + 1];
        assert_close(after - before, 5e-3, 1e-5);
    }
}

/* The smaller wheel runs ahead less, so the wheelset steers to its side, until both radii agree. */
static void a_wheelset_runs_to_the_side_of_its_smaller_wheel(void **unused)
{
    (void)unused;
    double same[N], right[N], by_profile[N];
    roll("", 0.5, same);
    roll(", radius_right: 0.4595", 0.5, right);
    roll(", wheel_right: S1002, rail_right: \"60E1\"", 0.5, by_profile);
    assert_close(same[SHIFT], 0.0, 1e-6);
    assert_close(by_profile[SHIFT], same[SHIFT], 1e-9);
    assert_true(right[SHIFT] < -0.5e-3);
}

/* Friction of one rail, and along the track. */
static void friction_differs_from_rail_to_rail_and_along_the_track(void **unused)
{
    (void)unused;
    double same[N], slippery[N], along[N];
    roll(", friction: 0.3, radius_right: 0.455", 0.2, same);
    roll(", friction: 0.3, friction_right: 0, radius_right: 0.455", 0.2, slippery);
    roll(", friction: 0.3, friction_along: {table: [[0, 0], [100, 0]]}, radius_right: 0.455", 0.2,
         along);
    assert_true(same[WEAR_LEFT] > 0.0 && same[WEAR_RIGHT] > 0.0);
    assert_true(slippery[WEAR_RIGHT] == 0.0);
    assert_true(along[WEAR_LEFT] == 0.0 && along[WEAR_RIGHT] == 0.0);
}

/* Whatever the laws of the normal force, the rails carry the wheelset, and its bounce decays. */
static void normal_laws_carry_the_weight(void **unused)
{
    (void)unused;
    static const char *const laws[] = {
        ", damping: 10", ", normal: kik-piotrowski, damping: 10",
        ", damping_law: kelvin-voigt, damping_constant: 1e6",
        ", damping_law: lankarani-nikravesh, restitution: 0.3, impact_speed: 0.01"};
    for (int k = 0; k < 4; k++) {
        double out[N];
        roll(laws[k], 0.4, out);
        assert_close(out[Q_LEFT] + out[Q_RIGHT], 6000.0 * 9.81, 0.01 * 6000.0 * 9.81);
        assert_close(out[SHIFT], 0.0, 1e-6);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_wider_gauge_moves_both_rails),
        cmocka_unit_test(a_wheelset_runs_to_the_side_of_its_smaller_wheel),
        cmocka_unit_test(friction_differs_from_rail_to_rail_and_along_the_track),
        cmocka_unit_test(normal_laws_carry_the_weight)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
