/* The fingerprint is FNV-1a (Fowler, Noll, Vo; 64 bit) over the contents of the files. Which texts are names is not known
 * here, so each text that is the name of an ordinary file counts as one. */
#include "language/inputs.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/files.h"
#include "language/doc.h"
#include "language/source.h"

enum { MOST_DEPTH = 3 }; /* of files that name files */

typedef struct gatherer {
    kl_arena *arena;
    uint64_t  hash;
} gatherer;

static void add_bytes(gatherer *g, const void *bytes, size_t n)
{
    const unsigned char *p = bytes;
    for (size_t i = 0; i < n; i++) g->hash = (g->hash ^ p[i]) * 1099511628211u;
}

/* Its contents; false: it is no ordinary file. */
static bool add_file(gatherer *g, const char *path)
{
    struct stat about;
    char        block[65536];
    if (stat(path, &about) != 0 || !S_ISREG(about.st_mode)) return false;
    FILE *f = kl_file_open(path);
    if (!f) return false;
    for (size_t n; (n = fread(block, 1, sizeof block, f)) > 0;) add_bytes(g, block, n);
    fclose(f);
    return true;
}

static void add_tree(gatherer *g, const char *from, const kl_node *n, int depth);

/* A file by its name as seen from the folder of `from`; if it is a body file, or another YAML file, with all that it names. */
static void add_named(gatherer *g, const char *from, const char *name, int depth)
{
    const char *slash = strrchr(from, '/'), *dot = strrchr(name, '.');
    const char *path = *name == '/' || !slash
                           ? name
                           : kl_arena_format(g->arena, "%.*s/%s", (int)(slash - from), from, name);
    if (!path || !*name || !add_file(g, path)) return;
    if (depth >= MOST_DEPTH || !dot || strcmp(dot, ".yaml") != 0) return;
    kl_diag *quiet = kl_diag_create();
    kl_node *root  = NULL;
    if (quiet && kl_doc_read(path, g->arena, quiet, &root, NULL) == KL_OK)
        add_tree(g, path, root, depth + 1);
    kl_diag_destroy(quiet);
}

static void add_tree(gatherer *g, const char *from, const kl_node *n, int depth)
{
    if (!n) return;
    for (const kl_node *c = n->first; c; c = c->next) add_tree(g, from, c, depth);
    if (n->kind == KL_SCALAR && n->text) add_named(g, from, n->text, depth);
}

/* "mirror:y:frame.yaml?mesh=fine.msh?modes=30": the body file and the values of its parameters. */
static void add_body(gatherer *g, const char *known)
{
    if (strncmp(known, "mirror:", 7) == 0 && strlen(known) > 9) known += 9;
    const char *end  = known + strcspn(known, "?");
    const char *path = kl_arena_format(g->arena, "%.*s", (int)(end - known), known);
    if (!path) return;
    add_named(g, "", path, 0);
    while (*end == '?') {
        const char *value = end + strcspn(end, "=");
        end               = end + 1 + strcspn(end + 1, "?");
        if (value >= end) continue;
        const char *name = kl_arena_format(g->arena, "%.*s", (int)(end - value - 1), value + 1);
        if (name) add_named(g, path, name, MOST_DEPTH);
    }
}

kl_status kl_inputs_fingerprint(const kl_source *s, const kl_override *set, int nset,
                                const kl_model *m, char text[KL_INPUTS_TEXT])
{
    gatherer g = {.arena = kl_arena_create(), .hash = 14695981039346656037u};
    if (!g.arena) return KL_E_MEMORY;
    for (int i = 0; i < s->n; i++) {
        (void)add_file(&g, s->path[i]);
        add_tree(&g, s->path[i], s->root[i], 0);
    }
    for (int i = 0; i < nset; i++) add_named(&g, s->file, set[i].text, 0);
    for (int i = 0; i < m->nkbody; i++) add_body(&g, m->kbody_path[i]);
    snprintf(text, KL_INPUTS_TEXT, "%016" PRIx64, g.hash);
    kl_arena_destroy(g.arena);
    return KL_OK;
}
