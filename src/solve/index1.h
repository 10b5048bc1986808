/* The equations as an ordinary differential equation, for integrators that want y' = f(t, y):
 *
 *   y = (q, v, z, E),  q' = T(q) v,  v' = a of [M, Phi_q'; Phi_q, 0][a; lambda] = [g + s; gamma],
 *   z' = f_z,  E' = (power lost, power supplied)
 *
 * The constraints hold only through their second derivative (index 1), so what drifts is brought
 * back: by projection after each step, or by Baumgarte's terms in gamma. E rides along outside the
 * error test, so that energies lost and supplied are as good as the motion.
 *
 * The last accepted points are kept with y': a Hermite polynomial through up to seven of them gives
 * the motion between, of order fourteen where steps are even; positions through q, q' and q''. Points that
 * stand so unevenly that their errors would come out magnified are left out. */
#ifndef KL_SOLVE_INDEX1_H
#define KL_SOLVE_INDEX1_H

#include "solve/integrator.h"

enum { KL_INDEX1_POINTS = 12, KL_INDEX1_CHOSEN = 7, KL_INDEX1_NODES = 8 };

/* Softness of the matrices (kl_matrix_soften): eps = 1e-10 usually; 0.1 where only directions that
 * are held firmly count. */
static const double KL_INDEX1_SOFT = 10.0, KL_INDEX1_SOFTEST = 1e10;

/* An accepted point. */
typedef struct kl_point {
    double  t;
    double *y, *dy; /* n: y and y' */
    double *bend;   /* nq: q''; found when a row needs it */
    bool    bent;
} kl_point;

typedef struct kl_index1 {
    kl_solver *x;
    kl_arena  *arena;
    kl_state  *s;          /* where f is evaluated */
    double    *a, *lambda; /* of the last evaluation */
    double    *dx, *mix;   /* scratch: nv, n */
    double    *trial[3];   /* n: scratch of the choice of points */
    double    *z_scale;    /* nz: size of the first-order states so far */
    int        n;          /* of y */
    double     tolerance;
    double     floor; /* least tolerance near singular positions, where rounding errors are large */
    double
        total; /* energy, with what was lost and supplied, before a singular position; NAN: none */
    double     mass;      /* of all bodies [kg], for the weight of energies */
    double     pace;      /* 1/s: how fast the motion changes, for the weight of velocities */
    double     baumgarte; /* 1/s: time constant of Baumgarte's terms, 0: none */
    kl_point   point[KL_INDEX1_POINTS]; /* accepted, newest first */
    int        npoint;
    int        chosen[KL_INDEX1_CHOSEN], nchosen;   /* points of the polynomial; 0: to be chosen */
    int        bending[KL_INDEX1_CHOSEN], nbending; /* of that of positions */
    double    *more, *less;                         /* nq: scratch */
    kl_point   known;     /* where y' is known already: the end of a step, after its projection */
    double     energy[2]; /* lost and supplied before the start of E */
    bool       begun;     /* no step was accepted yet since the start */
    int        careful;   /* accepted steps for which f is still evaluated on the constraints */
    double     passed;    /* motion since the singular position was near [rad, or lengths] */
    bool       always;    /* so at every step: tolerances not far above rounding errors */
    double     near;      /* of kl_matrix_weakness: where a singular position counts as near */
    double     usual;     /* least of kl_matrix_weakness since the start */
    int        blocked;   /* evaluations for which no way across is looked for */
    double    *on;        /* n: scratch, y brought onto the constraints */
    double    *ahead;     /* nodes x (n + nv): y and v' before and behind a singular position */
    kl_matrix *firm;      /* of the accelerations, with hardly any softness */
    long       evaluations, factorizations; /* not counted yet */
    bool       failed; /* an element could not be evaluated since this was last cleared */
} kl_index1;

kl_status kl_index1_create(kl_solver *x, kl_index1 **out);
void      kl_index1_destroy(kl_index1 *i);

/* Starts from the solver's state: y of it, the first point. */
kl_status kl_index1_begin(kl_index1 *i, double *y);
/* dy = f(t, y). KL_RETRY where an element has no value; dy is then large, so that an error test
 * fails. */
kl_status kl_index1_rate(kl_index1 *i, double t, const double *y, double *dy);
/* Brings y onto the constraints, positions and velocities, where that asks for less than the error
 * allowed. */
kl_status kl_index1_project(kl_index1 *i, double t, double *y);
/* The parts of these: y onto the constraints, with all evaluated and factored there; a and lambda
 * of what is evaluated and factored; positions moved by increments. */
kl_status kl_index1_project_onto_constraints(kl_index1 *i, double t, double *y);
kl_status kl_index1_project_regularised(kl_index1 *i, double t, double *y);
kl_status kl_index1_accelerate(kl_index1 *i);
void      kl_index1_advance(const kl_model *m, const double *dx, double *q);
/* singular.c. Did the last accelerations come from near a singular position? a there, with i->on
 * the point it belongs to, from those before and behind it; KL_RETRY where that is no way. */
bool      kl_index1_weak(const kl_index1 *i);
double    kl_index1_near(double tolerance);
kl_status kl_index1_across(kl_index1 *i, double t, const double *y);
/* Takes y as accepted: history committed, solver's state, a and lambda set, the point kept. Returns
 * the step's length. */
double kl_index1_accept(kl_index1 *i, double t, const double *y, kl_statistics *count);
/* Takes the last accepted point back: y of the one before, which is known with its y' and i->a. */
void kl_index1_back(kl_index1 *i, double *y, bool begun);
/* The motion has a corner at the last accepted point: polynomials begin there. */
void kl_index1_cut(kl_index1 *i);
/* After that: says so where the energy shows that the mechanism left its branch in a singular
 * position. */
kl_status kl_index1_same_branch(kl_index1 *i, const kl_statistics *count, kl_diag *diag);
/* The same where the integrator's own equations gave v' and the multipliers: evaluates at y. */
kl_status kl_index1_accept_with(kl_index1 *i, double t, const double *y, const double *a,
                                const double *lambda, kl_statistics *count);
/* Evaluates y' at y, which a step is about to end at. */
kl_status kl_index1_settle(kl_index1 *i, double t, const double *y);
/* Evaluates all elements at y. */
kl_status kl_index1_evaluate(kl_index1 *i, double t, const double *y);
/* q' of all bodies from velocities, and velocities (or increments) from q'. */
void kl_index1_rates(const kl_model *m, const double *q, const double *v, double *q_dot);
void kl_index1_speeds(const kl_model *m, const double *q, const double *q_dot, double *v);
/* Error weights: 1 over what is allowed. */
void kl_index1_weights(kl_index1 *i, const double *y, double *weight);
/* No step may turn a body further than the joint angles can count. */
double kl_index1_longest(const kl_index1 *i);
/* Step in which the error of a method of second order, 0.084 h^3 |v''|, is half of what is allowed; v'' from
 * the last two points. `most` where there is only one since a corner, and at most. */
double kl_index1_second_order_step(kl_index1 *i, double most);
/* The state and energies of any y. */
void kl_index1_state(const kl_index1 *i, double t, const double *y, kl_state *s, double energy[2]);
/* The state at t within the last step. */
void kl_index1_interpolate(kl_index1 *i, double t, kl_state *s, double energy[2]);

#endif
