/* Sections that yield: a section as many fibres, each with its own stress. Shear and torsion stay
 * elastic.
 *
 *   e = gamma_x + z kappa_y - y kappa_z,   N = sum a s,   My = sum a z s,   Mz = -sum a y s */
#ifndef KL_BEAMS_FIBRES_H
#define KL_BEAMS_FIBRES_H

#include "beams/beam_section.h"
#include "materials/uniaxial.h"

typedef struct kl_fibres {
    int                           n;
    double                       *y, *z, *area; /* [m], [m2] */
    const kl_structural_material *material;
    double                        C[36]; /* elastic: of shear and torsion, rows 1 to 3 */
} kl_fibres;

/* NULL: out of memory, or the shape is given by numbers alone. */
kl_fibres *kl_fibres_create(const kl_beam_section *s, const kl_structural_material *m,
                            const kl_beam_law *law, kl_arena *arena);

typedef struct kl_fibres_answer {
    double stress[6], C[36];
    double stored, spent; /* per length [J/m]; spent since the last accepted step */
    double most_plastic;  /* largest accumulated plastic strain */
} kl_fibres_answer;

/* `memory`: n of them as committed; `now` (may be NULL): receives the new ones. */
void kl_fibres_stress(const kl_fibres *f, const double strain[6], const kl_fibre_memory *memory,
                      kl_fibre_memory *now, kl_fibres_answer *out);

#endif
