/* Comfort on entries into curves (P_CT), in the manner of EN 12299. */
#ifndef KL_POST_COMFORT_TRANSITIONS_H
#define KL_POST_COMFORT_TRANSITIONS_H

#include "post/assess.h"

/* Signals of one entry at `rate` rows a second; the transition curve is rows first .. last. */
typedef struct kl_transition {
    const double *acceleration, *roll; /* lateral [m/s2]; roll rate [rad/s] */
    int           n, first, last;
    double        rate;
} kl_transition;

/* The three sizes that P_CT depends on. */
typedef struct kl_transition_figures {
    double acceleration, jerk, roll; /* [m/s2], [m/s3], [rad/s] */
} kl_transition_figures;

/* From sliding means over 1 s: largest lateral acceleration from the beginning of the transition to
 * 1.6 s after its end, largest change of the lateral acceleration within 1 s from 1 s before the
 * beginning to the end, largest roll rate in the transition. `work`: n numbers. */
kl_transition_figures kl_transition_figures_of(const kl_transition *t, double *work);

/* Adds P_CT of the worst entry for the floor point `object`, where its roll rate was recorded and the
 * track has entries into curves. */
kl_status kl_assess_transitions(const kl_assess_input *in, const char *object, kl_assessment *out);

#endif
