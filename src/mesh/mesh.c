/* Building a mesh: growing lists, ids to indices, sets. The checks are in mesh_check.c. */
#include "mesh/mesh.h"

#include <stdlib.h>
#include <string.h>

#include "mesh/id_map.h"

static const double pi = 3.14159265358979323846;

static const kl_shape_info shapes[KL_SHAPE_COUNT] = {
    [KL_TET4]  = {"tet4", 4, 4, 3, 4, {3, 3, 3, 3}, {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}}},
    [KL_TET10] = {"tet10",
                  10,
                  4,
                  3,
                  4,
                  {6, 6, 6, 6},
                  {{0, 2, 1, 6, 5, 4}, {0, 1, 3, 4, 8, 7}, {1, 2, 3, 5, 9, 8}, {2, 0, 3, 6, 7, 9}}},
    [KL_HEX8] =
        {"hex8",
         8,
         8,
         3,
         6,
         {4, 4, 4, 4, 4, 4},
         {{0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4}, {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}}},
    [KL_HEX20]   = {"hex20",
                    20,
                    8,
                    3,
                    6,
                    {8, 8, 8, 8, 8, 8},
                    {{0, 3, 2, 1, 11, 10, 9, 8},
                     {4, 5, 6, 7, 12, 13, 14, 15},
                     {0, 1, 5, 4, 8, 17, 12, 16},
                     {1, 2, 6, 5, 9, 18, 13, 17},
                     {2, 3, 7, 6, 10, 19, 14, 18},
                     {3, 0, 4, 7, 11, 16, 15, 19}}},
    [KL_WEDGE6]  = {"wedge6",
                    6,
                    6,
                    3,
                    5,
                    {3, 3, 4, 4, 4},
                    {{0, 2, 1}, {3, 4, 5}, {0, 1, 4, 3}, {1, 2, 5, 4}, {2, 0, 3, 5}}},
    [KL_WEDGE15] = {"wedge15",
                    15,
                    6,
                    3,
                    5,
                    {6, 6, 8, 8, 8},
                    {{0, 2, 1, 8, 7, 6},
                     {3, 4, 5, 9, 10, 11},
                     {0, 1, 4, 3, 6, 13, 9, 12},
                     {1, 2, 5, 4, 7, 14, 10, 13},
                     {2, 0, 3, 5, 8, 12, 11, 14}}},
    [KL_TRI3]    = {"tri3", 3, 3, 2, 2, {3, 3}, {{0, 1, 2}, {0, 2, 1}}},
    [KL_QUAD4]   = {"quad4", 4, 4, 2, 2, {4, 4}, {{0, 1, 2, 3}, {0, 3, 2, 1}}},
    [KL_BEAM2]   = {"beam2", 2, 2, 1, 0, {0}, {{0}}},
};

const kl_shape_info *kl_shape_info_of(kl_shape shape) { return &shapes[shape]; }

/* ---- life ---- */

kl_mesh *kl_mesh_create(const char *source)
{
    kl_arena *arena = kl_arena_create();
    if (!arena) return NULL;
    kl_mesh *m = kl_arena_array(arena, kl_mesh, 1);
    if (!m) {
        kl_arena_destroy(arena);
        return NULL;
    }
    m->arena       = arena;
    m->source      = kl_arena_text(arena, source);
    m->node_map    = kl_arena_array(arena, kl_id_map, 1);
    m->element_map = kl_arena_array(arena, kl_id_map, 1);
    if (kl_arena_ok(arena)) return m;
    kl_arena_destroy(arena);
    return NULL;
}

void kl_mesh_destroy(kl_mesh *m)
{
    if (!m) return;
    kl_id_map_free(m->node_map);
    kl_id_map_free(m->element_map);
    kl_arena_destroy(m->arena);
}

bool kl_mesh_ok(const kl_mesh *m) { return m && kl_arena_ok(m->arena); }

/* Makes room for one more in one of several parallel arrays of capacity `cap`, which all grow by
 * the same rule: *next is the capacity after it. */
