#include "railway/touch_table.h"

#include <string.h>

#include "railway/contact_trace.h"
#include "railway/touch_search.h"

enum { NV = 97, NROLL = 13, NYAW = 5, SEEDS = 4 };

static const double V_MOST = 12e-3, ROLL_MOST = 12e-3, YAW_MOST = 24e-3;
/* gap up to which a contact is noted, and penetration up to which the table is good [m] */
static const double NOTED = 0.6e-3, DEEP = 0.4e-3;

typedef struct seed {
    float wheel, rail; /* places on the outlines, piece + t; negative: none */
} seed;

typedef struct table {
    const kl_trace_data     *f;
    const kl_contact_search *full;
    double                   v0;
    seed (*seeds)[SEEDS]; /* NV NROLL NYAW */
} table;

/* Lateral position of the wheel's lowest point, roll and yaw: what contacts depend on beside height. */
static void place_of(const table *t, const kl_wheel_pose *pose, double out[3])
{
    out[0] = pose->center.y + t->f->r0 * pose->axle.z - t->v0;
    out[1] = pose->axle.z;
    out[2] = pose->axle.x;
}

static int cell(double x, double most, int n, double *t)
{
    double u = (x + most) / (2.0 * most) * (n - 1);
    int    i = (int)u;
    if (i > n - 2) i = n - 2;
    *t = u - i;
    return i;
}

/* ---- finding ---- */

/* From n uphill, piece by piece, until f changes its sign; then the root between. */
static bool climb(const kl_trace_found *q, kl_trace_node *n)
{
    for (int k = 0; k < 12; k++) {
        double w = fmin(fmax(n->w + (n->f > 0.0 ? 1.0 : -1.0), 0.0), q->f->wheel->n);
        if (w == n->w || n->p.cos <= 0.0) return false;
        kl_trace_node next = kl_trace_node_at(q->f, &q->s, w, n->foot), last = *n;
        *n = next;
        if ((next.f > 0.0) == (last.f > 0.0)) continue;
        *n = last.f > 0.0 ? kl_trace_root(q->f, &q->s, last, next)
                          : kl_trace_root(q->f, &q->s, next, last);
        return true;
    }
    return false;
}

/* Newton's method on f(w) = 0 from n; f' = -2 (By - Cxy^2/Ax) by length. */
static bool polish(const kl_trace_found *q, kl_trace_node *n)
{
    const kl_trace_data *f = q->f;
    for (int k = 0; k < 12; k++) {
        if (fabs(n->f) < 1e-11) return true;
        kl_touch t     = {0};
        int      i     = kl_trace_place(f, n->w).i;
        double   speed = f->wheel->s[i + 1] - f->wheel->s[i];
        if (!kl_trace_curvatures(f, &q->s, n, q->pose, &t)) return climb(q, n);
        double step = n->f / (2.0 * (t.By - t.Cxy * t.Cxy / t.Ax) * speed);
        if (!(fabs(step) < 4.0)) return climb(q, n);
        double w = fmin(fmax(n->w + step, 0.0), f->wheel->n);
        if (w == n->w) return false;
        *n = kl_trace_node_at(f, &q->s, w, n->foot);
    }
    return fabs(n->f) < 1e-6;
}

/* Is `w` on the slope that leads to a root already found? */
static bool leads_to(const double *roots, int n, const kl_trace_node *at)
{
    for (int k = 0; k < n; k++) {
        double way = roots[k] - at->w;
        if (fabs(way) < 1e-3 || (fabs(way) < 8.0 && way * at->f > 0.0)) return true;
    }
    return false;
}

static void try_seed(kl_trace_found *q, const seed *s, double *roots, int *nroot)
{
    int           i = (int)s->rail < q->f->rail->n ? (int)s->rail : q->f->rail->n - 1;
    kl_trace_node n =
        kl_trace_node_at(q->f, &q->s, (double)s->wheel, (kl_outline_place){i, (double)s->rail - i});
    if (*nroot == KL_TOUCH_MOST || leads_to(roots, *nroot, &n)) return;
    if (!polish(q, &n) || leads_to(roots, *nroot, &n)) return;
    roots[(*nroot)++] = n.w;
    kl_trace_accept(q, n);
}

static int table_find(const void *data, const kl_wheel_pose *pose, double margin, double *warm,
                      kl_touch *touch)
{
    const table *t = data;
    double       x[3], at[3], roots[KL_TOUCH_MOST];
    int          nroot = 0;
    place_of(t, pose, x);
    bool outside =
        fabs(x[0]) > V_MOST || fabs(x[1]) > ROLL_MOST || fabs(x[2]) > YAW_MOST || margin > NOTED;
    if (outside) return kl_touch_find(t->f, pose, margin, warm, touch);
    kl_trace_found q = {
        .f = t->f, .pose = pose, .s = kl_trace_stand_of(pose), .margin = margin, .touch = touch};
    int i = cell(x[0], V_MOST, NV, &at[0]), j = cell(x[1], ROLL_MOST, NROLL, &at[1]),
        k          = cell(x[2], YAW_MOST, NYAW, &at[2]);
    int nearest[3] = {at[0] > 0.5, at[1] > 0.5, at[2] > 0.5};
    /* the nearest corner first: its starts are best; and the one across in yaw */
    static const int order[5][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}, {0, 0, 1}};
    for (int c = 0; c < 5; c++) {
        int di = order[c][0] ^ nearest[0], dj = order[c][1] ^ nearest[1],
            dk        = order[c][2] ^ nearest[2];
        const seed *s = t->seeds[((k + dk) * NROLL + j + dj) * NV + i + di];
        for (int m = 0; m < SEEDS && s[m].wheel >= 0.0f; m++) try_seed(&q, &s[m], roots, &nroot);
    }
    /* in the air, or deeper than the table is good for: others may touch */
    if (q.n == 0) return kl_touch_find(t->f, pose, margin, warm, touch);
    for (int m = 0; m < q.n; m++)
        if (touch[m].depth > DEEP) return kl_touch_find(t->f, pose, margin, warm, touch);
    return q.n;
}

