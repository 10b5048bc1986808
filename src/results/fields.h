/* Fields in results files: many points of one element as one array, /fields/NAME.
 *
 *   point (n x 3) at rest [m], line: points of each line, link (m x 2): pairs of points,
 *   time [s], rise (rows x n): vertical displacement [m], pull (rows x m): force of each link [N]
 *
 * Of a beam or another compound: displacement (rows x 3 n) [m] in the place of rise. Of finite elements
 * also triangle (m x 3): their surface, and value/NAME (rows x n), such as value/mises [Pa].
 *
 * In memory a row is one array: rise or displacement of all points, then each value of all points. */
#ifndef KL_RESULTS_FIELDS_H
#define KL_RESULTS_FIELDS_H

#include "model/interface.h"
#include "store/h5.h"

typedef struct kl_field_info {
    const char     *name; /* of the element */
    const kl_field *field;
} kl_field_info;

static inline int kl_field_width(const kl_field *f) { return f->width == 3 ? 3 : 1; }
/* Numbers of a row beside the pull of the links. */
static inline size_t kl_field_numbers(const kl_field *f)
{
    return (size_t)f->npoint * (size_t)(kl_field_width(f) + f->nvalue);
}

/* One of them in a file that is being written. */
typedef struct kl_field_table {
    kl_field_info of;
    kl_h5_table   time, rise, pull, value[KL_FIELD_VALUES];
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
    int           ntriangle, nvalue;
    const int    *triangle;
    const char   *value_name[KL_FIELD_VALUES], *value_unit[KL_FIELD_VALUES];
    kl_h5_table   time, rise, pull, value[KL_FIELD_VALUES];
} kl_field_points;

/* False when it is damaged. */
bool kl_field_open(kl_h5 *file, kl_arena *arena, const char *name, kl_field_points *out);

#endif
