/* How an entry of a model file names its markers: between, on, of, joints, pilot. */
#ifndef KL_LANGUAGE_ATTACH_H
#define KL_LANGUAGE_ATTACH_H

#include "language/values.h"

/* The keys that this file reads, NULL-terminated, with `type`, `like` and `for`. */
extern const char *const kl_attach_keys[];

/* Reads the `markers` of a body, which may be absent. */
kl_status kl_attach_markers(kl_scope *s, kl_model *m, const kl_entry *body, int index);
/* The markers that the reduced body of a body brings. */
kl_status kl_attach_reduced(kl_model *m, int index, kl_diag *diag);
/* Adds the markers of the last element of the model. */
kl_status kl_attach_element(kl_scope *s, kl_model *m, const kl_entry *e,
                            const kl_element_type *type, void *data);
/* What `name` is called outside the part being read: of a body, joint or force, or in `others`;
 * NULL: nothing has it. */
const char *kl_attach_whole_name(const kl_scope *s, const kl_model *m, const char *name,
                                 const kl_names *others);

/* The line of the `when` that left the name out, or the part it is in, or 0. */
int kl_attach_dropped(const kl_scope *s, const char *name);

/* Index of a named input as seen from the part, or -1. */
int kl_attach_input(const kl_scope *s, const kl_model *m, const char *name);

/* What an element may say about its place, for help pages; NULL: nothing. */
const kl_word_key *kl_attach_help(const kl_element_type *type);

/* Index of a body by name, or -1 after telling with a suggestion. */
int kl_attach_body(kl_scope *s, const kl_model *m, const kl_node *where, const char *name);
/* The body that `of` names, "crank", and its reference point; or a marker of it, "crank.pin". */
kl_status kl_attach_point(kl_scope *s, const kl_model *m, const kl_node *of, int *body,
                          kl_marker *at);

#endif
