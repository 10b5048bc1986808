/* Accelerations of riders in the passenger's frame, filtered, with their duration, against
 * limits of amusement-ride standards; jerk; the head injury criterion. */
#ifndef KL_POST_RIDE_H
#define KL_POST_RIDE_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/text.h"
#include "results/results.h"

/* The six ways a rider is pressed, as the standards name them by where the eyes go. */
enum {
    KL_RIDE_BACK,
    KL_RIDE_FRONT,
    KL_RIDE_LEFT,
    KL_RIDE_RIGHT,
    KL_RIDE_DOWN,
    KL_RIDE_UP,
    KL_NRIDE
};

typedef struct kl_ride_limit {
    const char *name;  /* "+Gx, eyes back" */
    int    axis, sign; /* of the acceleration shown by an accelerometer: 0 x, 1 y, 2 z; +1, -1 */
    int    n;
    double time[8], g[8]; /* level that may last so long, straight between [s], [g] */
} kl_ride_limit;

extern const kl_ride_limit kl_ride_limits[KL_NRIDE];

/* Level that a rider may be exposed to for `duration` seconds [g]. */
double kl_ride_level(const kl_ride_limit *limit, double duration);

/* One direction, judged. */
typedef struct kl_ride_verdict {
    double peak;            /* largest level, filtered [g]; 0: never that way */
    double share;           /* largest level over limit of all durations */
    double duration, level; /* where that is [s], [g] */
} kl_ride_verdict;

typedef struct kl_ride {
    double         *g[3];    /* filtered, n [g] */
    double          jerk[3]; /* largest change of them [g/s] */
    kl_ride_verdict way[KL_NRIDE];
} kl_ride;

/* Low-pass of ASTM F2137: Butterworth, four poles, 5 Hz, one pass; starts at rest at x[0]. dt is
 * the time between samples. */
void kl_ride_filter(const double *x, int n, double dt, double corner, double *out);

/* The level that `x` keeps for `duration` at least once: the largest of the least in a window of so
 * many samples. -HUGE_VAL when it is longer than the signal. Scratch: n ints. */
double kl_ride_kept(const double *x, int n, int window, int *scratch);

/* Judges three accelerations [m/s2] on evenly spaced times. */
kl_status kl_ride_assess(const double *const a[3], int n, double dt, kl_arena *arena, kl_ride *out);

/* Head injury criterion of a resultant acceleration [g]: the largest of (t2 - t1) (mean of a over
 * t1..t2)^2.5 with t2 - t1 <= longest; t1 and t2 need not be at samples, between which a is
 * straight. Samples farther apart than KL_HIC_ROWS [s] miss what happens between them. */
#define KL_HIC_ROWS 0.002
double kl_hic(const double *a, int n, double dt, double longest);

/* Does a channel with this description contain the accelerometer reading along `axis` (x, y, z)? */
bool kl_ride_is_reading(const char *description, char axis);

/* Adds a section to a page for all points whose `accelerometer` is recorded in three axes (NAMEx, NAMEy,
 * NAMEz); nothing when there are none. */
kl_status kl_ride_section(kl_text *page, kl_reader *reader, const double *time, int rows,
                          kl_arena *arena);

#endif
