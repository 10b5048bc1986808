/* Reading a body file into a mesh and a recipe. */
#include "language/body.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "base/text.h"
#include "language/body_parts.h"
#include "mesh/box_mesh.h"
#include "mesh/line_mesh.h"
#include "mesh/read.h"

/* An unknown key that resembles no other: the message lists the keys that exist here. */
static kl_status refuse_key(kl_body_reader *r, const kl_node *n, const char *what,
                            const char *const *keys)
{
    kl_text list = {0};
    for (int i = 0; keys[i]; i++) kl_text_add(&list, "%s%s", i ? ", " : "", keys[i]);
    char     *names = kl_text_finish(&list);
    kl_status status =
        kl_fail(r->diag, KL_E_NAME, n->key_place, "unknown key `%s` in %s; the keys are %s", n->key,
                what, names ? names : "");
    free(names);
    return status;
}

/* Reports every unknown key of a map, not only the first one; the nearest known key is the
 * remedy. */
kl_status kl_body_check_keys(kl_body_reader *r, const kl_node *map, const char *what,
                             const char *const *keys)
{
    kl_status status = KL_OK;
    if (map->kind != KL_MAP)
        return kl_fail(r->diag, KL_E_MODEL, map->place, "%s is %s; give a map of keys", what,
                       kl_node_kind_word(map->kind));
    for (const kl_node *n = map->first; n; n = n->next) {
        int i = 0;
        while (keys[i] && strcmp(keys[i], n->key) != 0) i++;
        if (keys[i]) continue;
        const char *near = kl_nearest(n->key, keys);
        if (near)
            status = kl_fail(r->diag, KL_E_NAME, n->key_place,
                             "unknown key `%s` in %s; did you mean `%s`?", n->key, what, near);
        else status = refuse_key(r, n, what, keys);
    }
    return status;
}

kl_status kl_body_number(kl_body_reader *r, const kl_node *map, const char *key, const char *what,
                         const char *unit, double *out)
{
    const kl_node *n = kl_node_get(map, key);
    if (!n) return KL_OK;
    const char *whole = kl_arena_format(r->arena, "%s: %s", what, key);
    return kl_scope_number(&r->scope, n, whole ? whole : what, unit, out);
}

kl_status kl_body_choice(kl_body_reader *r, const kl_node *n, const char *what,
                         const char *const *words, int *out)
{
    const char *word;
    KL_TRY(kl_value_word(&r->scope, n, what, &word));
    for (int i = 0; words[i]; i++)
        if (strcmp(words[i], word) == 0) {
            *out = i;
            return KL_OK;
        }
    const char *near      = kl_nearest(word, words);
    char        list[256] = "";
    for (int i = 0; words[i]; i++) {
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, i ? ", %s" : "%s", words[i]);
    }
    return kl_fail(r->diag, KL_E_NAME, n->place, "%s '%s' is not known; %s%s%s one of: %s", what,
                   word, near ? "did you mean '" : "give", near ? near : "", near ? "'? It is" : "",
                   list);
}

static const char *beside(kl_body_reader *r, const char *name)
{
    const char *slash = strrchr(r->path, '/');
    if (name[0] == '/' || !slash) return kl_arena_text(r->arena, name);
    return kl_arena_format(r->arena, "%.*s/%s", (int)(slash - r->path), r->path, name);
}

static const char *const component_names[] = {"x", "y", "z", "rx", "ry", "rz", NULL};

/* [x, y, rz] or `all`, `translations` */
static kl_status components(kl_body_reader *r, const kl_node *n, const char *what, unsigned *out)
{
    *out = 0;
    if (n->kind == KL_SCALAR) {
        static const char *const words[] = {"all", "translations", "rotations", "x",  "y",
                                            "z",   "rx",           "ry",        "rz", NULL};
        int                      which   = 0;
        KL_TRY(kl_body_choice(r, n, what, words, &which));
        static const unsigned masks[] = {0x3f, 0x07, 0x38, 1, 2, 4, 8, 16, 32};
        *out                          = masks[which];
        return KL_OK;
    }
    for (const kl_node *c = n->first; c; c = c->next) {
        int which = 0;
        KL_TRY(kl_body_choice(r, c, what, component_names, &which));
        *out |= 1u << which;
    }
    return KL_OK;
}

/* ---- mesh or matrices ---- */

