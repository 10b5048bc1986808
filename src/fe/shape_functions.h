/* Shape functions of the solid elements and rules to integrate over them.
 *
 * Natural coordinates: tetrahedra r, s, t >= 0, r + s + t <= 1; hexahedra -1..1; wedges r, s >= 0,
 * r + s <= 1, t in -1..1. Node orders as in mesh.h. */
#ifndef KL_FE_SHAPE_FUNCTIONS_H
#define KL_FE_SHAPE_FUNCTIONS_H

#include "mesh/mesh.h"

enum { KL_MAX_SOLID_NODES = 20, KL_MAX_POINTS = 125 };

/* N (nnode) and its natural derivatives dN (nnode x 3) at r. */
void kl_shape_eval(kl_shape shape, const double r[3], double *N, double (*dN)[3]);
/* Natural coordinates of a node. */
void kl_shape_node(kl_shape shape, int node, double r[3]);
void kl_shape_centre(kl_shape shape, double r[3]);

/* Where strain of a solid is best taken (Barlow, "Optimal stress locations in finite element models",
 * 1976), and how it is carried from there to r: value(r) = sum of weight x value(place). At nodes of
 * curved elements the map may be singular, in these points it is not. */
typedef struct kl_samples {
    int    n;
    double place[8][3], weight[8];
} kl_samples;
void kl_shape_samples(kl_shape shape, const double r[3], kl_samples *s);

/* A rule with the shape functions already evaluated at its points. */
typedef struct kl_rule {
    int    n; /* points */
    double r[KL_MAX_POINTS][3], weight[KL_MAX_POINTS];
    double N[KL_MAX_POINTS][KL_MAX_SOLID_NODES];
    double dN[KL_MAX_POINTS][KL_MAX_SOLID_NODES][3];
} kl_rule;

typedef enum kl_rule_kind {
    KL_RULE_STIFFNESS, /* exact for straight-sided elements of constant thickness; tet10: 4 points
                        */
    KL_RULE_MASS,      /* exact for N N' det J, curved tetrahedra included */
} kl_rule_kind;

void kl_rule_init(kl_rule *rule, kl_shape shape, kl_rule_kind kind);

/* Derivatives with respect to x from natural ones: dNx (nnode x 3). Returns det J. */
double kl_shape_gradient(int nnode, const kl_vec3 *x, double (*dN)[3], double (*dNx)[3]);

#endif
