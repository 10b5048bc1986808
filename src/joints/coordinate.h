/* Scalar functions of two markers i, j: the few primitives of which joints, drivers and springs are
 * made.
 *
 * Each gives its value x, its row (x' = row V), its bias (x'' = row V' + bias) and its curvature D
 * = d(row')/d(increment), all in marker space (12 columns: r_i, theta_i, r_j, theta_j). With a, b
 * unit vectors fixed in i and j, d = r_j - r_i:
 *
 *   dot1      a.b          rows: w_i: a x b,  w_j: -(a x b)
 *   dot2      a.d          rows: v_i: -a,  w_i: a x d,  v_j: a
 *   distance  |d|          rows: v_i: -e,  v_j: e,  e = d/|d|
 *   angle     atan2(y_i.x_j, x_i.x_j), about z_i; continuous through a history of turns */
#ifndef KL_JOINTS_COORDINATE_H
#define KL_JOINTS_COORDINATE_H

#include "model/interface.h"

typedef enum kl_coordinate_kind {
    KL_DOT1,     /* axis `a` of i . axis `b` of j */
    KL_DOT2,     /* axis `a` of i . d */
    KL_GLOBAL,   /* global component `a` of d */
    KL_DISTANCE, /* |d| */
    KL_ANGLE,    /* about z of i, from x of i to x of j */
} kl_coordinate_kind;

typedef struct kl_coordinate {
    kl_coordinate_kind kind;
    int                a, b; /* axes 0, 1, 2 */
} kl_coordinate;

typedef struct kl_scalar {
    double x;
    double
        turn; /* what an element keeps as `turn` of the next evaluation when a step is accepted */
    double row[12];
    double bias;
} kl_scalar;

/* `turn`: kept from the last accepted step, so that angles count turns; ignored by the other kinds. It
 * is the angle then, less what the spin angles of bodies with a spin axis give of it: those may go
 * through any number of turns in a step. */
void kl_coordinate_eval(kl_coordinate c, const kl_motion *m, double turn, kl_scalar *out);
/* K += scale D */
void kl_coordinate_curvature(kl_coordinate c, const kl_motion *m, double scale, double *K);
/* Of a crossing of the coordinate: angle or length. */
kl_crossing_unit kl_coordinate_unit(kl_coordinate c);
/* x' */
double kl_scalar_rate(const kl_scalar *s, const kl_motion *m);
/* dx'/d(increment) = D V, 12 numbers */
void kl_coordinate_rate_slope(kl_coordinate c, const kl_motion *m, double *slope);

/* K (12 x 12) += scale p q' */
void kl_add_outer(double scale, const double *p, const double *q, double *K);

/* `start` of elements whose history is the angle of each of their pairs, to the turn. */
kl_status kl_coordinate_start(const kl_reading *in, const kl_setup *s, kl_element_start *out);

#endif
