/* Ride comfort in the manner of EN 12299, ISO 2631 and Sperling.
 *
 * A frequency weighting is W(s) = high-pass x low-pass x transition x step with s = j 2 pi f:
 *
 *   s^2/(s^2 + sqrt2 w1 s + w1^2),  w2^2/(s^2 + sqrt2 w2 s + w2^2),  (1 + s/w3)/(1 + s/(Q4 w4) + (s/w4)^2),
 *   K (1 + s/(Q5 w5) + (s/w5)^2)/(1 + s/(Q6 w6) + (s/w6)^2)
 *
 * It is applied in the frequency domain, where it has no error at any sampling rate. */
#ifndef KL_POST_COMFORT_H
#define KL_POST_COMFORT_H

#include <complex.h>
#include <stdbool.h>

#include "klingel/status.h"
#include "post/statistics.h"

typedef struct kl_weighting {
    const char *name, *standard;
    double      f1, f2, f3, f4, Q4, f5, Q5, f6, Q6, K; /* [Hz]; f5 = 0: no step */
} kl_weighting;

/* Wk, Wd and Wc (backrest) of ISO 2631-1, Wb of EN 12299:2009; ended by a NULL name. */
extern const kl_weighting kl_weightings[];
const kl_weighting       *kl_weighting_find(const char *name); /* NULL: no such */
double complex            kl_weighting_gain(const kl_weighting *w, double frequency);

/* The weighted signal of n values at `rate` [1/s]; before the first one the signal is zero. */
kl_status kl_weighting_apply(const kl_weighting *w, const double *x, int n, double rate,
                             double *out);

/* Root mean squares of blocks of `seconds`; how many whole blocks there are, at most `most`. */
int kl_block_rms(const double *x, int n, double rate, double seconds, int most, double *rms);

/* EN 12299 from the percentiles of the weighted block values [m/s2]: P floor, A seat, D backrest. */
double kl_comfort_mean(double x_p95, double y_p95, double z_p95);                   /* N_MV */
double kl_comfort_seated(double z_p95, double y_a95, double z_a95, double x_d95);   /* N_VA */
double kl_comfort_standing(double x_p50, double y_p50, double z_p50, double y_p95); /* N_VD */

/* Discomfort on curve transitions P_CT [%]: lateral acceleration [m/s2] and jerk [m/s3], roll
 * velocity [rad/s], each the largest value. */
double kl_comfort_transition(bool standing, double acceleration, double jerk, double roll_rate);

/* ---- Sperling's index Wz, which has two definitions ---- */

typedef enum kl_sperling {
    KL_SPERLING_COMFORT_VERTICAL,
    KL_SPERLING_COMFORT_LATERAL,
    KL_SPERLING_RIDE_QUALITY,
} kl_sperling;

/* Of sines with these amplitudes [m/s2] and frequencies [Hz]: the tenth-power sum of the harmonic
 * form W = 3.57 (A^3 F/f)^(1/10). */
double kl_sperling_harmonic(kl_sperling kind, const double *amplitude, const double *frequency,
                            int n);
/* Weighting B of the other form, a in cm/s2. */
double kl_sperling_weighting(kl_sperling kind, double frequency);
/* Of a one-sided power spectral density [(m/s2)^2/Hz] from 0.5 to 30 Hz, in amplitudes:
 * W = (2 integral S B^2 df)^(1/6.67). */
double kl_sperling_of_density(kl_sperling kind, const double *frequency, const double *density,
                              int n);

#endif
