/* A whole run into a results file: rows of the recorded channels, the model, statistics and how it
 * ended. What the command line and the library share. */
#ifndef KL_RESULTS_RECORD_H
#define KL_RESULTS_RECORD_H

#include "solve/simulation.h"

typedef struct kl_recording {
    const char *path;       /* of the results */
    const char *model_text; /* as written; may be NULL */
    const char *folder;     /* that the name of the model file counts from; may be NULL */
    double      end;        /* [s] */
    bool (*continue_run)(void  *context,
                         double t); /* after each step; false: stop now. May be NULL */
    /* sees each row after it was written: values of all channels. May be NULL */
    void (*row)(void *context, double t, const double *values);
    void       *context;
    const char *set;        /* parameters changed, NAME=VALUE a line; may be NULL */
    const char *inputs;     /* fingerprint of all files read; may be NULL */
    const char *restart;    /* results with a checkpoint to go on from; NULL: from the start */
    double      checkpoint; /* interval [s]; 0: none. A restart keeps its own */
    double      wall;       /* written: time that the run took [s] */
} kl_recording;

/* Runs a fresh simulation from its start, or from the last checkpoint in r->restart: rows up to
 * there are copied, and the file takes its name when they are written. The file holds what was computed,
 * however it ends. */
kl_status kl_record(kl_simulation *s, kl_recording *r, kl_diag *diag);

#endif
