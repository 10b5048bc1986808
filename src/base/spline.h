/* Curves y(x) through given points: straight lines, a C2 cubic or a monotone C1 cubic, with derivatives.
 *
 * The cubic is not-a-knot by default: with two points it is the line, with three the parabola, and
 * it repeats any cubic exactly.
 */
#ifndef KL_BASE_SPLINE_H
#define KL_BASE_SPLINE_H

#include "base/arena.h"

typedef struct kl_spline kl_spline;

typedef enum kl_spline_kind {
    KL_SPLINE_LINEAR,
    KL_SPLINE_CUBIC,    /* not-a-knot */
    KL_SPLINE_NATURAL,  /* cubic, no curvature at the ends */
    KL_SPLINE_MONOTONE, /* C1 cubic that rises and falls only where the points do */
    KL_SPLINE_PERIODIC, /* cubic, period x[n-1] - x[0]; y[n-1] must equal y[0]; ends are ignored */
} kl_spline_kind;

/* What follows beyond the first and last point. */
typedef enum kl_spline_ends {
    KL_ENDS_CONSTANT, /* the end value, no slope */
    KL_ENDS_LINEAR,   /* a line with the end slope */
} kl_spline_ends;

/* Index of the first x that is not finite or not larger than the one before it, or -1: all well. */
int kl_spline_check(const double *x, int n);

/* A spline through n >= 1 points whose x pass kl_spline_check (one point: a constant). The points
 * are copied. NULL when memory ran out, n < 1, the check fails, or a periodic curve does not close.
 */
kl_spline *kl_spline_create(kl_arena *arena, const double *x, const double *y, int n,
                            kl_spline_kind kind, kl_spline_ends ends);

/* Value, first and second derivative at x. At a corner of a linear spline the right side counts. */
void kl_spline_eval(const kl_spline *s, double x, double out[3]);

int            kl_spline_size(const kl_spline *s);
double         kl_spline_x(const kl_spline *s, int i);
double         kl_spline_y(const kl_spline *s, int i);
kl_spline_kind kl_spline_kind_of(const kl_spline *s);

/* Where a derivative up to the second jumps: all points of a linear or monotone
 * spline, the ends of a cubic one; none for a periodic one. Writes at most `capacity`, ascending; returns how many there are.
 */
int kl_spline_corners(const kl_spline *s, double *x, int capacity);

#endif
