#include "language/reduced.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/files.h"
#include "language/body.h"
#include "language/doc.h"
#include "reduce/kbody_file.h"

/* ---- the hash: FNV-1a of 64 bits over the contents ---- */

static const uint64_t hash_start = 14695981039346656037u;

static uint64_t hash_bytes(uint64_t h, const void *bytes, size_t n)
{
    const unsigned char *p = bytes;
    for (size_t i = 0; i < n; i++) h = (h ^ p[i]) * 1099511628211u;
    return h;
}

static bool hash_file(uint64_t *h, const char *path)
{
    FILE *f = kl_file_open(path);
    char  block[65536];
    if (!f) return false;
    for (size_t n; (n = fread(block, 1, sizeof block, f)) > 0;) *h = hash_bytes(*h, block, n);
    bool good = !ferror(f);
    fclose(f);
    return good;
}

static const char *beside(kl_arena *a, const char *from, const char *name)
{
    const char *slash = strrchr(from, '/');
    if (*name == '/' || !slash) return kl_arena_text(a, name);
    return kl_arena_format(a, "%.*s/%s", (int)(slash - from), from, name);
}

/* "{mesh}", and nothing beside it */
static bool is_parameter(const char *text)
{
    size_t n = strlen(text);
    return n > 2 && text[0] == '{' && strcspn(text + 1, "{}") == n - 2 && text[n - 1] == '}';
}

/* all files that a value names, however deep: texts that are files */
static bool hash_named(uint64_t *h, kl_arena *a, const char *path, const kl_node *n)
{
    if (!n) return true;
    for (const kl_node *c = n->first; c; c = c->next)
        if (!hash_named(h, a, path, c)) return false;
    if (n->kind != KL_SCALAR || !n->text) return true;
    if (is_parameter(n->text)) return true; /* its values are hashed with the parameters */
    if (strchr(n->text, '{')) return false; /* a name that is put together: not kept */
    const char *file = beside(a, path, n->text);
    struct stat info;
    if (!file || stat(file, &info) != 0 || !S_ISREG(info.st_mode)) return true;
    return hash_file(h, file);
}

/* What is asked for: a body file, with parameters changed, and all that in one text. */
typedef struct reduction {
    const char        *path, *text;
    const kl_override *set;
    int                nset;
} reduction;

/* Where the body made of this file is kept; NULL: it is not. */
static const char *kept_path(kl_arena *a, const reduction *w)
{
    static const char *const naming[] = {"mesh", "matrices", "vectors", "parameters"};
    const char              *path     = w->path;
    kl_diag                 *quiet    = kl_diag_create();
    kl_node                 *root     = NULL;
    static const char version[] = "klingel-kbody-1.3-4"; /* what is kept is made anew with it */
    uint64_t          h         = hash_bytes(hash_start, version, sizeof version);
    bool good = quiet && kl_doc_read(path, a, quiet, &root, NULL) == KL_OK && hash_file(&h, path);
    h         = hash_bytes(h, w->text, strlen(w->text));
    for (int i = 0; good && i < w->nset; i++)
        good = hash_named(&h, a, path, &(kl_node){.kind = KL_SCALAR, .text = w->set[i].text});
    for (size_t i = 0; good && i < sizeof naming / sizeof *naming; i++)
        good = hash_named(&h, a, path, kl_node_get(root, naming[i]));
    kl_diag_destroy(quiet);
    if (!good) return NULL;
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const char *dot    = strrchr(name, '.');
    int         stem   = dot ? (int)(dot - name) : (int)strlen(name);
    const char *folder = beside(a, path, ".klingel");
    if (!folder) return NULL;
    return kl_arena_format(a, "%s/%.*s-%016" PRIx64 ".kbody", folder, stem, name, h);
}

