/* The public library: a thin coat over source, model and simulation. */
#include "klingel/klingel.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "language/build.h"
#include "results/record.h"
#include "solve/simulation.h"

/* A parameter that was set: one block of memory, which starts at `name`. */
typedef struct setting {
    char *name, *text;
} setting;

/* An input that was set. */
typedef struct held {
    char  *name;
    double value;
} held;

struct kl_machine {
    kl_diag       *diag;
    kl_status      status; /* of the last call */
    kl_source     *source;
    kl_model      *model; /* model and simulation: both or neither */
    kl_simulation *simulation;
    const double  *values; /* of all channels at the present time; NULL: before the start */
    bool           moved;  /* the simulation is no longer as it was made */
    bool           jumped; /* an input changed since the last step */
    setting       *set;
    held          *input;
    int            nset, ninput;
    bool (*continue_run)(void *context, double time);
    void *context;
};

const char *kl_version(void) { return KL_VERSION; }

/* ---- calls and their messages ---- */

/* A new call forgets the messages of the last one. Without messages this takes no memory. */
static void clear_messages(kl_machine *s)
{
    if (kl_diag_size(s->diag) > 0 || kl_diag_failed(s->diag)) kl_diag_clear(s->diag);
}

/* Every call ends here: a failure has a message at least. */
static kl_status done(kl_machine *s, kl_status status)
{
    s->status = status;
    if (status != KL_OK && status != KL_E_INTERRUPTED && !kl_diag_failed(s->diag))
        kl_fail(s->diag, status, KL_NOWHERE, "%s", kl_status_text(status));
    return status;
}

kl_status kl_machine_status(const kl_machine *s) { return s ? s->status : KL_E_MEMORY; }

int kl_machine_messages(const kl_machine *s) { return s ? kl_diag_size(s->diag) : 0; }

const char *kl_machine_message(const kl_machine *s, int i)
{
    return s && i >= 0 && i < kl_diag_size(s->diag) ? kl_diag_at(s->diag, i)->text : NULL;
}

/* ---- building ---- */

static void drop_motion(kl_machine *s)
{
    kl_simulation_destroy(s->simulation);
    s->simulation = NULL;
    s->values     = NULL;
    s->moved = s->jumped = false;
}

/* A simulation before its start, with the inputs that were set. */
static kl_status fresh_simulation(const kl_machine *s, const kl_model *m, kl_simulation **out)
{
    KL_TRY(kl_simulation_create(m, s->diag, out));
    for (int i = 0; i < s->ninput; i++) {
        int k = kl_model_find_input(m, s->input[i].name);
        if (k >= 0) kl_state_set_input(m, (*out)->solver->s, k, &s->input[i].value, 1);
    }
    return KL_OK;
}

/* Builds the model with these settings; on failure the machine keeps the one it has. */
static kl_status rebuild(kl_machine *s, const setting *set, int n)
{
    kl_model      *model      = NULL;
    kl_simulation *simulation = NULL;
    kl_override   *list       = calloc((size_t)n + 1, sizeof *list);
    if (!list) return KL_E_MEMORY;
    for (int i = 0; i < n; i++) list[i] = (kl_override){.name = set[i].name, .text = set[i].text};
    kl_status status = kl_source_build(s->source, list, n, s->diag, &model);
    free(list);
    if (status == KL_OK) status = fresh_simulation(s, model, &simulation);
    if (status != KL_OK) {
        kl_model_destroy(model);
        return status;
    }
    drop_motion(s);
    kl_model_destroy(s->model);
    s->model      = model;
    s->simulation = simulation;
    return KL_OK;
}

static kl_machine *machine_create(void)
{
    kl_machine *s = calloc(1, sizeof *s);
    if (s && !(s->diag = kl_diag_create())) {
        free(s);
        return NULL;
    }
    return s;
}

kl_machine *kl_machine_load(const char *path)
{
    kl_machine *s = machine_create();
    if (!s) return NULL;
    kl_status status = path ? kl_source_read(path, s->diag, &s->source) : KL_E_USAGE;
    if (status == KL_OK) status = rebuild(s, NULL, 0);
    done(s, status);
    return s;
}

