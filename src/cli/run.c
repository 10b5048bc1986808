/* klingel run: a model file in, a results file out. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/model_options.h"
#include "language/source.h"
#include "language/start.h"
#include "reference/write_model.h"
#include "results/record.h"
#include "solve/mobility.h"
#include "terminal/interrupt.h"
#include "terminal/options.h"
#include "terminal/progress.h"

static bool continue_run(void *progress, double t)
{
    kl_progress_update(progress, t);
    return !kl_interrupted();
}

/* results.h5 for results.yaml; a file called model takes the name of its folder */
static void default_output(const char *model, char *path, size_t size)
{
    const char *base = strrchr(model, '/'), *stem = base ? base + 1 : model;
    int         length = (int)strcspn(stem, ".");
    if (length == 5 && strncmp(stem, "model", 5) == 0 && base) {
        const char *folder = base;
        while (folder > model && folder[-1] != '/') folder--;
        if (folder < base && *folder != '.') {
            snprintf(path, size, "%.*s.h5", (int)(base - folder), folder);
            return;
        }
    }
    snprintf(path, size, "%.*s.h5", length, stem);
}

static void print_summary(const kl_simulation *s, double wall, const char *path)
{
    const kl_statistics *c = &s->count;
    double               t = s->solver->s->t;
    kl_drift             d = s->worst;
    fprintf(stderr,
            "%.6g s simulated in %.3g s (%.3g times real time), %ld steps (%.3g to %.3g s), %.1f "
            "iterations per step\n",
            t, wall, wall > 0.0 ? t / wall : 0.0, c->steps, c->least_step, c->largest_step,
            c->steps ? (double)c->iterations / (double)c->steps : 0.0);
    if (*s->chosen) fprintf(stderr, "integrator: %s (%s)\n", s->integrator->name, s->chosen);
    fprintf(
        stderr,
        "largest constraint error %.2g m, %.2g rad; energy dissipated %.6g J, supplied %.6g J\n",
        d.position, d.rotation, kl_channels_system(s->channels).lost, c->supplied);
    fprintf(stderr, "results: %s (klingel view, klingel plot, klingel export)\n", path);
}

/* A failed run leaves a model that starts just before the failure: its own text, or, where that
 * is in several files or was changed by --set, the model in full. */
static void write_failed_model(const kl_simulation *s, const kl_source *source, bool changed,
                               const char *results)
{
    char    path[1100];
    char   *full = NULL;
    kl_text t    = {0};
    snprintf(path, sizeof path, "%.1000s.failed.yaml", results);
    if (source->n > 1 || changed) {
        kl_write_model(&t, s->model);
        full = kl_text_finish(&t);
    }
    const char *text = full ? full : kl_source_text(source);
    if (kl_start_write(path, text, s->model, s->solver->s) == KL_OK)
        fprintf(stderr, "the state just before is in %s; run it with `klingel run`\n", path);
    free(full);
}

typedef struct run_options {
    const char *output, *restart;
    char       *set; /* parameters changed, NAME=VALUE a line */
    double      end, checkpoint;
    bool        quiet;
} run_options;

/* All --set, one per line, for the results file. */
static char *joined(const kl_texts *set)
{
    size_t bytes = 1;
    for (int i = 0; i < set->n; i++) bytes += strlen(set->items[i]) + 1;
    char *text = calloc(bytes, 1), *end = text;
    for (int i = 0; text && i < set->n; i++)
        end += sprintf(end, "%s%s", i ? "\n" : "", set->items[i]);
    return text;
}

/* Results that may not fit are reported before the run, not after. */
static void announce_size(const kl_simulation *s, const run_options *o)
{
    double rows = (o->end - s->model->t0) / s->model->settings.every, channels = 1.0;
    for (int i = 0; i < kl_channels_count(s->channels); i++)
        channels += kl_channels_at(s->channels, i)->recorded;
    double gigabytes = 8e-9 * rows * channels;
    if (gigabytes > 1.0)
        fprintf(
            stderr,
            "warning: %.3g rows of %.0f channels: the results will take about %.3g GB; a larger "
            "`every` under `run` makes fewer rows\n",
            rows, channels, gigabytes);
}