static void *grow(kl_mesh *m, void **data, int n, int cap, int *next, size_t size)
{
    *next = cap;
    return kl_arena_grow(m->arena, data, n, next, size);
}

/* ---- nodes and elements ---- */

int kl_mesh_add_node(kl_mesh *m, int id, kl_vec3 x)
{
    int known = kl_id_map_find(m->node_map, id);
    if (known >= 0) {
        kl_vec3 d = kl_sub(m->x[known], x);
        if (kl_norm(d) > 0.0 && m->nduplicate_node++ == 0) m->first_duplicate_node = id;
        return known;
    }
    int   next = 0;
    void *ids = m->node_id, *xs = m->x;
    if (!grow(m, &ids, m->nnode, m->node_cap, &next, sizeof(int)) ||
        !grow(m, &xs, m->nnode, m->node_cap, &next, sizeof(kl_vec3)) ||
        !kl_id_map_put(m->node_map, id, m->nnode))
        return -1;
    m->node_cap          = next;
    m->node_id           = ids;
    m->x                 = xs;
    m->node_id[m->nnode] = id;
    m->x[m->nnode]       = x;
    return m->nnode++;
}

int kl_mesh_find_node(const kl_mesh *m, int id) { return kl_id_map_find(m->node_map, id); }

/* element_map holds shape and index in one number: index * KL_SHAPE_COUNT + shape */
int kl_mesh_add_element(kl_mesh *m, kl_shape shape, int id, int property, const int *node)
{
    kl_block *b     = &m->block[shape];
    int       nnode = shapes[shape].nnode, cap = b->cap, i = b->n;
    void     *nodes = b->node, *ids = b->id, *properties = b->property, *angles = b->angle,
         *orientations = b->orientation;
    int  next = 0, dimension = shapes[shape].dimension;
    bool room = grow(m, &ids, i, cap, &next, sizeof(int)) &&
                grow(m, &properties, i, cap, &next, sizeof(int)) &&
                grow(m, &nodes, i, cap, &next, (size_t)nnode * sizeof(int));
    if (dimension == 2) room = room && grow(m, &angles, i, cap, &next, sizeof(double));
    if (dimension == 1) room = room && grow(m, &orientations, i, cap, &next, sizeof(kl_vec3));
    if (!room) return -1;
    b->cap         = next;
    b->node        = nodes;
    b->id          = ids;
    b->property    = properties;
    b->angle       = angles;
    b->orientation = orientations;
    b->id[i]       = id;
    b->property[i] = property;
    memcpy(&b->node[(size_t)i * (size_t)nnode], node, (size_t)nnode * sizeof(int));
    if (kl_id_map_find(m->element_map, id) >= 0) {
        if (m->nduplicate_element++ == 0) m->first_duplicate_element = id;
    } else if (!kl_id_map_put(m->element_map, id, i * KL_SHAPE_COUNT + (int)shape)) {
        return -1;
    }
    return b->n++;
}

bool kl_mesh_find_element(const kl_mesh *m, int id, kl_element_ref *ref)
{
    int value = kl_id_map_find(m->element_map, id);
    if (value < 0) return false;
    *ref = (kl_element_ref){(kl_shape)(value % KL_SHAPE_COUNT), value / KL_SHAPE_COUNT, 0};
    return true;
}

/* ---- the short lists ---- */

#define ADD(m, list, count, cap, item)                                                             \
    do {                                                                                           \
        void *data_ = (m)->list;                                                                   \
        void *slot_ = kl_arena_grow((m)->arena, &data_, (m)->count, &(m)->cap, sizeof *(item));    \
        if (!slot_) return -1;                                                                     \
        (m)->list = data_;                                                                         \
        memcpy(slot_, (item), sizeof *(item));                                                     \
    } while (0)

int kl_mesh_add_spring(kl_mesh *m, const kl_spring *s)
{
    ADD(m, spring, nspring, spring_cap, s);
    return m->nspring++;
}

int kl_mesh_add_mass(kl_mesh *m, const kl_point_mass *p)
{
    ADD(m, mass, nmass, mass_cap, p);
    return m->nmass++;
}

