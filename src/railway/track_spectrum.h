/* Power spectral densities of track irregularities.
 *
 * Channels and signs (y to the left, z up, looking forward):
 *
 *     vertical     z  = (z_left + z_right)/2         up
 *     lateral      y  = (y_left + y_right)/2         to the left
 *     cross level  c  = z_left - z_right             left rail higher
 *     gauge        g  = y_left - y_right - nominal   wider
 *
 *            left rail                 right rail
 *        (y + g/2, z + c/2)        (y - g/2, z - c/2)
 *              |<------- gauge + g ------->|
 *
 * Densities are one-sided in the angular wavenumber W [rad/m], m2/(rad/m): the variance in a band is
 * the integral of S from 2 pi/longest to 2 pi/shortest.
 *
 * ERRI B176 (German low and high disturbance):
 *     vertical, lateral   S = A Wc^2 / ((W^2 + Wr^2)(W^2 + Wc^2))
 *     cross level         S = (2b)^2 (Av/b^2) Wc^2 W^2 / ((W^2 + Wr^2)(W^2 + Wc^2)(W^2 + Ws^2)), b = 0.75 m:
 *                         the source has the angle in rad; here it is the height over 2b = 1.5 m
 *     gauge               Ag in place of Av/b^2 (one source only)
 * FRA classes 1 to 6:
 *     vertical, lateral   S = k A Wc^2 / (W^2 (W^2 + Wc^2)), k = 0.25
 *     cross level, gauge  S = 4 k Av Wc^2 / ((W^2 + Wc^2)(W^2 + Ws^2)) */
#ifndef KL_RAILWAY_TRACK_SPECTRUM_H
#define KL_RAILWAY_TRACK_SPECTRUM_H

#include <stdbool.h>

enum {
    KL_TRACK_VERTICAL,
    KL_TRACK_LATERAL,
    KL_TRACK_CROSS_LEVEL,
    KL_TRACK_GAUGE,
    KL_TRACK_CHANNELS
};

typedef struct kl_track_spectrum {
    const char *name;       /* "erri-low", "fra-5", ... */
    bool        fra;        /* form of the formulas */
    double      Av, Aa, Ag; /* vertical, lateral, gauge [m rad]; FRA: [m2 rad/m] */
    double      Wc, Wr, Ws; /* corner wavenumbers [rad/m] */
} kl_track_spectrum;

/* Ended by a NULL name. */
extern const kl_track_spectrum kl_track_spectra[];

/* One-sided density of a channel at wavenumber W > 0 [m2/(rad/m)]. */
double kl_track_density(const kl_track_spectrum *s, int channel, double W);

/* A table of densities, one-sided: linear in the logarithms between its rows, none outside. */
typedef struct kl_spectrum_table {
    int           n;
    const double *W;                    /* ascending [rad/m] */
    const double *S[KL_TRACK_CHANNELS]; /* NULL: no irregularity in this channel */
} kl_spectrum_table;

double kl_spectrum_table_at(const kl_spectrum_table *t, int channel, double W);

/* "vertical", "lateral", "cross level", "gauge" */
const char *kl_track_channel_name(int channel);

#endif
