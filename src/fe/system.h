/* The finite element system K u = f, M u'': matrices and what each unknown means.
 *
 * Assembly makes it from a mesh (assemble.h); the readers of ready matrices fill it from the files
 * of another program. From here on nobody asks where it came from. */
#ifndef KL_FE_SYSTEM_H
#define KL_FE_SYSTEM_H

#include "algebra/symmetric.h"
#include "base/vec.h"

typedef struct kl_system {
    int      nnode;
    int     *node_id; /* nnode */
    kl_vec3 *x;       /* nnode: positions [m] */
    int     *dof;     /* 6 nnode: unknown of node and component (0..2 translation, 3..5
                         rotation about global axes), or -1 where there is none */
    int            ndof;
    int           *dof_node;      /* ndof */
    unsigned char *dof_component; /* ndof */
    kl_symmetric   K, M;          /* ndof x ndof */
} kl_system;

/* Takes memory for nnode nodes; dof is set to -1. The readers set node_id, x, dof and call
 * kl_system_number, or number by hand. All arrays come from malloc and belong to the system. */
kl_status kl_system_init(kl_system *s, int nnode);
/* Fills dof_node, dof_component and ndof from dof; the numbers in dof must be 0..ndof-1, each once.
 */
kl_status kl_system_number(kl_system *s);
void      kl_system_free(kl_system *s);

#endif
