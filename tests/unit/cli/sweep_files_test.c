/* klingel sweep with `keep`: the results file of each run, its name, and what a later start takes from it. */
#include "unit/cli/run_program.h"

#include <signal.h>
#include <time.h>

static const char model[] =
    "klingel: 1\n"
    "parameters: {k: 100 N/m, c: 1 N s/m, side: left}\n"
    "bodies:\n"
    "  load: {mass: 1, inertia: [1, 1, 1]}\n"
    "joints:\n"
    "  guide: {type: translational, between: [ground, load], at: [0, 0, 0], axis: z}\n"
    "forces:\n"
    "  strut: {type: slide-spring-damper, of: guide, stiffness: k, damping: c}\n"
    "outputs:\n"
    "  z: {of: load, quantity: position.z}\n"
    "run: {end: 1, every: 0.01, record: [load.position.z]}\n";

static void write_text(const world *w, const char *name, const char *text)
{
    FILE *f = fopen(path_of(w, name), "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static void write_study(const world *w, const char *name, const char *springs, const char *more)
{
    char text[1000];
    snprintf(text, sizeof text,
             "model: model.yaml\n%s\nparameters:\n  k: %s\n  c: [1 N s/m, 2 N s/m]\nresults:\n"
             "  low: {of: z, take: min, from: 0.1}\n  rms: {of: z, take: rms}\n"
             "  fast: {of: load.velocity.z, take: max}\n",
             more, springs);
    write_text(w, name, text);
}

static void same_files(const world *w, const char *a, const char *b)
{
    char one[1 << 14], other[1 << 14];
    read_whole(path_of(w, a), one, sizeof one);
    read_whole(path_of(w, b), other, sizeof other);
    assert_true(strlen(one) > 20);
    assert_string_equal(one, other);
}

static ino_t identity(const world *w, const char *name)
{
    struct stat s;
    assert_int_equal(stat(path_of(w, name), &s), 0);
    return s.st_ino;
}

/* The last number of a column of a results file, which must have ended well. */
static double last_of(const world *w, const char *name, const char *channel)
{
    kl_diag   *diag = kl_diag_create();
    kl_reader *f    = NULL;
    assert_int_equal(kl_reader_open(path_of(w, name), diag, &f), KL_OK);
    assert_string_equal(kl_reader_text(f, "status"), "complete");
    int     rows = kl_reader_rows(f), column = kl_reader_find(f, channel);
    double *value = calloc((size_t)rows, sizeof *value);
    assert_true(column >= 0);
    assert_int_equal(kl_reader_column(f, column, value), KL_OK);
    double last = value[rows - 1];
    free(value);
    kl_reader_close(f);
    kl_diag_destroy(diag);
    return last;
}

/* Files are named after the values, hold what `klingel run` writes, and the table is that of a study that keeps none;
 * a channel of the results is in the files although the model does not record it. */
static void kept_files_are_those_of_single_runs(void **state)
{
    world *w = *state;
    write_text(w, "model.yaml", model);
    write_study(w, "plain.yaml", "[100 N/m, 0.2 N/mm]", "end: 0.5 s");
    write_study(w, "kept.yaml", "[100 N/m, 0.2 N/mm]", "end: 0.5 s\nkeep: runs/{k}/c-{c}.h5");
    assert_int_equal(run(w, "sweep", "plain.yaml", "-q"), 0);
    assert_int_equal(run(w, "sweep", "kept.yaml"), 0);
    assert_says(w->err, "runs/200/c-2.h5\n");
    same_files(w, "plain.csv", "kept.csv");
    assert_false(exists(w, "runs/200/c-2.h5.part"));
    assert_int_equal(run(w, "run", "model.yaml", "-q", "--set", "k=0.2N/mm", "--set", "c=2",
                         "--end", "0.5", "-o", "one.h5"),
                     0);
    assert_true(last_of(w, "one.h5", "z") == last_of(w, "runs/200/c-2.h5", "z"));
    assert_true(last_of(w, "runs/100/c-1.h5", "load.velocity.z") != 0.0);

    /* a folder: files are numbered; the option counts from here */
    assert_int_equal(run(w, "sweep", "plain.yaml", "-q", "--keep", "numbered"), 0);
    assert_true(last_of(w, "one.h5", "z") == last_of(w, "numbered/run-4.h5", "z"));
}

/* With another value, and after the table was written, only new runs are made. Another model, another end, a removed
 * file and --fresh make them again. */
static void runs_that_are_there_are_taken(void **state)
{
    world *w = *state;
    write_text(w, "model.yaml", model);
    write_study(w, "s.yaml", "[100 N/m, 300 N/m]", "keep: \"a/{k}-{c}.h5\"");
    assert_int_equal(run(w, "sweep", "s.yaml", "-q"), 0);
    ino_t before = identity(w, "a/300-1.h5");
    write_study(w, "s.yaml", "[100 N/m, 200 N/m, 300 N/m]", "keep: \"a/{k}-{c}.h5\"");
    assert_int_equal(run(w, "sweep", "s.yaml"), 0);
    assert_says(w->err, "a/300-1.h5: of an earlier start\n");
    assert_says(w->err, "a/200-1.h5\n");
    assert_int_equal(identity(w, "a/300-1.h5"), before);
    write_study(w, "all.yaml", "[100 N/m, 200 N/m, 300 N/m]", "");
    assert_int_equal(run(w, "sweep", "all.yaml", "-q"), 0);
    same_files(w, "s.csv", "all.csv");

    static const char *const changes[] = {"end: 0.7", "end: 0.7\nset: {side: right}"};
    for (int i = 0; i < 2; i++) {
        char more[100];
        snprintf(more, sizeof more, "%s\nkeep: \"a/{k}-{c}.h5\"", changes[i]);
        write_study(w, "s.yaml", "[300 N/m]", more);
        assert_int_equal(run(w, "sweep", "s.yaml", "-q"), 0);
        assert_true(identity(w, "a/300-1.h5") != before);
        before = identity(w, "a/300-1.h5");
    }
    assert_int_equal(run(w, "sweep", "s.yaml", "-q"), 0);
    assert_int_equal(identity(w, "a/300-1.h5"), before);
    assert_int_equal(run(w, "sweep", "s.yaml", "-q", "--fresh"), 0);
    assert_true(identity(w, "a/300-1.h5") != before);
    before = identity(w, "a/300-1.h5");
    char other[1000];
    snprintf(other, sizeof other, "# changed\n%s", model);
    write_text(w, "model.yaml", other);
    assert_int_equal(run(w, "sweep", "s.yaml", "-q"), 0);
    assert_true(identity(w, "a/300-1.h5") != before);
    unlink(path_of(w, "a/300-1.h5"));
    assert_int_equal(run(w, "sweep", "s.yaml", "-q"), 0);
    assert_true(exists(w, "a/300-1.h5"));
}

/* Files that the model names are compared too: an included one, a mesh that a parameter names, a table. */
static void runs_of_changed_files_are_made_again(void **state)
{
    static const char rod[] =
        "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 0 0 0\n2 %g 0 0\n3 0 1 0\n4 0 0 "
        "1\n$EndNodes\n$Elements\n1\n1 4 2 0 1 1 2 3 4\n$EndElements\n";
    world *w = *state;
    char   text[1000];
    write_text(
        w, "model.yaml",
        "klingel: 1\ninclude: [more.yaml]\nparameters: {place: 1}\n"
        "bodies:\n  rod: {type: flexible, file: {body: rod.yaml, mesh: \"rod-{place}.msh\"}}\n"
        "outputs: {z: {of: rod.tip, quantity: position.z}}\nrun: {end: 0.1, every: 0.01}\n");
    write_text(w, "more.yaml", "parameters: {unused: 1}\n");
    write_text(w, "rod.yaml",
               "parameters: {mesh: rod-1.msh}\nmesh: \"{mesh}\"\nmodes: 1\n"
               "material: {E: 210 GPa, nu: 0.3, density: 7850 kg/m3}\nmarkers: {tip: {node: 2}}\n");
    for (int i = 1; i <= 2; i++) {
        char name[20];
        snprintf(name, sizeof name, "rod-%d.msh", i);
        snprintf(text, sizeof text, rod, 1.0);
        write_text(w, name, text);
    }
    write_text(w, "s.yaml",
               "model: model.yaml\nparameters: {place: [1, 2]}\nresults: {z: {of: z, take: last}}\n"
               "keep: \"a/{place}.h5\"\n");
    assert_int_equal(run(w, "sweep", "s.yaml", "-q"), 0);
    ino_t one = identity(w, "a/1.h5"), two = identity(w, "a/2.h5");
    assert_int_equal(run(w, "sweep", "s.yaml", "-q"), 0);
    assert_true(identity(w, "a/1.h5") == one && identity(w, "a/2.h5") == two);
    snprintf(text, sizeof text, rod, 2.0);
    write_text(w, "rod-2.msh", text); /* named by a parameter of one of the runs */
    assert_int_equal(run(w, "sweep", "s.yaml", "-q"), 0);
    assert_true(identity(w, "a/1.h5") == one && identity(w, "a/2.h5") != two);
    write_text(w, "more.yaml", "parameters: {unused: 2}\n");
    assert_int_equal(run(w, "sweep", "s.yaml", "-q"), 0);
    assert_true(identity(w, "a/1.h5") != one);
}

enum { RUNS = 60 };

static int files_of(const world *w)
{
    int n = 0;
    for (int k = 1; k <= RUNS; k++) {
        char name[40];
        snprintf(name, sizeof name, "b/run-%d.h5", k);
        n += exists(w, name);
    }
    return n;
}

/* Killed in the middle: each file that has its name is whole, and the next start makes the others. */
static void a_killed_study_continues_with_the_files_it_has(void **state)
{
    world *w = *state;
    char   name[40];
    write_text(w, "model.yaml", model);
    write_study(w, "s.yaml", "{from: 50 N/m, to: 500 N/m, count: 30}", "end: 20 s\nkeep: b");
    write_study(w, "plain.yaml", "{from: 50 N/m, to: 500 N/m, count: 30}", "end: 20 s");
    assert_int_equal(run(w, "sweep", "plain.yaml", "-q"), 0);
    pid_t child = fork();
    if (child == 0) {
        if (chdir(w->folder) != 0) _exit(126);
        execl(KL_PROGRAM, "klingel", "sweep", "s.yaml", "-q", "-j", "2", (char *)NULL);
        _exit(127);
    }
    const struct timespec moment = {.tv_nsec = 1000000}, long_enough = {.tv_nsec = 400000000};
    for (int k = 0; k < 20000 && files_of(w) < 10; k++) nanosleep(&moment, NULL);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    nanosleep(&long_enough, NULL); /* its workers end too */
    int n = files_of(w);
    assert_in_range(n, 10, RUNS - 5);
    ino_t before[RUNS + 1] = {0};
    for (int k = 1; k <= RUNS; k++) {
        snprintf(name, sizeof name, "b/run-%d.h5", k);
        if (!exists(w, name)) continue;
        before[k] = identity(w, name);
        (void)last_of(w, name, "z");
    }
    assert_int_equal(run(w, "sweep", "s.yaml", "-j", "2"), 0);
    assert_says(w->err, ": of an earlier start");
    same_files(w, "s.csv", "plain.csv");
    for (int k = 1; k <= RUNS; k++) {
        snprintf(name, sizeof name, "b/run-%d.h5", k);
        if (before[k]) assert_int_equal(identity(w, name), before[k]);
        (void)last_of(w, name, "z");
    }
}

static void mistakes_in_keep_name_the_remedy(void **state)
{
    static const struct {
        const char *more, *says;
    } bad[] = {
        {"keep: \"{kk}.h5\"",
         "s.yaml:2:8: {kk} is not a parameter of the study; did you mean {k}?"},
        {"keep: \"{speed}.h5\"", "{run} is the number of the run"},
        {"keep: \"{k.h5\"", "the `{` has no matching `}`"},
        {"keep: \"{k}.h5\"", "runs 1 and 2 would have the same file `1.h5`; add {c} to the name"},
        {"keep: all.h5", "runs 1 and 2 would have the same file `all.h5`; add {c} to the name"},
        {"keep: [a, b]", "`keep` is a folder or the name of a file for each run"},
        {"keep:", "`keep` is a folder or the name of a file for each run"},
        {"analysis: statics\nkeep: a", "only runs have results files; remove `keep`"},
    };
    world *w = *state;
    write_text(w, "model.yaml", model);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        write_study(w, "s.yaml", "[1 N/m]", bad[i].more);
        assert_int_equal(run(w, "sweep", "s.yaml"), 1);
        assert_says(w->err, bad[i].says);
    }
    write_text(w, "s.yaml",
               "model: model.yaml\nparameters: {side: [left, a/b]}\nresults: {a: {of: z}}\n");
    assert_int_equal(run(w, "sweep", "s.yaml", "--keep", "{side}.h5"), 1);
    assert_says(w->err, "--keep: the value `a/b` of 'side' has a slash");
    assert_int_equal(run(w, "sweep", "s.yaml", "-q", "--keep", "x/{run}.h5"), 0);
    assert_true(exists(w, "x/2.h5"));

    /* a file that is no results file stays, and nothing is lost of what can be made later */
    write_text(w, "x/2.h5", "my notes on these runs, which are longer than an empty file\n");
    assert_int_not_equal(run(w, "sweep", "s.yaml", "--keep", "x/{run}.h5"), 0);
    assert_says(w->err, "is not a results file");
    char text[200];
    read_whole(path_of(w, "x/2.h5"), text, sizeof text);
    assert_says(text, "my notes");
    write_text(w, "y", "no folder");
    assert_int_not_equal(run(w, "sweep", "s.yaml", "--keep", "y/{run}.h5"), 0);
    assert_says(w->err, "y/1.h5.part: cannot be created: Not a directory");
}

/* A word that `set` or --set changes may be composed of other parameters, as in the model: a mesh for each crack. */
static void words_of_set_are_composed_of_parameters(void **state)
{
    static const char pushed[] =
        "klingel: 1\ngravity: [0, 0, 0]\nparameters: {which: load1, n: 1}\nbodies:\n"
        "  load1: {type: point, mass: 1 kg}\n"
        "  load2: {type: point, mass: 2 kg, position: [1, 0, 0]}\n"
        "forces: {push: {type: force, on: \"{which}\", axis: z, value: 4 N}}\n"
        "run: {end: 1 s, every: 0.1 s}\n";
    world *w = *state;
    char   text[400];
    double v[4];
    write_text(w, "model.yaml", pushed);
    write_text(w, "s.yaml",
               "model: model.yaml\nset: {which: \"load{n}\"}\nparameters: {n: [1, 2]}\n"
               "results: {a: {of: load1.velocity.z}, b: {of: load2.velocity.z}}\n");
    assert_int_equal(run(w, "sweep", "s.yaml", "-q"), 0);
    read_whole(path_of(w, "s.csv"), text, sizeof text);
    assert_int_equal(
        sscanf(text, "run,n,a,b,status\n1,1,%lf,%lf,ok\n2,2,%lf,%lf,ok", v, v + 1, v + 2, v + 3),
        4);
    const double expected[] = {4.0, 0.0, 0.0, 2.0};
    for (int i = 0; i < 4; i++) assert_close(v[i], expected[i], 1e-9);
    assert_int_equal(run(w, "run", "model.yaml", "-q", "--set", "which=load{m}"), 1);
    assert_says(w->err, "m");
}

int main(void)
{
    const struct CMUnitTest tests[] = {CASE(kept_files_are_those_of_single_runs),
                                       CASE(runs_that_are_there_are_taken),
                                       CASE(runs_of_changed_files_are_made_again),
                                       CASE(a_killed_study_continues_with_the_files_it_has),
                                       CASE(mistakes_in_keep_name_the_remedy),
                                       CASE(words_of_set_are_composed_of_parameters)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
