#include "figures/ffmpeg.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "figures/gnuplot.h"

typedef struct call {
    char size[32], rate[32], file[4200];
    bool gif;
} call;

static void become_ffmpeg(const char *program, const call *c, int in, int errors)
{
    const char       *arguments[40] = {"ffmpeg", "-v",       "error",    "-nostdin", "-y",
                                       "-f",     "rawvideo", "-pix_fmt", "rgb24",    "-s",
                                       c->size,  "-r",       c->rate,    "-i",       "pipe:0"};
    const char *const mp4[] = {"-c:v",      "libx264",    "-crf", "20",  "-pix_fmt", "yuv420p",
                               "-movflags", "+faststart", "-f",   "mp4", NULL};
    const char *const gif[] = {"-filter_complex",
                               "split[a][b];[a]palettegen=stats_mode=diff[p];[b][p]paletteuse",
                               "-f", "gif", NULL};
    int               n     = 15;
    for (const char *const *p = c->gif ? gif : mp4; *p; p++) arguments[n++] = *p;
    arguments[n++] = c->file;
    arguments[n]   = NULL;
    /* execv does not change its arguments; its type is older than const */
    char *plain[40];
    memcpy(plain, arguments, sizeof plain);
    dup2(in, STDIN_FILENO);
    dup2(errors, STDOUT_FILENO);
    dup2(errors, STDERR_FILENO);
    signal(SIGPIPE, SIG_DFL);
    execv(program, plain);
    _exit(127);
}

bool kl_ffmpeg_start(kl_ffmpeg *m, const char *path, bool gif, int width, int height, double fps)
{
    char program[4096];
    int  ends[2];
    call c = {.gif = gif};
    if (!kl_find_program("ffmpeg", program, sizeof program)) {
        fprintf(stderr, "klingel export: films need ffmpeg, which is not installed;\n"
                        "install it with `apt install ffmpeg` (.glb and .pvd need no ffmpeg)\n");
        return false;
    }
    snprintf(c.size, sizeof c.size, "%dx%d", width, height);
    snprintf(c.rate, sizeof c.rate, "%g", fps);
    snprintf(c.file, sizeof c.file, "file:%s", path); /* a name is never an option or an address */
    *m = (kl_ffmpeg){.errors = tmpfile()};
    if (!m->errors || pipe(ends) != 0) {
        fprintf(stderr, "klingel export: cannot start ffmpeg: %s\n", strerror(errno));
        if (m->errors) fclose(m->errors);
        return false;
    }
    signal(SIGPIPE, SIG_IGN);
    fflush(NULL);
    m->child = fork();
    if (m->child == 0) {
        close(ends[1]);
        become_ffmpeg(program, &c, ends[0], fileno(m->errors));
    }
    close(ends[0]);
    m->pictures = m->child > 0 ? fdopen(ends[1], "wb") : NULL;
    if (m->pictures) return true;
    fprintf(stderr, "klingel export: cannot start ffmpeg: %s\n", strerror(errno));
    close(ends[1]);
    fclose(m->errors);
    return false;
}

bool kl_ffmpeg_end(kl_ffmpeg *m)
{
    char line[400];
    int  status = 0;
    bool sent   = fclose(m->pictures) == 0;
    while (waitpid(m->child, &status, 0) < 0 && errno == EINTR) continue;
    bool good = sent && WIFEXITED(status) && WEXITSTATUS(status) == 0;
    rewind(m->errors);
    if (!good) fprintf(stderr, "klingel export: ffmpeg failed\n");
    while (!good && fgets(line, sizeof line, m->errors)) fprintf(stderr, "  %s", line);
    fclose(m->errors);
    return good;
}
