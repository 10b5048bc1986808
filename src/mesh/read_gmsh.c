/* Gmsh meshes: MSH 2.2 and 4.1, text and binary of either byte order.
 *
 * A file is a sequence of sections $Name ... $EndName. The formats are described in the Gmsh
 * reference manual, chapter "Gmsh file formats"; the node orders in its section "Node ordering".
 * Text and binary differ only in how one number is taken, so there is one parser over take_*().
 *
 * What becomes what: physical groups become sets. Elements of the highest dimension in the file are
 * the structure. Those of lower dimension mark places: they become sets of nodes, and surfaces on
 * solids also sets of faces, unless options name their group as structural.
 * Gmsh 2.2 repeats an element for every physical group that holds it, with a new number; such a
 * repetition directly after its original is the same element in one more set.
 */
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mesh/read_gmsh.h"

static const int tet10_order[]   = {0, 1, 2, 3, 4, 5, 6, 7, 9, 8};
static const int hex20_order[]   = {0,  1, 2,  3,  4,  5,  6,  7,  8,  11,
                                    13, 9, 16, 18, 19, 17, 10, 12, 14, 15};
static const int wedge15_order[] = {0, 1, 2, 3, 4, 5, 6, 9, 7, 12, 14, 13, 8, 10, 11};

static const char linear[]    = "shells and beams are linear: mesh them with Mesh.ElementOrder = 1";
static const char quadratic[] = "use Mesh.ElementOrder 1 or 2";
static const char pyramids[]  = "mesh without pyramids, for example with tetrahedra only";

/* clang-format off */
static const element_type types[] = {
    [1]  = {2, 1, KL_BEAM2, "2-node line", NULL, NULL},
    [2]  = {3, 2, KL_TRI3, "3-node triangle", NULL, NULL},
    [3]  = {4, 2, KL_QUAD4, "4-node quadrangle", NULL, NULL},
    [4]  = {4, 3, KL_TET4, "4-node tetrahedron", NULL, NULL},
    [5]  = {8, 3, KL_HEX8, "8-node hexahedron", NULL, NULL},
    [6]  = {6, 3, KL_WEDGE6, "6-node prism", NULL, NULL},
    [7]  = {5, 3, -1, "5-node pyramid", NULL, pyramids},
    [8]  = {3, 1, -1, "3-node line", NULL, linear},
    [9]  = {6, 2, -1, "6-node triangle", NULL, linear},
    [10] = {9, 2, -1, "9-node quadrangle", NULL, linear},
    [11] = {10, 3, KL_TET10, "10-node tetrahedron", tet10_order, NULL},
    [12] = {27, 3, KL_HEX20, "27-node hexahedron", hex20_order, NULL},   /* the first 20 are those of 17 */
    [13] = {18, 3, KL_WEDGE15, "18-node prism", wedge15_order, NULL},    /* the first 15 are those of 18 */
    [14] = {14, 3, -1, "14-node pyramid", NULL, pyramids},
    [15] = {1, 0, -1, "point", NULL, NULL},
    [16] = {8, 2, -1, "8-node quadrangle", NULL, linear},
    [17] = {20, 3, KL_HEX20, "20-node hexahedron", hex20_order, NULL},
    [18] = {15, 3, KL_WEDGE15, "15-node prism", wedge15_order, NULL},
    [19] = {13, 3, -1, "13-node pyramid", NULL, pyramids},
    [20] = {9, 2, -1, "9-node triangle", NULL, linear},
    [21] = {10, 2, -1, "10-node triangle", NULL, linear},
    [22] = {12, 2, -1, "12-node triangle", NULL, linear},
    [23] = {15, 2, -1, "15-node triangle", NULL, linear},
    [24] = {15, 2, -1, "15-node triangle", NULL, linear},
    [25] = {21, 2, -1, "21-node triangle", NULL, linear},
    [26] = {4, 1, -1, "4-node line", NULL, linear},
    [27] = {5, 1, -1, "5-node line", NULL, linear},
    [28] = {6, 1, -1, "6-node line", NULL, linear},
    [29] = {20, 3, -1, "20-node tetrahedron", NULL, quadratic},
    [30] = {35, 3, -1, "35-node tetrahedron", NULL, quadratic},
    [31] = {56, 3, -1, "56-node tetrahedron", NULL, quadratic},
    [92] = {64, 3, -1, "64-node hexahedron", NULL, quadratic},
    [93] = {125, 3, -1, "125-node hexahedron", NULL, quadratic},
};
/* clang-format on */
_Static_assert(sizeof types / sizeof *types == GMSH_TYPES, "the table of types is complete");

