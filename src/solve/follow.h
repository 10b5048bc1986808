/* Joints that the modes of a flexible body cannot follow (paper 003, sections 6 and 7).
 *
 * Reactions y that balance each other on the body (J_r'y = 0 for its six rigid motions) should
 * deform it. Where J_f'y = 0 too, no chosen mode answers to them: the joints hold the body's frame
 * in a way that the real body would give way to, and what follows may be wrong by any amount. */
#ifndef KL_SOLVE_FOLLOW_H
#define KL_SOLVE_FOLLOW_H

#include "dynamics/work.h"

/* One warning a set of such joints, at the evaluated state. */
kl_status kl_follow_tell(const kl_model *m, const kl_work *w, kl_diag *diag);

#endif
