/* The `shape` of a body in a model file: one shape, a list of them, or `none`.
 *
 *     shape: {box: [200 mm, 40 mm, 40 mm]}
 *     shape: {cylinder: {radius: 0.46, length: 30 mm, axis: y}, at: [0, 0.75, 0], color: "#8a8a8a"}
 *     shape: [{sphere: 50 mm}, {file: frame.stl, scale: 0.001}]
 */
#ifndef KL_LANGUAGE_SHAPES_H
#define KL_LANGUAGE_SHAPES_H

#include "language/values.h"

/* Reads what the entry says; leaves the body without shapes when it says nothing. */
kl_status kl_shapes_read(kl_scope *s, kl_model *m, const kl_entry *body, int index);
/* A body with wheels that says nothing is drawn as an axle with two wheels. Its keys have been read. */
kl_status kl_shapes_own(kl_model *m, int index);

#endif
