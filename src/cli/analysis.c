#include "cli/analysis.h"

#include <stdio.h>
#include <stdlib.h>

#include "results/scene.h"
#include "solve/static_start.h"
#include "solve/statics.h"

int kl_analysis_open(const kl_command *command, const char *path, const kl_texts *set,
                     kl_diag *diag, kl_analysis *out)
{
    *out     = (kl_analysis){0};
    int code = kl_loaded_open(command, path, set, diag, &out->l);
    if (code != KL_EXIT_OK) return code;
    kl_status status = kl_simulation_create(out->l.model, diag, &out->s);
    if (status == KL_OK) return KL_EXIT_OK;
    kl_loaded_close(&out->l);
    return kl_exit_code(status);
}

void kl_analysis_close(kl_analysis *a)
{
    kl_simulation_destroy(a->s);
    kl_loaded_close(&a->l);
}

int kl_analysis_run(const kl_command *command, const kl_arguments *rest, const kl_texts *set,
                    kl_analysis_work work, void *data)
{
    if (rest->n != 1)
        return kl_usage_error(command,
                              rest->n ? "give one model file"
                                      : "the model is missing; name its file, such as model.yaml");
    kl_diag    *diag = kl_diag_create();
    kl_analysis a;
    int         code   = kl_analysis_open(command, rest->items[0], set, diag, &a);
    bool        opened = code == KL_EXIT_OK;
    if (opened) code = kl_exit_code(work(&a, data, diag));
    kl_print_diag(diag, NULL); /* before closing: messages may name texts of the model */
    if (opened) kl_analysis_close(&a);
    kl_diag_destroy(diag);
    return code;
}

kl_status kl_analysis_find_state(kl_simulation *s, kl_analysis_state where, kl_diag *diag)
{
    KL_TRY(kl_assemble_start(s->solver, diag));
    if (where == KL_AT_START) return KL_OK;
    kl_equilibrium e = {.moving = where == KL_AT_EQUILIBRIUM};
    return kl_find_equilibrium(s->solver, &e, diag);
}

/* A results file for analyses that compute rows themselves, with the same channels as a run.
 * `recorded` maps columns of the file to channels of the model. */
kl_status kl_recorder_open(const char *path, const kl_analysis *a, kl_diag *diag, kl_recorder *r)
{
    const kl_channels *c     = a->s->channels;
    int                all   = kl_channels_count(c);
    kl_channel_info   *info  = calloc((size_t)all + 1, sizeof *info);
    char              *scene = kl_scene_json(a->l.model);
    *r      = (kl_recorder){.recorded = calloc((size_t)all + 1, sizeof *r->recorded),
                            .row      = calloc((size_t)all + 1, sizeof *r->row)};
    bool ok = info && scene && r->recorded && r->row;
    for (int i = 0; ok && i < all; i++) {
        const kl_channel *k = kl_channels_at(c, i);
        if (!k->recorded) continue;
        info[r->n] = (kl_channel_info){
            .name = k->name, .unit = k->unit, .description = k->description, .own = k->own};
        r->recorded[r->n++] = i;
    }
    kl_results_info head = {.title      = a->l.model->title,
                            .model_file = a->l.model->file,
                            .model_text = kl_source_text(a->l.source),
                            .scene_json = scene,
                            .lines      = a->l.model};
    kl_status       status =
        ok ? kl_writer_create(path, &head, info, r->n, diag, &r->writer) : KL_E_MEMORY;
    free(scene);
    free(info);
    if (status != KL_OK) {
        free(r->recorded);
        free(r->row);
        *r = (kl_recorder){0};
    }
    return status;
}

kl_status kl_recorder_row(kl_recorder *r, double t, const double *values)
{
    for (int i = 0; i < r->n; i++) r->row[i] = values[r->recorded[i]];
    return kl_writer_row(r->writer, t, r->row);
}

kl_status kl_recorder_close(kl_recorder *r, const char *status)
{
    if (!r->writer) return KL_OK;
    kl_writer_note(r->writer, "status", status);
    kl_status closed = kl_writer_close(r->writer);
    free(r->recorded);
    free(r->row);
    *r = (kl_recorder){0};
    return closed;
}

/* The model's own outputs, or all that is recorded. */
static bool shown(const kl_channels *c, int i)
{
    bool own = false;
    for (int k = 0; k < kl_channels_count(c) && !own; k++) own = kl_channels_at(c, k)->own;
    return own ? kl_channels_at(c, i)->own : kl_channels_at(c, i)->recorded;
}

void kl_print_header(const kl_channels *c, const char *first)
{
    printf("%s", first);
    for (int i = 0; i < kl_channels_count(c); i++)
        if (shown(c, i)) printf(",%s", kl_channels_at(c, i)->name);
    printf("\n");
}

void kl_print_row(const kl_channels *c, double t, const double *values)
{
    printf("%.17g", t);
    for (int i = 0; i < kl_channels_count(c); i++)
        if (shown(c, i)) printf(",%.17g", values[i]);
    printf("\n");
}
