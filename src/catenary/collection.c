#include "catenary/collection.h"

#include <math.h>
#include <string.h>

/* ---- the state: one block ---- */

enum { OUTPUT = sizeof(kl_collector_output) / sizeof(double), EACH = KL_PANTOGRAPH_STATE + OUTPUT };

/* Tension lengths side by side: a strip may touch several wires. */
static int pushes_most(const kl_collection *c)
{
    int strips = 0;
    for (int i = 0; i < c->n; i++) strips += c->collector[i].nstrip;
    int wires = c->line->design->npart;
    return strips * (wires < KL_MOST_WIRES ? wires : KL_MOST_WIRES);
}

/* line | each pantograph: masses, output | room for columns of pushes */
static int line_size(const kl_collection *c) { return kl_stepper_state_size(c->line); }

int kl_collection_state_size(const kl_collection *c)
{
    return line_size(c) + c->n * EACH + pushes_most(c) * c->stepper->widest;
}

static double *masses_of(const kl_collection *c, double *state, int i)
{
    return state + line_size(c) + i * EACH;
}

static kl_collector_output *output_of(const kl_collection *c, double *state, int i)
{
    return (kl_collector_output *)(masses_of(c, state, i) + KL_PANTOGRAPH_STATE);
}

static double *columns_of(const kl_collection *c, double *state)
{
    return state + line_size(c) + c->n * EACH;
}

const double *kl_collection_line(const kl_collection *c, const double *state)
{
    (void)c;
    return state;
}

const double *kl_collection_masses(const kl_collection *c, const double *state, int i)
{
    return state + line_size(c) + i * EACH;
}

const kl_collector_output *kl_collection_output(const kl_collection *c, const double *state, int i)
{
    return (const kl_collector_output *)(kl_collection_masses(c, state, i) + KL_PANTOGRAPH_STATE);
}

static bool has_masses(const kl_collector *p) { return !p->prescribed && !p->constant; }

/* ---- creation ---- */

/* Tension lengths overlap each other at most so that KL_MOST_WIRES contact wires meet. */
static kl_status check_wires_above(const kl_line *line, kl_diag *diag)
{
    for (int i = 0; i < line->nwire; i++) {
        int above = 0;
        if (line->wire[i].kind != KL_WIRE_CONTACT) continue;
        for (int k = 0; k < line->nwire; k++) {
            kl_wire_point at;
            above += line->wire[k].kind == KL_WIRE_CONTACT &&
                     kl_wire_at(&line->wire[k], line->wire[i].x[0], &at);
        }
        if (above > KL_MOST_WIRES)
            return kl_fail(diag, KL_E_MODEL, line->design->place,
                           "catenary '%s': %d contact wires meet at x = %g m, but at most %d are "
                           "supported; give a smaller `overlap`",
                           line->design->name, above, line->wire[i].x[0], KL_MOST_WIRES);
    }
    return KL_OK;
}

kl_status kl_collection_create(const kl_line *line, const kl_collector *collector, int n, double dt,
                               kl_arena *arena, kl_diag *diag, kl_collection **out)
{
    kl_collection         *c      = kl_arena_array(arena, kl_collection, 1);
    kl_pantograph_stepper *lumped = kl_arena_array(arena, kl_pantograph_stepper, n + 1);
    *out                          = c;
    if (!c || !lumped) return KL_E_MEMORY;
    KL_TRY(check_wires_above(line, diag));
    *c = (kl_collection){.line      = line,
                         .collector = collector,
                         .lumped    = lumped,
                         .n         = n,
                         .dt        = dt,
                         .place     = line->design->place};
    for (int i = 0; i < n; i++)
        if (has_masses(&collector[i]))
            kl_pantograph_prepare(&collector[i].pantograph, dt, &lumped[i]);
    return kl_stepper_create(line, dt, arena, diag, &c->stepper);
}

/* ---- a step ---- */

/* One strip under one contact wire during a step. */
typedef struct touch {
    int    collector, slot;
    double rest;       /* height of the wire in the static shape [m] */
    double head, rate; /* of the head without contact forces */
    double w0, v0;     /* of the wire without pushes: displacement, velocity with that of x */
    double impact;     /* [m/s] */
    double lateral;    /* y of the wire [m] */
    bool   beside;     /* the wire passes the end of the strip */
} touch;

typedef struct touching {
    const kl_collection *c;
    kl_push              push[KL_MOST_PANTOGRAPHS * KL_STRIP_SLOTS];
    touch                touch[KL_MOST_PANTOGRAPHS * KL_STRIP_SLOTS];
    int                  n;
    double               sum[KL_MOST_PANTOGRAPHS]; /* contact force of each collector so far */
} touching;

