/* Curves through control points, and their length. */
#include "geometry/curve.h"

#include <string.h>

#include "unit/geometry/path_laws.h"

static const double PI = 3.14159265358979323846;

enum { MOST = 400 };
static kl_vec3 point[MOST];

static kl_curve *through(int n, kl_interpolation kind, bool closed, kl_arena *arena)
{
    kl_control_points in    = {.point = point, .n = n, .kind = kind, .closed = closed};
    kl_curve         *curve = NULL;
    assert_int_equal(kl_curve_through(&in, arena, NULL, &curve, NULL), KL_OK);
    return curve;
}

static void fill_circle(int n, double R)
{
    for (int i = 0; i < n; i++)
        point[i] = kl_vec(R * cos(2 * PI * i / n), R * sin(2 * PI * i / n), 7.0);
}

typedef struct errors {
    double position, tangent, curvature, length, d3;
} errors;

/* a closed circle of radius 10 against what it should be */
static errors circle_errors(int n, kl_interpolation kind)
{
    kl_arena *arena = kl_arena_create();
    double    R     = 10.0;
    errors    e     = {0};
    fill_circle(n, R);
    kl_path *path = make_path(through(n, kind, true, arena), (kl_frame_settings){0}, NULL, arena);
    e.length      = fabs(path->length - 2 * PI * R);
    for (int i = 0; i < 500; i++) {
        kl_path_point p       = path_at(path, path->length * i / 500);
        kl_vec3       n_exact = kl_scale(-1.0 / hypot(p.r.x, p.r.y), kl_vec(p.r.x, p.r.y, 0));
        e.position            = fmax(e.position, fabs(hypot(p.r.x, p.r.y) - R));
        e.tangent             = fmax(e.tangent, fabs(kl_dot(p.t, n_exact)));
        e.curvature           = fmax(e.curvature, fabs(kl_norm(p.dt) - 1 / R));
        e.d3                  = fmax(e.d3, fabs(kl_norm(p.ddt) - 1 / (R * R)));
    }
    kl_arena_destroy(arena);
    return e;
}

static void a_circle_converges_with_the_order_of_its_spline(void **unused)
{
    (void)unused;
    errors c1 = circle_errors(32, KL_CUBIC), c2 = circle_errors(64, KL_CUBIC);
    assert_true(log2(c1.position / c2.position) > 3.8);
    assert_true(log2(c1.tangent / c2.tangent) > 2.8);
    assert_true(log2(c1.curvature / c2.curvature) > 1.8);
    errors q1 = circle_errors(24, KL_QUINTIC), q2 = circle_errors(48, KL_QUINTIC);
    assert_true(log2(q1.position / q2.position) > 5.7);
    assert_true(log2(q1.tangent / q2.tangent) > 4.7);
    assert_true(log2(q1.curvature / q2.curvature) > 3.7);
    assert_true(log2(q1.d3 / q2.d3) > 2.7); /* what a constraint's d2n/dL2 lives on */
    assert_true(q2.length < 1e-6);
}

