/* The linear model about a state: small motions p of the independent coordinates, constraints
 * eliminated exactly.
 *
 * Perturbations y are measured in axes that do not spin with a body: translations and rotations
 * both global, elastic coordinates as they are. With P = diag(I, A, I) of each body, dx = P' y,
 * dv = P' y', dv' = P'(y'' - W y') where W = diag(0, [om], 0), om global; so
 *
 *   Mp y'' + (P C P' - Mp W) y' + P K P' y + P Phi_q' dlambda = ...,   Phi_q P' y = 0,
 *   Mp = P M P'
 *
 * y = Z p with Z the null space of Phi_q P' leaves a system without multipliers. A rotor's
 * gyroscopic terms come out right, and its matrices are constant if it spins about an axis of
 * symmetry. A motion that goes round (a conical pendulum, an unbalanced rotor) is taken in axes that
 * go round with it, where its equations are constant (steady_rotation.h); what is steady in none is refused.
 *
 *   E x' = A x + B u,   w = C x + D u,     x = (p, p', z)
 *   E = diag(I, Z'Mp Z, I), maybe singular
 */
#ifndef KL_SOLVE_LINEARIZE_H
#define KL_SOLVE_LINEARIZE_H

#include "dynamics/channels.h"
#include "solve/solver.h"

typedef struct kl_linear {
    kl_arena    *arena;
    int          n, nz, nx;         /* coordinates p, states z, nx = 2 n + nz */
    int          nu, nw;            /* inputs, outputs */
    double      *E, *A, *B, *C, *D; /* row-major: nx x nx, nx x nx, nx x nu, nw x nx, nw x nu */
    double      *Z;                 /* nv x n: y = Z p */
    const char **state, **input, **output; /* names */
    const char **state_unit, **input_unit, **output_unit;
    double
        residual_acceleration; /* largest acceleration left at the state, over the gravity-like scale of
                          * the model: zero for an equilibrium or a steady motion */
    int     residual_body;
    kl_vec3 omega; /* rad/s: of the axes in which the motion is steady, zero: at rest (steady_rotation.h) */
} kl_linear;

/* About the state in `x`, assembled. `channels`: what w is made of (the model's own outputs, or all
 * recorded channels when it has none); NULL: no B, C, D. */
kl_status kl_linearize(kl_solver *x, kl_channels *channels, kl_diag *diag, kl_linear **out);
void      kl_linear_destroy(kl_linear *l);

/* Increment dx (nv, laid out like v) of a perturbation y of the state in `x`. */
void kl_linear_increment(const kl_model *m, const kl_work *w, const double *y, double *dx);

#endif
