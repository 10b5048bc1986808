/* Parts of a model: the model itself, and every template that it places, each with its own names,
 * parameters and frame. */
#ifndef KL_LANGUAGE_PARTS_H
#define KL_LANGUAGE_PARTS_H

#include "language/source.h"
#include "language/values.h"

typedef struct kl_part {
    kl_scope              scope; /* with prefix of names, frame and mirror */
    const kl_node *const *root;  /* maps that hold its sections: files, or a template */
    int                   nroot;
    const kl_node *template; /* NULL: the model itself */
    struct kl_part *outer;
} kl_part;

typedef struct kl_builder {
    kl_model                     *m;
    kl_diag                      *diag;
    kl_part                     **part; /* the model first */
    int                           npart, cap;
    int                           nglobal; /* parameters of the model itself */
    const kl_override            *set;
    bool                         *used; /* of each `set` */
    int                           nset;
    kl_part                      *now;     /* being read */
    const char                   *section; /* "bodies", ... */
    const char                   *word;    /* "body", ... */
    kl_names                      outputs;
    long                          turns;  /* of the `for` being read */
    const struct kl_start_driver *driver; /* to add to the joints */
    int                           ndriver;
    const struct kl_locks        *locks; /* turns to hold, or NULL */
    bool                          plain; /* without what bodies wish for beside themselves */
} kl_builder;

/* Fills in the list of parts, with all parameters evaluated. Mistakes are reported; KL_E_MEMORY alone
 * stops it. */
kl_status kl_parts_open(kl_builder *b, const kl_source *source);

/* Calls `read` for all entries of a section, of all parts: `for`, `when` and `like` are seen to. */
typedef kl_status (*kl_entry_reader)(kl_builder *b, kl_entry *e);
kl_status kl_parts_read(kl_builder *b, const char *section, const char *word, kl_entry_reader read);

#endif
