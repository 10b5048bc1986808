/* klingel view: results, modes or eigenvalues as a page for the browser, in one file. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/files.h"
#include "cli/commands.h"
#include "cli/live.h"
#include "cli/view_life.h"
#include "cli/view_skins.h"
#include "post/view.h"
#include "reduce/kbody_file.h"
#include "terminal/options.h"
#include "terminal/result_files.h"

typedef struct request {
    const char     *output, *sn, *measure;
    bool            no_open, quiet, live;
    int             port;
    kl_texts        set;
    kl_view_options options;
    int             n;
    const char     *files[KL_VIEW_MOST_RESULTS];
    kl_view_source  sources[KL_VIEW_MOST_RESULTS];
    kl_view_summary summary[KL_VIEW_MOST_RESULTS];
    kl_view_skins   skins[KL_VIEW_MOST_RESULTS];
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

static double wall_clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double megabytes(const char *path)
{
    struct stat s;
    return stat(path, &s) == 0 ? (double)s.st_size / 1e6 : 0.0;
}

static void report_page(const request *q, double seconds)
{
    size_t bytes = 0;
    for (int i = 0; i < q->n; i++) {
        const kl_view_summary *s = &q->summary[i];
        bytes += s->bytes;
        fprintf(stderr, "%s: %d bod%s, %d channels, %d of %d frames", q->files[i], s->bodies,
                s->bodies == 1 ? "y" : "ies", s->channels, s->frames, s->rows);
        if (s->frame_every > 1)
            fprintf(stderr, " (every %dth; --every 1 keeps all)", s->frame_every);
        else if (s->sample_every > 1)
            fprintf(stderr, ", other channels every %dth (--every 1 keeps all)", s->sample_every);
        fputc('\n', stderr);
        kl_view_skins_report(&q->skins[i], q->files[i]);
    }
    fprintf(stderr,
            "%s: page of %.1f MB (results: %.1f MB) written in %.2g s; open it in a browser\n",
            q->output, megabytes(q->output), (double)bytes / 1e6, seconds);
    if (megabytes(q->output) > 200.0)
        fprintf(stderr,
                "%s: note: many browsers cannot open a page of this size; keep fewer rows with "
                "--every N\n",
                q->output);
}

/* What is wrong with the results, said in any case. */
static void warn(const request *q)
{
    for (int i = 0; i < q->n; i++) {
        const kl_view_summary *s = &q->summary[i];
        if (s->rows == 0)
            fprintf(stderr,
                    "%s: note: the results contain no rows, so there is no motion to show\n",
                    q->files[i]);
        if (s->backward > 0)
            fprintf(stderr,
                    "%s: note: %d of %d rows have a time that decreases or is not a number; the "
                    "page omits them\n",
                    q->files[i], s->backward, s->rows);
        if (s->bad_scene)
            fprintf(
                stderr,
                "%s: note: the description of the bodies is damaged; the page shows plots only\n",
                q->files[i]);
    }
}

/* Opens the page if there is a desktop and the program runs on a terminal; otherwise does nothing. */
void kl_open_in_browser(const char *address)
{
    bool desktop = getenv("DISPLAY") || getenv("WAYLAND_DISPLAY");
    if (!desktop || !isatty(STDERR_FILENO)) return;
    pid_t child = fork();
    if (child == 0) {
        execlp("xdg-open", "xdg-open", address, (char *)NULL);
        _exit(127);
    }
    if (child > 0) waitpid(child, NULL, 0);
}

static int write_page(request *q, kl_diag *diag)
{
    kl_new_file o;
    double      start = wall_clock();
    if (!kl_output_open(&o, q->output)) return KL_EXIT_MODEL;
    kl_status status = kl_view_write(o.stream, q->sources, q->n, &q->options, diag, q->summary);
    if (status != KL_OK) {
        kl_output_discard(&o);
        kl_print_diag(diag, "nothing was written");
        return kl_exit_code(status);
    }
    if (!kl_output_close(&o)) return KL_EXIT_MODEL;
    if (!q->quiet) report_page(q, wall_clock() - start);
    warn(q);
    if (!q->no_open) kl_open_in_browser(q->output);
    return KL_EXIT_OK;
}

/* ---- files of another kind: one page each ---- */

