/* klingel assess on rides of a coach: the figures do not depend on the step, nor on an interruption. */
#include "unit/cli/run_program.h"

static void write_model(const world *w)
{
    FILE *f = fopen(path_of(w, "c.yaml"), "w");
    assert_non_null(f);
    fputs("klingel: 1\n"
          "include: [klingel:vehicles/coach.yaml]\n"
          "parameters: {h: 1 ms}\n"
          "gravity: [0, 0, -9.81]\n"
          "irregularities:\n"
          "  rough: {spectrum: erri-low, start: 20 m, ramp: 20 m}\n"
          "parts:\n"
          "  coach: {template: manchester_coach, parameters: {travel: 40 m/s, irregularities: "
          "rough,\n"
          "          profile: S1002, law: polach}}\n"
          "integrator: {type: generalized-alpha, step: h}\n"
          "run: {end: 6.6, every: 2 ms, start: steady}\n",
          f);
    fclose(f);
}

/* The value of a quantity in the table that the last command printed. */
static double value_of(const world *w, const char *quantity)
{
    char   start[120];
    double value;
    snprintf(start, sizeof start, "\n%s,", quantity);
    const char *row = strstr(w->out, start);
    if (!row) fail_msg("there is no row '%s'", quantity);
    row = strchr(row + strlen(start), ',');
    assert_int_equal(sscanf(row, ",%lf", &value), 1);
    return value;
}

static const char *const quantities[] = {
    "straight.sum_Y_2m",      "straight.Y_over_Q_2m",
    "straight.Q_max",         "coach.floor_front.lateral_acceleration",
    "instability_sum_Y_rms",  "coach.floor_front.vertical_acceleration_rms",
    "coach.floor_front.N_MV",
};
enum { QUANTITIES = sizeof quantities / sizeof *quantities };

static void assess(world *w, const char *file, double *value)
{
    int code = run(w, "assess", file, "--csv");
    assert_true(code == 0 || code == 4);
    for (int i = 0; i < QUANTITIES; i++) value[i] = value_of(w, quantities[i]);
}

static void half_the_step_changes_little(void **state)
{
    world *w = *state;
    double whole[QUANTITIES], half[QUANTITIES];
    write_model(w);
    assert_int_equal(run(w, "run", "c.yaml", "-q", "-o", "a.h5"), 0);
    assert_int_equal(run(w, "run", "c.yaml", "-q", "--set", "h=0.5 ms", "-o", "b.h5"), 0);
    assess(w, "a.h5", whole);
    assess(w, "b.h5", half);
    for (int i = 0; i < QUANTITIES; i++) {
        print_message("%-46s %.6g, half the step %.6g\n", quantities[i], whole[i], half[i]);
        assert_close(whole[i], half[i], 1e-3 * half[i]);
    }
}

static void a_resumed_run_is_assessed_alike(void **state)
{
    world *w = *state;
    char   whole[1 << 16];
    write_model(w);
    assert_int_equal(
        run(w, "run", "c.yaml", "-q", "--set", "h=2 ms", "--checkpoint", "1", "-o", "whole.h5"), 0);
    assert_int_equal(run(w, "run", "c.yaml", "-q", "--set", "h=2 ms", "--checkpoint", "1", "--end",
                         "2.5", "-o", "cut.h5"),
                     0);
    assert_int_equal(run(w, "run", "--restart", "cut.h5", "-q", "--end", "6.6"), 0);
    int code = run(w, "assess", "whole.h5", "--csv");
    snprintf(whole, sizeof whole, "%s", w->out);
    assert_int_equal(run(w, "assess", "cut.h5", "--csv"), code);
    assert_string_equal(w->out, whole);
}

/* Two wheelsets with given forces. The second one follows 300 m behind and presses harder in the curve
 * from 2000 m on; the first one strikes with Y/Q = 1.5 over 25 m of the straight. */
