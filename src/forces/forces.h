/* The forces that the catalogue lists. */
#ifndef KL_FORCES_FORCES_H
#define KL_FORCES_FORCES_H

#include "model/interface.h"

extern const kl_element_type kl_spring_damper, kl_rotational_spring_damper, kl_slide_spring_damper;
extern const kl_element_type kl_series_spring_damper, kl_bump_stop, kl_latch, kl_bushing, kl_force,
    kl_torque, kl_controller;
extern const kl_element_type kl_friction_spring, kl_air_spring, kl_joint_friction;
extern const kl_element_type kl_crush, kl_plastic_hinge;

#endif
