/* Natural frequencies and mode shapes of a catenary about its static shape: (K - omega^2 M) x = 0 with
 * droppers taut or slack as they are at rest. */
#ifndef KL_CATENARY_LINE_MODES_H
#define KL_CATENARY_LINE_MODES_H

#include "catenary/line.h"

typedef struct kl_line_mode {
    double       frequency; /* [Hz] */
    double       damping;   /* ratio x'Cx/(2 omega x'Mx): exact for one wire, else its mean */
    double       x;         /* where the shape is largest [m] */
    kl_wire_kind wire;      /* of which wire */
    bool         lateral;   /* and in which direction */
} kl_line_mode;

/* The `n` lowest modes into `mode`. `shape` (ndof x n, unless NULL) receives shapes with x'Mx = 1.
 * KL_E_RANGE when the line has fewer. */
kl_status kl_line_modes(const kl_line *line, int n, kl_line_mode *mode, double *shape,
                        kl_diag *diag);

#endif
