/* The lowest eigenpairs of K x = lambda M x by block Lanczos in shift-invert, with several
 * right-hand sides a solve.
 *
 *   OP = (K - sigma M)^-1 M,   OP x = theta x,   lambda = sigma + 1/theta
 *
 * M-orthonormal basis with full reorthogonalisation; the projected matrix is formed explicitly, so
 * that a thick restart (Wu and Simon 2000) is only a change of basis. M may be semidefinite. */
#ifndef KL_ALGEBRA_LANCZOS_H
#define KL_ALGEBRA_LANCZOS_H

#include <stdbool.h>

#include "algebra/mumps.h"

typedef struct kl_lanczos {
    int           nev;       /* pairs wanted */
    int           block;     /* columns a solve; 0: chosen */
    int           basis;     /* largest number of basis vectors; 0: chosen */
    double        sigma;     /* of the factor */
    double        tolerance; /* of |OP x - theta x| / theta in the M norm */
    int           ndeflate;  /* known M-orthonormal eigenvectors to stay away from */
    const double *deflate;   /* n x ndeflate */
    int           nstart;    /* good guesses, may be 0 */
    const double *start;     /* n x nstart */
    /* called after each block with the progress, 0..1; returns false to stop: KL_E_INTERRUPTED. May be NULL. */
    bool (*progress)(void *context, double done);
    void *context;
    /* results */
    int nsolve, nblock; /* right-hand sides solved, calls of the solver */
} kl_lanczos;

/* Values ascending, vectors M-orthonormal (n x nev). Finds fewer than nev only when the problem has
 * fewer (rank of M): *found. */
kl_status kl_lanczos_solve(kl_lanczos *l, const kl_symmetric *M, kl_factor *factor, double *value,
                           double *vector, int *found, kl_diag *diag);

#endif
