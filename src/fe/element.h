/* What an element gives: stiffness, mass, strain. One `const` table a shape.
 *
 * Element matrices are full, symmetric, by rows of n = nnode * ndof_node; unknowns go node by node:
 * three translations, and for beams and shells three rotations about global axes. */
#ifndef KL_FE_ELEMENT_H
#define KL_FE_ELEMENT_H

#include "fe/shape_functions.h"
#include "mesh/mesh.h"

enum { KL_MAX_ELEMENT_DOF = 60 };

typedef enum kl_mass_rule {
    KL_MASS_CONSISTENT,         /* integrated exactly */
    KL_MASS_CONSISTENT_4_POINT, /* at the points of the stiffness, as CalculiX does */
    KL_MASS_LUMPED, /* diagonal, in proportion to the consistent diagonal (Hinton, Rock, Zienkiewicz
                       1976): positive for quadratic elements too */
} kl_mass_rule;

/* One element, gathered from the mesh. */
typedef struct kl_fe_element {
    kl_shape           shape;
    int                id;
    kl_vec3            x[KL_MAX_SOLID_NODES];
    const kl_property *property;
    const kl_material *material;    /* all materials of the mesh; property->material is the index */
    double             angle;       /* shells */
    kl_vec3            orientation; /* beams */
} kl_fe_element;

void kl_fe_gather(const kl_mesh *m, kl_shape shape, int index, kl_fe_element *e);

/* Rules of a shape, evaluated once for all its elements. */
typedef struct kl_fe_rules {
    kl_rule stiffness, mass;
    double  volume, NN[KL_MAX_SOLID_NODES][KL_MAX_SOLID_NODES]; /* of the reference element */
} kl_fe_rules;

/* What the stress of a load does on motion of second order, at one point of an element:
 *
 *   Kg_ij = sum over terms (force.u_load) sum over its pairs factor (g_a u_i . g_b u_j + g_b u_i . g_a u_j)/2
 *
 * with fields g of the element's unknowns u (three components each). In solids the fields are the
 * derivatives du/dx, du/dy, du/dz and the forces the stress times the volume of the point. */
enum { KL_MAX_FIELDS = 5, KL_MAX_TERMS = 13 };

typedef struct kl_geometric_term {
    double force[KL_MAX_ELEMENT_DOF];
    int    npair, a[3], b[3];
    double factor[3];
} kl_geometric_term;

typedef struct kl_geometric_point {
    int               nfield, nterm;
    double            field[KL_MAX_FIELDS][3][KL_MAX_ELEMENT_DOF];
    kl_geometric_term term[KL_MAX_TERMS];
} kl_geometric_point;

/* Takes the points of an element one after another. */
typedef void (*kl_geometric_sink)(void *context, const kl_geometric_point *p);

/* Makes an empty point, and a term of one pair with forces zero. */
void               kl_geometric_clear(kl_geometric_point *p);
kl_geometric_term *kl_geometric_add(kl_geometric_point *p, int a, int b, double factor);

/* Mass about a point of an element that turns with it: first and second moment about x (turning.h), and
 * the motion and turn of x per unknown of the element. */
typedef struct kl_mass_point {
    kl_vec3 x, first;
    kl_vec3 along; /* unit; of beams, whose middle line turns with their sections; else zero */
    kl_mat3 second;
    double  u[3][KL_MAX_ELEMENT_DOF], turn[3][KL_MAX_ELEMENT_DOF];
} kl_mass_point;

typedef void (*kl_mass_sink)(void *context, const kl_mass_point *p);

typedef struct kl_fe_type {
    int ndof_node;
    kl_status (*stiffness)(const kl_fe_element *e, const kl_fe_rules *rules, double *K);
    kl_status (*mass)(const kl_fe_element *e, const kl_fe_rules *rules, kl_mass_rule rule,
                      double *M);
    /* Strain and stress per unit of each element unknown at natural coordinates `r` (shells: r[2] =
     * -1..1 through the thickness; beams: r[0] = -1..1 along, r[1] = number of the stress point):
     * strain (6 x n, by rows) and stress (6 x n), order xx yy zz xy yz zx with engineering shear,
     * in global axes. */
    kl_status (*strain)(const kl_fe_element *e, const double r[3], double *strain, double *stress);
    /* Gives the points of the element to `sink`; `p` is space for one. */
    kl_status (*geometric)(const kl_fe_element *e, const kl_fe_rules *rules, kl_geometric_point *p,
                           kl_geometric_sink sink, void *context);
    /* Gives the mass that turns to `sink`; NULL: all of it sits in the nodes' motion. */
    kl_status (*masses)(const kl_fe_element *e, kl_mass_point *p, kl_mass_sink sink, void *context);
} kl_fe_type;

const kl_fe_type *kl_fe_type_of(kl_shape shape);
/* Fills the rules of a solid; shells and beams need none. */
void kl_fe_rules_init(kl_fe_rules *rules, kl_shape shape);

/* ---- material.c ---- */
/* 6 x 6 elasticity in global axes, order xx yy zz xy yz zx (engineering shear). */
kl_status kl_material_solid(const kl_material *p, const kl_mat3 *axes, double D[6][6]);

/* ---- each in its own file ---- */
kl_status kl_solid_stiffness(const kl_fe_element *e, const kl_fe_rules *rules, double *K);
kl_status kl_solid_mass(const kl_fe_element *e, const kl_fe_rules *rules, kl_mass_rule rule,
                        double *M);
kl_status kl_solid_strain(const kl_fe_element *e, const double r[3], double *strain,
                          double *stress);
kl_status kl_beam_stiffness(const kl_fe_element *e, const kl_fe_rules *rules, double *K);
kl_status kl_beam_mass(const kl_fe_element *e, const kl_fe_rules *rules, kl_mass_rule rule,
                       double *M);
kl_status kl_beam_strain(const kl_fe_element *e, const double r[3], double *strain, double *stress);
kl_status kl_shell_stiffness(const kl_fe_element *e, const kl_fe_rules *rules, double *K);
kl_status kl_shell_mass(const kl_fe_element *e, const kl_fe_rules *rules, kl_mass_rule rule,
                        double *M);
kl_status kl_shell_strain(const kl_fe_element *e, const double r[3], double *strain,
                          double *stress);
kl_status kl_solid_geometric(const kl_fe_element *e, const kl_fe_rules *rules,
                             kl_geometric_point *p, kl_geometric_sink sink, void *context);
kl_status kl_beam_geometric(const kl_fe_element *e, const kl_fe_rules *rules, kl_geometric_point *p,
                            kl_geometric_sink sink, void *context);
kl_status kl_beam_masses(const kl_fe_element *e, kl_mass_point *p, kl_mass_sink sink,
                         void *context);
kl_status kl_shell_masses(const kl_fe_element *e, kl_mass_point *p, kl_mass_sink sink,
                          void *context);
kl_status kl_shell_geometric(const kl_fe_element *e, const kl_fe_rules *rules,
                             kl_geometric_point *p, kl_geometric_sink sink, void *context);

#endif
