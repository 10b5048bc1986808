/* Digital filters for evaluations: Butterworth low-pass and band-pass, as second-order sections.
 *
 * Both come from the analog filter by the bilinear transform with prewarped corner frequencies, so
 * that the gain at the corners is that of the analog filter. One pass has the phase of the analog
 * filter; a pass forwards and one backwards have none and square the gain (-6 dB at the corner). */
#ifndef KL_ALGEBRA_FILTER_H
#define KL_ALGEBRA_FILTER_H

#include <complex.h>

#include "klingel/status.h"

enum { KL_FILTER_MOST = 8 }; /* sections */

/* y = b0 x + b1 x1 + b2 x2 - a1 y1 - a2 y2 */
typedef struct kl_section {
    double b0, b1, b2, a1, a2;
} kl_section;

typedef struct kl_filter {
    kl_section section[KL_FILTER_MOST];
    int        n;
} kl_filter;

/* Low-pass of even order up to 16. KL_E_RANGE: the corner [Hz] is not between 0 and rate/2. */
kl_status kl_filter_lowpass(kl_filter *f, int order, double corner, double rate);

/* Band-pass of 2 x order poles, order even and up to 8, from `low` to `high` [Hz]. */
kl_status kl_filter_bandpass(kl_filter *f, int order, double low, double high, double rate);

/* Complex gain of one pass at a frequency [Hz]. */
double complex kl_filter_gain(const kl_filter *f, double frequency, double rate);

/* One pass, in place. The filter starts in the steady state that belongs to the first value. */
void kl_filter_run(const kl_filter *f, double *x, int n);

/* A pass forwards and one backwards, in place: no phase shift. */
void kl_filter_run_both_ways(const kl_filter *f, double *x, int n);

#endif