kl_machine *kl_machine_parse(const char *text, size_t length, const char *name)
{
    kl_machine *s = machine_create();
    if (!s) return NULL;
    kl_status status =
        text ? kl_source_parse(text, length, name ? name : "model", s->diag, &s->source)
             : KL_E_USAGE;
    if (status == KL_OK) status = rebuild(s, NULL, 0);
    done(s, status);
    return s;
}

void kl_machine_free(kl_machine *s)
{
    if (!s) return;
    drop_motion(s);
    kl_model_destroy(s->model); /* borrows the source's texts */
    kl_source_destroy(s->source);
    for (int i = 0; i < s->nset; i++) free(s->set[i].name);
    for (int i = 0; i < s->ninput; i++) free(s->input[i].name);
    free(s->set);
    free(s->input);
    kl_diag_destroy(s->diag);
    free(s);
}

/* ---- parameters ---- */

static bool setting_init(setting *s, const char *name, const char *text)
{
    size_t n = strlen(name) + 1, m = strlen(text) + 1;
    s->name = malloc(n + m);
    if (!s->name) return false;
    s->text = s->name + n;
    memcpy(s->name, name, n);
    memcpy(s->text, text, m);
    return true;
}

/* Where the setting of that name stands, or behind the last one. */
static int setting_of(const kl_machine *s, const char *name)
{
    int i = 0;
    while (i < s->nset && strcmp(s->set[i].name, name) != 0) i++;
    return i;
}

kl_status kl_machine_set_text(kl_machine *s, const char *parameter, const char *value)
{
    if (!s) return KL_E_USAGE;
    if (!s->source) return s->status; /* it was not read, and the messages say why */
    clear_messages(s);
    if (!parameter || !value) return done(s, KL_E_USAGE);

    /* the settings as they will be; the old ones stand until the model is there */
    setting *set = malloc(((size_t)s->nset + 1) * sizeof *set), changed;
    if (!set || !setting_init(&changed, parameter, value)) {
        free(set);
        return done(s, KL_E_MEMORY);
    }
    int i = setting_of(s, parameter), n = i < s->nset ? s->nset : s->nset + 1;
    if (s->nset > 0) memcpy(set, s->set, (size_t)s->nset * sizeof *set);
    set[i]           = changed;
    kl_status status = rebuild(s, set, n);
    if (status != KL_OK) {
        free(changed.name);
        free(set);
        return done(s, status);
    }
    if (i < s->nset) free(s->set[i].name);
    free(s->set);
    s->set  = set;
    s->nset = n;
    return done(s, KL_OK);
}

kl_status kl_machine_set(kl_machine *s, const char *parameter, double si_value)
{
    char text[40];
    if (s && s->source && !isfinite(si_value)) {
        clear_messages(s);
        return done(s, kl_fail(s->diag, KL_E_RANGE, KL_NOWHERE,
                               "parameter '%s' was set to %g; give a finite number",
                               parameter ? parameter : "?", si_value));
    }
    snprintf(text, sizeof text, "%.17g", si_value);
    return kl_machine_set_text(s, parameter, text);
}

double kl_machine_parameter(const kl_machine *s, const char *parameter)
{
    if (!s || !s->model || !parameter) return NAN;
    for (int i = 0; i < s->model->nparameter; i++)
        if (strcmp(s->model->parameter[i].name, parameter) == 0)
            return s->model->parameter[i].value.value;
    return NAN;
}

/* ---- moving ---- */

/* A simulation that has moved gives way to a new one. */
static kl_status renew(kl_machine *s)
{
    if (s->simulation && !s->moved) return KL_OK;
    drop_motion(s);
    return fresh_simulation(s, s->model, &s->simulation);
}

static kl_status sample(kl_machine *s)
{
    return kl_simulation_sample(s->simulation, s->diag, &s->values);
}

static kl_status start(kl_machine *s)
{
    KL_TRY(renew(s));
    s->moved = true;
    KL_TRY(kl_simulation_start(s->simulation, s->diag));
    return sample(s);
}

/* What every call that moves needs: a model, and the messages of the last call forgotten. When the
 * last simulation could not be made for want of memory, it is made now. */
static kl_status ready(kl_machine *s)
{
    if (!s) return KL_E_USAGE;
    if (!s->model) return s->status == KL_OK ? KL_E_MODEL : s->status;
    clear_messages(s);
    if (s->simulation) return KL_OK;
    return done(s, fresh_simulation(s, s->model, &s->simulation));
}

