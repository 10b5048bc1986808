/* The analyses and parameter studies as a user calls them. */
#include "unit/cli/run_program.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

#include "results/modes_file.h"

static const char carter[] = KL_SOURCE_DIR "/examples/carter-wheelset/model.yaml";

static void write_text(const world *w, const char *name, const char *text)
{
    FILE *f = fopen(path_of(w, name), "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static void modes_deform_flexible_bodies(void **state)
{
    world         *w = *state;
    kl_modes_scene s;
    kl_arena      *arena = kl_arena_create();
    kl_diag       *diag  = kl_diag_create();
    assert_int_equal(
        run(w, "modes", KL_SOURCE_DIR "/examples/overhanging-beam/model.yaml", "-o", "modes.h5"),
        0);
    assert_int_equal(kl_modes_scene_read(path_of(w, "modes.h5"), arena, diag, &s), KL_OK);
    assert_int_equal(s.nskin, 1);
    assert_int_equal(s.skin[0].n, 2);
    assert_non_null(strstr(s.skin[0].head, "\"body\": \"beam\""));
    /* simply supported modes: the lowest is the first of the file, and its frame stays */
    const double *rest = s.skin[0].modal, *re = rest + 2, *im = rest + 4;
    double        first = hypot(re[0], im[0]), second = hypot(re[1], im[1]);
    assert_true(first > 1e-3 && second < 1e-3 * first);
    assert_true(fabs(rest[0]) > 0.0); /* the load bends it where it rests */
    for (int k = 0; k < 12; k++) assert_close(s.motion[12 + k], 0.0, 1e-6 * first);
    assert_int_equal(run(w, "view", "modes.h5", "-o", "modes.html", "--no-open"), 0);
    enum { PAGE = 1 << 22 };
    char *page = malloc(PAGE);
    assert_non_null(page);
    read_whole(path_of(w, "modes.html"), page, PAGE);
    assert_non_null(strstr(page, "id=\"k0-skin0\""));
    free(page);
    kl_diag_destroy(diag);
    kl_arena_destroy(arena);
}

/* The page of a vehicle's modes shows the rails that it runs on. */
static void modes_keep_the_track(void **state)
{
    world         *w = *state;
    kl_modes_scene s;
    kl_arena      *arena = kl_arena_create();
    kl_diag       *diag  = kl_diag_create();
    assert_int_equal(
        run(w, "modes", KL_SOURCE_DIR "/examples/light-rail-vehicle/model.yaml", "-o", "modes.h5"),
        0);
    assert_int_equal(kl_modes_scene_read(path_of(w, "modes.h5"), arena, diag, &s), KL_OK);
    assert_int_equal(s.ntrack, 1); /* of the two of the model the one that the vehicle follows */
    assert_close(s.track[0].gauge, 1.435, 0.1);
    kl_diag_destroy(diag);
    kl_arena_destroy(arena);
}

static void modes_prints_one_line_an_eigenvalue(void **state)
{
    world *w = *state;
    assert_int_equal(run(w, "modes", carter, "--csv", "--set", "speed=80"), 0);
    assert_int_equal(strncmp(w->out, "real,imag,frequency_hz,damping_ratio\n", 37), 0);
    double re, im;
    assert_int_equal(sscanf(w->out + 37, "%lf,%lf", &re, &im), 2);
    assert_close(re, 1.43417057, 1e-6);
    assert_close(im, 44.87468444, 1e-5);
    int lines = 0;
    for (const char *p = w->out; *p; p++) lines += *p == '\n';
    assert_int_equal(lines, 5);
}

static void locus_finds_the_critical_speed(void **state)
{
    world *w = *state;
    assert_int_equal(run(w, "locus", carter, "--over", "speed=50:100:6"), 0);
    const char *at = strstr(w->out, "crossing: speed = ");
    assert_non_null(at);
    assert_close(atof(at + 18), 74.2595211369, 1e-6);
    assert_says(w->out, "becomes unstable");
    assert_int_equal(run(w, "locus", carter, "--over", "speed=50:100"), 2);
    assert_says(w->err, "NAME=FROM:TO:COUNT");
    assert_int_equal(run(w, "locus", carter, "--over", "sped=50:100:3"), 1);
}

/* Reference vehicles-nonlinear, case C4: at 67.9629707 m/s the unstable cycle has 5.4 mm, 6.84779401 Hz
 * and a multiplier of 2.0566 a period. */
static void critical_speed_finds_unstable_limit_cycles(void **state)
{
    world      *w     = *state;
    const char *model = KL_SOURCE_DIR "/examples/hunting-limit-cycle/model.yaml";
    assert_int_equal(run(w, "critical-speed", model, "--from", "67.9", "--to", "67.9629707",
                         "--step", "0.2", "--settle", "4", "--start", "y0"),
                     0);
    const char *at = strstr(w->out, "unstable");
    assert_non_null(at);
    assert_close(atof(at + 8), 67.963, 1e-3);
    at = strstr(at, "m/s");
    assert_close(atof(at + 3), 6.84779401, 3e-3);
    at = strstr(at, "amplitude");
    assert_close(atof(at + 9), 5.4, 0.01);
    at = strstr(at, "multiplier");
    assert_close(atof(at + 10), 2.0566, 0.03);
}

/* Carter's wheelset once more, now running along the track with a frame: a steady motion, in which
 * the linear equations are the same. */
static void a_wheelset_that_runs_has_the_same_critical_speed(void **state)
{
    world *w = *state;
    write_text(
        w, "running.yaml",
        "klingel: 1\nparameters: {speed: 70 m/s}\ngravity: [0, 0, 0]\nbodies:\n"
        "  frame: {mass: 1000 kg, inertia: [1, 1, 1], velocity: [speed, 0, 0]}\n"
        "  wheelset: {mass: 1250 kg, inertia: [700, 115, 700], velocity: [speed, 0, 0]}\n"
        "joints:\n"
        "  line: {type: translational, between: [ground, frame], at: [0, 0, 0], axis: x}\n"
        "  tie: {type: point-on-plane, between: [frame, wheelset], at: [0, 0, 0], axis: x}\n"
        "  track: {type: planar, between: [ground, wheelset], at: [0, 0, 0], axis: z}\n"
        "forces:\n"
        "  rails: {type: linear-creep, between: [frame, wheelset], at: [0, 0, 0], f11: 7.44 MN,\n"
        "    f22: 6.79 MN, conicity: 0.1174, radius: 0.45, half_gauge: 0.7452, speed: speed}\n"
        "  suspension: {type: bushing, between: [frame, wheelset], at: [0, 0, 0],\n"
        "    stiffness: [0, 0.23 MN/m, 0, 0, 0, 2.5 MN m/rad]}\n"
        "run: {end: 1}\n");
    assert_int_equal(run(w, "locus", "running.yaml", "--over", "speed=50:100:3"), 0);
    const char *at = strstr(w->out, "crossing: speed = ");
    assert_non_null(at);
    assert_close(atof(at + 18), 74.2595211369, 1e-6);
}

static void linear_model_is_written_in_both_formats(void **state)
{
    world *w = *state;
    assert_int_equal(run(w, "modes", carter, "-o", "linear.h5"), 0);
    assert_int_equal(run(w, "modes", carter, "-o", "linear.mat", "--animate", "mode.h5"), 0);
    assert_true(exists(w, "linear.h5") && exists(w, "linear.mat"));
    assert_int_equal(run(w, "export", "mode.h5"), 0);
    assert_int_equal(strncmp(w->out, "time,y_m,psi_rad\n", 17), 0);
}

static void statics_kinematics_and_inverse_print_tables(void **state)
{
    world     *w          = *state;
    const char four_bar[] = KL_SOURCE_DIR "/examples/driven-four-bar/model.yaml";
    assert_int_equal(run(w, "statics", KL_SOURCE_DIR "/examples/double-pendulum/model.yaml",
                         "--csv", "-o", "rest.h5"),
                     0);
    assert_says(w->out, "channel,value,unit\n");
    assert_true(exists(w, "rest.h5"));
    assert_int_equal(run(w, "kinematics", four_bar, "--csv", "-o", "motion.h5"), 0);
    assert_int_equal(strncmp(w->out, "time,crank_rad,rocker_rad,torque_Nm\n", 36), 0);
    assert_says(w->err, "dead point at t = ");
    assert_int_equal(run(w, "inverse", four_bar, "--csv"), 0);
    assert_says(w->out, "drive.effort");
    assert_int_equal(run(w, "kinematics", carter), 1);
    assert_says(w->err, "needs a driver for every degree of freedom");
}

static void summaries_print_rounding_errors_as_zero(void **state)
{
    world *w = *state;
    write_text(w, "wiper.yaml",
               "klingel: 1\nbodies:\n"
               "  crank: {mass: 0.3, inertia: [1e-4, 1e-4, 1e-4]}\n"
               "  rod: {mass: 0.4, inertia: [1e-5, 3e-3, 3e-3], position: [0.15, 0, 0]}\n"
               "  wiper: {mass: 0.8, inertia: [0.02, 0.001, 0.02], position: [0.29, 0, 0]}\n"
               "joints:\n"
               "  motor: {type: revolute, between: [ground, crank], at: [0, 0, 0], axis: z}\n"
               "  pin: {type: revolute, between: [crank, rod], at: [0.05, 0, 0], axis: z}\n"
               "  ball: {type: spherical, between: [rod, wiper], at: [0.29, 0.1, 0]}\n"
               "  pivot: {type: revolute, between: [ground, wiper], at: [0.29, 0, 0], axis: z}\n"
               "  drive: {type: driver, of: motor, value: {polynomial: [0, 5]}}\n"
               "run: {end: 2, every: 0.01}\n");
    assert_int_equal(run(w, "inverse", "wiper.yaml"), 0);
    assert_says(w->out, "drive.effort");
    for (const char *at = w->out; (at = strstr(at, "e-")) != NULL; at++)
        if (at[2] >= '1' && at[2] <= '9' && at[3] >= '0' && at[3] <= '9')
            fail_msg("a rounding error was printed: %.30s", at - 12);
}

static const char model[] =
    "klingel: 1\n"
    "parameters: {k: 100 N/m, c: 2 N s/m}\n"
    "bodies:\n"
    "  load: {mass: 1, inertia: [1, 1, 1]}\n"
    "joints:\n"
    "  guide: {type: translational, between: [ground, load], at: [0, 0, 0], "
    "axis: z}\n"
    "forces:\n"
    "  strut: {type: slide-spring-damper, of: guide, stiffness: k, damping: c}\n"
    "outputs:\n"
    "  z: {of: load, quantity: position.z}\n"
    "run: {end: 1, every: 0.01}\n";
static const char study[] = "model: model.yaml\n"
                            "method: latin-hypercube\n"
                            "samples: 200\n"
                            "seed: 3\n"
                            "parameters:\n"
                            "  k: {from: 50 N/m, to: 500 N/m}\n"
                            "  c: {from: 0 N s/m, to: 5 N s/m}\n"
                            "results:\n"
                            "  lowest: {of: z, take: min}\n"
                            "  rms: {of: z, take: rms}\n"
                            "  end: z\n";

static char *whole_file(const world *w, const char *name)
{
    char *text = calloc(1, 1 << 17);
    assert_non_null(text);
    read_whole(path_of(w, name), text, 1 << 17);
    return text;
}

static int lines_of(const world *w, const char *name)
{
    char *text = whole_file(w, name);
    int   n    = 0;
    for (const char *p = text; *p; p++) n += *p == '\n';
    free(text);
    return n;
}

static void table_is_the_same_for_one_and_two_workers_and_after_a_kill(void **state)
{
    world *w = *state;
    write_text(w, "model.yaml", model);
    write_text(w, "study.yaml", study);
    assert_int_equal(run(w, "sweep", "study.yaml", "-o", "one.csv", "--workers", "1"), 0);
    assert_int_equal(run(w, "sweep", "study.yaml", "-o", "two.csv", "--workers", "2"), 0);
    char *one = whole_file(w, "one.csv"), *two = whole_file(w, "two.csv");
    assert_int_equal(strncmp(one, "run,k,c,lowest,rms,end,status\n", 30), 0);
    assert_int_equal(lines_of(w, "one.csv"), 201);
    assert_null(strstr(one, "nan"));
    assert_string_equal(one, two);

    /* killed when some runs are there: its workers end too, and it can be started again */
    pid_t child = fork();
    if (child == 0) {
        if (chdir(w->folder) != 0) _exit(126);
        execl(KL_PROGRAM, "klingel", "sweep", "study.yaml", "-o", "cut.csv", "-q", "-j", "2",
              (char *)NULL);
        _exit(127);
    }
    for (int k = 0; k < 5000 && lines_of(w, "cut.csv.part") < 20; k++)
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    for (int before = 0; before < lines_of(w, "cut.csv.part");
         nanosleep(&(struct timespec){.tv_nsec = 300000000}, NULL))
        before = lines_of(w, "cut.csv.part");
    assert_false(exists(w, "cut.csv"));
    assert_in_range(lines_of(w, "cut.csv.part"), 20, 180);
    assert_int_equal(run(w, "sweep", "study.yaml", "-o", "cut.csv"), 0);
    assert_says(w->err, "runs are already done");
    char *cut = whole_file(w, "cut.csv");
    assert_string_equal(one, cut);
    assert_false(exists(w, "cut.csv.part"));
    free(one), free(two), free(cut);
}

/* Two parameters: one line for each value of the one that is not the axis, and a panel for each result. */
static void a_figure_of_a_grid_has_a_line_for_each_value(void **state)
{
    world *w = *state;
    write_text(w, "fall.yaml",
               "klingel: 1\ngravity: [0, 0, -9.81]\nparameters: {L: 1 m, m: 1 kg}\n"
               "bodies: {bob: {type: point, mass: m, position: [0, 0, L]}}\nrun: {end: 0.1 s}\n");
    write_text(w, "g.yaml",
               "model: fall.yaml\nanalysis: run\nmethod: grid\nend: 0.1 s\n"
               "parameters: {L: [0.5 m, 1 m, 2 m], m: [1 kg, 2 kg]}\n"
               "results:\n  low: {of: energy.total, take: min}\n"
               "  high: {of: energy.total, take: max}\n");
    assert_int_equal(
        run(w, "sweep", "g.yaml", "-o", "g.csv", "-q", "--figure", "g.svg", "--x", "L"), 0);
    char *text = whole_file(w, "g.svg");
    assert_non_null(strstr(text, "m 1 kg"));
    assert_non_null(strstr(text, "m 2 kg"));
    assert_non_null(strstr(text, ">high<"));
    assert_null(strstr(text, "L 0.5 m"));
    free(text);
}

/* Values of one parameter may have units of the same dimension, words are values too, and the table has the
 * numbers as one would write them. */
static void values_of_a_study_are_units_and_words(void **state)
{
    world *w = *state;
    char   text[2000];
    write_text(w, "fall.yaml",
               "klingel: 1\ngravity: [0, 0, -10]\nparameters: {L: 1 m, heavy: false}\n"
               "bodies: {bob: {type: point, mass: \"if(heavy == true, 2 kg, 1 kg)\", position: [0, "
               "0, L]}}\n"
               "run: {end: 0.1 s}\n");
    write_text(w, "g.yaml",
               "model: fall.yaml\nmethod: grid\nend: 0.1 s\n"
               "parameters: {L: {from: 100 mm, to: 1.5 m, count: 8}, heavy: [true, false]}\n"
               "results: {E: {of: energy.total, take: last}}\n");
    assert_int_equal(run(w, "sweep", "g.yaml", "-o", "g.csv", "-q"), 0);
    read_whole(path_of(w, "g.csv"), text, sizeof text);
    print_message("%s", text);
    assert_says(text, "run,L,heavy,E,status\n1,100,true,");
    assert_says(text, "\n7,700,true,");
    assert_says(text, "\n16,1500,false,");
    const char *row[2] = {strstr(text, "\n7,700,true,"), strstr(text, "\n8,700,false,")};
    double      E[2];
    for (int i = 0; i < 2; i++) assert_int_equal(sscanf(row[i], "\n%*d,700,%*[a-z],%lf", &E[i]), 1);
    assert_close(E[0] / E[1], 2.0, 1e-9);
    assert_close(E[1], 1.0 * 10.0 * 0.7, 1e-9);
    write_text(w, "g.yaml",
               "model: fall.yaml\nparameters: {L: [100 mm, 1.5 s]}\n"
               "results: {E: {of: energy.total, take: last}}\n");
    assert_int_equal(run(w, "sweep", "g.yaml"), 1);
    assert_says(w->err,
                "g.yaml:2:26: all values of a parameter must have units of the same dimension");
}

/* A row of an assessed study is what `klingel assess` says of that run. */
static void an_assessed_study_has_the_figures_of_assess(void **state)
{
    world      *w = *state;
    double      table[3], single[2];
    const char *row;
    write_text(w, "s.yaml",
               "model: " KL_SOURCE_DIR "/examples/manchester-coach/model.yaml\n"
               "analysis: assess\nset: {conicity: 0.1, gust: 10 kN}\n"
               "parameters: {speed: [60 m/s]}\n"
               "results:\n  worst: {take: utilisation}\n"
               "  sum_Y: {of: straight.sum_Y_2m, take: value}\n");
    assert_int_equal(run(w, "sweep", "s.yaml", "-o", "s.csv", "-q", "--figure", "s.svg"), 0);
    char text[4000];
    read_whole(path_of(w, "s.svg"), text, sizeof text);
    assert_says(text, "<svg");
    read_whole(path_of(w, "s.csv"), text, sizeof text);
    row = strchr(text, '\n') + 1;
    assert_int_equal(sscanf(row, "1,%lf,%lf,%lf,ok", &table[0], &table[1], &table[2]), 3);
    assert_int_equal(run(w, "run", KL_SOURCE_DIR "/examples/manchester-coach/model.yaml", "-q",
                         "--set", "speed=60", "--set", "conicity=0.1", "--set", "gust=10kN", "-o",
                         "s.h5"),
                     0);
    assert_int_equal(run(w, "assess", "s.h5", "--csv"), 0);
    row = strstr(w->out, "straight.sum_Y_2m,");
    assert_non_null(row);
    assert_int_equal(sscanf(row, "straight.sum_Y_2m,%lf,%lf", &single[0], &single[1]), 2);
    assert_close(table[2], single[1], 1e-6 * single[1]);
    assert_true(table[1] > 0.1 && table[1] < 1.0);
}

static void mistakes_in_an_assessed_study_name_the_remedy(void **state)
{
    world *w = *state;
    write_text(
        w, "s.yaml",
        "model: " KL_SOURCE_DIR "/examples/manchester-coach/model.yaml\n"
        "analysis: assess\nparameters: {speed: [60 m/s]}\nresults: {a: {take: max, of: x}}\n");
    assert_int_equal(run(w, "sweep", "s.yaml"), 1);
    assert_says(w->err, "s.yaml:4:");
    assert_says(w->err, "value and utilisation need `analysis: assess`");
    write_text(w, "s.yaml",
               "model: " KL_SOURCE_DIR "/examples/manchester-coach/model.yaml\n"
               "analysis: assess\nset: {law: [linear, polach]}\n"
               "parameters: {speed: [60 m/s]}\nresults: {a: {take: utilisation}}\n");
    assert_int_equal(run(w, "sweep", "s.yaml"), 1);
}

static void mistakes_in_a_study_are_told_with_their_places(void **state)
{
    world *w = *state;
    write_text(w, "model.yaml", model);
    write_text(w, "bad.yaml",
               "model: model.yaml\nmethod: gird\nparameters: {k: {from: 1 N/m, to: 2 "
               "kg}}\nresults: {a: {of: z, take: maximum}}\n");
    assert_int_equal(run(w, "sweep", "bad.yaml"), 1);
    assert_says(w->err, "bad.yaml:2:");
    assert_says(w->err, "did you mean `grid`?");
    assert_says(w->err, "must have units of the same dimension");
    write_text(w, "bad.yaml",
               "model: model.yaml\nparameters: {k: [1 N/m]}\nresults: {a: {of: zz}}\n");
    assert_int_equal(run(w, "sweep", "bad.yaml"), 1);
    assert_says(w->err, "there is no channel `zz`");
    write_text(
        w, "bad.yaml",
        "model: model.yaml\nanalysis: motion\nparameters: {k: [1 N/m]}\nresults: {k: {of: z}}\n");
    assert_int_equal(run(w, "sweep", "bad.yaml"), 1);
    assert_says(w->err, "one of run, modes, statics");
    assert_says(w->err, "has the name of a parameter");
    assert_false(exists(w, "bad.csv"));
}

/* The overdamped load creeps to m g/k: `set`, `end` and `from` count only its end, which is the sag of each
 * spring, and the figure names both axes. */
static void a_study_sets_parameters_and_takes_the_end_of_runs(void **state)
{
    world *w = *state;
    write_text(w, "model.yaml", model);
    write_text(w, "sag.yaml",
               "model: model.yaml\nset: {c: 100 N s/m}\nend: 20\nparameters: {k: [50 N/m, 100 "
               "N/m]}\nresults: {sag: {of: z, take: mean, from: 19}}\n");
    assert_int_equal(
        run(w, "sweep", "sag.yaml", "-o", "sag.csv", "--figure", "sag.svg", "--workers", "1"), 0);
    char  *table = whole_file(w, "sag.csv"), *figure = whole_file(w, "sag.svg");
    double k[2], sag[2];
    assert_int_equal(sscanf(table, "run,k,sag,status\n1,%lf,%lf,ok\n2,%lf,%lf,ok", &k[0], &sag[0],
                            &k[1], &sag[1]),
                     4);
    for (int i = 0; i < 2; i++) assert_close(sag[i], -9.80665 / k[i], 1e-3);
    assert_non_null(strstr(figure, "sag"));
    free(table), free(figure);
    write_text(w, "sag.yaml",
               "model: model.yaml\nset: {c: [1, 2]}\nparameters: {k: [50 N/m]}\nresults: {a: {of: "
               "z}}\n");
    assert_int_equal(run(w, "sweep", "sag.yaml", "-o", "sag.csv"), 1);
    assert_int_equal(run(w, "sweep", "sag.yaml", "--figure", "sag.txt"), 2);
}

static void a_run_that_fails_says_why_in_the_table(void **state)
{
    world *w = *state;
    write_text(w, "model.yaml", model);
    write_text(w, "some.yaml",
               "model: model.yaml\nparameters: {k: [10 N/m, -1e9 N/m]}\nresults: {a: {of: z}}\n");
    assert_int_equal(run(w, "sweep", "some.yaml", "-o", "some.csv"), 0);
    assert_says(w->err, "1 of them failed");
    char  line[4096] = "";
    FILE *f          = fopen(path_of(w, "some.csv"), "r");
    assert_non_null(f);
    for (int i = 0; i < 3; i++) assert_non_null(fgets(line, sizeof line, f));
    fclose(f);
    assert_non_null(strstr(line, ",nan,"));
    int commas = 0;
    for (const char *c = line; *c; c++) commas += *c == ',';
    assert_int_equal(commas, 3);
    assert_true(strlen(strrchr(line, ',')) > 40);
}

static void analyses_say_what_is_wrong_before_they_print(void **state)
{
    world *w = *state;
    assert_int_not_equal(run(w, "locus", carter, "--over", "sped=1:2:3"), 0);
    assert_string_equal(w->out, "");
    assert_says(w->err, "--over: there is no parameter `sped`; parameters are m, ");
    assert_int_not_equal(run(w, "modes", carter, "-o", "/nowhere/at/all.h5"), 0);
    assert_says(w->err, "there is no such file or folder");
    write_text(
        w, "table.yaml",
        "klingel: 1\nbodies: {car: {mass: 100 kg, inertia: [10, 10, 10]}}\nforces:\n"
        "  mount: {type: bushing, between: [ground, car], at: [0, 0, 0], stiffness: [1e5, 1e5, "
        "1e5, 1e3, 1e3, 1e3]}\n");
    assert_int_equal(run(w, "statics", "table.yaml", "--preload"), 0);
    assert_says(w->out, "mount: {preload: [0 N, 0 N, -981 N, 0 N m, 0 N m, 0 N m]}");
}

/* Undamped: the real part is zero on one side and a root on the other. Ziegler's column would do as
 * well; a rod on a torsion spring falls where k = m g l. */
/* however many parameters are changed beside */
static void locus_takes_as_many_settings_as_are_given(void **state)
{
    world      *w         = *state;
    const char *many[160] = {"locus", carter, "--over", "speed=50:100:3"};
    for (int i = 0; i < 70; i++) many[4 + 2 * i] = "--set", many[5 + 2 * i] = "m=1250kg";
    assert_int_equal(run_with(w, NULL, many), 0);
    assert_says(w->out, "crossing: speed = 74.2595");
}

static void locus_is_exact_where_undamped_eigenvalues_meet(void **state)
{
    world *w = *state;
    for (int count = 2; count < 8; count += 3) {
        char over[40];
        snprintf(over, sizeof over, "k=4:6.1:%d", count);
        write_text(w, "rod.yaml",
                   "klingel: 1\nparameters: {k: 4 N m/rad}\nbodies: {r: {mass: 1, inertia: [0.08, "
                   "0.08, 0.001], position: [0, 0, 0.5]}}\njoints: {h: {type: revolute, between: "
                   "[ground, r], at: [0, 0, 0], axis: y}}\n"
                   "forces: {t: {type: rotational-spring-damper, of: h, stiffness: k}}\n");
        assert_int_equal(run(w, "locus", "rod.yaml", "--over", over), 0);
        const char *found = strstr(w->out, "crossing: k = ");
        assert_non_null(found);
        assert_close(strtod(found + 14, NULL), 0.5 * 9.81, 1e-6);
    }
    assert_int_equal(run(w, "locus", "rod.yaml", "--over", "k=6:7:2"), 0);
    assert_says(w->out, "at all 2 values");
}

/* A steel column of 1 m x 20 x 10 mm, clamped below, with a load P above that keeps its direction or
 * follows. */
static void write_column(world *w, double damping, bool follows)
{
    char text[1200];
    snprintf(
        text, sizeof text,
        "klingel: 1\ngravity: 0\nparameters: {P: 500 N}\nbodies: {column: {type: flexible, "
        "stiffening: true, damping: %g, file: {mesh: {line: [[0, 0, 0], [0, 0, 1 m]], parts: 20}, "
        "materials: {steel: {E: 210 GPa, nu: 0.3, density: 7850 kg/m3}}, sections: {line: "
        "{material: steel, section: rectangle, width: 10 mm, height: 20 mm, orientation: [0, 1, "
        "0]}}, modes: 12, reference: {foot: all}, stiffening: yes, markers: {foot: {at: [0, 0, "
        "0]}, top: {at: [0, 0, 1 m]}}}}}\n"
        "joints: {clamp: {type: fixed, between: [ground, column.foot]}}\n"
        "forces: {load: {type: force, on: column.top, axis: -z, value: P, follows: %s}}\n",
        damping, follows ? "true" : "false");
    write_text(w, "column.yaml", text);
}

/* A clamped column under its load: pi^2 EI/(4 L^2) in its two planes. At these loads nothing holds it, so
 * that there is no equilibrium to be found; damped or not. */
static void locus_finds_the_loads_of_euler(void **state)
{
    world *w = *state;
    for (int damped = 0; damped < 2; damped++) {
        write_column(w, 0.01 * damped, false);
        assert_int_equal(run(w, "locus", "column.yaml", "--over", "P=0:4000:9"), 0);
        const char *found = w->out;
        double      euler = 9.8696044011 * 210e9 * (0.02 * 1e-6 / 12.0) / 4.0;
        for (int k = 0; k < 2; k++, euler *= 4.0) {
            found = strstr(found, "crossing: P = ");
            assert_non_null(found);
            found += 14;
            assert_close(strtod(found, NULL), euler, 5e-4 * euler);
        }
    }
}

/* Beck's column under a load that follows it: 20.05 EI/L^2, where two frequencies meet at 11.02
 * sqrt(EI/(m L^4)); shear makes it a little less. */
static void locus_names_the_frequency_of_flutter(void **state)
{
    world *w = *state;
    write_column(w, 0.0, true);
    assert_int_equal(run(w, "locus", "column.yaml", "--over", "P=3000:9000:7"), 0);
    double      EI = 210e9 * 0.02 * 1e-6 / 12.0, unit = sqrt(EI / (7850 * 2e-4)) / (2 * 3.14159265);
    const char *found = strstr(w->out, "crossing: P = "),
               *at    = found ? strstr(found, " i, ") : NULL;
    assert_non_null(at);
    assert_close(strtod(found + 14, NULL), 20.05 * EI, 2e-3 * 20.05 * EI);
    assert_close(strtod(at + 4, NULL), 11.02 * unit, 5e-3 * 11.02 * unit);
}

/* A pendulum on an arm that a driver turns, or swings from rest: nothing is in equilibrium as long as the
 * driver moves. */
static void modes_name_the_driver_that_moves(void **state)
{
    static const char *const values[] = {"10 rad/s * t", "1 rad * (1 - cos(3 rad/s * t))"};
    world                   *w        = *state;
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        char text[800];
        snprintf(text, sizeof text,
                 "klingel: 1\nbodies:\n  arm: {mass: 1 kg, inertia: [0.1, 0.1, 0.1], position: "
                 "[0.5, 0, 0]}\n  bob: {mass: 1 kg, inertia: [0.1, 0.1, 0.1], position: [1.5, 0, "
                 "0]}\njoints:\n  hinge: {type: revolute, between: [ground, arm], at: [0, 0, 0], "
                 "axis: y}\n  knee: {type: revolute, between: [arm, bob], at: [1, 0, 0], axis: "
                 "y}\n  motor: {type: driver, of: hinge, value: {expression: \"%s\"}}\n",
                 values[i]);
        write_text(w, "driven.yaml", text);
        assert_int_not_equal(run(w, "modes", "driven.yaml"), 0);
        assert_says(w->err, "driven.yaml:8:3: no equilibrium was found, because driver 'motor' "
                            "moves the mechanism: '");
        assert_says(w->err, "`klingel modes --rest`");
        assert_int_equal(run(w, "modes", "driven.yaml", "--rest"), 0);
        assert_int_equal(run(w, "statics", "driven.yaml"), 0);
        assert_int_not_equal(run(w, "statics", "driven.yaml", "--moving"), 0);
        assert_says(w->err, "because driver 'motor' moves the mechanism");
    }
}

/* Modes that cannot bend between two clamps: told by the run itself, not by `check` alone. */
static void a_run_tells_what_no_mode_can_follow(void **state)
{
    world *w = *state;
    write_text(
        w, "clamps.yaml",
        "klingel: 1\nbodies: {b: {type: flexible, modes: 2, file: {mesh: {line: [[0, 0, 0], "
        "[1 m, 0, 0]], parts: 10}, materials: {steel: {E: 210 GPa, nu: 0.3, density: 7850 "
        "kg/m3}}, sections: {line: {material: steel, section: rectangle, width: 20 mm, "
        "height: 10 mm, orientation: [0, 1, 0]}}, modes: 4, markers: {root: {at: [0, 0, 0]}, "
        "tip: {at: [1, 0, 0]}}}}}\njoints:\n  a: {type: fixed, between: [ground, b.root]}\n"
        "  c: {type: fixed, between: [ground, b.tip]}\nrun: {end: 0.01, every: 0.01}\n");
    assert_int_equal(run(w, "run", "clamps.yaml"), 0);
    assert_says(w->err, "no mode of 'b' can follow");
    assert_says(w->err, "(to bend it)");
}

/* Joints carry the whole load and nothing weighs: rounding is no residual_acceleration. */
static void loads_that_joints_carry_are_in_equilibrium_without_gravity(void **state)
{
    static const char *const loads[] = {"P=0.3", "P=0.6", "P=123.4", "P=1e-6", "P=1e6"};
    world                   *w       = *state;
    write_text(
        w, "pin.yaml",
        "klingel: 1\nparameters: {P: 1 N}\ngravity: [0, 0, 0]\nbodies: {a: {mass: 2, inertia: "
        "[0.01, 0.1, 0.1], position: [1, 0, 0]}}\njoints: {A: {type: revolute, between: "
        "[ground, a], at: [0, 0, 0], axis: z}}\nforces:\n  ta: {type: "
        "rotational-spring-damper, of: A, stiffness: 10}\n  p: {type: force, on: a, at: [2, "
        "0, 0], axis: -x, value: P, follows: true}\n");
    for (int i = 0; i < 5; i++)
        if (run(w, "statics", "pin.yaml", "--set", loads[i]) != 0)
            fail_msg("%s: %s", loads[i], w->err);
    write_text(w, "clamped.yaml",
               "klingel: 1\ngravity: [0, 0, 0]\nbodies: {a: {mass: 2, inertia: [1, 1, 1]}}\n"
               "joints: {A: {type: fixed, between: [ground, a], at: [0.3, 0, 0]}}\n"
               "forces: {p: {type: force, on: a, at: [0.7, 0.1, 0], axis: z, value: 0.3}}\n");
    assert_int_equal(run(w, "statics", "clamped.yaml"), 0);
}

/* Markers on nodes of beams, named in a list, get static modes for turning too: a clamp at one end
 * and a load at the other bend the beam as F L^3 / (3 E I) says, with shear F L / (k G A). */
static void interfaces_in_a_list_follow_a_clamp(void **state)
{
    world *w = *state;
    write_text(
        w, "beam.yaml",
        "title: beam\nmesh: {line: [[0, 0, 0], [1 m, 0, 0]], parts: 10}\n"
        "materials: {steel: {E: 210 GPa, nu: 0.3, density: 7850 kg/m3}}\n"
        "sections: {line: {material: steel, section: rectangle, width: 20 mm, height: 30 mm, "
        "orientation: [0, 1, 0]}}\nmodes: 4\nreference: mean-axis\nstatics: attachment\n"
        "interfaces: [root, tip]\nmarkers: {root: {at: [0, 0, 0]}, tip: {at: [1, 0, 0]}}\n");
    write_text(w, "m.yaml",
               "klingel: 1\ngravity: 0\nbodies: {beam: {type: flexible, file: beam.yaml}}\n"
               "joints: {clamp: {type: fixed, between: [ground, beam.root]}}\n"
               "forces: {load: {type: force, on: beam.tip, axis: z, value: -10}}\n"
               "outputs: {tip: {of: beam, point: [1, 0, 0], quantity: position.z}}\n"
               "run: {start: equilibrium, end: 1e-3, every: 1e-3}\n");
    assert_int_equal(run(w, "run", "m.yaml", "-q", "-o", "m.h5"), 0);
    assert_int_equal(run(w, "export", "m.h5", "tip"), 0);
    double E = 210e9, G = E / 2.6, b = 0.02, h = 0.03, I = b * h * h * h / 12;
    double found = -strtod(strstr(w->out, "\n0,") + 3, NULL);
    double want  = 10.0 / (3 * E * I) + 10.0 / (5.0 / 6.0 * G * b * h);
    assert_close(found / want, 1.0, 2e-4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(modes_deform_flexible_bodies, setup, teardown),
        cmocka_unit_test_setup_teardown(modes_keep_the_track, setup, teardown),
        cmocka_unit_test_setup_teardown(modes_prints_one_line_an_eigenvalue, setup, teardown),
        cmocka_unit_test_setup_teardown(locus_finds_the_critical_speed, setup, teardown),
        cmocka_unit_test_setup_teardown(critical_speed_finds_unstable_limit_cycles, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(locus_takes_as_many_settings_as_are_given, setup, teardown),
        cmocka_unit_test_setup_teardown(locus_is_exact_where_undamped_eigenvalues_meet, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(locus_finds_the_loads_of_euler, setup, teardown),
        cmocka_unit_test_setup_teardown(locus_names_the_frequency_of_flutter, setup, teardown),
        cmocka_unit_test_setup_teardown(a_run_tells_what_no_mode_can_follow, setup, teardown),
        cmocka_unit_test_setup_teardown(loads_that_joints_carry_are_in_equilibrium_without_gravity,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(interfaces_in_a_list_follow_a_clamp, setup, teardown),
        cmocka_unit_test_setup_teardown(a_wheelset_that_runs_has_the_same_critical_speed, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(linear_model_is_written_in_both_formats, setup, teardown),
        cmocka_unit_test_setup_teardown(summaries_print_rounding_errors_as_zero, setup, teardown),
        cmocka_unit_test_setup_teardown(statics_kinematics_and_inverse_print_tables, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(table_is_the_same_for_one_and_two_workers_and_after_a_kill,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(a_figure_of_a_grid_has_a_line_for_each_value, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(values_of_a_study_are_units_and_words, setup, teardown),
        cmocka_unit_test_setup_teardown(an_assessed_study_has_the_figures_of_assess, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(mistakes_in_an_assessed_study_name_the_remedy, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(mistakes_in_a_study_are_told_with_their_places, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(a_study_sets_parameters_and_takes_the_end_of_runs, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(a_run_that_fails_says_why_in_the_table, setup, teardown),
        cmocka_unit_test_setup_teardown(modes_name_the_driver_that_moves, setup, teardown),
        cmocka_unit_test_setup_teardown(analyses_say_what_is_wrong_before_they_print, setup,
                                        teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