static void the_length_is_kept_to_its_tolerance(void **unused)
{
    (void)unused;
    /* points on a parabola, unevenly: u is far from the length */
    kl_arena *arena = kl_arena_create();
    for (int i = 0; i < 30; i++) {
        double x = 0.1 * i * i;
        point[i] = kl_vec(x, 0.02 * x * x, sin(0.3 * x));
    }
    kl_curve *curve = through(30, KL_CUBIC, false, arena);
    for (int k = 3; k <= 11; k += 4) {
        double  tolerance = pow(10.0, -k);
        kl_arc *arc       = NULL;
        assert_int_equal(kl_arc_build(curve, tolerance, arena, NULL, &arc), KL_OK);
        enum { STEPS = 200 };
        for (int j = 0; j <= 10; j++) {
            double  s = arc->length * j / 10, sum = 0.0;
            kl_vec3 d[2];
            double  u_end = 0.0;
            int     i     = kl_arc_find(arc, s, -1, 0);
            for (int m = 0; m < 6; m++) {
                double x = s - arc->interval[i].s;
                u_end    = m == 0 ? arc->interval[i].c[5] : u_end * x + arc->interval[i].c[5 - m];
            }
            /* Simpson on the speed, piece by piece */
            for (int p = 0; p < curve->npiece && curve->piece[p].u < u_end; p++) {
                double a = curve->piece[p].u, b = fmin(u_end, kl_curve_piece_end(curve, p));
                for (int q = 0; q < STEPS; q++) {
                    double h = (b - a) / (STEPS), v[3];
                    for (int r = 0; r < 3; r++) {
                        kl_curve_eval(curve, p, a + h * (q + 0.5 * r), 1, d);
                        v[r] = kl_norm(d[1]);
                    }
                    sum += h * (v[0] + 4 * v[1] + v[2]) / 6;
                }
            }
            assert_close(sum, s, tolerance + 1e-10);
            assert_close(kl_arc_length_at(arc, u_end), s, 1e-10 + 1e-12 * s);
        }
        assert_true(arc->error <= tolerance);
    }
    kl_arena_destroy(arena);
}

static void derivatives_by_length_obey_their_laws(void **unused)
{
    (void)unused;
    for (int kind = KL_CUBIC; kind < KL_NINTERPOLATION; kind++) {
        kl_arena *arena = kl_arena_create();
        for (int i = 0; i < 25; i++)
            point[i] = kl_vec(2.0 * i + sin(i), 8 * sin(0.3 * i), 3 * cos(0.2 * i));
        kl_path *path = make_path(through(25, (kl_interpolation)kind, false, arena),
                                  (kl_frame_settings){0}, NULL, arena);
        for (int i = 1; i < 60; i++) {
            double s = path->length * i / 60.3, clear = 1.0;
            for (int j = 0; j < path->njoint; j++) clear = fmin(clear, fabs(path->joint[j] - s));
            if (clear > 0.011) assert_path_laws(path, s, 5e-3, 2e-5);
        }
        kl_arena_destroy(arena);
    }
}

static void monotone_stays_inside_each_step(void **unused)
{
    (void)unused;
    /* a flat, a drop, a flat: a cubic dips below the ground before it comes */
    double z[] = {20, 20, 20, 20, 8, 0, 0, 0, 0};
    for (int kind = KL_CUBIC; kind <= KL_MONOTONE; kind += 2) {
        kl_arena *arena = kl_arena_create();
        for (int i = 0; i < 9; i++) point[i] = kl_vec(10.0 * i, 0, z[i]);
        kl_path *path = make_path(through(9, (kl_interpolation)kind, false, arena),
                                  (kl_frame_settings){0}, NULL, arena);
        double   low = 0.0, high = 20.0;
        for (int i = 0; i <= 1000; i++) {
            kl_path_point p = path_at(path, path->length * i / 1000);
            low = fmin(low, p.r.z), high = fmax(high, p.r.z);
        }
        if (kind == KL_CUBIC) assert_true(low < -0.3 && high > 20.3);
        else assert_true(low > -1e-12 && high < 20.0 + 1e-12);
        kl_arena_destroy(arena);
    }
}

