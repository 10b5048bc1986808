/* What a peak of a spectrum belongs to: a natural frequency, a multiple of a frequency of the excitation, or
 * its end. */
#ifndef KL_CLI_PSD_PEAKS_H
#define KL_CLI_PSD_PEAKS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/diag.h"

/* A mode with more damping than this (of critical) makes no peak. */
static const double KL_PEAK_DAMPING = 0.3;

typedef struct kl_peak_origins {
    double *natural; /* n natural frequencies [Hz] with little damping */
    int     n;
    double  multiples; /* lowest of the multiples [Hz], for example speed over wheelbase; 0: none */
    double  ends;      /* highest frequency of the excitation [Hz]; 0: not known */
} kl_peak_origins;

/* Natural frequencies from what `klingel modes MODEL --csv` printed. */
kl_status kl_peak_origins_read(const char *path, kl_diag *diag, kl_peak_origins *out);
void      kl_peak_origins_free(kl_peak_origins *o);

/* Is anything known? */
bool kl_peak_origins_known(const kl_peak_origins *o);

/* What lies within one line (`bin`) of a peak at `f` [Hz], in words. */
void kl_peak_origin(const kl_peak_origins *o, double f, double bin, char *text, size_t size);

#endif
