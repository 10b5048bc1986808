/* What a peak of a spectrum belongs to: a natural frequency, a wave that fits the axles, a multiple of a frequency of
 * the excitation, or its end.
 *
 * A mode of natural frequency f and damping ratio D raises the spectrum between its half-power frequencies f (1 - D)
 * and f (1 + D). Where modes overlap, or the excitation changes with frequency, its peak may lie anywhere in that band.
 * Bands of strongly damped modes are so wide that they would explain every peak; they do not count. */
#ifndef KL_CLI_PSD_PEAKS_H
#define KL_CLI_PSD_PEAKS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/diag.h"
#include "cli/psd_axles.h"

/* A mode with more damping than this (of critical) makes no peak. */
static const double KL_PEAK_DAMPING = 0.3;

/* A mode with more damping than this has no half-power band that explains a peak. */
static const double KL_BAND_DAMPING = 0.05;

typedef struct kl_peak_mode {
    double frequency, damping; /* [Hz], of critical */
} kl_peak_mode;

typedef struct kl_peak_origins {
    kl_peak_mode *mode; /* n modes with little damping */
    int           n;
    kl_axle_peaks axles; /* excitation of axles that follow the same waves */
    double multiples; /* lowest of the multiples [Hz], for example speed over wheelbase; 0: none */
    double ends;      /* highest frequency of the excitation [Hz]; 0: not known */
} kl_peak_origins;

/* Natural frequencies from what `klingel modes MODEL --csv` printed. */
kl_status kl_peak_origins_read(const char *path, kl_diag *diag, kl_peak_origins *out);
void      kl_peak_origins_free(kl_peak_origins *o);

/* Is anything known? */
bool kl_peak_origins_known(const kl_peak_origins *o);

/* Does anything lie so near to f? */
bool kl_peak_has_origin(const kl_peak_origins *o, double f, double bin);

/* What lies within one line (`bin`) of a peak at `f` [Hz], or has it in its half-power band, in words. */
void kl_peak_origin(const kl_peak_origins *o, double f, double bin, char *text, size_t size);

#endif
