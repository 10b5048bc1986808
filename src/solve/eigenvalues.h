/* Eigenvalues and modes of the linear model: frequency, damping, shape, and which bodies move, in
 * words. */
#ifndef KL_SOLVE_EIGENVALUES_H
#define KL_SOLVE_EIGENVALUES_H

#include "solve/linearize.h"

typedef struct kl_eigenmode {
    double      re, im;    /* eigenvalue [1/s] */
    double      frequency; /* |eigenvalue| / 2 pi [Hz] */
    double      damping;   /* -re / |eigenvalue|: 1 for a decaying real one, negative: grows */
    bool        neutral;   /* rigid body motion: the eigenvalue is zero within rounding and set to 0 */
    const char *text;      /* "car moves along y with bogie following"; NULL without shapes */
    double     *shape[2];  /* nv each: real and imaginary part of y, the largest entry (lengths over
                            * the model's length) real and 1; NULL without shapes */
} kl_eigenmode;

typedef struct kl_spectrum {
    kl_arena     *arena;
    kl_eigenmode *mode; /* by frequency; of a conjugate pair the one with im > 0 first */
    int           n;
    int           unstable; /* eigenvalues to the right of the axis, neutral ones left out */
} kl_spectrum;

/* `shapes`: with text and shapes (the work area of `x` must hold the state that was linearised). */
kl_status kl_spectrum_find(const kl_solver *x, const kl_linear *l, bool shapes, kl_diag *diag,
                           kl_spectrum **out);
void      kl_spectrum_destroy(kl_spectrum *s);

#endif
