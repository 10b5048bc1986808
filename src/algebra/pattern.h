/* Sparsity pattern of a square matrix made of dense blocks, in compressed columns.
 *
 * First announce every block, then close; from then on each block's column is a contiguous run of
 * values, so that assembly writes whole columns through slots and never searches. */
#ifndef KL_ALGEBRA_PATTERN_H
#define KL_ALGEBRA_PATTERN_H

#include "base/arena.h"

typedef struct kl_pattern {
    int  n, nnz;
    int *start; /* n + 1: where each column begins */
    int *row;   /* nnz: ascending in each column */
    /* while it is built */
    struct kl_block_list *blocks;
    int                   nblock, cap;
} kl_pattern;

/* Announces the block of `nrow` x `ncol` values whose corner is (row, column). */
void kl_pattern_add(kl_arena *a, kl_pattern *p, int row, int nrow, int column, int ncol);
/* Sorts, joins and numbers. False when out of memory. `n` must be set. */
bool kl_pattern_close(kl_arena *a, kl_pattern *p);
/* Index of the value (row, column), or -1. Rows below it in the same announced block follow at +1,
 * +2, ... */
int kl_pattern_slot(const kl_pattern *p, int row, int column);

#endif
