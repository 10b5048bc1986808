/* The report of a rail vehicle: loads, natural motions, critical speed, and rides with their assessment, in one
 * HTML file that prints to PDF from any browser. */
#ifndef KL_POST_VEHICLE_REPORT_H
#define KL_POST_VEHICLE_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/vec.h"
#include "results/results.h"

typedef struct kl_wheelset_load {
    const char *name;
    double      left, right; /* Q [N] */
} kl_wheelset_load;

typedef struct kl_vehicle_mode {
    double      frequency, damping; /* [Hz], ratio */
    const char *motion;             /* bodies and motions by their energy */
    const char *name;               /* "lower sway", "pitch", "hunting"; "": none */
} kl_vehicle_mode;

/* A vehicle that rolls steadily. */
typedef struct kl_vehicle {
    kl_arena         *arena;
    kl_wheelset_load *load;
    int               nload;
    double            mass;   /* [kg] */
    kl_vec3           centre; /* of mass [m] */
    bool             *car;    /* of each body: a car body, by its mass */
    kl_vehicle_mode  *mode;   /* the slowest ones */
    int               nmode;
    bool              large;  /* too many coordinates for its modes */
    bool              steady; /* modes were found */
    kl_status         sag;    /* not KL_OK: heavier than its springs can carry */
} kl_vehicle;

/* A row of `klingel critical-speed --csv`. */
typedef struct kl_critical_row {
    const char *kind;
    double      speed, frequency, amplitude; /* [m/s], [Hz], [m] */
} kl_critical_row;

typedef struct kl_vehicle_ride {
    const char *name, *settings; /* "curve", "track=curve, speed=30" */
    const char *file;            /* name of its results */
    kl_reader  *reader;          /* NULL: the ride failed */
} kl_vehicle_ride;

enum { KL_VEHICLE_MOST_RIDES = 12 };

typedef struct kl_vehicle_report {
    const char            *title, *model, *settings;
    const char            *limits; /* limits file of the assessment; NULL: the program's */
    const kl_vehicle      *vehicle;
    const kl_critical_row *critical;
    int                    ncritical;
    bool                   critical_failed; /* there is no result, neither stable nor unstable */
    const double          *speed, *growth;  /* of the least damped motion [m/s], [1/s] */
    int                    nspeed;
    const kl_vehicle_ride *ride;
    int                    nride;
} kl_vehicle_report;

typedef struct kl_vehicle_verdict {
    int exceeded;   /* quantities of all rides that are above their limits */
    int unassessed; /* rides that ran but could not be assessed; each is a warning */
} kl_vehicle_verdict;

kl_status kl_vehicle_report_write(FILE *f, const kl_vehicle_report *q, kl_diag *diag,
                                  kl_vehicle_verdict *verdict);

#endif
