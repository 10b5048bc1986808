#include "cli/hunting.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/groups.h"
#include "solve/eigenvalues.h"

kl_status kl_ride_open(kl_hunting *k, double speed, kl_ride *r)
{
    *r = (kl_ride){0};
    snprintf(k->value, sizeof k->value, "%.17g m/s", speed);
    KL_TRY(kl_source_build(k->source, k->set, k->nset, k->diag, &r->m));
    if (k->tolerance > 0.0) r->m->settings.tolerance = fmin(k->tolerance, r->m->settings.tolerance);
    return kl_simulation_create(r->m, k->diag, &r->s);
}

void kl_ride_close(kl_ride *r)
{
    kl_simulation_destroy(r->s);
    kl_model_destroy(r->m);
    *r = (kl_ride){0};
}

/* ---- linear ---- */

/* Errors of `from` alone: that an equilibrium is unstable is what was asked for. */
static void pass_errors(const kl_diag *from, kl_status status, kl_hunting *k)
{
    for (int i = 0; from && i < kl_diag_size(from); i++)
        if (kl_diag_at(from, i)->severity == KL_ERROR)
            kl_fail(k->diag, status, KL_NOWHERE, "at %s: %s", k->value, kl_diag_at(from, i)->text);
}

/* Largest real part of the eigenvalues at a speed and its frequency [Hz]. The model is centred (y0
 * = 0), because the linear limit is that of small motions about the middle of the track. Of each
 * complex pair the eigenvalue with im >= 0 counts; neutral ones (free rolling) have no growth. */
kl_status kl_hunting_growth(kl_hunting *k, double speed, double *growth, double *frequency)
{
    kl_ride      r;
    kl_linear   *l    = NULL;
    kl_spectrum *s    = NULL;
    kl_diag     *diag = kl_diag_create();
    snprintf(k->start, sizeof k->start, "0");
    k->nset += k->centred;
    kl_status status = kl_ride_open(k, speed, &r);
    k->nset -= k->centred;
    if (status == KL_OK) status = kl_analysis_find_state(r.s, KL_AT_EQUILIBRIUM, diag);
    if (status == KL_OK) status = kl_linearize(r.s->solver, NULL, diag, &l);
    if (status == KL_OK) status = kl_spectrum_find(r.s->solver, l, false, diag, &s);
    *growth    = -INFINITY;
    *frequency = 0.0;
    for (int i = 0; status == KL_OK && i < s->n; i++) {
        const kl_eigenmode *e = &s->mode[i];
        if (e->neutral || e->im < 0.0 || e->re <= *growth) continue;
        *growth    = e->re;
        *frequency = e->im / (2.0 * KL_PI);
    }
    if (status != KL_OK) pass_errors(diag, status, k);
    kl_diag_destroy(diag);
    kl_spectrum_destroy(s);
    kl_linear_destroy(l);
    kl_ride_close(&r);
    return status;
}

/* ---- motion ---- */

void kl_hunting_discard_copy(kl_hunting *k)
{
    free(k->q);
    k->q = NULL;
}

static size_t motion_bytes(const kl_hunting *k)
{
    return (size_t)(k->nq + 2 * k->nv + k->nz + k->nh + 1) * sizeof(double);
}

double *kl_hunting_copy(const kl_hunting *k)
{
    double *copy = k->q ? malloc(motion_bytes(k)) : NULL;
    return copy ? memcpy(copy, k->q, motion_bytes(k)) : NULL;
}

void kl_hunting_restore(kl_hunting *k, const double *copy)
{
    if (k->q && copy) memcpy(k->q, copy, motion_bytes(k));
}

static kl_status make_room(kl_hunting *k, const kl_model *m)
{
    if (k->q) return KL_OK;
    k->nq = m->nq, k->nv = m->nv, k->nz = m->nz, k->nh = m->nh;
    k->q = calloc(1, motion_bytes(k));
    if (!k->q) return KL_E_MEMORY;
    k->v  = k->q + k->nq;
    k->v0 = k->v + k->nv;
    k->z  = k->v0 + k->nv;
    k->h  = k->z + k->nz;
    return KL_OK;
}

/* A disturbance of a model that starts in its equilibrium. */
static kl_status disturb_equilibrium(const kl_hunting *k, kl_ride *r)
{
    double *v = r->s->solver->s->v;
    if (k->kick == 0.0) return KL_OK;
    for (int i = 1; i < r->m->nbody; i++) {
        kl_group g = kl_body_group(&r->m->body[i], KL_TRANSLATION);
        if (g.nv > 0) v[g.v + 1] += k->kick;
    }
    return kl_simulation_move(r->s, k->diag);
}

