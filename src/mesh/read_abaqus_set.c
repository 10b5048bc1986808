/* Abaqus input: *NSET, *ELSET, *SURFACE, and looking up what names and numbers mean in a scope.
 *
 * A word is a number or the name of a set, in its own scope; from the assembly, instance.number and
 * instance.set reach into an instance. */
#include "mesh/read_abaqus.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

static kl_name_map *names_of(inp_scope *s, kl_set_kind kind)
{
    return kind == KL_NODE_SET ? &s->nsets : kind == KL_ELEMENT_SET ? &s->elsets : &s->surfaces;
}

int inp_find_set(const inp *a, kl_set_kind kind, int scope, const char *name)
{
    return kl_name_map_find(names_of(&a->scopes[scope], kind), name);
}

int inp_set_of(inp *a, kl_set_kind kind, int scope, const char *name)
{
    int known = inp_find_set(a, kind, scope, name);
    if (known >= 0) return known;
    inp_set *s = kl_arena_grow(a->r->arena, (void **)&a->sets, a->nset, &a->set_cap, sizeof *s);
    if (!s) return -1;
    *s = (inp_set){.name = name, .kind = kind, .scope = scope};
    kl_name_map_put(a->r->arena, names_of(&a->scopes[scope], kind), name, a->nset);
    return a->nset++;
}

/* Splits instance.rest; the scope of the instance, or -1. */
static int instance_of(const inp *a, const char *word, const char **rest)
{
    for (const char *dot = strchr(word, '.'); dot; dot = strchr(dot + 1, '.')) {
        size_t n = (size_t)(dot - word);
        for (int s = 1; s < a->nscope; s++) {
            const char *name = a->scopes[s].name;
            size_t      k    = 0;
            while (k < n && name[k] && kl_upper(name[k]) == kl_upper(word[k])) k++;
            if (k < n || name[n]) continue;
            *rest = dot + 1;
            return s;
        }
    }
    return -1;
}

static bool is_number(const char *word, long long *value)
{
    const char *end = word + strlen(word);
    return *word && kl_scan_integer(word, end, value) == end;
}

int inp_element_of(const inp *a, int scope, long long id)
{
    const inp_scope *s = &a->scopes[scope];
    kl_element_ref   ref;
    if (id < 1 || id > s->element_most) return -1;
    int number  = (int)id + s->element_offset;
    int special = kl_int_map_find(&a->special_map, (uint64_t)number);
    if (special >= 0) return special * INP_KINDS + a->specials[special].kind;
    if (!kl_mesh_find_element(a->r->mesh, number, &ref)) return -1;
    return ref.index * INP_KINDS + (int)ref.shape;
}

static int node_of(const inp *a, int scope, long long id)
{
    const inp_scope *s = &a->scopes[scope];
    if (id < 1 || id > s->node_most) return -1;
    return kl_mesh_find_node(a->r->mesh, (int)id + s->node_offset);
}

static bool append(const inp *a, const inp_set *s, kl_int_list *out)
{
    for (size_t i = 0; i < s->items.n; i++)
        if (!kl_int_list_push(a->r, out, s->items.v[i])) return false;
    return true;
}

/* What `word` names, nodes or elements; -1: missing set, -2: missing number. */
static int resolve_name(inp *a, kl_set_kind kind, int scope, const char *word, kl_int_list *out)
{
    const char *rest = word;
    long long   id;
    int         inner = instance_of(a, word, &rest);
    if (inner >= 0) scope = inner;
    else rest = word;
    if (is_number(rest, &id)) {
        int item = kind == KL_NODE_SET ? node_of(a, scope, id) : inp_element_of(a, scope, id);
        return item >= 0 && kl_int_list_push(a->r, out, item) ? 0 : -2;
    }
    int set = inp_find_set(a, kind, scope, rest);
    if (set < 0 && scope > 0) set = inp_find_set(a, kind, 0, rest);
    if (set < 0) set = inp_find_set(a, kind, scope, word);
    return set >= 0 && append(a, &a->sets[set], out) ? 0 : -1;
}

