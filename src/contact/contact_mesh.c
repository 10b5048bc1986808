/* The sign of the distance comes from the normal of what is nearest: face, edge (mean of its two
 * faces) or corner (mean weighted by angle), which is right for any closed mesh (Baerentzen and
 * Aanaes 2005). */
#include "contact/contact_mesh.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEAF = 4, DEEP = 64 };

kl_vec3 kl_triangle_nearest(kl_vec3 p, kl_vec3 a, kl_vec3 b, kl_vec3 c, int *where)
{
    kl_vec3 ab = kl_sub(b, a), ac = kl_sub(c, a), ap = kl_sub(p, a);
    double  d1 = kl_dot(ab, ap), d2 = kl_dot(ac, ap);
    if (d1 <= 0.0 && d2 <= 0.0) return *where = 1, a;
    kl_vec3 bp = kl_sub(p, b);
    double  d3 = kl_dot(ab, bp), d4 = kl_dot(ac, bp);
    if (d3 >= 0.0 && d4 <= d3) return *where = 2, b;
    double vc = d1 * d4 - d3 * d2;
    if (vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0) return *where = 4, kl_axpy(d1 / (d1 - d3), ab, a);
    kl_vec3 cp = kl_sub(p, c);
    double  d5 = kl_dot(ab, cp), d6 = kl_dot(ac, cp);
    if (d6 >= 0.0 && d5 <= d6) return *where = 3, c;
    double vb = d5 * d2 - d1 * d6;
    if (vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0) return *where = 6, kl_axpy(d2 / (d2 - d6), ac, a);
    double va = d3 * d6 - d5 * d4;
    if (va <= 0.0 && d4 - d3 >= 0.0 && d5 - d6 >= 0.0)
        return *where = 5, kl_axpy((d4 - d3) / ((d4 - d3) + (d5 - d6)), kl_sub(c, b), b);
    double sum    = va + vb + vc;
    return *where = 0, kl_axpy(vc / sum, ac, kl_axpy(vb / sum, ab, a));
}

/* ---- building ---- */

static void grow(kl_vec3 p, kl_vec3 *low, kl_vec3 *high)
{
    *low  = kl_vec(fmin(low->x, p.x), fmin(low->y, p.y), fmin(low->z, p.z));
    *high = kl_vec(fmax(high->x, p.x), fmax(high->y, p.y), fmax(high->z, p.z));
}

static double along(kl_vec3 p, int axis) { return axis == 0 ? p.x : axis == 1 ? p.y : p.z; }

static kl_vec3 middle(const kl_hull *h, int t)
{
    const int *c = h->corner[t];
    return kl_scale(1.0 / 3.0, kl_add(h->point[c[0]], kl_add(h->point[c[1]], h->point[c[2]])));
}

/* Sorts order[first .. first + count) by the middles along one axis: heap sort, no allocation. */
static void sift_down(const kl_hull *h, int *o, int axis, int root, int n)
{
    for (int child = 2 * root + 1; child < n; root = child, child = 2 * root + 1) {
        if (child + 1 < n &&
            along(middle(h, o[child]), axis) < along(middle(h, o[child + 1]), axis))
            child++;
        if (along(middle(h, o[root]), axis) >= along(middle(h, o[child]), axis)) return;
        int swap = o[root];
        o[root] = o[child], o[child] = swap;
    }
}

static void sort_along(const kl_hull *h, int *o, int n, int axis)
{
    for (int i = n / 2 - 1; i >= 0; i--) sift_down(h, o, axis, i, n);
    for (int i = n - 1; i > 0; i--) {
        int swap = o[0];
        o[0] = o[i], o[i] = swap;
        sift_down(h, o, axis, 0, i);
    }
}

static void split(kl_hull *h, int node, int first, int count)
{
    kl_vec3 low = h->point[h->corner[h->order[first]][0]], high = low;
    for (int i = first; i < first + count; i++)
        for (int k = 0; k < 3; k++) grow(h->point[h->corner[h->order[i]][k]], &low, &high);
    h->node[node] = (kl_hull_node){low, high, first, count};
    if (count <= LEAF) return;
    kl_vec3 size = kl_sub(high, low);
    int     axis = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
    sort_along(h, h->order + first, count, axis);
    int left = h->nnode;
    h->nnode += 2;
    h->node[node].first = left, h->node[node].count = 0;
    split(h, left, first, count / 2);
    split(h, left + 1, first + count / 2, count - count / 2);
}

typedef struct edge {
    int a, b, triangle, side;
} edge;

static int by_points(const void *x, const void *y)
{
    const edge *a = x, *b = y;
    int         alow = a->a < a->b ? a->a : a->b, ahigh = a->a + a->b - alow,
        blow = b->a < b->b ? b->a : b->b, bhigh = b->a + b->b - blow;
    return alow != blow ? (alow < blow ? -1 : 1) : ahigh != bhigh ? (ahigh < bhigh ? -1 : 1) : 0;
}

