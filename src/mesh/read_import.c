/* What all readers share; see read_import.h. Includes the front door kl_mesh_read, which shows the
 * format from the file and calls its reader. */
#include "mesh/read_import.h"

#include "base/files.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum {
    SHOWN_FLAWS   = 5,   /* of each kind; the rest is counted */
    MOST_LEFTOVER = 400, /* distinct texts; beyond that they are one */
    DEEPEST       = 64,  /* includes within includes */
    MOST_FILES    = 4096,
    QUOTED        = 48, /* characters of the file shown in a message */
};

static const struct {
    kl_status   status;
    const char *plural;
} flaw_kinds[] = {
#define KL_FLAW_ROW(name, status, plural) {status, plural},
    KL_FLAW_LIST(KL_FLAW_ROW)
#undef KL_FLAW_ROW
};

/* ---- life ---- */

kl_status kl_import_open(kl_import *r, const char *name, const kl_read_options *options,
                         kl_diag *diag)
{
    static const kl_read_options none = {0};
    *r       = (kl_import){.diag = diag, .options = options ? options : &none};
    r->mesh  = kl_mesh_create(name);
    r->arena = kl_arena_create();
    if (r->mesh && r->arena) return KL_OK;
    kl_import_free(r);
    return kl_fail(diag, KL_E_MEMORY, (kl_place){name, 0, 0}, "out of memory");
}

void kl_import_free(kl_import *r)
{
    for (kl_source *t = r->texts; t;) {
        kl_source *next = t->next;
        free(t->owned);
        free(t);
        t = next;
    }
    kl_arena_destroy(r->arena);
    kl_mesh_destroy(r->mesh);
    *r = (kl_import){0};
}

kl_status kl_import_status(kl_import *r)
{
    kl_place place = {r->mesh->source, 0, 0};
    if (r->nrepeat > 0)
        kl_warn(r->diag, r->first_repeat,
                "%d node%s given twice at the same position (the first here); the duplicates are "
                "ignored",
                r->nrepeat, r->nrepeat == 1 ? " is" : "s are");
    for (int i = 0; i < KL_FLAW_KINDS; i++)
        if (r->count[i] > SHOWN_FLAWS)
            kl_fail(r->diag, flaw_kinds[i].status, place, "and %d more %s",
                    r->count[i] - SHOWN_FLAWS, flaw_kinds[i].plural);
    if (!kl_arena_ok(r->arena) || r->status == KL_E_MEMORY)
        return kl_fail(r->diag, KL_E_MEMORY, place, "out of memory while reading");
    return r->status;
}

kl_status kl_import_close(kl_import *r, kl_mesh **mesh)
{
    kl_status status = kl_import_status(r);
    if (status == KL_OK) status = kl_mesh_finish(r->mesh, r->diag);
    if (status == KL_OK) {
        *mesh   = r->mesh;
        r->mesh = NULL;
    }
    kl_import_free(r);
    return status;
}

bool kl_import_failed(const kl_import *r)
{
    return r->status != KL_OK || !kl_arena_ok(r->arena) || !kl_mesh_ok(r->mesh);
}

/* ---- files ---- */

static kl_source *add_text(kl_import *r, const char *name, const char *data, size_t size)
{
    kl_source *t = calloc(1, sizeof *t);
    if (!t) return NULL;
    *t           = (kl_source){.next = r->texts, .data = data, .end = data + size, .last_at = data};
    t->name      = kl_arena_text(r->mesh->arena, name); /* materials keep it as their place */
    t->last_line = 1;
    r->texts     = t;
    return t;
}

/* The whole of a file with a NUL behind it. On failure NULL and why. */
static char *read_whole_file(const char *path, size_t *size, const char **why)
{
    FILE *f = kl_file_open(path);
    *why    = errno == EISDIR || errno == ESPIPE ? "is not a regular file"
                                                 : "cannot be opened; check the name";
    if (!f) return NULL;
    struct stat about;
    char       *data = NULL;
    *why             = "cannot be read";
    if (fstat(fileno(f), &about) == 0) {
        *size = (size_t)about.st_size;
        data  = malloc(*size + 1);
        *why  = "does not fit into memory";
    }
    if (data && fread(data, 1, *size, f) != *size) {
        free(data);
        data = NULL;
        *why = "cannot be read";
    }
    if (data) data[*size] = '\0';
    fclose(f);
    return data;
}

