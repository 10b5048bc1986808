/* Results of a run in one HDF5 file: times, a table of channels, and the model that made them.
 *
 * A writer creates every object, then goes on in single-writer-multiple-reader mode: readers may
 * follow while it runs, and a killed run leaves a readable file. Layout: docs/results-format.md.
 *
 * The HDF5 library is not made for threads: a lock in results.c lets one call in at a time, so that
 * writers and readers of different files may live in different threads. */
#ifndef KL_RESULTS_RESULTS_H
#define KL_RESULTS_RESULTS_H

#include <stdbool.h>

#include "base/diag.h"
#include "klingel/status.h"

enum { KL_RESULTS_MAJOR = 1, KL_RESULTS_MINOR = 0 }; /* version of the file format */

/* One column of the table. NULL texts are empty ones. */
typedef struct kl_channel_info {
    const char *name, *unit, *description; /* "crank.position.x", "m", "..." */
    bool        own;                       /* defined under `outputs` in the model file */
} kl_channel_info;

/* Texts that are written before the run; any may be NULL. */
typedef struct kl_results_info {
    const char                 *title, *model_file, *model_text, *scene_json, *settings_json;
    const char                 *folder;      /* that model_file counts from */
    const char                 *limits_json; /* of outputs: [{"name", "rule", "unit", "limit"}] */
    const struct kl_field_info *fields;      /* results/fields.h; may be NULL */
    int                         nfield;
    const char                 *set; /* parameters changed for this run, NAME=VALUE, one per line */
    const char                 *inputs;     /* fingerprint of the files read */
    int                    checkpoint_size; /* numbers of a checkpoint; 0: none will be taken */
    const struct kl_model *lines;           /* whose tracks are kept to be drawn; NULL: none */
} kl_results_info;

/* ---- writing ---- */

typedef struct kl_writer kl_writer;

/* Starts a file. It is made beside `path` and takes that name when it is complete, so a failed
 * start leaves an older file as it was. A file there that is not a results file is not replaced.
 * `diag` is kept until close and gets later failures too (each writer complains once). */
kl_status kl_writer_create(const char *path, const kl_results_info *info,
                           const kl_channel_info *channels, int nchannel, kl_diag *diag,
                           kl_writer **out);

/* Whether a results file may take this name: nothing is there, or a results file that no run writes. */
kl_status kl_writer_may_replace(const char *path, kl_diag *diag);

/* Adds a row: `nchannel` values. Rows are kept until a chunk is full or a second has passed; no
 * memory of ours is taken here. */
kl_status kl_writer_row(kl_writer *w, double time, const double *values);

/* Everything up to here becomes visible to readers and survives a killed process. */
kl_status kl_writer_flush(kl_writer *w);

/* A record of field number i, in the order of kl_results_info.fields. */
kl_status kl_writer_field(kl_writer *w, int i, double time, const double *rise, const double *pull);

/* Column `to` of all rows becomes column `from`, changed by `change` (n values, one each row). */
typedef kl_status (*kl_column_change)(double *values, int n, const void *context);
kl_status kl_writer_derive(kl_writer *w, int from, int to, kl_column_change change,
                           const void *context);

/* A checkpoint: numbers that a later run can go on from. Rows so far are flushed before it. */
kl_status kl_writer_checkpoint(kl_writer *w, const double *values);

/* Renames the file to `path`; an older file of that name is replaced at once. */
kl_status kl_writer_rename(kl_writer *w, const char *path);

/* A text to be written at the end, such as "statistics" (JSON) or "status" (complete, interrupted,
 * failed). A second note of that name takes the first one's place. */
kl_status kl_writer_note(kl_writer *w, const char *name, const char *text);

/* Closes the file and frees the writer, whatever it returns. Accepts NULL. */
kl_status kl_writer_close(kl_writer *w);

/* ---- reading ---- */

typedef struct kl_reader kl_reader;

/* Opens a file that is complete, was left by a killed run, or is being written. */
kl_status kl_reader_open(const char *path, kl_diag *diag, kl_reader **out);
void      kl_reader_close(kl_reader *r); /* accepts NULL */

int                    kl_reader_rows(const kl_reader *r);
int                    kl_reader_channels(const kl_reader *r);
const kl_channel_info *kl_reader_channel(const kl_reader *r, int i);
int                    kl_reader_find(const kl_reader *r, const char *name); /* -1: no such */

/* Rows that a running writer has added since: kl_reader_rows() grows. */
kl_status kl_reader_refresh(kl_reader *r);

kl_status kl_reader_time(kl_reader *r, double *time);                  /* kl_reader_rows() */
kl_status kl_reader_column(kl_reader *r, int channel, double *values); /* kl_reader_rows() */
/* Several columns in one pass over the file: values[i] has kl_reader_rows() places. Reading them one by
 * one goes through the whole file for each. */
kl_status kl_reader_columns(kl_reader *r, const int *channels, int nchannel, double *const *values);
kl_status kl_reader_block(kl_reader *r, const int *channels, int nchannel, int row0, int nrow,
                          double *values); /* nrow x nchannel, row by row */

/* Numbers of a checkpoint, 0 when the file keeps none; and the last one that is whole. */
int       kl_reader_checkpoint_size(kl_reader *r);
kl_status kl_reader_checkpoint(kl_reader *r, double *values);

/* Kept texts by name: title, file, model, scene, settings, program, created, and the notes of the
 * writer (statistics, status, ...). NULL when absent. Lives as long as the reader. A file that was
 * never ended has no status. */
const char *kl_reader_text(kl_reader *r, const char *name);

/* A line that bodies follow, for drawing: points of its middle, and which way is up there. */
typedef struct kl_track_points {
    const char   *name;
    int           n;
    const double *position, *normal; /* n x 3 */
    double        gauge;             /* [m]; 0: one line, not two rails */
} kl_track_points;

/* Fields under /fields (results/fields.h), and their rows: times, displacements and pulls (either
 * may be NULL), row by row. */
const struct kl_field_points *kl_reader_fields(kl_reader *r, int *n);
kl_status kl_reader_field(kl_reader *r, const struct kl_field_points *f, int row0, int nrow,
                          double *time, double *rise, double *pull);

/* The tracks under /scene/tracks, NULL with *n = 0 where there are none. Live as long as the
 * reader. */
const kl_track_points *kl_reader_tracks(kl_reader *r, int *n);

/* True when the file was not ended when it was opened: a run writes it, or was killed; and whether
 * such a run is alive now. */
bool kl_reader_unfinished(const kl_reader *r);
bool kl_reader_running(const kl_reader *r);

/* ---- after a killed run ---- */

typedef struct kl_repair_report {
    bool   was_marked;            /* the file is marked as open for writing */
    int    rows;                  /* complete rows */
    double first_time, last_time; /* [s], zero when there are no rows */
} kl_repair_report;

/* Clears the mark "being written" that a killed run leaves, so that any HDF5 program opens the
 * file. Refuses while a live process writes it. */
kl_status kl_results_repair(const char *path, kl_diag *diag, kl_repair_report *report);

#endif
