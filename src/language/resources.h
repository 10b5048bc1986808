/* Sections of named resources (model/resource.h): `tracks`, `surfaces` and what the catalogue lists.
 */
#ifndef KL_LANGUAGE_RESOURCES_H
#define KL_LANGUAGE_RESOURCES_H

#include "language/parts.h"

/* What the function `read` of a resource type is given. */
typedef struct kl_resource_reader {
    kl_scope       *s;    /* with the parameters that its text may use */
    kl_model       *m;    /* resources above are there */
    const kl_entry *e;    /* the entry as written; kl_entry_get looks a key up */
    const kl_node  *node; /* the same as one map with what it is `like`; its key is the name */
    kl_resource    *resource;
    kl_arena       *arena; /* of the model */
    kl_diag        *diag;
} kl_resource_reader;

/* Reads all sections of resources. Mistakes are reported; KL_E_MEMORY alone stops it. */
kl_status kl_resources_read(kl_builder *b);

/* The resource that `node` names, as seen from the part being read: one of the model, or one that is
 * built in. `what` leads the messages. A name that is not there is reported with a suggestion. */
kl_status kl_resource_find(kl_scope *s, kl_model *m, const kl_node *node, const char *what,
                           const char *section, const kl_resource **out);

/* Refuses a resource of a part that is mirrored, for kinds that have no mirror image. */
kl_status kl_resource_refuse_mirror(const kl_resource_reader *r);

/* `name` as seen from the folder of the file that `node` was read from. */
const char *kl_path_beside(kl_arena *arena, const kl_node *node, const char *name);

#endif
