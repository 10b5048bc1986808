/* klingel plot: channels over time, over each other or as spectra, as figures for a report. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands.h"
#include "figures/gnuplot.h"
#include "figures/plot.h"
#include "terminal/options.h"

/* ---- labels ---- */

/* File names without folder and ending; as given when two would look the same. */
static void label_files(kl_plot *q)
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

void kl_plot_label(kl_plot *q)
{
    kl_figure  *f    = &q->figure;
    const char *own  = kl_reader_text(q->reader[0], "title");
    const char *what = q->kind == KL_PLOT_OVER    ? q->x
                       : q->kind == KL_PLOT_PSD   ? "frequency"
                       : q->kind == KL_PLOT_PHASE ? (f->ncurve == 1 ? f->curves[0].name : "value")
                                                  : "time";
    f->nsource       = q->nfile;
    f->title         = q->title ? q->title : q->nfile == 1 && own ? own : "";
    const char *unit = f->x_unit ? (*f->x_unit ? f->x_unit : "-") : "s";
    snprintf(f->x_label, sizeof f->x_label, "%.100s [%.40s]", what, unit);
    label_files(q);
    for (int i = 0; i < f->npanel; i++)
        f->panels[i].prefix = q->kind == KL_PLOT_PHASE      ? "rate of "
                              : q->kind == KL_PLOT_PSD      ? "PSD "
                              : q->kind == KL_PLOT_ENERGIES ? "energy"
                                                            : "";
}

/* A name with nothing in it that a file name should not have. */
static void default_output(const kl_plot *q, char *name, size_t size)
{
    static const char *const what[] = {"", "", "-phase", "-psd", "-spectrogram", ""};
    snprintf(name, size, "%.200s%s.svg",
             q->nmap                       ? q->map_name[0]
             : q->kind == KL_PLOT_ENERGIES ? "energies"
                                           : q->figure.curves[0].name,
             what[q->kind]);
    for (char *p = name; *p; p++)
        if (strchr("/\\:*?\"<>| ", *p) || (unsigned char)*p < ' ') *p = '-';
    if (*name == '-' || *name == '.') *name = '_';
}

/* ---- the command ---- */

