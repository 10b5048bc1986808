/* All first derivatives of the equations of motion at one state, as dense matrices: what
 * linearisation and small studies want. The sparse iteration matrix of the integrators is matrix.h.
 *
 *   r = M a - s - g + Phi_q' lambda      z' = f
 *
 * by increments x and velocities v (laid out alike: dr global, dpi body-fixed) and by z. */
#ifndef KL_DYNAMICS_TANGENTS_H
#define KL_DYNAMICS_TANGENTS_H

#include "dynamics/assembler.h"

typedef struct kl_tangents {
    kl_arena *arena;
    int       nv, nz, nlam;
    /* row-major */
    double       *M, *K, *C;    /* nv x nv: mass; dr/dx at fixed a and lambda; dr/dv */
    double       *J;            /* nlam x nv: Phi_q */
    double       *rz;           /* nv x nz: dr/dz */
    double       *zx, *zv, *zz; /* nz x nv, nz x nv, nz x nz: of f */
    kl_assembler *parts;
} kl_tangents;

kl_tangents *kl_tangents_create(const kl_model *m); /* NULL when out of memory */
void         kl_tangents_destroy(kl_tangents *t);

/* At the state last evaluated in `w` (kl_eval, then kl_eval_residual with the same a and lambda).
 */
void kl_tangents_eval(const kl_model *m, const kl_state *s, kl_work *w, const double *a,
                      const double *lambda, kl_tangents *t);

/* J alone, at the state last evaluated in `w`. */
void kl_tangents_rows(const kl_model *m, const kl_work *w, kl_tangents *t);

#endif
