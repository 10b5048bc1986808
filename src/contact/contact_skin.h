/* Contact of a shape with the skin of a flexible body, as others see it. */
#ifndef KL_CONTACT_CONTACT_SKIN_H
#define KL_CONTACT_CONTACT_SKIN_H

#include "contact/pair.h"
#include "model/interface.h"

extern const kl_element_type kl_contact_on_skin;

/* The part of a body's skin that the model asks for: a box in the axes of the body. */
bool kl_contact_skin_holds(const void *data, kl_vec3 x);

/* Triangles between the markers: marker 0 is that of the body, marker 1 + i node i of the skin, which
 * is at place[i] of the undeformed body [m]. Set when the markers are attached; taken over, not copied. */
void kl_contact_skin_take(void *data, int (*triangle)[3], int ntriangle, const kl_vec3 *place);

/* Contact points at this state. */
void kl_contact_skin_spots(const kl_reading *in, kl_spots *out);

#endif
