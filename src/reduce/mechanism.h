/* Meshes that hang together and yet are no body: parts on a pivot or a hinge. */
#ifndef KL_REDUCE_MECHANISM_H
#define KL_REDUCE_MECHANISM_H

#include "mesh/mesh.h"
#include "reduce/basis.h"

/* Refuses a mesh (with its ties) whose parts can move against each other without stiffness: how
 * many such motions there are, and at which nodes. Motions that the nodes held by the reference
 * stop (nheld; node: index in the mesh) do no harm. Wants a mesh that kl_mesh_check has passed. */
kl_status kl_mesh_check_mechanism(const kl_mesh *m, int nheld, const kl_node_mask *held,
                                  kl_diag *diag);

#endif
