/* Channels: everything that can be recorded of a model, by name and unit: `crank.position.x`,
 * `pivot.force.x`, `energy.total`, and what the model file asks for under `outputs`.
 *
 * A part of them is recorded: by default, or as `run: {record: }` chooses; all can be used in
 * expressions. The rows of a run evaluate only what is recorded and what expressions read. */
#ifndef KL_DYNAMICS_CHANNELS_H
#define KL_DYNAMICS_CHANNELS_H

#include "dynamics/work.h"
#include "script/expression.h"

typedef struct kl_channel {
    const char *name, *unit, *description;
    kl_dim      dim;
    bool        recorded, own; /* own: defined under `outputs` */
} kl_channel;

typedef struct kl_channels kl_channels;

/* What is not in the work area. */
typedef struct kl_moment {
    const double *a, *lambda;     /* accelerations and multipliers of the state */
    double        lost, supplied; /* energy since the start [J] */
    double        step;           /* of the integrator, the last [s] */
    int           order;          /* of its formula */
} kl_moment;

/* Errors in expressions go to `diag`. */
kl_status kl_channels_create(const kl_model *m, kl_diag *diag, kl_channels **out);
void      kl_channels_destroy(kl_channels *c);

int               kl_channels_count(const kl_channels *c);
const kl_channel *kl_channels_at(const kl_channels *c, int i);
int               kl_channels_find(const kl_channels *c, const char *name); /* -1 */

/* A results file has this channel, whatever `run: {record: }` chooses. */
void kl_channels_record(kl_channels *c, int channel);

/* An expression over all channels and parameters; lives as long as `c`. Compile before
 * kl_channels_want, so that rows have what it reads. */
kl_status kl_channels_compile(kl_channels *c, const char *text, kl_place place, kl_diag *diag,
                              kl_expression **out);
/* Its value at what kl_channels_eval computed last. `memory`: of kl_expression_nmemory numbers. */
double kl_channels_value(const kl_channels *c, const kl_expression *e, double *memory);

/* Values of all channels at the state that `w` was evaluated at. The pointer stays valid until the
 * next call. */
const double *kl_channels_eval(kl_channels *c, const kl_model *m, const kl_state *s, kl_work *w,
                               const kl_moment *now);

/* The same for a row: only the bodies, elements and sums that kl_channels_want asked for; all others
 * keep their old values. */
const double *kl_channels_row(kl_channels *c, const kl_model *m, const kl_state *s, kl_work *w,
                              const kl_moment *now);
/* Rows need these n channels, what the model's outputs and compiled expressions read, the errors of the
 * constraints, and the energies where `energy`. Before that, and after kl_channels_want_all, rows have all. */
void kl_channels_want(kl_channels *c, const int *channel, int n, bool energy);
void kl_channels_want_all(kl_channels *c);
/* What a row reads besides the motion of the bodies, as bits: the elements must have been evaluated;
 * accelerations and multipliers must be known; energies of the system are among it; measures of bodies are. */
enum {
    KL_READS_FORCES        = 1,
    KL_READS_ACCELERATIONS = 2,
    KL_READS_ENERGY        = 4,
    KL_READS_MEASURES      = 8
};
unsigned kl_channels_reads(const kl_channels *c);
/* Of each element: does a row read it? NULL: it reads sums over all of them. */
const unsigned char *kl_channels_elements(const kl_channels *c);

/* The numbers of the whole system, as evaluated last. */
typedef struct kl_system_values {
    double kinetic, potential; /* [J] */
    double lost;               /* dissipated since the start, by yielding too [J] */
    double balance;            /* with all that was lost, less what was supplied [J] */
    double position, rotation; /* largest gaps of constraints [m], [rad] */
    double rate;               /* largest rate at which one is left [m/s, rad/s] */
} kl_system_values;
kl_system_values kl_channels_system(const kl_channels *c);

#endif
