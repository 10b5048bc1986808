#include "railway/touch_search.h"

#include "railway/contact_trace.h"

enum { BLOCK = 8, STRIDE = 4 };

/* ---- all contacts ---- */

/* Largest curvature of the rail between two of its pieces, and somewhat beyond, where it is convex. */
static double convex_between(const kl_trace_data *f, int i, int j)
{
    int    first = (i < j ? i : j) / KL_RAIL_BLOCK, last = (i < j ? j : i) / KL_RAIL_BLOCK;
    double most = f->rail_block[first];
    for (int k = first + 1; k <= last; k++)
        if (f->rail_block[k] > most) most = f->rail_block[k];
    return most;
}

/* Upper bound of the penetration between two points of the trace. Along it d'' is the rail's
 * curvature less that of the wheel, so d lies less than K h^2/8 above the straight line. The trace
 * rises without end where the flange's back is steeper than the yaw allows: nothing touches there. */
static bool may_touch(const kl_trace_found *q, const kl_trace_node *a, const kl_trace_node *b,
                      double bend)
{
    double dy = b->p.y - a->p.y, dz = b->p.z - a->p.z, hh = dy * dy + dz * dz;
    double top = a->d > b->d ? a->d : b->d;
    if (hh > 0.05 * 0.05) return a->p.cos > 0.0 && b->p.cos > 0.0;
    if (top + 0.14 * (bend + q->f->rail_convex) * hh <= -q->margin) return false;
    return top + 0.14 * (bend + convex_between(q->f, a->foot.i, b->foot.i)) * hh > -q->margin;
}

/* Bounds of the rate of f by length between two places: the rail's curvature less that of the trace,
 * which yaw makes smaller than the profile's by kxy^2/kxx (contact_trace.c). */
static kl_trace_bend rates_between(const kl_trace_found *q, const kl_trace_node *a,
                                   const kl_trace_node *b)
{
    const kl_trace_data  *f     = q->f;
    int                   begin = (int)a->w, end = (int)b->w;
    const kl_trace_joint *j     = &f->joint[f->joint[end].nr < f->joint[begin].nr ? end : begin];
    int                   first = a->foot.i < b->foot.i ? a->foot.i : b->foot.i;
    int                   last  = a->foot.i < b->foot.i ? b->foot.i : a->foot.i;
    kl_trace_bend         r = f->rail_bend[first], w = f->wheel_bend[begin];
    for (int i = begin + 1; i < end; i++) {
        const kl_trace_bend *n = &f->wheel_bend[i];
        if (n->low < w.low) w.low = n->low;
        if (n->high > w.high) w.high = n->high;
    }
    /* nearest pieces are known from a grid: one more on each side */
    if (first > 0) first--;
    if (last < f->rail->n - 1) last++;
    for (int i = first; i <= last; i++) { /* fmin and fmax are calls */
        const kl_trace_bend *n = &f->rail_bend[i];
        if (n->low < r.low) r.low = n->low;
        if (n->high > r.high) r.high = n->high;
    }
    double kc = fmax(j->nr, 0.05) / j->r, turn = q->s.yaw / fmax(j->nr, 0.05);
    double cross = turn * (fabs(w.low) + fabs(w.high) + kc);
    return (kl_trace_bend){r.low - w.high - 0.03 * fabs(w.high) - 0.03,
                           r.high - w.low + 0.03 * fabs(w.low) + 1.2 * cross * cross / kc + 0.03};
}

/* May f pass through zero downward between two places where it does not do so at the ends? It begins at
 * a and ends at b, and its rate stays between two bounds m < 0 < M: from a positive value it may go down
 * with m and up with M, from a negative one the other way about. */
static bool may_turn(const kl_trace_found *q, const kl_trace_node *a, const kl_trace_node *b)
{
    kl_trace_bend k = rates_between(q, a, b);
    if (k.low >= 0.0 || k.high <= 0.0) return false;
    double dy = b->p.y - a->p.y, dz = b->p.z - a->p.z;
    double reach = k.low * k.high * 1.1 * sqrt(dy * dy + dz * dz);
    if (a->f > 0.0 && b->f > 0.0) return k.high * a->f - k.low * b->f + reach <= 0.0;
    if (a->f <= 0.0 && b->f <= 0.0) return k.high * b->f - k.low * a->f - reach > 0.0;
    return true;
}

