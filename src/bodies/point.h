/* Data of a point mass, also for code that creates points, such as the nodes of a mesh. */
#ifndef KL_BODIES_POINT_H
#define KL_BODIES_POINT_H

typedef struct point {
    double mass;
    double position[3], velocity[3];
    int    fixed; /* bits: position, velocity */
} point;

#endif
