/* Runs an example as a user would and keeps some of its channels. */
#ifndef KL_TESTS_VERIFY_EXAMPLE_H
#define KL_TESTS_VERIFY_EXAMPLE_H

#include "unit/build_model.h"

#include <stdlib.h>

#include "solve/simulation.h"

enum { EXAMPLE_CHANNELS = 8, EXAMPLE_ROWS = 2100, EXAMPLE_SETS = 16 };

typedef struct example {
    double t[EXAMPLE_ROWS], value[EXAMPLE_ROWS][EXAMPLE_CHANNELS];
    int    n, nchannel, channel[EXAMPLE_CHANNELS];
    long   steps;
    char   said[4096]; /* messages, one a line */
} example;

static kl_status example_row(void *context, double t, const double *values)
{
    example *e = context;
    if (e->n == EXAMPLE_ROWS) return KL_OK;
    e->t[e->n] = t;
    for (int i = 0; i < e->nchannel; i++) e->value[e->n][i] = values[e->channel[i]];
    e->n++;
    return KL_OK;
}

static void example_said(example *e, const kl_diag *d)
{
    for (int i = 0; i < kl_diag_size(d); i++)
        snprintf(e->said + strlen(e->said), sizeof e->said - strlen(e->said), "%s\n",
                 kl_diag_at(d, i)->text);
}

/* "a=b c=d" to overrides; `step=`, `tolerance=` and `integrator=` (0, 1, 2) belong to the settings
 */
static int example_sets(char *words, kl_override *over, kl_settings *s)
{
    int n = 0;
    for (char *w = strtok(words, " "); w; w = strtok(NULL, " ")) {
        char *equals = strchr(w, '=');
        *equals      = '\0';
        if (strcmp(w, "step") == 0) s->step = strtod(equals + 1, NULL);
        else if (strcmp(w, "tolerance") == 0) s->tolerance = strtod(equals + 1, NULL);
        else if (strcmp(w, "integrator") == 0) s->integrator = atoi(equals + 1);
        else over[n++] = (kl_override){.name = w, .text = equals + 1};
        assert_true(n < EXAMPLE_SETS);
    }
    return n;
}

/* `channels` end with NULL. Fails the test where it does not run, unless `expected` says what is to
 * come: then the status is compared. */
static void example_try(const char *name, const char *set, double end, double every,
                        const char *const *channels, kl_status expected, example *e)
{
    char        path[1024], words[512];
    kl_override over[EXAMPLE_SETS];
    kl_settings given = {.step = NAN, .tolerance = NAN, .integrator = -1};
    memset(e, 0, sizeof *e);
    snprintf(path, sizeof path, "%s/examples/%s/model.yaml", KL_SOURCE_DIR, name);
    snprintf(words, sizeof words, "%s", set);
    int            n      = example_sets(words, over, &given);
    kl_diag       *d      = kl_diag_create();
    kl_source     *source = NULL;
    kl_model      *m      = NULL;
    kl_simulation *s      = NULL;
    kl_status      status = kl_source_read(path, d, &source);
    if (status == KL_OK) status = kl_source_build(source, over, n, d, &m);
    if (status == KL_OK && !isnan(given.step)) m->settings.step = given.step;
    if (status == KL_OK && !isnan(given.tolerance)) m->settings.tolerance = given.tolerance;
    if (status == KL_OK && given.integrator >= 0) m->settings.integrator = given.integrator;
    if (status == KL_OK) status = kl_simulation_create(m, d, &s);
    if (status == KL_OK) {
        kl_sink sink = {.context = e, .row = example_row};
        for (; channels[e->nchannel]; e->nchannel++) {
            e->channel[e->nchannel] = kl_channels_find(s->channels, channels[e->nchannel]);
            if (e->channel[e->nchannel] < 0)
                fail_msg("%s has no channel %s", name, channels[e->nchannel]);
        }
        status   = kl_simulation_run(s, end, every, &sink, d);
        e->steps = s->count.steps;
    }
    example_said(e, d);
    if (status != expected) fail_msg("%s with %s: status %d\n%s", name, set, status, e->said);
    kl_simulation_destroy(s);
    kl_model_destroy(m);
    kl_source_destroy(source);
    kl_diag_destroy(d);
}

static inline void example_run(const char *name, const char *set, double end, double every,
                               const char *const *channels, example *e)
{
    example_try(name, set, end, every, channels, KL_OK, e);
}

/* the last row of channel i */
static inline double example_last(const example *e, int i) { return e->value[e->n - 1][i]; }

/* largest size of channel i */
static inline double example_peak(const example *e, int i)
{
    double most = 0.0;
    for (int k = 0; k < e->n; k++) most = fmax(most, fabs(e->value[k][i]));
    return most;
}

/* largest difference of channel i */
static inline double example_apart(const example *a, const example *b, int i)
{
    double most = 0.0;
    assert_int_equal(a->n, b->n);
    for (int k = 0; k < a->n; k++) most = fmax(most, fabs(a->value[k][i] - b->value[k][i]));
    return most;
}

#endif
