/* The table finds the contacts of the full search, at their exact place. */
#include "railway/touch_table.h"

#include "unit/test.h"

#include "railway/profiles.h"
#include "railway/touch_search.h"

static double uniform(unsigned *seed, double most)
{
    *seed = *seed * 1664525u + 1013904223u;
    return most * (*seed / 2147483648.0 - 1.0);
}

static void table_and_full_search_agree(void **unused)
{
    (void)unused;
    kl_arena            *arena = kl_arena_create();
    kl_outline           wheel, rail, placed;
    kl_contact_search    full, table;
    kl_touch_table_error error;
    kl_rail_setting      setting = KL_RAIL_SETTING;
    assert_int_equal(kl_wheel_s1002(arena, &wheel), KL_OK);
    assert_int_equal(kl_rail_from_head(&kl_rail_60e1, arena, &rail), KL_OK);
    assert_int_equal(kl_rail_placed(&rail, &setting, arena, &placed, NULL), KL_OK);
    assert_int_equal(kl_touch_search_create(&wheel, 0.46, &placed, 0.0, arena, &full), KL_OK);
    assert_int_equal(kl_touch_table_create(&full, 0.75, arena, &table), KL_OK);
    kl_touch_table_check(&full, &table, 0.75, &error);
    assert_true(error.distance < 0.5e-6);
    assert_int_equal(error.positions, 1000);
    assert_int_equal(error.missed, 0);
    assert_true(error.depth < 1e-12);
    /* positions of its own: also outside the range, in the air and deep */
    unsigned seed = 99;
    for (int k = 0; k < 2000; k++) {
        double        yaw = uniform(&seed, 0.03), roll = uniform(&seed, 0.005);
        kl_wheel_pose pose = {
            .center = {0, 0.75 + uniform(&seed, 7e-3) - 0.46 * roll, 0.46 + uniform(&seed, 0.5e-3)},
            .axle   = {sin(yaw), cos(yaw) * cos(roll), cos(yaw) * sin(roll)}};
        kl_touch a[KL_TOUCH_MOST], b[KL_TOUCH_MOST];
        int n = kl_touches(&full, &pose, 0.0, NULL, a), m = kl_touches(&table, &pose, 0.0, NULL, b);
        assert_int_equal(n, m);
        for (int i = 0; i < n; i++) {
            assert_close(a[i].depth, b[i].depth, 1e-12);
            assert_close(a[i].wheel_u, b[i].wheel_u, 1e-8);
        }
    }
    /* a shallow contact beside a deep one, where the wheel is hollow */
    double        x = 0.0094009727910161021, z = 3.8611374329775571e-05;
    kl_wheel_pose hollow = {.center = {0, 0.75579563315040432, 0.46034041417996596},
                            .axle   = {x, sqrt(1.0 - x * x - z * z), z}};
    kl_touch      touch[KL_TOUCH_MOST];
    assert_int_equal(kl_touches(&full, &hollow, 0.0, NULL, touch), 2);
    assert_int_equal(kl_touches(&table, &hollow, 0.0, NULL, touch), 2);
    kl_arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(table_and_full_search_agree)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
