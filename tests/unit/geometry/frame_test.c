#include "geometry/frame.h"

#include <string.h>

#include "geometry/layout.h"
#include "geometry/spatial.h"
#include "unit/geometry/path_laws.h"

static const double PI = 3.14159265358979323846;

/* axes with forward along `t`, as upright as can be */
static kl_mat3 upright(kl_vec3 t)
{
    kl_vec3 y = kl_unit(kl_cross(kl_vec(0, 0, 1), t));
    return kl_from_axes(t, y, kl_cross(t, y));
}

static kl_curve *lay(const kl_spatial_segment *segment, int n, kl_mat3 A, kl_arena *arena,
                     kl_piecewise *roll)
{
    kl_spatial in    = {.segment = segment, .n = n, .A = A};
    kl_curve  *curve = NULL;
    assert_int_equal(kl_spatial_build(&in, arena, NULL, &curve, roll), KL_OK);
    return curve;
}

/* helix around z: radius a, rise c per radian */
static const double a = 12.0, c = 5.0;

static kl_curve *helix(double turns, kl_arena *arena, kl_piecewise *roll)
{
    double             l = sqrt(a * a + c * c), k = a / (l * l), tau = c / (l * l);
    double             length  = 2.0 * PI * turns * l;
    kl_spatial_segment segment = {.length = length, .left = {k, k}, .roll = tau * length};
    return lay(&segment, 1, upright(kl_vec(0, a / l, c / l)), arena, roll);
}

static void a_helix_has_its_frenet_frame_and_torsion(void **unused)
{
    (void)unused;
    kl_arena *arena = kl_arena_create();
    double    l = sqrt(a * a + c * c), k = a / (l * l), tau = c / (l * l);
    kl_path *path = make_path(helix(3.0, arena, NULL), (kl_frame_settings){.kind = KL_FRAME_FRENET},
                              NULL, arena);
    for (int i = 0; i <= 50; i++) {
        double        s = path->length * i / 50, w = s / l;
        kl_path_point p = path_at(path, s);
        /* starts at the origin: the axis stands at x = -a */
        kl_vec3 r = kl_vec(a * cos(w) - a, a * sin(w), c * w), n = kl_vec(-cos(w), -sin(w), 0);
        kl_vec3 t = kl_vec(-a / l * sin(w), a / l * cos(w), c / l);
        assert_close(vec_error(p.r, r), 0.0, 1e-11);
        assert_close(vec_error(p.t, t), 0.0, 1e-12);
        assert_close(vec_error(kl_axis(&p.A, 1), n), 0.0, 1e-12);
        assert_close(vec_error(p.dt, kl_scale(k, n)), 0.0, 1e-13);
        /* Darboux: kappa = tau t + k b, whose derivatives vanish on a helix */
        kl_vec3 darboux = kl_axpy(tau, t, kl_scale(k, kl_cross(t, n)));
        assert_close(vec_error(p.kappa, darboux), 0.0, 1e-12);
        assert_close(kl_norm(p.dkappa), 0.0, 1e-11);
        assert_close(kl_norm(p.ddkappa), 0.0, 1e-10);
    }
    for (int i = 1; i < 20; i++) assert_path_laws(path, path->length * i / 20.3, 1e-2, 1e-7);
    kl_arena_destroy(arena);
}

static void least_rotation_turns_back_by_the_torsion(void **unused)
{
    (void)unused;
    kl_arena *arena = kl_arena_create();
    double    l = sqrt(a * a + c * c), tau = c / (l * l);
    kl_curve *curve = helix(2.0, arena, NULL);
    kl_path  *path =
        make_path(curve, (kl_frame_settings){.kind = KL_FRAME_MINIMAL_ROTATION}, NULL, arena);
    kl_path *frenet = make_path(curve, (kl_frame_settings){.kind = KL_FRAME_FRENET}, NULL, arena);
    for (int i = 0; i <= 100; i++) {
        double        s = path->length * i / 100;
        kl_path_point p = path_at(path, s), f = path_at(frenet, s);
        assert_close(kl_dot(p.kappa, p.t), 0.0, 1e-13);
        double angle = atan2(kl_dot(kl_axis(&p.A, 1), kl_axis(&f.A, 2)),
                             kl_dot(kl_axis(&p.A, 1), kl_axis(&f.A, 1)));
        assert_close(sin(angle + tau * s), 0.0, 1e-10); /* closed form of Bishop's angle */
    }
    for (int i = 1; i < 20; i++) assert_path_laws(path, path->length * i / 20.3, 1e-2, 1e-7);
    kl_arena_destroy(arena);
}