static void *copy_array(kl_mesh *m, const void *from, int n, size_t size)
{
    if (!from || n <= 0) return NULL;
    void *to = kl_arena_take_array(m->arena, (size_t)n, size);
    if (to) memcpy(to, from, (size_t)n * size);
    return to;
}

int kl_mesh_add_tie(kl_mesh *m, const kl_tie *t)
{
    kl_tie copy = *t;
    copy.node   = copy_array(m, t->node, t->n, sizeof(int));
    copy.weight = copy_array(m, t->weight, t->n, sizeof(double));
    copy.marker = t->marker ? kl_arena_text(m->arena, t->marker) : NULL;
    ADD(m, tie, ntie, tie_cap, &copy);
    return m->ntie++;
}

int kl_mesh_add_material(kl_mesh *m, const kl_material *p)
{
    kl_material copy = *p;
    copy.name        = kl_arena_text(m->arena, p->name);
    copy.place.file  = kl_arena_text(m->arena, p->place.file ? p->place.file : m->source);
    ADD(m, material, nmaterial, material_cap, &copy);
    return m->nmaterial++;
}

int kl_mesh_add_property(kl_mesh *m, const kl_property *p)
{
    kl_property copy = *p;
    copy.name        = kl_arena_text(m->arena, p->name);
    copy.ply         = copy_array(m, p->ply, p->nply, sizeof(kl_ply));
    copy.place.file  = kl_arena_text(m->arena, p->place.file ? p->place.file : m->source);
    ADD(m, property, nproperty, property_cap, &copy);
    return m->nproperty++;
}

static bool same(const char *a, const char *b) { return a && b && strcmp(a, b) == 0; }

int kl_mesh_find_material(const kl_mesh *m, const char *name)
{
    for (int i = 0; i < m->nmaterial; i++)
        if (same(m->material[i].name, name)) return i;
    return -1;
}

int kl_mesh_find_property(const kl_mesh *m, const char *name)
{
    for (int i = 0; i < m->nproperty; i++)
        if (same(m->property[i].name, name)) return i;
    return -1;
}

/* ---- sets ---- */

int kl_mesh_find_set(const kl_mesh *m, kl_set_kind kind, const char *name)
{
    for (int i = 0; i < m->nset; i++)
        if (m->set[i].kind == kind && same(m->set[i].name, name)) return i;
    return -1;
}

int kl_mesh_set(kl_mesh *m, kl_set_kind kind, const char *name)
{
    int known = kl_mesh_find_set(m, kind, name);
    if (known >= 0) return known;
    kl_set set = {kl_arena_text(m->arena, name), kind, 0, 0, NULL, NULL};
    ADD(m, set, nset, set_cap, &set);
    return m->nset++;
}

void kl_mesh_set_put_node(kl_mesh *m, int set, int node)
{
    if (set < 0) return;
    kl_set *s    = &m->set[set];
    void   *data = s->node;
    int    *slot = kl_arena_grow(m->arena, &data, s->n, &s->cap, sizeof(int));
    if (!slot) return;
    s->node = data;
    *slot   = node;
    s->n++;
}

void kl_mesh_set_put_element(kl_mesh *m, int set, kl_element_ref ref)
{
    if (set < 0) return;
    kl_set         *s    = &m->set[set];
    void           *data = s->element;
    kl_element_ref *slot = kl_arena_grow(m->arena, &data, s->n, &s->cap, sizeof(kl_element_ref));
    if (!slot) return;
    s->element = data;
    *slot      = ref;
    s->n++;
}