/* The motion of the last speed, its velocities changed as the start's change with the speed. */
static kl_status take_over(kl_hunting *k, kl_ride *r)
{
    kl_state *s = r->s->solver->s;
    if (!k->q) return disturb_equilibrium(k, r);
    memcpy(s->q, k->q, (size_t)k->nq * sizeof(double));
    for (int i = 0; i < k->nv; i++) s->v[i] += k->v[i] - k->v0[i];
    memcpy(s->z, k->z, (size_t)k->nz * sizeof(double));
    memcpy(s->h, k->h, (size_t)k->nh * sizeof(double));
    return kl_simulation_move(r->s, k->diag);
}

static kl_status keep(kl_hunting *k, const kl_ride *r, const double *v0)
{
    const kl_state *s = r->s->solver->s;
    KL_TRY(make_room(k, r->m));
    memcpy(k->q, s->q, (size_t)k->nq * sizeof(double));
    memcpy(k->v, s->v, (size_t)k->nv * sizeof(double));
    memcpy(k->v0, v0, (size_t)k->nv * sizeof(double));
    memcpy(k->z, s->z, (size_t)k->nz * sizeof(double));
    memcpy(k->h, s->h, (size_t)k->nh * sizeof(double));
    return KL_OK;
}

/* Index of the channel: the one named, or the first `shift` of an element. */
kl_status kl_hunting_channel(const kl_hunting *k, const kl_ride *r, int *index)
{
    const kl_channels *c = r->s->channels;

    *index = k->channel ? kl_channels_find(c, k->channel) : -1;
    for (int i = 0; !k->channel && i < kl_channels_count(c) && *index < 0; i++) {
        const char *dot = strrchr(kl_channels_at(c, i)->name, '.');
        if (dot && strcmp(dot, ".shift") == 0) *index = i;
    }
    if (*index >= 0) return KL_OK;
    return kl_fail(k->diag, KL_E_MODEL, KL_NOWHERE,
                   k->channel ? "there is no channel `%s`; run the model and list its channels "
                                "with `klingel export OUT.h5 --list`"
                              : "the model has no wheel-rail element, so the amplitude needs a "
                                "channel, for example --channel wheelset.position.y%s",
                   k->channel ? k->channel : "");
}

/* Extremes and crossings of the mean of rows [from, to). */
static double span(const double *y, int from, int to)
{
    double low = INFINITY, high = -INFINITY;
    for (int i = from; i < to; i++) low = fmin(low, y[i]), high = fmax(high, y[i]);
    return 0.5 * (high - low);
}

static double crossing_rate(const double *y, int from, int to, double every)
{
    double mean = 0.0, first = 0.0, last = 0.0;
    int    n = 0;
    for (int i = from; i < to; i++) mean += y[i] / (to - from);
    for (int i = from; i + 1 < to; i++) {
        if (!(y[i] < mean && y[i + 1] >= mean)) continue;
        double t = every * (i + (mean - y[i]) / (y[i + 1] - y[i]));
        if (n++ == 0) first = t;
        last = t;
    }
    return n > 1 ? (n - 1) / (last - first) : 0.0;
}

static void judge(const double *y, int n, double every, kl_cycle *out)
{
    double before  = span(y, n / 3, 2 * n / 3);
    out->amplitude = span(y, 2 * n / 3, n);
    out->travel    = span(y, 0, n);
    out->frequency = crossing_rate(y, 2 * n / 3, n, every);
    out->change    = before > 0.0 ? out->amplitude / before - 1.0 : 0.0;
}

/* Rows of the channel, `every` apart. */
static kl_status follow(const kl_hunting *k, kl_ride *r, int channel, int n, double every,
                        double *y)
{
    double t0 = r->s->solver->s->t;
    for (int i = 0; i < n; i++) {
        const double *values;
        while (r->s->solver->s->t < t0 + i * every)
            KL_TRY(kl_simulation_step(r->s, t0 + i * every, k->diag));
        KL_TRY(kl_simulation_sample(r->s, k->diag, &values));
        y[i] = values[channel];
    }
    return KL_OK;
}

kl_status kl_hunting_cycle(kl_hunting *k, double speed, kl_cycle *out)
{
    const double every = 2e-3; /* some 50 rows in a period of hunting */
    int          n = (int)(k->settle / every) + 2, channel = -1;
    double      *y = calloc((size_t)n, sizeof *y), *v0 = NULL;
    kl_ride      r;
    kl_status    status = kl_ride_open(k, speed, &r);
    if (status == KL_OK) status = kl_simulation_start(r.s, k->diag);
    if (status == KL_OK) status = kl_hunting_channel(k, &r, &channel);
    if (status == KL_OK) v0 = calloc((size_t)r.m->nv + 1, sizeof *v0);
    if (!y || (status == KL_OK && !v0)) status = KL_E_MEMORY;
    if (status == KL_OK) {
        memcpy(v0, r.s->solver->s->v, (size_t)r.m->nv * sizeof *v0);
        status = take_over(k, &r);
    }
    if (status == KL_OK) status = follow(k, &r, channel, n, every, y);
    if (status == KL_OK) judge(y, n, every, out);
    if (status == KL_OK) status = keep(k, &r, v0);
    free(v0);
    free(y);
    kl_ride_close(&r);
    return status;
}

