/* The contact search against brute force: the whole wheel is cut into rings, each ring is turned to
 * its deepest point, and local maxima over the rings are contacts. 150 random positions; with KL_SLOW
 * set 10 000. */
#include "railway/touch_search.h"

#include "unit/test.h"

#include <stdio.h>
#include <stdlib.h>

#include "railway/distance_grid.h"
#include "railway/profiles.h"

static const double R0 = 0.46, SHALLOW = 1e-6;

typedef struct bench {
    const kl_outline    *wheel, *rail;
    const kl_wheel_pose *pose;
    kl_vec3              b1, b2;
    kl_outline_place     foot;
} bench;

static double uniform(unsigned *seed, double low, double high)
{
    *seed = *seed * 1664525u + 1013904223u;
    return low + (high - low) * (*seed / 4294967296.0);
}

static bench bench_of(const kl_outline *wheel, const kl_outline *rail, const kl_wheel_pose *pose)
{
    kl_vec3 a = pose->axle, down = kl_unit(kl_cross(a, kl_vec(1, 0, 0)));
    if (down.z > 0.0) down = kl_neg(down);
    kl_vec3 forward = kl_unit(kl_sub(kl_vec(1, 0, 0), kl_scale(a.x, a)));
    return (bench){wheel, rail, pose, forward, down, {rail->n / 2, 0.5}};
}

/* Penetration of the ring at arc length s of the wheel, turned by theta. */
static double depth(bench *b, kl_outline_point ring, double theta)
{
    double  r = R0 - ring.z, ny, nz;
    kl_vec3 p = kl_axpy(ring.y, b->pose->axle, b->pose->center);
    p         = kl_axpy(r * sin(theta), b->b1, kl_axpy(r * cos(theta), b->b2, p));
    b->foot   = kl_outline_foot(b->rail, p.y, p.z, b->foot);
    return kl_outline_depth(b->rail, b->foot, p.y, p.z, &ny, &nz);
}

/* Deepest point of a ring: a scan, then golden section. */
static double ring_depth(bench *b, double s)
{
    enum { SCAN = 12 };
    const double     step = 0.25 / SCAN, gold = 0.6180339887498949;
    kl_outline_point ring = kl_outline_at(b->wheel, kl_outline_find(b->wheel, s));
    double           best = -INFINITY, at = 0.0;
    kl_vec3 low = kl_axpy(R0 - ring.z, b->b2, kl_axpy(ring.y, b->pose->axle, b->pose->center));
    b->foot     = kl_outline_nearest(b->rail, low.y, low.z);
    kl_outline_place home = b->foot;
    for (int k = -SCAN; k <= SCAN; k++) {
        b->foot  = home;
        double d = depth(b, ring, k * step);
        if (d > best) best = d, at = k * step;
    }
    if (best < -1e-3) return best;
    double x0 = at - step, x3 = at + step, x1 = x3 - gold * (x3 - x0), x2 = x0 + gold * (x3 - x0);
    double d1 = depth(b, ring, x1), d2 = depth(b, ring, x2);
    for (int k = 0; k < 32; k++) {
        if (d1 > d2) x3 = x2, x2 = x1, d2 = d1, x1 = x3 - gold * (x3 - x0), d1 = depth(b, ring, x1);
        else x0 = x1, x1 = x2, d1 = d2, x2 = x0 + gold * (x3 - x0), d2 = depth(b, ring, x2);
    }
    return fmax(d1, d2);
}

typedef struct maximum {
    double u, d;
} maximum;

/* Local maxima of the rings' depths for s in [from, to]. */
static int maxima(bench *b, double from, double to, double step, maximum *out)
{
    int    n  = 0;
    double d0 = -INFINITY, d1 = -INFINITY;
    for (double s = from; s <= to; s += step) {
        double d2 = ring_depth(b, s);
        if (d1 > SHALLOW && d1 >= d0 && d1 > d2 && n < 16)
            out[n++] =
                (maximum){kl_outline_at(b->wheel, kl_outline_find(b->wheel, s - step)).y, d1};
        /* far away: no ring within half the distance can touch */
        if (d2 < -2e-3) s += step * floor(-0.4 * d2 / step), d1 = -INFINITY;
        d0 = d1, d1 = d2;
    }
    return n;
}

