/* Values of channels: all of them, or those parts that the rows of a run need. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rotation.h"
#include "dynamics/channel_list.h"
#include "model/groups.h"

/* Parts of bodies, elements and the system that are evaluated together. */
enum { MOTION = 1, ACCELERATION = 2, MEASURES = 4, REST = 8 };
enum { OUTPUT = 1, WRENCH = 2, CONSTRAINS = 4 }; /* the last: evaluated for the drift alone */
enum { ENERGY = 1, DRIFT = 2, COMPOUNDS = 4 };
enum {
    POINT_ACCELERATION = 9
}; /* first of the values of a point that are accelerations, or behind them */

static double *put(double *to, kl_vec3 a)
{
    kl_store(to, a);
    return to + 3;
}

/* Accelerations of a marker: a0 + B v' */
static void acceleration_of(const kl_model *m, const kl_work *w, const kl_marker *k,
                            const kl_motion *motion, const double *a, kl_vec3 *lin, kl_vec3 *ang)
{
    const kl_body *b      = &m->body[k->body];
    double         sum[6] = {0}, small[6 * 64],
           *B             = b->nv <= 64 ? small : malloc(6 * (size_t)b->nv * sizeof *B);
    if (b->nv > 0 && a && B) {
        b->type->map(b->data, w->cache + b->cache, k, B);
        for (int i = 0; i < 6; i++)
            for (int j = 0; j < b->nv; j++) sum[i] += B[i * b->nv + j] * a[b->v + j];
    }
    if (B != small) free(B);
    *lin = kl_add(motion->a0, kl_load(sum));
    *ang = kl_add(motion->al0, kl_load(sum + 3));
}

/* Euler parameters of the body frame without a jump of their sign: its own coordinates, or what its type
 * makes of them. */
static void orientation_of(const kl_body *b, const kl_state *s, const kl_motion *now, double *to)
{
    kl_group turns = kl_body_group(b, KL_ROTATION);
    if (b->type->orientation) b->type->orientation(b->data, s->q + b->q, to);
    else if (turns.nq == 4) memcpy(to, s->q + turns.q, 4 * sizeof *to);
    else kl_quat_from_matrix(&now->A, to);
}

/* Places of the groups of body_groups (channels.c) among the values of a body. */
enum {
    AT_POSITION     = 0,
    AT_ORIENTATION  = 3,
    AT_VELOCITY     = 7,
    AT_OMEGA        = 10,
    AT_ACCELERATION = 13,
    AT_OMEGA_BODY   = 19,
    AT_MEASURES     = 22,
    AT_REST         = 32
};

static void measure_values(const kl_body *b, const kl_work *w, double *to)
{
    kl_measures t;
    b->type->measures(b->data, w->cache + b->cache, &t);
    to  = put(to, t.center);
    to  = put(to, t.p);
    to  = put(to, t.L);
    *to = t.kinetic;
}

/* Modal coordinates and outputs of its own. */
static void rest_values(const kl_body *b, const kl_state *s, const kl_work *w, double *to)
{
    kl_group modes = kl_body_group(b, KL_MODAL);
    for (int j = 0; j < modes.nv; j++) to[j] = s->q[modes.q + j];
    for (int j = 0; j < modes.nv; j++) to[modes.nv + j] = s->v[modes.v + j];
    if (modes.nv > 0) to[2 * modes.nv] = b->type->own_energy(b->data, w->cache + b->cache);
    int nlocked = kl_channel_locked_modes(b), wide = kl_body_modes(b) + nlocked;
    if (nlocked > 0) memset(to, 0, (2 * (size_t)nlocked + 1) * sizeof *to);
    if (b->type->output)
        b->type->output(b->data, w->cache + b->cache, to + (wide ? 2 * wide + 1 : 0));
}

static void body_values(const kl_model *m, const kl_state *s, const kl_work *w, int index,
                        const double *a, unsigned part, double *to)
{
    const kl_body *b      = &m->body[index];
    kl_marker      origin = {.body = index, .A = kl_identity()};
    kl_motion      now;
    if (part & (MOTION | ACCELERATION)) kl_body_motion(b, w->cache + b->cache, &origin, &now);
    if (part & MOTION) {
        put(to + AT_POSITION, now.r);
        orientation_of(b, s, &now, to + AT_ORIENTATION);
        put(to + AT_VELOCITY, now.v);
        put(to + AT_OMEGA, now.w);
        put(to + AT_OMEGA_BODY, kl_mul_t(&now.A, now.w));
    }
    if (part & ACCELERATION) {
        kl_vec3 lin, ang;
        acceleration_of(m, w, &origin, &now, a, &lin, &ang);
        put(put(to + AT_ACCELERATION, lin), ang);
    }
    if (part & MEASURES) measure_values(b, w, to + AT_MEASURES);
    if (part & REST) rest_values(b, s, w, to + AT_REST);
}

