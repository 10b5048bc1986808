/* What a viewer needs to draw a model, as JSON: bodies with the points that are attached to them,
 * joints, forces, gravity. */
#ifndef KL_RESULTS_SCENE_H
#define KL_RESULTS_SCENE_H

#include "model/model.h"

/* Allocated text, to be freed; NULL when out of memory. */
char *kl_scene_json(const kl_model *m);

/* Frequencies [Hz] of the modes that a flexible body uses, how many (f may be NULL); 0 for others. */
int kl_scene_frequencies(const kl_model *m, int body, double *f);

#endif
