/* Stress and strain modes at chosen points. */
#ifndef KL_FE_STRESS_H
#define KL_FE_STRESS_H

#include "fe/kbody.h"
#include "fe/mesh.h"
#include "fe/system.h"

/* Where: centres of the listed elements, then the listed nodes (mean over the elements around each,
 * evaluated at the node). Shells: `side` -1 bottom, 0 middle, +1 top; beams: the first stress
 * point. */
typedef struct kl_stress_points {
    int                   nelement, nnode;
    const kl_element_ref *element;
    const int            *node; /* indices in the mesh */
    double                side;
} kl_stress_points;

kl_status kl_stress_modes(const kl_mesh *m, const kl_system *s, const kl_stress_points *where,
                          int n, const double *X, kl_arena *arena, kl_kbody_stress *out,
                          kl_diag *diag);

#endif
