/* A number that distinguishes models: names, types, sizes, markers, parameters and the values of all keys.
 * Saved states carry it, so that a state of another model of the same size is refused. Settings of the
 * run (`end`, `every`, tolerances) are not part of it: a run may be continued with others. */
#ifndef KL_MODEL_FINGERPRINT_H
#define KL_MODEL_FINGERPRINT_H

#include "model/model.h"

/* A whole number below 2^52, so that a double holds it exactly. Values are compared to 9 digits. */
double kl_model_fingerprint(const kl_model *m);

/* The same of n numbers, bit for bit: a saved state that was changed is distinguished from the one saved. */
double kl_numbers_fingerprint(const double *value, int n);

#endif
