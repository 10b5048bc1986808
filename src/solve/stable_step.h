/* The longest stable step of explicit central differences at a state, 2/sqrt(L), where L is the greatest eigenvalue
 * of K + (4/h) C over the mass, on the constraints. Without damping it is 2/w with the highest natural
 * frequency w, which limits other methods that are stable for short steps only. */
#ifndef KL_SOLVE_STABLE_STEP_H
#define KL_SOLVE_STABLE_STEP_H

#include "solve/integrator.h"

typedef struct kl_stable_step {
    kl_state *kept;
    double   *dx, *shape, *before; /* nv */
    double   *lambda;              /* nlam */
} kl_stable_step;

/* Arrays live in the arena. */
kl_status kl_stable_step_open(kl_arena *a, const kl_model *m, kl_stable_step *e);
void      kl_stable_step_close(kl_stable_step *e);

/* At x->s, to which x->a belongs; the state comes back as it was, evaluations in x->w do not. *h becomes what was
 * found if that is shorter; HUGE_VAL: no limit within the run. */
kl_status kl_stable_step_find(kl_stable_step *e, kl_solver *x, bool damped, double *h,
                              kl_diag *diag);
/* The same from the shape that the last call has found, with less work. */
kl_status kl_stable_step_follow(kl_stable_step *e, kl_solver *x, bool damped, double *h,
                                kl_diag *diag);

#endif
