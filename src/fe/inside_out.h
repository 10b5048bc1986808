/* Is the map of a ten-node tetrahedron or an eight-node hexahedron turned inside out anywhere, not only at
 * its integration points?
 *
 * det J = det(dx/dr) is a polynomial: cubic over the tetrahedron, where J is linear, and of second degree in
 * each coordinate of the hexahedron. Its Bernstein coefficients are bounds: det J >= their smallest, and
 * those at the corners are values of det J. Where neither decides, the element is split in two and both
 * halves are examined (Johnen, Remacle, Geuzaine 2013, Journal of Computational Physics 233, 359-372). */
#ifndef KL_FE_INSIDE_OUT_H
#define KL_FE_INSIDE_OUT_H

#include "mesh/mesh.h"

/* Bound of det J over the whole element. Positive: det J is nowhere smaller. Negative: det J is negative
 * somewhere, or so small against `scale` (its mean in the reference shape) that it is taken for it. Zero: an
 * edge or face is collapsed to a point or line, and the rest is positive. */
double kl_least_jacobian(kl_shape shape, const kl_vec3 *x, double scale);

#endif