static kl_status read_units(kl_body_reader *r, const kl_node *n)
{
    static const char *const keys[] = {"length", "mass", "time", NULL};
    /* Factors from the units of the mesh file to SI. */
    r->length = r->mass = r->time = 1.0;
    if (!n) return KL_OK;
    KL_TRY(kl_body_check_keys(r, n, "units", keys));
    const struct {
        const char *key, *si;
        double     *to;
    } units[] = {{"length", "m", &r->length}, {"mass", "kg", &r->mass}, {"time", "s", &r->time}};
    for (int i = 0; i < 3; i++) {
        const kl_node *u = kl_node_get(n, units[i].key);
        kl_dim         dim;
        if (!u) continue;
        if (u->kind != KL_SCALAR || !kl_unit_parse(u->text, units[i].to, &dim) ||
            !kl_dim_equal(dim, kl_dim_of(units[i].si)))
            return kl_fail(
                r->diag, KL_E_MODEL, u->place,
                "units: '%s' is not a unit of %s; give for example {length: mm, mass: t}",
                u->kind == KL_SCALAR ? u->text : "", units[i].key);
    }
    return KL_OK;
}

/* {line: [[0, 0, 0], [1 m, 0, 0]], parts: 8}: beams along straight legs, no file at all */
static kl_status make_line(kl_body_reader *r, const kl_node *n)
{
    static const char *const keys[] = {"line", "parts", NULL};
    KL_TRY(kl_body_check_keys(r, n, "mesh", keys));
    const kl_node *line = kl_node_get(n, "line"), *cut = kl_node_get(n, "parts");
    if (!line || line->kind != KL_LIST || line->size < 2)
        return kl_fail(r->diag, KL_E_MODEL, n->place,
                       "mesh: give the name of a file, or {line: [[0, 0, 0], [1 m, 0, 0]]} with "
                       "two points or more");
    kl_vec3 *point = kl_arena_array(r->arena, kl_vec3, line->size);
    int      count = 0, parts = 8;
    if (!point) return KL_E_MEMORY;
    for (const kl_node *c = line->first; c; c = c->next)
        KL_TRY(kl_value_vec3(&r->scope, c, "mesh: line", "m", &point[count++]));
    if (cut)
        KL_TRY(kl_scope_integer(&r->scope, cut->text ? cut->text : "", cut->place, "mesh: parts",
                                &parts));
    if (parts < 1 || parts > KL_LINE_MOST)
        return kl_fail(r->diag, KL_E_RANGE, cut->place, "mesh: parts is %d; give 1 to %d", parts,
                       KL_LINE_MOST);
    return kl_mesh_line(point, count, parts, &r->out->mesh, r->diag);
}

