/* A finite element mesh as any reader delivers it: nodes, elements, materials, properties, sets.
 *
 * This is the contract between the mesh readers (read_*.c) and the finite elements. A reader calls
 * the builder functions below; it turns the node order of its format into the one canonical order
 * of each shape, and lists what it does not understand. All arrays belong to the mesh's arena. Node
 * and element numbers of the file are "ids"; everything here refers to nodes, elements, materials
 * and properties by index from 0.
 *
 * Canonical node orders (r, s, t are the natural coordinates; 0.. count nodes; ab = middle of a,
 * b):
 *
 *   tet4     0 origin, 1 on r, 2 on s, 3 on t; positive volume: (x1-x0) x (x2-x0) . (x3-x0) > 0
 *   tet10    tet4, then 4: 01, 5: 12, 6: 20, 7: 03, 8: 13, 9: 23
 *   hex8     0 (-,-,-) 1 (+,-,-) 2 (+,+,-) 3 (-,+,-), 4..7 the same at t = +1
 *   hex20    hex8, then 8: 01, 9: 12, 10: 23, 11: 30, 12: 45, 13: 56, 14: 67, 15: 74,
 *            16: 04, 17: 15, 18: 26, 19: 37
 *   wedge6   0 origin, 1 on r, 2 on s at t = -1; 3, 4, 5 the same at t = +1
 *   wedge15  wedge6, then 6: 01, 7: 12, 8: 20, 9: 34, 10: 45, 11: 53, 12: 03, 13: 14, 14: 25
 *   tri3     0, 1, 2 counter-clockwise about the normal
 *   quad4    0, 1, 2, 3 counter-clockwise about the normal
 *   beam2    0, 1; the local x axis runs from 0 to 1
 *
 * These are the orders of Abaqus and CalculiX. Nastran has the vertical edges of CHEXA and CPENTA
 * before those of the top; Gmsh orders the edges of all quadratic shapes otherwise (tet10: swap the
 * last two). Faces are numbered from 0 as in kl_shape_info(shape)->face, which follows Abaqus
 * (S1 is face 0): for shells face 0 is the side of the normal.
 */
#ifndef KL_MESH_MESH_H
#define KL_MESH_MESH_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/vec.h"

typedef enum kl_shape {
    KL_TET4,
    KL_TET10,
    KL_HEX8,
    KL_HEX20,
    KL_WEDGE6,
    KL_WEDGE15,
    KL_TRI3,
    KL_QUAD4,
    KL_BEAM2,
    KL_SHAPE_COUNT
} kl_shape;

typedef struct kl_shape_info {
    const char *name;           /* "tet10" */
    int         nnode, ncorner; /* corners come first */
    int         dimension;      /* 3 solid, 2 shell, 1 beam */
    int         nface;          /* faces of a solid, sides of a shell */
    int         face_nnode[6];  /* nodes of each face: corners, then middles */
    int         face[6][8];     /* local nodes; corners counter-clockwise seen from outside */
} kl_shape_info;

const kl_shape_info *kl_shape_info_of(kl_shape shape);

/* All elements of one shape. */
typedef struct kl_block {
    int      n, cap;
    int     *node;        /* n x nnode of the shape, canonical order */
    int     *id;          /* n: number in the file */
    int     *property;    /* n: index of kl_mesh.property, -1 when the file gives none */
    double  *angle;       /* n, shells: material direction from side 0-1 about the normal [rad] */
    kl_vec3 *orientation; /* n, beams: vector in the local x-y plane; zero: take the property's */
} kl_block;

/* A spring between two nodes, or from one node to ground (node[1] = -1): force k (u0 - u1) in each
 * of the six directions of the global axes; components 3..5 are rotations. */
typedef struct kl_spring {
    int    id, node[2];
    double k[6]; /* N/m, N m/rad */
} kl_spring;

/* A rigid lump of mass on a node. */
typedef struct kl_point_mass {
    int     id, node;
    double  mass;   /* kg */
    kl_vec3 offset; /* from the node to the centre of mass, global axes [m] */
    kl_mat3 J;      /* about its centre of mass, global axes [kg m2] */
} kl_point_mass;

/* RBE2: the nodes follow `reference` rigidly. RBE3: `reference` follows the weighted mean motion of
 * the nodes. `components` has bit i set for each tied direction i (0..5); 0x3f is all. */
