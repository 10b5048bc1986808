#include "results/modes_file.h"

#include <stdio.h>
#include <string.h>

#include "store/h5.h"

bool kl_modes_file(const char *path)
{
    kl_h5_start start;
    char        why[KL_H5_WHY];
    if (!kl_h5_probe(path, &start) || !start.is_h5 || start.marked) return false;
    kl_arena *a      = kl_arena_create();
    kl_h5    *f      = a ? kl_h5_open(path, KL_H5_READ, why) : NULL;
    char     *format = f ? kl_h5_read_attribute(f, "/", "format", a) : NULL;
    bool      is     = format && strcmp(format, "klingel linear model") == 0;
    kl_h5_close(f, why);
    kl_arena_destroy(a);
    return is;
}

/* ---- skins ---- */

typedef struct skin_names {
    char words[32], modal[32];
} skin_names;

static skin_names names_of(int k)
{
    skin_names n;
    snprintf(n.words, sizeof n.words, "scene/skin%d", k);
    snprintf(n.modal, sizeof n.modal, "scene/modal%d", k);
    return n;
}

static bool write_skins(kl_h5 *f, const kl_modes_scene *s)
{
    kl_arena    *a    = kl_arena_create();
    const char **head = a ? kl_arena_array(a, const char *, s->nskin + 1) : NULL;
    bool         good = head != NULL;
    for (int k = 0; good && k < s->nskin; k++) {
        const kl_modes_skin *one     = &s->skin[k];
        skin_names           name    = names_of(k);
        int                  size[2] = {1 + 2 * s->nmode, one->n};
        head[k]                      = one->head;
        good                         = kl_h5_write_ints(f, name.words, one->words, one->nword) &&
               kl_h5_write_doubles(f, name.modal, one->modal, 2, size);
    }
    if (good && s->nskin > 0) good = kl_h5_write_texts(f, "scene/skins", head, s->nskin);
    kl_arena_destroy(a);
    return good;
}

/* Files of before have none. */
static bool read_skins(kl_h5 *f, kl_arena *a, kl_modes_scene *s)
{
    int          n = kl_h5_count(f, "scene/skins"), rows = 1 + 2 * s->nmode;
    const char **head = n > 0 ? kl_h5_read_texts(f, "scene/skins", n, a) : NULL;
    s->skin           = kl_arena_array(a, kl_modes_skin, (n > 0 ? n : 0) + 1);
    for (int k = 0; head && s->skin && k < n; k++) {
        kl_modes_skin *one  = &s->skin[k];
        skin_names     name = names_of(k);
        int            all  = kl_h5_count(f, name.modal);
        if (all <= 0 || all % rows) return false;
        *one       = (kl_modes_skin){.head = head[k], .nword = kl_h5_count(f, name.words)};
        one->n     = all / rows;
        one->modal = kl_h5_read_doubles(f, name.modal, all, a);
        one->words = one->nword > 0 ? kl_h5_read_ints(f, name.words, one->nword, a) : NULL;
        if (!one->modal || !one->words) return false;
        s->nskin++;
    }
    return s->skin && (head || n <= 0);
}

static bool write_lines(kl_h5 *f, const kl_model *m)
{
    kl_arena            *arena = kl_arena_create();
    int                  n     = 0;
    const kl_drawn_line *line  = arena && m ? kl_drawn_lines(m, arena, &n) : NULL;
    bool                 good  = kl_drawn_lines_write(f, line, n);
    kl_arena_destroy(arena);
    return good;
}

kl_status kl_modes_scene_add(const char *path, const kl_modes_scene *s, kl_diag *diag)
{
    char   why[KL_H5_WHY] = "";
    int    base[2] = {s->nbody, 7}, motion[3] = {s->nmode, s->nbody, 12};
    kl_h5 *f    = kl_h5_open(path, KL_H5_CHANGE, why);
    bool   good = f && kl_h5_write_text(f, "scene/json", s->json) &&
                kl_h5_write_texts(f, "scene/bodies", s->body, s->nbody) &&
                kl_h5_write_doubles(f, "scene/base", s->base, 2, base) &&
                kl_h5_write_doubles(f, "scene/motion", s->motion, 3, motion) && write_skins(f, s) &&
                write_lines(f, s->model);
    if (f) good = kl_h5_close(f, why) && good;
    if (good) return KL_OK;
    return kl_fail(diag, KL_E_FILE, (kl_place){.file = path}, "cannot be written: %s", why);
}

static bool read_scene(kl_h5 *f, kl_arena *a, kl_modes_scene *s)
{
    s->title  = kl_h5_read_text(f, "title", a);
    s->json   = kl_h5_read_text(f, "scene/json", a);
    int nbase = kl_h5_count(f, "scene/base"), nvalue = kl_h5_count(f, "eigenvalues");
    if (!s->json || nbase < 7 || nbase % 7 || nvalue < 4) return false;
    s->nbody      = nbase / 7;
    s->nmode      = nvalue / 4;
    s->body       = kl_h5_read_texts(f, "scene/bodies", s->nbody, a);
    s->base       = kl_h5_read_doubles(f, "scene/base", nbase, a);
    s->motion     = kl_h5_read_doubles(f, "scene/motion", (int64_t)s->nmode * s->nbody * 12, a);
    s->eigenvalue = kl_h5_read_doubles(f, "eigenvalues", nvalue, a);
    s->text       = kl_h5_read_texts(f, "shape_texts", s->nmode, a);
    s->track      = kl_drawn_lines_read(f, a, &s->ntrack);
    return s->body && s->base && s->motion && s->eigenvalue && read_skins(f, a, s);
}

kl_status kl_modes_scene_read(const char *path, kl_arena *arena, kl_diag *diag, kl_modes_scene *out)
{
    char why[KL_H5_WHY] = "";
    *out                = (kl_modes_scene){0};
    kl_h5 *f            = kl_h5_open(path, KL_H5_READ, why);
    if (!f) return kl_fail(diag, KL_E_FILE, (kl_place){.file = path}, "cannot be read: %s", why);
    bool good = read_scene(f, arena, out);
    kl_h5_close(f, why);
    if (good) return KL_OK;
    return kl_fail(diag, KL_E_FILE, (kl_place){.file = path},
                   "this linear model contains no modes; write it again with `klingel modes "
                   "MODEL.yaml -o OUT.h5`");
}
