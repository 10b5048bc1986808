/* Speed of flexible bodies: a step of the slider-crank with 8 modes, one turn of it, markers against virtual bodies, and the same
 * model with bodies reduced from few and from many elements at equal modes. Processor times of one thread; compare ratios. */
#include <math.h>
#include <string.h>

#include "bench.h"

typedef bench_outcome outcome;

typedef struct accuracy {
    double tolerance, step;
} accuracy;

static void adjust(kl_settings *s, const void *context)
{
    const accuracy *a = context;
    s->tolerance = a->tolerance, s->step = a->step;
}

static outcome turn(const char *const *set, double tolerance, double step)
{
    char        path[1024];
    kl_override over[8];
    accuracy    a      = {tolerance, step};
    int         n      = 0;
    kl_diag    *d      = kl_diag_create();
    kl_source  *source = NULL;
    for (; set[2 * n]; n++) over[n] = (kl_override){.name = set[2 * n], .text = set[2 * n + 1]};
    snprintf(path, sizeof path, "%s/examples/flexible-slider-crank/model.yaml", KL_SOURCE_DIR);
    if (kl_source_read(path, d, &source) != KL_OK) bench_stop(d);
    bench_job j = bench_load(d, source, over, n, adjust, &a);
    outcome   o = bench_run(&j, 6.283185307 / 124.8);
    bench_release(&j);
    return o;
}

/* the best of some runs: others may use the machine */
static outcome best(const char *const *set, double tolerance, double step)
{
    outcome o = turn(set, tolerance, step);
    for (int i = 0; i < 9; i++) {
        outcome p = turn(set, tolerance, step);
        if (p.seconds < o.seconds) o = p;
    }
    return o;
}

static void tell(const char *what, outcome o)
{
    printf("%-44s %7.2f ms a turn, %5ld steps, %6.2f us a step, %.1f iterations\n", what, 1e3 * o.seconds, o.steps,
           1e6 * o.seconds / (double)o.steps, (double)o.iterations / (double)o.steps);
}

int main(void)
{
    static const char *const marker[] = {"modes", "8", NULL, NULL}, *const virtual[] = {"modes", "8", "attach", "virtual-body", NULL, NULL},
                      *const few[] = {"modes", "8", "section", "rectangle", NULL, NULL}, *const rigid[] = {"flexible", "false", NULL, NULL},
                      *const stiff[] = {"modes", "8", "stiffening", "true", NULL, NULL};
    outcome m = best(marker, 1e-5, NAN), fixed = best(marker, 1e-5, 5e-5), f = best(few, 1e-5, 5e-5), v = best(virtual, 1e-5, 5e-5);
    tell("8 modes, tolerance 1e-5", m);
    tell("8 modes, step 50 us", fixed);
    tell("8 modes with stiffening, step 50 us", best(stiff, 1e-5, 5e-5));
    tell("8 modes of 192 elements instead of 3524", f);
    tell("8 modes, virtual bodies", v);
    tell("rigid", best(rigid, 1e-5, 5e-5));
    printf("a step with the finer mesh over the coarser: %.3f; virtual bodies over markers: %.2f\n",
           fixed.seconds / (double)fixed.iterations / (f.seconds / (double)f.iterations),
           v.seconds / (double)v.steps / (fixed.seconds / (double)fixed.steps));
    return 0;
}