kl_status kl_machine_start(kl_machine *s)
{
    KL_TRY(ready(s));
    return done(s, start(s));
}

/* Accelerations jump with an input, so the integrator begins anew. */
static kl_status settle(kl_machine *s)
{
    kl_simulation *x = s->simulation;
    if (!s->jumped) return KL_OK;
    KL_TRY(kl_simulation_input(x, s->diag));
    s->jumped = false;
    return KL_OK;
}

/* Steps until `until`, or one step. */
static kl_status move(kl_machine *s, double until, bool one)
{
    if (!s->values) KL_TRY(start(s));
    double now = s->simulation->solver->s->t;
    if (!isfinite(until) || until < now)
        return kl_fail(s->diag, KL_E_USAGE, KL_NOWHERE,
                       "the machine is at %.9g s and cannot be moved to %.9g s; "
                       "kl_machine_start() goes back to the start",
                       now, until);
    KL_TRY(settle(s));
    kl_status status = KL_OK;
    while (status == KL_OK && s->simulation->solver->s->t < until) {
        status = kl_simulation_step(s->simulation, until, s->diag);
        if (status == KL_OK && s->continue_run &&
            !s->continue_run(s->context, s->simulation->solver->s->t))
            status = KL_E_INTERRUPTED;
        if (one || s->simulation->ended) break;
    }
    kl_status sampled = sample(s);
    return status != KL_OK ? status : sampled;
}

kl_status kl_machine_advance(kl_machine *s, double until)
{
    KL_TRY(ready(s));
    return done(s, move(s, until, false));
}

kl_status kl_machine_step(kl_machine *s, double until)
{
    KL_TRY(ready(s));
    return done(s, move(s, until, true));
}

double kl_machine_time(const kl_machine *s)
{
    return s && s->simulation ? s->simulation->solver->s->t : 0.0;
}

size_t kl_machine_state_size(const kl_machine *s)
{
    return s && s->simulation ? (size_t)kl_simulation_pack_size(s->simulation) : 0;
}

kl_status kl_machine_save(kl_machine *s, double *state, size_t n)
{
    KL_TRY(ready(s));
    if (!state || !s->values || n < kl_machine_state_size(s)) return done(s, KL_E_USAGE);
    kl_simulation_pack(s->simulation, state);
    return done(s, KL_OK);
}

kl_status kl_machine_restore(kl_machine *s, const double *state, size_t n)
{
    KL_TRY(ready(s));
    if (!state || n > (size_t)INT_MAX) return done(s, KL_E_USAGE);
    KL_TRY(done(s, renew(s)));
    s->moved         = true;
    kl_status status = kl_simulation_resume(s->simulation, state, (int)n, s->diag);
    if (status == KL_OK) status = sample(s);
    return done(s, status);
}

static kl_status unknown_input(kl_machine *s, const char *name)
{
    const kl_model *m    = s->model;
    const char    **list = calloc((size_t)m->ninput + 1, sizeof *list);
    if (!list) return KL_E_MEMORY;
    for (int i = 0; i < m->ninput; i++) list[i] = m->input[i].name;
    const char *near = kl_nearest(name, list);
    kl_fail(s->diag, KL_E_NAME, (kl_place){.file = m->file}, "the model has no input '%s'%s%s%s",
            name, near ? "; did you mean '" : "; define it under `inputs:`", near ? near : "",
            near ? "'?" : "");
    free((void *)list);
    return KL_E_NAME;
}

/* Remembers an input, so that a new start keeps it. */
static kl_status hold(kl_machine *s, const char *name, double value)
{
    for (int i = 0; i < s->ninput; i++)
        if (strcmp(s->input[i].name, name) == 0) {
            s->input[i].value = value;
            return KL_OK;
        }
    size_t length = strlen(name) + 1;
    held  *more   = realloc(s->input, ((size_t)s->ninput + 1) * sizeof *more);
    if (!more) return KL_E_MEMORY;
    s->input   = more;
    char *copy = malloc(length);
    if (!copy) return KL_E_MEMORY;
    s->input[s->ninput++] = (held){.name = memcpy(copy, name, length), .value = value};
    return KL_OK;
}

