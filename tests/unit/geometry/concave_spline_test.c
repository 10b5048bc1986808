#include "geometry/concave_spline.h"

#include <stdlib.h>

#include "unit/test.h"

enum { MOST = 400 };

typedef struct curve {
    int               n;
    bool              closed;
    double            x[MOST + 1], f[MOST];
    kl_arena         *arena;
    kl_concave_spline s;
} curve;

static void make(curve *t, const kl_end *ends)
{
    t->arena = kl_arena_create();
    assert_int_equal(kl_concave_fit(&t->s, t->x, t->f, 1, t->n, t->closed, ends, t->arena), KL_OK);
}

/* value (order 0) or derivative at y from the beginning of interval i */
static double value(const curve *t, int i, double y, int order)
{
    double c[KL_NCOEFFICIENT], factorial = 1.0;
    kl_concave_piece(&t->s, i, y, y, c);
    for (int k = 2; k <= order; k++) factorial *= k;
    return factorial * c[order];
}

static void interpolates_with_continuous_slope(const curve *t)
{
    for (int i = 0; i < t->s.np; i++) {
        int    j = (i + 1) % t->n;
        double h = t->s.h[i], knot;
        assert_close(value(t, i, 0.0, 0), t->f[i], 1e-12);
        assert_close(value(t, i, h, 0), t->f[j], 1e-9 * (1.0 + fabs(t->f[j])));
        if (j < t->s.np && (t->closed || j > 0))
            assert_close(value(t, i, h, 1), value(t, j, 0.0, 1), 1e-8);
        if (!kl_concave_knot(&t->s, i, &knot)) continue;
        for (int order = 0; order < 3; order++)
            assert_close(value(t, i, knot * (1.0 - 1e-12), order),
                         value(t, i, knot * (1.0 + 1e-12), order),
                         1e-9 * (1.0 + fabs(t->s.a[i]) + fabs(t->s.b[i])));
    }
}

/* Convex data with a sharp bend, where the C2 cubic swings below its neighbours. */
static void convex_data_give_a_convex_curve(void **unused)
{
    (void)unused;
    static curve t;
    srand(3);
    for (int trial = 0; trial < 100; trial++) {
        double slope = -3.0;
        t.n = 4 + rand() % 30, t.closed = false, t.x[0] = 0.0, t.f[0] = 1.0;
        for (int i = 1; i < t.n; i++) {
            double h = 0.1 + rand() / (double)RAND_MAX;
            t.x[i]   = t.x[i - 1] + h;
            t.f[i]   = t.f[i - 1] + slope * h;
            slope +=
                pow(10.0, -4.0 * (rand() / (double)RAND_MAX)); /* bends of very different size */
        }
        make(&t, NULL);
        interpolates_with_continuous_slope(&t);
        for (int i = 0; i < t.s.np; i++)
            for (int k = 0; k <= 20; k++)
                assert_true(value(&t, i, 0.05 * k * t.s.h[i], 2) >=
                            -1e-12 * (1.0 + fabs(t.s.a[i]) + fabs(t.s.b[i])));
        kl_arena_destroy(t.arena);
    }
}

static double circle_error(int n, bool closed)
{
    static curve t;
    double       period = 6.283185307179586, worst = 0.0;
    t.n = n, t.closed = closed;
    for (int i = 0; i <= n; i++) t.x[i] = period * i / (closed ? n : n - 1);
    for (int i = 0; i < n; i++) t.f[i] = cos(t.x[i] + 0.2);
    make(&t, NULL);
    interpolates_with_continuous_slope(&t);
    for (int i = 0; i < t.s.np; i++)
        for (int k = 0; k <= 20; k++) {
            double y = 0.05 * k * t.s.h[i];
            worst    = fmax(worst, fabs(value(&t, i, y, 0) - cos(t.x[i] + y + 0.2)));
        }
    kl_arena_destroy(t.arena);
    return worst;
}

static void smooth_data_are_met_with_order_four(void **unused)
{
    (void)unused;
    for (int closed = 0; closed < 2; closed++) {
        double rate = log2(circle_error(50, closed) / circle_error(100, closed));
        assert_true(rate > 3.6);
    }
}

/* A straight, a quarter of a circle, a straight, sampled each metre as a function of arc length: the
 * second derivative of the circle's part stays within 1 % of 1/R except at its two ends. */
