/* Hertz contact against independent solutions with exact elliptic integrals. */
#include "unit/railway/wheel_rail_reference.h"

#include "base/vec.h"
#include "railway/hertz.h"

static void ellipses_of_wheels_on_rails_are_the_exact_ones(void **state)
{
    (void)state;
    reference r = reference_read("wheel-rail/hertz_cases.csv");
    assert_true(r.nrow >= 6);
    for (int i = 0; i < r.nrow; i++) {
        kl_elastic_pair steel =
            kl_elastic_same(reference_at(&r, i, "E_Pa"), reference_at(&r, i, "nu"));
        double Ax = 0.5 / reference_at(&r, i, "R_wheel_rolling_m");
        double By = 0.5 / reference_at(&r, i, "R_wheel_transverse_m") +
                    0.5 / reference_at(&r, i, "R_rail_transverse_m");
        double   N     = reference_at(&r, i, "N_N");
        kl_hertz h     = kl_hertz_of(Ax, By, steel.E);
        double   depth = kl_hertz_depth(&h, N);
        double   a = h.a1 * sqrt(depth), b = h.b1 * sqrt(depth), p0 = 1.5 * N / (KL_PI * a * b);
        /* the file has seven digits */
        assert_close(1e3 * a / reference_at(&r, i, "a_x_mm"), 1.0, 5e-7);
        assert_close(1e3 * b / reference_at(&r, i, "b_y_mm"), 1.0, 5e-7);
        assert_close(1e6 * depth / reference_at(&r, i, "delta_um"), 1.0, 5e-7);
        assert_close(1e-6 * p0 / reference_at(&r, i, "p0_MPa"), 1.0, 5e-7);
    }
    reference_free(&r);
}

/* a = m X, b = n X, depth = r X^2 (A + B), X^3 = 3/4 N/(E* (A + B)) for E* of one material. */
static void the_table_over_theta_is_reproduced(void **state)
{
    (void)state;
    reference r = reference_read("wheel-rail/hertz_mn_theta.csv");
    assert_true(r.nrow >= 20);
    for (int i = 0; i < r.nrow; i++) {
        /* from the angle: its cosine is rounded, and 1 - cos loses its digits */
        double   half = 0.5 * reference_at(&r, i, "theta_deg") * KL_PI / 180.0;
        double   A = sin(half) * sin(half), B = cos(half) * cos(half), E = 1e11, N = 1e5;
        kl_hertz h     = kl_hertz_of(A, B, E);
        double   depth = kl_hertz_depth(&h, N), X = cbrt(0.75 * N / (E * (A + B)));
        assert_close(h.a1 * sqrt(depth) / X / reference_at(&r, i, "m"), 1.0, 1e-6);
        assert_close(h.b1 * sqrt(depth) / X / reference_at(&r, i, "n"), 1.0, 1e-6);
        assert_close(depth / (X * X * (A + B)) / reference_at(&r, i, "r"), 1.0, 1e-6);
    }
    reference_free(&r);
}

/* For every ratio the result must satisfy Johnson's two equations for the curvatures. */
static void long_ellipses_lose_no_digits(void **state)
{
    (void)state;
    double last = 2.0;
    for (double rho = 1.0; rho < 1e12; rho *= 1.7) {
        kl_hertz h = kl_hertz_of(1.0, rho, 1e11), g = kl_hertz_of(rho, 1.0, 1e11);
        double   k1 = h.b1 / h.a1, K, D, B;
        kl_elliptic(k1, &K, &D, &B);
        assert_close(B / (k1 * k1 * D) / rho, 1.0, 1e-11);
        assert_close(h.stiffness / g.stiffness, 1.0, 1e-15);
        assert_close(h.a1 / g.b1, 1.0, 1e-15);
        assert_true(k1 < last); /* longer and longer */
        last = k1;
    }
}

static void the_circle_is_the_classic_formula(void **state)
{
    (void)state;
    /* sphere of radius R on a plane: N = 4/3 E* sqrt(R) depth^1.5, a^2 = R depth */
    double   R = 0.46, E = 1.14e11;
    kl_hertz h = kl_hertz_of(0.5 / R, 0.5 / R, E);
    assert_close(h.stiffness / (4.0 / 3.0 * E * sqrt(R)), 1.0, 1e-14);
    assert_close(h.a1 * h.a1 / R, 1.0, 1e-14);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ellipses_of_wheels_on_rails_are_the_exact_ones),
        cmocka_unit_test(the_table_over_theta_is_reproduced),
        cmocka_unit_test(long_ellipses_lose_no_digits),
        cmocka_unit_test(the_circle_is_the_classic_formula),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
