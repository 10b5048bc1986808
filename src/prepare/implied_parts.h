/* What bodies wish for beside themselves (kl_implied_part): joints that hold their reference
 * conditions, and massless virtual bodies between their markers and the elements (paper 000,
 * section 2.4). Added after all elements of the model file, before outputs. */
#ifndef KL_PREPARE_IMPLIED_PARTS_H
#define KL_PREPARE_IMPLIED_PARTS_H

#include "model/model.h"

kl_status kl_implied_parts_add(kl_model *m, kl_diag *diag);

/* Does any body need joints or bodies that the model does not list? */
bool kl_implied_parts_needed(const kl_model *m);

/* Before bodies are set up: this one shall wish for nothing. It moves as before. */
void kl_implied_parts_drop(kl_body *b);

#endif
