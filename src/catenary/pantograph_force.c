/* Force element `pantograph`: lumped pantographs that run along a catenary.
 *
 * Its history holds the whole state of the catenary and of the pantographs. When a step of the model
 * is accepted, commit takes the steps that this state still lacks; a step that is given back
 * therefore leaves no trace. The base is on a marker (ground, or the roof of a vehicle), which
 * feels the reaction of the lowest spring and of the uplift. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "catenary/catenary.h"
#include "catenary/coupling.h"
#include "catenary/elements.h"
#include "model/model.h"
#include "script/function.h"

typedef struct pantograph {
    /* keys */
    const kl_catenary *catenary;
    double             start, speed;
    kl_list            mass, stiffness, damping, friction, probes;
    double             uplift, aerodynamic, lift, ramp_length, ramp_from;
    double             contact, exponent, restitution;
    double             strips, strip_spacing, width, count, distance;
    int                coupling;
    double             step, exchange, iterations;
    kl_list            evaluate;
    kl_function       *base, *uplift_factor;
    double             base_scale, nominal;
    /* found */
    kl_collector collector[KL_MOST_PANTOGRAPHS];
    kl_coupling *k;
    double       t0, x0, z0; /* time, place and height of the base at the start */
    kl_output   *outputs;
    kl_field     field;
} pantograph;

/* history: steps | failed | last reading | state */
enum { STEPS, FAILED, TIME, X, SPEED, Z, RATE, STATE };

/* ---- what moves the pantographs ---- */

typedef struct base {
    double t, x, speed, z, rate;
} base;

/* Between the last accepted step and now. */
typedef struct ride {
    const pantograph *p;
    base              from, to;
    const double     *u; /* inputs of the model, for functions */
} ride;

static base base_at(const ride *r, double t)
{
    double span = r->to.t - r->from.t, s = span > 0.0 ? (t - r->from.t) / span : 1.0;
    return (base){.t     = t,
                  .x     = r->from.x + s * (r->to.x - r->from.x),
                  .speed = r->from.speed + s * (r->to.speed - r->from.speed),
                  .z     = r->from.z + s * (r->to.z - r->from.z),
                  .rate  = r->from.rate + s * (r->to.rate - r->from.rate)};
}

/* Base as a marker shows it, and as the function `base` lifts it; `speed` of the entry moves it along
 * instead where it is given. */
static base base_of(const pantograph *p, double t, const kl_motion *m, const double *u)
{
    double roof[3] = {0};
    if (p->base) kl_function_eval(p->base, t, u, roof);
    base b = {.t     = t,
              .x     = p->start + m->r.x - p->x0,
              .speed = m->v.x,
              .z     = p->nominal + m->r.z - p->z0 + p->base_scale * roof[0],
              .rate  = m->v.z + p->base_scale * roof[1]};
    if (!isnan(p->speed)) b.x = p->start + p->speed * (t - p->t0), b.speed = p->speed;
    return b;
}

static double uplift_at(const pantograph *p, const base *b, const double *u)
{
    double share = 1.0, run = b->x - p->start, factor[3] = {1.0};
    if (p->ramp_length > 0.0 && run < p->ramp_length)
        share = p->ramp_from + (1.0 - p->ramp_from) * fmax(run, 0.0) / p->ramp_length;
    if (p->uplift_factor) kl_function_eval(p->uplift_factor, b->t, u, factor);
    return factor[0] * share * (p->uplift + p->aerodynamic * b->speed * b->speed);
}

static void drive(const void *context, double t, kl_collector_input *in)
{
    const ride       *r = context;
    const pantograph *p = r->p;
    base              b = base_at(r, t);
    for (int i = 0; i < p->k->n; i++)
        in[i] = (kl_collector_input){.x     = b.x - i * p->distance,
                                     .speed = b.speed,
                                     .load  = {.uplift     = uplift_at(p, &b, r->u),
                                               .lift       = p->lift * b.speed * b.speed,
                                               .base       = b.z,
                                               .base_speed = b.rate}};
}

