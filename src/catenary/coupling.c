#include "catenary/coupling.h"

#include <math.h>
#include <string.h>

/* state: energy error | iterations | spare | outputs of pantographs | one system or pair */
enum { HEAD = 4, OUTPUT = sizeof(kl_collector_output) / sizeof(double) };

static double *body_of(const kl_coupling *k, double *state) { return state + HEAD + k->n * OUTPUT; }

static kl_collector_output *outputs_of(double *state)
{
    return (kl_collector_output *)(state + HEAD);
}

/* A coupling with what moves it: the data of both subsystems during a step. */
typedef struct moving {
    const kl_coupling *k;
    kl_coupling_motion m;
} moving;

/* ---- the catenary as a subsystem: heads in (z, z', z''), contact forces out ---- */

enum { PER_HEAD = 3 };

/* Cubic between two positions with their velocities. */
static void head_between(const double *from, const double *to, double h, double s,
                         kl_collector_input *in)
{
    double s2 = s * s, s3 = s2 * s;
    in->z = (1 - 3 * s2 + 2 * s3) * from[0] + h * (s - 2 * s2 + s3) * from[1] +
            (3 * s2 - 2 * s3) * to[0] + h * (s3 - s2) * to[1];
    in->rate = 6 * (s - s2) / h * (to[0] - from[0]) + (1 - 4 * s + 3 * s2) * from[1] +
               (3 * s2 - 2 * s) * to[1];
}

/* the collection; when a step takes several exchanges also: exchanges done, room for a trial */
static int line_size(const kl_coupling *k)
{
    int whole = kl_collection_state_size(k->c);
    return k->exchanges > 1 ? 2 * whole + 1 : whole;
}

static int line_state_size(const void *data) { return line_size(((const moving *)data)->k); }

/* Heads that keep their acceleration for the time `rest` after `from`. */
static void heads_ahead(const kl_coupling *k, const double *from, double rest,
                        kl_collector_input *in)
{
    for (int i = 0; i < k->n; i++) {
        const double *head = from + PER_HEAD * i;
        in[i].z            = head[0] + rest * (head[1] + 0.5 * rest * head[2]);
        in[i].rate         = head[1] + rest * head[2];
    }
}

/* An exchange within a step of the catenary. The step is tried to its end with the heads known so
 * far; the force now lies on the line from that at its start to that at its end. The last exchange
 * takes the step itself. */
static kl_status line_part_step(const moving *of, double *state, double t, double h,
                                const double *to, double *output)
{
    const kl_coupling *k    = of->k;
    int                size = kl_collection_state_size(k->c);
    double            *done = state + size, *trial = done + 1;
    double             rest = h * (k->exchanges - 1 - *done);
    kl_collector_input in[KL_MOST_PANTOGRAPHS];
    of->m.drive(of->m.context, t + h + rest, in);
    heads_ahead(k, to, rest, in);
    *done += 1.0;
    bool last = *done == k->exchanges;
    if (last) *done = 0.0, trial = state;
    else memcpy(trial, state, (size_t)size * sizeof *state);
    KL_TRY(kl_collection_step(k->c, in, trial));
    for (int i = 0; i < k->n; i++) {
        double end = kl_collection_output(k->c, trial, i)->force;
        double now = kl_collection_output(k->c, state, i)->force;
        output[i]  = last ? end : now + *done / k->exchanges * (end - now);
    }
    return KL_OK;
}

static kl_status line_advance(const void *data, double *state, double t, double h,
                              const double *from, const double *to, double *output)
{
    const moving      *of = data;
    const kl_coupling *k  = of->k;
    kl_collector_input in[KL_MOST_PANTOGRAPHS];
    int                steps = (int)round(h / k->c->dt);
    if (k->exchanges > 1) return line_part_step(of, state, t, h, to, output);
    for (int s = 1; s <= steps; s++) {
        of->m.drive(of->m.context, t + h * s / steps, in);
        for (int i = 0; i < k->n; i++)
            head_between(from + PER_HEAD * i, to + PER_HEAD * i, h, (double)s / steps, &in[i]);
        KL_TRY(kl_collection_step(k->c, in, state));
    }
    for (int i = 0; i < k->n; i++) output[i] = kl_collection_output(k->c, state, i)->force;
    return KL_OK;
}

static const kl_subsystem_type line_type = {
    .name = "catenary",
    .help =
        "wires and contact: inputs are the heads of the pantographs, outputs the contact forces",
    .state_size = line_state_size,
    .advance    = line_advance,
};

/* ---- pantographs as a subsystem: contact forces in, motion of heads out ---- */

static int masses_state_size(const void *data)
{
    return ((const moving *)data)->k->n * KL_PANTOGRAPH_STATE;
}

