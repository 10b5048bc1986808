/* A rigid shape that touches the skin of a flexible body.
 *
 * The skin is a net of triangles whose corners are nodes of the body; markers show where they are. With
 * the signed distance d(x) of the rigid shape, a contact point is a local minimum of d over the deformed
 * skin: on a triangle, an edge or a corner, x = sum s_i x_i with shares s_i of three nodes. There
 *
 *   gap = d(x),  n = grad d,  v(x) = sum s_i v_i,  force on node i = s_i F
 *
 * so that the power of the nodes is that of the contact. Because d is smallest at x, the derivative of
 * the gap needs no derivative of the shares. A round shape makes one contact for each minimum; minima
 * closer together than `spread` are one, so that a ball which rolls over an edge of the net has one
 * contact throughout. A plane or a box touches each corner of the net that lies within it.
 *
 * Each contact keeps its place in a list with a history of its own: a place follows the contact that is
 * nearest to it on the undeformed skin. Friction memory is carried in the axes of the body. */
#include "contact/contact_skin.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "contact/contact_data.h"
#include "contact/contact_mesh.h"

enum { PLACES = 12, CANDIDATES = 64 };

typedef struct skin {
    kl_contact_data c; /* first: contact functions read it; one slot */
    int (*triangle)[3];
    int            ntriangle, n; /* triangles, nodes */
    const kl_vec3 *at;           /* n: nodes of the undeformed body [m] */
    double         spread;       /* [m] */
    int            block;        /* numbers of history of a place */
} skin;

typedef struct place { /* a contact: three nodes with their shares */
    bool             on;
    int              node[3];
    double           share[3];
    kl_vec3          rest; /* where it is on the undeformed body [m] */
    kl_contact_found found;
} place;

typedef struct touches { /* the cache */
    place item[PLACES];
} touches;

/* ---- the shape's distance ---- */

static kl_pose pose_of(const kl_solid *a, const kl_motion *m)
{
    return (kl_pose){kl_add(m->r, kl_mul(&m->A, a->pose.r)), kl_matmul(&m->A, &a->pose.A)};
}

static kl_spot spot_at(const kl_solid *a, const kl_pose *P, kl_vec3 x)
{
    kl_offset o = {0};
    kl_solid_project(a, kl_pose_local(P, x), &o);
    return (kl_spot){.gap = o.d, .p1 = kl_pose_point(P, o.foot), .p2 = x, .n = kl_mul(&P->A, o.n)};
}

static double distance(const kl_solid *a, const kl_pose *P, kl_vec3 x)
{
    kl_offset o = {0};
    kl_solid_project(a, kl_pose_local(P, x), &o);
    return o.d;
}

/* Round shapes touch in separate minima; the others at every corner of the net. */
static bool is_round(const kl_solid *a)
{
    return a->kind == KL_SOLID_SPHERE || a->kind == KL_SOLID_CAPSULE ||
           a->kind == KL_SOLID_ELLIPSOID || a->kind == KL_SOLID_CYLINDER;
}

static bool can_touch(const kl_solid *a)
{
    return !a->inside && (is_round(a) || a->kind == KL_SOLID_PLANE || a->kind == KL_SOLID_BOX);
}

/* ---- minimum over one triangle ---- */

typedef struct patch {
    const kl_solid *a;
    const kl_pose  *P;
    kl_vec3         x[3];
    double          t; /* of the last line that was searched */
} patch;

static kl_vec3 point_on(const kl_vec3 x[3], double s, double t)
{
    return kl_axpy(t, kl_sub(x[2], x[0]), kl_axpy(s, kl_sub(x[1], x[0]), x[0]));
}

