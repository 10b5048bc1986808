/* Rotations: Euler parameters p (scalar first, unit length), matrices A (body to global), and the
 * exponential map.
 *
 *   A(p) = (2 p0^2 - 1) I + 2 (e e' + p0 [e]),  p = (p0, e)
 *   exp: rotation vector -> A,  A exp([phi]) turns about body axes, exp([phi]) A about global axes
 *   T(phi): right Jacobian, exp([phi + d]) ~ exp([phi]) exp([T(phi) d]) */
#ifndef KL_BASE_ROTATION_H
#define KL_BASE_ROTATION_H

#include "base/vec.h"

/* Euler parameters from a rotation vector, exact for small angles too. */
void kl_quat_exp(kl_vec3 phi, double p[4]);
/* r = p q (Hamilton product); r may be p or q. */
void kl_quat_mul(const double p[4], const double q[4], double r[4]);
void kl_quat_normalize(double p[4]);

kl_mat3 kl_quat_matrix(const double p[4]);
void    kl_quat_from_matrix(const kl_mat3 *A, double p[4]);

kl_mat3 kl_rotation_exp(kl_vec3 phi);
/* Rotation vector of A, |phi| <= pi. */
kl_vec3 kl_rotation_log(const kl_mat3 *A);
/* T(phi)^-1 = I + [phi]/2 + k [phi]^2. */
/* c of that inverse, I + [phi]/2 + c [phi]^2: (1 - (a/2) cot(a/2)) / a^2, a = |phi|. */
double  kl_rotation_curvature(kl_vec3 phi);
kl_mat3 kl_rotation_tangent_inverse(kl_vec3 phi);
kl_mat3 kl_rotation_tangent(kl_vec3 phi);

/* Angle folded to (-pi, pi]. */
double kl_wrap(double angle);

#endif
