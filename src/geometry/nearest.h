/* The place on a path nearest to a point. */
#ifndef KL_GEOMETRY_NEAREST_H
#define KL_GEOMETRY_NEAREST_H

#include "geometry/path.h"
#include "geometry/surface.h"

/* s with the least |p - r(s)|: the best of some thousand places, then Newton on (p - r).t = 0. On a
 * path that passes near the point twice it may be the other pass: compare s if that matters. */
kl_status kl_path_nearest(const kl_path *path, kl_vec3 p, kl_path_cursor *cursor, double *s);

/* u, v with the least |p - r(u, v)|, from a net of 33 x 33 places. */
kl_status kl_surface_nearest(const kl_surface *surface, kl_vec3 p, kl_surface_cursor *cursor,
                             double uv[2]);

#endif