typedef kl_status (*page_writer)(FILE *f, const char *path, kl_diag *diag, size_t *bytes);

static const char *label_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static kl_status body_page(FILE *f, const char *path, kl_diag *diag, size_t *bytes)
{
    kl_kbody *body = NULL;
    KL_TRY(kl_kbody_read(path, &body, diag));
    kl_status status = kl_view_write_body(f, body, label_of(path), diag, bytes);
    kl_kbody_destroy(body);
    return status;
}

static kl_status modes_page(FILE *f, const char *path, kl_diag *diag, size_t *bytes)
{
    kl_modes_scene scene;
    kl_arena      *arena = kl_arena_create();
    if (!arena) return KL_E_MEMORY;
    kl_status status = kl_modes_scene_read(path, arena, diag, &scene);
    if (status == KL_OK) status = kl_view_write_modes(f, &scene, label_of(path), diag, bytes);
    kl_arena_destroy(arena);
    return status;
}

static kl_status table_page(FILE *f, const char *path, kl_diag *diag, size_t *bytes)
{
    enum { MOST = 1 << 26 };
    FILE  *in   = kl_file_open(path);
    char  *text = in ? malloc(MOST) : NULL;
    size_t n    = text ? fread(text, 1, MOST - 1, in) : 0;
    bool   all  = text && feof(in);
    if (in) fclose(in);
    if (!in || !all) {
        free(text);
        return kl_fail(diag, KL_E_FILE, (kl_place){.file = path}, "%s",
                       in ? "the file is larger than 64 MB, which is too large for a page"
                          : kl_file_reason(errno));
    }
    text[n]          = '\0';
    kl_status status = kl_view_write_table(f, text, label_of(path), diag, bytes);
    free(text);
    return status;
}

static bool ends_in(const char *text, const char *end)
{
    size_t n = strlen(text), k = strlen(end);
    return n > k && strcmp(text + n - k, end) == 0;
}

/* Who writes the page of this file; NULL for results of a run. */
static page_writer writer_for(const char *path)
{
    if (ends_in(path, ".kbody")) return body_page;
    if (ends_in(path, ".csv")) return table_page;
    return kl_modes_file(path) ? modes_page : NULL;
}

static int write_other(request *q, page_writer write)
{
    kl_new_file o;
    size_t      bytes = 0;
    double      start = wall_clock();
    if (!kl_output_open(&o, q->output)) return KL_EXIT_MODEL;
    kl_diag  *diag   = kl_diag_create();
    kl_status status = write(o.stream, q->files[0], diag, &bytes);
    int       code   = kl_exit_code(status);
    if (status != KL_OK) kl_output_discard(&o);
    else if (!kl_output_close(&o)) code = KL_EXIT_MODEL;
    if (status == KL_OK && !q->quiet)
        fprintf(stderr, "%s: %.1f MB, written in %.2g s; open it in a browser\n", q->output,
                megabytes(q->output), wall_clock() - start);
    kl_print_diag(diag, status == KL_OK ? NULL : "nothing was written");
    kl_diag_destroy(diag);
    if (code == KL_EXIT_OK && !q->no_open) kl_open_in_browser(q->output);
    return code;
}

/* ---- results of runs ---- */

