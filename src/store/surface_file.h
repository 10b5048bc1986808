/* The table of a surface in an HDF5 file, SURFACE.ksurf, read whole or through a window that moves
 * with the contact.
 *
 *     /               attributes format = klingel-surface, version, program, title, interpolation
 *     table/cells     a row for each u, 12 numbers (g, t, b, n) for each v in it
 *     table/numbers   first and last u, first and last v, closed in u and v and flipped (0 or 1),
 *                     errors of g and of the axes
 */
#ifndef KL_STORE_SURFACE_FILE_H
#define KL_STORE_SURFACE_FILE_H

#include "geometry/surface_table.h"

enum { KL_SURFACE_MAJOR = 1, KL_SURFACE_MINOR = 0 }; /* version of the file format */

/* Tabulates `exact` into a file, which appears under its name when it is complete. */
kl_status kl_surface_file_write(const char *path, const kl_surface *exact,
                                const kl_surface_table_settings *settings, const char *title,
                                kl_arena *arena, kl_diag *diag, kl_surface_table *table);

typedef struct kl_surface_file kl_surface_file;

/* Opens a table. `window` points along u and v a cursor keeps in memory; 0: the whole table if it
 * is below 32 MB, else 64 x 64. */
kl_status kl_surface_file_open(const char *path, int window, kl_diag *diag, kl_surface_file **out);
void      kl_surface_file_close(
         kl_surface_file *f); /* accepts NULL; surfaces that use it become invalid */

const kl_surface       *kl_surface_file_surface(const kl_surface_file *f);
const kl_surface_table *kl_surface_file_table(const kl_surface_file *f);

#endif
