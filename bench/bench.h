/* What the benchmarks share: the clock, and a model from its source to the end of a run. They end the program when something fails. */
#ifndef KL_BENCH_H
#define KL_BENCH_H

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "language/build.h"
#include "solve/simulation.h"

/* processor time of this process [s] */
static inline double bench_now(void) { return (double)clock() / CLOCKS_PER_SEC; }

/* A model that is ready to run. */
typedef struct bench_job {
    kl_diag       *diag;
    kl_source     *source;
    kl_model      *model;
    kl_simulation *s;
} bench_job;

typedef struct bench_outcome {
    double seconds;
    long   steps, iterations, evaluations, factorizations;
} bench_outcome;

_Noreturn static inline void bench_stop(const kl_diag *d)
{
    for (int i = 0; i < kl_diag_size(d); i++) fprintf(stderr, "%s\n", kl_diag_at(d, i)->text);
    exit(1);
}

/* Takes diagnostics and source over; `adjust` may change the settings, NULL: nobody does. */
static inline bench_job bench_load(kl_diag *d, kl_source *source, const kl_override *set, int n,
                                   void (*adjust)(kl_settings *s, const void *context),
                                   const void *context)
{
    bench_job j = {.diag = d, .source = source};
    if (!source || kl_source_build(source, set, n, d, &j.model) != KL_OK) bench_stop(d);
    if (adjust) adjust(&j.model->settings, context);
    if (kl_simulation_create(j.model, d, &j.s) != KL_OK) bench_stop(d);
    return j;
}

/* Steps to `end`: processor time of the steps, without assembly at the start. */
static inline bench_outcome bench_run(bench_job *j, double end)
{
    if (kl_simulation_start(j->s, j->diag) != KL_OK) bench_stop(j->diag);
    double start = bench_now();
    while (j->s->solver->s->t < end)
        if (kl_simulation_step(j->s, end, j->diag) != KL_OK) bench_stop(j->diag);
    return (bench_outcome){.seconds        = bench_now() - start,
                           .steps          = j->s->count.steps,
                           .iterations     = j->s->count.iterations,
                           .evaluations    = j->s->count.evaluations,
                           .factorizations = j->s->count.factorizations};
}

static inline void bench_release(bench_job *j)
{
    kl_simulation_destroy(j->s);
    kl_model_destroy(j->model);
    kl_source_destroy(j->source);
    kl_diag_destroy(j->diag);
}

#endif
