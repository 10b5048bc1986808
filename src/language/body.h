/* The body file of `klingel fe`: which mesh, which material, which modes (docs/flexible-body.md).
 */
#ifndef KL_LANGUAGE_BODY_H
#define KL_LANGUAGE_BODY_H

#include "language/scope.h"
#include "reduce/reduce.h"

struct kl_node;

typedef struct kl_body_file {
    kl_arena *arena;
    kl_mesh  *mesh;   /* NULL when ready matrices are used */
    kl_system system; /* then these */
    bool      has_matrices;
    kl_mesh  *sets;   /* of the file of their nodes, or NULL */
    kl_recipe recipe; /* texts and lists belong to the arena */
} kl_body_file;

/* Reads the file, the mesh it names (relative to it), turns units, gives materials and sections,
 * checks the mesh. Free with kl_body_file_free, also after a failure. */
kl_status kl_body_file_read(const char *path, kl_body_file *out, kl_diag *diag);
/* The same from a tree that is in another file, `from`: what it names is beside that one. */
kl_status kl_body_file_from_node(const struct kl_node *root, const char *from, kl_body_file *out,
                                 kl_diag *diag);
/* The same with parameters changed. */
kl_status kl_body_file_read_with(const char *path, const kl_override *set, int nset,
                                 kl_body_file *out, kl_diag *diag);
void      kl_body_file_free(kl_body_file *b);

#endif
