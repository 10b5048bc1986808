/* Inside of the shell elements, shared by their files: section, geometry, operators at a point.
 *
 * Local axes: x along side 0-1, y, and the normal z. Local unknowns go node by node, u v w and three
 * rotations; beta_x = theta_y and beta_y = -theta_x move a fibre, u(z) = u + z beta. */
#ifndef KL_FE_SHELL_H
#define KL_FE_SHELL_H

#include "fe/element.h"

enum { KL_SHELL_UNKNOWNS = 28 }; /* 4 nodes x 6 and 4 incompatible */

typedef struct kl_shell_section {
    /* integrals of the plies' stiffness times 1, z, z^2, z^3, and the shear's: membrane, coupling,
     * bending, what bending does on second moments of stress, shear */
    double A[3][3], B[3][3], D[3][3], E[3][3], H[2][2];
    double mass, first, second; /* integrals of rho, rho z, rho z^2 */
    double middle;              /* height of the middle of the stack */
} kl_shell_section;

typedef struct kl_shell {
    int              n;    /* nodes */
    kl_mat3          axes; /* rows: local x, y, normal */
    double           x[4], y[4], z[4];
    double           area;
    kl_shell_section s;
} kl_shell;

/* operators at a point: columns are local unknowns u v w thx thy thz a node, then modes */
typedef struct kl_shell_operators {
    double membrane[3][KL_SHELL_UNKNOWNS], bending[3][KL_SHELL_UNKNOWNS];
    double shear[2][KL_SHELL_UNKNOWNS], drilling[KL_SHELL_UNKNOWNS];
    double plane[2][2][KL_SHELL_UNKNOWNS]; /* du_a/dx_b in the plane */
    double slope[2][2][KL_SHELL_UNKNOWNS]; /* dbeta_a/dx_b */
    double beta[2][KL_SHELL_UNKNOWNS];
} kl_shell_operators;

/* ---- shell_section.c ---- */
/* plane stress stiffness Q (xx yy xy) and shear G (xz yz) of a ply turned by `angle` */
void   kl_ply_stiffness(const kl_material *p, double angle, double Q[3][3], double G[2][2]);
double kl_shell_thickness(const kl_property *p);
double kl_shell_bottom(const kl_property *p);
/* the ply at height z, with its angle */
const kl_material *kl_shell_ply_at(const kl_fe_element *e, double z, double *angle);
void               kl_shell_section_init(const kl_fe_element *e, kl_shell_section *s);

/* ---- shell.c ---- */
kl_status kl_shell_init(const kl_fe_element *e, kl_shell *q);
/* Natural places and weights of the 3 or 4 points; returns how many. */
int kl_shell_points(int n, double (*r)[2], double *weight);
/* Shape functions N of the nodes at r; returns det J. */
double kl_shell_shapes_at(const kl_shell *q, const double r[2], double *N);
/* At r; triangles take their membrane at the middle of side `mid`. Returns det J. */
double kl_shell_operators_at(const kl_shell *q, const double r[2], int mid, kl_shell_operators *o);
/* Stiffness in local unknowns with incompatible modes behind, and of quadrilaterals X (4 x 24 by
 * columns), by which the modes follow the nodes: modes = -X u. */
kl_status kl_shell_local_stiffness(const kl_shell *q, double *K);
kl_status kl_shell_condense(const double *K, double *X);
/* Local unknowns from global ones, R (6 n x 6 n by rows): turned axes and, on warped quadrilaterals,
 * rigid arms u_plane = u + theta x (-z n). */
void kl_shell_to_local(const kl_shell *q, double *R);

#endif
