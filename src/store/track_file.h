/* The table of a track in an HDF5 file, TRACK.ktrack: made once by `klingel track`, read by models.
 *
 *     /                attributes format = klingel-track, version, program, title, frame,
 *                      interpolation, closed
 *     table/rows       one row of 37 columns (geometry/path.h) a place, all pieces in one
 *     table/columns    names of the columns;  table/units
 *     table/pieces     start s, step h, first row, intervals: one row a piece
 *     table/numbers    length [m], errors of position, direction, first and second derivatives
 *     source/text      what it was made from;  source/file
 *
 * A long table is not read whole: each cursor on the path keeps a window of it in memory. */
#ifndef KL_STORE_TRACK_FILE_H
#define KL_STORE_TRACK_FILE_H

#include "geometry/path_table.h"

enum { KL_TRACK_MAJOR = 1, KL_TRACK_MINOR = 0 }; /* version of the file format */

/* Texts kept with the table; NULL is empty. */
typedef struct kl_track_texts {
    const char *title, *frame, *source_file, *source_text;
} kl_track_texts;

/* Tabulates `exact` into a file, which appears under its name when it is complete. `table` gets
 * everything but the rows. */
kl_status kl_track_file_write(const char *path, const kl_path *exact,
                              const kl_table_settings *settings, const kl_track_texts *texts,
                              kl_arena *arena, kl_diag *diag, kl_path_table *table);

typedef struct kl_track_file kl_track_file;

/* Opens a table. `window` rows a cursor keeps in memory; 0: the whole table if it is below 32 MB,
 * else 2048 rows (0.6 MB). */
kl_status kl_track_file_open(const char *path, int window, kl_diag *diag, kl_track_file **out);
void kl_track_file_close(kl_track_file *f); /* accepts NULL; paths that use it become invalid */

const kl_path       *kl_track_file_path(const kl_track_file *f);
const kl_path_table *kl_track_file_table(const kl_track_file *f);
kl_track_texts       kl_track_file_texts(const kl_track_file *f);

#endif