static void wrench_values(const kl_work *w, const kl_element *e, int index, double *to)
{
    if (kl_channel_nodes(e)) {
        for (int k = 1; k < e->nmarker; k += 2) {
            const double *on = w->total + 6 * (size_t)(e->marker + k);
            to               = put(put(to, kl_load(on)), kl_load(on + 3));
        }
        return;
    }
    int last = kl_channel_marker(e);
    if (last < 0) return;
    const double    *wrench = w->total + 6 * (size_t)last;
    const kl_motion *k      = &w->motion[last];
    to                      = put(to, kl_load(wrench));
    to                      = put(to, kl_load(wrench + 3));
    to                      = put(to, kl_mul_t(&k->A, kl_load(wrench)));
    to                      = put(to, kl_mul_t(&k->A, kl_load(wrench + 3)));
    to[0]                   = w->energy[index];
    to[1]                   = w->loss[index];
    to[2]                   = w->spent[index];
}

static void element_values(const kl_model *m, const kl_state *s, const kl_work *w, int index,
                           const double *lambda, unsigned part, double *to)
{
    const kl_element *e = &m->element[index];
    if ((part & OUTPUT) && e->type->output) {
        kl_reading in = kl_reading_of(m, s, w, e);
        e->type->output(&in, lambda + e->phi, to);
    }
    if (part & WRENCH) wrench_values(w, e, index, to + kl_channel_outputs(e));
}

static void compound_values(const kl_model *m, const kl_work *w, const kl_compound *k, double *to)
{
    double  mass = 0.0, kinetic = 0.0, energy = 0.0, loss = 0.0, spent = 0.0;
    kl_vec3 moment = kl_vec(0, 0, 0), p = moment, L = moment;
    for (int i = k->body; i < k->body + k->nbody; i++) {
        kl_measures t;
        m->body[i].type->measures(m->body[i].data, w->cache + m->body[i].cache, &t);
        mass += t.mass;
        kinetic += t.kinetic;
        moment = kl_axpy(t.mass, t.center, moment);
        p      = kl_add(p, t.p);
        L      = kl_add(L, t.L);
    }
    for (int i = k->element; i < k->element + k->nelement; i++)
        energy += w->energy[i], loss += w->loss[i], spent += w->spent[i];
    to    = put(to, mass > 0.0 ? kl_scale(1.0 / mass, moment) : moment);
    to    = put(to, p);
    to    = put(to, L);
    to[0] = kinetic;
    to[1] = energy;
    to[2] = loss;
    to[3] = spent;
}

/* Largest gaps of the constraints and the largest rate at which one is left. */
static void drift_values(const kl_model *m, const kl_work *w, double *to)
{
    to[0] = to[1] = to[2] = 0.0;
    for (int i = 0; i < m->nelement; i++) {
        const kl_element *el = &m->element[i];
        for (int k = 0; k < el->nphi; k++) {
            const double *row    = w->rows + el->rows + (size_t)k * 6 * (size_t)el->nmarker;
            bool          length = kl_eval_is_length(m, w, el, k);
            double        speed  = w->phi_t[el->phi + k];
            for (int j = 0; j < el->nmarker; j++) {
                const kl_motion *p = &w->motion[el->marker + j];
                speed += kl_dot(kl_load(row + 6 * (size_t)j), p->v) +
                         kl_dot(kl_load(row + 6 * (size_t)j + 3), p->w);
            }
            double *worst = length ? &to[0] : &to[1];
            *worst        = fmax(*worst, fabs(w->phi[el->phi + k]));
            to[2]         = fmax(to[2], fabs(speed));
        }
    }
}