/* ---- setup ---- */

static kl_status list_of(const kl_setup *s, const kl_list *list, const char *key, int n,
                         double *out)
{
    if (list->n != n)
        return kl_fail(
            s->diag, KL_E_MODEL, s->place,
            "force '%s': %s has %d values, but masses has %d; give one for each mass, head first",
            s->name, key, list->n, n);
    memcpy(out, list->value, (size_t)n * sizeof *out);
    return KL_OK;
}

static kl_status set_collectors(pantograph *p, const kl_setup *s)
{
    kl_collector *c = &p->collector[0];
    int           n = p->mass.n;
    if (n > KL_PANTOGRAPH_MASSES)
        return kl_fail(s->diag, KL_E_MODEL, s->place,
                       "force '%s': masses has %d values; give up to %d, head first", s->name, n,
                       KL_PANTOGRAPH_MASSES);
    if (n == 0 && p->coupling == 1)
        return kl_fail(s->diag, KL_E_MODEL, s->place,
                       "force '%s': a constant force without masses cannot be co-simulated; write "
                       "`coupling: one-system`, or give masses",
                       s->name);
    *c              = (kl_collector){.constant = n == 0,
                                     .law      = {p->contact, p->exponent, p->restitution},
                                     .nstrip   = (int)p->strips,
                                     .spacing  = p->strip_spacing,
                                     .width    = p->width};
    c->pantograph.n = n;
    KL_TRY(list_of(s, &p->mass, "masses", n, c->pantograph.mass));
    KL_TRY(list_of(s, &p->stiffness, "stiffness", n, c->pantograph.stiffness));
    KL_TRY(list_of(s, &p->damping, "damping", n, c->pantograph.damping));
    if (p->friction.n > 0) KL_TRY(list_of(s, &p->friction, "friction", n, c->pantograph.friction));
    for (int i = 0; i < n; i++)
        if (!(c->pantograph.mass[i] > 0.0) || !(c->pantograph.stiffness[i] >= 0.0))
            return kl_fail(
                s->diag, KL_E_RANGE, s->place,
                "force '%s': masses must be positive and stiffnesses must not be negative",
                s->name);
    for (int i = 0; i < n; i++)
        if (!(c->pantograph.damping[i] >= 0.0) || !(c->pantograph.friction[i] >= 0.0))
            return kl_fail(
                s->diag, KL_E_RANGE, s->place,
                "force '%s': damping and friction of mass %d are %g N s/m and %g N; give "
                "values that are not negative",
                s->name, i + 1, c->pantograph.damping[i], c->pantograph.friction[i]);
    for (int i = 1; i < (int)p->count; i++) p->collector[i] = *c;
    return KL_OK;
}

/* Both kinds of elements begin with their line. */
static const kl_catenary *line_of(const void *data) { return *(const kl_catenary *const *)data; }

kl_status kl_catenary_check_single(const kl_setup *s, const void *data, const char *remedy)
{
    for (int i = 0; i < s->model->nelement && s->model->element[i].data != data; i++) {
        const kl_element *e = &s->model->element[i];
        if (e->type != &kl_pantograph_force && e->type != &kl_catenary_contact) continue;
        if (line_of(e->data) == line_of(data))
            return kl_fail(s->diag, KL_E_MODEL, s->place,
                           "force '%s': force '%s' already runs along catenary '%s', and neither "
                           "would respond to the waves of the other; %s",
                           s->name, e->name, line_of(data)->design.name, remedy);
    }
    return KL_OK;
}

void kl_catenary_warn_speed(const kl_setup *s, const kl_catenary *c, double speed)
{
    double wave = kl_catenary_waves(c, speed).contact;
    if (fabs(speed) < wave) return;
    kl_warn(s->diag, s->place,
            "force '%s': %.4g m/s is not below the wave speed %.4g m/s of the contact wire of "
            "catenary '%s', sqrt(tension/mass); give a lower speed or a higher `contact_tension`",
            s->name, fabs(speed), wave, c->design.name);
}