static bool has(const maximum *list, int n, double u, double d)
{
    for (int k = 0; k < n; k++)
        if (fabs(list[k].u - u) < 0.11e-3 && fabs(list[k].d - d) < 0.3e-6) return true;
    return false;
}

/* Two maxima that lie closer than the rings show only when looked at closely. */
static bool has_close(bench *b, double u, double d)
{
    maximum list[16];
    double  s = 0.0;
    while (s < kl_outline_length(b->wheel) &&
           fabs(kl_outline_at(b->wheel, kl_outline_find(b->wheel, s)).y - u) > 2e-5)
        s += 1e-5;
    int n = maxima(b, s - 0.1e-3, s + 0.1e-3, 1e-6, list);
    return has(list, n, u, d);
}

static void compare(const kl_contact_search *search, bench *b, int number)
{
    maximum  list[16], seen[KL_TOUCH_MOST];
    kl_touch touch[KL_TOUCH_MOST];
    int      n = maxima(b, 0.0, kl_outline_length(b->wheel), 0.05e-3, list);
    int      m = kl_touches(search, b->pose, 0.0, NULL, touch);
    for (int k = 0; k < m; k++) seen[k] = (maximum){touch[k].wheel_u, touch[k].depth};
    for (int k = 0; k < n; k++)
        if (!has(seen, m, list[k].u, list[k].d))
            fail_msg("position %d: contact at u = %.3f mm, %.3f um deep, was missed", number,
                     1e3 * list[k].u, 1e6 * list[k].d);
    for (int k = 0; k < m; k++)
        if (seen[k].d > SHALLOW && !has(list, n, seen[k].u, seen[k].d) &&
            !has_close(b, seen[k].u, seen[k].d))
            fail_msg("position %d: contact at u = %.3f mm, %.3f um deep, is not there", number,
                     1e3 * seen[k].u, 1e6 * seen[k].d);
}

/* Random shift, yaw and roll; height such that the deepest contact is up to 0.2 mm deep. */
static kl_wheel_pose random_pose(const kl_contact_search *search, unsigned *seed)
{
    double        yaw = uniform(seed, -0.03, 0.03), roll = uniform(seed, -0.02, 0.02);
    kl_wheel_pose pose = {.center = {0, 0.75 + uniform(seed, -9e-3, 9e-3), 0.46},
                          .axle   = {sin(yaw), cos(yaw) * cos(roll), cos(yaw) * sin(roll)}};
    double        want = uniform(seed, 0.0, 0.2e-3);
    for (int k = 0; k < 30; k++) {
        kl_touch touch[KL_TOUCH_MOST], *deepest = touch;
        int      n = kl_touches(search, &pose, 0.05, NULL, touch);
        for (int i = 1; i < n; i++)
            if (touch[i].depth > deepest->depth) deepest = &touch[i];
        if (n > 0) pose.center.z += (deepest->depth - want) / fmax(deepest->normal.z, 0.2);
    }
    return pose;
}

static void no_contact_is_missed_and_none_invented(void **unused)
{
    (void)unused;
    kl_arena         *arena = kl_arena_create();
    kl_outline        wheel, rail, placed;
    double            shift[2];
    kl_contact_search search;
    kl_rail_setting   setting = KL_RAIL_SETTING;
    assert_int_equal(kl_wheel_s1002(arena, &wheel), KL_OK);
    assert_int_equal(kl_rail_from_head(&kl_rail_60e1, arena, &rail), KL_OK);
    assert_int_equal(kl_rail_placed(&rail, &setting, arena, &placed, shift), KL_OK);
    assert_int_equal(kl_touch_search_create(&wheel, R0, &placed, shift[0], arena, &search), KL_OK);
    unsigned seed      = 7;
    int      positions = getenv("KL_SLOW") ? 10000 : 150;
    for (int i = 0; i < positions; i++) {
        kl_wheel_pose pose = random_pose(&search, &seed);
        bench         b    = bench_of(&wheel, &placed, &pose);
        compare(&search, &b, i);
    }
    kl_arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(no_contact_is_missed_and_none_invented)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
