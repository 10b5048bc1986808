/* Places named on the command line: markers, nodes, elements, the worst points. */
#ifndef KL_CLI_STRESS_SITES_H
#define KL_CLI_STRESS_SITES_H

#include "cli/stress_bodies.h"

typedef struct kl_stress_sites {
    kl_stress_site *list;
    int             n, cap;
} kl_stress_sites;

/* `text` holds names with commas between: tip, rod.tip, 1711, rod.1711, element:5, hot, hot:3. What
 * cannot be found is reported in the diag. Lists belong to the arena of the bodies. */
kl_status kl_stress_sites_find(kl_stress_sites *out, kl_stress_bodies *s, const char *text,
                               const char *file, kl_diag *diag);

#endif