static double head_influence(const kl_collection *c, int i)
{
    return has_masses(&c->collector[i]) ? kl_pantograph_influence(&c->lumped[i]) : 0.0;
}

/* kl_push_law: strip force given all others. */
static double strip_law(void *context, int index, double w, double slope)
{
    touching           *t = context;
    const touch        *k = &t->touch[index];
    const kl_collector *p = &t->c->collector[k->collector];
    double              g = head_influence(t->c, k->collector), G = g + t->push[index].influence;
    double              others = t->sum[k->collector] - t->push[index].force;
    double              head = k->head - g * others, rise = 2.0 / t->c->dt;
    (void)slope;
    if (k->beside) {
        t->sum[k->collector] = others;
        return 0.0;
    }
    if (p->constant) { /* k->head represents the force */
        t->sum[k->collector] = others + k->head;
        return k->head;
    }
    /* Newmark: a change of displacement at the end of a step changes the velocity by 2/dt of it */
    double rate          = k->rate - rise * g * others - k->v0 - rise * (w - k->w0);
    double force         = kl_strip_solve(&p->law, head - k->rest - w, rate, rise, G, k->impact);
    t->sum[k->collector] = others + force;
    return force;
}

static double lateral_of(const kl_line *line, const kl_wire_point *at, const double *d)
{
    return line->per == 4 ? kl_wire_value(at, line->place, 2) + kl_wire_value(at, d, 2) : 0.0;
}

static int slot_of(int strip, const kl_line_wire *wire)
{
    return KL_MOST_WIRES * strip + wire->part % KL_MOST_WIRES;
}

static bool is_beside(const kl_collector *p, double y, double lateral)
{
    return p->width > 0.0 && fabs(lateral - y) > 0.5 * p->width;
}

/* All places where strips may touch wires at the end of the step. */
static void find_touches(const kl_collection *c, const kl_collector_input *in, double *state,
                         touching *t)
{
    const kl_line *line    = c->line;
    double        *columns = columns_of(c, state);
    const double  *v = state + line->ndof, *a = v + line->ndof;
    for (int i = 0; i < c->n; i++) {
        const kl_collector *p = &c->collector[i];
        for (int s = 0; s < p->nstrip; s++)
            for (int w = 0; w < line->nwire; w++) {
                kl_push *push = &t->push[t->n];
                touch   *k    = &t->touch[t->n];
                double   x    = in[i].x + (s - 0.5 * (p->nstrip - 1)) * p->spacing;
                if (line->wire[w].kind != KL_WIRE_CONTACT) continue;
                if (!kl_wire_at(&line->wire[w], x, &push->at)) continue;
                int                    slot = slot_of(s, &line->wire[w]);
                const kl_wire_contact *last = &output_of(c, state, i)->slot[slot];
                *k                          = (touch){.collector = i,
                                                      .slot      = slot,
                                                      .rest      = kl_wire_value(&push->at, line->place, 0),
                                                      .impact    = last->impact,
                                                      .lateral   = lateral_of(line, &push->at, state)};
                k->beside                   = is_beside(p, in[i].y, k->lateral);
                push->wire                  = &line->wire[w];
                push->force                 = k->beside ? 0.0 : last->force;
                k->w0                       = kl_wire_value(&push->at, state, 0);
                k->v0 =
                    kl_wire_value(&push->at, v, 0) + 0.5 * c->dt * kl_wire_value(&push->at, a, 0);
                k->v0 += in[i].speed * (kl_wire_slope(&push->at, state, 0) +
                                        kl_wire_slope(&push->at, line->place, 0));
                kl_stepper_influence(c->stepper, push, columns + t->n * c->stepper->widest);
                t->sum[i] += push->force;
                t->n++;
            }
    }
}

/* Heads at the end of the step without contact forces. */
static void move_heads(const kl_collection *c, const kl_collector_input *in, double *state,
                       touching *t)
{
    for (int i = 0; i < c->n; i++) {
        double *m = masses_of(c, state, i), *v = m + KL_PANTOGRAPH_MASSES;
        double  z = in[i].z, rate = in[i].rate;
        if (c->collector[i].constant) z = in[i].load.uplift / c->collector[i].nstrip;
        if (has_masses(&c->collector[i])) {
            kl_pantograph_free_step(&c->lumped[i], &in[i].load, m);
            z = m[0], rate = v[0] + 0.5 * c->dt * v[KL_PANTOGRAPH_MASSES];
        }
        for (int k = 0; k < t->n; k++)
            if (t->touch[k].collector == i) t->touch[k].head = z, t->touch[k].rate = rate;
    }
}

