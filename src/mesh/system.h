/* The finite element system K u = f, M u'': matrices and what each unknown means.
 *
 * Assembly makes it from a mesh (assemble.h); the readers of ready matrices fill it from the files
 * of another program. Later stages do not depend on its origin. */
#ifndef KL_MESH_SYSTEM_H
#define KL_MESH_SYSTEM_H

#include "algebra/symmetric.h"
#include "mesh/mesh.h"

typedef struct kl_system {
    int            nnode;
    int           *node_id; /* nnode */
    kl_vec3       *x;       /* nnode: positions [m] */
    int           *dof;     /* 6 nnode: unknown of node and component (0..2 translation, 3..5
                         rotation about global axes), or -1 where there is none */
    int            ndof;
    int           *dof_node;      /* ndof */
    unsigned char *dof_component; /* ndof */
    kl_symmetric   K, M;          /* ndof x ndof */

    /* motion of node and component q = 6 node + component as a sum over unknowns: itself, nothing,
     * or for tied nodes the terms term_start[q] .. term_start[q+1]-1 */
    int    *term_start; /* 6 nnode + 1 */
    int    *term_dof;
    double *term_factor;

    /* the mass of all nodes before ties took unknowns away: what inertia is summed over. Without
     * ties it is M itself; ask kl_system_mass */
    kl_symmetric   node_mass;
    int            node_mass_ndof;
    int           *node_mass_node;
    unsigned char *node_mass_component;
} kl_system;

/* The mass matrix of the nodes' own motion, and the node and component of each row; borrowed. */
typedef struct kl_mass_view {
    const kl_symmetric  *M;
    int                  n;
    const int           *node;
    const unsigned char *component;
} kl_mass_view;
kl_mass_view kl_system_mass(const kl_system *s);

/* Takes memory for nnode nodes; dof is set to -1. The readers set node_id, x, dof and call
 * kl_system_number, or number by hand. All arrays come from malloc and belong to the system. */
kl_status kl_system_init(kl_system *s, int nnode);
/* Fills ndof, dof_node, dof_component and the terms from dof; the numbers in dof must be 0..ndof-1,
 * each once. */
kl_status kl_system_number(kl_system *s);
void      kl_system_free(kl_system *s);

/* Adds a node with six unknowns that nothing holds or weighs yet, to be tied. Returns its index, or
 * -1. */
int kl_system_add_node(kl_system *s, int id, kl_vec3 x);

/* Ties nodes by RBE2 and RBE3: dependent unknowns are eliminated, K := T'KT, M := T'MT. Node
 * numbers in the ties are indices of the system. A reference node of RBE2 must have six unknowns or
 * its followers turn with nothing; assembly sees to that. */
kl_status kl_system_tie(kl_system *s, int ntie, const kl_tie *tie, kl_diag *diag);

/* Motion of a node (3 translations, 3 rotations; zero where there is none) for the unknowns u. */
void kl_system_motion(const kl_system *s, int node, const double *u, double motion[6]);
/* Is the component there, as unknown or tied? */
bool kl_system_has(const kl_system *s, int node, int component);
/* f += the load `size` on a node's component, distributed through ties. */
void kl_system_load(const kl_system *s, int node, int component, double size, double *f);
/* The six rigid motions about `origin` as columns (ndof x 6): translations, then rotations. */
void kl_system_rigid(const kl_system *s, kl_vec3 origin, double *R);

#endif
