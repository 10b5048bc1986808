/* From a mesh (or ready matrices) and a recipe to a reduced body: the whole way in one call. */
#ifndef KL_REDUCE_REDUCE_H
#define KL_REDUCE_REDUCE_H

#include "fe/element.h"
#include "mesh/mesh.h"
#include "mesh/system.h"
#include "reduce/basis.h"
#include "reduce/kbody.h"

/* A marker asked for. One of: a node number; a point (the nearest node); a set tied by RBE2 or RBE3
 * to a new node at the point (without a point: the middle of the set). */
typedef enum kl_marker_how { KL_AT_NODE, KL_AT_POINT, KL_AT_SET } kl_marker_how;
/* Of a node: its translations, and its rotations if it has any. */
enum { KL_ALL_COMPONENTS = 0x7f };

typedef struct kl_marker_request {
    const char   *name;
    kl_marker_how how;
    int           node_id;
    kl_vec3       point;
    bool          has_point;
    const char   *set;
    kl_tie_kind   tie;
    kl_mat3       axes;                 /* of the marker in the body frame */
    double        tolerance;            /* of the triad; 0: 0.1 */
    unsigned      interface_components; /* static modes for these; 0: none; KL_ALL_COMPONENTS */
    kl_place      place;
} kl_marker_request;

/* Held components, of a node, a set of nodes, or a marker. */
typedef struct kl_fix_request {
    const char *name; /* set or marker; NULL: the node */
    int         node_id;
    unsigned    components;
    kl_place    place;
} kl_fix_request;

typedef struct kl_recipe {
    const char    *title;
    kl_mass_rule   mass;
    int            modes;
    kl_place       modes_place; /* place where the user gave this number; no file: not given */
    kl_mode_method method;
    kl_reference   reference;
    kl_statics     statics;
    bool           plain;
    double         rank_tolerance;
    bool           centre; /* shift the frame to the centre of mass */
    int            nmarker, nfix;
    const kl_marker_request *marker;
    const kl_fix_request    *fix;
    int                      nuser, user_nnode;
    kl_mesh                 *sets; /* names nodes of ready matrices, by their numbers; or NULL */
    const double
        *user_frequency; /* nuser [Hz]: the vectors are eigenmodes; NULL: they are added to them */
    const double *user;  /* 6 user_nnode x nuser: motion of each node of the file, by index */
    /* stress modes: names of element sets and node sets; "all", "surface" */
    const char    *stress_elements, *stress_nodes;
    kl_place       stress_elements_place, stress_nodes_place;
    double         stress_side;
    bool           stress_faces; /* of shells all faces instead of one side */
    bool           no_skin;
    bool           lenient;    /* a weight that no body has is reported, not refused */
    bool           stiffening; /* second-order motion (geometric.h) */
    kl_fe_progress progress;
    void          *context;
    bool           count_check; /* count the eigenmodes by a second factorisation */
    int            threads;     /* of the factorisation; 0: one */
} kl_recipe;

/* What there is to say afterwards. */
typedef struct kl_reduce_report {
    int    nnode, nelement, ndof, nrigid, neigen, nstatic, nuser, ndropped, nsolve, nblock;
    double entries_K, entries_M, factor_entries, factor_bytes, sigma, condition;
    double seconds_assembly, seconds_factor, seconds_modes, seconds_statics, seconds_invariants;
    double largest_residual; /* of the eigenmodes */
    int    counted;          /* eigenmodes confirmed by a count; 0: not asked */
} kl_reduce_report;

/* `mesh` gets marker nodes and ties; NULL with `matrices` when K and M are ready (its ties are made
 * there). On success *body is the caller's. */
kl_status kl_reduce(kl_mesh *mesh, kl_system *matrices, const kl_recipe *recipe, kl_kbody **body,
                    kl_reduce_report *report, kl_diag *diag);

#endif
