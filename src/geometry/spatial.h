/* Spatial segments: a track described by curvatures in its own moving frame. For loops and
 * corkscrews, where a plan with a profile has no meaning.
 *
 * With axes x forward, y left, z up that roll along (A), and rates by length s:
 *
 *   r' = A e_x,  A' = A [w],  w = (roll', -up, left)
 *
 * `left` and `up` are the curvatures towards the left and upwards of the rolled frame [1/m]. A
 * circle with constant roll rate is a helix: a corkscrew. */
#ifndef KL_GEOMETRY_SPATIAL_H
#define KL_GEOMETRY_SPATIAL_H

#include "geometry/curve.h"
#include "geometry/piecewise_scalar.h"

typedef struct kl_spatial_segment {
    double          length;             /* [m] */
    double          left[2], up[2];     /* curvatures at its start and end [1/m] */
    double          roll;               /* angle rolled over the segment [rad] */
    double          roll_rate[2];       /* or: rate at its start and end, linear between [rad/m] */
    const kl_shape *shape, *roll_shape; /* between start and end; NULL: linear */
    kl_place        place;
} kl_spatial_segment;

typedef struct kl_spatial {
    const kl_spatial_segment *segment;
    int                       n;
    kl_vec3                   start;
    kl_mat3                   A;    /* axes at the start */
    int                       most; /* pieces allowed; 0: no concern of yours */
    kl_place                  place;
} kl_spatial;

/* The curve (its parameter is its length) and the roll angle by length, which is counted from the
 * frame of least rotation that starts with `A`. */
kl_status kl_spatial_build(const kl_spatial *in, kl_arena *arena, kl_diag *diag, kl_curve **curve,
                           kl_piecewise *roll);

#endif
