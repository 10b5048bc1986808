/* Constraint analysis: how many ways a mechanism can move, which, and which constraints repeat each
 * other.
 *
 * The rank of Phi_q at the assembled position gives the directions that are free to first order.
 * Where rows depend on each other, the mechanism is stepped along these directions and assembled
 * again:
 *
 *   it moves, the rank stays       redundant: the rows repeat each other wherever it goes
 *   it moves, the rank rises       singular position: a toggle or a branching point, here only
 *   it does not move               locked: second order holds what first order leaves free
 *
 * (paper 003 section 7: topological singularities against those of an initial configuration). Rank
 * is never judged off the constraints, where any planar loop would look regular. */
#ifndef KL_SOLVE_MOBILITY_H
#define KL_SOLVE_MOBILITY_H

#include "solve/solver.h"

/* One way to move. */
typedef struct kl_free_motion {
    int           body; /* that leads */
    const char   *text; /* "crank turns about z with rod and slider following" */
    const double *dx;   /* nv: increments; largest translation over the length or angle is 1 */
} kl_free_motion;

/* Directions that an element holds although elements before it in the model already do. */
typedef struct kl_repeat {
    int         element, count;
    const char *text; /* "joint rear-hinge repeats 2 of the directions that joint front-hinge
                         already holds: ..." */
} kl_repeat;

typedef struct kl_mobility {
    kl_arena *arena;
    int       nv, nlam; /* velocities, constraints */
    int       rank;     /* of Phi_q in this position */
    int       freedom;  /* nv - rank: directions free to first order */
    int       mobility; /* degrees of freedom: what remains of them after one step */
    int       redundant, singular, locked; /* redundant: constraints that repeat others everywhere;
                                            * singular: further ones that do so only in this
                                            * position; locked: free directions that do not move */

    kl_free_motion *motion; /* nmotion; at most 24 are reported, though there may be more (`freedom`) */
    int             nmotion;
    kl_repeat      *repeat; /* nrepeat; counts add up to `redundant`, and in a locked position to
                             * those that lock as well */
    int             nrepeat;
    const char     *singular_text, *locked_text; /* NULL: none */
    const char     *undetermined; /* joints whose reactions are not determined, or NULL */
} kl_mobility;

/* At the assembled state in `x`, which is left as it was. */
kl_status kl_mobility_find(kl_solver *x, kl_diag *diag, kl_mobility **out);
void      kl_mobility_destroy(kl_mobility *b);

/* Says it: degrees of freedom and free motions as notes, redundant constraints, singular and locked
 * positions as warnings. */
void kl_mobility_describe(const kl_model *m, const kl_mobility *b, kl_diag *diag);

/* What a run, statics or inverse dynamics should warn of: reactions that are not determined, and a
 * position that is locked. Costs one analysis of the assembled model; says nothing where there is
 * nothing to say or where the model does not assemble. */
void kl_mobility_warn(const kl_model *m, kl_diag *diag);
/* Joints that no mode of a body can follow, where they hold it. */
void kl_mobility_describe_incompatible(const kl_model *m, const kl_mobility *b, kl_diag *diag);

/* Rank of Phi_q (rows of unit size, lengths over the model's) at the state last evaluated in `x`,
 * and its smallest pivot: zero means a singular position. */
kl_status kl_constraint_rank(const kl_solver *x, int *rank, double *least);

#endif
