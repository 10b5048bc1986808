/* What an element reads at the start of a model, before there is any work area: for start values,
 * and for whoever must know the rows of a joint while the model is still being prepared. */
#ifndef KL_MODEL_START_READING_H
#define KL_MODEL_START_READING_H

#include "model/model.h"

typedef struct kl_start_reading {
    kl_reading in;
    void      *block; /* all of its numbers; from malloc */
} kl_start_reading;

/* The markers of `e` as their bodies start, its states and history, inputs, and its cache located
 * there. Drop it in any case. KL_E_MEMORY, or what `locate` says. */
kl_status kl_start_reading_open(const kl_model *m, const kl_element *e, kl_start_reading *out);
void      kl_start_reading_drop(kl_start_reading *r);

#endif