kl_source *kl_import_load(kl_import *r, const char *path, kl_source *from, const char *at)
{
    size_t      size = 0;
    const char *why;
    char       *data = read_whole_file(path, &size, &why);
    kl_source  *t    = data ? add_text(r, path, data, size) : NULL;
    if (t) {
        t->owned  = data;
        t->parent = from;
        return t;
    }
    free(data);
    kl_source nowhere = {.name = path};
    if (from) kl_flaw(r, KL_FLAW_FILE, from, at, "the file '%s' %s", path, why);
    else kl_flaw(r, KL_FLAW_FILE, &nowhere, NULL, "the file %s", why);
    return NULL;
}

/* Borrowed text is copied: the scanners rely on the NUL behind it. */
kl_source *kl_import_borrow(kl_import *r, const char *name, const char *data, size_t size)
{
    char *copy = malloc(size + 1);
    if (!copy) return NULL;
    if (size) memcpy(copy, data, size);
    copy[size]   = '\0';
    kl_source *t = add_text(r, name, copy, size);
    if (t) t->owned = copy;
    else free(copy);
    return t;
}

/* `path` as seen from the file `from` */
static const char *beside(kl_import *r, const char *path, const kl_source *from)
{
    const char *slash = strrchr(from->name, '/');
    if (path[0] == '/' || !slash) return path;
    return kl_arena_format(r->arena, "%.*s%s", (int)(slash - from->name + 1), from->name, path);
}

kl_source *kl_import_include(kl_import *r, const char *path, kl_source *from, const char *at)
{
    if (r->options->no_includes) {
        kl_flaw(r, KL_FLAW_FILE, from, at,
                "includes '%s', but included files are not read here; give one file", path);
        return NULL;
    }
    const char *full  = beside(r, path, from);
    int         depth = 0, files = 0;
    for (const kl_source *t = r->texts; t; t = t->next) files++;
    if (!full || files >= MOST_FILES) {
        kl_flaw(r, KL_FLAW_FILE, from, at,
                "more than %d files are included; join them to fewer files", MOST_FILES);
        return NULL;
    }
    for (const kl_source *t = from; t; t = t->parent, depth++) {
        if (strcmp(t->name, full) != 0 && depth < DEEPEST) continue;
        kl_flaw(r, KL_FLAW_FILE, from, at,
                "includes '%s', which is already being read: remove this include", full);
        return NULL;
    }
    return kl_import_load(r, full, from, at);
}

/* ---- messages ---- */

int kl_source_line(kl_source *t, const char *at)
{
    if (!t->data || !at || t->binary) return 0;
    if (at < t->last_at) {
        t->last_at   = t->data;
        t->last_line = 1;
    }
    for (const char *p = t->last_at; p < at && (p = memchr(p, '\n', (size_t)(at - p))) != NULL; p++)
        t->last_line++;
    t->last_at = at;
    return t->last_line;
}

kl_place kl_source_place(kl_source *t, const char *at)
{
    if (!t) return KL_NOWHERE;
    if (!t->data || !at || t->binary) return (kl_place){t->name, 0, 0};
    int         line  = kl_source_line(t, at);
    const char *start = at;
    while (start > t->data && start[-1] != '\n') start--;
    ptrdiff_t column = at - start + 1;
    return (kl_place){t->name, line, column > INT_MAX ? INT_MAX : (int)column};
}

static void flaw_v(kl_import *r, kl_flaw_kind kind, kl_source *t, const char *at,
                   const char *format, va_list args)
{
    kl_status status = flaw_kinds[kind].status;
    if (r->status == KL_OK) r->status = status;
    if (r->count[kind] < INT_MAX) r->count[kind]++;
    if (r->count[kind] > SHOWN_FLAWS) return;
    char text[1024];
    vsnprintf(text, sizeof text, format, args);
    kl_place place = kl_source_place(t, at);
    if (t && t->binary && at)
        kl_fail(r->diag, status, place, "at byte %lld: %s", (long long)(at - t->data), text);
    else kl_fail(r->diag, status, place, "%s", text);
}

void kl_flaw(kl_import *r, kl_flaw_kind kind, kl_source *t, const char *at, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    flaw_v(r, kind, t, at, format, args);
    va_end(args);
}

