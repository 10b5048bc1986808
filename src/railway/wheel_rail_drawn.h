/* The outlines of wheels and rails of an element `wheel-rail`, for pictures. */
#ifndef KL_RAILWAY_WHEEL_RAIL_DRAWN_H
#define KL_RAILWAY_WHEEL_RAIL_DRAWN_H

#include "model/interface.h"

enum { KL_WHEEL_DRAWN_POINTS = 120 };

/* One wheel on its rail. Points {y, z} [m], from the track side to the field side: of the wheel from
 * its running circle, y outward, z up (radius - z from the axle); of the rail in side axes
 * (railway/wheel_rail.h). */
typedef struct kl_wheel_drawn {
    double radius; /* at the running circle [m] */
    double half;   /* of the distance of the running circles [m] */
    int    nwheel, nrail;
    double wheel[KL_WHEEL_DRAWN_POINTS][2], rail[KL_WHEEL_DRAWN_POINTS][2];
} kl_wheel_drawn;

/* Wheel k: 0 left, 1 right. False: there is none, or memory is short. */
bool kl_wheel_rail_drawn(const void *data, int k, kl_wheel_drawn *out);

/* Gauge [m] of the straight rails along x of its first marker; 0: the element follows a track. */
double kl_wheel_rail_straight_gauge(const void *data);

#endif