static void keep(const kl_kbody *b, const char *path)
{
    kl_diag *quiet = kl_diag_create();
    char     folder[4096];
    snprintf(folder, sizeof folder, "%s", path);
    char *slash = strrchr(folder, '/');
    if (slash) *slash = '\0';
    (void)mkdir(folder, 0777);
    if (quiet) (void)kl_kbody_write(b, path, quiet);
    kl_diag_destroy(quiet);
}

static kl_status read_kept(const char *path, kl_kbody **out)
{
    struct stat info;
    if (!path || stat(path, &info) != 0) return KL_E_FILE;
    kl_diag  *quiet  = kl_diag_create();
    kl_status status = quiet ? kl_kbody_read(path, out, quiet) : KL_E_MEMORY;
    kl_diag_destroy(quiet);
    return status;
}

/* ---- reducing ---- */

static kl_status reduce(const reduction *w, kl_place place, kl_diag *diag, kl_kbody **out)
{
    kl_arena *scratch = kl_arena_create();
    /* The name of the kept file is a hash of all inputs (body file, mesh, parameters, version), so
     * that a change of any of them leads to a new reduction. */
    const char *path = w->path, *kept = scratch ? kept_path(scratch, w) : NULL;
    if (read_kept(kept, out) == KL_OK) {
        kl_arena_destroy(scratch);
        return KL_OK;
    }
    kl_body_file     file;
    kl_reduce_report effort;
    struct timespec  t0, t1;
    clock_gettime(CLOCK_MONOTONIC, &t0);
    kl_status status = kl_body_file_read_with(path, w->set, w->nset, &file, diag);
    if (status == KL_OK)
        status = kl_reduce(file.mesh, file.has_matrices ? &file.system : NULL, &file.recipe, out,
                           &effort, diag);
    clock_gettime(CLOCK_MONOTONIC, &t1);
    if (status == KL_OK && kept) keep(*out, kept);
    if (status == KL_OK)
        kl_note(diag, place, "reduced %s to %d modes in %.1f s (%d nodes)", path, (*out)->nmode,
                (double)(t1.tv_sec - t0.tv_sec) + 1e-9 * (double)(t1.tv_nsec - t0.tv_nsec),
                effort.nnode);
    kl_body_file_free(&file);
    kl_arena_destroy(scratch);
    return status;
}

static const kl_kbody *known(const kl_model *m, const char *path)
{
    for (int i = 0; i < m->nkbody; i++)
        if (strcmp(m->kbody_path[i], path) == 0) return m->kbody[i];
    return NULL;
}

static kl_status store_in_model(kl_model *m, kl_kbody *body, const char *path, const kl_kbody **out)
{
    if (!kl_model_own_kbody(m, body, path)) {
        kl_kbody_destroy(body);
        return KL_E_MEMORY;
    }
    *out = body;
    return KL_OK;
}

kl_status kl_reduced_read(kl_model *m, const char *path, const kl_override *set, int nset,
                          kl_place place, kl_diag *diag, const kl_kbody **out)
{
    const char *text = path; /* distinguishes bodies that are defined in the model */
    for (int i = 0; text && i < nset; i++)
        text = kl_arena_format(m->arena, "%s?%s=%s", text, set[i].name, set[i].text);
    if (!text) return KL_E_MEMORY;
    if ((*out = known(m, text)) != NULL) return KL_OK;
    const char *dot    = strrchr(path, '.');
    kl_kbody   *body   = NULL;
    bool        ready  = dot && strcmp(dot, ".kbody") == 0;
    int         before = kl_diag_count(diag, KL_ERROR);
    reduction   w      = {.path = path, .text = text + strlen(path), .set = set, .nset = nset};
    if (ready && nset > 0)
        return kl_fail(diag, KL_E_MODEL, place,
                       "%s is already reduced, so its parameter '%s' cannot be changed; give the "
                       "body file (.yaml) instead",
                       path, set[0].name);
    kl_status status = ready ? kl_kbody_read(path, &body, diag) : reduce(&w, place, diag, &body);
    if (status != KL_OK && kl_diag_count(diag, KL_ERROR) > before)
        kl_note(diag, place, "the body is used here");
    return status == KL_OK ? store_in_model(m, body, text, out) : status;
}

