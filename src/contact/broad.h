/* Which of many boxes overlap: sweep and prune along the axis on which they spread most. The order of
 * the last call is kept, so that sorting costs little when boxes move little. */
#ifndef KL_CONTACT_BROAD_H
#define KL_CONTACT_BROAD_H

#include "base/arena.h"
#include "base/vec.h"

typedef struct kl_broad_box {
    kl_vec3 low, high;
    int group; /* boxes of the same body, or of groups that never meet, are the caller's matter */
} kl_broad_box;

typedef struct kl_broad {
    int           n;
    kl_broad_box *box;   /* written by the caller before each call */
    int          *order; /* by lower end */
    int           axis;
} kl_broad;

kl_broad *kl_broad_create(int n, kl_arena *arena);

/* Writes at most `capacity` overlapping pairs (i < j), ascending; returns how many there are. */
int kl_broad_pairs(kl_broad *b, int (*pair)[2], int capacity);

#endif
