/* Contact between all bodies of two groups: sweep and prune finds the pairs that are near each other
 * (contact/broad.h), each of which is a contact with its own history.
 *
 * Histories live in a pool. A pair enters it when a step is accepted with the pair near, and leaves it
 * when the pair is near no more; its place in the pool does not change meanwhile, so that crossings can
 * be followed. A pair that touches without being in the pool came too fast: the step is repeated,
 * shorter. Members are in the order of their names, so nothing depends on the order in the file. The
 * matrix couples only bodies that touch (kl_element_type.link). */
#include "contact/contact_group.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "contact/broad.h"
#include "contact/contact_data.h"

typedef struct group {
    kl_contact_data c;     /* first: contact functions read it */
    double          pairs; /* most that may be near at once; NaN: chosen */
    unsigned char  *side;
    int             n;           /* members */
    int             pool, block; /* places of the pool, history of each */
    double          margin;      /* pairs with a smaller gap are near [m] */
    kl_vec3 middle[2];  /* of the ball that holds each shape, in the axes of its marker [m] */
    double  ball[2];    /* its radius; infinite for a plane [m] */
    bool    central[2]; /* its middle is the origin of the marker */
} group;

/* History: totals of pairs that have left the pool, whether the pool was too small; then the pool. A
 * place: 1 + both members (0: free), then the history of the contact. */
enum { GONE_LOST, GONE_IMPACTS, FULL, GROUP_HEAD };
enum { FIRST, SECOND, PLACE_HEAD };

/* The cache: near pairs, ascending, with what was found of each. */
typedef struct near_pair {
    int i, j, place; /* members; place in the pool or -1 */
} near_pair;

typedef struct near_list {
    int    npair; /* -1: none; 0: never located */
    double t;     /* [s] */
    double room;  /* while no member is farther than this from `from`, the list is complete [m] */
} near_list;

typedef struct view { /* of the cache; up to `pair` it is kept with an accepted step */
    near_list    *list;
    kl_vec3      *from;   /* centres of the members when near pairs were last looked for [m] */
    kl_vec3      *centre; /* now */
    near_pair    *pair;
    kl_broad_box *box;
    int          *order;
    int (*raw)[2];
    kl_contact_found *found;
} view;

static int candidate_capacity(const group *g) { return 2 * g->pool; }

static size_t aligned(size_t n) { return (n + 15) / 16 * 16; }

/* Returns the bytes of the cache; *kept of them belong to an accepted step. */
static size_t lay_out(const group *g, unsigned char *at, view *v, size_t *kept)
{
    size_t n = (size_t)g->n, most = (size_t)candidate_capacity(g), all = n * n / 2 + 1, used = 0;
#define TAKE(field_, type_, count_)                                                                \
    v->field_ = at ? (type_ *)(void *)(at + used) : NULL, used += aligned((count_) * sizeof(type_))
    TAKE(list, near_list, 1);
    TAKE(from, kl_vec3, n);
    TAKE(centre, kl_vec3, n);
    TAKE(pair, near_pair, most);
    if (kept) *kept = used;
    TAKE(box, kl_broad_box, n);
    TAKE(order, int, n);
    v->raw = at ? (int(*)[2])(void *)(at + used) : NULL, used += aligned(all * sizeof *v->raw);
    TAKE(found, kl_contact_found, most);
#undef TAKE
    return used;
}

static view view_of(const group *g, const void *cache)
{
    view v;
    lay_out(g, (unsigned char *)(uintptr_t)cache, &v, NULL);
    return v;
}

kl_status kl_contact_group_members(void *data, const unsigned char *side, int n, kl_arena *arena)
{
    group *g = data;
    g->side  = kl_arena_array(arena, unsigned char, n + 1);
    if (!g->side) return KL_E_MEMORY;
    memcpy(g->side, side, (size_t)n);
    g->n = n;
    return KL_OK;
}

unsigned kl_contact_group_side(const void *data, int marker)
{
    return ((const group *)data)->side[marker];
}

/* ---- pairs ---- */

/* May members i and j touch, and is i the one of the first group? */
static bool meets(const group *g, int i, int j, bool *forward)
{
    *forward = (g->side[i] & 1) && (g->side[j] & 2);
    return *forward || ((g->side[i] & 2) && (g->side[j] & 1));
}

