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

#endif