/* ---- taking numbers ---- */

static void skip_space(gmsh *g)
{
    while (g->p < g->end && (kl_is_blank(*g->p) || *g->p == '\n')) g->p++;
}

static void skip_line(gmsh *g)
{
    const char *nl = memchr(g->p, '\n', (size_t)(g->end - g->p));
    g->p           = nl ? nl + 1 : g->end;
}

static bool at_token_end(const gmsh *g)
{
    return g->p >= g->end || kl_is_blank(*g->p) || *g->p == '\n';
}

static bool take_bytes(gmsh *g, void *to, size_t n)
{
    if ((size_t)(g->end - g->p) < n) {
        g->p = g->end;
        return false;
    }
    unsigned char *bytes = to;
    for (size_t i = 0; i < n; i++) bytes[i] = (unsigned char)g->p[g->swap ? n - 1 - i : i];
    g->p += n;
    return true;
}

/* An int of the format. Text: a token that is no int leaves p on it. */
static bool take_int(gmsh *g, long long *value)
{
    if (g->binary) {
        int32_t v;
        if (!take_bytes(g, &v, sizeof v)) return false;
        *value = v;
        return true;
    }
    skip_space(g);
    const char *start = g->p, *q = kl_scan_integer(g->p, g->end, value);
    if (!q) return false;
    g->p = q;
    if (at_token_end(g)) return true;
    g->p = start;
    return false;
}

/* A size_t of the format. */
static bool take_size(gmsh *g, long long *value)
{
    if (!g->binary) {
        skip_space(g);
        const char *start = g->p;
        if (!take_int(g, value)) return false;
        if (*value >= 0) return true;
        g->p = start; /* a count is never negative */
        return false;
    }
    if (g->size_bytes == 4) {
        uint32_t v;
        if (!take_bytes(g, &v, sizeof v)) return false;
        *value = v;
        return true;
    }
    uint64_t v;
    if (!take_bytes(g, &v, sizeof v)) return false;
    *value = v > LLONG_MAX ? LLONG_MAX : (long long)v;
    return true;
}

static bool take_real(gmsh *g, double *value)
{
    if (g->binary) return take_bytes(g, value, sizeof *value);
    skip_space(g);
    const char *start = g->p, *q = kl_scan_number(g->p, g->end, value);
    if (!q) return false;
    g->p = q;
    if (at_token_end(g)) return true;
    g->p = start;
    return false;
}

static const char *token_end(const char *p, const char *end)
{
    while (p < end && !kl_is_blank(*p) && *p != '\n') p++;
    return p;
}

/* A number could not be taken: says why. True when reading may go on with the next line. */
static bool record_failed(gmsh *g, const char *section, long long announced, long long found)
{
    if (g->p >= g->end) {
        kl_flaw(g->r, KL_FLAW_TRUNCATED, g->t, g->end,
                "the file ends in $%s after %lld of %lld entries; write or copy it again", section,
                found, announced);
        return false;
    }
    if (!g->binary && *g->p == '$') {
        kl_flaw(g->r, KL_FLAW_COUNT, g->t, g->p,
                "$%s declares %lld entries but contains %lld; correct the count or write the file "
                "again",
                section, announced, found);
        return false;
    }
    kl_flaw(g->r, KL_FLAW_NUMBER, g->t, g->p,
            "'%s' is not a number, in $%s; write or copy the file again",
            kl_quote(g->r, g->p, token_end(g->p, g->end)), section);
    if (g->binary) return false;
    skip_line(g);
    return true;
}

/* ---- groups ---- */

static uint64_t pair(long long dimension, long long tag)
{
    return (uint64_t)dimension << 32 | (uint32_t)tag;
}