static void end_directions_and_repeated_closing_points_are_kept(void **unused)
{
    (void)unused;
    kl_arena *arena = kl_arena_create();
    for (int i = 0; i < 5; i++) point[i] = kl_vec(10.0 * i, 0, 5 * sin(i));
    kl_control_points in    = {.point     = point,
                               .n         = 5,
                               .kind      = KL_QUINTIC,
                               .end       = {KL_END_SLOPE, KL_END_SLOPE},
                               .direction = {{3, 4, 0}, {0, 0, -2}}};
    kl_curve         *curve = NULL;
    assert_int_equal(kl_curve_through(&in, arena, NULL, &curve, NULL), KL_OK);
    kl_path *path = make_path(curve, (kl_frame_settings){0}, NULL, arena);
    assert_close(vec_error(path_at(path, 0.0).t, kl_vec(0.6, 0.8, 0)), 0.0, 1e-12);
    assert_close(vec_error(path_at(path, path->length).t, kl_vec(0, 0, -1)), 0.0, 1e-12);

    fill_circle(20, 5.0);
    double once =
        make_path(through(20, KL_CUBIC, true, arena), (kl_frame_settings){0}, NULL, arena)->length;
    point[20] = point[0];
    double twice =
        make_path(through(21, KL_CUBIC, true, arena), (kl_frame_settings){0}, NULL, arena)->length;
    assert_close(once, twice, 0.0);
    kl_arena_destroy(arena);
}

static void bad_points_are_named(void **unused)
{
    (void)unused;
    const struct {
        int         n;
        bool        closed;
        const char *text;
        kl_status   status;
    } cases[] = {
        {1, false, "needs at least 2", KL_E_RANGE},
        {2, true, "needs at least 3", KL_E_RANGE},
        {10, false, "points.csv:4:1: control point 4 is (nan, 0, 0)", KL_E_NAN},
        {10, false, "points.csv:6:1: control points 6 and 5 coincide", KL_E_RANGE},
        {10, false, "control points 7 and 8 are 70 m apart", KL_OK},
        {10, false, "degrees at control point 3", KL_E_RANGE}, /* and a cusp there */
        {5, false, "cusp near (10, 10, 0), at control point", KL_E_RANGE},
    };
    for (int k = 0; k < 7; k++) {
        kl_arena *arena = kl_arena_create();
        kl_diag  *diag  = kl_diag_create();
        kl_place  place[10];
        for (int i = 0; i < 10; i++)
            point[i] = kl_vec(i, 0, 0), place[i] = (kl_place){"points.csv", i + 1, 1};
        if (k == 2) point[3].x = (double)NAN;
        if (k == 3) point[5] = point[4];
        if (k == 4)
            for (int i = 7; i < 10; i++) point[i].x += 69.0;
        if (k == 5) point[2] = kl_vec(3.0, 0.5, 0), point[3].x = 2.0;
        if (k == 6) { /* out and back along a diagonal: all coordinates turn in one point */
            double way[] = {0, 5, 10, 5, 0};
            for (int i = 0; i < 5; i++) point[i] = kl_vec(way[i], way[i], 0);
        }
        kl_control_points in    = {.point  = point,
                                   .place  = place,
                                   .n      = cases[k].n,
                                   .kind   = KL_MONOTONE,
                                   .closed = cases[k].closed};
        kl_curve         *curve = NULL;
        kl_arc           *arc   = NULL;
        kl_status         s     = kl_curve_through(&in, arena, diag, &curve, NULL);
        if (s == KL_OK) s = kl_arc_build(curve, 1e-9, arena, diag, &arc);
        assert_int_equal(s, cases[k].status);
        bool said = false;
        for (int i = 0; i < kl_diag_size(diag); i++)
            said = said || strstr(kl_diag_at(diag, i)->text, cases[k].text);
        if (!said)
            fail_msg("case %d: '%s' was not said but '%s'", k, cases[k].text,
                     kl_diag_size(diag) ? kl_diag_at(diag, 0)->text : "nothing");
        kl_diag_destroy(diag);
        kl_arena_destroy(arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_circle_converges_with_the_order_of_its_spline),
        cmocka_unit_test(the_length_is_kept_to_its_tolerance),
        cmocka_unit_test(derivatives_by_length_obey_their_laws),
        cmocka_unit_test(monotone_stays_inside_each_step),
        cmocka_unit_test(end_directions_and_repeated_closing_points_are_kept),
        cmocka_unit_test(bad_points_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