static bool find(inp *a, kl_set_kind kind, int scope, kl_source *t, const char *at,
                 const char *word, const char *who, kl_int_list *out)
{
    int         missing = resolve_name(a, kind, scope, word, out);
    const char *what    = kind == KL_NODE_SET ? "node" : "element";
    if (missing == -1)
        kl_flaw(a->r, KL_FLAW_UNKNOWN_NAME, t, at,
                "%s refers to the %s set '%s', which does not exist; define it or correct the name",
                who, what, word);
    else if (missing == -2)
        kl_flaw(a->r, kind == KL_NODE_SET ? KL_FLAW_UNKNOWN_NODE : KL_FLAW_UNKNOWN_ELEMENT, t, at,
                "%s refers to %s %s, which does not exist; define it or correct the number", who,
                what, word);
    return missing == 0;
}

bool inp_nodes(inp *a, int scope, kl_source *t, const char *at, const char *word, const char *who,
               kl_int_list *out)
{
    return find(a, KL_NODE_SET, scope, t, at, word, who, out);
}

bool inp_elements(inp *a, int scope, kl_source *t, const char *at, const char *word,
                  const char *who, kl_int_list *out)
{
    return find(a, KL_ELEMENT_SET, scope, t, at, word, who, out);
}

int inp_node(inp *a, int scope, kl_source *t, const char *at, const char *word, const char *who)
{
    kl_int_list nodes = {0};
    int         node  = -1;
    if (inp_nodes(a, scope, t, at, word, who, &nodes)) {
        if (nodes.n == 1) node = nodes.v[0];
        else
            kl_flaw(a->r, KL_FLAW_RANGE, t, at,
                    "%s: '%s' contains %d nodes, but one is needed; give a set of one node or its "
                    "number",
                    who, word, (int)nodes.n);
    }
    kl_int_list_free(&nodes);
    return node;
}

int inp_element_nodes(const inp *a, int handle, const int **node)
{
    int kind = handle % INP_KINDS, index = handle / INP_KINDS;
    if (kind >= KL_SHAPE_COUNT) {
        *node = a->specials[index].node;
        return a->specials[index].n;
    }
    int n = kl_shape_info_of((kl_shape)kind)->nnode;
    *node = &a->r->mesh->block[kind].node[(size_t)index * (size_t)n];
    return n;
}

/* ---- *NSET, *ELSET ---- */

/* first, last, step */
static bool generate(inp *a, inp_card *c, const inp_line *line, const inp_field *f,
                     kl_set_kind kind, int scope, kl_int_list *out)
{
    long long first, last, step = 1;
    bool      ok = inp_whole(f[0], &first) && inp_whole(f[1], &last) &&
              (f[2].first == f[2].last || inp_whole(f[2], &step));
    if (!ok || step < 1 || last < first) {
        kl_flaw(a->r, KL_FLAW_SYNTAX, line->t, line->first,
                "%s, GENERATE needs first, last, step with first <= last and step >= 1", c->name);
        return true;
    }
    /* numbers that are not there are gaps; those of the scope are raised by its offset */
    const inp_scope *s      = &a->scopes[scope];
    bool             nodes  = kind == KL_NODE_SET;
    long long        offset = nodes ? s->node_offset : s->element_offset;
    long long        most   = nodes ? s->node_most : s->element_most;
    kl_int_list      ids    = {0};
    if (last > most) last = most;
    kl_import_range(a->r, !nodes, first + offset, last + offset, step, &ids);
    for (size_t i = 0; i < ids.n; i++) {
        long long id   = ids.v[i] - offset;
        int       item = nodes ? node_of(a, scope, id) : inp_element_of(a, scope, id);
        if (item >= 0) kl_int_list_push(a->r, out, item);
    }
    kl_int_list_free(&ids);
    for (int i = 0; !nodes && i < a->nspecial; i++) {
        long long id = a->specials[i].id - offset;
        if (id >= first && id <= last && (id - first) % step == 0)
            kl_int_list_push(a->r, out, i * INP_KINDS + a->specials[i].kind);
    }
    return true;
}

