/* Structural stress at the toe of a weld, by extrapolation along the surface.
 *
 * At a weld toe modelled without a radius the stress grows with every refinement of the mesh. The
 * structural (hot-spot) stress does not: it is the stress normal to the weld at places in front of the toe,
 * extrapolated to it. On the face of a plate of thickness t (type a), and on the edge of a plate, whose
 * thickness does not matter (type b),
 *
 *   a: s = 1.67 s(0.4 t) - 0.67 s(1.0 t),   b: s = 3 s(4 mm) - 3 s(8 mm) + s(12 mm)
 *
 * (International Institute of Welding, Hobbacher 2016, section 2.2.3, fine meshes). Both go with
 * the classes of structural stress (FAT90 or FAT100). The mesh must have converged at the places, with
 * elements of at most 0.4 t or 4 mm there. */
#ifndef KL_POST_STRUCTURAL_STRESS_H
#define KL_POST_STRUCTURAL_STRESS_H

#include "post/stress.h"

typedef struct kl_weld {
    double toe[3];    /* a point on the surface [m] */
    double normal[3]; /* along the surface, away from the weld; any length */
    double thickness; /* of the plate [m]; 0: the toe lies on the edge of a plate (type b) */
} kl_weld;

enum { KL_WELD_MOST = 3 }; /* places */

/* How stress is extrapolated to a toe: shares of the stress at places in front of it. */
typedef struct kl_weld_rule {
    int    n;
    double place[KL_WELD_MOST]; /* distance from the toe [m] */
    double share[KL_WELD_MOST];
    double largest; /* edges of the surface mesh that the rule needs [m] */
} kl_weld_rule;

kl_weld_rule kl_weld_rule_of(const kl_weld *w);

/* Where on the surface stress is read: corners of a triangle and their shares. */
typedef struct kl_weld_reading {
    int    point[3]; /* stress points */
    double share[3];
    double away; /* of the surface from the place that was asked for [m] */
    double edge; /* longest edge of the triangle [m] */
} kl_weld_reading;

/* At the places of the rule. KL_E_RANGE: the body has no surface with stress. */
kl_status kl_weld_readings(const kl_kbody *b, const kl_weld *w,
                           kl_weld_reading reading[KL_WELD_MOST]);
/* rows values of s. */
kl_status kl_weld_history(const kl_modal_run *r, const kl_weld *w,
                          const kl_weld_reading reading[KL_WELD_MOST], double *s);

#endif