static int group_of(gmsh *g, int dimension, long long signed_tag)
{
    long long tag   = signed_tag < 0 ? -signed_tag : signed_tag; /* the sign is an orientation */
    int       known = kl_int_map_find(&g->group_map, pair(dimension, tag));
    if (known >= 0) return known;
    static const char *const kinds[] = {"point", "curve", "surface", "volume"};
    group                   *slot =
        kl_arena_grow(g->r->arena, (void **)&g->groups, g->ngroup, &g->group_cap, sizeof *slot);
    if (!slot || !kl_int_map_put(g->r->arena, &g->group_map, pair(dimension, tag), g->ngroup))
        return -1;
    *slot      = (group){.dimension   = dimension,
                         .tag         = (int)tag,
                         .element_set = -1,
                         .node_set    = -1,
                         .surface_set = -1};
    slot->name = kl_arena_format(g->r->arena, "%s-%d", kinds[dimension], (int)tag);
    return g->ngroup++;
}

static void name_group(gmsh *g, int dimension, long long tag, const char *first, const char *last)
{
    int i = group_of(g, dimension, tag);
    if (i < 0) return;
    g->groups[i].name = kl_arena_text_n(g->r->arena, first, (size_t)(last - first));
}

/* The groups of an entity of 4.1; none if the file does not give them. */
static span entity_groups(const gmsh *g, long long dimension, long long tag)
{
    int e = kl_int_map_find(&g->entity_map, pair(dimension, tag));
    return e >= 0 ? g->entities[e] : (span){0, 0};
}

void gmsh_put_in_sets(gmsh *g, span groups, kl_element_ref ref)
{
    for (int i = 0; i < groups.n; i++) {
        group *b = &g->groups[g->lists.v[groups.first + i]];
        if (b->element_set < 0) b->element_set = kl_mesh_set(g->r->mesh, KL_ELEMENT_SET, b->name);
        kl_mesh_set_put_element(g->r->mesh, b->element_set, ref);
    }
}

/* ---- sections ---- */

static void section_format(gmsh *g)
{
    double    version;
    long long type, size;
    if (!take_real(g, &version) || !take_int(g, &type) || !take_int(g, &size)) {
        record_failed(g, "MeshFormat", 3, 0);
        g->p = g->end;
        return;
    }
    bool two = version >= 2.0 && version < 3.0, four = version >= 4.1 && version < 5.0;
    if (!two && !four) {
        kl_flaw(g->r, KL_FLAW_SYNTAX, g->t, g->p,
                "this is Gmsh format %g; save the mesh as 2.2 or 4.1 (gmsh -format msh41, or "
                "Mesh.MshFileVersion = 4.1)",
                version);
        g->p = g->end;
        return;
    }
    g->version    = two ? 2 : 4;
    g->size_bytes = size == 4 ? 4 : 8;
    if (type == 0) return;

    /* binary: the number one shows the byte order */
    skip_line(g);
    g->binary = g->t->binary = true;
    int32_t one;
    if (!take_bytes(g, &one, sizeof one)) {
        record_failed(g, "MeshFormat", 4, 3);
        return;
    }
    g->swap = one == 0x01000000;
    if (one == 1 || g->swap) return;
    kl_flaw(g->r, KL_FLAW_SYNTAX, g->t, g->p,
            "the byte order mark is %d instead of 1; the file is damaged, perhaps by a copy in "
            "text mode",
            one);
    g->p = g->end;
}

/* The quoted name of a group, within its line. */
static bool take_name(gmsh *g, const char **first, const char **last)
{
    skip_space(g);
    if (g->p >= g->end || *g->p != '"') return false;
    *first = g->p + 1;
    for (*last = *first; *last < g->end && **last != '\n'; (*last)++) {
        if (**last != '"') continue;
        g->p = *last + 1;
        return true;
    }
    return false;
}

