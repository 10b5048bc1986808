/* klingel view: results as a page for the browser, in one file. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/options.h"
#include "cli/results.h"
#include "post/view.h"

typedef struct request {
    const char     *output;
    bool            open, quiet;
    kl_view_options options;
    int             n;
    const char     *files[KL_VIEW_MOST_RESULTS];
    kl_view_source  sources[KL_VIEW_MOST_RESULTS];
    kl_view_summary summary[KL_VIEW_MOST_RESULTS];
} request;

/* out.html for folder/out.h5 */
static void default_output(const char *results, char *path, size_t size)
{
    const char *base   = strrchr(results, '/');
    const char *stem   = base ? base + 1 : results;
    const char *dot    = strrchr(stem, '.');
    int         length = dot && dot > stem ? (int)(dot - stem) : (int)strlen(stem);
    snprintf(path, size, "%.*s.html", length, stem);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void tell(const request *q, double seconds)
{
    size_t bytes = 0;
    for (int i = 0; i < q->n; i++) {
        const kl_view_summary *s = &q->summary[i];
        bytes += s->bytes;
        fprintf(stderr, "%s: %d bodies, %d channels, %d of %d frames", q->files[i], s->bodies,
                s->channels, s->frames, s->rows);
        if (s->frame_every > 1) fprintf(stderr, " (every %d; --every 1 keeps all)", s->frame_every);
        else if (s->sample_every > 1)
            fprintf(stderr, ", other channels every %d (--every 1 keeps all)", s->sample_every);
        fputc('\n', stderr);
    }
    fprintf(stderr, "%s: %.1f MB of data, written in %.2g s; open it in a browser\n", q->output,
            (double)bytes / 1e6, seconds);
}

/* Where there is a desktop, its program for pages; silence where there is none. */
static void open_in_browser(const char *path)
{
    if (!getenv("DISPLAY") && !getenv("WAYLAND_DISPLAY")) return;
    pid_t child = fork();
    if (child == 0) {
        execlp("xdg-open", "xdg-open", path, (char *)NULL);
        _exit(127);
    }
    if (child > 0) waitpid(child, NULL, 0);
}

static int write_page(request *q, kl_diag *diag)
{
    kl_output o;
    double    start = now();
    if (!kl_output_open(&o, q->output)) return KL_EXIT_MODEL;
    kl_status status = kl_view_write(o.stream, q->sources, q->n, &q->options, diag, q->summary);
    if (status != KL_OK) {
        kl_output_discard(&o);
        kl_print_diag(diag, "nothing was written");
        return kl_exit_code(status);
    }
    if (!kl_output_close(&o)) return KL_EXIT_MODEL;
    if (!q->quiet) tell(q, now() - start);
    if (q->open) open_in_browser(q->output);
    return KL_EXIT_OK;
}

static int view_files(request *q, const kl_arguments *files)
{
    char path[4096];
    if (files->n < 1) return kl_usage_error(&kl_command_view, "which results? give a file");
    if (files->n > KL_VIEW_MOST_RESULTS)
        return kl_usage_error(&kl_command_view, "at most %d results fit a page",
                              KL_VIEW_MOST_RESULTS);
    q->n = files->n;
    default_output(files->items[0], path, sizeof path);
    if (!q->output) q->output = path;
    for (int i = 0; i < q->n; i++) {
        q->files[i] = files->items[i];
        if (kl_same_file(q->files[i], q->output))
            return kl_usage_error(&kl_command_view, "%s would overwrite the results", q->output);
    }
    kl_diag *diag = kl_diag_create();
    int      code = KL_EXIT_OK;
    for (int i = 0; i < q->n && code == KL_EXIT_OK; i++) {
        const char *slash = strrchr(q->files[i], '/');
        q->sources[i]     = (kl_view_source){.reader = kl_open_results(q->files[i], diag),
                                             .label  = slash ? slash + 1 : q->files[i]};
        if (!q->sources[i].reader) code = KL_EXIT_MODEL;
    }
    if (code == KL_EXIT_OK) code = write_page(q, diag);
    for (int i = 0; i < q->n; i++) kl_reader_close(q->sources[i].reader);
    kl_diag_destroy(diag);
    return code;
}

static int view_run(int argc, char **argv)
{
    request         q         = {0};
    const kl_option options[] = {
        {"output", 'o', "FILE", KL_OPTION_TEXT, &q.output,
         "page to write (default: named after the results, in this folder)"},
        {"every", 0, "N", KL_OPTION_COUNT, &q.options.every,
         "keep every N-th row (default: all that a browser can carry)"},
        {"open", 0, NULL, KL_OPTION_FLAG, &q.open, "open it in the browser of this desktop"},
        {"quiet", 'q', NULL, KL_OPTION_FLAG, &q.quiet, "say nothing when all is well"},
        {0},
    };
    kl_arguments rest;
    int          code = kl_options_parse(&kl_command_view, options, argc, argv, &rest);
    return code == KL_OPTIONS_OK ? view_files(&q, &rest) : code;
}

const kl_command kl_command_view = {
    .name      = "view",
    .arguments = "OUT.h5 [MORE.h5...] [-o PAGE.html]",
    .summary   = "write a page that shows the motion, with plots",
    .run       = view_run,
    .help = "The page is one file that needs no network: open it from disk, mail it. A second\n"
            "result is laid over the first, as a ghost in the scene and as dashed curves.\n\n"
            "  klingel view out.h5\n"
            "  klingel view out.h5 --open\n"
            "  klingel view stiff.h5 soft.h5 -o compare.html\n",
};