/* One data line. False: it names a set that may still come. */
static bool set_line(inp *a, inp_card *c, const inp_line *line, kl_set_kind kind, int scope,
                     kl_int_list *out)
{
    inp_field field[INP_FIELDS];
    int       n = inp_split(line, field);
    if (inp_parameter_of(c, "GENERATE")) return generate(a, c, line, field, kind, scope, out);
    for (int i = 0; i < n; i++) {
        if (field[i].first == field[i].last) continue;
        const char *word    = inp_word(a, field[i]);
        int         missing = resolve_name(a, kind, scope, word, out);
        if (missing == -1 && !a->last_round) return false;
        if (missing < 0)
            find(a, kind, scope, line->t, field[i].first, word, c->name, out); /* says so */
    }
    return true;
}

/* *NSET, ELSET=: the nodes of its elements */
static bool nodes_of_elset(inp *a, inp_card *c, int scope, kl_int_list *out)
{
    const char *name     = inp_parameter_of(c, "ELSET");
    kl_int_list elements = {0};
    bool        ok       = resolve_name(a, KL_ELEMENT_SET, scope, name, &elements) == 0;
    for (size_t i = 0; ok && i < elements.n; i++) {
        const int *node;
        int        n = inp_element_nodes(a, elements.v[i], &node);
        for (int k = 0; k < n; k++) kl_int_list_push(a->r, out, node[k]);
    }
    if (!ok && a->last_round) inp_elements(a, scope, c->t, c->at, name, c->name, &elements);
    kl_int_list_free(&elements);
    return ok || a->last_round;
}

static void read_set(inp *a, inp_card *c, kl_set_kind kind)
{
    const char *key  = kind == KL_NODE_SET ? "NSET" : "ELSET";
    const char *name = inp_required(a, c, key), *instance = inp_parameter_of(c, "INSTANCE");
    int         scope = c->scope;
    if (!name) return;
    if (instance) {
        int s = 1;
        while (s < a->nscope && !kl_same_word(a->scopes[s].name, instance)) s++;
        if (s == a->nscope) {
            kl_flaw(a->r, KL_FLAW_UNKNOWN_NAME, c->t, c->at,
                    "there is no instance '%s'; define it with *INSTANCE", instance);
            return;
        }
        scope = s;
    }
    kl_int_list items = {0};
    inp_cursor  data  = inp_data(c);
    inp_line    line;
    bool        complete = true;
    if (kind == KL_NODE_SET && inp_parameter_of(c, "ELSET"))
        complete = nodes_of_elset(a, c, scope, &items);
    while (complete && inp_next_line(&data, &line))
        complete = set_line(a, c, &line, kind, scope, &items);
    if (complete) {
        int set = inp_set_of(a, kind, c->scope, name);
        for (size_t i = 0; set >= 0 && i < items.n; i++)
            kl_int_list_push(a->r, &a->sets[set].items, items.v[i]);
        if (set >= 0 && inp_parameter_of(c, "INTERNAL")) a->sets[set].internal = true;
    }
    c->done = complete;
    kl_int_list_free(&items);
}

void inp_read_nset(inp *a, inp_card *c) { read_set(a, c, KL_NODE_SET); }
void inp_read_elset(inp *a, inp_card *c) { read_set(a, c, KL_ELEMENT_SET); }

/* ---- *SURFACE ---- */

/* S1 to S6, or SPOS, SNEG of shells; -1 when it is none. Empty: -2, all free faces. */
static int face_of(inp_field f)
{
    size_t n = (size_t)(f.last - f.first);
    if (n == 0) return -2;
    if (n == 2 && kl_upper(f.first[0]) == 'S' && f.first[1] >= '1' && f.first[1] <= '6')
        return f.first[1] - '1';
    if (n == 4 && kl_upper(f.first[1]) == 'P') return 0;
    if (n == 4 && kl_upper(f.first[1]) == 'N') return 1;
    return -1;
}

typedef struct face {
    int corner[4]; /* sorted; -1 for triangles' fourth */
    int handle, face;
} face;

static int compare_faces(const void *p, const void *q)
{
    return memcmp(((const face *)p)->corner, ((const face *)q)->corner, sizeof((face *)0)->corner);
}

static void sort4(int v[4])
{
    for (int i = 1; i < 4; i++)
        for (int k = i; k > 0 && v[k - 1] > v[k]; k--) {
            int swap = v[k];
            v[k]     = v[k - 1];
            v[k - 1] = swap;
        }
}

