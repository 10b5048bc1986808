#include "cli/view_skins.h"
#include "cli/commands.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/number.h"
#include "language/doc.h"
#include "reduce/kbody_file.h"

static const char *text(const kl_node *map, const char *key)
{
    const kl_node *n = kl_node_get(map, key);
    return n && n->kind == KL_SCALAR ? n->text : "";
}

/* `name` in the folder of the file `beside`. */
static bool in_folder_of(const char *beside, const char *name, char *path, size_t size)
{
    const char *slash = beside ? strrchr(beside, '/') : NULL;
    int         n     = slash ? (int)(slash - beside) + 1 : 0;
    snprintf(path, size, "%.*s%s", n, beside ? beside : "", name);
    return access(path, R_OK) == 0;
}

static bool find_file(const char *name, const char *model, const char *results, char *path,
                      size_t size)
{
    const char *slash = strrchr(name, '/');
    snprintf(path, size, "%s", name);
    return access(path, R_OK) == 0 || in_folder_of(model, name, path, size) ||
           in_folder_of(results, name, path, size) ||
           in_folder_of(results, slash ? slash + 1 : name, path, size);
}

/* Numbers of the modes that the model uses, counted from 0; NULL: all of the file's. */
static int *read_modes(kl_arena *a, const kl_node *list, int *n)
{
    if (!list || list->kind != KL_LIST) return NULL;
    int *mode = kl_arena_array(a, int, list->size + 1);
    *n        = 0;
    for (const kl_node *c = list->first; mode && c; c = c->next) {
        double value = -1.0;
        if (c->kind == KL_SCALAR) kl_scan_number(c->text, c->text + strlen(c->text), &value);
        mode[(*n)++] = (int)value;
    }
    return mode;
}

static void add_body(kl_view_skins *s, const kl_node *body, const char *model, const char *results)
{
    char           path[4096];
    const kl_node *k    = kl_node_get(body, "kbody");
    const char    *name = text(k, "file");
    if (!*name || s->n == KL_MOST_SKINS) return;
    if (!find_file(name, model, results, path, sizeof path)) {
        fprintf(
            stderr,
            "%s: note: the file '%s' was not found, so body '%s' is drawn without its surface\n",
            results, name, text(body, "name"));
        return;
    }
    kl_diag  *diag = kl_diag_create();
    kl_kbody *b    = NULL;
    if (kl_kbody_read(path, &b, diag) == KL_OK && b->skin.nnode > 0) {
        int  n = b->nmode, *mode = read_modes(s->arena, kl_node_get(k, "modes"), &n);
        bool good = true;
        for (int i = 0; mode && i < n; i++) good = good && mode[i] >= 0 && mode[i] < b->nmode;
        if (good) {
            s->body[s->n] = b;
            s->list[s->n++] =
                kl_skin_plan(kl_arena_text(s->arena, text(body, "name")), b, mode, NULL, n);
            b = NULL;
        } else fprintf(stderr, "%s: note: its modes differ from the modes in the results\n", path);
    }
    if (kl_diag_failed(diag)) fprintf(stderr, "%s\n", kl_diag_at(diag, 0)->text);
    kl_kbody_destroy(b);
    kl_diag_destroy(diag);
}

/* Builds the model again from the text in the results and takes its flexible bodies. */
static void from_model(kl_view_skins *s, const char *results)
{
    kl_diag *diag = kl_diag_create();
    s->again = kl_loaded_from_results(&kl_command_view, results, diag, &s->loaded) == KL_EXIT_OK;
    const kl_model *m = s->again ? s->loaded.model : NULL;
    for (int i = 0; m && i < m->nbody && s->n < KL_MOST_SKINS; i++) {
        kl_modal_body p;
        if (kl_model_modal(m, i, &p) && p.file->body->skin.nnode > 0 && p.n > 0)
            s->list[s->n++] = kl_skin_plan(m->body[i].name, p.file->body, p.mode, p.rigid, p.n);
    }
    const char *why = "no memory";
    for (int i = kl_diag_size(diag) - 1; i >= 0; i--) /* the first that is wrong */
        if (kl_diag_at(diag, i)->severity == KL_ERROR) why = kl_diag_at(diag, i)->text;
    if (!s->again)
        fprintf(stderr,
                "%s: note: flexible bodies are drawn without their surfaces, because the model "
                "cannot be rebuilt here:\n"
                "%s\n",
                results, why);
    kl_diag_destroy(diag);
}

void kl_view_skins_find(kl_view_skins *s, const char *results, kl_view_source *source)
{
    const char *scene = kl_reader_text(source->reader, "scene");
    const char *model = kl_reader_text(source->reader, "file");
    kl_node    *root  = NULL;
    if (!scene) return;
    if (!strstr(scene, "\"kbody\"")) {
        if (strstr(scene, "\"type\": \"flexible\"")) from_model(s, results);
        source->skins = s->list;
        source->nskin = s->n;
        return;
    }
    s->arena      = kl_arena_create();
    kl_diag *diag = kl_diag_create();
    if (s->arena && kl_doc_parse(scene, strlen(scene), results, s->arena, diag, &root) == KL_OK) {
        const kl_node *bodies = kl_node_get(root, "bodies");
        for (const kl_node *b = bodies ? bodies->first : NULL; b; b = b->next)
            add_body(s, b, model, results);
    }
    kl_diag_destroy(diag);
    source->skins = s->list;
    source->nskin = s->n;
}

void kl_view_skins_report(const kl_view_skins *s, const char *results)
{
    for (int i = 0; i < s->n; i++) {
        const kl_skin *k     = &s->list[i];
        bool           beams = k->of->skin.ntriangle == 0;
        fprintf(stderr, "%s: '%s' has a surface of %d %s and %d modes", results, k->body,
                beams ? k->of->skin.nline : k->of->skin.ntriangle, beams ? "beams" : "triangles",
                k->kept);
        if (k->kept < k->n) fprintf(stderr, " (the first of %d, for a smooth animation)", k->n);
        if (k->no_room) fprintf(stderr, ", without stress, for a smooth animation");
        fputc('\n', stderr);
    }
}

void kl_view_skins_free(kl_view_skins *s)
{
    for (int i = 0; i < s->n; i++) kl_kbody_destroy(s->body[i]), free(s->damage[i]);
    kl_arena_destroy(s->arena);
    if (s->again) kl_loaded_close(&s->loaded);
    *s = (kl_view_skins){0};
}