static const double *place_of(const group *g, const double *h, int k)
{
    return h + GROUP_HEAD + k * g->block;
}

static bool is_at(const group *g, const double *h, const near_pair *p, int k)
{
    const double *place = place_of(g, h, k);
    return place[FIRST] == p->i + 1.0 && place[SECOND] == p->j + 1.0;
}

/* Where in the pool a pair is, or -1; p->place says where to look first. */
static int find_place(const group *g, const double *h, const near_pair *p)
{
    if (p->place >= 0 && is_at(g, h, p, p->place)) return p->place;
    for (int k = 0; k < g->pool; k++)
        if (is_at(g, h, p, k)) return k;
    return -1;
}

/* What the contact of a pair reads: two markers, its own history and what was found of it. `none`:
 * instead of a history. */
static kl_reading reading_of(const kl_reading *in, const near_pair *p, kl_motion m[2],
                             const double *h, const kl_contact_found *found)
{
    kl_reading one = *in;
    m[0] = in->m[p->i], m[1] = in->m[p->j];
    one.m = m, one.nmarker = 2, one.h = h, one.z = NULL;
    one.cache = found, one.accepted = NULL;
    return one;
}

/* Balls that hold the members, whatever their orientation. */
static void fill_centres(const group *g, const kl_motion *m, kl_vec3 *centre)
{
    for (int i = 0; i < g->n; i++) {
        int s     = g->side[i] & 1 ? 0 : 1;
        centre[i] = g->central[s] ? m[i].r : kl_add(m[i].r, kl_mul(&m[i].A, g->middle[s]));
    }
}

static double ball_of(const group *g, int i) { return g->ball[g->side[i] & 1 ? 0 : 1]; }

/* Pairs that are not in the list are at least a margin apart. Where none of them is nearer than `gap`, each
 * member may move by (gap - margin/2)/2 before one comes as near as half a margin. */
static double room_of(const group *g, const view *v, int listed)
{
    double least = (double)INFINITY, half = 0.25 * g->margin;
    if (listed > 0) return half; /* something is near: look again soon */
    for (int i = 0; i < g->n; i++)
        for (int j = i + 1; j < g->n; j++) {
            bool    forward;
            kl_vec3 d = kl_sub(v->centre[i], v->centre[j]);
            if (!meets(g, i, j, &forward)) continue;
            least = fmin(least, kl_norm(d) - ball_of(g, i) - ball_of(g, j));
        }
    return fmax(half, 0.5 * least - half);
}

static int sweep(const group *g, const view *v)
{
    for (int i = 0; i < g->n; i++) {
        double  r    = g->ball[g->side[i] & 1 ? 0 : 1] + 0.5 * g->margin;
        kl_vec3 ball = kl_vec(r, r, r);
        v->box[i]    = (kl_broad_box){kl_sub(v->centre[i], ball), kl_add(v->centre[i], ball), 0};
        v->order[i]  = i;
    }
    kl_broad b     = {.n = g->n, .box = v->box, .order = v->order};
    int      count = kl_broad_pairs(&b, v->raw, g->n * g->n / 2), n = 0;
    for (int k = 0; k < count && n < candidate_capacity(g); k++) {
        int  i = v->raw[k][0], j = v->raw[k][1];
        bool forward;
        if (!meets(g, i, j, &forward)) continue;
        v->pair[n++] = forward ? (near_pair){i, j, -1} : (near_pair){j, i, -1};
    }
    memcpy(v->from, v->centre, (size_t)g->n * sizeof *v->from);
    v->list->room = room_of(g, v, n);
    return n == 0 ? -1 : n;
}

/* While no member has moved by more than the room that the list leaves, the near pairs of the accepted
 * step are still all that can touch. */
static bool still_valid(const group *g, const view *last, const kl_vec3 *centre)
{
    double far = last->list->room * last->list->room;
    if (last->list->npair == 0) return false;
    for (int i = 0; i < g->n; i++) {
        kl_vec3 d = kl_sub(centre[i], last->from[i]);
        if (kl_dot(d, d) > far) return false;
    }
    return true;
}

static bool touches(const kl_spots *s)
{
    for (int i = 0; i < s->n; i++)
        if (s->item[i].gap < 0.0 && !s->item[i].idle) return true;
    return false;
}