int kl_plot_draw(kl_plot *q)
{
    kl_new_file o;
    kl_gnuplot  g;
    if (!kl_output_open(&o, q->output)) return KL_EXIT_MODEL;
    bool good = kl_gnuplot_start(&g, &o);
    if (good) {
        if (q->nmap) kl_spectrogram_write(g.script, q);
        else kl_figure_write(g.script, &q->figure, q->output);
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

static int read_and_draw(kl_plot *q)
{
    char name[260];
    int  code = kl_plot_fill(q);
    if (code == KL_EXIT_USAGE && kl_diag_failed(q->diag))
        kl_print_diag(q->diag, "no figure was drawn");
    if (code != KL_EXIT_OK) return code;
    if (q->figure.ncurve + q->nmap == 0)
        return kl_usage_error(&kl_command_plot, "the results contain no rows to draw");
    kl_plot_label(q);
    default_output(q, name, sizeof name);
    if (!q->output) q->output = name;
    for (int i = 0; i < q->nfile; i++)
        if (kl_same_file(q->file[i], q->output))
            return kl_usage_error(&kl_command_plot, "%s would overwrite the results", q->output);
    return kl_plot_draw(q);
}

static bool is_results_name(const char *text)
{
    size_t n = strlen(text);
    return n > 3 && strcmp(text + n - 3, ".h5") == 0;
}

/* The leading arguments are results; false when there are too many. */
static bool take_files(kl_plot *q, const kl_arguments *rest)
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

typedef struct flags {
    bool        psd, spectrogram, phase, energies, automatic;
    const char *format;
} flags;

/* What kind of figure was asked for; two kinds at once are a mistake. */
static int choose_kind(kl_plot *q, const flags *is)
{
    int kinds =
        is->psd + is->spectrogram + is->phase + is->energies + is->automatic + (q->x != NULL);
    if (kinds > 1)
        return kl_usage_error(
            &kl_command_plot,
            "give only one of --x, --phase, --psd, --spectrogram, --energies and --auto");
    q->kind = is->psd           ? KL_PLOT_PSD
              : is->spectrogram ? KL_PLOT_SPECTROGRAM
              : is->phase       ? KL_PLOT_PHASE
              : is->energies    ? KL_PLOT_ENERGIES
              : q->x            ? KL_PLOT_OVER
                                : KL_PLOT_TIME;
    if (q->window != 0.0 && !(q->window > 0.0))
        return kl_usage_error(&kl_command_plot, "--window must be positive");
    if (q->window > 0.0 && !is->psd && !is->spectrogram)
        return kl_usage_error(&kl_command_plot, "--window applies only to --psd and --spectrogram");
    if (is->format && !is->automatic)
        return kl_usage_error(
            &kl_command_plot,
            "--format applies only to --auto; otherwise the ending of FIGURE selects the format");
    if (q->from >= q->to) return kl_usage_error(&kl_command_plot, "--from must be before --to");
    return KL_OPTIONS_OK;
}

static int auto_format(const flags *is, char *ending, size_t size)
{
    snprintf(ending, size, "x.%.8s", is->format ? is->format : "svg");
    if (kl_figure_can_draw(ending)) return KL_OPTIONS_OK;
    return kl_usage_error(&kl_command_plot, "--format must be svg, png or pdf, not '%s'",
                          is->format);
}

static int plot_files(kl_plot *q, const flags *is, const kl_arguments *rest)
{
    char ending[16] = "";
    int  code       = choose_kind(q, is);
    if (code != KL_OPTIONS_OK) return code;
    if (rest->n < 1) return kl_usage_error(&kl_command_plot, "give a results file (.h5)");
    if (is->automatic && (code = auto_format(is, ending, sizeof ending)) != KL_OPTIONS_OK)
        return code;
    if (!is->automatic && q->output && !kl_figure_can_draw(q->output))
        return kl_usage_error(&kl_command_plot,
                              "the name of a figure must end in .svg, .png or .pdf, not '%s'",
                              q->output);
    if (!take_files(q, rest))
        return kl_usage_error(&kl_command_plot, "a figure shows at most %d results files",
                              KL_MOST_SOURCES);
    if (is->automatic && q->nchannel > 0)
        return kl_usage_error(&kl_command_plot, "--auto selects the channels itself; remove '%s'",
                              q->channels[0]);
    if (is->spectrogram && q->nfile > 1)
        return kl_usage_error(&kl_command_plot,
                              "--spectrogram shows one results file; give one file");
    if (is->energies && (q->nfile > 1 || q->nchannel > 0))
        return kl_usage_error(&kl_command_plot,
                              "--energies shows all energies of one results file; remove '%s'",
                              q->nfile > 1 ? q->file[1] : q->channels[0]);
    kl_figure_init(&q->figure);
    q->diag = kl_diag_create();
    code    = is->automatic ? kl_plot_auto(q, ending + 1) : read_and_draw(q);
    kl_plot_clear(q);
    for (int i = 0; i < q->nfile; i++) kl_reader_close(q->reader[i]);
    kl_diag_destroy(q->diag);
    return code;
}

static int plot_run(int argc, char **argv)
{
    kl_plot *q  = calloc(1, sizeof *q);
    flags    is = {0};
    if (!q) return KL_EXIT_MODEL;
    q->command = &kl_command_plot;
    q->from = -HUGE_VAL, q->to = HUGE_VAL;
    const kl_option options[] = {
        {"output", 'o', "FILE", KL_OPTION_TEXT, &q->output,
         ".svg, .png or .pdf to write (default: CHANNEL.svg)"},
        {"x", 'x', "CHANNEL", KL_OPTION_TEXT, &q->x,
         "channel of the horizontal axis (default: time)"},
        {"phase", 0, NULL, KL_OPTION_FLAG, &is.phase,
         "phase plane: rate of each channel over the channel"},
        {"psd", 0, NULL, KL_OPTION_FLAG, &is.psd, "power spectral density"},
        {"spectrogram", 0, NULL, KL_OPTION_FLAG, &is.spectrogram, "spectrogram"},
        {"energies", 0, NULL, KL_OPTION_FLAG, &is.energies, "energy by part over time, stacked"},
        {"window", 0, "S", KL_OPTION_NUMBER, &q->window, "window length of spectra [s]"},
        {"from", 0, "T", KL_OPTION_NUMBER, &q->from, "first time [s]"},
        {"to", 0, "T", KL_OPTION_NUMBER, &q->to, "last time [s]"},
        {"title", 't', "TEXT", KL_OPTION_TEXT, &q->title, "title (default: title of the model)"},
        {"auto", 0, NULL, KL_OPTION_FLAG, &is.automatic,
         "draw a standard set of figures into the folder -o"},
        {"format", 'f', "KIND", KL_OPTION_TEXT, &is.format,
         "format of --auto: svg (default), png or pdf"},
        {0},
    };
    kl_arguments rest;
    int          code = kl_options_parse(&kl_command_plot, options, argc, argv, &rest);
    if (code == KL_OPTIONS_OK) code = plot_files(q, &is, &rest);
    free(q);
    return code;
}

const kl_command kl_command_plot = {
    .name      = "plot",
    .arguments = "OUT.h5 [MORE.h5...] [CHANNEL...] [-o FIGURE.svg|png|pdf]",
    .summary   = "draw channels over time, in a phase plane, or as spectra",
    .run       = plot_run,
    .help      = "CHANNEL may be a pattern. Without CHANNEL the outputs of the model are drawn.\n"
                 "  klingel plot before.h5 after.h5 'pivot.force.*' -o compare.pdf\n"
                 "  klingel plot out.h5 rod.position.y --x rod.position.x\n"
                 "  klingel plot out.h5 car.acceleration.z --psd --window 4 --from 2\n"
                 "  klingel plot out.h5 --auto -o figures --format pdf\n",
};