/* {box: [1 m, 50 mm, 50 mm], parts: [20, 2, 2], ...}: solid elements or shells, no file at all */
static kl_status make_box(kl_body_reader *r, const kl_node *n)
{
    static const char *const keys[]   = {"box", "parts", "wall", "radius", "elements", NULL};
    static const char *const shapes[] = {"hex8", "tet10", "quad4", "tri3", NULL};
    static const kl_shape    kinds[]  = {KL_HEX8, KL_TET10, KL_QUAD4, KL_TRI3};
    kl_box                   b        = {0};
    kl_vec3                  size, parts = {0, 0, 0};
    int                      shape = 0;
    KL_TRY(kl_body_check_keys(r, n, "mesh", keys));
    const kl_node *cut = kl_node_get(n, "parts"), *kind = kl_node_get(n, "elements");
    KL_TRY(kl_value_vec3(&r->scope, kl_node_get(n, "box"), "mesh: box", "m", &size));
    if (!cut)
        return kl_fail(r->diag, KL_E_MODEL, n->place,
                       "mesh: a box needs `parts`, the number of elements along x, y and z, for "
                       "example `parts: [20, 2, 2]`");
    KL_TRY(kl_value_vec3(&r->scope, cut, "mesh: parts", "1", &parts));
    if (kind) KL_TRY(kl_body_choice(r, kind, "mesh: elements", shapes, &shape));
    KL_TRY(kl_body_number(r, n, "wall", "mesh", "m", &b.wall));
    KL_TRY(kl_body_number(r, n, "radius", "mesh", "m", &b.radius));
    const double lengths[3] = {size.x, size.y, size.z}, cells[3] = {parts.x, parts.y, parts.z};
    double       total = 1.0;
    b.shape            = kinds[shape];
    /* of shells the direction with 0 parts is the thickness, so exactly one of y and z has none */
    bool shell = kl_shape_info_of(b.shape)->dimension == 2;
    if (shell && (b.wall != 0.0 || (cells[1] == 0.0) == (cells[2] == 0.0)))
        return kl_fail(r->diag, KL_E_RANGE, n->place,
                       "mesh: shells (%s) need 0 `parts` along y or along z, which is the "
                       "direction of their thickness, and no `wall`; for example "
                       "`box: [1 m, 0.5 m, 2 mm], parts: [20, 10, 0]`",
                       shapes[shape]);
    for (int k = 0; k < 3; k++) {
        bool thin = shell && cells[k] == 0.0;
        total *= thin ? 1.0 : cells[k];
        if (!(lengths[k] > 0.0) || !(cells[k] >= 1.0 || thin) || cells[k] != floor(cells[k]) ||
            !(total <= KL_BOX_MOST))
            return kl_fail(
                r->diag, KL_E_RANGE, n->place,
                "mesh: a box has positive lengths and whole numbers of parts, at most %d "
                "elements",
                KL_BOX_MOST);
        b.size[k] = lengths[k], b.parts[k] = (int)cells[k];
    }
    if (shell) r->thickness = b.size[kl_box_thin(&b)];
    /* the box is bent about y with `radius` at its middle line: the inner fibre has radius - height/2 > 0 */
    double room = 0.5 * fmin(size.y, size.z);
    if (b.wall != 0.0 && (!(b.wall > 0.0 && b.wall < room) || b.parts[1] < 3 || b.parts[2] < 3))
        return kl_fail(r->diag, KL_E_RANGE, n->place,
                       "mesh: a hollow box has walls thinner than half its height and width (%g m) "
                       "and at least 3 parts along y and z",
                       room);
    if (b.radius != 0.0 && !(fabs(b.radius) > 0.5 * size.z))
        return kl_fail(r->diag, KL_E_RANGE, n->place,
                       "mesh: radius is %g m; it must be larger than half the height, %g m",
                       b.radius, 0.5 * size.z);
    return kl_mesh_box(&b, &r->out->mesh, r->diag);
}

static kl_status read_mesh(kl_body_reader *r, const kl_node *n, const kl_node *structural,
                           bool lenient)
{
    const char *name;
    if (n->kind == KL_MAP) {
        KL_TRY((kl_node_get(n, "box") ? make_box : make_line)(r, n));
        r->out->mesh->place = n->place;
        return KL_OK;
    }
    KL_TRY(kl_value_word(&r->scope, n, "mesh", &name));
    kl_read_options options = {.lenient = lenient};
    if (structural) {
        const char **list = kl_arena_array(r->arena, const char *, structural->size + 2);
        if (!list) return KL_E_MEMORY;
        int k = 0;
        for (const kl_node *c = structural->first; c; c = c->next) list[k++] = c->text;
        if (structural->kind == KL_SCALAR) list[0] = structural->text;
        options.structural = list;
    }
    KL_TRY(kl_mesh_read(beside(r, name), &options, &r->out->mesh, r->diag));
    if (r->length != 1 || r->mass != 1 || r->time != 1)
        /* Stiffness has the unit mass/time^2: all quantities of a mesh follow from these three
         * factors. */
        kl_mesh_to_si(r->out->mesh, r->length, r->mass, r->time);
    return KL_OK;
}

static kl_status read_matrices(kl_body_reader *r, const kl_node *n, bool modal)
{
    static const char *const keys[] = {"stiffness", "mass", "dof", "nodes", "dofs-per-node", NULL};
    kl_matrix_files          files  = {0};
    KL_TRY(kl_body_check_keys(r, n, "matrices", keys));
    const struct {
        const char  *key;
        const char **to;
    } names[] = {{"stiffness", &files.stiffness},
                 {"mass", &files.mass},
                 {"dof", &files.dof},
                 {"nodes", &files.nodes}};
    for (int i = 0; i < 4; i++) {
        const kl_node *c = kl_node_get(n, names[i].key);
        const char    *word;
        if (!c) continue;
        KL_TRY(kl_value_word(&r->scope, c, "matrices", &word));
        *names[i].to = beside(r, word);
    }
    double per_node = 0;
    KL_TRY(kl_body_number(r, n, "dofs-per-node", "matrices", "1", &per_node));
    files.dofs_per_node = (int)per_node;
    if (per_node != 0 && per_node != 3 && per_node != 6)
        return kl_fail(r->diag, KL_E_RANGE, kl_node_get(n, "dofs-per-node")->place,
                       "matrices: dofs-per-node is %g; give 3 or 6", per_node);
    files.modal = modal;
    KL_TRY(kl_system_read(&r->out->system, &files, NULL, &r->out->sets, r->diag));
    r->out->has_matrices = true;
    r->out->recipe.sets  = r->out->sets;
    if (r->length != 1 || r->mass != 1 || r->time != 1)
        kl_system_to_si(&r->out->system, r->length, r->mass, r->time);
    return KL_OK;
}

