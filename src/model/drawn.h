/* How a body is to be drawn, where its model says so. Not part of the mechanics. */
#ifndef KL_MODEL_DRAWN_H
#define KL_MODEL_DRAWN_H

#include "base/vec.h"

typedef enum kl_drawn_kind {
    KL_DRAWN_BOX,
    KL_DRAWN_CYLINDER,
    KL_DRAWN_SPHERE,
    KL_DRAWN_TRIANGLES,
} kl_drawn_kind;

/* Triangles, in the axes of the shape. */
typedef struct kl_triangles {
    float *vertex;   /* 3 nvertex [m] */
    int   *triangle; /* 3 ntriangle, from 0 */
    int    nvertex, ntriangle;
} kl_triangles;

/* A line in space, such as a track. */
typedef struct kl_drawn_line {
    const char *name;
    double      gauge;             /* between the rails [m]; 0: a bare line */
    int         n;                 /* places, in equal steps */
    double     *position, *normal; /* n x 3: middle of the track, its upward axis */
} kl_drawn_line;

typedef struct kl_drawn {
    kl_drawn_kind kind;
    kl_vec3       at;             /* its middle in the body [m] */
    kl_mat3       A;              /* its axes in the body */
    kl_vec3       size;           /* of a box [m] */
    double        radius, length; /* [m]; a cylinder lies along z of the shape */
    const char   *color;          /* "#rrggbb" or NULL */
    kl_triangles  surface;
} kl_drawn;

#endif