static kl_status check_line(const pantograph *p, const kl_setup *s)
{
    const kl_line *line = p->catenary->line;
    double         end = s->model->settings.end, rear = p->start - (p->count - 1.0) * p->distance;
    double         last = p->start + (isnan(p->speed) ? 0.0 : p->speed * (end - p->t0));
    if (rear < line->x0 || p->start > line->x1)
        return kl_fail(
            s->diag, KL_E_MODEL, s->place,
            "force '%s': pantographs start from x = %g to %g m, but catenary '%s' extends from %g "
            "to %g m; change `from`, or lengthen the line with more `spans`",
            s->name, rear, p->start, p->catenary->design.name, line->x0, line->x1);
    if (last > line->x1)
        return kl_fail(
            s->diag, KL_E_MODEL, s->place,
            "force '%s': the line is too short: the run ends at x = %.4g m, but catenary '%s' at "
            "%g m; lengthen it with more `spans`, or write `run: {end: %.3g s}`",
            s->name, last, p->catenary->design.name, line->x1,
            p->t0 + (line->x1 - p->start) / p->speed);
    return KL_OK;
}

static kl_status check_places(const pantograph *p, const kl_setup *s, const kl_list *list,
                              const char *key)
{
    const kl_line *line = p->catenary->line;
    for (int i = 0; i < list->n; i++)
        if (!(list->value[i] >= line->x0 && list->value[i] <= line->x1))
            return kl_fail(
                s->diag, KL_E_RANGE, s->place,
                "force '%s': %s has x = %g m, but catenary '%s' extends from %g to %g m; "
                "give places on the line, or lengthen it with more `spans`",
                s->name, key, list->value[i], p->catenary->design.name, line->x0, line->x1);
    return KL_OK;
}

/* Where the contact force is assessed: by default away from the ends, spans 5 and 6 of 10. */
static kl_status set_region(pantograph *p, const kl_setup *s)
{
    const kl_line *line = p->catenary->line;
    double         L    = line->x1 - line->x0;
    if (p->evaluate.n == 0) {
        p->evaluate.value = kl_arena_array(s->arena, double, 2);
        if (!p->evaluate.value) return KL_E_MEMORY;
        p->evaluate.n        = 2;
        p->evaluate.value[0] = line->x0 + 0.4 * L, p->evaluate.value[1] = line->x0 + 0.6 * L;
    }
    if (p->evaluate.n != 2 || !(p->evaluate.value[0] < p->evaluate.value[1]))
        return kl_fail(
            s->diag, KL_E_MODEL, s->place,
            "force '%s': evaluate must be [from, to] along the line, such as [240 m, 360 m]",
            s->name);
    KL_TRY(check_places(p, s, &p->evaluate, "evaluate"));
    return check_places(p, s, &p->probes, "probes");
}

/* The key whose value must become shorter so that no step is longer than `most`. */
static const char *key_to_shorten(const pantograph *p, double most)
{
    if (p->coupling == 0 || p->exchange <= most) return "`step`";
    return p->step <= most ? "`exchange`" : "`exchange` and `step`";
}

/* The contact must be resolved by the steps, and no step may jump over an element. */
static kl_status check_step(const pantograph *p, const kl_setup *s)
{
    double step    = p->coupling ? fmax(p->exchange, p->step) : p->step;
    double k       = kl_strip_secant(&p->collector[0].law);
    double w       = p->mass.n > 0 ? sqrt(k / p->mass.value[0]) : 0.0;
    double speed   = isnan(p->speed) ? 0.0 : p->speed;
    double element = p->catenary->design.element;
    if (w * step > KL_STRIP_TURN)
        return kl_fail(s->diag, KL_E_RANGE, s->place,
                       "force '%s': the step of %g s is too long for the contact: head and contact "
                       "stiffness oscillate with %.3g Hz; give %s of %.2g s or less",
                       s->name, step, w / 6.2832, key_to_shorten(p, KL_STRIP_TURN / w),
                       KL_STRIP_TURN / w);
    if (speed * step > element)
        return kl_fail(s->diag, KL_E_RANGE, s->place,
                       "force '%s': the step of %g s is too long: at %g m/s a pantograph passes "
                       "more than an element of %g m per step; give %s of %.2g s or less",
                       s->name, step, speed, element, key_to_shorten(p, element / speed),
                       element / speed);
    return KL_OK;
}

