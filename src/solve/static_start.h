/* Start values of flexible bodies that begin deformed as their loads have it (`start: static`): their
 * modes neither move nor accelerate at the start, whatever the rest of the model does.
 *
 * With w the modal coordinates of these bodies and a = (a_r, 0) the accelerations of all else,
 *
 *   M a - s - g + Phi_q' lambda = 0,   Phi_q a = gamma,   Phi(q) = 0
 *
 * is solved by Newton for w, a_r and lambda; bodies move as wholes as little as the joints allow. The
 * deformation is the static one at rest, and the one of a steady spin or of the inertia of a moving
 * mechanism else; where joints repeat each other for rigid bodies, the elasticity shares the load. */
#ifndef KL_SOLVE_STATIC_START_H
#define KL_SOLVE_STATIC_START_H

#include "solve/solver.h"

/* kl_assemble, then the deformation of bodies that ask for it. */
kl_status kl_assemble_start(kl_solver *x, kl_diag *diag);
/* The same for all flexible bodies, from the present position with the speeds of the start; nothing is
 * told, and where none is found the state is any. */
kl_status kl_deform_statically(kl_solver *x);

#endif