/* Golden section of a function that has one minimum in [0, top]. */
static double golden(double (*f)(patch *p, double at, double u), patch *p, double at, double top,
                     double *best)
{
    const double g = 0.6180339887498949;
    double       a = 0.0, b = top, u = b - g * (b - a), v = a + g * (b - a), fu = f(p, at, u),
           fv = f(p, at, v);
    for (int k = 0; k < 44; k++) {
        if (fu <= fv) b = v, v = u, fv = fu, u = b - g * (b - a), fu = f(p, at, u);
        else a = u, u = v, fu = fv, v = a + g * (b - a), fv = f(p, at, v);
    }
    double x = fu <= fv ? u : v, fx = fmin(fu, fv);
    for (int end = 0; end < 2; end++) {
        double e = end ? top : 0.0, fe = f(p, at, e);
        if (fe <= fx) x = e, fx = fe;
    }
    *best = x;
    return fx;
}

static double on_point(patch *p, double s, double t)
{
    return distance(p->a, p->P, point_on(p->x, s, t));
}

static double on_line(patch *p, double unused, double s)
{
    (void)unused;
    return golden(on_point, p, s, 1.0 - s, &p->t);
}

/* Shares of the three corners where the distance is smallest. */
static void lowest(const kl_solid *a, const kl_pose *P, const kl_vec3 x[3], double share[3])
{
    double s, t;
    if (a->kind == KL_SOLID_SPHERE) { /* nearest to the centre */
        int     where;
        kl_vec3 f = kl_triangle_nearest(P->r, x[0], x[1], x[2], &where);
        kl_vec3 e = kl_sub(x[1], x[0]), g = kl_sub(x[2], x[0]), d = kl_sub(f, x[0]);
        double  ee = kl_dot(e, e), gg = kl_dot(g, g), eg = kl_dot(e, g), det = ee * gg - eg * eg;
        double  de = kl_dot(d, e), dg = kl_dot(d, g);
        s = det > 0.0 ? (de * gg - dg * eg) / det : 0.0;
        t = det > 0.0 ? (dg * ee - de * eg) / det : 0.0;
    } else {
        patch p = {a, P, {x[0], x[1], x[2]}, 0.0};
        golden(on_line, &p, 0.0, 1.0, &s);
        on_line(&p, 0.0, s);
        t = p.t;
    }
    s = fmin(fmax(s, 0.0), 1.0), t = fmin(fmax(t, 0.0), 1.0 - s);
    share[0] = 1.0 - s - t, share[1] = s, share[2] = t;
}

/* ---- all contacts ---- */

typedef struct candidate {
    int     node[3];
    double  share[3];
    kl_vec3 rest;
    kl_spot spot;
    bool    corner;
} candidate;

typedef struct candidates {
    candidate item[CANDIDATES];
    int       n;
} candidates;

/* Kept in the order of their gaps; what does not fit is the shallowest. */
static void add_candidate(candidates *all, const candidate *c)
{
    int i = all->n < CANDIDATES ? all->n++ : CANDIDATES - 1;
    if (i == CANDIDATES - 1 && all->item[i].node[0] != all->item[i].node[1] &&
        all->item[i].spot.gap <= c->spot.gap)
        return;
    for (; i > 0 && all->item[i - 1].spot.gap > c->spot.gap; i--) all->item[i] = all->item[i - 1];
    all->item[i] = *c;
}

static candidate candidate_of(const skin *p, const kl_reading *in, const kl_solid *a,
                              const kl_pose *P, const int node[3], const double share[3])
{
    candidate c = {.node = {node[0], node[1], node[2]}};
    kl_vec3   x = {0};
    for (int i = 0; i < 3; i++) {
        c.share[i] = share[i];
        x          = kl_axpy(share[i], in->m[1 + node[i]].r, x);
        c.rest     = kl_axpy(share[i], p->at[node[i]], c.rest);
    }
    c.spot = spot_at(a, P, x);
    return c;
}

static double longest_side(const kl_vec3 x[3])
{
    double l = 0.0;
    for (int k = 0; k < 3; k++) l = fmax(l, kl_norm(kl_sub(x[(k + 1) % 3], x[k])));
    return l;
}

