/* Contact of two shapes on two markers: contact points from contact/pair.h, forces from
 * contact/contact_point.h. Each place where the shapes touch has its own slot with a history: closed
 * or open, impact speed, elastic tangential gap. The position stage finds the points, starting from
 * those of the last accepted step; every SEARCH_AGAIN-th step it searches everywhere, so that a new
 * place of a shape that is not convex is found. Touch, separation, sticking and slipping are
 * crossings. */
#include "contact/contact.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/rotation.h"
#include "contact/contact_point.h"
#include "contact/material.h"
#include "model/attachment.h"

enum { SEARCH_AGAIN = 16, SEARCH_CHAIN = 64 };
enum { LOST, LAST_LOSS, LAST_TIME, IMPACTS, SPEED, HEAD }; /* history before that of the slots */

typedef struct contact {
    kl_shapes    shapes;
    int          law, material, friction, point;
    double       k, exponent, c, e, v0, floor, rate_limit, line; /* NaN: left out */
    bool         exact;
    kl_function *force;
    double mu, mu_s, full_speed, stribeck_speed, xi, viscous, k_t, c_t, s0, s1, rolling, spinning;

    kl_contact_law laws; /* derived */
    int            slots;
    bool           chain;       /* one of the shapes is a chain of arcs */
    double         reach;       /* of the smaller shape [m]; infinite where both have no end */
    double         speed_limit; /* of Hertz's theory [m/s]; infinite: unknown */
} contact;

typedef struct found { /* its cache */
    kl_spots spots;
    int      age;  /* accepted steps since the last search everywhere */
    kl_vec3  from; /* shape 2 as seen from shape 1 at that search, global axes [m] */
} found;

/* ---- geometry ---- */

static kl_pose placed(const kl_motion *m, const kl_pose *local)
{
    return (kl_pose){kl_add(m->r, kl_mul(&m->A, local->r)), kl_matmul(&m->A, &local->A)};
}

static kl_pair pair_at(const contact *p, const kl_motion m[2])
{
    const kl_solid *s = p->shapes.item;
    return (kl_pair){&s[0], &s[1], placed(&m[0], &s[0].pose), placed(&m[1], &s[1].pose)};
}

/* Largest distance from the middle of a shape to its surface; infinite for a plane. */
static double reach_of(const kl_solid *s, kl_vec3 *centre)
{
    kl_vec3 h;
    kl_solid_types[s->kind].bounds(s, centre, &h);
    return isinf(h.x) || s->inside ? (double)INFINITY : kl_norm(h);
}

/* Shapes far apart: the distance of the balls that hold them is below the gap. False: look closer. */
static bool far_apart(const kl_pair *q, kl_spots *out)
{
    kl_vec3 a, b;
    double  ra = reach_of(q->a, &a), rb = reach_of(q->b, &b);
    if (isinf(ra) || isinf(rb)) return false;
    kl_vec3 d   = kl_sub(kl_pose_point(&q->B, b), kl_pose_point(&q->A, a));
    double  gap = kl_norm(d) - ra - rb;
    if (gap < 0.5 * (ra + rb)) return false;
    kl_vec3 n = kl_unit(d);
    out->n    = 1;
    out->item[0] =
        (kl_spot){.gap = gap, .n = n, .p1 = q->A.r, .p2 = kl_axpy(gap, n, q->A.r), .key = -1};
    return true;
}

/* So much relative motion, as a share of the smaller shape, calls for a search everywhere. */
static const double MOVED = 0.05;

/* May the search begin at the places of the last accepted step? */
static bool still_near(const contact *p, const found *last, kl_vec3 from)
{
    if (!last || last->spots.n == 0 || last->spots.item[0].key < 0) return false;
    return last->age < (p->chain ? SEARCH_CHAIN : SEARCH_AGAIN) &&
           kl_norm(kl_sub(from, last->from)) < MOVED * p->reach;
}

static kl_status contact_locate(const kl_reading *in, void *cache)
{
    const contact *p    = in->data;
    const found   *last = in->accepted;
    found         *f    = cache;
    kl_pair        q    = pair_at(p, in->m);
    memset(f, 0, sizeof *f);
    if (far_apart(&q, &f->spots)) return KL_OK;
    kl_vec3 from = kl_sub(q.B.r, q.A.r);
    bool    warm = still_near(p, last, from);
    f->age       = warm ? last->age + 1 : 0;
    f->from      = warm ? last->from : from;
    kl_pair_find(&q, warm ? &last->spots : NULL, &f->spots);
    return KL_OK;
}

void kl_contact_spots(const kl_reading *in, kl_spots *out)
{
    kl_pair q = pair_at(in->data, in->m);
    kl_pair_find(&q, NULL, out);
}

