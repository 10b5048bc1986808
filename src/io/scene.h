/* What a viewer needs to draw a model, as JSON: bodies with the points that are attached to them,
 * joints, forces, gravity. */
#ifndef KL_IO_SCENE_H
#define KL_IO_SCENE_H

#include "model/model.h"

/* Allocated text, to be freed; NULL when out of memory. */
char *kl_scene_json(const kl_model *m);

#endif
