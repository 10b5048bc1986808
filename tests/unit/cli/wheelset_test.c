/* Bodies of the type `wheelset`, wheels that rotate independently, track masses under the wheels. */
#include "unit/cli/run_program.h"

#include "unit/railway/wheel_rail_reference.h"

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
        "    markers: {centre: {spins: false}, hub: {at: [0, 0, 0]}, left: {at: [0, 1.1, 0], "
        "spins: false}, right: "
        "{at: [0, -1.1, 0], spins: false}}}\n" REST
        "  rails: {type: wheel-rail, between: [ground, axle.hub], at: [[0, 0, 0], [0, 2 "
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

/* The marker `centre` does not spin, but wheels on rails do: a wheelset that rolls has no creepage, and
 * friction sets one that does not roll spinning. */
static void a_wheelset_rolls_on_its_rails(void **state)
{
    static const char *const contacts[] = {
        "rails: {type: wheel-rail, rail: \"60E1\", creep: polach",
        "rails: {type: wheel-rail-coulomb, tangential_stiffness: 1e7"};
    for (int c = 0; c < 2; c++)
        for (int rolls = 0; rolls < 2; rolls++) {
            world *w = *state;
            char   text[1000];
            snprintf(text, sizeof text,
                     "klingel: 1\nbodies:\n"
                     "  axle: {type: wheelset, mass: 1500 kg, inertia: [900, 100, 900], %s"
                     "position: [0, 0, 0.4599], rolling: %d m/s}\n"
                     "joints:\n  hold: {type: point-on-plane, between: [ground, axle.centre], at: "
                     "[0, 0, 0.4599], axis: x}\n"
                     "forces:\n  %s, between: [ground.origin, axle.centre], speed: 20 m/s}\n"
                     "run: {end: 0.02, every: 0.01}\n",
                     c == 0 ? "wheel: S1002, " : "", rolls ? 20 : 0, contacts[c]);
            write_text(w, "rolling.yaml", text);
            double rate = last_value(w, "rolling.yaml", "axle.spin_rate");
            double lost = last_value(w, "rolling.yaml", "energy.lost");
            print_message("contact %d: spin rate %.4f rad/s, %.3g J lost\n", c, rate, lost);
            if (rolls) assert_close(rate, 20.0 / 0.46, 0.05);
            else assert_true(rate > 0.1); /* mu m g r0 t/Iyy = 0.4 rad/s */
            if (rolls) assert_true(lost < 20.0);
            else assert_true(lost > 1000.0);
        }
}

/* Only one of rolling and travel is given: the wheels slide, which a note says; with both there is none.
 * The inclination is written as a ratio. */
static void wheels_that_slide_from_the_start_give_a_note(void **state)
{
    static const char *const starts[] = {"rolling: 20 m/s, velocity: [20 m/s, 0, 0]",
                                         "rolling: 20 m/s", "velocity: [20 m/s, 0, 0]",
                                         "rolling: 20 m/s, velocity: [19 m/s, 0, 0]"};
    for (int i = 0; i < 4; i++) {
        world *w = *state;
        char   text[1000];
        snprintf(text, sizeof text,
                 "klingel: 1\nbodies:\n"
                 "  axle: {type: wheelset, mass: 1500 kg, inertia: [900, 100, 900], wheel: S1002, "
                 "position: [0, 0, 0.4599], %s}\n"
                 "forces:\n  rails: {type: wheel-rail, rail: \"60E1\", inclination: 1:40, between: "
                 "[ground.origin, axle.centre]}\nrun: {end: 0.02, every: 0.01}\n",
                 starts[i]);
        write_text(w, "start.yaml", text);
        if (run(w, "run", "start.yaml", "-o", "out.h5") != 0) fail_msg("%s", w->err);
        bool slides = strstr(w->err, "note: at t = ") && strstr(w->err, "'rails' slides: its axle");
        if (slides != (i == 1 || i == 2)) fail_msg("`%s`: %s", starts[i], w->err);
    }
}

/* A planar joint across the track on an axle box holds a turn about the axle that the box does not have: its
 * row consists of rounding errors. Scaled up to one it took 37 iterations a step, and steps of 1e-9 s. */
