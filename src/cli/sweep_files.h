/* Results file of one run of a study: recorded whole, or taken from an earlier start. */
#ifndef KL_CLI_SWEEP_FILES_H
#define KL_CLI_SWEEP_FILES_H

#include "language/source.h"
#include "language/study.h"
#include "solve/simulation.h"

typedef struct kl_study_run {
    const kl_study  *study;
    const kl_source *source;
    int              run;
    const char      *path;   /* of the results */
    const char      *inputs; /* fingerprint of the files of the model */
    int              parent; /* process whose end ends the run */
} kl_study_run;

/* Runs `s` into the file. It takes its name when the run has ended, so a file that is there is whole; its
 * folder is made. A run that fails keeps its rows. *lost: the file could not be written. */
kl_status kl_sweep_record(kl_study_run *r, kl_simulation *s, bool *lost, kl_diag *diag);

/* Does the file have this run already: the same model, files, parameters and end, complete? */
bool kl_sweep_has_run(const kl_study_run *r, const kl_simulation *s);

#endif
