/* Gmsh meshes: what elements of lower dimension mean.
 *
 * They waited until the highest dimension of the file was known. Those that mark places become sets
 * of nodes; surfaces on solids also sets of faces, found by their corners: the marks are hashed,
 * and every face of every solid whose corners all belong to marks is looked up. */
#include <string.h>

#include "mesh/read_gmsh.h"

static bool listed(const char *const *list, const char *name)
{
    for (; list && *list; list++)
        if (strcmp(*list, name) == 0) return true;
    return false;
}

/* ---- what waited: structure or mark? ---- */

typedef struct held {
    const element_type *e;
    const char         *at;
    int                 id;
    span                groups;
    const int          *node;
} held;

static held held_at(const gmsh *g, size_t i)
{
    const int *v     = &g->held.v[i];
    const int *place = &g->held_place.v[2 * (size_t)v[4]];
    return (held){gmsh_type(v[0]),
                  g->t->data + ((int64_t)place[0] << 31 | place[1]),
                  v[1],
                  {v[2], v[3]},
                  g->held.v + i + HELD};
}

static bool is_structural(const gmsh *g, const held *h)
{
    if (h->e->dimension == 0) return false;
    if (h->e->dimension == g->highest) return true;
    for (int i = 0; i < h->groups.n; i++)
        if (g->groups[g->lists.v[h->groups.first + i]].structural) return true;
    return false;
}

static void mark_nodes(gmsh *g, const held *h)
{
    for (int i = 0; i < h->groups.n; i++) {
        group *b = &g->groups[g->lists.v[h->groups.first + i]];
        if (b->node_set < 0) b->node_set = kl_mesh_set(g->r->mesh, KL_NODE_SET, b->name);
        for (int k = 0; k < h->e->nnode; k++)
            kl_mesh_set_put_node(g->r->mesh, b->node_set, h->node[k]);
    }
}

static int corners_of(const element_type *e) { return strstr(e->name, "triangle") ? 3 : 4; }

/* Sorted corners as one key; four node indices of 31 bits are hashed into 64, so that equal keys
 * are compared again by the caller. */
static uint64_t face_key(int n, const int *corner, int sorted[4])
{
    for (int i = 0; i < n; i++) {
        int k = i;
        for (; k > 0 && sorted[k - 1] > corner[i]; k--) sorted[k] = sorted[k - 1];
        sorted[k] = corner[i];
    }
    uint64_t key = (uint64_t)n;
    for (int i = 0; i < n; i++)
        key = (key ^ (uint64_t)sorted[i]) * UINT64_C(0x9e3779b97f4a7c15) + 1;
    return key;
}

/* The surface elements that mark faces, found again by their corners. */
typedef struct face_finder {
    kl_int_map      map;   /* key -> index of the first mark with that key */
    int            *at;    /* mark -> index in gmsh.held */
    int            *same;  /* mark -> next with the same key, or -1 */
    kl_element_ref *found; /* mark -> face of a solid */
    bool           *is_found;
    unsigned char  *touched; /* nodes of any mark */
    int             n;
} face_finder;

static bool same_corners(const gmsh *g, int at, int n, const int *sorted)
{
    held h = held_at(g, (size_t)at);
    int  mine[4];
    if (corners_of(h.e) != n) return false;
    face_key(n, h.node, mine);
    return memcmp(mine, sorted, (size_t)n * sizeof *mine) == 0;
}

static void match_face(const gmsh *g, face_finder *f, kl_element_ref ref, const int *node)
{
    const kl_shape_info *info = kl_shape_info_of(ref.shape);
    int                  n    = info->face_nnode[ref.face], corner[4], sorted[4];
    if (n > 4) n /= 2;
    for (int i = 0; i < n; i++) {
        corner[i] = node[info->face[ref.face][i]];
        if (!f->touched[corner[i]]) return;
    }
    uint64_t key = face_key(n, corner, sorted);
    for (int mark = kl_int_map_find(&f->map, key); mark >= 0; mark = f->same[mark]) {
        if (f->is_found[mark] || !same_corners(g, f->at[mark], n, sorted)) continue;
        f->found[mark]    = ref;
        f->is_found[mark] = true;
    }
}

