/* The tracks of a model, and other resources that are lines, to be drawn, kept with the results under /scene/tracks. */
#ifndef KL_RESULTS_DRAWN_LINES_H
#define KL_RESULTS_DRAWN_LINES_H

#include "model/model.h"
#include "results/results.h"
#include "store/h5.h"

/* Lines of resources that are on the ground; *n of them. NULL: none, or out of memory. */
const kl_drawn_line *kl_drawn_lines(const kl_model *m, kl_arena *arena, int *n);

/* /scene/tracks/NAME with the datasets position and normal and the attribute gauge. */
bool kl_drawn_lines_write(kl_h5 *file, const kl_drawn_line *list, int n);

/* Those of a file; *n of them. NULL: none, or out of memory. */
const kl_track_points *kl_drawn_lines_read(kl_h5 *file, kl_arena *arena, int *n);

#endif
