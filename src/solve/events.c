#include "solve/events.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "script/function.h"

/* ---- corners --------------------------------------------------------------------------------- */

static int ascending(const void *pa, const void *pb)
{
    double a = *(const double *)pa, b = *(const double *)pb;
    return (a > b) - (a < b);
}

/* Calls `take` for all functions of time in the model. */
static void each_function(const kl_model *m, kl_events *e,
                          void (*take)(kl_events *e, const kl_function *f))
{
    for (int i = 0; i < m->nelement + m->nbody; i++) {
        bool          element = i < m->nelement;
        const kl_key *k = element ? m->element[i].type->keys : m->body[i - m->nelement].type->keys;
        const char   *data = element ? m->element[i].data : m->body[i - m->nelement].data;
        for (; k && k->name; k++) {
            bool time = !k->by || strcmp(k->by, "s") == 0;
            if (k->kind != KL_KEY_FUNCTION || !time) continue;
            const kl_function *f = *(kl_function *const *)(const void *)(data + k->offset);
            if (f) take(e, f);
        }
    }
}

static void count_function(kl_events *e, const kl_function *f)
{
    e->ncorner += kl_function_corners(f, NULL, 0);
    e->nbranched += kl_function_branches(f);
    e->nhidden += kl_function_hides(f);
}

static void take_function(kl_events *e, const kl_function *f)
{
    int room = kl_function_corners(f, NULL, 0);
    e->ncorner += kl_function_corners(f, e->corner + e->ncorner, room);
    if (kl_function_branches(f)) e->branched[e->nbranched++] = f;
    if (kl_function_hides(f)) e->hidden[e->nhidden++] = f;
}

/* ---- ticks ---- */

enum {
    CELLS      = 16384,
    MOST_TICKS = 8192
}; /* a pulse shorter than a cell of the run may be missed */

typedef struct scan {
    const kl_model *m;
    const double   *u;
    double         *f; /* CELLS + 1 */
    kl_events      *e;
} scan;

static void tick_at(kl_events *e, double t)
{
    if (e->ntick < MOST_TICKS) e->tick[e->ntick++] = t;
}

/* From rest into motion: the first step is a cell long, the next ones may double. */
static void tick_region(scan *k, double cell, int from, int to)
{
    double start = k->m->t0 + from * cell, length = (to - from) * cell;
    if (from > 0) tick_at(k->e, start);
    for (double t = cell; t < length; t *= 2.0) tick_at(k->e, start + t);
    tick_at(k->e, start + length);
}

enum { FEW = 16 }; /* cells in which a smooth function may turn round */

/* Can steps have grown so long over a rest of cells `from` to `to` that they miss a motion of `length`
 * cells after it? Not where a smooth function hardly changes for a small part of its motion; but what
 * is constant to the last bit is no such place. */
static bool may_be_missed(const scan *k, int from, int to, int length)
{
    const int before_start = CELLS / 32; /* a motion at the start of the run comes from rest too */
    int       rest         = from == 0 ? to + before_start : to - from;
    bool      still        = to > from;
    for (int i = from; still && i < to; i++) still = k->f[i + 1] == k->f[i];
    return still || 4 * rest >= length;
}

/* The last cell of the motion that includes cell i; pauses shorter than a few cells belong to it. */
static int end_of_motion(const scan *k, int i, double change)
{
    int end = i;
    for (; i < CELLS && i - end < FEW; i++)
        if (fabs(k->f[i + 1] - k->f[i]) > change) end = i + 1;
    return end;
}

static void scan_function(scan *k, const kl_function *f)
{
    const double share = 1e-6; /* of what it changes by in all */
    double       cell = (k->m->settings.end - k->m->t0) / CELLS, low = HUGE_VAL, high = -HUGE_VAL;
    for (int i = 0; i <= CELLS; i++) {
        double out[3];
        kl_function_eval(f, k->m->t0 + i * cell, k->u, out);
        k->f[i] = out[0];
        low = fmin(low, out[0]), high = fmax(high, out[0]);
    }
    if (!(high > low) || !isfinite(high - low)) return;
    double change = share * (high - low);
    for (int from = 0, rest = 0; from < CELLS; from++) {
        if (!(fabs(k->f[from + 1] - k->f[from]) > change)) continue;
        int to = end_of_motion(k, from, change);
        if (may_be_missed(k, rest, from, to - from)) tick_region(k, cell, from, to);
        rest = from = to;
    }
}

