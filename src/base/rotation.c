#include "base/rotation.h"

#include <string.h>

/* Below this angle the series of sine and cosine quotients are exact to rounding. */
static const double small_angle = 1e-3;

/* sin(x)/x */
static double sinc(double x)
{
    double x2 = x * x;
    return fabs(x) < small_angle ? 1.0 - x2 / 6.0 * (1.0 - x2 / 20.0) : sin(x) / x;
}

void kl_quat_exp(kl_vec3 phi, double p[4])
{
    double half = 0.5 * kl_norm(phi);
    p[0]        = cos(half);
    kl_store(p + 1, kl_scale(0.5 * sinc(half), phi));
}

void kl_quat_mul(const double p[4], const double q[4], double r[4])
{
    double s[4] = {
        p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3],
        p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2],
        p[0] * q[2] - p[1] * q[3] + p[2] * q[0] + p[3] * q[1],
        p[0] * q[3] + p[1] * q[2] - p[2] * q[1] + p[3] * q[0],
    };
    memcpy(r, s, sizeof s);
}

void kl_quat_normalize(double p[4])
{
    double n = sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3]);
    for (int i = 0; i < 4; i++) p[i] /= n;
}

kl_mat3 kl_quat_matrix(const double p[4])
{
    double w = p[0], x = p[1], y = p[2], z = p[3];
    return (kl_mat3){{{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)},
                      {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)},
                      {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)}}};
}

void kl_quat_from_matrix(const kl_mat3 *A, double p[4])
{
    const double(*a)[3] = A->m;
    double square[4]    = {1 + a[0][0] + a[1][1] + a[2][2], 1 + a[0][0] - a[1][1] - a[2][2],
                           1 - a[0][0] + a[1][1] - a[2][2], 1 - a[0][0] - a[1][1] + a[2][2]};

    /* divide by the largest component: never by a small one */
    int k = 0;
    for (int i = 1; i < 4; i++)
        if (square[i] > square[k]) k = i;
    double s = 0.5 / sqrt(square[k]);
    switch (k) {
    case 0:
        p[0] = square[0] * s, p[1] = (a[2][1] - a[1][2]) * s, p[2] = (a[0][2] - a[2][0]) * s;
        p[3] = (a[1][0] - a[0][1]) * s;
        break;
    case 1:
        p[1] = square[1] * s, p[0] = (a[2][1] - a[1][2]) * s, p[2] = (a[1][0] + a[0][1]) * s;
        p[3] = (a[0][2] + a[2][0]) * s;
        break;
    case 2:
        p[2] = square[2] * s, p[0] = (a[0][2] - a[2][0]) * s, p[1] = (a[1][0] + a[0][1]) * s;
        p[3] = (a[2][1] + a[1][2]) * s;
        break;
    default:
        p[3] = square[3] * s, p[0] = (a[1][0] - a[0][1]) * s, p[1] = (a[0][2] + a[2][0]) * s;
        p[2] = (a[2][1] + a[1][2]) * s;
        break;
    }
    kl_quat_normalize(p);
    if (p[0] < 0.0)
        for (int i = 0; i < 4; i++) p[i] = -p[i];
}

kl_mat3 kl_rotation_exp(kl_vec3 phi)
{
    double p[4];
    kl_quat_exp(phi, p);
    return kl_quat_matrix(p);
}

/* phi = asin(s)/s times the axial vector of (A - A')/2, s its length; the series for small s is exact
 * to rounding. */
static bool small_log(const kl_mat3 *A, kl_vec3 *phi)
{
    kl_vec3 axial = kl_vec(0.5 * (A->m[2][1] - A->m[1][2]), 0.5 * (A->m[0][2] - A->m[2][0]),
                           0.5 * (A->m[1][0] - A->m[0][1]));
    double  s2    = kl_dot(axial, axial);
    if (s2 > 2.5e-3 || A->m[0][0] + A->m[1][1] + A->m[2][2] < 2.9) return false;
    double c = 63.0 / 2816.0;
    c        = 35.0 / 1152.0 + s2 * c;
    c        = 5.0 / 112.0 + s2 * c;
    c        = 3.0 / 40.0 + s2 * c;
    c        = 1.0 / 6.0 + s2 * c;
    *phi     = kl_scale(1.0 + s2 * c, axial);
    return true;
}

kl_vec3 kl_rotation_log(const kl_mat3 *A)
{
    kl_vec3 small;
    if (small_log(A, &small)) return small;
    double p[4];
    kl_quat_from_matrix(A, p);
    kl_vec3 e    = kl_load(p + 1);
    double  half = atan2(kl_norm(e), p[0]);
    return kl_scale(2.0 / sinc(half), e);
}

double kl_rotation_curvature(kl_vec3 phi)
{
    double a2 = kl_dot(phi, phi), a = sqrt(a2);
    return a < 1e-2 ? 1.0 / 12.0 + a2 / 720.0 + a2 * a2 / 30240.0
                    : (1.0 - 0.5 * a / tan(0.5 * a)) / a2;
}

kl_mat3 kl_rotation_tangent_inverse(kl_vec3 phi)
{
    double  k = kl_rotation_curvature(phi);
    kl_mat3 W = kl_skew(phi), W2 = kl_matmul(&W, &W), I = kl_identity();
    kl_mat3 half = kl_mat_axpy(0.5, &W, &I);
    return kl_mat_axpy(k, &W2, &half);
}

kl_mat3 kl_rotation_tangent(kl_vec3 phi)
{
    double  a2 = kl_dot(phi, phi), a = sqrt(a2), s = sinc(0.5 * a);
    double  c1 = 0.5 * s * s; /* (1 - cos a) / a^2 */
    double  c2 = a < 1e-2 ? 1.0 / 6.0 - a2 / 120.0 + a2 * a2 / 5040.0 : (1.0 - sin(a) / a) / a2;
    kl_mat3 W = kl_skew(phi), W2 = kl_matmul(&W, &W), I = kl_identity();
    kl_mat3 first = kl_mat_axpy(-c1, &W, &I);
    return kl_mat_axpy(c2, &W2, &first);
}

double kl_wrap(double angle)
{
    double turns = nearbyint(angle / (2.0 * KL_PI));
    return angle - 2.0 * KL_PI * turns;
}

/* Trigonometric solution of the characteristic cubic, shifted by the mean (Smith 1961). */
void kl_symmetric_eigenvalues(const kl_mat3 *S, double value[3])
{
    double  mean = (S->m[0][0] + S->m[1][1] + S->m[2][2]) / 3.0;
    kl_mat3 I = kl_identity(), D = kl_mat_axpy(-mean, &I, S);
    double  square = 0.0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) square += D.m[i][j] * D.m[i][j];
    double p = sqrt(square / 6.0);
    if (p == 0.0) {
        value[0] = value[1] = value[2] = mean;
        return;
    }
    kl_mat3 N     = kl_mat_scale(1.0 / p, &D);
    double  angle = acos(fmin(1.0, fmax(-1.0, 0.5 * kl_det(&N)))) / 3.0;
    value[2]      = mean + 2.0 * p * cos(angle);
    value[0]      = mean + 2.0 * p * cos(angle + 2.0 * KL_PI / 3.0);
    value[1]      = 3.0 * mean - value[0] - value[2];
}
