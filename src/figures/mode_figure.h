/* A figure of the first modes of a reduced body. */
#ifndef KL_FIGURES_MODE_FIGURE_H
#define KL_FIGURES_MODE_FIGURE_H

#include <stdbool.h>

#include "reduce/kbody.h"

/* Draws up to six modes into `path` (.svg, else .png); the body has a skin. A reason of failure is
 * printed. */
bool kl_mode_figure(const kl_kbody *b, const char *path);

#endif
