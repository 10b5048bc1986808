/* Lays a smooth stretch of a curve as Taylor polynomials, halving until they are exact to rounding.
 */
#ifndef KL_GEOMETRY_TAYLOR_H
#define KL_GEOMETRY_TAYLOR_H

#include "geometry/curve.h"

enum { KL_TAYLOR_WIDTH = 12 }; /* most series a stretch may carry along: x, y, z and its own */

typedef struct kl_taylor {
    /* Series around the middle of [a, b] that continue from where `context` is at a; the first
     * three are x, y, z. */
    void (*series)(const void *context, double a, double b, kl_series *r);
    /* Moves the state to offset x from the middle: the end of the stretch. */
    void (*advance)(void *context, const kl_series *r, double x);
} kl_taylor;

/* Adds pieces from the curve's end to u_end and moves `context` along. `place` is that of the
 * source, for a message when the curve turns so much that it needs too many pieces. */
kl_status kl_taylor_lay(const kl_taylor *type, void *context, kl_arena *arena, kl_curve *curve,
                        double u_end, int source, bool unit_speed, kl_place place, kl_diag *diag);

#endif
