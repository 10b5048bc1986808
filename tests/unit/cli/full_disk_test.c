/* Commands that write files on a full disk: each ends with exit code 1 and names the file, and an older file keeps
 * its content. A limit for the size of files stands for the disk. */
#include <signal.h>
#include <sys/resource.h>

#include "unit/cli/run_program.h"

static const char *const old = "an older file\n";

static const char *const swing =
    "klingel: 1\nparameters: {L: 1 m}\nbodies:\n"
    "  bob: {mass: 1, inertia: [1, 1, 1], position: [L, 0, 0], shape: {sphere: 0.1}}\n"
    "joints: {pin: {type: revolute, between: [ground, bob], at: [0, 0, 0], axis: y}}\n"
    "outputs: {x: {of: bob, quantity: position.x}}\nrun: {end: 1, every: 0.01}\n";
static const char *const study  = "model: m.yaml\nanalysis: statics\nparameters: {L: [1, 2]}\n"
                                  "results: {x: {of: x, take: last}}\n";
static const char *const layout = "klingel: 1\ntrack: {layout: [straight 50 m]}\n";

static void save(const world *w, const char *name, const char *text)
{
    FILE *f = fopen(path_of(w, name), "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static int run_on_a_full_disk(world *w, const char *const *arguments)
{
    struct rlimit was, tiny;
    getrlimit(RLIMIT_FSIZE, &was);
    tiny          = was;
    tiny.rlim_cur = 700;
    signal(SIGXFSZ, SIG_IGN); /* a write says that the file is too large */
    setrlimit(RLIMIT_FSIZE, &tiny);
    int code = run_with(w, NULL, arguments);
    setrlimit(RLIMIT_FSIZE, &was);
    signal(SIGXFSZ, SIG_DFL);
    return code;
}

static void check_writer(world *w, const char *file, const char *const *arguments)
{
    char text[100];
    save(w, file, old);
    print_message("%s %s\n", arguments[0], file);
    assert_int_equal(run_on_a_full_disk(w, arguments), 1);
    assert_says(w->err, file);
    read_whole(path_of(w, file), text, sizeof text);
    assert_string_equal(text, old);
}

static void writers_report_a_full_disk_and_keep_the_older_file(void **state)
{
    world *w = *state;
    static const struct {
        const char *file, *arguments[10];
    } of[] = {{"o.csv", {"export", "m.h5", "-o", "o.csv"}},
              {"o.mat", {"export", "m.h5", "--all", "-o", "o.mat"}},
              {"o.pvd", {"export", "m.h5", "-o", "o.pvd"}},
              {"o.glb", {"export", "m.h5", "-o", "o.glb"}},
              {"v.html", {"view", "m.h5", "-o", "v.html"}},
              {"r.html", {"report", "m.h5", "-o", "r.html"}},
              {"f.svg", {"plot", "m.h5", "x", "-o", "f.svg"}},
              {"lin.h5", {"modes", "m.yaml", "--rest", "-o", "lin.h5"}},
              {"lin.mat", {"modes", "m.yaml", "--rest", "-o", "lin.mat"}},
              {"l.csv", {"locus", "m.yaml", "--rest", "--over", "L=1:2:20", "-o", "l.csv"}},
              {"t.ktrack", {"track", "t.yaml", "-q", "-o", "t.ktrack"}}};
    save(w, "m.yaml", swing);
    save(w, "t.yaml", layout);
    assert_int_equal(run(w, "run", "m.yaml", "-q"), 0);
    for (size_t k = 0; k < sizeof of / sizeof *of; k++)
        check_writer(w, of[k].file, of[k].arguments);
}

/* The frames of an older series too: a folder of frames is as whole as its list. */
static void a_vtk_series_is_replaced_as_a_whole(void **state)
{
    world *w = *state;
    char   text[100];
    save(w, "m.yaml", swing);
    assert_int_equal(run(w, "run", "m.yaml", "-q"), 0);
    assert_int_equal(run(w, "export", "m.h5", "-o", "s.pvd"), 0);
    assert_int_equal(access(path_of(w, "s/frame-00100.vtp"), R_OK), 0);
    save(w, "s/frame-00000.vtp", old);
    static const char *const again[] = {"export", "m.h5", "-o", "s.pvd", NULL};
    assert_int_equal(run_on_a_full_disk(w, again), 1);
    read_whole(path_of(w, "s/frame-00000.vtp"), text, sizeof text);
    assert_string_equal(text, old);
    /* with room for it the new, shorter one takes its place */
    assert_int_equal(run(w, "export", "m.h5", "-o", "s.pvd", "--every", "2"), 0);
    read_whole(path_of(w, "s/frame-00000.vtp"), text, sizeof text);
    assert_string_not_equal(text, old);
    assert_int_equal(access(path_of(w, "s/frame-00050.vtp"), R_OK), 0);
    assert_int_equal(access(path_of(w, "s/frame-00051.vtp"), R_OK), -1);
}

static void a_template_that_could_not_be_written_can_be_written_again(void **state)
{
    world                   *w           = *state;
    static const char *const arguments[] = {"new", "coach-train", NULL};
    assert_int_equal(run_on_a_full_disk(w, arguments), 1);
    assert_says(w->err, "coach-train/model.yaml");
    assert_int_equal(run(w, "new", "coach-train"), 0);
}

static void a_study_on_a_full_disk_ends_with_an_error(void **state)
{
    world *w = *state;
    save(w, "m.yaml", swing);
    save(w, "study.yaml", study);
    save(w, "s.svg", old);
    static const char *const arguments[] = {"sweep", "study.yaml", "-q",    "-o",
                                            "s.csv", "--figure",   "s.svg", NULL};
    assert_int_equal(run_on_a_full_disk(w, arguments), 1);
    assert_says(w->err, "s.svg");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(writers_report_a_full_disk_and_keep_the_older_file),
        CASE(a_vtk_series_is_replaced_as_a_whole),
        CASE(a_template_that_could_not_be_written_can_be_written_again),
        CASE(a_study_on_a_full_disk_ends_with_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