/* Where expressions of time begin to change, seen by looking at them over the whole run. */
static kl_status find_ticks(const kl_model *m, kl_events *e)
{
    if (e->nhidden == 0 || !(m->settings.end > m->t0)) return KL_OK;
    scan    k = {.m = m, .e = e, .f = malloc((CELLS + 1) * sizeof(double))};
    double *u = calloc(KL_INPUT_VALUES * (size_t)m->ninput + 1, sizeof *u);
    e->tick   = kl_arena_array(e->arena, double, MOST_TICKS);
    if (k.f && u && e->tick) {
        for (int i = 0; i < m->ninput; i++) u[i] = m->input[i].value;
        k.u = u;
        for (int i = 0; i < e->nhidden; i++) scan_function(&k, e->hidden[i]);
        qsort(e->tick, (size_t)e->ntick, sizeof *e->tick, ascending);
    }
    bool there = k.f && u && e->tick;
    free(k.f);
    free(u);
    return there ? KL_OK : KL_E_MEMORY;
}

/* The next multiple of the interval at which elements step on their own. */
static double next_exchange(const kl_model *m, double t)
{
    double h = m->interval;
    return h > 0.0 ? m->t0 + h * (floor((t - m->t0) / h + 1e-9) + 1.0) : HUGE_VAL;
}

double kl_events_tick(const kl_events *e, double t)
{
    double exchange = next_exchange(e->m, t);
    int    low = 0, high = e->ntick;
    t += kl_events_near(t);
    while (low < high) {
        int middle = (low + high) / 2;
        if (e->tick[middle] <= t) low = middle + 1;
        else high = middle;
    }
    return low < e->ntick ? fmin(e->tick[low], exchange) : exchange;
}

/* Times that are so near to each other count as one. */
double kl_events_near(double t) { return 16.0 * DBL_EPSILON * fmax(fabs(t), 1e-6); }

kl_corner kl_events_corner(const kl_events *e, double t)
{
    int low = 0, high = e->ncorner;
    while (low < high) {
        int middle = (low + high) / 2;
        if (e->corner[middle] <= t) low = middle + 1;
        else high = middle;
    }
    double first = low < e->ncorner ? e->corner[low] : HUGE_VAL;
    if (e->found > t && e->found < first)
        return (kl_corner){.before = nextafter(e->found, -HUGE_VAL), .after = e->found};
    if (low == e->ncorner) return (kl_corner){HUGE_VAL, HUGE_VAL};
    kl_corner c = {.before = nextafter(first, -HUGE_VAL), .after = first};
    while (++low < e->ncorner && e->corner[low] <= first + kl_events_near(first))
        c.after = e->corner[low];
    return c;
}

static unsigned long branch_at(const kl_events *e, const double *u, double t)
{
    unsigned long all = 0;
    for (int i = 0; i < e->nbranched; i++)
        all = all * 31ul + kl_function_branch(e->branched[i], t, u);
    return all;
}

double kl_events_branch(kl_events *e, const double *u, double t0, double t1)
{
    if (e->nbranched == 0) return HUGE_VAL;
    unsigned long here = branch_at(e, u, t0);
    if (branch_at(e, u, t1) == here) return HUGE_VAL;
    double low = t0, high = t1;
    for (;;) {
        double middle = 0.5 * (low + high);
        if (!(middle > low && middle < high)) break;
        if (branch_at(e, u, middle) == here) low = middle;
        else high = middle;
    }
    return e->found = high;
}

double kl_events_snap(const kl_events *e, double t)
{
    kl_corner c = kl_events_corner(e, t - kl_events_near(t));
    return fabs(c.after - t) <= 2.0 * kl_events_near(t) ? c.after : t;
}

/* ---- crossings ------------------------------------------------------------------------------- */

/* How far beyond a crossing a step may end, unless the element gives a tolerance of its own. */
static void allow_depths(kl_events *e, const kl_model *m)
{
    const kl_settings *s = &m->settings;
    double length        = isnan(s->penetration) ? 10.0 * s->tolerance * m->length : s->penetration;
    e->depth[KL_CROSSING_M]   = length;
    e->depth[KL_CROSSING_RAD] = length / m->length;
    e->depth[KL_CROSSING_S]   = fmin(1e-9, 1e-11 * (s->end - m->t0));
}

