/* What a track is like and what is wrong with it: extremes, jumps at joints, crossings. */
#ifndef KL_GEOMETRY_PATH_CHECK_H
#define KL_GEOMETRY_PATH_CHECK_H

#include "geometry/path.h"

/* An extreme value and where it occurs. */
typedef struct kl_extreme {
    double value, s;
} kl_extreme;

/* Jumps of one quantity at joints. */
typedef struct kl_jumps {
    int    count;
    double largest, s; /* the largest and where it is [m] */
} kl_jumps;

typedef struct kl_path_report {
    double     length;          /* [m] */
    kl_vec3    low, high;       /* the box it lies in [m] */
    kl_extreme radius;          /* smallest radius of curvature in space [m] */
    kl_extreme plan_radius;     /* seen from above */
    kl_extreme vertical_radius; /* in the upright plane along the track */
    kl_extreme slope;           /* steepest [rad] */
    kl_extreme roll;            /* largest angle of the frame against level [rad]; 0 to pi */
    kl_extreme roll_rate;       /* largest d roll/ds [rad/m] */
    kl_extreme roll_jerk;       /* largest d2 roll/ds2 [rad/m2], joints left aside */
    kl_extreme lateral_jerk;    /* largest change of curvature |dk/ds| [1/m2], joints left aside */
    kl_jumps   gap;             /* position [m] */
    kl_jumps   kink;            /* direction [rad] */
    kl_jumps   twist;           /* frame about the direction [rad] */
    kl_jumps   curvature;       /* [1/m] */
    kl_jumps   roll_rate_jump;  /* [rad/m] */
} kl_path_report;

/* Looks along the whole path: at every joint from both sides and at places `step` apart (0: 0.5 m
 * or 1/1000 of the length, whichever is less, eight a stretch at least). Steep places, where roll
 * has no meaning, are left out of roll. */
kl_status kl_path_check(const kl_path *path, double step, kl_arena *arena, kl_path_report *out);

/* Jumps of the frame's axes [rad] and of its turn [rad/m] at the joints alone: what strikes a body
 * that follows. */
kl_status kl_path_jumps(const kl_path *path, kl_arena *arena, kl_jumps *kink, kl_jumps *turn);

/* Two parts of the track that come nearer than `clearance`. */
typedef struct kl_meeting {
    double s[2], distance; /* [m] */
} kl_meeting;

/* Finds crossings, at most `capacity`; returns their number through n (which may exceed it). Parts
 * closer along the track than `apart` (0: 10 clearances and 10 steps) are neighbours, not
 * crossings.
 */
kl_status kl_path_crossings(const kl_path *path, double clearance, double apart, kl_meeting *out,
                            int capacity, int *n);

#endif
