/* An order of points in which those near each other in space are near each other in the list. */
#ifndef KL_MESH_NODE_ORDER_H
#define KL_MESH_NODE_ORDER_H

#include "base/vec.h"
#include "klingel/status.h"

/* order (n): indices of the points along Morton's curve; equal places stay in the given order. */
kl_status kl_order_near(int n, const kl_vec3 *x, int *order);

#endif
