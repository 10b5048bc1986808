/* klingel plot: channels over time, or over another channel, as a figure for a report. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/figure.h"
#include "cli/gnuplot.h"
#include "cli/options.h"
#include "cli/results.h"

typedef struct request {
    const char *file[KL_MOST_SOURCES];
    kl_reader  *reader[KL_MOST_SOURCES];
    int         nfile;
    const char *output, *x, *title; /* may be NULL */
    char      **channels;
    int         nchannel;
    kl_diag    *diag;
    kl_figure   figure;
} request;

/* ---- data ---- */

/* Over what: time, or the channel asked for. */
static bool read_x(kl_reader *r, const char *name, double *x)
{
    if (!name) return kl_reader_time(r, x) == KL_OK;
    return kl_reader_column(r, kl_reader_find(r, name), x) == KL_OK;
}

static int add_curve(request *q, int file, int channel)
{
    kl_reader             *r    = q->reader[file];
    const kl_channel_info *info = kl_reader_channel(r, channel);
    int                    n    = kl_reader_rows(r);
    if (!kl_figure_has_room(&q->figure, info->unit))
        return kl_usage_error(&kl_command_plot,
                              "that is too much for one figure: at most %d curves and %d different "
                              "units; choose fewer channels",
                              KL_MOST_CURVES, KL_MOST_PANELS);
    kl_curve c = {.source = file, .name = info->name, .unit = info->unit, .n = n};
    c.x        = malloc(((size_t)n + 1) * sizeof *c.x);
    c.y        = malloc(((size_t)n + 1) * sizeof *c.y);
    if (c.x && c.y && read_x(r, q->x, c.x) && kl_reader_column(r, channel, c.y) == KL_OK) {
        kl_figure_add(&q->figure, c);
        return KL_EXIT_OK;
    }
    free(c.x);
    free(c.y);
    return KL_EXIT_MODEL;
}

static int read_file(request *q, int file)
{
    const char  *name = q->file[file];
    kl_reader   *r    = kl_open_results(name, q->diag);
    kl_selection chosen;
    if (!r) return KL_EXIT_MODEL;
    q->reader[file] = r;
    if (q->x) {
        int x = kl_select_one(r, name, q->x, q->diag);
        if (x < 0) return KL_EXIT_USAGE;
        q->figure.x_unit = kl_reader_channel(r, x)->unit;
    }
    bool some = q->nchannel > 0
                    ? kl_select_channels(r, name, q->channels, q->nchannel, q->diag, &chosen)
                    : kl_select_default(r, false, &chosen);
    if (!some) return KL_EXIT_USAGE;
    int code = KL_EXIT_OK;
    for (int i = 0; code == KL_EXIT_OK && i < chosen.n; i++)
        code = add_curve(q, file, chosen.channels[i]);
    kl_selection_free(&chosen);
    return code;
}

/* ---- labels ---- */

/* File names without folder and ending; as given when two would look the same. */
static void label_files(request *q)
{
    bool twins             = false;
    char(*label)[KL_LABEL] = q->figure.source_label;
    for (int i = 0; i < q->nfile; i++) {
        const char *slash = strrchr(q->file[i], '/');
        snprintf(label[i], KL_LABEL, "%s", slash ? slash + 1 : q->file[i]);
        char *end = strrchr(label[i], '.');
        if (end && end != label[i]) *end = '\0';
        for (int k = 0; k < i; k++) twins |= strcmp(label[i], label[k]) == 0;
    }
    for (int i = 0; twins && i < q->nfile; i++) snprintf(label[i], KL_LABEL, "%s", q->file[i]);
}

static void label_figure(request *q)
{
    kl_figure  *f    = &q->figure;
    const char *own  = kl_reader_text(q->reader[0], "title");
    f->nsource       = q->nfile;
    f->title         = q->title ? q->title : q->nfile == 1 && own ? own : "";
    const char *unit = f->x_unit && *f->x_unit ? f->x_unit : "-";
    snprintf(f->x_label, sizeof f->x_label, "%.100s [%.40s]", q->x ? q->x : "time",
             q->x ? unit : "s");
    label_files(q);
}

/* The first channel's name with nothing in it that a file name should not have. */
static void default_output(const kl_figure *f, char *name, size_t size)
{
    snprintf(name, size, "%.200s.svg", f->curves[0].name);
    for (char *p = name; *p; p++)
        if (strchr("/\\:*?\"<>| ", *p) || (unsigned char)*p < ' ') *p = '-';
    if (*name == '-' || *name == '.') *name = '_';
}

