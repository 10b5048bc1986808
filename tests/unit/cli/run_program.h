/* Runs the program as a user would, in a folder of its own, and keeps what it says. */
#ifndef KL_TESTS_CLI_PROGRAM_H
#define KL_TESTS_CLI_PROGRAM_H

#include "unit/test.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "results/results.h"

typedef struct world {
    char folder[64];
    char out[1 << 16], err[1 << 14]; /* of the last run */
    int  code;                       /* 128 + signal when it was killed */
} world;

static inline void read_whole(const char *path, char *text, size_t size)
{
    FILE  *f = fopen(path, "rb");
    size_t n = f ? fread(text, 1, size - 1, f) : 0;
    if (f) fclose(f);
    text[n] = '\0';
}

/* klingel with the arguments, up to NULL; `environment` "NAME=value" or NULL. Returns the exit
 * code. */
static inline int run_with(world *w, const char *environment, const char *const *arguments)
{
    char *argv[200] = {(char[]){"klingel"}};
    char  copies[200][200];
    int   n = 1;
    for (; arguments[n - 1] && n < 199; n++) {
        snprintf(copies[n], sizeof copies[n], "%s", arguments[n - 1]);
        argv[n] = copies[n];
    }
    argv[n]     = NULL;
    pid_t child = fork();
    if (child == 0) {
        char name[200];
        if (chdir(w->folder) != 0) _exit(126);
        int out = open("stdout", O_WRONLY | O_CREAT | O_TRUNC, 0600);
        int err = open("stderr", O_WRONLY | O_CREAT | O_TRUNC, 0600);
        dup2(out, STDOUT_FILENO), dup2(err, STDERR_FILENO);
        if (environment) {
            snprintf(name, sizeof name, "%s", environment);
            char *value = strchr(name, '=');
            *value++    = '\0';
            setenv(name, value, 1);
        }
        execv(KL_PROGRAM, argv);
        _exit(127);
    }
    int  status = 0;
    char path[100];
    waitpid(child, &status, 0);
    snprintf(path, sizeof path, "%s/stdout", w->folder);
    read_whole(path, w->out, sizeof w->out);
    snprintf(path, sizeof path, "%s/stderr", w->folder);
    read_whole(path, w->err, sizeof w->err);
    w->code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return w->code;
}

#define run(w, ...) run_with(w, NULL, (const char *const[]){__VA_ARGS__, NULL})

#define assert_says(text, words)                                                                   \
    do {                                                                                           \
        if (!strstr(text, words)) fail_msg("'%s' does not say '%s'", text, words);                 \
    } while (0)

static inline const char *path_of(const world *w, const char *name)
{
    static char path[2][200];
    static int  turn;
    turn = !turn;
    snprintf(path[turn], sizeof path[turn], "%s/%s", w->folder, name);
    return path[turn];
}

static inline bool exists(const world *w, const char *name)
{
    return access(path_of(w, name), F_OK) == 0;
}

static inline int setup(void **state)
{
    world *w = calloc(1, sizeof *w);
    snprintf(w->folder, sizeof w->folder, "/tmp/klingel-cli-XXXXXX");
    *state = w;
    return mkdtemp(w->folder) ? 0 : -1;
}

/* The folder goes with all that is in it: tests know only flat files. */
static inline int teardown(void **state)
{
    world      *w    = *state;
    char        rm[] = "rm", rf[] = "-rf";
    char *const command[] = {rm, rf, w->folder, NULL};
    pid_t       child     = fork();
    if (child == 0) {
        execvp("rm", command);
        _exit(127);
    }
    waitpid(child, NULL, 0);
    free(w);
    return 0;
}

/* A pendulum of 1 m and 2 kg let go at `angle`, with numbers good enough to draw: 1001 rows. */
static inline void write_pendulum(const world *w, const char *name, double angle,
                                  const char *status)
{
    static const kl_channel_info channels[] = {
        {"bob.position.x", "m", "position of the bob", false},
        {"bob.position.y", "m", "position of the bob", false},
        {"bob.velocity.x", "m/s", "velocity of the bob", false},
        {"hinge.angle", "rad", "angle", false},
        {"hinge.force.x", "N", "reaction", false},
        {"hinge.force.y", "N", "reaction", false},
        {"energy.total", "J", "", false},
        {"x", "m", "", true},
        {"y", "m", "height", true},
    };
    const kl_results_info info = {.title = "A pendulum", .model_file = "pendulum.yaml"};
    const double          h = 1e-3, g = 9.81, m = 2.0;
    kl_writer            *file = NULL;
    double                a = angle, om = 0.0;
    assert_int_equal(kl_writer_create(path_of(w, name), &info, channels, 9, NULL, &file), KL_OK);
    for (int i = 0; i <= 10000; i++) {
        double pull  = m * (om * om + g * cos(a));
        double row[] = {sin(a),
                        -cos(a),
                        om * cos(a),
                        a,
                        -pull * sin(a),
                        pull * cos(a),
                        m * (om * om / 2 - g * cos(a)),
                        sin(a),
                        -cos(a)};
        if (i % 10 == 0) assert_int_equal(kl_writer_row(file, i * h, row), KL_OK);
        om -= h * g * sin(a);
        a += h * om;
    }
    if (status) kl_writer_note(file, "status", status);
    assert_int_equal(kl_writer_close(file), KL_OK);
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

#endif
