/* Block tridiagonal systems of splines, blocks b x b with b = 1 or 2, open or closed. */
#ifndef KL_GEOMETRY_BLOCK_TRIDIAGONAL_H
#define KL_GEOMETRY_BLOCK_TRIDIAGONAL_H

#include "base/arena.h"

typedef struct kl_blocks {
    int     n, b;
    double *lower, *diag, *upper; /* n * b * b each, row by row; lower[0], upper[n-1]: corners */
    double *rhs;                  /* n * b, becomes the solution */
} kl_blocks;

/* All zeros. False: no memory. */
bool kl_blocks_create(kl_blocks *s, int n, int b, kl_arena *scratch);

/* Solves in place (diag and upper are overwritten); `closed`: with the corner blocks. False: no
 * memory. */
bool kl_blocks_solve(kl_blocks *s, bool closed, kl_arena *scratch);

#endif
