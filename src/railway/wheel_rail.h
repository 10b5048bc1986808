/* What the contact search and the contact forces of a wheel on a rail share.
 *
 * Side axes. All geometry of one wheel on one rail is written in the axes of its side of the track:
 * x forward, y outward (to the field side), z up; the origin is in the middle of the track on the
 * plane through the two rail tops. For the left wheel these are the track axes (x forward, y left,
 * z up); for the right wheel they are the mirror image, y -> -y. So one search serves both sides.
 *
 * A wheel is a surface of revolution: it is known by the point of its axle in the plane of the
 * running circle (taping line) and by the direction of the axle outward. A rail is a sweep along x.
 */
#ifndef KL_RAILWAY_WHEEL_RAIL_H
#define KL_RAILWAY_WHEEL_RAIL_H

#include <stdbool.h>

#include "base/vec.h"

enum { KL_TOUCH_MOST = 6 }; /* contact patches of one wheel that are followed at the same time */

typedef enum kl_touch_region { KL_TOUCH_TREAD, KL_TOUCH_FLANGE, KL_TOUCH_BACK } kl_touch_region;

/* A wheel against its rail, in side axes. */
typedef struct kl_wheel_pose {
    kl_vec3 center;         /* point of the axle in the plane of the running circle [m] */
    kl_vec3 axle;           /* unit vector along the axle, outward */
    double  bend_y, bend_z; /* the rail at x lies bend x^2/2 off its line at x = 0 [1/m] */
} kl_wheel_pose;

/* The least penetration between two neighbouring contacts of a wheel; all zero: they are apart. */
typedef struct kl_touch_valley {
    double depth; /* [m] */
    double w, foot;
} kl_touch_valley;

/* One place where the surfaces overlap (depth > 0), or their nearest places (depth <= 0), in side
 * axes. The common normal is that of the rail surface, pointing into the wheel. */
typedef struct kl_touch {
    kl_vec3 wheel, rail; /* the two points of the common normal [m] */
    kl_vec3 normal;      /* unit, from the rail into the wheel */
    double  depth;       /* penetration along the normal, (rail - wheel) . normal [m] */
    double wheel_u; /* coordinate along the wheel profile: y from the running circle, outward [m] */
    double rail_u;  /* coordinate along the rail profile: y of its own frame, outward [m] */
    double radius;  /* of the wheel at the contact, from the axle [m] */
    /* gap = Ax x^2 + 2 Cxy x y + By y^2 about the point, x along the rail, y across it in the contact
     * plane, outward [1/m]; Ax > 0; By may be small for conformal pairs, a force law limits it; Cxy
     * is zero without yaw and matters on the flange only */
    double Ax, By, Cxy;
    double
        By_wide; /* By with curvatures averaged over 2 mm to each side: what Hertz is given; 0: By */
    kl_touch_region region;
    double w, foot; /* places on both outlines, piece + t: where `follow` begins; a search's own */
    kl_touch_valley next;  /* between this contact and the next one of the wheel */
    double          share; /* of the force of a contact alone, see kl_touch_shares */
} kl_touch;

/* A contact search: how one wheel profile and one rail profile touch. A search is const and may be
 * used by several threads; `warm` is scratch of its caller (`nwarm` numbers, zeroed at first), in
 * which it may note the last contact to be faster. The result never depends on it. */
typedef struct kl_contact_search {
    const void *data;
    int         nwarm;
    /* Finds up to KL_TOUCH_MOST contacts with depth > -margin, deepest of each overlap, sorted by
     * wheel_u; returns how many. */
    int (*find)(const void *data, const kl_wheel_pose *pose, double margin, double *warm,
                kl_touch *touch);
    /* Contacts that were found at a position nearby, moved to this one without a search: exact to first
     * order in the motion of the wheel, for derivatives. */
    void (*follow)(const void *data, const kl_wheel_pose *pose, kl_touch *touch, int n);
    /* height of the flange tip above the radius r0 and r0 itself [m]: for derailment and drawing */
    double flange_height, radius;
    /* y of the flange's face 10 mm below the running circle [m], where EN 13715 measures its
     * thickness; NaN: there is none */
    double flange_face;
} kl_contact_search;

/* How much of the force of a contact alone each of n contacts of a wheel carries: 1 for contacts that
 * are apart. Neighbours whose surfaces overlap in between too, by more than about half their
 * penetration, are in truth one patch with two deepest places; they share one force, and one that is
 * about to vanish carries nothing. So forces do not jump when contacts appear or merge. */
void kl_touch_shares(kl_touch *touch, int n);

#endif
