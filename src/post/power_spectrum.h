/* Spectra of channels: power spectral density and spectrogram by Welch's method (1967): Hann
 * windows, mean removed, one-sided, so that the integral over frequency is the variance.
 *
 * Rows need not be at equal times: they are brought to equal steps by straight lines first. */
#ifndef KL_POST_POWER_SPECTRUM_H
#define KL_POST_POWER_SPECTRUM_H

#include "klingel/status.h"

/* In-place Fourier transform of n complex numbers, n a power of two: sum x_k exp(-2 pi i j k / n).
 */
void kl_fft(double *re, double *im, int n);

typedef struct kl_spectrum_map {
    int     nfrequency, ntime; /* a density has ntime = 1 */
    double *frequency;         /* nfrequency [Hz], from zero */
    double *time;              /* ntime: middle of each window [s] */
    double *density;           /* ntime x nfrequency [unit^2/Hz] */
    double  window;            /* length of a window [s] */
    double  freedom;           /* of a density: equivalent degrees of freedom (welch.h) */
} kl_spectrum_map;

enum { KL_SPECTRUM_LEAST = 16 }; /* rows that a spectrum needs */

/* Both take `window` [s], or 0 to choose: for a density so that at least four windows average out
 * noise, for a spectrogram so that it is about as fine in time as in frequency. KL_E_RANGE: fewer
 * than KL_SPECTRUM_LEAST rows, no time between them, or a value that is not finite. */
kl_status kl_psd_find(const double *time, const double *y, int n, double window,
                      kl_spectrum_map *out);
kl_status kl_spectrogram_find(const double *time, const double *y, int n, double window,
                              kl_spectrum_map *out);
void      kl_spectrum_map_free(kl_spectrum_map *m);

#endif
