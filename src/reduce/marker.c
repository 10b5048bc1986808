/* Markers: nodes with rotations, ties, and the neighbour triad on meshes without rotations.
 *
 * The triad's frame (paper 000, eq. 46-48): e1 = (b_m - b_k)/|.|, a = (b_n - b_k)/|.|,
 * e2 = e1 x a / |e1 x a|, e3 = e1 x e2. Its first-order rotation is th = 1/2 sum e_i x de_i. */
#include "reduce/marker.h"

#include <limits.h>
#include <stdlib.h>

/* One more than the largest number, or, where that is the last there is, the first that is free. */
static int free_number(const kl_mesh *m)
{
    int id = 0;
    for (int i = 0; i < m->nnode; i++) id = m->node_id[i] > id ? m->node_id[i] : id;
    if (id < INT_MAX) return id + 1;
    for (id = 1; kl_mesh_find_node(m, id) >= 0;) id++;
    return id;
}

int kl_marker_tie(kl_mesh *m, const char *name, kl_tie_kind kind, int n, const int *node,
                  kl_vec3 position)
{
    int new = kl_mesh_add_node(m, free_number(m), position);
    if (new < 0) return -1;
    int *followers = kl_arena_array(m->arena, int, n);
    if (!followers) return -1;
    for (int i = 0; i < n; i++) followers[i] = node[i];
    kl_tie tie = {.kind       = kind,
                  .reference  = new,
                  .components = 0x3f,
                  .n          = n,
                  .node       = followers,
                  .marker     = name};
    return kl_mesh_add_tie(m, &tie) < 0 ? -1 : new;
}

static bool moves(const kl_system *s, int node)
{
    return kl_system_has(s, node, 0) && kl_system_has(s, node, 1) && kl_system_has(s, node, 2);
}

int kl_marker_nearest(const kl_system *s, kl_vec3 point)
{
    int    best  = -1;
    double least = HUGE_VAL;
    for (int i = 0; i < s->nnode; i++) {
        double d = kl_norm(kl_sub(s->x[i], point));
        if (d < least && moves(s, i)) least = d, best = i;
    }
    return best;
}

/* The nearest node to `point` that passes `fits`. */
typedef struct search {
    const kl_system *s;
    kl_vec3          point;
    const kl_mat3   *axes;
    double           limit; /* largest cosine */
    int              k, m;
} search;

static kl_vec3 direction(const search *a, int from, int to)
{
    return kl_unit(kl_sub(a->s->x[to], a->s->x[from]));
}

static bool fits_m(const search *a, int node)
{
    kl_vec3 e1 = direction(a, a->k, node);
    return kl_norm(e1) > 0 && fabs(kl_dot(e1, kl_axis(a->axes, 1))) < a->limit &&
           fabs(kl_dot(e1, kl_axis(a->axes, 2))) < a->limit;
}

static bool fits_n(const search *a, int node)
{
    kl_vec3 e1 = direction(a, a->k, a->m), b = direction(a, a->k, node);
    if (!(kl_norm(b) > 0) || !(fabs(kl_dot(e1, b)) < a->limit)) return false;
    kl_vec3 e2 = kl_unit(kl_cross(e1, b));
    return fabs(kl_dot(e2, kl_axis(a->axes, 2))) < a->limit;
}

static int nearest_that(const search *a, bool (*fits)(const search *, int))
{
    int    best  = -1;
    double least = HUGE_VAL;
    for (int i = 0; i < a->s->nnode; i++) {
        double d = kl_norm(kl_sub(a->s->x[i], a->point));
        if (d < least && i != a->k && i != a->m && moves(a->s, i) && fits(a, i))
            least = d, best = i;
    }
    return best;
}

