/* All kinds of bodies, elements and named resources. A new one is a file and a line in catalogue.c.
 */
#ifndef KL_CATALOGUE_H
#define KL_CATALOGUE_H

#include <string.h>

#include "model/resource.h"

extern const kl_body_type *const     kl_body_types[]; /* ended by NULL, as the others */
extern const kl_element_type *const  kl_joint_types[];
extern const kl_element_type *const  kl_force_types[];
extern const kl_resource_type *const kl_resource_types[]; /* in the order they are read in */

/* The kind of resource that a section lists, or NULL. */
static inline const kl_resource_type *kl_resource_type_of(const char *section)
{
    for (int i = 0; kl_resource_types[i]; i++)
        if (strcmp(kl_resource_types[i]->section, section) == 0) return kl_resource_types[i];
    return NULL;
}

#endif
