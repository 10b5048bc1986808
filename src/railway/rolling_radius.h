/* A rigid wheelset that rests on both rails: rolling radius difference, roll and contact angles over
 * its lateral shift.
 *
 * Axes here are those of the standards: y to the right, so a shift y > 0 brings the right flange to
 * its rail; roll > 0 lifts the right wheel. */
#ifndef KL_RAILWAY_ROLLING_RADIUS_H
#define KL_RAILWAY_ROLLING_RADIUS_H

#include "railway/wheel_rail.h"

enum { KL_RIGHT, KL_LEFT };

typedef struct kl_wheelset_on_track {
    const kl_contact_search *side[2]; /* KL_RIGHT, KL_LEFT */
    double
        half; /* from the middle of the wheelset to the running circles: back-to-back/2 + 70 mm */
} kl_wheelset_on_track;

typedef struct kl_rolling_state {
    double y, roll; /* shift [m], roll [rad] */
    double
        height; /* of the wheelset's middle over the rail tops, less the mean nominal radius [m] */
    kl_touch touch[2];      /* KL_RIGHT, KL_LEFT, in side axes */
    double   delta_r;       /* right less left rolling radius [m] */
    double   delta_r_level; /* the same when each wheel is set down without roll [m] */
} kl_rolling_state;

/* The wheelset at shift y and a yaw angle; starts from the roll and height in `state` (zeros at
 * first, the neighbouring state when a range of shifts is run through). False when no position is
 * found in which both wheels touch. */
bool kl_wheelset_rest(const kl_wheelset_on_track *w, double y, double yaw, kl_rolling_state *state);

/* States at n shifts from -most to most, n odd, equal steps; each starts from its neighbour towards
 * the middle. Where no position is found (flange climbing over) the state's delta_r is NAN. */
void kl_wheelset_scan(const kl_wheelset_on_track *w, double most, int n, kl_rolling_state *state);

/* By how much a wheelset can move between the rails until its flanges touch, both sides together [m]; NaN:
 * a wheel has no flange. 10 mm for S1002, gauge 1435 mm, back-to-back 1360 mm. */
double kl_wheelset_clearance(const kl_wheelset_on_track *w, double gauge);

/* Does a wheelset fit its track? From its state at the middle. `text` says why not, or what is
 * doubtful. */
typedef enum kl_fit { KL_FITS, KL_FIT_TIGHT, KL_FITS_NOT } kl_fit;
enum { KL_FIT_TEXT = 160 };
kl_fit kl_wheelset_fit(const kl_wheelset_on_track *w, double gauge, const kl_rolling_state *middle,
                       char text[KL_FIT_TEXT]);

/* Angle of the contact plane against the level of the track [rad], positive where the wheel's radius
 * grows towards the track. */
static inline double kl_contact_angle(const kl_touch *t)
{
    return atan2(-t->normal.y, t->normal.z);
}

#endif
