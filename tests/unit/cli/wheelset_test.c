/* Bodies of the type `wheelset`, wheels that rotate independently, track masses under the wheels. */
#include "unit/cli/run_program.h"

#include <math.h>
#include <stdlib.h>

static void write_text(const world *w, const char *name, const char *text)
{
    FILE *f = fopen(path_of(w, name), "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

/* Runs a model and reads the last row of one channel. */
static double last_value(world *w, const char *model, const char *channel)
{
    if (run(w, "run", model, "-q", "-o", "out.h5") != 0) fail_msg("%s", w->err);
    if (run(w, "export", "out.h5", channel) != 0) fail_msg("%s", w->err);
    char *end = w->out + strlen(w->out);
    while (end > w->out && (end[-1] == '\n' || end[-1] == '\r')) *--end = '\0';
    return atof(strrchr(w->out, ',') + 1);
}

#define REST                                                                                       \
    "joints:\n"                                                                                    \
    "  pull: {type: point-on-plane, between: [ground, axle.centre], at: [0, 2 mm, 0.4598], axis: " \
    "x}\n"                                                                                         \
    "forces:\n"                                                                                    \
    "  load: {type: force, on: axle.centre, axis: -z, value: 85 kN}\n"                             \
    "  left: {type: bushing, between: [ground, axle.left], stiffness: [3 MN/m, 1 MN/m, 0]}\n"      \
    "  right: {type: bushing, between: [ground, axle.right], stiffness: [3 MN/m, 1 MN/m, 0]}\n"

static void a_wheelset_is_a_rigid_body_with_wheels(void **state)
{
    world *w = *state;
    write_text(w, "wheelset.yaml",
               "klingel: 1\nbodies:\n"
               "  axle: {type: wheelset, mass: 1500 kg, inertia: [900, 100, 900], radius: 0.5 m, "
               "radius_right: 0.499 m, back_to_back: 1.362 m, wheel: S1002, box: 1.1 m,\n"
               "    position: [0, 2 mm, 0.4998], rolling: 20 m/s}\n" REST
               "  rails: {type: wheel-rail, between: [ground, axle.centre], at: [[0, 0, 0], [0, 2 "
               "mm, 0.4998]], rail: \"60E1\", speed: 20 m/s, creep: polach}\nrun: {end: 0.2, "
               "every: 0.1}\n");
    write_text(
        w, "rigid.yaml",
        "klingel: 1\nbodies:\n"
        "  axle: {mass: 1500 kg, inertia: [900, 100, 900], spin_axis: y, position: [0, 2 mm, "
        "0.4998], omega: [0, 40, 0],\n"
        "    markers: {centre: {spins: false}, left: {at: [0, 1.1, 0], spins: false}, right: "
        "{at: [0, -1.1, 0], spins: false}}}\n" REST
        "  rails: {type: wheel-rail, between: [ground, axle.centre], at: [[0, 0, 0], [0, 2 "
        "mm, 0.4998]], rail: \"60E1\", speed: 20 m/s, creep: polach,\n"
        "    wheel: S1002, radius: 0.5 m, radius_right: 0.499 m, back_to_back: 1.362 m}\nrun: "
        "{end: 0.2, every: 0.1}\n");
    double y = last_value(w, "rigid.yaml", "rails.shift");
    double Q = last_value(w, "rigid.yaml", "rails.Q_left");
    assert_true(fabs(y) > 1e-5 && Q > 1e4);
    assert_close(last_value(w, "wheelset.yaml", "rails.shift"), y, 1e-15);
    assert_close(last_value(w, "wheelset.yaml", "rails.Q_left"), Q, 1e-9 * Q);
    assert_int_equal(run(w, "help", "wheelset"), 0);
    assert_non_null(strstr(w->out, "back_to_back"));
}

static void mistakes_in_a_wheelset_are_told(void **state)
{
    world *w = *state;
    write_text(
        w, "bad.yaml",
        "klingel: 1\nbodies:\n  axle: {type: wheelset, mass: 1, inertia: [1, 1, 1], radius: 9 "
        "m, wheel: S1003}\n");
    assert_int_equal(run(w, "check", "bad.yaml"), 1);
    assert_non_null(strstr(w->err, "bad.yaml:3:"));
    assert_non_null(strstr(w->err, "radius"));
    assert_non_null(strstr(w->err, "S1003"));
}

/* Off the centre a rigid wheelset has longitudinal creepages of +-delta_r/(2 r0); wheels that rotate
 * independently take the rates at which they have none. */
static void independent_wheels_roll_without_longitudinal_creepage(void **state)
{
    world *w = *state;
    write_text(
        w, "independent.yaml",
        "klingel: 1\ninclude: [klingel:vehicles/running-gear.yaml]\ngravity: [0, 0, -9.81]\n"
        "parts: {axle: {template: independent_wheels, parameters: {speed: 20 m/s, law: polach}}}\n"
        "joints:\n"
        "  hold: {type: planar, between: [ground, axle.bridge], at: [0, 0, 0], axis: x}\n"
        "forces:\n"
        "  load: {type: force, on: axle.bridge, axis: -z, value: 85 kN}\n"
        "  side: {type: bushing, between: [ground, axle.bridge], at: [0, 0, 0.46], stiffness: "
        "[0, 50 MN/m, 0], damping: [0, 100 kN s/m, 0], preload: [0, 200 kN, 0, 0, 0, 0]}\n"
        "run: {end: 1, every: 0.5}\n");
    double shift = last_value(w, "independent.yaml", "axle.rails_left.shift");
    double xi    = last_value(w, "independent.yaml", "axle.rails_left.xi_left");
    double other = last_value(w, "independent.yaml", "axle.rails_right.xi_right");
    print_message("shift %.3f mm, longitudinal creepages %.2g and %.2g\n", 1e3 * shift, xi, other);
    assert_true(fabs(shift) > 2e-3);
    assert_true(fabs(xi) < 1e-6 && fabs(other) < 1e-6);
}

/* Each rail sinks by Q/kz under its wheel and moves aside by Y/ky. */
static void track_masses_deflect_as_their_springs_say(void **state)
{
    world *w = *state;
    write_text(
        w, "elastic.yaml",
        "klingel: 1\ninclude: [klingel:vehicles/running-gear.yaml]\ngravity: [0, 0, -9.81]\n"
        "parts: {track: {template: track_masses, parameters: {kz: 50 MN/m, ky: 20 MN/m, cz: 400 kN "
        "s/m, cy: 400 kN s/m}}}\n"
        "bodies:\n  axle: {type: wheelset, mass: 1500 kg, inertia: [900, 100, 900], wheel: S1002, "
        "position: [0, 0, 0.4588], rolling: 20 m/s}\n"
        "joints:\n  pull: {type: point-on-plane, between: [ground, axle.centre], at: [0, 0, "
        "0.4588], axis: x}\n"
        "forces:\n"
        "  load: {type: force, on: axle.centre, axis: -z, value: 85 kN}\n"
        "  side: {type: bushing, between: [ground, axle.centre], stiffness: [0, 1 MN/m, 0, 0, 0, "
        "20 MN "
        "m/rad], damping: [0, 100 kN s/m, 0, 0, 0, 500 kN m s/rad]}\n"
        "  wheel_left: {type: wheel-rail, between: [track.left.track, axle.centre], side: left, "
        "rail: \"60E1\", speed: 20 m/s, creep: polach}\n"
        "  wheel_right: {like: wheel_left, between: [track.right.track, axle.centre], side: "
        "right}\n"
        "run: {end: 1.5, every: 0.5}\n");
    double z = last_value(w, "elastic.yaml", "track.left.position.z");
    double y = last_value(w, "elastic.yaml", "track.left.position.y") - 0.75;
    double Q = last_value(w, "elastic.yaml", "wheel_left.Q_left");
    double Y = last_value(w, "elastic.yaml", "wheel_left.Y_left");
    print_message("rail %.5f mm down under %.3f kN, %.5f mm out under %.3f kN\n", -1e3 * z,
                  1e-3 * Q, 1e3 * y, 1e-3 * Y);
    assert_close(Q, 0.5 * (85e3 + 1500 * 9.81), 1.0);
    assert_close(-z * 50e6, Q, 2.0);
    assert_close(y * 20e6, Y, 2.0);
    assert_true(Y > 100.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_wheelset_is_a_rigid_body_with_wheels, setup, teardown),
        cmocka_unit_test_setup_teardown(mistakes_in_a_wheelset_are_told, setup, teardown),
        cmocka_unit_test_setup_teardown(independent_wheels_roll_without_longitudinal_creepage,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(track_masses_deflect_as_their_springs_say, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
