/* Contact search: flange lead, bent rails, and the contacts of the Manchester contact benchmark. */
#include "railway/touch_search.h"

#include "unit/test.h"

#include <stdio.h>

#include "railway/profiles.h"
#include "unit/railway/wheel_rail_reference.h"

typedef struct pair {
    kl_arena         *arena;
    kl_outline        wheel, rail, placed;
    double            shift[2];
    kl_contact_search search;
} pair;

static void pair_finish(pair *p, double inclination)
{
    kl_rail_setting setting = KL_RAIL_SETTING;
    setting.inclination     = inclination;
    assert_int_equal(kl_rail_placed(&p->rail, &setting, p->arena, &p->placed, p->shift), KL_OK);
    assert_int_equal(
        kl_touch_search_create(&p->wheel, 0.46, &p->placed, p->shift[0], p->arena, &p->search),
        KL_OK);
}

static void pair_make(pair *p, const kl_rail_head *head, double inclination)
{
    p->arena = kl_arena_create();
    assert_int_equal(kl_wheel_s1002(p->arena, &p->wheel), KL_OK);
    assert_int_equal(kl_rail_from_head(head, p->arena, &p->rail), KL_OK);
    pair_finish(p, inclination);
}

/* A wheelset with back-to-back 1360 mm, y to the right, z down, turned by yaw about z, then by
 * roll about the track's x; side +1 right, -1 left. Result in side axes. */
static kl_wheel_pose pose_of(int side, double y, double z, double yaw, double roll)
{
    kl_vec3 a = {-sin(yaw), cos(yaw) * cos(roll), cos(yaw) * sin(roll)};
    kl_vec3 c = kl_axpy(side * 0.75, a, kl_vec(0.0, y, z - 0.46));
    return (kl_wheel_pose){.center = {c.x, side * c.y, -c.z},
                           .axle   = {side * a.x, a.y, -side * a.z}};
}

/* Positions and approaches by CONTACT on a grid of 0.2 mm. Given are the approach to 1e-5 mm, the
 * height to 5e-5 mm and roll to 5e-7 rad, which is 4e-4 mm at the wheel; closing a joint
 * of S1002 moved it by 1e-4 mm. */
static void manchester_contacts_are_as_deep_as_contact_finds_them(void **unused)
{
    (void)unused;
    pair p;
    pair_make(&p, &kl_rail_uic60, 1.0 / 40.0);
    reference t = reference_read("wheel-rail/manchester_contact_A22.csv");
    assert_int_equal(t.nrow, 18);
    for (int i = 0; i < t.nrow; i++) {
        const double *row  = t.value + i * t.ncolumn;
        int           side = strcmp(t.first[i], "right") == 0 ? 1 : -1;
        kl_wheel_pose pose = pose_of(side, 1e-3 * row[2], 1e-3 * row[5], row[3], row[4]);
        kl_touch      touch[KL_TOUCH_MOST];
        int           n = kl_touches(&p.search, &pose, 0.0, NULL, touch), deepest = 0;
        assert_true(n > 0);
        for (int k = 1; k < n; k++)
            if (touch[k].depth > touch[deepest].depth) deepest = k;
        double tilt = 4e-7 * (fabs(row[4]) > 1e-3);
        assert_close(touch[deepest].depth, 1e-3 * row[23], 3e-7 + tilt);
    }
    reference_free(&t);
    kl_arena_destroy(p.arena);
}

static void a_conical_flange_leads_by_the_formula(void **unused)
{
    (void)unused;
    /* a wheel that is all flange, 60 degrees, on a round rail */
    pair p = {.arena = kl_arena_create()};
    kl_outline_begin(&p.wheel, p.arena);
    double gamma = KL_PI / 3;
    kl_outline_line(&p.wheel, -0.01, -0.01 * tan(gamma), 0.01, 0.01 * tan(gamma));
    assert_int_equal(kl_outline_end(&p.wheel), KL_OK);
    assert_int_equal(kl_rail_arc(0.1, 0.19, p.arena, &p.rail), KL_OK);
    p.placed = p.rail;
    assert_int_equal(kl_touch_search_create(&p.wheel, 0.5, &p.placed, 0.0, p.arena, &p.search),
                     KL_OK);
    for (double psi = -0.06; psi < 0.061; psi += 0.02) {
        /* centre such that the middle of the flange touches where the rail is as steep */
        kl_wheel_pose pose = {.center = {0, -0.1 * sin(gamma), 0.5 - 0.1 + 0.1 * cos(gamma)},
                              .axle   = {sin(psi), cos(psi), 0}};
        kl_touch      touch[KL_TOUCH_MOST];
        assert_int_equal(kl_touches(&p.search, &pose, 0.02, NULL, touch), 1);
        double lead =
            (touch[0].wheel.x - touch[0].wheel_u * sin(psi)) / (touch[0].radius * cos(psi));
        assert_close(lead, -tan(gamma) * tan(psi), 1e-12);
        assert_close(fabs(touch[0].normal.y / touch[0].normal.z), tan(gamma), 0.05);
    }
    kl_arena_destroy(p.arena);
}

/* In a curve the rail bends away from or towards the wheel; at a flange contact ahead of the axle by x
 * the bend moves it by x^2/2R. */
static void a_bent_rail_is_met_where_it_is(void **unused)
{
    (void)unused;
    pair p;
    pair_make(&p, &kl_rail_60e1, 1.0 / 40.0);
    kl_wheel_pose pose = pose_of(1, 7e-3, -4.5809e-3, 0.0168, -0.006393);
    pose.center.x      = 0.0;
    kl_touch straight[KL_TOUCH_MOST], bent[KL_TOUCH_MOST];
    assert_int_equal(kl_touches(&p.search, &pose, 1e-3, NULL, straight), 1);
    double R    = 150.0;
    pose.bend_y = 1.0 / R; /* towards the field side */
    assert_int_equal(kl_touches(&p.search, &pose, 1e-3, NULL, bent), 1);
    double x = straight[0].wheel.x;
    assert_true(fabs(x) > 0.01);
    assert_close(bent[0].depth - straight[0].depth, straight[0].normal.y * x * x / (2.0 * R),
                 1e-2 * x * x / (2.0 * R));
    /* the points still lie on the common normal */
    kl_vec3 d = kl_sub(bent[0].rail, bent[0].wheel);
    assert_close(kl_norm(kl_cross(d, bent[0].normal)), 0.0, 1e-8);
    /* a rail that sags under a wheel without yaw hugs it */
    pose        = pose_of(1, 0.0, 2e-4, 0.0, 0.0);
    int n       = kl_touches(&p.search, &pose, 1e-4, NULL, straight);
    pose.bend_z = 0.1;
    assert_int_equal(kl_touches(&p.search, &pose, 1e-4, NULL, bent), n);
    for (int k = 0; k < n; k++)
        assert_close(bent[k].Ax - straight[k].Ax, -0.5 * 0.1 * straight[k].normal.z, 1e-12);
    kl_arena_destroy(p.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(manchester_contacts_are_as_deep_as_contact_finds_them),
        cmocka_unit_test(a_conical_flange_leads_by_the_formula),
        cmocka_unit_test(a_bent_rail_is_met_where_it_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
