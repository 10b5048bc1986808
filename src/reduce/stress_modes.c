/* Stress and strain modes: sigma_j = D B u_j at element centres, or the mean over the elements
 * around a node. In solids strain is taken at the points where it is best and carried to the nodes:
 * there curved elements may have a singular map. Shells and beams: at the
 * faces and outer fibres, where bending is largest. */
#include "reduce/stress_modes.h"

#include <stdlib.h>
#include <string.h>

#include "fe/element.h"

enum { MAX_DOF = KL_MAX_ELEMENT_DOF };

typedef struct recovery {
    const kl_mesh   *m;
    const kl_system *s;
    int              n;
    const double    *X;
    double           side;
    bool             all_faces;
    kl_kbody_stress *out;
} recovery;

/* ---- what lies at one place: a group of like elements, and its points ---- */

typedef struct group {
    kl_vec3            axis; /* normal of a shell, direction of a beam; of the first element */
    const kl_property *property;
    int                dimension, count; /* of the elements; how many */
    int                first, npoint, next;
} group;

static int points_of(const recovery *w, int dimension, const kl_property *p)
{
    if (dimension == 3 || !p) return 1;
    if (dimension == 2) return !w->all_faces ? 1 : p->kind == KL_LAMINATE ? 2 * p->nply : 2;
    for (int i = 0; i < 4; i++)
        if (p->stress_y[i] != 0.0 || p->stress_z[i] != 0.0) return 4;
    return 1;
}

static group group_of(const recovery *w, kl_shape shape, int index)
{
    kl_fe_element e;
    kl_fe_gather(w->m, shape, index, &e);
    int     dimension = kl_shape_info_of(shape)->dimension;
    kl_vec3 axis      = {0, 0, 0};
    if (dimension == 1) axis = kl_unit(kl_sub(e.x[1], e.x[0]));
    if (dimension == 2) axis = kl_shell_normal(w->m, shape, index);
    return (group){.axis      = axis,
                   .property  = e.property,
                   .dimension = dimension,
                   .count     = 1,
                   .npoint    = points_of(w, dimension, e.property),
                   .next      = -1};
}

static bool alike(const group *a, const group *b)
{
    const double near = 0.7; /* cosine of 45 degrees */
    if (a->dimension != b->dimension || a->npoint != b->npoint) return false;
    double c = kl_dot(a->axis, b->axis);
    if (a->dimension == 1) return a->property == b->property && c > near;
    return a->dimension == 3 || c > near || c < -near;
}

/* ply and face of point k of a group, as they are named */
static void name_point(const group *g, int k, int *layer, int *face)
{
    *layer = *face = 0;
    if (g->dimension == 1 && g->npoint > 1) *layer = -1 - k;
    if (g->dimension != 2 || g->npoint == 1) return;
    *face = k % 2 ? 1 : -1;
    if (g->property->kind == KL_LAMINATE) *layer = 1 + k / 2;
}

/* third natural coordinate (shells) or stress point (beams) of point k, for an element of the group
 * whose normal may point the other way */
static double through(const recovery *w, const group *g, int k, bool flipped)
{
    if (g->dimension == 1) return k;
    if (g->npoint == 1) return flipped ? -w->side : w->side;
    if (flipped) k = g->npoint - 1 - k;
    const kl_property *p = g->property;
    if (p->kind != KL_LAMINATE) return k % 2 ? 1.0 : -1.0;
    double whole = 0.0, below = 0.0;
    for (int i = 0; i < p->nply; i++) {
        whole += p->ply[i].thickness;
        if (i < k / 2) below += p->ply[i].thickness;
    }
    /* just inside the ply: at its face the next one begins */
    double t = p->ply[k / 2].thickness, inside = 1e-6 * t;
    return 2.0 * (below + (k % 2 ? t - inside : inside)) / whole - 1.0;
}

/* ---- recovery ---- */

/* strain and stress matrices (6 x dof) of an element at r */
static kl_status matrices_at(kl_shape shape, const kl_fe_element *e, const double r[3], int dof,
                             double *strain, double *stress)
{
    const kl_fe_type *type = kl_fe_type_of(shape);
    double            one[6 * MAX_DOF], other[6 * MAX_DOF];
    kl_samples        s;
    if (kl_shape_info_of(shape)->dimension < 3) return type->strain(e, r, strain, stress);
    kl_shape_samples(shape, r, &s);
    memset(strain, 0, 6 * (size_t)dof * sizeof *strain);
    memset(stress, 0, 6 * (size_t)dof * sizeof *stress);
    for (int k = 0; k < s.n; k++) {
        KL_TRY(type->strain(e, s.place[k], one, other));
        for (int i = 0; i < 6 * dof; i++) {
            strain[i] += s.weight[k] * one[i];
            stress[i] += s.weight[k] * other[i];
        }
    }
    return KL_OK;
}

