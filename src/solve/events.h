/* Places where equations change: corners of functions of time, and crossings that elements name
 * (contact begins, contact ends).
 *
 * A corner is known before: a step ends just before it and the next one begins on it, so that no
 * step ever mixes what was with what will be. A crossing is found afterwards: the step is given
 * back and repeated, shorter, until it ends beyond the crossing by less than the penetration
 * allowed (Ambrosio, challenges in multibody modelling, section 1.3.3; Flores and Ambrosio 2010).
 * After a corner and where forces jump the integrator starts anew. */
#ifndef KL_SOLVE_EVENTS_H
#define KL_SOLVE_EVENTS_H

#include "solve/integrator.h"

typedef struct kl_events {
    kl_arena    *arena;
    double      *corner; /* ascending [s] */
    int          ncorner;
    kl_crossing *start, *end; /* n: at both ends of the step */
    double      *bend; /* n: change of the rate over the last step, per second; NaN: unknown */
    bool        *hard; /* n: a step had to end there since the events began, if `mild` */
    signed char *side; /* n: sign of the value until it has crossed; 0: nowhere yet */
    int          n;
    const struct kl_function *
        *branched; /* functions of time with branches: corners found on the way */
    int  nbranched;
    const struct kl_function **hidden; /* that may begin to change without prior indication */
    int                        nhidden;
    double                    *tick; /* ascending [s]: no step goes beyond the next one */
    int                        ntick;
    const kl_model            *m;     /* for elements that step on their own */
    double                     found; /* the corner found last [s] */
    double           depth[3]; /* allowed beyond a crossing, by kl_crossing_unit [m, rad, s] */
    double           aim;      /* do not step beyond: a crossing is near; HUGE_VAL: none is known */
    double           beyond;   /* where it was seen to have crossed [s] */
    kl_crossing_kind kind;     /* the hardest of the crossings met last */
    bool   continues; /* the integrator continues across crossings at which forces do not jump */
    bool   lenient;   /* steps need not end at crossings where forces keep their slopes */
    int    hints; /* expected crossings that steps ended at and did not meet, one after the other */
    double hint;  /* where the last one was expected [s] */
    bool   halve; /* the next place of unknown rate is looked for by halves, not by the secant */
} kl_events;

kl_status kl_events_create(const kl_model *m, kl_events **out);
void      kl_events_destroy(kl_events *e);

/* The next corner after t: the last moment before it and the first one from it on. HUGE_VAL: none.
 * Corners that rounding cannot distinguish are one. */
typedef struct kl_corner {
    double before, after;
} kl_corner;
kl_corner kl_events_corner(const kl_events *e, double t);
/* The next time after t that no step may go beyond: an expression begins to change there, which a
 * long step from rest would not see. HUGE_VAL: none. */
double kl_events_tick(const kl_events *e, double t);
/* Times that are nearer than this to each other are one. */
double kl_events_near(double t);
/* The corner beside t that rounding cannot distinguish from it, or t. */
double kl_events_snap(const kl_events *e, double t);

/* The first corner of a branched function after t0, not after t1; HUGE_VAL: none. Then it is among
 * what kl_events_corner knows. */
double kl_events_branch(kl_events *e, const double *u, double t0, double t1);

/* Looks at the state anew, as if the run began here. */
void kl_events_begin(kl_events *e, kl_solver *x);

/* Where the next crossing after t is expected: by value, rate and change of rate. A step that ends
 * there need not be taken back. HUGE_VAL: none is near, or the last few were not met. */
double kl_events_ahead(kl_events *e, double t);

/* What the end of a step means. */
typedef enum kl_passing {
    KL_PASSED_NOTHING,
    KL_PASSED_CROSSING, /* at least one; e->kind is the hardest of those */
    KL_PASSED_TOO_FAR,  /* give the step back and do not step beyond e->aim */
} kl_passing;
/* After a step from t0 to the solver's state. */
kl_passing kl_events_check(kl_events *e, kl_solver *x, double t0);

#endif
