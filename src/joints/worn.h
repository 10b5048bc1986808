/* Joints with clearance, as others see them. */
#ifndef KL_JOINTS_WORN_H
#define KL_JOINTS_WORN_H

#include "base/text.h"
#include "model/interface.h"

/* The type that a perfect joint becomes when it has clearance; NULL: it has no such type. */
const kl_element_type *kl_worn_type_of(const kl_element_type *perfect);
/* Is it one of them? */
bool kl_is_worn(const kl_element_type *type);
/* "x and y are free within 0.1 mm, ...": what the clearance leaves free. */
void kl_worn_describe(const kl_element_type *type, const void *data, kl_text *t);

#endif