static const kl_spot *spot_of(const kl_spots *s, int slot)
{
    for (int i = 0; i < s->n; i++)
        if (s->item[i].key == slot && !s->item[i].idle) return &s->item[i];
    return NULL;
}

static const double *history_of(const kl_reading *in, int slot)
{
    return in->h + HEAD + slot * KL_POINT_HISTORY;
}

static const double *bristles_of(const kl_reading *in, int slot)
{
    const contact *p = in->data;
    return p->laws.friction.kind == KL_FRICTION_LUGRE ? in->z + 3 * slot : NULL;
}

/* State of a slot; false: the shapes have no such place now. */
static bool state_of(const kl_reading *in, int slot, kl_contact_state *x)
{
    const contact *p = in->data;
    const found   *f = in->cache;
    const kl_spot *s = spot_of(&f->spots, slot);
    if (!s) return false;
    kl_contact_point_eval(&p->laws, s, in->m, history_of(in, slot), in->t - in->h[LAST_TIME],
                          bristles_of(in, slot), x);
    return true;
}

/* ---- forces ---- */

static void add_wrench(const kl_contact_state *x, const kl_motion m[2], double *wrench)
{
    double  w[12];
    kl_vec3 M1 = kl_add(kl_cross(kl_sub(x->c, m[0].r), x->F), x->M),
            M2 = kl_add(kl_cross(kl_sub(x->c, m[1].r), x->F), x->M);
    kl_store(w, x->F), kl_store(w + 3, M1);
    kl_store(w + 6, kl_neg(x->F)), kl_store(w + 9, kl_neg(M2));
    for (int i = 0; i < 12; i++) wrench[i] += w[i];
}

/* Bristles of an open contact relax within milliseconds. */
static const double RELAX = 1e3;

static kl_status contact_eval(const kl_reading *in, kl_writing *out)
{
    const contact *p = in->data;
    for (int k = 0; k < p->slots; k++) {
        kl_contact_state x;
        const double    *z  = bristles_of(in, k);
        bool             on = state_of(in, k, &x) && x.closed;
        if (z && out->z_dot)
            kl_store(out->z_dot + 3 * k,
                     on ? kl_mul_t(&in->m[1].A, x.friction.z_dot) : kl_scale(-RELAX, kl_load(z)));
        if (!on) continue;
        if (out->wrench) add_wrench(&x, in->m, out->wrench);
        out->energy += x.normal.energy + x.friction.energy;
        out->loss += x.normal.loss + x.friction.loss + x.rolling.loss;
    }
    return KL_OK;
}

static void nudge(kl_motion *m, int j, double step)
{
    double e[3] = {0};
    e[j % 3]    = step;
    kl_vec3 d   = kl_load(e);
    if (j < 3) {
        m->r = kl_add(m->r, d);
    } else {
        kl_mat3 R = kl_rotation_exp(d);
        m->A      = kl_matmul(&R, &m->A);
    }
}

/* Central differences of the points and the normal alone: they are smooth over the size of the
 * shapes, however small the penetration is. */
static void spot_slopes(const contact *p, const kl_motion m[2], const kl_spots *now,
                        kl_spot_slopes *slopes)
{
    for (int j = 0; j < 6; j++) {
        double    step  = 1e-6 * (j < 3 ? fmin(p->reach, 1.0) : 1.0);
        kl_motion up[2] = {m[0], m[1]}, down[2] = {m[0], m[1]};
        kl_spots  a, b;
        nudge(&up[1], j, step);
        nudge(&down[1], j, -step);
        kl_pair qa = pair_at(p, up), qb = pair_at(p, down);
        kl_pair_find(&qa, now, &a);
        kl_pair_find(&qb, now, &b);
        for (int k = 0; k < p->slots; k++) {
            const kl_spot *x = spot_of(&a, k), *y = spot_of(&b, k);
            if (!x || !y) continue;
            slopes[k].p1[j] = kl_scale(0.5 / step, kl_sub(x->p1, y->p1));
            slopes[k].p2[j] = kl_scale(0.5 / step, kl_sub(x->p2, y->p2));
            slopes[k].n[j]  = kl_scale(0.5 / step, kl_sub(x->n, y->n));
        }
    }
}