kl_status kl_events_create(const kl_model *m, kl_events **out)
{
    kl_arena  *arena = kl_arena_create();
    kl_events *e     = kl_arena_array(arena, kl_events, 1);
    *out             = NULL;
    if (!e) {
        kl_arena_destroy(arena);
        return KL_E_MEMORY;
    }
    each_function(m, e, count_function);
    e->arena    = arena;
    e->m        = m;
    e->n        = m->nevent;
    e->corner   = kl_arena_array(arena, double, e->ncorner + 1);
    e->branched = kl_arena_array(arena, const kl_function *, e->nbranched + 1);
    e->hidden   = kl_arena_array(arena, const kl_function *, e->nhidden + 1);
    e->found    = -HUGE_VAL;
    e->start    = kl_arena_array(arena, kl_crossing, e->n + 1);
    e->end      = kl_arena_array(arena, kl_crossing, e->n + 1);
    e->bend     = kl_arena_array(arena, double, e->n + 1);
    e->side     = kl_arena_array(arena, signed char, e->n + 1);
    e->hard     = kl_arena_array(arena, bool, e->n + 1);
    e->aim      = HUGE_VAL;
    allow_depths(e, m);
    if (!kl_arena_ok(arena)) {
        kl_arena_destroy(arena);
        return KL_E_MEMORY;
    }
    e->ncorner = e->nbranched = e->nhidden = 0;
    each_function(m, e, take_function);
    qsort(e->corner, (size_t)e->ncorner, sizeof *e->corner, ascending);
    if (find_ticks(m, e) != KL_OK) {
        kl_arena_destroy(arena);
        return KL_E_MEMORY;
    }
    *out = e;
    return KL_OK;
}

void kl_events_destroy(kl_events *e)
{
    if (e) kl_arena_destroy(e->arena); /* itself lives in it */
}

static void all_crossings(kl_solver *x, kl_crossing *out)
{
    const kl_model *m = x->model;
    kl_eval_committed(m, x->s, x->w);
    for (int i = 0; i < m->nelement; i++) {
        const kl_element *el = &m->element[i];
        if (el->nevent == 0) continue;
        kl_reading in = kl_reading_of(m, x->s, x->w, el);
        el->type->crossings(&in, out + el->event);
    }
}

/* How far beyond a crossing a step that ends near t may end. */
static double allowed(const kl_events *e, const kl_crossing *c, double t)
{
    double depth = c->tolerance > 0.0 ? c->tolerance : e->depth[c->unit];
    return c->unit == KL_CROSSING_S ? fmax(depth, 4.0 * kl_events_near(t)) : depth;
}

void kl_events_begin(kl_events *e, kl_solver *x)
{
    e->aim = e->beyond = HUGE_VAL;
    e->found           = -HUGE_VAL;
    if (e->n == 0) return;
    all_crossings(x, e->start);
    for (int k = 0; k < e->n; k++) {
        e->side[k] = (signed char)((e->start[k].value > 0.0) - (e->start[k].value < 0.0));
        e->bend[k] = NAN;
        e->hard[k] = false;
    }
    e->hints = 0;
    e->halve = false;
}

/* Cubic through values and rates of both ends, at share x of the step. */
static double between(kl_crossing a, kl_crossing b, double h, double x)
{
    double y = 1.0 - x;
    return y * y * ((1.0 + 2.0 * x) * a.value + x * h * a.rate) +
           x * x * ((1.0 + 2.0 * y) * b.value - y * h * b.rate);
}

/* Share of the step where the cubic, times `side`, falls through `level`; it is above at 0 and
 * below at `high`. */
static double share_of(kl_crossing a, kl_crossing b, double h, int side, double level, double high)
{
    double low = 0.0;
    for (int i = 0; i < 60; i++) {
        double middle = 0.5 * (low + high);
        if (side * between(a, b, h, middle) > level) low = middle;
        else high = middle;
    }
    return high;
}

/* Went in and came out again within a step? The share of the step where it was deepest, or 0. */
static double dip(kl_crossing a, kl_crossing b, double h, int side, double depth)
{
    enum { N = 16 };
    if (!(side * a.rate < 0.0 && side * b.rate > 0.0)) return 0.0;
    double least = -depth, where = 0.0;
    for (int i = 1; i < N; i++) {
        double value = side * between(a, b, h, (double)i / N);
        if (value < least) least = value, where = (double)i / N;
    }
    return where;
}

