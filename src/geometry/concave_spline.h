/* The interpolant of least curvature that is convex where the data are convex and concave where they
 * are concave:  minimise  integral of f''^2  subject to f(x_i) = f_i and the sign of f''
 * (Irvine, Marin and Smith, Constructive Approximation 2, 1986). It is the C2 cubic spline wherever
 * that has the right sign already; three points on a line stay a line. */
#ifndef KL_GEOMETRY_CONCAVE_SPLINE_H
#define KL_GEOMETRY_CONCAVE_SPLINE_H

#include "geometry/interpolate.h"

typedef struct kl_concave_spline {
    int          np;
    double      *h, *f0; /* length and first value of each interval */
    double      *m;      /* slope at its beginning */
    double      *a, *b;  /* f'' at its two ends before the sign is enforced; linear between */
    signed char *sign;   /* +1: f'' >= 0, -1: f'' <= 0, 0: any, 2: f'' = 0 */
} kl_concave_spline;

/* n points as in kl_interpolate. Free ends take the slope of the cubic through four points, limited
 * to what the sign allows. */
kl_status kl_concave_fit(kl_concave_spline *s, const double *x, const double *f, int stride, int n,
                         bool closed, const kl_end ends[2], kl_arena *scratch);

/* Is interval i cut in two because f'' meets zero inside? `at`: from its beginning. */
bool kl_concave_knot(const kl_concave_spline *s, int i, double *at);

/* Taylor coefficients at x (from the beginning of interval i) of the cubic that holds at `inside`.
 */
void kl_concave_piece(const kl_concave_spline *s, int i, double x, double inside,
                      double c[KL_NCOEFFICIENT]);

#endif
