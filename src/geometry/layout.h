/* Railway alignment: plan, profile and cant as engineers write them, laid as a curve.
 *
 * The plan is a list of straights, curves and transitions by plan length sigma; the profile a list
 * of grades and vertical curves over the same sigma; the centre line is
 *
 *   x' = cos theta, y' = sin theta, theta' = k(sigma), z = z(sigma)       (' = d/dsigma)
 *
 * x forward at heading 0, y left, z up. sigma is the parameter u of the curve; its length follows
 * by arc.h. Curvature is positive to the left. */
#ifndef KL_GEOMETRY_LAYOUT_H
#define KL_GEOMETRY_LAYOUT_H

#include "geometry/curve.h"
#include "geometry/piecewise_scalar.h"

typedef enum kl_plan_kind { KL_PLAN_STRAIGHT, KL_PLAN_CURVE, KL_PLAN_TRANSITION } kl_plan_kind;

typedef struct kl_plan_element {
    kl_plan_kind    kind;
    double          length;    /* in plan [m] */
    double          curvature; /* of a curve [1/m], left positive */
    double          roll;      /* of a straight or curve [rad] about the forward direction */
    const kl_shape *shape;     /* of a transition; NULL: clothoid */
    kl_place        place;
} kl_plan_element;

typedef enum kl_grade_kind { KL_GRADE_CONSTANT, KL_GRADE_PARABOLA, KL_GRADE_CIRCLE } kl_grade_kind;

typedef struct kl_grade_element {
    kl_grade_kind kind;
    double        length; /* in plan [m]; 0 for a vertical curve: from its radius */
    double        slope;  /* dz/dsigma: of a grade, or at the end of a vertical curve [-] */
    double        radius; /* of a vertical curve [m]; 0: from its length */
    double        ramp;   /* of a parabola: length of the ramps from and to 1/radius [m] */
    kl_place      place;
} kl_grade_element;

typedef struct kl_layout {
    const kl_plan_element  *plan;
    int                     nplan;
    const kl_grade_element *grade; /* none: level */
    int                     ngrade;
    kl_vec3                 start;   /* [m] */
    double                  heading; /* at the start, from x towards y [rad] */
    int                     most;    /* pieces allowed; 0: no concern of yours */
    kl_place                place;
} kl_layout;

/* The centre line, and the cant angle by sigma as a law (roll unless NULL). */
kl_status kl_layout_build(const kl_layout *layout, kl_arena *arena, kl_diag *diag, kl_curve **curve,
                          kl_piecewise *roll);

#endif
