/* A path without jumps of curvature or of the rate of roll: each is rounded off over a short
 * length.
 *
 * A rigid body that follows the frame of a track needs an infinite torque where the frame's rate
 * jumps, as at the ends of a linear ramp of cant or of an arc without transition. No track is built
 * so. */
#ifndef KL_GEOMETRY_PATH_ROUNDED_H
#define KL_GEOMETRY_PATH_ROUNDED_H

#include "geometry/path.h"

/* `inner` is kept. Over `length` [m] about each joint where r'' or kappa jump, or over less where
 * joints are close, quintic Hermite polynomials take over with values and two derivatives from both
 * sides: what remains to jump is the third derivative. Without jumps the path comes back as it is.
 */
kl_status kl_path_rounded(const kl_path *inner, double length, kl_arena *arena,
                          const kl_path **out);

#endif
