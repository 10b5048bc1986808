/* Contact with a shape that a row of nodes carries. */
#ifndef KL_CONTACT_CONTACT_NODES_H
#define KL_CONTACT_CONTACT_NODES_H

#include "contact/pair.h"
#include "model/interface.h"

extern const kl_element_type kl_contact_on_nodes;

/* Contact points at this state. */
void kl_contact_nodes_spots(const kl_reading *in, kl_spots *out);

#endif
