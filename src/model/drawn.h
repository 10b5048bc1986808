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
