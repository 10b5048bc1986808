/* Evaluation by parts within the iterations of one step: the elements of bodies that have settled are not
 * evaluated again. */
#ifndef KL_SOLVE_PARTIAL_EVALUATION_H
#define KL_SOLVE_PARTIAL_EVALUATION_H

#include "solve/integrator.h"

typedef struct kl_partial {
    bool           used;      /* false: each evaluation is of all elements */
    double        *unseen;    /* nbody: what each has changed since its elements were evaluated */
    unsigned char *unsettled; /* nbody */
    unsigned char
        *settled;        /* nlam: constraints that were not evaluated, whose residuals are zero */
    unsigned char *slow; /* nbody: settled late in the last step */
    double         evaluated; /* part of an evaluation of all elements that is not yet counted */
} kl_partial;

/* What an iteration is about to evaluate. */
typedef struct kl_iterate {
    const kl_state *s;
    const double   *a, *lambda, *z_dot; /* accelerations, multipliers and z' of the method */
    double          speed;              /* estimated factor from one change to the next */
    double          limit;              /* what may be left of a change */
    int             iteration;          /* 0: nothing has been evaluated in this step yet */
    bool            all;                /* all elements are wanted */
} kl_iterate;

/* False when out of memory. */
bool kl_partial_create(kl_partial *p, const kl_model *m, kl_arena *arena, bool used);

/* Elements and residual x->y at an iterate; evaluations are counted. */
kl_status kl_partial_evaluate(kl_partial *p, kl_solver *x, const kl_iterate *at,
                              kl_statistics *count);

/* Adds `share` of the change y that an iteration has just made. */
void kl_partial_note(kl_partial *p, const kl_model *m, const double *y, double share);

#endif
