/* Contact of a conical wheel on a rail head with one radius, in closed form: for simple models and as
 * a reference of the general search. */
#ifndef KL_RAILWAY_CONE_ON_ARC_H
#define KL_RAILWAY_CONE_ON_ARC_H

#include "railway/wheel_rail.h"

typedef struct kl_cone_on_arc {
    double conicity;    /* tangent of the half angle: radius = r0 - conicity u, u outward */
    double r0;          /* radius in the plane of the running circle [m] */
    double rail_radius; /* of the rail head [m]; 0: a knife edge */
    double y, z;        /* centre of the rail head in side axes [m] */
} kl_cone_on_arc;

/* The rail is placed so that a wheel with its running circle at y = half_gauge and its axle level
 * touches it there, on the plane z = 0. */
kl_cone_on_arc kl_cone_on_arc_place(double conicity, double r0, double rail_radius,
                                    double half_gauge);

/* `data` of the search stays the caller's. */
kl_contact_search kl_cone_on_arc_search(const kl_cone_on_arc *data);

#endif