/* The root between a (f > 0) and b (f <= 0): Newton's method from where the line through both ends is
 * zero, and where that leaves the interval the safe method. */
static kl_trace_node root_between(const kl_trace_found *q, const kl_trace_node *a,
                                  const kl_trace_node *b)
{
    double        x = a->f / (a->f - b->f);
    kl_trace_node n = {.w = a->w + x * (b->w - a->w), .foot = x < 0.5 ? a->foot : b->foot};
    if (kl_trace_newton(q->f, &q->s, q->pose, &n) && n.w >= a->w && n.w <= b->w) return n;
    return kl_trace_root(q->f, &q->s, *a, *b);
}

/* Between two neighbouring joints the rate f may pass through zero twice; then the middle is looked
 * at. */
static void between(kl_trace_found *q, const kl_trace_node *a, const kl_trace_node *b, int level)
{
    if (a->f > 0.0 && b->f <= 0.0) {
        kl_trace_accept(q, root_between(q, a, b));
        return;
    }
    if (level == 0 || !may_touch(q, a, b, q->f->wheel_bend[(int)a->w].high)) return;
    if (!may_turn(q, a, b)) return;
    double         w   = 0.5 * (a->w + b->w);
    kl_trace_joint j   = kl_trace_joint_at(q->f, kl_trace_place(q->f, w));
    kl_trace_node  mid = {.w = w, .foot = a->foot, .p = kl_trace_at(&q->s, &j)};
    kl_trace_look(q->f, &mid);
    between(q, a, &mid, level - 1);
    between(q, &mid, b, level - 1);
}

/* The ends of the wheel's outline are edges: they may dig in, too. */
static void edge(kl_trace_found *q, const kl_trace_node *n, int outward)
{
    if (outward * n->f <= 0.0 || n->d <= -q->margin || n->p.cos <= 0.0) return;
    kl_touch t = kl_trace_edge(q->f, &q->s, n);
    if (n->p.ny * t.normal.y + n->p.nz * t.normal.z > 0.0) return;
    kl_trace_keep(q, &t);
}

/* A joint of the outline with a bound of its penetration. Written in place: copies of so large a struct
 * right after its fields are written were measured to cost more than all the rest. */
static inline void glance(const kl_trace_found *q, int i, kl_trace_node *n)
{
    const kl_trace_data *f = q->f;
    n->w                   = i;
    n->f                   = NAN;
    kl_trace_point_at(&q->s, &f->joint[i], &n->p);
    n->d      = kl_distance_bound(&f->grid, n->p.y, n->p.z, &n->foot.i);
    n->foot.t = 0.5;
}

static void swap(kl_trace_node **a, kl_trace_node **b)
{
    kl_trace_node *c = *a;
    *a = *b, *b = c;
}

static void look(const kl_trace_data *f, kl_trace_node *n)
{
    if (isnan(n->f)) kl_trace_look(f, n);
}

static bool any(const unsigned char *flag, int first, int last)
{
    for (int i = first; i <= last; i++)
        if (flag[i]) return true;
    return false;
}

/* Does the tangent of an outline jump between two joints, and f with it? */
static bool has_corner(const kl_trace_data *f, const kl_trace_node *a, const kl_trace_node *b)
{
    int first = (a->foot.i < b->foot.i ? a->foot.i : b->foot.i) - 1;
    int last  = (a->foot.i < b->foot.i ? b->foot.i : a->foot.i) + 2;
    return any(f->wheel_corner, (int)a->w + 1, (int)b->w - 1) ||
           any(f->rail_corner, first > 0 ? first : 0, last < f->rail->n ? last : f->rail->n - 1);
}

