/* What the doors to ARKODE, CVODE and IDA share: a silent context and plain vectors. */
#ifndef KL_SOLVE_SUNDIALS_H
#define KL_SOLVE_SUNDIALS_H

#include <nvector/nvector_serial.h>

/* Error norms are the largest weighted component, not the root mean square of SUNDIALS: one body
 * that moves among many at rest must not be averaged away. */
N_Vector kl_sundials_vector(int n, SUNContext context); /* NULL when out of memory */

/* Takes the messages of a solver and drops them: failures come back as codes. */
void kl_sundials_silence(int code, const char *module, const char *function, char *message,
                         void *unused);

#endif
