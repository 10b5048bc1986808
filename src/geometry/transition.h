/* How curvature or cant goes from one value to another over a transition of length 1.
 *
 *   f(0) = 0, f(1) = 1
 *   clothoid          x                            curvature linear in length
 *   bloss             3 x^2 - 2 x^3                no kink at the ends
 *   cosine            (1 - cos pi x)/2             also called half-sine
 *   sine              x - sin(2 pi x)/(2 pi)       Klein
 *   helmert           2 x^2, then 1 - 2(1-x)^2     Schramm, two parabolas
 *   viennese          35 x^4 - 84 x^5 + 70 x^6 - 20 x^7
 *   cubic-parabola    curvature of y = a x^3, with a and the extent such that the length is kept
 *                     and the last curvature is met; only from or to a straight
 *
 * Source: DIN EN 13803 and Kufver, VTI rapport 420A (1997); our own forms of the same curves. */
#ifndef KL_GEOMETRY_TRANSITION_H
#define KL_GEOMETRY_TRANSITION_H

#include <stdbool.h>

#include "geometry/series.h"

typedef struct kl_shape {
    const char *name, *help;
    double      kink; /* a place in (0, 1) where a derivative of f jumps; 0: none */
    bool        from_straight;
    /* Prepares p for a transition that turns by `turn` = |k1 - k0| * length [rad]; false: too much.
     */
    bool (*setup)(double turn, double p[2]);
    /* Series of f around x in [0, 1]; just below the kink when `left`. */
    void (*series)(const double p[2], double x, bool left, kl_series *f);
} kl_shape;

extern const kl_shape kl_shape_clothoid;

/* The shape of that name, or NULL. "linear" is the clothoid. */
const kl_shape *kl_shape_find(const char *name);
/* All names, NULL-terminated. */
const char *const *kl_shape_names(void);

#endif
