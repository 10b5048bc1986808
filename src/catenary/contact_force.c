/* Force element `catenary-contact`: collector strips of a multibody pantograph under a catenary.
 *
 * Co-simulation inside a model: the bodies move with the integrator of the model, the catenary steps
 * with its own interval H when a step of the model is accepted (commit). In between, the strips meet
 * a predicted wire: it was computed one interval ahead with the present contact forces, together with
 * its compliance G, so that at a share s of the interval
 *
 *   wire(s) = cubic from now to ahead + G s^2 (F - F_now),    F = K d^n (1 + ...),  d = strip - wire
 *
 * for each contact wire above the strip (two in an overlap; they do not feel each other), which is
 * implicit in F: contact force and wire agree within the step. A step that is given back
 * leaves no trace, because only commit changes the history. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "catenary/catenary.h"
#include "catenary/collection.h"
#include "catenary/elements.h"
#include "model/model.h"

typedef struct contact {
    const kl_catenary *catenary;
    double             stiffness, exponent, restitution, friction, width, interval;
    kl_collector       collector[KL_MOST_PANTOGRAPHS];
    kl_collection     *c;
    double             t0;
    int                n; /* strips */
    kl_output         *outputs;
    kl_field           field;
} contact;

/* Of each strip: its motion with the last accepted step, the wire now and ahead. */
typedef struct strip {
    double               x, speed, y, z, rate;
    double               exchanged; /* height of the strip at the last exchange [m] */
    kl_collector_outlook now, ahead;
} strip;

/* history: steps | failed | time of the last reading | energy error | strips | state | state that looks
 * ahead */
enum { STEPS, FAILED, TIME, ENERGY, STRIPS, STRIP = sizeof(strip) / sizeof(double) };

static const strip *strips_of(const double *h) { return (const strip *)(h + STRIPS); }
static double      *state_of(const contact *p, double *h) { return h + STRIPS + p->n * STRIP; }
static double      *ahead_of(const contact *p, double *h)
{
    return state_of(p, h) + kl_collection_state_size(p->c);
}

static const kl_motion *marker_of(const kl_reading *in, int i) { return &in->m[2 * i + 1]; }

/* ---- the force within a step ---- */

typedef struct meeting {
    double height, rate; /* of the wire without a change of force */
    double G;            /* its compliance at this time [m/N] */
    double slope;        /* of its rate by its displacement [1/s] */
    double lateral;
} meeting;

static meeting wire_at(const contact *p, const double *h, const kl_wire_contact *now,
                       const kl_wire_contact *ahead, double t)
{
    double H = p->interval, s = (t - p->t0 - h[STEPS] * H) / H;
    s          = s < 0.0 ? 0.0 : s > 1.0 ? 1.0 : s;
    double  s2 = s * s, s3 = s2 * s, rise = ahead->height - now->height;
    meeting w = {.G       = ahead->compliance * s2,
                 .slope   = s > 0.0 ? 2.0 / (s * H) : 0.0,
                 .lateral = now->lateral + s * (ahead->lateral - now->lateral)};
    w.height  = now->height + rise * (3 * s2 - 2 * s3) + H * (s - 2 * s2 + s3) * now->rate +
               H * (s3 - s2) * ahead->rate;
    w.rate =
        6 * (s - s2) / H * rise + (1 - 4 * s + 3 * s2) * now->rate + (3 * s2 - 2 * s) * ahead->rate;
    return w;
}

/* Contact force between strip i and one wire, and the distance y of the wire from its middle. */
static double wire_force(const contact *p, const double *h, int i, int wire, double t,
                         const kl_motion *m, double *y)
{
    const kl_wire_contact *now   = &strips_of(h)[i].now.wire[wire];
    const kl_wire_contact *ahead = &strips_of(h)[i].ahead.wire[wire];
    *y                           = 0.0;
    if (now->present == 0.0 || ahead->present == 0.0) return 0.0;
    meeting w = wire_at(p, h, now, ahead, t);
    *y        = w.lateral - m->r.y;
    if (fabs(*y) > 0.5 * p->width) return 0.0; /* beside the strip */
    /* w is given for the force of the last exchange: without any force it would be lower */
    double depth = m->r.z - (w.height - w.G * ahead->force);
    double rate  = m->v.z - (w.rate - w.slope * w.G * ahead->force);
    return kl_strip_solve(&p->collector[i].law, depth, rate, w.slope, w.G, now->impact);
}