/* ---- markers, reference, interfaces ---- */

static kl_status read_marker(kl_body_reader *r, const kl_node *n, kl_marker_request *q)
{
    static const char *const keys[] = {"node",        "at",        "set", "tie",
                                       "orientation", "tolerance", NULL};
    static const char *const ties[] = {"rbe2", "rbe3", NULL};
    const char              *what   = kl_arena_format(r->arena, "marker '%s'", n->key);
    *q = (kl_marker_request){.name = n->key, .axes = kl_identity(), .place = n->place};
    KL_TRY(kl_body_check_keys(r, n, what, keys));
    const kl_node *node = kl_node_get(n, "node"), *at = kl_node_get(n, "at"),
                  *set = kl_node_get(n, "set");
    if (!node && !at && !set)
        return kl_fail(r->diag, KL_E_MODEL, n->place, "%s: give node, at or set", what);
    if (node && (at || set))
        return kl_fail(r->diag, KL_E_MODEL, n->place,
                       "%s: `node` already gives the position; remove `%s`", what,
                       set ? "set" : "at");
    if (!set && kl_node_get(n, "tie"))
        return kl_fail(
            r->diag, KL_E_MODEL, kl_node_get(n, "tie")->place,
            "%s: `tie` needs the nodes that it ties: give `set: NAME` beside it; without "
            "a set the marker is the %s",
            what, node ? "node itself" : "nearest node");
    if (node)
        KL_TRY(kl_scope_integer(&r->scope, node->text ? node->text : "", node->place, what,
                                &q->node_id));
    if (at) {
        q->how = KL_AT_POINT, q->has_point = true;
        KL_TRY(kl_value_vec3(&r->scope, at, what, "m", &q->point));
    }
    if (set) {
        int tie = 0;
        q->how  = KL_AT_SET;
        KL_TRY(kl_value_word(&r->scope, set, what, &q->set));
        if (kl_node_get(n, "tie"))
            KL_TRY(kl_body_choice(r, kl_node_get(n, "tie"), what, ties, &tie));
        q->tie = tie ? KL_RBE3 : KL_RBE2;
    }
    if (node) q->how = KL_AT_NODE;
    KL_TRY(kl_body_number(r, n, "tolerance", what, "1", &q->tolerance));
    const kl_node *turn = kl_node_get(n, "orientation");
    return turn ? kl_value_rotation(&r->scope, turn, what, &q->axes) : KL_OK;
}

static kl_status read_markers(kl_body_reader *r, const kl_node *section)
{
    kl_recipe *p = &r->out->recipe;
    if (!section) return KL_OK;
    kl_marker_request *list   = kl_arena_array(r->arena, kl_marker_request, section->size + 1);
    kl_status          status = list ? KL_OK : KL_E_MEMORY;
    for (const kl_node *n = section->first; n && list; n = n->next) {
        kl_status s = read_marker(r, n, &list[p->nmarker++]);
        if (s != KL_OK) status = s;
    }
    p->marker = list;
    return status;
}

/* Marks a marker as an interface with static modes in the components of `mask` (bits x y z rx ry
 * rz). The list of markers is copied because it is shared and const. */
static kl_status interface_of(kl_body_reader *r, const char *name, kl_place place, unsigned mask)
{
    kl_recipe *p = &r->out->recipe;
    for (int i = 0; i < p->nmarker; i++) {
        if (strcmp(p->marker[i].name, name) != 0) continue;
        kl_marker_request *list = kl_arena_array(r->arena, kl_marker_request, p->nmarker + 1);
        if (!list) return KL_E_MEMORY;
        memcpy(list, p->marker, (size_t)p->nmarker * sizeof *list);
        list[i].interface_components = mask;
        p->marker                    = list;
        return KL_OK;
    }
    return kl_fail(r->diag, KL_E_NAME, place,
                   "interfaces: there is no marker '%s'; define it under `markers:`", name);
}

