/* A model in motion: start, steps, samples. What the command line, the library's users and tests
 * drive. */
#ifndef KL_SOLVE_SIMULATION_H
#define KL_SOLVE_SIMULATION_H

#include "dynamics/channels.h"
#include "solve/integrator.h"

typedef struct kl_simulation {
    const kl_model      *model;
    kl_solver           *solver;
    const kl_integrator *integrator;
    void                *self; /* of the integrator */
    kl_channels         *channels;
    kl_statistics        count;
    double              *a, *lambda; /* of samples: exact at the state */
    kl_state            *between;    /* where a sample within a step is taken */
    kl_arena            *arena;
} kl_simulation;

kl_status kl_simulation_create(const kl_model *m, kl_diag *diag, kl_simulation **out);
void      kl_simulation_destroy(kl_simulation *s);

/* Assembles the start and readies the integrator. */
kl_status kl_simulation_start(kl_simulation *s, kl_diag *diag);
/* One accepted step, not beyond `until`; repeat while s->solver->s->t < until. */
kl_status kl_simulation_step(kl_simulation *s, double until, kl_diag *diag);
/* Values of all channels at the present state. */
kl_status kl_simulation_sample(kl_simulation *s, kl_diag *diag, const double **values);

enum { KL_MOST_ROWS = 1000000000 }; /* of a run: more would fill any disk */

/* What a run hands its rows to, and who may stop it. */
typedef struct kl_sink {
    void *context;
    kl_status (*row)(void *context, double t, const double *values);
    bool (*go_on)(void *context, double t); /* after each step; false: stop now. May be NULL */
} kl_sink;

/* From start to `end` with rows each `every`. KL_E_INTERRUPTED when go_on said no; rows so far have
 * been handed over. */
kl_status kl_simulation_run(kl_simulation *s, double end, double every, const kl_sink *sink,
                            kl_diag *diag);

#endif