/* In the order of system_groups (channels.c). */
static void system_values(const kl_model *m, const kl_state *s, const kl_work *w,
                          const kl_moment *now, unsigned part, double *to)
{
    if (part & ENERGY) {
        kl_energy e     = kl_eval_energy(m, w, now->lambda);
        double    total = e.kinetic + e.potential;
        to[0] = e.kinetic, to[1] = e.potential, to[2] = total;
        double lost = now->lost + e.spent;
        to[3] = lost, to[4] = now->supplied;
        to[5] = total + lost - now->supplied;
    }
    if (part & DRIFT) drift_values(m, w, to + 6);
    to[9] = s->t, to[10] = now->step, to[11] = now->order;
}

/* Each output has a marker of its own. */
static bool same_point(const kl_model *m, const output *a, const output *b)
{
    const kl_marker *k = &m->marker[a->marker], *l = &m->marker[b->marker];
    return k->body == l->body && k->node == l->node && memcmp(&k->r, &l->r, sizeof k->r) == 0 &&
           memcmp(&k->A, &l->A, sizeof k->A) == 0 &&
           memcmp(&a->start, &b->start, sizeof a->start) == 0;
}

/* All values of the point of an output. */
static void point_values(const kl_model *m, const kl_work *w, const output *o, const double *a,
                         double *to)
{
    const kl_motion *k = &w->motion[o->marker];
    kl_vec3          lin, ang;
    acceleration_of(m, w, &m->marker[o->marker], k, a, &lin, &ang);
    to = put(to, k->r);
    to = put(to, kl_sub(k->r, o->start));
    to = put(to, k->v);
    to = put(to, lin);
    to = put(to, k->w);
    to = put(to, ang);
    to = put(to, kl_mul_t(&k->A, kl_sub(lin, m->gravity)));
    to = put(to, kl_mul_t(&k->A, k->v));
    put(to, kl_mul_t(&k->A, lin));
}

/* ---- which parts ---- */

void kl_channels_want_all(kl_channels *c)
{
    const kl_model *m = c->model;
    memset(c->body_part, MOTION | ACCELERATION | MEASURES | REST, (size_t)m->nbody);
    memset(c->element_part, OUTPUT | WRENCH, (size_t)m->nelement);
    c->system_part = ENERGY | DRIFT | COMPOUNDS;
}

static unsigned body_part_of(int at)
{
    return at >= AT_REST                                 ? REST
           : at >= AT_MEASURES                           ? MEASURES
           : at >= AT_ACCELERATION && at < AT_OMEGA_BODY ? ACCELERATION
                                                         : MOTION;
}

/* The last of n objects that begins at or before the channel. */
static int owner_of(const int *first, int from, int n, int channel)
{
    int low = from, high = n;
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (first[middle] <= channel) low = middle;
        else high = middle;
    }
    return low;
}

static void want(kl_channels *c, int channel)
{
    const kl_model *m = c->model;
    if (channel >= c->system) {
        int at = channel - c->system;
        if (channel < c->nsorted && at < 6) c->system_part |= ENERGY;
        return;
    }
    if (m->ninput > 0 && channel >= c->input[0]) return;
    if (m->ncompound > 0 && channel >= c->compound) {
        c->system_part |= COMPOUNDS;
        return;
    }
    if (m->nelement > 0 && channel >= c->element[0]) {
        int               i = owner_of(c->element, 0, m->nelement, channel);
        const kl_element *e = &m->element[i];
        c->element_part[i] |= channel - c->element[i] < kl_channel_outputs(e) ? OUTPUT : WRENCH;
        return;
    }
    int            i = owner_of(c->body, 1, m->nbody, channel);
    const kl_body *b = &m->body[i];
    c->body_part[i] |= b->own ? REST : (unsigned char)body_part_of(channel - c->body[i]);
}

static void want_expression(kl_channels *c, const kl_expression *e)
{
    enum { MOST = 256 };
    int symbol[MOST], n = kl_expression_symbols(e, symbol, MOST);
    if (n > MOST) {
        kl_channels_want_all(c);
        return;
    }
    for (int k = 0; k < n; k++)
        if (symbol[k] < c->nsorted) want(c, symbol[k]);
}

