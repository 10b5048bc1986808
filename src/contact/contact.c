/* Contact of two shapes on two markers: contact points from contact/pair.h, forces from
 * contact/contact_point.h. Each place where the shapes touch has its own slot with a history: closed
 * or open, impact speed, elastic tangential gap. The position stage finds the points, starting from
 * those of the last accepted step; every SEARCH_AGAIN-th step it searches everywhere, so that a new
 * place of a shape that is not convex is found. Touch, separation, sticking and slipping are
 * crossings. */
#include "contact/contact.h"

#include <math.h>
#include <string.h>

#include "base/rotation.h"
#include "contact/contact_data.h"
#include "model/attachment.h"

enum { SEARCH_AGAIN = 16, SEARCH_CHAIN = 64 };

/* ---- geometry ---- */

static kl_pose placed(const kl_motion *m, const kl_pose *local)
{
    return (kl_pose){kl_add(m->r, kl_mul(&m->A, local->r)), kl_matmul(&m->A, &local->A)};
}

kl_pair kl_contact_pair(const kl_contact_data *p, const kl_motion m[2])
{
    const kl_solid *s = p->shapes.item;
    return (kl_pair){&s[0], &s[1], placed(&m[0], &s[0].pose), placed(&m[1], &s[1].pose)};
}

void kl_contact_find(const kl_contact_data *p, const kl_motion m[2], const kl_spots *warm,
                     kl_spots *out)
{
    if (p->fit.kind != KL_FIT_NONE) {
        kl_pose A = {m[0].r, m[0].A}, B = {m[1].r, m[1].A};
        kl_fit_find(&p->fit, &A, &B, out);
        return;
    }
    kl_pair q = kl_contact_pair(p, m);
    kl_pair_find(&q, warm, out);
    if (warm && p->numbered) kl_spots_keep_keys(warm, p->slots, out);
}

/* Largest distance from the middle of a shape to its surface; infinite for a plane. */
double kl_contact_reach(const kl_solid *s, kl_vec3 *centre)
{
    kl_vec3 h;
    kl_solid_types[s->kind].bounds(s, centre, &h);
    return isinf(h.x) || s->inside ? (double)INFINITY : kl_norm(h);
}