static int view_files(request *q, const kl_arguments *files)
{
    char path[4096];
    if (files->n < 1) return kl_usage_error(&kl_command_view, "give a results file (.h5)");
    if (files->n > KL_VIEW_MOST_RESULTS)
        return kl_usage_error(&kl_command_view, "a page shows at most %d results files",
                              KL_VIEW_MOST_RESULTS);
    q->n = files->n;
    default_output(files->items[0], path, sizeof path);
    if (!q->output) q->output = path;
    for (int i = 0; i < q->n; i++) {
        q->files[i] = files->items[i];
        if (kl_same_file(q->files[i], q->output))
            return kl_usage_error(&kl_command_view, "%s would overwrite the results", q->output);
    }
    page_writer other = writer_for(q->files[0]);
    for (int i = 1; i < q->n; i++)
        if (other || writer_for(q->files[i]))
            return kl_usage_error(
                &kl_command_view,
                "only results of runs can be compared on one page; show '%s' on a separate page",
                q->files[other ? 0 : i]);
    if (other && q->sn)
        return kl_usage_error(&kl_command_view, "--sn applies only to results of runs");
    if (other) return write_other(q, other);
    kl_diag *diag = kl_diag_create();
    int      code = KL_EXIT_OK;
    for (int i = 0; i < q->n && code == KL_EXIT_OK; i++) {
        q->sources[i] = (kl_view_source){.reader = kl_open_results(q->files[i], diag),
                                         .label  = label_of(q->files[i])};
        if (!q->sources[i].reader) code = KL_EXIT_MODEL;
        else kl_view_skins_find(&q->skins[i], q->files[i], &q->sources[i]);
        if (code == KL_EXIT_OK && q->sn)
            code = kl_view_life(&q->skins[i], q->files[i], q->sources[i].reader, q->sn, q->measure);
    }
    if (code == KL_EXIT_OK) code = write_page(q, diag);
    for (int i = 0; i < q->n; i++) {
        kl_reader_close(q->sources[i].reader);
        kl_view_skins_free(&q->skins[i]);
    }
    kl_diag_destroy(diag);
    return code;
}

static int view_run(int argc, char **argv)
{
    request         q         = {0};
    const kl_option options[] = {
        {"output", 'o', "FILE", KL_OPTION_TEXT, &q.output,
         "page to write (default: named after the results)"},
        {"sn", 0, "CURVE", KL_OPTION_TEXT, &q.sn,
         "colour bodies by fatigue life with this S-N curve"},
        {"measure", 0, "WORD", KL_OPTION_TEXT, &q.measure,
         "with --sn: measure of stress, see `klingel stress`"},
        {"every", 0, "N", KL_OPTION_COUNT, &q.options.every,
         "keep every N-th row (default: by file size)"},
        {"no-open", 0, NULL, KL_OPTION_FLAG, &q.no_open, "do not open the page in a browser"},
        {"live", 0, NULL, KL_OPTION_FLAG, &q.live,
         "show MODEL.yaml during simulation, on this machine"},
        {"port", 0, "N", KL_OPTION_COUNT, &q.port, "with --live: port (default: a free one)"},
        {"set", 's', "NAME=VALUE", KL_OPTION_TEXTS, &q.set,
         "with --live: set a parameter (may be repeated)"},
        {"quiet", 'q', NULL, KL_OPTION_FLAG, &q.quiet, "print nothing except warnings and errors"},
        {0},
    };
    kl_arguments rest;
    int          code = kl_options_parse(&kl_command_view, options, argc, argv, &rest);
    if (code == KL_OPTIONS_OK && q.live && q.sn)
        code = kl_usage_error(&kl_command_view, "--sn needs the results of a run, not --live");
    if (code == KL_OPTIONS_OK && q.measure && !q.sn)
        code = kl_usage_error(&kl_command_view, "--measure needs an S-N curve; add --sn FAT71");
    if (code == KL_OPTIONS_OK && q.live) {
        kl_live live = {.output = q.output, .port = q.port, .no_open = q.no_open, .set = q.set};
        code         = rest.n == 1 ? kl_live_run(&live, rest.items[0])
                                   : kl_usage_error(&kl_command_view, "--live needs one model file");
    } else if (code == KL_OPTIONS_OK && (q.port || q.set.n))
        code = kl_usage_error(&kl_command_view, "--port and --set apply only with --live");
    else if (code == KL_OPTIONS_OK) code = view_files(&q, &rest);
    kl_texts_free(&q.set);
    return code;
}

const kl_command kl_command_view = {
    .name      = "view",
    .arguments = "OUT.h5 [MORE.h5...] [-o PAGE.html]\n       klingel view BODY.kbody | TABLE.csv "
                 "| --live MODEL.yaml",
    .summary   = "write an HTML page with 3D animation and plots",
    .run       = view_run,
    .help      = "The page is one file that needs no network. Further results are drawn\n"
                 "transparent and with dashed curves. It also shows modes, root loci and tables.\n"
                 "\n"
                 "  klingel view stiff.h5 soft.h5 -o compare.html\n"
                 "  klingel view out.h5 --sn FAT71 --measure critical-plane\n"
                 "  klingel modes model.yaml -o modes.h5 && klingel view modes.h5\n"
                 "  klingel view --live model.yaml\n",
};
