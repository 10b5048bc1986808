/* Second-order motion of a reduced body: what keeps a bent beam's length, u = X w + w'Y w/2.
 *
 * The geometric stiffness Kg of a load says what that load does on the second-order motion:
 * f.Y_ij = -x_i'Kg(f) x_j. So one matrix for each of the loads that can act on a moving body is all
 * that geometric stiffening needs: 3 linear accelerations, 3 angular accelerations and 6 products
 * of angular velocity (here as the twelve fields e_c and e_c x_d times mass), and each component
 * of a wrench at a marker. Loads are balanced by inertia where the body is free, by its supports
 * where reference conditions hold it; of a body in motion all loads together need neither. */
#ifndef KL_REDUCE_GEOMETRIC_H
#define KL_REDUCE_GEOMETRIC_H

#include "fe/element.h"
#include "mesh/mesh.h"
#include "mesh/system.h"
#include "reduce/basis.h"
#include "reduce/kbody.h"

/* Fills second_mass of the body and `second` of its markers for its modes X (ndof x nmode). The basis
 * solves for the loads and still holds its factor; marker_node: index in the system of each marker. */
kl_status kl_geometric_find(const kl_mesh *m, const kl_system *s, const kl_basis *basis,
                            const double *X, kl_mass_rule rule, const int *marker_node,
                            kl_kbody *body, kl_diag *diag);

/* ---- inside: geometric.c gathers, the others add what loads, ties and turning mass do ---- */

enum { KL_GEOMETRIC_FIELDS = 12 };

/* Products of fields of the modes, weighed by forces of the loads, are gathered by strips and summed
 * up by one matrix product: K (nload x npair) += S (nload x terms) P (npair x terms)'. */
typedef struct kl_geometric {
    const kl_mesh   *m;
    const kl_system *s;
    const kl_basis  *basis;
    const double    *X;
    kl_mass_rule     rule;            /* by which the system has its mass */
    int              n, nload, npair; /* modes, loads, pairs i <= j of modes */
    double          *V, *U; /* 6 nnode x n and x nload: motion of the modes, under loads */
    double          *K;     /* nload x npair by columns */
    int              used;  /* terms in the strip */
    double          *S, *P;
    const int       *marker_node;
    /* loads by node, on the unknowns of kl_system_mass: the fields (unknowns x 12; the wrenches at
     * marker_node follow), and mass times the rigid motions that balance them on a free body: the
     * loads are f - MR relief (unknowns x 6, 6 x nload) */
    double *field_load, *MR, *relief;
} kl_geometric;

/* K += (force of the loads, nload) x (a_i.b_j + b_i.a_j)/2 of the modes; a, b: 3 x n. */
void kl_geometric_put(kl_geometric *g, const double *force, int npair, const double *const *a,
                      const double *const *b, const double *factor);

/* Fills field_load, MR and relief, and the loads of the unknowns (ndof x nload). */
kl_status kl_geometric_loads(kl_geometric *g, double *loads);
/* Rigid ties and mass beside the nodes turn by more than first order. */
kl_status kl_geometric_ties(kl_geometric *g);
kl_status kl_geometric_masses(kl_geometric *g);

/* Forces at arms that turn by theta, on theta x (theta x arm)/2: gathered as theta'A theta. */
typedef struct kl_geometric_arms {
    kl_geometric *g;
    double *turn;  /* 3 x (3 x n): each component of theta as a field, in its first component */
    double *terms; /* 6 x nload: A_xx A_yy A_zz A_xy A_yz A_zx */
} kl_geometric_arms;

kl_status kl_arms_open(kl_geometric *g, kl_geometric_arms *a);
void      kl_arms_close(kl_geometric_arms *a);
void      kl_arms_clear(kl_geometric_arms *a);
/* component p of theta, n numbers */
double *kl_arms_turn(kl_geometric_arms *a, int p);
/* Forces f (nload) times `scale` along component p at an arm. */
void kl_arms_add(kl_geometric_arms *a, double scale, const double *f, int p, kl_vec3 arm);
/* theta'B theta */
void kl_arms_add_matrix(kl_geometric_arms *a, const double *f, const kl_mat3 *B);
void kl_arms_put(kl_geometric_arms *a);

#endif
