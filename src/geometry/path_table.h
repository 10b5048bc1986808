/* Lookup tables of a path: the 37 columns of Ambrosio (2019, figure 1.3), built to a stated
 * interpolation error, used from memory or through a window that moves along a file.
 *
 * A table is made of pieces with an even step each, so that a jump of curvature lies on a joint
 * with a row on either side, and a gentle stretch costs few rows. With a fixed step there is one
 * piece, as in the paper.
 *
 * Interpolation between two rows a step h apart; errors by order of h:
 *   linear   every column straight: 2, what the papers do
 *   cubic    values and first derivatives by Hermite's cubic with the next derivative's column: 4;
 *            second derivatives straight: 2
 *   quintic  Hermite with values, first and second derivatives: 6, 5, 4; derivatives are those of
 *            the interpolant itself, so that g' belongs exactly to g */
#ifndef KL_GEOMETRY_PATH_TABLE_H
#define KL_GEOMETRY_PATH_TABLE_H

#include "geometry/path.h"

typedef enum kl_table_method {
    KL_TABLE_LINEAR,
    KL_TABLE_CUBIC,
    KL_TABLE_QUINTIC,
    KL_NTABLE_METHOD
} kl_table_method;

const char *const *kl_table_method_names(void);
bool               kl_table_method_find(const char *name, kl_table_method *method);

/* Classes of columns, each with an error of its own unit: g [m]; t, b, n, g' [-]; first derivatives
 * of the axes and g'' [1/m]; their second derivatives [1/m2]. */
enum { KL_CLASS_POSITION, KL_CLASS_DIRECTION, KL_CLASS_FIRST, KL_CLASS_SECOND, KL_NCLASS };

typedef struct kl_table_settings {
    kl_table_method method;
    double          error[KL_NCLASS]; /* largest allowed; 0: 1e-6, or as much of larger columns */
    double          step;             /* > 0: this step, whatever the error [m] */
    int             max_rows;         /* 0: 500 million */
    /* where the track is written that lies at s, for messages; NULL: nowhere */
    kl_place (*where)(const void *written, double s);
    const void *written;
} kl_table_settings;

typedef struct kl_table_piece {
    double s, h; /* begins at s, step h [m] */
    int    row;  /* its first row */
    int    n;    /* intervals: n + 1 rows */
} kl_table_piece;

/* Where rows come from when they are not in memory. */
typedef struct kl_row_source {
    void *context;
    kl_status (*read)(void *context, int row, int n, double *rows); /* n rows of KL_ROW */
} kl_row_source;

typedef struct kl_path_table {
    kl_table_method method;
    double          length; /* [m] */
    bool            closed;
    int             npiece, piece_capacity;
    kl_table_piece *piece;
    int             nrow;
    const double   *rows; /* nrow * KL_ROW in memory; or NULL and: */
    kl_row_source   source;
    int             window;           /* rows a cursor keeps in memory */
    double          error[KL_NCLASS]; /* largest seen while building */

    /* for lookup; kl_path_from_table fills it */
    int    nguide;
    int   *guide; /* piece at length i * guide_step */
    double guide_step;
} kl_path_table;

/* Takes rows in order as they are made. */
typedef struct kl_row_sink {
    void *context;
    kl_status (*write)(void *context, const double *rows, int n);
} kl_row_sink;

/* Makes the rows of `exact` and hands them to `sink`; `table` gets everything but the rows. Errors
 * are checked at the quarters of every interval against the exact path. */
kl_status kl_path_table_build(const kl_path *exact, const kl_table_settings *settings,
                              kl_row_sink sink, kl_arena *arena, kl_diag *diag,
                              kl_path_table *table);

/* The same with the rows kept in `arena`. */
kl_status kl_path_table_in_memory(const kl_path *exact, const kl_table_settings *settings,
                                  kl_arena *arena, kl_diag *diag, kl_path_table **out);

/* A path that reads the table, which is kept. KL_E_MODEL when pieces and rows do not fit. */
kl_status kl_path_from_table(kl_path_table *table, kl_arena *arena, kl_path **out);

#endif
