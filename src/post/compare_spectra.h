/* Which frequencies differ between two records? Tests that know how much spectra of rides scatter.
 *
 * Each record is divided into parts (batches, welch.h). Let m be the mean over its B parts of the
 * logarithm of their density at one frequency, and v its variance, from the parts, which need not be
 * Gaussian, stationary or white. Where nothing differs,
 *
 *   t = (m_b - m_a)/sqrt(v_a + v_b)
 *
 * follows Student's distribution with (v_a + v_b)^2/(v_a^2/(B_a - 1) + v_b^2/(B_b - 1)) degrees of
 * freedom (Welch 1947). An F test of the ratio with the degrees of freedom of Welch's formula would
 * only do for stationary noise with a flat spectrum: the variance of a ride on irregular track is 1.2
 * to 3 times larger.
 *
 * On different tracks, and along one, the level of all frequencies rises and falls together, far more
 * than their ratios to each other. Each part is therefore divided by its level, the mean of the
 * middle half of its lines (a peak that moves hardly changes it), and the level is tested by itself like one more
 * frequency. Bands of less than KL_LEAST_LINES frequencies have no level; their densities are compared.
 *
 * Two tests of all n frequencies share the rate of false alarms `alpha`, one half each:
 *
 * - Which frequencies: those with p below the largest of the sorted p_i <= i alpha/(2 n) (Benjamini
 *   and Hochberg 1995; where nothing differs, the first has the probability alpha/2 (Simes 1986)).
 * - Do the spectra differ as a whole? Sum of t^2 with a common variance, against its values where the parts of both
 *   records are dealt at random (a permutation test: neighbouring frequencies may depend on each
 *   other). Many small differences, none of which is certain, show here.
 *
 * A tone of constant strength hardly scatters: where its strength depends on the track and not on the
 * vehicle, the records differ, and these tests say so. */
#ifndef KL_POST_COMPARE_SPECTRA_H
#define KL_POST_COMPARE_SPECTRA_H

#include <stdbool.h>

#include "post/welch.h"

enum { KL_LEAST_LINES = 8 };

typedef struct kl_spectral_line {
    double frequency;     /* [Hz] */
    double first, second; /* densities */
    double ratio;         /* second over first, each over its level */
    double p;             /* of such a difference at this frequency if nothing differs */
    double limit;         /* ratios between 1/limit and limit are no difference */
    bool   different;
} kl_spectral_line;

typedef struct kl_comparison {
    kl_spectral_line *line;
    int               n, different; /* `different` does not count the level */
    kl_spectral_line  level;        /* frequency 0; ratio 1, p 1 without a level */
    double            threshold;    /* of p at one frequency */
    double            limit;        /* of the line in the middle, by size */
    double            p;            /* of the spectra as a whole */
    bool              differs;      /* a frequency, the level, or the whole */
} kl_comparison;

/* Compares lines from `from` to `to` [Hz] with false alarm rate `alpha`. KL_E_RANGE: the two densities
 * do not have the same frequencies, none lies in the band, or a record has less than two parts. */
kl_status kl_spectra_compare(const kl_density *a, const kl_density *b, double from, double to,
                             double alpha, kl_comparison *out);
void      kl_comparison_free(kl_comparison *c);

#endif