/* ---- making ---- */

static kl_wheel_pose pose_at(const table *t, double v, double roll, double yaw)
{
    kl_vec3 a = {yaw, sqrt(1.0 - yaw * yaw - roll * roll), roll};
    return (kl_wheel_pose){.center = {0.0, t->v0 + v - t->f->r0 * roll, t->f->r0}, .axle = a};
}

/* Sets the wheel on its rail with the deepest contact `depth` deep; false: it does not reach it. */
static bool settle(const table *t, kl_wheel_pose *pose, double depth)
{
    for (int k = 0; k < 60; k++) {
        kl_touch touch[KL_TOUCH_MOST], *deepest = touch;
        int      n = 0;
        for (double margin = 1e-3; n == 0 && margin < 0.1; margin *= 8.0)
            n = kl_touch_find(t->f, pose, margin, NULL, touch);
        if (n == 0) return false;
        for (int i = 1; i < n; i++)
            if (touch[i].depth > deepest->depth) deepest = &touch[i];
        double rise = (deepest->depth - depth) / fmax(deepest->normal.z, 0.1);
        pose->center.z += rise;
        if (fabs(rise) < 1e-7) return true;
    }
    return true;
}

static void fill(const table *t, kl_wheel_pose *pose, seed *out)
{
    kl_touch touch[KL_TOUCH_MOST];
    int      n = 0, used = 0;
    for (int m = 0; m < SEEDS; m++) out[m] = (seed){-1.0f, 0.0f};
    if (settle(t, pose, 20e-6)) n = kl_touch_find(t->f, pose, NOTED, NULL, touch);
    /* the deepest first */
    for (; n > 0 && used < SEEDS; used++) {
        int best = 0;
        for (int k = 1; k < n; k++)
            if (touch[k].depth > touch[best].depth) best = k;
        kl_outline_place w =
            kl_outline_nearest(t->f->wheel, touch[best].wheel_u, t->f->r0 - touch[best].radius);
        kl_outline_place r = kl_outline_nearest(t->f->rail, touch[best].rail.y, touch[best].rail.z);
        out[used]          = (seed){(float)(w.i + w.t), (float)(r.i + r.t)};
        touch[best]        = touch[--n];
    }
}

static double spread(int i, int n, double most) { return most * (2.0 * i / (n - 1) - 1.0); }

static double uniform(unsigned *state, double most)
{
    *state = *state * 1664525u + 1013904223u;
    return most * (*state / 2147483648.0 - 1.0);
}

/* Random positions within the range, 0 to 0.15 mm deep: contacts of both ways beside each other. */
static void compare(const table *t, kl_touch_table_error *e)
{
    enum { POSITIONS = 1000 };
    unsigned state = 1;
    *e             = (kl_touch_table_error){.positions = POSITIONS};
    for (int k = 0; k < POSITIONS; k++) {
        kl_touch      a[KL_TOUCH_MOST], b[KL_TOUCH_MOST];
        kl_wheel_pose pose = pose_at(t, uniform(&state, 0.7 * V_MOST),
                                     uniform(&state, 0.7 * ROLL_MOST), uniform(&state, YAW_MOST));
        if (!settle(t, &pose, 75e-6 + uniform(&state, 75e-6))) continue;
        int n = kl_touch_find(t->f, &pose, 0.0, NULL, a), m = table_find(t, &pose, 0.0, NULL, b);
        for (int i = 0; i < n; i++) {
            int j = 0;
            while (j < m && fabs(a[i].wheel_u - b[j].wheel_u) > 1e-5) j++;
            if (j < m) e->depth = fmax(e->depth, fabs(a[i].depth - b[j].depth));
            else if (a[i].depth > 1e-6) e->missed++, e->deepest = fmax(e->deepest, a[i].depth);
        }
    }
}

kl_status kl_touch_table_create(const kl_contact_search *search, double half, kl_arena *arena,
                                kl_contact_search *out, kl_touch_table_error *error)
{
    table *t = kl_arena_array(arena, table, 1);
    if (!t || search->find != kl_touch_find) return t ? KL_E_USAGE : KL_E_MEMORY;
    *t       = (table){.f = search->data, .full = search, .v0 = half};
    t->seeds = kl_arena_take_array(arena, (size_t)NV * NROLL * NYAW, sizeof *t->seeds);
    if (!t->seeds) return KL_E_MEMORY;
    for (int k = 0; k < NYAW; k++)
        for (int j = 0; j < NROLL; j++)
            for (int i = 0; i < NV; i++) {
                kl_wheel_pose pose = pose_at(t, spread(i, NV, V_MOST), spread(j, NROLL, ROLL_MOST),
                                             spread(k, NYAW, YAW_MOST));
                fill(t, &pose, t->seeds[(k * NROLL + j) * NV + i]);
            }
    *out      = *search;
    out->data = t, out->find = table_find;
    compare(t, error);
    return KL_OK;
}
