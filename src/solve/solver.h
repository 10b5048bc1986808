/* What all solvers share: the work area, the matrix and the vectors of one running model, and the
 * two solves that every analysis needs: assembly of the start values and accelerations with
 * reactions. */
#ifndef KL_SOLVE_SOLVER_H
#define KL_SOLVE_SOLVER_H

#include "dynamics/matrix.h"
#include "dynamics/work.h"

typedef struct kl_solver {
    const kl_model *model;
    kl_state       *s;
    kl_work        *w;
    kl_matrix      *matrix; /* of the integrator, kept over steps */
    kl_matrix      *mass;   /* of accelerations and projections */
    kl_arena       *arena;
    double         *a;          /* nv: v' of the current state */
    double         *lambda;     /* nlam: multipliers of the current state */
    double         *y;          /* 2 (nv + nz + nlam): right-hand sides and solutions */
    double         *rate;       /* nlam: scratch */
    unsigned char  *constrains; /* nelement: elements that have constraints */
    double          tolerance;  /* of the integrator: local error over length or radian */
} kl_solver;

kl_status kl_solver_create(const kl_model *m, kl_solver **out);
void      kl_solver_destroy(kl_solver *x);

/* Positions, then velocities, brought onto the constraints with the least change weighted by
 * inertia, dx' M dx (dynamics/matrix.h); never makes an assembled model worse. What cannot be closed is
 * named with its gap. What was moved by more than `tell` (relative) is reported as notes. */
kl_status kl_assemble(kl_solver *x, kl_diag *diag);

/* Brings velocities alone onto the constraints at the present position. */
kl_status kl_assemble_velocity(kl_solver *x, kl_diag *diag);

/* Evaluates the state and solves M a + Phi_q' lambda = g + s, Phi_q a = gamma; of all multipliers
 * the smallest where constraints repeat each other. Leaves the total wrenches (applied and
 * reactions) in the work area. */
kl_status kl_solve_acceleration(kl_solver *x, double *a, double *lambda, kl_diag *diag);

/* Brings x->s, which lies near the constraints and was evaluated, onto them: positions, then velocities, with
 * the least change weighted by inertia. For states that were interpolated; what cannot be evaluated on the way
 * stays as it is. `solved`: kl_solve_acceleration has just been called at this state, and its matrix serves. Returns
 * the gap that the state had, over the length of the model; elements are to be evaluated anew if it is not 0. */
double kl_solver_onto_constraints(kl_solver *x, bool solved);

/* Largest gaps of the constraints now: positions [m], rotations [rad]; and their rates. Evaluated
 * state needed. */
typedef struct kl_drift {
    double position, rotation, rate;
} kl_drift;
kl_drift kl_solver_drift(const kl_solver *x);

/* The messages of a state that cannot be evaluated, and of one whose accelerations are not
 * determined. They return the status of the message. */
kl_status kl_solver_evaluation_failed(const kl_solver *x, kl_status status, kl_diag *diag);
kl_status kl_solver_singular(const kl_solver *x, kl_diag *diag);

/* Name of the body or joint behind unknown `i` of the matrix. */
const char *kl_solver_unknown(const kl_model *m, int i);

#endif