static void each_wheelset_is_assessed_where_it_is(void **state)
{
    world *w = *state;
    FILE  *f = fopen(path_of(w, "s.yaml"), "w");
    assert_non_null(f);
    fputs("klingel: 1\n"
          "gravity: [0, 0, 0]\n"
          "templates:\n"
          "  w:\n"
          "    parameters: {lag: 0 m, strike: 1}\n"
          "    bodies: {a: {mass: 1 kg, inertia: [1, 1, 1]}}\n"
          "    outputs:\n"
          "      distance: {expression: \"50 m/s*time + 1000 m - lag\"}\n"
          "      curvature: {expression: \"if(distance > 2000 m, 1/500, 0)*(1/(1 m) + 0*time/(1 "
          "m*1 s))\"}\n"
          "      Y_left: {expression: \"if(strike > 0 and distance > 1500 m and distance < 1525 m, "
          "75 kN, 5 kN)*(1 + 0*time/(1 s))\"}\n"
          "      Y_right: {expression: \"5 kN + 0 N*time/(1 s)\"}\n"
          "      Q_left: {expression: \"if(distance > 2000 m, 90 kN, 50 kN)*(1 + 0*time/(1 s))\"}\n"
          "      Q_right: {expression: \"50 kN + 0 N*time/(1 s)\"}\n"
          "parts:\n"
          "  first: {template: w}\n"
          "  second: {template: w, parameters: {lag: 300 m, strike: 0}}\n"
          "run: {end: 80, every: 5 ms}\n",
          f);
    fclose(f);
    assert_int_equal(run(w, "run", "s.yaml", "-q", "-o", "s.h5"), 0);
    assert_int_equal(run(w, "assess", "s.h5", "--csv"), 4);
    /* filters and transitions leave a few hundred newton beside the step */
    assert_close(value_of(w, "straight.Q_max"), 50e3, 1e3);
    assert_close(value_of(w, "small_radius.Q_max"), 90e3, 1e3);
    assert_close(value_of(w, "straight.Y_over_Q_nadal"), 1.5, 0.03);
}

static void what_cannot_be_assessed_names_the_remedy(void **state)
{
    world *w = *state;
    write_model(w);
    assert_int_equal(run(w, "run", "c.yaml", "-q", "--set", "h=2 ms", "--end", "1", "-o", "s.h5"),
                     0);
    assert_int_equal(run(w, "assess", "s.h5"), 1);
    assert_says(w->err, "no section is complete");
    assert_says(w->err, "run farther, or shorten `section_m`");
    assert_int_equal(
        run(w, "run", KL_SOURCE_DIR "/examples/double-pendulum/model.yaml", "-q", "-o", "p.h5"), 0);
    assert_int_equal(run(w, "assess", "p.h5"), 1);
    assert_says(w->err, "`klingel assess --list`");
}

/* A floor point whose channels are given by three expressions. */
static void write_floor(const world *w, const char *y)
{
    FILE *f = fopen(path_of(w, "f.yaml"), "w");
    assert_non_null(f);
    fprintf(f,
            "klingel: 1\n"
            "bodies: {a: {mass: 1 kg, inertia: [1, 1, 1]}}\n"
            "outputs:\n"
            "  floor_a_x: {of: a, quantity: accelerometer.x}\n"
            "  floor_a_y: {expression: \"%s\"}\n"
            "  floor_a_z: {of: a, quantity: accelerometer.z}\n"
            "run: {end: 12, every: 5 ms}\n",
            y);
    fclose(f);
}

static void units_of_floor_channels_are_checked(void **state)
{
    world *w = *state;
    write_floor(w, "0.1*sin(6 rad/s*time)"); /* in g: a pure number */
    assert_int_equal(run(w, "run", "f.yaml", "-q", "-o", "g.h5"), 0);
    assert_int_equal(run(w, "assess", "g.h5"), 1);
    assert_says(w->err, "`floor_a_y` has the unit 1");
    assert_says(w->err, "[m/s2]");
    write_floor(w, "0.981 m/s2*sin(6 rad/s*time)");
    assert_int_equal(run(w, "run", "f.yaml", "-q", "-o", "f.h5"), 0);
    assert_int_equal(run(w, "assess", "f.h5", "--only", "comfort", "--csv"), 4);
    assert_close(value_of(w, "floor_a.aYP95"), 0.981 / sqrt(2.0), 0.02);
}

static void several_files_are_told_apart(void **state)
{
    world *w = *state;
    write_floor(w, "0.01 m/s2*sin(6 rad/s*time)");
    assert_int_equal(run(w, "run", "f.yaml", "-q", "-o", "a.h5"), 0);
    assert_int_equal(run(w, "run", "f.yaml", "-q", "-o", "b,c.h5"), 0);
    assert_int_equal(run(w, "assess", "a.h5", "--only", "comfort", "--csv"), 0);
    assert_int_equal(strncmp(w->out, "quantity,place_m,value,unit,limit,utilisation,verdict\n", 54),
                     0);
    assert_int_equal(run(w, "assess", "a.h5", "b,c.h5", "--only", "comfort", "--csv"), 0);
    assert_int_equal(
        strncmp(w->out, "file,quantity,place_m,value,unit,limit,utilisation,verdict\n", 59), 0);
    assert_says(w->out, "\na.h5,floor_a.N_MV,,");
    assert_says(w->out, "\n\"b,c.h5\",floor_a.N_MV,,");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(half_the_step_changes_little),          CASE(a_resumed_run_is_assessed_alike),
        CASE(each_wheelset_is_assessed_where_it_is), CASE(what_cannot_be_assessed_names_the_remedy),
        CASE(units_of_floor_channels_are_checked),   CASE(several_files_are_told_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
