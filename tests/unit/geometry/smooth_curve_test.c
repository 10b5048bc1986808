/* Measured points become smooth curves that keep the curvature of what was measured. */
#include "geometry/smooth_curve.h"

#include "unit/test.h"

static double round_to(double x, double unit) { return unit > 0.0 ? unit * round(x / unit) : x; }

static double curvature(const kl_smooth_curve *c, int k, double t)
{
    double y[4], z[4];
    kl_smooth_curve_piece(c, k, y, z);
    double y1 = y[1] + t * (2 * y[2] + 3 * t * y[3]), z1 = z[1] + t * (2 * z[2] + 3 * t * z[3]);
    double y2 = 2 * y[2] + 6 * t * y[3], z2 = 2 * z[2] + 6 * t * z[3];
    return (y1 * z2 - z1 * y2) / pow(y1 * y1 + z1 * z1, 1.5);
}

/* Largest relative error of the curvature of a sampled circle, the two ends of 2 mm aside. */
static double circle_error(double radius, double width, double step, double rounding)
{
    enum { MOST = 2000 };
    static double y[MOST], z[MOST];
    double        half = asin(0.5 * width / radius), worst = 0.0;
    int           n = (int)(2 * half * radius / step);
    for (int i = 0; i <= n; i++) {
        double a = half * (2.0 * i / n - 1.0);
        y[i] = round_to(radius * sin(a), rounding), z[i] = round_to(radius * cos(a), rounding);
    }
    kl_arena       *arena = kl_arena_create();
    kl_smooth_curve c;
    double noise = kl_points_noise(y, z, n + 1, arena), tolerance = fmax(2e-6, 6.0 * noise);
    assert_int_equal(kl_smooth_curve_fit(y, z, n + 1, 0.5e-3, tolerance, noise, arena, &c), KL_OK);
    assert_true(c.deviation <= tolerance);
    int skip = (int)(2e-3 / (c.length / c.n)) + 1;
    for (int k = skip; k < c.n - skip; k++)
        worst = fmax(worst, fabs(curvature(&c, k, 0.3) * radius + 1.0));
    kl_arena_destroy(arena);
    return worst;
}

static void a_sampled_circle_keeps_its_curvature(void **unused)
{
    (void)unused;
    assert_true(circle_error(0.300, 0.06, 0.25e-3, 0.0) < 1e-3);
    assert_true(circle_error(0.300, 0.06, 0.25e-3, 1e-7) < 0.01);
    assert_true(circle_error(0.080, 0.05, 0.25e-3, 1e-7) < 0.01);
    assert_true(circle_error(0.013, 0.02, 0.25e-3, 1e-7) < 0.01);
    assert_true(circle_error(0.013, 0.02, 1e-3, 0.0) < 0.01);
    assert_true(circle_error(0.300, 0.06, 0.25e-3, 1e-6) < 0.01);
}

static void noise_is_told_from_shape(void **unused)
{
    (void)unused;
    enum { N = 400 };
    static double y[N], z[N];
    unsigned      seed  = 5;
    kl_arena     *arena = kl_arena_create();
    for (int i = 0; i < N; i++) {
        seed     = seed * 1664525u + 1013904223u;
        double a = 1e-3 * i;
        y[i] = 0.08 * sin(a), z[i] = 0.08 * cos(a) + 1e-5 * (seed / 4294967296.0 - 0.5);
    }
    /* evenly spread over 1e-5: 1e-5/sqrt(12) */
    assert_close(kl_points_noise(y, z, N, arena), 1e-5 / sqrt(12.0), 1e-6);
    kl_arena_destroy(arena);
}

/* A straight that runs into an arc: between them the curvature jumps, and a plain spline would swing
 * to the wrong side of the straight. */
static void no_inflection_appears_beside_a_jump_of_curvature(void **unused)
{
    (void)unused;
    enum { N = 161 };
    static double y[N], z[N];
    for (int i = 0; i < N; i++) {
        double s = 0.25e-3 * (i - 80);
        y[i]     = s < 0.0 ? s : 0.013 * sin(s / 0.013);
        z[i]     = s < 0.0 ? 0.0 : 0.013 * (cos(s / 0.013) - 1.0);
    }
    kl_arena       *arena = kl_arena_create();
    kl_smooth_curve c;
    assert_int_equal(kl_smooth_curve_fit(y, z, N, 0.5e-3, 1e-6, 0.0, arena, &c), KL_OK);
    assert_true(c.deviation < 2e-6);
    double most = -1e9;
    for (int k = 0; k < c.n; k++)
        for (int e = 0; e <= 2; e++) most = fmax(most, curvature(&c, k, 0.5 * e));
    assert_true(most < 0.3); /* of 77 1/m */
    kl_arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sampled_circle_keeps_its_curvature),
        cmocka_unit_test(noise_is_told_from_shape),
        cmocka_unit_test(no_inflection_appears_beside_a_jump_of_curvature),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