static kl_status open_mesh(kl_diag *diag, kl_place place, int triangle)
{
    return kl_fail(diag, KL_E_MODEL, place,
                   "the mesh is not closed or has inconsistent orientation at triangle %d; repair "
                   "it with a mesh editor",
                   triangle + 1);
}

/* Every edge must have two triangles that run along it in opposite directions. */
static kl_status join_edges(kl_hull *h, kl_place place, kl_arena *arena, kl_diag *diag)
{
    int   n = 3 * h->ntriangle;
    edge *e = kl_arena_array(arena, edge, n);
    if (!e) return KL_E_MEMORY;
    for (int t = 0; t < h->ntriangle; t++)
        for (int k = 0; k < 3; k++)
            e[3 * t + k] = (edge){h->corner[t][k], h->corner[t][(k + 1) % 3], t, k};
    qsort(e, (size_t)n, sizeof *e, by_points);
    for (int i = 0; i < n; i += 2) {
        if (i + 1 >= n || e[i].a != e[i + 1].b || e[i].b != e[i + 1].a)
            return open_mesh(diag, place, e[i].triangle);
        kl_vec3 mean = kl_unit(kl_add(h->normal[e[i].triangle], h->normal[e[i + 1].triangle]));
        h->edge_normal[e[i].triangle][e[i].side]         = mean;
        h->edge_normal[e[i + 1].triangle][e[i + 1].side] = mean;
    }
    return KL_OK;
}

static kl_status find_normals(kl_hull *h, kl_place place, kl_diag *diag)
{
    for (int t = 0; t < h->ntriangle; t++) {
        const int *c = h->corner[t];
        kl_vec3    n = kl_cross(kl_sub(h->point[c[1]], h->point[c[0]]),
                                kl_sub(h->point[c[2]], h->point[c[0]]));
        if (!(kl_norm(n) > 0.0))
            return kl_fail(diag, KL_E_MODEL, place,
                           "triangle %d of the mesh has no area; remove it with a mesh editor",
                           t + 1);
        h->normal[t] = kl_unit(n);
        for (int k = 0; k < 3; k++) {
            kl_vec3 a             = kl_unit(kl_sub(h->point[c[(k + 1) % 3]], h->point[c[k]])),
                    b             = kl_unit(kl_sub(h->point[c[(k + 2) % 3]], h->point[c[k]]));
            double angle          = atan2(kl_norm(kl_cross(a, b)), kl_dot(a, b));
            h->point_normal[c[k]] = kl_axpy(angle, h->normal[t], h->point_normal[c[k]]);
        }
    }
    return KL_OK;
}

static int by_place(const void *x, const void *y)
{
    const double *a = x, *b = y; /* x, y, z, index */
    for (int i = 0; i < 3; i++)
        if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
    return 0;
}

/* new[i]: number of point i among the different ones */
static kl_status merge(const kl_vec3 *point, int n, kl_hull *h, int *renumber, kl_arena *arena)
{
    double(*row)[4] = kl_arena_take_array(arena, (size_t)n, sizeof *row);
    if (!row) return KL_E_MEMORY;
    for (int i = 0; i < n; i++) {
        row[i][0] = point[i].x + 0.0, row[i][1] = point[i].y + 0.0, row[i][2] = point[i].z + 0.0;
        row[i][3] = i;
    }
    qsort(row, (size_t)n, sizeof *row, by_place);
    for (int i = 0; i < n; i++) {
        if (i == 0 || by_place(row[i - 1], row[i]) != 0) h->point[h->npoint++] = kl_load(row[i]);
        renumber[(int)row[i][3]] = h->npoint - 1;
    }
    return KL_OK;
}

kl_status kl_hull_create(const kl_vec3 *point, int npoint, const int (*corner)[3], int ntriangle,
                         kl_place place, kl_arena *arena, kl_diag *diag, kl_hull **out)
{
    if (ntriangle < 4)
        return kl_fail(diag, KL_E_MODEL, place,
                       "a mesh needs at least 4 triangles, this one has %d", ntriangle);
    kl_hull *h        = kl_arena_array(arena, kl_hull, 1);
    int     *renumber = kl_arena_array(arena, int, npoint);
    if (!kl_arena_ok(arena)) return KL_E_MEMORY;
    h->point        = kl_arena_array(arena, kl_vec3, npoint);
    h->point_normal = kl_arena_array(arena, kl_vec3, npoint);
    h->corner       = kl_arena_take_array(arena, (size_t)ntriangle, sizeof *h->corner);
    h->edge_normal  = kl_arena_take_array(arena, (size_t)ntriangle, sizeof *h->edge_normal);
    h->normal       = kl_arena_array(arena, kl_vec3, ntriangle);
    h->order        = kl_arena_array(arena, int, ntriangle);
    h->node         = kl_arena_array(arena, kl_hull_node, 2 * ntriangle);
    if (!kl_arena_ok(arena)) return KL_E_MEMORY;
    KL_TRY(merge(point, npoint, h, renumber, arena));
    h->ntriangle = ntriangle;
    for (int t = 0; t < ntriangle; t++) {
        h->order[t] = t;
        for (int k = 0; k < 3; k++) h->corner[t][k] = renumber[corner[t][k]];
    }
    KL_TRY(find_normals(h, place, diag));
    KL_TRY(join_edges(h, place, arena, diag));
    h->nnode = 1;
    split(h, 0, 0, ntriangle);
    *out = h;
    return KL_OK;
}

