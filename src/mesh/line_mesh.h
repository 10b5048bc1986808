/* A mesh without a mesher: beam elements along straight legs, for bodies that a model describes in
 * place (rods, frames, rails). */
#ifndef KL_MESH_LINE_MESH_H
#define KL_MESH_LINE_MESH_H

#include "mesh/mesh.h"

enum { KL_LINE_MOST = 10000 }; /* elements a leg */

/* Legs between `n` points in turn, each cut into `parts` equal beams of two nodes; the element set
 * `line` holds them all. Two points in one place that follow each other: the caller's check of the
 * mesh says so. On success *out is the caller's: kl_mesh_destroy. */
kl_status kl_mesh_line(const kl_vec3 *point, int n, int parts, kl_mesh **out, kl_diag *diag);

#endif
