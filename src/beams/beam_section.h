/* Cross sections of beams: section `sections:`. Axes of a section: x along the beam, y and z in its
 * plane, through the centroid. */
#ifndef KL_BEAMS_BEAM_SECTION_H
#define KL_BEAMS_BEAM_SECTION_H

#include "beams/section_constants.h"
#include "materials/structural_material.h"
#include "model/resource.h"

typedef enum kl_section_shape {
    KL_SECTION_RECTANGLE,
    KL_SECTION_CIRCLE,
    KL_SECTION_TUBE,
    KL_SECTION_I,
    KL_SECTION_CHANNEL,
    KL_SECTION_POLYGON,
    KL_SECTION_NUMBERS,
    KL_SECTION_STIFFNESS,
} kl_section_shape;

typedef struct kl_beam_section {
    int     shape;                                         /* kl_section_shape */
    double  width, height, radius, thickness, flange, web; /* [m] */
    kl_list points, hole;    /* of a polygon: y, z of each point [m] */
    double  area, Iy, Iz, J; /* [m2], [m4]: Iz bends in the x-y plane */
    double  Iyz;             /* integral of y z [m4] */
    double  shear_yz;        /* of the shear stiffness, over G A */
    double  shear_center[2]; /* from the centroid [m] */
    /* of an I, channel or polygon: outline and hole about the centroid; NULL: none */
    kl_outline *outline, *opening;
    double      shear[2]; /* share of the area in y and z */
    /* of `stiffness`: */
    double EA, GA[2], GJ, EI[2]; /* [N], [N], [N m2], about y and z [N m2] */
    double fibres[2];            /* cells along y and z of a section that yields; below 1: chosen */
    double mass, inertia[3];     /* per length [kg/m], [kg m] */
} kl_beam_section;

extern const kl_resource_type kl_beam_sections;

/* What a beam of this section and material has per length. */
typedef struct kl_beam_law {
    double C[6];             /* EA, GAy, GAz, GJ, EIy, EIz: the diagonal of `full` */
    double full[36];         /* stress resultants for strains, by rows; symmetric */
    bool   coupled;          /* `full` has more than its diagonal */
    double mass, inertia[3]; /* [kg/m], [kg m] */
    double inertia_yz;       /* integral of rho y z [kg m] */
} kl_beam_law;

/* `material` may be NULL for a section given by stiffness. */
kl_beam_law kl_beam_law_of(const kl_beam_section *s, const kl_structural_material *material);

#endif
