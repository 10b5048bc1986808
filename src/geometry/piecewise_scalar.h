/* A number as a function of length: cant along a track. Pieces, each a polynomial or a transition
 * shape between two values. */
#ifndef KL_GEOMETRY_PIECEWISE_SCALAR_H
#define KL_GEOMETRY_PIECEWISE_SCALAR_H

#include "geometry/interpolate.h"
#include "geometry/transition.h"

enum { KL_LAW_DERIVATIVES = 4 }; /* value and three derivatives */

typedef struct kl_piecewise_piece {
    double          x;                  /* where it begins */
    double          f0, f1;             /* values of a shape at its ends */
    const kl_shape *shape;              /* NULL: a polynomial */
    double          c[KL_NCOEFFICIENT]; /* of the polynomial in x - piece.x */
} kl_piecewise_piece;

typedef struct kl_piecewise {
    int                 n, capacity;
    kl_piecewise_piece *piece;
    double              end;    /* where the last piece ends */
    double              period; /* 0: constant beyond the ends */
} kl_piecewise;

/* An empty law that begins at x. */
void kl_piecewise_begin(kl_piecewise *law, double x);

/* Adds a transition of that length from f0 to f1; shape NULL: linear; f0 = f1: constant. */
kl_status kl_piecewise_add(kl_piecewise *law, kl_arena *arena, double length, double f0, double f1,
                           const kl_shape *shape);

/* Adds a polynomial in x from its start, over that length. */
kl_status kl_piecewise_add_polynomial(kl_piecewise *law, kl_arena *arena, double length,
                                      const double c[KL_NCOEFFICIENT]);

/* Through points: x ascending, n of them (closed: period = x of the repeated first point). */
kl_status kl_piecewise_through(kl_piecewise *law, kl_arena *arena, kl_arena *scratch,
                               kl_interpolation kind, const double *x, const double *f, int n,
                               bool closed);

/* Value and derivatives at x. `side` < 0: the limit from below at a joint. `hint` is the piece
 * found last and may be NULL. Outside: the end value. */
void kl_piecewise_eval(const kl_piecewise *law, double x, int side, int *hint,
                       double f[KL_LAW_DERIVATIVES]);

/* Moves all joints: x <- map(x). Shapes stretch with them; polynomials are stretched too. */
void kl_piecewise_map(kl_piecewise *law, double (*map)(const void *context, double x),
                      const void   *context);

#endif
