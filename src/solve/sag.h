/* By how much bodies sink or rise from where they were placed until springs carry them: vehicles whose springs are
 * preloaded for another weight. */
#ifndef KL_SOLVE_SAG_H
#define KL_SOLVE_SAG_H

#include "solve/solver.h"

/* Heights of the centres of mass [m], z[nbody]; after kl_eval. */
void kl_sag_heights(const kl_model *m, const kl_solver *x, double *z);

/* Warns of bodies that have moved by more than 50 mm from the heights `before`, and fails where one sinks by more
 * than any suspension can: by half a metre. */
kl_status kl_sag_check(const kl_model *m, const kl_solver *x, const double *before, kl_diag *diag);

#endif
