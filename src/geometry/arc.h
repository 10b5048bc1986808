/* A curve by its length s: u(s) to a stated tolerance, and derivatives by s.
 *
 *   s(u) = integral of |dg/du|;  on each interval u(s) is the quintic that meets u, u', u'' at both
 *   ends; intervals are halved until |s(u(s)) - s| <= tolerance
 *
 * Derivatives by s are exact in u: dr/ds = g'/|g'| and so on, whatever the tolerance. */
#ifndef KL_GEOMETRY_ARC_H
#define KL_GEOMETRY_ARC_H

#include "geometry/curve.h"

typedef struct kl_arc_interval {
    double s;     /* where it begins [m] */
    double c[6];  /* u = sum c_k (s - begin)^k */
    int    piece; /* of the curve: an interval lies in one piece */
} kl_arc_interval;

typedef struct kl_arc {
    const kl_curve  *curve;
    int              n, capacity;
    kl_arc_interval *interval;
    double           length;    /* [m] */
    double           tolerance; /* asked for [m] */
    double           error;     /* largest |s(u(s)) - s| seen at test points [m] */
} kl_arc;

/* Fails where dr/du vanishes (a cusp). tolerance <= 0: 1e-11 m. */
kl_status kl_arc_build(const kl_curve *curve, double tolerance, kl_arena *arena, kl_diag *diag,
                       kl_arc **out);

/* The interval that holds s in [0, length]; at a joint the later one, with side < 0 the earlier. */
int kl_arc_find(const kl_arc *arc, double s, int side, int hint);

double kl_arc_interval_end(const kl_arc *arc, int i);

/* r and its derivatives by s up to `order` <= KL_CURVE_ORDER, as interval i says. */
void kl_arc_eval(const kl_arc *arc, int i, double s, int order, kl_vec3 *d);

/* ---- any parameter by length ---- */

/* Speed |dr/du| and its derivative by u. */
typedef struct kl_speed {
    const void *context;
    void (*eval)(const void *context, double u, double speed[2]);
} kl_speed;

/* u(s) alone, for parameter lines of surfaces. */
typedef struct kl_length_map {
    int              n, capacity;
    kl_arc_interval *interval;
    double           length;
} kl_length_map;

/* From u0 to u1; KL_E_RANGE where the speed vanishes or jumps. */
kl_status kl_length_map_build(kl_speed speed, double u0, double u1, double tolerance,
                              kl_arena *arena, kl_length_map **out);

/* u, du/ds, d2u/ds2 at s. */
void kl_length_map_eval(const kl_length_map *map, double s, double u[3]);

/* Length at parameter u. Fits kl_piecewise_map: context is the kl_arc. */
double kl_arc_length_at(const void *arc, double u);

#endif
