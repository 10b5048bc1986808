#include "base/spline.h"

#include <stdlib.h>

#include "unit/test.h"

enum { MOST = 400 };

/* n points in [a, b], unevenly spaced, with values of f. */
static void sample(double (*f)(double), double a, double b, int n, double *x, double *y)
{
    for (int i = 0; i < n; i++) {
        double s = (double)i / (n - 1);
        x[i]     = a + (b - a) * (s + 0.06 * sin(6.283185307179586 * s));
        y[i]     = f(x[i]);
    }
    x[n - 1] = b;
    y[n - 1] = f(b);
}

static double a_cubic(double x) { return 2 - x + 3 * x * x - 0.5 * x * x * x; }
static double a_parabola(double x) { return 2 - x + 3 * x * x; }
static double a_line(double x) { return 2 - 5 * x; }

static void not_a_knot_repeats_polynomials_of_its_degree(void **unused)
{
    (void)unused;
    static const struct {
        double (*f)(double);
        int n;
    } cases[] = {{a_line, 2}, {a_parabola, 3}, {a_cubic, 4}, {a_cubic, 5}, {a_cubic, 60}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        kl_arena *arena = kl_arena_create();
        double    x[MOST], y[MOST], out[3];
        sample(cases[k].f, -1, 2, cases[k].n, x, y);
        kl_spline *s = kl_spline_create(arena, x, y, cases[k].n, KL_SPLINE_CUBIC, KL_ENDS_LINEAR);
        for (double t = -1; t <= 2; t += 0.01) {
            double h = 1e-3, f = cases[k].f(t), up = cases[k].f(t + h), down = cases[k].f(t - h);
            kl_spline_eval(s, t, out);
            assert_close(out[0], f, 1e-12);
            assert_close(out[1], (up - down) / (2 * h), 2e-6);
            assert_close(out[2], (up - 2 * f + down) / (h * h), 1e-8);
        }
        kl_arena_destroy(arena);
    }
}

/* The largest error of value, slope and curvature for sin on n points. */
static void errors(kl_spline_kind kind, int n, double error[3])
{
    kl_arena *arena = kl_arena_create();
    double    x[MOST], y[MOST], out[3], period = 6.283185307179586;
    sample(sin, 0, period, n, x, y);
    if (kind == KL_SPLINE_PERIODIC) y[n - 1] = y[0];
    kl_spline *s = kl_spline_create(arena, x, y, n, kind, KL_ENDS_LINEAR);
    error[0] = error[1] = error[2] = 0;
    for (int i = 0; i <= 5000; i++) {
        double t = period * i / 5000, exact[3] = {sin(t), cos(t), -sin(t)};
        kl_spline_eval(s, t, out);
        for (int k = 0; k < 3; k++) error[k] = fmax(error[k], fabs(out[k] - exact[k]));
    }
    kl_arena_destroy(arena);
}

static void convergence_has_the_order_of_the_theory(void **unused)
{
    (void)unused;
    /* sin has no curvature at 0 and 2 pi, so the natural spline keeps the full order too */
    static const struct {
        kl_spline_kind kind;
        double         order[3];
    } cases[] = {{KL_SPLINE_LINEAR, {2, 1, 0}},
                 {KL_SPLINE_CUBIC, {4, 3, 2}},
                 {KL_SPLINE_NATURAL, {4, 3, 2}},
                 {KL_SPLINE_PERIODIC, {4, 3, 2}}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        double coarse[3], fine[3];
        errors(cases[c].kind, 81, coarse);
        errors(cases[c].kind, 321, fine);
        for (int k = 0; k < 3; k++)
            assert_true(log2(coarse[k] / fine[k]) / 2 > cases[c].order[k] - 0.2);
    }
}

static void cubics_are_twice_continuously_differentiable(void **unused)
{
    (void)unused;
    srand(3);
    static const kl_spline_kind kinds[] = {KL_SPLINE_CUBIC, KL_SPLINE_NATURAL, KL_SPLINE_PERIODIC};
    for (int trial = 0; trial < 60; trial++) {
        kl_arena *arena = kl_arena_create();
        int       n     = 2 + rand() % 20;
        double    x[MOST], y[MOST];
        for (int i = 0; i < n; i++) {
            x[i] = (i ? x[i - 1] : 0) + 0.05 + (double)rand() / RAND_MAX;
            y[i] = (double)rand() / RAND_MAX;
        }
        y[n - 1]       = trial % 3 == 2 ? y[0] : y[n - 1];
        kl_spline *s   = kl_spline_create(arena, x, y, n, kinds[trial % 3], KL_ENDS_LINEAR);
        double     eps = 1e-9;
        assert_non_null(s);
        for (int i = trial % 3 == 2 ? 0 : 1; i < n - 1; i++) {
            double left[3], right[3], at[3];
            kl_spline_eval(s, x[i] - eps, left);
            kl_spline_eval(s, x[i], at);
            kl_spline_eval(s, x[i] + eps, right);
            assert_close(at[0], y[i], 1e-13);
            for (int k = 0; k < 3; k++) assert_close(left[k], right[k], 1e-4);
        }
        double a[3], b[3];
        kl_spline_eval(s, x[0], a);
        kl_spline_eval(s, x[n - 1], b);
        if (trial % 3 == 1) assert_close(fabs(a[2]) + fabs(b[2]), 0, 1e-11);
        if (trial % 3 == 2)    // a period further on, and one before, the curve is the same
            for (int k = 0; k < 3; k++) {
                double period = x[n - 1] - x[0], t = x[0] + 0.3 * period, near[3], far[3];
                kl_spline_eval(s, t, near);
                kl_spline_eval(s, t + (k - 1) * period, far);
                for (int j = 0; j < 3; j++) assert_close(near[j], far[j], 1e-9);
            }
        kl_arena_destroy(arena);
    }
}

