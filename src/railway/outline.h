/* The outline of a wheel or rail profile: a planar curve of short polynomial pieces.
 *
 * Axes: y outward (to the field side of the track), z up, metres; the curve is run through from the
 * track side to the field side. The rail's material is below the curve, the wheel's above it. A
 * wheel's origin is the taping line, so its radius is r0 - z and the flange hangs below z = 0; a
 * rail's origin is the middle of its head's top.
 *
 * Each piece is y(t), z(t), polynomials of degree 5 for t in [0, 1]. Position and tangent are
 * continuous; curvature may jump between pieces, as it does where two arcs meet. */
#ifndef KL_RAILWAY_OUTLINE_H
#define KL_RAILWAY_OUTLINE_H

#include <math.h>

#include "base/arena.h"
#include "klingel/status.h"

typedef struct kl_outline_piece {
    double y[6], z[6]; /* coefficients of t^k [m] */
} kl_outline_piece;

/* Angle of the tangent along a piece, from y towards z, as a cubic in t [rad]; it is continuous from
 * piece to piece. */
typedef struct kl_outline_turn {
    double c[4]; /* coefficients of t^k */
} kl_outline_turn;

typedef struct kl_outline {
    int               n;     /* pieces */
    kl_outline_piece *piece; /* n */
    double           *s;     /* arc length at the joints [m], n + 1; after kl_outline_end */
    kl_outline_turn  *turn;  /* n; after kl_outline_end */
    int               capacity;
    kl_arena         *arena;
} kl_outline;

/* A place on an outline: piece i, parameter t in [0, 1]. */
typedef struct kl_outline_place {
    int    i;
    double t;
} kl_outline_place;

/* Position and derivatives by t. */
typedef struct kl_outline_rates {
    double y, z, y1, z1, y2, z2;
} kl_outline_rates;

typedef struct kl_outline_point {
    double y, z;   /* [m] */
    double ty, tz; /* unit tangent, towards the field side */
    double
        curvature; /* d(angle of the tangent)/d(arc length) [1/m]: negative where a rail is convex,
                         positive where a wheel is convex */
} kl_outline_point;

/* Largest length of a piece made by the functions below [m]. */
#define KL_OUTLINE_STEP 0.5e-3

void kl_outline_begin(kl_outline *o, kl_arena *arena);

/* Appends a straight line; an arc about (yc, zc) from angle `from` to angle `to` [rad, from the y axis
 * towards z]; the polynomial z = sum p_k y^k for y from y0 to y1 (n coefficients). The caller starts
 * each part where the last one ended. */
void kl_outline_line(kl_outline *o, double y0, double z0, double y1, double z1);
void kl_outline_arc(kl_outline *o, double yc, double zc, double radius, double from, double to);
void kl_outline_polynomial(kl_outline *o, const double *p, int n, double y0, double y1);
void kl_outline_piece_add(kl_outline *o, const kl_outline_piece *piece);

/* Measures lengths and angles. KL_E_MEMORY when the arena failed. */
kl_status kl_outline_end(kl_outline *o);

/* The outline turned by `angle` [rad, from y towards z] about the origin, then shifted; in `arena`. */
kl_status kl_outline_moved(const kl_outline *o, double angle, double dy, double dz, kl_arena *arena,
                           kl_outline *out);

static inline double kl_outline_length(const kl_outline *o) { return o->s[o->n]; }

static inline kl_outline_rates kl_outline_rates_at(const kl_outline *o, kl_outline_place p)
{
    const double *a = o->piece[p.i].y, *b = o->piece[p.i].z, t = p.t;
    return (kl_outline_rates){
        .y  = a[0] + t * (a[1] + t * (a[2] + t * (a[3] + t * (a[4] + t * a[5])))),
        .z  = b[0] + t * (b[1] + t * (b[2] + t * (b[3] + t * (b[4] + t * b[5])))),
        .y1 = a[1] + t * (2 * a[2] + t * (3 * a[3] + t * (4 * a[4] + t * 5 * a[5]))),
        .z1 = b[1] + t * (2 * b[2] + t * (3 * b[3] + t * (4 * b[4] + t * 5 * b[5]))),
        .y2 = 2 * a[2] + t * (6 * a[3] + t * (12 * a[4] + t * 20 * a[5])),
        .z2 = 2 * b[2] + t * (6 * b[3] + t * (12 * b[4] + t * 20 * b[5]))};
}

static inline kl_outline_point kl_outline_at(const kl_outline *o, kl_outline_place p)
{
    kl_outline_rates r = kl_outline_rates_at(o, p);
    double           w = 1.0 / sqrt(r.y1 * r.y1 + r.z1 * r.z1);
    return (kl_outline_point){.y         = r.y,
                              .z         = r.z,
                              .ty        = r.y1 * w,
                              .tz        = r.z1 * w,
                              .curvature = (r.y1 * r.z2 - r.z1 * r.y2) * w * w * w};
}

/* Angle of the tangent [rad]. */
static inline double kl_outline_angle(const kl_outline *o, kl_outline_place p)
{
    const double *c = o->turn[p.i].c;
    return c[0] + p.t * (c[1] + p.t * (c[2] + p.t * c[3]));
}

/* The place at arc length s [m], held within the ends. */
kl_outline_place kl_outline_find(const kl_outline *o, double s);

/* The place nearest to (y, z), by Newton's method from `p`, held within the ends. */
kl_outline_place kl_outline_foot(const kl_outline *o, double y, double z, kl_outline_place p);

/* The same without a start: all pieces are looked at. */
kl_outline_place kl_outline_nearest(const kl_outline *o, double y, double z);

/* Lowest or highest point (sign -1 or +1 for z). */
kl_outline_place kl_outline_extreme(const kl_outline *o, int sign);

#endif