static void a_constraint_on_no_motion_costs_nothing(void **state)
{
    static const char *const holds[] = {"planar", "point-on-plane"};
    double                   shift[2];
    for (int i = 0; i < 2; i++) {
        world *w = *state;
        char   text[1000];
        snprintf(
            text, sizeof text,
            "klingel: 1\ninclude: [klingel:vehicles/running-gear.yaml]\n"
            "gravity: [0, 0, -9.81]\n"
            "parts: {w: {template: wheelset, parameters: {speed: 20 m/s, law: polach, profile: "
            "S1002, rail: \"60E1\"}}}\n"
            "joints:\n  hold: {type: %s, between: [ground, w.axle.left], at: [0, 1, 0.46], axis: "
            "x}\n  yaw: {type: perpendicular, between: [ground, w.axle.left], at: [0, 1, 0.46], "
            "axis: [y, x], when: %d == 1}\n"
            "forces:\n  load: {type: force, on: w.axle.left, axis: -z, value: 40 kN}\n"
            "integrator: {type: generalized-alpha}\nrun: {end: 0.004, every: 0.002}\n",
            holds[i], i);
        write_text(w, "box.yaml", text);
        if (run(w, "run", "box.yaml", "-o", "out.h5") != 0) fail_msg("%s", w->err);
        const char *at = strstr(w->out, " iterations per step");
        if (!at) at = strstr(w->err, " iterations per step");
        assert_non_null(at);
        while (at[-1] != ' ') at--;
        print_message("%s: %.1f iterations per step\n", holds[i], atof(at));
        assert_true(atof(at) < 6.0);
        if (run(w, "export", "out.h5", "w.rails.Q_left") != 0) fail_msg("%s", w->err);
        shift[i] = atof(strrchr(w->out, ',') + 1);
    }
    assert_true(shift[0] > 1e3);
    assert_close(shift[0], shift[1], 1e-4 * shift[1]);
}

static void mistakes_in_a_wheelset_are_reported(void **state)
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
        "run: {end: 1.5, every: 0.5}\n"
        "integrator: {tolerance: 1e-8}\n"); /* the default leaves 3 N */
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

/* The value of a column of a CSV text, in its second line. */
static double first_value(const char *csv, const char *name)
{
    char        header[2048];
    const char *row = strchr(csv, '\n') + 1;
    snprintf(header, sizeof header, "%.*s", (int)(row - csv - 1), csv);
    for (char *p = strtok(header, ",\r"); p; p = strtok(NULL, ",\r")) {
        if (strcmp(p, name) == 0) return atof(row);
        row = strchr(row, ',') ? strchr(row, ',') + 1 : row;
    }
    fail_msg("no column %s", name);
    return NAN;
}

/* Rigid contact by constraints takes the position of the independent two-sided search: S1002 on 60E1,
 * shifted to the right by y. */
static void rigid_contact_takes_the_position_of_the_reference(void **state)
{
    world    *w = *state;
    reference r = reference_read("wheel-rail/rrd_S1002_60E1_1in40.csv");
    int       n = 0;
    write_text(
        w, "rigid.yaml",
        "klingel: 1\nparameters: {y: 0 mm}\ngravity: [0, 0, -9.81]\nbodies:\n"
        "  axle: {type: wheelset, mass: 1250 kg, inertia: [700, 115, 700], position: [0, -y, "
        "0.4598], wheel: S1002, radius: 0.46 m}\njoints:\n"
        "  rails: {type: rigid-wheel-rail, between: [ground, axle.centre], at: [[0, 0, 0], [0, -y, "
        "0.4598]], rail: \"60E1\"}\n"
        "  hold: {type: point-on-plane, between: [ground, axle.centre], at: [0, -y, 0.4598], axis: "
        "y}\n"
        "  pull: {type: point-on-plane, between: [ground, axle.centre], at: [0, -y, 0.4598], axis: "
        "x}\nrun: {end: 1 ms, every: 1 ms}\n");
    for (int k = 0; k < r.nrow; k++) {
        char   set[32];
        double y = reference_at(&r, k, "y_mm");
        if (fabs(y - 4.9) > 1e-9 && fabs(y - 5.0) > 1e-9 && fabs(y - 3.0) > 1e-9 &&
            fabs(y - 6.5) > 1e-9)
            continue;
        snprintf(set, sizeof set, "y=%g mm", y);
        if (run(w, "run", "rigid.yaml", "--set", set, "-q", "-o", "out.h5") != 0)
            fail_msg("%s", w->err);
        assert_int_equal(run(w, "export", "out.h5", "rails.*"), 0);
        double degrees = 180.0 / acos(-1.0), N[2], angle[2];
        /* contacts of the reference lie on a grid of 4 um: heights are good to some 0.1 um */
        assert_close(-1e3 * first_value(w->out, "rails.roll"), reference_at(&r, k, "roll_mrad"),
                     1e-4);
        assert_close(1e3 * first_value(w->out, "rails.radius_right"),
                     reference_at(&r, k, "r_right_mm"), 5e-3);
        assert_close(1e3 * first_value(w->out, "rails.radius_left"),
                     reference_at(&r, k, "r_left_mm"), 5e-3);
        angle[0] = first_value(w->out, "rails.angle_left"),
        N[0]     = first_value(w->out, "rails.N_left");
        angle[1] = first_value(w->out, "rails.angle_right"),
        N[1]     = first_value(w->out, "rails.N_right");
        /* the reference measures them from the axle, the channels from the track */
        double roll = reference_at(&r, k, "roll_mrad") * 1e-3 * degrees;
        assert_close(angle[0] * degrees + roll, reference_at(&r, k, "contact_angle_left_deg"),
                     0.01);
        assert_close(angle[1] * degrees - roll, reference_at(&r, k, "contact_angle_right_deg"),
                     0.01);
        assert_close(N[0] * cos(angle[0]) + N[1] * cos(angle[1]), 1250 * 9.81, 1e-3);
        n++;
    }
    assert_int_equal(n, 4);
    reference_free(&r);
}

