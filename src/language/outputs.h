/* Outputs of a model file: points of bodies, arithmetic over channels, limits. */
#ifndef KL_LANGUAGE_OUTPUTS_H
#define KL_LANGUAGE_OUTPUTS_H

#include "language/parts.h"

kl_status kl_output_read(kl_builder *b, kl_entry *e);
/* Where only outputs are wrong, what is wrong in their expressions is reported with the rest. */
void kl_outputs_check(kl_builder *b);

#endif
