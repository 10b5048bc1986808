#include "results/linear_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/files.h"
#include "model/groups.h"
#include "store/h5.h"
#include "store/mat.h"

/* One thing to write: a matrix, or a list of texts. */
typedef struct item {
    const char        *name;
    int                rows, columns;
    const double      *values;
    const char *const *texts;
} item;

enum { MOST_ITEMS = 20 };

static const char *const *entry_names(const kl_model *m, kl_arena *a)
{
    const char **name = kl_arena_array(a, const char *, m->nv + 1);
    for (int i = 0; name && i < m->nv; i++) name[i] = kl_velocity_name(m, i, a);
    return name;
}

static void add_spectrum(const kl_model *m, const kl_spectrum *s, kl_arena *a, item *list, int *n)
{
    double      *values = kl_arena_array(a, double, 4 * (size_t)s->n + 1);
    double      *shapes = kl_arena_array(a, double, 2 * (size_t)s->n * (size_t)m->nv + 1);
    const char **text   = kl_arena_array(a, const char *, s->n + 1);
    if (!values || !shapes || !text) return;
    bool shaped = s->n > 0 && s->mode[0].shape[0];
    for (int i = 0; i < s->n; i++) {
        const kl_eigenmode *e = &s->mode[i];
        double             *v = values + 4 * (size_t)i, *y = shapes + 2 * (size_t)i * (size_t)m->nv;
        v[0] = e->re, v[1] = e->im, v[2] = e->frequency, v[3] = e->damping;
        text[i] = e->text ? e->text : "";
        if (!shaped) continue;
        memcpy(y, e->shape[0], (size_t)m->nv * sizeof *y);
        memcpy(y + m->nv, e->shape[1], (size_t)m->nv * sizeof *y);
    }
    list[(*n)++] = (item){.name = "eigenvalues", .rows = s->n, .columns = 4, .values = values};
    if (!shaped) return;
    list[(*n)++] = (item){.name = "shapes", .rows = s->n, .columns = 2 * m->nv, .values = shapes};
    list[(*n)++] = (item){.name = "shape_texts", .rows = s->n, .texts = text};
    list[(*n)++] = (item){.name = "shape_entries", .rows = m->nv, .texts = entry_names(m, a)};
}

static int list_items(const kl_model *m, const kl_linear *l, const kl_spectrum *s, kl_arena *a,
                      item *list)
{
    int n = 0, nx = l->nx;
    list[n++] = (item){.name = "E", .rows = nx, .columns = nx, .values = l->E};
    list[n++] = (item){.name = "A", .rows = nx, .columns = nx, .values = l->A};
    list[n++] = (item){.name = "states", .rows = nx, .texts = l->state};
    list[n++] = (item){.name = "state_units", .rows = nx, .texts = l->state_unit};
    if (l->B) {
        list[n++] = (item){.name = "B", .rows = nx, .columns = l->nu, .values = l->B};
        list[n++] = (item){.name = "C", .rows = l->nw, .columns = nx, .values = l->C};
        list[n++] = (item){.name = "D", .rows = l->nw, .columns = l->nu, .values = l->D};
        list[n++] = (item){.name = "inputs", .rows = l->nu, .texts = l->input};
        list[n++] = (item){.name = "input_units", .rows = l->nu, .texts = l->input_unit};
        list[n++] = (item){.name = "outputs", .rows = l->nw, .texts = l->output};
        list[n++] = (item){.name = "output_units", .rows = l->nw, .texts = l->output_unit};
    }
    if (s) add_spectrum(m, s, a, list, &n);
    return n;
}

static bool write_mat(FILE *f, const item *list, int n)
{
    kl_mat_begin(f, "klingel linear model: E x' = A x + B u, w = C x + D u");
    for (int i = 0; i < n; i++) {
        const item *k = &list[i];
        if (k->texts) {
            kl_mat_texts(f, k->name, k->texts, k->rows);
            continue;
        }
        if (!kl_mat_fits(k->rows, k->columns)) return false;
        kl_mat_matrix(f, k->name, k->rows, k->columns);
        for (int c = 0; c < k->columns; c++)
            for (int r = 0; r < k->rows; r++)
                (void)fwrite(&k->values[(size_t)r * (size_t)k->columns + (size_t)c], sizeof(double),
                             1, f);
    }
    return !ferror(f);
}

static bool write_h5(kl_h5 *f, const kl_model *m, const item *list, int n)
{
    bool ok = kl_h5_write_attribute(f, "/", "format", "klingel linear model") &&
              kl_h5_write_attribute(f, "/", "version", "1.0") &&
              kl_h5_write_text(f, "title", m->title ? m->title : "");
    const double none = 0.0;
    for (int i = 0; i < n && ok; i++) {
        const item *k       = &list[i];
        const int   size[2] = {k->rows, k->columns}; /* no inputs: B and D have no columns */
        ok                  = k->texts ? kl_h5_write_texts(f, k->name, k->texts, k->rows)
                                       : kl_h5_write_doubles(f, k->name, k->values ? k->values : &none, 2, size);
    }
    return ok;
}

/* Under a temporary name until it is complete: a full disk leaves an older file as it is. */
static bool write_whole_h5(const char *path, const kl_model *m, const item *list, int n,
                           char why[KL_H5_WHY])
{
    char part[4096];
    if (snprintf(part, sizeof part, "%s.%ld.part", path, (long)getpid()) >= (int)sizeof part) {
        snprintf(why, KL_H5_WHY, "the name is too long");
        return false;
    }
    kl_h5 *f  = kl_h5_create(part, why);
    bool   ok = f && write_h5(f, m, list, n);
    if (f) ok = kl_h5_close(f, why) && ok;
    if (ok && rename(part, path) == 0) return true;
    if (ok) snprintf(why, KL_H5_WHY, "%s", kl_file_reason(errno));
    remove(part);
    return false;
}

static bool ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), k = strlen(end);
    return n >= k && strcmp(text + n - k, end) == 0;
}

kl_status kl_linear_write(const char *path, const kl_model *m, const kl_linear *l,
                          const kl_spectrum *s, kl_diag *diag)
{
    kl_arena *a                = kl_arena_create();
    item      list[MOST_ITEMS] = {{0}};
    int       n                = list_items(m, l, s, a, list);
    char      why[KL_H5_WHY]   = "";
    if (!kl_arena_ok(a)) {
        kl_arena_destroy(a);
        return KL_E_MEMORY;
    }
    bool ok;
    if (ends_with(path, ".mat")) {
        kl_new_file f;
        ok = kl_new_file_open(&f, path);
        if (ok && !write_mat(f.stream, list, n)) kl_new_file_discard(&f), ok = false;
        else ok = ok && kl_new_file_close(&f);
        if (!ok) snprintf(why, sizeof why, "%s", kl_file_reason(errno));
    } else {
        ok = write_whole_h5(path, m, list, n, why);
    }
    kl_arena_destroy(a);
    if (ok) return KL_OK;
    return kl_fail(diag, KL_E_FILE, (kl_place){.file = path}, "cannot be written: %s", why);
}
