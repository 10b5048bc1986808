/* The matrix of the linearised equations of motion, assembled from bodies and elements into a sparse
 * pattern that is fixed when the model is frozen. Solvers scale and factor it (matrix.h),
 * linearisation reads its parts (tangents.h).
 *
 *   [ mass M D + stiffness K + damping C D ,  dr/dz        , Phi_q' ]   by increments dx (nv),
 *   [ -(stiffness f_x + damping f_v D)     ,  state I - f_z,   0    ]      states dz (nz),
 *   [             Phi_q                    ,  0            ,   0    ]      multipliers (nlam)
 *
 * r = M a - s - g + Phi_q' lambda and z' = f; K, C are the derivatives of r by increments and
 * velocities at fixed a and lambda. D is `carry` of the bodies. */
#ifndef KL_DYNAMICS_ASSEMBLER_H
#define KL_DYNAMICS_ASSEMBLER_H

#include "algebra/pattern.h"
#include "dynamics/work.h"

/* Which blocks between two bodies the pattern has, each with those before it. */
typedef enum kl_coupling {
    KL_COUPLED_BY_MASS,   /* of elements that have mass: accelerations and projections */
    KL_COUPLED_BY_FORCES, /* K and C of forces: steps in time */
    KL_COUPLED_BY_CONSTRAINTS /* K and C of pure constraints (kl_element_type.only_constrains) too. Steps do
                                 without: these parts are h^2 times smaller than the mass. */
} kl_coupling;

/* Coefficients of the parts. stiffness and damping 0: tangents are not asked for at all. */
typedef struct kl_weights {
    double mass, stiffness, damping;
    double state; /* of z': state I - f_z */
} kl_weights;

/* Where an element writes: first value of each column of each block, -1 where there is none. */
typedef struct kl_element_slots {
    int *body;   /* [i][j][c]: block (body of marker i, body of marker j) */
    int *row;    /* [j][c]: block (constraints, body of marker j) */
    int *column; /* [i][k]: block (body of marker i, constraint k) */
    int *wz;     /* [i][k]: block (body of marker i, state k) */
    int *zk;     /* [j][c]: block (states, body of marker j) */
    int *zz;     /* [k] */
    int  most;   /* velocities of its largest body: how far [j] and [i][j] are apart */
} kl_element_slots;

typedef struct kl_assembler {
    kl_arena  *arena;
    kl_pattern p;
    double    *values;   /* nnz, written by kl_assemble and kl_assemble_rows */
    int       *diagonal; /* nv + nz + nlam: where the diagonal stands */
    double    *B;   /* maps of all element markers, 6 x nv of the body each, of the last call */
    int       *map; /* nmarker: where each is in B */
    int        nv, nz, nlam;

    /* scratch and slots */
    kl_coupling       coupling;
    int               most_nv;
    double           *Q;         /* as B: stiffness d(Bv)/dx + damping B D */
    double           *slopes;    /* K, C, wz, zk, zc, zz of one element */
    void             *room;      /* for differences */
    bool             *plain;     /* nmarker: its map is that of a point, [I; 0] */
    unsigned char    *wanted;    /* columns that the bodies of one element can move */
    double           *dense;     /* three blocks of a body */
    double           *vector;    /* two vectors of a body */
    double           *none;      /* multipliers that are all zero */
    int             **body_slot; /* of each body's own block */
    kl_element_slots *slots;

    struct kl_kept_tangents *kept; /* NULL: none are kept */

    /* pairs of bodies that links (kl_element_type.link) couple in this pattern */
    int (*linked)[2];
    int  nlinked;
    int *link_slot; /* most_nv */
} kl_assembler;

/* KL_COUPLED_BY_MASS: only for weights without stiffness and damping, with few numbers in its factors.
 * NULL when out of memory. */
kl_assembler *kl_assembler_create(const kl_model *m, kl_coupling coupling);
void          kl_assembler_destroy(kl_assembler *x);

/* Are all links at the state last evaluated in `w` in the pattern? */
bool kl_assembler_covers(const kl_model *m, const kl_state *s, const kl_work *w,
                         const kl_assembler *x);
/* A new one whose pattern has the links of now too; the old one stays. NULL when out of memory. */
kl_assembler *kl_assembler_renew(const kl_model *m, const kl_state *s, const kl_work *w,
                                 const kl_assembler *x);

/* All of it at the state last evaluated in `w` (kl_eval, then kl_eval_residual with the same a and
 * lambda). a (nv) and lambda (nlam) may be NULL: zero. dx (nv): the increment of the step so far,
 * for D; NULL: D = I. */
void kl_assemble_matrix(const kl_model *m, const kl_state *s, kl_work *w, kl_assembler *x,
                        kl_weights c, const double *a, const double *lambda, const double *dx);
/* The same with tangents of elements kept since earlier calls, but for those on bodies with a flag in `renew`
 * (nbody; NULL: all bodies). Elements with many values, links or `stiffness` are always evaluated.
 * KL_E_MEMORY. */
kl_status kl_assemble_kept(const kl_model *m, const kl_state *s, kl_work *w, kl_assembler *x,
                           kl_weights c, const double *a, const double *lambda, const double *dx,
                           const unsigned char *renew);
/* Phi_q and its transpose alone. */
void kl_assemble_rows(const kl_model *m, const kl_work *w, kl_assembler *x);

#endif
