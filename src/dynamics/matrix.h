/* The iteration matrix of all solvers, sparse and scaled, with its factors: what assembler.h
 * assembles, with -eps in the corner of the constraints.
 *
 * The small -eps (relative to the scaled matrix) lets redundant
 * constraints and singular positions pass; it is in the matrix only, never in a residual, so it
 * costs convergence speed and no accuracy. */
#ifndef KL_DYNAMICS_MATRIX_H
#define KL_DYNAMICS_MATRIX_H

#include "algebra/lu.h"
#include "dynamics/assembler.h"

typedef struct kl_matrix kl_matrix;

/* See kl_assembler_create. */
kl_matrix *kl_matrix_create(const kl_model *m, kl_coupling coupling);
void       kl_matrix_destroy(kl_matrix *x);

/* Assembles at the state last evaluated in `w` and factors. a (nv) and lambda (nlam) may be NULL:
 * zero. dx (nv): the increment of the step so far, for D; NULL: D = I. */
kl_status kl_matrix_factor(const kl_model *m, const kl_state *s, kl_work *w, kl_matrix *x,
                           kl_weights c, const double *a, const double *lambda, const double *dx);
/* The same with tangents kept from earlier calls but for elements on bodies with a flag (kl_assemble_kept). */
kl_status kl_matrix_factor_kept(const kl_model *m, const kl_state *s, kl_work *w, kl_matrix *x,
                                kl_weights c, const double *a, const double *lambda,
                                const double *dx, const unsigned char *renew);
/* The same with unit weights in place of M: least change in lengths and angles times the model's
 * length. Positions held (flags, nv, may be NULL) do not move. */
kl_status kl_matrix_factor_projection(const kl_model *m, kl_work *w, kl_matrix *x,
                                      const unsigned char *held);

/* The same with the inertia of the bodies in place of M, evaluated in `w`: the least change dx' M dx,
 * for positions and velocities alike. A body's moment of inertia counts as no less than its mass
 * times (`gyration` lengths of the model)^2; massless coordinates count almost nothing; modal
 * coordinates keep the weight that their body gives them. */
kl_status kl_matrix_factor_inertia(const kl_model *m, kl_work *w, kl_matrix *x, double gyration,
                                   const unsigned char *held);

/* y <- matrix^-1 y, with y = (nv, nz, nlam). */
kl_status kl_matrix_solve(const kl_matrix *x, double *y);
/* The same for two right-hand sides, one behind the other, at the cost of little more than one. */
kl_status kl_matrix_solve_two(const kl_matrix *x, double *y);
/* The same with eps taken back out by iteration: constraints hold exactly, and of all multipliers
 * that do it the smallest (in scaled units) are found. y: right-hand side in, solution out;
 * KL_E_SINGULAR when they grow without end. */
kl_status kl_matrix_solve_exact(kl_matrix *x, double *y);
/* The same with a given number of passes: directions whose square is well above eps are exact,
 * those below stay as soft as eps leaves them. */
kl_status kl_matrix_solve_passes(kl_matrix *x, double *y, int passes);

/* By how much the last pass of the last of these two still changed increments, relative to the
 * largest: eps over the square of the weakest direction that the right-hand side touches. Large
 * near singular positions; constraints that only repeat others do not count. */
double kl_matrix_weakness(const kl_matrix *x);

int          kl_matrix_size(const kl_matrix *x);
int          kl_matrix_nonzeros(const kl_matrix *x);
const kl_lu *kl_matrix_lu(const kl_matrix *x);
/* out = Phi_q u, nlam, with the rows now in the work area and the maps of the last factorisation.
 */
void kl_matrix_rows_times(const kl_model *m, const kl_work *w, const kl_matrix *x, const double *u,
                          double *out);
/* eps of row k, unscaled: what is in the corner of constraint k. */
double kl_matrix_eps(const kl_matrix *x, int k);
/* eps of the next factorisation, as a multiple of the usual one. A larger one dampens what rounding
 * errors do near a singular position: a residual r moves an increment by r / (2 sqrt(eps)) at most.
 */
void          kl_matrix_soften(kl_matrix *x, double factor);
void          kl_matrix_invalidate(kl_matrix *x);
const double *kl_matrix_scale(const kl_matrix *x); /* of unknowns and equations, in place */

#endif
