/* Meshes that hang together and yet are no body: parts on a pivot or a hinge. */
#ifndef KL_FE_MECHANISM_H
#define KL_FE_MECHANISM_H

#include "fe/mesh.h"

/* Refuses a mesh (with its ties) whose parts can move against each other without stiffness: how
 * many such motions there are, and at which nodes. Wants a mesh that kl_mesh_check has passed. */
kl_status kl_mesh_check_mechanism(const kl_mesh *m, kl_diag *diag);

#endif
