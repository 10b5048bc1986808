#include "geometry/path.h"

#include <math.h>
#include <stdlib.h>

#include "base/rotation.h"
#include "geometry/frame.h"
#include "geometry/piecewise_scalar.h"

kl_status kl_path_cursor_init(const kl_path *path, kl_arena *arena, kl_path_cursor *cursor)
{
    size_t bytes = kl_path_window_bytes(path);
    *cursor      = (kl_path_cursor){0};
    if (bytes == 0) return KL_OK;
    cursor->window = kl_arena_take(arena, bytes);
    return cursor->window ? KL_OK : KL_E_MEMORY;
}

size_t kl_path_window_bytes(const kl_path *path)
{
    int rows = path->type->window_rows ? path->type->window_rows(path->data) : 0;
    return (size_t)rows * KL_ROW * sizeof(double);
}

void kl_path_cursor_place(const kl_path *path, void *room, kl_path_cursor *cursor)
{
    cursor->window = kl_path_window_bytes(path) ? room : NULL;
}

kl_status kl_path_eval(const kl_path *path, double s, kl_path_cursor *cursor, kl_path_point *out)
{
    return kl_path_eval_side(path, s, 1, cursor, out);
}

/* Beyond an end the way goes on with the curvature and the turn of the end, so that a step which
 * ends a little too far meets no jump: A = exp([b kappa]) A_0, r' = t. What the end says of the
 * changes of curvature holds for a millimetre, far more than the location of the end is off by. */
static void extrapolate(double beyond, kl_path_point *p)
{
    const double valid = 1e-3; /* [m] */
    kl_vec3      turn  = kl_scale(beyond, p->kappa);
    kl_mat3      R = kl_rotation_exp(turn), mean = kl_rotation_tangent(kl_neg(turn));
    p->r   = kl_axpy(beyond, kl_mul(&mean, p->t), p->r);
    p->A   = kl_matmul(&R, &p->A);
    p->t   = kl_mul(&R, p->t);
    p->dt  = kl_mul(&R, p->dt);
    p->ddt = kl_mul(&R, p->ddt);
    if (fabs(beyond) <= valid) return;
    p->ddt    = kl_cross(p->kappa, p->dt);
    p->dkappa = p->ddkappa = (kl_vec3){0};
}

kl_status kl_path_eval_side(const kl_path *path, double s, int side, kl_path_cursor *cursor,
                            kl_path_point *out)
{
    if (!isfinite(s)) return KL_E_NAN;
    double length = path->length, beyond = 0.0;
    if (path->closed) {
        s -= length * floor(s / length);
        if (side < 0 && s == 0.0) s = length;
        if (side >= 0 && s >= length) s = 0.0; /* rounding of the line above */
    } else {
        beyond = s < 0.0 ? s : s > length ? s - length : 0.0;
        s -= beyond;
        if (s >= length) s = length, side = -1;
    }
    KL_TRY(path->type->eval(path->data, s, side, cursor, out));
    out->beyond = beyond;
    if (beyond != 0.0) extrapolate(beyond, out);
    return KL_OK;
}

/* ---- exact ---- */

typedef struct exact_path {
    const kl_arc       *arc;
    const kl_frame     *frame;
    const kl_piecewise *roll;
    int                 order; /* derivatives of r that the frame needs */
} exact_path;

static kl_status exact_eval(const void *data, double s, int side, kl_path_cursor *cursor,
                            kl_path_point *out)
{
    const exact_path *p = data;
    kl_vec3           d[KL_CURVE_ORDER + 1];
    kl_frame_point    f;
    int              *hint = cursor->hint;
    hint[0]                = kl_arc_find(p->arc, s, side, hint[0]);
    kl_arc_eval(p->arc, hint[0], s, p->order, d);
    kl_frame_eval(p->frame, s, side, d, hint + 1, &f);
    if (p->roll) {
        double angle[KL_LAW_DERIVATIVES];
        kl_piecewise_eval(p->roll, s, side, &hint[3], angle);
        kl_frame_roll(&f, d, angle);
    }
    *out = (kl_path_point){d[0], f.A, d[1], d[2], d[3], f.kappa, f.dkappa, f.ddkappa, 0.0};
    return KL_OK;
}

