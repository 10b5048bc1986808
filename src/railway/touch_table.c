#include "railway/touch_table.h"

#include <math.h>

#include "railway/contact_trace.h"
#include "railway/touch_search.h"

enum { NV = 129, NROLL = 7, NYAW = 3, SEEDS = 4 };

/* A wheel that rolls by an angle and moves aside by this times the angle keeps its contacts about: the
 * head of a rail has such a radius [m]. So borders between cells with one and with two contacts lie
 * along the grid. */
static const double HEAD = 0.25;

static const double V_MOST = 12e-3, ROLL_MOST = 6e-3, YAW_MOST = 24e-3;
/* gap up to which a contact is noted, penetration up to which the table is good [m] */
static const double NOTED = 0.3e-3, DEEP = 0.2e-3;
/* pieces by which the places of one contact may differ over a cell; and within which of the tabulated
 * places it lies */
static const double SPREAD = 8.0, NEAR = 2.4;
/* the same of contacts that vanish within a cell */
static const double MOVES = 8.0;
/* pieces between the places of two contacts that are not the same one */
static const double APART = 5.0;

/* Contacts of a position: places on both outlines, piece + t. */
typedef struct corner {
    int   n;
    float wheel[SEEDS], rail[SEEDS];
} corner;

/* Contacts of all corners of a cell that are the same one, or not far from each other: the joints of the
 * wheel between which they lie. */
typedef struct group {
    short       first, last;
    bool        single; /* no corner has two */
    signed char at[8];  /* which contact of each corner; -1: that corner has none */
} group;

typedef struct groups {
    int   n;
    group group[SEEDS];
} groups;

typedef struct table {
    kl_trace_data  f; /* with tabulated distances */
    double         v0;
    corner        *corner; /* NV NROLL NYAW */
    unsigned char *alike;  /* cells whose corners have the same contacts */
    groups        *mixed;  /* of the other cells */
} table;

static int index_of(int i, int j, int k) { return (k * NROLL + j) * NV + i; }

/* Lateral position of the wheel, seen from HEAD below the rail top, roll and yaw: what contacts depend on
 * beside height.
 * Places depend on the square of the yaw: the lead angle lifts the trace by its cosine. */
static void place_of(const table *t, const kl_wheel_pose *pose, double out[3])
{
    double v = pose->center.y + (t->f.r0 + HEAD) * pose->axle.z - t->v0;
    out[0]   = (v + V_MOST) / (2.0 * V_MOST) * (NV - 1);
    out[1]   = (pose->axle.z + ROLL_MOST) / (2.0 * ROLL_MOST) * (NROLL - 1);
    out[2]   = pose->axle.x * pose->axle.x / (YAW_MOST * YAW_MOST) * (NYAW - 1);
}

/* ---- finding ---- */

static const corner *corner_of(const corner *first, int e)
{
    return first + (e & 1) + NV * (e >> 1 & 1) + NV * NROLL * (e >> 2);
}

/* Weight of corner e in an interpolation. */
static double weight_of(const double at[3], const int cell[3], int e)
{
    double weight = 1.0;
    for (int k = 0; k < 3; k++) {
        double x = at[k] - cell[k];
        weight *= e >> k & 1 ? x : 1.0 - x;
    }
    return weight;
}

/* Contacts at the places of a cell whose corners are alike, interpolated. */
static void interpolate(const table *t, const double at[3], const int cell[3], double *wheel,
                        double *rail)
{
    const corner *first = &t->corner[index_of(cell[0], cell[1], cell[2])];
    for (int e = 0; e < 8; e++) {
        const corner *c      = corner_of(first, e);
        double        weight = weight_of(at, cell, e);
        for (int m = 0; m < first->n; m++) {
            wheel[m] += weight * (double)c->wheel[m];
            rail[m] += weight * (double)c->rail[m];
        }
    }
}

/* The section of a bent rail at a place of the wheel, and its x: that of a contact nearby is almost the
 * same. */
static kl_trace_stand section_near(const kl_trace_found *q, double wheel, double *x)
{
    if (!kl_trace_bent(q->pose)) return q->s;
    kl_trace_joint j = kl_trace_joint_at(q->f, kl_trace_place(q->f, wheel));
    kl_trace_point p = kl_trace_at(&q->s, &j);
    *x               = kl_trace_x(&q->s, &j, &p);
    return kl_trace_section(q->pose, *x);
}

