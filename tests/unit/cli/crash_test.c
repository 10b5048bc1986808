/* Runs with parts that are crushed: `klingel assess`, `klingel plot --energies` and the report beside closed
 * forms and the law of energy. */
#include "unit/cli/run_program.h"

#define WAGON KL_SOURCE_DIR "/examples/wagon-impact/model.yaml"
#define TRAIN KL_SOURCE_DIR "/examples/train-against-train/model.yaml"

static const double G = 9.80665;

/* The value of a quantity in the table that the last command printed; NaN: there is none. */
static double value_of(const world *w, const char *quantity)
{
    char   start[120];
    double value;
    snprintf(start, sizeof start, "\n%s,", quantity);
    const char *row = strstr(w->out, start);
    if (!row) return (double)NAN;
    row = strchr(row + strlen(start), ',');
    assert_int_equal(sscanf(row, ",%lf", &value), 1);
    return value;
}

/* 40 t at 15 m/s against 80 t at rest with 2 MN: 50 and 25 m/s2 for 0.2 s, 3 MJ of 4.5 MJ over 1.5 m */
static void a_wagon_runs_into_two(void **state)
{
    world *w = *state;
    assert_int_equal(run(w, "run", WAGON, "-q", "-o", "w.h5"), 0);
    assert_int_equal(run(w, "assess", "w.h5", "--csv"), 4); /* 5.1 g are more than 5 g */
    assert_close(value_of(w, "speed_runner.mean_deceleration"), 50.0 / G, 1e-3);
    assert_close(value_of(w, "speed_struck.mean_deceleration"), 25.0 / G, 1e-3);
    assert_close(value_of(w, "crush_m"), 1.5, 1e-4);
    assert_close(value_of(w, "part.kinetic_at_start"), 4500.0, 1e-3);
    assert_close(value_of(w, "part.crush"), 3000.0, 0.1);
    assert_close(value_of(w, "part.kinetic"), 1500.0, 0.1);
    assert_true(value_of(w, "energy_balance") < 1e-3);
    assert_says(w->out, "speed_runner.mean_deceleration,,5.09");
    assert_says(w->out, "exceeded");
}

/* What the summary of a run says was dissipated [J]. */
static double dissipated(world *w, const char *example, const char *end)
{
    char   path[1024];
    double value = 0.0;
    snprintf(path, sizeof path, "%s/examples/%s/model.yaml", KL_SOURCE_DIR, example);
    assert_int_equal(run(w, "run", path, "--end", end, "-o", "s.h5"), 0);
    const char *at = strstr(w->err, "energy dissipated ");
    assert_non_null(at);
    assert_int_equal(sscanf(at, "energy dissipated %lf J", &value), 1);
    return value;
}

/* Crushing of the wagon: 3 MJ less 20 J. The bar of 1 cm2 flows from 0.119 mm on at 250 to 260 MPa: of 0.5 mm at
 * 2 s 0.38 mm are plastic, about 9.6 J. */
static void summaries_count_what_yields(void **state)
{
    world *w = *state;
    assert_close(dissipated(w, "wagon-impact", "0.3"), 3e6 - 20.0, 20.0);
    assert_close(dissipated(w, "tension-bar", "2"), 9.6, 0.3);
}

/* Two cars against two: ribs keep the plates together, plain plates override. The parts add up to the energy
 * of the start. */
static void ribs_decide_on_overriding(void **state)
{
    world *w = *state;
    double over[2];
    for (int ribs = 0; ribs < 2; ribs++) {
        assert_int_equal(run(w, "run", TRAIN, "-q", "--set", "cars=2", "--set",
                             ribs ? "anti_climbers=1" : "anti_climbers=0", "--end", "0.4", "-o",
                             "t.h5"),
                         0);
        int code   = run(w, "assess", "t.h5", "--csv");
        over[ribs] = value_of(w, "overriding_m");
        assert_int_equal(code, over[ribs] > 100.0 ? 4 : 0);
        /* both trains alike; half of the kinetic energy is lost, most of it at the noses */
        assert_close(value_of(w, "speed_m2.mean_deceleration"),
                     value_of(w, "speed_s2.mean_deceleration"), 0.02);
        double inside = value_of(w, "energy_m1") + value_of(w, "energy_s1");
        assert_true(value_of(w, "energy_nose") > 2.0 * inside);
        assert_close(value_of(w, "energy_nose") + inside,
                     value_of(w, "part.crush") + value_of(w, "part.contact") +
                         fmax(0.0, value_of(w, "part.friction")),
                     1.0);
        assert_true(value_of(w, "crush_nose") > 0.4 && value_of(w, "crush_nose") < 0.7);
        assert_true(value_of(w, "survival_m.shortening") == 0.0);
        assert_true(value_of(w, "energy_balance") < 0.3);
    }
    print_message("overriding %.1f mm with ribs, %.1f mm without\n", over[1], over[0]);
    assert_true(over[0] > 4.0 * over[1]);
}

