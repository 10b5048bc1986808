/* How far markers give way to loads on markers: of the whole mesh, and of a choice of modes.
 *
 * A unit load P on a component of a marker is balanced by inertia, f = P - M R (R'M R)^-1 R'P, with
 * the rigid motions R; what it does is seen in mean axes, so that the reference conditions of the
 * modes do not matter:
 *
 *   mesh    G  = f'K^-1 f                         (held unknowns stay held)
 *   modes   Gr = Xm Kff^-1 Xm',  Xm: motion of the markers per mode, its rigid part taken out
 *
 * G - Gr is not negative; it is the part of a static response that the modes cannot follow. For
 * loads that balance each other on several markers inertia drops out. */
#ifndef KL_REDUCE_COMPLIANCE_H
#define KL_REDUCE_COMPLIANCE_H

#include "reduce/kbody.h"
#include "reduce/modes.h"

/* G (6 n x 6 n for n nodes of the system, translations and rotations of each; zero where a node has
 * no such component), on the factor of the modes. */
kl_status kl_compliance_of_mesh(const kl_system *s, const kl_modes *modes, int n, const int *node,
                                double *G, kl_diag *diag);

/* Gr of some of a body's modes (NULL: the first n), 6 nmarker x 6 nmarker. */
kl_status kl_compliance_of_modes(const kl_kbody *b, int n, const int *mode, double *G);

#endif
