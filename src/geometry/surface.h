/* Surfaces r(u, v) with first and second derivatives, and what follows from them: axes, normals,
 * curvatures. One interface for revolution, sweep, freeform and tables; evaluation allocates
 * nothing.
 *
 * The normal is n = r_u x r_v/|r_u x r_v| (`flip` turns it around); tangent t = r_u/|r_u| and
 * b = n x t (Ambrosio 2019, eq. 1.13 and 1.14). */
#ifndef KL_GEOMETRY_SURFACE_H
#define KL_GEOMETRY_SURFACE_H

#include "geometry/path.h"
#include "geometry/profile.h"

typedef struct kl_surface_point {
    kl_vec3 r, ru, rv, ruu, ruv, rvv; /* subscripts: partial derivatives */
} kl_surface_point;

/* Kept by each caller between calls; zero is a good start, but see kl_surface_cursor_init. */
typedef struct kl_surface_cursor {
    int            hint[2];
    kl_path_cursor path;           /* of a sweep */
    double        *window;         /* of a table read from a file */
    int            u0, v0, nu, nv; /* what the window holds */
    long           reads;
} kl_surface_cursor;

typedef struct kl_surface_type {
    const char *name;
    kl_status (*eval)(const void *data, double u, double v, kl_surface_cursor *cursor,
                      kl_surface_point *out);
    kl_status (*cursor)(const void *data, kl_arena *arena, kl_surface_cursor *cursor); /* or NULL */
    size_t (*window)(const void *data); /* bytes of the window of a cursor; NULL: none */
} kl_surface_type;

/* Position and axes of something in the axes of what carries it. */
typedef struct kl_pose {
    kl_vec3 r;
    kl_mat3 A;
} kl_pose;

typedef struct kl_surface {
    const kl_surface_type *type;
    const void            *data;
    double                 u[2], v[2]; /* range of the parameters */
    bool                   closed_u, closed_v;
    bool                   placed; /* pose applies */
    kl_pose                pose;
    bool                   flip; /* the normal points the other way */
} kl_surface;

kl_status kl_surface_cursor_init(const kl_surface *s, kl_arena *arena, kl_surface_cursor *cursor);
/* Bytes of the window that a cursor keeps of a table read from a file; 0: it needs none. Whoever has a
 * cursor in its own memory puts the window there and sets cursor->window. */
size_t kl_surface_window_bytes(const kl_surface *s);

/* Point and derivatives. A closed direction wraps; beyond an open one the formula goes on where it
 * can (see kl_surface_inside). */
kl_status kl_surface_eval(const kl_surface *s, double u, double v, kl_surface_cursor *cursor,
                          kl_surface_point *out);

bool kl_surface_inside(const kl_surface *s, double u, double v);

/* Sets the surface somewhere. */
void kl_surface_place(kl_surface *s, kl_pose pose);

/* Axes and curvatures. Curvature is positive where the surface bends towards n. */
typedef struct kl_surface_shape {
    kl_vec3 n, t, b;
    kl_vec3 nu, nv;           /* partial derivatives of n */
    double  E, F, G, L, M, N; /* first and second fundamental form */
    double  gauss, mean;      /* [1/m2], [1/m] */
    double  k[2];             /* principal curvatures, k[0] >= k[1] [1/m] */
    kl_vec3 direction[2];     /* their unit directions */
} kl_surface_shape;

/* KL_E_SINGULAR where r_u and r_v are parallel or vanish (a pole). */
kl_status kl_surface_shape_at(const kl_surface *s, const kl_surface_point *p,
                              kl_surface_shape *out);

/* ---- the kinds ---- */

/* A profile (xi, R) turned about the x axis: r = (xi, fy R cos v, fz R sin v), u the length along
 * the profile, v the angle (Ambrosio 2019, eq. 1.1 to 1.4). Factors 1: round. */
kl_status kl_surface_revolution(const kl_profile *profile, double fy, double fz, kl_arena *arena,
                                kl_surface **out);

/* A profile swept along a path: r = g(v) + a left + b up, u the length along the profile, v along
 * the path. The profile's coordinates are along left (n) and up (b) of the path's frame (eq. 1.5 to
 * 1.7). */
kl_status kl_surface_sweep(const kl_profile *profile, const kl_path *path, kl_arena *arena,
                           kl_surface **out);

/* Any r(u, v) of your own. */
typedef struct kl_surface_function {
    const void *context;
    void (*eval)(const void *context, double u, double v, kl_surface_point *out);
} kl_surface_function;

kl_status kl_surface_freeform(kl_surface_function function, const double u[2], const double v[2],
                              kl_arena *arena, kl_surface **out);

/* A net of nu x nv points (v runs fastest), interpolated in both directions. Parameters grow with
 * the mean distance of neighbouring points. */
typedef struct kl_net {
    const kl_vec3   *point;
    int              nu, nv;
    kl_interpolation kind;
    bool             closed_u, closed_v;
    kl_place         place;
} kl_net;

kl_status kl_surface_net(const kl_net *net, kl_arena *arena, kl_diag *diag, kl_surface **out);

/* The same surface over new parameters that are lengths: of the lines v = middle and u = middle. */
kl_status kl_surface_by_length(const kl_surface *s, double tolerance, kl_arena *arena,
                               kl_diag *diag, kl_surface **out);

/* ---- arcs, extruded between two nodes or revolved about one (Craveiro Neto 2020, chapter 5) ----
 */

typedef struct kl_arc2 {
    double c[2], radius; /* centre, in the plane of the arc */
    double theta[2];     /* from the first to the last point, theta[1] > theta[0] or less [rad] */
} kl_arc2;

/* From its centre, first and last point; the shorter way round. Their distances from the centre may
 * differ by this part. */
kl_status kl_arc2_make(const double c[2], const double first[2], const double last[2],
                       double tolerance, kl_arc2 *out);

/* r = h1 (Q1 f + x1) + h2 (Q2 f + x2), f = (radius cos theta + c1, radius sin theta + c2, 0),
 * h = (1 -+ zeta)/2; u = zeta in [-1, 1], v = theta. The nodes may move: they are arguments. */
void kl_extruded_arc_eval(const kl_arc2 *arc, const kl_pose node[2], double zeta, double theta,
                          kl_surface_point *out);

/* r = Q f + x, f = (R xf cos phi, radius sin theta + c2, -R zf sin phi), R = radius cos theta + c1;
 * u = phi, v = theta. */
void kl_revolved_arc_eval(const kl_arc2 *arc, double x_factor, double z_factor, const kl_pose *node,
                          double phi, double theta, kl_surface_point *out);

/* Both as surfaces with nodes that stay. */
kl_status kl_surface_extruded_arc(const kl_arc2 *arc, const kl_pose node[2], kl_arena *arena,
                                  kl_surface **out);
kl_status kl_surface_revolved_arc(const kl_arc2 *arc, double x_factor, double z_factor,
                                  kl_pose node, kl_arena *arena, kl_surface **out);

#endif
