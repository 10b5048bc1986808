#include "unit/test.h"

#include "base/rotation.h"

static const kl_vec3 samples[] = {{0, 0, 0},        {1e-9, 0, 0}, {1e-3, -2e-3, 0},
                                  {0.3, -1.2, 0.7}, {2, 1, -2},   {0, 0, 3.1415}};
enum { NSAMPLE = sizeof samples / sizeof samples[0] };

static void exp_and_log_are_inverse(void **unused)
{
    (void)unused;
    for (int i = 0; i < NSAMPLE; i++) {
        kl_mat3 A    = kl_rotation_exp(samples[i]);
        kl_vec3 back = kl_rotation_log(&A);
        assert_close(kl_norm(kl_sub(back, samples[i])), 0, 1e-11);
    }
}

static void matrices_are_orthogonal_with_determinant_one(void **unused)
{
    (void)unused;
    for (int i = 0; i < NSAMPLE; i++) {
        kl_mat3 A = kl_rotation_exp(samples[i]), At = kl_transpose(&A), I = kl_matmul(&A, &At);
        for (int r = 0; r < 3; r++)
            for (int c = 0; c < 3; c++) assert_close(I.m[r][c], r == c, 1e-15);
        assert_close(kl_det(&A), 1, 1e-15);
    }
}

static void quaternion_from_matrix_survives_every_branch(void **unused)
{
    (void)unused;
    const kl_vec3 half_turns[] = {
        {3.14159265358979, 0, 0}, {0, 3.14159265358979, 0}, {0, 0, 3.14159265358979}, {0.1, 0, 0}};
    for (int i = 0; i < 4; i++) {
        kl_mat3 A = kl_rotation_exp(half_turns[i]);
        double  p[4];
        kl_quat_from_matrix(&A, p);
        kl_mat3 B = kl_quat_matrix(p);
        for (int r = 0; r < 3; r++)
            for (int c = 0; c < 3; c++) assert_close(A.m[r][c], B.m[r][c], 1e-15);
    }
}

/* exp([phi + d]) = exp([phi]) exp([T d]) to second order in d */
static void tangent_is_the_derivative_of_exp(void **unused)
{
    (void)unused;
    const double step = 1e-6;
    for (int i = 0; i < NSAMPLE; i++) {
        kl_mat3 T = kl_rotation_tangent(samples[i]), Ti = kl_rotation_tangent_inverse(samples[i]),
                P = kl_matmul(&T, &Ti);
        kl_mat3 A = kl_rotation_exp(samples[i]);
        for (int k = 0; k < 3; k++) {
            double e[3] = {0, 0, 0};
            e[k]        = step;
            kl_mat3 up  = kl_rotation_exp(kl_add(samples[i], kl_load(e))),
                    dn  = kl_rotation_exp(kl_sub(samples[i], kl_load(e)));
            kl_mat3 At = kl_transpose(&A), U = kl_matmul(&At, &up), D = kl_matmul(&At, &dn);
            kl_vec3 d = kl_scale(0.5 / step, kl_sub(kl_rotation_log(&U), kl_rotation_log(&D)));
            assert_close(kl_norm(kl_sub(d, kl_axis(&T, k))), 0, 1e-8);
            for (int r = 0; r < 3; r++) assert_close(P.m[r][k], r == k, 1e-12);
        }
    }
}

static void eigenvalues_of_a_rotated_diagonal_come_back(void **unused)
{
    (void)unused;
    kl_mat3 A = kl_rotation_exp(kl_vec(0.4, 1.1, -0.3)), At = kl_transpose(&A);
    kl_mat3 D = {{{3, 0, 0}, {0, 1, 0}, {0, 0, 7}}}, AD = kl_matmul(&A, &D),
            S = kl_matmul(&AD, &At);
    double v[3];
    kl_symmetric_eigenvalues(&S, v);
    assert_close(v[0], 1, 1e-13);
    assert_close(v[1], 3, 1e-13);
    assert_close(v[2], 7, 1e-13);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exp_and_log_are_inverse),
        cmocka_unit_test(matrices_are_orthogonal_with_determinant_one),
        cmocka_unit_test(quaternion_from_matrix_survives_every_branch),
        cmocka_unit_test(tangent_is_the_derivative_of_exp),
        cmocka_unit_test(eigenvalues_of_a_rotated_diagonal_come_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
