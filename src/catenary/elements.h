/* Element types of this folder, for the catalogue. */
#ifndef KL_CATENARY_ELEMENTS_H
#define KL_CATENARY_ELEMENTS_H

#include "model/interface.h"

extern const kl_element_type kl_pantograph_force, kl_catenary_contact;

/* Of an element of the first kind: its lumped masses, its line and its speed [m/s], NaN where the
 * base moves it. */
struct kl_pantograph;
struct kl_catenary;
const struct kl_pantograph *kl_pantograph_of(const void *data, const struct kl_catenary **line,
                                             double *speed);

/* Of either kind: KL_E_MODEL with a message when an element above `data` already runs along the same
 * catenary, for each would move wires of its own. `remedy` ends the message. */
kl_status kl_catenary_check_single(const kl_setup *s, const void *data, const char *remedy);
/* Warns when a collector is faster than the waves of the contact wire. */
void kl_catenary_warn_speed(const kl_setup *s, const struct kl_catenary *c, double speed);

#endif
