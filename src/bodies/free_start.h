/* What rigid and flexible bodies share, whose first coordinates are those of a free frame (position,
 * Euler parameters; velocity, angular velocity in the body): start values as model files give them,
 * and how rotation increments add. */
#ifndef KL_BODIES_FREE_START_H
#define KL_BODIES_FREE_START_H

#include "base/vec.h"

typedef struct kl_free_start {
    const double  *position, *velocity, *omega; /* three each */
    const kl_mat3 *orientation;
    bool           in_body; /* velocity and omega are given in body axes, else global */
    int            fixed;   /* bits: position, orientation, velocity, omega */
} kl_free_start;

/* Into q (7), v (6) and the flags of values that assembly must keep (6 each). */
void kl_free_start_write(const kl_free_start *s, double *q, double *v, unsigned char *held_position,
                         unsigned char *held_velocity);

/* `carry` of such a body with nv velocities: D = diag(I, T(dpi)^-1, I), T the tangent of the
 * exponential map. */
void kl_free_carry(const double *dx, bool transposed, double *x, int n, int nv);

#endif
