/* A wheel or rail profile that a model names under `profiles`. An element refers to it by a key of
 * kind KL_KEY_RESOURCE with `words` "profiles" and gets a `const kl_named_profile *`. */
#ifndef KL_RAILWAY_PROFILE_RESOURCE_H
#define KL_RAILWAY_PROFILE_RESOURCE_H

#include "model/resource.h"
#include "railway/profile_points.h"

typedef struct kl_named_profile {
    int               kind; /* kl_profile_kind */
    kl_file           file;
    int               axes, unit;
    double            smoothing, cone, arc;
    kl_outline        outline; /* in its own axes: kl_rail_placed sets a rail into the track */
    kl_profile_report report;
} kl_named_profile;

extern const kl_resource_type kl_profiles;

#endif
