/* Measured track irregularities: a table with one line of names. Columns in any order:
 *
 *     s_m                                                        length along the track
 *     vertical_mm, lateral_mm, cross_level_mm, gauge_mm          the four channels, or
 *     left_lateral_mm, left_vertical_mm, right_lateral_mm, right_vertical_mm   each rail's two
 *
 * `_m` in place of `_mm` gives metres, `s_km` the length in kilometres. Columns are separated by commas, blanks,
 * or by semicolons or tabs, which leave the comma to decimals. Further columns are passed over. */
#ifndef KL_STORE_IRREGULARITY_FILE_H
#define KL_STORE_IRREGULARITY_FILE_H

#include "base/arena.h"
#include "base/diag.h"

enum { KL_IRREGULARITY_COLUMNS = 8 };

typedef struct kl_irregularity_rows {
    int     n;
    double *s;                              /* [m] */
    double *value[KL_IRREGULARITY_COLUMNS]; /* [m] in the order above; NULL: not there */
} kl_irregularity_rows;

/* Densities of a spectrum, one-sided: the columns W_rad_per_m (ascending) and some of vertical,
 * lateral, cross_level, gauge [m2/(rad/m)]. Comes as rows with s = W and value[0..3]. */
kl_status kl_spectrum_file_read(const char *path, kl_arena *arena, kl_diag *diag,
                                kl_irregularity_rows *out);

kl_status kl_irregularity_file_read(const char *path, kl_arena *arena, kl_diag *diag,
                                    kl_irregularity_rows *out);

#endif