static void segments_and_least_rotation_with_roll_give_one_frame(void **unused)
{
    (void)unused;
    /* the segment's own frame turns with it: y stays at a fixed angle to the curvature */
    kl_arena    *arena = kl_arena_create();
    kl_piecewise roll;
    kl_curve    *curve = helix(2.0, arena, &roll);
    kl_path     *path =
        make_path(curve, (kl_frame_settings){.kind = KL_FRAME_MINIMAL_ROTATION}, &roll, arena);
    for (int i = 0; i <= 50; i++) {
        kl_path_point p = path_at(path, path->length * i / 50);
        assert_close(kl_dot(kl_axis(&p.A, 1), kl_unit(p.dt)), 1.0, 1e-11);
        assert_close(kl_norm(p.dkappa), 0.0, 1e-11);
    }
    kl_arena_destroy(arena);
}

/* largest angle between frames at neighbouring places, per metre */
static double fastest_turn(const kl_path *path, int n)
{
    kl_path_point before = path_at(path, 0.0);
    double        worst  = 0.0;
    for (int i = 1; i <= n; i++) {
        kl_path_point p = path_at(path, path->length * i / n);
        for (int j = 0; j < 3; j++)
            worst = fmax(worst, vec_error(kl_axis(&p.A, j), kl_axis(&before.A, j)));
        before = p;
    }
    return worst * n / path->length;
}

static void a_level_frame_goes_upside_down_through_a_loop(void **unused)
{
    (void)unused;
    kl_arena          *arena     = kl_arena_create();
    double             k         = 1.0 / 8.0;
    kl_spatial_segment segment[] = {
        {.length = 30.0},
        {.length = 10.0, .up = {0, k}},
        {.length = 2 * PI / k - 10.0, .up = {k, k}},
        {.length = 10.0, .up = {k, 0}},
        {.length = 30.0},
    };
    kl_path *path = make_path(lay(segment, 5, kl_identity(), arena, NULL),
                              (kl_frame_settings){.kind = KL_FRAME_LEVEL}, NULL, arena);
    double   top  = 0.5 * path->length;
    assert_close(path_at(path, top).A.m[2][2], -1.0, 1e-9); /* head down */
    assert_close(path_at(path, top).A.m[1][1], 1.0, 1e-12); /* left stays left */
    assert_close(path_at(path, path->length).A.m[2][2], 1.0, 1e-9);
    assert_true(fastest_turn(path, 4000) < 1.01 * k * 1.0);
    for (int i = 1; i < 100; i++) assert_path_laws(path, path->length * i / 100.7, 5e-3, 1e-7);
    kl_arena_destroy(arena);
}

