/* Mean motion of nodes, which the reference of an RBE3 follows:
 *
 *   u_c = sum w u / sum w,   th = J^-1 sum w d x u,   d = x - x_c,   J = sum w (d.d I - d d')
 *
 * Of nodes on a line shifts do not determine the turn about it, of nodes in a point none: there the mean of
 * the nodes' own rotations does, th = J^+ sum w d x u + P sum w th_i / sum w, P onto the line. */
#ifndef KL_FE_MEAN_H
#define KL_FE_MEAN_H

#include "mesh/system.h"

typedef struct kl_mean {
    double  sum, turning; /* of the weights; of those of nodes with rotations */
    kl_vec3 middle;
    kl_mat3 W;       /* sum w d d' */
    kl_mat3 inverse; /* J^+ */
    kl_mat3 line;    /* P; zero for nodes that span a surface */
    int     unknown; /* turns that shifts do not determine: 0, 1 or 3 */
    kl_vec3 axis;    /* the turn, where it is one */
} kl_mean;

/* Singular: shifts do not determine all turns, and the nodes have no rotations; the mean says which. The
 * sum of the weights must be positive. */
kl_status kl_mean_find(const kl_system *s, const kl_tie *tie, kl_mean *k);
double    kl_mean_weight(const kl_tie *tie, int i);
/* Factors of the shift and of the rotation of node i of the tie in th. */
kl_mat3 kl_mean_by_shift(const kl_mean *k, const kl_system *s, const kl_tie *tie, int i);
kl_mat3 kl_mean_by_turn(const kl_mean *k, const kl_system *s, const kl_tie *tie, int i);

#endif
