/* Speed of the rigid core: the N-four-bar with 40 windows, a double pendulum, and chains of 100 and 1000 links. Prints time a
 * step and its parts, the error at the end, and how cost grows with size. Times are processor times of one thread. */
#include <math.h>
#include <string.h>

#include "bench.h"

static const char *const double_pendulum =
    "klingel: 1\nparameters: {c: cos(45 deg), I: 1/12}\ngravity: [0, -9.81, 0]\nbodies:\n"
    "  a: {mass: 1, inertia: [0, I, I], position: [0.5*c, -0.5*c, 0], orientation: {axis: z, angle: -45 deg}}\n"
    "  b: {mass: 1, inertia: [0, I, I], position: [1.5*c, -1.5*c, 0], orientation: {axis: z, angle: -45 deg}}\n"
    "joints:\n"
    "  p: {type: revolute, between: [ground, a], at: [0, 0, 0], axis: z}\n"
    "  h: {type: revolute, between: [a, b], at: [c, -c, 0], axis: z}\n"
    "outputs: {x: {of: b, point: [0.5, 0, 0], quantity: position.x}, y: {of: b, point: [0.5, 0, 0], quantity: position.y}}\n";

static const char *const chain =
    "klingel: 1\nparameters: {n: 100, l: 0.1}\nbodies:\n"
    "  \"link{i}\": {for: {i: 1..n}, mass: 1, inertia: [1e-3, 1e-3, 1e-3], position: [(i - 0.5)*l, 0, 0]}\n"
    "joints:\n"
    "  first: {type: spherical, between: [ground, link1], at: [0, 0, 0]}\n"
    "  \"ball{i}\": {for: {i: 2..n}, type: spherical, between: [\"link{i-1}\", \"link{i}\"], at: [(i - 1)*l, 0, 0]}\n";

typedef bench_job job;

/* How to integrate: with an error allowed, or with a fixed step. */
typedef struct way {
    int    integrator; /* kl_integrator_kind */
    double tolerance, step;
} way;

static void use(kl_settings *s, const void *context)
{
    const way *by = context;
    s->integrator = by->integrator;
    if (by->tolerance > 0.0) s->tolerance = by->tolerance;
    if (by->step > 0.0) s->step = by->step;
}

static job load(kl_source *source, kl_diag *diag, const char *set, way by)
{
    char        name[64] = "";
    kl_override o        = {.name = name};
    if (set) {
        snprintf(name, sizeof name, "%.*s", (int)strcspn(set, "="), set);
        o.text = strchr(set, '=') + 1;
    }
    return bench_load(diag, source, &o, set != NULL, use, &by);
}

static job from_text(const char *text, const char *set, way by)
{
    kl_diag   *d = kl_diag_create();
    kl_source *s = NULL;
    kl_source_parse(text, strlen(text), "bench", d, &s);
    return load(s, d, set, by);
}

static double integrate(job *j, double end) { return bench_run(j, end).seconds; }

static double value(job *j, const char *channel)
{
    const double *v;
    if (kl_simulation_sample(j->s, j->diag, &v) != KL_OK) exit(1);
    return v[kl_channels_find(j->s->channels, channel)];
}

/* Microseconds of one evaluation, one matrix (assembled and factored) and one solve. */
static void parts(job *j)
{
    kl_solver *x = j->s->solver;
    enum { TIMES = 200 };
    double t[4];
    t[0] = bench_now();
    for (int i = 0; i < TIMES; i++) (void)kl_eval(j->model, x->s, x->w);
    t[1] = bench_now();
    kl_weights w = {.mass = 1e7, .stiffness = 1, .damping = 1e3, .state = 1};
    for (int i = 0; i < TIMES; i++) (void)kl_matrix_factor(j->model, x->s, x->w, x->matrix, w, x->a, x->lambda, NULL);
    t[2] = bench_now();
    for (int i = 0; i < TIMES; i++) (void)kl_matrix_solve(x->matrix, x->y);
    t[3] = bench_now();
    printf("    evaluation %.1f us, matrix %.1f us, solve %.1f us (%d unknowns, %d nonzeros)\n", 1e6 * (t[1] - t[0]) / TIMES,
           1e6 * (t[2] - t[1]) / TIMES, 1e6 * (t[3] - t[2]) / TIMES, kl_matrix_size(x->matrix), kl_matrix_nonzeros(x->matrix));
}

static void report(job *j, const char *what, double seconds, double error)
{
    const kl_statistics *c = &j->s->count;
    printf("%-34s %8.1f ms, %ld steps of %.1f us (%ld iterations, %ld matrices), error at the end %.1e m\n", what, 1e3 * seconds, c->steps,
           1e6 * seconds / (double)c->steps, c->iterations, c->factorizations, error);
    parts(j);
}

/* So short that the first time mostly measures cold caches: the best of twenty. */
static void bench_double_pendulum(const char *what, way by)
{
    double seconds = HUGE_VAL;
    for (int i = 0; i < 19; i++) {
        job k   = from_text(double_pendulum, NULL, by);
        seconds = fmin(seconds, integrate(&k, 10.0));
        bench_release(&k);
    }
    job j   = from_text(double_pendulum, NULL, by);
    seconds = fmin(seconds, integrate(&j, 10.0));
    report(&j, what, seconds, hypot(value(&j, "x") - 1.07282982, value(&j, "y") + 1.64015534));
    bench_release(&j);
}

static void bench_four_bar(const char *what, way by)
{
    kl_diag   *d = kl_diag_create();
    kl_source *s = NULL;
    kl_source_read(KL_SOURCE_DIR "/examples/n-four-bar/model.yaml", d, &s);
    job j = load(s, d, "loops=40", by);
    /* end point of the reference */
    FILE  *f = fopen(KL_SOURCE_DIR "/tests/data/reference/A02_nfourbar_N40.csv", "r");
    char   line[512];
    double t, x = 0, y = 0;
    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, "%lf,%lf,%lf", &t, &x, &y) != 3) continue;
    if (f) fclose(f);
    double seconds = integrate(&j, 10.0);
    report(&j, what, seconds, hypot(value(&j, "B0x_m") - x, value(&j, "B0y_m") - y));
    bench_release(&j);
}

/* The best of five, since the short chain takes little longer than a hiccup of the machine. */
static double bench_chain(const char *n)
{
    way    by   = {.integrator = KL_GENERALIZED_ALPHA, .step = 1e-3};
    double best = HUGE_VAL;
    for (int i = 0; i < 5; i++) {
        job j = from_text(chain, n, by);
        best  = fmin(best, integrate(&j, 0.1));
        if (i == 4) {
            char what[64];
            snprintf(what, sizeof what, "chain, %s, 100 steps", n);
            report(&j, what, best, 0.0);
        }
        bench_release(&j);
    }
    return best;
}

int main(void)
{
    /* as loose as leaves the end point right to 1e-4 m */
    bench_double_pendulum("double pendulum, runge-kutta", (way){KL_RUNGE_KUTTA, .tolerance = 1e-4});
    bench_double_pendulum("double pendulum, gen.-alpha", (way){KL_GENERALIZED_ALPHA, .tolerance = 1e-7});
    bench_four_bar("N-four-bar(40), runge-kutta", (way){KL_RUNGE_KUTTA, .tolerance = 1e-7});
    bench_four_bar("N-four-bar(40), gen.-alpha", (way){KL_GENERALIZED_ALPHA, .step = 1e-3});
    double small = bench_chain("n=100"), large = bench_chain("n=1000");
    printf("a chain ten times as long costs %.1f times as much\n", large / small);
    return 0;
}