static kl_status set_outputs(pantograph *p, const kl_setup *s);

static kl_status pantograph_setup(void *data, const kl_setup *s, const kl_motion *m, int nmarker,
                                  kl_element_size *size)
{
    (void)nmarker;
    pantograph         *p = data;
    kl_coupling_options o = {.cosim      = p->coupling == 1,
                             .step       = p->step,
                             .exchange   = p->exchange,
                             .own        = 1e-4,
                             .iterations = (int)p->iterations};
    if (p->count != floor(p->count) || p->strips != floor(p->strips))
        return kl_fail(s->diag, KL_E_RANGE, s->place,
                       "force '%s': count and strips must be whole numbers", s->name);
    p->t0 = s->model->t0, p->x0 = m[0].r.x, p->z0 = m[0].r.z;
    if (isnan(p->nominal)) p->nominal = p->catenary->design.part[0].height[0];
    KL_TRY(set_collectors(p, s));
    KL_TRY(check_line(p, s));
    kl_catenary_warn_speed(s, p->catenary, isnan(p->speed) ? m[0].v.x : p->speed);
    KL_TRY(set_region(p, s));
    kl_status once =
        kl_catenary_check_single(s, p, "write one `pantograph` with `count` and `distance`");
    KL_TRY(check_step(p, s));
    KL_TRY(once);
    KL_TRY(set_outputs(p, s));
    KL_TRY(kl_line_field(p->catenary->line, s->arena, &p->field));
    KL_TRY(kl_coupling_create(p->catenary->line, p->collector, (int)p->count, &o, s->arena, s->diag,
                              &p->k));
    p->k->c->place = s->place;
    size->nh       = STATE + kl_coupling_state_size(p->k);
    size->interval = p->k->interval;
    return KL_OK;
}

/* All at rest in contact. */
static kl_status pantograph_start(const kl_reading *in, const kl_setup *s, kl_element_start *out)
{
    const pantograph  *p      = in->data;
    base               b      = base_of(p, p->t0, &in->m[0], in->u);
    ride               r      = {.p = p, .from = b, .to = b, .u = in->u};
    kl_coupling_motion motion = {drive, &r};
    out->h[TIME] = b.t, out->h[X] = b.x, out->h[SPEED] = b.speed;
    out->h[Z] = b.z, out->h[RATE] = b.rate;
    return kl_coupling_start(p->k, motion, p->t0, out->h + STATE, s->diag);
}

/* ---- during a run ---- */

static void pantograph_commit(const kl_reading *in, double *h_new)
{
    const pantograph  *p      = in->data;
    ride               r      = {.p    = p,
                                 .from = {h_new[TIME], h_new[X], h_new[SPEED], h_new[Z], h_new[RATE]},
                                 .to   = base_of(p, in->t, &in->m[0], in->u),
                                 .u    = in->u};
    kl_coupling_motion motion = {drive, &r};
    double             due    = floor((in->t - p->t0) / p->k->interval + 1e-6);
    while (h_new[STEPS] < due && h_new[FAILED] == 0.0) {
        double t = p->t0 + h_new[STEPS] * p->k->interval;
        if (kl_coupling_step(p->k, motion, t, h_new + STATE) != KL_OK) h_new[FAILED] = 1.0;
        h_new[STEPS] += 1.0;
    }
    h_new[TIME] = r.to.t, h_new[X] = r.to.x, h_new[SPEED] = r.to.speed;
    h_new[Z] = r.to.z, h_new[RATE] = r.to.rate;
}

