/* Frequencies at which axles that follow the same wave of a track one after the other excite what they carry.
 *
 * A wave of frequency f reaches an axle at x with the phase 2 pi f x/speed. What the axles carry is
 *
 *   pushed by |sum exp(j 2 pi f x/speed)|/n,   turned by |sum (x - mean) exp(j 2 pi f x/speed)|/sum |x - mean|
 *
 * and both have maxima: two axles a distance b apart push at multiples of speed/b and turn in the middle between
 * them; three axles b apart turn a quarter of speed/b beside the multiples. */
#ifndef KL_CLI_PSD_AXLES_H
#define KL_CLI_PSD_AXLES_H

#include <stdbool.h>

#include "base/diag.h"

typedef struct kl_axle_peak {
    double frequency; /* [Hz] */
    bool   turns;     /* otherwise pushes */
} kl_axle_peak;

typedef struct kl_axle_peaks {
    kl_axle_peak *peak;
    int           n;
} kl_axle_peaks;

/* The maxima up to `to` [Hz] and the next ones above, with at least half of the largest power. `axles`: places along the track, "1.7,0,-1.7"
 * [m]; `speed`: "70km/h" [m/s]; as on the command line. */
kl_status kl_axle_peaks_find(const char *axles, const char *speed, double to, kl_diag *diag,
                             kl_axle_peaks *out);
void      kl_axle_peaks_free(kl_axle_peaks *p);

#endif
