/* Normal contact after Kik and Piotrowski (1996) for conformal and worn profiles, where the patch is
 * no ellipse: the surfaces overlap by the approach `depth`, the patch is where they overlap by 0.55 of
 * it, and the pressure is semi-elliptic along the rail,
 *
 *     p(x, y) = (p0/a0) sqrt(a(y)^2 - x^2),    a(y)^2 = (0.55 depth - gap(y))/Ax(y),
 *     N = pi E* depth I1/I2,  I1 = integral of sqrt(a^2 - x^2),  I2 = integral of sqrt(a^2 - x^2)/rho
 *
 * over the patch, rho from its deepest point; p0 follows, since N is the integral of p. For a
 * circular contact N is sqrt(1.1) = 1.049 times that of Hertz. */
#ifndef KL_RAILWAY_KIK_PIOTROWSKI_H
#define KL_RAILWAY_KIK_PIOTROWSKI_H

#include "railway/wheel_rail.h"

enum { KL_STRIPS = 40 }; /* across a patch, half of them on each side of the deepest point */

/* A strip of a patch along the rail. */
typedef struct kl_touch_strip {
    double y, width; /* across the rail in the contact plane from the deepest point, outward [m] */
    double gap;      /* distance of the undeformed surfaces when they just touch [m] */
    double Ax;       /* half their curvature along the rail [1/m] */
    double u;        /* place on the wheel profile [m] */
} kl_touch_strip;

typedef struct kl_overlap_patch {
    double         N, p0;        /* for this approach [N], [Pa] */
    double         area;         /* [m2] */
    double         inner, outer; /* ends across the rail from the deepest point, inner < 0 [m] */
    double         center; /* centre of the pressure across the rail, from the deepest point [m] */
    kl_touch_strip strip[KL_STRIPS];
    double         a[KL_STRIPS]; /* half length of each strip [m] */
} kl_overlap_patch;

/* Strips of the overlap around a contact found by `search` (made by kl_touch_search_create) where the
 * gap is below `drop` [m]. False when the search is of another kind. */
bool kl_touch_strips(const kl_contact_search *search, const kl_wheel_pose *pose,
                     const kl_touch *touch, double drop, kl_touch_strip strip[KL_STRIPS]);

/* The patch for the approach touch->depth > 0; contact modulus E*: 1/E* = 2 (1 - nu^2)/E. */
bool kl_kik_piotrowski(const kl_contact_search *search, const kl_wheel_pose *pose,
                       const kl_touch *touch, double contact_modulus, kl_overlap_patch *out);

/* Centre of the overlap of n contacts of one wheel on the wheel profile, weighted by the square of the
 * penetration: near what CONTACT gives as the contact point of a patch [m]; the weight was chosen by
 * comparison with it. */
double kl_overlap_center(const kl_contact_search *search, const kl_wheel_pose *pose,
                         const kl_touch *touch, int n);

#endif
