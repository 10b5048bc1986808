/* Low-pass filter of Butterworth run forwards and backwards over a record: no phase shift, and the
 * square of the filter's amplitude (at the cut-off frequency one half). */
#ifndef KL_ALGEBRA_BUTTERWORTH_H
#define KL_ALGEBRA_BUTTERWORTH_H

#include "klingel/status.h"

/* x (n values, one each dt) is filtered in place. `order`: even, of one pass. Beyond its ends the
 * record is continued by its own reflection. A cut-off above half the sampling frequency leaves it
 * as it is. */
kl_status kl_butterworth_zero_phase(double *x, int n, double dt, double cutoff, int order);

#endif
