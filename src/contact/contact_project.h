/* Signed distances of a point to shapes, in their own axes: one function a kind. */
#ifndef KL_CONTACT_CONTACT_PROJECT_H
#define KL_CONTACT_CONTACT_PROJECT_H

#include "contact/contact_shape.h"

void kl_sphere_project(const kl_solid *s, kl_vec3 p, kl_offset *out);
void kl_plane_project(const kl_solid *s, kl_vec3 p, kl_offset *out);
void kl_cylinder_project(const kl_solid *s, kl_vec3 p, kl_offset *out);
void kl_capsule_project(const kl_solid *s, kl_vec3 p, kl_offset *out);
void kl_box_project(const kl_solid *s, kl_vec3 p, kl_offset *out);
void kl_cone_project(const kl_solid *s, kl_vec3 p, kl_offset *out);
void kl_ellipsoid_project(const kl_solid *s, kl_vec3 p, kl_offset *out);
void kl_torus_project(const kl_solid *s, kl_vec3 p, kl_offset *out);
void kl_revolved_project(const kl_solid *s, kl_vec3 p, kl_offset *out);
void kl_extruded_project(const kl_solid *s, kl_vec3 p, kl_offset *out);
void kl_surface_project(const kl_solid *s, kl_vec3 p, kl_offset *out);
void kl_mesh_project(const kl_solid *s, kl_vec3 p, kl_offset *out);

/* Box about an arc in its plane. */
void kl_arc_box(const kl_arc2 *arc, double x[2], double y[2]);

#endif