static int compare_int(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

static int sort_unique(int *v, int n)
{
    if (n == 0) return 0;
    qsort(v, (size_t)n, sizeof(int), compare_int);
    int kept = 1;
    for (int i = 1; i < n; i++)
        if (v[i] != v[kept - 1]) v[kept++] = v[i];
    return kept;
}

/* nodes of one item of a set, appended to out */
static int item_nodes(const kl_mesh *m, const kl_set *s, int item, int out[20])
{
    if (s->kind == KL_NODE_SET) {
        out[0] = s->node[item];
        return 1;
    }
    kl_element_ref       ref  = s->element[item];
    const kl_shape_info *info = &shapes[ref.shape];
    const int           *node = &m->block[ref.shape].node[(size_t)ref.index * (size_t)info->nnode];
    bool face = s->kind == KL_SURFACE_SET && ref.face >= 0 && ref.face < info->nface;
    int  n    = face ? info->face_nnode[ref.face] : info->nnode;
    for (int i = 0; i < n; i++) out[i] = node[face ? info->face[ref.face][i] : i];
    return n;
}

const int *kl_mesh_set_nodes(kl_mesh *m, const char *name, int *n)
{
    size_t total = 0;
    for (int i = 0; i < m->nset; i++)
        if (same(m->set[i].name, name)) total += 20 * (size_t)m->set[i].n;
    *n        = 0;
    int *node = total ? kl_arena_array(m->arena, int, total) : NULL;
    if (!node) return NULL;
    int used = 0;
    for (int i = 0; i < m->nset; i++) {
        if (!same(m->set[i].name, name)) continue;
        for (int k = 0; k < m->set[i].n; k++) used += item_nodes(m, &m->set[i], k, node + used);
    }
    *n = sort_unique(node, used);
    return node;
}

void kl_mesh_leftover(kl_mesh *m, const char *text, int line)
{
    for (int i = 0; i < m->nleftover; i++) {
        if (!same(m->leftover[i].text, text)) continue;
        m->leftover[i].count++;
        return;
    }
    void        *data = m->leftover;
    kl_leftover *slot =
        kl_arena_grow(m->arena, &data, m->nleftover, &m->leftover_cap, sizeof *slot);
    if (!slot) return;
    m->leftover = data;
    *slot       = (kl_leftover){kl_arena_text(m->arena, text), 1, line};
    m->nleftover++;
}

/* cards that hold nodes, which a body does otherwise */
static bool is_support(const char *text)
{
    static const char *const cards[] = {"*BOUNDARY", "SPC", "SPC1", "SPCADD", "GRID, field PS"};
    for (size_t i = 0; i < sizeof cards / sizeof *cards; i++)
        if (strcmp(text, cards[i]) == 0) return true;
    return false;
}

kl_status kl_mesh_finish(kl_mesh *m, kl_diag *diag)
{
    for (int i = 0; i < m->nset; i++)
        if (m->set[i].kind == KL_NODE_SET) m->set[i].n = sort_unique(m->set[i].node, m->set[i].n);
    kl_place place = {m->source, 0, 0};
    if (!kl_mesh_ok(m))
        return kl_fail(diag, KL_E_MEMORY, place, "out of memory while reading the mesh");
    if (m->nnode == 0)
        return kl_fail(diag, KL_E_MODEL, place,
                       "the mesh has no nodes; write the file again with its nodes");
    for (int i = 0; i < m->nleftover; i++) {
        kl_place at = {m->source, m->leftover[i].line, 1};
        kl_warn(diag, at, "not supported and ignored: %s (%d time%s)%s", m->leftover[i].text,
                m->leftover[i].count, m->leftover[i].count == 1 ? "" : "s",
                is_support(m->leftover[i].text)
                    ? "; the body is free: fix nodes with `reference:` in the body file"
                    : "");
    }
    return KL_OK;
}

/* ---- beam sections ---- */

static void stress_points(kl_property *p, double y, double z, bool corners)
{
    const double cy[4] = {y, -y, corners ? -y : 0, corners ? y : 0};
    const double cz[4] = {corners ? z : 0, corners ? z : 0, corners ? -z : z, -z};
    memcpy(p->stress_y, cy, sizeof cy);
    memcpy(p->stress_z, cz, sizeof cz);
}

/* ---- shells ---- */

kl_vec3 kl_shell_normal(const kl_mesh *m, kl_shape shape, int index)
{
    int        n    = kl_shape_info_of(shape)->nnode;
    const int *node = &m->block[shape].node[(size_t)index * (size_t)n];
    kl_vec3    x0 = m->x[node[0]], x1 = m->x[node[1]], x2 = m->x[node[2]];
    if (n == 3) return kl_unit(kl_cross(kl_sub(x1, x0), kl_sub(x2, x0)));
    return kl_unit(kl_cross(kl_sub(x2, x0), kl_sub(m->x[node[3]], x1))); /* of the diagonals */
}

double kl_shell_angle(const kl_mesh *m, kl_shape shape, int index, kl_vec3 direction)
{
    int        nnode = kl_shape_info_of(shape)->nnode;
    const int *node  = &m->block[shape].node[(size_t)index * (size_t)nnode];
    kl_vec3    n     = kl_shell_normal(m, shape, index);
    kl_vec3    side  = kl_sub(m->x[node[1]], m->x[node[0]]);
    side             = kl_axpy(-kl_dot(side, n), n, side);
    return atan2(kl_dot(n, kl_cross(side, direction)), kl_dot(side, direction));
}

void kl_section_circle(kl_property *p, double radius)
{
    double r2 = radius * radius;
    p->kind   = KL_BEAM;
    p->area   = pi * r2;
    p->Iy = p->Iz = 0.25 * pi * r2 * r2;
    p->Iyz        = 0.0;
    p->J          = 0.5 * pi * r2 * r2;
    p->ky         = p->kz =
        0.9; /* Timoshenko's mean for a full circle; Cowper 1966 gives 6(1+nu)/(7+6nu) */
    stress_points(p, radius, radius, false);
}

void kl_section_tube(kl_property *p, double outer_radius, double thickness)
{
    double ro = outer_radius, ri = outer_radius - thickness;
    double o2 = ro * ro, i2 = ri * ri;
    p->kind = KL_BEAM;
    p->area = pi * (o2 - i2);
    p->Iy = p->Iz = 0.25 * pi * (o2 * o2 - i2 * i2);
    p->Iyz        = 0.0;
    p->J          = 0.5 * pi * (o2 * o2 - i2 * i2);
    /* between the full circle (0.9) and the thin ring (0.5), Cowper's form at nu = 0.3 */
    double m = ri / ro, m2 = m * m, nu = 0.3;
    double k = 6 * (1 + nu) * (1 + m2) * (1 + m2) /
               ((7 + 6 * nu) * (1 + m2) * (1 + m2) + (20 + 12 * nu) * m2);
    p->ky = p->kz = k;
    stress_points(p, ro, ro, false);
}

void kl_section_rectangle(kl_property *p, double width_y, double height_z)
{
    double b = width_y, h = height_z;
    p->kind = KL_BEAM;
    p->area = b * h;
    p->Iy   = b * h * h * h / 12;
    p->Iz   = h * b * b * b / 12;
    p->Iyz  = 0.0;
    p->ky = p->kz = 5.0 / 6.0;
    /* Saint-Venant torsion: a b^3 (1/3 - 64/pi^5 (b/a) sum tanh(n pi a / 2 b) / n^5), a >= b;
     * Timoshenko and Goodier, Theory of Elasticity, section 109 */
    double longer = fmax(b, h), shorter = fmin(b, h), sum = 0.0;
    for (int n = 1; n < 40; n += 2)
        sum += tanh(0.5 * n * pi * longer / shorter) / pow((double)n, 5);
    p->J = longer * pow(shorter, 3) * (1.0 / 3.0 - 64.0 / pow(pi, 5) * shorter / longer * sum);
    stress_points(p, 0.5 * b, 0.5 * h, true);
}

void kl_section_box(kl_property *p, double width_y, double height_z, double side, double flange)
{
    double b = width_y, h = height_z, bi = b - 2 * side, hi = h - 2 * flange;
    double bm = b - side, hm = h - flange; /* of the middle line */
    p->kind = KL_BEAM;
    p->area = b * h - bi * hi;
    p->Iy   = (b * h * h * h - bi * hi * hi * hi) / 12;
    p->Iz   = (h * b * b * b - hi * bi * bi * bi) / 12;
    p->Iyz  = 0.0;
    /* Bredt: J = 4 A^2 / contour integral of ds/t */
    p->J  = 4 * bm * bm * hm * hm / (2 * bm / flange + 2 * hm / side);
    p->ky = 2 * b * flange / p->area; /* the walls along a direction carry its shear */
    p->kz = 2 * h * side / p->area;
    stress_points(p, 0.5 * b, 0.5 * h, true);
}

void kl_section_i(kl_property *p, double height, double width, double flange, double web)
{
    double inner = height - 2 * flange;
    p->kind      = KL_BEAM;
    p->area      = 2 * width * flange + inner * web;
    p->Iy        = (width * pow(height, 3) - (width - web) * pow(inner, 3)) / 12;
    p->Iz        = (2 * flange * pow(width, 3) + inner * pow(web, 3)) / 12;
    p->Iyz       = 0.0;
    p->J         = (2 * width * pow(flange, 3) + (height - flange) * pow(web, 3)) / 3;
    p->ky        = 5.0 / 6.0 * 2 * width * flange / p->area; /* flanges carry the shear along y */
    p->kz        = height * web / p->area;                   /* the web carries the shear along z */
    stress_points(p, 0.5 * width, 0.5 * height, true);
}

/* ---- use ---- */

void kl_mesh_to_si(kl_mesh *m, double length, double mass, double time)
{
    double L = length, force = mass * length / (time * time), stress = force / (L * L);
    for (int i = 0; i < m->nnode; i++) m->x[i] = kl_scale(L, m->x[i]);
    for (int i = 0; i < m->nmaterial; i++) {
        kl_material *p = &m->material[i];
        p->rho *= mass / (L * L * L);
        p->E *= stress;
        p->E1 *= stress, p->E2 *= stress, p->E3 *= stress;
        p->G12 *= stress, p->G13 *= stress, p->G23 *= stress;
    }
    for (int i = 0; i < m->nproperty; i++) {
        kl_property *p = &m->property[i];
        p->nsm *= p->kind == KL_BEAM ? mass / L : mass / (L * L);
        p->thickness *= L, p->bottom *= L;
        p->area *= L * L;
        p->Iy *= L * L * L * L, p->Iz *= L * L * L * L, p->Iyz *= L * L * L * L,
            p->J *= L * L * L * L;
        for (int k = 0; k < p->nply; k++) p->ply[k].thickness *= L;
        for (int k = 0; k < 4; k++) p->stress_y[k] *= L, p->stress_z[k] *= L;
    }
    for (int i = 0; i < m->nspring; i++)
        for (int k = 0; k < 6; k++) m->spring[i].k[k] *= k < 3 ? force / L : force * L;
    for (int i = 0; i < m->nmass; i++) {
        m->mass[i].mass *= mass;
        m->mass[i].offset = kl_scale(L, m->mass[i].offset);
        m->mass[i].J      = kl_mat_scale(mass * L * L, &m->mass[i].J);
    }
}

int kl_mesh_count(const kl_mesh *m)
{
    int n = 0;
    for (int s = 0; s < KL_SHAPE_COUNT; s++) n += m->block[s].n;
    return n;
}

bool kl_mesh_has_rotations(const kl_mesh *m)
{
    return m->block[KL_TRI3].n + m->block[KL_QUAD4].n + m->block[KL_BEAM2].n > 0;
}

double kl_mesh_size(const kl_mesh *m)
{
    if (m->nnode == 0) return 0.0;
    kl_vec3 lo = m->x[0], hi = m->x[0];
    for (int i = 1; i < m->nnode; i++) {
        kl_vec3 x = m->x[i];
        lo        = kl_vec(fmin(lo.x, x.x), fmin(lo.y, x.y), fmin(lo.z, x.z));
        hi        = kl_vec(fmax(hi.x, x.x), fmax(hi.y, x.y), fmax(hi.z, x.z));
    }
    return kl_norm(kl_sub(hi, lo));
}