/* strain and stress modes of an element at r, times weight, added to point p */
static kl_status add_at(const recovery *w, kl_shape shape, int index, const double r[3],
                        double weight, int p)
{
    double            strain[6 * MAX_DOF], stress[6 * MAX_DOF];
    const kl_fe_type *type = kl_fe_type_of(shape);
    int        nnode = kl_shape_info_of(shape)->nnode, each = type->ndof_node, dof = nnode * each;
    const int *node = &w->m->block[shape].node[(size_t)index * (size_t)nnode];
    kl_fe_element e;
    kl_fe_gather(w->m, shape, index, &e);
    KL_TRY(matrices_at(shape, &e, r, dof, strain, stress));
    for (int j = 0; j < w->n; j++) {
        double  u[MAX_DOF], motion[6];
        double *to_strain = w->out->strain + ((size_t)p * (size_t)w->n + (size_t)j) * 6;
        double *to_stress = w->out->stress + ((size_t)p * (size_t)w->n + (size_t)j) * 6;
        for (int a = 0; a < nnode; a++) {
            kl_system_motion(w->s, node[a], w->X + (size_t)j * (size_t)w->s->ndof, motion);
            for (int c = 0; c < each; c++) u[each * a + c] = motion[c];
        }
        for (int i = 0; i < 6; i++)
            for (int d = 0; d < dof; d++) {
                to_strain[i] += weight * strain[i * dof + d] * u[d];
                to_stress[i] += weight * stress[i * dof + d] * u[d];
            }
    }
    return KL_OK;
}

