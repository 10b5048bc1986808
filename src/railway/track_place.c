#include "railway/track_place.h"

#include <math.h>

#include "geometry/nearest.h"
#include "model/interface.h"

kl_status kl_track_place_find(const struct kl_path *path, kl_vec3 point, kl_arena *arena, double *s)
{
    kl_path_cursor cursor;
    KL_TRY(kl_path_cursor_init(path, arena, &cursor));
    return kl_path_nearest(path, point, &cursor, s);
}

/* Wheels are 135 mm wide, of which some 65 mm are outside the middle of the tread. */
static kl_status check_beside(double aside, const struct kl_setup *setup)
{
    const double beside = 0.1; /* [m] */
    if (fabs(aside) <= beside) return KL_OK;
    return kl_fail(setup->diag, KL_E_RANGE, setup->place,
                   "wheel-rail '%s': the middle of the wheelset is %.4g m beside the track, so its "
                   "wheels are not on the rails; move the vehicle with `at`, or change the track",
                   setup->name, fabs(aside));
}

kl_status kl_track_place_check(const struct kl_path *path, kl_vec3 point, double s,
                               const struct kl_setup *setup)
{
    if (!path) return check_beside(point.y, setup);
    const double    beyond = 1e-3; /* [m] */
    const kl_rails  middle = {.path = path};
    kl_rails_cursor cursor = {0};
    kl_rail_point   at;
    KL_TRY(kl_path_cursor_init(path, setup->arena, &cursor.path));
    KL_TRY(kl_rail_at(&middle, 1, s, &cursor, &at));
    kl_vec3 off = kl_mul_t(&at.A, kl_sub(point, at.r));
    if (!path->closed && fabs(off.x) > beyond)
        return kl_fail(setup->diag, KL_E_RANGE, setup->place,
                       "wheel-rail '%s': the wheelset is %.4g m %s the track, which is %.6g m "
                       "long; make the track longer, or move the vehicle with `at`",
                       setup->name, fabs(off.x),
                       off.x < 0.0 ? "before the beginning of" : "beyond the end of", path->length);
    return check_beside(off.y, setup);
}

kl_status kl_track_abreast(const struct kl_path *path, kl_vec3 point, kl_rails_cursor *cursor,
                           double *s, kl_rail_point *at)
{
    const kl_rails middle = {.path = path};
    if (!path) {
        *s  = point.x;
        *at = (kl_rail_point){.r = {*s, 0, 0}, .A = kl_identity(), .dr = {1, 0, 0}};
        return KL_OK;
    }
    for (int pass = 0; pass < 20; pass++) {
        KL_TRY(kl_rail_at(&middle, 0, *s, cursor, at));
        double step = kl_dot(kl_sub(point, at->r), kl_axis(&at->A, 0));
        if (fabs(step) < 1e-11 * (1.0 + fabs(*s))) break;
        *s += step;
    }
    return KL_OK;
}
