/* A planar line by its length w: cross-sections to be revolved or swept. Made of straight lines,
 * arcs and splines through points, laid one behind the other in a plane with coordinates (a, b). */
#ifndef KL_GEOMETRY_PROFILE_H
#define KL_GEOMETRY_PROFILE_H

#include "geometry/arc.h"

typedef struct kl_profile {
    kl_arena *arena;
    kl_curve  curve;    /* in the plane z = 0 */
    kl_arc   *arc;      /* after kl_profile_end */
    double    begin[2]; /* first point */
    double    a, b;     /* its position */
    bool      closed;   /* the last point is the first; known after kl_profile_end */
    int       parts;
    kl_place *place; /* of each part */
    int       place_capacity;
} kl_profile;

void kl_profile_begin(kl_profile *p, kl_arena *arena, double a, double b);

/* A straight line to (a, b). */
kl_status kl_profile_line(kl_profile *p, double a, double b, kl_place place, kl_diag *diag);

/* An arc to (a, b) with a radius: positive bends to the left of the way, negative to the right; the
 * shorter of the two arcs. */
kl_status kl_profile_arc(kl_profile *p, double a, double b, double radius, kl_place place,
                         kl_diag *diag);

/* An interpolant through n more points (a, b pairs), starting at the present one. When the last is
 * the first it goes round smoothly there, too. */
kl_status kl_profile_points(kl_profile *p, const double *ab, int n, kl_interpolation kind,
                            kl_place place, kl_diag *diag);

/* Measures its length and whether it closes (last point within 1e-9 of its size of the first); after
 * that it is const and must stay where it is in memory. tolerance as in
 * kl_arc_build. */
kl_status kl_profile_end(kl_profile *p, double tolerance, kl_diag *diag);

double kl_profile_length(const kl_profile *p);

/* Point and its first two derivatives by length w; z is zero. Beyond the ends the last part goes
 * on. `hint` is kept between calls. */
void kl_profile_eval(const kl_profile *p, double w, int *hint, kl_vec3 d[3]);

#endif
