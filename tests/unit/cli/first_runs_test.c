/* What a new user meets in the first minutes: an end far away, a table of another program, a step of one's own,
 * Ctrl-C. */
#include <math.h>
#include <signal.h>
#include <time.h>

#include "run_program.h"

static void write_text(const world *w, const char *name, const char *text)
{
    FILE *f = fopen(path_of(w, name), "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static int start(void **state)
{
    static world w;
    snprintf(w.folder, sizeof w.folder, "/tmp/klingel-first-XXXXXX");
    *state = &w;
    return mkdtemp(w.folder) ? 0 : -1;
}

static int stop(void **state)
{
    const world             *w       = *state;
    static const char *const names[] = {"m.yaml", "m.h5", "t.csv", "t.html", "stdout", "stderr"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) remove(path_of(w, names[i]));
    return rmdir(w->folder);
}

static void write_oscillator(const world *w, const char *damping, const char *rest)
{
    char text[800];
    snprintf(
        text, sizeof text,
        "klingel: 1\ntitle: mass on a spring\ngravity: 0\nbodies:\n"
        "  m: {type: point, mass: 1 kg, velocity: [1, 0, 0]}\n"
        "forces:\n  s: {type: spring-damper, between: [ground, m], at: [[-1, 0, 0], [0, 0, 0]], "
        "stiffness: 1 N/m, damping: %s N s/m}\n%s",
        damping, rest);
    write_text(w, "m.yaml", text);
}

/* x'' + 0.3 x' + x = 0, x(0) = 0, x'(0) = 1: it comes to rest and has lost m v^2/2. Explicit steps do not grow at
 * rest, so they go less far; forces that alternate there are rounding and not a switch. */
static void an_end_far_away_is_reached(void **state)
{
    world *w = *state;
    static const struct {
        const char *type, *run;
    } list[] = {{"auto", "{end: 1e9, every: 1e9}"},
                {"generalized-alpha", "{end: 1e9, every: 1e9}"},
                {"gear", "{end: 1e9, every: 1e9}"},
                {"runge-kutta", "{end: 5.2e5, every: 1e6}"}};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        char   rest[200];
        double lost = 0.0;
        snprintf(rest, sizeof rest, "integrator: {type: %s}\nrun: %s\n", list[i].type, list[i].run);
        write_oscillator(w, "0.3", rest);
        assert_int_equal(run(w, "run", "m.yaml", "-o", "m.h5"), 0);
        assert_says(w->err, "energy dissipated ");
        sscanf(strstr(w->err, "energy dissipated "), "energy dissipated %lf J", &lost);
        assert_close(lost, 0.5, 1e-5);
    }
}

static void a_table_without_a_first_name_is_viewed(void **state)
{
    world *w = *state;
    write_text(w, "t.csv", ",a,b\n0,1,2\n1,2,3\n");
    assert_int_equal(run(w, "view", "t.csv", "-o", "t.html"), 0);
    assert_true(exists(w, "t.html"));
}

/* Rows each 0.1 s do not divide a step of 0.03 s: 33 steps and a last one of 0.01 s. */
static void a_fixed_step_is_kept(void **state)
{
    world *w = *state;
    write_oscillator(w, "0", "integrator: {step: 0.03}\nrun: {end: 1, every: 0.1}\n");
    assert_int_equal(run(w, "run", "m.yaml", "-o", "m.h5"), 0);
    assert_says(w->err, "34 steps (0.01 to 0.03 s)");
}

static void an_interrupted_run_says_when(void **state)
{
    world *w = *state;
    write_oscillator(w, "0", "run: {end: 1e9, every: 1e9}\n");
    pid_t child = fork();
    if (child == 0) {
        if (chdir(w->folder) != 0 || !freopen("stderr", "w", stderr)) _exit(126);
        alarm(60);
        execl(KL_PROGRAM, "klingel", "run", "m.yaml", "-o", "m.h5", (char *)NULL);
        _exit(127);
    }
    int status = 0;
    while (!exists(w, "m.h5") && waitpid(child, &status, WNOHANG) == 0)
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    nanosleep(&(struct timespec){.tv_nsec = 200000000}, NULL);
    kill(child, SIGINT);
    assert_int_equal(waitpid(child, &status, 0), child);
    read_whole(path_of(w, "stderr"), w->err, sizeof w->err);
    double t    = 0.0;
    char  *said = strstr(w->err, "interrupted at t = ");
    if (!said) fail_msg("'%s' does not say when", w->err);
    assert_int_equal(sscanf(said, "interrupted at t = %lf s of 1e+09 s", &t), 1);
    assert_true(t > 0.0 && t < 1e9);
}

/* Nothing holds the body that falls, so that its start has no equilibrium. */
static void a_start_that_fails_keeps_earlier_results(void **state)
{
    world            *w = *state;
    static const char model[] =
        "klingel: 1\nparameters: {L: 1}\nbodies:\n"
        "  arm: {mass: 2, inertia: [0.1, 0.1, 0.1], position: [0.25, 0, 0]}\n"
        "joints:\n  hinge: {type: revolute, between: [ground, arm], at: [0, 0, 0], axis: y, when: "
        "L < 2}\n"
        "run: {start: equilibrium, end: 1, every: 0.5}\n";
    write_text(w, "m.yaml", model);
    assert_int_equal(run(w, "run", "m.yaml", "-q"), 0);
    assert_int_equal(run(w, "run", "m.yaml", "-q", "--set", "L=3"), 3);
    assert_says(w->err, "no equilibrium was found");
    assert_int_equal(run(w, "export", "m.h5", "--list"), 0);
    assert_int_equal(run(w, "export", "m.h5", "arm.position.x"), 0);
    assert_says(w->out, "\n1,"); /* the row at the end of the first run */
    assert_false(exists(w, "m.h5.starting"));
    /* a run that starts replaces them */
    assert_int_equal(run(w, "run", "m.yaml", "-q", "--end", "2"), 0);
    assert_int_equal(run(w, "export", "m.h5", "arm.position.x"), 0);
    assert_says(w->out, "\n2,");
    assert_false(exists(w, "m.h5.starting"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(an_end_far_away_is_reached, start, stop),
        cmocka_unit_test_setup_teardown(a_table_without_a_first_name_is_viewed, start, stop),
        cmocka_unit_test_setup_teardown(a_fixed_step_is_kept, start, stop),
        cmocka_unit_test_setup_teardown(an_interrupted_run_says_when, start, stop),
        cmocka_unit_test_setup_teardown(a_start_that_fails_keeps_earlier_results, start, stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