static double force_at(const contact *p, const double *h, int i, double t, const kl_motion *m)
{
    double sum = 0.0, y;
    for (int k = 0; k < KL_MOST_WIRES; k++) sum += wire_force(p, h, i, k, t, m, &y);
    return sum;
}

static kl_status contact_eval(const kl_reading *in, kl_writing *out)
{
    const contact *p = in->data;
    for (int k = 0; k < p->n * KL_MOST_WIRES; k++) {
        int              i = k / KL_MOST_WIRES;
        const kl_motion *m = marker_of(in, i);
        double           y, F = wire_force(p, in->h, i, k % KL_MOST_WIRES, in->t, m, &y);
        double           drag = -p->friction * F * tanh(m->v.x / 0.1);
        double          *w    = out->wrench + 6 * (2 * i + 1);
        w[0] += drag, w[2] -= F;
        w[3] -= y * F, w[5] -= y * drag; /* the wire touches at the side of the marker */
        out->loss -= drag * m->v.x;
    }
    return KL_OK;
}

/* ---- exchange ---- */

static void predict_collectors(const contact *p, double *h, kl_collector_input *in)
{
    double              *state = state_of(p, h);
    kl_collector_outlook ahead[KL_MOST_PANTOGRAPHS];
    strip               *k = (strip *)(h + STRIPS);
    for (int i = 0; i < p->n; i++) in[i].x += in[i].speed * p->interval;
    kl_collection_predict(p->c, in, state, ahead_of(p, h), ahead);
    for (int i = 0; i < p->n; i++) {
        const kl_collector_output *o = kl_collection_output(p->c, state, i);
        memcpy(k[i].now.wire, o->slot, sizeof k[i].now.wire);
        k[i].ahead = ahead[i];
    }
}

static void read_strips(const kl_reading *in, const contact *p, strip *k)
{
    for (int i = 0; i < p->n; i++) {
        const kl_motion *m = marker_of(in, i);
        k[i].x = m->r.x, k[i].speed = m->v.x, k[i].y = m->r.y;
        k[i].z = m->r.z, k[i].rate = m->v.z;
    }
}

/* Strips at a share of the way from the last reading to this one. */
static void between(const kl_reading *in, const contact *p, const strip *from, double h, double s,
                    kl_collector_input *out)
{
    double s2 = s * s, s3 = s2 * s;
    for (int i = 0; i < p->n; i++) {
        const kl_motion *m = marker_of(in, i);
        out[i]             = (kl_collector_input){
                        .x     = from[i].x + s * (m->r.x - from[i].x),
                        .speed = from[i].speed + s * (m->v.x - from[i].speed),
                        .z     = (1 - 3 * s2 + 2 * s3) * from[i].z + (3 * s2 - 2 * s3) * m->r.z +
                             h * (s - 2 * s2 + s3) * from[i].rate + h * (s3 - s2) * m->v.z,
                        .rate = from[i].rate + s * (m->v.z - from[i].rate),
                        .y    = from[i].y + s * (m->r.y - from[i].y)};
    }
}

/* The first step uses the prediction; further ones (after a long step of the model) start without it. */
static kl_status step_catenary(const contact *p, const kl_collector_input *now, bool foreseen,
                               double *h)
{
    double *state = state_of(p, h);
    return foreseen ? kl_collection_step_predicted(p->c, now, ahead_of(p, h), state)
                    : kl_collection_step(p->c, now, state);
}

