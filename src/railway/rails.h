/* The two rails of a track as curves of their own: on the path of the track, with gauge and
 * irregularities on top.
 *
 * A contact search needs a rail in side axes, whose origin is in the middle of the track
 * (railway/wheel_rail.h). So each rail has a frame: the track's frame at s, moved by what this rail
 * is off its nominal place and turned along its own direction. In this frame the rail lies as its
 * profile was placed for the nominal gauge. */
#ifndef KL_RAILWAY_RAILS_H
#define KL_RAILWAY_RAILS_H

#include "geometry/path.h"
#include "railway/irregularity.h"
#include "script/function.h"

typedef struct kl_rails {
    const kl_path         *path;         /* NULL: straight along x, z up */
    const kl_irregularity *irregularity; /* NULL: none */
    const kl_function
        *widening; /* of the gauge over s [m], added to both rails alike; NULL: none */
} kl_rails;

/* What a caller keeps between calls; the path's cursor as kl_path_cursor_place leaves it. */
typedef struct kl_rails_cursor {
    kl_path_cursor         path;
    bool                   known;
    double                 s;    /* where `last` is */
    kl_path_point          last; /* of the path: both rails ask for the same place */
    kl_irregularity_cursor irregularity;
} kl_rails_cursor;

typedef struct kl_rail_point {
    kl_vec3 r;  /* origin of the rail's frame: the track's middle, moved with this rail [m] */
    kl_mat3 A;  /* along this rail, to the left, up */
    kl_vec3 dr; /* derivative of r by the track's length s */
    double  bend_y, bend_z;    /* curvature of this rail to the left and up [1/m] */
    double off_y[3], off_z[3]; /* to the left and up from the nominal place, and derivatives by s */
} kl_rail_point;

/* The rail of a side (+1 left, -1 right; 0: the middle of the track) at length s of the track. */
kl_status kl_rail_at(const kl_rails *rails, int side, double s, kl_rails_cursor *cursor,
                     kl_rail_point *out);

#endif
