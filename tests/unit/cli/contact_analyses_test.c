/* Statics and modes with closed contacts: a block on a table against closed forms. */
#include "unit/cli/run_program.h"

#include <math.h>

#include "base/rotation.h"
#include "contact/material.h"

/* Four corners with k = 1 MN/m each and k_t = 0.5 MN/m along the table. */
static const char block[] =
    "klingel: 1\n"
    "bodies:\n"
    "  block: {mass: 2, inertia: [0.005, 0.006, 0.007], position: [0, 0, 0.05]}\n"
    "contacts:\n"
    "  table: {between: [block, ground], shapes: [{box: [0.2, 0.1, 0.1]}, plane], law: linear, "
    "stiffness: 1 MN/m, friction: stick-slip, mu: 0.4, tangential_stiffness: 0.5 MN/m}\n";

static void write_block(const world *w)
{
    FILE *f = fopen(path_of(w, "b.yaml"), "w");
    assert_non_null(f);
    fputs(block, f);
    fclose(f);
}

/* The block sinks by m g/(4 k) and the table carries its weight. */
static void a_block_on_a_table_has_an_equilibrium(void **state)
{
    world *w = *state;
    double z, weight;
    write_block(w);
    assert_int_equal(run(w, "statics", "b.yaml"), 0);
    const char *at = strstr(w->out, "at [0, 0, "), *force = strstr(w->out, "force [0, 0, ");
    assert_non_null(at);
    assert_non_null(force);
    assert_int_equal(sscanf(at, "at [0, 0, %lf", &z), 1);
    assert_int_equal(sscanf(force, "force [0, 0, %lf", &weight), 1);
    assert_close(z, 0.05 - 2 * 9.81 / 4e6, 1e-9);
    assert_close(weight, -2 * 9.81, 1e-6);
}

/* The imaginary part of the eigenvalue in the line with these words [1/s]. */
static double frequency_of(const char *page, const char *words)
{
    const char *p = strstr(page, words);
    double      real, imaginary;
    int         number;
    if (!p) fail_msg("no mode is called '%s':\n%s", words, page);
    while (p > page && p[-1] != '\n') p--;
    assert_int_equal(sscanf(p, "%d %lf %lf", &number, &real, &imaginary), 3);
    return imaginary;
}

static void its_modes_include_the_stiffness_of_the_contact(void **state)
{
    world *w = *state;
    write_block(w);
    assert_int_equal(run(w, "modes", "b.yaml"), 0);
    assert_close(frequency_of(w->out, "bounce"), sqrt(4e6 / 2.0), 0.05);
    double corners = 4 * 0.5e6 * (0.1 * 0.1 + 0.05 * 0.05);
    assert_close(frequency_of(w->out, "yaw"), sqrt(corners / 0.007), 0.05);
}

/* A steel roller of 50 N on steel, d = (N s/L)(ln(4 L R/(N s)) + 1), s = 2 (1 - nu^2)/(pi E) with the constants of
 * steel: both ends of the line together carry what the line carries. */
static void a_roller_sinks_by_the_law_of_its_line(void **state)
{
    static const char *const roller =
        "klingel: 1\ngravity: [0, 0, -10]\nbodies: {roller: {mass: 5, inertia: [0.005, 0.005, "
        "0.005], "
        "position: [0, 0, 0.1]}}\ncontacts: {rail: {between: [roller, ground], shapes: [{cylinder: "
        "{radius: 0.1, length: 20 mm, axis: y}}, plane], law: hertz-line, length: 20 mm, material: "
        "steel-steel}}\n";
    const double E = kl_material_find("steel")->young, nu = kl_material_find("steel")->poisson;
    const double s = 2.0 * (1.0 - nu * nu) / (KL_PI * E), N = 50.0, L = 0.02, R = 0.1;
    world       *w = *state;
    double       moved;
    FILE        *f = fopen(path_of(w, "roller.yaml"), "w");
    assert_non_null(f);
    fputs(roller, f);
    fclose(f);
    assert_int_equal(run(w, "statics", "roller.yaml"), 0);
    const char *at = strstr(w->out, "moved ");
    assert_non_null(at);
    assert_int_equal(sscanf(at, "moved %lf mm", &moved), 1);
    assert_close(1e-3 * moved / (N * s / L * (log(4.0 * L * R / (N * s)) + 1.0)), 1.0, 1e-4);
}

