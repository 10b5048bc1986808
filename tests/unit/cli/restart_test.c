/* Runs that are cut, killed and gone on with. KL_KILLS=100 in the environment makes it a hundred.
 */
#include "unit/cli/run_program.h"

#include <signal.h>
#include <sys/stat.h>
#include <time.h>

static const char *const integrators[] = {"generalized-alpha", "newmark", "hht", "runge-kutta",
                                          "gear"};

/* A double pendulum with a damper, a bump stop and a series spring: all kinds of state. */
static void write_model(const world *w, const char *integrator)
{
    FILE *f = fopen(path_of(w, "m.yaml"), "w");
    assert_non_null(f);
    fprintf(
        f,
        "klingel: 1\n"
        "gravity: [0, -9.81, 0]\n"
        "parameters: {L: 1 m}\n"
        "bodies:\n"
        "  upper: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [L/2, 0, 0]}\n"
        "  lower: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [1.5*L, 0, 0]}\n"
        "joints:\n"
        "  pivot: {type: revolute, between: [ground, upper], at: [0, 0, 0], axis: z}\n"
        "  hinge: {type: revolute, between: [upper, lower], at: [L, 0, 0], axis: z}\n"
        "forces:\n"
        "  spring: {type: spring-damper, between: [ground, lower], at: [[0, 1, 0], [2*L, 0, 0]], "
        "stiffness: 20 N/m, damping: 0.5 N s/m}\n"
        "  series: {type: series-spring-damper, between: [ground, upper], at: [[0, 1, 0], [L/2, "
        "0, 0]], stiffness: 100 N/m, damping: 10 N s/m}\n"
        "run: {end: 3, every: 0.01}\n"
        "integrator: {type: %s, tolerance: 1e-7}\n",
        integrator);
    fclose(f);
}

static char whole[1 << 16], again[1 << 16];

static double uniform(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / 16777216.0;
}

/* Rows of all channels of a file, as text with all digits. */
static void rows_of(world *w, const char *name, char *text)
{
    char out[] = "rows.csv";
    assert_int_equal(run(w, "export", "--all", name, "--every", "7", "-o", out), 0);
    read_whole(path_of(w, out), text, 1 << 16);
}

static void a_run_cut_at_a_checkpoint_gives_the_same_bits(void **state)
{
    world *w = *state;
    for (size_t i = 0; i < sizeof integrators / sizeof *integrators; i++) {
        write_model(w, integrators[i]);
        assert_int_equal(run(w, "run", "m.yaml", "-q", "--set", "L=1.1 m", "--checkpoint", "0.37",
                             "-o", "whole.h5"),
                         0);
        assert_int_equal(run(w, "run", "m.yaml", "-q", "--set", "L=1.1 m", "--checkpoint", "0.37",
                             "-o", "cut.h5", "--end", "1.9"),
                         0);
        assert_int_equal(run(w, "run", "-q", "--restart", "cut.h5", "-o", "on.h5"), 0);
        rows_of(w, "whole.h5", whole);
        rows_of(w, "on.h5", again);
        if (strcmp(whole, again) != 0) fail_msg("%s goes on with other bits", integrators[i]);
        assert_int_equal(run(w, "run", "-q", "--restart", "cut.h5"), 0); /* into itself */
        rows_of(w, "cut.h5", again);
        assert_string_equal(whole, again);
    }
}

/* Each example with each integrator, to a part of its time; cut at a random checkpoint. */
static void every_example_goes_on_with_the_same_bits(void **state)
{
    static const struct {
        const char *name;
        double      end;
    } examples[] = {
        {"simple-pendulum", 1.0},      {"double-pendulum", 1.0}, {"n-four-bar", 1.0},
        {"andrews-squeezer", 0.01},    {"bricard", 1.0},         {"flyball-governor", 0.3},
        {"spatial-slider-crank", 1.0}, {"spinning-top", 0.5},    {"carter-wheelset", 0.5},
        {"driven-four-bar", 1.0}};
    static const char *const ways[] = {
        "{type: generalized-alpha, tolerance: 1e-7}", "{type: runge-kutta, tolerance: 1e-7}",
        "{type: gear, tolerance: 1e-7}", "{type: gear, formulation: baumgarte, tolerance: 1e-7}",
        "{type: gear, formulation: stabilized, tolerance: 1e-7}"};
    world   *w    = *state;
    unsigned seed = 11;
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++)
        for (size_t k = 0; k < sizeof ways / sizeof *ways; k++) {
            if (!getenv("KL_SLOW") && (i + k) % 5 != 0) continue; /* one integrator each */
            char every[32], end[32], cut[32], model[1024];
            snprintf(model, sizeof model,
                     "klingel: 1\ninclude: [%s/examples/%s/model.yaml]\nintegrator: %s\n",
                     KL_SOURCE_DIR, examples[i].name, ways[k]);
            FILE *f = fopen(path_of(w, "e.yaml"), "w");
            assert_non_null(f);
            fputs(model, f);
            fclose(f);
            snprintf(every, sizeof every, "%g", examples[i].end / (3.0 + 5.0 * uniform(&seed)));
            snprintf(end, sizeof end, "%g", examples[i].end);
            snprintf(cut, sizeof cut, "%g", examples[i].end * (0.5 + 0.45 * uniform(&seed)));
            assert_int_equal(run(w, "run", "e.yaml", "-q", "--checkpoint", every, "-o", "whole.h5",
                                 "--end", end),
                             0);
            assert_int_equal(
                run(w, "run", "e.yaml", "-q", "--checkpoint", every, "-o", "cut.h5", "--end", cut),
                0);
            assert_int_equal(
                run(w, "run", "-q", "--restart", "cut.h5", "-o", "on.h5", "--end", end), 0);
            rows_of(w, "whole.h5", whole);
            rows_of(w, "on.h5", again);
            if (strcmp(whole, again) != 0)
                fail_msg("%s, %s goes on with other bits", examples[i].name, ways[k]);
        }
}

