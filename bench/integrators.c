/* Work against precision of all integrators on four problems: a smooth one, a fast mechanism, a
 * stiff one and one with contacts. Prints a table and, with gnuplot, draws
 * build/bench/work-precision.png. Error: the largest of the outputs that are positions, over the
 * mechanism's size, against Runge-Kutta at a tolerance of 1e-13 (which the tests compare with
 * references from outside). Times are processor times of one thread. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "language/build.h"
#include "solve/simulation.h"

static const char *const ball =
    "klingel: 1\ngravity: [0, 0, -9.81]\nbodies:\n"
    "  ball: {mass: 1 kg, inertia: [1, 1, 1], position: [0, 0, 0.5 m]}\njoints:\n"
    "  guide: {type: translational, between: [ground, ball], at: [0, 0, 0], axis: z}\nforces:\n"
    "  floor: {type: bump-stop, of: guide, lower: -0.5 m, stiffness: 1 MN/m^1.5, exponent: 1.5}\n"
    "outputs: {z: {of: ball, quantity: position.z}}\nrun: {end: 1.5, every: 0.01}\n";

static const struct {
    const char *name, *example, *text;
    double      end; /* [s]: of those that take long; 0: as the model has it */
} problems[] = {{"double pendulum: smooth", "double-pendulum", NULL, 0.0},
                {"Andrews' squeezer: fast", "andrews-squeezer", NULL, 0.0},
                {"flyball governor: stiff", "flyball-governor", NULL, 1.0},
                {"bouncing ball: contacts", NULL, ball, 0.0}};

static const struct {
    const char *name;
    int         integrator, formulation;
    double      loose, tight;
} methods[] = {{"generalized-alpha", KL_GENERALIZED_ALPHA, KL_PROJECTION, 1e-5, 1e-11},
               {"runge-kutta", KL_RUNGE_KUTTA, KL_PROJECTION, 1e-5, 1e-12},
               {"gear, projection", KL_GEAR, KL_PROJECTION, 1e-5, 1e-12},
               {"gear, baumgarte", KL_GEAR, KL_BAUMGARTE, 1e-5, 1e-12},
               {"gear, stabilized", KL_GEAR, KL_STABILIZED, 1e-5, 1e-11}};
enum { PROBLEMS = sizeof problems / sizeof *problems, METHODS = sizeof methods / sizeof *methods };

/* Positions of all rows. */
typedef struct trace {
    kl_simulation *s;
    double        *value;
    size_t         n, room;
    double         gap;
} trace;

static kl_status take(void *context, double t, const double *values)
{
    trace *r = context;
    (void)t;
    for (int i = 0; i < kl_channels_count(r->s->channels); i++) {
        const kl_channel *c = kl_channels_at(r->s->channels, i);
        if (!c->own || strcmp(c->unit, "m") != 0) continue;
        if (r->n == r->room) {
            r->room     = 2 * r->room + 1024;
            double *new = realloc(r->value, r->room * sizeof *new);
            if (!new) return KL_E_MEMORY;
            r->value = new;
        }
        r->value[r->n++] = values[i];
    }
    r->gap = fmax(r->gap, values[kl_channels_find(r->s->channels, "drift.position")]);
    return KL_OK;
}

static kl_source *source_of(int problem, kl_diag *diag)
{
    kl_source *s = NULL;
    char       path[1024];
    if (problems[problem].text)
        (void)kl_source_parse(problems[problem].text, strlen(problems[problem].text), "bench.yaml",
                              diag, &s);
    else {
        snprintf(path, sizeof path, KL_SOURCE_DIR "/examples/%s/model.yaml",
                 problems[problem].example);
        (void)kl_source_read(path, diag, &s);
    }
    return s;
}