static void a_leaning_loop_is_continuous_in_every_frame(void **unused)
{
    (void)unused;
    /* a loop that drifts aside is vertical somewhere without lying in a plane */
    for (int kind = 0; kind < KL_NFRAME; kind++) {
        kl_arena          *arena     = kl_arena_create();
        double             k         = 1.0 / 8.0;
        kl_spatial_segment segment[] = {
            {.length = 30.0},
            {.length = 8.0, .left = {0, 0.02}, .up = {0, k}},
            {.length = 45.0, .left = {0.02, 0.02}, .up = {k, k}},
            {.length = 8.0, .left = {0.02, 0}, .up = {k, 0}},
            {.length = 30.0},
        };
        kl_path *path = make_path(lay(segment, 5, kl_identity(), arena, NULL),
                                  (kl_frame_settings){.kind = (kl_frame_kind)kind}, NULL, arena);
        assert_true(fastest_turn(path, 8000) < 4.0 * k);
        for (int i = 1; i < 200; i++) {
            double s = path->length * i / 200.7, clear = 1.0;
            for (int j = 0; j < path->njoint; j++) clear = fmin(clear, fabs(path->joint[j] - s));
            if (clear > 0.05) assert_path_laws(path, s, 1e-2, 1e-5);
        }
        /* kappa itself meets at the hand-over from formula to carrying */
        for (int j = 0; j < path->njoint; j++) {
            kl_path_cursor cursor = {0};
            kl_path_point  p, q;
            kl_path_eval_side(path, path->joint[j], -1, &cursor, &p);
            kl_path_eval_side(path, path->joint[j], 1, &cursor, &q);
            for (int i = 0; i < 3; i++)
                assert_close(vec_error(kl_axis(&p.A, i), kl_axis(&q.A, i)), 0.0, 1e-9);
            assert_close(vec_error(p.kappa, q.kappa), 0.0, 1e-7);
        }
        kl_arena_destroy(arena);
    }
}

static void a_corkscrew_turns_once_about_its_axis(void **unused)
{
    (void)unused;
    kl_arena          *arena = kl_arena_create();
    double             k = 1.0 / 10.0, w = 1.0 / 10.0, turn = 2 * PI / hypot(k, w);
    kl_piecewise       roll;
    kl_spatial_segment segment[] = {
        {.length = 20.0}, {.length = turn, .up = {k, k}, .roll = w * turn}, {.length = 20.0}};
    kl_vec3       t    = kl_vec(cos(PI / 4), sin(PI / 4), 0);
    kl_path      *path = make_path(lay(segment, 3, upright(t), arena, &roll),
                                   (kl_frame_settings){.kind = KL_FRAME_MINIMAL_ROTATION}, &roll, arena);
    kl_path_point p = path_at(path, 20.0), q = path_at(path, 20.0 + turn);
    assert_close(vec_error(p.t, q.t), 0.0, 1e-11);
    assert_close(vec_error(kl_axis(&p.A, 2), kl_axis(&q.A, 2)), 0.0, 1e-10);
    assert_close(path_at(path, 20.0 + 0.5 * turn).A.m[2][2], -1.0, 1e-10);
    assert_close(q.r.z, p.r.z, 1e-10);
    for (int i = 1; i < 60; i++) {
        double s = path->length * i / 60.7;
        if (fabs(s - 20.0) > 0.05 && fabs(s - 20.0 - turn) > 0.05)
            assert_path_laws(path, s, 1e-2, 1e-7);
    }
    kl_arena_destroy(arena);
}

static void frenet_keeps_its_side_through_inflections_and_straights(void **unused)
{
    (void)unused;
    kl_arena          *arena     = kl_arena_create();
    kl_spatial_segment segment[] = {
        {.length = 20.0},
        {.length = 15.0, .left = {0, 0.05}},
        {.length = 30.0, .left = {0.05, -0.05}}, /* an inflection on the way */
        {.length = 15.0, .left = {-0.05, 0}},
        {.length = 25.0},
        {.length = 15.0, .up = {0, 0.04}}, /* in another plane: the straight turns over to it */
        {.length = 10.0, .up = {0.04, 0.04}},
    };
    kl_path *path = make_path(lay(segment, 7, kl_identity(), arena, NULL),
                              (kl_frame_settings){.kind = KL_FRAME_FRENET}, NULL, arena);
    for (int i = 0; i <= 100; i++) /* in the plan, left stays left */
        assert_close(path_at(path, 80.0 * i / 100).A.m[2][2], 1.0, 1e-9);
    kl_path_point p = path_at(path, path->length);
    assert_close(fabs(kl_dot(kl_axis(&p.A, 1), kl_unit(p.dt))), 1.0, 1e-9);
    assert_true(fastest_turn(path, 8000) < 0.2);
    kl_arena_destroy(arena);
}

