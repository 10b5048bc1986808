/* Functions of a rotation vector psi, with first and second derivatives, for beams and shells with large
 * rotations. All of them have the form
 *
 *   V(psi) a = a + p(x) psi x a + q(x) psi x (psi x a),   x = psi.psi
 *
 *   exp(psi)        p =  c1,  q = c2        c_k(x) = sum_j (-x)^j / (2 j + k)!
 *   exp(psi)'       p = -c1,  q = c2
 *   T(psi)          p = -c2,  q = c3        right Jacobian: exp(psi + d) = exp(psi) exp(T d)
 *   T(psi)'         p =  c2,  q = c3
 *   T(psi)^-1       p = 1/2,  q = -c2'/c2
 *
 * so that one formula for each derivative serves all. */
#ifndef KL_BASE_TURN_H
#define KL_BASE_TURN_H

#include "base/vec.h"

/* p and q with their derivatives by x. */
typedef struct kl_turn_form {
    double p, p1, p2, q, q1, q2;
} kl_turn_form;

/* c1, c2, c3 at x, each with two derivatives by x: c[k - 1][derivative]. */
typedef struct kl_turn_values {
    double c[3][3];
} kl_turn_values;

kl_turn_values kl_turn_series(double x);

kl_turn_form kl_turn_exp(const kl_turn_values *v);
kl_turn_form kl_turn_tangent(const kl_turn_values *v);         /* T */
kl_turn_form kl_turn_tangent_inverse(const kl_turn_values *v); /* T^-1; p2 and q2 are not set */
/* That of the transposed matrix. */
static inline kl_turn_form kl_turn_transposed(kl_turn_form f)
{
    f.p = -f.p, f.p1 = -f.p1, f.p2 = -f.p2;
    return f;
}

/* The matrix V(psi). */
kl_mat3 kl_turn_matrix(const kl_turn_form *f, kl_vec3 psi);
/* d(V(psi) a)/dpsi. */
kl_mat3 kl_turn_derivative(const kl_turn_form *f, kl_vec3 psi, kl_vec3 a);
/* Second derivative of b'V(psi) a by psi; symmetric. */
kl_mat3 kl_turn_second(const kl_turn_form *f, kl_vec3 psi, kl_vec3 a, kl_vec3 b);

#endif