static kl_status masses_advance(const void *data, double *state, double t, double h,
                                const double *from, const double *to, double *output)
{
    const moving      *of = data;
    const kl_coupling *k  = of->k;
    kl_collector_input in[KL_MOST_PANTOGRAPHS];
    for (int s = 1; s <= k->substeps; s++) {
        double share = (double)s / k->substeps;
        of->m.drive(of->m.context, t + h * share, in);
        for (int i = 0; i < k->n; i++) {
            double *m = state + i * KL_PANTOGRAPH_STATE;
            kl_pantograph_free_step(&k->own[i], &in[i].load, m);
            kl_pantograph_finish(&k->own[i], from[i] + share * (to[i] - from[i]), m);
        }
    }
    for (int i = 0; i < k->n; i++) {
        const double *m = state + i * KL_PANTOGRAPH_STATE;
        for (int d = 0; d < PER_HEAD; d++) output[PER_HEAD * i + d] = m[d * KL_PANTOGRAPH_MASSES];
    }
    return KL_OK;
}

static const kl_subsystem_type masses_type = {
    .name = "lumped-pantographs",
    .help = "chains of masses: inputs are the contact forces, outputs the motion of the heads",
    .state_size = masses_state_size,
    .advance    = masses_advance,
};

/* Constant acceleration. */
static void predict(const double *now, int n, double h, double *ahead)
{
    for (int i = 0; i < n; i += PER_HEAD) {
        ahead[i]     = now[i] + h * now[i + 1] + 0.5 * h * h * now[i + 2];
        ahead[i + 1] = now[i + 1] + h * now[i + 2];
        ahead[i + 2] = now[i + 2];
    }
}

/* ---- creation ---- */

static kl_status open_cosim(kl_coupling *k, const kl_line *line, const kl_coupling_options *o,
                            kl_arena *arena, kl_diag *diag)
{
    const double  agreed = 1e-9; /* heads [m], [m/s], [m/s2] */
    int           steps  = (int)ceil(o->exchange / o->step - 1e-9);
    kl_collector *heads  = kl_arena_array(arena, kl_collector, k->n);
    if (!heads) return KL_E_MEMORY;
    for (int i = 0; i < k->n; i++) heads[i] = k->collector[i], heads[i].prescribed = true;
    k->substeps  = (int)ceil(o->exchange / o->own - 1e-9);
    k->exchanges = (int)floor(o->step / o->exchange + 1e-9); /* 0: several steps in an exchange */
    for (int i = 0; i < k->n; i++)
        kl_pantograph_prepare(&k->collector[i].pantograph, o->exchange / k->substeps, &k->own[i]);
    k->pair     = (kl_pair){.first      = {&line_type, NULL, PER_HEAD * k->n, k->n},
                            .second     = {&masses_type, NULL, k->n, PER_HEAD * k->n},
                            .step       = o->exchange,
                            .iterations = o->iterations,
                            .tolerance  = agreed,
                            .predict    = predict};
    double step = k->exchanges > 1 ? k->exchanges * o->exchange : o->exchange / steps;
    return kl_collection_create(line, heads, k->n, step, arena, diag, &k->c);
}

kl_status kl_coupling_create(const kl_line *line, const kl_collector *collector, int n,
                             const kl_coupling_options *options, kl_arena *arena, kl_diag *diag,
                             kl_coupling **out)
{
    kl_coupling *k = kl_arena_array(arena, kl_coupling, 1);
    *out           = k;
    if (!k) return KL_E_MEMORY;
    *k = (kl_coupling){.collector = collector,
                       .n         = n,
                       .interval  = options->cosim ? options->exchange : options->step,
                       .cosim     = options->cosim};
    if (options->cosim) return open_cosim(k, line, options, arena, diag);
    return kl_collection_create(line, collector, n, options->step, arena, diag, &k->c);
}

/* The pair for this call: subsystems get the motion of the pantographs. */
static kl_pair pair_of(const moving *of)
{
    kl_pair pair     = of->k->pair;
    pair.first.data  = of;
    pair.second.data = of;
    return pair;
}

int kl_coupling_state_size(const kl_coupling *k)
{
    moving  of   = {.k = k};
    kl_pair pair = pair_of(&of);
    return HEAD + k->n * OUTPUT + (k->cosim ? kl_pair_size(&pair) : kl_collection_state_size(k->c));
}

/* ---- start and steps ---- */

