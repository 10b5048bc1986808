/* Geometrically exact beam element of two or three nodes: strains, internal forces and their exact
 * tangent for any section law. No coordinates, no integrator, no model.
 *
 * Reissner's and Simo's strains in the axes of the section (x along the beam):
 *
 *   gamma = Lambda' r' - e1     stretch and shear     conjugate: n = (N, Qy, Qz)
 *   kappa = axial(Lambda' Lambda')  twist and bending  conjugate: m = (Mx, My, Mz)
 *
 * Interpolation of Crisfield and Jelenic (Proc. R. Soc. A 455, 1999): rotation vectors of the nodes
 * relative to one of them, which makes strains independent of rigid motion and of the path. With R
 * the axes of that node and exp(psi_i) = R' A_i, u_i = R' (r_i - r_R):
 *
 *   w = sum N_i' u_i,  psi = sum N_i psi_i,  gamma = exp(psi)' w - e1,  kappa = T(psi) psi'
 *
 * One integration point for two nodes, two for three: no locking (the exact solution of a
 * straight beam under end loads is met at the nodes in linear theory). */
#ifndef KL_BEAMS_BEAM_STRAIN_H
#define KL_BEAMS_BEAM_STRAIN_H

#include <stdbool.h>

#include "base/turn.h"
#include "base/vec.h"

enum { KL_BEAM_NODES = 3, KL_BEAM_POINTS = 2, KL_BEAM_WIDE = 6 * KL_BEAM_NODES };

/* Interpolation of an element of the given arc length. */
typedef struct kl_beam_rule {
    int    n, npoint; /* nodes, integration points */
    int    reference; /* the node that rotations are counted from */
    double length;    /* [m] */
    double N[KL_BEAM_POINTS][KL_BEAM_NODES], D[KL_BEAM_POINTS][KL_BEAM_NODES]; /* D = dN/ds */
    double weight[KL_BEAM_POINTS];                                             /* [m] */
} kl_beam_rule;

kl_beam_rule kl_beam_rule_of(int nodes, double length);

/* A configuration: node positions and axes with what follows from them. */
typedef struct kl_beam_shape {
    kl_mat3      R;
    kl_vec3      u[KL_BEAM_NODES], psi[KL_BEAM_NODES];
    kl_turn_form inverse[KL_BEAM_NODES]; /* of T(psi_i)^-1 */
    kl_mat3      L[KL_BEAM_NODES];       /* d(psi_i) = L_i (dtheta_i - dtheta_R), in the axes R */
    struct {
        kl_vec3        w, psi, slope; /* slope: d psi/ds */
        kl_mat3        E, T;          /* exp(psi), T(psi) */
        kl_mat3        G, H; /* d(gamma)/dpsi at constant w, d(kappa)/dpsi at constant slope */
        kl_turn_values c;
        double         strain[6]; /* gamma, kappa */
    } at[KL_BEAM_POINTS];
} kl_beam_shape;

/* False: two nodes of the element are turned against each other by nearly half a turn or more, so
 * that their relative rotation vector is not known. */
bool kl_beam_shape_of(const kl_beam_rule *b, const kl_vec3 *r, const kl_mat3 *A, kl_beam_shape *s);

/* Internal forces for the stress resultants (n, m) of each point, as wrenches on the nodes, global:
 * the derivative of the strain energy by (dr, dtheta). */
void kl_beam_forces(const kl_beam_rule *b, const kl_beam_shape *s, double stress[KL_BEAM_POINTS][6],
                    double *wrench);
/* d(strain) of point p by (dr, dtheta) of the nodes times the velocities V (6 a node). */
void kl_beam_strain_rate(const kl_beam_rule *b, const kl_beam_shape *s, int p, const double *V,
                         double rate[6]);
/* K = derivative of these wrenches by the nodes' increments (dr, dtheta), global, row-major 6n x 6n;
 * C: d(stress)/d(strain) of each point, row-major 6 x 6, symmetric. */
void kl_beam_tangent(const kl_beam_rule *b, const kl_beam_shape *s,
                     double stress[KL_BEAM_POINTS][6], double C[KL_BEAM_POINTS][36], double *K);

#endif
