/* Mass that elements have beside that of bodies (kl_element_type.mass): consistent mass of finite elements
 * and beams. m_ij between markers i and j adds m_ij B_i' B_j (translations alone) to the mass matrix. */
#ifndef KL_DYNAMICS_ELEMENT_MASS_H
#define KL_DYNAMICS_ELEMENT_MASS_H

#include "dynamics/work.h"

/* Its matrix, nmarker x nmarker [kg]; NULL: it has none. */
static inline const double *kl_element_mass(const kl_element *e)
{
    return e->type->mass ? e->type->mass(e->data) : NULL;
}

/* total (6 a marker) -= m_ij (acceleration of marker j - gravity) for accelerations a (nv, may be NULL). */
void kl_element_mass_pull(const kl_model *m, kl_work *w, const kl_element *e, const double *a,
                          double *total);
/* out += factor M v, nv, with M of all bodies and elements at the position last evaluated. */
void kl_mass_times(const kl_model *m, kl_work *w, double factor, const double *v, double *out);
/* Kinetic energy of the elements [J]. */
double kl_element_mass_energy(const kl_model *m, const kl_work *w);

#endif
