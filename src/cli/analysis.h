/* What the analyses share: a model opened, assembled and brought to where it is looked at; results
 * recorded. */
#ifndef KL_CLI_ANALYSIS_H
#define KL_CLI_ANALYSIS_H

#include "cli/model_options.h"
#include "results/results.h"
#include "solve/simulation.h"

typedef enum kl_analysis_state {
    KL_AT_START,       /* as assembled */
    KL_AT_EQUILIBRIUM, /* near it, with the velocities given: steady motion */
    KL_AT_REST,        /* near it, without velocities */
} kl_analysis_state;

typedef struct kl_analysis {
    kl_loaded      l;
    kl_simulation *s;
} kl_analysis;

/* Exit code; on failure the diag has the reasons and nothing is left open. */
int  kl_analysis_open(const kl_command *command, const char *path, const kl_texts *set,
                      kl_diag *diag, kl_analysis *out);
void kl_analysis_close(kl_analysis *a);

/* What a command does with the model that it opened; messages go to `diag`. */
typedef kl_status (*kl_analysis_work)(const kl_analysis *a, void *data, kl_diag *diag);

/* A command with one argument, the model file: opens it, works, prints the messages and closes it.
 * Exit code. */
int kl_analysis_run(const kl_command *command, const kl_arguments *rest, const kl_texts *set,
                    kl_analysis_work work, void *data);

/* Assembles the model and finds the state that `where` names. */
kl_status kl_analysis_find_state(kl_simulation *s, kl_analysis_state where, kl_diag *diag);

/* Results file with the recorded channels of a simulation. */
typedef struct kl_recorder {
    kl_writer *writer;
    int       *recorded;
    double    *row;
    int        n;
} kl_recorder;

kl_status kl_recorder_open(const char *path, const kl_analysis *a, kl_diag *diag, kl_recorder *r);
kl_status kl_recorder_row(kl_recorder *r, double t, const double *values);
/* `status`: complete, failed, ... */
kl_status kl_recorder_close(kl_recorder *r, const char *status);

/* Header and rows of a table on standard output: time and the model's own outputs, or all recorded
 * channels when it has none. */
void kl_print_header(const kl_channels *c, const char *first);
void kl_print_row(const kl_channels *c, double t, const double *values);

#endif