/* Contact forces on the bodies at the time t, when an exchange is due. */
static void forces_at_exchange(const kl_reading *in, const contact *p, const double *h,
                               double *felt)
{
    for (int i = 0; i < p->n; i++) felt[i] = force_at(p, h, i, in->t, marker_of(in, i));
}

/* Over the interval bodies and wire felt the same force at its start and forces that differ at its end:
 * the work of half the difference on the way of the strip is the energy that the exchange produced. */
static void count_energy(const kl_reading *in, const contact *p, const double *felt, double *h)
{
    strip *k = (strip *)(h + STRIPS);
    for (int i = 0; i < p->n; i++) {
        double found = kl_collection_output(p->c, state_of(p, h), i)->force;
        double z     = marker_of(in, i)->r.z;
        h[ENERGY] += 0.5 * (found - felt[i]) * (z - k[i].exchanged);
        k[i].exchanged = z;
    }
}

static void contact_commit(const kl_reading *in, double *h_new)
{
    const contact     *p = in->data;
    kl_collector_input now[KL_MOST_PANTOGRAPHS];
    strip             *k    = (strip *)(h_new + STRIPS);
    double             last = h_new[TIME], due = floor((in->t - p->t0) / p->interval + 1e-6);
    bool               any = false;
    double             felt[KL_MOST_PANTOGRAPHS];
    if (h_new[STEPS] < due) forces_at_exchange(in, p, h_new, felt);
    for (; h_new[STEPS] < due && h_new[FAILED] == 0.0; any = true) {
        double t = p->t0 + (h_new[STEPS] + 1.0) * p->interval;
        double s = in->t > last ? fmin(1.0, (t - last) / (in->t - last)) : 1.0;
        between(in, p, k, in->t - last, s, now);
        if (step_catenary(p, now, !any, h_new) != KL_OK) h_new[FAILED] = 1.0;
        h_new[STEPS] += 1.0;
    }
    if (any) count_energy(in, p, felt, h_new);
    if (any) predict_collectors(p, h_new, now);
    read_strips(in, p, k);
    h_new[TIME] = in->t;
}

/* ---- setup and start ---- */

static kl_status set_outputs(contact *p, const kl_setup *s);

static kl_status contact_setup(void *data, const kl_setup *s, const kl_motion *m, int nmarker,
                               kl_element_size *size)
{
    contact *p = data;
    p->n       = nmarker / 2;
    p->t0      = s->model->t0;
    if (p->n > KL_MOST_PANTOGRAPHS)
        return kl_fail(s->diag, KL_E_MODEL, s->place,
                       "force '%s': %d strips; one catenary-contact takes up to %d", s->name, p->n,
                       KL_MOST_PANTOGRAPHS);
    for (int i = 0; i < p->n; i++)
        p->collector[i] = (kl_collector){.prescribed = true,
                                         .law        = {p->stiffness, p->exponent, p->restitution},
                                         .nstrip     = 1,
                                         .width      = p->width};
    KL_TRY(
        kl_catenary_check_single(s, p, "write one `catenary-contact` with all strips in `nodes`"));
    if (p->n > 0) kl_catenary_warn_speed(s, p->catenary, m[1].v.x);
    KL_TRY(set_outputs(p, s));
    KL_TRY(kl_line_field(p->catenary->line, s->arena, &p->field));
    KL_TRY(kl_collection_create(p->catenary->line, p->collector, p->n, p->interval, s->arena,
                                s->diag, &p->c));
    p->c->place    = s->place;
    size->nh       = STRIPS + p->n * STRIP + 2 * kl_collection_state_size(p->c);
    size->interval = p->interval;
    return KL_OK;
}

/* Mass of the body that carries strip i; 0: not known. */
static double strip_mass(const contact *p, const kl_model *m, int i)
{
    kl_measures t = {0};
    for (int e = 0; e < m->nelement; e++)
        if (m->element[e].data == p)
            (void)kl_model_measures(m, m->marker[m->element[e].marker + 2 * i + 1].body, &t);
    return t.mass;
}