static void contact_tangent(const kl_reading *in, const double *lambda, kl_slopes *out)
{
    const contact *p = in->data;
    const found   *f = in->cache;
    kl_spot_slopes slopes[KL_PAIR_SPOTS];
    bool           any = false;
    int            nz  = p->laws.friction.kind == KL_FRICTION_LUGRE ? 3 * p->slots : 0;
    (void)lambda;
    for (int i = 0; i < f->spots.n; i++) any |= f->spots.item[i].gap < 0.0;
    memset(slopes, 0, sizeof slopes);
    kl_spots closed = {0};
    for (int i = 0; i < f->spots.n; i++)
        if (f->spots.item[i].gap < 0.0 && !f->spots.item[i].idle)
            closed.item[closed.n++] = f->spots.item[i];
    if (any) spot_slopes(p, in->m, p->chain ? &closed : &f->spots, slopes);
    for (int k = 0; k < p->slots; k++) {
        kl_contact_state x;
        const double    *z = bristles_of(in, k);
        if (!state_of(in, k, &x) || !x.closed) {
            for (int i = 0; z && i < 3; i++) out->zz[(3 * k + i) * (nz + 1)] -= RELAX;
            continue;
        }
        kl_contact_point_tangent(&p->laws, spot_of(&f->spots, k), in->m, &x, history_of(in, k),
                                 in->t - in->h[LAST_TIME], z, &slopes[k], 3 * k, nz, out);
    }
}

/* ---- crossings and history ---- */

static kl_crossing_kind kind_of(const contact *p)
{
    if (p->laws.normal.c > 0.0) return KL_CROSSING_JUMP;
    return p->laws.normal.n >= 2.0 ? KL_CROSSING_SWITCH : KL_CROSSING_KINK;
}

static bool sticks(const contact *p) { return p->laws.friction.kind == KL_FRICTION_STICK_SLIP; }

/* Crossing of sticking and slipping. Its value was found with the history, because afterwards rounding
 * at the limit would decide. */
static kl_crossing slip_crossing(const contact *p, const kl_reading *in, int slot)
{
    const kl_friction_law *law   = &p->laws.friction;
    const double          *h     = history_of(in, slot);
    bool                   slips = h[KL_POINT_STATE] == 2.0, open = h[KL_POINT_STATE] == 0.0;
    return (kl_crossing){.value     = open ? (double)NAN : h[KL_POINT_PHASE],
                         .rate      = (double)NAN,
                         .tolerance = 1.0,
                         .kind =
                             slips && law->mu_s > law->mu_d ? KL_CROSSING_JUMP : KL_CROSSING_KINK};
}

static void contact_crossings(const kl_reading *in, kl_crossing *out)
{
    const contact *p   = in->data;
    const found   *f   = in->cache;
    bool           far = f->spots.n == 1 && f->spots.item[0].key < 0;
    for (int k = 0; k < p->slots; k++) {
        kl_contact_state x;
        kl_crossing     *slip = sticks(p) ? &out[p->slots + k] : NULL;
        out[k]                = (kl_crossing){0};
        if (slip) *slip = (kl_crossing){.value = (double)NAN};
        if (far) out[k] = (kl_crossing){.value = f->spots.item[0].gap, .rate = (double)NAN};
        if (far || !state_of(in, k, &x)) continue;
        out[k] = (kl_crossing){.value = -x.depth, .rate = -x.rate, .kind = kind_of(p)};
        if (slip) *slip = slip_crossing(p, in, k);
    }
}

/* A change of state is met within this share of the elastic gap at the limit force, or when the slip
 * is slower than SLOWEST. */
static const double SHARE_OF_GAP = 1e-3;
static const double SLOWEST      = 1e-6; /* [m/s] */

/* Where the step that ends now stands between sticking and slipping, in units of what is allowed.
 * It sticks: by how much the elastic gap may still stretch. It slips: how fast the limit is left
 * behind, s = u.t - (mu N)'/k_t; it sticks again where s becomes negative. After a change: by how
 * much the step went beyond it, and no less than what counts as passed. */
static double phase_of(const contact *p, const kl_contact_state *x, const double *h, double dt)
{
    const kl_friction_law *law = &p->laws.friction;
    double unit = SHARE_OF_GAP * law->mu_s * x->normal.f, before = h[KL_POINT_STATE];
    double beyond = unit > 0.0 ? fmax(fabs(x->friction.over) / unit, 0.3) : 0.3;
    if (!x->friction.slips) return beyond;
    if (before != 2.0 || !(dt > 0.0)) return -beyond;
    double growth = law->mu_d * (x->normal.f - h[KL_POINT_NORMAL]) / (law->k_t * dt);
    return (growth - x->friction.along) / SLOWEST;
}

static void keep_point(const kl_reading *in, const kl_spot *s, const kl_contact_state *x, double *h)
{
    const kl_motion *m = in->m;
    if (sticks(in->data)) h[KL_POINT_PHASE] = phase_of(in->data, x, h, in->t - in->h[LAST_TIME]);
    h[KL_POINT_NORMAL] = x->normal.f;
    h[KL_POINT_STATE]  = x->friction.slips ? 2.0 : 1.0;
    kl_store(h + KL_POINT_GAP, kl_mul_t(&m[1].A, x->friction.gap));
    kl_store(h + KL_POINT_SLIP, kl_mul_t(&m[1].A, x->u));
    kl_store(h + KL_POINT_ON1, kl_mul_t(&m[0].A, kl_sub(s->p1, m[0].r)));
    kl_store(h + KL_POINT_ON2, kl_mul_t(&m[1].A, kl_sub(s->p2, m[1].r)));
}

