/* Two parts that fit into each other with clearance: where a joint that is not perfect touches.
 *
 * Body 1 carries the outer part, body 2 the inner one; z is the axis of the joint. With the
 * displacement d of a point of the inner part and the clearance c:
 *
 *   pin      |d_xy| <= radial at both ends of the pin, |d_z| <= axial in the middle
 *   ball     |d| <= radial
 *   block    |d_x|, |d_y| <= radial at the eight corners of a block of size (width, height, length)
 *
 * Ambrosio, challenges in multibody modelling (2019), section 1.4.1. */
#ifndef KL_CONTACT_FIT_H
#define KL_CONTACT_FIT_H

#include "contact/pair.h"

typedef enum kl_fit_kind {
    KL_FIT_NONE,
    KL_FIT_PIN,
    KL_FIT_SLEEVE, /* a pin that slides: no axial limit */
    KL_FIT_BALL,
    KL_FIT_BLOCK
} kl_fit_kind;

typedef struct kl_fit {
    kl_fit_kind kind;
    double      radial, axial;  /* clearance [m]; axial NaN: no limit */
    double      radius, length; /* of the outer part; between both ends of the inner one [m] */
    double      size[2];        /* of a block [m] */
} kl_fit;

/* How many places can touch. */
int kl_fit_slots(const kl_fit *f);
/* Finds the gaps of all places; each has its own key. */
void kl_fit_find(const kl_fit *f, const kl_pose *A, const kl_pose *B, kl_spots *out);

#endif