kl_status kl_reduced_from_node(kl_model *m, const kl_node *node, const char *from, const char *text,
                               kl_diag *diag, const kl_kbody **out)
{
    if ((*out = known(m, text)) != NULL) return KL_OK;
    kl_body_file     file;
    kl_reduce_report effort;
    kl_kbody        *body   = NULL;
    kl_status        status = kl_body_file_from_node(node, from, &file, diag);
    if (status == KL_OK)
        status = kl_reduce(file.mesh, file.has_matrices ? &file.system : NULL, &file.recipe, &body,
                           &effort, diag);
    kl_body_file_free(&file);
    return status == KL_OK ? store_in_model(m, body, text, out) : status;
}

kl_status kl_reduced_mirror(kl_model *m, kl_reduced *reduced)
{
    const char *path = NULL;
    for (int i = 0; i < m->nkbody; i++)
        if (m->kbody[i] == reduced->body) path = m->kbody_path[i];
    if (reduced->mirror == 0 || !path) return KL_OK;
    /* no file is called so: a colon comes before the parameters */
    path = kl_arena_format(m->arena, "mirror:%c:%s", "xyz"[reduced->mirror - 1], path);
    if (!path) return KL_E_MEMORY;
    const kl_kbody *image = known(m, path);
    if (image) {
        reduced->body = image;
        return KL_OK;
    }
    kl_kbody *body = kl_kbody_mirrored(reduced->body, reduced->mirror - 1);
    return body ? store_in_model(m, body, path, &reduced->body) : KL_E_MEMORY;
}

/* ---- the mesh itself ---- */

static void drop_mesh(void *what)
{
    kl_body_file_free(what);
    free(what);
}

static kl_status keep_mesh(kl_model *m, kl_body_file *file, kl_reduced *to)
{
    to->mesh   = file->mesh;
    to->recipe = &file->recipe;
    return kl_model_at_end(m, drop_mesh, file);
}

static kl_status check_mesh(const kl_body_file *file, kl_place place, kl_diag *diag)
{
    if (file->mesh && !file->has_matrices) return KL_OK;
    return kl_fail(diag, KL_E_MODEL, place,
                   "a nonlinear body needs a mesh; matrices describe small deformations only");
}

kl_status kl_reduced_mesh(kl_model *m, const char *path, const kl_override *set, int nset,
                          kl_place place, kl_diag *diag, kl_reduced *to)
{
    const char   *dot  = strrchr(path, '.');
    kl_body_file *file = NULL;
    if (dot && strcmp(dot, ".kbody") == 0)
        return kl_fail(
            diag, KL_E_MODEL, place,
            "%s is a reduced body, which has small deformations only; give the body file "
            "(.yaml) with its mesh, or write `flexible: modal`",
            path);
    if (!(file = calloc(1, sizeof *file))) return KL_E_MEMORY;
    kl_status status = kl_body_file_read_with(path, set, nset, file, diag);
    if (status == KL_OK) status = check_mesh(file, place, diag);
    if (status == KL_OK) return keep_mesh(m, file, to);
    drop_mesh(file);
    kl_note(diag, place, "the body is used here");
    return status;
}

kl_status kl_reduced_mesh_from_node(kl_model *m, const kl_node *node, const char *from,
                                    kl_diag *diag, kl_reduced *to)
{
    kl_body_file *file = calloc(1, sizeof *file);
    if (!file) return KL_E_MEMORY;
    kl_status status = kl_body_file_from_node(node, from, file, diag);
    if (status == KL_OK) status = check_mesh(file, node->place, diag);
    if (status == KL_OK) return keep_mesh(m, file, to);
    drop_mesh(file);
    return status;
}
