/* Progress of a run on standard error: on a terminal one line with a bar, simulated time, real-time
 * factor and an estimate of the rest; otherwise a plain line at each tenth; nothing when quiet. */
#ifndef KL_TERMINAL_PROGRESS_H
#define KL_TERMINAL_PROGRESS_H

#include <stdbool.h>

typedef struct kl_progress {
    double begin, end;     /* simulated time [s] */
    double started, shown; /* clock [s] at begin and at the last line shown */
    int    tenth;          /* last tenth of the way that was said */
    bool   quiet, terminal, drawn;
} kl_progress;

void kl_progress_begin(kl_progress *p, double begin, double end, bool quiet);

/* May be called each step: looks at the clock and shows something at most ten times a second. */
void kl_progress_update(kl_progress *p, double time);

/* Clears the bar, so that what is printed next is on a fresh line. */
void kl_progress_end(kl_progress *p);

/* Clock time since begin [s]. */
double kl_progress_elapsed(const kl_progress *p);

#endif
