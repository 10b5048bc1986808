/* A smooth planar curve through measured points: cubic B-splines over the chord length that miss the
 * points by no more than a given distance and are otherwise as even in curvature as possible.
 *
 *   minimise  sum |P(s_i) - p_i|^2 + lambda integral |P'''|^2 ds
 *
 * with the largest lambda that keeps every point within the tolerance and the usual (rms) distance
 * within the noise (Eilers and Marx, Stat. Sci. 11, 1996). A circle has |P'''| R^2 = 1/R, all but nothing, so it keeps its curvature. Where the
 * spline would bulge to the other side by less than the tolerance (beside a jump of curvature, on a
 * straight) its curvature is held at zero: inflections appear only where the points have them. */
#ifndef KL_GEOMETRY_SMOOTH_CURVE_H
#define KL_GEOMETRY_SMOOTH_CURVE_H

#include "base/arena.h"
#include "klingel/status.h"

typedef struct kl_smooth_curve {
    int     n;         /* intervals */
    double *y, *z;     /* coefficients of the B-splines, n + 3 */
    double  deviation; /* largest distance of a point from the curve, across it [m] */
    double  length;    /* chord length of all points [m] */
} kl_smooth_curve;

/* Standard deviation of the noise in n >= 8 points [m]: how far each lies from the cubic through its
 * four neighbours, by the median. */
double kl_points_noise(const double *y, const double *z, int n, kl_arena *scratch);

/* n >= 8 different points in order; `spacing`: length of an interval, `noise`: its standard
 * deviation [m]. */
kl_status kl_smooth_curve_fit(const double *y, const double *z, int n, double spacing,
                              double tolerance, double noise, kl_arena *arena,
                              kl_smooth_curve *out);

/* Polynomials of interval k: y = sum cy[i] t^i, t in [0, 1]; likewise z. */
void kl_smooth_curve_piece(const kl_smooth_curve *c, int k, double cy[4], double cz[4]);

#endif