/* Seconds that a run takes; negative when it fails. */
static double run(int problem, int integrator, int formulation, double tolerance, trace *r,
                  kl_statistics *count, double *size)
{
    kl_diag   *diag   = kl_diag_create();
    kl_source *source = source_of(problem, diag);
    kl_model  *m      = NULL;
    double     time   = -1.0;
    *r                = (trace){0};
    if (source && kl_source_build(source, NULL, 0, diag, &m) == KL_OK) {
        m->settings.integrator  = integrator;
        m->settings.formulation = formulation;
        m->settings.tolerance   = tolerance;
        if (problems[problem].end > 0.0) m->settings.end = problems[problem].end;
        if (kl_simulation_create(m, diag, &r->s) == KL_OK) {
            kl_sink   sink  = {.context = r, .row = take};
            clock_t   start = clock();
            kl_status s = kl_simulation_run(r->s, m->settings.end, m->settings.every, &sink, diag);
            time        = s == KL_OK ? (double)(clock() - start) / CLOCKS_PER_SEC : -1.0;
            *count      = r->s->count;
            *size       = m->length;
        }
    }
    kl_simulation_destroy(r->s);
    kl_model_destroy(m);
    kl_source_destroy(source);
    kl_diag_destroy(diag);
    return time;
}

static double difference(const trace *a, const trace *b)
{
    double worst = 0.0;
    if (a->n != b->n) return NAN;
    for (size_t i = 0; i < a->n; i++) worst = fmax(worst, fabs(a->value[i] - b->value[i]));
    return worst;
}

static void measure(int problem, FILE *data)
{
    trace         exact, r;
    kl_statistics count = {0};
    double        size  = 1.0;
    bool          stiff = strstr(problems[problem].name, "stiff") != NULL;
    printf("\n%s\n  %-18s %9s %10s %9s %9s %7s %8s\n", problems[problem].name, "integrator",
           "tolerance", "error", "time [s]", "gap [m]", "steps", "matrices");
    if (run(problem, KL_RUNGE_KUTTA, KL_PROJECTION, stiff ? 1e-9 : 1e-13, &exact, &count, &size) <
        0.0) {
        printf("  no reference\n");
        free(exact.value);
        return;
    }
    for (int k = 0; k < METHODS; k++) {
        for (double tol = methods[k].loose; tol > 0.99 * methods[k].tight; tol *= 0.1) {
            double time =
                run(problem, methods[k].integrator, methods[k].formulation, tol, &r, &count, &size);
            double error = difference(&r, &exact) / size;
            free(r.value);
            if (time < 0.0) {
                printf("  %-18s %9.0e stopped\n", methods[k].name, tol);
                continue;
            }
            printf("  %-18s %9.0e %10.1e %9.4f %9.0e %7ld %8ld\n", methods[k].name, tol, error,
                   time, r.gap, count.steps, count.factorizations);
            if (data) fprintf(data, "%.3e %.3e\n", fmax(error, 1e-16), fmax(time, 1e-5));
        }
        if (data) fprintf(data, "\n\n");
    }
    free(exact.value);
}

static void draw(const char *data, const char *picture)
{
    FILE *g = popen("gnuplot", "w");
    if (!g) return;
    fprintf(g,
            "set terminal pngcairo size 1100,860 font 'sans,11'\nset output '%s'\n"
            "set multiplot layout 2,2\nset logscale xy\nset grid\nset format '10^{%%T}'\n"
            "set xlabel 'error over size'\nset ylabel 'processor time [s]'\nset key top right "
            "samplen 1\nset xrange [1e-13:1e-1] reverse\n",
            picture);
    for (int p = 0; p < PROBLEMS; p++) {
        fprintf(g, "set title \"%s\"\nplot ", problems[p].name);
        for (int k = 0; k < METHODS; k++)
            fprintf(g, "%s'%s' index %d with linespoints pt 7 ps 0.7 title '%s'", k ? ", " : "",
                    data, p * METHODS + k, methods[k].name);
        fprintf(g, "\n");
    }
    fprintf(g, "unset multiplot\n");
    if (pclose(g) == 0) printf("\ndrawn: %s\n", picture);
}

int main(void)
{
    const char *data = "build/bench/work-precision.txt";
    FILE       *f    = fopen(data, "w");
    for (int p = 0; p < PROBLEMS; p++) measure(p, f);
    if (f) {
        fclose(f);
        draw(data, "build/bench/work-precision.png");
    }
    return 0;
}
