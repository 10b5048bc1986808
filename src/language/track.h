/* A track as an engineer writes it, in YAML: control points, a layout of straights, curves and
 * transitions with a profile, or spatial segments; read into an exact path.
 *
 * docs/tracks.md describes the language. */
#ifndef KL_LANGUAGE_TRACK_H
#define KL_LANGUAGE_TRACK_H

#include "geometry/path_table.h"
#include "language/doc.h"
#include "language/scope.h"

/* Where a check warns; 0: it does not. */
typedef struct kl_track_limits {
    double radius, vertical_radius; /* smallest [m] */
    double slope, roll;             /* largest [rad] */
    double roll_rate, roll_jerk;    /* largest [rad/m], [rad/m2] */
    double clearance;               /* between two parts of the track [m] */
} kl_track_limits;

typedef struct kl_track {
    const char       *title;
    const char       *what;  /* "cubic spline through 812 points", ... */
    const char       *frame; /* "level", ... */
    const kl_path    *path;  /* exact, jumps rounded where asked for */
    const kl_arc     *arc;
    double            gauge; /* between the rails, for drawing [m] */
    kl_table_settings table;
    kl_track_limits   limits;
} kl_track;

typedef struct kl_track_options {
    const kl_override *set; /* parameters changed from outside */
    int                nset;
    bool               no_files; /* refuse files of points */
    int                most;     /* pieces a curve may have; 0: a million */
    double             corners;  /* jumps are rounded over this length unless the track says [m] */
} kl_track_options;

/* Reads a file. All lives in `arena`; `text`, unless NULL, gets what the file says. */
kl_status kl_track_read(const char *path, const kl_track_options *options, kl_arena *arena,
                        kl_diag *diag, kl_track **out, const char **text);

/* The same from a tree. `file` is the name of the file, beside which files of points lie. */
kl_status kl_track_build(const kl_node *root, const char *file, const kl_track_options *options,
                         kl_arena *arena, kl_diag *diag, kl_track **out);

/* From the map `node` (the section `track`) with names known in `scope`: for models that hold their
 * track themselves. */
kl_status kl_track_section(kl_scope *scope, const kl_node *node, const char *file,
                           const kl_track_options *options, kl_track **out);

/* Where in the file the track at length s comes from. */
kl_place kl_track_place(const kl_track *track, double s);

#endif