/* Is this a step on from the last accepted one? Rows within it, and starts, are not. */
static bool steps_on(const near_list *last, double t) { return last->npair != 0 && t > last->t; }

/* How near the centres of two members come when both go straight on from the last accepted step. */
static double nearest(const view *last, const view *v, int i, int j)
{
    kl_vec3 d  = kl_sub(last->centre[i], last->centre[j]),
            to = kl_sub(kl_sub(v->centre[i], v->centre[j]), d);
    double far = kl_dot(to, to), x = far > 0.0 ? fmin(fmax(-kl_dot(d, to) / far, 0.0), 1.0) : 0.0;
    return kl_norm(kl_axpy(x, to, d));
}

/* Does a pair come much nearer within the step than at both its ends? Only members that moved by more
 * than half the margin can. */
static bool tunnels(const group *g, const view *last, const view *v)
{
    double far = 0.25 * g->margin * g->margin;
    for (int i = 0; i < g->n; i++) {
        kl_vec3 d = kl_sub(v->centre[i], last->centre[i]);
        if (kl_dot(d, d) < far) continue;
        for (int j = 0; j < g->n; j++) {
            bool   forward;
            double sum = g->ball[g->side[i] & 1 ? 0 : 1] + g->ball[g->side[j] & 1 ? 0 : 1];
            if (i == j || isinf(sum) || !meets(g, i, j, &forward)) continue;
            double ends = fmin(kl_norm(kl_sub(last->centre[i], last->centre[j])),
                               kl_norm(kl_sub(v->centre[i], v->centre[j])));
            if (nearest(last, v, i, j) < fmin(ends, sum) - 0.5 * g->margin) return true;
        }
    }
    return false;
}

static kl_status group_locate(const kl_reading *in, void *cache)
{
    const group *g = in->data;
    view         v = view_of(g, cache), last = view_of(g, in->accepted);
    bool         on = in->accepted && steps_on(last.list, in->t);
    fill_centres(g, in->m, v.centre);
    v.list->t  = in->t;
    bool valid = in->accepted && still_valid(g, &last, v.centre);
    /* with an empty list that is valid at both ends, no pair can have met between them either */
    if (on && !(valid && last.list->npair < 0) && tunnels(g, &last, &v)) return KL_RETRY;
    if (valid) {
        int n        = last.list->npair;
        v.list->room = last.list->room;
        memcpy(v.from, last.from, (size_t)g->n * sizeof *v.from);
        if (n > 0) memcpy(v.pair, last.pair, (size_t)n * sizeof *v.pair);
        v.list->npair = n;
    } else {
        v.list->npair = sweep(g, &v);
    }
    for (int k = 0; k < v.list->npair; k++) {
        near_pair *p = &v.pair[k];
        kl_motion  m[2];
        p->place       = find_place(g, in->h, p);
        kl_reading one = reading_of(in, p, m, NULL, NULL);
        KL_TRY(kl_contact_locate(&one, &v.found[k]));
        if (p->place < 0 && on && touches(&v.found[k].spots)) return KL_RETRY;
    }
    return KL_OK;
}

/* No pair is near: nothing asks for the velocities of the members. */
static bool group_asleep(const kl_reading *in)
{
    const group *g = in->data;
    return g->c.laws.normal.kind != KL_NORMAL_INDENTATION && view_of(g, in->cache).list->npair < 0;
}

/* ---- each pair in the pool ---- */

typedef struct walk {
    const group *g;
    view         v;
    int          k, place; /* near pair, its place in the pool */
    kl_motion    m[2];
} walk;

static walk begin(const kl_reading *in)
{
    return (walk){.g = in->data, .v = view_of(in->data, in->cache), .k = -1};
}

/* The next near pair that is in the pool, as a reading of its own; false: no more. */
static bool next(walk *w, const kl_reading *in, kl_reading *one)
{
    while (++w->k < w->v.list->npair) {
        const near_pair *p = &w->v.pair[w->k];
        w->place           = find_place(w->g, in->h, p);
        if (w->place < 0) continue;
        *one = reading_of(in, p, w->m, place_of(w->g, in->h, w->place) + PLACE_HEAD,
                          &w->v.found[w->k]);
        return true;
    }
    return false;
}

