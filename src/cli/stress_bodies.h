/* Flexible bodies of a result with their modal coordinates, ready for stress recovery. */
#ifndef KL_CLI_STRESS_BODIES_H
#define KL_CLI_STRESS_BODIES_H

#include "cli/model_options.h"
#include "post/stress_file.h"
#include "results/results.h"

typedef struct kl_stress_bodies {
    kl_loaded       loaded; /* the model, built again from the results */
    bool            open;
    kl_arena       *arena;
    kl_stress_body *list;
    kl_sn_curve    *curve;      /* n: those of the model */
    int             n, without; /* bodies that keep stress; flexible ones that do not */
    int             row0;       /* row of the results that is the first of the runs */
} kl_stress_bodies;

/* Rows of results between two times. */
typedef struct kl_time_range {
    double from, to;
} kl_time_range;

/* Builds the model again and reads the coordinates of all its flexible bodies, or of those named.
 * Bodies without stress are counted, and refused only when named. On failure the diag has the
 * reasons; close in any case. */
kl_status kl_stress_bodies_open(kl_stress_bodies *s, const kl_command *command, const char *results,
                                kl_reader *r, char *const *names, int nname, kl_time_range range,
                                kl_diag *diag);
void      kl_stress_bodies_close(kl_stress_bodies *s);

/* Finds the worst of every point of body i into its `spot`. */
kl_status kl_stress_bodies_envelope(kl_stress_bodies *s, int i);

#endif
