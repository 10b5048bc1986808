/* All kinds of bodies, joints and forces. A new one is a file and a line in catalogue.c. */
#ifndef KL_CATALOGUE_H
#define KL_CATALOGUE_H

#include "model/interface.h"

extern const kl_body_type *const    kl_body_types[]; /* ended by NULL, as the others */
extern const kl_element_type *const kl_joint_types[];
extern const kl_element_type *const kl_force_types[];

#endif