static void match_solids(const gmsh *g, face_finder *f)
{
    for (int s = 0; s < KL_SHAPE_COUNT; s++) {
        const kl_shape_info *info = kl_shape_info_of((kl_shape)s);
        const kl_block      *b    = &g->r->mesh->block[s];
        for (int i = 0; info->dimension == 3 && i < b->n; i++)
            for (int face = 0; face < info->nface; face++)
                match_face(g, f, (kl_element_ref){(kl_shape)s, i, face},
                           &b->node[(size_t)i * (size_t)info->nnode]);
    }
}

/* Marks of groups whose every element is a face of a solid become surface sets. */
static void put_surface_sets(gmsh *g, const face_finder *f)
{
    for (int pass = 0; pass < 2; pass++)
        for (int m = 0; m < f->n; m++) {
            held h = held_at(g, (size_t)f->at[m]);
            for (int i = 0; i < h.groups.n; i++) {
                group *b = &g->groups[g->lists.v[h.groups.first + i]];
                if (pass == 0) b->lost_face |= !f->is_found[m];
                if (pass == 0 || b->lost_face) continue;
                if (b->surface_set < 0)
                    b->surface_set = kl_mesh_set(g->r->mesh, KL_SURFACE_SET, b->name);
                kl_mesh_set_put_element(g->r->mesh, b->surface_set, f->found[m]);
            }
        }
}

static void mark_faces(gmsh *g, const kl_int_list *marks)
{
    kl_arena   *a = g->r->arena;
    face_finder f = {.n = (int)marks->n, .at = marks->v};
    f.same        = kl_arena_array(a, int, marks->n);
    f.found       = kl_arena_array(a, kl_element_ref, marks->n);
    f.is_found    = kl_arena_array(a, bool, marks->n);
    f.touched     = kl_arena_array(a, unsigned char, g->r->mesh->nnode);
    if (!kl_arena_ok(a)) return;
    for (int m = 0; m < f.n; m++) {
        held     h   = held_at(g, (size_t)f.at[m]);
        int      n   = corners_of(h.e), sorted[4];
        uint64_t key = face_key(n, h.node, sorted);
        for (int i = 0; i < n; i++) f.touched[h.node[i]] = 1;
        f.same[m] = kl_int_map_find(&f.map, key);
        if (!kl_int_map_put(a, &f.map, key, m)) return;
    }
    match_solids(g, &f);
    put_surface_sets(g, &f);
}

void gmsh_settle(gmsh *g)
{
    for (int i = 0; i < g->ngroup; i++)
        g->groups[i].structural = listed(g->r->options->structural, g->groups[i].name);
    kl_int_list    faces = {0};
    kl_element_ref last  = {KL_BEAM2, -1, 0};
    for (size_t i = 0; i < g->held.n;) {
        held h = held_at(g, i);
        if (!is_structural(g, &h)) {
            mark_nodes(g, &h);
            if (h.e->dimension == 2 && h.groups.n > 0 && !kl_int_list_push(g->r, &faces, (int)i))
                g->r->status = KL_E_MEMORY;
        } else if (h.e->shape < 0) {
            gmsh_refuse(g, h.e, h.at, h.id < 0 ? -h.id : h.id);
        } else if (h.id < 0) { /* a repetition of the one before */
            if (last.index >= 0) gmsh_put_in_sets(g, h.groups, last);
        } else {
            last = gmsh_put(g, h.e, h.at, h.id, h.groups, h.node);
        }
        i += HELD + (size_t)h.e->nnode;
    }
    if (faces.n > 0 && g->highest == 3) mark_faces(g, &faces);
    kl_int_list_free(&faces);
}