static kl_status group_eval(const kl_reading *in, kl_writing *out)
{
    walk       w = begin(in);
    kl_reading one;
    while (next(&w, in, &one)) {
        double     wrench[12] = {0};
        kl_writing to         = {.wrench = wrench};
        if (!touches(&w.v.found[w.k].spots)) continue;
        KL_TRY(kl_contact_eval(&one, &to));
        const near_pair *p = &w.v.pair[w.k];
        for (int c = 0; c < 6; c++) {
            out->wrench[6 * p->i + c] += wrench[c];
            out->wrench[6 * p->j + c] += wrench[6 + c];
        }
        out->energy += to.energy, out->loss += to.loss, out->spent += to.spent;
    }
    return KL_OK;
}

/* The k-th near pair that touches; false: there is none. */
static bool touching(const kl_reading *in, int k, walk *w, kl_reading *one)
{
    *w = begin(in);
    while (next(w, in, one))
        if (touches(&w->v.found[w->k].spots) && k-- == 0) return true;
    return false;
}

static bool group_link(const kl_reading *in, int k, kl_link *out)
{
    walk       w;
    kl_reading one;
    if (!touching(in, k, &w, &one)) return false;
    *out = (kl_link){.n = 2, .marker = {w.v.pair[w.k].i, w.v.pair[w.k].j}};
    return true;
}

static void group_link_tangent(const kl_reading *in, int k, kl_slopes *out)
{
    walk       w;
    kl_reading one;
    if (touching(in, k, &w, &one)) kl_contact_tangent(&one, NULL, out);
}

/* Without links, for all markers: differences and tests ask so. */
static void group_tangent(const kl_reading *in, const double *lambda, kl_slopes *out)
{
    const group *g    = in->data;
    int          wide = 6 * g->n;
    walk         w    = begin(in);
    kl_reading   one;
    (void)lambda;
    while (next(&w, in, &one)) {
        double    K[144] = {0}, C[144] = {0};
        kl_slopes t    = {.K = K, .C = C};
        int       at[] = {6 * w.v.pair[w.k].i, 6 * w.v.pair[w.k].j};
        kl_contact_tangent(&one, NULL, &t);
        for (int r = 0; r < 12; r++)
            for (int c = 0; c < 12; c++) {
                int to = (at[r / 6] + r % 6) * wide + at[c / 6] + c % 6;
                out->K[to] += K[12 * r + c];
                out->C[to] += C[12 * r + c];
            }
    }
}

static int events_of(const group *g) { return kl_contact_events(&g->c); }

static void group_crossings(const kl_reading *in, kl_crossing *out)
{
    const group *g = in->data;
    int          n = events_of(g);
    walk         w = begin(in);
    kl_reading   one;
    for (int k = 0; k < g->pool * n; k++)
        out[k] = (kl_crossing){.value = (double)NAN, .rate = (double)NAN};
    while (next(&w, in, &one)) kl_contact_crossings(&one, out + w.place * n);
}

/* ---- the pool ---- */

/* Frees the places of pairs that are near no more. */
static void leave(const group *g, const view *v, double *h)
{
    for (int k = 0; k < g->pool; k++) {
        double *p    = h + GROUP_HEAD + k * g->block;
        bool    stay = p[FIRST] == 0.0;
        for (int i = 0; i < v->list->npair && !stay; i++) stay = is_at(g, h, &v->pair[i], k);
        if (stay) continue;
        h[GONE_LOST] += p[PLACE_HEAD + KL_CONTACT_LOST];
        h[GONE_IMPACTS] += p[PLACE_HEAD + KL_CONTACT_IMPACTS];
        memset(p, 0, (size_t)g->block * sizeof *p);
    }
}

static int free_place(const group *g, const double *h)
{
    for (int k = 0; k < g->pool; k++)
        if (place_of(g, h, k)[FIRST] == 0.0) return k;
    return -1;
}

/* Gives each near pair without one a place; the cache learns of it, for crossings ask next. */
static void enter(const group *g, const kl_reading *in, view *v, double *h)
{
    for (int i = 0; i < v->list->npair; i++) {
        near_pair *p = &v->pair[i];
        p->place     = find_place(g, h, p);
        if (p->place >= 0) continue;
        int k = free_place(g, h);
        if (k < 0) {
            h[FULL] = 1.0;
            return;
        }
        double   *own = h + GROUP_HEAD + k * g->block;
        kl_motion m[2];
        own[FIRST] = p->i + 1.0, own[SECOND] = p->j + 1.0;
        own[PLACE_HEAD + KL_CONTACT_LAST_TIME] = in->t;
        kl_reading one = reading_of(in, p, m, own + PLACE_HEAD, &v->found[i]);
        kl_contact_commit(&one, own + PLACE_HEAD);
        p->place = k;
    }
}