/* ---- queries ---- */

static double box_distance2(const kl_hull_node *b, kl_vec3 p)
{
    double x = fmax(fmax(b->low.x - p.x, p.x - b->high.x), 0.0),
           y = fmax(fmax(b->low.y - p.y, p.y - b->high.y), 0.0),
           z = fmax(fmax(b->low.z - p.z, p.z - b->high.z), 0.0);
    return x * x + y * y + z * z;
}

typedef struct nearest {
    double  d2;
    kl_vec3 foot, n;
} nearest;

static void update_nearest(const kl_hull *h, int t, kl_vec3 p, nearest *best)
{
    const int *c = h->corner[t];
    int        where;
    kl_vec3    f = kl_triangle_nearest(p, h->point[c[0]], h->point[c[1]], h->point[c[2]], &where);
    kl_vec3    d = kl_sub(p, f);
    if (kl_dot(d, d) >= best->d2) return;
    kl_vec3 n = where == 0   ? h->normal[t]
                : where <= 3 ? h->point_normal[c[where - 1]]
                             : h->edge_normal[t][where - 4];
    *best     = (nearest){kl_dot(d, d), f, kl_unit(n)};
}

void kl_hull_project(const kl_hull *h, kl_vec3 p, kl_offset *out)
{
    nearest best = {.d2 = (double)INFINITY};
    int     stack[DEEP], top = 0;
    stack[top++] = 0;
    while (top > 0) {
        const kl_hull_node *b = &h->node[stack[--top]];
        if (box_distance2(b, p) >= best.d2) continue;
        if (b->count > 0) {
            for (int i = b->first; i < b->first + b->count; i++)
                update_nearest(h, h->order[i], p, &best);
            continue;
        }
        bool left =
            box_distance2(&h->node[b->first], p) <= box_distance2(&h->node[b->first + 1], p);
        stack[top++] = left ? b->first + 1 : b->first; /* the nearer one is looked at first */
        stack[top++] = left ? b->first : b->first + 1;
    }
    kl_vec3 d    = kl_sub(p, best.foot);
    double  size = kl_norm(d), sign = kl_dot(d, best.n) < 0.0 ? -1.0 : 1.0;
    out->d    = sign * size;
    out->foot = best.foot;
    out->n    = size > 1e-12 ? kl_scale(sign / size, d) : best.n;
}

kl_vec3 kl_hull_support(const kl_hull *h, kl_vec3 n)
{
    int best = 0;
    for (int i = 1; i < h->npoint; i++)
        if (kl_dot(n, h->point[i]) > kl_dot(n, h->point[best])) best = i;
    return h->point[best];
}

/* Corners near the support plane, one in each eighth of the way round: the farthest out. */
int kl_hull_face(const kl_hull *h, kl_vec3 n, double facing, kl_vec3 *corner)
{
    kl_vec3 c, half, t = kl_normal_to(n), b = kl_cross(n, t);
    kl_hull_bounds(h, &c, &half);
    double top = kl_dot(n, kl_hull_support(h, n)), depth = facing * facing * kl_norm(half), far[8];
    int    pick[8] = {-1, -1, -1, -1, -1, -1, -1, -1}, out = 0;
    for (int i = 0; i < h->npoint; i++) {
        if (kl_dot(n, h->point[i]) < top - depth) continue;
        kl_vec3 d = kl_sub(h->point[i], c);
        double  x = kl_dot(d, t), y = kl_dot(d, b), r = hypot(x, y);
        int     k = (int)floor((atan2(y, x) + KL_PI) / (0.25 * KL_PI)) & 7;
        if (pick[k] < 0 || r > far[k]) pick[k] = i, far[k] = r;
    }
    for (int k = 0; k < 8; k++)
        if (pick[k] >= 0) corner[out++] = h->point[pick[k]];
    return out;
}

void kl_hull_bounds(const kl_hull *h, kl_vec3 *centre, kl_vec3 *half)
{
    *centre = kl_scale(0.5, kl_add(h->node[0].low, h->node[0].high));
    *half   = kl_scale(0.5, kl_sub(h->node[0].high, h->node[0].low));
}
