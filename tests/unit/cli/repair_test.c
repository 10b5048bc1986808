/* klingel repair on what a killed run leaves. */
#include "unit/cli/run_program.h"

#include <signal.h>

/* A child that writes 500 rows and dies without a word. */
static void leave_behind(const char *path)
{
    pid_t child = fork();
    if (child == 0) {
        kl_writer      *file = NULL;
        kl_channel_info c    = {.name = "x", .unit = "m"};
        if (kl_writer_create(path, NULL, &c, 1, NULL, &file) != KL_OK) _exit(1);
        for (int i = 0; i < 500; i++) {
            double x = i;
            kl_writer_row(file, 0.01 * i, &x);
        }
        kl_writer_flush(file);
        raise(SIGKILL);
    }
    waitpid(child, NULL, 0);
}

static void a_killed_run_is_readable_and_repair_says_what_it_found(void **state)
{
    world *w = *state;
    leave_behind(path_of(w, "k.h5"));
    assert_int_equal(run(w, "export", "k.h5", "--every", "499"), 0);
    assert_string_equal(w->out, "time,x\n0,0\n4.99,499\n");
    assert_says(w->err, "the run was killed; it contains 500 rows");
    assert_int_equal(run(w, "repair", "k.h5"), 0);
    assert_says(w->out, "k.h5: 500 rows, from 0 to 4.99 s");
    assert_says(w->out, "repaired");
    assert_int_equal(run(w, "repair", "k.h5"), 0);
    assert_says(w->out, "nothing to repair");
    assert_int_equal(run(w, "export", "k.h5", "--every", "499"), 0);
    assert_string_equal(w->out, "time,x\n0,0\n4.99,499\n");
    assert_says(w->err, "not completed (killed)");
}

static void other_files_are_left_alone(void **state)
{
    world *w = *state;
    write_pendulum(w, "p.h5", 1.0, "complete");
    assert_int_equal(run(w, "repair", "p.h5", "absent.h5"), 1);
    assert_says(w->out, "nothing to repair");
    assert_says(w->err, "absent.h5: cannot be opened");
    assert_int_equal(run(w, "repair"), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_killed_run_is_readable_and_repair_says_what_it_found),
        CASE(other_files_are_left_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
