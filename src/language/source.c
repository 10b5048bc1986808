/* Reading a model file and what it includes.
 *
 * `include: [profiles.yaml, bogie/suspension.yaml]` names files as seen from the file that says so,
 * and `klingel:vehicles/coach.yaml` a file that is part of the program (folder share).
 * A file that several others include is read once. */
#define _XOPEN_SOURCE 700 /* realpath */
#include "language/source.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/share.h"

enum { MOST_FILES = 200 };

/* The files being read, from the main one inwards. */
typedef struct chain {
    const struct chain *outer;
    const char         *path;
} chain;

static kl_status source_of(kl_source **out)
{
    kl_arena  *a = kl_arena_create();
    kl_source *s = kl_arena_array(a, kl_source, 1);
    *out         = s;
    if (!s) {
        kl_arena_destroy(a);
        return KL_E_MEMORY;
    }
    s->arena = a;
    return KL_OK;
}

static kl_status discard_on_error(kl_status status, kl_source **out)
{
    if (status == KL_OK) return KL_OK;
    kl_source_destroy(*out);
    *out = NULL;
    return status;
}

static kl_status add_root(kl_source *s, kl_node *root, const char *path)
{
    kl_node    **r = kl_arena_grow(s->arena, (void **)&s->root, s->n, &s->cap, sizeof *r);
    const char **p = kl_arena_grow(s->arena, (void **)&s->path, s->n, &s->path_cap, sizeof *p);
    if (!r || !p) return KL_E_MEMORY;
    *r = root;
    *p = path;
    s->n++;
    return KL_OK;
}

static const char SHARED[] = "klingel:"; /* begins the name of a file of the program */

static bool is_shared(const char *name) { return strncmp(name, SHARED, sizeof SHARED - 1) == 0; }

/* `name` as seen from the folder of `from`. */
static const char *beside(kl_arena *a, const char *from, const char *name)
{
    if (is_shared(name)) return kl_arena_text(a, name);
    const char *slash = from ? strrchr(from, '/') : NULL;
    if (*name == '/' || !slash) return kl_arena_text(a, name);
    return kl_arena_format(a, "%.*s/%s", (int)(slash - from), from, name);
}

/* The file whatever way leads to it, so that circles are seen. */
static const char *real_path(kl_arena *a, const char *path)
{
    char       *real = is_shared(path) ? NULL : realpath(path, NULL);
    const char *copy = kl_arena_text(a, real ? real : path);
    free(real);
    return copy;
}

static kl_status read_includes(kl_source *s, const kl_node *root, const chain *files,
                               const char *from, kl_diag *diag);

static const char *short_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* "a.yaml -> lib/b.yaml -> a.yaml": every file on the way round. */
static kl_status report_circle(kl_source *s, const kl_node *n, const chain *files, const char *path,
                               kl_diag *diag)
{
    const char *way = short_name(path);
    for (const chain *c = files; way && c && c->path; c = c->outer) {
        way = kl_arena_format(s->arena, "%s -> %s", short_name(c->path), way);
        if (strcmp(c->path, path) == 0) break;
    }
    if (!way) return KL_E_MEMORY;
    return kl_fail(
        diag, KL_E_MODEL, n->place,
        "'%s' includes itself (%s); remove this line, or move the common sections to a third file",
        n->text, way);
}

/* Names of all files of the program in that folder, for a message. */
static const char *shared_names(kl_arena *a)
{
    const char *all = "";
    for (const kl_share *f = kl_share_files; f->name && all; f++)
        if (strncmp(f->name, "vehicles/", 9) == 0)
            all = kl_arena_format(a, "%s%s%s%s", all, *all ? ", " : "", SHARED, f->name);
    return all;
}

static kl_status read_shared(kl_source *s, const kl_node *n, kl_diag *diag, kl_node **root)
{
    const kl_share *file = kl_share_find(n->text + sizeof SHARED - 1);
    if (file) return kl_doc_parse(file->text, file->size, n->text, s->arena, diag, root);
    const char *names = shared_names(s->arena);
    if (!names) return KL_E_MEMORY;
    return kl_fail(diag, KL_E_MODEL, n->place, "the program has no file '%s'; its files are %s",
                   n->text, names);
}