static int run_model(const kl_loaded *l, const run_options *o, kl_diag *diag, bool *started)
{
    kl_simulation *s      = NULL;
    kl_status      status = kl_simulation_create(l->model, diag, &s);
    if (status != KL_OK) return kl_exit_code(status);
    if (!o->quiet) announce_size(s, o);
    kl_mobility_warn(l->model, diag);
    kl_progress  progress;
    char         folder[4096];
    kl_recording recording = {.path         = o->output,
                              .model_text   = kl_source_text(l->source),
                              .folder       = getcwd(folder, sizeof folder),
                              .end          = o->end,
                              .set          = l->set ? l->set : o->set,
                              .restart      = o->restart,
                              .checkpoint   = o->checkpoint,
                              .continue_run = continue_run,
                              .context      = &progress};
    kl_interrupt_watch();
    kl_progress_begin(&progress, l->model->t0, o->end, o->quiet);
    status = kl_record(s, &recording, diag);
    kl_progress_end(&progress);

    bool first = l->model->t0 == 0.0;
    *started   = s->count.steps > 0 || status == KL_OK;
    if (status == KL_E_INTERRUPTED)
        fprintf(stderr,
                "interrupted at t = %.6g s of %.6g s; all rows up to there are in %s, and "
                "`--restart` continues a run that has a checkpoint\n",
                s->solver->s->t, o->end, o->output);
    if (!o->quiet && *started) print_summary(s, recording.wall, o->output);
    if (status != KL_OK && status != KL_E_INTERRUPTED && *started)
        write_failed_model(s, l->source, (l->set && *l->set) || (o->set && *o->set), o->output);
    kl_simulation_destroy(s);
    /* what is not determined, or no number, before the first step is a mistake in the model */
    bool at_once = !*started && first && (status == KL_E_SINGULAR || status == KL_E_NAN);
    return kl_exit_code(at_once ? KL_E_MODEL : status);
}

static int run(int argc, char **argv)
{
    kl_texts        set       = {0};
    run_options     o         = {.end = NAN, .checkpoint = NAN};
    const kl_option options[] = {
        {"output", 'o', "OUT.h5", KL_OPTION_TEXT, &o.output,
         "results file (default: named after the model, in this folder)"},
        {"set", 's', "NAME=VALUE", KL_OPTION_TEXTS, &set,
         "set a parameter, with or without a unit (may be repeated)"},
        {"end", 0, "T", KL_OPTION_TIME, &o.end, "end time [s] (default: from the model)"},
        {"checkpoint", 0, "SECONDS", KL_OPTION_TIME, &o.checkpoint,
         "write a checkpoint at this interval of simulated time [s]"},
        {"restart", 0, "OUT.h5", KL_OPTION_TEXT, &o.restart,
         "continue from the last checkpoint in these results (without MODEL)"},
        {"quiet", 'q', NULL, KL_OPTION_FLAG, &o.quiet,
         "print no progress and no summary, only warnings"},
        {0},
    };
    kl_arguments rest;
    int          code = kl_options_parse(&kl_command_run, options, argc, argv, &rest);
    if (code != KL_OPTIONS_OK) {
        kl_texts_free(&set);
        return code;
    }
    const char *wrong =
        !o.restart && rest.n != 1 ? rest.n
                                        ? "give one model file"
                                        : "the model is missing; name its file, such as model.yaml"
        : o.restart && rest.n
            ? "--restart reads the model from the results file; do not give a model"
        : o.restart && set.n ? "--restart keeps the parameters of the run; remove --set"
        : o.restart && !isnan(o.checkpoint)
            ? "--restart keeps the checkpoint interval of the run; remove --checkpoint"
        : o.checkpoint <= 0.0 ? "--checkpoint needs a positive time"
                              : NULL;
    if (isnan(o.checkpoint)) o.checkpoint = 0.0; /* none */
    if (wrong) {
        kl_texts_free(&set);
        return kl_usage_error(&kl_command_run, "%s", wrong);
    }
    char path[1024];
    if (!o.restart) default_output(rest.items[0], path, sizeof path);
    if (!o.output) o.output = o.restart ? o.restart : path;
    o.set = joined(&set);

    bool      started = false;
    kl_loaded l;
    kl_diag  *diag = kl_diag_create();
    code           = o.restart ? kl_loaded_from_results(&kl_command_run, o.restart, diag, &l)
                               : kl_loaded_open(&kl_command_run, rest.items[0], &set, diag, &l);
    if (code == KL_EXIT_OK && isnan(o.end)) o.end = l.model->settings.end;
    if (code == KL_EXIT_OK && o.end < 0.0)
        code = kl_usage_error(&kl_command_run, "--end must not be negative");
    if (code == KL_EXIT_OK) code = run_model(&l, &o, diag, &started);
    if (!o.quiet || code != KL_EXIT_OK || kl_diag_count(diag, KL_WARNING) > 0)
        kl_print_diag(diag, code == KL_EXIT_MODEL && !started ? "nothing was run" : NULL);
    kl_loaded_close(&l);
    kl_diag_destroy(diag);
    free(o.set);
    kl_texts_free(&set);
    return code;
}

const kl_command kl_command_run = {
    .name      = "run",
    .arguments = "MODEL.yaml | --restart OUT.h5",
    .summary   = "simulate a model and write a results file",
    .run       = run,
    .help      = "  klingel run examples/double-pendulum/model.yaml -o out.h5\n"
                 "  klingel run model.yaml --set L=300mm --end 2\n"
                 "  klingel run model.yaml --checkpoint 5; klingel run --restart model.h5 --end 60\n"
                 "\n"
                 "exit codes: 0 completed, 1 errors in the model, 2 wrong usage, 3 numerical\n"
                 "failure, 130 interrupted (rows so far are kept; a second Ctrl-C ends at once)\n"};
