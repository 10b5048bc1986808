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
    const char      *channel; /* whose amplitude counts; NULL: the first `shift` */
    double           settle;  /* time that a motion gets at each speed [s] */
    kl_diag         *diag;

    /* the motion that is carried from speed to speed; NULL: none yet */
    double *q, *v, *v0, *z, *h; /* coordinates, velocities, those of the start at that speed, ... */
    int     nq, nv, nz, nh;
} kl_hunting;

/* Eigenvalue with the largest real part at the steady motion, neutral ones left out. */
kl_status kl_hunting_growth(kl_hunting *k, double speed, double *growth, double *frequency);

typedef struct kl_cycle {
    double amplitude; /* half of largest less smallest value over the last third [m] */
    double frequency; /* of crossings of the mean [Hz]; 0: none */
    double change;    /* of the amplitude, last third against the one before, relative */
} kl_cycle;

/* Lets the model run for `settle`, from the start or from the motion left by the last call. */
kl_status kl_hunting_cycle(kl_hunting *k, double speed, kl_cycle *out);

/* Forgets the motion: the next run begins at the model's start. */
void kl_hunting_forget(kl_hunting *k);

/* A copy of the motion, for going back to it; the caller frees it. NULL: none, or out of memory. */
double *kl_hunting_copy(const kl_hunting *k);
void    kl_hunting_put(kl_hunting *k, const double *copy);

#endif