static void section_names(gmsh *g)
{
    /* names are text in both kinds of file */
    bool binary = g->binary;
    g->binary   = false;
    long long n = 0;
    if (!take_int(g, &n)) record_failed(g, "PhysicalNames", 1, 0);
    for (long long i = 0; i < n; i++) {
        long long   dimension, tag;
        const char *first, *last;
        if (!take_int(g, &dimension) || !take_int(g, &tag)) {
            if (!record_failed(g, "PhysicalNames", n, i)) break;
        } else if (dimension < 0 || dimension > 3 || !take_name(g, &first, &last)) {
            kl_flaw(g->r, KL_FLAW_SYNTAX, g->t, g->p,
                    "expected: dimension (0 to 3), number, \"name\" of a physical group");
            skip_line(g);
        } else {
            name_group(g, (int)dimension, tag, first, last);
        }
    }
    g->binary = binary;
}

/* One entity of 4.1: only its groups are needed. */
static bool take_entity(gmsh *g, int dimension, bool partitioned)
{
    long long tag, n, skipped;
    double    real;
    if (!take_int(g, &tag)) return false;
    if (partitioned) {
        if (!take_int(g, &skipped) || !take_int(g, &skipped) || !take_size(g, &n)) return false;
        for (long long i = 0; i < n; i++)
            if (!take_int(g, &skipped)) return false;
    }
    for (int i = 0; i < (dimension == 0 ? 3 : 6); i++)
        if (!take_real(g, &real)) return false;
    span groups = {(int)g->lists.n, 0};
    if (!take_size(g, &n)) return false;
    for (long long i = 0; i < n; i++) {
        long long physical;
        if (!take_int(g, &physical)) return false;
        int b = group_of(g, dimension, physical);
        if (b < 0 || !kl_int_list_push(g->r, &g->lists, b)) return false;
        groups.n++;
    }
    if (dimension > 0) {
        if (!take_size(g, &n)) return false;
        for (long long i = 0; i < n; i++)
            if (!take_int(g, &skipped)) return false;
    }
    span *slot =
        kl_arena_grow(g->r->arena, (void **)&g->entities, g->nentity, &g->entity_cap, sizeof *slot);
    if (!slot) return false;
    *slot = groups;
    return kl_int_map_put(g->r->arena, &g->entity_map, pair(dimension, tag), g->nentity++);
}

static void entities(gmsh *g, const char *section, bool partitioned)
{
    long long n[4], total = 0, found = 0, ghosts, skipped;
    bool      ok = true;
    if (partitioned) {
        ok = take_size(g, &skipped) && take_size(g, &ghosts);
        for (long long i = 0; ok && i < ghosts; i++)
            ok = take_int(g, &skipped) && take_int(g, &skipped);
    }
    for (int d = 0; d < 4; d++) {
        ok = ok && take_size(g, &n[d]);
        if (ok && total < LLONG_MAX - n[d]) total += n[d];
    }
    for (int d = 0; ok && d < 4; d++)
        for (long long i = 0; ok && i < n[d]; i++, found++) ok = take_entity(g, d, partitioned);
    if (!ok) record_failed(g, section, total, found);
}

static void section_entities(gmsh *g) { entities(g, "Entities", false); }
static void section_partitioned(gmsh *g) { entities(g, "PartitionedEntities", true); }

/* ---- nodes ---- */

static bool take_position(gmsh *g, kl_vec3 *x)
{
    return take_real(g, &x->x) && take_real(g, &x->y) && take_real(g, &x->z);
}

/* 2.2: number, x, y, z; with parameters also dimension, entity, and as many parameters. */
static void nodes_2(gmsh *g, const char *section, bool parametric)
{
    long long n, id, dimension, entity;
    double    parameter;
    kl_vec3   x;
    bool      binary = g->binary;
    g->binary        = false; /* the count is text */
    if (!take_int(g, &n)) {
        record_failed(g, section, 1, 0);
        return;
    }
    g->binary = binary;
    if (binary) skip_line(g);
    for (long long i = 0; i < n; i++) {
        if (!binary) skip_space(g);
        const char *at = g->p;
        bool        ok = take_int(g, &id) && take_position(g, &x);
        if (ok && parametric) {
            ok = take_int(g, &dimension) && take_int(g, &entity);
            /* on a curve one, on a surface two, in a volume none */
            long long nparameter = dimension == 1 || dimension == 2 ? dimension : 0;
            for (long long k = 0; ok && k < nparameter; k++) ok = take_real(g, &parameter);
        }
        if (ok) kl_import_node(g->r, g->t, at, id, x);
        else if (!record_failed(g, section, n, i)) return;
    }
}

