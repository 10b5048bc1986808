#include "cli/sweep_files.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files.h"
#include "base/text.h"
#include "language/doc.h"
#include "results/record.h"
#include "results/results.h"

enum { PATH = 1100 };

/* Parameters of the run, NAME=VALUE a line, as `klingel run --set` writes them. */
static char *settings_of(const kl_study_run *r)
{
    const kl_study *s = r->study;
    kl_text         t = {0};
    char            value[160];
    for (int p = 0; p < s->nparameter; p++) {
        kl_study_text(s, r->run, p, value, sizeof value);
        kl_text_add(&t, "%s%s=%s", p ? "\n" : "", s->parameter[p], value);
    }
    for (int i = 0; i < s->nfixed; i++) kl_text_add(&t, "\n%s=%s", s->fixed[i], s->fixed_text[i]);
    return kl_text_finish(&t);
}

static double end_of(const kl_study *study, const kl_simulation *s)
{
    return isnan(study->end) ? s->model->settings.end : study->end;
}

/* Runs of a killed study would go on without it. */
static bool parent_lives(void *context, double t)
{
    (void)t;
    return getppid() == ((const kl_study_run *)context)->parent;
}

/* All folders in front of the name of the file. */
static kl_status make_folders(const char *path, kl_diag *diag)
{
    char folder[PATH];
    for (const char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        snprintf(folder, sizeof folder, "%.*s", (int)(slash - path), path);
        if (mkdir(folder, 0777) != 0 && errno != EEXIST)
            return kl_fail(diag, KL_E_FILE, (kl_place){.file = folder},
                           "the folder cannot be made: %s", kl_file_reason(errno));
    }
    return KL_OK;
}

kl_status kl_sweep_record(kl_study_run *r, kl_simulation *s, bool *lost, kl_diag *diag)
{
    char part[PATH], folder[4096];
    *lost = true;
    snprintf(part, sizeof part, "%.1000s.part", r->path);
    KL_TRY(make_folders(r->path, diag));
    KL_TRY(kl_writer_may_replace(r->path, diag));
    for (int i = 0; i < r->study->nresult; i++) {
        const char *channel = r->study->result[i].channel;
        int         found   = channel ? kl_channels_find(s->channels, channel) : -1;
        if (found >= 0) kl_channels_record(s->channels, found);
    }
    char        *set       = settings_of(r);
    kl_recording recording = {.path         = part,
                              .model_text   = kl_source_text(r->source),
                              .folder       = getcwd(folder, sizeof folder),
                              .end          = end_of(r->study, s),
                              .set          = set,
                              .inputs       = r->inputs,
                              .continue_run = parent_lives,
                              .context      = r};
    kl_status    status    = set ? kl_record(s, &recording, diag) : KL_E_MEMORY;
    free(set);
    *lost = status == KL_E_FILE || status == KL_E_INTERRUPTED;
    if (*lost) {
        (void)remove(part);
    } else if (access(part, F_OK) == 0 && rename(part, r->path) != 0) {
        *lost  = true;
        status = kl_fail(diag, KL_E_FILE, (kl_place){.file = r->path}, "cannot be written: %s",
                         kl_file_reason(errno));
    }
    return status;
}

/* ---- a run of an earlier start ---- */

static bool same_text(kl_reader *f, const char *name, const char *text)
{
    const char *kept = kl_reader_text(f, name);
    return kept && text && strcmp(kept, text) == 0;
}

static double kept_end(kl_reader *f)
{
    const char *text  = kl_reader_text(f, "settings");
    kl_arena   *arena = kl_arena_create();
    kl_diag    *quiet = kl_diag_create();
    kl_node    *root  = NULL;
    double      end   = (double)NAN;
    if (text && arena && quiet &&
        kl_doc_parse(text, strlen(text), NULL, arena, quiet, &root) == KL_OK)
        end = kl_node_entry(root, "end_s", end);
    kl_diag_destroy(quiet);
    kl_arena_destroy(arena);
    return end;
}

static bool has_results(const kl_reader *f, const kl_study *study)
{
    for (int i = 0; study->analysis == KL_STUDY_RUN && i < study->nresult; i++)
        if (kl_reader_find(f, study->result[i].channel) < 0) return false;
    return true;
}

bool kl_sweep_has_run(const kl_study_run *r, const kl_simulation *s)
{
    kl_diag   *quiet = kl_diag_create();
    kl_reader *f     = NULL;
    char      *set   = settings_of(r);
    double     end   = end_of(r->study, s);
    bool       good  = access(r->path, R_OK) == 0 && quiet && set &&
                kl_reader_open(r->path, quiet, &f) == KL_OK && same_text(f, "status", "complete") &&
                same_text(f, "model", kl_source_text(r->source)) && same_text(f, "set", set) &&
                same_text(f, "inputs", r->inputs) && fabs(kept_end(f) - end) <= 1e-8 * fabs(end) &&
                has_results(f, r->study);
    kl_reader_close(f);
    free(set);
    kl_diag_destroy(quiet);
    return good;
}
