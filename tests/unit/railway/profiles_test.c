/* Built-in profiles against the point lists and joints of the reference folder. */
#include "railway/profiles.h"

#include "unit/test.h"

#include "base/vec.h"
#include "unit/railway/wheel_rail_reference.h"

/* Distance of a reference point from the outline [m]. */
static double off(const kl_outline *o, double y_mm, double z_mm)
{
    kl_outline_rates r = kl_outline_rates_at(o, kl_outline_nearest(o, 1e-3 * y_mm, 1e-3 * z_mm));
    return hypot(r.y - 1e-3 * y_mm, r.z - 1e-3 * z_mm);
}

static void s1002_goes_through_its_points_with_their_curvature(void **unused)
{
    (void)unused;
    kl_arena  *arena = kl_arena_create();
    kl_outline wheel;
    assert_int_equal(kl_wheel_s1002(arena, &wheel), KL_OK);
    reference t = reference_read("wheel-rail/wheel_S1002.csv");
    for (int i = 1; i < t.nrow; i++) { /* the first point is a joint with the flange's back */
        double y = reference_at(&t, i, "y_mm"), z = reference_at(&t, i, "z_mm");
        assert_close(off(&wheel, y, -z), 0.0, 2e-7);
        kl_outline_point p = kl_outline_at(&wheel, kl_outline_nearest(&wheel, 1e-3 * y, -1e-3 * z));
        bool             joint = i > 0 && i + 1 < t.nrow &&
                     fabs(reference_at(&t, i + 1, "curvature_1_per_mm") -
                          reference_at(&t, i - 1, "curvature_1_per_mm")) > 1e-3;
        if (!joint)
            assert_close(p.curvature, -1e3 * reference_at(&t, i, "curvature_1_per_mm"), 0.1);
    }
    reference_free(&t);
    kl_arena_destroy(arena);
}

static void outlines_have_no_gap_and_no_kink(const kl_outline *o)
{
    for (int i = 1; i < o->n; i++) {
        kl_outline_point a = kl_outline_at(o, (kl_outline_place){i - 1, 1.0});
        kl_outline_point b = kl_outline_at(o, (kl_outline_place){i, 0.0});
        assert_close(hypot(a.y - b.y, a.z - b.z), 0.0, 1e-10);
        assert_close(a.ty * b.tz - a.tz * b.ty, 0.0, 1e-7);
    }
}

static void check_rail(const kl_rail_head *head, double inclination, const char *file)
{
    kl_arena  *arena = kl_arena_create();
    kl_outline rail, placed;
    assert_int_equal(kl_rail_from_head(head, arena, &rail), KL_OK);
    outlines_have_no_gap_and_no_kink(&rail);
    kl_rail_setting setting = KL_RAIL_SETTING;
    setting.inclination     = inclination;
    assert_int_equal(kl_rail_placed(&rail, &setting, arena, &placed, NULL), KL_OK);
    reference t = reference_read(file);
    /* the list was placed by its points every 0.25 mm: 0.6 um from the gauge point on the 13 mm arc */
    for (int i = 1; i + 1 < t.nrow; i++)
        assert_close(off(&placed, reference_at(&t, i, "y_mm"), reference_at(&t, i, "z_mm")), 0.0,
                     0.7e-6);
    reference_free(&t);
    kl_arena_destroy(arena);
}

static void rails_lie_in_the_track_where_their_points_do(void **unused)
{
    (void)unused;
    check_rail(&kl_rail_60e1, 1.0 / 40.0, "wheel-rail/rail_60E1_right_1in40_gauge1435.csv");
    check_rail(&kl_rail_60e1, 1.0 / 20.0, "wheel-rail/rail_60E1_right_1in20_gauge1435.csv");
    check_rail(&kl_rail_uic60, 1.0 / 40.0,
               "wheel-rail/rail_UIC60_mbench_right_1in40_gauge1435.csv");
}

static void s1002_has_no_gap_and_no_kink(void **unused)
{
    (void)unused;
    kl_arena  *arena = kl_arena_create();
    kl_outline wheel;
    assert_int_equal(kl_wheel_s1002(arena, &wheel), KL_OK);
    outlines_have_no_gap_and_no_kink(&wheel);
    kl_arena_destroy(arena);
}

static void arcs_and_cones_have_the_curvature_asked_for(void **unused)
{
    (void)unused;
    kl_arena  *arena = kl_arena_create();
    kl_outline o;
    assert_int_equal(kl_wheel_arc(0.5, 0.1, arena, &o), KL_OK);
    assert_close(kl_outline_at(&o, kl_outline_nearest(&o, 0.02, 0.0)).curvature, -2.0, 1e-6);
    assert_close(kl_outline_rates_at(&o, kl_outline_extreme(&o, 1)).y, 0.0, 1e-9);
    assert_int_equal(kl_wheel_arc(-0.5, 0.1, arena, &o), KL_OK);
    assert_close(kl_outline_at(&o, kl_outline_nearest(&o, 0.02, 0.0)).curvature, 2.0, 1e-6);
    assert_int_equal(kl_rail_arc(0.3, 0.07, arena, &o), KL_OK);
    assert_close(kl_outline_at(&o, kl_outline_nearest(&o, 0.02, 0.0)).curvature, -1.0 / 0.3, 1e-6);
    assert_int_equal(kl_wheel_cone(0.05, 0.1, arena, &o), KL_OK);
    kl_outline_point p = kl_outline_at(&o, kl_outline_nearest(&o, 0.02, 0.0));
    assert_close(p.tz / p.ty, 0.05, 1e-12);
    kl_arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(s1002_goes_through_its_points_with_their_curvature),
        cmocka_unit_test(s1002_has_no_gap_and_no_kink),
        cmocka_unit_test(rails_lie_in_the_track_where_their_points_do),
        cmocka_unit_test(arcs_and_cones_have_the_curvature_asked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