/* 4.1: blocks of numbers, then of positions and parameters. */
static void nodes_4(gmsh *g)
{
    long long nblock, n, least, most, done = 0;
    if (!take_size(g, &nblock) || !take_size(g, &n) || !take_size(g, &least) ||
        !take_size(g, &most)) {
        record_failed(g, "Nodes", 4, 0);
        return;
    }
    for (long long b = 0; b < nblock; b++) {
        long long dimension, entity, parametric, count, tag;
        if (!take_int(g, &dimension) || !take_int(g, &entity) || !take_int(g, &parametric) ||
            !take_size(g, &count)) {
            record_failed(g, "Nodes", n, done);
            return;
        }
        g->block_tag.n = 0;
        for (long long i = 0; i < count; i++) {
            if (!take_size(g, &tag)) {
                if (!record_failed(g, "Nodes", n, done + i)) return;
                tag = 0;
            } else if (tag < 1 || tag > INT_MAX) {
                kl_flaw(g->r, KL_FLAW_ID, g->t, g->p, "node number %lld: must be between 1 and %d",
                        tag, INT_MAX);
                tag = 0; /* reported: skipped below */
            }
            if (!kl_int_list_push(g->r, &g->block_tag, (int)tag)) return;
        }
        int nparameter = parametric ? (int)(dimension < 0 ? 0 : dimension > 3 ? 3 : dimension) : 0;
        for (long long i = 0; i < count; i++) {
            if (!g->binary) skip_space(g);
            const char *at = g->p;
            kl_vec3     x;
            double      parameter;
            bool        ok = take_position(g, &x);
            for (int k = 0; ok && k < nparameter; k++) ok = take_real(g, &parameter);
            if (ok && g->block_tag.v[i]) kl_import_node(g->r, g->t, at, g->block_tag.v[i], x);
            else if (!ok && !record_failed(g, "Nodes", n, done + i)) return;
        }
        done += count;
    }
    if (done != n)
        kl_flaw(g->r, KL_FLAW_COUNT, g->t, g->p,
                "$Nodes declares %lld nodes but contains %lld; write or copy the file again", n,
                done);
}

static void section_nodes(gmsh *g)
{
    g->has_nodes = true;
    if (g->version == 2) nodes_2(g, "Nodes", false);
    else nodes_4(g);
}

static void section_parametric(gmsh *g)
{
    g->has_nodes = true;
    nodes_2(g, "ParametricNodes", true);
}

/* ---- elements ---- */

const element_type *gmsh_type(long long number)
{
    return number > 0 && number < GMSH_TYPES && types[number].nnode ? &types[number] : NULL;
}

kl_element_ref gmsh_put(gmsh *g, const element_type *e, const char *at, long long id, span groups,
                        const int *node)
{
    int            canonical[20], n = kl_shape_info_of((kl_shape)e->shape)->nnode;
    kl_element_ref ref = {(kl_shape)e->shape, -1, 0};
    for (int i = 0; i < n; i++) canonical[i] = node[e->order ? e->order[i] : i];
    ref.index = kl_import_element(g->r, g->t, at, ref.shape, id, -1, canonical);
    if (ref.index >= 0) gmsh_put_in_sets(g, groups, ref);
    return ref;
}

/* Elements below three dimensions wait: only at the end is it known what they are. */
static void hold(gmsh *g, long long type, const char *at, long long id, span groups,
                 const int *node)
{
    int64_t place = at - g->t->data;
    bool    ok    = kl_int_list_push(g->r, &g->held_place, (int)(place >> 31)) &&
              kl_int_list_push(g->r, &g->held_place, (int)(place & 0x7fffffff)) &&
              kl_int_list_push(g->r, &g->held, (int)type) &&
              kl_int_list_push(g->r, &g->held, (int)id) &&
              kl_int_list_push(g->r, &g->held, groups.first) &&
              kl_int_list_push(g->r, &g->held, groups.n) &&
              kl_int_list_push(g->r, &g->held, (int)(g->held_place.n / 2 - 1));
    for (int i = 0; ok && i < types[type].nnode; i++)
        ok = kl_int_list_push(g->r, &g->held, node[i]);
    if (!ok) g->r->status = KL_E_MEMORY;
}