/* natural coordinates of the centre or a node in the element's own dimensions */
static void place_of(kl_shape shape, int local, double r[3])
{
    int dimension = kl_shape_info_of(shape)->dimension;
    r[2]          = 0.0;
    if (dimension == 3 && local < 0) kl_shape_centre(shape, r);
    else if (dimension == 3) kl_shape_node(shape, local, r);
    else if (dimension == 1) r[0] = local < 0 ? 0 : local == 0 ? -1 : 1, r[1] = 0.0;
    else {
        static const double tri[3][2]  = {{0, 0}, {1, 0}, {0, 1}},
                            quad[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
        const double *at = local < 0 ? NULL : shape == KL_TRI3 ? tri[local] : quad[local];
        double        c  = shape == KL_TRI3 ? 1.0 / 3 : 0;
        r[0] = at ? at[0] : c, r[1] = at ? at[1] : c;
    }
}

/* what an element adds to all points of its group */
static kl_status add_to_group(const recovery *w, const group *g, kl_shape shape, int index,
                              int local)
{
    double r[3];
    group  own     = group_of(w, shape, index);
    bool   flipped = g->dimension == 2 && kl_dot(own.axis, g->axis) < 0.0;
    own.first      = g->first;
    place_of(shape, local, r);
    for (int k = 0; k < g->npoint; k++) {
        if (g->dimension < 3) r[g->dimension] = through(w, &own, k, flipped);
        KL_TRY(add_at(w, shape, index, r, 1.0 / g->count, g->first + k));
    }
    return KL_OK;
}

static kl_vec3 centre_of(const kl_mesh *m, kl_shape shape, int index)
{
    const kl_shape_info *info = kl_shape_info_of(shape);
    kl_vec3              c    = {0, 0, 0};
    for (int i = 0; i < info->ncorner; i++)
        c = kl_axpy(1.0 / info->ncorner,
                    m->x[m->block[shape].node[(size_t)index * (size_t)info->nnode + (size_t)i]], c);
    return c;
}

/* ---- groups at nodes ---- */

typedef struct groups {
    group *list;
    int    n, cap;
    int   *head; /* of each mesh node: its first group, -1: none yet, -2: not wanted */
} groups;

static group *find_group(const groups *s, int node, const group *like)
{
    for (int i = s->head[node]; i >= 0; i = s->list[i].next)
        if (alike(&s->list[i], like)) return &s->list[i];
    return NULL;
}

static kl_status note_group(groups *s, int node, group like)
{
    group *g = find_group(s, node, &like);
    if (g) {
        g->count++;
        return KL_OK;
    }
    if (s->n == s->cap) {
        int    cap  = 2 * s->cap + 64;
        group *list = realloc(s->list, (size_t)cap * sizeof *list);
        if (!list) return KL_E_MEMORY;
        s->list = list, s->cap = cap;
    }
    /* behind the others, so that a second search finds the same one first */
    int *link = &s->head[node];
    while (*link >= 0) link = &s->list[*link].next;
    *link           = s->n;
    s->list[s->n++] = like;
    return KL_OK;
}

/* calls for every wanted node of every element: first to count, then to add */
static kl_status over_elements(const recovery *w, groups *s, bool add)
{
    for (int shape = 0; shape < KL_SHAPE_COUNT; shape++) {
        int nnode = kl_shape_info_of((kl_shape)shape)->nnode;
        for (int e = 0; e < w->m->block[shape].n; e++) {
            const int *node = &w->m->block[shape].node[(size_t)e * (size_t)nnode];
            group      own  = {.dimension = 0};
            for (int a = 0; a < nnode; a++) {
                if (s->head[node[a]] == -2) continue;
                if (own.dimension == 0) own = group_of(w, (kl_shape)shape, e);
                if (add)
                    KL_TRY(add_to_group(w, find_group(s, node[a], &own), (kl_shape)shape, e, a));
                else KL_TRY(note_group(s, node[a], own));
            }
        }
    }
    return KL_OK;
}

/* ---- all points ---- */

static void put_point(kl_kbody_stress *out, const group *g, int k, int element_id, int node_id,
                      kl_vec3 x)
{
    int p              = g->first + k;
    out->element_id[p] = element_id;
    out->node_id[p]    = node_id;
    out->position[p]   = x;
    name_point(g, k, &out->layer[p], &out->face[p]);
}

static bool take_arrays(kl_kbody_stress *out, size_t total, int n, kl_arena *arena)
{
    out->n          = (int)total;
    out->element_id = kl_arena_array(arena, int, total);
    out->node_id    = kl_arena_array(arena, int, total);
    out->layer      = kl_arena_array(arena, int, total);
    out->face       = kl_arena_array(arena, int, total);
    out->position   = kl_arena_array(arena, kl_vec3, total);
    out->strain     = kl_arena_array(arena, double, total *(size_t)n * 6);
    out->stress     = kl_arena_array(arena, double, total *(size_t)n * 6);
    return kl_arena_ok(arena);
}

/* numbers the groups' points: elements first, then the nodes in the order asked for */
static int number_points(const recovery *w, const kl_stress_points *where, groups *s)
{
    int total = 0;
    for (int i = 0; i < where->nelement; i++)
        total += group_of(w, where->element[i].shape, where->element[i].index).npoint;
    for (int i = 0; i < where->nnode; i++)
        for (int g = s->head[where->node[i]]; g >= 0; g = s->list[g].next) {
            s->list[g].first = total;
            total += s->list[g].npoint;
        }
    return total;
}

static kl_status fill(const recovery *w, const kl_stress_points *where, groups *s)
{
    const kl_mesh *m  = w->m;
    int            at = 0;
    for (int i = 0; i < where->nelement; i++) {
        kl_element_ref ref = where->element[i];
        group          g   = group_of(w, ref.shape, ref.index);
        g.first            = at;
        at += g.npoint;
        for (int k = 0; k < g.npoint; k++)
            put_point(w->out, &g, k, m->block[ref.shape].id[ref.index], -1,
                      centre_of(m, ref.shape, ref.index));
        KL_TRY(add_to_group(w, &g, ref.shape, ref.index, -1));
    }
    for (int i = 0; i < where->nnode; i++)
        for (int g = s->head[where->node[i]]; g >= 0; g = s->list[g].next)
            for (int k = 0; k < s->list[g].npoint; k++)
                put_point(w->out, &s->list[g], k, -1, m->node_id[where->node[i]],
                          m->x[where->node[i]]);
    return over_elements(w, s, true);
}

/* bodies of solid elements have no plies and faces */
static void drop_empty(kl_kbody_stress *out)
{
    for (int p = 0; p < out->n; p++)
        if (out->layer[p] || out->face[p]) return;
    out->layer = out->face = NULL;
}

kl_status kl_stress_modes(const kl_mesh *m, const kl_system *s, const kl_stress_points *where,
                          int n, const double *X, kl_arena *arena, kl_kbody_stress *out,
                          kl_diag *diag)
{
    *out             = (kl_kbody_stress){0};
    recovery  w      = {m, s, n, X, where->side, where->all_faces, out};
    groups    g      = {.head = malloc(((size_t)m->nnode + 1) * sizeof(int))};
    kl_status status = g.head ? KL_OK : KL_E_MEMORY;
    for (int i = 0; g.head && i < m->nnode; i++) g.head[i] = -2;
    for (int i = 0; g.head && i < where->nnode; i++) g.head[where->node[i]] = -1;
    if (status == KL_OK) status = over_elements(&w, &g, false);
    int total = status == KL_OK ? number_points(&w, where, &g) : 0;
    if (total > 0) {
        status = take_arrays(out, (size_t)total, n, arena) ? fill(&w, where, &g) : KL_E_MEMORY;
        if (status == KL_OK) drop_empty(out);
    }
    free(g.list);
    free(g.head);
    if (status == KL_E_MODEL)
        kl_fail(diag, status, (kl_place){m->source, 0, 0},
                "stress cannot be computed in an element with a negative Jacobian");
    return status;
}
