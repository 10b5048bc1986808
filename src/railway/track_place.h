/* Where on a track a point is. */
#ifndef KL_RAILWAY_TRACK_PLACE_H
#define KL_RAILWAY_TRACK_PLACE_H

#include "base/arena.h"
#include "base/diag.h"
#include "base/vec.h"

struct kl_path;

/* Length s of the place nearest to `point`, in the axes of the path; the arena keeps the cursor. */
kl_status kl_track_place_find(const struct kl_path *path, kl_vec3 point, kl_arena *arena,
                              double *s);

#endif
