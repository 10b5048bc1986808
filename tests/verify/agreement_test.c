/* All integrators on all examples, against each other: positions of bodies over the size of the
 * model, Euler parameters as they are. The folders are read. Examples with contact, beams or yielding
 * are left out: impacts and friction part neighbouring motions, and each has a reference of its own. */
#include <dirent.h>
#include <stdlib.h>
#include <time.h>

#include "solve/simulation.h"
#include "unit/build_model.h"

/* What their errors add up to at a tolerance of 1e-9 (docs/guide/integrators.md): Runge-Kutta's are
 * the smallest by far, so the others are compared with it. */
static const struct {
    const char *name;
    int         integrator, formulation;
    double      allowed;
} methods[] = {{"runge-kutta", KL_RUNGE_KUTTA, KL_PROJECTION, 0.0},
               {"generalized-alpha", KL_GENERALIZED_ALPHA, KL_PROJECTION, 1e-4},
               {"gear", KL_GEAR, KL_PROJECTION, 1e-5}};
enum { METHODS = sizeof methods / sizeof *methods };

/* Examples that take long: how much of them is run [s]. The rest is run whole. Errors grow with time, so the
 * bounds belong to these times. */
static const struct {
    const char *example;
    double      end;
} shorter[] = {{"fatigue-beam", 0.2},         {"flexible-double-pendulum", 0.03},
               {"flexible-four-bar", 0.01},   {"flexible-slider-crank", 0.005},
               {"flyball-governor", 0.4},     {"roller-coaster", 0.2},
               {"roller-coaster-loop", 0.2},  {"rotating-beam", 0.2},
               {"sar-antenna", 0.01},         {"sar-antenna-turning", 0.01},
               {"n-four-bar", 2.0},           {"andrews-squeezer", 0.02},
               {"spatial-slider-crank", 1.5}, {"football", 0.5}};

typedef struct trace {
    kl_simulation *s;
    double        *value;
    size_t         n, room;
    clock_t        begun;
} trace;

/* Processor time of one run [s]. An example that takes longer belongs in the list above. */
static const double most_time = 10.0;

static bool is_position(const kl_channel *c)
{
    return strcmp(c->unit, "m") == 0 ? strstr(c->name, "drift") == NULL
                                     : strstr(c->name, ".orientation.") != NULL;
}

static kl_status keep(void *context, double t, const double *values)
{
    trace *r = context;
    (void)t;
    for (int i = 0; i < kl_channels_count(r->s->channels); i++) {
        const kl_channel *c = kl_channels_at(r->s->channels, i);
        if (!is_position(c)) continue;
        if (r->n == r->room) {
            r->room  = 2 * r->room + 4096;
            r->value = realloc(r->value, r->room * sizeof *r->value);
            assert_non_null(r->value);
        }
        r->value[r->n++] = values[i] / (strcmp(c->unit, "m") == 0 ? r->s->model->length : 1.0);
    }
    return KL_OK;
}

static bool in_time(void *context, double t)
{
    const trace *r = context;
    (void)t;
    return (double)(clock() - r->begun) / CLOCKS_PER_SEC < most_time;
}

static double end_of(const char *example, double end)
{
    for (size_t k = 0; k < sizeof shorter / sizeof *shorter; k++)
        if (strcmp(shorter[k].example, example) == 0) return fmin(end, shorter[k].end);
    return end;
}

static trace run(const char *example, int method)
{
    char     path[1024];
    trace    r = {0};
    kl_diag *d = kl_diag_create();
    built    b = {.diag = d};
    snprintf(path, sizeof path, KL_SOURCE_DIR "/examples/%s/model.yaml", example);
    kl_status status = kl_source_read(path, d, &b.source);
    if (status == KL_OK) status = kl_source_build(b.source, NULL, 0, d, &b.model);
    if (status == KL_OK) {
        kl_settings *s = &b.model->settings;
        s->integrator  = methods[method].integrator;
        s->formulation = methods[method].formulation;
        s->tolerance   = 1e-9;
        s->step        = NAN; /* none with equal steps */
        status         = kl_simulation_create(b.model, d, &r.s);
        kl_sink sink   = {.context = &r, .row = keep, .continue_run = in_time};
        double  end    = end_of(example, s->end);
        r.begun        = clock();
        if (status == KL_OK) status = kl_simulation_run(r.s, end, end / 20.0, &sink, d);
    }
    if (status == KL_E_INTERRUPTED)
        fail_msg("%s with %s takes more than %g s; give it a shorter time in this file", example,
                 methods[method].name, most_time);
    if (status != KL_OK) {
        print_messages(d);
        fail_msg("%s stopped with %s", example, methods[method].name);
    }
    kl_simulation_destroy(r.s);
    built_free(&b);
    return r;
}

/* Largest difference between two runs. */
static double apart(const trace *a, const trace *b)
{
    double most = 0.0;
    assert_int_equal(a->n, b->n);
    for (size_t k = 0; k < a->n; k++) {
        double d = fabs(a->value[k] - b->value[k]);
        if (!(d <= most)) most = d; /* what is not a number stays */
    }
    return most;
}

/* Does the model have an element that touches and lets go, or that yields, or a body of many nodes?
 * These have references of their own, and not every method suits them. */
static bool has_own_test(const char *example)
{
    static const char *const types[] = {"contact",       "wheel-rail", "catenary-contact",
                                        "pantograph",    "worn-",      "crush",
                                        "plastic-hinge", "friction-",  NULL};
    char                     path[1024];
    bool                     found = false;
    kl_diag                 *d     = kl_diag_create();
    built                    b     = {.diag = d};
    snprintf(path, sizeof path, KL_SOURCE_DIR "/examples/%s/model.yaml", example);
    kl_status status = kl_source_read(path, d, &b.source);
    if (status == KL_OK) status = kl_source_build(b.source, NULL, 0, d, &b.model);
    for (int i = 0; status == KL_OK && i < b.model->nelement; i++)
        for (int k = 0; types[k]; k++)
            found =
                found || strncmp(b.model->element[i].type->name, types[k], strlen(types[k])) == 0;
    found = found || (b.model && b.model->ncompound > 0);
    built_free(&b);
    return found;
}

static void compare(const char *example)
{
    trace exact = run(example, 0);
    assert_true(exact.n > 0);
    print_message("%-26s", example);
    for (int k = 1; k < METHODS; k++) {
        trace  r    = run(example, k);
        double most = apart(&r, &exact);
        print_message("  %s %.1e", methods[k].name, most);
        free(r.value);
        if (!(most <= methods[k].allowed)) fail_msg("too far apart");
    }
    print_message("\n");
    free(exact.value);
}

static void the_integrators_agree_on_every_example(void **unused)
{
    (void)unused;
    char           path[1024];
    int            compared = 0;
    DIR           *folder   = opendir(KL_SOURCE_DIR "/examples");
    struct dirent *entry;
    assert_non_null(folder);
    while ((entry = readdir(folder)) != NULL) {
        snprintf(path, sizeof path, KL_SOURCE_DIR "/examples/%s/model.yaml", entry->d_name);
        FILE *f = fopen(path, "r");
        if (!f) continue; /* a mesh, a track */
        fclose(f);
        if (has_own_test(entry->d_name)) continue;
        compare(entry->d_name);
        compared++;
    }
    closedir(folder);
    assert_true(compared >= 24);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_integrators_agree_on_every_example),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
