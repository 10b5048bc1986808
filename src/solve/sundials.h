/* What the doors to ARKODE, CVODE and IDA share: a silent context and plain vectors. */
#ifndef KL_SOLVE_SUNDIALS_H
#define KL_SOLVE_SUNDIALS_H

#include <nvector/nvector_serial.h>
#include <sundials/sundials_linearsolver.h>

/* Error norms are the largest weighted component, not the root mean square of SUNDIALS: one body
 * that moves among many at rest must not be averaged away. */
N_Vector kl_sundials_vector(int n, SUNContext context); /* NULL when out of memory */

/* A linear solver that is all ours: SUNDIALS keeps its rules when to make the matrix anew, the
 * matrix and its factors live in `self` of the integrator. x and b are plain arrays. */
typedef int (*kl_sundials_solve)(void *self, double *x, const double *b);
typedef struct kl_sundials_linear {
    SUNMatrix         matrix; /* an empty shell */
    SUNLinearSolver   solver;
    kl_sundials_solve solve;
    void             *self;
} kl_sundials_linear;
int  kl_sundials_linear_create(kl_sundials_linear *l, kl_sundials_solve solve, void *self,
                               SUNContext context);
void kl_sundials_linear_destroy(kl_sundials_linear *l);

/* Takes the messages of a solver and drops them: failures come back as codes. */
void kl_sundials_silence(int code, const char *module, const char *function, char *message,
                         void *unused);

#endif