/* Distances of the corners bound that of the triangle: d(x) >= mean of d_i - longest side. */
static void test_triangle(const skin *p, const kl_reading *in, const kl_pose *P, const int *node,
                          double reach, candidates *all)
{
    const kl_solid *a    = &p->c.shapes.item[0];
    kl_vec3         x[3] = {in->m[1 + node[0]].r, in->m[1 + node[1]].r, in->m[1 + node[2]].r};
    double          d[3], mean = 0.0, share[3];
    for (int k = 0; k < 3; k++) d[k] = distance(a, P, x[k]), mean += d[k] / 3.0;
    if (mean - longest_side(x) > reach) return;
    for (int k = 0; k < 3 && !is_round(a); k++) {
        double whole[3] = {k == 0, k == 1, k == 2};
        if (d[k] > reach) continue;
        candidate c = candidate_of(p, in, a, P, node, whole);
        c.corner    = true;
        add_candidate(all, &c);
    }
    if (a->kind == KL_SOLID_PLANE) return; /* smallest at a corner */
    lowest(a, P, x, share);
    candidate c = candidate_of(p, in, a, P, node, share);
    if (c.spot.gap > reach) return;
    double least = fmin(d[0], fmin(d[1], d[2]));
    if (is_round(a) || c.spot.gap < least - 1e-6 * p->spread) add_candidate(all, &c);
}

/* A minimum beside a deeper one is not a contact of its own; nor is a corner that is there twice. */
static bool repeats(const skin *p, const candidates *all, int k)
{
    const candidate *c    = &all->item[k];
    double           near = c->corner ? 1e-9 * p->spread : p->spread;
    for (int i = 0; i < k; i++)
        if (kl_norm(kl_sub(all->item[i].rest, c->rest)) <= near) return true;
    return false;
}

/* The nearest place of the last accepted step, or any free one. */
static int place_for(const skin *p, const touches *last, const touches *now, kl_vec3 rest, bool any)
{
    double best = 4.0 * p->spread;
    int    at   = -1;
    for (int k = 0; k < PLACES; k++) {
        if (now->item[k].on) continue;
        bool was = last && last->item[k].on;
        if (any && !was) return k;
        double far = was ? kl_norm(kl_sub(last->item[k].rest, rest)) : (double)INFINITY;
        if (far < best) best = far, at = k;
    }
    return at;
}

static void put_place(touches *now, int k, const candidate *c)
{
    place *q = &now->item[k];
    q->on    = true;
    memcpy(q->node, c->node, sizeof q->node);
    memcpy(q->share, c->share, sizeof q->share);
    q->rest                = c->rest;
    q->found.spots.n       = 1;
    q->found.spots.item[0] = c->spot; /* key 0 */
}

/* While nothing touches only the nearest point counts. */
static double reach_of(const skin *p, const kl_reading *in, const kl_pose *P)
{
    const kl_solid *a    = &p->c.shapes.item[0];
    double          best = (double)INFINITY;
    for (int i = 0; i < p->n; i++) best = fmin(best, distance(a, P, in->m[1 + i].r));
    return fmax(best, 0.0);
}

static kl_status skin_locate(const kl_reading *in, void *cache)
{
    const skin    *p                = in->data;
    touches       *now              = cache;
    const touches *last             = in->accepted;
    kl_pose        P                = pose_of(&p->c.shapes.item[0], &in->m[0]);
    candidates     all              = {.n = 0};
    bool           used[CANDIDATES] = {false};
    memset(now, 0, sizeof *now);
    double reach = reach_of(p, in, &P);
    for (int t = 0; t < p->ntriangle; t++) test_triangle(p, in, &P, p->triangle[t], reach, &all);
    for (int pass = 0; pass < 2; pass++)
        for (int k = 0; k < all.n; k++) {
            if (used[k] || repeats(p, &all, k)) continue;
            int at = place_for(p, last, now, all.item[k].rest, pass == 1);
            if (at < 0) continue;
            used[k] = true;
            put_place(now, at, &all.item[k]);
        }
    return KL_OK;
}

