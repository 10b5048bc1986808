/* Jumps of a characteristic: where a force as a function of a speed or a displacement takes two
 * values, such as 5 N*sign(x), no step size suits an integrator. Within a small distance w of the
 * jump x_j the function is replaced by the cubic with the values and slopes at x_j - w and x_j + w. */
#ifndef KL_SCRIPT_JUMPS_H
#define KL_SCRIPT_JUMPS_H

#include "script/function.h"

enum { KL_MOST_JUMPS = 16 };

typedef struct kl_jumps {
    int    n;
    double at[KL_MOST_JUMPS];    /* ascending */
    double below[KL_MOST_JUMPS]; /* value just below, and just above */
    double above[KL_MOST_JUMPS];
} kl_jumps;

/* Jumps of f with the inputs u: at its corners, and at branches of expressions between -1e4 and 1e4. */
void kl_function_find_jumps(const kl_function *f, const double *u, kl_jumps *out);

/* f without these jumps: each becomes a slope of the half width w, or less where jumps are closer. */
kl_function *kl_function_without_jumps(kl_arena *a, const kl_function *f, const kl_jumps *jumps,
                                       double w);

#endif
