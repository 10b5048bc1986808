/* Figures of a wheelset on its rails: rolling radius difference, contact angles, where they touch,
 * equivalent conicity. */
#ifndef KL_FIGURES_RAIL_FIGURE_H
#define KL_FIGURES_RAIL_FIGURE_H

#include <stdbool.h>

#include "railway/conicity.h"
#include "railway/outline.h"
#include "railway/rolling_radius.h"

typedef struct kl_rail_figure_data {
    const kl_rolling_state *state; /* n shifts, equal steps */
    int                     n;
    const kl_delta_r       *delta_r;
    const kl_outline       *wheel, *rail; /* of the right side; the rail in side axes */
    double                  half, radius; /* running circle from the middle, wheel radius [m] */
    const char             *wheel_name;
    const struct kl_rail_figure_data *other; /* drawn over it, dashed; NULL: none */
} kl_rail_figure_data;

/* Draws into `folder`, which is made if it is not there, and writes a page `index.html` with all figures;
 * names of the files are printed. */
bool kl_rail_figures(const kl_rail_figure_data *d, const char *title, const char *folder);

#endif
