/* What the search for mobility found, in words. For mobility.c only. */
#ifndef KL_SOLVE_MOBILITY_TEXT_H
#define KL_SOLVE_MOBILITY_TEXT_H

#include "algebra/rank.h"
#include "solve/mobility.h"

/* Everything about one analysis. */
typedef struct kl_mobility_search {
    kl_solver      *x;
    const kl_model *m;
    kl_mobility    *b;
    kl_arena       *scratch;
    double         *q0, *best_q; /* start; where the rank was highest of all that moved */
    double         *direction;   /* nprobe x nv: orthonormal in scaled units */
    double         *reached;     /* what was reached of each, the same */
    double         *dx, *column; /* increment; scale of the start */
    double         *row;
    int             nprobe, ndirection;
    int             best_rank, displaced_rank;
    bool            moved;
} kl_mobility_search;

/* The free motions; which elements repeat what others hold; singular and locked positions: all into
 * a->b. `core`, `body`: elements and bodies whose rows depend on each other. */
kl_status kl_mobility_describe_motions(kl_mobility_search *a, const kl_rank *by_bodies);
kl_status kl_mobility_describe_redundant(kl_mobility_search *a, const kl_rank *r);
void      kl_mobility_describe_positions(kl_mobility_search *a, const bool *core, const bool *body);

#endif