/* At rest as one system, then divided among the two. */
static kl_status start_cosim(const moving *of, double t, double *state, kl_diag *diag)
{
    const kl_coupling *k     = of->k;
    kl_pair            pair  = pair_of(of);
    kl_collection      whole = *k->c;
    kl_collector_input in[KL_MOST_PANTOGRAPHS];
    double             heads[KL_MOST_PANTOGRAPHS * PER_HEAD], force[KL_MOST_PANTOGRAPHS];
    double             masses[KL_MOST_PANTOGRAPHS * KL_PANTOGRAPH_STATE];
    double            *line = body_of(k, state);
    whole.collector         = k->collector;
    of->m.drive(of->m.context, t, in);
    KL_TRY(kl_collection_start(&whole, in, line, diag));
    for (int i = 0; i < k->n; i++) {
        const double *m = kl_collection_masses(k->c, line, i);
        memcpy(masses + i * KL_PANTOGRAPH_STATE, m, KL_PANTOGRAPH_STATE * sizeof *m);
        for (int d = 0; d < PER_HEAD; d++) heads[PER_HEAD * i + d] = m[d * KL_PANTOGRAPH_MASSES];
        force[i] = kl_collection_output(k->c, line, i)->force;
    }
    /* the line's state is at the front of the pair's block already */
    memmove(kl_pair_second(&pair, line), masses,
            (size_t)k->n * KL_PANTOGRAPH_STATE * sizeof *masses);
    memcpy(kl_pair_first_input(&pair, line), heads, (size_t)(PER_HEAD * k->n) * sizeof *heads);
    memcpy(kl_pair_second_input(&pair, line), force, (size_t)k->n * sizeof *force);
    return KL_OK;
}

static void note_outputs(const moving *of, double *state)
{
    const kl_coupling *k    = of->k;
    kl_pair            pair = pair_of(of);
    double            *body = body_of(k, state);
    for (int i = 0; i < k->n; i++) {
        kl_collector_output *o = &outputs_of(state)[i];
        *o                     = *kl_collection_output(k->c, body, i);
        if (!k->cosim) continue;
        const double *head = kl_pair_first_input(&pair, body) + PER_HEAD * i;
        o->head = head[0], o->rate = head[1];
        o->force = kl_pair_second_input(&pair, body)[i];
    }
}

kl_status kl_coupling_start(const kl_coupling *k, kl_coupling_motion m, double t, double *state,
                            kl_diag *diag)
{
    kl_collector_input in[KL_MOST_PANTOGRAPHS];
    moving             of = {k, m};
    memset(state, 0, (size_t)kl_coupling_state_size(k) * sizeof *state);
    m.drive(m.context, t, in);
    KL_TRY(k->cosim ? start_cosim(&of, t, state, diag)
                    : kl_collection_start(k->c, in, body_of(k, state), diag));
    note_outputs(&of, state);
    return KL_OK;
}

static kl_status step_cosim(const moving *of, double t, double *state)
{
    const kl_coupling *k    = of->k;
    kl_pair            pair = pair_of(of);
    double            *body = body_of(k, state), before[KL_MOST_PANTOGRAPHS];
    kl_exchange        report;
    for (int i = 0; i < k->n; i++) before[i] = kl_pair_second_input(&pair, body)[i];
    KL_TRY(kl_pair_step(&pair, t, body, &report));
    for (int i = 0; i < k->n; i++) { /* work on the head as the catenary saw it and as it was */
        double mean = 0.5 * (before[i] + kl_pair_second_input(&pair, body)[i]);
        state[0] += mean * (kl_pair_assumed(&pair, body)[PER_HEAD * i] -
                            kl_pair_first_input(&pair, body)[PER_HEAD * i]);
    }
    state[1] = report.iterations;
    return KL_OK;
}

kl_status kl_coupling_step(const kl_coupling *k, kl_coupling_motion m, double t, double *state)
{
    moving of = {k, m};
    if (k->cosim) KL_TRY(step_cosim(&of, t, state));
    else {
        kl_collector_input in[KL_MOST_PANTOGRAPHS];
        m.drive(m.context, t + k->interval, in);
        KL_TRY(kl_collection_step(k->c, in, body_of(k, state)));
    }
    note_outputs(&of, state);
    return KL_OK;
}

const kl_collector_output *kl_coupling_output(const kl_coupling *k, const double *state, int i)
{
    (void)k;
    return (const kl_collector_output *)(state + HEAD) + i;
}

const double *kl_coupling_line(const kl_coupling *k, const double *state)
{
    return state + HEAD + k->n * OUTPUT;
}

const double *kl_coupling_masses(const kl_coupling *k, const double *state, int i)
{
    const double *body = kl_coupling_line(k, state);
    if (!k->cosim) return kl_collection_masses(k->c, body, i);
    return body + line_size(k) + i * KL_PANTOGRAPH_STATE;
}

double kl_coupling_energy_error(const double *state) { return state[0]; }
int    kl_coupling_iterations(const double *state) { return (int)state[1]; }
