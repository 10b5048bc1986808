/* Wheel and rail profiles that are built in, and how a rail is set into the track. Axes: outline.h. */
#ifndef KL_RAILWAY_PROFILES_H
#define KL_RAILWAY_PROFILES_H

#include "railway/outline.h"

/* Wheel S1002 (EN 13715; flange height 28 mm, thickness 32.5 mm), with the back of the flange. */
kl_status kl_wheel_s1002(kl_arena *arena, kl_outline *out);

/* Conical wheel without flange: z = slope y for y in [-width/2, width/2]. A positive slope makes the
 * radius smaller towards the field side; slope 0 is a cylinder. */
kl_status kl_wheel_cone(double slope, double width, kl_arena *arena, kl_outline *out);

/* Wheel whose tread is an arc that is level at y = 0: radius > 0 hollow (concave), < 0 convex. */
kl_status kl_wheel_arc(double radius, double width, kl_arena *arena, kl_outline *out);

/* Rail head of three arcs that meet without kink and a straight side. */
typedef struct kl_rail_head {
    double r1, r2, r3; /* crown, shoulder, corner radius [m] */
    double y12, y23;   /* where they meet, from the middle [m] */
    double side;       /* the side leans outward by `side` over 1 */
    double depth;      /* height of the outline below the top [m] */
} kl_rail_head;

extern const kl_rail_head kl_rail_60e1;  /* EN 13674-1 */
extern const kl_rail_head kl_rail_uic60; /* as in the Manchester contact benchmark */

kl_status kl_rail_from_head(const kl_rail_head *head, kl_arena *arena, kl_outline *out);

/* Rail whose head is one arc of `radius`, from -width/2 to width/2. */
kl_status kl_rail_arc(double radius, double width, kl_arena *arena, kl_outline *out);

/* How a rail lies in the track. */
typedef struct kl_rail_setting {
    double gauge;       /* [m], between the rails within `gauge_depth` below their tops */
    double gauge_depth; /* [m] */
    double inclination; /* tangent of the angle by which the rail leans inward */
} kl_rail_setting;

#define KL_RAIL_SETTING ((kl_rail_setting){1.435, 0.014, 1.0 / 40.0})

/* The rail's outline in side axes (railway/wheel_rail.h): leaned inward, highest point at z = 0,
 * innermost point within the gauge depth at y = gauge/2. `shift`: y and z by which it moved after
 * leaning (NULL: not wanted). */
kl_status kl_rail_placed(const kl_outline *rail, const kl_rail_setting *setting, kl_arena *arena,
                         kl_outline *out, double shift[2]);

/* Least y of an outline where z >= `floor` [m]; INFINITY when it lies below. */
double kl_outline_innermost(const kl_outline *o, double floor);

#endif
