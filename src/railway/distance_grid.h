/* An upper bound of the penetration of a point into a rail, by bilinear interpolation on a grid.
 *
 * The contact search asks it for every point of a wheel, so it must be cheap, and it must never be
 * too small, or contacts would be missed. */
#ifndef KL_RAILWAY_DISTANCE_GRID_H
#define KL_RAILWAY_DISTANCE_GRID_H

#include "railway/outline.h"

typedef struct kl_distance_grid {
    double y0, z0, cell; /* first corner, width of a cell [m] */
    int    ny, nz;       /* corners */
    float *d;            /* signed distance at the corners, positive inside the rail [m], ny nz */
    short *foot;         /* nearest piece of the outline, ny nz */
    double slack;        /* by which interpolation may fall short [m] */
    double border;       /* distance of the grid's edge from the outline [m] */
} kl_distance_grid;

/* Signed distance of (y, z) from the outline near place `foot`, positive below it, and the unit
 * vector (ny, nz) along which it falls fastest: the outline's normal, or away from its end. */
double kl_outline_depth(const kl_outline *o, kl_outline_place foot, double y, double z, double *ny,
                        double *nz);

kl_status kl_distance_grid_create(const kl_outline *rail, double cell, kl_arena *arena,
                                  kl_distance_grid *out);

/* Upper bound of the signed distance at (y, z), and the piece to start from. */
static inline double kl_distance_bound(const kl_distance_grid *g, double y, double z, int *foot)
{
    double u = (y - g->y0) / g->cell, v = (z - g->z0) / g->cell, out = 0.0;
    double uc = u < 0.0 ? 0.0 : u > g->ny - 1.001 ? g->ny - 1.001 : u;
    double vc = v < 0.0 ? 0.0 : v > g->nz - 1.001 ? g->nz - 1.001 : v;
    int    i = (int)uc, j = (int)vc, k = j * g->ny + i;
    uc -= i, vc -= j;
    *foot        = g->foot[k + (uc > 0.5) + (vc > 0.5) * g->ny];
    double inner = (1 - vc) * ((1 - uc) * (double)g->d[k] + uc * (double)g->d[k + 1]) +
                   vc * ((1 - uc) * (double)g->d[k + g->ny] + uc * (double)g->d[k + g->ny + 1]);
    if (u < 0.0) out = -u;
    else if (u > g->ny - 1) out = u - (g->ny - 1);
    if (v > g->nz - 1 && v - (g->nz - 1) > out) out = v - (g->nz - 1);
    return out > 0.0 ? -g->border - out * g->cell : inner + g->slack;
}

#endif