/* A contact that moves from one arc of a chain to the next keeps its history. */
static void inherit(const kl_reading *in, const contact *p, int slot, double *own)
{
    for (int k = slot - 1; k <= slot + 1; k += 2) {
        kl_contact_state x;
        if (k < 0 || k >= p->slots || p->shapes.item[0].narc + p->shapes.item[1].narc == 0)
            continue;
        if (history_of(in, k)[KL_POINT_STATE] == 0.0 || (state_of(in, k, &x) && x.closed)) continue;
        memcpy(own, history_of(in, k), KL_POINT_HISTORY * sizeof *own);
        return;
    }
}

static void contact_commit(const kl_reading *in, double *h)
{
    const contact *p    = in->data;
    const found   *f    = in->cache;
    double         loss = 0.0;
    for (int k = 0; k < p->slots; k++) {
        double          *own = h + HEAD + k * KL_POINT_HISTORY;
        kl_contact_state x;
        bool             there = state_of(in, k, &x);
        if (!there || !x.closed) { /* a step may end just before the touch */
            memset(own, 0, KL_POINT_HISTORY * sizeof *own);
            if (there) own[KL_POINT_IMPACT] = fmax(x.rate, 0.0), own[KL_POINT_GAP] = -x.depth;
            continue;
        }
        if (own[KL_POINT_STATE] == 0.0) inherit(in, p, k, own);
        if (own[KL_POINT_STATE] == 0.0) {
            bool beyond = own[KL_POINT_IMPACT] == 0.0 || own[KL_POINT_GAP] > x.depth;
            if (beyond) own[KL_POINT_IMPACT] = fmax(x.rate, 0.0);
            h[SPEED] = own[KL_POINT_IMPACT];
            h[IMPACTS] += 1.0;
        }
        keep_point(in, spot_of(&f->spots, k), &x, own);
        loss += x.normal.loss + x.friction.loss + x.rolling.loss;
    }
    h[LOST] += 0.5 * (loss + h[LAST_LOSS]) * (in->t - h[LAST_TIME]);
    h[LAST_LOSS] = loss, h[LAST_TIME] = in->t;
}

static kl_status contact_start(const kl_reading *in, const kl_setup *s, kl_element_start *out)
{
    (void)s;
    contact_commit(in, out->h);
    out->h[IMPACTS]   = 0.0;
    out->h[LAST_TIME] = in->t;
    for (int k = 0; k < out->nz; k++) out->scale[k] = 1e-7;
    return KL_OK;
}

/* ---- setting up ---- */

static int slots_of(const kl_pair_row *row, const kl_solid *a, const kl_solid *b)
{
    const kl_solid *other = b->kind == KL_SOLID_PLANE ? a : b;
    if (strcmp(row->way, "hole") == 0) {
        int slices = a->inside ? b->slices : a->slices;
        return slices > 0 ? slices : 2;
    }
    if (strcmp(row->way, "normal") == 0) return 1;
    if (strcmp(row->way, "core") == 0) {
        if (a->kind == KL_SOLID_SPHERE || b->kind == KL_SOLID_SPHERE) return 1;
        if (a->narc > 0 && a->kind == KL_SOLID_REVOLVED_ARC) return a->narc;
        if (b->narc > 0 && b->kind == KL_SOLID_REVOLVED_ARC) return b->narc;
        return row->b == KL_SOLID_MESH ? 8 : 4;
    }
    if (strcmp(row->way, "plane") == 0) {
        if (a->kind == KL_SOLID_PLANE) other = b;
        if (other->kind == KL_SOLID_CAPSULE) return 2;
        if (other->kind == KL_SOLID_TORUS) return 4;
        if (other->kind == KL_SOLID_ELLIPSOID || other->kind == KL_SOLID_REVOLVED_ARC) return 1;
        if (other->kind == KL_SOLID_CYLINDER && other->half == 0.0) return 4;
        return other->kind == KL_SOLID_MESH ? 9 : 8;
    }
    return 8;
}