/* ---- the command ---- */

static int draw(request *q)
{
    kl_output  o;
    kl_gnuplot g;
    char       name[260];
    default_output(&q->figure, name, sizeof name);
    if (!q->output) q->output = name;
    if (!kl_output_open(&o, q->output)) return KL_EXIT_MODEL;
    bool good = kl_gnuplot_start(&g, o.stream);
    if (good) {
        kl_figure_write(g.script, &q->figure, q->output);
        good = kl_gnuplot_end(&g);
    }
    if (!good) {
        kl_output_discard(&o);
        return KL_EXIT_MODEL;
    }
    if (!kl_output_close(&o)) return KL_EXIT_MODEL;
    printf("%s\n", q->output);
    return KL_EXIT_OK;
}

static int read_and_draw(request *q)
{
    int code = KL_EXIT_OK;
    for (int i = 0; code == KL_EXIT_OK && i < q->nfile; i++) code = read_file(q, i);
    if (code == KL_EXIT_USAGE && kl_diag_failed(q->diag))
        kl_print_diag(q->diag, "nothing was drawn");
    if (code != KL_EXIT_OK) return code;
    if (q->figure.ncurve == 0) return kl_usage_error(&kl_command_plot, "there is nothing to draw");
    label_figure(q);
    return draw(q);
}

static bool is_results_name(const char *text)
{
    size_t n = strlen(text);
    return n > 3 && strcmp(text + n - 3, ".h5") == 0;
}

/* The leading arguments are results; false when there are too many. */
static bool take_files(request *q, const kl_arguments *rest)
{
    int n = 1;
    while (n < rest->n && is_results_name(rest->items[n])) n++;
    if (n > KL_MOST_SOURCES) return false;
    for (int i = 0; i < n; i++) q->file[i] = rest->items[i];
    q->nfile    = n;
    q->channels = rest->items + n;
    q->nchannel = rest->n - n;
    return true;
}

static int plot_files(request *q, const kl_arguments *rest)
{
    if (rest->n < 1) return kl_usage_error(&kl_command_plot, "which results? give a file");
    if (q->output && !kl_figure_can_draw(q->output))
        return kl_usage_error(&kl_command_plot, "'%s' should end in .svg, .png or .pdf", q->output);
    if (!take_files(q, rest))
        return kl_usage_error(&kl_command_plot, "at most %d results fit a figure", KL_MOST_SOURCES);
    kl_figure_init(&q->figure);
    q->diag  = kl_diag_create();
    int code = read_and_draw(q);
    kl_figure_free(&q->figure);
    for (int i = 0; i < q->nfile; i++) kl_reader_close(q->reader[i]);
    kl_diag_destroy(q->diag);
    return code;
}

static int plot_run(int argc, char **argv)
{
    request *q = calloc(1, sizeof *q);
    if (!q) return KL_EXIT_MODEL;
    const kl_option options[] = {
        {"output", 'o', "FILE", KL_OPTION_TEXT, &q->output,
         "figure: .svg, .png or .pdf (default: first channel's name and .svg)"},
        {"x", 'x', "CHANNEL", KL_OPTION_TEXT, &q->x, "over this channel instead of time"},
        {"title", 't', "TEXT", KL_OPTION_TEXT, &q->title, "title (default: the model's)"},
        {0},
    };
    kl_arguments rest;
    int          code = kl_options_parse(&kl_command_plot, options, argc, argv, &rest);
    if (code == KL_OPTIONS_OK) code = plot_files(q, &rest);
    free(q);
    return code;
}

const kl_command kl_command_plot = {
    .name      = "plot",
    .arguments = "OUT.h5 [MORE.h5...] [CHANNEL...] [-o FIGURE.svg|png|pdf]",
    .summary   = "draw channels over time or over each other",
    .run       = plot_run,
    .help      = "Channels of one unit share a panel; several results are laid over each other. A\n"
                 "CHANNEL may be a pattern. Without CHANNEL: the outputs that the model defines.\n\n"
                 "  klingel plot out.h5 'crank.position.*' -o crank.svg\n"
                 "  klingel plot before.h5 after.h5 pivot.force.x -o compare.pdf\n"
                 "  klingel plot out.h5 rod.position.y --x rod.position.x\n",
};