static void the_energies_are_drawn_one_upon_the_other(void **state)
{
    world      *w = *state;
    static char text[1 << 22];
    const char *words[] = {"kinetic", "crush zones", "energy [", NULL};
    assert_int_equal(run(w, "run", WAGON, "-q", "-o", "w.h5"), 0);
    assert_int_equal(run(w, "plot", "w.h5", "--energies", "-o", "e.svg"), 0);
    read_whole(path_of(w, "e.svg"), text, sizeof text);
    for (int i = 0; words[i]; i++) assert_says(text, words[i]);
    assert_int_equal(run(w, "plot", "w.h5", "--energies"), 0);
    assert_true(exists(w, "energies.svg"));
    assert_int_equal(run(w, "report", "w.h5", "-o", "w.html"), 0);
    read_whole(path_of(w, "w.html"), text, sizeof text);
    assert_says(text, "<h2>Energy by part</h2>");
    assert_says(text, "<td>crush zones</td><td class=\"n\">3000</td><td class=\"n\">66.7</td>");
    assert_says(text, "<path class=\"area\"");
    assert_says(text, "Evaluated in the manner of EN 15227");
}

static void what_cannot_be_shown_names_the_remedy(void **state)
{
    world *w = *state;
    assert_int_equal(run(w, "run", WAGON, "-q", "--end", "0.1", "-o", "w.h5"), 0);
    assert_int_equal(run(w, "assess", "w.h5"), 1);
    assert_says(w->err, "shorter than the window of the mean deceleration");
    assert_int_equal(run(w, "plot", "w.h5", "w.h5", "--energies"), 2);
    assert_says(w->err, "--energies shows all energies of one results file; remove 'w.h5'");
    assert_int_equal(run(w, "plot", "w.h5", "--energies", "--psd"), 2);
    assert_says(w->err, "give only one of");
    write_pendulum(w, "p.h5", 1.0, "complete");
    assert_int_equal(run(w, "plot", "p.h5", "--energies", "-o", "p.svg"), 2);
    assert_says(w->err, "energy.kinetic");
}

/* A load of arc-length that no force uses */
static void a_load_that_moves_nothing_is_told(void **state)
{
    world      *w = *state;
    const char *text =
        "klingel: 1\ngravity: 0\ninputs: {P: {unit: N, value: 0}}\n"
        "bodies: {a: {mass: 1, inertia: [1, 1, 1], position: [1, 0, 0]}}\n"
        "joints: {rail: {type: translational, between: [ground, a], at: [1, 0, 0], axis: x}}\n"
        "forces: {hold: {type: spring-damper, between: [ground, a], at: [[0, 0, 0], [1, 0, 0]], "
        "stiffness: 1}}\n"
        "integrator: {type: arc-length, control: P, load_step: 1 N}\n";
    FILE *f = fopen(path_of(w, "a.yaml"), "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
    assert_int_equal(run(w, "run", "a.yaml", "-q"), 1);
    assert_says(w->err, "the load `P` of arc-length moves nothing");
    assert_says(w->err, "`value: {input: P}`");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_wagon_runs_into_two),
        CASE(summaries_count_what_yields),
        CASE(ribs_decide_on_overriding),
        CASE(the_energies_are_drawn_one_upon_the_other),
        CASE(what_cannot_be_shown_names_the_remedy),
        CASE(a_load_that_moves_nothing_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
