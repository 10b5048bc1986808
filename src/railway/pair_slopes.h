/* Derivatives of an element between a track (marker 0) and a vehicle (marker 1). */
#ifndef KL_RAILWAY_PAIR_SLOPES_H
#define KL_RAILWAY_PAIR_SLOPES_H

#include "model/interface.h"

/* Writes the derivatives of the wrenches w on both markers from K and C, those by position and velocity
 * of marker 1. Columns of marker 0 follow: if both move together as one body, with their velocities, the
 * wrenches turn with them. For velocities, a translation or rotation in common leaves the slip as it is;
 * the moment arms stand. */
void kl_pair_slopes(const kl_motion *m, const double w[12], double K[12][6], double C[12][6],
                    kl_slopes *out);

#endif