void kl_contact_skin_spots(const kl_reading *in, kl_spots *out)
{
    const touches *now = in->cache;
    out->n             = 0;
    for (int k = 0; now && k < PLACES; k++)
        if (now->item[k].on) kl_spots_add(out, &now->item[k].found.spots.item[0]);
}

/* ---- each place as a contact of two frames ---- */

/* The second frame turns with the body and carries the contact point x where the undeformed body has
 * it: r = x - A rest, v + w x (x - r) = v(x). */
static kl_motion frame_of(const kl_reading *in, const place *q)
{
    kl_vec3   x = {0}, v = {0};
    kl_motion m = in->m[1 + q->node[0]];
    for (int i = 0; i < 3; i++) {
        x = kl_axpy(q->share[i], in->m[1 + q->node[i]].r, x);
        v = kl_axpy(q->share[i], in->m[1 + q->node[i]].v, v);
    }
    kl_vec3 arm = kl_mul(&m.A, q->rest);
    m.r         = kl_sub(x, arm);
    m.v         = kl_sub(v, kl_cross(m.w, arm));
    return m;
}

static const double *history_of(const skin *p, const double *h, int k) { return h + k * p->block; }

static bool reading_of(const kl_reading *in, int k, kl_motion m[2], kl_reading *one)
{
    const skin    *p   = in->data;
    const touches *now = in->cache;
    *one               = *in;
    one->h             = in->h ? history_of(p, in->h, k) : NULL;
    one->cache         = &now->item[k].found;
    one->accepted      = NULL;
    m[0] = in->m[0], m[1] = in->m[1];
    if (now->item[k].on) m[1] = frame_of(in, &now->item[k]);
    one->m = m, one->nmarker = 2;
    return now->item[k].on;
}

static kl_status skin_eval(const kl_reading *in, kl_writing *out)
{
    const touches *now = in->cache;
    for (int k = 0; k < PLACES; k++) {
        const place *q          = &now->item[k];
        double       wrench[12] = {0};
        kl_writing   to         = {.wrench = wrench};
        kl_motion    m[2];
        kl_reading   one;
        if (!reading_of(in, k, m, &one)) continue;
        KL_TRY(kl_contact_eval(&one, &to));
        for (int i = 0; i < 6; i++) out->wrench[i] += wrench[i];
        for (int i = 0; i < 9; i++)
            out->wrench[6 * (1 + q->node[i / 3]) + i % 3] += q->share[i / 3] * wrench[6 + i % 3];
        out->energy += to.energy, out->loss += to.loss, out->spent += to.spent;
    }
    return KL_OK;
}

/* The k-th place that is closed; -1: there is none. */
static int closed_place(const kl_reading *in, int k)
{
    const touches *now = in->cache;
    for (int i = 0; i < PLACES; i++)
        if (now->item[i].on && now->item[i].found.spots.item[0].gap < 0.0 && k-- == 0) return i;
    return -1;
}

static bool skin_link(const kl_reading *in, int k, kl_link *out)
{
    const touches *now = in->cache;
    int            at  = closed_place(in, k);
    if (at < 0) return false;
    const int *n = now->item[at].node;
    *out         = (kl_link){.n = 4, .marker = {0, 1 + n[0], 1 + n[1], 1 + n[2]}};
    return true;
}

/* How foot, point and normal follow the second frame: the point moves with it, the rest with the
 * point. */
