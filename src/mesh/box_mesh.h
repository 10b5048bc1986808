/* A mesh without a mesher: a box of hexahedra or tetrahedra, solid or hollow, or a sheet of shells, straight
 * or bent to an arc. For test pieces, beams, rings, tubes and arches that a model describes in place. */
#ifndef KL_MESH_BOX_MESH_H
#define KL_MESH_BOX_MESH_H

#include "mesh/mesh.h"

enum { KL_BOX_MOST = 1000000 }; /* elements */

typedef struct kl_box {
    double size[3];  /* along x, y, z [m]; x from 0, y and z about 0 */
    int    parts[3]; /* cells along x, y, z; of shells 0 along their thickness, y or z */
    double
        wall; /* 0: solid; else a hollow section with walls so thick, one cell through them [m] */
    double radius; /* 0: straight; else its middle follows an arc about (0, 0, -radius), and a whole
                      circle is closed [m] */
    /* KL_HEX8: one a cell; KL_TET10: six; on the middle surface of a sheet KL_QUAD4: one, KL_TRI3: two */
    kl_shape shape;
} kl_box;

/* Direction along which shells are thin, 1 or 2; -1: solids. */
int kl_box_thin(const kl_box *box);

/* Node sets x0, x1, y0, y1, z0, z1: the faces before bending, `middle`: half way along x (an even number of
 * parts, or tetrahedra); element set `box`. On success *out is the
 * caller's: kl_mesh_destroy. */
kl_status kl_mesh_box(const kl_box *box, kl_mesh **out, kl_diag *diag);

#endif