/* ---- cycle after cycle ---- */

/* Takes rows in and closes a cycle at each rising zero. */
typedef struct counter {
    double low, high, last, t;
    bool   begun;
} counter;

static void take_row(counter *c, double t, double y, kl_swings *out)
{
    c->low = fmin(c->low, y), c->high = fmax(c->high, y);
    if (c->last < 0.0 && y >= 0.0) {
        if (c->begun && out->n < KL_CYCLES_MOST) {
            out->time[out->n]        = t - (t - c->t) * y / (y - c->last);
            out->amplitude[out->n++] = 0.5 * (c->high - c->low);
        }
        c->begun = true;
        c->low = c->high = y;
    }
    c->last = y, c->t = t;
}

/* Runs for the settling time and collects the amplitudes of cycles: half the range between two
 * upward zero crossings. It stops early when an amplitude leaves [low, high]: below `low` the
 * motion has decayed, above `high` it grows. */
static kl_status swing(kl_hunting *k, kl_ride *r, double low, double high, kl_swings *out)
{
    /* 2 kHz: a hunting motion of 10 Hz has 200 rows in a cycle, so its extrema are exact to
     * 1e-4. */
    const double every = 5e-4;
    int          channel;
    counter      c = {0};
    KL_TRY(kl_hunting_channel(k, r, &channel));
    for (int i = 0; i * every < k->settle; i++) {
        const double *values;
        while (r->s->solver->s->t < i * every) KL_TRY(kl_simulation_step(r->s, i * every, k->diag));
        KL_TRY(kl_simulation_sample(r->s, k->diag, &values));
        take_row(&c, i * every, values[channel], out);
        double last = out->n > 0 ? out->amplitude[out->n - 1] : 0.5 * (low + high);
        if (last < low || last > high) break;
    }
    int    n    = out->n;
    double last = n > 0 ? out->amplitude[n - 1] : 0.0;
    out->grown  = last > high || (n > 1 && last > low && last > out->amplitude[n - 2]);
    return KL_OK;
}

kl_status kl_hunting_swings(kl_hunting *k, double speed, double start, double low, double high,
                            kl_swings *out)
{
    kl_ride r;
    memset(out, 0, sizeof *out);
    snprintf(k->start, sizeof k->start, "%.17g m", start);
    k->nset++;
    kl_status status = kl_ride_open(k, speed, &r);
    k->nset--;
    if (status == KL_OK) status = kl_simulation_start(r.s, k->diag);
    if (status == KL_OK) status = swing(k, &r, low, high, out);
    kl_ride_close(&r);
    return status;
}

/* The last cycle up to which two runs from either side of the edge stay together is the unstable
 * limit cycle; from there on their distance grows by the multiplier each cycle. */
static bool read_edge(const kl_swings *down, const kl_swings *up, kl_edge *out)
{
    int n = down->n < up->n ? down->n : up->n, at = 0;
    for (int i = 0; i < n; i++)
        if (up->amplitude[i] - down->amplitude[i] < 2e-3 * up->amplitude[i]) at = i;
    if (at == 0) return false; /* the runs part before they have settled on a cycle */
    out->amplitude  = 0.5 * (down->amplitude[at] + up->amplitude[at]);
    out->frequency  = 1.0 / (up->time[at] - up->time[at - 1]);
    out->multiplier = (double)NAN;
    int last = at + 1 < n ? at + 1 : at, first = last > 3 ? last - 3 : 0;
    if (last > first)
        out->multiplier = pow((up->amplitude[last] - down->amplitude[last]) /
                                  (up->amplitude[first] - down->amplitude[first]),
                              1.0 / (last - first));
    return true;
}

kl_status kl_hunting_edge(kl_hunting *k, double speed, double most, double rest, double high,
                          kl_edge *out, bool *found)
{
    kl_swings *runs = calloc(3, sizeof *runs), *down = runs, *up = runs + 1, *now = runs + 2;
    double     a = 0.0, b = most, mid = rest;
    kl_status  status = runs ? KL_OK : KL_E_MEMORY;
    *found            = false;
    /* near the stable limit cycle a motion has grown */
    double top = 0.995 * high;
    for (int pass = 0; pass < 40 && status == KL_OK && b - a > 1e-12 * b; pass++) {
        status = kl_hunting_swings(k, speed, mid, rest, top, now);
        if (status != KL_OK) break;
        kl_swings *side = now->grown ? up : down;
        if (now->grown) b = mid;
        else a = mid, *found = true;
        memcpy(side, now, sizeof *now);
        if (b == rest) break; /* the smallest start grows already */
        mid = 0.5 * (a + b);
    }
    *found = status == KL_OK && *found && up->n > 0 && read_edge(down, up, out);
    free(runs);
    return status;
}