kl_status kl_marker_triad(const kl_system *s, kl_vec3 point, const kl_mat3 *axes, double tolerance,
                          int triad[3], kl_diag *diag)
{
    search a = {s, point, axes, 1 - tolerance, -1, -1};
    a.k      = kl_marker_nearest(s, point);
    a.m      = a.k < 0 ? -1 : nearest_that(&a, fits_m);
    triad[0] = a.k, triad[1] = a.m;
    triad[2] = a.m < 0 ? -1 : nearest_that(&a, fits_n);
    if (triad[2] >= 0) return KL_OK;
    return kl_fail(diag, KL_E_SINGULAR, KL_NOWHERE,
                   "no three nodes near (%g, %g, %g) define a frame that differs enough from the "
                   "axes of the marker (tolerance %g); rotate the marker or lower the tolerance",
                   point.x, point.y, point.z, tolerance);
}

/* d/dt of a unit vector along d: (I - e e')/|d| v */
static kl_vec3 unit_rate(kl_vec3 d, kl_vec3 v)
{
    double  l = kl_norm(d);
    kl_vec3 e = kl_scale(1 / l, d);
    return kl_scale(1 / l, kl_sub(v, kl_scale(kl_dot(e, v), e)));
}

static kl_vec3 triad_rotation(const kl_vec3 x[3], const kl_vec3 v[3])
{
    kl_vec3 km = kl_sub(x[1], x[0]), kn = kl_sub(x[2], x[0]);
    kl_vec3 e1 = kl_unit(km), a = kl_unit(kn), cross = kl_cross(e1, a), e2 = kl_unit(cross);
    kl_vec3 de1 = unit_rate(km, kl_sub(v[1], v[0])), da = unit_rate(kn, kl_sub(v[2], v[0]));
    kl_vec3 de2 = unit_rate(cross, kl_add(kl_cross(de1, a), kl_cross(e1, da)));
    kl_vec3 e3 = kl_cross(e1, e2), de3 = kl_add(kl_cross(de1, e2), kl_cross(e1, de2));
    kl_vec3 sum = kl_add(kl_add(kl_cross(e1, de1), kl_cross(e2, de2)), kl_cross(e3, de3));
    return kl_scale(0.5, sum);
}

static kl_status triad_motion(const kl_system *s, const int node[3], int n, const double *X,
                              kl_arena *arena, kl_kbody_marker *marker)
{
    marker->kind = KL_MARKER_TRIAD;
    for (int c = 0; c < 3; c++) {
        marker->triad_id[c]     = s->node_id[node[c]];
        marker->triad[c]        = s->x[node[c]];
        marker->triad_motion[c] = kl_arena_array(arena, double, 3 * n);
    }
    if (!kl_arena_ok(arena)) return KL_E_MEMORY;
    for (int j = 0; j < n; j++) {
        kl_vec3 v[3];
        for (int c = 0; c < 3; c++) {
            double motion[6];
            kl_system_motion(s, node[c], X + (size_t)j * (size_t)s->ndof, motion);
            v[c] = kl_load(motion);
            kl_store(marker->triad_motion[c] + 3 * j, v[c]);
        }
        kl_store(marker->rotation + 3 * j, triad_rotation(marker->triad, v));
    }
    return KL_OK;
}

kl_status kl_marker_motion(const kl_system *s, int node, int n, const double *X, double tolerance,
                           kl_arena *arena, kl_kbody_marker *marker, kl_diag *diag)
{
    marker->node_id     = s->node_id[node];
    marker->translation = kl_arena_array(arena, double, 3 * n);
    marker->rotation    = kl_arena_array(arena, double, 3 * n);
    if (!kl_arena_ok(arena)) return KL_E_MEMORY;
    marker->kind = KL_MARKER_NODE;
    for (int j = 0; j < n; j++) {
        double motion[6];
        kl_system_motion(s, node, X + (size_t)j * (size_t)s->ndof, motion);
        kl_store(marker->translation + 3 * j, kl_load(motion));
        kl_store(marker->rotation + 3 * j, kl_load(motion + 3));
    }
    if (kl_system_has(s, node, 3) && kl_system_has(s, node, 4) && kl_system_has(s, node, 5))
        return KL_OK;
    int triad[3];
    KL_TRY(kl_marker_triad(s, s->x[node], &marker->axes, tolerance, triad, diag));
    return triad_motion(s, triad, n, X, arena, marker);
}