static const kl_path_type exact_type = {"exact", exact_eval, NULL};

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* Joints of curve, frame and roll, sorted, each once, without the ends. */
static kl_status collect_joints(const exact_path *p, kl_arena *arena, kl_path *path)
{
    const kl_arc *arc = p->arc;
    int     n     = arc->curve->npiece + kl_frame_joints(p->frame) + (p->roll ? p->roll->n + 1 : 0);
    int     m     = 0;
    double *joint = kl_arena_array(arena, double, n);
    if (!joint) return KL_E_MEMORY;
    for (int i = 1; i < arc->n; i++) {
        int piece = arc->interval[i].piece;
        if (piece == arc->interval[i - 1].piece || arc->curve->piece[piece].smooth) continue;
        joint[m++] = arc->interval[i].s;
    }
    for (int i = 0; i < kl_frame_joints(p->frame); i++) joint[m++] = kl_frame_joint(p->frame, i);
    for (int i = 0; p->roll && i < p->roll->n; i++) joint[m++] = p->roll->piece[i].x;
    if (p->roll && p->roll->n > 0) joint[m++] = p->roll->end;
    qsort(joint, (size_t)m, sizeof *joint, ascending);

    /* two that rounding holds apart are one */
    double near = 1e-12 * path->length + 1e-10;
    int    kept = 0;
    for (int i = 0; i < m; i++) {
        if (joint[i] < near || joint[i] > path->length - near) continue;
        if (kept > 0 && joint[i] - joint[kept - 1] < near) continue;
        joint[kept++] = joint[i];
    }
    path->joint = joint, path->njoint = kept;
    return KL_OK;
}

kl_status kl_path_exact(const kl_arc *arc, const kl_frame *frame, const kl_piecewise *roll,
                        kl_arena *arena, kl_path **out)
{
    kl_path    *path = kl_arena_array(arena, kl_path, 1);
    exact_path *p    = kl_arena_array(arena, exact_path, 1);
    if (!kl_arena_ok(arena)) return KL_E_MEMORY;
    *p         = (exact_path){arc, frame, roll && roll->n > 0 ? roll : NULL, kl_frame_order(frame)};
    path->type = &exact_type, path->data = p;
    path->length = arc->length, path->closed = arc->curve->closed;
    *out = path;
    return collect_joints(p, arena, path);
}

/* ---- rows ---- */

void kl_path_row(const kl_path_point *p, double s, double row[KL_ROW])
{
    static const int value[3] = {KL_ROW_T, KL_ROW_N, KL_ROW_B};
    static const int first[3] = {KL_ROW_T1, KL_ROW_N1, KL_ROW_B1};
    static const int twice[3] = {KL_ROW_T2, KL_ROW_N2, KL_ROW_B2};
    row[KL_ROW_L]             = s;
    kl_store(row + KL_ROW_G, p->r);
    kl_store(row + KL_ROW_G1, p->t);
    kl_store(row + KL_ROW_G2, p->dt);
    for (int i = 0; i < 3; i++) {
        kl_store(row + value[i], kl_axis(&p->A, i));
        kl_store(row + first[i], kl_path_axis_d1(p, i));
        kl_store(row + twice[i], kl_path_axis_d2(p, i));
    }
}

const char *kl_path_row_name(int column)
{
    static const char *const names[KL_ROW] = {
        "L",     "g.x",   "g.y",   "g.z",   "t.x",   "t.y",   "t.z",   "b.x",   "b.y",   "b.z",
        "n.x",   "n.y",   "n.z",   "g'.x",  "g'.y",  "g'.z",  "g''.x", "g''.y", "g''.z", "t'.x",
        "t'.y",  "t'.z",  "b'.x",  "b'.y",  "b'.z",  "n'.x",  "n'.y",  "n'.z",  "t''.x", "t''.y",
        "t''.z", "b''.x", "b''.y", "b''.z", "n''.x", "n''.y", "n''.z"};
    return column >= 0 && column < KL_ROW ? names[column] : NULL;
}

const char *kl_path_row_unit(int column)
{
    if (column < KL_ROW_T) return "m";
    if (column < KL_ROW_G2) return "1";
    return column < KL_ROW_T2 ? "1/m" : "1/m2";
}
