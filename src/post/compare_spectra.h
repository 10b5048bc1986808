/* Which frequencies differ between two records? A test that knows the scatter of Welch's estimate.
 *
 * Where both records come from the same Gaussian process, the ratio of the two estimates at one
 * frequency follows the F distribution with their degrees of freedom. The probability p of a ratio at
 * least as far from 1 belongs to one frequency; among n of them the smallest p is below
 * 1 - (1 - alpha)^(1/n) with probability alpha (Sidak 1967), which is the rate of false alarms of the
 * whole comparison. Neighbouring lines of a Hann window are correlated, but far outliers of them come
 * almost independently, so that n is the number of lines. */
#ifndef KL_POST_COMPARE_SPECTRA_H
#define KL_POST_COMPARE_SPECTRA_H

#include <stdbool.h>

#include "post/welch.h"

typedef struct kl_spectral_line {
    double frequency;     /* [Hz] */
    double first, second; /* densities */
    double ratio;         /* second over first */
    double p;             /* of such a ratio at this frequency if nothing differs */
    bool   different;     /* at the asked rate of false alarms of the whole comparison */
} kl_spectral_line;

typedef struct kl_comparison {
    kl_spectral_line *line;
    int               n, different;
    double            threshold; /* of p */
    double            low, high; /* ratios between these are no difference */
} kl_comparison;

/* Compares lines from `from` to `to` [Hz] with false alarm rate `alpha`. KL_E_RANGE: the two densities
 * do not have the same frequencies, or none lies in the band. */
kl_status kl_spectra_compare(const kl_density *a, const kl_density *b, double from, double to,
                             double alpha, kl_comparison *out);
void      kl_comparison_free(kl_comparison *c);

#endif
