/* Names of modes by their shares of kinetic energy: "car.body bounce 82 %, bogie.frame bounce 11 %",
 * "rotor forward whirl". */
#ifndef KL_SOLVE_MODE_TEXT_H
#define KL_SOLVE_MODE_TEXT_H

#include "solve/eigenvalues.h"

/* The name of `mode`, whose shape is there. `w` has been evaluated at the state that was linearised.
 * y, dx: scratch, nv each. */
const char *kl_mode_text(kl_arena *arena, const kl_model *m, const kl_work *w,
                         const kl_eigenmode *mode, double *y, double *dx);

#endif