/* Stiffness from the materials and the curvatures where the shapes are nearest at the start. */
static kl_status stiffness_of(contact *p, const kl_setup *s, const kl_pair *q, const kl_spot *t)
{
    const kl_material_pair *pair = &kl_material_pairs[p->material - 1];
    const kl_material      *a = kl_material_find(pair->a), *b = kl_material_find(pair->b);
    double                  compliance = kl_hertz_compliance(a->young, a->poisson) +
                        kl_hertz_compliance(b->young, b->poisson),
           A = 0.0, B = 0.0;
    kl_normal_law *law = &p->laws.normal;
    p->speed_limit     = fmin(kl_hertz_speed_limit(a->young, a->density),
                              kl_hertz_speed_limit(b->young, b->density));
    kl_pair_curvature(q, t, &A, &B);
    law->compliance = compliance;
    if (law->kind == KL_NORMAL_HERTZ_LINE) {
        law->length = p->line;
        law->radius = B > 0.0 ? 0.5 / B : (double)NAN;
        if (law->length > 0.0 && law->radius > 0.0) return KL_OK;
        return kl_fail(s->diag, KL_E_MODEL, s->place,
                       "contact '%s': law hertz-line needs `length` and two cylinders", s->name);
    }
    if (!(A > 1e-9 * B) || !(B > 0.0))
        return kl_fail(s->diag, KL_E_MODEL, s->place,
                       "contact '%s': these shapes touch along a line or on a plane, for which the "
                       "theory of Hertz gives no stiffness; give `stiffness`, or `law: hertz-line` "
                       "for parallel cylinders",
                       s->name);
    law->k = kl_hertz_stiffness(A, B, compliance);
    return KL_OK;
}

static void fill_laws(contact *p)
{
    const kl_material_pair *pair = p->material > 0 ? &kl_material_pairs[p->material - 1] : NULL;
    kl_normal_law          *n    = &p->laws.normal;
    kl_friction_law        *f    = &p->laws.friction;
    *n                           = (kl_normal_law){.kind        = (kl_normal_kind)p->law,
                                                   .k           = p->k,
                                                   .n           = isnan(p->exponent) ? 0.0 : p->exponent,
                                                   .c           = kl_normal_laws[p->law].viscous ? p->c : 0.0,
                                                   .restitution = !isnan(p->e) ? p->e
                                                                  : pair       ? pair->restitution
                                                                               : 1.0,
                                                   .v0          = p->v0,
                                                   .speed_floor = p->floor,
                                                   .rate_limit  = p->rate_limit,
                                                   .exact       = p->exact,
                                                   .table       = p->force};
    double mu_d                  = !isnan(p->mu) ? p->mu : pair ? pair->mu_d : 0.0;
    double mu_s  = !isnan(p->mu_s) ? p->mu_s : isnan(p->mu) && pair ? pair->mu_s : mu_d;
    *f           = (kl_friction_law){.kind     = (kl_friction_kind)p->friction,
                                     .mu_s     = mu_s,
                                     .mu_d     = mu_d,
                                     .v0       = isnan(p->stribeck_speed) ? 0.0 : p->stribeck_speed,
                                     .v1       = isnan(p->full_speed) ? 0.0 : p->full_speed,
                                     .xi       = p->xi,
                                     .viscous  = p->viscous,
                                     .k_t      = p->k_t,
                                     .c_t      = p->c_t,
                                     .s0       = p->s0,
                                     .s1       = isnan(p->s1) ? 0.0 : p->s1,
                                     .rolling  = p->rolling,
                                     .spinning = p->spinning};
    p->laws.acts = p->point;
}

static kl_status check_laws(contact *p, const kl_setup *s)
{
    kl_normal_law   *n = &p->laws.normal;
    kl_friction_law *f = &p->laws.friction;
    if (n->kind == KL_NORMAL_TABLE && !n->table)
        return kl_fail(s->diag, KL_E_MODEL, s->place,
                       "contact '%s': law table needs `force: {table: [[0, 0], [1 mm, 5 kN]]}`",
                       s->name);
    if (n->kind == KL_NORMAL_HERTZ_LINE && !(n->compliance > 0.0))
        return kl_fail(s->diag, KL_E_MODEL, s->place,
                       "contact '%s': law hertz-line needs a `material` and no `stiffness`",
                       s->name);
    if (n->kind != KL_NORMAL_TABLE && n->kind != KL_NORMAL_HERTZ_LINE && !(n->k > 0.0))
        return kl_fail(
            s->diag, KL_E_MODEL, s->place,
            "contact '%s': give a positive `stiffness`, or a `material` such as steel-steel",
            s->name);
    kl_normal_law_init(n);
    kl_friction_law_init(f);
    if (isinf(n->beta))
        return kl_fail(s->diag, KL_E_RANGE, s->place,
                       "contact '%s': %s needs a positive `restitution`", s->name,
                       kl_normal_laws[n->kind].name);
    if (f->mu_s < f->mu_d)
        return kl_fail(s->diag, KL_E_RANGE, s->place,
                       "contact '%s': mu_static (%g) must not be smaller than mu (%g)", s->name,
                       f->mu_s, f->mu_d);
    if (f->kind == KL_FRICTION_STICK_SLIP && !(f->k_t > 0.0)) {
        /* as stiff as the normal direction at a depth of a millionth of a metre */
        f->k_t = kl_normal_eval(n, 1e-6, 0.0, 0.0).by_depth;
    }
    if (f->kind == KL_FRICTION_RAMP && !(f->v1 > f->v0))
        return kl_fail(
            s->diag, KL_E_RANGE, s->place,
            "contact '%s': `friction: ramp` needs a `full_speed` larger than `stribeck_speed`",
            s->name);
    return KL_OK;
}