/* All faces of the given solids that no other of them shares. */
static void free_faces(inp *a, const kl_int_list *elements, kl_int_list *out)
{
    size_t n    = 0;
    face  *list = elements->n ? malloc(6 * elements->n * sizeof *list) : NULL;
    for (size_t i = 0; list && i < elements->n; i++) {
        int        handle = elements->v[i], kind = handle % INP_KINDS;
        const int *node;
        if (kind >= KL_SHAPE_COUNT || kl_shape_info_of((kl_shape)kind)->dimension != 3) continue;
        const kl_shape_info *info = kl_shape_info_of((kl_shape)kind);
        inp_element_nodes(a, handle, &node);
        for (int k = 0; k < info->nface; k++) {
            int  nc = info->face_nnode[k] > 4 ? info->face_nnode[k] / 2 : info->face_nnode[k];
            face f  = {{-1, -1, -1, -1}, handle, k};
            for (int m = 0; m < nc; m++) f.corner[m] = node[info->face[k][m]];
            sort4(f.corner);
            list[n++] = f;
        }
    }
    if (list) qsort(list, n, sizeof *list, compare_faces);
    for (size_t i = 0; i < n;) {
        size_t k = i + 1;
        while (k < n && compare_faces(&list[i], &list[k]) == 0) k++;
        if (k == i + 1) {
            kl_int_list_push(a->r, out, list[i].handle);
            kl_int_list_push(a->r, out, list[i].face);
        }
        i = k;
    }
    free(list);
}

static void surface_line(inp *a, inp_card *c, const inp_line *line, kl_int_list *out)
{
    inp_field   field[INP_FIELDS];
    kl_int_list elements = {0};
    inp_split(line, field);
    const char *word = inp_word(a, field[0]);
    int         side = face_of(field[1]);
    if (side == -1) {
        kl_flaw(a->r, KL_FLAW_UNSUPPORTED, line->t, field[1].first,
                "'%s' is not a face: use S1 to S6, SPOS or SNEG",
                kl_quote(a->r, field[1].first, field[1].last));
    } else if (inp_elements(a, c->scope, line->t, field[0].first, word, c->name, &elements)) {
        if (side == -2) free_faces(a, &elements, out);
        for (size_t i = 0; side >= 0 && i < elements.n; i++) {
            int kind = elements.v[i] % INP_KINDS;
            if (kind == INP_LEFT_OUT) continue;
            if (kind >= KL_SHAPE_COUNT || side >= kl_shape_info_of((kl_shape)kind)->nface) {
                kl_flaw(a->r, KL_FLAW_RANGE, line->t, field[1].first,
                        "%s: an element of '%s' has no face S%d; check the number of the face",
                        c->name, word, side + 1);
                break;
            }
            kl_int_list_push(a->r, out, elements.v[i]);
            kl_int_list_push(a->r, out, side);
        }
    }
    kl_int_list_free(&elements);
}

void inp_read_surface(inp *a, inp_card *c)
{
    const char *name = inp_required(a, c, "NAME");
    if (!name) return;
    bool of_nodes = inp_has(c, "TYPE", "NODE");
    if (inp_parameter_of(c, "TYPE") && !of_nodes && !inp_has(c, "TYPE", "ELEMENT")) {
        kl_import_ignore(a->r, c->t, c->at, c->name); /* analytical, sections, cuts */
        return;
    }
    int         set   = inp_set_of(a, KL_SURFACE_SET, c->scope, name);
    kl_int_list items = {0};
    inp_cursor  data  = inp_data(c);
    inp_line    line;
    while (inp_next_line(&data, &line)) {
        inp_field field[INP_FIELDS];
        inp_split(&line, field);
        if (of_nodes)
            inp_nodes(a, c->scope, line.t, field[0].first, inp_word(a, field[0]), c->name, &items);
        else surface_line(a, c, &line, &items);
    }
    if (set >= 0) {
        a->sets[set].of_nodes = of_nodes;
        a->sets[set].internal |= inp_parameter_of(c, "INTERNAL") != NULL;
        for (size_t i = 0; i < items.n; i++)
            kl_int_list_push(a->r, &a->sets[set].items, items.v[i]);
    }
    kl_int_list_free(&items);
}

