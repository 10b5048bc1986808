/* Where a wheel touches a rail: search on the true surfaces, every contact found, none invented.
 *
 * A wheel is a surface of revolution, a rail a prism along x (or slightly bent). Common normals of
 * the two have no x component, so on each circle of the wheel only the point where the normal is
 * square to x can touch (Wang's contact trace): with the axle's yaw psi and the slope angle gamma of
 * the wheel profile it leads or lags the lowest point by s,
 *
 *     sin s = - tan(gamma) tan(psi).
 *
 * These points, seen along x, are a planar curve, the trace. A contact is a local maximum of the
 * penetration d of the trace into the rail's outline, where the surfaces also part along x. The
 * search in four surface parameters thus becomes one along the trace, without approximation. */
#ifndef KL_RAILWAY_TOUCH_SEARCH_H
#define KL_RAILWAY_TOUCH_SEARCH_H

#include "railway/outline.h"
#include "railway/wheel_rail.h"

/* `wheel` in its own axes with nominal `radius` [m]; `rail` placed in side axes (kl_rail_placed);
 * `rail_shift` as given by it, for rail_u. Both outlines are kept, not copied, and must outlive the
 * search, which lives in `arena`. */
kl_status kl_touch_search_create(const kl_outline *wheel, double radius, const kl_outline *rail,
                                 double rail_shift_y, kl_arena *arena, kl_contact_search *out);

/* The find function of such a search; `data` as in kl_contact_search. */
int kl_touch_find(const void *data, const kl_wheel_pose *pose, double margin, double *warm,
                  kl_touch *touch);

/* Contacts of a search; a short name for search->find(search->data, ...). */
static inline int kl_touches(const kl_contact_search *search, const kl_wheel_pose *pose,
                             double margin, double *warm, kl_touch touch[KL_TOUCH_MOST])
{
    return search->find(search->data, pose, margin, warm, touch);
}

#endif
