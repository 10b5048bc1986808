#include "railway/track_place.h"

#include "geometry/nearest.h"

kl_status kl_track_place_find(const struct kl_path *path, kl_vec3 point, kl_arena *arena, double *s)
{
    kl_path_cursor cursor;
    KL_TRY(kl_path_cursor_init(path, arena, &cursor));
    return kl_path_nearest(path, point, &cursor, s);
}
