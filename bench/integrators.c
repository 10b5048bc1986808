/* Two comparisons of the integrators. `bench-integrators table [EXAMPLE...]` prints the second alone.
 *
 * First, work against precision of all integrators on four problems: a smooth one, a fast mechanism, a
 * stiff one and one with contacts. Prints a table and, with gnuplot, draws
 * build/bench/work-precision.png. Error: the largest of the outputs that are positions, over the
 * mechanism's size, against Runge-Kutta at a tolerance of 1e-13 (which the tests compare with
 * references from outside).
 *
 * Second, a table of all examples: the default integrator (auto) against each method by name, at the
 * accuracy of the model. Times are processor times of one thread; a method is stopped after three
 * times the time of the default. */
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "language/build.h"
#include "solve/method_choice.h"
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

/* ---- all examples ---- */

static const struct {
    const char *name;
    int         integrator, formulation;
} rivals[] = {{"auto", KL_AUTO, KL_PROJECTION},
              {"generalized-alpha", KL_GENERALIZED_ALPHA, KL_PROJECTION},
              {"runge-kutta", KL_RUNGE_KUTTA, KL_PROJECTION},
              {"gear", KL_GEAR, KL_PROJECTION}};
enum { RIVALS = sizeof rivals / sizeof *rivals };

static const double DEFAULT_ACCURACY = 1e-4;

/* A run with a limit of processor time, and how far it came. */
typedef struct race {
    kl_simulation *s;
    double
        *value; /* of all rows: positions of bodies over the size of the model, Euler parameters */
    size_t  n, room;
    clock_t start;
    double  most, time, end; /* allowed and taken [s]; time reached [s] */
    bool    done;
    int     last; /* the method that it ended with */
} race;

static kl_status race_row(void *context, double t, const double *values)
{
    race *r = context;
    (void)t;
    for (int i = 0; i < kl_channels_count(r->s->channels); i++) {
        const kl_channel *c        = kl_channels_at(r->s->channels, i);
        bool              position = strstr(c->name, ".position.") && strcmp(c->unit, "m") == 0;
        if (!position && !strstr(c->name, ".orientation.")) continue;
        if (r->n == r->room) {
            r->room     = 2 * r->room + 1024;
            double *new = realloc(r->value, r->room * sizeof *new);
            if (!new) return KL_E_MEMORY;
            r->value = new;
        }
        r->value[r->n++] = position ? values[i] / r->s->model->length : values[i];
    }
    return KL_OK;
}

static double used_since(clock_t start) { return (double)(clock() - start) / CLOCKS_PER_SEC; }

static bool race_goes_on(void *context, double t)
{
    race *r = context;
    (void)t;
    return used_since(r->start) < r->most;
}

/* Is this an example that the default chooses a method for? */
static bool is_raced(const kl_settings *s)
{
    return isnan(s->step) && s->integrator != KL_LOAD_STEPS && s->integrator != KL_ARC_LENGTH &&
           s->integrator != KL_CENTRAL_DIFFERENCES;
}

/* The model as a user would have it who writes no tolerances. */
static void use_defaults(kl_settings *s, int integrator, double accuracy)
{
    s->integrator  = integrator;
    s->formulation = KL_PROJECTION;
    s->tolerance   = kl_method_for_accuracy(integrator, accuracy);
    s->penetration = NAN;
}

static int method_of(const kl_integrator *i)
{
    return i == &kl_runge_kutta   ? KL_RUNGE_KUTTA
           : i == &kl_gear_index1 ? KL_GEAR
                                  : KL_GENERALIZED_ALPHA;
}

static race race_of(const char *path, int integrator, double accuracy, double end, double most)
{
    race       r      = {.most = most, .end = end};
    kl_diag   *diag   = kl_diag_create();
    kl_source *source = NULL;
    kl_model  *m      = NULL;
    if (kl_source_read(path, diag, &source) == KL_OK &&
        kl_source_build(source, NULL, 0, diag, &m) == KL_OK && is_raced(&m->settings)) {
        kl_settings *s = &m->settings;
        use_defaults(s, integrator, accuracy);
        if (kl_simulation_create(m, diag, &r.s) == KL_OK) {
            kl_sink sink = {.context = &r, .row = race_row, .continue_run = race_goes_on};
            double  last = r.end > 0.0 ? fmin(r.end, s->end) : s->end;
            r.start      = clock();
            kl_status k  = kl_simulation_run(r.s, last, s->every, &sink, diag);
            r.time       = used_since(r.start);
            r.done       = k == KL_OK;
            r.end        = r.s->solver->s->t;
            r.last       = method_of(r.s->integrator);
        }
    }
    kl_simulation_destroy(r.s);
    kl_model_destroy(m);
    kl_source_destroy(source);
    kl_diag_destroy(diag);
    return r;
}