/* All contacts near those of a cell whose corners are alike. */
static void from_corners(const table *t, const double at[3], const int cell[3], kl_trace_found *q)
{
    int    n = t->corner[index_of(cell[0], cell[1], cell[2])].n, last = 0;
    double wheel[SEEDS] = {0}, rail[SEEDS] = {0};
    interpolate(t, at, cell, wheel, rail);
    for (int m = 0; m < n; m++) {
        int            i = (int)rail[m], end = t->f.njoint - 1;
        kl_trace_node  node = {.w = wheel[m], .foot = {i, rail[m] - i}};
        double         x    = 0.0;
        kl_trace_stand s    = section_near(q, wheel[m], &x);
        if (kl_trace_newton(q->f, &s, q->pose, &node) && fabs(node.w - wheel[m]) < NEAR &&
            node.w > last) {
            kl_trace_accept_near(q, node, s, x);
            last = (int)node.w + 1;
            continue;
        }
        int first = (int)fmax(floor(wheel[m] - NEAR), last);
        last      = (int)fmin(ceil(wheel[m] + NEAR), end);
        kl_touch_find_between(q, first, last);
    }
}

/* The contact of a group near the places at those corners that have it; false: there is none. */
static bool from_places(const table *t, const double at[3], const int cell[3], const group *g,
                        kl_trace_found *q)
{
    const corner *first = &t->corner[index_of(cell[0], cell[1], cell[2])];
    double        sum = 0.0, wheel = 0.0, rail = 0.0, x = 0.0;
    for (int e = 0; e < 8; e++) {
        if (g->at[e] < 0) continue;
        const corner *c      = corner_of(first, e);
        double        weight = weight_of(at, cell, e);
        sum += weight;
        wheel += weight * (double)c->wheel[g->at[e]];
        rail += weight * (double)c->rail[g->at[e]];
    }
    if (!(sum > 0.0)) return false;
    wheel /= sum, rail /= sum;
    kl_trace_node  node = {.w = wheel, .foot = {(int)rail, rail - (int)rail}};
    kl_trace_stand s    = section_near(q, wheel, &x);
    bool           good = kl_trace_newton(q->f, &s, q->pose, &node);
    if (!good || fabs(node.w - wheel) > NEAR || node.w < g->first || node.w > g->last) return false;
    kl_trace_accept_near(q, node, s, x);
    return true;
}

/* All contacts within the groups of a cell. Some of them are missing at this position, and there may be
 * two in one group: then the trace is followed. */
static void from_groups(const table *t, const double at[3], const int cell[3], kl_trace_found *q)
{
    const groups *g = &t->mixed[index_of(cell[0], cell[1], cell[2])];
    for (int m = 0; m < g->n; m++)
        if (!g->group[m].single || !from_places(t, at, cell, &g->group[m], q))
            kl_touch_find_between(q, g->group[m].first, g->group[m].last);
}

static int table_find(const void *data, const kl_wheel_pose *pose, double margin, double *warm,
                      kl_touch *touch)
{
    const table   *t = data;
    double         at[3];
    kl_trace_found q = {
        .f = &t->f, .pose = pose, .s = kl_trace_stand_of(pose), .margin = margin, .touch = touch};
    place_of(t, pose, at);
    bool inside = at[0] >= 0.0 && at[0] < NV - 1 && at[1] >= 0.0 && at[1] < NROLL - 1 &&
                  at[2] < NYAW - 1 && margin < NOTED;
    if (!inside) return kl_touch_find(&t->f, pose, margin, warm, touch);
    int cell[3] = {(int)at[0], (int)at[1], (int)at[2]}, index = index_of(cell[0], cell[1], cell[2]);
    if (t->alike[index]) from_corners(t, at, cell, &q);
    else from_groups(t, at, cell, &q);
    /* in the air, or deeper than the table is good for: others may touch */
    bool doubtful = q.n == 0;
    for (int m = 0; m < q.n; m++) doubtful |= touch[m].depth > DEEP;
    if (doubtful) return kl_touch_find(&t->f, pose, margin, warm, touch);
    kl_trace_valleys(&t->f, pose, touch, q.n);
    return q.n;
}

static void table_follow(const void *data, const kl_wheel_pose *pose, kl_touch *touch, int n)
{
    const table *t = data;
    kl_trace_follow(&t->f, pose, touch, n);
}

/* ---- making ---- */

