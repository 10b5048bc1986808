#include "geometry/path_check.h"

#include "geometry/layout.h"
#include "geometry/spatial.h"
#include "unit/geometry/path_laws.h"

static kl_path_report look(const kl_path *path, kl_arena *arena)
{
    kl_path_report r;
    assert_int_equal(kl_path_check(path, 0, arena, &r), KL_OK);
    return r;
}

static kl_path *railway(double ramp, double grade_kink, kl_arena *arena)
{
    kl_plan_element plan[5] = {
        {.kind = KL_PLAN_STRAIGHT, .length = 100},
        {.kind = ramp > 0 ? KL_PLAN_TRANSITION : KL_PLAN_STRAIGHT, .length = ramp > 0 ? ramp : 10},
        {.kind = KL_PLAN_CURVE, .length = 90, .curvature = -1.0 / 190, .roll = 0.1},
        {.kind = ramp > 0 ? KL_PLAN_TRANSITION : KL_PLAN_STRAIGHT, .length = ramp > 0 ? ramp : 10},
        {.kind = KL_PLAN_STRAIGHT, .length = 100}};
    kl_grade_element grade[2] = {{.kind = KL_GRADE_CONSTANT, .length = 50, .slope = 0},
                                 {.kind = KL_GRADE_CONSTANT, .length = 20, .slope = grade_kink}};
    kl_piecewise    *law      = kl_arena_array(arena, kl_piecewise, 1);
    kl_layout        in       = {.plan = plan, .nplan = 5, .grade = grade, .ngrade = 2};
    kl_curve        *curve    = NULL;
    assert_int_equal(kl_layout_build(&in, arena, NULL, &curve, law), KL_OK);
    return make_path(curve, (kl_frame_settings){0}, law, arena);
}

static void extremes_are_those_of_the_layout(void **unused)
{
    (void)unused;
    kl_arena      *arena = kl_arena_create();
    kl_path_report r     = look(railway(40, 0, arena), arena);
    assert_close(r.length, 370, 1e-9);
    assert_close(r.radius.value, 190, 1e-6);
    assert_close(r.plan_radius.value, 190, 1e-6);
    assert_true(r.vertical_radius.value > 1e9);
    assert_close(r.roll.value, 0.1, 1e-12);
    assert_close(r.roll_rate.value, 0.1 / 40, 1e-12);
    assert_close(r.lateral_jerk.value, 1.0 / 190 / 40, 1e-4 / 190);
    assert_close(r.slope.value, 0.0, 1e-12);
    assert_int_equal(r.gap.count + r.kink.count + r.twist.count + r.curvature.count, 0);
    assert_int_equal(r.roll_rate_jump.count, 4); /* both ends of both ramps */
    kl_arena_destroy(arena);
}

static void jumps_are_found_where_they_are(void **unused)
{
    (void)unused;
    kl_arena      *arena = kl_arena_create();
    kl_path_report r     = look(railway(0, 0.01, arena), arena);
    assert_int_equal(r.curvature.count, 2);
    assert_close(r.curvature.largest, 1.0 / 190, 1e-5);
    assert_int_equal(r.kink.count, 1); /* grades that meet without a vertical curve */
    assert_close(r.kink.largest, atan(0.01), 1e-9);
    assert_close(r.kink.s, 50.0, 1e-9);
    assert_int_equal(r.twist.count, 2); /* cant without a ramp */
    assert_close(r.twist.largest, 0.1, 1e-3);
    assert_close(r.slope.value, atan(0.01), 1e-9);
    kl_arena_destroy(arena);
}

static kl_path *figure_of_eight(double height, kl_arena *arena)
{
    static kl_vec3 point[80];
    for (int i = 0; i < 80; i++) {
        double w = 2 * 3.14159265358979 * i / 80;
        point[i] = kl_vec(60 * sin(w), 30 * sin(2 * w), height * cos(w));
    }
    kl_control_points in    = {.point = point, .n = 80, .kind = KL_CUBIC, .closed = true};
    kl_curve         *curve = NULL;
    assert_int_equal(kl_curve_through(&in, arena, NULL, &curve, NULL), KL_OK);
    return make_path(curve, (kl_frame_settings){0}, NULL, arena);
}

static void a_crossing_on_the_level_is_found_and_a_bridge_is_none(void **unused)
{
    (void)unused;
    kl_arena  *arena = kl_arena_create();
    kl_meeting found[4];
    int        n;
    kl_path   *flat = figure_of_eight(0, arena), *bridge = figure_of_eight(3, arena);
    assert_int_equal(kl_path_crossings(flat, 0.1, 0, found, 4, &n), KL_OK);
    assert_int_equal(n, 1);
    assert_close(found[0].distance, 0.0, 0.05);
    assert_close(found[0].s[1] - found[0].s[0], 0.5 * flat->length, 0.5);
    assert_int_equal(kl_path_crossings(bridge, 4.0, 0, found, 4, &n), KL_OK);
    assert_int_equal(n, 0); /* 6 m of height between them */
    assert_int_equal(kl_path_crossings(bridge, 6.5, 0, found, 4, &n), KL_OK);
    assert_int_equal(n, 1);
    kl_arena_destroy(arena);
}

static void a_long_way_has_no_crossing_with_itself(void **unused)
{
    (void)unused;
    kl_arena          *arena   = kl_arena_create();
    kl_spatial_segment segment = {.length = 2000, .left = {0, 0.02}}; /* a spiral inwards */
    kl_spatial         in      = {.segment = &segment, .n = 1, .A = kl_identity()};
    kl_curve          *curve   = NULL;
    kl_meeting         found[4];
    int                n;
    assert_int_equal(kl_spatial_build(&in, arena, NULL, &curve, NULL), KL_OK);
    kl_path *path = make_path(curve, (kl_frame_settings){0}, NULL, arena);
    assert_int_equal(kl_path_crossings(path, 0.1, 0, found, 4, &n), KL_OK);
    assert_int_equal(n, 0);
    kl_arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(extremes_are_those_of_the_layout),
        cmocka_unit_test(jumps_are_found_where_they_are),
        cmocka_unit_test(a_crossing_on_the_level_is_found_and_a_bridge_is_none),
        cmocka_unit_test(a_long_way_has_no_crossing_with_itself),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
