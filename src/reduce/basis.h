/* The mode basis of a reduced body: eigenmodes, static modes, user vectors; rigid motion removed by
 * the reference conditions, orthonormalised, rank revealed, ordered by frequency.
 *
 *   u = X w,   Mff = X'M X,   Kff = X'K X
 */
#ifndef KL_REDUCE_BASIS_H
#define KL_REDUCE_BASIS_H

#include "reduce/free_motion.h"
#include "reduce/modes.h"

typedef enum kl_reference {
    KL_MEAN_AXIS,      /* X'M R = 0: deformation carries no momentum (paper eq. 36) */
    KL_PRINCIPAL_AXIS, /* centre of mass and products of inertia stay (paper eq. 31, linear in w) */
    KL_NODAL /* chosen unknowns of chosen nodes are held: clamped, pinned, simply supported */
} kl_reference;

typedef enum kl_statics {
    KL_NO_STATICS,
    KL_ATTACHMENT,   /* response to unit loads at the interfaces, with inertia relief when free */
    KL_CRAIG_BAMPTON /* eigenmodes with interfaces held, and unit motions of the interfaces */
} kl_statics;

/* Components of a node: bit c for 0..5. */
typedef struct kl_node_mask {
    int      node; /* index in the system */
    unsigned components;
} kl_node_mask;

typedef struct kl_basis_options {
    int                 count; /* eigenmodes */
    kl_mode_method      method;
    kl_reference        reference;
    int                 ncondition; /* of a nodal reference */
    const kl_node_mask *condition;
    kl_statics          statics;
    int                 ninterface;
    const kl_node_mask *interface_at;
    const char *const  *interface_name; /* ninterface, for messages; or NULL */
    kl_node_names       names;          /* of nodes, for messages */
    bool          plain; /* Craig-Bampton as it is: no orthogonalisation, rigid motion inside */
    int           nuser;
    const double *user; /* ndof x nuser */
    const double
          *user_frequency; /* nuser [Hz]: `user` are the eigenmodes, K is not known; or NULL */
    double rank_tolerance; /* smallest share of a vector that counts as new; 0: 1e-6 */
    kl_fe_progress progress;
    void          *context;
    bool           count_check; /* count the eigenmodes by a second factorisation */
    int            threads;     /* of the factorisation; 0: one */
} kl_basis_options;

typedef struct kl_basis {
    int      ndof, n;
    double  *X;         /* ndof x n */
    double  *Mff, *Kff; /* n x n */
    double  *frequency; /* n [Hz]; of the free body in principal axes; of each vector when plain */
    double  *residual;  /* n: |K x - w2 M x| / |w2 M x| */
    int      neigen, nstatic, nuser, ndropped; /* what went in, what was linearly dependent */
    int      nrigid;                           /* rigid motions that the eigenproblem left free */
    double   condition; /* of the Gram matrix of normalised vectors, before dropping */
    bool     free;      /* no reference holds the body */
    bool     bordered;  /* interfaces were held for the eigenmodes, and in their factor */
    kl_modes modes;     /* the eigenmodes that went in, with the factor's statistics */
} kl_basis;

kl_status kl_basis_make(const kl_system *s, const kl_basis_options *o, kl_basis *b, kl_diag *diag);
void      kl_basis_free(kl_basis *b);

/* u := K^-1 f for k columns (ndof x k) with what the reference holds held and interfaces free,
 * whatever static modes there are; loads of a free body are balanced by its inertia, and then only
 * the deformation of u counts. The basis still has its factor. */
kl_status kl_basis_static(const kl_system *s, const kl_basis *b, int k, double *f, kl_diag *diag);

#endif