static kl_status include(kl_source *s, const kl_node *n, const chain *files, const char *from,
                         kl_diag *diag)
{
    if (n->kind != KL_SCALAR || !*n->text)
        return kl_fail(diag, KL_E_MODEL, n->place,
                       "`include` needs names of files: [profiles.yaml, bogie.yaml]");
    const char *path = beside(s->arena, from, n->text);
    chain       here = {.outer = files, .path = path ? real_path(s->arena, path) : NULL};
    kl_node    *root = NULL;
    if (!here.path) return KL_E_MEMORY;
    /* A file on the way from the model to here would include itself. A file that was read on
     * another way is included once. */
    for (const chain *c = files; c; c = c->outer)
        if (c->path && strcmp(c->path, here.path) == 0)
            return report_circle(s, n, files, here.path, diag);
    for (int i = 0; i < s->n; i++)
        if (strcmp(s->path[i], here.path) == 0) return KL_OK;
    if (s->n >= MOST_FILES)
        return kl_fail(diag, KL_E_RANGE, n->place, "more than %d files are included", MOST_FILES);
    int       before = kl_diag_count(diag, KL_ERROR);
    kl_status read   = is_shared(path) ? read_shared(s, n, diag, &root)
                                       : kl_doc_read(path, s->arena, diag, &root, NULL);
    if (read != KL_OK) {
        if (kl_diag_count(diag, KL_ERROR) > before)
            kl_note(diag, n->place, "the file is included here");
        return KL_E_MODEL;
    }
    if (root->kind != KL_MAP)
        return kl_fail(diag, KL_E_MODEL, root->place,
                       "an included file must contain sections such as `bodies:`; this is %s",
                       kl_node_kind_word(root->kind));
    KL_TRY(read_includes(s, root, &here, path, diag));
    /* After the files that it includes: later roots take precedence over earlier ones. */
    return add_root(s, root, here.path);
}

static kl_status read_includes(kl_source *s, const kl_node *root, const chain *files,
                               const char *from, kl_diag *diag)
{
    const kl_node *list   = kl_node_get(root, "include");
    kl_status      status = KL_OK;
    if (!list) return KL_OK;
    if (list->kind == KL_MAP)
        return kl_fail(diag, KL_E_MODEL, list->place,
                       "`include` is a map; give names of files: [profiles.yaml]");
    for (const kl_node *n = list->kind == KL_LIST ? list->first : list; n;
         n                = list->kind == KL_LIST ? n->next : NULL) {
        kl_status one = include(s, n, files, from, diag);
        if (one == KL_E_MEMORY) return one;
        if (one != KL_OK) status = one;
    }
    return status;
}

static kl_status finish(kl_source *s, kl_node *root, kl_diag *diag)
{
    chain main = {.path = real_path(s->arena, s->file ? s->file : "")};
    KL_TRY(read_includes(s, root, &main, s->file, diag));
    return add_root(s, root, main.path);
}

kl_status kl_source_read(const char *path, kl_diag *diag, kl_source **out)
{
    KL_TRY(source_of(out));
    kl_source *s     = *out;
    kl_node   *root  = NULL;
    s->file          = kl_arena_text(s->arena, path);
    kl_status status = kl_doc_read(path, s->arena, diag, &root, &s->text);
    if (status == KL_OK) status = finish(s, root, diag);
    return discard_on_error(status, out);
}

kl_status kl_source_parse(const char *text, size_t length, const char *name, kl_diag *diag,
                          kl_source **out)
{
    KL_TRY(source_of(out));
    kl_source *s    = *out;
    kl_node   *root = NULL;
    s->file         = kl_arena_text(s->arena, name);
    s->text         = kl_arena_text_n(s->arena, text, length);
    if (!s->text) return discard_on_error(KL_E_MEMORY, out);
    kl_status status = kl_doc_parse(text, length, s->file, s->arena, diag, &root);
    if (status == KL_OK) status = finish(s, root, diag);
    return discard_on_error(status, out);
}

void kl_source_destroy(kl_source *s)
{
    if (s) kl_arena_destroy(s->arena);
}

const char *kl_source_text(const kl_source *s) { return s->text; }
