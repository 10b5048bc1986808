/* klingel run: a model file in, a results file out. */
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/model.h"
#include "cli/options.h"
#include "cli/progress.h"
#include "io/results.h"
#include "io/scene.h"
#include "io/start.h"
#include "solve/simulation.h"

static volatile sig_atomic_t interrupted;

static void on_interrupt(int signal)
{
    (void)signal;
    interrupted = 1;
}

/* The sink of a run: recorded channels to the file, steps to the progress bar. */
typedef struct recorder {
    kl_writer   *writer;
    kl_progress *progress;
    const int   *recorded; /* channels, in the order of the file's columns */
    double      *row;
    int          n;
} recorder;

static kl_status record_row(void *context, double t, const double *values)
{
    recorder *r = context;
    for (int i = 0; i < r->n; i++) r->row[i] = values[r->recorded[i]];
    return kl_writer_row(r->writer, t, r->row);
}

static bool record_go_on(void *context, double t)
{
    recorder *r = context;
    kl_progress_update(r->progress, t);
    return !interrupted;
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

static void statistics_json(const kl_simulation *s, double wall, char *text, size_t size)
{
    const kl_statistics *c = &s->count;
    const kl_model      *m = s->model;
    kl_energy            e = kl_eval_energy(m, s->solver->w, s->lambda);
    kl_drift             d = kl_solver_drift(s->solver);
    snprintf(text, size,
             "{\"integrator\": \"%s\", \"simulated_s\": %.17g, \"wall_s\": %.6g, \"steps\": %ld, "
             "\"rejected\": %ld, \"iterations\": %ld, "
             "\"factorizations\": %ld, \"evaluations\": %ld, \"least_step_s\": %.6g, "
             "\"largest_step_s\": %.6g, \"kinetic_J\": %.17g, "
             "\"potential_J\": %.17g, \"lost_J\": %.17g, \"supplied_J\": %.17g, \"gap_m\": %.6g, "
             "\"gap_rad\": %.6g, \"bodies\": %d, "
             "\"elements\": %d, \"unknowns\": %d, \"constraints\": %d}",
             s->integrator->name, s->solver->s->t, wall, c->steps, c->rejected, c->iterations,
             c->factorizations, c->evaluations, c->least_step, c->largest_step, e.kinetic,
             e.potential, c->lost, c->supplied, d.position, d.rotation, m->nbody - 1, m->nelement,
             m->nv, m->nlam);
}

static void print_summary(const kl_simulation *s, double wall, const char *path)
{
    const kl_statistics *c = &s->count;
    double               t = s->solver->s->t;
    kl_drift             d = kl_solver_drift(s->solver);
    fprintf(stderr,
            "%.6g s simulated in %.3g s (%.3g times real time), %ld steps (%.3g to %.3g s), %.1f "
            "iterations a step\n",
            t, wall, wall > 0.0 ? t / wall : 0.0, c->steps, c->least_step, c->largest_step,
            c->steps ? (double)c->iterations / (double)c->steps : 0.0);
    fprintf(stderr, "constraint gap %.2g m, %.2g rad; lost %.6g J, supplied %.6g J\n", d.position,
            d.rotation, c->lost, c->supplied);
    fprintf(stderr, "results: %s (klingel export, klingel plot)\n", path);
}

/* A failed run leaves a model that starts just before the failure. */
static void dump(const kl_simulation *s, const char *text, const char *results)
{
    char path[1100];
    snprintf(path, sizeof path, "%.1000s.failed.yaml", results);
    if (kl_start_write(path, text, s->model, s->solver->s) == KL_OK)
        fprintf(stderr, "the state just before is in %s: `klingel run` takes it (with the same --set)\n", path);
}

typedef struct run_options {
    const char *output;
    double      end;
    bool        quiet;
} run_options;

/* Runs into an open writer. Returns the status of the run. */
static kl_status run_into(kl_simulation *s, kl_writer *writer, const int *recorded, double *row,
                          int n, const run_options *o, kl_diag *diag, double *wall)
{
    kl_progress progress;
    recorder    r = {
           .writer = writer, .progress = &progress, .recorded = recorded, .row = row, .n = n};
    kl_sink sink = {.context = &r, .row = record_row, .go_on = record_go_on};
    kl_progress_begin(&progress, s->model->t0, o->end, o->quiet);
    kl_status status = kl_simulation_run(s, o->end, s->model->settings.every, &sink, diag);
    kl_progress_end(&progress);
    *wall = kl_progress_elapsed(&progress);
    return status;
}

static int run_model(const kl_loaded *l, const run_options *o, kl_diag *diag)
{
    kl_simulation *s      = NULL;
    kl_status      status = kl_simulation_create(l->model, diag, &s);
    if (status != KL_OK) return kl_exit_code(status);

    int              all = kl_channels_count(s->channels), n = 0;
    kl_channel_info *info     = calloc((size_t)all + 1, sizeof *info);
    int             *recorded = calloc((size_t)all + 1, sizeof *recorded);
    double          *row      = calloc((size_t)all + 1, sizeof *row);
    char            *scene    = kl_scene_json(l->model);
    for (int i = 0; info && recorded && i < all; i++) {
        const kl_channel *c = kl_channels_at(s->channels, i);
        if (!c->recorded) continue;
        info[n] = (kl_channel_info){
            .name = c->name, .unit = c->unit, .description = c->description, .own = c->own};
        recorded[n++] = i;
    }
    kl_writer      *writer = NULL;
    kl_results_info head   = {.title      = l->model->title,
                              .model_file = l->model->file,
                              .model_text = kl_source_text(l->source),
                              .scene_json = scene};
    status                 = info && recorded && row && scene
                                 ? kl_writer_create(o->output, &head, info, n, diag, &writer)
                                 : KL_E_MEMORY;
    if (status == KL_OK) {
        double wall = 0.0;
        char   text[2048];
        status       = run_into(s, writer, recorded, row, n, o, diag, &wall);
        bool started = s->count.steps > 0 || status == KL_OK;
        statistics_json(s, wall, text, sizeof text);
        kl_writer_note(writer, "statistics", text);
        kl_writer_note(writer, "status",
                       status == KL_OK              ? "complete"
                       : status == KL_E_INTERRUPTED ? "interrupted"
                                                    : "failed");
        kl_status closed = kl_writer_close(writer);
        if (status == KL_OK) status = closed;
        if (!o->quiet && started) print_summary(s, wall, o->output);
        if (status != KL_OK && status != KL_E_INTERRUPTED && started)
            dump(s, kl_source_text(l->source), o->output);
    }
    free(scene);
    free(row);
    free(recorded);
    free(info);
    kl_simulation_destroy(s);
    return kl_exit_code(status);
}

static int run(int argc, char **argv)
{
    kl_texts        set       = {0};
    run_options     o         = {.end = NAN};
    const kl_option options[] = {
        {"output", 'o', "OUT.h5", KL_OPTION_TEXT, &o.output,
         "results file (default: named after the model, in this folder)"},
        {"set", 's', "NAME=VALUE", KL_OPTION_TEXTS, &set,
         "change a parameter, with unit if you like (may be repeated)"},
        {"end", 0, "T", KL_OPTION_NUMBER, &o.end, "stop at this time [s] instead of the model's"},
        {"quiet", 'q', NULL, KL_OPTION_FLAG, &o.quiet, "no progress, no summary"},
        {0},
    };
    kl_arguments rest;
    int          code = kl_options_parse(&kl_command_run, options, argc, argv, &rest);
    if (code != KL_OPTIONS_OK) {
        kl_texts_free(&set);
        return code;
    }
    if (rest.n != 1) {
        kl_texts_free(&set);
        return kl_usage_error(&kl_command_run, rest.n ? "one model at a time" : "which model?");
    }
    char path[1024];
    default_output(rest.items[0], path, sizeof path);
    if (!o.output) o.output = path;
    signal(SIGINT, on_interrupt);
    signal(SIGTERM, on_interrupt);

    kl_loaded l;
    kl_diag  *diag = kl_diag_create();
    code           = kl_loaded_open(&kl_command_run, rest.items[0], &set, diag, &l);
    if (code == KL_EXIT_OK && isnan(o.end)) o.end = l.model->settings.end;
    if (code == KL_EXIT_OK && o.end < 0.0)
        code = kl_usage_error(&kl_command_run, "--end is negative");
    if (code == KL_EXIT_OK) code = run_model(&l, &o, diag);
    if (!(o.quiet && code == KL_EXIT_OK))
        kl_print_diag(diag, code == KL_EXIT_MODEL ? "nothing was run" : NULL);
    kl_loaded_close(&l);
    kl_diag_destroy(diag);
    kl_texts_free(&set);
    return code;
}

const kl_command kl_command_run = {
    .name      = "run",
    .arguments = "MODEL.yaml",
    .summary   = "simulate a model into a results file",
    .run       = run,
    .help      = "  klingel run examples/double-pendulum/model.yaml -o out.h5\n"
                 "  klingel run model.yaml --set L=300mm --end 2\n\n"
                 "exit: 0 done, 1 mistakes in the model, 2 usage, 3 numerical failure,\n"
                 "      130 interrupted (what was computed is in the results file)\n"};
