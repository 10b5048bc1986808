/* Steady rolling of two elastic half-spaces with Coulomb friction on a Hertzian ellipse: the exact
 * theory, for reference figures and for making tables, not for the time loop. */
#ifndef KL_RAILWAY_HALF_SPACE_H
#define KL_RAILWAY_HALF_SPACE_H

#include <stdbool.h>

#include "railway/creep.h"

typedef struct kl_half_space kl_half_space;

/* A grid of m x m cells over the ellipse. NULL: out of memory. */
kl_half_space *kl_half_space_create(double a_over_b, double nu, int m);
void           kl_half_space_destroy(kl_half_space *h);

/* Forces and the share that slips for ux, uy, uphi (creep.h). `warm`: starts from the tractions of the
 * last call. Returns the number of passes. */
int kl_half_space_solve(kl_half_space *h, const double u[3], bool warm, kl_creep_output *out);

/* The theory as a creep law for tools: grids of 14 and 21 cells, extrapolated to cells of no size, Poisson's
 * ratio 0.28. Allocates and takes a tenth of a second. */
extern const kl_creep_law kl_half_space_law;

#endif
