/* Beams: one evaluation of an element with its tangent, and how a step grows with the number of elements (processor time, medians of 7). */
#include <string.h>

#include "base/rotation.h"
#include "beams/beam_strain.h"
#include "bench.h"

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double element_seconds(int nodes)
{
    enum { TIMES = 200000 };
    kl_beam_rule rule = kl_beam_rule_of(nodes, 0.1);
    kl_vec3      r[3] = {{0, 0, 0}, {0.05, 0.001, 0}, {0.1, 0.003, 0.001}};
    kl_mat3      A[3] = {kl_identity(), kl_rotation_exp(kl_vec(0.01, 0.02, 0.03)), kl_rotation_exp(kl_vec(0.02, 0.03, 0.06))};
    double       C[2][36] = {{0}}, stress[2][6], wrench[18], K[18 * 18], sum = 0.0, start = bench_now();
    for (int p = 0; p < 2; p++)
        for (int i = 0; i < 6; i++) C[p][7 * i] = 1e3 * (i + 1);
    for (int k = 0; k < TIMES; k++) {
        kl_beam_shape s;
        r[nodes - 1].y += 1e-12;
        if (!kl_beam_shape_of(&rule, r, A, &s)) exit(1);
        for (int p = 0; p < rule.npoint; p++)
            for (int i = 0; i < 6; i++) stress[p][i] = C[p][7 * i] * s.at[p].strain[i];
        kl_beam_forces(&rule, &s, stress, wrench);
        kl_beam_tangent(&rule, &s, stress, C, K);
        sum += K[0] + wrench[0];
    }
    return sum == 0.5 ? 0.0 : (bench_now() - start) / TIMES;
}

static const char *const text = "klingel: 1\nparameters: {elements: 100}\n"
                                "sections: {bar: {shape: rectangle, width: 30 mm, height: 20 mm}}\n"
                                "bodies: {rod: {type: beam, from: [0, 0, 0], to: [10, 0, 0], section: bar, material: steel, elements: elements}}\n"
                                "joints: {clamp: {type: fixed, between: [ground, rod.start]}}\n"
                                "integrator: {step: 1 ms}\n";

static bench_outcome run(const char *elements)
{
    kl_override o      = {.name = "elements", .text = elements};
    kl_diag    *d      = kl_diag_create();
    kl_source  *source = NULL;
    (void)kl_source_parse(text, strlen(text), "bench", d, &source);
    bench_job     j   = bench_load(d, source, &o, 1, NULL, NULL);
    bench_outcome out = bench_run(&j, 0.05);
    bench_release(&j);
    return out;
}

static void print_run(const char *elements, bench_outcome o, double seconds)
{
    double steps = (double)o.steps;
    printf("beam of %s elements: %.3f ms a step, %.2f iterations, %.2f evaluations and %.2f factorisations a step\n", elements, 1e3 * seconds / steps,
           (double)o.iterations / steps, (double)o.evaluations / steps, (double)o.factorizations / steps);
}

int main(void)
{
    enum { RUNS = 7 };
    double        two[RUNS], three[RUNS], few[RUNS], many[RUNS];
    bench_outcome hundred = {0}, thousand = {0};
    for (int i = 0; i < RUNS; i++) {
        two[i]   = element_seconds(2);
        three[i] = element_seconds(3);
        hundred  = run("100");
        thousand = run("1000");
        few[i]   = hundred.seconds;
        many[i]  = thousand.seconds;
    }
    double *all[] = {two, three, few, many};
    for (int i = 0; i < 4; i++) qsort(all[i], RUNS, sizeof(double), by_size);
    printf("beam element with tangent: two nodes %.2f us, three nodes %.2f us\n", 1e6 * two[RUNS / 2], 1e6 * three[RUNS / 2]);
    print_run("100", hundred, few[RUNS / 2]);
    print_run("1000", thousand, many[RUNS / 2]);
    printf("1000 elements take %.1f times the time of 100\n", many[RUNS / 2] / few[RUNS / 2]);
    return 0;
}