static void sampled_circle_keeps_its_curvature(void **unused)
{
    (void)unused;
    static curve t[2];
    double       R = 34.2, straight = 20.0, arc = 0.5 * 3.141592653589793 * R;
    int          n = (int)(2.0 * straight + arc);
    for (int axis = 0; axis < 2; axis++) {
        t[axis].n = n, t[axis].closed = false;
        for (int i = 0; i < n; i++) {
            double s = i, a = fmin(fmax(s - straight, 0.0), arc) / R;
            double after = fmax(s - straight - arc, 0.0);
            t[axis].x[i] = s;
            t[axis].f[i] = axis == 0 ? fmin(s, straight) + R * sin(a) + after * cos(a)
                                     : R * (1.0 - cos(a)) + after * sin(a);
        }
        make(&t[axis], NULL);
    }
    double least = R, most = 0.0;
    for (int i = 24; i < 68; i++)
        for (int k = 0; k <= 20; k++) {
            double y = 0.05 * k, d[2][3];
            for (int axis = 0; axis < 2; axis++)
                for (int order = 1; order < 3; order++)
                    d[axis][order] = value(&t[axis], i, y, order);
            double speed  = hypot(d[0][1], d[1][1]);
            double radius = pow(speed, 3.0) / fabs(d[0][1] * d[1][2] - d[1][1] * d[0][2]);
            least = fmin(least, radius), most = fmax(most, radius);
        }
    assert_close(least / R, 1.0, 0.01);
    assert_close(most / R, 1.0, 0.01);
    for (int i = 0; i < 18; i++) assert_close(value(&t[1], i, 0.5, 0), 0.0, 1e-12); /* straight */
    for (int axis = 0; axis < 2; axis++) kl_arena_destroy(t[axis].arena);
}

/* Of all curves through the points with this sign, ours has the least integral of f''^2: adding a
 * convex cubic bump that is zero at the points never lowers it. Here against the monotone kind and
 * the exact value of a case by hand: f = 0, 0, 1 at 0, 1, 2 with natural ends and free sign is
 * D = 1, M = 2/3, so alpha = 1.5 and the integral is 1.5. */
static void least_curvature_by_hand(void **unused)
{
    (void)unused;
    static curve t;
    kl_end       natural[2] = {{KL_END_NATURAL, 0.0}, {KL_END_NATURAL, 0.0}};
    t.n = 3, t.closed = false;
    for (int i = 0; i < 3; i++) t.x[i] = i, t.f[i] = i == 2;
    make(&t, natural);
    assert_close(value(&t, 0, 1.0, 2), 1.5, 1e-9);
    assert_close(value(&t, 1, 0.0, 1), 0.5, 1e-9);
    kl_arena_destroy(t.arena);
}

/* A ramp between two levels: points on straight lines with two corners. */
static void corners_between_straight_lines_are_rounded(void **unused)
{
    (void)unused;
    static curve t;
    t.n = 30, t.closed = false;
    for (int i = 0; i < 30; i++) t.x[i] = i, t.f[i] = fmin(fmax(i - 9.0, 0.0), 10.0);
    make(&t, NULL);
    interpolates_with_continuous_slope(&t);
    for (int i = 0; i < 29; i++) {
        double line = fmin(fmax(i + 0.5 - 9.0, 0.0), 10.0);
        bool   near = i >= 7 && i <= 20;
        assert_close(value(&t, i, 0.5, 0), line, near ? 0.1 : 1e-12);
    }
    kl_arena_destroy(t.arena);
}

static void bad_points_are_refused(void **unused)
{
    (void)unused;
    kl_concave_spline s;
    kl_arena         *a    = kl_arena_create();
    double            x[3] = {0, 1, 1}, f[3] = {0};
    assert_int_equal(kl_concave_fit(&s, x, f, 1, 3, false, NULL, a), KL_E_USAGE);
    assert_int_equal(kl_concave_fit(&s, x, f, 1, 1, false, NULL, a), KL_E_USAGE);
    kl_arena_destroy(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(convex_data_give_a_convex_curve),
        cmocka_unit_test(smooth_data_are_met_with_order_four),
        cmocka_unit_test(sampled_circle_keeps_its_curvature),
        cmocka_unit_test(least_curvature_by_hand),
        cmocka_unit_test(corners_between_straight_lines_are_rounded),
        cmocka_unit_test(bad_points_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