/* Is there no contact between joint a and STRIDE further, b? Then f does not pass through zero downward. */
static bool strides(const kl_trace_found *q, kl_trace_node *a, int to, kl_trace_node *b)
{
    const kl_trace_data *f = q->f;
    if (a->w == 0.0 || to >= f->njoint - 1) return false; /* edges have contacts of their own */
    glance(q, to, b);
    if (!(a->p.cos > 0.0 && b->p.cos > 0.0)) return false;
    look(f, a), look(f, b);
    return !has_corner(f, a, b) && !(a->f > 0.0 && b->f <= 0.0) && !may_turn(q, a, b);
}

/* Follows the trace through a block. *a is its first joint, on return its last; *b is scratch. */
static void walk(kl_trace_found *q, const kl_trace_block *k, kl_trace_node **a, kl_trace_node **b)
{
    const kl_trace_data *f = q->f;
    for (int i = k->first + 1; i <= k->last; i++, swap(a, b)) {
        if ((i - k->first) % STRIDE == 1 && i + STRIDE - 1 <= k->last &&
            strides(q, *a, i + STRIDE - 1, *b)) {
            i += STRIDE - 1;
            continue;
        }
        glance(q, i, *b);
        if (!may_touch(q, *a, *b, f->wheel_bend[i - 1].high)) continue;
        look(f, *a), look(f, *b);
        between(q, *a, *b, 4);
        if (i == 1) edge(q, *a, -1);
        if (i == f->njoint - 1) edge(q, *b, 1);
    }
}

void kl_touch_find_between(kl_trace_found *q, int first, int last)
{
    kl_trace_block part = {.first = first, .last = last};
    kl_trace_node  node[2], *a = &node[0], *b = &node[1];
    glance(q, first, a);
    walk(q, &part, &a, &b);
}

int kl_touch_find(const void *data, const kl_wheel_pose *pose, double margin, double *warm,
                  kl_touch *touch)
{
    const kl_trace_data *f = data;
    kl_trace_found       q = {
              .f = f, .pose = pose, .s = kl_trace_stand_of(pose), .margin = margin, .touch = touch};
    kl_trace_node node[3], *a = &node[0], *b = &node[1], *last = &node[2];
    (void)warm;
    glance(&q, 0, a);
    for (int k = 0; k < f->nblock; k++) {
        const kl_trace_block *part = &f->block[k];
        glance(&q, part->last, last);
        if (may_touch(&q, a, last, part->bend)) walk(&q, part, &a, &b);
        else swap(&a, &last);
    }
    kl_trace_valleys(f, pose, touch, q.n);
    return q.n;
}

/* ---- preparation ---- */

static void fill_blocks(kl_trace_data *f)
{
    for (int k = 0; k < f->nblock; k++) {
        kl_trace_block *b = &f->block[k];
        *b                = (kl_trace_block){.first = k * BLOCK};
        b->last           = b->first + BLOCK < f->njoint ? b->first + BLOCK : f->njoint - 1;
        for (int i = b->first; i < b->last; i++) b->bend = fmax(b->bend, f->wheel_bend[i].high);
    }
}

/* Blocks reach four pieces further on each side: nearest pieces are known from a grid only. */
static void fill_rail_blocks(kl_trace_data *f)
{
    for (int k = 0; k * KL_RAIL_BLOCK < f->rail->n; k++)
        for (int i = k * KL_RAIL_BLOCK - 4; i < (k + 1) * KL_RAIL_BLOCK + 4; i++)
            if (i >= 0 && i < f->rail->n)
                f->rail_block[k] = fmax(f->rail_block[k], -f->rail_bend[i].low);
}

static void fill_bends(const kl_outline *o, kl_trace_bend *bend)
{
    for (int i = 0; i < o->n; i++) {
        bend[i] = (kl_trace_bend){INFINITY, -INFINITY};
        for (int e = 0; e < 5; e++) {
            double k = kl_outline_at(o, (kl_outline_place){i, 0.25 * e}).curvature;
            bend[i]  = (kl_trace_bend){fmin(bend[i].low, k), fmax(bend[i].high, k)};
        }
    }
}

