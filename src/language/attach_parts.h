/* What the files that attach elements share. */
#ifndef KL_LANGUAGE_ATTACH_PARTS_H
#define KL_LANGUAGE_ATTACH_PARTS_H

#include "language/attach.h"

typedef int (*kl_attach_finder)(const kl_model *m, const char *name);

/* Index of `name` as seen from the part, its whole name in `whole`; -1: none. */
int kl_attach_find(const kl_scope *s, const kl_model *m, const char *name, kl_attach_finder find,
                   const char **whole);
/* The name nearest to `name`, as one would write it in this part, or NULL; of the first n elements. */
const char *kl_attach_near_body(const kl_scope *s, const kl_model *m, const char *name);
const char *kl_attach_near_element(const kl_scope *s, const kl_model *m, const char *name, int n);

/* Appends copies of the markers of `joint` for an element of this type on it; those of a universal joint
 * with axes from which the angle about its first axis follows. */
kl_status kl_attach_copy_markers(kl_model *m, int joint, const kl_element_type *type);

/* A coordinate that a joint holds is not driven, coupled or limited, and none is driven twice: of an
 * element on one joint, and on two. Both check the axes too. */
kl_status kl_attach_check_joint(kl_attaching *a);
kl_status kl_attach_check_joints(kl_attaching *a);

/* Does `between` name groups of bodies? */
bool kl_attach_is_group(const kl_node *between);

/* Is a shape the skin of a flexible body; is one of a list? */
bool kl_contact_is_skin(const kl_node *shape);
bool kl_contact_names_skin(const kl_node *shapes);

#endif
