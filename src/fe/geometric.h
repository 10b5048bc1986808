/* Second-order motion of a reduced body: what keeps a bent beam's length, u = X w + w'Y w/2.
 *
 * The geometric stiffness Kg of a load says what that load does on the second-order motion:
 * f.Y_ij = -x_i'Kg(f) x_j. So one matrix for each of the loads that can act on a moving body is all
 * that geometric stiffening needs: 3 linear accelerations, 3 angular accelerations and 6 products
 * of angular velocity (here as the twelve fields e_c and e_c x_d times mass), and each component
 * of a wrench at a marker. Loads are balanced by inertia where the body is free, by its supports
 * where reference conditions hold it; of a body in motion all loads together need neither. */
#ifndef KL_FE_GEOMETRIC_H
#define KL_FE_GEOMETRIC_H

#include "fe/kbody.h"
#include "fe/mesh.h"
#include "fe/modes.h"
#include "fe/system.h"

/* Fills second_mass of the body and `second` of its markers. `modes` still holds its factor;
 * marker_node: index in the system of each marker. X: ndof x nmode. */
kl_status kl_geometric_find(const kl_mesh *m, const kl_system *s, const kl_modes *modes,
                            const double *X, const int *marker_node, kl_kbody *body, kl_diag *diag);

#endif
