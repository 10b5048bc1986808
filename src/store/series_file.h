/* One column of a file over another: a table of text (CSV) or the results of a run.
 *
 * Text: one line of names, then rows of numbers; the first column is the argument, `column` names the
 * value (NULL: the second column). `roof_z [m]` in the file is found as roof_z too. Lines that begin
 * with # are passed over. Results (HDF5, docs/results-format.md): over time, `column` is a channel. */
#ifndef KL_STORE_SERIES_FILE_H
#define KL_STORE_SERIES_FILE_H

#include "base/arena.h"
#include "base/diag.h"

typedef struct kl_series {
    int     n;
    double *x, *y; /* in the units of the file; results are in SI units */
} kl_series;

/* `place`: where the model names the file, for messages. */
kl_status kl_series_file_read(const char *path, const char *column, kl_place place, kl_arena *arena,
                              kl_diag *diag, kl_series *out);

#endif