static kl_wheel_pose pose_at(double half, double radius, double v, double roll, double yaw)
{
    return (kl_wheel_pose){.center = {0.0, half + v - radius * roll, radius},
                           .axle   = {yaw, sqrt(1.0 - yaw * yaw - roll * roll), roll}};
}

/* Sets the wheel on its rail with the deepest contact `depth` deep. Returns how many contacts are within
 * NOTED then; 0: it does not reach the rail. */
static int settle(const void *f, kl_wheel_pose *pose, double depth, kl_touch *touch)
{
    for (int k = 0; k < 60; k++) {
        double margin = NOTED;
        int    n = kl_touch_find(f, pose, margin, NULL, touch), deepest = 0;
        while (n == 0 && margin < 0.1) n = kl_touch_find(f, pose, margin *= 8.0, NULL, touch);
        if (n == 0) return 0;
        for (int i = 1; i < n; i++)
            if (touch[i].depth > touch[deepest].depth) deepest = i;
        double rise = (touch[deepest].depth - depth) / fmax(touch[deepest].normal.z, 0.1);
        pose->center.z += rise;
        if (fabs(rise) < 1e-6) return margin == NOTED ? n : 0;
    }
    return kl_touch_find(f, pose, NOTED, NULL, touch);
}

static void fill(const table *t, kl_wheel_pose *pose, corner *out)
{
    kl_touch touch[KL_TOUCH_MOST];
    int      n = settle(&t->f, pose, 60e-6, touch);
    out->n     = n <= SEEDS ? n : 0;
    for (int m = 0; m < out->n; m++) {
        out->wheel[m] = (float)touch[m].w;
        out->rail[m]  = (float)touch[m].foot;
    }
}

/* Do all corners of a cell have the same contacts, at places that differ little? */
static bool is_alike(const table *t, int i, int j, int k)
{
    const corner *a = &t->corner[index_of(i, j, k)];
    for (int e = 1; e < 8; e++) {
        const corner *b = &t->corner[index_of(i + (e & 1), j + (e >> 1 & 1), k + (e >> 2))];
        if (b->n != a->n) return false;
        for (int m = 0; m < a->n; m++)
            if (fabs((double)(a->wheel[m] - b->wheel[m])) > SPREAD) return false;
    }
    return a->n > 0;
}

/* A contact of a corner of a cell. */
typedef struct place {
    double wheel;
    int    corner, contact;
} place;

/* Contacts of all corners of a cell, sorted by their places on the wheel. */
static int sorted_contacts(const table *t, int i, int j, int k, place *out)
{
    const corner *first = &t->corner[index_of(i, j, k)];
    int           n     = 0;
    for (int e = 0; e < 8; e++) {
        const corner *c = corner_of(first, e);
        for (int m = 0; m < c->n; m++, n++) {
            int at = n;
            for (; at > 0 && out[at - 1].wheel > (double)c->wheel[m]; at--) out[at] = out[at - 1];
            out[at] = (place){(double)c->wheel[m], e, m};
        }
    }
    return n;
}

/* Contacts that not all corners have vanish in between, and they move quickly just before: such a group
 * reaches MOVES further. Groups end halfway to their neighbours, at the same joint. */
static void widen(const table *t, const double *low, const double *high, groups *g)
{
    int end = t->f.njoint - 1, last = 0;
    for (int m = 0; m < g->n; m++) {
        bool everywhere = true;
        for (int e = 0; e < 8; e++) everywhere &= g->group[m].at[e] >= 0;
        double more       = everywhere ? NEAR : MOVES;
        g->group[m].first = (short)fmax(floor(low[m] - more), last);
        last              = m < g->n - 1 ? (int)(0.5 * (high[m] + low[m + 1])) : end;
        g->group[m].last  = (short)fmin(ceil(high[m] + more), last);
    }
}

/* Groups of contacts that are APART; none when there are too many. */
static void find_groups(const table *t, int i, int j, int k, groups *out)
{
    place  found[8 * SEEDS];
    double low[SEEDS], high[SEEDS];
    int    n = sorted_contacts(t, i, j, k, found);
    *out     = (groups){0};
    for (int m = 0; m < n; m++) {
        bool begins = m == 0 || found[m].wheel - found[m - 1].wheel > APART;
        if (begins && out->n == SEEDS) {
            out->n = 0;
            return;
        }
        if (begins) {
            low[out->n]          = found[m].wheel;
            out->group[out->n++] = (group){.single = true, .at = {-1, -1, -1, -1, -1, -1, -1, -1}};
        }
        group *g         = &out->group[out->n - 1];
        high[out->n - 1] = found[m].wheel;
        g->single &= g->at[found[m].corner] < 0;
        g->at[found[m].corner] = (signed char)found[m].contact;
    }
    for (int m = 0; m < out->n; m++) out->group[m].single &= high[m] - low[m] < SPREAD;
    widen(t, low, high, out);
}

