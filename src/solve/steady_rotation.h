/* Motion that is steady in axes which turn about a fixed line at a constant rate: a conical pendulum,
 * a governor at speed, a rotor whose unbalance bends it, a vehicle in a curve.
 *
 * In a steady motion all velocities turn with Omega: a = Omega x v, om' = Omega x om (global); a
 * body may spin further about an axis of its own if it looks the same all around. Perturbations y
 * in axes that do not turn, M y'' + C y' + K y, have coefficients that turn; with y = R(t) eta they
 * are constant:
 *
 *   M eta'' + (C + 2 M W) eta' + (K + C W + M W W) eta,   W = diag([Omega]) of all vectors. */
#ifndef KL_SOLVE_STEADY_ROTATION_H
#define KL_SOLVE_STEADY_ROTATION_H

#include "dynamics/tangents.h"
#include "solve/solver.h"

/* Omega [rad/s] of the axes in which the accelerations in `x` (evaluated, x->a solved) are nearest
 * to those of a steady motion; zero where axes at rest do as well. */
kl_vec3 kl_steady_rotation_find(const kl_solver *x);

/* What is left of the accelerations, like v (nv), global: zero in a steady motion. */
void kl_steady_rotation_residual(const kl_solver *x, kl_vec3 omega, double *left);

/* The state `time` later, if the motion is steady. */
void kl_steady_rotation_move(const kl_solver *x, kl_vec3 omega, double time, kl_state *s);

/* T (nv x nv, global axes) <- R T R', with R all vectors turned by `angle` (rad, a vector). */
void kl_steady_rotation_turn(const kl_model *m, kl_vec3 angle, double *T);

/* y' of eta while eta' is zero (nv each, global axes). */
void kl_steady_rotation_speed(const kl_model *m, kl_vec3 omega, const double *eta, double *y_dot);

/* C and K of y become those of eta. */
kl_status kl_steady_rotation_matrices(const kl_model *m, kl_vec3 omega, kl_tangents *t);

#endif
