/* What a time integrator offers: a const table of functions over its own state. All share the
 * solver's state, the same failure messages and statistics. A new one is a file and a line in
 * simulation.c. */
#ifndef KL_SOLVE_INTEGRATOR_H
#define KL_SOLVE_INTEGRATOR_H

#include "solve/solver.h"

typedef struct kl_statistics {
    long   steps, rejected;            /* accepted; given back for error or no convergence */
    long   iterations, factorizations; /* Newton iterations; matrices factored */
    long   evaluations;                /* of all elements */
    double least_step, largest_step;   /* [s] */
    double lost, supplied;             /* energy since the start [J] */
    double step;                       /* the last [s] */
    int    order;                      /* of the last step */
    int    limiting;                   /* body whose error limited the step last */
} kl_statistics;

/* The motion at a time within a step. */
typedef struct kl_look {
    kl_state *s;
    double   *a, *lambda; /* nv, nlam */
    bool      forces;     /* a and lambda were filled; else they have to be solved for */
    bool      near;      /* the state is interpolated between points on the constraints: it is to be
                             brought onto them */
    double    energy[2]; /* lost and supplied since the start [J] */
} kl_look;

typedef struct kl_integrator {
    const char *name;
    bool        quasi_static; /* a chain of equilibria: nothing moves or accelerates */
    /* The state in `x` is consistent, x->a and x->lambda belong to it. */
    kl_status (*create)(kl_solver *x, void **self);
    void (*destroy)(void *self);
    /* (Re)starts from the solver's state: after creation, after events. */
    kl_status (*begin)(void *self, kl_solver *x, kl_diag *diag);
    /* One accepted step, not beyond `until`. Leaves x->s, x->a, x->lambda at its end. */
    kl_status (*step)(void *self, kl_solver *x, double until, kl_statistics *count, kl_diag *diag);
    /* (optional) looks into the last step, whatever became of the solver's state since: the method's
     * own polynomial, or kl_between. Without it, a run steps onto every output time. */
    kl_status (*look)(void *self, kl_solver *x, double t, kl_look *out, kl_diag *diag);
    /* Stability keeps its steps so short that it goes over crossings at which forces keep their slopes */
    bool short_steps;
    /* (optional) takes the last step back: the solver's state, accelerations, multipliers and all of
     * its own are again as before it. Without it the integrator restarts there. */
    void (*back)(void *self, kl_solver *x);
    /* (optional) accelerations have a corner here: extrapolate nothing across. Without it the
     * integrator restarts at every crossing. */
    void (*bend)(void *self);
    /* (optional) higher derivatives jump here: looks into later steps must not use points before */
    void (*cut)(void *self);
    /* (optional) forces have jumped, x->a and x->lambda are those after it and everything is evaluated
     * there: goes on from them. Without it the integrator restarts. */
    void (*change)(void *self, const kl_solver *x);
    double (*next)(const void *self); /* with `bend`: length of the step that it would take [s] */
} kl_integrator;

extern const kl_integrator kl_generalized_alpha, kl_runge_kutta, kl_gear, kl_gear_index1,
    kl_load_steps, kl_central_differences;

/* Norm of an increment: the largest translation over the model's length and rotation in radian; its
 * body in *which. */
double kl_increment_norm(const kl_model *m, const double *dx, int *which);
/* Of one body; HUGE_VAL where a number is not one. */
double kl_body_increment_norm(const kl_model *m, int body, const double *dx);

/* What the error of first-order state k is measured by: the largest it has been, and no less than the
 * size that its element gives, so that states which rest at zero do not hold up a run. */
double kl_state_scale(const kl_model *m, int k, double largest);

/* Largest angular velocity of a body [rad/s]. No step turns a body by more than a radian, or joints
 * that count turns would lose some. */
double kl_fastest_turn(const kl_model *m, const double *v);

/* Does a driver ask for velocities without limit at the state last evaluated? Then it says so. */
bool kl_dead_point(const kl_solver *x, kl_diag *diag);

/* Does an element say that its description ends at the state last evaluated, as one that turns inside
 * out? Then the message names it. */
bool kl_stopped_by_element(const kl_solver *x, kl_diag *diag);

/* The step became too small: when, who limits it, the energies, what to try. */
kl_status kl_step_failed(kl_solver *x, double h, const kl_statistics *count, const char *why,
                         kl_diag *diag);

/* Powers lost and supplied [W] at the last two ends of steps, and the step between [s]; 0: only one
 * is known. Starts zeroed. */
typedef struct kl_powers {
    double now[2], before[2], h;
    double lost; /* energy lost in the last step [J] */
    double
        rough; /* how uncertain that is: the part that the bend of the power has, or may have [J] */
    bool begun;
} kl_powers;
/* Adds the energies lost and supplied over a step that ends at the state last evaluated: by the
 * parabola through the last three powers, the trapezoidal rule after a start. */
void kl_count_energy(const kl_solver *x, double h, kl_powers *power, kl_statistics *count);

#endif
