/* A catenary as a finite element model: its static shape and the matrices of its motion.
 *
 * Every wire is a straight tensioned Euler-Bernoulli beam with cubic elements; the unknowns at a node
 * are height z and slope z' [per = 2], in three dimensions also y and y' [per = 4]. Nodes of all
 * wires are numbered by x, so that all matrices have a narrow profile.
 *
 *   M d'' + C d' + K d = sum_j E_j p_j + sum_c b_c F_c
 *
 * d: displacement from the static shape; K holds all droppers as taut springs; p_j takes back what
 * a slack dropper cannot do; F_c are contact forces at places x_c. */
#ifndef KL_CATENARY_LINE_H
#define KL_CATENARY_LINE_H

#include "algebra/skyline.h"
#include "catenary/design.h"

typedef enum kl_wire_kind { KL_WIRE_CONTACT, KL_WIRE_MESSENGER, KL_WIRE_STITCH } kl_wire_kind;

typedef struct kl_line_wire {
    kl_wire_kind kind;
    int          part; /* of the design */
    kl_wire_data data;
    int          n;       /* nodes */
    double      *x;       /* n, ascending [m] */
    int         *dof;     /* n: number of the height; slope follows, then y, y' */
    double      *tension; /* n - 1: of each element [N] */
} kl_line_wire;

/* A dropper: nodes and its line at rest. */
typedef struct kl_line_dropper {
    int    part, span;   /* where */
    double x, in_span;   /* [m] */
    int    upper, lower; /* dof of the height at both ends */
    double k;            /* [N/m] */
    double length;       /* unstretched [m] */
    double rest;         /* stretch at rest [m]; negative: slack */
    double ny, nz;       /* direction from lower to upper at rest */
    double lateral;      /* F/L at rest [N/m] */
    double force;        /* at rest [N] */
} kl_line_dropper;

/* What a spring does in the static shape: a clamp carries force; a support holds its point at the height
 * of the design; an arm is balanced there. */
typedef enum kl_spring_kind { KL_SPRING_CLAMP, KL_SPRING_SUPPORT, KL_SPRING_ARM } kl_spring_kind;

/* A spring at single degrees of freedom. */
typedef struct kl_line_spring {
    int            dof, other; /* other -1: to the ground */
    double         k;          /* [N/m] */
    kl_spring_kind kind;
} kl_line_spring;

typedef struct kl_line_mass {
    int    dof; /* of the height; the same mass acts on y */
    double m;   /* [kg] */
    bool   weighs;
} kl_line_mass;

typedef struct kl_line_support {
    int    part, index;
    double x;
    int    dof; /* of the contact wire's height */
} kl_line_support;

typedef struct kl_line {
    kl_arena                 *arena;
    const kl_catenary_design *design;
    int                       per, ndof;
    double                    x0, x1; /* ends [m] */
    kl_line_wire             *wire;
    int                       nwire;
    kl_line_dropper          *dropper;
    int                       ndropper;
    kl_line_spring           *spring;
    int                       nspring;
    kl_line_mass             *mass;
    int                       nmass;
    kl_line_support          *support;
    int                       nsupport;
    bool                     *fixed;   /* ndof: held by supports and ends */
    double                   *place;   /* ndof: static position (z, z', y, y') */
    int                      *first;   /* ndof: profile */
    kl_skyline                M, C, K; /* motion about the static shape; fixed rows are empty */
    bool                      damped;  /* C is not zero */
} kl_line;

/* Mesh, static shape, matrices, all of it in the arena. Mistakes of the design go to the diag. */
kl_status kl_line_create(const kl_catenary_design *design, kl_arena *arena, kl_diag *diag,
                         kl_line **out);

/* Steps of kl_line_create, each in its own file. */
kl_status kl_line_mesh(kl_line *line, kl_diag *diag);
kl_status kl_line_shape(kl_line *line, kl_diag *diag);
kl_status kl_line_matrices(kl_line *line);

/* Adds to K the stiffness of wires and of clamps, of all other springs, of droppers as if all were
 * taut (`slack` NULL) or of those that are not slack. */
typedef struct kl_stiffness_parts {
    bool        springs, droppers;
    const bool *slack; /* ndropper or NULL */
} kl_stiffness_parts;
void kl_line_add_stiffness(const kl_line *line, kl_stiffness_parts parts, kl_skyline *K);
/* Rows and columns of fixed unknowns become those of the identity. */
void kl_line_fix(const kl_line *line, const bool *fixed, kl_skyline *A);

/* The four (planar: two) numbers of a point of a wire: cubic interpolation over an element. */
typedef struct kl_wire_point {
    int    dof[2];     /* height of both ends of the element */
    double N[4], D[4]; /* shape functions of z1 z1' z2 z2', and their slopes */
} kl_wire_point;

/* False when x lies outside the wire. */
bool kl_wire_at(const kl_line_wire *w, double x, kl_wire_point *p);
/* Value of the field `u` (ndof numbers) there; `offset` 0: vertical, 2: lateral. */
double kl_wire_value(const kl_wire_point *p, const double *u, int offset);
double kl_wire_slope(const kl_wire_point *p, const double *u, int offset);

/* Static displacement `d` (ndof) under forces `f` (ndof) with droppers going slack. */
kl_status kl_line_deflect(const kl_line *line, const double *f, double *d);

/* Displacement of the contact wire (the lowest one at x) under a vertical force at x [m/N times
 * force]. NaN where no contact wire is. */
kl_status kl_line_uplift(const kl_line *line, double x, double force, double *uplift);

/* The support nearest to x and the displacement `d` (ndof) of the contact wire there. */
void kl_line_support_near(const kl_line *line, double x, const double *d, double *at,
                          double *uplift);

/* The contact wire of `part` and the messenger, or NULL. */
const kl_line_wire *kl_line_find(const kl_line *line, kl_wire_kind kind, int part);

#endif
