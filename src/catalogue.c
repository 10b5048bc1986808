/* The list of all types, and nothing else. */
#include "catalogue.h"

#include "bodies/bodies.h"
#include "forces/forces.h"
#include "joints/joints.h"
#include "railway/railway.h"

const kl_body_type *const kl_body_types[] = {&kl_ground, &kl_rigid, &kl_point, &kl_flexible, NULL};

const kl_element_type *const kl_joint_types[] = {
    &kl_fixed,          &kl_spherical,  &kl_revolute,      &kl_universal,        &kl_cylindrical,
    &kl_translational,  &kl_planar,     &kl_screw,         &kl_distance,         &kl_point_on_line,
    &kl_point_on_plane, &kl_parallel,   &kl_perpendicular, &kl_rigid_set,        &kl_driver,
    &kl_coupler,        &kl_path_joint, &kl_spatial_cam,   &kl_point_on_surface, NULL,
};

const kl_element_type *const kl_force_types[] = {
    &kl_spring_damper,
    &kl_rotational_spring_damper,
    &kl_slide_spring_damper,
    &kl_series_spring_damper,
    &kl_bump_stop,
    &kl_latch,
    &kl_bushing,
    &kl_force,
    &kl_torque,
    &kl_controller,
    &kl_linear_creep,
    &kl_wheel_rail,
    NULL,
};

const kl_resource_type *const kl_resource_types[] = {&kl_tracks, &kl_surfaces, NULL};