void gmsh_refuse(gmsh *g, const element_type *e, const char *at, long long id)
{
    kl_unsupported(g->r, g->t, at, e->name, "element %lld: a %s is not supported; %s", id, e->name,
                   e->advice ? e->advice : "remove it from the physical groups");
}

/* One element with its groups; entity and tag (2.2) identify repetitions. */
static void put(gmsh *g, long long type, const char *at, long long id, span groups, int entity,
                int tag, const long long *node_tag)
{
    const element_type *e = &types[type];
    int                 node[MOST_NODES];
    bool                known = true;
    for (int i = 0; i < e->nnode; i++) {
        node[i] = kl_import_find_node(g->r, g->t, at, node_tag[i], "element", id);
        known   = known && node[i] >= 0;
    }
    if (id < 1 || id > INT_MAX) {
        kl_flaw(g->r, KL_FLAW_ID, g->t, at, "element number %lld: must be between 1 and %d", id,
                INT_MAX);
        return;
    }
    if (!known) return;
    if (e->dimension > g->highest) g->highest = e->dimension;

    bool repeated = g->version == 2 && g->last_valid && type == g->last_type &&
                    entity == g->last_entity && tag != g->last_tag &&
                    memcmp(node, g->last_nodes, (size_t)e->nnode * sizeof *node) == 0;
    if (repeated && g->last_solid) {
        gmsh_put_in_sets(g, groups, g->last_ref);
        return;
    }
    g->last_solid = false;
    if (e->dimension < 3) {
        hold(g, type, at, repeated ? -id : id, groups, node);
    } else if (e->shape < 0) {
        gmsh_refuse(g, e, at, id);
    } else {
        g->last_ref   = gmsh_put(g, e, at, id, groups, node);
        g->last_solid = g->last_ref.index >= 0;
        g->dropped_nodes[type] += e->nnode > kl_shape_info_of((kl_shape)e->shape)->nnode;
    }
    g->last_valid  = true;
    g->last_type   = (int)type;
    g->last_entity = entity;
    g->last_tag    = tag;
    memcpy(g->last_nodes, node, (size_t)e->nnode * sizeof *node);
}

static const element_type *known_type(gmsh *g, long long type, const char *at)
{
    const element_type *e = gmsh_type(type);
    if (!e)
        kl_flaw(g->r, KL_FLAW_UNSUPPORTED, g->t, at,
                "Gmsh element type %lld is not supported; use Mesh.ElementOrder 1 or 2", type);
    return e;
}

/* 2.2: the tags of one element; the first is the physical group, the second the entity. */
static bool take_tags(gmsh *g, long long n, long long tag[WANTED_TAGS])
{
    tag[0] = tag[1] = 0;
    for (long long i = 0; i < n; i++) {
        long long v;
        if (!take_int(g, &v)) return false;
        if (i < WANTED_TAGS) tag[i] = v;
    }
    return true;
}

static span groups_of_tag(gmsh *g, const element_type *e, long long tag)
{
    span none = {0, 0};
    if (tag == 0) return none;
    int b = group_of(g, e->dimension, tag);
    if (b < 0) return none;
    /* consecutive elements mostly share their group */
    size_t n = g->lists.n;
    if (n > 0 && g->lists.v[n - 1] == b) return (span){(int)n - 1, 1};
    if (!kl_int_list_push(g->r, &g->lists, b)) return none;
    return (span){(int)n, 1};
}

static bool take_nodes(gmsh *g, const element_type *e, long long *node)
{
    for (int i = 0; i < e->nnode; i++)
        if (!(g->version == 2 ? take_int(g, &node[i]) : take_size(g, &node[i]))) return false;
    return true;
}