/* The contact must be resolved by the exchanges, as a lumped pantograph's by its steps, and no exchange
 * may jump over an element of the wire. */
static kl_status check_interval(const contact *p, const strip *k, const kl_setup *s)
{
    double element   = p->catenary->design.element;
    double stiffness = kl_strip_secant(&p->collector[0].law);
    for (int i = 0; i < p->n; i++) {
        double mass = strip_mass(p, s->model, i), w = mass > 0.0 ? sqrt(stiffness / mass) : 0.0;
        if (w * p->interval > KL_STRIP_TURN)
            return kl_fail(s->diag, KL_E_RANGE, s->place,
                           "force '%s': the interval of %g s is too long for the contact: strip %d "
                           "of %.3g kg and the contact stiffness oscillate with %.3g Hz; give "
                           "`interval` of %.2g s or less",
                           s->name, p->interval, i + 1, mass, w / 6.2832, KL_STRIP_TURN / w);
        if (fabs(k[i].speed) * p->interval > element)
            return kl_fail(s->diag, KL_E_RANGE, s->place,
                           "force '%s': the interval of %g s is too long: at %g m/s a strip jumps "
                           "over elements of %g m; give `interval` of %.2g s or less",
                           s->name, p->interval, fabs(k[i].speed), element,
                           element / fabs(k[i].speed));
    }
    return KL_OK;
}

static kl_status contact_start(const kl_reading *in, const kl_setup *s, kl_element_start *out)
{
    const contact     *p = in->data;
    kl_collector_input now[KL_MOST_PANTOGRAPHS];
    strip             *k = (strip *)(out->h + STRIPS);
    read_strips(in, p, k);
    KL_TRY(check_interval(p, k, s));
    out->h[TIME] = in->t;
    for (int i = 0; i < p->n; i++) k[i].exchanged = k[i].z;
    between(in, p, k, 0.0, 0.0, now);
    KL_TRY(kl_collection_start(p->c, now, state_of(p, out->h), s->diag));
    predict_collectors(p, out->h, now);
    return KL_OK;
}

static void contact_watch(const kl_reading *in, kl_notice *notice)
{
    const contact *p   = in->data;
    bool           off = true;
    for (int i = 0; i < p->n; i++) off &= strips_of(in->h)[i].x > p->catenary->line->x1;
    if (in->h[FAILED] == 0.0 && !off) return;
    notice->stop = true, notice->count = 1;
    if (off)
        snprintf(
            notice->text, sizeof notice->text,
            "reached the end of the catenary at x = %.6g m; lengthen the line with more `spans`",
            p->catenary->line->x1);
    else
        snprintf(notice->text, sizeof notice->text,
                 "has no solution for the contact force (no convergence); use a shorter `interval` "
                 "or a lower `contact_stiffness`");
}

/* ---- outputs ---- */

enum { COMMON = 10 };

static const kl_output common[COMMON] = {
    {"contact_force", "N", "sum of the contact forces of all strips"},
    {"head_height", "m", "height of the first strip"},
    {"position", "m", "position of the first strip along the line"},
    {"wire_height", "m", "height of the contact wire above it"},
    {"wire_lateral", "m", "lateral position of the contact wire on the first strip"},
    {"slack_droppers", "1", "number of slack droppers"},
    {"support", "m", "x of the support nearest to the first strip"},
    {"support_uplift", "m", "uplift of the contact wire at that support"},
    {"evaluated", "1", "1 in the middle fifth of the line, else 0"},
    {"coupling_energy", "J", "energy error of the exchange between bodies and catenary so far"},
};

static kl_status set_outputs(contact *p, const kl_setup *s)
{
    p->outputs = kl_arena_array(s->arena, kl_output, COMMON + p->n + 1);
    if (!p->outputs) return KL_E_MEMORY;
    memcpy(p->outputs, common, sizeof common);
    for (int i = 0; i < p->n; i++)
        p->outputs[COMMON + i] = (kl_output){kl_arena_format(s->arena, "contact_force_%d", i + 1),
                                             "N", "contact force of this strip"};
    return kl_arena_ok(s->arena) ? KL_OK : KL_E_MEMORY;
}

