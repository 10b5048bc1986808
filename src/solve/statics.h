/* Equilibrium: positions, states z and multipliers at which nothing accelerates.
 *
 *   g(q, v, z) + s = Phi_q' lambda,   Phi(q) = 0,   z' = 0        v = 0, or the velocities given
 *
 * Newton on (K + mu M) with a small mu where the stiffness alone does not point downhill, and a
 * line search along each step; where that fails, dynamic relaxation: the model is let go, and
 * stopped whenever its kinetic energy passes a peak. */
#ifndef KL_SOLVE_STATICS_H
#define KL_SOLVE_STATICS_H

#include "solve/solver.h"

typedef struct kl_equilibrium {
    kl_vec3 omega;      /* out: rad/s, of the axes in which it is steady; zero: those at rest */
    bool    moving;     /* in: keep the velocities (steady motion) instead of rest */
    bool    relax;      /* in: begin with dynamic relaxation, as if Newton had failed */
    int     judged;     /* in: velocities up to which stability is judged; 0: 900 */
    int     iterations; /* Newton steps taken */
    int     peaks;      /* of dynamic relaxation; 0: it was not needed */
    double
        residual_acceleration; /* largest acceleration left, over gravity (or the largest at the start) */
    int residual_body;
    int unstable; /* growing motions; -1: not looked at (too large) */
} kl_equilibrium;

/* From the assembled state in `x` to an equilibrium near it, downhill. An equilibrium at the start
 * is kept even when it is unstable, which is said as a warning. x->lambda holds its multipliers and
 * x->a is zero. KL_E_STEP when there is none: the diag names what still accelerates. */
kl_status kl_find_equilibrium(kl_solver *x, kl_equilibrium *e, kl_diag *diag);

#endif
