/* The motion within a step from what is known at its ends: dense output for integrators that have
 * no polynomial of their own.
 *
 *   q      Hermite's quintic: through q, q', q'' of both ends where accelerations are exact, else
 *          through q and q' of the last three points; the cubic of both ends where there is no third
 *   v, z   Hermite's cubic through values and rates of both ends
 *
 * Velocities are not the derivative of the quintic: a second-order method leaves q and v of
 * neighbouring points consistent only to its local error e, and the derivative would be off by
 * 2 e/h. Among themselves they are off by (w h)^4/384 for motions of frequency w. */
#ifndef KL_SOLVE_BETWEEN_H
#define KL_SOLVE_BETWEEN_H

#include "model/model.h"

/* A step; all numbers are borrowed. */
typedef struct kl_step {
    const kl_state *start, *end;
    const kl_state *older;    /* the point before the start; NULL: none that is of use */
    const double   *a[2];     /* nv: accelerations at start and end */
    const double   *z_dot[2]; /* nz */
    bool            exact;    /* the accelerations belong to the states to many digits */
} kl_step;

typedef struct kl_between kl_between;

kl_between *kl_between_create(const kl_model *m); /* NULL when out of memory */
void        kl_between_destroy(kl_between *b);
/* There is a new step. */
void kl_between_renew(kl_between *b);
/* The state at t within the step; history and inputs are those of the end. The first call after
 * kl_between_renew prepares the polynomials, later ones only evaluate them. */
void kl_between_state(kl_between *b, const kl_step *k, double t, kl_state *s);

#endif
