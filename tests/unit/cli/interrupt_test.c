/* The first signal asks a run to stop, the second one ends the program though the run never looks. */
#include "unit/test.h"

#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "terminal/interrupt.h"

static void wait_a_moment(void) { nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL); }

/* Reports through a pipe that it watches, then that it was asked to stop; never ends by itself. */
static void stuck_step(int report)
{
    alarm(60);
    kl_interrupt_watch();
    if (write(report, "w", 1) != 1) _exit(2);
    while (!kl_interrupted()) wait_a_moment();
    if (write(report, "s", 1) != 1) _exit(2);
    for (;;) wait_a_moment();
}

static void second_signal_ends_a_step_that_does_not_end(void **state)
{
    (void)state;
    const int signals[] = {SIGINT, SIGTERM};
    for (int i = 0; i < 2; i++) {
        int  report[2], status;
        char word;
        assert_int_equal(pipe(report), 0);
        pid_t child = fork();
        if (child == 0) stuck_step(report[1]);
        assert_int_equal(read(report[0], &word, 1), 1);
        kill(child, signals[i]);
        assert_int_equal(read(report[0], &word, 1), 1); /* alive, and knows */
        assert_int_equal(word, 's');
        kill(child, signals[i]);
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFSIGNALED(status));
        assert_int_equal(WTERMSIG(status), signals[i]);
        close(report[0]);
        close(report[1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(second_signal_ends_a_step_that_does_not_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
