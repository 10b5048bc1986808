/* Welch's estimate of a power spectral density, and how far it can be trusted.
 *
 *   P(f) = 2 |sum w_i x_i exp(-2 pi j f i/rate)|^2 / (rate sum w_i^2),   mean over overlapping segments
 *
 * one-sided: no factor 2 at zero and at half the rate. For a Gaussian signal the estimate follows
 * chi-square/freedom with
 *
 *   freedom = 2 K / (1 + 2 sum_m (1 - m/K) rho_m),   rho_m = (sum w_i w_(i + m step) / sum w_i^2)^2
 *
 * for K segments that begin `step` rows apart (Welch 1967). This holds for noise whose spectrum is flat
 * within the bandwidth of the window and whose strength does not change. Narrow peaks and a strength
 * that changes over more than a window (flange contacts, rough sections) scatter more. What a record
 * itself shows of its scatter is therefore kept too: the segments are divided into batches of
 * neighbours, and each has a density of its own. */
#ifndef KL_POST_WELCH_H
#define KL_POST_WELCH_H

#include <stdbool.h>

#include "klingel/status.h"

typedef enum kl_window {
    KL_WINDOW_HANN, /* periodic: 1/2 - 1/2 cos(2 pi i/n) */
    KL_WINDOW_HANN_SYMMETRIC,
    KL_WINDOW_RECTANGULAR,
} kl_window;

typedef struct kl_welch {
    int       segment; /* rows of a segment */
    int       step;    /* rows between the beginnings of segments; 0: half a segment */
    kl_window window;
    bool      keep_mean; /* of each segment; otherwise it is removed */
} kl_welch;

typedef struct kl_density {
    int     n;         /* segment/2 + 1 */
    double *frequency; /* [Hz] */
    double *value;     /* [unit^2/Hz] */
    int     segments;
    double  freedom;   /* equivalent degrees of freedom */
    double  bandwidth; /* noise bandwidth of the window [Hz] */
    int     batches;   /* parts of the record, as equal as possible */
    double *batch;     /* batches x n: density of each part, part by part */
    double  overlap;   /* variance of the mean of all parts over that of independent ones */
} kl_density;

/* Of n values at `rate` [1/s]. Segments may have any even length. KL_E_RANGE: fewer rows than one
 * segment, or a value that is not finite. */
kl_status kl_density_find(const double *x, int n, double rate, const kl_welch *how,
                          kl_density *out);
void      kl_density_free(kl_density *d);

/* The interval that holds the true density with probability `confidence` is from low x estimate to
 * high x estimate. */
void kl_density_interval(const kl_density *d, double confidence, double *low, double *high);

/* Rows at unequal times brought to equal steps by straight lines; `out` has n places. Returns the
 * rate, 0 when time does not advance. */
double kl_equal_steps(const double *time, const double *y, int n, double *out);

#endif
