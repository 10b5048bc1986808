/* Any bytes are either a sound tree or at least one message. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "language/doc.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect(bool law)
{
    if (!law) abort();
}

static void walk(const kl_node *n, int depth)
{
    int size = 0, total = 1, height = 1;
    expect(depth <= 100);
    expect(n->place.line >= 1 && n->place.column >= 1);
    expect(n->kind != KL_SCALAR || (n->text && !n->first));
    for (const kl_node *c = n->first; c; c = c->next) {
        expect((n->kind == KL_MAP) == (c->key != NULL));
        if (n->kind == KL_MAP) expect(kl_node_get(n, c->key) == c);
        walk(c, depth + 1);
        size++;
        total += c->total;
        if (c->height >= height) height = c->height + 1;
    }
    expect(size == n->size && total == n->total && height == n->height);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    kl_diag  *diag  = kl_diag_create();
    kl_arena *arena = kl_arena_create();
    kl_node  *root  = NULL;
    kl_status s     = kl_doc_parse((const char *)data, size, "f", arena, diag, &root);
    expect(s == KL_OK ? root && kl_diag_size(diag) == 0 : !root && kl_diag_size(diag) >= 1);
    for (int i = 0; i < kl_diag_size(diag); i++)
        expect(strncmp(kl_diag_at(diag, i)->text, "f:", 2) == 0 &&
               !strstr(kl_diag_at(diag, i)->text, "not well-formed YAML ("));
    if (root && root->total < 20000) walk(root, 1);
    kl_arena_destroy(arena);
    kl_diag_destroy(diag);
    return 0;
}