static void straight_arc_straight_without_transition_stays_continuous(void **unused)
{
    (void)unused;
    for (int kind = 0; kind < KL_NFRAME; kind++) {
        kl_arena          *arena     = kl_arena_create();
        kl_spatial_segment segment[] = {{.length = 20.0},
                                        {.length = 30.0, .left = {0.05, 0.05}},
                                        {.length = 20.0, .left = {-0.05, -0.05}},
                                        {.length = 20.0}};
        kl_path           *path      = make_path(lay(segment, 4, kl_identity(), arena, NULL),
                                                 (kl_frame_settings){.kind = (kl_frame_kind)kind}, NULL, arena);
        for (int i = 0; i <= 1000; i++)
            assert_close(path_at(path, path->length * i / 1000).A.m[2][2], 1.0, 1e-9);
        kl_arena_destroy(arena);
    }
}

static void a_closed_way_closes_in_every_frame(void **unused)
{
    (void)unused;
    for (int kind = 0; kind < KL_NFRAME; kind++) {
        kl_arena *arena = kl_arena_create();
        kl_vec3   point[40];
        for (int i = 0; i < 40; i++) { /* a curve that leaves its plane, curved everywhere */
            double w = 2 * PI * i / 40;
            point[i] = kl_vec(50 * cos(w), 30 * sin(w), 4 * sin(2 * w));
        }
        kl_control_points in    = {.point = point, .n = 40, .kind = KL_QUINTIC, .closed = true};
        kl_curve         *curve = NULL;
        assert_int_equal(kl_curve_through(&in, arena, NULL, &curve, NULL), KL_OK);
        kl_path *path =
            make_path(curve, (kl_frame_settings){.kind = (kl_frame_kind)kind}, NULL, arena);
        kl_path_cursor cursor = {0};
        kl_path_point  p, q, r = path_at(path, 3 * path->length);
        kl_path_eval_side(path, path->length, -1, &cursor, &p);
        kl_path_eval_side(path, 0.0, 1, &cursor, &q);
        assert_close(vec_error(p.r, q.r), 0.0, 1e-9);
        assert_close(vec_error(r.r, q.r), 0.0, 1e-9);
        for (int i = 0; i < 3; i++)
            assert_close(vec_error(kl_axis(&p.A, i), kl_axis(&q.A, i)), 0.0, 1e-8);
        assert_close(vec_error(p.kappa, q.kappa), 0.0, 1e-8);
        for (int i = 1; i < 30; i++) assert_path_laws(path, path->length * i / 30.3, 1e-2, 1e-5);
        kl_arena_destroy(arena);
    }
}

static void a_closed_figure_of_eight_with_a_loop_frame_returns(void **unused)
{
    (void)unused;
    /* planar figure of eight: Frenet has two inflections, which is even, so it returns */
    kl_arena *arena = kl_arena_create();
    kl_vec3   point[60];
    for (int i = 0; i < 60; i++) {
        double w = 2 * PI * (i + 0.25) / 60;
        point[i] = kl_vec(40 * sin(w), 20 * sin(2 * w), 3 * cos(w));
    }
    kl_control_points in    = {.point = point, .n = 60, .kind = KL_QUINTIC, .closed = true};
    kl_curve         *curve = NULL;
    assert_int_equal(kl_curve_through(&in, arena, NULL, &curve, NULL), KL_OK);
    kl_path *path = make_path(curve, (kl_frame_settings){.kind = KL_FRAME_FRENET}, NULL, arena);
    kl_path_cursor cursor = {0};
    kl_path_point  p, q;
    kl_path_eval_side(path, path->length, -1, &cursor, &p);
    kl_path_eval_side(path, 0.0, 1, &cursor, &q);
    for (int i = 0; i < 3; i++)
        assert_close(vec_error(kl_axis(&p.A, i), kl_axis(&q.A, i)), 0.0, 1e-8);
    kl_arena_destroy(arena);
}