/* Shapes far apart: the distance of the balls that hold them is below the gap. False: look closer. */
static bool far_apart(const kl_pair *q, kl_spots *out)
{
    kl_vec3 a, b;
    double  ra = kl_contact_reach(q->a, &a), rb = kl_contact_reach(q->b, &b);
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
static const double DEEP  = 0.2;

/* May the search begin at the places of the last accepted step? */
static bool search_starts_locally(const kl_contact_data *p, const kl_contact_found *last,
                                  kl_vec3 from)
{
    if (!last || last->spots.n == 0 || last->spots.item[0].key < 0) return false;
    return last->age < (p->chain ? SEARCH_CHAIN : SEARCH_AGAIN) &&
           kl_norm(kl_sub(from, last->from)) < MOVED * p->reach;
}

/* A ring does not separate two half spaces, so its normals do not show whether a shape passed through its
 * tube. Between shapes that were apart by a gap, a motion beyond the gap and the thickness might have. A
 * ring without thickness counts as 2 % of its radius. */
static bool may_have_passed_a_ring(const kl_contact_data *p, const kl_contact_found *last,
                                   const kl_contact_found *f)
{
    double thick = (double)INFINITY;
    for (int i = 0; i < 2; i++) {
        const kl_solid *s = &p->shapes.item[i];
        if (s->inside || s->kind == KL_SOLID_PLANE) return false;
        if (s->kind == KL_SOLID_TORUS) thick = fmin(thick, fmax(2.0 * s->tube, 0.02 * s->radius));
    }
    const kl_spot *from = kl_spots_nearest(&last->spots), *to = kl_spots_nearest(&f->spots);
    if (isinf(thick) || !from || !to || from->gap <= 0.0 || to->gap <= 0.0) return false;
    return kl_norm(kl_sub(f->now, last->now)) > from->gap + thick;
}

/* Did one shape pass far into the other, or through it, within this step? A plane normal to n separates
 * two convex shapes that are apart; if the last accepted position had them on the other sides of it,
 * the step was far too long. So it was if an open contact is closed by more than DEEP of the smaller
 * shape. Other shapes that are not convex have normals that jump without contact: they are not tested. */
static bool shapes_passed_through(const kl_contact_data *p, const kl_contact_found *last,
                                  const kl_contact_found *f)
{
    const kl_solid *a = &p->shapes.item[0], *b = &p->shapes.item[1];
    if (!last || last->spots.n == 0 || f->spots.n == 0 || !(f->t > last->t)) return false;
    if (may_have_passed_a_ring(p, last, f)) return true;
    if (!kl_solid_types[a->kind].convex || !kl_solid_types[b->kind].convex) return false;
    if (a->inside || b->inside) return false;
    const kl_spot *from = &last->spots.item[0], *to = &f->spots.item[0];
    double         clear = 1e-3 * p->reach; /* at smaller gaps the normal is uncertain */
    if (to->gap > clear) return kl_dot(to->n, last->now) < 0.0;
    return from->gap > 0.0 && to->gap < -DEEP * p->reach;
}

kl_status kl_contact_locate(const kl_reading *in, void *cache)
{
    const kl_contact_data  *p    = in->data;
    const kl_contact_found *last = in->accepted;
    kl_contact_found       *f    = cache;
    memset(f, 0, sizeof *f);
    f->t = in->t;
    if (p->fit.kind != KL_FIT_NONE) {
        kl_contact_find(p, in->m, NULL, &f->spots);
        return KL_OK;
    }
    kl_pair q = kl_contact_pair(p, in->m);
    f->now    = kl_sub(q.B.r, q.A.r);
    if (far_apart(&q, &f->spots)) return shapes_passed_through(p, last, f) ? KL_RETRY : KL_OK;
    bool warm = search_starts_locally(p, last, f->now);
    f->age    = warm ? last->age + 1 : 0;
    f->from   = warm ? last->from : f->now;
    kl_contact_find(p, in->m, warm ? &last->spots : NULL, &f->spots);
    if (!warm && p->numbered && last) kl_spots_keep_keys(&last->spots, p->slots, &f->spots);
    return shapes_passed_through(p, last, f) ? KL_RETRY : KL_OK;
}

/* Bounding balls are far apart. Bristles relax, so they keep a contact awake. */
static bool contact_asleep(const kl_reading *in)
{
    const kl_contact_data  *p = in->data;
    const kl_contact_found *f = in->cache;
    return f->spots.n == 1 && f->spots.item[0].key < 0 &&
           p->laws.friction.kind != KL_FRICTION_LUGRE &&
           p->laws.normal.kind != KL_NORMAL_INDENTATION;
}

void kl_contact_spots(const kl_reading *in, kl_spots *out)
{
    kl_contact_find(in->data, in->m, NULL, out);
}

const kl_spot *kl_contact_spot(const kl_spots *s, int slot)
{
    for (int i = 0; i < s->n; i++)
        if (s->item[i].key == slot && !s->item[i].idle) return &s->item[i];
    return NULL;
}

static const double *own_history(const kl_reading *in, int slot)
{
    return in->h + KL_CONTACT_HEAD + slot * kl_contact_point_size(in->data);
}

static bool touches(const kl_reading *in, int slot)
{
    const kl_contact_found *f = in->cache;
    const kl_spot          *s = kl_contact_spot(&f->spots, slot);
    return s && s->gap < 0.0;
}

/* The slot whose history a slot continues. A contact that moves from one arc of a chain to the next keeps
 * its history, from the first evaluation on: without it the elastic gap would be zero until the step is
 * accepted, and the friction force would jump. */
static int continued_slot(const kl_reading *in, int slot)
{
    const kl_contact_data *p = in->data;
    if (!p->chain || p->laws.normal.kind == KL_NORMAL_INDENTATION) return slot; /* dents stay */
    if (own_history(in, slot)[KL_POINT_STATE] > 0.0 || !touches(in, slot)) return slot;
    for (int k = slot - 1; k <= slot + 1; k += 2)
        if (k >= 0 && k < p->slots && own_history(in, k)[KL_POINT_STATE] > 0.0 && !touches(in, k))
            return k;
    return slot;
}

static const double *history_of(const kl_reading *in, int slot)
{
    return own_history(in, continued_slot(in, slot));
}

static const double *bristles_of(const kl_reading *in, int slot)
{
    const kl_contact_data *p = in->data;
    return p->laws.friction.kind == KL_FRICTION_LUGRE ? in->z + 3 * slot : NULL;
}

/* State of a slot; false: the shapes have no such place now. */
bool kl_contact_state_of(const kl_reading *in, int slot, kl_contact_state *x)
{
    const kl_contact_data  *p = in->data;
    const kl_contact_found *f = in->cache;
    const kl_spot          *s = kl_contact_spot(&f->spots, slot);
    if (!s) return false;
    kl_contact_point_eval(&p->laws, s, in->m, history_of(in, slot),
                          in->t - in->h[KL_CONTACT_LAST_TIME], bristles_of(in, slot), x);
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

/* Bristles follow the slip from the step after the touch until the end of the step in which the contact opens.
 * Their rate would jump by the slip within a step otherwise, which no step size makes accurate. */
static bool bristles_follow(const kl_reading *in, int slot)
{
    return history_of(in, slot)[KL_POINT_STATE] > 0.0;
}

/* Energy that yielding at a slot has spent, and the indentation that stays there; zero for other laws. */
kl_indented kl_contact_indented(const kl_reading *in, int slot, double depth)
{
    const kl_contact_data *p = in->data;
    if (p->laws.normal.kind != KL_NORMAL_INDENTATION) return (kl_indented){0};
    kl_indented x =
        kl_normal_indent(&p->laws.normal, fmax(depth, 0.0), history_of(in, slot)[KL_POINT_DEEPEST]);
    x.spent *= p->laws.share;
    return x;
}

kl_status kl_contact_eval(const kl_reading *in, kl_writing *out)
{
    const kl_contact_data *p = in->data;
    for (int k = 0; k < p->slots; k++) {
        kl_contact_state x;
        const double    *z     = bristles_of(in, k);
        bool             there = kl_contact_state_of(in, k, &x), on = there && x.closed;
        out->spent += kl_contact_indented(in, k, on ? x.depth : 0.0).spent;
        if (z && out->z_dot)
            kl_store(out->z_dot + 3 * k, there && bristles_follow(in, k)
                                             ? kl_mul_t(&in->m[1].A, x.friction.z_dot)
                                             : kl_scale(-RELAX, kl_load(z)));
        if (!on) continue;
        if (out->wrench) add_wrench(&x, in->m, out->wrench);
        /* the loss has counted the energy of the elastic gap too: it is not dissipated */
        out->energy += x.normal.energy + x.friction.energy;
        out->spent -= x.friction.energy;
        out->loss += x.normal.loss + x.friction.loss + x.rolling.loss;
    }
    return KL_OK;
}

static void perturb_motion(kl_motion *m, int j, double step)
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
static void spot_slopes(const kl_contact_data *p, const kl_motion m[2], const kl_spots *now,
                        kl_spot_slopes *slopes)
{
    for (int j = 0; j < 6; j++) {
        double    step  = 1e-6 * (j < 3 ? fmin(p->reach, 1.0) : 1.0);
        kl_motion up[2] = {m[0], m[1]}, down[2] = {m[0], m[1]};
        kl_spots  a, b;
        perturb_motion(&up[1], j, step);
        perturb_motion(&down[1], j, -step);
        kl_contact_find(p, up, now, &a);
        kl_contact_find(p, down, now, &b);
        for (int k = 0; k < p->slots; k++) {
            const kl_spot *x = kl_contact_spot(&a, k), *y = kl_contact_spot(&b, k);
            if (!x || !y) continue;
            slopes[k].p1[j] = kl_scale(0.5 / step, kl_sub(x->p1, y->p1));
            slopes[k].p2[j] = kl_scale(0.5 / step, kl_sub(x->p2, y->p2));
            slopes[k].n[j]  = kl_scale(0.5 / step, kl_sub(x->n, y->n));
        }
    }
}

/* Only the geometry (points and normals) is differenced; the laws of force have exact derivatives. An
 * open point adds nothing, except to its bristles: z' = -RELAX z, which decay while there is no contact
 * (bristles_follow). */
void kl_contact_tangent(const kl_reading *in, const double *lambda, kl_slopes *out)
{
    const kl_contact_data  *p = in->data;
    const kl_contact_found *f = in->cache;
    kl_spot_slopes          slopes[KL_PAIR_SPOTS];
    bool                    any = false;
    int                     nz  = p->laws.friction.kind == KL_FRICTION_LUGRE ? 3 * p->slots : 0;
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
        const double    *z     = bristles_of(in, k);
        bool             there = kl_contact_state_of(in, k, &x);
        for (int i = 0; z && !(there && bristles_follow(in, k)) && i < 3; i++)
            out->zz[(3 * k + i) * (nz + 1)] -= RELAX;
        if (!there) continue;
        kl_contact_point_tangent(&p->laws, kl_contact_spot(&f->spots, k), in->m, &x,
                                 history_of(in, k), in->t - in->h[KL_CONTACT_LAST_TIME], z,
                                 &slopes[k], 3 * k, nz, out);
    }
}

/* ---- crossings and history ---- */

/* A damper jumps in where a contact begins. Where it ends the force is zero already (release_crossing).
 * The rate of bristles jumps at both: they follow the slip while in contact and relax while open. */
static kl_crossing_kind kind_of(const kl_contact_data *p, double rate)
{
    if (p->laws.friction.kind == KL_FRICTION_LUGRE) return KL_CROSSING_JUMP;
    if (p->laws.normal.c > 0.0) return rate > 0.0 ? KL_CROSSING_JUMP : KL_CROSSING_KINK;
    return p->laws.normal.n >= 2.0 ? KL_CROSSING_SWITCH : KL_CROSSING_KINK;
}

/* Crossing of sticking and slipping. Its value was found with the history, because afterwards rounding
 * at the limit would decide. */
static kl_crossing slip_crossing(const kl_contact_data *p, const kl_reading *in, int slot)
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

/* A damper would pull while the bodies part: the force f_spring + c d' is clipped at zero before the depth is
 * zero. The value is f_spring/c + d' of a contact that was closed at the last step [m/s]. */
static kl_crossing release_crossing(const kl_contact_data *p, const kl_contact_state *x,
                                    const double *h)
{
    const kl_normal_law *law  = &p->laws.normal;
    bool                 held = h[KL_POINT_STATE] > 0.0;
    return (kl_crossing){.value     = held ? x->normal.spring / (law->c * p->laws.share) + x->rate
                                           : (double)NAN,
                         .rate      = (double)NAN,
                         .tolerance = 1e-6 * fmax(h[KL_POINT_IMPACT], law->speed_floor),
                         .kind      = KL_CROSSING_KINK};
}

int kl_contact_events(const kl_contact_data *p)
{
    return p->slots * (1 + kl_contact_sticks(p) + kl_contact_releases(p));
}

void kl_contact_crossings(const kl_reading *in, kl_crossing *out)
{
    const kl_contact_data  *p   = in->data;
    const kl_contact_found *f   = in->cache;
    bool                    far = f->spots.n == 1 && f->spots.item[0].key < 0;
    for (int k = 0; k < p->slots; k++) {
        kl_contact_state x;
        kl_crossing     *slip = kl_contact_sticks(p) ? &out[p->slots + k] : NULL;
        kl_crossing *release  = kl_contact_releases(p) ? &out[(slip ? 2 : 1) * p->slots + k] : NULL;
        out[k]                = (kl_crossing){0};
        if (slip) *slip = (kl_crossing){.value = (double)NAN};
        if (release) *release = (kl_crossing){.value = (double)NAN};
        if (far) out[k] = (kl_crossing){.value = f->spots.item[0].gap, .rate = (double)NAN};
        if (far || !kl_contact_state_of(in, k, &x)) continue;
        out[k] =
            (kl_crossing){.value = x.stays - x.depth, .rate = -x.rate, .kind = kind_of(p, x.rate)};
        if (slip) *slip = slip_crossing(p, in, k);
        if (release) *release = release_crossing(p, &x, history_of(in, k));
    }
}

static void keep_point(const kl_reading *in, const kl_spot *s, const kl_contact_state *x, double *h)
{
    const kl_motion *m = in->m;
    if (kl_contact_sticks(in->data))
        h[KL_POINT_PHASE] = kl_friction_phase(
            &((const kl_contact_data *)in->data)->laws.friction, &x->friction, x->normal.f,
            h[KL_POINT_NORMAL], h[KL_POINT_STATE] == 2.0, in->t - in->h[KL_CONTACT_LAST_TIME]);
    h[KL_POINT_STATE] = x->friction.slips ? 2.0 : 1.0;
    h[KL_POINT_DEPTH] = x->depth, h[KL_POINT_RATE] = x->rate;
    h[KL_POINT_RUB] = kl_contact_point_rub(x);
    if (!kl_friction_laws[((const kl_contact_data *)in->data)->laws.friction.kind].gap) return;
    h[KL_POINT_NORMAL] = x->normal.f;
    kl_store(h + KL_POINT_GAP, kl_mul_t(&m[1].A, x->friction.gap));
    kl_store(h + KL_POINT_SLIP, kl_mul_t(&m[1].A, x->u));
    kl_store(h + KL_POINT_ON1, kl_mul_t(&m[0].A, kl_sub(s->p1, m[0].r)));
    kl_store(h + KL_POINT_ON2, kl_mul_t(&m[1].A, kl_sub(s->p2, m[1].r)));
}

/* Of all slots at the end of a step, read before the first history changes. */
typedef struct slot_ends {
    kl_contact_state x[KL_PAIR_SPOTS];
    double           h[KL_PAIR_SPOTS][KL_POINT_HISTORY]; /* what each slot continues */
    bool             there[KL_PAIR_SPOTS], left[KL_PAIR_SPOTS];
} slot_ends;

static void read_slots(const kl_reading *in, slot_ends *e)
{
    const kl_contact_data *p    = in->data;
    size_t                 size = (size_t)kl_contact_point_size(p) * sizeof(double);
    memset(e->left, 0, sizeof e->left);
    for (int k = 0; k < p->slots; k++) {
        int from    = continued_slot(in, k);
        e->there[k] = kl_contact_state_of(in, k, &e->x[k]);
        if (from != k) e->left[from] = true;
        memcpy(e->h[k], own_history(in, from), size);
    }
}

/* A slot that is open. A step may end just before the touch: its approach speed is kept. */
static void keep_open(const slot_ends *e, int k, int size, double *own)
{
    memset(own, 0, (size_t)(size < KL_POINT_DEEPEST ? size : KL_POINT_DEEPEST) * sizeof *own);
    if (!e->there[k]) return;
    own[KL_POINT_IMPACT] = fmax(e->x[k].rate, 0.0);
    own[KL_POINT_DEPTH] = e->x[k].depth - e->x[k].stays, own[KL_POINT_RATE] = e->x[k].rate;
}

static void begin_impact(const kl_contact_state *x, double *own, double *h)
{
    bool beyond = own[KL_POINT_IMPACT] == 0.0 || -own[KL_POINT_DEPTH] > x->depth - x->stays;
    if (beyond) own[KL_POINT_IMPACT] = fmax(x->rate, 0.0);
    h[KL_CONTACT_SPEED] = own[KL_POINT_IMPACT];
    h[KL_CONTACT_IMPACTS] += 1.0;
    h[KL_CONTACT_PEAK] = 0.0;
}

/* Energy in the elastic gap of a point at the last step. */
static double gap_energy(const kl_contact_data *p, const double *h)
{
    if (!kl_contact_sticks(p) || h[KL_POINT_STATE] == 0.0) return 0.0;
    kl_vec3 gap = kl_load(h + KL_POINT_GAP);
    return 0.5 * p->laws.friction.k_t * kl_dot(gap, gap);
}

/* Largest sum of the normal forces within the last step, 0 where it rises or falls all the time: long
 * steps pass an impact in a few steps, whose ends miss its peak by some per cent. The vertex of the
 * parabola through the largest of equal shares and its neighbours. */
static double peak_within(const kl_contact_data *p, const slot_ends *e, double dt)
{
    enum { N = 12 };
    double f[N + 1] = {0.0};
    bool   peaks    = false;
    bool   on[KL_PAIR_SPOTS];
    for (int k = 0; k < p->slots; k++) {
        on[k] = e->there[k] && (e->x[k].closed || e->h[k][KL_POINT_STATE] > 0.0);
        peaks |= on[k] && kl_contact_point_peaks(&e->x[k], e->h[k], dt);
    }
    if (!peaks) return 0.0;
    for (int i = 0; i <= N; i++)
        for (int k = 0; k < p->slots; k++)
            if (on[k])
                f[i] += kl_contact_point_within(&p->laws, &e->x[k], e->h[k], dt, (double)i / N);
    int top = 1;
    for (int i = 2; i < N; i++)
        if (f[i] > f[top]) top = i;
    double slope = 0.5 * (f[top + 1] - f[top - 1]), bend = f[top + 1] - 2.0 * f[top] + f[top - 1];
    bool   inside = bend < 0.0 && fabs(slope) < -bend;
    return f[top] - (inside ? 0.5 * slope * slope / bend : 0.0);
}

void kl_contact_commit(const kl_reading *in, double *h)
{
    const kl_contact_data  *p      = in->data;
    const kl_contact_found *f      = in->cache;
    double                  rubbed = 0.0, normal = 0.0, released = 0.0;
    double                  dt   = in->t - h[KL_CONTACT_LAST_TIME];
    int                     size = kl_contact_point_size(p);
    slot_ends               e;
    read_slots(in, &e);
    for (int k = 0; k < p->slots; k++) {
        double                 *own = h + KL_CONTACT_HEAD + k * size;
        const kl_contact_state *x   = &e.x[k];
        released += gap_energy(p, own);
        if (e.there[k] && (x->closed || e.h[k][KL_POINT_STATE] > 0.0)) {
            h[KL_CONTACT_LOST] += kl_contact_point_lost(&p->laws, x, e.h[k], dt);
            rubbed += kl_contact_point_rubbed(&p->laws, x, e.h[k], dt);
        }
        if (!e.there[k] || !x->closed) {
            h[KL_CONTACT_PARTED] += own[KL_POINT_STATE] > 0.0 && !e.left[k];
            keep_open(&e, k, size, own);
            continue;
        }
        memcpy(own, e.h[k], (size_t)size * sizeof *own);
        if (own[KL_POINT_STATE] == 0.0) begin_impact(x, own, h);
        double before = kl_contact_indented(in, k, 0.0).spent;
        h[KL_CONTACT_LOST] += kl_contact_indented(in, k, x->depth).spent - before;
        if (size == KL_POINT_HISTORY) own[KL_POINT_DEEPEST] = fmax(own[KL_POINT_DEEPEST], x->depth);
        keep_point(in, kl_contact_spot(&f->spots, k), x, own);
        released -= x->friction.energy;
        normal += x->normal.f;
    }
    h[KL_CONTACT_PEAK] = fmax(h[KL_CONTACT_PEAK], fmax(normal, peak_within(p, &e, dt)));
    rubbed += released;
    h[KL_CONTACT_LOST] += rubbed, h[KL_CONTACT_RUBBED] += rubbed;
    h[KL_CONTACT_LAST_TIME] = in->t;
}

kl_status kl_contact_start(const kl_reading *in, const kl_setup *s, kl_element_start *out)
{
    (void)s;
    kl_contact_commit(in, out->h);
    out->h[KL_CONTACT_IMPACTS]   = 0.0;
    out->h[KL_CONTACT_LAST_TIME] = in->t;
    /* bristles: their deflection in steady slip */
    const kl_friction_law *law = &((const kl_contact_data *)in->data)->laws.friction;
    for (int k = 0; k < out->nz; k++) out->scale[k] = (law->mu_s > 0.0 ? law->mu_s : 1.0) / law->s0;
    return KL_OK;
}

/* ---- the type ---- */

static const kl_key contact_keys[] = {
    {.name   = "shapes",
     .kind   = KL_KEY_SHAPES,
     .offset = offsetof(kl_contact_data, shapes),
     .help   = "two shapes in the order of `between`: [{sphere: 50 mm}, plane]; `klingel help "
               "contacts`"},
    KL_CONTACT_LAW_KEYS,
    {.name     = "point",
     .kind     = KL_KEY_WORD,
     .offset   = offsetof(kl_contact_data, point),
     .words    = "first second middle",
     .fallback = "middle",
     .help     = "where the forces act: on the first shape, the second, or between them"},
    {0}};

static const kl_output contact_outputs[] = {
    KL_CONTACT_OUTPUT_ROWS,
    {"arc1", "1",
     "number of the arc of the first shape with the largest penetration depth, from 1; 0 while "
     "open"},
    {"arc2", "1", "number of the arc of the second shape"},
    {"arcs1", "1", "all arcs of the first shape in contact, as a sum of 2^(number - 1)"},
    {"arcs2", "1", "all arcs of the second shape in contact"},
    {0}};

static void contact_output(const kl_reading *in, const double *lambda, double *v)
{
    kl_contact_output(in, lambda, v);
    kl_contact_arcs(in, v + KL_CONTACT_OUTPUTS);
}

const kl_element_type kl_contact = {
    .name      = "contact",
    .help      = "contact of two shapes with impact, rolling and friction",
    .equation  = "F = -N(d, d') n + T(u, N)",
    .example   = "touch: {between: [a, b], shapes: [{sphere: 50 mm}, {box: [0.6, 0.6, 0.6]}], "
                 "stiffness: 1 MN/m, law: linear, friction: threlfall, mu: 0.3}",
    .too_stiff = KL_CONTACT_TOO_STIFF,
    .keys      = contact_keys,
    .outputs   = contact_outputs,
    .attach    = &kl_attach_bodies,
    .data_size = sizeof(kl_contact_data),
    .setup     = kl_contact_setup,
    .start     = kl_contact_start,
    .locate    = kl_contact_locate,
    .asleep    = contact_asleep,
    .eval      = kl_contact_eval,
    .tangent   = kl_contact_tangent,
    .crossings = kl_contact_crossings,
    .commit    = kl_contact_commit,
    .output    = contact_output,
    .watch     = kl_contact_watch};
