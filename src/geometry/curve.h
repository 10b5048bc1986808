/* A curve in space as polynomials over a parameter u: the one form in which splines through control
 * points, plan-and-profile layouts and spatial segments meet.
 *
 *   g(u) = sum_k c_k (u - origin)^k  on each piece
 *
 * u grows along the curve but need not be its length: see arc.h. A curve is const once built. */
#ifndef KL_GEOMETRY_CURVE_H
#define KL_GEOMETRY_CURVE_H

#include "base/diag.h"
#include "base/vec.h"
#include "geometry/interpolate.h"
#include "geometry/series.h"

enum {
    KL_CURVE_ORDER = 5
}; /* highest derivative: what the second derivative of Frenet's rates
      needs */

typedef struct kl_curve_piece {
    double u;          /* where it begins */
    double origin;     /* of its powers */
    int    degree;     /* <= 13 */
    int    first;      /* its lowest coefficient in `coef` */
    int    source;     /* control point or segment it comes from */
    bool   unit_speed; /* u is the length here */
    bool   smooth;     /* it only continues the formula of the piece before */
} kl_curve_piece;

typedef struct kl_curve {
    int             npiece, piece_capacity;
    kl_curve_piece *piece;
    int             ncoef, coef_capacity;
    kl_vec3        *coef;
    double          u_end;
    bool            closed;
    int             most; /* pieces allowed; 0: a million */
    /* what `source` counts, for messages: "control point", places (may be NULL) */
    const char     *source_word;
    const kl_place *source_place;
} kl_curve;

/* Adds a piece from the present end to u_end. */
kl_status kl_curve_add(kl_curve *curve, kl_arena *arena, double u_end, double origin,
                       const kl_vec3 *coef, int degree, int source, bool unit_speed);

/* g and its derivatives by u up to `order` <= KL_CURVE_ORDER at u, as piece `i` says. */
void kl_curve_eval(const kl_curve *curve, int i, double u, int order, kl_vec3 *d);

double kl_curve_piece_end(const kl_curve *curve, int i);

/* Place and number of the control point or segment behind piece i. */
kl_place kl_curve_place(const kl_curve *curve, int i);

/* ---- through control points ---- */

typedef enum kl_spacing { KL_SPACING_CHORD, KL_SPACING_CENTRIPETAL, KL_SPACING_UNIFORM } kl_spacing;

typedef struct kl_control_points {
    const kl_vec3   *point; /* [m] */
    const kl_place  *place; /* of each point; may be NULL; kept by the curve */
    kl_place         whole; /* of the list */
    int              n;
    kl_interpolation kind;
    bool             closed; /* the first point follows the last; repeating it is fine */
    kl_spacing       spacing;
    kl_end_kind      end[2];       /* of an open curve */
    kl_vec3          direction[2]; /* for KL_END_SLOPE: start and end direction, any length */
} kl_control_points;

/* Checks the points (not finite, repeated: errors; a far jump, a reversal: warnings) and lays the
 * curve. `u`, unless NULL, receives the parameter of each point (arena, n values). Scratch goes
 * into `arena` too. */
kl_status kl_curve_through(const kl_control_points *points, kl_arena *arena, kl_diag *diag,
                           kl_curve **out, const double **u);

#endif