static void finish_heads(const kl_collection *c, const kl_collector_input *in, double *state,
                         const touching *t)
{
    for (int i = 0; i < c->n; i++) {
        kl_collector_output *o   = output_of(c, state, i);
        double              *m   = masses_of(c, state, i);
        bool                 own = has_masses(&c->collector[i]);
        if (own) kl_pantograph_finish(&c->lumped[i], t->sum[i], m);
        o->x     = in[i].x;
        o->force = t->sum[i];
        o->head  = own ? m[0] : in[i].z;
        o->rate  = own ? m[KL_PANTOGRAPH_MASSES] : in[i].rate;
        o->wire  = HUGE_VAL;
        memset(o->slot, 0, sizeof o->slot);
    }
}

static kl_wire_contact contact_of(const kl_collection *c, const double *state, const touching *t,
                                  int k)
{
    const touch *h = &t->touch[k];
    double       w = kl_wire_value(&t->push[k].at, state, 0);
    return (kl_wire_contact){.present    = 1.0,
                             .force      = t->push[k].force,
                             .impact     = h->impact,
                             .height     = h->rest + w,
                             .rate       = h->v0 + 2.0 / c->dt * (w - h->w0),
                             .lateral    = h->lateral,
                             .compliance = t->push[k].influence};
}

static void note_touches(const kl_collection *c, double *state, const touching *t)
{
    for (int k = 0; k < t->n; k++) {
        const touch         *h   = &t->touch[k];
        kl_collector_output *o   = output_of(c, state, h->collector);
        kl_wire_contact      now = contact_of(c, state, t, k);
        if (now.force == 0.0 || h->impact == 0.0)
            now.impact = now.force > 0.0 ? fmax(o->rate - now.rate, 0.0) : 0.0;
        o->slot[h->slot] = now;
        if (now.height < o->wire) {
            o->wire    = now.height;
            o->lateral = now.lateral;
            if (c->collector[h->collector].constant) o->head = o->wire;
        }
    }
}

/* The rest of a step after kl_stepper_free_step. */
static kl_status complete_step(const kl_collection *c, const kl_collector_input *in, double *state)
{
    const double exact = 1e-11; /* [m] */
    touching     t     = {.c = c};
    find_touches(c, in, state, &t);
    move_heads(c, in, state, &t);
    int passes = kl_stepper_finish(c->stepper, state, t.push, t.n, strip_law, &t, exact);
    finish_heads(c, in, state, &t);
    note_touches(c, state, &t);
    return passes < 0 ? KL_E_STEP : KL_OK;
}

kl_status kl_collection_step(const kl_collection *c, const kl_collector_input *in, double *state)
{
    kl_stepper_free_step(c->stepper, state);
    return complete_step(c, in, state);
}

static void copy_state(const kl_collection *c, const double *from, double *to)
{
    memcpy(to, from, (size_t)kl_collection_state_size(c) * sizeof *to);
}

kl_status kl_collection_step_predicted(const kl_collection *c, const kl_collector_input *in,
                                       const double *ahead, double *state)
{
    copy_state(c, ahead, state);
    return complete_step(c, in, state);
}

void kl_collection_predict(const kl_collection *c, const kl_collector_input *in,
                           const double *state, double *ahead, kl_collector_outlook *out)
{
    const double exact = 1e-11;
    touching     t     = {.c = c};
    copy_state(c, state, ahead);
    kl_stepper_free_step(c->stepper, ahead);
    find_touches(c, in, ahead, &t);
    kl_stepper_settle(c->stepper, ahead, t.push, t.n, NULL, NULL, exact);
    for (int i = 0; i < c->n; i++) out[i] = (kl_collector_outlook){0};
    for (int k = 0; k < t.n; k++)
        if (t.touch[k].slot < KL_MOST_WIRES) /* of the one strip */
            out[t.touch[k].collector].wire[t.touch[k].slot] = contact_of(c, ahead, &t, k);
    kl_stepper_undo_settle(c->stepper, state, ahead);
}

/* ---- start ---- */

/* The contact wire that is lowest at x; NULL where there is none. */
static const kl_line_wire *wire_over(const kl_line *line, double x, kl_wire_point *p, double *z)
{
    const kl_line_wire *found = NULL;
    *z                        = HUGE_VAL;
    for (int i = 0; i < line->nwire; i++) {
        kl_wire_point here;
        if (line->wire[i].kind != KL_WIRE_CONTACT || !kl_wire_at(&line->wire[i], x, &here))
            continue;
        double height = kl_wire_value(&here, line->place, 0);
        if (height < *z) *z = height, *p = here, found = &line->wire[i];
    }
    return found;
}

static double depth_of(const kl_strip_law *law, double force)
{
    return pow(force / law->stiffness, 1.0 / law->exponent);
}

