/* Element types of this folder, for the catalogue. */
#ifndef KL_CATENARY_ELEMENTS_H
#define KL_CATENARY_ELEMENTS_H

#include "model/interface.h"

extern const kl_element_type kl_pantograph_force, kl_catenary_contact;

#endif