/* a list of markers (all components that they have), or a map marker: components */
static kl_status read_interfaces(kl_body_reader *r, const kl_node *n)
{
    if (!n) return KL_OK;
    for (const kl_node *c = n->first; c; c = c->next) {
        unsigned    mask = KL_ALL_COMPONENTS;
        const char *name = n->kind == KL_MAP ? c->key : c->text;
        if (n->kind == KL_MAP) KL_TRY(components(r, c, "interfaces", &mask));
        KL_TRY(interface_of(r, name ? name : "", c->place, mask));
    }
    return KL_OK;
}

/* mean-axis, principal-axis, or a map of what is held: {root: all, tip: [y, z], 17: [x]} */
static kl_status read_reference(kl_body_reader *r, const kl_node *n)
{
    static const char *const words[] = {"mean-axis", "principal-axis", NULL};
    kl_recipe               *p       = &r->out->recipe;
    if (!n) return KL_OK;
    if (n->kind == KL_SCALAR) {
        int which = 0;
        KL_TRY(kl_body_choice(r, n, "reference", words, &which));
        p->reference = which ? KL_PRINCIPAL_AXIS : KL_MEAN_AXIS;
        return KL_OK;
    }
    if (n->kind != KL_MAP)
        return kl_fail(
            r->diag, KL_E_MODEL, n->place,
            "reference: give mean-axis, principal-axis, or the constrained markers: {root: all}");
    kl_fix_request *list = kl_arena_array(r->arena, kl_fix_request, n->size + 1);
    if (!list) return KL_E_MEMORY;
    p->reference = KL_NODAL;
    for (const kl_node *c = n->first; c; c = c->next) {
        kl_fix_request *q   = &list[p->nfix++];
        char           *end = NULL;
        *q                  = (kl_fix_request){.name = c->key, .place = c->key_place};
        long id             = strtol(c->key, &end, 10);
        if (end && *end == '\0' && end != c->key) q->name = NULL, q->node_id = (int)id;
        KL_TRY(components(r, c, "reference", &q->components));
    }
    p->fix = list;
    return KL_OK;
}

/* ---- user vectors: CSV with a line a node and direction: vector, node, component, value ---- */

typedef struct vector_entry {
    int    vector, node, component; /* from 1, index, 0..5 */
    double value;
} vector_entry;

/* One line; what is wrong with it is said. */
static kl_status read_entry(const kl_body_reader *r, const char *line, kl_place at,
                            vector_entry *out)
{
    int  id, c = 0;
    char direction[8];
    if (sscanf(line, " %d , %d , %7[a-z] , %lf", &out->vector, &id, direction, &out->value) != 4)
        return kl_fail(r->diag, KL_E_SYNTAX, at,
                       "expected vector, node, direction and value, such as 1, 17, x, 0.5");
    if (out->vector < 1 || out->vector > 10000)
        return kl_fail(r->diag, KL_E_RANGE, at, "vector %d: vectors are numbered from 1 to 10000",
                       out->vector);
    out->node = r->out->mesh ? kl_mesh_find_node(r->out->mesh, id) : -1;
    for (int i = 0; !r->out->mesh && i < r->out->system.nnode && out->node < 0; i++)
        if (r->out->system.node_id[i] == id) out->node = i;
    if (out->node < 0) return kl_fail(r->diag, KL_E_NAME, at, "there is no node %d", id);
    while (component_names[c] && strcmp(component_names[c], direction) != 0) c++;
    if (!component_names[c])
        return kl_fail(r->diag, KL_E_NAME, at,
                       "there is no direction '%s'; give x, y, z, rx, ry or rz", direction);
    if (!isfinite(out->value))
        return kl_fail(r->diag, KL_E_NAN, at, "the value is not a finite number; correct it");
    out->component = c;
    return KL_OK;
}

/* Vectors that are given no number at all would vanish later without a word. */
static kl_status check_vectors(const kl_body_reader *r, const char *path, int n,
                               const double *values, size_t each)
{
    kl_place at    = {path, 0, 0};
    int      empty = 0, first = 0;
    if (n == 0)
        return kl_fail(r->diag, KL_E_MODEL, at,
                       "this file contains no vectors; give lines such as 1, 17, x, 0.5");
    for (int j = 0; j < n; j++) {
        bool any = false;
        for (size_t i = 0; i < each && !any; i++) any = values[(size_t)j * each + i] != 0;
        if (!any && empty++ == 0) first = j + 1;
    }
    if (empty)
        return kl_fail(r->diag, KL_E_MODEL, at,
                       "%d of %d vectors are zero (first: %d); remove them or give nonzero values",
                       empty, n, first);
    return KL_OK;
}

