/* Models for tests of solvers: from a text or an example, with parameters changed, assembled. */
#ifndef KL_TESTS_SOLVE_LOAD_H
#define KL_TESTS_SOLVE_LOAD_H

#include <stdio.h>
#include <string.h>

#include "language/build.h"
#include "solve/solver.h"
#include "unit/test.h"

typedef struct loaded {
    kl_diag   *diag;
    kl_source *source;
    kl_model  *model;
    kl_solver *x;
} loaded;

static inline void print_messages(const kl_diag *d)
{
    for (int i = 0; i < kl_diag_size(d); i++) printf("%s\n", kl_diag_at(d, i)->text);
}

static inline bool says(const kl_diag *d, const char *words)
{
    for (int i = 0; i < kl_diag_size(d); i++)
        if (strstr(kl_diag_at(d, i)->text, words)) return true;
    return false;
}

/* Builds; assembles when asked. Fails the test when it cannot. */
static inline void finish_loading(loaded *l, kl_status read, const kl_override *set, int nset,
                                  bool assemble)
{
    kl_status status = read;
    if (status == KL_OK) status = kl_source_build(l->source, set, nset, l->diag, &l->model);
    if (status == KL_OK) status = kl_solver_create(l->model, &l->x);
    if (status == KL_OK && assemble) status = kl_assemble(l->x, l->diag);
    if (status != KL_OK) print_messages(l->diag);
    assert_int_equal(status, KL_OK);
}

static inline loaded load_text(const char *text, const kl_override *set, int nset, bool assemble)
{
    loaded l = {.diag = kl_diag_create()};
    finish_loading(&l, kl_source_parse(text, strlen(text), "test.yaml", l.diag, &l.source), set,
                   nset, assemble);
    return l;
}

static inline loaded load_example(const char *name, const kl_override *set, int nset, bool assemble)
{
    char   path[512];
    loaded l = {.diag = kl_diag_create()};
    snprintf(path, sizeof path, KL_SOURCE_DIR "/examples/%s/model.yaml", name);
    finish_loading(&l, kl_source_read(path, l.diag, &l.source), set, nset, assemble);
    return l;
}

static inline void unload(loaded *l)
{
    kl_solver_destroy(l->x);
    kl_model_destroy(l->model);
    kl_source_destroy(l->source);
    kl_diag_destroy(l->diag);
}

#endif