/* The lowest spring and damper and the reaction of the uplift act on the base. */
static kl_status pantograph_eval(const kl_reading *in, kl_writing *out)
{
    const pantograph *p = in->data;
    const double     *h = in->h;
    base              b = base_of(p, in->t, &in->m[0], in->u);
    for (int i = 0; i < p->k->n && p->mass.n > 0; i++) {
        const kl_pantograph *l = &p->collector[i].pantograph;
        const double        *m = kl_coupling_masses(p->k, h + STATE, i);
        int                  n = l->n - 1;
        out->wrench[2] += l->stiffness[n] * (m[n] - b.z) +
                          l->damping[n] * (m[KL_PANTOGRAPH_MASSES + n] - b.rate) -
                          uplift_at(p, &b, in->u);
    }
    return KL_OK;
}

static void pantograph_watch(const kl_reading *in, kl_notice *notice)
{
    const pantograph *p = in->data;
    const double     *h = in->h;
    if (h[FAILED] != 0.0) {
        notice->stop = true, notice->count = 1;
        snprintf(notice->text, sizeof notice->text,
                 "has no solution for the contact force (no convergence); use a shorter `step` or "
                 "a lower `contact_stiffness`");
    } else if (h[X] > p->catenary->line->x1) {
        notice->stop = true, notice->count = 1;
        snprintf(
            notice->text, sizeof notice->text,
            "reached the end of the catenary at x = %.6g m; lengthen the line with more `spans`",
            p->catenary->line->x1);
    }
}

/* ---- outputs ---- */

enum { PER_PANTOGRAPH = 9, COMMON = 3 };

static const kl_output each[PER_PANTOGRAPH] = {
    {"contact_force", "N", "contact force, sum of its strips"},
    {"head_height", "m", "height of the head"},
    {"position", "m", "position along the line"},
    {"wire_height", "m", "height of the contact wire above it"},
    {"wire_lateral", "m", "lateral position of the contact wire on the strip"},
    {"head_speed", "m/s", "vertical velocity of the head"},
    {"support", "m", "x of the support nearest to it"},
    {"support_uplift", "m", "uplift of the contact wire at that support"},
    {"evaluated", "1", "1 where the contact force is evaluated by the assessment, else 0"},
};
static const kl_output common[COMMON] = {
    {"slack_droppers", "1", "number of slack droppers"},
    {"coupling_energy", "J", "energy error of the co-simulation so far"},
    {"iterations", "1", "iterations of the last exchange"},
};

/* The second pantograph's outputs are called contact_force_2 and so on. */
static kl_status set_outputs(pantograph *p, const kl_setup *s)
{
    int n = (int)p->count, m = 0;
    if (n < 1 || n > KL_MOST_PANTOGRAPHS)
        return kl_fail(s->diag, KL_E_RANGE, s->place, "force '%s': count is %d; give 1 to %d",
                       s->name, n, KL_MOST_PANTOGRAPHS);
    p->outputs = kl_arena_array(s->arena, kl_output, n * PER_PANTOGRAPH + COMMON + p->probes.n + 1);
    if (!p->outputs) return KL_E_MEMORY;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < PER_PANTOGRAPH; k++, m++) {
            p->outputs[m] = each[k];
            if (i > 0) p->outputs[m].name = kl_arena_format(s->arena, "%s_%d", each[k].name, i + 1);
        }
    for (int k = 0; k < COMMON; k++) p->outputs[m++] = common[k];
    for (int k = 0; k < p->probes.n; k++)
        p->outputs[m++] = (kl_output){kl_arena_format(s->arena, "probe_%d", k + 1), "m",
                                      "uplift of the contact wire at this position of `probes`"};
    return kl_arena_ok(s->arena) ? KL_OK : KL_E_MEMORY;
}

