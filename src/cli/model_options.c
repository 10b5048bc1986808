#include "cli/model_options.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "language/doc.h"
#include "results/results.h"
#include "results/scene.h"

/* "name=value" of all --set, cut in two. Texts are copied into one block behind the list. */
static kl_override *overrides(const kl_texts *set, int *bad)
{
    size_t bytes = (size_t)(set->n + 1) * sizeof(kl_override);
    *bad         = -1;
    for (int i = 0; i < set->n; i++) bytes += strlen(set->items[i]) + 1;
    kl_override *list = malloc(bytes);
    if (!list) return NULL;
    char *text = (char *)(list + set->n + 1);
    for (int i = 0; i < set->n; i++) {
        size_t length = strlen(set->items[i]) + 1;
        memcpy(text, set->items[i], length);
        char *sign = strchr(text, '=');
        if (!sign || sign == text) {
            *bad = i;
            break;
        }
        *sign   = '\0';
        list[i] = (kl_override){.name = text, .text = sign + 1};
        text += length;
    }
    return list;
}

int kl_loaded_open(const kl_command *command, const char *path, const kl_texts *set, kl_diag *diag,
                   kl_loaded *out)
{
    int          bad;
    kl_override *list = overrides(set, &bad);
    *out              = (kl_loaded){0};
    if (!list || !diag) {
        free(list);
        return kl_exit_code(KL_E_MEMORY);
    }
    if (bad >= 0) {
        free(list);
        return kl_usage_error(command,
                              "--set needs NAME=VALUE, for example --set L=300mm, not '%s'",
                              set->items[bad]);
    }
    kl_status status = kl_source_read(path, diag, &out->source);
    if (status == KL_OK) status = kl_source_build(out->source, list, set->n, diag, &out->model);
    free(list);
    if (status == KL_OK) return KL_EXIT_OK;
    kl_loaded_close(out);
    /* whatever is wrong before there is a model is a mistake in it */
    return status == KL_E_MEMORY ? kl_exit_code(status) : KL_EXIT_MODEL;
}

kl_override *kl_overrides(const kl_texts *set, int more, kl_arena *arena, kl_diag *diag)
{
    kl_override *list = kl_arena_array(arena, kl_override, set->n + more + 1);
    for (int i = 0; list && i < set->n; i++) {
        const char *text = set->items[i], *sign = strchr(text, '=');
        if (!sign || sign == text) {
            kl_fail(diag, KL_E_USAGE, (kl_place){.file = "--set"},
                    "--set needs NAME=VALUE, for example --set speed=50, not '%s'", text);
            return NULL;
        }
        list[i] = (kl_override){kl_arena_text_n(arena, text, (size_t)(sign - text)), sign + 1};
    }
    return list;
}

static char *copy_of(const char *text) { return text ? strdup(text) : NULL; }

/* Lines cut into texts, in place. */
static int cut_lines(char *text, const char **items, int most)
{
    int n = 0;
    for (char *line = text; line && *line && n < most;) {
        char *end  = strchr(line, '\n');
        items[n++] = line;
        if (end) *end++ = '\0';
        line = end;
    }
    return n;
}

/* The model file as it was named, or counted from the folder of the run if it is only there. */
static char *model_path(const char *file, const char *folder)
{
    if (!file || *file == '/' || !folder || access(file, R_OK) == 0) return copy_of(file);
    size_t n    = strlen(folder) + strlen(file) + 2;
    char  *path = malloc(n);
    if (path) snprintf(path, n, "%s/%s", folder, file);
    return path;
}

static bool differ(double was, double is, double least)
{
    return fabs(is - was) > 1e-5 * fabs(was) + least;
}

/* Mass and frequencies of a flexible body: those in the scene, and those of its file now. */
typedef struct traits {
    double  mass;
    int     n;
    double *frequency;
} traits;

/* What is different. False: nothing. */
static bool find_change(const traits *was, const traits *is, char text[120])
{
    if (was->n != is->n) {
        snprintf(text, 120, "it had %d modes and now has %d", was->n, is->n);
        return true;
    }
    for (int i = 0; i < is->n; i++) {
        if (!differ(was->frequency[i], is->frequency[i], 1e-6)) continue;
        snprintf(text, 120, "mode %d was at %.9g Hz and is now at %.9g Hz", i + 1,
                 was->frequency[i], is->frequency[i]);
        return true;
    }
    if (!differ(was->mass, is->mass, 0.0)) return false;
    snprintf(text, 120, "its mass was %.9g kg and is now %.9g kg", was->mass, is->mass);
    return true;
}

