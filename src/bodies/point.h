/* Data of a point mass: for those who make points themselves, such as the nodes of a mesh. */
#ifndef KL_BODIES_POINT_H
#define KL_BODIES_POINT_H

typedef struct point {
    double mass;
    double position[3], velocity[3];
    int    fixed; /* bits: position, velocity */
} point;

#endif
