/* Stress over strain of one fibre of a material that yields: elastic, then along its yield curve, with
 * unloading parallel to the elastic line.
 *
 *   stress = E (e - ep),   |stress - back(ep)| <= Y(p),   p' = |ep'|
 *
 * Isotropic hardening: Y rises with p, back = 0; kinematic: back(ep) rises, Y stays. Implicit in the
 * step (return mapping), so that the result depends on the strain at its end alone. */
#ifndef KL_MATERIALS_UNIAXIAL_H
#define KL_MATERIALS_UNIAXIAL_H

#include "materials/structural_material.h"

/* What a fibre remembers, as committed with the last accepted step. */
typedef struct kl_fibre_memory {
    double plastic;     /* ep */
    double accumulated; /* p */
    double stress;      /* [Pa] */
} kl_fibre_memory;

enum { KL_FIBRE_NUMBERS = 3 }; /* doubles of it */

typedef struct kl_fibre_state {
    kl_fibre_memory now;
    double          slope;  /* d stress/d strain, consistent with the return mapping [Pa] */
    double          stored; /* elastic energy and that of moved elastic ranges [J/m3] */
    double          spent;  /* dissipated since the last accepted step [J/m3] */
} kl_fibre_state;

kl_fibre_state kl_fibre_stress(const kl_structural_material *m, double strain,
                               const kl_fibre_memory *before);

#endif
