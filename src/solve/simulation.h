/* A model in motion: start, steps, samples. What the command line, the library's users and tests
 * drive. */
#ifndef KL_SOLVE_SIMULATION_H
#define KL_SOLVE_SIMULATION_H

#include "dynamics/channels.h"
#include "solve/chatter.h"
#include "solve/events.h"
#include "solve/integrator.h"
#include "solve/method_choice.h"
#include "solve/method_trial.h"

typedef struct kl_simulation {
    const kl_model      *model;
    kl_solver           *solver;
    const kl_integrator *integrator;
    void                *self; /* of the integrator */
    kl_channels         *channels;
    kl_statistics        count;
    double              *a, *lambda; /* of samples: exact at the state */
    kl_state            *between;    /* where a sample within a step is taken */
    kl_events           *events;
    kl_chatter          *chatter;
    kl_state            *before; /* start of the present step, for when it is given back */
    kl_expression       *ending; /* ends the run where it becomes true; NULL: none */
    double              *memory; /* of it */
    bool                 truth;  /* of it at the end of the last step */
    bool                 ended;  /* it became true with the last step */
    bool                 anew;   /* the integrator must start anew before the next step */
    kl_arena            *arena;
    int                 *reported; /* nelement + nbody: notices of each that were reported */
    bool automatic; /* the integrator is chosen, and changed when another would do with less */
    const char        *bound;   /* if so: why it must stay generalized-alpha; NULL: it need not */
    kl_method_scratch *scratch; /* of the choice */
    kl_diag           *quiet;   /* takes the messages of steps that another method repeats */
    kl_method_watch    watch;
    kl_method_trial    trial[2];    /* beside Runge-Kutta, beside generalized-alpha */
    double             latest;      /* length of the last step, until it was looked at [s] */
    int                changes;     /* of the integrator so far */
    char               chosen[160]; /* why it is the one that it is; "": it was given */
    double             fingerprint; /* of the model: saved states carry it */

    /* progress of a run */
    double   begin;      /* time of its first row [s] */
    long     row;        /* next row; 0: not started */
    double   checkpoint; /* interval [s]; 0: none. Set before the run starts */
    long     mark;       /* next checkpoint, counted from 1 */
    double   total;      /* energy with what was lost and supplied at the first row; NAN: unknown */
    double   liveliest;  /* largest kinetic energy of a row [J] */
    kl_drift worst;      /* largest gaps of a row */
} kl_simulation;

/* Does its run find a chain of equilibria, in which nothing accelerates? */
bool kl_is_quasi_static(const kl_model *m);

kl_status kl_simulation_create(const kl_model *m, kl_diag *diag, kl_simulation **out);
void      kl_simulation_destroy(kl_simulation *s);

/* Assembles the start and readies the integrator. */
kl_status kl_simulation_start(kl_simulation *s, kl_diag *diag);
/* After forces or drivers jumped (a corner, an input set from outside): velocities that drivers
 * change at once, accelerations; the integrator starts anew. */
kl_status kl_simulation_jump(kl_simulation *s, kl_diag *diag);
/* The same after positions, states or history were changed from outside: events start from the new state
 * too. */
kl_status kl_simulation_move(kl_simulation *s, kl_diag *diag);
/* After inputs were set: as a jump, but an integrator that is able to keeps its matrix and its step.
 */
kl_status kl_simulation_input(kl_simulation *s, kl_diag *diag);
/* One accepted step, not beyond `until`; repeat while s->solver->s->t < until. */
kl_status kl_simulation_step(kl_simulation *s, double until, kl_diag *diag);
/* Values of all channels at the present state. */
kl_status kl_simulation_sample(kl_simulation *s, kl_diag *diag, const double **values);

enum { KL_MOST_ROWS = 1000000000 }; /* of a run: more would fill any disk */

/* Receiver of the rows of a run, which may also stop it. */
typedef struct kl_sink {
    void *context;
    /* values of the channels that kl_channels_want asked for; without that call, of all */
    kl_status (*row)(void *context, double t, const double *values);
    bool (*continue_run)(void  *context,
                         double t); /* after each step; false: stop now. May be NULL */
    /* takes a checkpoint of kl_simulation_pack_size() numbers; rows so far have been handed over.
     * May be NULL */
    kl_status (*checkpoint)(void *context, const double *pack);
} kl_sink;

/* A checkpoint: all that a run needs to go on. At each one, in every run with that setting, the
 * integrator starts anew and matrices forget their pivots, so that a run that was cut there and one
 * that was not give the same bits. */
int  kl_simulation_pack_size(const kl_simulation *s);
void kl_simulation_pack(const kl_simulation *s, double *pack);
/* Into a fresh simulation of the same model, instead of a start. */
kl_status kl_simulation_resume(kl_simulation *s, const double *pack, int n, kl_diag *diag);

/* From start (or from where it was resumed) to `end` with rows each `every`. KL_E_INTERRUPTED when
 * continue_run said no; rows so far have been handed over. */
kl_status kl_simulation_run(kl_simulation *s, double end, double every, const kl_sink *sink,
                            kl_diag *diag);

#endif