void kl_unsupported(kl_import *r, kl_source *t, const char *at, const char *what,
                    const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (r->options->lenient) kl_import_ignore(r, t, at, what);
    else flaw_v(r, KL_FLAW_UNSUPPORTED, t, at, format, args);
    va_end(args);
}

void kl_import_ignore(kl_import *r, kl_source *t, const char *at, const char *what)
{
    if (!what) return; /* out of memory */
    char text[160];
    bool included = strcmp(t->name, r->mesh->source) != 0;
    if (r->mesh->nleftover >= MOST_LEFTOVER) snprintf(text, sizeof text, "still others");
    else if (!included) snprintf(text, sizeof text, "%.100s", what);
    else snprintf(text, sizeof text, "%.60s (of %.60s)", what, t->name);
    kl_mesh_leftover(r->mesh, text, kl_source_line(t, at));
}

/* ---- checked building ---- */

static bool id_fits(kl_import *r, kl_source *t, const char *at, long long id, const char *what)
{
    if (id >= 1 && id <= INT_MAX) return true;
    kl_flaw(r, KL_FLAW_ID, t, at, "%s number %lld: must be between 1 and %d; renumber the mesh",
            what, id, INT_MAX);
    return false;
}

int kl_import_node(kl_import *r, kl_source *t, const char *at, long long id, kl_vec3 x)
{
    if (!id_fits(r, t, at, id, "node")) return -1;
    if (!kl_finite(x)) {
        kl_flaw(r, KL_FLAW_FINITE, t, at,
                "node %lld: position (%g, %g, %g) is not finite; correct its coordinates", id, x.x,
                x.y, x.z);
        x = kl_vec(0, 0, 0); /* reported once, not again for every element that refers to it */
    }
    int before = r->mesh->nduplicate_node, nnode = r->mesh->nnode;
    int index = kl_mesh_add_node(r->mesh, (int)id, x);
    if (index < 0) {
        r->status = KL_E_MEMORY;
    } else if (r->mesh->nduplicate_node > before) {
        kl_vec3 y = r->mesh->x[index];
        kl_flaw(r, KL_FLAW_DUPLICATE_NODE, t, at,
                "node %lld is given twice, at (%g, %g, %g) and (%g, %g, %g); renumber one", id, y.x,
                y.y, y.z, x.x, x.y, x.z);
    } else if (r->mesh->nnode == nnode && r->nrepeat++ == 0) {
        r->first_repeat = kl_source_place(t, at);
    }
    return index;
}

int kl_import_find_node(kl_import *r, kl_source *t, const char *at, long long id, const char *who,
                        long long who_id)
{
    int index = id >= 1 && id <= INT_MAX ? kl_mesh_find_node(r->mesh, (int)id) : -1;
    if (index < 0)
        kl_flaw(
            r, KL_FLAW_UNKNOWN_NODE, t, at,
            "%s %lld refers to node %lld, which does not exist; check that the file is complete",
            who, who_id, id);
    return index;
}

int kl_import_element(kl_import *r, kl_source *t, const char *at, kl_shape shape, long long id,
                      int property, const int *node)
{
    if (!id_fits(r, t, at, id, "element")) return -1;
    int before = r->mesh->nduplicate_element;
    int index  = kl_mesh_add_element(r->mesh, shape, (int)id, property, node);
    if (index < 0) r->status = KL_E_MEMORY;
    else if (r->mesh->nduplicate_element > before)
        kl_flaw(r, KL_FLAW_DUPLICATE_ELEMENT, t, at, "element %lld is given twice; renumber one",
                id);
    return index;
}

static void push_in_range(kl_import *r, const int *id, int n, long long first, long long last,
                          long long step, kl_int_list *ids)
{
    for (int i = 0; i < n; i++)
        if (id[i] >= first && id[i] <= last && (id[i] - first) % step == 0)
            kl_int_list_push(r, ids, id[i]);
}

void kl_import_range(kl_import *r, bool elements, long long first, long long last, long long step,
                     kl_int_list *ids)
{
    const kl_mesh *m = r->mesh;
    kl_element_ref ref;
    if (first < 1) first += (1 - first + step - 1) / step * step;
    if (last > INT_MAX) last = INT_MAX;
    if (last < first) return;
    long long wide = (last - first) / step + 1, n = elements ? kl_mesh_count(m) : m->nnode;
    if (wide <= n) {
        for (long long id = first; id <= last; id += step)
            if (elements ? kl_mesh_find_element(m, (int)id, &ref)
                         : kl_mesh_find_node(m, (int)id) >= 0)
                kl_int_list_push(r, ids, (int)id);
    } else if (!elements) {
        push_in_range(r, m->node_id, m->nnode, first, last, step, ids);
    } else {
        for (int s = 0; s < KL_SHAPE_COUNT; s++)
            push_in_range(r, m->block[s].id, m->block[s].n, first, last, step, ids);
    }
}