static void a_steep_start_takes_its_up_from_the_settings(void **unused)
{
    (void)unused;
    kl_arena          *arena   = kl_arena_create();
    kl_spatial_segment segment = {.length = 20.0, .up = {-0.02, -0.02}};
    kl_mat3 A = kl_from_axes(kl_vec(0, 0, 1), kl_vec(0, 1, 0), kl_vec(-1, 0, 0)); /* lift hill */
    for (int kind = 0; kind < KL_NFRAME; kind++) {
        kl_frame_settings set  = {.kind = (kl_frame_kind)kind, .up = {-1, 0, 0}};
        kl_path          *path = make_path(lay(&segment, 1, A, arena, NULL), set, NULL, arena);
        kl_path_point     p    = path_at(path, 0.0);
        if (kind != KL_FRAME_FRENET) assert_close(p.A.m[1][1], 1.0, 1e-9);
    }
    kl_arena_destroy(arena);
}

static void beyond_the_end_the_way_goes_on_with_its_curvature(void **unused)
{
    (void)unused;
    kl_arena     *arena = kl_arena_create();
    kl_path      *path  = make_path(helix(1.0, arena, NULL), (kl_frame_settings){0}, NULL, arena);
    kl_path_point end   = path_at(path, path->length);
    /* no jump at the end, and what it says of changes is still there where an event is located */
    kl_path_point p = path_at(path, path->length + 1e-7);
    assert_close(p.beyond, 1e-7, 1e-12);
    assert_close(vec_error(p.dt, end.dt) + vec_error(p.dkappa, end.dkappa), 0.0, 1e-6);
    /* far from it: r' = t, t' = dt and A' = [kappa] A still belong to each other */
    const double h    = 1e-4;
    const double at[] = {path->length + 2.5, -1.5};
    for (int i = 0; i < 2; i++) {
        kl_path_point before = path_at(path, at[i] - h), behind = path_at(path, at[i] + h);
        p = path_at(path, at[i]);
        assert_close(vec_error(kl_scale(0.5 / h, kl_sub(behind.r, before.r)), p.t), 0.0, 1e-7);
        assert_close(vec_error(kl_scale(0.5 / h, kl_sub(behind.t, before.t)), p.dt), 0.0, 1e-7);
        for (int k = 0; k < 3; k++)
            assert_close(
                vec_error(kl_scale(0.5 / h, kl_sub(kl_axis(&behind.A, k), kl_axis(&before.A, k))),
                          kl_path_axis_d1(&p, k)),
                0.0, 1e-7);
    }
    assert_close(path_at(path, -1.0).beyond, -1.0, 0.0);
    assert_close(path_at(path, 1.0).beyond, 0.0, 0.0);
    kl_path_cursor cursor = {0};
    assert_int_equal(kl_path_eval(path, (double)NAN, &cursor, &p), KL_E_NAN);
    kl_arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_helix_has_its_frenet_frame_and_torsion),
        cmocka_unit_test(least_rotation_turns_back_by_the_torsion),
        cmocka_unit_test(segments_and_least_rotation_with_roll_give_one_frame),
        cmocka_unit_test(a_level_frame_goes_upside_down_through_a_loop),
        cmocka_unit_test(a_leaning_loop_is_continuous_in_every_frame),
        cmocka_unit_test(a_corkscrew_turns_once_about_its_axis),
        cmocka_unit_test(frenet_keeps_its_side_through_inflections_and_straights),
        cmocka_unit_test(straight_arc_straight_without_transition_stays_continuous),
        cmocka_unit_test(a_closed_way_closes_in_every_frame),
        cmocka_unit_test(a_closed_figure_of_eight_with_a_loop_frame_returns),
        cmocka_unit_test(a_steep_start_takes_its_up_from_the_settings),
        cmocka_unit_test(beyond_the_end_the_way_goes_on_with_its_curvature),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
