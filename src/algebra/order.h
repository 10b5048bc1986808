/* An order of elimination that fills little: nested dissection of a graph. */
#ifndef KL_ALGEBRA_ORDER_H
#define KL_ALGEBRA_ORDER_H

#include <stdbool.h>
#include <stdint.h>

/* Position (from 1) of each of n vertices in the elimination. The graph is given by nnz pairs
 * (row, column), from 1, each edge once; pairs of a vertex with itself are passed over. The same
 * graph gives the same order. False when memory or the library fails: order in another way then. */
bool kl_order_dissect(int n, int64_t nnz, const int *row, const int *column, int *position);

/* Positions of n unknowns, from 1, from the positions of their groups: the unknowns of a group stay
 * together, in their order. `first`: scratch, ngroup + 1 numbers. */
void kl_order_spread(int n, int ngroup, const int *group, const int *position, int *first,
                     int *order);

#endif
