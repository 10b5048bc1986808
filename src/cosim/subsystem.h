/* Subsystems that step on their own: a solver behind a small table.
 *
 * All that changes in a subsystem is one block of numbers, so that whoever couples subsystems keeps
 * and restores it by copying, bit for bit. Inputs and outputs are numbers too; over a step the
 * inputs change from `from` to `to` as the subsystem itself thinks best (linear, cubic with given
 * rates). A catenary, a lumped pantograph, a multibody model or a program behind a socket all fit. */
#ifndef KL_COSIM_SUBSYSTEM_H
#define KL_COSIM_SUBSYSTEM_H

#include "base/diag.h"

typedef struct kl_subsystem_type {
    const char *name, *help;
    int (*state_size)(const void *data);
    /* from t to t + h: inputs at both ends in, outputs at the end out. On failure the state may be
     * anything: the caller has a copy */
    kl_status (*advance)(const void *data, double *state, double t, double h, const double *from,
                         const double *to, double *output);
} kl_subsystem_type;

typedef struct kl_subsystem {
    const kl_subsystem_type *type;
    const void              *data; /* const while it steps */
    int                      ninput, noutput;
} kl_subsystem;

/* Two subsystems, each of whose outputs are the other's inputs, exchanged every `step` seconds: the
 * first one starts from predicted inputs, the second one follows with its outputs; then the first
 * is repeated with what the second one found, until both agree (Gauss-Seidel). */
typedef struct kl_pair {
    kl_subsystem first, second; /* first.ninput = second.noutput and the reverse */
    double       step;          /* exchange interval [s] */
    int          iterations;    /* at most; 1: predicted values are taken as they are */
    double       tolerance;     /* largest change of the first one's inputs that counts as none */
    /* (optional) the inputs of the first one at t + h predicted from those at t; without it they
     * are kept */
    void (*predict)(const double *now, int n, double h, double *ahead);
} kl_pair;

/* Numbers that a pair needs beside the two states: exchanged values, copies for rollback. */
int kl_pair_size(const kl_pair *p);

/* What a step of a pair did. */
typedef struct kl_exchange {
    int    iterations;
    double mismatch; /* largest difference of what was predicted last and what came out */
} kl_exchange;

/* One exchange step. `block` holds kl_pair_size() numbers; begin it with kl_pair_begin(). */
void      kl_pair_begin(const kl_pair *p, double *block, const double *first_state,
                        const double *second_state, const double *first_input,
                        const double *second_input);
kl_status kl_pair_step(const kl_pair *p, double t, double *block, kl_exchange *report);

/* Parts of the block. */
double *kl_pair_first(const kl_pair *p, double *block);
double *kl_pair_second(const kl_pair *p, double *block);
double *kl_pair_first_input(const kl_pair *p, double *block);
double *kl_pair_second_input(const kl_pair *p, double *block);
double *kl_pair_assumed(const kl_pair *p, double *block); /* first inputs as last predicted */

#endif