/* Where a step should end, and from where on it went too far, both as shares of what is allowed
 * beyond. Forces that have not begun when the step ends are not spread over it: a step of length h
 * that ends at depth d in a stop k takes the momentum k d h/2 that it never had. Where forces jump
 * the element must see that the place was passed. */
static bool ends_before(const kl_events *e, const kl_crossing *c)
{
    return e->continues && c->kind != KL_CROSSING_JUMP && !isnan(c->rate);
}
static double target_of(const kl_events *e, const kl_crossing *c)
{
    return ends_before(e, c) ? -0.5 : 0.6;
}
static double limit_of(const kl_events *e, const kl_crossing *c)
{
    return ends_before(e, c) ? 0.1 : 1.0;
}

/* Steps go over this crossing: forces keep their slopes there, and error control sees the rest. */
static bool is_passed_over(const kl_events *e, const kl_crossing *c)
{
    return e->lenient && c->kind == KL_CROSSING_SWITCH && !isnan(c->rate);
}

/* A step may go over a kink that changes accelerations too little to matter. `bend` is the second time
 * derivative of the value in the step before; if the kink changes it by b, a step of length h that ignores
 * the kink is wrong by at most about h^2 b/10, wherever in the step it lies, and its velocity by h b/10, which
 * later steps make no good. A tenth of what is allowed for the local error of a step, or a hundredth of the
 * depth (allow_depths), gives the same accuracy as ending steps at all kinks. */
static bool is_negligible_kink(const kl_events *e, int k, double h)
{
    const kl_crossing *a = &e->start[k], *b = &e->end[k];
    if (!b->mild || !e->continues || b->kind == KL_CROSSING_JUMP) return false;
    /* a rate or bend that is not known compares as false */
    return h * h * fabs((b->rate - a->rate) / h - e->bend[k]) < 0.1 * e->depth[b->unit];
}

/* Share of the step where a value of unknown rate should be met: by the secant and by halves in
 * turn, because a value may also jump. */
static double secant_share(const kl_events *e, int k, double depth)
{
    double from = e->side[k] * e->start[k].value, to = e->side[k] * e->end[k].value;
    double share = (from + 0.6 * depth) / (from - to);
    return e->halve || !(share > 0.02 && share < 0.98) ? 0.5 : share;
}

/* A crossing that was passed by more than is allowed: where it should be met. */
static double meeting_of(const kl_events *e, int k, double t0, double t1)
{
    int    side  = e->side[k];
    double depth = allowed(e, &e->end[k], t1), h = t1 - t0, high = 1.0;
    double most  = limit_of(e, &e->end[k]) * depth;
    bool   known = !isnan(e->start[k].rate) && !isnan(e->end[k].rate);
    if (is_negligible_kink(e, k, h)) return HUGE_VAL;
    if (!(side * e->start[k].value > 0.0)) { /* it was met just before it */
        double there = known && side * e->end[k].value < 0.0
                           ? dip(e->start[k], e->end[k], h, -side, depth)
                           : 0.0;
        return there > 0.0 ? t0 + there * h : HUGE_VAL; /* and left again within the step */
    }
    bool   over  = is_passed_over(e, &e->end[k]);
    double share = !over && side * e->end[k].value < -most ? 1.0 : 0.0;
    if (share == 0.0 && known) share = high = dip(e->start[k], e->end[k], h, side, depth);
    if (share == 0.0) return HUGE_VAL;
    /* a value that jumps through zero ends the bisection too */
    if (!known)
        return h > fmax(e->depth[KL_CROSSING_S], 4.0 * kl_events_near(t1))
                   ? t0 + secant_share(e, k, depth) * h
                   : HUGE_VAL;
    double level = -target_of(e, &e->end[k]) * depth;
    if (side * e->start[k].value <= level) level = 0.0;
    share = share_of(e->start[k], e->end[k], h, side, level, high);
    return t0 + fmin(fmax(share, 1e-6), 1.0 - 1e-6) * h;
}

