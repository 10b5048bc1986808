/* Markers of a flexible body: frames that joints and forces hold on to. */
#ifndef KL_REDUCE_MARKER_H
#define KL_REDUCE_MARKER_H

#include "mesh/mesh.h"
#include "mesh/system.h"
#include "reduce/kbody.h"

/* Adds a node at `position` tied to `n` nodes of the mesh, before assembly: RBE2 makes them rigid,
 * RBE3 lets the new node follow their mean. `name` is for messages. Returns its index, or -1. */
int kl_marker_tie(kl_mesh *m, const char *name, kl_tie_kind kind, int n, const int *node,
                  kl_vec3 position);

/* The nearest node to `point` that moves (has unknowns), or -1. */
int kl_marker_nearest(const kl_system *s, kl_vec3 point);

/* The neighbours of paper 000 section 2.4.2: k is the nearest node to `point`, m the next nearest
 * that keeps e1 = km clear of the marker's second and third axes, n the next nearest that keeps kn
 * clear of e1 and the normal e2 clear of the third axis; "clear" means a cosine below 1 -
 * tolerance. */
kl_status kl_marker_triad(const kl_system *s, kl_vec3 point, const kl_mat3 *axes, double tolerance,
                          int triad[3], kl_diag *diag);

/* Fills the marker's motion for the modes X (ndof x n): `node` with rotations, or a triad where it
 * has none (tolerance as above). position, name and axes are already set. */
kl_status kl_marker_motion(const kl_system *s, int node, int n, const double *X, double tolerance,
                           kl_arena *arena, kl_kbody_marker *marker, kl_diag *diag);

#endif
