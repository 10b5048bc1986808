/* Shapes that can touch, as contacts and joints with clearance list them:
 *
 *     shapes: [{sphere: 50 mm, at: [0, 0, 0.1]}, plane]
 *     shapes: [{cylinder: {radius: 10 mm, length: 40 mm, axis: y}}, {mesh: part.stl, scale: 0.001}]
 */
#ifndef KL_LANGUAGE_CONTACT_SHAPES_H
#define KL_LANGUAGE_CONTACT_SHAPES_H

#include "language/values.h"

/* Two shapes; messages name what is wrong with each. */
kl_status kl_contact_shapes_read(kl_scope *s, kl_model *m, const kl_node *n, const char *what,
                                 kl_shapes *out);

#endif
