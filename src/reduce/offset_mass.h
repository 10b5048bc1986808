/* Mass that sits beside the nodes and turns with them: sections of beams, fibres of shells, point
 * masses with an offset or inertia of their own.
 *
 * About a place that moves by u and turns by theta lies mass at r, mu = int rho r and W = int rho r r'.
 * It moves by u + theta x r, as that of a mesh of solids does. The mass matrix says how it moves, but
 * not how, turned out of its place, it changes inertia and momentum of the body. */
#ifndef KL_REDUCE_OFFSET_MASS_H
#define KL_REDUCE_OFFSET_MASS_H

#include "fe/element.h"
#include "mesh/system.h"
#include "reduce/kbody.h"

typedef struct kl_offset_mass {
    const kl_mass_point *p;
    int                  ndof;     /* unknowns of the point */
    const int           *q;        /* ndof: 6 node + component of each */
    const double        *u, *turn; /* 3 x n each, component after component: in the modes */
} kl_offset_mass;

typedef void (*kl_offset_mass_sink)(void *context, const kl_offset_mass *t);

/* Goes through all places. V (6 nnode x n): motion of the nodes in the modes, or n = 0. */
kl_status kl_offset_mass_visit(const kl_mesh *m, int n, const double *V, kl_offset_mass_sink sink,
                               void *context);

/* Motion of all nodes for k columns u (ndof x k): node after node, then component, then column;
 * from malloc, or NULL. */
double *kl_system_motions(const kl_system *s, int k, const double *u);

/* Adds to the invariants of the modes what turning mass does in G0, J2 and H1. */
kl_status kl_invariants_turn(const kl_mesh *m, const kl_system *s, int n, const double *X,
                             kl_invariants *out);

#endif
