/* Rank and null space of a sparse matrix made of dense blocks, by orthogonal elimination.
 *
 * Columns come in groups (the six velocities of a body, the rows of a joint). Groups are eliminated
 * one after the other, the one with the fewest neighbours first: all blocks that touch the group
 * are stacked, turned triangular by Householder reflections with column pivoting inside the group,
 * and what is left of them is a block of the neighbours. A column without a pivot is free: it spans
 * one direction of the null space. This is the multifrontal form of Heath's rank detection (Heath,
 * SIAM J. Sci. Stat. Comput. 3, 1982); a chain costs linear time, a small matrix is one dense QR.
 *
 * The caller scales: a pivot smaller than `tolerance` counts as zero. */
#ifndef KL_ALGEBRA_RANK_H
#define KL_ALGEBRA_RANK_H

#include "base/arena.h"
#include "klingel/status.h"

typedef struct kl_rank kl_rank;

/* size[g]: columns of group g; they stand one group after the other. NULL when out of memory. */
kl_rank *kl_rank_create(int ngroup, const int *size);
void     kl_rank_destroy(kl_rank *r);

/* Adds `nrow` rows that touch the `n` groups listed (each once); values row-major, the columns of
 * the groups in the order listed. They are copied. Out of memory is reported by kl_rank_eliminate. */
void kl_rank_add(kl_rank *r, int nrow, int n, const int *group, const double *values);

/* `in_order`: groups as numbered, so that a column without a pivot depends on columns before it;
 * otherwise in an order that keeps the work small. */
kl_status kl_rank_eliminate(kl_rank *r, double tolerance, bool in_order);

/* After elimination. */
int kl_rank_value(const kl_rank *r);
int kl_rank_nullity(const kl_rank *r);
/* The smallest pivot that counted: how far the matrix is from losing rank. */
double     kl_rank_least(const kl_rank *r);
const int *kl_rank_free(const kl_rank *r); /* nullity: the columns without a pivot, ascending */
/* x (all columns): the null vector whose free columns are given in x; the others are written. */
void kl_rank_null(const kl_rank *r, double *x);

#endif
