/* Shells with large rotations and small strains: the flat elements of shell.c in axes that follow the
 * element (Rankin and Brogan 1986; Felippa and Haugen 2005).
 *
 * The axes R follow the nodes' positions x by least squares, sum |x_a - c - R X_a|^2, so that the order
 * of the nodes has no say. Seen in these axes the nodes have small displacements and rotations,
 *
 *   d_a = R'(x_a - c) - X_a,   theta_a = log(R'A_a),   energy U = d'K d/2
 *
 * with the constant K of the flat element. Forces and tangent are the exact derivatives of U; the
 * dependence of R on x enters through the condition sum X_a x R'x_a = 0 and its multiplier. */
#ifndef KL_FE_LARGE_SHELL_H
#define KL_FE_LARGE_SHELL_H

#include "fe/element.h"

enum { KL_LARGE_SHELL_NODES = 4, KL_LARGE_SHELL_DOF = 24 };

typedef struct kl_large_shell {
    int     n;                                          /* nodes */
    kl_vec3 X[KL_LARGE_SHELL_NODES];                    /* from their mean [m] */
    kl_mat3 axes;                                       /* columns: two sides and the normal */
    double  K[KL_LARGE_SHELL_DOF * KL_LARGE_SHELL_DOF]; /* 6 n x 6 n by rows, reference axes */
} kl_large_shell;

/* KL_E_MODEL: the element has no area, or a corner turned inwards. */
kl_status kl_large_shell_init(const kl_fe_element *e, kl_large_shell *s);

typedef struct kl_large_shell_answer {
    double  f[KL_LARGE_SHELL_DOF]; /* internal force and moment of each node, global axes */
    double  d[KL_LARGE_SHELL_DOF]; /* displacement and rotation of each node in the axes R */
    kl_mat3 R;
    double  stored; /* [J] */
    double  loss;   /* [W] */
} kl_large_shell_answer;

/* x, A: positions of the nodes and their rotations since the element was free of stress. With V (velocity
 * and angular velocity of each node) and `damping` [s] the stress is that of strain + damping strain
 * rate. K, C: derivatives of f by motion and by V, (6 n)^2 by rows, or NULL; what damping adds to K is
 * left out. KL_RETRY: a node is turned by more than a right angle against the element. */
kl_status kl_large_shell_eval(const kl_large_shell *s, const kl_vec3 *x, const kl_mat3 *A,
                              const double *V, double damping, kl_large_shell_answer *out,
                              double *K, double *C);

/* Mass of each node [kg] and its moment of inertia, the same about all axes [kg m2]. */
kl_status kl_large_shell_lump(const kl_fe_element *e, double *mass, double *inertia);

#endif
