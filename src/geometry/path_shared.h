/* A windowed table that needs no window from its callers: it keeps a few of its own, each where
 * somebody reads, behind a lock. For paths of a model, which many elements and threads share. */
#ifndef KL_GEOMETRY_PATH_SHARED_H
#define KL_GEOMETRY_PATH_SHARED_H

#include "geometry/path.h"

/* `inner` is kept. A path that needs no window comes back as it is. */
kl_status kl_path_shared(const kl_path *inner, kl_arena *arena, const kl_path **out);

#endif
