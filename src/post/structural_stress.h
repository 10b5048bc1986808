/* Structural stress at the toe of a weld, by extrapolation along the surface.
 *
 * At a weld toe modelled without a radius the stress grows with every refinement of the mesh. The
 * structural (hot-spot) stress does not: it is the stress normal to the weld at 0.4 and 1.0 plate
 * thicknesses in front of the toe, extrapolated to it,
 *
 *   s = 1.67 s(0.4 t) - 0.67 s(1.0 t)
 *
 * (International Institute of Welding, Hobbacher 2016, section 2.2.3, type a, fine mesh), and goes with
 * the classes of structural stress (FAT90 or FAT100). The mesh must have converged at the two places,
 * with elements of at most 0.4 t there. */
#ifndef KL_POST_STRUCTURAL_STRESS_H
#define KL_POST_STRUCTURAL_STRESS_H

#include "post/stress.h"

typedef struct kl_weld {
    double toe[3];    /* a point on the surface [m] */
    double normal[3]; /* along the surface, away from the weld; any length */
    double thickness; /* of the plate [m] */
} kl_weld;

/* Where on the surface stress is read: corners of a triangle and their shares. */
typedef struct kl_weld_reading {
    int    point[3]; /* stress points */
    double share[3];
    double away; /* of the surface from the place that was asked for [m] */
    double edge; /* longest edge of the triangle [m] */
} kl_weld_reading;

/* At 0.4 t and 1.0 t. KL_E_RANGE: the body has no surface with stress. */
kl_status kl_weld_readings(const kl_kbody *b, const kl_weld *w, kl_weld_reading reading[2]);
/* rows values of s. */
kl_status kl_weld_history(const kl_modal_run *r, const kl_weld *w, const kl_weld_reading reading[2],
                          double *s);

#endif
