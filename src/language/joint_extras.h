/* What a joint may have beside its type: `clearance`, which makes it a worn one, `limits`, stops on
 * its coordinates, and `friction`. */
#ifndef KL_LANGUAGE_JOINT_EXTRAS_H
#define KL_LANGUAGE_JOINT_EXTRAS_H

#include "language/values.h"

/* With `clearance`, unless its own `when` is false: the type that the joint becomes, and the entry that
 * has its keys. Otherwise both stay as they are. */
kl_status kl_joint_clearance(kl_scope *s, kl_model *m, const kl_entry *e,
                             const kl_element_type **type, kl_entry *values);

/* Adds a bump stop NAME.limits for each of the `limits` of the joint that was added last. */
kl_status kl_joint_limits(kl_scope *s, kl_model *m, const kl_entry *e);

/* Adds the element NAME.friction for the `friction` of the joint that was added last. */
kl_status kl_joint_friction_read(kl_scope *s, kl_model *m, const kl_entry *e);

#endif
