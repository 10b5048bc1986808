/* Patches of Kik and Piotrowski beside Hertz and beside CONTACT's patches of the Manchester benchmark. */
#include "railway/kik_piotrowski.h"

#include "unit/test.h"

#include <stdio.h>

#include "railway/hertz.h"
#include "railway/profiles.h"
#include "railway/touch_search.h"
#include "unit/railway/wheel_rail_reference.h"

/* A cylinder of 460 mm on a rail head of 460 mm: a circular contact. Overlap replaces a by
 * sqrt(2 0.55) of Hertz's, and N = (4/3) E* depth a. */
static void a_circular_contact_is_1_049_times_hertz(void **unused)
{
    (void)unused;
    kl_arena         *arena = kl_arena_create();
    kl_outline        wheel, rail;
    kl_contact_search search;
    assert_int_equal(kl_wheel_cone(0.0, 0.1, arena, &wheel), KL_OK);
    assert_int_equal(kl_rail_arc(0.46, 0.07, arena, &rail), KL_OK);
    assert_int_equal(kl_touch_search_create(&wheel, 0.46, &rail, 0.0, arena, &search), KL_OK);
    kl_wheel_pose    pose = {.center = {0, 0, 0.46 - 60e-6}, .axle = {0, 1, 0}};
    kl_touch         touch[KL_TOUCH_MOST];
    kl_overlap_patch patch;
    assert_int_equal(kl_touches(&search, &pose, 0.0, NULL, touch), 1);
    double   E = 1.139e11;
    kl_hertz h = kl_hertz_of(touch[0].Ax, touch[0].By, E);
    assert_true(kl_kik_piotrowski(&search, &pose, &touch[0], E, &patch));
    assert_close(patch.N / (h.stiffness * pow(60e-6, 1.5)), sqrt(1.1), 0.01);
    assert_close(patch.outer, sqrt(0.55 * 60e-6 * 2 * 0.46), 1e-5);
    assert_close(patch.outer + patch.inner, 0.0, 1e-6);
    assert_close(patch.center, 0.0, 1e-6);
    assert_close(patch.area, KL_PI * patch.outer * patch.outer, 0.01 * patch.area);
    kl_arena_destroy(arena);
}

/* CONTACT's contact point is the centre of the overlap, and its forces are those of the half-space:
 * the method is known to differ from them by up to some 20 %. */
static void manchester_patches_lie_beside_those_of_contact(void **unused)
{
    (void)unused;
    kl_arena         *arena = kl_arena_create();
    kl_outline        wheel, rail, placed;
    kl_contact_search search;
    kl_rail_setting   setting = KL_RAIL_SETTING;
    double            shift[2];
    assert_int_equal(kl_wheel_s1002(arena, &wheel), KL_OK);
    assert_int_equal(kl_rail_from_head(&kl_rail_uic60, arena, &rail), KL_OK);
    assert_int_equal(kl_rail_placed(&rail, &setting, arena, &placed, shift), KL_OK);
    assert_int_equal(kl_touch_search_create(&wheel, 0.46, &placed, shift[0], arena, &search),
                     KL_OK);
    reference t = reference_read("wheel-rail/manchester_contact_A22.csv");
    double    E = 82e9 * 2 * 1.28 / (2 * (1 - 0.28 * 0.28));
    for (int i = 0; i < t.nrow; i++) {
        const double *row  = t.value + i * t.ncolumn;
        int           side = strcmp(t.first[i], "right") == 0 ? 1 : -1;
        double        yaw = row[3], roll = row[4];
        kl_vec3       a = {-sin(yaw), cos(yaw) * cos(roll), cos(yaw) * sin(roll)};
        kl_vec3       c = kl_axpy(side * 0.75, a, kl_vec(0.0, 1e-3 * row[2], 1e-3 * row[5] - 0.46));
        kl_wheel_pose pose = {.center = {c.x, side * c.y, -c.z},
                              .axle   = {side * a.x, a.y, -side * a.z}};
        kl_touch      touch[KL_TOUCH_MOST];
        int           n = kl_touches(&search, &pose, 0.0, NULL, touch), deepest = 0;
        for (int k = 1; k < n; k++)
            if (touch[k].depth > touch[deepest].depth) deepest = k;
        kl_overlap_patch patch;
        assert_true(kl_kik_piotrowski(&search, &pose, &touch[deepest], E, &patch));
        double share = patch.N / reference_at(&t, i, "FN_N");
        double peak  = 1e-6 * patch.p0 / reference_at(&t, i, "pmax_MPa");
        /* case 11 on the right has a second, small contact; steep flanges have sharp patches */
        assert_true(share > 0.85 && share < 1.1);
        assert_true(peak > 0.7 && peak < 1.0);
        assert_close(kl_overlap_center(&search, &pose, touch, n),
                     1e-3 * side * reference_at(&t, i, "ycp_wheel_mm"), 0.1e-3);
    }
    reference_free(&t);
    kl_arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_circular_contact_is_1_049_times_hertz),
        cmocka_unit_test(manchester_patches_lie_beside_those_of_contact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
