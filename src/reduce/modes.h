/* Eigenmodes of a finite element system: lowest frequencies, with the rigid motions found and set
 * apart, and a residual for every mode. */
#ifndef KL_REDUCE_MODES_H
#define KL_REDUCE_MODES_H

#include "algebra/mumps.h"
#include "mesh/system.h"

typedef enum kl_mode_method { KL_BLOCK_LANCZOS, KL_ARPACK } kl_mode_method;

/* Told what is going on: a word for the stage and 0..1. Returns false to stop. */
typedef bool (*kl_fe_progress)(void *context, const char *stage, double done);

typedef struct kl_mode_options {
    int                  count; /* elastic modes wanted */
    kl_mode_method       method;
    double               tolerance;   /* of |OP x - theta x| / theta; 0: 1e-9 */
    const unsigned char *fixed;       /* ndof: 1 where the unknown is held; NULL: none */
    bool                 count_check; /* a second factorisation counts the modes: none is missed */
    int                  threads;     /* of the factorisation of a large matrix; 0: one */
    kl_fe_progress       progress;    /* may be NULL */
    void                *context;
} kl_mode_options;

typedef struct kl_modes {
    int             ndof, nrigid, n; /* unknowns, rigid motions left free, elastic modes */
    double         *omega2;          /* n: eigenvalues [rad2/s2] */
    double         *vector;          /* ndof x n, M-orthonormal, zero where fixed */
    double         *residual;        /* n: |K x - w2 M x| / |w2 M x| */
    double         *rigid;           /* ndof x nrigid: M-orthonormal rigid motions */
    double          sigma;           /* shift used */
    int             counted;         /* elastic modes that the count has confirmed; 0: not asked */
    int             nsolve, nblock;  /* right-hand sides, calls of the solver */
    double          seconds_factor, seconds_modes;
    kl_factor_stats factor_stats;
    /* K - sigma M of the free unknowns, kept for static modes; free_dof maps its rows */
    kl_factor *factor;
    int        nfree;
    int       *free_dof; /* nfree */
} kl_modes;

kl_status kl_modes_find(const kl_system *s, const kl_mode_options *o, kl_modes *modes,
                        kl_diag *diag);
void      kl_modes_free(kl_modes *m);

/* Ascending frequencies. */
void kl_modes_sort(kl_modes *m);
/* Refuses modes without stiffness, which only rounding has given a frequency. */
kl_status kl_modes_check(const kl_system *s, const kl_modes *m, kl_diag *diag);

/* u := K^-1 f for k columns (ndof x k) with the fixed unknowns held; when rigid motions are free
 * the loads are made self-balanced by inertia relief first, f - M R (R'M R)^-1 R'f, and u has no
 * rigid part: R'M u = 0. Works on the factor of the modes. */
kl_status kl_modes_static(const kl_system *s, const kl_modes *m, int k, double *f, kl_diag *diag);

/* The sub-matrix of the kept unknowns (keep[i] = new number or -1). */
kl_status kl_symmetric_extract(const kl_symmetric *A, const int *keep, int n, kl_symmetric *out);

#endif
