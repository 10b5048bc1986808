/* Gear's method on trial beside generalized-alpha (`type: auto`). Where a stiff model moves smoothly its high
 * order takes steps so long that they outweigh their cost: the flyball governor runs in half the time. No
 * look at one state tells that, so some steps of it are made, and the work of both is compared for the same time
 * of motion:
 *
 *   work = evaluations + price * matrices
 *
 * Work is counted and not timed, so that a run takes the same steps on every machine. */
#ifndef KL_SOLVE_METHOD_TRIAL_H
#define KL_SOLVE_METHOD_TRIAL_H

#include "solve/integrator.h"

/* Starts zeroed, and again whenever another method takes over for other reasons. */
typedef struct kl_method_trial {
    long   steps;       /* since the counts below */
    double t, work;     /* where counting began [s], and what had been done by then */
    double rival;       /* work of generalized-alpha for a second of motion; 0: not known */
    int    refused;     /* trials that did not pay */
    bool   begun, kept; /* counting has begun; Gear's method has passed its trial */
} kl_method_trial;

typedef enum kl_method_verdict {
    KL_METHOD_STAYS,
    KL_METHOD_TRIES_GEAR, /* generalized-alpha has made enough steps for a comparison */
    KL_METHOD_KEEPS_GEAR, /* it was tried and does with less: said once */
    KL_METHOD_LEAVES_GEAR
} kl_method_verdict;

/* Tolerance of Gear's method that gives the errors that generalized-alpha has with this one. */
double kl_method_tolerance_of_gear(double tolerance);

/* After a step. `gear`: it was one of Gear's method. `pays`: work of Gear's method over that of the other, where
 * the verdict is about it. */
kl_method_verdict kl_method_compare(kl_method_trial *w, const kl_model *m, double t,
                                    const kl_statistics *count, bool gear, double *pays);

#endif
