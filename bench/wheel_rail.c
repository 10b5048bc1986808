/* Microseconds to find the contacts of one wheel, by the full search and by a table: S1002 on 60E1 1:40, a wheelset that hunts and
 * touches with its flanges. */
#include "bench.h"

#include "railway/profiles.h"
#include "railway/touch_search.h"
#include "railway/touch_table.h"

enum { N = 2000, ROUNDS = 50 };

/* Lifts the wheel until its deepest contact is 60 um deep, as under 80 kN. */
static void settle(const kl_contact_search *search, kl_wheel_pose *pose)
{
    for (int k = 0; k < 30; k++) {
        kl_touch touch[KL_TOUCH_MOST], *deepest = touch;
        int      n = kl_touches(search, pose, 1e-3, NULL, touch);
        for (int i = 1; i < n; i++)
            if (touch[i].depth > deepest->depth) deepest = &touch[i];
        if (n > 0) pose->center.z += (deepest->depth - 60e-6) / deepest->normal.z;
    }
}

static void measure(const char *name, const kl_contact_search *search, const kl_wheel_pose *pose)
{
    long   found = 0;
    double best  = 1e9;
    for (int k = 0; k < ROUNDS; k++) {
        double start = bench_now();
        for (int i = 0; i < N; i++) {
            kl_touch touch[KL_TOUCH_MOST];
            found += kl_touches(search, &pose[i], 0.0, NULL, touch);
        }
        double seconds = bench_now() - start;
        if (seconds < best) best = seconds;
    }
    printf("contact search %-8s %6.2f us a wheel, %.2f contacts a wheel\n", name, 1e6 * best / N, (double)found / (N * ROUNDS));
}

int main(void)
{
    kl_arena            *arena = kl_arena_create();
    kl_outline           wheel, rail, placed;
    double               shift[2];
    kl_contact_search    full, table;
    kl_touch_table_error error;
    kl_rail_setting      setting = KL_RAIL_SETTING;
    if (kl_wheel_s1002(arena, &wheel) || kl_rail_from_head(&kl_rail_60e1, arena, &rail) || kl_rail_placed(&rail, &setting, arena, &placed, shift) ||
        kl_touch_search_create(&wheel, 0.46, &placed, shift[0], arena, &full))
        return 1;
    static kl_wheel_pose pose[N];
    for (int i = 0; i < N; i++) {
        double s = 2.0 * KL_PI * i / N, y = 6e-3 * sin(s), yaw = 5e-3 * cos(s);
        pose[i] = (kl_wheel_pose){.center = {0, 0.75 + y, 0.46 - 0.25e-3}, .axle = {sin(yaw), cos(yaw), 0}};
        settle(&full, &pose[i]);
    }
    measure("full", &full, pose);
    double start = bench_now();
    if (kl_touch_table_create(&full, 0.75, arena, &table)) return 1;
    printf("table made in %.0f ms: ", 1e3 * (bench_now() - start));
    kl_touch_table_check(&full, &table, 0.75, &error);
    printf("%d contacts of %d positions missed, share of the force %.2g\n", error.missed, error.positions, error.lost);
    measure("table", &table, pose);
    kl_arena_destroy(arena);
    return 0;
}
