/* Reading meshes and matrices that other programs wrote.
 *
 *   Gmsh       .msh 2.2 and 4.1, text and binary          read_gmsh.c
 *   Abaqus     .inp, of CalculiX too                       read_abaqus*.c
 *   Nastran    bulk data .bdf .nas .dat                    read_nastran*.c
 *   matrices   Matrix Market, CalculiX matrix storage      read_matrix*.c
 *
 * Everything is read in the file's units; kl_mesh_to_si turns them. Node orders become canonical
 * (mesh.h), named sets are kept. What a file holds beyond a mesh is listed in kl_mesh.leftover;
 * what would carry stiffness, mass or a constraint and cannot be used is an error, because a body
 * without it would be a wrong body without a word. Errors come as file:line:column, the first few
 * of each kind, with the count of the rest.
 */
#ifndef KL_MESH_READ_H
#define KL_MESH_READ_H

#include <stdbool.h>
#include <stddef.h>

#include "base/diag.h"
#include "mesh/mesh.h"
#include "mesh/system.h"

typedef enum kl_mesh_format {
    KL_FORMAT_AUTO, /* recognised by the first lines of the file and its name */
    KL_FORMAT_GMSH,
    KL_FORMAT_ABAQUS,
    KL_FORMAT_NASTRAN
} kl_mesh_format;

/* All zero is a good choice; NULL means that. */
typedef struct kl_read_options {
    kl_mesh_format format;
    /* Gmsh: surfaces in a mesh of volumes, and lines in a mesh of surfaces, only mark places: they
     * become sets of nodes and faces. The physical groups named here (list ends with NULL) are
     * shells and beams nevertheless. */
    const char *const *structural;
    bool               lenient; /* structural parts not understood: warn and go on without them */
    bool               no_includes; /* refuse to open further files */
} kl_read_options;

/* Reads the mesh in the file `path`. On failure *mesh is NULL and `diag` says why; on success the
 * caller owns *mesh. Notes, and warnings of what was left out, go to `diag` too. */
kl_status kl_mesh_read(const char *path, const kl_read_options *options, kl_mesh **mesh,
                       kl_diag *diag);
/* The same from text in memory; `name` stands in messages, and further files are looked for beside
 * it. */
kl_status kl_mesh_read_memory(const char *name, const char *data, size_t size,
                              const kl_read_options *options, kl_mesh **mesh, kl_diag *diag);

/* Ready matrices: which files hold what. */
typedef struct kl_matrix_files {
    const char *stiffness; /* Matrix Market (.mtx), or CalculiX (.sti) */
    const char *mass;      /* the same (.mas); a Matrix Market column of n numbers is lumped mass.
                              NULL beside a .sti: the .mas of the same name */
    const char *dof;       /* CalculiX .dof: node.direction a row. NULL beside a .sti: the .dof of
                              the same name. NULL for Matrix Market: see dofs_per_node */
    const char *nodes;     /* positions: CSV (id, x, y, z a line) or a mesh of any kind above */
    /* 3 or 6: unknowns go node by node in the order of `nodes`. 0: from the size of the matrix. Not used
     * with a .dof file */
    int  dofs_per_node;
    bool modal; /* `stiffness` may be NULL: frequencies and mode shapes come apart */
} kl_matrix_files;

/* Reads K, M and the node positions into `system` (which kl_system_free releases). Directions
 * without an unknown (fixed or eliminated by the other program) stay -1 in system->dof. `sets`,
 * unless NULL, gets the mesh that had the nodes, for its sets, or NULL: the caller's to destroy. */
kl_status kl_system_read(kl_system *system, const kl_matrix_files *files,
                         const kl_read_options *options, kl_mesh **sets, kl_diag *diag);

/* Turns a system in other units into SI, as kl_mesh_to_si does a mesh. */
void kl_system_to_si(kl_system *system, double length, double mass, double time);

#endif