/* Bristles keep any deflection at rest: twelve eigenvalues of zero, most of which are no rigid body motions. */
static void zeros_of_bristles_are_explained(void **state)
{
    world *w = *state;
    char   text[600], *law;
    snprintf(text, sizeof text, "%s", block);
    law = strstr(text, "stick-slip, mu: 0.4, tangential_stiffness: 0.5 MN/m");
    assert_non_null(law);
    strcpy(law, "lugre, mu: 0.4}\n");
    FILE *f = fopen(path_of(w, "l.yaml"), "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
    assert_int_equal(run(w, "modes", "l.yaml"), 0);
    assert_non_null(strstr(w->err, "12 eigenvalues are zero. Some may not be rigid body motions: "
                                   "'table' has 24 states of its own"));
    assert_null(strstr(w->out, "almost no motion (rigid body motion)"));
    write_block(w);
    assert_int_equal(run(w, "modes", "b.yaml"), 0);
    assert_null(strstr(w->err, "eigenvalues are zero"));
}

static const char open_ball[] =
    "klingel: 1\nbodies: {b: {mass: 1, inertia: [0.01, 0.01, 0.01], position: [0, 0, "
    "%g]}}\njoints: {g: "
    "{type: translational, between: [ground, b], at: [0, 0, 0], axis: z}}\nforces: {lift: {type: "
    "force, on: b, "
    "axis: z, "
    "value: {table: [[0, 0], [1, 30]]}}}\ncontacts:\n"
    "  floor: {between: [ground, b], shapes: [plane, {sphere: 0.1}], law: linear, stiffness: 1e5}\n"
    "run: {end: 1%s}\nintegrator: {type: load-steps}\n";

/* Without inertia nothing holds a body over an open contact: at the start, or when a force lifts it at 9.81 N. */
static void load_steps_name_an_open_contact(void **state)
{
    static const struct {
        double      z;
        const char *start, *time;
    } cases[] = {{0.12, "", "at t = 0 s"},
                 {0.12, ", start: equilibrium", "at t = 0.32"},
                 {0.09999, "", "at t = 0.32"}};
    world *w  = *state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        FILE *f = fopen(path_of(w, "open.yaml"), "w");
        assert_non_null(f);
        fprintf(f, open_ball, cases[i].z, cases[i].start);
        fclose(f);
        assert_int_equal(run(w, "run", "open.yaml"), 3);
        const char *said = strstr(w->err, cases[i].time);
        if (!said) fail_msg("%s", w->err);
        assert_non_null(strstr(w->err, "open.yaml:6:3: at t"));
        assert_non_null(strstr(said, "contact 'floor' is open"));
        assert_non_null(strstr(said, "`run: {start: equilibrium}`"));
    }
}

static void write_ball(const world *w, const char *stiffness)
{
    FILE *f = fopen(path_of(w, "ball.yaml"), "w");
    assert_non_null(f);
    fprintf(f,
            "klingel: 1\n"
            "bodies:\n"
            "  ball: {mass: 1, inertia: [0.004, 0.004, 0.004], position: [0, 0, 0.1]}\n"
            "contacts:\n"
            "  soft: {between: [ball, ground], shapes: [{sphere: 0.05}, plane], law: linear, "
            "stiffness: 1e4}\n"
            "  floor: {between: [ball, ground], shapes: [{sphere: 0.1}, plane], law: linear, "
            "stiffness: %s}\n"
            "run: {end: 0.005, every: 0.005}\n"
            "integrator: {type: runge-kutta, tolerance: 1e-8}\n",
            stiffness);
    fclose(f);
}

/* A contact so stiff that steps last less than a microsecond is named, with a remedy; a softer one is not. */
static void a_contact_that_keeps_steps_short_is_named(void **state)
{
    world *w = *state;
    write_ball(w, "1e14");
    assert_int_equal(run(w, "run", "ball.yaml"), 0);
    const char *said = strstr(w->err, "'floor' keeps the steps at");
    assert_non_null(said);
    assert_non_null(strstr(said, "lower its `stiffness`"));
    assert_null(strstr(said + 20, "keeps the steps at")); /* once */
    assert_null(strstr(w->err, "'soft' keeps"));
    write_ball(w, "1e5");
    assert_int_equal(run(w, "run", "ball.yaml"), 0);
    assert_null(strstr(w->err, "keeps the steps"));
}

/* A contact on a row of nodes: the force on all of them, half of the load on each wheel. */
static void forces_on_nodes_are_summed(void **state)
{
    world *w = *state;
    assert_int_equal(
        run(w, "statics", KL_SOURCE_DIR "/examples/overhead-conveyor/model.yaml", "--set", "mu=0"),
        0);
    double      force[3] = {0};
    const char *ride     = strstr(w->out, "ride_left ");
    assert_non_null(ride);
    assert_int_equal(sscanf(ride, "ride_left force [%lf, %lf, %lf] N on its 41 nodes", force,
                            force + 1, force + 2),
                     3);
    assert_true(fabs(force[1] + 0.5 * 11772.0) < 1e-3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_block_on_a_table_has_an_equilibrium),
        CASE(a_roller_sinks_by_the_law_of_its_line),
        CASE(its_modes_include_the_stiffness_of_the_contact),
        CASE(zeros_of_bristles_are_explained),
        CASE(load_steps_name_an_open_contact),
        CASE(a_contact_that_keeps_steps_short_is_named),
        CASE(forces_on_nodes_are_summed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
