/* The page that shows results: one HTML file with the viewer, the data and nothing else to load.
 *
 * The data are in <script type="text/plain"> blocks, each zlib and base64. For result number i:
 *
 *   k<i>-head   JSON: what there is (see head_json in view.c)
 *   k<i>-time   time of the frames, float64
 *   k<i>-<b>    block b: columns of float32, byte planes, column after column
 *   k<i>-skin<s>  surface s of a flexible body (skin.h)
 *   k<i>-shapes   of a page of modes: positions of bodies and how modes move them, float64
 *
 * A page of modes has no rows: its time is the phase of a period, from 0 to 1.
 *
 * A column holds value - offset, so that a small change of a large value survives 32 bits. Motion
 * (positions, orientations) keeps all rows as long as possible; other channels may keep every k-th
 * of those. What was left out is in the head, and the page says it. */
#ifndef KL_POST_VIEW_H
#define KL_POST_VIEW_H

#include <stdio.h>

#include "post/skin.h"
#include "results/modes_file.h"
#include "results/results.h"

enum { KL_VIEW_MOST_RESULTS = 8 };

typedef struct kl_view_source {
    kl_reader     *reader;
    const char    *label; /* name of the file, shown in the page */
    const kl_skin *skins; /* of its flexible bodies */
    int            nskin;
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
    int    backward;  /* rows whose time goes back or is no number: the page leaves them out */
    bool   bad_scene; /* there is one, but it cannot be read */
    size_t bytes;     /* in the page */
} kl_view_summary;

/* Writes the whole page. `summary` receives n entries. */
kl_status kl_view_write(FILE *f, const kl_view_source *sources, int n,
                        const kl_view_options *options, kl_diag *diag, kl_view_summary *summary);

/* Lines that bodies follow, as entry of a head; what is closer together than can be seen is left out. */
void kl_view_add_tracks(kl_text *t, const kl_track_points *list, int n);

/* Pages of modes: of a linear model, of a reduced flexible body. `bytes` of data in the page. */
kl_status kl_view_write_modes(FILE *f, const kl_modes_scene *modes, const char *label,
                              kl_diag *diag, size_t *bytes);
kl_status kl_view_write_body(FILE *f, const kl_kbody *body, const char *label, kl_diag *diag,
                             size_t *bytes);

/* A page of a table in CSV: what `klingel locus --csv` prints is in the complex plane, columns
 * of any other are drawn over each other. */
kl_status kl_view_write_table(FILE *f, const char *table, const char *label, kl_diag *diag,
                              size_t *bytes);

/* Pieces of it, for other pages: head and end of a page, the viewer (style and script), the data of
 * one result as number `index`. */
void      kl_view_write_head(FILE *f, const char *title, const char *kind);
kl_status kl_view_write_end(FILE *f, kl_diag *diag); /* with the viewer */
kl_status kl_view_write_block(FILE *f, int index, const char *name, const void *bytes, size_t n,
                              size_t *written);
kl_status kl_view_write_doubles(FILE *f, int index, const char *name, const double *values,
                                size_t n, size_t *written);
/* Surfaces as blocks, and their entries for the head ("[...]") into `list`. */
kl_status kl_view_write_skins(FILE *f, int index, const kl_skin *skins, int n, kl_text *list,
                              size_t *written);
kl_status kl_view_write_viewer(FILE *f, kl_diag *diag);
kl_status kl_view_write_data(FILE *f, const kl_view_source *source, int index,
                             const kl_view_options *options, kl_diag *diag,
                             kl_view_summary *summary);

#endif