static const kl_field *pantograph_field(const void *data)
{
    return &((const pantograph *)data)->field;
}

static void pantograph_field_values(const kl_reading *in, double *rise, double *pull)
{
    const pantograph *p = in->data;
    kl_line_field_values(p->catenary->line, kl_coupling_line(p->k, in->h + STATE), rise, pull);
}

static const kl_output *pantograph_describe(const void *data)
{
    return ((const pantograph *)data)->outputs;
}

static void pantograph_output(const kl_reading *in, const double *lambda, double *values)
{
    (void)lambda;
    const pantograph *p    = in->data;
    const kl_line    *line = p->catenary->line;
    const double     *h = in->h, *d = kl_coupling_line(p->k, h + STATE);
    int               slack = 0;
    for (int i = 0; i < p->k->n; i++, values += PER_PANTOGRAPH) {
        const kl_collector_output *o = kl_coupling_output(p->k, h + STATE, i);
        values[0] = o->force, values[1] = o->head, values[2] = o->x, values[3] = o->wire;
        values[4] = o->lateral, values[5] = o->rate;
        kl_line_support_near(line, o->x, d, &values[6], &values[7]);
        values[8] = o->x >= p->evaluate.value[0] && o->x <= p->evaluate.value[1];
    }
    for (int j = 0; j < line->ndropper; j++) slack += kl_stepper_dropper_force(line, d, j) == 0.0;
    values[0] = slack;
    values[1] = kl_coupling_energy_error(h + STATE);
    values[2] = kl_coupling_iterations(h + STATE);
    for (int k = 0; k < p->probes.n; k++) {
        kl_wire_point at;
        bool          on = false;
        for (int i = 0; i < line->design->npart && !on; i++)
            on = kl_wire_at(kl_line_find(line, KL_WIRE_CONTACT, i), p->probes.value[k], &at);
        values[COMMON + k] = on ? kl_wire_value(&at, d, 0) : (double)NAN;
    }
}

const kl_pantograph *kl_pantograph_of(const void *data, const kl_catenary **line, double *speed)
{
    const pantograph *p = data;
    *line = p->catenary, *speed = p->speed;
    return &p->collector[0].pantograph;
}

/* clang-format off */
#define NUMBER(name_, field_, unit_, fallback_, min_, max_, help_)                                  \
    {.name = name_, .kind = KL_KEY_NUMBER, .offset = offsetof(pantograph, field_), .unit = unit_,   \
     .fallback = fallback_, .min = min_, .max = max_, .help = help_}
#define LIST(name_, field_, unit_, fallback_, help_)                                                \
    {.name = name_, .kind = KL_KEY_LIST, .offset = offsetof(pantograph, field_), .unit = unit_,     \
     .fallback = fallback_, .help = help_}
