/* What steps and rows cost: a vehicle-like model (bench/models/vehicle.yaml: 7 bodies, 28 bushings), 10 s, with two rows and with
 * rows at 1 kHz; and balls that bounce on stops, whose contacts must not restart the integrator. */
#include <string.h>

#include "bench.h"

static kl_status ignore(void *context, double t, const double *values)
{
    (void)context, (void)t, (void)values;
    return KL_OK;
}

/* Processor time of a run with rows each `every` seconds. */
static double run(bench_job *j, double end, double every)
{
    kl_sink sink  = {.row = ignore};
    double  start = bench_now();
    if (kl_simulation_run(j->s, end, every, &sink, j->diag) != KL_OK) bench_stop(j->diag);
    return bench_now() - start;
}

/* Of a vehicle a user records some 50 channels: motion of the bodies, wheel forces. */
static void record_some(kl_settings *s, const void *context)
{
    static const char *name[] = {"car.position.*",     "car.orientation.*",     "car.velocity.*",
                                 "car.acceleration.*", "car.alpha.*",           "bogie*.position.*",
                                 "bogie*.velocity.*",  "bogie*.acceleration.*", "wheel*.force.y",
                                 "wheel*.force.z"};
    static kl_place    place[sizeof name / sizeof *name];
    if (*(const bool *)context)
        s->record = (kl_text_list){.item = name, .place = place, .n = sizeof name / sizeof *name};
}

static int want_recorded(kl_channels *c)
{
    int channel[1024], n = 0;
    for (int i = 0; i < kl_channels_count(c) && n < 1024; i++)
        if (kl_channels_at(c, i)->recorded) channel[n++] = i;
    kl_channels_want(c, channel, n, false);
    return n;
}

static double best(double every, bool some, int *channels, bench_job *last)
{
    double seconds = 1e300;
    for (int i = 0; i < 7; i++) {
        kl_diag   *d      = kl_diag_create();
        kl_source *source = NULL;
        if (i > 0) bench_release(last);
        kl_source_read(KL_SOURCE_DIR "/bench/models/vehicle.yaml", d, &source);
        *last     = bench_load(d, source, NULL, 0, record_some, &some);
        *channels = want_recorded(last->s->channels);
        double t  = run(last, 10.0, every);
        if (t < seconds) seconds = t;
    }
    return seconds;
}

static void bench_vehicle(void)
{
    bench_job j;
    int       channels = 0;
    double    few      = best(10.0, false, &channels, &j);
    long      steps    = j.s->count.steps;
    bench_release(&j);
    printf("vehicle, 10 s: %.0f ms for %ld steps of %.1f us\n", 1e3 * few, steps,
           1e6 * few / (double)steps);
    for (int some = 0; some < 2; some++) {
        double many = best(1e-3, some, &channels, &j);
        printf("  with 10000 rows of %d channels %.0f ms, %.1f us a row\n", channels, 1e3 * many,
               1e6 * (many - few) / 10000.0);
        bench_release(&j);
    }
}

static void bench_balls(int n)
{
    static const char *const text =
        "klingel: 1\nparameters: {n: %d}\nbodies:\n"
        "  \"ball{i}\": {for: {i: 1..n}, mass: 1, inertia: [0.01, 0.01, 0.01], position: [0, i*0.1 "
        "m, 0.1 m + 0.02 m*i]}\n"
        "joints:\n"
        "  \"guide{i}\": {for: {i: 1..n}, type: translational, between: [ground, \"ball{i}\"], at: "
        "[0, i*0.1 m, 0.1 m + 0.02 m*i], axis: z}\n"
        "forces:\n"
        "  \"stop{i}\": {for: {i: 1..n}, type: bump-stop, of: \"guide{i}\", lower: -0.1 m - 0.02 "
        "m*i, stiffness: 1e4}\n"
        "integrator: {tolerance: 1e-6, length: 1 m}\n";
    char       model[1024];
    kl_diag   *d = kl_diag_create();
    kl_source *s = NULL;
    snprintf(model, sizeof model, text, n);
    kl_source_parse(model, strlen(model), "bench", d, &s);
    bench_job            j       = bench_load(d, s, NULL, 0, NULL, NULL);
    double               seconds = run(&j, 1.0, 1.0);
    const kl_statistics *c       = &j.s->count;
    printf("%2d balls on stops, 1 s: %.1f ms, %ld steps, %ld rejected, %ld matrices\n", n,
           1e3 * seconds, c->steps, c->rejected, c->factorizations);
    bench_release(&j);
}

int main(void)
{
    bench_vehicle();
    bench_balls(1);
    bench_balls(16);
    return 0;
}
