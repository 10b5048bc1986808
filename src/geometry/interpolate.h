/* Piecewise polynomials f(x) through given points, as coefficients.
 *
 *   f(x) = sum_k c[i][k] (x - x_i)^k,  k = 0..5,  on piece i between x_i and x_{i+1}
 *
 * One component at a time: a curve in space calls this for x, y and z over one common parameter. */
#ifndef KL_GEOMETRY_INTERPOLATE_H
#define KL_GEOMETRY_INTERPOLATE_H

#include "base/arena.h"
#include "base/diag.h"
#include "klingel/status.h"

/* What lies between the points. In brackets: continuous derivatives, order of the error. */
typedef enum kl_interpolation {
    KL_LINEAR,    /* straight lines [0, 2] */
    KL_CUBIC,     /* the C2 cubic spline [2, 4] */
    KL_AKIMA,     /* local cubics that ignore a far kink [1, 3 to 4] */
    KL_MONOTONE,  /* local cubics, monotone where the data are: no overshoot [1, 2 to 3] */
    KL_QUINTIC,   /* the C4 quintic spline [4, 6] */
    KL_CONCAVITY, /* least curvature, convex where the data are; C2 where strictly so [1, 4] */
    KL_NINTERPOLATION,
} kl_interpolation;

enum { KL_NCOEFFICIENT = 6 };

/* "cubic", "monotone", ... as model files write it; NULL outside the list. */
const char *kl_interpolation_name(kl_interpolation kind);
/* All names, NULL-terminated, for messages with suggestions. */
const char *const *kl_interpolation_names(void);
/* False when there is no such name. "shape-preserving" is the old name of "monotone". */
bool kl_interpolation_find(const char *name, kl_interpolation *kind);
/* Replaces an old name that a model file still uses and notes it; false: it was none. */
bool kl_interpolation_renamed(kl_diag *diag, kl_place place, const char *key, const char **name);
/* Highest derivative that is continuous at the points. */
int kl_interpolation_smoothness(kl_interpolation kind);

/* Ends of an open interpolant. */
typedef enum kl_end_kind {
    KL_END_FREE,    /* not-a-knot and its like: the order of the error holds up to the ends */
    KL_END_NATURAL, /* second derivative zero (cubic), third and fourth zero (quintic) */
    KL_END_SLOPE,   /* first derivative given */
} kl_end_kind;

typedef struct kl_end {
    kl_end_kind kind;
    double      slope; /* used by KL_END_SLOPE */
} kl_end;

/* Coefficients through n >= 2 points (closed: n >= 3). x ascends strictly: n values, or n + 1 when
 * `closed`, where x[n] - x[0] is the period. f holds n values, `stride` apart. Writes n - 1 pieces
 * (closed: n) of 6 coefficients, `cstride` doubles between one coefficient and the next and
 * 6 * cstride between pieces. Local kinds take note of KL_END_SLOPE only. `ends`: start and end,
 * NULL: free. Scratch comes from `scratch`. Not for KL_CONCAVITY, which has more pieces. */
kl_status kl_interpolate(kl_interpolation kind, const double *x, const double *f, int stride, int n,
                         bool closed, const kl_end ends[2], double *c, int cstride,
                         kl_arena *scratch);

enum { KL_MOST_COMPONENTS = 3 };

/* n points of `dim` components, f[dim i + axis] at x[i]; closed: x[n] ends the period. */
typedef struct kl_points {
    int           n, dim;
    bool          closed;
    const double *x, *f;
} kl_points;

/* Piece k begins at x[k] in `interval[k]` between two points; c[(6 k + j) dim + axis]. */
typedef struct kl_pieces {
    int     n;
    double *x;
    int    *interval;
    double *c;
} kl_pieces;

/* Any kind, several components with common knots: an interval may become more than one piece.
 * `ends[axis]`: start and end, NULL: free. Arrays come from `scratch`. */
kl_status kl_interpolate_pieces(kl_interpolation kind, const kl_points *in, const kl_end (*ends)[2],
                                kl_pieces *out, kl_arena *scratch);

#endif