static const kl_key pantograph_keys[] = {
    {.name = "catenary", .kind = KL_KEY_RESOURCE, .offset = offsetof(pantograph, catenary),
     .words = "catenaries", .help = "catenary that the pantograph runs along"},
    NUMBER("from", start, "m", NULL, -1e300, 1e300, "initial x of the (first) head"),
    NUMBER("speed", speed, "m/s", "", 0, 1e300, "constant speed along the line (default: speed of the base)"),
    LIST("masses", mass, "kg", "[]", "lumped masses, head first; none: a moving constant force (the uplift)"),
    LIST("stiffness", stiffness, "N/m", "[]", "stiffness of the springs from each mass to the next, and from the last to the base"),
    LIST("damping", damping, "N s/m", "[]", "damping parallel to these springs"),
    LIST("friction", friction, "N", "[]", "dry friction parallel to these springs"),
    NUMBER("uplift", uplift, "N", NULL, 0, 1e300, "static force on the lowest mass"),
    {.name = "uplift_factor", .kind = KL_KEY_FUNCTION, .offset = offsetof(pantograph, uplift_factor), .unit = "1",
     .fallback = "", .help = "factor of the uplift over time; without `masses` the uplift may be any force over time"},
    NUMBER("aerodynamic", aerodynamic, "N s2/m2", "0", 0, 1e300, "additional uplift proportional to the square of the speed"),
    NUMBER("lift", lift, "N s2/m2", "0", -1e300, 1e300, "aerodynamic force on the head proportional to the square of the speed"),
    NUMBER("ramp_length", ramp_length, "m", "0", 0, 1e300, "distance over which the uplift rises to its value"),
    NUMBER("ramp_from", ramp_from, "1", "0.3", 0, 1, "fraction of the uplift at the start of the ramp"),
    NUMBER("exponent", exponent, "1", "1", 1, 10, "n of the contact law F = K d^n (1 + 3 (1 - e^2)/4 d'/d'(-))"),
    NUMBER("contact_stiffness", contact, "N over m ^ exponent", "50000", 1, 1e300, "K of the contact law"),
    NUMBER("restitution", restitution, "1", "1", 0, 1, "e of the contact law (coefficient of restitution); 1: no dissipation"),
    NUMBER("strips", strips, "1", "1", 1, 2, "number of collector strips of a head"),
    NUMBER("strip_spacing", strip_spacing, "m", "0.5", 0, 1e300, "distance between two strips"),
    NUMBER("width", width, "m", "1.6", 0.001, 1e300, "length of a strip across the track; there is no contact outside it"),
    NUMBER("count", count, "1", "1", 1, 4, "number of pantographs"),
    NUMBER("distance", distance, "m", "200", 0, 1e300, "distance from each pantograph to the one behind it"),
    {.name = "coupling", .kind = KL_KEY_WORD, .offset = offsetof(pantograph, coupling),
     .words = "one-system co-simulation", .fallback = "one-system",
     .help = "solve all equations together, or couple two solvers that exchange values"},
    NUMBER("step", step, "s", "0.001", 1e-6, 1, "step size of the catenary"),
    NUMBER("exchange", exchange, "s", "0.0005", 1e-6, 1, "exchange interval of the co-simulation"),
    NUMBER("iterations", iterations, "1", "20", 1, 1000, "largest number of iterations of an exchange; 1: prediction only"),
    LIST("probes", probes, "m", "[]", "positions along the line whose uplift is recorded; in an overlap, of the wire that ends there"),
    LIST("evaluate", evaluate, "m", "[]", "[from, to] along the line for the assessment (default: the middle fifth)"),
    {.name = "base", .kind = KL_KEY_FUNCTION, .offset = offsetof(pantograph, base), .unit = "m",
     .fallback = "", .help = "vertical displacement of the base over time, added to the motion of the marker"},
    NUMBER("nominal_height", nominal, "m", "", -1e300, 1e300,
           "height of the head at which the lowest spring is relaxed; default: height of the wire at the first support"),
    NUMBER("base_scale", base_scale, "1", "1", -1e300, 1e300, "factor of `base`"),
    {0}};
/* clang-format on */

const kl_element_type kl_pantograph_force = {
    .name     = "pantograph",
    .help     = "lumped-mass pantographs that run along a catenary",
    .equation = "F = K d^n (1 + 3 (1 - e^2)/4 d'/d'(-)) between head and contact wire",
    .example =
        "collector: {type: pantograph, catenary: line, on: ground, from: 10 m, speed: 250 km/h, "
        "masses: [7.2, 15], stiffness: [4200, 50], damping: [10, 90], uplift: 120 N}",
    .keys         = pantograph_keys,
    .attach       = &kl_attach_one,
    .data_size    = sizeof(pantograph),
    .setup        = pantograph_setup,
    .start        = pantograph_start,
    .eval         = pantograph_eval,
    .commit       = pantograph_commit,
    .watch        = pantograph_watch,
    .describe     = pantograph_describe,
    .field        = pantograph_field,
    .field_values = pantograph_field_values,
    .output       = pantograph_output,
};
