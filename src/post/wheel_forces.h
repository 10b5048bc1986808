/* Wheel forces of a ride as assessments and figures use them: Y and Q of each wheelset, low-pass filtered
 * (20 Hz unless the limits file says otherwise, Butterworth of order 4, forwards and backwards), and the
 * place on the track.
 *
 * A wheelset is an object W with the channels W.Y_left, W.Y_right (positive outwards), W.Q_left and
 * W.Q_right. */
#ifndef KL_POST_WHEEL_FORCES_H
#define KL_POST_WHEEL_FORCES_H

#include "post/assess.h"

typedef struct kl_wheel_forces {
    const char   *name;
    double       *Y[2], *Q[2]; /* left, right [N] */
    double       *sum;         /* Y left - Y right: to the left [N] */
    double       *ratio[2];    /* Y/Q */
    double        Q0;          /* mean wheel load [N] */
    const double *distance;    /* along the track [m], not falling; NULL: not known */
    const double *curvature;   /* [1/m]; NULL: not recorded */
} kl_wheel_forces;

/* Does a run have wheelsets? */
bool kl_has_wheelsets(const kl_assess_input *in);

/* All wheelsets in the order of their channels, on rows at equal steps. Rows and texts belong to the
 * arena of `in`. KL_E_RANGE: the filter does not fit the rows, or the vehicle runs backwards. */
kl_status kl_wheel_forces_read(const kl_assess_input *in, kl_wheel_forces **set, int *n);

/* Complains of a filter of the limits file whose corners do not fit the rows. */
kl_status kl_assess_no_filter(const kl_assess_input *in, const char *group, const char *key);

#endif
