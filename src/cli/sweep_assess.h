/* One run of a study with `analysis: assess`. */
#ifndef KL_CLI_SWEEP_ASSESS_H
#define KL_CLI_SWEEP_ASSESS_H

#include "language/study.h"
#include "solve/simulation.h"

/* Runs the model, assesses the run with the program's limits, and takes the results of the study. The run is kept
 * in the file `path` meanwhile, which is removed. */
kl_status kl_sweep_assess(const kl_study *study, kl_simulation *s, const char *path, double *out,
                          kl_diag *diag);

#endif
