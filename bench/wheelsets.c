/* Four wheelsets in axle boxes under a car, at rest and at 120 rad/s, as ordinary rigid bodies and with
 * a spin axis. Prints steps, factorisations and processor time (median of 7 runs
 * that alternate), and what the spin costs. */
#include <string.h>

#include "bench.h"

static const char *const text =
    "klingel: 1\ngravity: [0, 0, 0]\nparameters: {speed: 0}\n"
    "bodies:\n"
    "  car: {mass: 30000, inertia: [5e4, 1e6, 1e6], position: [0, 0, 1.5], velocity: [0, 0.02, 0.05]}\n"
    "  \"set{i}\": {for: {i: 1..4}, mass: 1200, inertia: [700, 100, 700], position: [(2.5 - i)*4, 0, 0.46],\n"
    "             omega: [0, speed, 0]%s}\n"
    "  \"box{i}\": {for: {i: 1..4}, mass: 150, inertia: [10, 10, 10], position: [(2.5 - i)*4, 0, 0.46]}\n"
    "joints:\n"
    "  \"bearing{i}\": {for: {i: 1..4}, type: revolute, between: [\"box{i}\", \"set{i}\"], at: [(2.5 - i)*4, 0, 0.46], axis: y}\n"
    "forces:\n"
    "  \"spring{i}\": {for: {i: 1..4}, type: bushing, between: [\"box{i}\", car], at: [(2.5 - i)*4, 0, 0.6],\n"
    "    stiffness: [1e6, 1e6, 5e5, 1e6, 1e5, 1e6], damping: [100, 100, 100, 100, 10, 100]}\n"
    "  \"rail{i}\": {for: {i: 1..4}, type: bushing, between: [\"box{i}\", ground], at: [(2.5 - i)*4, 0, 0.46],\n"
    "    stiffness: [1e5, 1e6, 1e6, 1e6, 1e5, 1e6], damping: [100, 100, 100, 100, 10, 100]}\n";

typedef struct result {
    double seconds;
    long   steps, factorisations;
} result;

static result run(const char *key, const char *speed)
{
    char whole[4096];
    snprintf(whole, sizeof whole, text, key);
    kl_override o      = {.name = "speed", .text = speed};
    kl_diag    *d      = kl_diag_create();
    kl_source  *source = NULL;
    (void)kl_source_parse(whole, strlen(whole), "bench", d, &source);
    bench_job j = bench_load(d, source, &o, 1, NULL, NULL);
    result    r = {.seconds = bench_run(&j, 2.0).seconds};
    r.steps = j.s->count.steps, r.factorisations = j.s->count.factorizations;
    bench_release(&j);
    return r;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
    enum { TIMES = 7, CASES = 4 };
    static const char *const key[]   = {"", "", ", spin_axis: y", ", spin_axis: y"};
    static const char *const speed[] = {"0", "120", "0", "120"};
    int                      ncase   = argc > 1 && strcmp(argv[1], "--plain") == 0 ? 2 : CASES;
    double                   time[CASES][TIMES];
    result                   last[CASES];
    for (int i = 0; i < TIMES; i++)
        for (int k = 0; k < ncase; k++) last[k] = run(key[k], speed[k]), time[k][i] = last[k].seconds;
    for (int k = 0; k < ncase; k++) {
        qsort(time[k], TIMES, sizeof(double), by_size);
        printf("four wheelsets, %-14s %3s rad/s: %5ld steps, %4ld factorisations, %6.1f times real time\n",
               *key[k] ? "spin_axis" : "ordinary body", speed[k], last[k].steps, last[k].factorisations,
               2.0 / time[k][TIMES / 2]);
    }
    for (int k = 0; k < ncase; k += 2)
        printf("  %-14s spinning over at rest: time %.2f, factorisations %.2f\n",
               *key[k] ? "spin_axis" : "ordinary body", time[k + 1][TIMES / 2] / time[k][TIMES / 2],
               (double)last[k + 1].factorisations / (double)last[k].factorisations);
    return 0;
}
