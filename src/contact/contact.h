/* The contact element, and what others ask of one. */
#ifndef KL_CONTACT_CONTACT_H
#define KL_CONTACT_CONTACT_H

#include "contact/pair.h"
#include "model/interface.h"

extern const kl_element_type kl_contact;

/* Contact points of a contact at the reading's position, searched everywhere. */
void kl_contact_spots(const kl_reading *in, kl_spots *out);

#endif
