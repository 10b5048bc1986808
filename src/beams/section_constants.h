/* Constants of a cross section that is bounded by polygons: area, moments of area, torsion, shear and
 * shear centre. Axes y and z of the plane, as the points are given. */
#ifndef KL_BEAMS_SECTION_CONSTANTS_H
#define KL_BEAMS_SECTION_CONSTANTS_H

#include "klingel/status.h"

/* A closed polygon; the last point is joined to the first. */
typedef struct kl_outline {
    const double *point; /* n x 2: y, z [m] */
    int           n;
} kl_outline;

typedef struct kl_section_constants {
    double area;            /* [m2] */
    double center[2];       /* centroid, in the axes of the points [m] */
    double Iy, Iz, Iyz;     /* about the centroid: integrals of z^2, y^2, y z [m4] */
    double J;               /* of St Venant's torsion [m4] */
    double shear_center[2]; /* from the centroid [m] */
    double shear[3];        /* stiffness over G A: yy, zz, yz [-] */
} kl_section_constants;

/* The outer outline and `nhole` holes within it, all in any sense of rotation. NULL: all is well, else
 * what is wrong and the remedy; KL_E_MEMORY gives a text too. */
const char *kl_section_constants_of(const kl_outline *outer, const kl_outline *hole, int nhole,
                                    kl_section_constants *out);

/* Integrals of 1, y, z, z^2, y^2, y z over a polygon, positive for either sense. */
void kl_outline_moments(const kl_outline *o, double moment[6]);

#endif