static kl_spot_slopes slopes_at(const kl_solid *a, const kl_pose *P, const kl_spot *s, kl_vec3 r)
{
    kl_spot_slopes d = {0};
    kl_vec3        hull, half, p1[3], n[3], arm = kl_sub(s->p2, r);
    kl_solid_types[a->kind].bounds(a, &hull, &half);
    double step = 1e-6 * (isinf(half.x) ? 1.0 : kl_norm(half));
    for (int j = 0; j < 3; j++) {
        kl_vec3 e    = kl_vec(j == 0, j == 1, j == 2);
        kl_spot up   = spot_at(a, P, kl_axpy(step, e, s->p2)),
                down = spot_at(a, P, kl_axpy(-step, e, s->p2));
        p1[j]        = kl_scale(0.5 / step, kl_sub(up.p1, down.p1));
        n[j]         = kl_scale(0.5 / step, kl_sub(up.n, down.n));
        d.p1[j] = p1[j], d.n[j] = n[j], d.p2[j] = e;
    }
    for (int j = 0; j < 3; j++) {
        double c[3];
        d.p2[3 + j] = kl_cross(kl_vec(j == 0, j == 1, j == 2), arm);
        kl_store(c, d.p2[3 + j]);
        for (int i = 0; i < 3; i++) {
            d.p1[3 + j] = kl_axpy(c[i], p1[i], d.p1[3 + j]);
            d.n[3 + j]  = kl_axpy(c[i], n[i], d.n[3 + j]);
        }
    }
    return d;
}

/* From two frames (12 x 12) to the body and three nodes (24 x 24): K_24 = S' K_12 S. The second frame moves
 * with dr = sum share_i dr_i and does not rotate, because nodes of a skin have no rotations; those rows and
 * columns stay zero. */
static void spread_slopes(const place *q, const double *from, double *to)
{
    for (int r = 0; r < 24; r++)
        for (int c = 0; c < 24; c++) {
            bool   turns = (r >= 6 && r % 6 >= 3) || (c >= 6 && c % 6 >= 3);
            double w = (r < 6 ? 1.0 : q->share[r / 6 - 1]) * (c < 6 ? 1.0 : q->share[c / 6 - 1]);
            if (!turns)
                to[24 * r + c] += w * from[12 * (r < 6 ? r : 6 + r % 6) + (c < 6 ? c : 6 + c % 6)];
        }
}

/* The shares are taken as constant: when the foot moves by du in a triangle of size l they change by du/l, a
 * force of F du/l, which is F/(k l) = depth/l of the contact force k du. */
static void skin_link_tangent(const kl_reading *in, int k, kl_slopes *out)
{
    const skin      *p            = in->data;
    int              at           = closed_place(in, k);
    double           part[2][144] = {{0}};
    kl_slopes        two          = {.K = part[0], .C = part[1]};
    kl_motion        m[2];
    kl_reading       one;
    kl_contact_state x;
    if (at < 0) return;
    const place *q = &((const touches *)in->cache)->item[at];
    reading_of(in, at, m, &one);
    if (!kl_contact_state_of(&one, 0, &x) || !x.closed) return;
    const kl_solid *a = &p->c.shapes.item[0];
    kl_pose         P = pose_of(a, &in->m[0]);
    kl_spot_slopes  d = slopes_at(a, &P, &q->found.spots.item[0], m[1].r);
    kl_contact_point_tangent(&p->c.laws, &q->found.spots.item[0], m, &x, one.h + KL_CONTACT_HEAD,
                             in->t - one.h[KL_CONTACT_LAST_TIME], NULL, &d, 0, 0, &two);
    spread_slopes(q, part[0], out->K);
    spread_slopes(q, part[1], out->C);
}

static int events_of(const skin *p) { return kl_contact_events(&p->c); }

static void skin_crossings(const kl_reading *in, kl_crossing *out)
{
    const skin *p = in->data;
    int         n = events_of(p);
    for (int k = 0; k < PLACES; k++) {
        kl_motion  m[2];
        kl_reading one;
        for (int i = 0; i < n; i++)
            out[k * n + i] = (kl_crossing){.value = (double)NAN, .rate = (double)NAN};
        if (reading_of(in, k, m, &one)) kl_contact_crossings(&one, out + k * n);
    }
}

static void skin_commit(const kl_reading *in, double *h)
{
    const skin *p = in->data;
    for (int k = 0; k < PLACES; k++) {
        kl_motion  m[2];
        kl_reading one;
        (void)reading_of(in, k, m, &one);
        kl_contact_commit(&one, h + k * p->block);
    }
}

