/* Which integrator a simulation uses, and changes of it during the run (`type: auto`). method_choice.h decides;
 * this carries it out. */
#ifndef KL_SOLVE_METHOD_CHANGE_H
#define KL_SOLVE_METHOD_CHANGE_H

#include "solve/simulation.h"

/* How steps of the simulation's integrator end at crossings. */
void kl_method_set_event_rules(kl_simulation *s);
/* With `auto`: for the state where the run begins or is resumed. */
kl_status kl_method_choose(kl_simulation *s);
/* Before a step: would the other method do with less than the last one took? */
kl_status kl_method_reconsider(kl_simulation *s);
/* Is there another method, should this one fail? */
bool kl_method_may_fail(const kl_simulation *s);
/* It failed: the other one, which has to begin. */
kl_status kl_method_replace(kl_simulation *s);

#endif
