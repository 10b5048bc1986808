/* Slopes of an element by central differences in marker space: for types without a tangent of their
 * own, and the yardstick that the contract test holds analytic tangents against. */
#ifndef KL_DYNAMICS_SLOPES_H
#define KL_DYNAMICS_SLOPES_H

#include "model/model.h"

/* Most that can be differenced without taking memory; larger types bring their own tangent. */
enum { KL_SLOPES_MARKERS = 4, KL_SLOPES_ROWS = 12, KL_SLOPES_STATES = 8 };

/* Adds to `out` (see kl_slopes). `length`: size of the mechanism, for the steps of positions. */
void kl_difference_slopes(const kl_element_type *type, const kl_reading *in, int nphi, int nz,
                          const double *lambda, double length, kl_slopes *out);

#endif