static int compare_int(const void *p, const void *q)
{
    int a = *(const int *)p, b = *(const int *)q;
    return (a > b) - (a < b);
}

void inp_sort_unique(kl_int_list *list)
{
    if (list->n == 0) return;
    size_t kept = 1;
    qsort(list->v, list->n, sizeof *list->v, compare_int);
    for (size_t i = 1; i < list->n; i++)
        if (list->v[i] != list->v[kept - 1]) list->v[kept++] = list->v[i];
    list->n = kept;
}

bool inp_surface_nodes(inp *a, int scope, kl_source *t, const char *at, const char *name,
                       kl_int_list *out)
{
    const char *rest  = name;
    int         inner = instance_of(a, name, &rest);
    int         set   = inner >= 0 ? inp_find_set(a, KL_SURFACE_SET, inner, rest)
                                   : inp_find_set(a, KL_SURFACE_SET, scope, name);
    if (set < 0) {
        kl_flaw(a->r, KL_FLAW_UNKNOWN_NAME, t, at,
                "there is no surface '%s'; define it with *SURFACE", name);
        return false;
    }
    const inp_set *s = &a->sets[set];
    if (s->of_nodes) append(a, s, out);
    for (size_t i = 0; !s->of_nodes && i + 1 < s->items.n; i += 2) {
        const int *node;
        inp_element_nodes(a, s->items.v[i], &node);
        const kl_shape_info *info = kl_shape_info_of((kl_shape)(s->items.v[i] % INP_KINDS));
        int                  side = s->items.v[i + 1];
        for (int k = 0; k < info->face_nnode[side]; k++)
            kl_int_list_push(a->r, out, node[info->face[side][k]]);
    }
    inp_sort_unique(out);
    return true;
}

/* ---- into the mesh ---- */

/* Is the name used in another scope, so that it needs its instance in front? */
static bool ambiguous(const inp *a, const inp_set *s)
{
    if (s->scope == 0) return false;
    for (int i = 0; i < a->nscope; i++)
        if (i != s->scope && inp_find_set(a, s->kind, i, s->name) >= 0) return true;
    return false;
}

/* An element set without any element that counts: its nodes are all there is of it. */
static bool only_left_out(const inp_set *s)
{
    if (s->kind != KL_ELEMENT_SET || s->items.n == 0) return false;
    for (size_t i = 0; i < s->items.n; i++)
        if (s->items.v[i] % INP_KINDS != INP_LEFT_OUT) return false;
    return true;
}

void inp_copy_sets_to_mesh(inp *a)
{
    kl_mesh *m = a->r->mesh;
    for (int i = 0; i < a->nset; i++) {
        inp_set *s = &a->sets[i];
        if (s->internal) continue;
        const char *name = s->name;
        if (ambiguous(a, s))
            name = kl_arena_format(a->r->arena, "%s.%s", a->scopes[s->scope].name, s->name);
        if (!name) return;
        kl_set_kind kind  = s->of_nodes ? KL_NODE_SET : s->kind;
        int         set   = only_left_out(s) ? -1 : kl_mesh_set(m, kind, name);
        size_t      width = kind == KL_SURFACE_SET ? 2 : 1;
        if (width == 1) inp_sort_unique(&s->items);
        for (size_t k = 0; k + width <= s->items.n; k += width) {
            int item = s->items.v[k], shape = item % INP_KINDS;
            if (kind == KL_NODE_SET) {
                kl_mesh_set_put_node(m, set, item);
            } else if (shape < KL_SHAPE_COUNT) {
                int side = width == 2 ? s->items.v[k + 1] : 0;
                kl_mesh_set_put_element(m, set,
                                        (kl_element_ref){(kl_shape)shape, item / INP_KINDS, side});
            } else { /* a point element: its nodes are what can be kept */
                const int *node;
                int        n     = inp_element_nodes(a, item, &node);
                int        nodes = kl_mesh_set(m, KL_NODE_SET, name);
                for (int j = 0; j < n; j++) kl_mesh_set_put_node(m, nodes, node[j]);
            }
        }
    }
}
