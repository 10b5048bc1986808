/* Which stress points of a reduced body lie at which node of its skin. */
#ifndef KL_POST_SKIN_POINTS_H
#define KL_POST_SKIN_POINTS_H

#include "reduce/kbody.h"

typedef struct kl_skin_points {
    int *first, *next; /* nnode, stress points: a chain of points for each node, -1 at its end */
    int *node;         /* stress points: node of the skin, or -1 */
    int  found;        /* nodes that have some */
} kl_skin_points;

/* `outer`: of shells only the points on top (of a laminate, of its last ply), of beams only the
 * first fibre: what a picture shows, where opposite sides must not be mixed. False when out of
 * memory. */
bool kl_skin_points_find(const kl_kbody *b, bool outer, kl_skin_points *r);
void kl_skin_points_free(kl_skin_points *r);

#endif
