/* Speed of current collection: the EN 50318 model at 300 km/h with rows each millisecond over lines of 10, 20 and 40 spans. Prints
 * how many times faster than real time each runs, and how cost grows with the number of spans. Processor time of one thread. */
#include "bench.h"

static bench_outcome run(const char *spans, double *end)
{
    kl_diag          *d      = kl_diag_create();
    kl_source        *source = NULL;
    const kl_override set[]  = {{"spans", spans}, {"speed", "300 km/h"}};
    kl_source_read(KL_SOURCE_DIR "/examples/catenary-en50318/model.yaml", d, &source);
    bench_job     j   = bench_load(d, source, set, 2, NULL, NULL);
    bench_outcome out = bench_run(&j, *end = j.model->settings.end);
    bench_release(&j);
    return out;
}

int main(void)
{
    const char *const spans[] = {"10", "20", "40"};
    for (int i = 0; i < 3; i++) {
        double        end;
        bench_outcome o = run(spans[i], &end);
        printf("%s spans: %.3g s simulated in %.3g s, %.3g times real time, %.3g us for a step and span\n",
               spans[i], end, o.seconds, end / o.seconds,
               1e6 * o.seconds / (double)o.steps / atof(spans[i]));
    }
    return 0;
}