static const kl_field *contact_field(const void *data) { return &((const contact *)data)->field; }

static void contact_field_values(const kl_reading *in, double *rise, double *pull)
{
    const contact *p = in->data;
    kl_line_field_values(p->catenary->line, in->h + STRIPS + p->n * STRIP, rise, pull);
}

static const kl_output *contact_describe(const void *data)
{
    return ((const contact *)data)->outputs;
}

static void contact_output(const kl_reading *in, const double *lambda, double *values)
{
    (void)lambda;
    const contact *p     = in->data;
    const kl_line *line  = p->catenary->line;
    const double  *state = in->h + STRIPS + p->n * STRIP;
    int            slack = 0;
    values[0]            = 0.0;
    for (int i = 0; i < p->n; i++) {
        values[COMMON + i] = force_at(p, in->h, i, in->t, marker_of(in, i));
        values[0] += values[COMMON + i];
    }
    values[1] = marker_of(in, 0)->r.z, values[2] = marker_of(in, 0)->r.x;
    const kl_collector_output *first = kl_collection_output(p->c, state, 0);
    values[3] = first->wire, values[4] = first->lateral;
    for (int j = 0; j < line->ndropper; j++)
        slack += kl_stepper_dropper_force(line, state, j) == 0.0;
    values[5] = slack;
    kl_line_support_near(line, values[2], state, &values[6], &values[7]);
    double share = (values[2] - line->x0) / (line->x1 - line->x0);
    values[8]    = share >= 0.4 && share <= 0.6;
    values[9]    = in->h[ENERGY];
}

/* clang-format off */
#define NUMBER(name_, field_, unit_, fallback_, min_, max_, help_)                                  \
    {.name = name_, .kind = KL_KEY_NUMBER, .offset = offsetof(contact, field_), .unit = unit_,      \
     .fallback = fallback_, .min = min_, .max = max_, .help = help_}
static const kl_key contact_keys[] = {
    {.name = "catenary", .kind = KL_KEY_RESOURCE, .offset = offsetof(contact, catenary),
     .words = "catenaries", .help = "catenary above the strips"},
    NUMBER("exponent", exponent, "1", "1", 1, 10, "n of the contact law F = K d^n (1 + 3 (1 - e^2)/4 d'/d'(-))"),
    NUMBER("contact_stiffness", stiffness, "N over m ^ exponent", "50000", 1, 1e300, "K of the contact law"),
    NUMBER("restitution", restitution, "1", "1", 0, 1, "e of the contact law (coefficient of restitution); 1: no dissipation"),
    NUMBER("friction", friction, "1", "0", 0, 10, "coefficient of friction along the wire"),
    NUMBER("width", width, "m", "1.6", 0.001, 1e300, "length of a strip across the track; there is no contact outside it"),
    NUMBER("interval", interval, "s", "0.0005", 1e-6, 1, "step size of the catenary, at which values are exchanged"),
    {0}};
/* clang-format on */

const kl_element_type kl_catenary_contact = {
    .name      = "catenary-contact",
    .help      = "contact of the collector strips of a multibody pantograph with a catenary",
    .equation  = "F = K d^n (1 + 3 (1 - e^2)/4 d'/d'(-)) between strips and contact wire",
    .example   = "touch: {type: catenary-contact, catenary: line, pilot: ground, nodes: [strip]}",
    .keys      = contact_keys,
    .attach    = &kl_attach_set,
    .data_size = sizeof(contact),
    .setup     = contact_setup,
    .start     = contact_start,
    .eval      = contact_eval,
    .commit    = contact_commit,
    .watch     = contact_watch,
    .describe  = contact_describe,
    .field     = contact_field,
    .field_values = contact_field_values,
    .output       = contact_output,
};
