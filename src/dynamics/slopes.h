/* Slopes of an element by central differences in marker space: for types without a tangent of their
 * own, and the yardstick that the contract test holds analytic tangents against.
 *
 * A difference by position runs the element's `locate` at the moved marker, in a copy of its cache;
 * differences by velocity and by states reuse the cache as it is. */
#ifndef KL_DYNAMICS_SLOPES_H
#define KL_DYNAMICS_SLOPES_H

#include "model/model.h"

/* Bytes of room that the differences of an element need. */
size_t kl_difference_room(const kl_element *e);

/* Adds to `out` (see kl_slopes). lambda: nphi multipliers. wanted: 6 nmarker flags, the columns that
 * anybody can move; NULL: all. room: aligned for any type, contents of no importance. */
void kl_difference_slopes(const kl_model *m, const kl_element *e, const kl_reading *in,
                          const double *lambda, const unsigned char *wanted, void *room,
                          kl_slopes *out);

#endif
