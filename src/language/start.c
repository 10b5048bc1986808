#include "language/start.h"

#include "base/files.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const mark = "\n# --- state just before the end of a run ---\n";

/* A state is written by the program with full digits (%.17g), so plain strtod restores its bits.
 * Its lengths must be those of the model, otherwise it belongs to another one. */
static kl_status read_list(const kl_node *section, const char *name, int n, double *out,
                           kl_diag *diag)
{
    const kl_node *list = kl_node_get(section, name);
    int            i    = 0;
    if (!list && n == 0) return KL_OK;
    if (!list || list->kind != KL_LIST || list->size != n)
        return kl_fail(diag, KL_E_MODEL, list ? list->place : section->place,
                       "state: `%s` needs %d numbers; this state belongs to another model", name,
                       n);
    for (const kl_node *c = list->first; c; c = c->next, i++) {
        char *end;
        out[i] = c->kind == KL_SCALAR ? strtod(c->text, &end) : 0.0;
        if (c->kind != KL_SCALAR || end == c->text || *end || !isfinite(out[i]))
            return kl_fail(diag, KL_E_MODEL, c->place, "state: `%s`[%d] is not a number", name, i);
    }
    return KL_OK;
}

/* The section `state` replaces the initial values of the model: t, coordinates q, velocities v,
 * states z of elements, history h. Assembly then has nothing to correct. */
kl_status kl_start_read(kl_model *m, const kl_node *section, kl_diag *diag)
{
    if (!section) return KL_OK;
    if (section->kind != KL_MAP)
        return kl_fail(diag, KL_E_MODEL, section->place, "`state` is %s; give t, q, v, z, h",
                       kl_node_kind_word(section->kind));
    const kl_node *t = kl_node_get(section, "t");
    m->z0            = kl_arena_array(m->arena, double, m->nz + 1);
    m->h0            = kl_arena_array(m->arena, double, m->nh + 1);
    if (!m->z0 || !m->h0) return KL_E_MEMORY;
    m->saved = true;
    m->t0    = t && t->kind == KL_SCALAR ? strtod(t->text, NULL) : 0.0;
    KL_TRY(read_list(section, "q", m->nq, m->q0, diag));
    KL_TRY(read_list(section, "v", m->nv, m->v0, diag));
    KL_TRY(read_list(section, "z", m->nz, m->z0, diag));
    return read_list(section, "h", m->nh, m->h0, diag);
}

static void write_list(FILE *f, const char *name, const double *x, int n)
{
    fprintf(f, "  %s: [", name);
    for (int i = 0; i < n; i++) fprintf(f, "%s%.17g", i ? ", " : "", x[i]);
    fprintf(f, "]\n");
}

kl_status kl_start_write(const char *path, const char *model_text, const kl_model *m,
                         const kl_state *s)
{
    kl_new_file file;
    const char *old = strstr(model_text, mark);
    if (!kl_new_file_open(&file, path)) return KL_E_FILE;
    FILE *f = file.stream;
    fprintf(f, "%.*s%sstate:\n  t: %.17g\n",
            (int)(old ? (size_t)(old - model_text) : strlen(model_text)), model_text, mark, s->t);
    write_list(f, "q", s->q, m->nq);
    write_list(f, "v", s->v, m->nv);
    write_list(f, "z", s->z, m->nz);
    write_list(f, "h", s->h, m->nh);
    return kl_new_file_close(&file) ? KL_OK : KL_E_FILE;
}
