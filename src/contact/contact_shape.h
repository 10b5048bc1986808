/* Shapes that can touch. A shape is in the axes of a marker; lengths in m.
 *
 *   sphere        radius; centre at the origin; `inside`: a bowl, touched from within
 *   plane         z = 0, material below, without edges
 *   cylinder      radius, half length along z, flat ends; `inside`: a hole of that length
 *   capsule       cylinder with half spheres for ends; `half` is that of its straight part
 *   box           half edges `size`
 *   cone          z from -half (radius) to half (tube): a cone or its frustum
 *   ellipsoid     semi-axes `size`
 *   torus         circle of `radius` about z, tube radius `tube`; tube 0 is a thin ring
 *   revolved-arc  arcs in the x-y plane turned about y (Craveiro Neto 2020, eq. 5.4)
 *   extruded-arc  arcs in the x-y plane, z from z[0] to z[1] (eq. 5.1)
 *   surface       one of `surfaces:`
 *   mesh          closed mesh of triangles
 *   skin          surface of a flexible body, as it deforms (contact/contact_skin.h); `size` and `pose`
 *                 say which part of it, infinite `size`: all
 *
 * Arcs have material on the inside of their circle (side 1) or outside of it (side -1: a groove); a
 * chain of arcs may have kinks at its joints. */
#ifndef KL_CONTACT_CONTACT_SHAPE_H
#define KL_CONTACT_CONTACT_SHAPE_H

#include <stdbool.h>

#include "base/text.h"
#include "base/vec.h"
#include "geometry/surface.h"

typedef enum kl_solid_kind {
    KL_SOLID_SPHERE,
    KL_SOLID_PLANE,
    KL_SOLID_CYLINDER,
    KL_SOLID_CAPSULE,
    KL_SOLID_BOX,
    KL_SOLID_CONE,
    KL_SOLID_ELLIPSOID,
    KL_SOLID_TORUS,
    KL_SOLID_REVOLVED_ARC,
    KL_SOLID_EXTRUDED_ARC,
    KL_SOLID_SURFACE,
    KL_SOLID_MESH,
    KL_SOLID_SKIN,
    KL_SOLID_KINDS
} kl_solid_kind;

typedef struct kl_solid {
    kl_solid_kind         kind;
    double                radius, tube, half; /* [m] */
    kl_vec3               size;               /* [m] */
    bool                  inside;
    kl_arc2               arc; /* of revolved-arc and extruded-arc */
    double                side;
    const kl_arc2        *arcs; /* a chain of narc of them, each with its side; NULL: one */
    const double         *sides;
    int                   narc;
    double                z[2];
    const kl_surface     *surface;
    const struct kl_hull *mesh;
    const char           *name;   /* of the surface, or the file of the mesh */
    double                scale;  /* of the mesh */
    kl_pose               pose;   /* in the axes of its marker */
    int                   slices; /* of a pin in a hole: discs along its length; 0: its two ends */
} kl_solid;

/* Signed distance of a point: negative inside the material. `n` is its gradient, away from the
 * material; `foot` the nearest point of the surface. Shape's own axes. */
typedef struct kl_offset {
    double  d;
    kl_vec3 n, foot;
    double  uv[2]; /* of a surface: parameters of the foot; a start when `warm` */
    int     part;  /* of a chain: the arc that the foot lies on */
    bool    warm;
} kl_offset;

enum { KL_FACE_POINTS = 8 };

/* A kind of shape as a table of functions; optional ones may be NULL. */
typedef struct kl_solid_type {
    const char *name, *help;
    bool        convex;
    void (*project)(const kl_solid *s, kl_vec3 p, kl_offset *out);
    /* (optional) point of the surface that is farthest along n */
    kl_vec3 (*support)(const kl_solid *s, kl_vec3 n);
    /* (optional) corners of the flat part that faces along n, at most KL_FACE_POINTS */
    int (*face)(const kl_solid *s, kl_vec3 n, kl_vec3 *corner);
    /* half lengths of a box about `centre` that holds the shape; infinite for a plane */
    void (*bounds)(const kl_solid *s, kl_vec3 *centre, kl_vec3 *half);
    /* (optional) principal curvatures [1/m] at surface point p, positive where convex, and the
     * direction of the first */
    void (*curvature)(const kl_solid *s, kl_vec3 p, double k[2], kl_vec3 *direction);
} kl_solid_type;

extern const kl_solid_type kl_solid_types[KL_SOLID_KINDS];
extern const char *const   kl_solid_words;

/* What is wrong with its sizes, in words; NULL: nothing. */
const char *kl_solid_fault(const kl_solid *s);

/* As a model file writes them: [{sphere: 0.05}, plane]. */
void kl_contact_shapes_write(const kl_solid *s, int n, kl_text *t);

void    kl_solid_project(const kl_solid *s, kl_vec3 p, kl_offset *out);
kl_vec3 kl_solid_support(const kl_solid *s, kl_vec3 n);

/* Angle at which the points of a rim about z begin: at the one farthest along n. For a rim that lies level it
 * is fixed. The resultant of points at equal angles that all touch does not depend on it. */
double kl_rim_phase(kl_vec3 n);

/* Half lengths of a box in global axes that holds the shape at `pose`. */
void kl_solid_bounds(const kl_solid *s, const kl_pose *pose, kl_vec3 *low, kl_vec3 *high);

#endif
