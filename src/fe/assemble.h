/* From a mesh to K and M. */
#ifndef KL_FE_ASSEMBLE_H
#define KL_FE_ASSEMBLE_H

#include "fe/element.h"
#include "mesh/system.h"

/* Assembles and ties. The mesh has passed kl_mesh_check. On failure the system is freed. */
kl_status kl_fe_assemble(const kl_mesh *m, kl_mass_rule mass, kl_system *s, kl_diag *diag);

#endif
