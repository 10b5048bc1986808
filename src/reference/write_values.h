/* Values of a built model as a model file writes them: shared by what writes a model out and what
 * compares two. */
#ifndef KL_REFERENCE_WRITE_VALUES_H
#define KL_REFERENCE_WRITE_VALUES_H

#include "base/text.h"
#include "model/model.h"

typedef struct kl_write_context {
    const kl_model *m;
    const char    **inputs; /* names of u; the caller frees the list */
} kl_write_context;

bool kl_write_open(kl_write_context *c, const kl_model *m);

/* The value of a key; false: it has none. */
bool kl_write_value(kl_text *t, const kl_write_context *c, const kl_key *k, const void *data);
void kl_write_unit(const kl_key *keys, const kl_key *k, const void *data, char *text, size_t size);

void kl_write_quantity(kl_text *t, const kl_quantity *q);
void kl_write_input(kl_text *t, const kl_model *m, int i);
void kl_write_output(kl_text *t, const kl_model *m, int i);

#endif
