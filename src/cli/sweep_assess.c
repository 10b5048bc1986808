#include "cli/sweep_assess.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "post/assess.h"
#include "results/results.h"

/* The row of a quantity, or with NULL the one whose limit is used most; NULL: none. */
static const kl_assessed *row_of(const kl_assessment *a, const char *quantity)
{
    const kl_assessed *worst = NULL;
    for (int i = 0; i < a->n; i++) {
        const kl_assessed *r = &a->row[i];
        if (quantity && strcmp(r->quantity, quantity) == 0) return r;
        if (!quantity && r->verdict != KL_NO_LIMIT &&
            (!worst || r->utilisation > worst->utilisation))
            worst = r;
    }
    return worst;
}

static kl_status report_missing_result(const kl_assessment *a, const kl_study_result *wanted,
                                       kl_arena *arena, kl_diag *diag)
{
    const char **names = kl_arena_array(arena, const char *, a->n + 1);
    for (int i = 0; names && i < a->n; i++) names[i] = a->row[i].quantity;
    if (names) names[a->n] = NULL;
    const char *near = names && wanted->channel ? kl_nearest(wanted->channel, names) : NULL;
    return kl_fail(diag, KL_E_NAME, wanted->place,
                   "result '%s': the assessment has no quantity `%s`%s%s%s; `klingel assess` lists "
                   "the quantities of a run",
                   wanted->name, wanted->channel ? wanted->channel : "with a limit",
                   near ? "; did you mean `" : "", near ? near : "", near ? "`?" : "");
}

static kl_status take(const kl_study *study, const kl_assessment *a, kl_arena *arena, double *out,
                      kl_diag *diag)
{
    for (int i = 0; i < study->nresult; i++) {
        const kl_study_result *wanted = &study->result[i];
        const kl_assessed     *r      = row_of(a, wanted->channel);
        if (!r) return report_missing_result(a, wanted, arena, diag);
        out[i] = wanted->take == KL_QUANTITY_VALUE ? r->value : r->utilisation;
    }
    return KL_OK;
}

kl_status kl_sweep_assess(const kl_study *study, const char *path, double *out, kl_diag *diag)
{
    kl_arena      *arena  = kl_arena_create();
    const kl_node *limits = NULL;
    kl_reader     *reader = NULL;
    kl_assessment  a      = {0};
    kl_status      status = arena ? kl_reader_open(path, diag, &reader) : KL_E_MEMORY;
    if (status == KL_OK) status = kl_assess_limits(NULL, arena, diag, &limits);
    if (status == KL_OK) status = kl_assess(reader, path, limits, NULL, arena, diag, &a);
    if (status == KL_OK) status = take(study, &a, arena, out, diag);
    kl_reader_close(reader);
    kl_arena_destroy(arena);
    return status;
}
