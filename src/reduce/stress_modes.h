/* Stress and strain modes at chosen points. */
#ifndef KL_REDUCE_STRESS_MODES_H
#define KL_REDUCE_STRESS_MODES_H

#include "mesh/mesh.h"
#include "mesh/system.h"
#include "reduce/kbody.h"

/* Where: centres of the listed elements, then the listed nodes (mean over the elements around each,
 * evaluated at the node). Solids have one point there. Shells have one at `side` (-1 bottom, 0
 * middle, +1 top), or with `all_faces` one on each face, of a laminate on both faces of each ply.
 * Beams have their four stress points (one, on the axis, where the section does not tell them). At
 * a node only like is averaged: shells within 45 degrees, with faces turned to one side; beams of
 * one section and direction. */
typedef struct kl_stress_points {
    int                   nelement, nnode;
    const kl_element_ref *element;
    const int            *node; /* indices in the mesh */
    double                side;
    bool                  all_faces;
} kl_stress_points;

kl_status kl_stress_modes(const kl_mesh *m, const kl_system *s, const kl_stress_points *where,
                          int n, const double *X, kl_arena *arena, kl_kbody_stress *out,
                          kl_diag *diag);

#endif
