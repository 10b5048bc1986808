/* The line of a beam: position and axes over the arc length. */
#ifndef KL_BEAMS_BEAM_LINE_H
#define KL_BEAMS_BEAM_LINE_H

#include "base/vec.h"

struct kl_path;

typedef struct kl_beam_line {
    kl_vec3               from, to;
    kl_vec3               through; /* with `arc`: a third point of a circle */
    kl_vec3               z;       /* direction of the section's z axis; zero: found */
    const struct kl_path *path;    /* NULL: none */
    bool                  arc;
    /* derived */
    double  length, radius;
    kl_vec3 center, normal, first; /* of the arc: towards `from`, unit */
} kl_beam_line;

/* Fills in what follows; NULL: all is well, else what is wrong with it and the remedy. */
const char *kl_beam_line_close(kl_beam_line *l);

/* Position and axes at the arc length s: x along the beam. */
void kl_beam_line_at(const kl_beam_line *l, double s, kl_vec3 *r, kl_mat3 *A);

#endif