void kl_channels_want(kl_channels *c, const int *channel, int n, bool energy)
{
    const kl_model *m = c->model;
    memset(c->body_part, 0, (size_t)m->nbody);
    memset(c->element_part, 0, (size_t)m->nelement);
    /* every row has the errors of the constraints, so that the largest is that of all rows whatever is
     * recorded */
    c->system_part = DRIFT | (energy ? ENERGY : 0);
    for (int i = 0; i < m->nelement; i++)
        if (m->element[i].nphi > 0) c->element_part[i] = CONSTRAINS;
    for (int i = 0; i < n; i++) want(c, channel[i]);
    for (int i = 0; i < c->noutput; i++)
        if (c->outputs[i].expression) want_expression(c, c->outputs[i].expression);
    for (int i = 0; i < c->nfixed; i++) want_expression(c, c->fixed[i]);
}

unsigned kl_channels_reads(const kl_channels *c)
{
    const kl_model *m    = c->model;
    unsigned        what = 0;
    if (c->system_part & (ENERGY | COMPOUNDS)) what |= KL_READS_FORCES;
    if (c->system_part & ENERGY) what |= KL_READS_ENERGY;
    if (c->system_part & ENERGY && m->nlam > 0) what |= KL_READS_ACCELERATIONS;
    for (int i = 1; i < m->nbody; i++)
        what |= (c->body_part[i] & ACCELERATION ? KL_READS_ACCELERATIONS : 0) |
                (c->body_part[i] & MEASURES ? KL_READS_MEASURES : 0);
    for (int i = 0; i < m->nelement; i++) {
        bool forces = c->element_part[i] & (OUTPUT | WRENCH);
        if (forces) what |= KL_READS_FORCES;
        if (forces && m->nlam > 0) what |= KL_READS_ACCELERATIONS;
    }
    for (int i = 0; i < c->noutput; i++)
        if (c->outputs[i].marker >= 0 && c->outputs[i].value >= POINT_ACCELERATION)
            what |= KL_READS_ACCELERATIONS;
    return what;
}

const unsigned char *kl_channels_elements(const kl_channels *c)
{
    return c->system_part & (ENERGY | COMPOUNDS) ? NULL : c->element_part;
}

/* ---- evaluation ---- */

static const double *eval_parts(kl_channels *c, const kl_model *m, const kl_state *s, kl_work *w,
                                const kl_moment *now, bool all)
{
    for (int i = 1; i < m->nbody; i++)
        if (!m->body[i].own && !m->body[i].quiet && (all || c->body_part[i]))
            body_values(m, s, w, i, now->a, all ? ~0u : c->body_part[i], c->values + c->body[i]);
    for (int i = 0; i < m->nelement; i++)
        if (!m->element[i].quiet && (all || c->element_part[i]))
            element_values(m, s, w, i, now->lambda, all ? ~0u : c->element_part[i],
                           c->values + c->element[i]);
    for (int i = 0; (all || c->system_part & COMPOUNDS) && i < m->ncompound; i++)
        compound_values(m, w, &m->compound[i], c->values + c->compound + COMPOUND_VALUES * i);
    for (int i = 0; i < m->ninput; i++) c->values[c->input[i]] = w->u[i];
    system_values(m, s, w, now, all ? ~0u : c->system_part, c->values + c->system);
    for (int i = 0; i < m->nparameter; i++)
        c->values[c->nsorted + m->nwanted + i] = m->parameter[i].value.value;
    /* outputs of one point often follow each other, and the map of a flexible body is long */
    double        point[POINT_VALUES];
    const output *last = NULL;
    for (int i = 0; i < c->noutput; i++) {
        const output *o = &c->outputs[i];
        if (o->expression) {
            c->values[o->channel] = kl_expression_eval(o->expression, c->values, o->memory);
            continue;
        }
        if (!last || !same_point(m, last, o)) point_values(m, w, o, now->a, point);
        last                  = o;
        c->values[o->channel] = point[o->value];
    }
    return c->values;
}

const double *kl_channels_eval(kl_channels *c, const kl_model *m, const kl_state *s, kl_work *w,
                               const kl_moment *now)
{
    return eval_parts(c, m, s, w, now, true);
}

const double *kl_channels_row(kl_channels *c, const kl_model *m, const kl_state *s, kl_work *w,
                              const kl_moment *now)
{
    return eval_parts(c, m, s, w, now, false);
}

kl_system_values kl_channels_system(const kl_channels *c)
{
    const double *v = c->values + c->system; /* in the order of system_groups */
    return (kl_system_values){.kinetic   = v[0],
                              .potential = v[1],
                              .lost      = v[3],
                              .balance   = v[5],
                              .position  = v[6],
                              .rotation  = v[7],
                              .rate      = v[8]};
}
