/* The kinds of body that the catalogue lists. */
#ifndef KL_BODIES_BODIES_H
#define KL_BODIES_BODIES_H

#include "model/interface.h"

extern const kl_body_type kl_ground, kl_rigid, kl_point, kl_flexible, kl_wheelset;

/* Not in the catalogue: numbers that an element owns. */
typedef struct kl_coordinates_data {
    int n; /* 1 to 3 */
} kl_coordinates_data;
extern const kl_body_type kl_coordinates;

#endif
