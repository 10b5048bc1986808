/* A closed mesh of triangles with a hierarchy of boxes: nearest point with sign, support point. */
#ifndef KL_CONTACT_CONTACT_MESH_H
#define KL_CONTACT_CONTACT_MESH_H

#include "base/arena.h"
#include "base/diag.h"
#include "contact/contact_shape.h"

typedef struct kl_hull_node {
    kl_vec3 low, high;
    int     first, count; /* leaf: triangles order[first ...]; else count 0, first: left child */
} kl_hull_node;

typedef struct kl_hull {
    int      npoint, ntriangle, nnode;
    kl_vec3 *point;
    int (*corner)[3];
    int     *order;            /* triangles by leaf */
    kl_vec3 *normal;           /* of each triangle */
    kl_vec3 *point_normal;     /* weighted by angle: distinguishes inside from outside at corners */
    kl_vec3 (*edge_normal)[3]; /* of the edge that follows each corner */
    kl_hull_node *node;
} kl_hull;

/* Copies points and triangles; equal points are merged. An open mesh, triangles without area and
 * neighbours that point opposite ways are refused with a remedy. */
kl_status kl_hull_create(const kl_vec3 *point, int npoint, const int (*corner)[3], int ntriangle,
                         kl_place place, kl_arena *arena, kl_diag *diag, kl_hull **out);

void    kl_hull_project(const kl_hull *h, kl_vec3 p, kl_offset *out);
kl_vec3 kl_hull_support(const kl_hull *h, kl_vec3 n);
int     kl_hull_face(const kl_hull *h, kl_vec3 n, double facing, kl_vec3 *corner);
void    kl_hull_bounds(const kl_hull *h, kl_vec3 *centre, kl_vec3 *half);

/* Nearest point of triangle (a, b, c); `where`: 0 inside, 1..3 corner a.., 4..6 edge ab, bc, ca. */
kl_vec3 kl_triangle_nearest(kl_vec3 p, kl_vec3 a, kl_vec3 b, kl_vec3 c, int *where);

#endif
