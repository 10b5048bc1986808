/* Which of two integrators suits a model now: Runge-Kutta of order 8 for smooth motion, generalized-alpha
 * for stiff forces and flexible bodies. Behind `integrator: {type: auto}`.
 *
 * A step of Runge-Kutta costs about as much as COST steps of generalized-alpha (13 evaluations with a
 * matrix each, against two or three iterations with a kept one). So what counts is how long steps may be:
 *
 *   generalized-alpha   h^3 |v''| error = tolerance
 *   Runge-Kutta         h = min(accuracy: a share of the time in which the motion changes,
 *                               stability: reach over the largest rate of the equations)
 */
#ifndef KL_SOLVE_METHOD_CHOICE_H
#define KL_SOLVE_METHOD_CHOICE_H

#include "solve/integrator.h"

/* Why only generalized-alpha will do for this model, in words; NULL: either may. */
const char *kl_method_bound(const kl_model *m);

/* Local tolerance of a method for errors of positions over a run of about `accuracy`, relative to the size
 * of the model: measured on the examples (docs/guide/integrators.md). */
double kl_method_for_accuracy(int integrator, double accuracy);

/* Tolerance of Runge-Kutta that gives the errors that generalized-alpha has with this one: its errors
 * over a run are of the order of the local ones to the power 2/3. */
double kl_method_tolerance(double tolerance);

/* Scratch of the looks below, so that none of them allocates. */
typedef struct kl_method_scratch kl_method_scratch;
kl_method_scratch *kl_method_scratch_create(const kl_model *m); /* NULL when out of memory */
void               kl_method_scratch_destroy(kl_method_scratch *w);

/* What the steps of both would be at the solver's state [s]; the state comes back as it was. */
typedef struct kl_method_steps {
    double alpha, runge_kutta;
    double now;  /* of generalized-alpha for the jerk at this state alone: a run sees more */
    double rate; /* largest rate of the equations [1/s]: how stiff they are */
} kl_method_steps;
/* Is Runge-Kutta the cheaper one? */
bool      kl_method_smooth(const kl_method_steps *at);
kl_status kl_method_measure(kl_method_scratch *w, kl_solver *x, double tolerance, bool stiffness,
                            kl_method_steps *out);

/* Watches a run and says when the other method would do with less. Starts zeroed. */
typedef struct kl_method_watch {
    long   steps;    /* since the last look */
    double span;     /* [s] that they took */
    double alpha[3]; /* steps that generalized-alpha would take, of the last looks [s] */
    int    looks;
    double mean;     /* step between the last two looks [s] */
    double means[3]; /* the same, of the last looks [s] */
    double rival;    /* that of Runge-Kutta, before it was given up [s]; 0: not known */
} kl_method_watch;
/* Are the steps of Runge-Kutta so short that generalized-alpha may do with less? Only where they are even, held by
 * the stability of the method: short steps across a singular position tell nothing about those that follow. */
bool kl_method_is_near(const kl_method_watch *w);
/* After a step of length h. True: change the method; `why` gives the reason. */
bool kl_method_is_inefficient(kl_method_watch *w, kl_method_scratch *scratch, kl_solver *x,
                              double tolerance, double h, bool runge_kutta, char *why, size_t size);

#endif
