/* Nonlinear finite elements: evaluations a second with and without tangent, and a static problem (a block bent by a
 * force, one load step) with more and more elements. bench/nonlinear-block measures CalculiX beside it. */
#include "bench.h"

#include <string.h>

#include "fe/large_solid.h"

static void element_rate(kl_shape shape, kl_strain_kind strain, bool plastic, bool tangent)
{
    static const kl_yield_row table[] = {{0.0, 250e6}, {0.1, 300e6}};
    kl_arena                 *arena   = kl_arena_create();
    kl_fe_element             e       = {.shape = shape};
    kl_plastic_state          old[KL_LARGE_POINTS];
    kl_solid_law              law;
    kl_large_solid            s;
    kl_large_answer           out;
    kl_vec3                   x[KL_LARGE_NODES];
    double                    K[9 * KL_LARGE_NODES * KL_LARGE_NODES];
    int                       n = kl_shape_info_of(shape)->nnode, count = 0;
    kl_solid_law_elastic(210e9, 0.3, &law);
    law.strain = strain;
    if (plastic) law.nrow = 2, law.yield = table;
    memset(old, 0, sizeof old);
    for (int a = 0; a < n; a++) {
        double r[3];
        kl_shape_node(shape, a, r);
        e.x[a] = kl_vec(r[0], r[1], r[2]);
        x[a]   = kl_vec(1.01 * r[0] + 0.002 * r[1] * r[2], r[1] + 0.01 * r[0] * r[2], r[2]);
    }
    if (kl_large_solid_init(&e, &law, arena, &s) != KL_OK) exit(1);
    double start = bench_now(), spent = 0.0;
    for (; spent < 0.3; spent = bench_now() - start)
        for (int i = 0; i < 100; i++, count++) {
            x[0].x += 1e-9;
            (void)kl_large_solid_eval(&s, x, plastic ? old : NULL, NULL, &out, tangent ? K : NULL);
        }
    printf("%-6s %-12s %-8s %-8s %9.0f evaluations a second\n", kl_shape_info_of(shape)->name,
           strain == KL_STRAIN_GREEN ? "green" : "logarithmic", plastic ? "plastic" : "elastic",
           tangent ? "tangent" : "force", count / spent);
    kl_arena_destroy(arena);
}

static kl_status no_row(void *context, double t, const double *values)
{
    (void)context, (void)t, (void)values;
    return KL_OK;
}

static void block(int nx, int n)
{
    char text[1200];
    snprintf(
        text, sizeof text,
        "klingel: 1\ngravity: 0\nbodies:\n  block: {type: flexible, flexible: nonlinear, strain: "
        "green, file: {mesh: {box: [1 m, 0.4 m, 0.4 m], parts: [%d, %d, %d]}, material: {E: 210 "
        "GPa, nu: 0.3, density: 7850 kg/m3}, markers: {root: {set: x0, tie: rbe2}, tip: {set: x1, "
        "tie: rbe2}}}}\njoints: {clamp: {type: fixed, between: [ground, block.root]}}\nforces: "
        "{load: {type: force, on: block.tip, axis: z, value: {polynomial: [0, 40 MN/s]}}}\nrun: "
        "{end: 1 s, every: 1 s}\nintegrator: {type: load-steps}\n",
        nx, n, n);
    kl_diag   *d      = kl_diag_create();
    kl_source *source = NULL;
    double     start  = bench_now();
    if (kl_source_parse(text, strlen(text), "block", d, &source) != KL_OK) bench_stop(d);
    bench_job j     = bench_load(d, source, NULL, 0, NULL, NULL);
    double    built = bench_now();
    kl_sink   sink  = {.row = no_row};
    if (kl_simulation_run(j.s, 1.0, 1.0, &sink, d) != KL_OK) bench_stop(d);
    printf("block of %6d elements, %6d coordinates: built in %6.2f s, solved in %7.2f s, %ld "
           "iterations\n",
           nx * n * n, j.model->nv, built - start, bench_now() - built, j.s->count.iterations);
    kl_simulation_destroy(j.s);
    kl_model_destroy(j.model);
    kl_source_destroy(j.source);
    kl_diag_destroy(j.diag);
}

int main(int argc, char **argv)
{
    static const kl_shape shapes[] = {KL_TET10, KL_HEX8};
    for (int i = 0; i < 2; i++)
        for (int tangent = 0; tangent < 2; tangent++) {
            element_rate(shapes[i], KL_STRAIN_GREEN, false, tangent);
            element_rate(shapes[i], KL_STRAIN_LOGARITHMIC, false, tangent);
            element_rate(shapes[i], KL_STRAIN_LOGARITHMIC, true, tangent);
        }
    block(10, 4);
    block(20, 8);
    block(30, 12);
    if (argc > 1 && strcmp(argv[1], "all") == 0) block(50, 20);
    return 0;
}