static kl_status skin_start(const kl_reading *in, const kl_setup *s, kl_element_start *out)
{
    const skin *p = in->data;
    for (int k = 0; k < PLACES; k++) {
        kl_motion        m[2];
        kl_reading       one;
        kl_element_start own = *out;
        own.h                = out->h + k * p->block;
        (void)reading_of(in, k, m, &one);
        one.h = own.h;
        KL_TRY(kl_contact_start(&one, s, &own));
    }
    return KL_OK;
}

/* ---- setting up and outputs ---- */

bool kl_contact_skin_holds(const void *data, kl_vec3 x)
{
    const skin *p = data;
    if (p->c.shapes.n != 2 || isinf(p->c.shapes.item[1].size.x)) return true;
    const kl_solid *b = &p->c.shapes.item[1];
    kl_vec3         d = kl_sub(x, b->pose.r);
    return fabs(d.x) <= b->size.x && fabs(d.y) <= b->size.y && fabs(d.z) <= b->size.z;
}

void kl_contact_skin_take(void *data, int (*triangle)[3], int ntriangle, const kl_vec3 *at)
{
    skin *p     = data;
    p->triangle = triangle, p->ntriangle = ntriangle, p->at = at;
}

static kl_status refuse(const kl_setup *s, const char *what)
{
    return kl_fail(s->diag, KL_E_MODEL, s->place, "contact '%s': %s", s->name, what);
}

static double mean_side(const skin *p)
{
    double sum = 0.0;
    for (int t = 0; t < p->ntriangle; t++)
        for (int k = 0; k < 3; k++)
            sum += kl_norm(kl_sub(p->at[p->triangle[t][(k + 1) % 3]], p->at[p->triangle[t][k]]));
    return sum / (3.0 * p->ntriangle);
}

static kl_status check_deep(const skin *p, const kl_setup *s, const kl_motion *m)
{
    const kl_solid *a = &p->c.shapes.item[0];
    kl_pose         P = pose_of(a, &m[0]);
    kl_vec3         centre;
    double          reach = kl_contact_reach(a, &centre), limit = isinf(reach) ? p->spread : reach;
    for (int i = 0; i < p->n; i++) {
        kl_spot x = spot_at(a, &P, m[1 + i].r);
        if (x.gap > -0.2 * limit) continue;
        return kl_fail(s->diag, KL_E_MODEL, s->place,
                       "contact '%s': the shape penetrates the skin by %.4g m at the start; move "
                       "the second body by this distance along [%.3g, %.3g, %.3g], or the first "
                       "one back",
                       s->name, -x.gap, x.n.x + 0.0, x.n.y + 0.0, x.n.z + 0.0);
    }
    return KL_OK;
}

static kl_status skin_setup(void *data, const kl_setup *s, const kl_motion *m, int nmarker,
                            kl_element_size *size)
{
    skin *p = data;
    if (p->c.shapes.n != 2 || p->ntriangle == 0) return KL_E_MODEL; /* already reported */
    const kl_solid *a = &p->c.shapes.item[0];
    p->n              = nmarker - 1;
    if (!can_touch(a))
        return refuse(s, "with `skin` the first shape must be a sphere, capsule, cylinder, "
                         "ellipsoid, box or plane");
    p->c.slots = 1, p->c.point = KL_CONTACT_SECOND, p->c.speed_limit = (double)INFINITY;
    kl_vec3 centre;
    p->c.reach = kl_contact_reach(a, &centre);
    p->spread  = mean_side(p);
    if (a->kind == KL_SOLID_SPHERE) p->spread = fmin(p->spread, a->radius);
    kl_contact_fill(&p->c);
    p->c.laws.share = 1.0;
    double A        = 0.0;
    if (a->kind == KL_SOLID_SPHERE) A = 0.5 / a->radius; /* the skin counts as flat */
    if (p->c.material > 0 && isnan(p->c.k) && A == 0.0)
        return refuse(s, "the stiffness follows from `material` for a sphere on a skin only; give "
                         "`stiffness`");
    KL_TRY(kl_contact_hertz(&p->c, s, A, A));
    KL_TRY(kl_contact_check(&p->c, s));
    if (p->c.laws.friction.kind == KL_FRICTION_LUGRE)
        return refuse(s,
                      "friction lugre is not available on a skin; choose stick-slip or stribeck");
    if (p->c.laws.normal.kind == KL_NORMAL_INDENTATION)
        return refuse(s, "law indentation is not available on a skin; choose another law");
    if (p->c.rolling > 0.0 || p->c.spinning > 0.0)
        return refuse(s, "nodes of a skin take no moments: remove rolling_resistance and "
                         "spinning_resistance");
    KL_TRY(check_deep(p, s, m));
    kl_element_size one = {0};
    kl_contact_sizes(&p->c, &one);
    p->block             = one.nh;
    size->nh             = PLACES * p->block;
    size->nevent         = PLACES * events_of(p);
    size->path_dependent = true;
    size->cache          = sizeof(touches);
    return KL_OK;
}

