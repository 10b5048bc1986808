/* Preload: free lengths of springs (or preloads of bushings) that make the given position an
 * equilibrium.
 *
 * With the position fixed the forces are linear in the free lengths l of linear springs:
 * Z'(g(l) + s) = 0, Z the null space of Phi_q. Of all solutions that with the least forces is
 * taken; a few Newton steps serve springs with a characteristic. */
#ifndef KL_SOLVE_PRELOAD_H
#define KL_SOLVE_PRELOAD_H

#include "solve/solver.h"

typedef struct kl_preloaded {
    int         element;
    const char *key, *unit;    /* "length", "m" */
    double      before, value; /* SI */
} kl_preloaded;

typedef struct kl_preload {
    kl_arena     *arena;
    kl_preloaded *item;
    int           n;
} kl_preload;

/* At the assembled state in `x`, at rest. KL_E_MODEL when no choice balances it: what is left is
 * named. */
kl_status kl_find_preload(kl_solver *x, kl_diag *diag, kl_preload **out);
void      kl_preload_destroy(kl_preload *p);

#endif
