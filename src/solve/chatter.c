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
    int    *flips;      /* nelement: jumps to and fro */
    int    *way;        /* nelement: of the last jump, 1 + its component, negative: down; 0: none */
    bool    warned;     /* of a stiff element */
    /* explicit steps */
    kl_state *base;
    kl_diag  *quiet;
    double   *a, *dx, *lambda, *q;
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
    c->way        = kl_arena_array(arena, int, m->nelement + 1);
    c->a          = kl_arena_array(arena, double, m->nv + 1);
    c->dx         = kl_arena_array(arena, double, m->nv + 1);
    c->lambda     = kl_arena_array(arena, double, m->nlam + 1);
    c->q          = kl_arena_array(arena, double, m->nq + 1);
    c->base       = kl_state_create(m);
    c->quiet      = kl_diag_create();
    c->short_step = fmax(1e-4 * m->settings.every, 2e-6 * m->settings.end);
    c->since      = NAN;
    if (c->base && c->quiet && kl_arena_ok(arena)) return c;
    kl_chatter_destroy(c);
    return NULL;
}

void kl_chatter_destroy(kl_chatter *c)
{
    if (!c) return;
    kl_state_destroy(c->base);
    kl_diag_destroy(c->quiet);
}

static double largest_of(const kl_model *m, const double *wrench)
{
    double largest = 0.0;
    for (int k = 0; k < 6 * m->nmarker; k++)
        largest = fmax(largest, fabs(wrench[k]) / (k % 6 < 3 ? 1.0 : m->length));
    return largest;
}

static void widen(kl_chatter *c, const kl_model *m, const double *wrench, bool first)
{
    if (first) c->largest = 0.0;
    c->largest = fmax(c->largest, largest_of(m, wrench));
    for (int k = 0; k < 6 * m->nmarker; k++) {
        c->low[k]  = first ? wrench[k] : fmin(c->low[k], wrench[k]);
        c->high[k] = first ? wrench[k] : fmax(c->high[k], wrench[k]);
    }
    if (!first) return;
    memset(c->flips, 0, (size_t)m->nelement * sizeof *c->flips);
    memset(c->way, 0, (size_t)m->nelement * sizeof *c->way);
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

/* A force that a motion takes in one direction changes by more than its range so far where steps become longer:
 * only a jump in the other direction counts. */
static bool jumps_back(kl_chatter *c, int element, int component, double change)
{
    int way = change > 0.0 ? 1 + component : -1 - component, before = c->way[element];
    c->way[element] = way;
    return before == 0 || before == -way;
}

/* Follows the forces at the evaluated state; `count` of the steps watched. True where one is proved to
 * switch: its element and component. */
static bool proved(kl_chatter *c, const kl_solver *x, int count, const kl_element **which,
                   int *component)
{
    const kl_model *m      = x->model;
    const double   *wrench = x->w->wrench;
    bool            found  = false;
    if (count <= STEPS + RANGE) widen(c, m, wrench, count == STEPS + 1);
    for (int i = 0; count > STEPS + RANGE && i < m->nelement && !found; i++) {
        const kl_element *e     = &m->element[i];
        int               worst = 6 * e->marker;
        if (!jumps(c, m, e, wrench, &worst)) continue;
        if (!jumps_back(c, i, worst, wrench[worst] - c->last[worst])) continue;
        if (++c->flips[i] >= FLIPS) *which = e, *component = worst, found = true;
    }
    memcpy(c->last, wrench, 6 * (size_t)m->nmarker * sizeof *c->last);
    return found;
}

/* One step of Euler's method from the solver's state. */
static kl_status explicit_step(kl_chatter *c, kl_solver *x, double h, kl_diag *diag)
{
    const kl_model *m = x->model;
    kl_state       *s = x->s;
    KL_TRY(kl_solve_acceleration(x, c->a, c->lambda, diag));
    for (int k = 0; k < m->nz; k++) s->z[k] += h * x->w->z_dot[k];
    for (int k = 0; k < m->nv; k++) {
        s->v[k] += h * c->a[k];
        c->dx[k] = h * s->v[k];
    }
    memcpy(c->q, s->q, (size_t)m->nq * sizeof(double));
    kl_model_advance(m, c->q, c->dx, s->q);
    s->t += h;
    return kl_eval(m, s, x->w);
}

/* A method with fine error control may end all its steps on one side of a threshold and cross it in
 * attempts only. Explicit steps of the same length cannot: they cross it to and fro. The
 * solver's state comes back as it was. */
static bool chatters_in_explicit_steps(kl_chatter *c, kl_solver *x, double h,
                                       const kl_element **which, int *component)
{
    bool found = false;
    kl_state_copy(c->base, x->s);
    for (int k = STEPS + 1; k < STEPS + RANGE + WATCH && !found; k++) {
        if (explicit_step(c, x, h, c->quiet) != KL_OK) break;
        found = proved(c, x, k, which, component);
    }
    kl_diag_clear(c->quiet);
    kl_state_copy(x->s, c->base);
    return kl_eval(x->model, x->s, x->w) == KL_OK && found;
}

kl_status kl_chatter_check(kl_chatter *c, kl_solver *x, kl_diag *diag)
{
    const kl_model   *m     = x->model;
    const kl_element *which = NULL;
    int               worst = 0;
    if (isnan(c->since) || x->s->t < c->since) c->since = x->s->t, c->count = 0;
    if (c->count++ == 0 && kl_eval(m, x->s, x->w) == KL_OK)
        c->peak = fmax(c->peak, largest_of(m, x->w->wrench));
    if (c->count < STEPS) return KL_OK;
    double pace      = (x->s->t - c->since) / c->count;
    bool   over      = c->count > STEPS + RANGE + WATCH;
    bool   free_step = isnan(m->settings.step); /* else the user chose it */
    bool   crawls    = pace <= c->short_step;
    if (crawls && over && free_step) {
        /* steps that follow a smooth motion coarsely distort it; in shorter ones only a switch remains */
        if (chatters_in_explicit_steps(c, x, pace, &which, &worst) &&
            chatters_in_explicit_steps(c, x, 0.1 * pace, &which, &worst))
            return stop(c, which, worst, x, diag);
        report_stiff_element(c, x, pace, diag);
    }
    if (!crawls || over) {
        c->since = x->s->t, c->count = 0;
        return KL_OK;
    }
    if (c->count == STEPS || kl_eval(m, x->s, x->w) != KL_OK) return KL_OK;
    return proved(c, x, c->count, &which, &worst) ? stop(c, which, worst, x, diag) : KL_OK;
}
