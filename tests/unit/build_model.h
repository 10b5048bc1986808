/* A model from text, for tests: fails the test with the messages when it cannot be built. */
#ifndef KL_TESTS_BUILD_H
#define KL_TESTS_BUILD_H

#include <stdio.h>
#include <string.h>

#include "language/build.h"
#include "unit/test.h"

typedef struct built {
    kl_diag   *diag;
    kl_source *source;
    kl_model  *model;
} built;

static inline void built_free(built *b)
{
    kl_model_destroy(b->model);
    kl_source_destroy(b->source);
    kl_diag_destroy(b->diag);
}

static inline void print_messages(const kl_diag *d)
{
    for (int i = 0; i < kl_diag_size(d); i++) print_message("%s\n", kl_diag_at(d, i)->text);
}

/* KL_OK or what went wrong; messages in b->diag either way. */
static inline kl_status try_build(const char *text, built *b)
{
    *b               = (built){.diag = kl_diag_create()};
    kl_status status = kl_source_parse(text, strlen(text), "test.yaml", b->diag, &b->source);
    if (status == KL_OK) status = kl_source_build(b->source, NULL, 0, b->diag, &b->model);
    return status;
}

static inline built must_build(const char *text)
{
    built b;
    if (try_build(text, &b) != KL_OK) {
        print_messages(b.diag);
        fail_msg("the model was not built:\n%s", text);
    }
    return b;
}

/* A repeatable stream of numbers in (-1, 1). */
static inline double noise(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / 8388608.0 - 1.0;
}

#endif
