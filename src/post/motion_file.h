/* Motion for other programs: VTK series (ParaView), glTF animation (browsers, Blender), film. */
#ifndef KL_POST_MOTION_FILE_H
#define KL_POST_MOTION_FILE_H

#include <stdio.h>

#include "post/solids.h"

/* Rows that are written: row0, row0 + every, ... before row1; `time` of all rows. */
typedef struct kl_frames {
    kl_reader    *reader;
    const double *time;
    int           row0, row1, every;
} kl_frames;

static inline int kl_frames_count(const kl_frames *f)
{
    return f->row1 > f->row0 ? (f->row1 - f->row0 - 1) / f->every + 1 : 0;
}

/* Reads all channels and fields of frame `k` into `row` (kl_solids_row_size numbers). */
kl_status kl_frames_row(const kl_frames *f, int k, double *row);

/* One frame as a PolyData file (.vtp): all bodies, with the number of the body and its colour at
 * each triangle. `x`: scratch of s->nvertex. */
kl_status kl_vtp_write(FILE *f, const kl_solids *s, const double *row, kl_vec3 *x);

/* The whole motion as one binary glTF 2.0 file (.glb): a node and a mesh a body, one animation. */
kl_status kl_glb_write(FILE *f, const kl_solids *s, const kl_frames *frames, const char *title);

/* Pictures of the motion, one after the other as bytes R, G, B row by row from above, `fps` a
 * second of film, `speed` seconds of motion in a second of film. Returns KL_E_FILE when the stream
 * takes no more. `count`, unless NULL, receives the number of pictures. */
typedef struct kl_film {
    int    width, height;
    double fps, speed;
} kl_film;
kl_status kl_film_write(FILE *f, const kl_solids *s, const kl_frames *frames, const kl_film *film,
                        int *count);

#endif
