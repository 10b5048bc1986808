/* What writing and reading results share; the layout is described in results.c. */
#ifndef KL_RESULTS_RESULTS_PARTS_H
#define KL_RESULTS_RESULTS_PARTS_H

#include "base/arena.h"
#include "results/results.h"
#include "store/h5.h"

#define KL_RESULTS_FORMAT "klingel-results"

/* A text that is written at the end. */
typedef struct kl_results_note {
    const char             *path, *text; /* "run/status", "complete" */
    struct kl_results_note *next;
} kl_results_note;

/* Writes the notes in a short visit to the file. False with the reason in `why`. */
bool kl_results_write_notes(const char *path, const kl_results_note *notes, kl_h5_mode mode,
                            char why[KL_H5_WHY]);

/* Check number of a checkpoint. */
double kl_results_check(const double *values, int n);

#endif
