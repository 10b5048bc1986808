/* Catenary and lumped pantographs over time, coupled in one of two ways:
 *
 * one system: every step solves wires, pantographs and contact together (catenary/collection.h);
 * co-simulation: two solvers with steps of their own exchange values every `exchange` seconds, more or
 * less often than the catenary steps. The
 * catenary computes the contact force for heads whose motion is predicted; the pantographs then move
 * under that force; both are repeated until they agree (Ambrosio, multidisciplinary multibody,
 * figures 16 and 17). What the remaining disagreement does to the energy is reported. */
#ifndef KL_CATENARY_COUPLING_H
#define KL_CATENARY_COUPLING_H

#include "catenary/collection.h"
#include "cosim/subsystem.h"

/* Where pantographs are at time t and what acts on them; fills one entry for each. */
typedef void (*kl_collector_drive)(const void *context, double t, kl_collector_input *in);

typedef struct kl_coupling_options {
    bool   cosim;
    double step;       /* of the catenary [s] */
    double exchange;   /* of co-simulation [s] */
    double own;        /* longest step of the pantographs in co-simulation [s] */
    int    iterations; /* of an exchange at most */
} kl_coupling_options;

typedef struct kl_coupling {
    kl_collection        *c; /* of one system; of co-simulation: with prescribed heads */
    const kl_collector   *collector;
    int                   n;
    double                interval; /* of one call of kl_coupling_step [s] */
    bool                  cosim;
    int                   substeps;  /* of the pantographs in an exchange */
    int                   exchanges; /* in a step of the catenary; 0 or 1: it steps in each one */
    kl_pantograph_stepper own[KL_MOST_PANTOGRAPHS];
    kl_pair               pair;
} kl_coupling;

/* `collector` is borrowed; everything else lives in the arena. */
kl_status kl_coupling_create(const kl_line *line, const kl_collector *collector, int n,
                             const kl_coupling_options *options, kl_arena *arena, kl_diag *diag,
                             kl_coupling **out);

/* What moves the pantographs. */
typedef struct kl_coupling_motion {
    kl_collector_drive drive;
    const void        *context;
} kl_coupling_motion;

int       kl_coupling_state_size(const kl_coupling *k);
kl_status kl_coupling_start(const kl_coupling *k, kl_coupling_motion m, double t, double *state,
                            kl_diag *diag);
/* From t to t + interval. */
kl_status kl_coupling_step(const kl_coupling *k, kl_coupling_motion m, double t, double *state);

const kl_collector_output *kl_coupling_output(const kl_coupling *k, const double *state, int i);
const double              *kl_coupling_line(const kl_coupling *k, const double *state);
const double              *kl_coupling_masses(const kl_coupling *k, const double *state, int i);
/* Energy that the exchange has produced so far, and iterations of the last one. */
double kl_coupling_energy_error(const double *state);
int    kl_coupling_iterations(const double *state);

#endif