/* Mode shapes from a file of lines "vector, node, direction, value" in any order. The first pass
 * checks the lines and finds the largest number of a vector, the second one fills the array;
 * entries that are not given are zero. At most MOST_FAULTS lines are reported. */
static kl_status read_vectors(kl_body_reader *r, const kl_node *n)
{
    enum { MOST_FAULTS = 5 };
    kl_recipe  *p = &r->out->recipe;
    const char *name;
    KL_TRY(kl_value_word(&r->scope, n, "vectors", &name));
    const char *path = beside(r, name);
    kl_place    at   = {path, 0, 0};
    FILE       *f    = path ? kl_file_open(path) : NULL;
    if (!f) return kl_fail(r->diag, KL_E_FILE, at, "cannot be read: %s", kl_file_reason(errno));
    int       nnode = r->out->mesh ? r->out->mesh->nnode : r->out->system.nnode, most = 0;
    size_t    each   = 6 * (size_t)nnode;
    double   *values = NULL;
    char      line[256];
    kl_status status = KL_OK;
    for (int pass = 0, faults = 0; pass < 2 && status == KL_OK; pass++) {
        rewind(f);
        for (at.line = 1; faults < MOST_FAULTS && fgets(line, sizeof line, f); at.line++) {
            vector_entry e;
            bool         head = at.line == 1 && strchr("0123456789 +-", line[0]) == NULL;
            if (head || line[0] == '#' || line[0] == '\n' || line[0] == '\r') continue;
            kl_status one = read_entry(r, line, at, &e);
            if (one != KL_OK) status = one, faults++;
            else if (pass == 0) most = e.vector > most ? e.vector : most;
            else
                values[(size_t)(e.vector - 1) * each + (size_t)(6 * e.node + e.component)] =
                    e.value;
        }
        if (pass == 0 && status == KL_OK) {
            values = kl_arena_array(r->arena, double, each *(size_t)most + 1);
            if (!values) status = KL_E_MEMORY;
        }
    }
    fclose(f);
    if (status == KL_OK) status = check_vectors(r, path, most, values, each);
    p->nuser = most, p->user = values, p->user_nnode = nnode;
    return status;
}

/* ---- a modal model: frequencies and mode shapes instead of a stiffness matrix ---- */

/* [Hz], from a list or a file with one number a line. */
static kl_status frequency_list(kl_body_reader *r, const kl_node *n, double *to, int most,
                                int *count)
{
    *count = 0;
    if (n->kind == KL_LIST) {
        *count = n->size;
        return n->size == most ? kl_value_numbers(&r->scope, n, "frequencies", "Hz", most, to)
                               : KL_OK;
    }
    const char *name;
    char        line[256];
    KL_TRY(kl_value_word(&r->scope, n, "frequencies", &name));
    const char *path = beside(r, name);
    kl_place    at   = {path, 0, 0};
    FILE       *f    = path ? kl_file_open(path) : NULL;
    if (!f) return kl_fail(r->diag, KL_E_FILE, at, "cannot be read: %s", kl_file_reason(errno));
    kl_status status = KL_OK;
    for (at.line = 1; status == KL_OK && fgets(line, sizeof line, f); at.line++) {
        double value;
        if (line[0] == '#' || line[strspn(line, " \t\r\n")] == '\0') continue;
        if (sscanf(line, "%lf", &value) != 1) {
            if (at.line == 1) continue; /* a heading */
            status = kl_fail(r->diag, KL_E_MODEL, at, "expected a frequency in Hz, such as 31.1");
        } else if ((*count)++ < most) to[*count - 1] = value;
    }
    fclose(f);
    return status;
}

static kl_status read_frequencies(kl_body_reader *r, const kl_node *root, const kl_node *matrices)
{
    const kl_node *n = kl_node_get(root, "frequencies");
    kl_recipe     *p = &r->out->recipe;
    int            count;
    if (!n) return KL_OK;
    if (!matrices || kl_node_get(matrices, "stiffness") || p->nuser == 0)
        return kl_fail(
            r->diag, KL_E_MODEL, n->place,
            "`frequencies` belong to a modal model: give `matrices:` with `mass` and "
            "`nodes` and without `stiffness`, and the mode shapes in `vectors: FILE.csv`");
    double *list = kl_arena_array(r->arena, double, p->nuser + 1);
    if (!list) return KL_E_MEMORY;
    KL_TRY(frequency_list(r, n, list, p->nuser, &count));
    if (count != p->nuser)
        return kl_fail(r->diag, KL_E_MODEL, n->place,
                       "there are %d frequencies and %d mode shapes; give one frequency for each "
                       "shape, without rigid body motion",
                       count, p->nuser);
    for (int k = 0; k < count; k++)
        if (!(list[k] > 0.0))
            return kl_fail(r->diag, KL_E_RANGE, n->place,
                           "frequency %d is %g Hz; give positive frequencies, without rigid body "
                           "motion",
                           k + 1, list[k]);
    p->user_frequency = list;
    return KL_OK;
}

