/* Microseconds to find the contact points of a pair of shapes, with a warm start as in a step, and the share of a step that idle pairs of a group take. */
#include "bench.h"

#include <math.h>
#include <string.h>

#include "base/rotation.h"
#include "contact/pair.h"

enum { PLACES = 200, ROUNDS = 20 };

static double at_random(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / 16777216.0;
}

static kl_solid solid_of(kl_solid_kind kind)
{
    kl_solid s = {.kind = kind, .radius = 0.4, .tube = 0.1, .half = 0.5, .size = {0.3, 0.4, 0.5}, .side = 1.0, .z = {-0.6, 0.6}};
    if (kind == KL_SOLID_REVOLVED_ARC) s.arc = (kl_arc2){{0.15, 0.0}, 0.3, {-0.7, 0.7}};
    if (kind == KL_SOLID_EXTRUDED_ARC) s.arc = (kl_arc2){{-1.0, 0.0}, 1.1, {-0.4, 0.4}};
    return s;
}

/* A bump as a general surface. */
static void bump(const void *unused, double u, double v, kl_surface_point *p)
{
    (void)unused;
    double e = 0.3 * exp(-2.0 * (u * u + v * v));
    memset(p, 0, sizeof *p);
    p->r  = kl_vec(u, v, e);
    p->ru = kl_vec(1, 0, -4 * u * e), p->rv = kl_vec(0, 1, -4 * v * e);
    p->ruu = kl_vec(0, 0, (16 * u * u - 4) * e), p->ruv = kl_vec(0, 0, 16 * u * v * e);
    p->rvv = kl_vec(0, 0, (16 * v * v - 4) * e);
}

/* A wheel over a rail: the middle of the revolved arc over the middle of what it rolls on, a little turned. */
static void seat(const kl_pair_row *row, unsigned *seed, kl_pair *p)
{
    double  tilt = 0.05, x = 0.2 * (at_random(seed) - 0.5);
    kl_vec3 turn = kl_vec(tilt * (at_random(seed) - 0.5), tilt * (at_random(seed) - 0.5), tilt * (at_random(seed) - 0.5));
    p->B         = (kl_pose){{-1.0, 0.3 * x, x}, kl_rotation_exp(turn)};
    if (row->b == KL_SOLID_CYLINDER) p->B.A = kl_rotation_exp(kl_vec(0.5 * KL_PI + turn.x, turn.y, turn.z));
}

static void place_at_random(unsigned *seed, kl_pair *p)
{
    kl_vec3 turn = kl_vec(3 * at_random(seed), 3 * at_random(seed), 3 * at_random(seed));
    p->B.A       = kl_rotation_exp(turn);
    p->B.r       = kl_vec(2.0 * (at_random(seed) - 0.5), 2.0 * (at_random(seed) - 0.5), 3.0);
    if (p->b->kind == KL_SOLID_PLANE) p->B.r = kl_scale(-3.0, kl_axis(&p->B.A, 2));
}

/* Brings the second shape near the first, then moves it a little from query to query, as in a run. */
static void measure(const kl_pair_row *row, kl_solid a, kl_solid b, bool seated)
{
    unsigned seed = 7;
    double   warm = 0.0;
    long     n    = 0;
    for (int i = 0; i < PLACES; i++) {
        kl_pair  p = {&a, &b, {{0, 0, 0}, kl_identity()}, {{0, 0, 0}, kl_identity()}};
        kl_spots now, next;
        if (seated) seat(row, &seed, &p);
        else place_at_random(&seed, &p);
        for (int k = 0; k < 3; k++) {
            kl_pair_find(&p, NULL, &now);
            const kl_spot *t = kl_spots_nearest(&now);
            if (t) p.B.r = kl_axpy(-1e-3 - t->gap, t->n, p.B.r);
        }
        kl_pair_find(&p, NULL, &now);
        double start = bench_now();
        for (int k = 0; k < ROUNDS; k++) {
            p.B.r.x += 1e-5;
            kl_pair_find(&p, &now, &next);
            now = next;
        }
        warm += bench_now() - start, n += ROUNDS;
    }
    printf("%-13s %-13s %-7s %7.2f us%s\n", kl_solid_types[row->a].name, kl_solid_types[row->b].name, row->way, 1e6 * warm / (double)n, seated ? ", wheel over rail" : "");
}

static double step_of(const char *contacts)
{
    static char text[40000];
    size_t      n = 0;
    n += (size_t)snprintf(text + n, sizeof text - n, "klingel: 1\ngravity: 0\nbodies:\n");
    for (int i = 0; i < 50; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "  ball%d: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [%d, %d, %d], velocity: [0, 0, %g], omega: [1, %d, 0.3]}\n", i, i % 5, i / 5 % 5,
                              i / 25, 0.05 * (1 + i % 2), i % 7);
    n += (size_t)snprintf(text + n, sizeof text - n, "forces:\n");
    for (int i = 0; i < 50; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "  s%d: {type: spring-damper, between: [ground, ball%d], at: [[%d, %d, %d], [%d, %d, %d]], stiffness: 100, length: 2}\n", i, i, i % 5, i / 5 % 5,
                              i / 25 - 2, i % 5, i / 5 % 5, i / 25);
    /* the same method and step with and without pairs: a model with contacts would choose another one */
    snprintf(text + n, sizeof text - n, "%sintegrator: {type: generalized-alpha, step: 1 ms}\n", contacts);
    double best = 1e9;
    for (int k = 0; k < 5; k++) {
        kl_diag   *d = kl_diag_create();
        kl_source *s = NULL;
        if (kl_source_parse(text, strlen(text), "idle", d, &s) != KL_OK) bench_stop(d);
        bench_job     j = bench_load(d, s, NULL, 0, NULL, NULL);
        bench_outcome o = bench_run(&j, 3.0);
        best            = fmin(best, o.seconds / (double)o.steps);
        bench_release(&j);
    }
    return best;
}

int main(void)
{
    kl_arena         *arena  = kl_arena_create();
    const kl_surface *hill   = NULL;
    double            u[2]   = {-0.8, 0.8};
    kl_surface       *made   = NULL;
    if (kl_surface_freeform((kl_surface_function){NULL, bump}, u, u, arena, &made) == KL_OK) hill = made;
    for (const kl_pair_row *r = kl_pair_rows; r->find; r++) {
        kl_solid a = solid_of(r->a), b = solid_of(r->b);
        if (r->a == KL_SOLID_MESH || r->b == KL_SOLID_MESH) continue;
        a.surface = b.surface = hill;
        if (hill || (r->a != KL_SOLID_SURFACE && r->b != KL_SOLID_SURFACE)) measure(r, a, b, false);
        if (r->a == KL_SOLID_REVOLVED_ARC && (r->b == KL_SOLID_EXTRUDED_ARC || r->b == KL_SOLID_CYLINDER)) measure(r, a, b, true);
    }
    double alone = step_of(""), idle = step_of("contacts:\n  heap: {between: [\"ball*\", \"ball*\"], shapes: [{sphere: 0.1}, {sphere: 0.1}], law: linear, stiffness: 1e5}\n");
    printf("1225 idle pairs of 50 bodies: %.1f us a step instead of %.1f, %+.0f %%\n", 1e6 * idle, 1e6 * alone, 100.0 * (idle / alone - 1.0));
    kl_arena_destroy(arena);
    return 0;
}