/* Where the crossing that was aimed at lies, seen from here: a step may have ended before it. */
static void update_target(kl_events *e, double t)
{
    double next = e->beyond;
    for (int k = 0; k < e->n; k++) {
        double toward = -e->side[k] * e->end[k].rate;
        if (!(toward > 0.0)) continue;
        double depth = target_of(e, &e->end[k]) * allowed(e, &e->end[k], t);
        double at    = t + (e->side[k] * e->end[k].value + depth) / toward;
        if (at > t && at < next) next = at;
    }
    e->aim = next < e->beyond ? next : 0.5 * (t + e->beyond);
    if (e->beyond - t <= fmax(0.5 * e->depth[KL_CROSSING_S], kl_events_near(t))) e->aim = e->beyond;
}

/* Least t > 0 with v + r t + b t^2/2 = 0, where v > 0; HUGE_VAL: none. */
static double first_zero(double v, double r, double b)
{
    double d = r * r - 2.0 * b * v;
    if (d < 0.0) return HUGE_VAL;
    double sum = -r + sqrt(d); /* t = 2 v / sum, which does not cancel where r < 0 */
    return sum > 0.0 ? 2.0 * v / sum : HUGE_VAL;
}

double kl_events_ahead(kl_events *e, double t)
{
    enum { MOST = 2 };
    double first = HUGE_VAL;
    for (int k = 0; k < e->n; k++) {
        const kl_crossing *c    = &e->start[k];
        bool               sure = c->unit == KL_CROSSING_S;
        double v = e->side[k] * c->value, r = e->side[k] * c->rate, b = e->side[k] * e->bend[k];
        if (!(v > 0.0) || isnan(r) || is_passed_over(e, c) || (c->mild && !e->hard[k]) ||
            (!sure && (isnan(b) || e->hints >= MOST)))
            continue;
        v += target_of(e, c) * allowed(e, c, t);
        if (v > 0.0) first = fmin(first, t + first_zero(v, r, sure ? 0.0 : b));
    }
    return e->hint = first > t + kl_events_near(t) ? first : HUGE_VAL;
}

/* On which side a crossing is to be waited for after a step. */
static int side_after(const kl_events *e, int k, double t1)
{
    const kl_crossing *c   = &e->end[k];
    int                now = (c->value > 0.0) - (c->value < 0.0), side = e->side[k];
    double             depth = allowed(e, c, t1), value = side * c->value;
    if (side == 0 || isnan(c->value)) return now;
    /* about to pass it: counts as passed unless the element has to see that it was */
    if (ends_before(e, c) && fabs(value) <= depth && side * c->rate < 0.0) return -side;
    /* hops of less than a quarter of what is allowed are none */
    return now == side || fabs(value) < 0.25 * depth ? side : now;
}

kl_passing kl_events_check(kl_events *e, kl_solver *x, double t0)
{
    double t1 = x->s->t, first = HUGE_VAL;
    bool   met = false;
    if (e->n > 0) all_crossings(x, e->end);
    for (int k = 0; k < e->n; k++) {
        if (e->side[k] == 0) continue;
        double where = meeting_of(e, k, t0, t1);
        if (where < t1) e->hard[k] = true;
        first = fmin(first, where);
    }
    if (first < t1 && t1 - t0 > kl_events_near(t0)) {
        e->aim    = first;
        e->beyond = fmin(t1, e->beyond);
        e->halve  = !e->halve;
        return KL_PASSED_TOO_FAR;
    }
    for (int k = 0; k < e->n; k++) {
        int  now  = side_after(e, k, t1);
        bool over = !e->hard[k] && is_negligible_kink(e, k, t1 - t0);
        if (e->side[k] != 0 && now != e->side[k] && !over) {
            e->kind = met && e->kind > e->end[k].kind ? e->kind : e->end[k].kind;
            met     = true;
        }
        e->side[k] = (signed char)now;
    }
    for (int k = 0; k < e->n; k++) e->bend[k] = (e->end[k].rate - e->start[k].rate) / (t1 - t0);
    e->hints = met || t1 < e->hint ? 0 : e->hints + 1;
    memcpy(e->start, e->end, (size_t)e->n * sizeof *e->start);
    if (met || t1 >= e->beyond) e->aim = e->beyond = HUGE_VAL;
    else if (t1 >= e->aim) update_target(e, t1);
    return met ? KL_PASSED_CROSSING : KL_PASSED_NOTHING;
}
