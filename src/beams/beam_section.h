/* Cross sections of beams: section `sections:`. Axes of a section: x along the beam, y and z in its
 * plane, through the centroid. */
#ifndef KL_BEAMS_BEAM_SECTION_H
#define KL_BEAMS_BEAM_SECTION_H

#include "materials/structural_material.h"
#include "model/resource.h"

typedef enum kl_section_shape {
    KL_SECTION_RECTANGLE,
    KL_SECTION_CIRCLE,
    KL_SECTION_TUBE,
    KL_SECTION_I,
    KL_SECTION_NUMBERS,
    KL_SECTION_STIFFNESS,
} kl_section_shape;

typedef struct kl_beam_section {
    int    shape;                                         /* kl_section_shape */
    double width, height, radius, thickness, flange, web; /* [m] */
    double area, Iy, Iz, J; /* [m2], [m4]: Iz bends in the x-y plane */
    double shear[2];        /* share of the area in y and z */
    /* of `stiffness`: */
    double EA, GA[2], GJ, EI[2]; /* [N], [N], [N m2], about y and z [N m2] */
    double fibres[2];            /* cells along y and z of a section that yields */
    double mass, inertia[3];     /* per length [kg/m], [kg m] */
} kl_beam_section;

extern const kl_resource_type kl_beam_sections;

/* What a beam of this section and material has per length. */
typedef struct kl_beam_law {
    double C[6];             /* EA, GAy, GAz, GJ, EIy, EIz */
    double mass, inertia[3]; /* [kg/m], [kg m] */
} kl_beam_law;

/* `material` may be NULL for a section given by stiffness. */
kl_beam_law kl_beam_law_of(const kl_beam_section *s, const kl_structural_material *material);

#endif
