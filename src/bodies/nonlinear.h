/* A flexible body with large deformations: each node of its mesh is a body (paper 001, equations 46
 * and 49: lumped mass, accelerations against the inertial frame), each finite element an element.
 *
 * Nodes of solids are points with three translations, those of shells also rotate. Sets that the body file ties to a marker move as rigid
 * bodies: joints hold on to them, and the finite elements beside them hold on to them with markers, so
 * that forces and moments come together on the rigid part by themselves (equation 51). */
#ifndef KL_BODIES_NONLINEAR_H
#define KL_BODIES_NONLINEAR_H

#include "bodies/flexible.h"
#include "fe/large_shell.h"
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
    kl_mesh *mesh;
    kl_vec3  shift;   /* from the origin of the mesh to that of the frame */
    double  *mass;    /* nnode of the mesh: lumped [kg] */
    double  *inertia; /* nnode: of nodes of shells, the same about all axes [kg m2]; else 0 */
    int     *body;    /* nnode: body within the compound; -1: no element uses the node */
    kl_vec3 *local;   /* nnode: where on it [m] */
    int      npart;
    nonlinear_part *part;
    kl_solid_law   *law; /* of each material */
    kl_field        field;
    const int      *point;  /* nnode: of the field */
    int            *corner; /* points of the elements' markers */
    int             ncorner;
} nonlinear_mesh;

/* What every finite element of a nonlinear body has. */
typedef struct nonlinear_piece {
    int    id;                   /* in the mesh file */
    double rayleigh[2];          /* damping a M + b K [1/s, s] */
    double mass[KL_LARGE_NODES]; /* of each node, for damping a M [kg] */
    /* consistent mass less the lumped one of its nodes, nnode x nnode [kg]; NULL: lumped mass */
    double       *beyond;
    kl_fe_element reference; /* as in the mesh */
} nonlinear_piece;

/* kl_element_type.mass of both kinds of element. */
const double *nonlinear_consistent_mass(const void *data);

/* Adds the forces -a m v of damping to the wrenches; returns the power lost. */
double nonlinear_mass_damping(const nonlinear_piece *p, const kl_reading *in, double *wrench);

/* Values of the field at a node: energy density, equivalent stress, plastic strain. */
enum { NONLINEAR_ENERGY, NONLINEAR_MISES, NONLINEAR_PLASTIC, NONLINEAR_VALUES };

/* nonlinear_solid.c, nonlinear_shell.c: one finite element */
typedef struct nonlinear_solid {
    nonlinear_piece p;
    kl_large_solid  s;
} nonlinear_solid;
extern const kl_element_type kl_nonlinear_solid;

typedef struct nonlinear_shell {
    nonlinear_piece p;
    kl_large_shell  s;
} nonlinear_shell;
extern const kl_element_type kl_nonlinear_shell;

/* nonlinear_mesh.c: shapes, materials, mass, parts; reported where it cannot be done */
kl_status nonlinear_mesh_take(flexible *p, const kl_setup *s);
bool      nonlinear_is_shell(kl_shape shape);
/* Consistent mass of one element, nnode x nnode [kg]. */
kl_status nonlinear_consistent(const kl_fe_element *e, const kl_fe_rules *rules, double *mass);
/* Lumped mass of the nodes of one element [kg], and of shells their moment of inertia [kg m2]. */
kl_status nonlinear_lump(const kl_fe_element *e, const kl_fe_rules *rules, double *mass,
                         double *inertia);

#endif
