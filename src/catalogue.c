/* The list of all types, and nothing else: a program may bring its own in its place. */
#include "catalogue.h"

#include "beams/beam.h"
#include "bodies/bodies.h"
#include "catenary/catenary.h"
#include "catenary/elements.h"
#include "contact/contact.h"
#include "contact/contact_group.h"
#include "contact/contact_nodes.h"
#include "contact/contact_skin.h"
#include "forces/forces.h"
#include "joints/joints.h"
#include "railway/railway.h"

const kl_body_type *const kl_body_types[] = {&kl_ground,   &kl_rigid, &kl_point, &kl_flexible,
                                             &kl_wheelset, &kl_beam,  NULL};

const kl_element_type *const kl_joint_types[] = {
    &kl_fixed,
    &kl_spherical,
    &kl_revolute,
    &kl_universal,
    &kl_cylindrical,
    &kl_translational,
    &kl_planar,
    &kl_screw,
    &kl_distance,
    &kl_point_on_line,
    &kl_point_on_plane,
    &kl_parallel,
    &kl_perpendicular,
    &kl_rigid_set,
    &kl_driver,
    &kl_coupler,
    &kl_path_joint,
    &kl_spatial_cam,
    &kl_point_on_surface,
    &kl_worn_revolute,
    &kl_worn_cylindrical,
    &kl_worn_spherical,
    &kl_worn_translational,
    &kl_rigid_wheel_rail,
    NULL,
};

const kl_element_type *const kl_force_types[] = {
    &kl_spring_damper,
    &kl_rotational_spring_damper,
    &kl_slide_spring_damper,
    &kl_series_spring_damper,
    &kl_bump_stop,
    &kl_crush,
    &kl_plastic_hinge,
    &kl_latch,
    &kl_bushing,
    &kl_friction_spring,
    &kl_joint_friction,
    &kl_air_spring,
    &kl_force,
    &kl_torque,
    &kl_controller,
    &kl_linear_creep,
    &kl_wheel_rail,
    &kl_wheel_rail_coulomb,
    &kl_speed_control,
    &kl_pantograph_force,
    &kl_catenary_contact,
    NULL,
};

const kl_element_type *const kl_contact_types[] = {&kl_contact, &kl_contact_group,
                                                   &kl_contact_on_nodes, &kl_contact_on_skin, NULL};

const kl_element_section kl_element_sections[] = {
    {.section = "joints",
     .word    = "joint",
     .help    = "connections between bodies, drivers and couplers",
     .text    = "    joints:\n"
                "      hinge: {type: revolute, between: [ground, crank], at: [0, 0, 0], axis: y}\n\n"
                "A joint connects two bodies at a point, which is given in global coordinates in the "
                "initial\n"
                "position. `klingel list` shows the types. Bodies, joints and forces share one list "
                "of names.\n\n"
                "    start: {angle: 30 deg, angular_speed: 2 rad/s}       # also displacement, "
                "length, speed\n"
                "    start: {angle: 30 deg, fixed: [angle]}               # must be met exactly\n\n"
                "`start` gives the initial values of the joint coordinates, measured from the "
                "position in which\n"
                "the bodies are described.\n",
     .types   = kl_joint_types,
     .joints  = true},
    {.section = "forces",
     .word    = "force",
     .help    = "springs, dampers, stops, loads, controllers",
     .text =
         "    forces:\n"
         "      strut: {type: spring-damper, between: [wheel, car], at: [[0, 0, 0], [0, 0, 1]],\n"
         "              stiffness: 20 kN/m, damping: 1.5 kN s/m}\n",
     .types = kl_force_types},
    {.section = "contacts",
     .word    = "contact",
     .help    = "contact of bodies: impact, rolling, sliding",
     .text =
         "    contacts:\n"
         "      bounce: {between: [ball, ground], shapes: [{sphere: 50 mm}, plane],\n"
         "               material: steel-steel, law: hunt-crossley, restitution: 0.7,\n"
         "               friction: stick-slip, mu: 0.3}\n\n"
         "Each shape is given in the axes of its body, or of a marker such as `car.hook`:\n\n"
         "    plane                                        # z = 0 with material below; {plane: "
         "x}\n"
         "    {sphere: 50 mm, at: [0, 0, 0.1]}             # {sphere: {radius: 0.5, inside: "
         "true}}\n"
         "    {box: [0.2, 0.1, 0.1]}    {ellipsoid: [a, b, c]}              # edges; semi-axes\n"
         "    {cylinder: {radius: 10 mm, length: 40 mm, axis: y}}           # inside: true is a "
         "hole\n"
         "    {cylinder: {radius, length, slices: 5}}      # discs of a roller in a hole; or "
         "slice_error: 0.01\n"
         "    {capsule: {radius, length}}    {cone: {radius, top, length}}\n"
         "    {torus: {radius, tube}}                      # tube 0 is a thin ring\n"
         "    {revolved_arc: {center: [x, y], first: [x, y], last: [x, y]}}   # revolved about y\n"
         "    {extruded_arc: {center, first, last, z: [from, to], side: outside}}\n"
         "    {revolved_arc: {arcs: [{center, first, last}, ...], mirror: true}}    # chain of "
         "arcs\n"
         "    {surface: hill}    {mesh: part.stl, scale: 0.001}\n"
         "    skin              # of a flexible body, second; {skin: {from: [x, y, z], to: [x, y, "
         "z]}}\n\n"
         "`klingel contacts MODEL` lists gaps and contact points at the start.\n",
     .types = kl_contact_types,
     .usual = &kl_contact},
    {0},
};

const kl_resource_type *const kl_resource_types[] = {&kl_tracks,        &kl_surfaces,
                                                     &kl_profiles,      &kl_irregularities,
                                                     &kl_catenaries,    &kl_structural_materials,
                                                     &kl_beam_sections, NULL};