typedef enum kl_tie_kind { KL_RBE2, KL_RBE3 } kl_tie_kind;
typedef struct kl_tie {
    int         id;
    kl_tie_kind kind;
    int         reference;  /* node */
    unsigned    components; /* RBE2: of the followers; RBE3: of the reference node */
    int         n;
    int        *node;   /* n followers (RBE2) or leaders (RBE3) */
    double     *weight; /* n, RBE3; NULL: all one */
    const char *marker; /* that asked for it, or NULL: the mesh file did */
} kl_tie;

typedef enum kl_material_kind { KL_ISOTROPIC, KL_ORTHOTROPIC } kl_material_kind;
typedef struct kl_material {
    const char      *name; /* of the file, or its number as text */
    kl_material_kind kind;
    double           rho;        /* kg/m3 */
    double           E, nu;      /* isotropic [Pa], [-] */
    double           E1, E2, E3; /* orthotropic [Pa]; MAT8 leaves E3 zero: taken as E2 */
    double           nu12, nu13, nu23;
    double           G12, G13, G23; /* MAT8 with G1Z, G2Z zero: G12 is taken */
    int              nyield;        /* rows of the table; 0: elastic */
    double (*yield)[2];             /* plastic strain [-], yield stress [Pa] */
    double   isotropic;             /* share of isotropic hardening; the rest is kinematic */
    kl_place place;
} kl_material;

typedef struct kl_ply {
    int    material;  /* index; -1: missing */
    double thickness; /* m */
    double angle;     /* from the element's material direction [rad] */
} kl_ply;

typedef enum kl_property_kind { KL_SOLID, KL_SHELL, KL_LAMINATE, KL_BEAM } kl_property_kind;
typedef struct kl_property {
    const char      *name;
    kl_property_kind kind;
    int              material; /* index; -1: missing. Laminates name theirs in the plies */
    double           nsm;      /* mass beside the material's: per area (shell), per length (beam) */
    bool             has_axes; /* solid: axes of an orthotropic material, else global */
    kl_mat3          axes;     /* columns are the material's axes 1, 2, 3 */
    /* shells */
    double  thickness;
    double  bottom; /* laminate: distance from the node surface to the bottom face; NAN: -t/2 */
    int     nply;
    kl_ply *ply; /* bottom first */
    /* beams: section constants in local axes y, z through the centroid */
    double   area, Iy, Iz, Iyz; /* Iz bends in the x-y plane */
    double   J;                 /* torsion constant */
    double   ky, kz;            /* shear area share in y, z; 0: no shear flexibility */
    kl_vec3  orientation; /* vector in the local x-y plane; zero: any that is well conditioned */
    double   stress_y[4], stress_z[4]; /* points for stress recovery [m] */
    kl_place place;
} kl_property;

/* An element named by shape and index in its block. */
typedef struct kl_element_ref {
    kl_shape shape;
    int      index;
    int      face; /* of surface sets; else 0 */
} kl_element_ref;

typedef enum kl_set_kind { KL_NODE_SET, KL_ELEMENT_SET, KL_SURFACE_SET } kl_set_kind;
typedef struct kl_set {
    const char     *name;
    kl_set_kind     kind;
    int             n, cap;
    int            *node;    /* node sets */
    kl_element_ref *element; /* element and surface sets */
} kl_set;

/* Something of the file that was not understood: each distinct text once, with its count. */
typedef struct kl_leftover {
    const char *text; /* for example "*CONTACT PAIR" */
    int         count, line;
} kl_leftover;

typedef struct kl_mesh {
    kl_arena   *arena;
    const char *source; /* file name, for messages */
    kl_place    place;  /* in the body file, of a mesh that it describes itself; file NULL: none */
    int         nnode, node_cap;
    int        *node_id;
    kl_vec3    *x; /* m, global axes (readers apply the file's coordinate systems) */
    kl_block    block[KL_SHAPE_COUNT];
    int         nspring, nmass, ntie, nmaterial, nproperty, nset, nleftover;
    int         spring_cap, mass_cap, tie_cap, material_cap, property_cap, set_cap, leftover_cap;
    kl_spring  *spring;
    kl_point_mass    *mass;
    kl_tie           *tie;
    kl_material      *material;
    kl_property      *property;
    kl_set           *set;
    kl_leftover      *leftover;
    int               nduplicate_node, first_duplicate_node; /* ids given twice: count, first */
    int               nduplicate_element, first_duplicate_element;
    struct kl_id_map *node_map, *element_map; /* id -> index (id_map.h); private to mesh.c */
} kl_mesh;

/* ---- building; every add returns an index, or -1 (out of memory: ask kl_mesh_ok at the end) ----
 */