static bool element_2(gmsh *g, long long type, const element_type *e, const char *at, long long id,
                      long long ntag)
{
    long long tag[WANTED_TAGS], node[MOST_NODES];
    if (!take_tags(g, ntag, tag) || !take_nodes(g, e, node)) return false;
    put(g, type, at, id, groups_of_tag(g, e, tag[0]), (int)tag[1], (int)tag[0], node);
    return true;
}

static void elements_2_text(gmsh *g, long long n)
{
    for (long long i = 0; i < n; i++) {
        long long id, type, ntag;
        skip_space(g);
        const char *at = g->p;
        if (!take_int(g, &id) || !take_int(g, &type) || !take_int(g, &ntag)) {
            if (!record_failed(g, "Elements", n, i)) return;
            continue;
        }
        const element_type *e = known_type(g, type, at);
        if (!e) skip_line(g);
        else if (!element_2(g, type, e, at, id, ntag) && !record_failed(g, "Elements", n, i))
            return;
    }
}

/* Binary: runs of elements of one type and number of tags. */
static void elements_2_binary(gmsh *g, long long n)
{
    for (long long done = 0; done < n;) {
        long long   type, count, ntag, id;
        const char *at = g->p;
        if (!take_int(g, &type) || !take_int(g, &count) || !take_int(g, &ntag)) {
            record_failed(g, "Elements", n, done);
            return;
        }
        const element_type *e = known_type(g, type, at);
        if (!e) return;
        if (count < 1) {
            kl_flaw(g->r, KL_FLAW_COUNT, g->t, at,
                    "a block of %lld elements: the file is damaged; write or copy it again", count);
            return;
        }
        for (long long i = 0; i < count; i++, done++) {
            at = g->p;
            if (take_int(g, &id) && element_2(g, type, e, at, id, ntag)) continue;
            record_failed(g, "Elements", n, done);
            return;
        }
    }
}

static void elements_2(gmsh *g)
{
    long long n;
    bool      binary = g->binary;
    g->binary        = false;
    bool ok          = take_int(g, &n);
    if (!ok) record_failed(g, "Elements", 1, 0);
    g->binary = binary;
    if (!ok) return;
    if (binary) skip_line(g);
    if (binary) elements_2_binary(g, n);
    else elements_2_text(g, n);
}

static void elements_4(gmsh *g)
{
    long long nblock, n, least, most, done = 0;
    if (!take_size(g, &nblock) || !take_size(g, &n) || !take_size(g, &least) ||
        !take_size(g, &most)) {
        record_failed(g, "Elements", 4, 0);
        return;
    }
    for (long long b = 0; b < nblock; b++) {
        long long   dimension, entity, type, count, id, node[MOST_NODES];
        const char *at = g->p;
        if (!take_int(g, &dimension) || !take_int(g, &entity) || !take_int(g, &type) ||
            !take_size(g, &count)) {
            record_failed(g, "Elements", n, done);
            return;
        }
        const element_type *e = known_type(g, type, at);
        if (!e && g->binary) return; /* its length is not known */
        span groups = entity_groups(g, dimension, entity);
        for (long long i = 0; i < count; i++, done++) {
            if (!g->binary) skip_space(g);
            at = g->p;
            if (!e && g->p < g->end && *g->p != '$') {
                skip_line(g);
                continue;
            }
            if (e && take_size(g, &id) && take_nodes(g, e, node))
                put(g, type, at, id, groups, 0, 0, node);
            else if (!record_failed(g, "Elements", n, done)) return;
        }
    }
    if (done != n)
        kl_flaw(g->r, KL_FLAW_COUNT, g->t, g->p,
                "$Elements declares %lld elements but contains %lld; write or copy the file again",
                n, done);
}

static void section_elements(gmsh *g)
{
    if (!g->has_nodes) {
        kl_flaw(g->r, KL_FLAW_SYNTAX, g->t, g->p,
                "$Elements precedes $Nodes; write the file again with Gmsh");
        g->p = g->end;
        return;
    }
    if (g->version == 2) elements_2(g);
    else elements_4(g);
}

/* ---- the file ---- */

static const struct {
    const char *name;
    void (*read)(gmsh *);
    bool needs_format;
} sections[] = {
    {"MeshFormat", section_format, false}, {"PhysicalNames", section_names, false},
    {"Entities", section_entities, true},  {"PartitionedEntities", section_partitioned, true},
    {"Nodes", section_nodes, true},        {"ParametricNodes", section_parametric, true},
    {"Elements", section_elements, true},
};

