/* klingel catenary figures: figures of current collection over the values of a parameter. */
#ifndef KL_CLI_CATENARY_FIGURES_H
#define KL_CLI_CATENARY_FIGURES_H

#include "terminal/options.h"

/* `over`: NAME=VALUE,VALUE,... or NULL: one run. Exit code. */
int kl_catenary_figures(const char *path, const kl_texts *set, const char *over, bool csv);

#endif
