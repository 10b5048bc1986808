/* A flexible body with large deformations: each node of its mesh is a body (paper 001, equations 46
 * and 49: lumped mass, accelerations against the inertial frame), each finite element an element.
 *
 * Nodes are points with three translations. Sets that the body file ties to a marker move as rigid
 * bodies: joints hold on to them, and the finite elements beside them hold on to them with markers, so
 * that forces and moments come together on the rigid part by themselves (equation 51). */
#ifndef KL_BODIES_NONLINEAR_H
#define KL_BODIES_NONLINEAR_H

#include "bodies/flexible.h"
#include "fe/large_solid.h"
#include "mesh/mesh.h"

/* A set of nodes that moves as one rigid body, or a single node with a name. */
typedef struct nonlinear_part {
    const char *name; /* of the marker */
    kl_vec3     at;   /* in the frame of the mesh */
    int         n;
    const int  *node;
    bool        rigid;
    int         body; /* within the compound */
} nonlinear_part;

typedef struct nonlinear_mesh {
    kl_mesh        *mesh;
    kl_vec3         shift; /* from the origin of the mesh to that of the frame */
    double         *mass;  /* nnode of the mesh: lumped [kg] */
    int            *body;  /* nnode: body within the compound; -1: no element uses the node */
    kl_vec3        *local; /* nnode: where on it [m] */
    int             npart;
    nonlinear_part *part;
    kl_solid_law   *law; /* of each material */
    kl_field        field;
} nonlinear_mesh;

/* nonlinear_solid.c: one finite element */
typedef struct nonlinear_solid {
    kl_large_solid s;
    int            id; /* in the mesh file */
} nonlinear_solid;
extern const kl_element_type kl_nonlinear_solid;

/* nonlinear_mesh.c: shapes, materials, mass, parts; told where it cannot be done */
kl_status nonlinear_mesh_take(flexible *p, const kl_setup *s);

#endif
