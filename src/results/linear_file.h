/* A linear model with its eigenvalues and shapes as a file: HDF5, or MAT by the ending `.mat`.
 *
 * Contents: E, A, B, C, D; names and units of states, inputs and outputs; eigenvalues (real,
 * imaginary, frequency [Hz], damping ratio); shapes (modes x 2 nv: real parts, then imaginary) of
 * non-spinning perturbations, and what each entry is called. Layout: docs/analyses.md. */
#ifndef KL_RESULTS_LINEAR_FILE_H
#define KL_RESULTS_LINEAR_FILE_H

#include "solve/eigenvalues.h"

/* `s` may be NULL: no eigenvalues. */
kl_status kl_linear_write(const char *path, const kl_model *m, const kl_linear *l,
                          const kl_spectrum *s, kl_diag *diag);

#endif
