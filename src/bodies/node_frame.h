/* The rotation of a frame that rides on deformed nodes, and its derivatives.
 *
 * A frame follows a few numbers y that are linear in the modal coordinates, y = y0 + Y w:
 *
 *   node with rotations   y = theta (3),  R = exp([theta])
 *   triad k, m, n         y = (b_m - b_k, b_n - b_k) (6),  R = [e1 e2 e3] [e1 e2 e3]_0'
 *                         e1 = d1/|d1|, e2 = d1 x d2/|d1 x d2|, e3 = e1 x e2 (paper 000, eq. 46-48)
 *
 * Its angular velocity against the body frame, in body axes, is G(y) y'. */
#ifndef KL_BODIES_NODE_FRAME_H
#define KL_BODIES_NODE_FRAME_H

#include "base/vec.h"

typedef enum kl_node_frame { KL_FRAME_ROTATION = 3, KL_FRAME_TRIAD = 6 } kl_node_frame;

/* Axes of the frame in body axes; for a triad not against its start. */
kl_mat3 kl_node_frame_axes(kl_node_frame kind, const double *y);
/* G (3 x kind, row-major). */
void kl_node_frame_map(kl_node_frame kind, const double *y, double *G);
/* Both at once. */
void kl_node_frame_place(kl_node_frame kind, const double *y, kl_mat3 *R, double *G);
/* Q = d(G(y) u)/dy at fixed u (3 x kind, row-major). */
void kl_node_frame_rate(kl_node_frame kind, const double *y, const double *u, double *Q);
/* How far from singular a triad is: |sin| of the angle between its arms; 1 for rotations. */
double kl_node_frame_spread(kl_node_frame kind, const double *y);

#endif