static kl_status check_start(const contact *p, const kl_setup *s, const kl_pair *q,
                             const kl_spot *t)
{
    double reach = isinf(p->reach) ? fmax(q->a->radius, q->b->radius) : p->reach;
    if (t->gap > -0.2 * reach) return KL_OK;
    return kl_fail(s->diag, KL_E_MODEL, s->place,
                   "contact '%s': the shapes penetrate each other by %.4g m at the start; move one "
                   "of the bodies by this distance along [%.3g, %.3g, %.3g]",
                   s->name, -t->gap, t->n.x, t->n.y, t->n.z);
}

static kl_status contact_setup(void *data, const kl_setup *s, const kl_motion *m, int nmarker,
                               kl_element_size *size)
{
    contact *p       = data;
    bool     swapped = false;
    (void)nmarker;
    if (p->shapes.n != 2) return KL_E_MODEL; /* that has been told */
    const kl_solid    *a = &p->shapes.item[0], *b = &p->shapes.item[1];
    const kl_pair_row *row = kl_pair_row_of(a, b, &swapped);
    if (!row)
        return kl_fail(s->diag, KL_E_MODEL, s->place,
                       "contact '%s': the pair %s%s and %s%s is not supported; "
                       "docs/theory/contact.md lists the supported pairs",
                       s->name, a->inside ? "hollow " : "", kl_solid_types[a->kind].name,
                       b->inside ? "hollow " : "", kl_solid_types[b->kind].name);
    p->slots       = slots_of(row, a, b);
    p->speed_limit = (double)INFINITY;
    p->chain       = a->narc + b->narc > 0;
    kl_vec3 middle;
    p->reach   = fmin(reach_of(a, &middle), reach_of(b, &middle));
    kl_pair  q = pair_at(p, m);
    kl_spots spots;
    kl_pair_find(&q, NULL, &spots);
    const kl_spot *t = kl_spots_nearest(&spots);
    fill_laws(p);
    int slices    = a->slices > 0 ? a->slices : b->slices;
    p->laws.share = slices > 0 && strcmp(row->way, "hole") == 0 ? 1.0 / slices : 1.0;
    if (t && p->material > 0 && isnan(p->k)) KL_TRY(stiffness_of(p, s, &q, t));
    KL_TRY(check_laws(p, s));
    if (t) KL_TRY(check_start(p, s, &q, t));
    size->nh     = HEAD + p->slots * KL_POINT_HISTORY;
    size->nz     = p->laws.friction.kind == KL_FRICTION_LUGRE ? 3 * p->slots : 0;
    size->nevent = p->slots * (sticks(p) ? 2 : 1);
    size->cache  = sizeof(found);
    return KL_OK;
}

/* ---- outputs ---- */

typedef struct totals {
    kl_vec3 T, point, n;
    double  gap, normal, slip, state;
    int     contacts, part[2];
} totals;

static totals total_of(const kl_reading *in)
{
    const contact *p = in->data;
    const found   *f = in->cache;
    totals         t = {.gap = (double)INFINITY};
    for (int i = 0; i < f->spots.n; i++)
        if (f->spots.item[i].gap < t.gap)
            t.gap = f->spots.item[i].gap, t.point = f->spots.item[i].p1;
    for (int k = 0; k < p->slots; k++) {
        kl_contact_state x;
        if (!state_of(in, k, &x)) continue;
        if (-x.depth <= t.gap) t.slip = kl_norm(x.u), t.point = x.c, t.n = x.n;
        if (!x.closed) continue;
        t.normal += x.normal.f;
        t.T     = kl_add(t.T, x.friction.f);
        t.state = fmax(t.state, x.friction.slips ? 2.0 : 1.0);
        t.contacts++;
        if (-x.depth <= t.gap) memcpy(t.part, spot_of(&f->spots, k)->part, sizeof t.part);
    }
    return t;
}

/* Arcs that touch now as a sum of powers of two: arcs 7 and 8 are 64 + 128. */
static double set_of_arcs(const kl_reading *in, int side)
{
    const contact *p   = in->data;
    const found   *f   = in->cache;
    long           set = 0;
    for (int k = 0; k < p->slots; k++) {
        const kl_spot *s = spot_of(&f->spots, k);
        if (s && s->gap < 0.0) set |= 1L << s->part[side];
    }
    return (double)set;
}

