/* Where on a track a point is. */
#ifndef KL_RAILWAY_TRACK_PLACE_H
#define KL_RAILWAY_TRACK_PLACE_H

#include "base/arena.h"
#include "base/diag.h"
#include "base/vec.h"
#include "railway/rails.h"

struct kl_setup;

/* Length s of the place nearest to `point`, in the axes of the path; the arena keeps the cursor. */
kl_status kl_track_place_find(const struct kl_path *path, kl_vec3 point, kl_arena *arena,
                              double *s);

/* Complains where a wheelset at `point`, nearest to length s of the path, is not on the track. `path`
 * NULL: straight along x. */
kl_status kl_track_place_check(const struct kl_path *path, kl_vec3 point, double s,
                               const struct kl_setup *setup);

/* The place of the track's middle line abreast of `point`: (point - r(s)).x(s) = 0, by Newton's
 * method from *s on. `path` NULL: straight along x. */
kl_status kl_track_abreast(const struct kl_path *path, kl_vec3 point, kl_rails_cursor *cursor,
                           double *s, kl_rail_point *at);

#endif