static bool read_traits(const kl_node *b, kl_arena *arena, traits *t)
{
    const kl_node *list = kl_node_get(b, "frequencies");
    int            n    = 0;
    for (const kl_node *i = list ? list->first : NULL; i; i = i->next) n++;
    t->frequency = kl_arena_array(arena, double, n + 1);
    t->mass      = kl_node_entry(b, "mass", 0.0);
    t->n         = t->frequency ? kl_node_numbers(list, t->frequency, n) : 0;
    return t->n > 0;
}

static bool find_traits(const kl_model *m, int body, kl_arena *arena, traits *t)
{
    kl_modal_body p;
    int           n = kl_scene_frequencies(m, body, NULL);
    (void)kl_model_modal(m, body, &p);
    t->frequency = kl_arena_array(arena, double, n + 1);
    if (!t->frequency) return false;
    t->n    = kl_scene_frequencies(m, body, t->frequency);
    t->mass = n > 0 ? p.mass : 0.0;
    return true;
}

/* Are the flexible bodies those of the run? Frequencies and masses are compared. */
static kl_status same_bodies(const kl_model *m, const char *scene, const char *results,
                             kl_diag *diag)
{
    kl_arena *arena  = scene ? kl_arena_create() : NULL;
    kl_node  *root   = NULL;
    kl_status status = KL_OK;
    if (arena && kl_doc_parse(scene, strlen(scene), results, arena, NULL, &root) == KL_OK) {
        const kl_node *bodies = kl_node_get(root, "bodies");
        for (const kl_node *b = bodies ? bodies->first : NULL; b; b = b->next) {
            const kl_node *name = kl_node_get(b, "name");
            traits         was, is;
            char           change[120];
            if (!name || !read_traits(b, arena, &was)) continue;
            int body = kl_model_find_body(m, name->text);
            if (body < 0 || !find_traits(m, body, arena, &is)) continue;
            if (find_change(&was, &is, change))
                status = kl_fail(diag, KL_E_FILE, (kl_place){.file = results},
                                 "flexible body '%s' has changed since this run: %s; run the model "
                                 "again, or restore the body file",
                                 name->text, change);
        }
    }
    kl_arena_destroy(arena);
    return status;
}

/* The text of the model is that of the run; what it names is not. */
static void note_files(const char *results, const char *file, kl_diag *diag)
{
    const char *slash = file ? strrchr(file, '/') : NULL;
    kl_note(diag, (kl_place){.file = results},
            "the model is rebuilt from the text in this file and from the files that it names "
            "(bodies, meshes, tables) in %.*s; restore these files as they were for the run, or "
            "run the model again",
            slash ? (int)(slash - file) : 11, slash ? file : "this folder");
}

int kl_loaded_from_results(const kl_command *command, const char *results, kl_diag *diag,
                           kl_loaded *out)
{
    enum { MOST = 256 };
    const char *items[MOST];
    int         bad  = -1;
    kl_reader  *r    = NULL;
    char       *text = NULL, *lines = NULL, *scene = NULL;
    (void)command;
    *out             = (kl_loaded){0};
    kl_status status = kl_reader_open(results, diag, &r);
    if (status == KL_OK) {
        text      = copy_of(kl_reader_text(r, "model"));
        out->file = model_path(kl_reader_text(r, "file"), kl_reader_text(r, "folder"));
        out->set  = copy_of(kl_reader_text(r, "set"));
        lines     = copy_of(out->set);
        scene     = copy_of(kl_reader_text(r, "scene"));
        kl_reader_close(r);
        if (!text)
            status = kl_fail(diag, KL_E_FILE, (kl_place){.file = results},
                             "this file contains no model, so the run cannot be restarted from it; "
                             "run the model again with `--checkpoint SECONDS`");
    }
    /* the parameters of the run, one NAME=VALUE per line */
    kl_texts     set  = {.items = items, .n = cut_lines(lines, items, MOST)};
    kl_override *list = overrides(&set, &bad);
    if (!list) status = KL_E_MEMORY;
    if (status == KL_OK)
        status = kl_source_parse(text, strlen(text), out->file ? out->file : "model", diag,
                                 &out->source);
    if (status == KL_OK) {
        status = kl_source_build(out->source, list, bad < 0 ? set.n : bad, diag, &out->model);
        if (status != KL_OK) note_files(results, out->file, diag);
    }
    /* the text names body files that may have changed since: modes and masses are compared with the stored
     * scene */
    if (status == KL_OK) status = same_bodies(out->model, scene, results, diag);
    free(list);
    free(lines);
    free(scene);
    free(text);
    if (status == KL_OK) return KL_EXIT_OK;
    kl_loaded_close(out);
    return kl_exit_code(status);
}

void kl_loaded_close(kl_loaded *l)
{
    kl_model_destroy(l->model);
    kl_source_destroy(l->source);
    free(l->file);
    free(l->set);
    *l = (kl_loaded){0};
}