/* The program with these arguments, killed some time after its file has grown by `bytes`: a loaded
 * machine may take long to come so far. */
static void run_and_kill(const world *w, char *const *argv, double seconds, long bytes)
{
    struct stat file;
    long        before = stat(path_of(w, "k.h5"), &file) == 0 ? (long)file.st_size : 0;
    pid_t       child  = fork();
    if (child == 0) {
        if (chdir(w->folder) != 0 || !freopen("/dev/null", "w", stderr)) _exit(126);
        execv(KL_PROGRAM, argv);
        _exit(127);
    }
    for (int k = 0; k < 3000; k++) {
        long now = stat(path_of(w, "k.h5"), &file) == 0 ? (long)file.st_size : 0;
        if (waitpid(child, NULL, WNOHANG) != 0) return; /* it came to its end */
        if (now >= before + bytes) break;
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    struct timespec wait = {.tv_sec = 0, .tv_nsec = (long)(seconds * 1e9)};
    nanosleep(&wait, NULL);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
}

static void killed_runs_are_readable_and_go_on(void **state)
{
    world      *w     = *state;
    const char *many  = getenv("KL_KILLS");
    int         kills = many ? atoi(many) : 15, went_on = 0;
    unsigned    seed  = 4;
    char        arg[] = "klingel", run_word[] = "run", model[] = "m.yaml", q[] = "-q",
         mark[] = "--checkpoint", often[] = "0.05", o[] = "-o", file[] = "k.h5", end[] = "--end",
         late[] = "20", restart[] = "--restart";
    char *const first[] = {arg, run_word, model, q, mark, often, o, file, end, late, NULL};
    char *const next[]  = {arg, run_word, q, restart, file, end, late, NULL};
    write_model(w, "generalized-alpha");
    assert_int_equal(
        run(w, "run", "m.yaml", "-q", "--checkpoint", "0.05", "--end", "20", "-o", "whole.h5"), 0);
    rows_of(w, "whole.h5", whole);
    for (int i = 0; i < kills; i++) {
        remove(path_of(w, "k.h5"));
        /* one in four at any time at all, the others with something to go on from */
        run_and_kill(w, first, 0.17 * uniform(&seed), i % 4 ? (long)(2e5 * uniform(&seed)) : 0);
        for (int more = 0; more < 2 && exists(w, "k.h5"); more++) {
            assert_int_equal(run(w, "export", "k.h5"), 0); /* readable */
            run_and_kill(w, next, 0.17 * uniform(&seed), 0);
        }
        if (!exists(w, "k.h5")) continue; /* killed before the file stood */
        assert_int_equal(run(w, "export", "k.h5"), 0);
        int code = run(w, "run", "-q", "--restart", "k.h5", "--end", "20");
        if (code != 0) {
            assert_says(w->err, "before its first checkpoint");
            continue;
        }
        rows_of(w, "k.h5", again);
        assert_string_equal(whole, again);
        went_on++;
    }
    print_message("%d of %d went on\n", went_on, kills);
    assert_true(went_on > 0);
}

/* Changes one byte behind each signature of a part of a table's index; the number of them. */
static int damage(const world *w, const char *name, const char *signature)
{
    FILE *f = fopen(path_of(w, name), "r+b");
    assert_non_null(f);
    static char bytes[1 << 22];
    size_t      n     = fread(bytes, 1, sizeof bytes, f);
    int         found = 0;
    for (size_t i = 0; i + 8 < n; i++)
        if (memcmp(bytes + i, signature, 4) == 0) bytes[i + 7] ^= 0x55, found++;
    rewind(f);
    assert_int_equal(fwrite(bytes, 1, n, f), n);
    fclose(f);
    return found;
}

/* HDF5 by itself reads a part with a wrong checksum 100 times in such a file, and doubles its pause
 * each time: centuries. */
static void a_killed_file_with_a_damaged_index_is_an_error_at_once(void **state)
{
    static const char *const parts[] = {"EAHD", "EAIB", "EADB"}; /* extensible arrays */
    world                   *w       = *state;
    char                     arg[] = "klingel", run_word[] = "run", model[] = "m.yaml", q[] = "-q",
         mark[] = "--checkpoint", often[] = "0.05", o[] = "-o", file[] = "k.h5", end[] = "--end",
         late[]         = "1e5";
    char *const first[] = {arg, run_word, model, q, mark, often, o, file, end, late, NULL};
    int         found   = 0;
    write_model(w, "generalized-alpha");
    for (int i = 0; i < 3; i++) {
        remove(path_of(w, file));
        run_and_kill(w, first, 0.1, 200000);
        int damaged = damage(w, file, parts[i]);
        found += damaged;
        if (damaged == 0) continue;
        assert_int_equal(run(w, "run", "-q", "--restart", file, "--end", "1e-3"), 1);
        assert_says(w->err, "k.h5: ");
    }
    assert_true(found > 0);
}

/* What happened before the checkpoint was told by the first run. */
static void a_latch_that_caught_before_is_not_news(void **state)
{
    world *w = *state;
    FILE  *f = fopen(path_of(w, "m.yaml"), "w");
    assert_non_null(f);
    fputs("klingel: 1\n"
          "bodies: {a: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [0.5, 0, 0]}}\n"
          "joints: {A: {type: revolute, between: [ground, a], at: [0, 0, 0], axis: y}}\n"
          "forces: {lock: {type: latch, of: A, coordinate: angle, mark: 60 deg, stiffness: 5 kN "
          "m/rad, damping: 20 N m s/rad}}\n"
          "run: {end: 1}\n",
          f);
    fclose(f);
    assert_int_equal(run(w, "run", "m.yaml", "--checkpoint", "0.2", "--end", "0.1", "-o", "a.h5"),
                     0);
    assert_null(strstr(w->err, "locks"));
    assert_int_equal(run(w, "run", "m.yaml", "--checkpoint", "0.2", "--end", "0.9", "-o", "a.h5"),
                     0);
    assert_says(w->err, "'lock' locks");
    assert_int_equal(run(w, "run", "--restart", "a.h5", "--end", "1", "-o", "b.h5"), 0);
    assert_null(strstr(w->err, "locks"));
}

static void what_cannot_go_on_is_told(void **state)
{
    world *w = *state;
    write_model(w, "runge-kutta");
    assert_int_equal(run(w, "run", "m.yaml", "-q", "--end", "0.1", "-o", "a.h5"), 0);
    assert_int_not_equal(run(w, "run", "--restart", "a.h5"), 0);
    assert_says(w->err, "--checkpoint SECONDS");
    assert_int_equal(
        run(w, "run", "m.yaml", "-q", "--checkpoint", "1", "--end", "0.1", "-o", "a.h5"), 0);
    assert_int_not_equal(run(w, "run", "--restart", "a.h5"), 0);
    assert_says(w->err, "before its first checkpoint");
    assert_int_equal(run(w, "run", "m.yaml", "--restart", "a.h5"), 2);
    assert_int_equal(run(w, "run", "m.yaml", "--checkpoint", "-1"), 2);
    assert_int_equal(run(w, "run", "--restart", "a.h5", "--set", "L=2 m"), 2);
    assert_int_equal(run(w, "run", "m.yaml", "--checkpoint", "0"), 2);
    assert_int_equal(run(w, "run", "--restart", "absent.h5"), 1);
    /* rows beyond the new end are not thrown away */
    assert_int_equal(
        run(w, "run", "m.yaml", "-q", "--checkpoint", "50ms", "--end", "0.3", "-o", "a.h5"), 0);
    assert_int_equal(run(w, "run", "--restart", "a.h5", "--end", "0.1"), 1);
    assert_says(w->err, "would delete");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_run_cut_at_a_checkpoint_gives_the_same_bits),
        CASE(every_example_goes_on_with_the_same_bits),
        CASE(killed_runs_are_readable_and_go_on),
        CASE(a_killed_file_with_a_damaged_index_is_an_error_at_once),
        CASE(a_latch_that_caught_before_is_not_news),
        CASE(what_cannot_go_on_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
