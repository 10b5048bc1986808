/* Profiles by what a user writes: the name of a built-in one, a shape with a number, or a file. */
#ifndef KL_RAILWAY_PROFILE_BY_NAME_H
#define KL_RAILWAY_PROFILE_BY_NAME_H

#include "railway/profile_points.h"

/* Names that `text` may have, for help and messages:
 *   wheels: S1002, cone:SLOPE (for example cone:0.05 or cone:1/20), cylinder, arc:RADIUS
 *   rails:  60E1, UIC60, arc:RADIUS
 * RADIUS is a length such as 300mm or 0.3 (metres). Anything else is the name of a file. */
kl_status kl_profile_by_name(const char *text, kl_profile_kind kind,
                             const kl_profile_options *options, kl_place place, kl_arena *arena,
                             kl_diag *diag, kl_outline *out, kl_profile_report *report);

#endif