kl_mesh *kl_mesh_create(const char *source);
void     kl_mesh_destroy(kl_mesh *m); /* accepts NULL */
bool     kl_mesh_ok(const kl_mesh *m);

/* An id given twice with the same coordinates is the same node; with others it is counted as a
 * duplicate and the first stays. */
int kl_mesh_add_node(kl_mesh *m, int id, kl_vec3 x);
int kl_mesh_find_node(const kl_mesh *m, int id); /* index or -1 */

/* `node` holds indices in canonical order. property -1: none. An id given twice counts. */
int  kl_mesh_add_element(kl_mesh *m, kl_shape shape, int id, int property, const int *node);
bool kl_mesh_find_element(const kl_mesh *m, int id, kl_element_ref *ref);

/* Copies what is pointed to. For a property with plies, its ply array too. */
int kl_mesh_add_spring(kl_mesh *m, const kl_spring *s);
int kl_mesh_add_mass(kl_mesh *m, const kl_point_mass *p);
int kl_mesh_add_tie(kl_mesh *m, const kl_tie *t);
int kl_mesh_add_material(kl_mesh *m, const kl_material *p);
int kl_mesh_add_property(kl_mesh *m, const kl_property *p);
int kl_mesh_find_material(const kl_mesh *m, const char *name);
int kl_mesh_find_property(const kl_mesh *m, const char *name);

/* The set of this kind and name, made when new. Items may be put twice; kl_mesh_finish sorts node
 * sets and drops repeats. */
int  kl_mesh_set(kl_mesh *m, kl_set_kind kind, const char *name);
void kl_mesh_set_put_node(kl_mesh *m, int set, int node);
void kl_mesh_set_put_element(kl_mesh *m, int set, kl_element_ref ref);
int  kl_mesh_find_set(const kl_mesh *m, kl_set_kind kind, const char *name); /* or -1 */
/* Nodes of any kind of set, each once, ascending, in the mesh's arena; NULL with *n = 0 if none. */
const int *kl_mesh_set_nodes(kl_mesh *m, const char *name, int *n);

/* Notes something that was not understood. */
void kl_mesh_leftover(kl_mesh *m, const char *text, int line);

/* Called once by every reader at its end. */
kl_status kl_mesh_finish(kl_mesh *m, kl_diag *diag);

/* Normal of a shell element (unit), and the angle from its side 0-1 to the projection of
 * `direction`, counted about the normal [rad]. */
kl_vec3 kl_shell_normal(const kl_mesh *m, kl_shape shape, int index);
double  kl_shell_angle(const kl_mesh *m, kl_shape shape, int index, kl_vec3 direction);

/* ---- section constants: fill area, Iy, Iz, J, ky, kz and the stress points of a beam property;
 * material, orientation and nsm stay as they are ---- */
void kl_section_circle(kl_property *p, double radius);
void kl_section_tube(kl_property *p, double outer_radius, double thickness);
void kl_section_rectangle(kl_property *p, double width_y, double height_z);
/* Width along y with walls `side` (parallel to z), height along z with walls `flange`; closed,
 * thin. */
void kl_section_box(kl_property *p, double width_y, double height_z, double side, double flange);
/* Height along z; flanges along y; thin-walled torsion and shear. */
void kl_section_i(kl_property *p, double height, double width, double flange, double web);

/* ---- use ---- */

/* Turns a mesh in other units into SI: one length unit is `length` m, one mass unit `mass` kg, one
 * time unit `time` s (for example 1e-3, 1e3, 1 for mm-tonne-second). */
void kl_mesh_to_si(kl_mesh *m, double length, double mass, double time);

int    kl_mesh_count(const kl_mesh *m); /* elements of all shapes */
bool   kl_mesh_has_rotations(const kl_mesh *m);
double kl_mesh_size(const kl_mesh *m); /* diagonal of the bounding box */

/* Everything that can be found wrong without computing: duplicate ids, nodes in one place, elements
 * of no or negative volume, repeated nodes in an element, missing materials and properties, numbers
 * out of range, parts that do not hang together. Errors and warnings with counts and the first
 * offenders go to `diag`. */
kl_status kl_mesh_check(const kl_mesh *m, kl_diag *diag);
/* Units that do not fit each other: what no solid can be is an error (with `lenient` a warning),
 * what is only unlikely a warning. */
kl_status kl_mesh_check_units(const kl_mesh *m, bool lenient, kl_diag *diag);

#endif