static void group_commit(const kl_reading *in, double *h)
{
    const group *g = in->data;
    walk         w = begin(in);
    kl_reading   one;
    while (next(&w, in, &one))
        kl_contact_commit(&one, h + GROUP_HEAD + w.place * g->block + PLACE_HEAD);
    leave(g, &w.v, h);
    enter(g, in, &w.v, h);
}

static kl_status group_start(const kl_reading *in, const kl_setup *s, kl_element_start *out)
{
    const group *g = in->data;
    view         v = view_of(g, in->cache);
    (void)s;
    enter(g, in, &v, out->h);
    for (int k = 0; k < g->pool; k++)
        out->h[GROUP_HEAD + k * g->block + PLACE_HEAD + KL_CONTACT_IMPACTS] = 0.0;
    return KL_OK;
}

/* ---- setting up and outputs ---- */

/* Both shapes of a body that belongs to both groups are in one ball. */
static void measure_shapes(group *g)
{
    bool both = false;
    for (int i = 0; i < g->n; i++) both |= g->side[i] == 3;
    for (int s = 0; s < 2; s++) {
        const kl_solid *solid = &g->c.shapes.item[s];
        kl_vec3         c;
        g->ball[s]   = kl_contact_reach(solid, &c);
        g->middle[s] = kl_add(solid->pose.r, kl_mul(&solid->pose.A, c));
    }
    if (!both) return;
    double apart = kl_norm(kl_sub(g->middle[1], g->middle[0]));
    g->ball[0]   = fmax(g->ball[0], g->ball[1] + apart);
    g->ball[1]   = g->ball[0];
    g->middle[1] = g->middle[0];
}

/* Pairs whose balls are near each other at the start. */
static int count_initial_candidates(const group *g, const kl_motion *m, int n)
{
    int count = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++) {
            bool    forward;
            int     a = g->side[i] & 1 ? 0 : 1, b = g->side[j] & 1 ? 0 : 1;
            kl_vec3 d     = kl_sub(kl_add(m[i].r, kl_mul(&m[i].A, g->middle[a])),
                                   kl_add(m[j].r, kl_mul(&m[j].A, g->middle[b])));
            double  reach = g->ball[a] + g->ball[b] + 2.0 * g->margin;
            count += meets(g, i, j, &forward) && kl_dot(d, d) < reach * reach;
        }
    return count;
}

static kl_status group_setup(void *data, const kl_setup *s, const kl_motion *m, int nmarker,
                             kl_element_size *size)
{
    group          *g   = data;
    kl_element_size one = {0};
    int             a = -1, b = -1;
    bool            forward;
    if (g->c.shapes.n != 2) return KL_E_MODEL; /* already reported */
    for (int i = 0; i < nmarker && a < 0; i++)
        for (int j = 0; j < nmarker && a < 0; j++)
            if (i != j && meets(g, i, j, &forward) && forward) a = i, b = j;
    if (a < 0)
        return kl_fail(s->diag, KL_E_MODEL, s->place,
                       "contact '%s': the groups have no two different bodies; give each at least "
                       "one body",
                       s->name);
    kl_motion two[2] = {m[a], m[b]};
    g->c.point       = KL_CONTACT_MIDDLE;
    KL_TRY(kl_contact_setup(&g->c, s, two, 2, &one));
    if (one.nz > 0)
        return kl_fail(s->diag, KL_E_MODEL, s->place,
                       "contact '%s': friction lugre needs a state for every contact point and is "
                       "not available in a group; choose stick-slip or stribeck",
                       s->name);
    g->margin = isinf(g->c.reach) ? 1e-2 : 0.2 * g->c.reach;
    measure_shapes(g);
    for (int k = 0; k < 2; k++) g->central[k] = kl_norm(g->middle[k]) == 0.0;
    int all = nmarker * (nmarker - 1) / 2;
    g->pool =
        isnan(g->pairs) ? nmarker + 8 + 3 * count_initial_candidates(g, m, nmarker) : (int)g->pairs;
    if (g->pool > all) g->pool = all;
    g->block = PLACE_HEAD + one.nh;
    view   v;
    size_t kept;
    size->cache          = lay_out(g, NULL, &v, &kept);
    size->buffer         = size->cache - kept;
    size->nh             = GROUP_HEAD + g->pool * g->block;
    size->nevent         = g->pool * events_of(g);
    size->path_dependent = kl_contact_remembers_path(&g->c);
    return KL_OK;
}

