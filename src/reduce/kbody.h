/* A reduced flexible body: everything that a time step needs, and what stress recovery and drawing
 * need. Written and read by reduce/kbody_file.h; made by reduce.h.
 *
 * The body frame is the mesh's (or shifted to the centre of mass). b = x + X w; symbols and
 * formulas of docs/theory/flexible.md. All arrays belong to the arena. n = nmode.
 */
#ifndef KL_REDUCE_KBODY_H
#define KL_REDUCE_KBODY_H

#include "base/arena.h"
#include "base/vec.h"
#include "klingel/status.h"

/* Matrices with three rows are stored column by column: entry (a, j) of S1 is S1[3 * j + a]. */
typedef struct kl_invariants {
    double   m;  /* kg */
    kl_vec3  s0; /* sum m x [kg m] */
    double  *S1; /* 3 x n: sum m X */
    kl_mat3  J0; /* about the frame's origin [kg m2] */
    kl_mat3 *G0; /* n */
    kl_mat3 *J2; /* n x n: J2_ij is J2[i * n + j] */
    double  *H0; /* 3 x n */
    double  *H1; /* n x 3 x n: column j of H1_i starts at H1[3 * (i * n + j)] */
} kl_invariants;

typedef enum kl_marker_kind {
    KL_MARKER_NODE, /* a node with rotations, also the reference of RBE2 and RBE3 */
    KL_MARKER_TRIAD /* a node without: the frame follows nodes k, m, n (paper 000, section 2.4) */
} kl_marker_kind;

typedef struct kl_kbody_marker {
    const char    *name;
    kl_marker_kind kind;
    int            node_id;     /* of the mesh */
    kl_vec3        position;    /* in the body frame, undeformed [m] */
    kl_mat3        axes;        /* columns: the marker's axes in the body frame, undeformed */
    double        *translation; /* 3 x n */
    double        *rotation;    /* 3 x n [rad]; for a triad the first-order rotation of its frame */
    double *second; /* 6 x n x n: translation and rotation are X w + w'Y w/2; NULL: no stiffening */
    /* triads */
    int     triad_id[3];     /* node numbers k, m, n */
    kl_vec3 triad[3];        /* their positions */
    double *triad_motion[3]; /* 3 x n each */
} kl_kbody_marker;

/* Strain and stress per unit of each mode at points; order xx yy zz xy yz zx, engineering shear,
 * body frame. */
typedef struct kl_kbody_stress {
    int  n;
    int *element_id, *node_id; /* -1 where it does not apply (a node's mean has no element) */
    /* NULL: all 0. Ply, 1 at the bottom; -1 to -4: a fibre of a beam; 0: neither */
    int     *layer;
    int     *face; /* of a shell or ply: -1 bottom, 1 top; 0: solid, middle, beam */
    kl_vec3 *position;
    double  *strain,
        *stress; /* n x (6 x nmode): point p, mode j, component c: [(p * nmode + j) * 6 + c] */
} kl_kbody_stress;

/* The surface for drawing. */
typedef struct kl_kbody_skin {
    int      nnode, ntriangle, nline;
    int     *node_id;
    kl_vec3 *x;
    int     *triangle; /* 3 a triangle, indices into x, counter-clockwise from outside */
    int     *line;     /* 2 a line: beams */
    float   *motion;   /* node p, mode j, component c: [(p * nmode + j) * 3 + c] */
} kl_kbody_skin;

typedef struct kl_kbody {
    kl_arena     *arena;
    const char   *title, *source; /* of the body file, of the mesh */
    const char   *reference;      /* "mean-axis", "principal-axis", "nodal" */
    const char   *mass_rule;      /* "consistent", ... */
    int           nmode;
    double       *frequency; /* n [Hz] */
    double       *residual;  /* n */
    double       *Mff, *Kff; /* n x n */
    kl_invariants inertia;
    double *second_mass; /* 12 x n x n: sum m Y_c (3), then sum m Y_c x_d (c, d: 9); may be NULL */
    int     nmarker;
    kl_kbody_marker *marker;
    double *compliance; /* 6 nmarker x 6 nmarker, of the whole mesh (compliance.h); or NULL */
    kl_kbody_stress stress;
    kl_kbody_skin   skin;
} kl_kbody;

kl_kbody *kl_kbody_create(void);
void      kl_kbody_destroy(kl_kbody *b); /* accepts NULL */
/* The mirror image, with `axis` (0, 1, 2) turned round; NULL: no memory. Shares what does not change
 * with `b`, which must live as long. */
kl_kbody *kl_kbody_mirrored(const kl_kbody *b, int axis);
/* The marker of that name, or NULL. */
const kl_kbody_marker *kl_kbody_find_marker(const kl_kbody *b, const char *name);

/* ---- what follows from the invariants ---- */

/* Centre of mass, and inertia about it. */
kl_vec3 kl_kbody_centre(const kl_kbody *b);
kl_mat3 kl_kbody_central_inertia(const kl_kbody *b);
/* Participation of mode j in the six rigid motions about the centre of mass, L = R'M x_j, and its
 * effective masses L^2 / Mff_jj (kg, kg m2). */
void kl_kbody_participation(const kl_kbody *b, int mode, double L[6], double effective[6]);
/* What all modes carry together, the diagonal of L'Mff^-1 L: the sum of their effective masses
 * where they are orthogonal. */
kl_status kl_kbody_effective_mass(const kl_kbody *b, double effective[6]);
/* No two modes share mass: all but the plain Craig-Bampton basis. */
bool kl_kbody_is_orthogonal(const kl_kbody *b);

#endif
