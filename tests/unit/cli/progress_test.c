/* Progress and messages, on a pipe and on a terminal (a pseudo terminal). */
#define _XOPEN_SOURCE 700 /* posix_openpt */

#include "unit/test.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/commands.h"
#include "terminal/progress.h"

static void nap(double seconds)
{
    struct timespec t = {.tv_nsec = (long)(1e9 * seconds)};
    nanosleep(&t, NULL);
}

/* What `work` says on standard error, a terminal or a pipe. */
static void listen(void (*work)(void), int terminal, char *text, size_t size)
{
    int ends[2];
    if (terminal) {
        ends[0] = posix_openpt(O_RDWR | O_NOCTTY);
        assert_true(ends[0] >= 0 && grantpt(ends[0]) == 0 && unlockpt(ends[0]) == 0);
        ends[1] = open(ptsname(ends[0]), O_RDWR | O_NOCTTY);
    } else assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        work();
        fflush(stderr);
        _exit(0);
    }
    close(ends[1]);
    size_t  n = 0;
    ssize_t got;
    while (n + 1 < size && (got = read(ends[0], text + n, size - 1 - n)) > 0) n += (size_t)got;
    text[n] = '\0';
    close(ends[0]);
    waitpid(child, NULL, 0);
}

static int count(const char *text, const char *word)
{
    int n = 0;
    for (; (text = strstr(text, word)); text++) n++;
    return n;
}

/* Half a second of work for ten simulated seconds, with many more calls than lines. */
static void simulate(int quiet)
{
    kl_progress p;
    kl_progress_begin(&p, 0.0, 10.0, quiet);
    for (int i = 0; i <= 500; i++) {
        nap(1e-3);
        for (int k = 0; k < 20; k++) kl_progress_update(&p, 10.0 * i / 500);
    }
    kl_progress_end(&p);
}

static void simulate_aloud(void) { simulate(0); }
static void simulate_quietly(void) { simulate(1); }

static void a_terminal_gets_a_bar_at_most_ten_times_a_second(void **state)
{
    (void)state;
    static char     text[1 << 16];
    struct timespec begin, end;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    listen(simulate_aloud, 1, text, sizeof text);
    clock_gettime(CLOCK_MONOTONIC, &end);
    double seconds =
        (double)(end.tv_sec - begin.tv_sec) + 1e-9 * (double)(end.tv_nsec - begin.tv_nsec);
    int bars = count(text, "\r[");
    assert_true(bars >= 3 && bars <= 1 + 10.0 * seconds);
    assert_non_null(strstr(text, "of 10 s, "));
    assert_non_null(strstr(text, "times real time"));
    assert_non_null(strstr(text, "left"));
    assert_null(strchr(text, '\n')); /* one line, cleared at the end */
    assert_true(strlen(text) > 4 && strcmp(text + strlen(text) - 4, "\r\033[K") == 0);
    for (char *line = strtok(text, "\r"); line; line = strtok(NULL, "\r"))
        assert_true(strlen(line) <= 79 + strlen("\033[K"));
}

static void a_pipe_gets_plain_lines_at_tenths(void **state)
{
    (void)state;
    char text[1 << 14];
    listen(simulate_aloud, 0, text, sizeof text);
    int lines = count(text, "\n");
    assert_true(lines >= 3 && lines <= 10);
    assert_null(strchr(text, '\r'));
    assert_null(strchr(text, '\033'));
    assert_non_null(strstr(text, "0 %  t = "));
}

static void quiet_is_silent(void **state)
{
    (void)state;
    char text[1000];
    listen(simulate_quietly, 1, text, sizeof text);
    assert_string_equal(text, "");
}

static void an_update_is_cheap(void **state)
{
    (void)state;
    kl_progress p;
    kl_progress_begin(&p, 0.0, 1.0, 0);
    p.terminal    = 0;
    double before = kl_progress_elapsed(&p);
    for (int i = 0; i < 100000; i++) kl_progress_update(&p, 0.0);
    assert_true(kl_progress_elapsed(&p) - before < 0.5); /* 5 us a call at the very most */
    kl_progress_end(&p);
}

static void say_two_things(void)
{
    kl_diag *d = kl_diag_create();
    kl_fail(d, KL_E_MODEL, (kl_place){"m.yaml", 3, 7}, "no such joint");
    kl_fail(d, KL_E_MODEL, (kl_place){"m.yaml", 4, 7}, "no such body");
    kl_warn(d, (kl_place){"m.yaml", 9, 1}, "unused");
    kl_print_diag(d, "nothing was run");
    kl_diag_destroy(d);
}

static void say_without_colour(void)
{
    setenv("NO_COLOR", "1", 1);
    say_two_things();
}

static void messages_are_plain_on_a_pipe_and_counted(void **state)
{
    (void)state;
    char text[1000];
    listen(say_two_things, 0, text, sizeof text);
    assert_string_equal(text,
                        "m.yaml:3:7: no such joint\nm.yaml:4:7: no such body\n"
                        "m.yaml:9:1: warning: unused\n2 errors, 1 warning; nothing was run\n");
}

static void messages_have_colour_on_a_terminal_unless_it_is_unwanted(void **state)
{
    (void)state;
    char text[1000];
    unsetenv("NO_COLOR");
    setenv("TERM", "xterm", 1);
    listen(say_two_things, 1, text, sizeof text);
    assert_non_null(strstr(text, "\033[31mm.yaml:3:7\033[0m: no such joint"));
    listen(say_without_colour, 1, text, sizeof text);
    assert_null(strchr(text, '\033'));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_terminal_gets_a_bar_at_most_ten_times_a_second),
        cmocka_unit_test(a_pipe_gets_plain_lines_at_tenths),
        cmocka_unit_test(quiet_is_silent),
        cmocka_unit_test(an_update_is_cheap),
        cmocka_unit_test(messages_are_plain_on_a_pipe_and_counted),
        cmocka_unit_test(messages_have_colour_on_a_terminal_unless_it_is_unwanted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