#define PUSHED(contact)                                                                            \
    "klingel: 1\ngravity: [0, 0, -9.81]\nbodies:\n"                                                \
    "  axle: {type: wheelset, mass: 1250 kg, inertia: [700, 115, 700], position: [0, 1 mm, "       \
    "0.46]}\njoints:\n"                                                                            \
    "  pull: {type: point-on-plane, between: [ground, axle.centre], at: [0, 1 mm, 0.46], axis: "   \
    "x}\n  yaw: {type: perpendicular, between: [ground, axle.centre], axis: [x, y]}\n" contact     \
    "between: [ground, axle.centre], at: [[0, 0, 0], [0, 1 mm, 0.46]], conicity: 0.2, "            \
    "rail_radius: 40 mm, half_gauge: 0.75}\n"

/* A wheelset without friction under a lateral force: as far as the stiffness of elastic contact grows,
 * it comes to rest where rigid contact has it. */
static void rigid_contact_is_the_limit_of_stiff_contact(void **state)
{
    world *w    = *state;
    double y[2] = {0};
    write_text(w, "stiff.yaml",
               PUSHED("forces:\n  push: {type: force, on: axle.centre, axis: y, value: 200 N}\n  "
                      "rails: {type: wheel-rail, friction: 0, stiffness: 1e11, "));
    write_text(
        w, "rigid.yaml",
        PUSHED("  rails: {type: rigid-wheel-rail, ") "forces:\n  push: {type: force, on: "
                                                     "axle.centre, axis: y, value: 200 N}\n");
    for (int k = 0; k < 2; k++) {
        assert_int_equal(run(w, "statics", k ? "rigid.yaml" : "stiff.yaml"), 0);
        const char *at = strstr(w->out, "at [0, ");
        assert_non_null(at);
        y[k] = atof(at + 7);
    }
    print_message("lateral position %.9f m, rigid %.9f m\n", y[0], y[1]);
    assert_true(y[0] > 0.02);
    assert_close(y[0], y[1], 5e-8);
}

/* How a wheelset starts: `z` of its middle at a shift of 4 mm. */
static int check_start_at(world *w, const char *y, const char *z)
{
    char set[2][60];
    write_text(w, "start.yaml",
               "klingel: 1\nparameters: {y: 0 m, z: 0.46 m}\nbodies:\n"
               "  axle: {type: wheelset, mass: 7 t, inertia: [900, 100, 900], radius: 0.46 m, "
               "wheel: S1002, position: [0, y, z], rolling: 20 m/s}\nforces:\n"
               "  rails: {type: wheel-rail, between: [ground.origin, axle.centre], rail: \"60E1\", "
               "speed: 20 m/s, creep: polach}\nrun: {end: 0.1}\n");
    snprintf(set[0], sizeof set[0], "y=%s", y);
    snprintf(set[1], sizeof set[1], "z=%s", z);
    return run(w, "check", "start.yaml", "--set", set[0], "--set", set[1]);
}

/* A wheel far inside its rail is an error; one that an offset presses in gets a note with the height to type, and with
 * this height there is no note. */
