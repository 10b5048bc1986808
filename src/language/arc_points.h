/* An arc of a model by its centre, first and last point. */
#ifndef KL_LANGUAGE_ARC_POINTS_H
#define KL_LANGUAGE_ARC_POINTS_H

#include "base/diag.h"
#include "geometry/surface.h"

/* Distances of first and last point from the centre. */
typedef struct kl_arc_radii {
    kl_place place;
    double   first, last;
} kl_arc_radii;

/* x: centre, first, last. `what` names the part in messages. Keeps the radii in `worst` if they differ by a
 * larger part than those there; several arcs of one shape then give one note. */
kl_status kl_arc_from_points(kl_diag *diag, kl_place place, const char *what, double x[3][2],
                             kl_arc2 *out, kl_arc_radii *worst);
void      kl_arc_note_radii(kl_diag *diag, const char *what, const kl_arc_radii *worst);

#endif
