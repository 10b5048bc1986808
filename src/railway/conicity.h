/* Equivalent conicity of a wheelset from its rolling radius difference delta_r(y).
 *
 * A free wheelset that rolls without slip moves after (Klingel 1883, EN 15302)
 *
 *     y'' = - delta_r(y) / (e r0),        ' = d/d(way), e: distance of the contact points
 *
 * The conicity of a cone would be delta_r/(2 y). Two equivalents for an amplitude A:
 *   wavelength method (EN 15302): the cone on which the motion has the same wavelength L,
 *       tan(gamma_e) = (e r0/2) (2 pi/L)^2;
 *   harmonic linearisation: the cone that fits delta_r best over y = y0 + A sin(theta),
 *       tan(gamma_e) = 1/(2 pi A) integral of delta_r sin(theta) d(theta).
 * For an uneven delta_r the amplitude is half the distance of the turning points. */
#ifndef KL_RAILWAY_CONICITY_H
#define KL_RAILWAY_CONICITY_H

#include "base/arena.h"
#include "klingel/status.h"

typedef struct kl_delta_r {
    int           n;
    const double *y, *dr; /* shift, ascending, and right less left radius [m], n; linear between */
    double       *potential; /* integral of delta_r from y[0] [m2], n */
} kl_delta_r;

/* y must ascend; values that are not finite at the ends are left out. Arrays are borrowed. */
kl_status kl_delta_r_init(const double *y, const double *dr, int n, kl_arena *arena,
                          kl_delta_r *out);

/* Largest amplitude that the data allow [m]. */
double kl_conicity_most(const kl_delta_r *f);

/* Tangent of the equivalent conicity for an amplitude [m]; NAN when the data do not reach so far or
 * the motion does not come back (negative conicity). Neither e nor r0 matters. */
double kl_conicity_wavelength(const kl_delta_r *f, double amplitude);
double kl_conicity_harmonic(const kl_delta_r *f, double amplitude);

/* Klingel's wavelength on the equivalent cone [m]. */
double kl_klingel_wavelength(double conicity, double contact_distance, double radius);

#endif
