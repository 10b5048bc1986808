#include "railway/track_place.h"

#include <math.h>

#include "geometry/nearest.h"

kl_status kl_track_place_find(const struct kl_path *path, kl_vec3 point, kl_arena *arena, double *s)
{
    kl_path_cursor cursor;
    KL_TRY(kl_path_cursor_init(path, arena, &cursor));
    return kl_path_nearest(path, point, &cursor, s);
}

kl_status kl_track_abreast(const struct kl_path *path, kl_vec3 point, kl_rails_cursor *cursor,
                           double *s, kl_rail_point *at)
{
    const kl_rails middle = {.path = path};
    for (int pass = 0; pass < 20; pass++) {
        KL_TRY(kl_rail_at(&middle, 1, *s, cursor, at));
        double step = kl_dot(kl_sub(point, at->r), kl_axis(&at->A, 0));
        *s += step;
        if (fabs(step) < 1e-11 * (1.0 + fabs(*s))) break;
    }
    return KL_OK;
}