/* ---- words ---- */

bool kl_same_word(const char *a, const char *b)
{
    while (*a && kl_upper(*a) == kl_upper(*b)) a++, b++;
    return kl_upper(*a) == kl_upper(*b);
}

const char *kl_quote(kl_import *r, const char *first, const char *last)
{
    size_t n   = (size_t)(last - first);
    bool   cut = n > QUOTED;
    char  *copy =
        kl_arena_format(r->arena, "%.*s%s", cut ? QUOTED : (int)n, first, cut ? "..." : "");
    if (!copy) return "";
    for (char *c = copy; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 127) *c = '?';
    return copy;
}

static int *name_slot(const kl_name_map *t, const char *name)
{
    uint32_t h = 2166136261u; /* FNV-1a */
    for (const char *c = name; *c; c++) h = (h ^ (unsigned char)kl_upper(*c)) * 16777619u;
    unsigned i = h & (unsigned)(t->size - 1);
    while (t->name[i] && !kl_same_word(t->name[i], name)) i = (i + 1) & (unsigned)(t->size - 1);
    return &t->value[i];
}

int kl_name_map_find(const kl_name_map *t, const char *name)
{
    if (!t->size || !name) return -1;
    int *slot = name_slot(t, name);
    return t->name[slot - t->value] ? *slot : -1;
}

bool kl_name_map_put(kl_arena *a, kl_name_map *t, const char *name, int value)
{
    if (!name) return false;
    if (2 * (t->n + 1) > t->size) {
        kl_name_map bigger = {t->n, t->size ? 2 * t->size : 16, NULL, NULL};
        bigger.name        = kl_arena_array(a, const char *, bigger.size);
        bigger.value       = kl_arena_array(a, int, bigger.size);
        if (!bigger.name || !bigger.value) return false;
        for (int i = 0; i < t->size; i++) {
            if (!t->name[i]) continue;
            int *slot                        = name_slot(&bigger, t->name[i]);
            bigger.name[slot - bigger.value] = t->name[i];
            *slot                            = t->value[i];
        }
        *t = bigger;
    }
    int *slot = name_slot(t, name);
    t->n += t->name[slot - t->value] == NULL;
    t->name[slot - t->value] = name;
    *slot                    = value;
    return true;
}

static unsigned key_hash(uint64_t key)
{
    key ^= key >> 33;
    key *= UINT64_C(0xff51afd7ed558ccd); /* the finaliser of MurmurHash3 */
    return (unsigned)(key ^ (key >> 33));
}

static unsigned map_slot(const kl_int_map *t, uint64_t key)
{
    unsigned i = key_hash(key) & (unsigned)(t->size - 1);
    while (t->value[i] && t->key[i] != key) i = (i + 1) & (unsigned)(t->size - 1);
    return i;
}

int kl_int_map_find(const kl_int_map *t, uint64_t key)
{
    return t->size ? t->value[map_slot(t, key)] - 1 : -1;
}

bool kl_int_map_put(kl_arena *a, kl_int_map *t, uint64_t key, int value)
{
    if (2 * (t->n + 1) > t->size) {
        kl_int_map bigger = {t->n, t->size ? 2 * t->size : 64, NULL, NULL};
        bigger.key        = kl_arena_array(a, uint64_t, bigger.size);
        bigger.value      = kl_arena_array(a, int, bigger.size);
        if (!bigger.key || !bigger.value) return false;
        for (int i = 0; i < t->size; i++) {
            if (!t->value[i]) continue;
            unsigned slot      = map_slot(&bigger, t->key[i]);
            bigger.key[slot]   = t->key[i];
            bigger.value[slot] = t->value[i];
        }
        *t = bigger;
    }
    unsigned slot = map_slot(t, key);
    t->n += t->value[slot] == 0;
    t->key[slot]   = key;
    t->value[slot] = value + 1;
    return true;
}

