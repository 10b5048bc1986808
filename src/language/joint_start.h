/* Start values of joints: `start: {angle: 30 deg, angular_speed: 2 rad/s, fixed: [angle]}`.
 *
 * A value is a guess, met where the mechanism can, or fixed, met or refused. Bodies as written only
 * say which assembly is meant; lengths "as at the start" are those written. */
#ifndef KL_LANGUAGE_JOINT_START_H
#define KL_LANGUAGE_JOINT_START_H

#include "language/build.h"
#include "language/values.h"
#include "model/model.h"

/* Has this type coordinates that can be started? */
bool kl_joint_start_suits(const kl_element_type *type);

/* Reads the key `start` of the element that was added last, if it has one. */
kl_status kl_joint_start_read(kl_scope *s, kl_model *m, const kl_entry *e);

/* A driver that holds one coordinate of a joint while the model is assembled. */
typedef struct kl_start_driver {
    const kl_joint_start *start;
    double                value, rate;
} kl_start_driver;

/* Adds them to a model that is read but not yet frozen. */
kl_status kl_joint_start_drivers(kl_scope *s, kl_model *m, const kl_start_driver *list, int n);

/* Builds a model once more, with drivers. */
typedef kl_status (*kl_build_with)(const void *context, const kl_start_driver *list, int n,
                                   kl_diag *diag, kl_model **out);

/* Moves the start of a frozen model to where its joints are to start. */
kl_status kl_joint_start_apply(kl_model *m, kl_build_with build, const void *context,
                               kl_diag *diag);

#endif
