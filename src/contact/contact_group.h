/* Contact between all bodies of two groups, as others see it. */
#ifndef KL_CONTACT_CONTACT_GROUP_H
#define KL_CONTACT_CONTACT_GROUP_H

#include "contact/pair.h"
#include "model/interface.h"

extern const kl_element_type kl_contact_group;

/* Who belongs to a group: `side` has bit 0 for the first group, bit 1 for the second, one for each
 * marker. Set when the markers are attached. */
kl_status kl_contact_group_members(void *data, const unsigned char *side, int n, kl_arena *arena);
unsigned  kl_contact_group_side(const void *data, int marker);

/* Contact points of near pair k at this state, and its markers; false: there are no more. */
bool kl_contact_group_spots(const kl_reading *in, int k, int marker[2], kl_spots *out);

#endif