/* ---- the rest ---- */

static kl_status read_stress(kl_body_reader *r, const kl_node *n)
{
    static const char *const keys[] = {"elements", "nodes", "side", NULL}, *const sides[] = {
                                                                               "top", "bottom",
                                                                               "middle", NULL};
    kl_recipe *p    = &r->out->recipe;
    int        side = 2;
    if (!n) return KL_OK;
    KL_TRY(kl_body_check_keys(r, n, "stress", keys));
    const kl_node *elements = kl_node_get(n, "elements"), *nodes = kl_node_get(n, "nodes");
    if (elements) {
        KL_TRY(kl_value_word(&r->scope, elements, "stress", &p->stress_elements));
        p->stress_elements_place = elements->place;
    }
    if (nodes) {
        KL_TRY(kl_value_word(&r->scope, nodes, "stress", &p->stress_nodes));
        p->stress_nodes_place = nodes->place;
    }
    if (kl_node_get(n, "side"))
        KL_TRY(kl_body_choice(r, kl_node_get(n, "side"), "stress: side", sides, &side));
    /* +1: the side of the normal of a shell, -1: the opposite side, 0: the middle surface. */
    p->stress_side  = side == 0 ? 1 : side == 1 ? -1 : 0;
    p->stress_faces = !kl_node_get(n, "side");
    return KL_OK;
}

/* Keys of the body file that take one word of a list. The order of the words is that of the
 * enumerations, so that the index is the value. */
static kl_status read_choices(kl_body_reader *r, const kl_node *root)
{
    static const char *const masses[]  = {"consistent", "consistent-4-point", "lumped", NULL};
    static const char *const statics[] = {"none", "attachment", "craig-bampton", NULL};
    static const char *const forms[] = {"orthogonal", "plain", NULL}, *const solvers[] = {"lanczos",
                                                                                          "arpack",
                                                                                          NULL};
    static const char *const frames[] = {"mesh", "centre-of-mass", NULL}, *const skins[] = {
                                                                              "yes", "no", NULL};
    static const char *const no_yes[] = {"no", "yes", NULL};
    int mass = 0, kind = 0, form = 0, solver = 0, frame = 0, skin = 0, lenient = 0, count = 0,
        stiff = 0;
    const struct {
        const char        *key;
        const char *const *words;
        int               *to;
    } choices[]  = {{"mass", masses, &mass},       {"statics", statics, &kind},
                    {"form", forms, &form},        {"solver", solvers, &solver},
                    {"frame", frames, &frame},     {"skin", skins, &skin},
                    {"lenient", no_yes, &lenient}, {"count-check", no_yes, &count},
                    {"stiffening", no_yes, &stiff}};
    kl_recipe *p = &r->out->recipe;
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++) {
        const kl_node *n = kl_node_get(root, choices[i].key);
        if (n) KL_TRY(kl_body_choice(r, n, choices[i].key, choices[i].words, choices[i].to));
    }
    p->mass = (kl_mass_rule)mass, p->statics = (kl_statics)kind, p->plain = form == 1;
    p->method = solver ? KL_ARPACK : KL_BLOCK_LANCZOS, p->centre = frame == 1,
    p->no_skin = skin == 1;
    r->lenient = p->lenient = lenient == 1, p->count_check = count == 1;
    p->stiffening        = stiff == 1;
    const kl_node *modes = kl_node_get(root, "modes"), *title = kl_node_get(root, "title");
    p->modes = 20;
    if (modes)
        KL_TRY(kl_scope_integer(&r->scope, modes->text ? modes->text : "", modes->place, "modes",
                                &p->modes));
    if (p->modes < 0 || p->modes > 100000)
        return kl_fail(r->diag, KL_E_RANGE, modes->place,
                       "modes is %d; give a positive number of modes, for example 10", p->modes);
    if (modes) p->modes_place = modes->place;
    if (title) p->title = title->text;
    return kl_body_number(r, root, "rank-tolerance", "body", "1", &p->rank_tolerance);
}