static void a_start_inside_the_rail_is_reported(void **state)
{
    world *w = *state;
    char   z[40];
    assert_int_equal(check_start_at(w, "0", "0.46 m"), 0);
    assert_null(strstr(w->err, "in its rail"));
    assert_int_equal(check_start_at(w, "0", "0.3 m"), 1);
    assert_says(w->err, "start.yaml:6:3: wheel-rail 'rails'");
    assert_says(w->err, "160 mm deep in its rail");
    assert_int_equal(check_start_at(w, "0", "0.5 m"), 0);
    assert_says(w->err, "away from the rails");
    assert_int_equal(check_start_at(w, "5 mm", "0.46 m"), 0);
    const char *at = strstr(w->err, "middle of the axle ");
    assert_non_null(at);
    snprintf(z, sizeof z, "%.7s m", at + strlen("middle of the axle "));
    assert_int_equal(check_start_at(w, "5 mm", z), 0);
    assert_null(strstr(w->err, "in its rail"));
}

/* Natural frequencies of a trolley do not depend on where it starts in the track. */
static void the_steady_motion_is_found_from_off_the_centre(void **state)
{
    world      *w          = *state;
    const char *start[]    = {"y0=0", "y0=0.5 mm", "y0=4 mm"};
    double      row[3][40] = {{0}};
    int         n[3]       = {0};
    write_text(
        w, "trolley.yaml",
        "klingel: 1\nparameters: {speed: 20 m/s, y0: 0 m}\nbodies:\n"
        "  frame: {mass: 12 t, inertia: [8000, 40000, 42000], position: [0, y0, 0.9 m]}\n"
        "  a: {type: wheelset, mass: 1200 kg, inertia: [700, 90, 700], radius: 0.46 m, wheel: "
        "S1002, position: [1.5 m, y0, 0.46 m], rolling: speed}\n"
        "  b: {type: wheelset, mass: 1200 kg, inertia: [700, 90, 700], radius: 0.46 m, wheel: "
        "S1002, position: [-1.5 m, y0, 0.46 m], rolling: speed}\nforces:\n"
        "  \"{w}_rails\": {for: {w: [a, b]}, type: wheel-rail, between: [ground.origin, "
        "\"{w}.centre\"], rail: \"60E1\", creep: polach, speed: speed}\n"
        "  \"{w}_{s}\": {for: {w: [a, b], s: [left, right]}, type: bushing, between: "
        "[\"{w}.{s}\", frame], stiffness: [5 MN/m, 3 MN/m, 0.8 MN/m],\n"
        "    damping: [10 kN s/m, 10 kN s/m, 15 kN s/m], preload: [0, 0, -29430 N, 0, 0, 0]}\n"
        "  tow: {type: bushing, between: [ground, frame], at: [0, 0, 0.46 m], stiffness: [100 "
        "kN/m, 0, 0], damping: [20 kN s/m, 0, 0]}\nrun: {end: 1}\n");
    assert_int_equal(run(w, "check", "trolley.yaml", "--set", "y0=4 mm"), 0);
    assert_says(w->out, "free: frame, a, b in all six directions each\n");
    assert_null(strstr(w->out, "moves along"));
    assert_says(w->out, "axle load");
    for (int k = 0; k < 3; k++) {
        if (run(w, "modes", "trolley.yaml", "--set", start[k]) != 0) fail_msg("%s", w->err);
        for (const char *p = strchr(w->out, '\n'); p && n[k] < 40; p = strchr(p + 1, '\n')) {
            double v[4];
            if (sscanf(p, "%lf %lf %lf %lf", v, v + 1, v + 2, v + 3) == 4) row[k][n[k]++] = v[3];
        }
    }
    assert_true(n[0] > 8);
    for (int k = 1; k < 3; k++) {
        assert_int_equal(n[k], n[0]);
        for (int i = 0; i < n[0]; i++) assert_close(row[k][i], row[0][i], 1e-3 * row[0][i] + 1e-6);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_wheelset_is_a_rigid_body_with_wheels, setup, teardown),
        cmocka_unit_test_setup_teardown(a_wheelset_rolls_on_its_rails, setup, teardown),
        cmocka_unit_test_setup_teardown(wheels_that_slide_from_the_start_give_a_note, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(a_start_inside_the_rail_is_reported, setup, teardown),
        cmocka_unit_test_setup_teardown(the_steady_motion_is_found_from_off_the_centre, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(a_constraint_on_no_motion_costs_nothing, setup, teardown),
        cmocka_unit_test_setup_teardown(mistakes_in_a_wheelset_are_reported, setup, teardown),
        cmocka_unit_test_setup_teardown(independent_wheels_roll_without_longitudinal_creepage,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(rigid_contact_takes_the_position_of_the_reference, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(rigid_contact_is_the_limit_of_stiff_contact, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(track_masses_deflect_as_their_springs_say, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
