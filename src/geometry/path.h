/* A path: position and frame as functions of length s. What a body that follows a track, a path
 * constraint or a swept surface reads; whether exact geometry or a table answers is not their
 * business.
 *
 *   r(s), A(s);  r' = t,  A' = [kappa] A        (' = d/ds, all in the axes the path is given in)
 *
 * A body of one coordinate s reports the marker r, A with the map B = [t; kappa] (6 x 1), bias
 * accelerations r'' s'^2 and kappa' s'^2, and the geometric stiffness r''.f + kappa'.n of a wrench
 * (f, n). The third derivatives r''' and kappa'' are there for tangents of the bias terms.
 *
 * Axes, columns of A: forward t, left (the papers' n), up (b). Evaluation allocates nothing; the
 * path is const and shared; each caller keeps a cursor of its own. */
#ifndef KL_GEOMETRY_PATH_H
#define KL_GEOMETRY_PATH_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/vec.h"

typedef struct kl_path_point {
    kl_vec3 r;                      /* position [m] */
    kl_mat3 A;                      /* axes: forward, left, up */
    kl_vec3 t, dt, ddt;             /* r', r'' [1/m], r''' [1/m2] */
    kl_vec3 kappa, dkappa, ddkappa; /* turn of the frame [rad/m] and its derivatives by s */
    double  beyond; /* how far s lies before (< 0) or behind (> 0) an open path [m]; 0: on it. There
                       the curvature of the end goes on. */
} kl_path_point;

/* What a caller keeps between calls; all zero is a good start for any path but a windowed table. */
typedef struct kl_path_cursor {
    int     hint[4];   /* intervals found last */
    double *window;    /* rows in memory; from kl_path_cursor_init */
    int     row, rows; /* first row and number of rows in the window */
    long    reads;     /* times the window was filled from its source */
} kl_path_cursor;

typedef struct kl_path_type {
    const char *name;
    /* At s in [0, length]; side < 0: the limit from below where something jumps. */
    kl_status (*eval)(const void *data, double s, int side, kl_path_cursor *cursor,
                      kl_path_point *out);
    int (*window_rows)(const void *data); /* rows a cursor needs; NULL: none */
} kl_path_type;

typedef struct kl_path {
    const kl_path_type *type;
    const void         *data;
    double              length; /* [m] */
    bool                closed; /* s counts on, round after round */
    const double *joint; /* lengths where a derivative may jump, ascending, without the ends */
    int           njoint;
} kl_path;

/* Prepares a cursor, with room for a window where the path needs one. */
kl_status kl_path_cursor_init(const kl_path *path, kl_arena *arena, kl_path_cursor *cursor);

/* The same for who keeps the memory himself: bytes of the window (0: none), and a cursor whose
 * window is `room`. What the cursor knows of the window stays; zero: nothing. */
size_t kl_path_window_bytes(const kl_path *path);
void   kl_path_cursor_place(const kl_path *path, void *room, kl_path_cursor *cursor);

/* Everything at s. KL_E_FILE when a windowed table cannot be read, KL_E_NAN when s is not finite.
 */
kl_status kl_path_eval(const kl_path *path, double s, kl_path_cursor *cursor, kl_path_point *out);

/* The same with a chosen side at joints: side < 0 the limit from below. */
kl_status kl_path_eval_side(const kl_path *path, double s, int side, kl_path_cursor *cursor,
                            kl_path_point *out);

/* Derivatives of axis i (0 t, 1 left, 2 up): e' = kappa x e and e''. */
static inline kl_vec3 kl_path_axis_d1(const kl_path_point *p, int i)
{
    return kl_cross(p->kappa, kl_axis(&p->A, i));
}

static inline kl_vec3 kl_path_axis_d2(const kl_path_point *p, int i)
{
    kl_vec3 e = kl_axis(&p->A, i);
    return kl_add(kl_cross(p->dkappa, e), kl_cross(p->kappa, kl_cross(p->kappa, e)));
}

/* ---- the exact path ---- */

typedef struct kl_arc       kl_arc;
typedef struct kl_frame     kl_frame;
typedef struct kl_piecewise kl_piecewise;

/* From a curve by length, its frame, and an angle about t by length (NULL: none). All are kept,
 * none is copied. */
kl_status kl_path_exact(const kl_arc *arc, const kl_frame *frame, const kl_piecewise *roll,
                        kl_arena *arena, kl_path **out);

/* ---- the row of the papers' table ---- */

/* Columns of figure 1.3 of Ambrosio (2019): L, then g t b n g' g'' t' b' n' t'' b'' n''. */
enum {
    KL_ROW_L  = 0,
    KL_ROW_G  = 1,
    KL_ROW_T  = 4,
    KL_ROW_B  = 7,
    KL_ROW_N  = 10,
    KL_ROW_G1 = 13,
    KL_ROW_G2 = 16,
    KL_ROW_T1 = 19,
    KL_ROW_B1 = 22,
    KL_ROW_N1 = 25,
    KL_ROW_T2 = 28,
    KL_ROW_B2 = 31,
    KL_ROW_N2 = 34,
    KL_ROW    = 37
};

void kl_path_row(const kl_path_point *p, double s, double row[KL_ROW]);

/* Names of the 37 columns: "L", "g.x", ..., "n''.z"; and their units. */
const char *kl_path_row_name(int column);
const char *kl_path_row_unit(int column);

#endif
