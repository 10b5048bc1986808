/* Track irregularities along the way: synthesised from spectra, or from samples.
 *
 * A synthesised irregularity is a sum of cosines with fixed amplitudes, random phases and random
 * wavenumbers: the band is cut into cells of equal width in log W, each cell has one cosine whose
 * variance is the integral of the density over the cell, so the variance in the band is exact and
 * nothing repeats. Spectrum, band and seed are kept apart; the same three give the same track on any
 * machine. Memory does not depend on the length. Values are computed at nodes and interpolated
 * by quintic polynomials with the exact first and second derivatives there. */
#ifndef KL_RAILWAY_IRREGULARITY_H
#define KL_RAILWAY_IRREGULARITY_H

#include "base/arena.h"
#include "base/diag.h"
#include "railway/track_spectrum.h"

typedef struct kl_irregularity_band {
    double shortest, longest; /* wavelengths [m] */
} kl_irregularity_band;

/* Wavelength bands of EN 13848: D1 3 to 25 m, D2 25 to 70 m, D3 70 to 150 m. */
extern const kl_irregularity_band kl_band_d1, kl_band_d2, kl_band_d3;

typedef struct kl_irregularity_source {
    const kl_track_spectrum *spectrum; /* one of these two */
    const kl_spectrum_table *table;
    bool                     two_sided; /* the density is read as two-sided: twice the variance */
    kl_irregularity_band     band;
    unsigned long long       seed;
    int                      lines;                    /* cosines a channel; 0: 800 */
    double                   scale[KL_TRACK_CHANNELS]; /* factors of the amplitudes */
} kl_irregularity_source;

typedef struct kl_irregularity kl_irregularity;

/* Value and first and second derivative by s of the four channels. */
typedef double kl_irregularity_value[KL_TRACK_CHANNELS][3];

enum { KL_IRREGULARITY_BLOCK = 64 };

/* Neighbouring nodes, computed together. */
typedef struct kl_irregularity_block {
    bool                  known;
    long long             index; /* its first node is index * KL_IRREGULARITY_BLOCK */
    kl_irregularity_value at[KL_IRREGULARITY_BLOCK + 1];
} kl_irregularity_block;

/* Nodes computed last: what a caller keeps between calls. All zero is a good start. Blocks of even and
 * odd index have places of their own, so that a look back over the border computes nothing again. */
typedef struct kl_irregularity_cursor {
    bool                  known;
    double                s;    /* where `last` was found */
    kl_irregularity_value last; /* both rails ask for the same place */
    kl_irregularity_block block[2];
} kl_irregularity_cursor;

kl_status kl_irregularity_synthesise(const kl_irregularity_source *source, kl_place place,
                                     kl_arena *arena, kl_diag *diag, kl_irregularity **out);

/* One cosine, amplitude[channel] cos(2 pi s/wavelength): for frequency responses. */
kl_status kl_irregularity_wave(double wavelength, const double amplitude[KL_TRACK_CHANNELS],
                               kl_arena *arena, kl_irregularity **out);

/* From n >= 4 samples at ascending s [m]; value[channel] NULL: none. Cubic splines between; beyond
 * the ends the irregularity is zero. Arrays are copied. */
kl_status kl_irregularity_sampled(const double *s, const double *const value[KL_TRACK_CHANNELS],
                                  int n, kl_place place, kl_arena *arena, kl_diag *diag,
                                  kl_irregularity **out);

/* The same from each rail's own two: lateral and vertical of the left and the right rail. */
kl_status kl_irregularity_of_rails(const double *s, const double *const left[2],
                                   const double *const right[2], int n, kl_place place,
                                   kl_arena *arena, kl_diag *diag, kl_irregularity **out);

/* The irregularity begins at `start` and grows to its size over `ramp` [m] without a jump in its
 * second derivative. */
void kl_irregularity_start(kl_irregularity *i, double start, double ramp);

/* Where the rows of samples begin and end [m]; false: irregularities without beginning and end. */
bool kl_irregularity_extent(const kl_irregularity *i, double *first, double *last);

void kl_irregularity_at(const kl_irregularity *i, double s, kl_irregularity_cursor *cursor,
                        kl_irregularity_value out);

/* Variance of a synthesised channel, from its lines [m2]. */
double kl_irregularity_variance(const kl_irregularity *i, int channel);

#endif
