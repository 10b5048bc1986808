/* One method on trial beside another (`type: auto`): Gear's beside generalized-alpha, whose high order takes steps so
 * long in a stiff model that moves smoothly that they outweigh their cost (the flyball governor runs in half the
 * time); and generalized-alpha beside Runge-Kutta, where something in the motion holds explicit steps. No
 * look at one state tells that, so some steps of the guest are made, and the work of both is compared for the
 * same time of motion:
 *
 *   work = evaluations + price * matrices
 *
 * The price of a matrix in evaluations follows from the number of unknowns, bodies and elements and from the
 * operations of a factorisation: a beam of 48 elements without joints costs as much as a mechanism of many loops.
 * Work is counted and not timed, so that a run takes the same steps on every machine. */
#ifndef KL_SOLVE_METHOD_TRIAL_H
#define KL_SOLVE_METHOD_TRIAL_H

#include "solve/integrator.h"

/* Starts zeroed, and again whenever another method takes over for other reasons. */
typedef struct kl_method_trial {
    long   steps;    /* since the counts below */
    double t, work;  /* where counting began [s], and what had been done by then */
    double rival;    /* work of generalized-alpha for a second of motion; 0: not known */
    int    refused;  /* trials that did not pay */
    bool   begun;    /* counting has begun */
    bool   on, kept; /* the guest is at work; it has passed its trial */
} kl_method_trial;

typedef enum kl_method_verdict {
    KL_METHOD_STAYS,
    KL_METHOD_TRIES, /* the host has made enough steps for a comparison: go on with the guest */
    KL_METHOD_KEEPS, /* the guest does with less: said once */
    KL_METHOD_LEAVES /* it does not, or no longer */
} kl_method_verdict;

/* Tolerance of Gear's method that gives the errors that generalized-alpha has with this one. */
double kl_method_tolerance_of_gear(double tolerance);

/* Steps of a host before its first trial, which costs as much as some 500 steps of generalized-alpha or 20 of
 * Runge-Kutta. */
enum { KL_TRIAL_BESIDE_ALPHA = 3000, KL_TRIAL_BESIDE_RUNGE_KUTTA = 300 };
/* The same where estimates do not tell which of the two takes less. */
enum { KL_TRIAL_OF_NEAR_RIVAL = 48 };

double kl_method_price_of_matrix(const kl_model *m, const kl_matrix *x);

/* After a step, by the guest if `w->on`. `first`: steps of the host before the first trial. `pays`: work of the
 * guest over that of the host, where the verdict is about it. */
kl_method_verdict kl_method_compare(kl_method_trial *w, double price, double t,
                                    const kl_statistics *count, long first, double *pays);

#endif
