#include "figures/gnuplot.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

bool kl_find_program(const char *name, char *path, size_t size)
{
    const char *folders = getenv("PATH");
    while (folders && *folders) {
        struct stat s;
        int         length = (int)strcspn(folders, ":");
        snprintf(path, size, "%.*s/%s", length, length ? folders : ".", name);
        if (length > 0 && stat(path, &s) == 0 && S_ISREG(s.st_mode) && access(path, X_OK) == 0)
            return true;
        folders += length + (folders[length] == ':');
    }
    return false;
}

/* In the child: -d leaves the user's own settings aside, "-" reads the script from the pipe. */
static void become_gnuplot(const char *path, int in, int out, int errors)
{
    char        name[] = "gnuplot", plain[] = "-d", from_pipe[] = "-";
    char *const arguments[] = {name, plain, from_pipe, NULL};
    dup2(in, STDIN_FILENO);
    dup2(out, STDOUT_FILENO);
    dup2(errors, STDERR_FILENO);
    signal(SIGPIPE, SIG_DFL);
    execv(path, arguments);
    _exit(127);
}

bool kl_gnuplot_start(kl_gnuplot *g, const kl_new_file *figure)
{
    char path[4096];
    int  pipe_ends[2];
    if (!kl_find_program("gnuplot", path, sizeof path)) {
        fprintf(stderr,
                "klingel plot: figures need gnuplot, which is not installed;\n"
                "install it with `apt install gnuplot-nox` (`klingel export` needs no gnuplot)\n");
        return false;
    }
    *g = (kl_gnuplot){.errors = tmpfile(), .figure = figure};
    if (!g->errors || pipe(pipe_ends) != 0) {
        fprintf(stderr, "klingel plot: cannot start gnuplot: %s\n", strerror(errno));
        if (g->errors) fclose(g->errors);
        return false;
    }
    signal(SIGPIPE, SIG_IGN); /* a gnuplot that stops early is noticed at the end */
    fflush(NULL);
    g->child = fork();
    if (g->child == 0) {
        close(pipe_ends[1]);
        become_gnuplot(path, pipe_ends[0], fileno(figure->stream), fileno(g->errors));
    }
    close(pipe_ends[0]);
    g->script = g->child > 0 ? fdopen(pipe_ends[1], "w") : NULL;
    if (g->script) return true;
    fprintf(stderr, "klingel plot: cannot start gnuplot: %s\n", strerror(errno));
    close(pipe_ends[1]);
    fclose(g->errors);
    return false;
}

static void print_errors(FILE *errors)
{
    char line[400];
    rewind(errors);
    fprintf(stderr, "klingel plot: gnuplot failed\n");
    while (fgets(line, sizeof line, errors)) fprintf(stderr, "  %s", line);
}

static bool holds(const char *bytes, size_t n, const char *word)
{
    size_t length = strlen(word);
    for (size_t i = 0; i + length <= n; i++)
        if (memcmp(bytes + i, word, length) == 0) return true;
    return false;
}

/* gnuplot does not report that the disk is full: so the last bytes of the figure are checked. A stream that
 * cannot be read back, such as a pipe, is taken as it is. */
static bool whole(FILE *figure)
{
    static const struct {
        const char *begin, *end;
    } kinds[] = {{"<?xml", "</svg>"}, {"\x89PNG", "IEND"}, {"%PDF", "%%EOF"}};
    struct stat about;
    char        head[16] = "", tail[128];
    int         fd       = fileno(figure);
    if (fstat(fd, &about) != 0 || !S_ISREG(about.st_mode)) return true;
    if (about.st_size == 0) return false;
    ssize_t n = pread(fd, head, sizeof head - 1, 0);
    if (n < 0) return true;
    off_t  from = about.st_size > (off_t)sizeof tail ? about.st_size - (off_t)sizeof tail : 0;
    size_t rest = (size_t)(about.st_size - from);
    if (pread(fd, tail, rest, from) != (ssize_t)rest) return false;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (memcmp(head, kinds[i].begin, 4) == 0) return holds(tail, rest, kinds[i].end);
    return true;
}

bool kl_gnuplot_end(kl_gnuplot *g)
{
    int  status = 0;
    bool sent   = fclose(g->script) == 0;
    while (waitpid(g->child, &status, 0) < 0 && errno == EINTR) continue;
    bool good = sent && WIFEXITED(status) && WEXITSTATUS(status) == 0;
    if (!good) print_errors(g->errors);
    else if (!whole(g->figure->stream)) {
        fprintf(stderr,
                "%s could not be written: gnuplot wrote only a part of it; if the disk is full, "
                "free some space\n",
                g->figure->path);
        good = false;
    }
    fclose(g->errors);
    return good;
}

/* An apostrophe becomes a typographic one: gnuplot 5.4 takes '' at the start of a string for its
 * end. */
void kl_gnuplot_quote(FILE *script, const char *text)
{
    fputc('\'', script);
    for (; *text; text++) {
        if (*text == '\'') fputs("’", script);
        else fputc((unsigned char)*text < ' ' ? ' ' : *text, script);
    }
    fputc('\'', script);
}