static void fill_all(table *t)
{
    for (int k = 0; k < NYAW; k++)
        for (int j = 0; j < NROLL; j++) {
            /* the next position is about as much higher or lower as the last one was */
            double height = t->f.r0, rise = 0.0;
            for (int i = 0; i < NV; i++) {
                double        roll = ROLL_MOST * (2.0 * j / (NROLL - 1) - 1.0);
                double        v    = V_MOST * (2.0 * i / (NV - 1) - 1.0) - HEAD * roll;
                kl_wheel_pose pose =
                    pose_at(t->v0, t->f.r0, v, roll, YAW_MOST * sqrt((double)k / (NYAW - 1)));
                pose.center.z = height + rise;
                fill(t, &pose, &t->corner[index_of(i, j, k)]);
                if (t->corner[index_of(i, j, k)].n == 0) continue;
                rise   = i > 0 ? pose.center.z - height : 0.0;
                height = pose.center.z;
            }
        }
    for (int k = 0; k < NYAW - 1; k++)
        for (int j = 0; j < NROLL - 1; j++)
            for (int i = 0; i < NV - 1; i++) {
                t->alike[index_of(i, j, k)] = is_alike(t, i, j, k);
                find_groups(t, i, j, k, &t->mixed[index_of(i, j, k)]);
            }
}

kl_status kl_touch_table_create(const kl_contact_search *search, double half, kl_arena *arena,
                                kl_contact_search *out)
{
    table *t = kl_arena_array(arena, table, 1);
    if (!t || search->find != kl_touch_find) return t ? KL_E_USAGE : KL_E_MEMORY;
    *t            = (table){.f = *(const kl_trace_data *)search->data, .v0 = half};
    t->f.by_table = true;
    t->corner     = kl_arena_array(arena, corner, NV * NROLL * NYAW);
    t->mixed      = kl_arena_array(arena, groups, NV * NROLL * NYAW);
    t->alike      = kl_arena_array(arena, unsigned char, NV *NROLL *NYAW);
    if (!kl_arena_ok(arena)) return KL_E_MEMORY;
    fill_all(t);
    *out      = *search;
    out->data = t, out->find = table_find, out->follow = table_follow;
    return KL_OK;
}

/* ---- check ---- */

static double uniform(unsigned *state, double most)
{
    *state = *state * 1664525u + 1013904223u;
    return most * (*state / 2147483648.0 - 1.0);
}

static void compare(kl_touch *a, int n, const kl_touch *b, int m, kl_touch_table_error *e)
{
    kl_touch_shares(a, n);
    for (int i = 0; i < n; i++) {
        int j = 0;
        while (j < m && fabs(a[i].wheel_u - b[j].wheel_u) > 1e-5) j++;
        if (j < m) e->depth = fmax(e->depth, fabs(a[i].depth - b[j].depth));
        else if (a[i].depth > 1e-6) e->missed++, e->lost = fmax(e->lost, a[i].share);
    }
}

void kl_touch_table_check(const kl_contact_search *search, const kl_contact_search *by_table,
                          double half, kl_touch_table_error *e)
{
    enum { POSITIONS = 1000 };
    const table *t     = by_table->data;
    unsigned     state = 1;
    *e = (kl_touch_table_error){.positions = POSITIONS, .distance = t->f.grid.error};
    for (int k = 0; k < POSITIONS; k++) {
        kl_touch      a[KL_TOUCH_MOST], b[KL_TOUCH_MOST];
        double        v = uniform(&state, 8e-3), roll = uniform(&state, 8e-3);
        kl_wheel_pose pose = pose_at(half, search->radius, v, roll, uniform(&state, YAW_MOST));
        if (settle(search->data, &pose, 75e-6 + uniform(&state, 75e-6), a) == 0) continue;
        int n = kl_touches(search, &pose, 0.0, NULL, a);
        compare(a, n, b, kl_touches(by_table, &pose, 0.0, NULL, b), e);
    }
}
