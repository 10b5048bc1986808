/* Joints that the modes of a flexible body cannot follow, and what they lock (paper 003, sections 6
 * and 7).
 *
 * Reactions y that balance each other on the body (J_r'y = 0 for its six rigid motions) should
 * deform it. Where J_f'y = 0 too, no chosen mode answers to them, and f = y.Phi has no slope. On
 * what the joints leave free its curvature shows the rest: none, and the rows repeat each other;
 * else f = 0 is a cone with its tip at the start. No reaction of finite size can hold a point there,
 * because the slope of f is zero just where f is: whoever wants to compute must hold the directions
 * that f bends in by rows of their own. Turns of the body's frame can be held so. */
#ifndef KL_SOLVE_MODE_COMPATIBILITY_H
#define KL_SOLVE_MODE_COMPATIBILITY_H

#include "solve/solver.h"

/* Joints between a body and a partner that no mode can follow. */
typedef struct kl_incompatibility {
    int         body, partner; /* flexible; the one that all the joints tie it to; -1: several */
    int         locked;        /* directions that they lock */
    int         naxis;         /* of them: turns of the body's frame */
    kl_vec3     axis[3];       /* about these, unit, global */
    kl_vec3     spin;          /* an axis that the frame can still turn about, unit; zero: none */
    bool        stretch;       /* they would stretch the body */
    kl_place    place;         /* of the last of the joints */
    const char *text;          /* joint that the modes cannot follow */
    const char *locks;         /* what that locks, or NULL */
} kl_incompatibility;

/* All at the assembled state in `x`, which is left as it was; list and texts live in `a`. For a
 * model whose joints hold on to the markers of its bodies and whose conditions are eliminated:
 * virtual bodies and constraints for conditions would be between. */
kl_status kl_incompatibility_find(kl_solver *x, kl_arena *a, kl_incompatibility **list, int *n);

#endif