static void contact_output(const kl_reading *in, const double *lambda, double *v)
{
    totals t = total_of(in);
    (void)lambda;
    v[0] = t.gap;
    v[1] = fmax(0.0, -t.gap);
    v[2] = t.normal;
    v[3] = kl_norm(t.T);
    v[4] = t.slip;
    v[5] = t.state;
    v[6] = in->h[LOST];
    v[7] = in->h[IMPACTS];
    v[8] = in->h[SPEED];
    kl_store(v + 9, t.point);
    kl_store(v + 12, t.n);
    kl_store(v + 15, t.T);
    v[18] = t.contacts;
    v[19] = t.contacts ? t.part[0] + 1 : 0;
    v[20] = t.contacts ? t.part[1] + 1 : 0;
    v[21] = set_of_arcs(in, 0);
    v[22] = set_of_arcs(in, 1);
}

static void contact_watch(const kl_reading *in, kl_notice *notice)
{
    const contact *p    = in->data;
    bool           fast = in->h[SPEED] > p->speed_limit;
    notice->count       = in->h[IMPACTS] > 0.0 ? 1 + fast : 0;
    notice->news        = !fast;
    if (fast)
        snprintf(notice->text, sizeof notice->text,
                 "has an impact speed of %.3g m/s, above %.3g m/s = 1e-5 sqrt(E/rho), the limit of "
                 "the theory of Hertz: real parts yield and rebound less",
                 in->h[SPEED], p->speed_limit);
    else
        snprintf(notice->text, sizeof notice->text,
                 "has its first contact, at an approach speed of %.4g m/s", in->h[SPEED]);
}

#define BY_LAW "law?N/m|N/m^1.5|N/m|N/m|N/m^1.5|N/m^1.5|N/m^1.5|N/m"
#define MATERIALS                                                                                  \
    "none steel-steel steel-cast-iron steel-aluminium steel-bronze steel-nylon steel-rubber "      \
    "steel-ice steel-concrete rubber-asphalt rubber-concrete oak-oak glass-glass"
#define NUMBER(name_, field_, unit_, fallback_, min_, max_, help_)                                 \
    {                                                                                              \
        .name = name_, .kind = KL_KEY_NUMBER, .offset = offsetof(contact, field_), .unit = unit_,  \
        .fallback = fallback_, .min = min_, .max = max_, .help = help_                             \
    }