/* Values that add up over the places, and those that the nearest one gives. */
static void skin_output(const kl_reading *in, const double *lambda, double *v)
{
    kl_vec3 T                       = {0};
    double  sum[KL_CONTACT_OUTPUTS] = {0};
    bool    any                     = false;
    for (int k = 0; k < PLACES; k++) {
        kl_motion  m[2];
        kl_reading one;
        double     w[KL_CONTACT_OUTPUTS];
        bool       on = reading_of(in, k, m, &one);
        kl_contact_output(&one, lambda, w);
        static const int added[] = {2, 6, 7, 18, 21};
        for (int i = 0; i < 5; i++) sum[added[i]] += w[added[i]];
        if (!on) continue;
        T = kl_add(T, kl_load(w + 15));
        if (any && w[0] >= v[0]) continue;
        memcpy(v, w, sizeof w);
        any = true;
    }
    if (!any) memset(v, 0, sizeof sum), v[0] = (double)NAN;
    v[2] = sum[2], v[6] = sum[6], v[7] = sum[7], v[18] = sum[18], v[21] = sum[21];
    v[3] = kl_norm(T);
    kl_store(v + 15, T);
}

static void skin_watch(const kl_reading *in, kl_notice *notice)
{
    for (int k = 0; k < PLACES; k++) {
        kl_motion  m[2];
        kl_reading one;
        (void)reading_of(in, k, m, &one);
        if (one.h[KL_CONTACT_IMPACTS] > 0.0) {
            kl_contact_watch(&one, notice);
            return;
        }
    }
}

static const kl_key skin_keys[] = {
    {.name   = "shapes",
     .kind   = KL_KEY_SHAPES,
     .offset = offsetof(kl_contact_data, shapes),
     .help   = "shape of the first body, then `skin`, or the part of it that can touch: {skin: "
               "{from: [x, y, z], to: [x, y, z]}}"},
    KL_CONTACT_LAW_KEYS,
    {0}};

static const kl_output skin_outputs[] = {KL_CONTACT_OUTPUT_ROWS, {0}};

const kl_element_type kl_contact_on_skin = {
    .name      = "contact-on-skin",
    .help      = "a body that touches the skin of a flexible body",
    .equation  = "F = -N(d, d') n + T(u, N), shared by the three nodes of the triangle",
    .example   = "touch: {type: contact-on-skin, between: [ball, plate], shapes: [{sphere: 50 mm}, "
                 "skin], law: linear, stiffness: 1 MN/m}",
    .too_stiff = KL_CONTACT_TOO_STIFF,
    .keys      = skin_keys,
    .outputs   = skin_outputs,
    .attach    = &kl_attach_skin,
    .data_size = sizeof(skin),
    .setup     = skin_setup,
    .start     = skin_start,
    .locate    = skin_locate,
    .eval      = skin_eval,
    .link      = skin_link,
    .link_tangent = skin_link_tangent,
    .crossings    = skin_crossings,
    .commit       = skin_commit,
    .output       = skin_output,
    .watch        = skin_watch};
