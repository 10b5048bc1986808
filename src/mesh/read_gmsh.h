/* Gmsh meshes: what the parts of their reader share. Private to read_gmsh*.c. */
#ifndef KL_MESH_READ_GMSH_H
#define KL_MESH_READ_GMSH_H

#include "mesh/read_import.h"

enum { GMSH_TYPES = 94, MOST_NODES = 125, WANTED_TAGS = 2, HELD = 5 };

typedef struct element_type {
    int         nnode, dimension;
    int         shape; /* kl_shape, or -1 */
    const char *name;
    const int  *order; /* canonical node i is order[i] of Gmsh; NULL: the same */
    const char *advice;
} element_type;

/* A physical group and the sets it becomes. */
typedef struct group {
    int         dimension, tag;
    const char *name;
    bool        structural;                         /* named so by the options */
    int         element_set, node_set, surface_set; /* made when first used; -1 */
    bool        lost_face;                          /* a face that belongs to no solid */
} group;

/* Some of `gmsh.lists`. */
typedef struct span {
    int first, n;
} span;

typedef struct gmsh {
    kl_import  *r;
    kl_source  *t;
    const char *p, *end;
    int         version; /* 2 or 4; 0 before $MeshFormat */
    bool        binary, swap;
    int         size_bytes; /* of a size_t in 4.1 */

    group      *groups;
    int         ngroup, group_cap;
    kl_int_map  group_map;  /* dimension and tag -> group */
    kl_int_map  entity_map; /* dimension and tag -> entity */
    span       *entities;   /* groups of each entity (4.1) */
    int         nentity, entity_cap;
    kl_int_list lists;      /* group indices */
    kl_int_list held;       /* elements of dimension 0 to 2: type, id, span, byte of place, nodes */
    kl_int_list held_place; /* for messages: offset in the text, high and low half */
    kl_int_list block_tag;  /* nodes of a block of 4.1 */
    int         highest;    /* dimension seen */
    bool        has_nodes;

    /* the last element, to see repetitions */
    int            last_entity, last_tag, last_type, last_nodes[MOST_NODES];
    kl_element_ref last_ref;
    bool           last_valid, last_solid;
    int dropped_nodes[GMSH_TYPES]; /* elements whose middle nodes of faces were left out */
} gmsh;

const element_type *gmsh_type(long long number); /* or NULL */
/* Puts an element of the structure into the mesh and the sets of its groups. */
kl_element_ref gmsh_put(gmsh *g, const element_type *e, const char *at, long long id, span groups,
                        const int *node);
void           gmsh_put_in_sets(gmsh *g, span groups, kl_element_ref ref);
void           gmsh_refuse(gmsh *g, const element_type *e, const char *at, long long id);
/* What waited in `held` becomes structure or sets (read_gmsh_mark.c). */
void gmsh_settle(gmsh *g);

#endif
