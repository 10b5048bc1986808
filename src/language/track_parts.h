/* What the files that read a track share. */
#ifndef KL_LANGUAGE_TRACK_PARTS_H
#define KL_LANGUAGE_TRACK_PARTS_H

#include "geometry/frame.h"
#include "geometry/layout.h"
#include "geometry/spatial.h"
#include "language/track.h"

typedef struct kl_track_reader {
    kl_scope               *s;
    const kl_node          *node; /* the section `track` */
    const char             *file; /* its name; may be NULL */
    const kl_track_options *options;
    kl_arena               *arena;
    kl_diag                *diag;

    /* where the line goes and how it rolls */
    kl_curve     *curve;
    kl_piecewise *roll;   /* by the curve's parameter u; NULL: none yet */
    const double *roll_u; /* or: angles at parameters u, to be interpolated by length */
    const double *roll_angle;
    int           nroll;
    const char   *what;
} kl_track_reader;

/* One of the three ways; each fills curve, what and, if it says so, the roll. */
kl_status kl_track_points(kl_track_reader *r);
kl_status kl_track_layout(kl_track_reader *r);
kl_status kl_track_segments(kl_track_reader *r);

/* The spline of the section `track` through points; fills curve, what and, with nroll angles, their
 * parameters. `from`: what the points were taken from, or NULL. */
kl_status kl_track_spline(kl_track_reader *r, const kl_vec3 *point, const kl_place *place, int n,
                          kl_place whole, const char *from);

/* ---- small things ---- */

/* Every key of the map must be one of `known` (NULL-terminated); false when not, or no map. */
bool kl_track_keys(kl_track_reader *r, const kl_node *map, const char *what,
                   const char *const *known);

/* A number at `key` if it is there: true and *out set. Mistakes are reported and count as not there;
 * ask the diag at the end. */
bool kl_track_number(kl_track_reader *r, const kl_node *map, const char *key, const char *unit,
                     double *out);

/* A word at `key` that must be one of `words`; false if absent or wrong (reported). */
bool kl_track_word(kl_track_reader *r, const kl_node *map, const char *key,
                   const char *const *words, const char **out);

/* The name of an interpolation at `key`, old names included; false if absent or wrong (reported). */
bool kl_track_spline_word(kl_track_reader *r, const kl_node *map, const char *key,
                          const char **out);

/* An angle, or a height over the cant base as an angle. */
kl_status kl_track_cant(kl_track_reader *r, const kl_node *n, double base, double *angle);

#endif
