/* One run of a study with `analysis: assess`. */
#ifndef KL_CLI_SWEEP_ASSESS_H
#define KL_CLI_SWEEP_ASSESS_H

#include "base/diag.h"
#include "language/study.h"

/* Assesses the results file of a run with the program's limits and takes the results of the study. */
kl_status kl_sweep_assess(const kl_study *study, const char *path, double *out, kl_diag *diag);

#endif
