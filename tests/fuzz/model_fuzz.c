/* Any text is either a model that starts and takes a few steps, or has at least one message that
 * says why not. Small models only: large ones are slow, not wrong. */
#define _GNU_SOURCE /* memmem */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "language/build.h"
#include "solve/simulation.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST_BYTES = 4096, MOST_UNKNOWNS = 200, STEPS = 3 };

static void expect(bool law)
{
    if (!law) abort();
}

/* What is not well must have a reason. */
static kl_status told(kl_status status, const kl_diag *diag)
{
    expect(status == KL_OK || status == KL_E_MEMORY || kl_diag_failed(diag));
    return status;
}

static void move(const kl_model *m, kl_diag *diag)
{
    kl_simulation *s = NULL;
    const double  *values;
    if (told(kl_simulation_create(m, diag, &s), diag) != KL_OK) return;
    kl_status status = told(kl_simulation_start(s, diag), diag);
    double    until  = m->t0 + m->settings.end;
    for (int i = 0; status == KL_OK && i < STEPS && s->solver->s->t < until; i++) {
        double before = s->solver->s->t;
        status        = told(kl_simulation_step(s, until, diag), diag);
        if (status != KL_OK) break;
        expect(s->solver->s->t > before && s->solver->s->t <= until);
        for (int k = 0; k < m->nq; k++) expect(isfinite(s->solver->s->q[k]));
        for (int k = 0; k < m->nv; k++) expect(isfinite(s->solver->s->v[k]));
        status = told(kl_simulation_sample(s, diag, &values), diag);
    }
    kl_simulation_destroy(s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    /* names of files would be looked for on the disk */
    if (size > MOST_BYTES || memmem(data, size, "include", 7)) return 0;
    kl_diag   *diag   = kl_diag_create();
    kl_source *source = NULL;
    kl_model  *m      = NULL;
    if (told(kl_source_parse((const char *)data, size, "f.yaml", diag, &source), diag) == KL_OK &&
        told(kl_source_build(source, NULL, 0, diag, &m), diag) == KL_OK &&
        m->nv + m->nlam + m->nz < MOST_UNKNOWNS)
        move(m, diag);
    kl_model_destroy(m);
    kl_source_destroy(source);
    kl_diag_destroy(diag);
    return 0;
}
