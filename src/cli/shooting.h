/* Limit cycles over speed by shooting, with Floquet multipliers: stable and unstable ones, past the
 * fold where both meet. */
#ifndef KL_CLI_SHOOTING_H
#define KL_CLI_SHOOTING_H

#include "cli/hunting.h"

/* One limit cycle. */
typedef struct kl_branch_point {
    double speed, frequency, amplitude; /* [m/s], [Hz], [m] */
    double
        multiplier; /* largest absolute value of a Floquet multiplier, that of the motion along the
                        * cycle left out: below 1 the cycle is stable */
} kl_branch_point;

typedef struct kl_branch_range {
    double from, to; /* speeds at which the branch ends [m/s] */
    double step;     /* largest change of speed from point to point [m/s] */
    double rest;     /* amplitude at which it ends [m] */
    int    most;     /* points */
} kl_branch_range;

/* Follows the limit cycle near the motion in `k`, which was left at `speed` with about `frequency`,
 * towards lower speeds and round the fold. `found` takes each point; false ends the branch. KL_RETRY:
 * no limit cycle was found near the motion, for example because the motion is irregular. */
typedef bool kl_branch_point_found(void *context, const kl_branch_point *p);
kl_status    kl_branch_follow(kl_hunting *k, double speed, double frequency,
                              const kl_branch_range *range, kl_branch_point_found *found,
                              void *context);

#endif
