/* Chattering: a force that switches at a threshold (a relay, bang-bang control, dry friction written as
 * a jump) holds the motion on the threshold, where it switches in each step and steps shrink to
 * nothing. Found from the outside, whatever switches:
 *
 *   suspicion   STEPS steps cover so little time that the rest of the run would take half a million
 *   range       over RANGE further steps the smallest and largest value of each force is noted
 *   proof       in WATCH further steps a force changes FLIPS times by most of its range at once
 *   attempt     where there is none, the same is asked of explicit steps of the mean length
 *
 * A smooth oscillation has at least eight steps a period and changes by 40 % of its range at most. Where
 * there is no proof but steps stay as short, stiffness is the cause: a warning names the contact whose
 * force changes most. */
#ifndef KL_SOLVE_CHATTER_H
#define KL_SOLVE_CHATTER_H

#include "solve/solver.h"

typedef struct kl_chatter kl_chatter;

/* `every`: time between two rows, `end` of the run [s]. Lives in the arena, but for what
 * kl_chatter_destroy frees; NULL when out of memory. */
kl_chatter *kl_chatter_create(const kl_model *m, kl_arena *arena);
void        kl_chatter_destroy(kl_chatter *c);

/* After each accepted step. KL_E_STEP with the name of what chatters: the run cannot go on. */
kl_status kl_chatter_check(kl_chatter *c, kl_solver *x, kl_diag *diag);

#endif
