/* A model at one running speed after the other: its least damped motion, and the motion that is left
 * after a while (a limit cycle, or rest). The speed is a parameter of the model. */
#ifndef KL_CLI_HUNTING_H
#define KL_CLI_HUNTING_H

#include "cli/analysis.h"

typedef struct kl_hunting {
    const kl_source *source;
    kl_override     *set; /* all changes; the last one is the speed */
    int              nset;
    char             value[64];
    char start[64]; /* value of the parameter of the start, which is set[nset], behind all others */
    bool centred;   /* there is one: equilibria are looked for with the value 0 */
    const char *channel;   /* whose amplitude counts; NULL: the first `shift` */
    double      tolerance; /* of the integrator, where smaller than the model's; 0: the model's */
    double      kick;      /* lateral velocity given to all bodies at the start [m/s] */
    double      settle;    /* time that a motion gets at each speed [s] */
    kl_diag    *diag;

    /* the motion that is carried from speed to speed; NULL: none yet */
    double *q, *v, *v0, *z, *h; /* coordinates, velocities, those of the start at that speed, ... */
    int     nq, nv, nz, nh;
} kl_hunting;

/* A model and its simulation at one speed. */
typedef struct kl_ride {
    kl_model      *m;
    kl_simulation *s;
} kl_ride;

kl_status kl_ride_open(kl_hunting *k, double speed, kl_ride *r);
void      kl_ride_close(kl_ride *r);
/* Index of the channel whose amplitude counts. */
kl_status kl_hunting_channel(const kl_hunting *k, const kl_ride *r, int *index);

/* Eigenvalue with the largest real part at the steady motion, neutral ones left out. */
kl_status kl_hunting_growth(kl_hunting *k, double speed, double *growth, double *frequency);

typedef struct kl_cycle {
    double amplitude; /* half of largest less smallest value over the last third [m] */
    double frequency; /* of crossings of the mean [Hz]; 0: none */
    double travel;    /* half of largest less smallest value over the whole time [m] */
    double change;    /* of the amplitude, last third against the one before, relative */
} kl_cycle;

/* Lets the model run for `settle`, from the start or from the motion left by the last call. */
kl_status kl_hunting_cycle(kl_hunting *k, double speed, kl_cycle *out);

/* Cycle after cycle of one run from the model's start. */
enum { KL_CYCLES_MOST = 400 };
typedef struct kl_swings {
    int    n;
    double amplitude[KL_CYCLES_MOST]; /* half of largest less smallest value of each cycle [m] */
    double time[KL_CYCLES_MOST];      /* at which it ends [s] */
    bool   grown;                     /* it left the range upwards, or was growing at the end */
} kl_swings;

/* Runs from the start with the parameter of the start set to `start`, until the amplitude leaves the
 * range from `low` to `high` [m], for `settle` at most. */
kl_status kl_hunting_swings(kl_hunting *k, double speed, double start, double low, double high,
                            kl_swings *out);

/* An unstable limit cycle: the motion between starts that come to rest and starts that grow. */
typedef struct kl_edge {
    double amplitude, frequency; /* [m], [Hz] */
    double multiplier;           /* by which a deviation grows in one cycle */
} kl_edge;

/* Between no start value and `most`, which must grow to the stable limit cycle of amplitude `high`.
 * false in `found`: no start below `most` comes to rest. */
kl_status kl_hunting_edge(kl_hunting *k, double speed, double most, double rest, double high,
                          kl_edge *out, bool *found);

/* Forgets the motion: the next run begins at the model's start. */
void kl_hunting_discard_copy(kl_hunting *k);

/* A copy of the motion, to be restored later; the caller frees it. NULL: none, or out of memory. */
double *kl_hunting_copy(const kl_hunting *k);
void    kl_hunting_restore(kl_hunting *k, const double *copy);

#endif
