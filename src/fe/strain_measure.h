/* Strain of a deformation gradient, in the axes in which it is simplest.
 *
 * With C = F'F = sum l_a n_a n_a' the strain is E = f(C)/2, f = ln (Hencky) or f = x - 1 (Green). In
 * the axes n_a, for any direction G of Green's strain (Carlson and Hoger 1986; Miehe 1998):
 *
 *   dE_ab         = f[l_a, l_b] G_ab
 *   d2E_ab(G, G') = 2 sum_c f[l_a, l_c, l_b] (G_ac G'_cb + G'_ac G_cb)
 *
 * with the divided differences f[..] of f. So with the stress T that is conjugate to E the second
 * Piola-Kirchhoff stress is S_ab = f[l_a, l_b] T_ab, and everything is symmetric because it comes from
 * the stored energy. Order of components: xx yy zz xy yz zx, engineering shear strain. */
#ifndef KL_FE_STRAIN_MEASURE_H
#define KL_FE_STRAIN_MEASURE_H

#include <stdbool.h>

#include "base/vec.h"

typedef enum kl_strain_kind { KL_STRAIN_LOGARITHMIC, KL_STRAIN_GREEN } kl_strain_kind;

typedef struct kl_strain_point {
    kl_mat3 N;               /* columns: the axes n_a; the identity for Green's strain */
    double  E[6];            /* strain, global axes */
    double  first[6];        /* f[l_a, l_b], in the order of components */
    double  second[3][3][3]; /* f[l_a, l_b, l_c]; symmetric */
    bool    curved;          /* second is not zero */
} kl_strain_point;

/* All but `second`. */
void kl_strain_of(kl_strain_kind kind, const kl_mat3 *F, kl_strain_point *p);
/* `second`, for tangents. */
void kl_strain_second(kl_strain_kind kind, const kl_mat3 *F, kl_strain_point *p);

/* Components of a strain (engineering shear) or stress in the axes that are the columns of N. */
void kl_strain_turn(const kl_mat3 *N, const double e[6], double out[6]);
void kl_stress_turn(const kl_mat3 *N, const double s[6], double out[6]);

/* C (6 x 6, axes N) += what the curvature of the strain adds to dS/dG at the stress T (axes N). */
void kl_strain_add_curvature(const kl_strain_point *p, const double T[6], double (*C)[6]);

#endif