static kl_status read_root(kl_body_reader *r, const kl_node *root, const kl_override *set, int nset)
{
    static const char *const keys[] = {
        "klingel",    "title",       "parameters",  "mesh",     "matrices", "units",
        "structural", "material",    "materials",   "sections", "mass",     "modes",
        "reference",  "statics",     "form",        "solver",   "frame",    "markers",
        "interfaces", "vectors",     "frequencies", "stress",   "skin",     "rank-tolerance",
        "lenient",    "count-check", "stiffening",  NULL};
    KL_TRY(kl_body_check_keys(r, root, "body file", keys));
    KL_TRY(kl_scope_init(&r->scope, r->arena, r->diag));
    if (kl_node_get(root, "parameters"))
        KL_TRY(kl_scope_parameters(&r->scope, kl_node_get(root, "parameters"), set, nset));
    else if (nset > 0)
        return kl_fail(r->diag, KL_E_MODEL, root->place,
                       "the body file has no parameters, so '%s' cannot be set", set[0].name);
    KL_TRY(read_choices(r, root));
    KL_TRY(read_units(r, kl_node_get(root, "units")));
    const kl_node *mesh = kl_node_get(root, "mesh"), *matrices = kl_node_get(root, "matrices");
    if (!mesh == !matrices)
        return kl_fail(r->diag, KL_E_MODEL, root->place, "give either `mesh:` or `matrices:`");
    if (matrices) KL_TRY(read_matrices(r, matrices, kl_node_get(root, "frequencies") != NULL));
    else KL_TRY(read_mesh(r, mesh, kl_node_get(root, "structural"), r->lenient));
    /* From here on the sections do not depend on each other: read all of them and report all
     * mistakes. */
    kl_status status = KL_OK, s;
    if (mesh && (s = kl_body_read_materials(r, root)) != KL_OK) status = s;
    if ((s = read_markers(r, kl_node_get(root, "markers"))) != KL_OK) status = s;
    if (s == KL_OK && (s = read_interfaces(r, kl_node_get(root, "interfaces"))) != KL_OK)
        status = s;
    if ((s = read_reference(r, kl_node_get(root, "reference"))) != KL_OK) status = s;
    if ((s = read_stress(r, kl_node_get(root, "stress"))) != KL_OK) status = s;
    if (kl_node_get(root, "vectors") &&
        (s = read_vectors(r, kl_node_get(root, "vectors"))) != KL_OK)
        status = s;
    if (status == KL_OK) status = read_frequencies(r, root, matrices);
    if (mesh && status == KL_OK) {
        status = kl_mesh_check(r->out->mesh, r->diag);
        s      = kl_mesh_check_units(r->out->mesh, r->lenient, r->diag);
        if (status == KL_OK) status = s;
    }
    return status;
}

kl_status kl_body_file_read(const char *path, kl_body_file *out, kl_diag *diag)
{
    return kl_body_file_read_with(path, NULL, 0, out, diag);
}

kl_status kl_body_file_read_with(const char *path, const kl_override *set, int nset,
                                 kl_body_file *out, kl_diag *diag)
{
    *out                = (kl_body_file){.arena = kl_arena_create()};
    kl_body_reader r    = {.path = path, .arena = out->arena, .diag = diag, .out = out};
    kl_node       *root = NULL;
    if (!out->arena) return kl_fail(diag, KL_E_MEMORY, KL_NOWHERE, "out of memory");
    KL_TRY(kl_doc_read(path, out->arena, diag, &root, NULL));
    return read_root(&r, root, set, nset);
}

kl_status kl_body_file_from_node(const struct kl_node *root, const char *from, kl_body_file *out,
                                 kl_diag *diag)
{
    *out             = (kl_body_file){.arena = kl_arena_create()};
    kl_body_reader r = {.path = from, .arena = out->arena, .diag = diag, .out = out};
    if (!out->arena) return kl_fail(diag, KL_E_MEMORY, KL_NOWHERE, "out of memory");
    return read_root(&r, root, NULL, 0);
}

void kl_body_file_free(kl_body_file *b)
{
    kl_mesh_destroy(b->mesh);
    kl_mesh_destroy(b->sets);
    kl_system_free(&b->system);
    kl_arena_destroy(b->arena);
    *b = (kl_body_file){0};
}
