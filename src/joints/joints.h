/* The joints that the catalogue lists. */
#ifndef KL_JOINTS_JOINTS_H
#define KL_JOINTS_JOINTS_H

#include "model/interface.h"

extern const kl_element_type kl_fixed, kl_spherical, kl_revolute, kl_universal, kl_cylindrical,
    kl_translational, kl_planar, kl_screw, kl_distance, kl_point_on_line, kl_point_on_plane,
    kl_parallel, kl_perpendicular;
extern const kl_element_type kl_driver, kl_coupler, kl_rigid_set;
extern const kl_element_type kl_path_joint, kl_spatial_cam, kl_point_on_surface;
extern const kl_element_type kl_worn_revolute, kl_worn_cylindrical, kl_worn_spherical,
    kl_worn_translational;

#endif