/* Profiles of published formulas have tangents that jump by 1e-4 where their parts meet. */
static void find_corners(const kl_outline *o, unsigned char *corner)
{
    const double jump = 1e-8;
    for (int i = 1; i < o->n; i++) {
        kl_outline_point a = kl_outline_at(o, (kl_outline_place){i - 1, 1.0}),
                         b = kl_outline_at(o, (kl_outline_place){i, 0.0});
        corner[i]          = fabs(a.ty * b.tz - a.tz * b.ty) > jump;
    }
}

/* Outermost place between the flange tip and the running circle that lies 10 mm below the latter. */
static double flange_face(const kl_outline *wheel, double tip)
{
    const double level = -0.010;
    double       face  = NAN;
    for (int i = 0; i < wheel->n; i++) {
        kl_outline_rates a = kl_outline_rates_at(wheel, (kl_outline_place){i, 0.0});
        kl_outline_rates b = kl_outline_rates_at(wheel, (kl_outline_place){i, 1.0});
        if (a.y < tip || b.y > 0.0 || (a.z < level) == (b.z < level)) continue;
        face = a.y + (b.y - a.y) * (level - a.z) / (b.z - a.z);
    }
    return face;
}

/* The flange begins, seen from the tread, where the outline is steeper than 30 degrees. */
static void find_flange(kl_trace_data *f, double *height, double *face)
{
    kl_outline_rates tip = kl_outline_rates_at(f->wheel, kl_outline_extreme(f->wheel, -1));
    f->tip_u = f->flange_u = -INFINITY;
    *height                = fmax(0.0, -tip.z);
    *face                  = flange_face(f->wheel, tip.y);
    for (int i = 0; i < f->njoint; i++) {
        const kl_trace_joint *j = &f->joint[i];
        if (j->u > tip.y && j->u < 0.0 && j->nu > 0.5) f->tip_u = tip.y, f->flange_u = j->u;
    }
}

kl_status kl_touch_search_create(const kl_outline *wheel, double radius, const kl_outline *rail,
                                 double rail_shift_y, kl_arena *arena, kl_contact_search *out)
{
    kl_trace_data *f = kl_arena_array(arena, kl_trace_data, 1);
    if (!f) return KL_E_MEMORY;
    *f = (kl_trace_data){.wheel = wheel, .rail = rail, .r0 = radius, .rail_shift = rail_shift_y};
    f->njoint = wheel->n + 1, f->nblock = (wheel->n + BLOCK - 1) / BLOCK;
    f->joint        = kl_arena_array(arena, kl_trace_joint, f->njoint);
    f->block        = kl_arena_array(arena, kl_trace_block, f->nblock);
    f->wheel_bend   = kl_arena_array(arena, kl_trace_bend, wheel->n);
    f->rail_bend    = kl_arena_array(arena, kl_trace_bend, rail->n);
    f->wheel_corner = kl_arena_array(arena, unsigned char, wheel->n + 1);
    f->rail_corner  = kl_arena_array(arena, unsigned char, rail->n + 1);
    f->rail_block   = kl_arena_array(arena, double, rail->n / KL_RAIL_BLOCK + 1);
    if (!kl_arena_ok(arena)) return KL_E_MEMORY;
    for (int i = 0; i < f->njoint; i++)
        f->joint[i] = kl_trace_joint_at(f, i < wheel->n ? (kl_outline_place){i, 0.0}
                                                        : (kl_outline_place){i - 1, 1.0});
    *out = (kl_contact_search){
        .data = f, .nwarm = 0, .find = kl_touch_find, .follow = kl_trace_follow, .radius = radius};
    find_flange(f, &out->flange_height, &out->flange_face);
    fill_bends(wheel, f->wheel_bend);
    fill_bends(rail, f->rail_bend);
    find_corners(wheel, f->wheel_corner);
    find_corners(rail, f->rail_corner);
    fill_blocks(f);
    fill_rail_blocks(f);
    for (int i = 0; i < rail->n; i++) f->rail_convex = fmax(f->rail_convex, -f->rail_bend[i].low);
    return kl_distance_grid_create(rail, 0.7e-3, arena, &f->grid);
}
