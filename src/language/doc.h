/* A YAML text (JSON is a subset) as a tree that remembers where everything stands.
 *
 * Anchors, aliases and `<<` merges are expanded while reading, within limits: depth 100, two
 * million nodes after expansion, 64 MB of text. Entries of an alias share their children with the
 * original, so treat the tree as read-only.
 */
#ifndef KL_LANGUAGE_DOC_H
#define KL_LANGUAGE_DOC_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/diag.h"

typedef enum kl_node_kind { KL_SCALAR, KL_LIST, KL_MAP } kl_node_kind;

typedef struct kl_node {
    kl_node_kind kind;
    kl_place     place;  /* of the value; inside the quotes of a quoted text */
    const char  *text;   /* of a scalar; "" for `key:` with nothing behind it; null stays "null" */
    bool         quoted; /* quoted or a block text: never a number */
    bool         block;  /* a block text: it begins on the line after its place */
    const char  *key;    /* when it is an entry of a map, else NULL */
    kl_place     key_place; /* of the key */

    struct kl_node *first, *next; /* first child; next sibling */
    int             size;         /* number of children */

    /* for doc.c */
    int                          total, height; /* nodes and levels of this subtree, expanded */
    const struct kl_node *const *sorted;        /* entries of a large map by key, else NULL */
} kl_node;

/* The tree of `text`. `file` names it in messages and may be NULL; it is copied. All of the tree
 * belongs to `arena`. */
kl_status kl_doc_parse(const char *text, size_t length, const char *file, kl_arena *arena,
                       kl_diag *diag, kl_node **root);

/* Reads a file and parses it. `text`, unless NULL, receives the whole text, owned by `arena`. */
kl_status kl_doc_read(const char *path, kl_arena *arena, kl_diag *diag, kl_node **root,
                      const char **text);

/* The entry `key` of a map, or NULL; NULL too when `map` is NULL or no map. */
const kl_node *kl_node_get(const kl_node *map, const char *key);

/* Plain numbers of a tree that a program wrote (JSON): no units, no arithmetic. `otherwise` where
 * there is none; of a list at most `most`, and how many. */
double kl_node_number(const kl_node *n, double otherwise);
double kl_node_entry(const kl_node *map, const char *key, double otherwise);
int    kl_node_numbers(const kl_node *n, double *values, int most);

/* "a map", "a list", "one value": for messages. */
const char *kl_node_kind_word(kl_node_kind kind);

#endif