/* Largest difference of the rows that both have. */
static double race_apart(const race *a, const race *b)
{
    double most = 0.0;
    size_t n    = a->n < b->n ? a->n : b->n;
    for (size_t k = 0; k < n; k++) most = fmax(most, fabs(a->value[k] - b->value[k]));
    return most;
}

/* Against one that is ten times as exact, as far as that came. */
static race race_reference(const char *path, const race *a)
{
    return race_of(path, a->last, 0.1 * DEFAULT_ACCURACY, a->end, 20.0 * a->time);
}

static const char *taken_by(const race *r)
{
    for (int k = 1; k < RIVALS; k++)
        if (rivals[k].integrator == r->last) return rivals[k].name;
    return "";
}

static void print_race(const race *r, double error, bool right)
{
    if (r->done || right) printf(" %.2f (%.0e)%s |", r->time, error, right ? "" : " *");
    else printf(" %s |", r->time >= r->most ? "longer" : "stops");
}

/* One line of the table; long examples are cut where the default has taken `budget` seconds. A method
 * counts when it ends and its positions are as exact as asked for, or as those of the default. */
static void race_example(const char *name, double *worst)
{
    const double budget = 0.5, short_run = 0.1;
    char         path[1024];
    double       error[RIVALS] = {0.0}, best;
    bool         right[RIVALS] = {true};
    snprintf(path, sizeof path, KL_SOURCE_DIR "/examples/%s/model.yaml", name);
    race r[RIVALS] = {race_of(path, KL_AUTO, DEFAULT_ACCURACY, 0.0, budget)};
    if (!(r[0].time > short_run) || !(r[0].end > 0.0)) {
        free(r[0].value);
        return;
    }
    race exact = race_reference(path, &r[0]);
    error[0]   = race_apart(&r[0], &exact);
    best       = r[0].time;
    for (int k = 1; k < RIVALS; k++) {
        r[k]     = race_of(path, rivals[k].integrator, DEFAULT_ACCURACY, r[0].end, 3.0 * r[0].time);
        error[k] = race_apart(&r[k], &exact);
        right[k] = r[k].done && error[k] <= fmax(DEFAULT_ACCURACY, 1.5 * error[0]);
        if (right[k]) best = fmin(best, r[k].time);
    }
    printf("| %s | %.3g | %s |", name, r[0].end, taken_by(&r[0]));
    for (int k = 0; k < RIVALS; k++) print_race(&r[k], error[k], right[k]);
    printf(" %.2f |%s\n", r[0].time / best, exact.done ? "" : " reference ended early");
    fflush(stdout);
    *worst = fmax(*worst, r[0].time / best);
    for (int k = 0; k < RIVALS; k++) free(r[k].value);
    free(exact.value);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void race_all(int n, char **only)
{
    enum { MOST = 256 };
    char  *name[MOST];
    int    count  = 0;
    double worst  = 0.0;
    DIR   *folder = n == 0 ? opendir(KL_SOURCE_DIR "/examples") : NULL;
    printf("\nProcessor time [s] and error of positions over the size; *: not as exact as the "
           "default\n\n"
           "| example | to [s] | `auto` takes | `auto` | generalized-alpha | runge-kutta | gear | "
           "`auto` over "
           "best |\n| --- | --- | --- | --- | --- | --- | --- | --- |\n");
    for (struct dirent *e; folder && count < MOST && (e = readdir(folder));)
        if (e->d_name[0] != '.') name[count++] = strdup(e->d_name);
    if (folder) closedir(folder);
    qsort(name, (size_t)count, sizeof *name, by_name);
    for (int i = 0; i < count; i++) {
        race_example(name[i], &worst);
        free(name[i]);
    }
    for (int i = 0; i < n; i++) race_example(only[i], &worst);
    printf("largest time of the default over the best: %.2f\n", worst);
}

int main(int argc, char **argv)
{
    bool        table = argc > 1 && strcmp(argv[1], "table") == 0;
    const char *data  = "build/bench/work-precision.txt";
    FILE       *f     = table ? NULL : fopen(data, "w");
    for (int p = 0; !table && p < PROBLEMS; p++) measure(p, f);
    if (f) {
        fclose(f);
        draw(data, "build/bench/work-precision.png");
    }
    race_all(table ? argc - 2 : 0, argv + 2);
    return 0;
}
