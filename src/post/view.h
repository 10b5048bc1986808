/* The page that shows results: one HTML file with the viewer, the data and nothing else to load.
 *
 * The data stand in <script type="text/plain"> blocks, each zlib and base64. For result number i:
 *
 *   k<i>-head   JSON: what there is (see head_json in view.c)
 *   k<i>-time   time of the frames, float64
 *   k<i>-<b>    block b: columns of float32, byte planes, column after column
 *
 * A column holds value - offset, so that a small change of a large value survives 32 bits. Motion
 * (positions, orientations) keeps all rows as long as possible; other channels may keep every k-th
 * of those. What was left out is in the head, and the page says it. */
#ifndef KL_POST_VIEW_H
#define KL_POST_VIEW_H

#include <stdio.h>

#include "io/results.h"

enum { KL_VIEW_MOST_RESULTS = 8 };

typedef struct kl_view_source {
    kl_reader  *reader;
    const char *label; /* name of the file, shown in the page */
} kl_view_source;

typedef struct kl_view_options {
    int  every;       /* keep every n-th row; 0: chosen so that a browser stays fluid */
    bool motion_only; /* leave out what the scene does not need */
} kl_view_options;

/* What was written of one result. */
typedef struct kl_view_summary {
    int    rows, bodies, channels;
    int    frames, frame_every;   /* of the motion */
    int    samples, sample_every; /* of other channels */
    size_t bytes;                 /* in the page */
} kl_view_summary;

/* Writes the whole page. `summary` receives n entries. */
kl_status kl_view_write(FILE *f, const kl_view_source *sources, int n,
                        const kl_view_options *options, kl_diag *diag, kl_view_summary *summary);

/* Pieces of it, for other pages: the viewer (style and script), the data of one result as number
 * `index`. */
kl_status kl_view_write_viewer(FILE *f, kl_diag *diag);
kl_status kl_view_write_data(FILE *f, const kl_view_source *source, int index,
                             const kl_view_options *options, kl_diag *diag,
                             kl_view_summary *summary);

#endif
