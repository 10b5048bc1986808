/* Figures of a track: plan, profile, curvature, cant and a view in space. */
#ifndef KL_FIGURES_TRACK_FIGURE_H
#define KL_FIGURES_TRACK_FIGURE_H

#include "geometry/path.h"

/* Draws plan.svg, profile.svg, curvature.svg, cant.svg and space.svg into `folder`, which is made
 * if it is not there. `gauge` is the distance of the rails in the view in space [m]. Failures are
 * printed; their names go to standard output. */
bool kl_track_figures(const kl_path *path, const char *title, double gauge, const char *folder);

#endif
