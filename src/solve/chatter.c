#include "solve/chatter.h"

#include <math.h>
#include <string.h>

#include "solve/integrator.h"

enum { STEPS = 400, RANGE = 100, WATCH = 200, FLIPS = 12 };

struct kl_chatter {
    double short_step; /* mean step at which a run counts as crawling [s] */
    int    count;      /* steps since `since` */
    double since;      /* [s] */
    double largest;    /* force in the model over the steps watched, torques over its length [N] */
    double
        peak; /* the same at the starts of all watches: what is left of a motion that has died out
                         * is rounding */
    double *low, *high; /* 6 nmarker: range of the applied forces */
    double *last;       /* 6 nmarker: of the last step */
    int    *flips;      /* nelement */
    bool    warned;     /* of a stiff element */
};

kl_chatter *kl_chatter_create(const kl_model *m, kl_arena *arena)
{
    kl_chatter *c = kl_arena_array(arena, kl_chatter, 1);
    size_t      n = 6 * (size_t)m->nmarker + 1;
    if (!c) return NULL;
    c->low        = kl_arena_array(arena, double, n);
    c->high       = kl_arena_array(arena, double, n);
    c->last       = kl_arena_array(arena, double, n);
    c->flips      = kl_arena_array(arena, int, m->nelement + 1);
    c->short_step = fmax(1e-4 * m->settings.every, 2e-6 * m->settings.end);
    c->since      = NAN;
    return kl_arena_ok(arena) ? c : NULL;
}

static double largest_of(const kl_model *m, const double *wrench)
{
    double largest = 0.0;
    for (int k = 0; k < 6 * m->nmarker; k++)
        largest = fmax(largest, fabs(wrench[k]) / (k % 6 < 3 ? 1.0 : m->length));
    return largest;
}

static void widen(kl_chatter *c, const kl_model *m, const double *wrench)
{
    bool first = c->count == STEPS + 1;
    if (first) c->largest = 0.0;
    c->largest = fmax(c->largest, largest_of(m, wrench));
    for (int k = 0; k < 6 * m->nmarker; k++) {
        c->low[k]  = first ? wrench[k] : fmin(c->low[k], wrench[k]);
        c->high[k] = first ? wrench[k] : fmax(c->high[k], wrench[k]);
    }
    if (first) memset(c->flips, 0, (size_t)m->nelement * sizeof *c->flips);
}

/* What matters of a component: a thousandth of the largest force in the model, torques over its length. */
static double floor_of(const kl_chatter *c, const kl_model *m, int k)
{
    return fmax(1e-3 * c->largest, 1e-9 * c->peak) * (k % 6 < 3 ? 1.0 : m->length);
}

/* Does a component jump across most of its range? The one with the largest range into *worst. Elements
 * with crossings are met by events. */
static bool jumps(const kl_chatter *c, const kl_model *m, const kl_element *e, const double *wrench,
                  int *worst)
{
    const double most = 0.8; /* of the range */
    double       far  = 0.0;
    for (int k = 6 * e->marker; k < 6 * (e->marker + e->nmarker) && e->nevent == 0; k++) {
        double range = c->high[k] - c->low[k], step = fabs(wrench[k] - c->last[k]);
        if (range > floor_of(c, m, k) && step > most * range && range > far)
            far = range, *worst = k;
    }
    return far > 0.0;
}

static kl_status stop(const kl_chatter *c, const kl_element *e, int worst, const kl_solver *x,
                      kl_diag *diag)
{
    bool turns = worst % 6 >= 3;
    if (kl_stopped_by_element(x, diag))
        return KL_E_STEP; /* no switch: an element has come to its end */
    return kl_fail(diag, KL_E_STEP, e->place,
                   "chatters at t = %.6g s because of '%s': its %s switches between %.4g and %.4g "
                   "%s in each step, so the step size falls to %.1e s; %s",
                   x->s->t, e->name, turns ? "torque" : "force", c->low[worst], c->high[worst],
                   turns ? "N m" : "N", (x->s->t - c->since) / c->count,
                   e->type->switching ? e->type->switching
                                      : "replace the jump by a steep slope, such as tanh(x/0.001), "
                                        "or by `friction` of a joint");
}

/* Largest range of a force of e over the steps watched; without one, a share of the force itself. */
static double force_range_of(const kl_chatter *c, const kl_element *e, double *range)
{
    double most = 0.0, force = 0.0;
    for (int k = 6 * e->marker; k < 6 * (e->marker + e->nmarker); k++) {
        if (k % 6 >= 3) continue;
        most  = fmax(most, c->high[k] - c->low[k]);
        force = fmax(force, fmax(fabs(c->high[k]), fabs(c->low[k])));
    }
    *range = most;
    return most + 1e-9 * force;
}

/* A run that crawls although nothing chatters: names the stiff element whose force changes most. */
static void report_stiff_element(kl_chatter *c, const kl_solver *x, double pace, kl_diag *diag)
{
    const kl_model   *m     = x->model;
    const kl_element *worst = NULL;
    double            most = 0.0, range = 0.0;
    for (int i = 0; i < m->nelement && !c->warned; i++) {
        double here, unrest;
        if (!m->element[i].type->too_stiff) continue;
        unrest = force_range_of(c, &m->element[i], &here);
        if (unrest > most) most = unrest, range = here, worst = &m->element[i];
    }
    if (!worst) return;
    c->warned = true;
    kl_warn(diag, worst->place,
            "at t = %.6g s '%s' keeps the steps at %.1e s (its force changed by %.3g N within %d "
            "steps); at this rate the run takes %.1e more steps; %s",
            x->s->t, worst->name, pace, range, RANGE, (m->settings.end - x->s->t) / pace,
            worst->type->too_stiff);
}

kl_status kl_chatter_check(kl_chatter *c, kl_solver *x, kl_diag *diag)
{
    const kl_model *m = x->model;
    if (isnan(c->since) || x->s->t < c->since) c->since = x->s->t, c->count = 0;
    if (c->count++ == 0 && kl_eval(m, x->s, x->w) == KL_OK)
        c->peak = fmax(c->peak, largest_of(m, x->w->wrench));
    if (c->count < STEPS) return KL_OK;
    double pace      = (x->s->t - c->since) / c->count;
    bool   over      = c->count > STEPS + RANGE + WATCH;
    bool   free_step = isnan(m->settings.step); /* else the user chose it */
    if (over && free_step && pace <= c->short_step) report_stiff_element(c, x, pace, diag);
    if (pace > c->short_step || over) {
        c->since = x->s->t, c->count = 0;
        return KL_OK;
    }
    if (c->count == STEPS || kl_eval(m, x->s, x->w) != KL_OK) return KL_OK;
    const double *wrench = x->w->wrench;
    if (c->count <= STEPS + RANGE) widen(c, m, wrench);
    for (int i = 0; c->count > STEPS + RANGE && i < m->nelement; i++) {
        const kl_element *e     = &m->element[i];
        int               worst = 6 * e->marker;
        if (!jumps(c, m, e, wrench, &worst)) continue;
        if (++c->flips[i] >= FLIPS) return stop(c, e, worst, x, diag);
    }
    memcpy(c->last, wrench, 6 * (size_t)m->nmarker * sizeof *c->last);
    return KL_OK;
}
