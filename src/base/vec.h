/* 3-vectors and 3x3 matrices as values, so that a formula reads as a formula. All inline; no
 * mechanics here. */
#ifndef KL_BASE_VEC_H
#define KL_BASE_VEC_H

#include <math.h>
#include <stdbool.h>

#define KL_PI 3.14159265358979323846

typedef struct kl_vec3 {
    double x, y, z;
} kl_vec3;

typedef struct kl_mat3 {
    double m[3][3]; /* m[row][column] */
} kl_mat3;

static inline kl_vec3 kl_vec(double x, double y, double z) { return (kl_vec3){x, y, z}; }
static inline kl_vec3 kl_load(const double *p) { return (kl_vec3){p[0], p[1], p[2]}; }
static inline void    kl_store(double *p, kl_vec3 a) { p[0] = a.x, p[1] = a.y, p[2] = a.z; }
static inline kl_vec3 kl_add(kl_vec3 a, kl_vec3 b)
{
    return (kl_vec3){a.x + b.x, a.y + b.y, a.z + b.z};
}
static inline kl_vec3 kl_sub(kl_vec3 a, kl_vec3 b)
{
    return (kl_vec3){a.x - b.x, a.y - b.y, a.z - b.z};
}
static inline kl_vec3 kl_scale(double s, kl_vec3 a) { return (kl_vec3){s * a.x, s * a.y, s * a.z}; }
static inline kl_vec3 kl_neg(kl_vec3 a) { return (kl_vec3){-a.x, -a.y, -a.z}; }
static inline double  kl_dot(kl_vec3 a, kl_vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline double  kl_norm(kl_vec3 a) { return sqrt(kl_dot(a, a)); }
/* hypot for numbers whose squares are numbers: a tenth of its time. */
static inline double kl_hypot(double x, double y) { return sqrt(x * x + y * y); }
static inline bool kl_finite(kl_vec3 a) { return isfinite(a.x) && isfinite(a.y) && isfinite(a.z); }

/* a + s b */
static inline kl_vec3 kl_axpy(double s, kl_vec3 b, kl_vec3 a)
{
    return (kl_vec3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

static inline kl_vec3 kl_cross(kl_vec3 a, kl_vec3 b)
{
    return (kl_vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/* a / |a|; the zero vector stays zero */
static inline kl_vec3 kl_unit(kl_vec3 a)
{
    double n = kl_norm(a);
    return n > 0.0 ? kl_scale(1.0 / n, a) : a;
}

static inline kl_mat3 kl_identity(void) { return (kl_mat3){{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}; }

/* M a */
static inline kl_vec3 kl_mul(const kl_mat3 *M, kl_vec3 a)
{
    return (kl_vec3){M->m[0][0] * a.x + M->m[0][1] * a.y + M->m[0][2] * a.z,
                     M->m[1][0] * a.x + M->m[1][1] * a.y + M->m[1][2] * a.z,
                     M->m[2][0] * a.x + M->m[2][1] * a.y + M->m[2][2] * a.z};
}

/* M' a */
static inline kl_vec3 kl_mul_t(const kl_mat3 *M, kl_vec3 a)
{
    return (kl_vec3){M->m[0][0] * a.x + M->m[1][0] * a.y + M->m[2][0] * a.z,
                     M->m[0][1] * a.x + M->m[1][1] * a.y + M->m[2][1] * a.z,
                     M->m[0][2] * a.x + M->m[1][2] * a.y + M->m[2][2] * a.z};
}

/* M N */
static inline kl_mat3 kl_matmul(const kl_mat3 *M, const kl_mat3 *N)
{
    kl_mat3 R;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            R.m[i][j] = M->m[i][0] * N->m[0][j] + M->m[i][1] * N->m[1][j] + M->m[i][2] * N->m[2][j];
    return R;
}

static inline kl_mat3 kl_transpose(const kl_mat3 *M)
{
    kl_mat3 R;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) R.m[i][j] = M->m[j][i];
    return R;
}

/* s M + N */
static inline kl_mat3 kl_mat_axpy(double s, const kl_mat3 *M, const kl_mat3 *N)
{
    kl_mat3 R;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) R.m[i][j] = s * M->m[i][j] + N->m[i][j];
    return R;
}

static inline kl_mat3 kl_mat_scale(double s, const kl_mat3 *M)
{
    kl_mat3 R;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) R.m[i][j] = s * M->m[i][j];
    return R;
}

/* [a], with [a] b = a x b */
static inline kl_mat3 kl_skew(kl_vec3 a)
{
    return (kl_mat3){{{0, -a.z, a.y}, {a.z, 0, -a.x}, {-a.y, a.x, 0}}};
}

/* a b' */
static inline kl_mat3 kl_outer(kl_vec3 a, kl_vec3 b)
{
    return (kl_mat3){{{a.x * b.x, a.x * b.y, a.x * b.z},
                      {a.y * b.x, a.y * b.y, a.y * b.z},
                      {a.z * b.x, a.z * b.y, a.z * b.z}}};
}

/* column j, the j-th axis of a frame */
static inline kl_vec3 kl_axis(const kl_mat3 *A, int j)
{
    return (kl_vec3){A->m[0][j], A->m[1][j], A->m[2][j]};
}

static inline kl_mat3 kl_from_axes(kl_vec3 x, kl_vec3 y, kl_vec3 z)
{
    return (kl_mat3){{{x.x, y.x, z.x}, {x.y, y.y, z.y}, {x.z, y.z, z.z}}};
}

static inline double kl_det(const kl_mat3 *M)
{
    return kl_dot(kl_axis(M, 0), kl_cross(kl_axis(M, 1), kl_axis(M, 2)));
}

/* M^-1; the caller ensures det != 0 */
static inline kl_mat3 kl_inverse(const kl_mat3 *M)
{
    kl_vec3 a = kl_axis(M, 0), b = kl_axis(M, 1), c = kl_axis(M, 2);
    double  d  = kl_det(M);
    kl_vec3 r0 = kl_scale(1 / d, kl_cross(b, c)), r1 = kl_scale(1 / d, kl_cross(c, a)),
            r2 = kl_scale(1 / d, kl_cross(a, b));
    return (kl_mat3){{{r0.x, r0.y, r0.z}, {r1.x, r1.y, r1.z}, {r2.x, r2.y, r2.z}}};
}

/* Inertia J = sum m (x.x 1 - x x') and second moments W = sum m x x' from each other. */
static inline kl_mat3 kl_inertia_of_moments(const kl_mat3 *W)
{
    kl_mat3 one = kl_identity(), T = kl_mat_scale(W->m[0][0] + W->m[1][1] + W->m[2][2], &one);
    return kl_mat_axpy(-1.0, W, &T);
}
static inline kl_mat3 kl_moments_of_inertia(const kl_mat3 *J)
{
    kl_mat3 one = kl_identity(), H = kl_mat_scale(J->m[0][0] + J->m[1][1] + J->m[2][2], &one);
    H = kl_mat_scale(0.5, &H);
    return kl_mat_axpy(-1.0, J, &H);
}

/* Any unit vector at a right angle to the unit vector `a`, chosen to be well conditioned. */
static inline kl_vec3 kl_normal_to(kl_vec3 a)
{
    double  ax = fabs(a.x), ay = fabs(a.y), az = fabs(a.z);
    kl_vec3 e = ax <= ay && ax <= az ? kl_vec(1, 0, 0)
                : ay <= az           ? kl_vec(0, 1, 0)
                                     : kl_vec(0, 0, 1);
    return kl_unit(kl_sub(e, kl_scale(kl_dot(e, a), a)));
}

/* Principal values of the symmetric matrix S, ascending. */
void kl_symmetric_eigenvalues(const kl_mat3 *S, double value[3]);

#endif
