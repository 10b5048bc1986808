/* A built model written out in full: every part by itself, every default a number, as a model file
 * that gives the same bits; and what differs between two models, in words. */
#ifndef KL_REFERENCE_WRITE_MODEL_H
#define KL_REFERENCE_WRITE_MODEL_H

#include "base/text.h"
#include "model/model.h"

void kl_write_model(kl_text *t, const kl_model *m);

/* One line a difference; returns how many. */
int kl_model_diff(kl_text *t, const kl_model *a, const kl_model *b);

#endif
