#include "geometry/path_rounded.h"

#include "geometry/path_table.h"
#include "geometry/spatial.h"
#include "unit/geometry/path_laws.h"

/* straight, an arc upwards without transition, straight: kappa jumps at 20 m and at 35 m */
static const kl_path *bend(double radius, double corner, kl_arena *arena)
{
    double             k         = 1.0 / radius;
    kl_spatial_segment segment[] = {
        {.length = 20.0}, {.length = 15.0, .up = {k, k}}, {.length = 20.0}};
    kl_spatial     in    = {.segment = segment, .n = 3, .A = kl_identity()};
    kl_curve      *curve = NULL;
    const kl_path *out   = NULL;
    assert_int_equal(kl_spatial_build(&in, arena, NULL, &curve, NULL), KL_OK);
    kl_path *sharp = make_path(curve, (kl_frame_settings){.kind = KL_FRAME_LEVEL}, NULL, arena);
    assert_int_equal(kl_path_rounded(sharp, corner, arena, &out), KL_OK);
    return out;
}

/* a ring through four points whose Frenet frame turns unevenly at every point, the seam too */
static const kl_path *ring(double corner, kl_arena *arena)
{
    static const kl_vec3 point[] = {{10, 0, 0}, {0, 10, 1}, {-10, 0, 0}, {0, -10, 1}};
    kl_control_points    in    = {.point = point, .n = 4, .kind = KL_CUBIC, .closed = true};
    kl_curve            *curve = NULL;
    const kl_path       *out   = NULL;
    assert_int_equal(kl_curve_through(&in, arena, NULL, &curve, NULL), KL_OK);
    kl_path *sharp = make_path(curve, (kl_frame_settings){.kind = KL_FRAME_FRENET}, NULL, arena);
    assert_int_equal(kl_path_rounded(sharp, corner, arena, &out), KL_OK);
    return out;
}

static void rates_are_derivatives_of_the_frame_in_every_corner(void **unused)
{
    (void)unused;
    kl_arena      *arena = kl_arena_create();
    const kl_path *path  = bend(8.0, 1.0, arena);
    for (int i = 1; i < 10; i++) {
        assert_path_rates(path, 19.5 + 0.1 * i, 1e-3, 1e-7);
        assert_path_rates(path, 34.5 + 0.1 * i, 1e-3, 1e-7);
    }
    kl_arena_destroy(arena);
}

/* Largest jump of r'' and kappa over all joints, ends of corners among them. */
static double largest_jump(const kl_path *path)
{
    double worst = 0.0;
    for (int i = 0; i < path->njoint; i++) {
        kl_path_cursor cursor = {0};
        kl_path_point  a, b;
        assert_int_equal(kl_path_eval_side(path, path->joint[i], -1, &cursor, &a), KL_OK);
        assert_int_equal(kl_path_eval_side(path, path->joint[i], 1, &cursor, &b), KL_OK);
        worst = fmax(worst, fmax(vec_error(a.dt, b.dt), vec_error(a.kappa, b.kappa)));
    }
    return worst;
}

static void nothing_but_third_derivatives_jumps(void **unused)
{
    (void)unused;
    kl_arena *arena = kl_arena_create();
    assert_true(largest_jump(bend(8.0, 0.0, arena)) > 0.1);
    assert_close(largest_jump(bend(8.0, 1.0, arena)), 0.0, 1e-10);
    assert_close(largest_jump(ring(0.2, arena)), 0.0, 1e-8);
    kl_arena_destroy(arena);
}

static void the_seam_of_a_closed_path_is_rounded_too(void **unused)
{
    (void)unused;
    kl_arena      *arena = kl_arena_create();
    const kl_path *sharp = ring(0.0, arena), *path = ring(0.2, arena);
    double         l      = path->length;
    kl_path_cursor cursor = {0};
    kl_path_point  a, b;
    assert_int_equal(kl_path_eval_side(sharp, l, -1, &cursor, &a), KL_OK);
    assert_int_equal(kl_path_eval_side(sharp, 0.0, 1, &cursor, &b), KL_OK);
    assert_true(vec_error(a.kappa, b.kappa) > 1e-3);
    assert_int_equal(kl_path_eval_side(path, l, -1, &cursor, &a), KL_OK);
    assert_int_equal(kl_path_eval_side(path, 0.0, 1, &cursor, &b), KL_OK);
    assert_close(vec_error(a.kappa, b.kappa), 0.0, 1e-12);
    for (int i = -4; i <= 4; i++) assert_path_rates(path, l + 0.02 * i, 1e-3, 1e-5);
    kl_arena_destroy(arena);
}

static void a_table_of_corners_reaches_its_error(void **unused)
{
    (void)unused;
    for (double radius = 5.0; radius < 101.0; radius *= 4.0) {
        kl_arena         *arena = kl_arena_create();
        const kl_path    *path  = bend(radius, 0.2, arena);
        kl_table_settings set   = {.method = KL_TABLE_QUINTIC, .error = {1e-8, 1e-8, 1e-8, 1e-8}};
        kl_path_table    *table = NULL;
        assert_int_equal(kl_path_table_in_memory(path, &set, arena, NULL, &table), KL_OK);
        assert_true(table->nrow < 10000);
        kl_arena_destroy(arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rates_are_derivatives_of_the_frame_in_every_corner),
        cmocka_unit_test(nothing_but_third_derivatives_jumps),
        cmocka_unit_test(the_seam_of_a_closed_path_is_rounded_too),
        cmocka_unit_test(a_table_of_corners_reaches_its_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
