/* The section `state` of a model file: where a run starts instead of the bodies' own start values. A failed run writes one,
 * so that it can be run again from just before the failure. */
#ifndef KL_LANGUAGE_START_H
#define KL_LANGUAGE_START_H

#include "language/doc.h"
#include "model/model.h"

/* Reads the section into the model's start values. NULL: nothing to do. */
kl_status kl_start_read(kl_model *m, const kl_node *section, kl_diag *diag);

/* Writes the model's text with a `state` section behind it; in place of an older one. */
kl_status kl_start_write(const char *path, const char *model_text, const kl_model *m,
                         const kl_state *s);

#endif
