/* The JSON Schema of model files, from the tables of the types: completion and hover help in
 * editors. */
#ifndef KL_REFERENCE_SCHEMA_H
#define KL_REFERENCE_SCHEMA_H

#include "base/text.h"

void kl_schema_write(kl_text *t);

#endif
