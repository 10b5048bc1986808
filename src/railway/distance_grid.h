/* The penetration of a point into a rail, by interpolation on a grid: an upper bound that is cheap and
 * never too small, or contacts would be missed; and near the surface the penetration with its
 * gradient to a stated error. The contact search asks for every point of a wheel. */
#ifndef KL_RAILWAY_DISTANCE_GRID_H
#define KL_RAILWAY_DISTANCE_GRID_H

#include <math.h>
#include <stdbool.h>

#include "railway/outline.h"

/* Signed distance at a corner, positive inside the rail, and its derivatives by cells. */
typedef struct kl_distance_node {
    double d, dy, dz, dyz;
} kl_distance_node;

typedef struct kl_distance_grid {
    double            y0, z0, cell, per; /* first corner, width of a cell, 1/cell [m, 1/m] */
    int               ny, nz;            /* corners */
    float            *d; /* signed distance at the corners, positive inside the rail [m], ny nz */
    short            *foot;   /* nearest piece of the outline, ny nz */
    double            slack;  /* by which interpolation may fall short [m] */
    double            border; /* distance of the grid's edge from the outline [m] */
    kl_distance_node *node;   /* ny nz */
    unsigned char    *good;   /* cells in which the bicubic polynomial of the nodes holds, ny nz */
    double            error;  /* largest one found in those cells, of the distance [m] */
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
    double u = (y - g->y0) * g->per, v = (z - g->z0) * g->per, out = 0.0;
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

/* Signed distance at (y, z) by bicubic Hermite interpolation, and the rail's unit normal there, away
 * from it: false where the table is not good enough. */
static inline bool kl_distance_near(const kl_distance_grid *g, double y, double z, double *d,
                                    double *ny, double *nz, int *foot)
{
    double u = (y - g->y0) * g->per, v = (z - g->z0) * g->per;
    if (!(u >= 0.0 && v >= 0.0 && u < g->ny - 1 && v < g->nz - 1)) return false;
    int i = (int)u, j = (int)v, k = j * g->ny + i;
    if (!g->good[k]) return false;
    u -= i, v -= j;
    /* Hermite's polynomials of both ends, value and slope, and their derivatives */
    double a[4]  = {(1 - u) * (1 - u) * (1 + 2 * u), u * (1 - u) * (1 - u), u * u * (3 - 2 * u),
                    -u * u * (1 - u)};
    double a1[4] = {-6 * u * (1 - u), (1 - u) * (1 - 3 * u), 6 * u * (1 - u), u * (3 * u - 2)};
    double b[4]  = {(1 - v) * (1 - v) * (1 + 2 * v), v * (1 - v) * (1 - v), v * v * (3 - 2 * v),
                    -v * v * (1 - v)};
    double b1[4] = {-6 * v * (1 - v), (1 - v) * (1 - 3 * v), 6 * v * (1 - v), v * (3 * v - 2)};
    double sum = 0.0, sy = 0.0, sz = 0.0;
    for (int e = 0; e < 2; e++)
        for (int f = 0; f < 2; f++) {
            const kl_distance_node *n   = &g->node[k + f * g->ny + e];
            double                  row = b[2 * f] * n->d + b[2 * f + 1] * n->dz,
                   turn                 = b[2 * f] * n->dy + b[2 * f + 1] * n->dyz;
            sum += a[2 * e] * row + a[2 * e + 1] * turn;
            sy += a1[2 * e] * row + a1[2 * e + 1] * turn;
            sz += a[2 * e] * (b1[2 * f] * n->d + b1[2 * f + 1] * n->dz) +
                  a[2 * e + 1] * (b1[2 * f] * n->dy + b1[2 * f + 1] * n->dyz);
        }
    double size = 1.0 / sqrt(sy * sy + sz * sz);
    *d = sum, *ny = -sy * size, *nz = -sz * size;
    *foot = g->foot[k + (u > 0.5) + (v > 0.5) * g->ny];
    return true;
}

#endif