static void group_output(const kl_reading *in, const double *lambda, double *out)
{
    walk   w    = begin(in);
    double lost = in->h[GONE_LOST], impacts = in->h[GONE_IMPACTS], normal = 0.0, gap = w.g->margin;
    int    pairs = 0, near = 0;
    kl_reading one;
    while (next(&w, in, &one)) {
        double v[KL_CONTACT_OUTPUTS];
        kl_contact_output(&one, lambda, v);
        gap = fmin(gap, v[0]), normal += v[2], pairs += v[18] > 0.0, near++;
        lost += one.h[KL_CONTACT_LOST], impacts += one.h[KL_CONTACT_IMPACTS];
    }
    const double values[] = {gap, fmax(0.0, -gap), normal, lost, impacts, pairs, near};
    memcpy(out, values, sizeof values);
}

static void group_watch(const kl_reading *in, kl_notice *notice)
{
    const group *g = in->data;
    notice->stop   = in->h[FULL] != 0.0;
    snprintf(notice->text, sizeof notice->text,
             "has more than %d pairs near each other; give the contact a larger `pairs`", g->pool);
}

bool kl_contact_group_spots(const kl_reading *in, int k, int marker[2], kl_spots *out)
{
    const group *g = in->data;
    view         v = view_of(g, in->cache);
    if (k >= v.list->npair) return false;
    marker[0] = v.pair[k].i, marker[1] = v.pair[k].j;
    kl_motion m[2] = {in->m[marker[0]], in->m[marker[1]]};
    kl_contact_find(&g->c, m, NULL, out);
    return true;
}

static const kl_key group_keys[] = {
    {.name   = "shapes",
     .kind   = KL_KEY_SHAPES,
     .offset = offsetof(kl_contact_data, shapes),
     .help   = "shape of the bodies of each group: [{sphere: 50 mm}, plane]"},
    KL_CONTACT_LAW_KEYS,
    {.name     = "pairs",
     .kind     = KL_KEY_NUMBER,
     .offset   = offsetof(group, pairs),
     .unit     = "1",
     .fallback = "",
     .min      = 1,
     .max      = 1000,
     .help     = "largest number of pairs near each other at once (default: one for each body and "
                 "three times "
                 "those at the start)"},
    {0}};

static const kl_output group_outputs[] = {
    {"gap", "m", "smallest distance of all near pairs; negative: penetration"},
    {"penetration", "m", "largest depth, 0 while open"},
    {"normal", "N", "sum of the normal forces"},
    {"lost", "J", "energy dissipated so far"},
    {"impacts", "1", "number of impacts so far"},
    {"pairs", "1", "pairs in contact"},
    {"near", "1", "pairs that are near each other"},
    {0}};

const kl_element_type kl_contact_group = {
    .name     = "contact-group",
    .help     = "contact between all bodies of two groups",
    .equation = "F = -N(d, d') n + T(u, N) for each pair",
    .example =
        "heap: {type: contact-group, between: [[a, b, c], [a, b, c]], shapes: [{sphere: 50 mm}, "
        "{sphere: 50 mm}], stiffness: 1 MN/m, law: linear}",
    .too_stiff    = KL_CONTACT_TOO_STIFF,
    .keys         = group_keys,
    .outputs      = group_outputs,
    .attach       = &kl_attach_groups,
    .data_size    = sizeof(group),
    .setup        = group_setup,
    .start        = group_start,
    .locate       = group_locate,
    .asleep       = group_asleep,
    .eval         = group_eval,
    .tangent      = group_tangent,
    .link         = group_link,
    .link_tangent = group_link_tangent,
    .crossings    = group_crossings,
    .commit       = group_commit,
    .output       = group_output,
    .watch        = group_watch};
