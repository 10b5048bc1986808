/* Force elements of the railway: one file each. */
#ifndef KL_RAILWAY_RAILWAY_H
#define KL_RAILWAY_RAILWAY_H

#include "model/interface.h"
#include "model/resource.h"

extern const kl_element_type kl_linear_creep, kl_wheel_rail, kl_wheel_rail_coulomb,
    kl_rigid_wheel_rail, kl_speed_control;
extern const kl_resource_type kl_profiles, kl_irregularities;

#endif