/* Contact force at which a pantograph rests under the wire: force and height of the head. */
static kl_status rest_force(const kl_collection *c, int i, const kl_collector_input *in, double z,
                            double *force, double *head)
{
    const kl_collector *p  = &c->collector[i];
    double              lo = 0.0, hi = in->load.uplift + in->load.lift, state[KL_PANTOGRAPH_STATE];
    *force = 0.0, *head = z;
    for (int pass = 0; pass < 60 && hi - lo > 1e-9 * fabs(hi) + 1e-12; pass++) {
        double F = 0.5 * (lo + hi), w;
        KL_TRY(kl_line_uplift(c->line, in->x, F, &w));
        *head          = z + w + depth_of(&p->law, F / p->nstrip);
        double upwards = F - in->load.lift; /* what the chain must carry */
        double needed =
            kl_pantograph_rest_uplift(&p->pantograph, *head - in->load.base, upwards, state);
        if (needed > in->load.uplift) hi = F;
        else lo = F;
        *force = F;
    }
    return KL_OK;
}

static kl_status refuse_place(const kl_collection *c, int i, double x, kl_diag *diag)
{
    return kl_fail(diag, KL_E_MODEL, c->place,
                   "catenary '%s' extends from x = %g to %g m, but pantograph %d starts at x = %g "
                   "m; start it on the line, or lengthen the line with more `spans`",
                   c->line->design->name, c->line->x0, c->line->x1, i + 1, x);
}

static kl_status refuse_above(const kl_collection *c, int i, double head, double z, kl_diag *diag)
{
    return kl_fail(diag, KL_E_MODEL, c->place,
                   "collector %d (a pantograph, or a strip of `nodes`) starts above the contact "
                   "wire: it is at "
                   "height %.4g m, the wire of catenary '%s' at %.4g m; lower it, or raise the "
                   "wire's `heights`",
                   i + 1, head, c->line->design->name, z);
}

/* Forces of all contacts at rest onto the line; heads under it. */
static kl_status start_collector(const kl_collection *c, int i, const kl_collector_input *in,
                                 double *state, double *f, kl_diag *diag)
{
    const double         deepest = 0.05; /* [m] below this a head is in contact, not above */
    const kl_collector  *p       = &c->collector[i];
    kl_collector_output *o       = output_of(c, state, i);
    kl_wire_point        at;
    double               z, force = 0.0, head = in->z;
    const kl_line_wire  *wire = wire_over(c->line, in->x, &at, &z);
    if (!wire) return refuse_place(c, i, in->x, diag);
    double lateral = lateral_of(c->line, &at, state); /* not displaced yet */
    if (p->prescribed && in->z > z + deepest && !is_beside(p, in->y, lateral))
        return refuse_above(c, i, in->z, z, diag);
    if (p->constant) force = in->load.uplift, head = z;
    if (has_masses(p)) {
        KL_TRY(rest_force(c, i, in, z, &force, &head));
        kl_pantograph_rest_uplift(&p->pantograph, head - in->load.base, force - in->load.lift,
                                  masses_of(c, state, i));
        for (int k = 0; k < p->pantograph.n; k++) masses_of(c, state, i)[k] += in->load.base;
    }
    for (int k = 0; k < 4; k++) f[at.dof[k / 2] + k % 2] += force * at.N[k];
    *o = (kl_collector_output){
        .x = in->x, .force = force, .head = head, .rate = in->rate, .wire = z, .lateral = lateral};
    for (int s = 0; s < p->nstrip; s++)
        o->slot[slot_of(s, wire)] = (kl_wire_contact){
            .present = 1.0, .force = force / p->nstrip, .height = z, .lateral = lateral};
    return KL_OK;
}

kl_status kl_collection_start(const kl_collection *c, const kl_collector_input *in, double *state,
                              kl_diag *diag)
{
    double *f = state + c->line->ndof; /* velocities, which are zero in the end */
    memset(state, 0, (size_t)kl_collection_state_size(c) * sizeof *state);
    for (int i = 0; i < c->n; i++) KL_TRY(start_collector(c, i, &in[i], state, f, diag));
    KL_TRY(kl_line_deflect(c->line, f, state));
    memset(f, 0, (size_t)c->line->ndof * sizeof *f);
    /* slack droppers are known from the displacement */
    double *p = state + 3 * c->line->ndof;
    for (int j = 0; j < c->line->ndropper; j++) {
        const kl_line_dropper *d = &c->line->dropper[j];
        double                 e = d->nz * (state[d->upper] - state[d->lower]);
        if (c->line->per == 4) e += d->ny * (state[d->upper + 2] - state[d->lower + 2]);
        if (d->rest + e < 0.0) p[j] = d->k * e + d->force;
    }
    return KL_OK;
}