static const char *find_text(const char *p, const char *end, const char *word, size_t n)
{
    while ((size_t)(end - p) >= n) {
        p = memchr(p, word[0], (size_t)(end - p) - n + 1);
        if (!p) return NULL;
        if (memcmp(p, word, n) == 0) return p;
        p++;
    }
    return NULL;
}

/* Goes behind $EndName; what is before it was not read. */
static void close_section(gmsh *g, const char *name, bool known)
{
    char   mark[96];
    size_t n = (size_t)snprintf(mark, sizeof mark, "$End%.80s", name);
    skip_space(g);
    if ((size_t)(g->end - g->p) >= n && memcmp(g->p, mark, n) == 0) {
        g->p += n;
        return;
    }
    const char *found = find_text(g->p, g->end, mark, n);
    if (!found && (known ? g->r->status == KL_OK : true))
        kl_flaw(g->r, KL_FLAW_TRUNCATED, g->t, g->end,
                "$%s is not closed by %s, so the file is incomplete; write or copy it again", name,
                mark);
    else if (known && g->r->status == KL_OK)
        kl_flaw(
            g->r, KL_FLAW_COUNT, g->t, g->p,
            "$%s contains more entries than it declares; correct the count or write the file again",
            name);
    g->p = found ? found + n : g->end;
}

static void read_section(gmsh *g)
{
    const char *at = g->p, *last = token_end(at, g->end);
    char       *name = kl_arena_text_n(g->r->arena, at + 1, (size_t)(last - at - 1));
    if (!name) {
        g->p = g->end;
        return;
    }
    g->p = last;
    if (g->binary) skip_line(g); /* the data start in the next line */
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++) {
        if (strcmp(sections[i].name, name) != 0) continue;
        if (sections[i].needs_format && g->version == 0) {
            kl_flaw(g->r, KL_FLAW_SYNTAX, g->t, at,
                    "$%s precedes $MeshFormat, so this is not a Gmsh mesh", name);
            g->p = g->end;
            return;
        }
        sections[i].read(g);
        close_section(g, name, true);
        return;
    }
    if (strncmp(name, "Comment", 7) != 0)
        kl_import_ignore(g->r, g->t, at, kl_quote(g->r, at, last));
    close_section(g, name, false);
}

static void report_dropped_nodes(const gmsh *g)
{
    for (int i = 0; i < GMSH_TYPES; i++) {
        if (!g->dropped_nodes[i]) continue;
        kl_note(g->r->diag, (kl_place){g->t->name, 0, 0},
                "%d elements are %s; their nodes inside faces and volumes are ignored "
                "(Mesh.SecondOrderIncomplete = 1 avoids them)",
                g->dropped_nodes[i], types[i].name);
    }
}

void kl_read_gmsh(kl_import *r, kl_source *t)
{
    gmsh *g = kl_arena_array(r->arena, gmsh, 1);
    if (!g) return;
    g->r          = r;
    g->t          = t;
    g->p          = t->data;
    g->end        = t->end;
    g->size_bytes = 8;
    while (skip_space(g), g->p < g->end) {
        if (*g->p == '$') {
            read_section(g);
            continue;
        }
        kl_flaw(r, KL_FLAW_SYNTAX, t, g->p,
                "'%s' is outside every $Section; remove it or write the file again",
                kl_quote(r, g->p, token_end(g->p, g->end)));
        const char *next = find_text(g->p, g->end, "\n$", 2);
        g->p             = next ? next + 1 : g->end;
    }
    if (!g->has_nodes && r->status == KL_OK)
        kl_flaw(r, KL_FLAW_SYNTAX, t, NULL,
                "there is no $Nodes section, so this is not a Gmsh mesh");
    gmsh_settle(g);
    report_dropped_nodes(g);
    kl_int_list_free(&g->lists);
    kl_int_list_free(&g->held);
    kl_int_list_free(&g->held_place);
    kl_int_list_free(&g->block_tag);
}
