/* Runs a command with its output sent to a file; prints name, wall seconds, processor seconds and
 * megabytes at most:  measure NAME OUTPUT COMMAND [ARGUMENT ...]  */
#define _XOPEN_SOURCE 700
#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double seconds(struct timeval t) { return (double)t.tv_sec + 1e-6 * (double)t.tv_usec; }

int main(int argc, char **argv)
{
    struct timespec a, b;
    struct rusage   u;
    int             state = 0;
    if (argc < 4) return fprintf(stderr, "usage: measure NAME OUTPUT COMMAND ...\n"), 2;
    clock_gettime(CLOCK_MONOTONIC, &a);
    pid_t child = fork();
    if (child == 0) {
        int out = open(argv[2], O_WRONLY | O_CREAT | O_TRUNC, 0666);
        if (out < 0 || dup2(out, 1) < 0 || dup2(out, 2) < 0) _exit(126);
        execvp(argv[3], argv + 3);
        _exit(127);
    }
    if (child < 0 || waitpid(child, &state, 0) < 0) return perror("measure"), 1;
    clock_gettime(CLOCK_MONOTONIC, &b);
    if (!WIFEXITED(state) || WEXITSTATUS(state) != 0)
        return fprintf(stderr, "%s failed: see %s\n", argv[3], argv[2]), 1;
    getrusage(RUSAGE_CHILDREN, &u);
    printf("%-10s %10.1f %10.1f %10.0f\n", argv[1],
           (double)(b.tv_sec - a.tv_sec) + 1e-9 * (double)(b.tv_nsec - a.tv_nsec),
           seconds(u.ru_utime) + seconds(u.ru_stime), (double)u.ru_maxrss / 1024);
    return 0;
}
