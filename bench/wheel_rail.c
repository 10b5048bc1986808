/* Microseconds to find the contacts of one wheel, and with the forces there by each law, by the full search and by a table: S1002 on 60E1 1:40, a wheelset that hunts and
 * touches with its flanges. */
#include "bench.h"

#include "railway/creep_table.h"
#include "railway/profiles.h"
#include "railway/touch_search.h"
#include "railway/touch_table.h"
#include "railway/wheel_force.h"

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

/* The same with normal and creep forces at each contact, as a step needs them. */
static void measure_forces(const char *name, const kl_contact_search *search, const kl_wheel_pose *pose, const kl_wheel_law *law)
{
    double best = 1e9, sum = 0.0;
    for (int k = 0; k < ROUNDS; k++) {
        double start = bench_now();
        for (int i = 0; i < N; i++) {
            kl_touch touch[KL_TOUCH_MOST];
            int      n = kl_touches(search, &pose[i], 0.0, NULL, touch);
            kl_touch_shares(touch, n);
            for (int j = 0; j < n; j++) {
                kl_wheel_contact c;
                kl_wheel_force   f;
                kl_wheel_contact_of(law, &touch[j], kl_vec(1, 0, 0), &c);
                kl_wheel_force_at(law, &c, kl_vec(0.02, 0.03, 0), kl_vec(0, 40, 0.1), 20.0, &f);
                sum += f.N;
            }
        }
        double seconds = bench_now() - start;
        if (seconds < best) best = seconds;
    }
    printf("with forces    %-8s %6.2f us a wheel by %s, mean load %.0f kN\n", name, 1e6 * best / N, law->creep->name, 1e-3 * sum / ((double)N * ROUNDS));
}

static void measure_laws(const kl_contact_search *full, const kl_contact_search *table, const kl_wheel_pose *pose, kl_arena *arena)
{
    kl_hertz_table *hertz = kl_arena_array(arena, kl_hertz_table, 1);
    kl_wheel_law    law   = {.options = kl_creep_defaults(), .friction = {0.3, 1.0, 0.0}, .steel = kl_elastic_same(210e9, 0.28), .given = {NAN, NAN, NAN, NAN}, .damping = 1.0, .speed_floor = 0.01, .flattest = 0.1, .hertz = hertz};
    kl_hertz_table_fill(hertz);
    law.options.table = kl_creep_table_create(arena);
    for (int k = 0; kl_creep_laws[k].name; k++) {
        law.creep = &kl_creep_laws[k];
        measure_forces("full", full, pose, &law);
        measure_forces("table", table, pose, &law);
    }
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
    measure_laws(&full, &table, pose, arena);
    kl_arena_destroy(arena);
    return 0;
}
