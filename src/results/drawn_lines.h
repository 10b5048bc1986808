/* The tracks of a model as lines to draw, kept with the results under /scene/tracks. */
#ifndef KL_RESULTS_DRAWN_LINES_H
#define KL_RESULTS_DRAWN_LINES_H

#include "model/model.h"
#include "store/h5.h"

typedef struct kl_drawn_line {
    const char *name;
    double      gauge;             /* between the rails [m]; 0: a bare line */
    int         n;                 /* places, in equal steps */
    double     *position, *normal; /* n x 3: middle of the track, its upward axis */
} kl_drawn_line;

/* Lines of tracks that stand on the ground; *n of them. NULL: none, or out of memory. */
const kl_drawn_line *kl_drawn_lines(const kl_model *m, kl_arena *arena, int *n);

/* /scene/tracks/NAME with the datasets position and normal and the attribute gauge. */
bool kl_drawn_lines_write(kl_h5 *file, const kl_drawn_line *list, int n);

#endif
