/* LU or LDL' of a large sparse matrix whose pattern is structurally symmetric: MUMPS behind the calls of
 * lu.h. For meshes of solids, where KLU, which works number by number, would take hours: here the fronts
 * are dense matrices. */
#ifndef KL_ALGEBRA_LU_MUMPS_H
#define KL_ALGEBRA_LU_MUMPS_H

#include "algebra/pattern.h"
#include "klingel/status.h"

typedef struct kl_fronts kl_fronts;

kl_fronts *kl_fronts_create(const kl_pattern *p); /* NULL when out of memory; borrows the pattern */
void       kl_fronts_destroy(kl_fronts *f);
/* Symmetric values are factored as L D L', with half the work. KL_E_SINGULAR, KL_E_MEMORY. */
kl_status kl_fronts_factor(kl_fronts *f, const double *values);
kl_status kl_fronts_solve(kl_fronts *f, double *x);

#endif
