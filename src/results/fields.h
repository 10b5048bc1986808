/* Fields in results files: many points of one element as one array, /fields/NAME.
 *
 *   point (n x 3) at rest [m], line: points of each line, link (m x 2): pairs of points,
 *   time [s], rise (rows x n): vertical displacement [m], pull (rows x m): force of each link [N]
 *
 * Of a beam or another compound: displacement (rows x 3 n) [m] in the place of rise. */
#ifndef KL_RESULTS_FIELDS_H
#define KL_RESULTS_FIELDS_H

#include "model/interface.h"
#include "store/h5.h"

typedef struct kl_field_info {
    const char     *name; /* of the element */
    const kl_field *field;
} kl_field_info;

static inline int kl_field_width(const kl_field *f) { return f->width == 3 ? 3 : 1; }

/* One of them in a file that is being written. */
typedef struct kl_field_table {
    kl_field_info of;
    kl_h5_table   time, rise, pull;
    int           rows;
} kl_field_table;

bool kl_field_create(kl_h5 *file, kl_arena *arena, kl_field_table *t); /* t->of is set */
bool kl_field_row(kl_h5 *file, kl_field_table *t, double time, const double *rise,
                  const double *pull);

/* One of them in a file that is read. */
typedef struct kl_field_points {
    const char   *name;
    int           npoint, nline, nlink, rows;
    int           width; /* numbers a point in `rise`: 1 rise, 3 displacement */
    const double *point;
    const int    *line, *link;
    kl_h5_table   time, rise, pull;
} kl_field_points;

/* False when it is damaged. */
bool kl_field_open(kl_h5 *file, kl_arena *arena, const char *name, kl_field_points *out);

#endif