static kl_status set_input(kl_machine *s, const char *input, const double *c, int n)
{
    if (!input || !c || n < 1 || n > KL_INPUT_DEGREE + 1)
        return kl_fail(s->diag, KL_E_USAGE, KL_NOWHERE,
                       "give the name of an input and 1 to %d coefficients", KL_INPUT_DEGREE + 1);
    int k = kl_model_find_input(s->model, input);
    if (k < 0) return unknown_input(s, input);
    for (int i = 0; i < n; i++)
        if (!isfinite(c[i]))
            return kl_fail(s->diag, KL_E_RANGE, KL_NOWHERE,
                           "input '%s' was set to %g; give a finite number", input, c[i]);
    KL_TRY(hold(s, input, c[0]));
    kl_state_set_input(s->model, s->simulation->solver->s, k, c, n);
    s->jumped = s->values != NULL;
    return KL_OK;
}

kl_status kl_machine_input(kl_machine *s, const char *input, double si_value)
{
    KL_TRY(ready(s));
    return done(s, set_input(s, input, &si_value, 1));
}

kl_status kl_machine_input_polynomial(kl_machine *s, const char *input, const double *coefficients,
                                      int n)
{
    KL_TRY(ready(s));
    return done(s, set_input(s, input, coefficients, n));
}

kl_status kl_machine_input_ramp(kl_machine *s, const char *input, double begin, double end,
                                double until)
{
    KL_TRY(ready(s));
    double over = until - kl_machine_time(s), c[2] = {begin, (end - begin) / over};
    if (!(over > 0.0))
        return done(s, kl_fail(s->diag, KL_E_USAGE, KL_NOWHERE,
                               "the ramp of input '%s' ends at %.9g s, and the machine is at %.9g "
                               "s; give a later time",
                               input ? input : "?", until, kl_machine_time(s)));
    return done(s, set_input(s, input, c, 2));
}

/* ---- reading values ---- */

static const kl_channel *channel_at(const kl_machine *s, int i)
{
    bool there = s && s->simulation && i >= 0 && i < kl_channels_count(s->simulation->channels);
    return there ? kl_channels_at(s->simulation->channels, i) : NULL;
}

int kl_machine_channels(const kl_machine *s)
{
    return s && s->simulation ? kl_channels_count(s->simulation->channels) : 0;
}

const char *kl_machine_channel_name(const kl_machine *s, int channel)
{
    const kl_channel *c = channel_at(s, channel);
    return c ? c->name : NULL;
}

const char *kl_machine_channel_unit(const kl_machine *s, int channel)
{
    const kl_channel *c = channel_at(s, channel);
    return c ? c->unit : NULL;
}

int kl_machine_channel(const kl_machine *s, const char *name)
{
    return s && s->simulation && name ? kl_channels_find(s->simulation->channels, name) : -1;
}

double kl_machine_value(const kl_machine *s, int channel)
{
    if (!channel_at(s, channel) || !s->values) return NAN;
    return s->values[channel];
}

/* ---- a whole run ---- */

double kl_machine_end(const kl_machine *s) { return s && s->model ? s->model->settings.end : 0.0; }

double kl_machine_every(const kl_machine *s)
{
    return s && s->model ? s->model->settings.every : 0.0;
}

static kl_status run(kl_machine *s, const char *path)
{
    if (!path) return KL_E_USAGE;
    KL_TRY(renew(s));
    kl_recording r   = {.path         = path,
                        .model_text   = kl_source_text(s->source),
                        .end          = s->model->settings.end,
                        .continue_run = s->continue_run,
                        .context      = s->context};
    s->moved         = true;
    kl_status status = kl_record(s->simulation, &r, s->diag);

    /* a run that did not get to its start leaves the machine before it */
    if (status != KL_OK && s->simulation->count.steps == 0) return status;
    kl_status sampled = sample(s);
    return status != KL_OK ? status : sampled;
}

kl_status kl_machine_run(kl_machine *s, const char *results_path)
{
    KL_TRY(ready(s));
    return done(s, run(s, results_path));
}

void kl_machine_watch(kl_machine *s, bool (*continue_run)(void *context, double time),
                      void       *context)
{
    if (!s) return;
    s->continue_run = continue_run;
    s->context      = context;
}