bool kl_int_list_push(kl_import *r, kl_int_list *list, int value)
{
    if (list->n == list->cap) {
        size_t cap  = list->cap ? 2 * list->cap : 256;
        int   *more = realloc(list->v, cap * sizeof *more);
        if (!more) {
            r->status = KL_E_MEMORY;
            return false;
        }
        list->v   = more;
        list->cap = cap;
    }
    list->v[list->n++] = value;
    return true;
}

void kl_int_list_free(kl_int_list *list)
{
    free(list->v);
    *list = (kl_int_list){0};
}

/* ---- the front door ---- */

static bool begins(const char *p, const char *end, const char *word)
{
    for (; *word; p++, word++)
        if (p >= end || kl_upper(*p) != kl_upper(*word)) return false;
    return true;
}

static bool ends_with(const char *name, const char *const *list)
{
    const char *dot = strrchr(name, '.');
    for (; dot && *list; list++)
        if (kl_same_word(dot + 1, *list)) return true;
    return false;
}

/* Is there a bulk data card of nodes, or the line that begins bulk data? */
static bool looks_like_nastran(const char *p, const char *end)
{
    if (end - p > 1 << 20) end = p + (1 << 20);
    while (p && p < end) {
        while (p < end && kl_is_blank(*p)) p++;
        if (begins(p, end, "BEGIN") || begins(p, end, "GRID")) return true;
        p = memchr(p, '\n', (size_t)(end - p));
        if (p) p++;
    }
    return false;
}

static kl_mesh_format guess_format(const kl_source *t)
{
    static const char *const gmsh_names[]    = {"msh", NULL};
    static const char *const abaqus_names[]  = {"inp", NULL};
    static const char *const nastran_names[] = {"bdf", "nas", "fem", "blk", "bulk", NULL};

    const char *p = t->data;
    while (p < t->end && (kl_is_blank(*p) || *p == '\n')) p++;
    if (begins(p, t->end, "$MeshFormat") || begins(p, t->end, "$Comment") ||
        begins(p, t->end, "$NOD") || begins(p, t->end, "$PhysicalNames"))
        return KL_FORMAT_GMSH;
    if (p < t->end && *p == '*') return KL_FORMAT_ABAQUS;
    if (ends_with(t->name, gmsh_names)) return KL_FORMAT_GMSH;
    if (ends_with(t->name, abaqus_names)) return KL_FORMAT_ABAQUS;
    if (ends_with(t->name, nastran_names) || looks_like_nastran(p, t->end))
        return KL_FORMAT_NASTRAN;
    return KL_FORMAT_AUTO;
}

static void read_text(kl_import *r, kl_source *t)
{
    static void (*const readers[])(kl_import *,
                                   kl_source *) = {[KL_FORMAT_GMSH]    = kl_read_gmsh,
                                                   [KL_FORMAT_ABAQUS]  = kl_read_abaqus,
                                                   [KL_FORMAT_NASTRAN] = kl_read_nastran};
    kl_mesh_format format = r->options->format ? r->options->format : guess_format(t);
    if (format != KL_FORMAT_AUTO) readers[format](r, t);
    else
        kl_flaw(r, KL_FLAW_SYNTAX, t, NULL,
                "this is not a supported mesh file; give Gmsh (.msh 2.2 or 4.1), Abaqus or "
                "CalculiX (.inp), or Nastran bulk data (.bdf, .nas)");
}

kl_status kl_mesh_read(const char *path, const kl_read_options *options, kl_mesh **mesh,
                       kl_diag *diag)
{
    kl_import r;
    *mesh = NULL;
    KL_TRY(kl_import_open(&r, path, options, diag));
    kl_source *t = kl_import_load(&r, path, NULL, NULL);
    if (t) read_text(&r, t);
    return kl_import_close(&r, mesh);
}

kl_status kl_mesh_read_memory(const char *name, const char *data, size_t size,
                              const kl_read_options *options, kl_mesh **mesh, kl_diag *diag)
{
    kl_import r;
    *mesh = NULL;
    KL_TRY(kl_import_open(&r, name, options, diag));
    kl_source *t = kl_import_borrow(&r, name, data, size);
    if (t) read_text(&r, t);
    else r.status = kl_fail(diag, KL_E_MEMORY, (kl_place){name, 0, 0}, "out of memory");
    return kl_import_close(&r, mesh);
}
