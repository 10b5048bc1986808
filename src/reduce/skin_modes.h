/* The surface of a mesh for drawing, with the motion of each mode. */
#ifndef KL_REDUCE_SKIN_MODES_H
#define KL_REDUCE_SKIN_MODES_H

#include "mesh/mesh.h"
#include "mesh/system.h"
#include "reduce/kbody.h"

/* Faces of solids that no second element shares, shells, and beams as lines. */
kl_status kl_skin_find(const kl_mesh *m, kl_arena *arena, kl_kbody_skin *skin, int **node_index);
/* Motion of the skin's nodes (node_index from above) for the modes X (ndof x n). */
kl_status kl_skin_motion(const kl_system *s, const int *node_index, int n, const double *X,
                         kl_arena *arena, kl_kbody_skin *skin);

#endif
