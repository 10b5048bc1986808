/* Lines and surfaces that a model names under `tracks` and `surfaces`: the data of these resources.
 * Path and surface are const and may be read by several threads with cursors of their own. */
#ifndef KL_GEOMETRY_NAMED_H
#define KL_GEOMETRY_NAMED_H

struct kl_path;
struct kl_surface;

typedef struct kl_named_track {
    const char           *name;
    const struct kl_path *path;
    double                gauge; /* between rails, for drawing [m]; 0: a bare line */
    const char           *what;  /* in words: "cubic spline through 812 points" */
} kl_named_track;

typedef struct kl_named_surface {
    const char              *name;
    const struct kl_surface *surface;
} kl_named_surface;

#endif
