/* Materials of beams and of finite elements with large deformations: section `materials:`. */
#ifndef KL_MATERIALS_STRUCTURAL_MATERIAL_H
#define KL_MATERIALS_STRUCTURAL_MATERIAL_H

#include "model/resource.h"

typedef enum kl_hardening {
    KL_HARDENING_PERFECT,   /* the yield stress stays */
    KL_HARDENING_ISOTROPIC, /* the elastic range grows with the plastic strain */
    KL_HARDENING_KINEMATIC, /* the elastic range keeps its size and moves */
} kl_hardening;

typedef struct kl_structural_material {
    double E, nu, G, density; /* [Pa], [-], [Pa], [kg/m3] */
    double yield;             /* [Pa]; NaN: elastic */
    double tangent_modulus;   /* of the bilinear curve beyond yield [Pa] */
    /* yield stress over accumulated plastic strain [Pa]; NULL: from yield and tangent_modulus */
    struct kl_function *curve;
    int                 hardening; /* kl_hardening */
    /* derived */
    double plastic_modulus; /* H = E Et / (E - Et) [Pa] */
    bool   yields;
} kl_structural_material;

extern const kl_resource_type kl_structural_materials;

/* Yield stress after the accumulated plastic strain p, and its slope. */
double kl_material_yield(const kl_structural_material *m, double p, double *slope);

#endif
