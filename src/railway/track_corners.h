/* Where the vertical curvature of a rail jumps, or its slope: at the ends of a cant transition and where they are
 * rounded. A wheel that passes there gets a vertical acceleration at once, or a speed, so a step ends there. */
#ifndef KL_RAILWAY_TRACK_CORNERS_H
#define KL_RAILWAY_TRACK_CORNERS_H

#include "geometry/path.h"

typedef struct kl_track_corners {
    const double *s; /* ascending, of the first round on a closed track [m] */
    int           n;
    double        round; /* length of a closed track [m]; 0: open */
    bool          sharp; /* slopes jump */
} kl_track_corners;

/* The corners of a rail at +-half_gauge beside the path. */
kl_status kl_track_corners_find(const kl_path *path, double half_gauge, kl_arena *arena,
                                kl_track_corners *out);

/* A smooth function of s with a simple zero at each corner, there with slope +-1, and its slope. It depends on s
 * alone. With n > 0. */
double kl_track_corners_value(const kl_track_corners *c, double s, double *slope);

#endif