static const kl_key contact_keys[] = {
    {.name   = "shapes",
     .kind   = KL_KEY_SHAPES,
     .offset = offsetof(contact, shapes),
     .help   = "two shapes in the order of `between`: [{sphere: 50 mm}, plane]; `klingel help "
               "contacts`"},
    {.name     = "material",
     .kind     = KL_KEY_WORD,
     .offset   = offsetof(contact, material),
     .words    = MATERIALS,
     .fallback = "none",
     .help =
         "pair of materials: default for stiffness (Hertz), friction coefficients and restitution"},
    {.name   = "law",
     .kind   = KL_KEY_WORD,
     .offset = offsetof(contact, law),
     .words = "linear hertz hertz-line kelvin-voigt hunt-crossley lankarani-nikravesh flores table",
     .fallback = "hunt-crossley",
     .help     = "law of the normal force as a function of penetration depth"},
    NUMBER("stiffness", k, BY_LAW, "", 0, 1e300, "k of the law (default: from `material`)"),
    NUMBER("exponent", exponent, "1", "", 1, 10,
           "n of d^n (default: 1.5 as for Hertz, 1 for linear and kelvin-voigt); with another n "
           "give the stiffness without a unit"),
    NUMBER("damping", c, "N s/m", "0", 0, 1e300, "c of the laws linear and table"),
    NUMBER("restitution", e, "1", "", 0, 1,
           "coefficient of restitution: ratio of speeds (kelvin-voigt: ratio of energies)"),
    {.name     = "exact",
     .kind     = KL_KEY_FLAG,
     .offset   = offsetof(contact, exact),
     .fallback = "false",
     .help     = "choose the hysteresis so that a free impact has the given `restitution`"},
    NUMBER("transition_speed", v0, "m/s", "0.1", 1e-12, 1e300, "v0 of kelvin-voigt"),
    NUMBER("smallest_impact", floor, "m/s", "0.001", 1e-300, 1e300,
           "smallest impact speed used by the hysteresis laws"),
    NUMBER("rate_limit", rate_limit, "1", "1", 1e-300, 1e300,
           "largest ratio of penetration rate to impact speed used by the hysteresis laws"),
    NUMBER("length", line, "m", "", 0, 1e300, "length of the line of contact: law hertz-line"),
    {.name     = "force",
     .kind     = KL_KEY_FUNCTION,
     .offset   = offsetof(contact, force),
     .unit     = "N",
     .by       = "m",
     .fallback = "",
     .help     = "force as a function of penetration depth: law table"},
    {.name     = "friction",
     .kind     = KL_KEY_WORD,
     .offset   = offsetof(contact, friction),
     .words    = "none threlfall ramp smooth bengisu-akay stribeck lugre stick-slip",
     .fallback = "none",
     .help     = "friction law"},
    NUMBER("mu", mu, "1", "", 0, 1e300, "dynamic coefficient of friction"),
    NUMBER("mu_static", mu_s, "1", "", 0, 1e300, "static coefficient (default: `mu`)"),
    NUMBER("full_speed", full_speed, "m/s", "", 1e-300, 1e300,
           "slip speed at which friction is fully developed: threlfall, ramp, smooth, stribeck; "
           "0.01 m/s"),
    NUMBER("stribeck_speed", stribeck_speed, "m/s", "", 1e-300, 1e300,
           "speed of the static peak: bengisu-akay, stribeck, lugre; where ramp begins"),
    NUMBER("decay", xi, "s/m", "50", 0, 1e300, "xi of bengisu-akay"),
    NUMBER("viscous", viscous, "s/m", "0", 0, 1e300, "coefficient added for each m/s of slip"),
    NUMBER(
        "tangential_stiffness", k_t, "N/m", "0", 0, 1e300,
        "tangential stiffness of stick-slip; 0: equal to the normal stiffness at a depth of 1 um"),
    NUMBER("tangential_damping", c_t, "N s/m", "0", 0, 1e300,
           "tangential damping of stick-slip while sticking"),
    NUMBER("bristle_stiffness", s0, "1/m", "1e5", 1e-300, 1e300,
           "bristle stiffness of lugre divided by the normal force"),
    NUMBER("bristle_damping", s1, "s/m", "", 0, 1e300,
           "bristle damping of lugre (default: square root of the stiffness)"),
    NUMBER("rolling_resistance", rolling, "m", "0", 0, 1e300,
           "lever arm of the rolling resistance moment"),
    NUMBER("spinning_resistance", spinning, "m", "0", 0, 1e300,
           "lever arm of the moment that resists spin about the normal"),
    {.name     = "point",
     .kind     = KL_KEY_WORD,
     .offset   = offsetof(contact, point),
     .words    = "first second middle",
     .fallback = "middle",
     .help     = "where the forces act: on the first shape, the second, or between them"},
    {0}};

static const kl_output contact_outputs[] = {
    {"gap", "m",
     "smallest distance; negative: penetration. A lower bound while the shapes are far apart"},
    {"penetration", "m", "largest penetration depth, 0 while open"},
    {"normal", "N", "sum of the normal forces"},
    {"friction", "N", "magnitude of the friction force"},
    {"slip", "m/s", "slip speed where the gap is smallest"},
    {"state", "1", "0 open, 1 closed, 2 slipping"},
    {"lost", "J", "energy dissipated so far"},
    {"impacts", "1", "number of impacts"},
    {"impact_speed", "m/s", "approach speed of the last impact"},
    {"point.x", "m", "contact point, or nearest point of the first shape"},
    {"point.y", "m", ""},
    {"point.z", "m", ""},
    {"direction.x", "1", "normal from the first shape to the second"},
    {"direction.y", "1", ""},
    {"direction.z", "1", ""},
    {"tangential.x", "N", "friction force on the first body"},
    {"tangential.y", "N", ""},
    {"tangential.z", "N", ""},
    {"contacts", "1", "number of contact points"},
    {"arc1", "1",
     "number of the arc of the first shape with the largest penetration depth, from 1; 0 while "
     "open"},
    {"arc2", "1", "number of the arc of the second shape"},
    {"arcs1", "1", "all arcs of the first shape in contact, as a sum of 2^(number - 1)"},
    {"arcs2", "1", "all arcs of the second shape in contact"},
    {0}};

const kl_element_type kl_contact = {
    .name      = "contact",
    .help      = "contact of two shapes with impact, rolling and friction",
    .equation  = "F = -N(d, d') n + T(u, N)",
    .example   = "touch: {between: [a, b], shapes: [{sphere: 50 mm}, {box: [0.6, 0.6, 0.6]}], "
                 "stiffness: 1 MN/m, law: linear, friction: threlfall, mu: 0.3}",
    .keys      = contact_keys,
    .outputs   = contact_outputs,
    .attach    = &kl_attach_bodies,
    .data_size = sizeof(contact),
    .setup     = contact_setup,
    .start     = contact_start,
    .locate    = contact_locate,
    .eval      = contact_eval,
    .tangent   = contact_tangent,
    .crossings = contact_crossings,
    .commit    = contact_commit,
    .output    = contact_output,
    .watch     = contact_watch};
