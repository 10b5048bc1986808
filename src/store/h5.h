/* The door to HDF5: texts, lists and growing tables of numbers in one file, and nothing of HDF5's
 * own types. Names are paths ("model/title"); groups on the way are made.
 *
 * HDF5 as packaged is not made for threads: a lock lets one call in at a time, so that different
 * files may be used in different threads. HDF5 prints nothing while we are inside.
 *
 * A file that can no longer be written (disk full) does not confuse HDF5, which would crash later:
 * our file driver keeps the error to itself and drops what follows. Ask with kl_h5_failed(). */
#ifndef KL_STORE_H5_H
#define KL_STORE_H5_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

typedef struct kl_h5 kl_h5; /* an open file */

enum { KL_H5_WHY = 200 }; /* characters of a reason */

typedef enum kl_h5_mode {
    KL_H5_READ,   /* a closed file */
    KL_H5_FOLLOW, /* a file in single-writer-multiple-reader mode, live or left behind */
    KL_H5_RESCUE, /* read, although marked as open for writing */
    KL_H5_CHANGE, /* add to a closed file */
    KL_H5_REPAIR, /* change, although marked; closing clears the mark */
} kl_h5_mode;

/* Contents of the first bytes of a file. */
typedef struct kl_h5_start {
    bool empty, is_h5;
    bool marked, swmr; /* it is or was open for writing; in SWMR mode */
} kl_h5_start;

/* False when the file cannot be opened (see errno). */
bool kl_h5_probe(const char *path, kl_h5_start *start);

/* NULL on failure, with the reason. `create` empties an existing file. */
kl_h5 *kl_h5_create(const char *path, char why[KL_H5_WHY]);
kl_h5 *kl_h5_open(const char *path, kl_h5_mode mode, char why[KL_H5_WHY]);

/* False when something was not written, now or before; then the file keeps its last good state. */
bool kl_h5_close(kl_h5 *f, char why[KL_H5_WHY]); /* accepts NULL */

bool        kl_h5_failed(const kl_h5 *f); /* a write failed */
const char *kl_h5_error_text(kl_h5 *f);   /* reason of the last failure of this file */

/* From here on tables grow and nothing is created; readers may follow, and a killed process leaves
 * what was flushed. */
bool kl_h5_start_swmr(kl_h5 *f);

/* Lists and whole arrays written from here on carry checksums: what was changed by a bad disk or
 * transfer cannot be read any more. */
void kl_h5_guard(kl_h5 *f);

/* Texts, scalar and in lists: UTF-8 of fixed size, filled with zeros. Read ones belong to the
 * arena; NULL when there is none of that kind and size. */
bool         kl_h5_write_text(kl_h5 *f, const char *name, const char *text); /* replaces */
char        *kl_h5_read_text(kl_h5 *f, const char *name, kl_arena *arena);
bool         kl_h5_write_texts(kl_h5 *f, const char *name, const char *const *texts, int n);
const char **kl_h5_read_texts(kl_h5 *f, const char *name, int n, kl_arena *arena);

/* Attributes of the object `name` ("/": the file). */
bool  kl_h5_write_attribute(kl_h5 *f, const char *name, const char *key, const char *text);
char *kl_h5_read_attribute(kl_h5 *f, const char *name, const char *key, kl_arena *arena);

bool kl_h5_write_ints(kl_h5 *f, const char *name, const int *values, int n);
int *kl_h5_read_ints(kl_h5 *f, const char *name, int n, kl_arena *arena);

/* Whole arrays of numbers, row by row, with their dimensions. Read ones must have n elements. */
bool kl_h5_write_doubles(kl_h5 *f, const char *name, const double *values, int rank,
                         const int *size);
bool kl_h5_write_floats(kl_h5 *f, const char *name, const float *values, int rank, const int *size);
double *kl_h5_read_doubles(kl_h5 *f, const char *name, int64_t n, kl_arena *arena);
float  *kl_h5_read_floats(kl_h5 *f, const char *name, int64_t n, kl_arena *arena);

bool kl_h5_make_group(kl_h5 *f, const char *name);
int  kl_h5_count(kl_h5 *f, const char *name); /* elements of a dataset, -1 when there is none */
/* Names of what is in a group, in their order; NULL with *n = 0 when there is no such group. */
const char **kl_h5_list(kl_h5 *f, const char *group, int *n, kl_arena *arena);

/* A table of doubles that grows downwards; ncolumn 0: a list. New cells are NaN. */
typedef struct kl_h5_table {
    int64_t id;
    int     ncolumn;
} kl_h5_table;

bool kl_h5_create_table(kl_h5 *f, const char *name, int ncolumn, int chunk_rows, int chunk_columns,
                        kl_h5_table *out);
bool kl_h5_open_table(kl_h5 *f, const char *name, kl_h5_table *out);
bool kl_h5_rows(kl_h5 *f, kl_h5_table t, int *rows);
bool kl_h5_refresh(kl_h5 *f, kl_h5_table t); /* looks again at a table that another process grows */

/* Rows row0 .. row0 + nrow; `put` makes the table end there, `flush` makes them visible. */
bool kl_h5_put(kl_h5 *f, kl_h5_table t, int64_t row0, int nrow, const double *values);
bool kl_h5_flush(kl_h5 *f, kl_h5_table t);
/* Other values for one column of rows that are there. */
bool kl_h5_change_column(kl_h5 *f, kl_h5_table t, int row0, int nrow, int column,
                         const double *values);
bool kl_h5_get(kl_h5 *f, kl_h5_table t, int row0, int nrow, int column0, int ncolumn,
               double *values);

/* True when no other process has the file open for writing. */
bool kl_h5_has_no_writer(const char *path);

#endif
