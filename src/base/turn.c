#include "base/turn.h"

enum { TERMS = 10 };

/* (-1)^j / (2 j + k)!: constants, because ten divisions for each function took longer than all else in an element of a beam. */
static const double coefficients[3][TERMS] = {
    {1.0, -1.0 / 6, 1.0 / 120, -1.0 / 5040, 1.0 / 362880, -1.0 / 39916800, 1.0 / 6227020800,
     -1.0 / 1307674368000, 1.0 / 355687428096000, -1.0 / 121645100408832000},
    {1.0 / 2, -1.0 / 24, 1.0 / 720, -1.0 / 40320, 1.0 / 3628800, -1.0 / 479001600,
     1.0 / 87178291200, -1.0 / 20922789888000, 1.0 / 6402373705728000, -1.0 / 2432902008176640000},
    {1.0 / 6, -1.0 / 120, 1.0 / 5040, -1.0 / 362880, 1.0 / 39916800, -1.0 / 6227020800,
     1.0 / 1307674368000, -1.0 / 355687428096000, 1.0 / 121645100408832000,
     -1.0 / 51090942171709440000.0}};

/* The functions c_k and their derivatives by x = angle^2, from the series; x below 1 leaves 1e-17. */
static void series(double x, double out[3][3])
{
    for (int k = 0; k < 3; k++) {
        double c = 0.0, c1 = 0.0, c2 = 0.0;
        for (int j = TERMS - 1; j >= 0; j--) {
            c2 = c2 * x + 2.0 * c1;
            c1 = c1 * x + c;
            c  = c * x + coefficients[k][j];
        }
        out[k][0] = c, out[k][1] = c1, out[k][2] = c2;
    }
}

/* c_k' = (c_(k-1) - k c_k) / 2x, and that once more differentiated. */
static void closed(double x, double c[3][3])
{
    double a = sqrt(x), before[3] = {cos(a), 0.0, 0.0};
    double value[3] = {sin(a) / a, (1.0 - cos(a)) / x, (a - sin(a)) / (a * x)};
    before[1]       = -0.5 * value[0];
    for (int k = 1; k <= 3; k++) {
        double *f = c[k - 1];
        f[0]      = value[k - 1];
        f[1]      = (before[0] - k * f[0]) / (2.0 * x);
        f[2]      = (before[1] - (k + 2) * f[1]) / (2.0 * x);
        before[0] = f[0], before[1] = f[1];
    }
}

kl_turn_values kl_turn_series(double x)
{
    kl_turn_values v;
    if (x > 1.0) closed(x, v.c);
    else series(x, v.c);
    return v;
}

kl_turn_form kl_turn_exp(const kl_turn_values *v)
{
    return (kl_turn_form){v->c[0][0], v->c[0][1], v->c[0][2], v->c[1][0], v->c[1][1], v->c[1][2]};
}

kl_turn_form kl_turn_tangent(const kl_turn_values *v)
{
    return (kl_turn_form){-v->c[1][0], -v->c[1][1], -v->c[1][2],
                          v->c[2][0],  v->c[2][1],  v->c[2][2]};
}

kl_turn_form kl_turn_tangent_inverse(const kl_turn_values *v)
{
    double q = -v->c[1][1] / v->c[1][0];
    return (kl_turn_form){.p = 0.5, .q = q, .q1 = -v->c[1][2] / v->c[1][0] + q * q};
}

kl_mat3 kl_turn_matrix(const kl_turn_form *f, kl_vec3 psi)
{
    double  x = kl_dot(psi, psi), d = 1.0 - f->q * x;
    kl_vec3 t = kl_scale(f->q, psi), s = kl_scale(f->p, psi);
    return (kl_mat3){{{d + t.x * psi.x, t.x * psi.y - s.z, t.x * psi.z + s.y},
                      {t.y * psi.x + s.z, d + t.y * psi.y, t.y * psi.z - s.x},
                      {t.z * psi.x - s.y, t.z * psi.y + s.x, d + t.z * psi.z}}};
}

/* d = 2 (p' psi x a + q' psi x (psi x a)) psi' - p [a] + q (psi a' + (psi.a) 1 - 2 a psi') */
kl_mat3 kl_turn_derivative(const kl_turn_form *f, kl_vec3 psi, kl_vec3 a)
{
    kl_vec3 once = kl_cross(psi, a), twice = kl_cross(psi, once);
    kl_vec3 left =
        kl_axpy(-2.0 * f->q, a, kl_axpy(2.0 * f->q1, twice, kl_scale(2.0 * f->p1, once)));
    kl_mat3 D = kl_outer(left, psi), P = kl_outer(kl_scale(f->q, psi), a), S = kl_skew(a);
    double  on = f->q * kl_dot(psi, a);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) D.m[i][j] += P.m[i][j] - f->p * S.m[i][j];
        D.m[i][i] += on;
    }
    return D;
}

/* b'V a = a.b + p psi.c + q Q with c = a x b, Q = (a.psi)(b.psi) - x a.b */
kl_mat3 kl_turn_second(const kl_turn_form *f, kl_vec3 psi, kl_vec3 a, kl_vec3 b)
{
    kl_vec3 c  = kl_cross(a, b);
    double  ab = kl_dot(a, b), s = kl_dot(psi, c), pa = kl_dot(psi, a), pb = kl_dot(psi, b);
    double  Q  = pa * pb - kl_dot(psi, psi) * ab;
    kl_vec3 dQ = kl_axpy(-2.0 * ab, psi, kl_axpy(pb, a, kl_scale(pa, b)));
    /* v psi' + psi v' holds all terms with psi */
    kl_vec3 v  = kl_axpy(2.0 * (f->p2 * s + f->q2 * Q), psi,
                         kl_axpy(2.0 * f->p1, c, kl_scale(2.0 * f->q1, dQ)));
    kl_vec3 qa = kl_scale(f->q, a);
    kl_mat3 H, vp = kl_outer(v, psi), ab2 = kl_outer(qa, b);
    double  diagonal = 2.0 * (f->p1 * s + f->q1 * Q) - 2.0 * f->q * ab;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) H.m[i][j] = vp.m[i][j] + vp.m[j][i] + ab2.m[i][j] + ab2.m[j][i];
        H.m[i][i] += diagonal;
    }
    return H;
}