static void ends_hold_or_go_straight(void **unused)
{
    (void)unused;
    kl_arena  *arena = kl_arena_create();
    double     x[] = {0, 1, 3}, y[] = {5, 7, 1}, out[3];
    kl_spline *hold = kl_spline_create(arena, x, y, 3, KL_SPLINE_CUBIC, KL_ENDS_CONSTANT);
    kl_spline *go   = kl_spline_create(arena, x, y, 3, KL_SPLINE_LINEAR, KL_ENDS_LINEAR);
    kl_spline *one  = kl_spline_create(arena, x, y, 1, KL_SPLINE_CUBIC, KL_ENDS_LINEAR);
    kl_spline_eval(hold, -4, out);
    assert_true(out[0] == 5 && out[1] == 0 && out[2] == 0);
    kl_spline_eval(hold, 4, out);
    assert_true(out[0] == 1 && out[1] == 0 && out[2] == 0);
    kl_spline_eval(go, -4, out);
    assert_true(out[0] == -3 && out[1] == 2 && out[2] == 0);
    kl_spline_eval(go, 5, out);
    assert_true(out[0] == -5 && out[1] == -3 && out[2] == 0);
    kl_spline_eval(go, 1, out); /* at a corner the right side counts */
    assert_true(out[0] == 7 && out[1] == -3);
    kl_spline_eval(one, 17, out);
    assert_true(out[0] == 5 && out[1] == 0 && out[2] == 0);
    kl_spline_eval(hold, NAN, out);
    assert_true(isnan(out[0]));

    double corner[3];
    assert_int_equal(kl_spline_corners(go, corner, 3), 3);
    assert_true(corner[0] == 0 && corner[1] == 1 && corner[2] == 3);
    assert_int_equal(kl_spline_corners(hold, corner, 3), 2);
    assert_true(corner[0] == 0 && corner[1] == 3);
    assert_int_equal(kl_spline_corners(one, NULL, 0), 0);
    kl_arena_destroy(arena);
}

static void bad_points_are_named_and_refused(void **unused)
{
    (void)unused;
    kl_arena *arena  = kl_arena_create();
    double    good[] = {0, 1, 2, 3}, twice[] = {0, 1, 1, 3}, back[] = {0, 1, 2, 1.5},
           nan[] = {NAN, 1, 2, 3}, inf[] = {0, 1, 2, INFINITY};
    assert_int_equal(kl_spline_check(good, 4), -1);
    assert_int_equal(kl_spline_check(twice, 4), 2);
    assert_int_equal(kl_spline_check(back, 4), 3);
    assert_int_equal(kl_spline_check(nan, 4), 0);
    assert_int_equal(kl_spline_check(inf, 4), 3);
    assert_null(kl_spline_create(arena, twice, good, 4, KL_SPLINE_CUBIC, KL_ENDS_LINEAR));
    assert_null(kl_spline_create(arena, good, good, 0, KL_SPLINE_CUBIC, KL_ENDS_LINEAR));
    assert_null(kl_spline_create(arena, good, good, 4, KL_SPLINE_PERIODIC, KL_ENDS_LINEAR));
    kl_arena_destroy(arena);
}

static void a_monotone_curve_follows_the_points_and_goes_on_with_the_end_secant(void **unused)
{
    (void)unused;
    /* a damper whose C2 spline has a negative slope at its ends */
    static const double x[] = {-1, -0.5, 0, 0.5, 1}, y[] = {-20, -15, 0, 15, 20};
    kl_arena           *arena = kl_arena_create();
    double              out[3], before = -HUGE_VAL;
    kl_spline          *s = kl_spline_create(arena, x, y, 5, KL_SPLINE_MONOTONE, KL_ENDS_LINEAR);
    for (double t = -3; t <= 3; t += 1.0 / 1024) {
        double h = 1e-6, up[3], down[3];
        kl_spline_eval(s, t, out);
        kl_spline_eval(s, t + h, up);
        kl_spline_eval(s, t - h, down);
        assert_true(out[0] > before && out[1] > 0);
        assert_close(out[1], (up[0] - down[0]) / (2 * h), 2e-5 * 60);
        before = out[0];
    }
    for (int i = 0; i < 5; i++) {
        kl_spline_eval(s, x[i], out);
        assert_close(out[0], y[i], 1e-13);
    }
    kl_spline_eval(s, 9.0, out);
    assert_close(out[0], 20 + 10 * 8, 1e-12);
    kl_arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(not_a_knot_repeats_polynomials_of_its_degree),
        cmocka_unit_test(convergence_has_the_order_of_the_theory),
        cmocka_unit_test(cubics_are_twice_continuously_differentiable),
        cmocka_unit_test(ends_hold_or_go_straight),
        cmocka_unit_test(a_monotone_curve_follows_the_points_and_goes_on_with_the_end_secant),
        cmocka_unit_test(bad_points_are_named_and_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
