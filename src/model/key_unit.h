/* The unit of a key or output that goes by other keys of the same object, from its table's text
 * (see kl_key.unit). */
#ifndef KL_MODEL_KEY_UNIT_H
#define KL_MODEL_KEY_UNIT_H

#include "model/interface.h"

/* The unit that `unit` represents with the values that `data` has for `keys`: "m/rad" for
 * "second?rad|m over first?rad|m" when the choices are displacement and angle. "*" where a power
 * makes a unit that cannot be written. */
void kl_key_unit(const kl_key *keys, const void *data, const char *unit, char *text, size_t size);

#endif
