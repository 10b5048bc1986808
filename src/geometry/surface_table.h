/* Lookup tables of a surface: point and axes g, t, b, n on an even net of parameters (Ambrosio
 * 2019, figures 1.4 and 1.5), built to a stated error, in memory or through a window that moves
 * over a file (figure 1.6).
 *
 * linear: bilinear, as the paper; cubic: Lagrange over the 4 x 4 nearest points. Derivatives of r
 * are those of the interpolant, so the bilinear table has no curvature of its own. */
#ifndef KL_GEOMETRY_SURFACE_TABLE_H
#define KL_GEOMETRY_SURFACE_TABLE_H

#include "geometry/path_table.h"
#include "geometry/surface.h"

enum { KL_CELL_G = 0, KL_CELL_T = 3, KL_CELL_B = 6, KL_CELL_N = 9, KL_CELL = 12 };

/* Rectangular pieces of the table: rows u0.., columns v0.. in points, KL_CELL numbers each. */
typedef struct kl_cell_source {
    void *context;
    kl_status (*read)(void *context, int u0, int nu, int v0, int nv, double *cells);
} kl_cell_source;

typedef struct kl_surface_table {
    kl_table_method method; /* linear or cubic */
    int             nu, nv; /* points */
    double          u[2], v[2];
    bool            closed_u, closed_v, flip;
    const double   *cells; /* nu x nv x KL_CELL, v fastest; or NULL and: */
    kl_cell_source  source;
    int             window_u, window_v; /* points a cursor keeps */
    double          error[2];           /* of g [m] and of the axes [-], largest seen */
} kl_surface_table;

typedef struct kl_surface_table_settings {
    kl_table_method method;
    double          error[2]; /* of g [m] and of t, b, n [-]; 0: 1e-6 */
    double          step[2];  /* > 0: this step along u, v, whatever the error */
    int             most;     /* points in all; 0: 100 million */
} kl_surface_table_settings;

/* Takes the rows u = const in order, nv * KL_CELL numbers each. `begin` learns nu and nv first. */
typedef struct kl_cell_sink {
    void *context;
    kl_status (*begin)(void *context, int nu, int nv);
    kl_status (*write)(void *context, const double *row);
} kl_cell_sink;

kl_status kl_surface_table_build(const kl_surface *exact, const kl_surface_table_settings *settings,
                                 kl_cell_sink sink, kl_arena *arena, kl_diag *diag,
                                 kl_surface_table *table);

kl_status kl_surface_table_in_memory(const kl_surface                *exact,
                                     const kl_surface_table_settings *settings, kl_arena *arena,
                                     kl_diag *diag, kl_surface_table **out);

/* A surface that reads the table, which is kept. KL_E_MODEL when its sizes make no sense. */
kl_status kl_surface_from_table(const kl_surface_table *table, kl_arena *arena, kl_surface **out);

/* The table's own columns at (u, v), axes made orthonormal: g, t, b, n. */
kl_status kl_surface_table_cell(const kl_surface_table *table, double u, double v,
                                kl_surface_cursor *cursor, double cell[KL_CELL]);

#endif
