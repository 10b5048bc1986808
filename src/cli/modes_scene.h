/* Scene and motion of linear modes for the viewer. */
#ifndef KL_CLI_MODES_SCENE_H
#define KL_CLI_MODES_SCENE_H

#include "cli/analysis.h"
#include "solve/eigenvalues.h"

/* Adds them to the linear model's file that kl_linear_write made. */
kl_status kl_modes_scene_of(const kl_analysis *a, const kl_spectrum *s, const char *path,
                            kl_diag *diag);

#endif
