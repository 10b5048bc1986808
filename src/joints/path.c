/* A body follows a path: its point stays on the curve, its axes keep to those of the moving frame.
 *
 * Markers: i carries the path, j follows it, and the arc length s is a coordinate of its own (the
 * third marker's r.x; see interface.h). With the path's point r(s), frame F(s), offset o in the
 * frame, everything turned by A_i:
 *
 *   X = A_i (r + F o),  X' = A_i (t + kappa x F o),  X'' likewise; f_a = A_i F_a, f_a' = A_i (kappa
 *   x F_a)
 *   point      r_j - r_i - X = 0                           (3)
 *   direction  f_y . x_j = f_z . x_j = 0                    (2) the body may roll about the way
 *   frame      f_x . y_j = f_y . z_j = f_z . x_j = 0        (3)
 *   drive      s - S(t) = 0                                 (1) or s' = V(t), kept as s - int V dt
 *
 * Bias of the point: -w x (w x X) - 2 s' w x X' - X'' s'^2; of f.b: f''.b + 2 f'.b' + f.b''.
 *
 * Pombo and Ambrosio 2003; Ambrosio 2012, equations 11 to 23, with Frenet's frame on ground. Here
 * the carrier may move (a groove cut into a cam), any frame of the path will do, and s has no mass:
 * its equation of motion says that the track does not push along the way. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "geometry/named.h"
#include "geometry/nearest.h"
#include "geometry/path.h"
#include "joints/joints.h"
#include "script/function.h"

enum { FOLLOW_POINT, FOLLOW_DIRECTION, FOLLOW_FRAME };
enum { WIDE = 18, COLUMN_WI = 3, COLUMN_J = 6, COLUMN_WJ = 9, COLUMN_S = 12 };
/* history: time and integral of the driven speed up to it, way of travel, times it turned round */
enum { H_TIME, H_INTEGRAL, H_WAY, H_TURNS, NH };

typedef struct path_joint {
    const kl_named_track *line;
    int                   follow;
    double                offset[3];
    double                s, speed; /* at the start; NaN: found */
    kl_function          *drive_s, *drive_speed;
    double                s0; /* where a driven speed starts from */
    bool                  cam;
} path_joint;

/* ---- the curve where the body is, in global axes ---- */

typedef struct spot {
    double  s; /* arc length */
    kl_vec3 X, X1, X2;
    kl_vec3 f[3], f1[3], f2[3];
} spot;

/* Its cache: the spot, and the cursor whose window of a long table lies behind it. */
typedef struct path_cache {
    spot           x;
    kl_path_cursor cursor;
} path_cache;

static const spot *spot_of(const kl_reading *in) { return &((const path_cache *)in->cache)->x; }

static kl_status path_locate(const kl_reading *in, void *cache)
{
    const path_joint *p   = in->data;
    path_cache       *c   = cache;
    spot             *out = &c->x;
    kl_path_point     at;
    out->s = in->m[2].r.x;
    kl_path_cursor_place(p->line->path, c + 1, &c->cursor);
    KL_TRY(kl_path_eval(p->line->path, out->s, &c->cursor, &at));
    const kl_mat3 *A = &in->m[0].A;
    kl_vec3        o = kl_mul(&at.A, kl_load(p->offset)), o1 = kl_cross(at.kappa, o);
    kl_vec3        o2 = kl_add(kl_cross(at.dkappa, o), kl_cross(at.kappa, o1));
    out->X            = kl_mul(A, kl_add(at.r, o));
    out->X1           = kl_mul(A, kl_add(at.t, o1));
    out->X2           = kl_mul(A, kl_add(at.dt, o2));
    for (int k = 0; k < 3; k++) {
        out->f[k]  = kl_mul(A, kl_axis(&at.A, k));
        out->f1[k] = kl_mul(A, kl_path_axis_d1(&at, k));
        out->f2[k] = kl_mul(A, kl_path_axis_d2(&at, k));
    }
    return KL_OK;
}

/* Which axes stay at right angles: of the frame, of the body. */
static const int pairs[3][3][2] = {
    [FOLLOW_DIRECTION] = {{1, 0}, {2, 0}}, [FOLLOW_FRAME] = {{0, 1}, {1, 2}, {2, 0}}};
static const int npair[3] = {0, 2, 3};

/* ---- the constraints ---- */

static void point_rows(const spot *x, const kl_motion *m, kl_writing *out)
{
    kl_vec3 d = kl_sub(kl_sub(m[1].r, m[0].r), x->X), w = m[0].w;
    kl_store(out->phi, d);
    double skew[9] = {0, -x->X.z, x->X.y, x->X.z, 0, -x->X.x, -x->X.y, x->X.x, 0};
    double along[3];
    kl_store(along, x->X1);
    for (int k = 0; k < 3; k++) {
        double *row       = out->rows + WIDE * k;
        row[k]            = -1.0;
        row[COLUMN_J + k] = 1.0;
        row[COLUMN_S]     = -along[k];
        memcpy(row + COLUMN_WI, skew + 3 * k, 3 * sizeof *row);
    }
    if (!out->bias) return;
    double  v    = m[2].v.x;
    kl_vec3 bias = kl_cross(w, kl_cross(w, x->X));
    bias         = kl_axpy(2.0 * v, kl_cross(w, x->X1), bias);
    bias         = kl_axpy(v * v, x->X2, bias);
    kl_store(out->bias, kl_neg(bias));
}

static void axis_row(const spot *x, const kl_motion *m, const int pair[2], int k, kl_writing *out)
{
    kl_vec3 f = x->f[pair[0]], f1 = x->f1[pair[0]], f2 = x->f2[pair[0]];
    kl_vec3 b = kl_axis(&m[1].A, pair[1]), turn = kl_cross(f, b), wi = m[0].w, wj = m[1].w;
    double *row = out->rows + WIDE * k;
    out->phi[k] = kl_dot(f, b);
    kl_store(row + COLUMN_WI, turn);
    kl_store(row + COLUMN_WJ, kl_neg(turn));
    row[COLUMN_S] = kl_dot(f1, b);
    if (!out->bias) return;
    double  v    = m[2].v.x;
    kl_vec3 rate = kl_axpy(v, f1, kl_cross(wi, f)), b_rate = kl_cross(wj, b);
    kl_vec3 second = kl_cross(wi, kl_cross(wi, f));
    second         = kl_axpy(2.0 * v, kl_cross(wi, f1), second);
    second         = kl_axpy(v * v, f2, second);
    out->bias[k] = kl_dot(second, b) + 2.0 * kl_dot(rate, b_rate) + kl_dot(f, kl_cross(wj, b_rate));
}

static bool driven(const path_joint *p) { return p->drive_s || p->drive_speed; }

/* Integral of the driven speed over 2 half seconds about `middle`: Gauss's five points, exact for
 * polynomials up to degree nine. */
static double driven_way(const path_joint *p, const double *u, double middle, double half)
{
    static const double node[]   = {0.0, 0.5384693101056831, 0.9061798459386640};
    static const double weight[] = {0.5688888888888889, 0.4786286704993665, 0.2369268850561891};
    double              sum      = 0.0, v[3];
    for (int i = -2; i <= 2; i++) {
        int k = i < 0 ? -i : i;
        kl_function_eval(p->drive_speed, middle + (i < 0 ? -half : half) * node[k], u, v);
        sum += weight[k] * v[0];
    }
    return half * sum;
}

/* The prescribed value of s, with two derivatives. A speed is integrated from the last accepted step
 * on, a longer time in panels of a tenth of a second. */
static void drive_at(const path_joint *p, const kl_reading *in, double f[3])
{
    enum { MOST = 100 };
    double v[3];
    if (p->drive_s) {
        kl_function_eval(p->drive_s, in->t, in->u, f);
        return;
    }
    double from = in->h[H_TIME], span = in->t - from;
    int    n = (int)fmin(MOST, ceil(fabs(span) / 0.1));
    f[0]     = p->s0 + in->h[H_INTEGRAL];
    for (int i = 0; i < n; i++)
        f[0] += driven_way(p, in->u, from + (i + 0.5) * span / n, 0.5 * span / n);
    kl_function_eval(p->drive_speed, in->t, in->u, v);
    f[1] = v[0];
    f[2] = v[1];
}

static kl_status path_eval(const kl_reading *in, kl_writing *out)
{
    const path_joint *p = in->data;
    const spot       *x = spot_of(in);
    point_rows(x, in->m, out);
    int k = 3;
    for (int i = 0; i < npair[p->follow]; i++) axis_row(x, in->m, pairs[p->follow][i], k++, out);
    if (!driven(p)) return KL_OK;
    double f[3];
    drive_at(p, in, f);
    out->phi[k]                    = x->s - f[0];
    out->phi_t[k]                  = -f[1];
    out->rows[WIDE * k + COLUMN_S] = 1.0;
    if (out->bias) out->bias[k] = -f[2];
    return KL_OK;
}

/* ---- tangent: K = -sum lambda d(row')/dx ---- */

static void add(double *K, int row, int column, double value) { K[WIDE * row + column] += value; }

/* block at (row, column) += scale (c I + a b') */
static void add_block(double *K, int row, int column, double scale, double c, kl_vec3 a, kl_vec3 b)
{
    double x[3], y[3];
    kl_store(x, a);
    kl_store(y, b);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            add(K, row + i, column + j, scale * ((i == j ? c : 0.0) + x[i] * y[j]));
}

static void add_column(double *K, int row, int column, double scale, kl_vec3 a)
{
    double x[3];
    kl_store(x, a);
    for (int i = 0; i < 3; i++) add(K, row + i, column, scale * x[i]);
}

static void add_row(double *K, int row, int column, double scale, kl_vec3 a)
{
    double x[3];
    kl_store(x, a);
    for (int i = 0; i < 3; i++) add(K, row, column + i, scale * x[i]);
}

/* dw/dq of w = -Phi_q' lambda at fixed lambda = (l, mu). The position Phi = r_j - r_i - X(s), with X fixed in
 * marker i and l a global vector, exerts the moment X x l on marker i and the force X1.l on s, X1 = dX/ds:
 *
 *   d(X x l)/dtheta_i = X l' - (X.l) I,   d(X x l)/ds = X1 x l = d(X1.l)/dtheta_i,   d(X1.l)/ds = X2.l
 *
 * A pair of axes Phi = f(s).b, f on marker i and b on marker j, exerts -mu f x b on marker i, +mu f x b on
 * marker j and -mu f1.b on s. All blocks with s are symmetric; those of rotations are not, because
 * finite rotations do not commute. */
static void path_tangent(const kl_reading *in, const double *lambda, kl_slopes *out)
{
    const path_joint *p = in->data;
    const spot       *x = spot_of(in);
    double           *K = out->K;
    kl_vec3           l = kl_load(lambda), across = kl_cross(x->X1, l);
    add_block(K, COLUMN_WI, COLUMN_WI, -1.0, kl_dot(l, x->X), kl_neg(x->X), l);
    add_column(K, COLUMN_WI, COLUMN_S, 1.0, across);
    add_row(K, COLUMN_S, COLUMN_WI, 1.0, across);
    add(K, COLUMN_S, COLUMN_S, kl_dot(x->X2, l));
    for (int i = 0; i < npair[p->follow]; i++) {
        const int *pair = pairs[p->follow][i];
        double     c    = -lambda[3 + i];
        kl_vec3    f = x->f[pair[0]], b = kl_axis(&in->m[1].A, pair[1]);
        kl_vec3    turn  = kl_cross(x->f1[pair[0]], b);
        double     angle = kl_dot(f, b);
        add_block(K, COLUMN_WI, COLUMN_WI, c, -angle, f, b);
        add_block(K, COLUMN_WI, COLUMN_WJ, c, angle, kl_neg(b), f);
        add_block(K, COLUMN_WJ, COLUMN_WI, -c, -angle, f, b);
        add_block(K, COLUMN_WJ, COLUMN_WJ, -c, angle, kl_neg(b), f);
        add_column(K, COLUMN_WI, COLUMN_S, c, turn);
        add_column(K, COLUMN_WJ, COLUMN_S, -c, turn);
        add_row(K, COLUMN_S, COLUMN_WI, c, turn);
        add_row(K, COLUMN_S, COLUMN_WJ, -c, turn);
        add(K, COLUMN_S, COLUMN_S, c * kl_dot(x->f2[pair[0]], b));
    }
}

/* ---- start, history, what is reported ---- */

static kl_status begin_with(path_joint *p, const kl_setup *s, const kl_motion *m,
                            kl_path_cursor *cursor, kl_own_start *start)
{
    kl_path_point  at;
    kl_vec3        point = kl_mul_t(&m[0].A, kl_sub(m[1].r, m[0].r));
    const kl_path *path  = p->line->path;
    double         f[3]  = {p->s, p->speed, 0.0}, v[3];
    if (p->drive_s) kl_function_eval(p->drive_s, 0.0, s->u, f);
    if (p->drive_speed) {
        kl_function_eval(p->drive_speed, 0.0, s->u, v);
        f[1] = v[0];
    }
    start->held_x = !isnan(p->s) && !driven(p);
    start->held_v = !isnan(p->speed) && !driven(p);
    start->x[0]   = f[0];
    if (isnan(f[0]) && kl_path_nearest(path, point, cursor, &start->x[0]) != KL_OK)
        return kl_fail(s->diag, KL_E_FILE, s->place, "joint '%s': track '%s' cannot be read",
                       s->name, p->line->name);
    if (!path->closed && (start->x[0] < 0.0 || start->x[0] > path->length))
        return kl_fail(s->diag, KL_E_RANGE, s->place,
                       "joint '%s': s is %g m; the track '%s' goes from 0 to %g m", s->name,
                       start->x[0], p->line->name, path->length);
    KL_TRY(kl_path_eval(path, start->x[0], cursor, &at));
    /* the rate that the body's velocity belongs to */
    kl_vec3 t = kl_mul(&m[0].A, at.t), r = kl_mul(&m[0].A, at.r);
    kl_vec3 moves = kl_add(m[0].v, kl_cross(m[0].w, r));
    /* a body that is to have the frame's axes is turned about its position: else assembly would
     * pay for the turn with a way along the track */
    if (!isnan(f[0]) || p->follow == FOLLOW_FRAME) {
        kl_vec3 o     = kl_mul(&at.A, kl_load(p->offset));
        start->brings = true;
        start->turns  = p->follow == FOLLOW_FRAME;
        start->r      = kl_add(m[0].r, kl_mul(&m[0].A, kl_add(at.r, o)));
        start->A      = kl_matmul(&m[0].A, &at.A);
    }
    start->v[0] = isnan(f[1]) ? kl_dot(t, kl_sub(m[1].v, moves)) : f[1];
    start->w    = kl_axpy(start->v[0], kl_mul(&m[0].A, at.kappa), m[0].w);
    return KL_OK;
}

static kl_status path_begin(void *data, const kl_setup *s, const kl_motion *m, kl_own_start *start)
{
    path_joint *p = data;
    if (!p->line) return KL_E_MODEL;
    kl_path_cursor cursor;
    kl_arena      *scratch = kl_arena_create();
    kl_status      status  = kl_path_cursor_init(p->line->path, scratch, &cursor);
    if (status == KL_OK) status = begin_with(p, s, m, &cursor, start);
    kl_arena_destroy(scratch);
    return status;
}

static kl_status path_setup(void *data, const kl_setup *s, const kl_motion *m, int nmarker,
                            kl_element_size *size)
{
    path_joint *p = data;
    if (!p->line || nmarker < 3) return KL_E_MODEL;
    if (p->drive_s && p->drive_speed)
        return kl_fail(s->diag, KL_E_MODEL, s->place,
                       "joint '%s': drive_s and drive_speed both prescribe the motion; remove one",
                       s->name);
    p->cam     = s->traits != NULL;
    p->s0      = m[2].r.x;
    size->nphi = 3 + npair[p->follow] + driven(p);
    size->nh   = NH;
    if (!p->line->path->closed) size->nevent = 2;
    size->cache = size->buffer = sizeof(path_cache) + kl_path_window_bytes(p->line->path);
    return KL_OK;
}

/* The ends of an open track are located closely: the last row of the run belongs to the end of the
 * track. */
static void path_crossings(const kl_reading *in, kl_crossing *out)
{
    const double close = 1e-8; /* [m] */
    double       s = in->m[2].r.x, v = in->m[2].v.x;
    double       length = ((const path_joint *)in->data)->line->path->length;
    out[0] = (kl_crossing){.value = s, .rate = v, .tolerance = close, .kind = KL_CROSSING_JUMP};
    out[1] = (kl_crossing){
        .value = length - s, .rate = -v, .tolerance = close, .kind = KL_CROSSING_JUMP};
}

static void path_commit(const kl_reading *in, double *h_new)
{
    const path_joint *p      = in->data;
    const double      creeps = 1e-3; /* [m/s]: slower is at rest */
    double            f[3], v = in->m[2].v.x;
    if (p->drive_speed) {
        drive_at(p, in, f);
        h_new[H_INTEGRAL] = f[0] - p->s0;
    }
    h_new[H_TIME] = in->t;
    if (fabs(v) < creeps) return;
    double way = v > 0.0 ? 1.0 : -1.0;
    if (in->h[H_WAY] * way < 0.0) h_new[H_TURNS] = in->h[H_TURNS] + 1.0;
    h_new[H_WAY] = way;
}

/* On a track: running off its end stops the run; turning round is worth a word. A cam's follower
 * goes to and fro by its nature. */
static void path_watch(const kl_reading *in, kl_notice *notice)
{
    const path_joint *p    = in->data;
    const kl_path    *path = p->line->path;
    double            s    = in->m[2].r.x;
    if (!path->closed && (s < 0.0 || s > path->length)) {
        notice->stop = true;
        snprintf(notice->text, sizeof notice->text,
                 "left the %s of track '%s' (0 to %.6g m) at %.4g m/s",
                 s < 0.0 ? "beginning" : "end", p->line->name, path->length, in->m[2].v.x);
        return;
    }
    if (p->cam || in->h[H_TURNS] == 0.0) return;
    notice->count = in->h[H_TURNS] > 0.0; /* the first time is enough */
    snprintf(notice->text, sizeof notice->text,
             "reversed at s = %.6g m of track '%s': its speed was too low for the climb ahead", s,
             p->line->name);
}

static void path_output(const kl_reading *in, const double *lambda, double *values)
{
    const path_joint *p     = in->data;
    const spot       *x     = spot_of(in);
    kl_vec3           force = kl_neg(kl_load(lambda)), torque = {0};
    for (int i = 0; i < npair[p->follow]; i++) {
        const int *pair = pairs[p->follow][i];
        kl_vec3    b    = kl_axis(&in->m[1].A, pair[1]);
        torque          = kl_axpy(lambda[3 + i], kl_cross(x->f[pair[0]], b), torque);
    }
    values[0] = x->s;
    values[1] = in->m[2].v.x;
    for (int k = 0; k < 3; k++) values[2 + k] = kl_dot(force, x->f[k]);
    for (int k = 0; k < 3; k++) values[5 + k] = kl_dot(torque, x->f[k]);
}

static bool path_upright(const kl_reading *in)
{
    const path_joint *p = in->data;
    const spot       *x = spot_of(in);
    if (p->follow == FOLLOW_POINT) return true;
    for (int k = 0; k < (p->follow == FOLLOW_FRAME ? 3 : 1); k++)
        if (kl_dot(x->f[k], kl_axis(&in->m[1].A, k)) < 0.0) return false;
    return true;
}

/* ---- the two types ---- */

#define TRACK_KEY                                                                                    \
    {                                                                                                \
        .name = "track", .kind = KL_KEY_RESOURCE, .words = "tracks",                                 \
        .offset = offsetof(path_joint, line),                                                        \
        .help   = "track to follow, defined under `tracks`, in the axes of the body that carries it" \
    }
#define START_KEYS                                                                                 \
    {.name     = "s",                                                                              \
     .kind     = KL_KEY_NUMBER,                                                                    \
     .offset   = offsetof(path_joint, s),                                                          \
     .unit     = "m",                                                                              \
     .fallback = "",                                                                               \
     .help     = "initial length along the track; the body is moved there (default: the nearest "  \
                 "point of the track)"},                                                               \
    {                                                                                              \
        .name = "speed", .kind = KL_KEY_NUMBER, .offset = offsetof(path_joint, speed),             \
        .unit = "m/s", .fallback = "",                                                             \
        .help = "initial speed along the track (default: from the velocity of the body)"           \
    }
#define DRIVE_KEYS                                                                                 \
    {.name     = "drive_s",                                                                        \
     .kind     = KL_KEY_FUNCTION,                                                                  \
     .offset   = offsetof(path_joint, drive_s),                                                    \
     .unit     = "m",                                                                              \
     .fallback = "",                                                                               \
     .help     = "prescribes the length along the track as a function of time"},                       \
    {                                                                                              \
        .name = "drive_speed", .kind = KL_KEY_FUNCTION,                                            \
        .offset = offsetof(path_joint, drive_speed), .unit = "m/s", .fallback = "",                \
        .help = "prescribes the speed along the track as a function of time"                       \
    }
#define OFFSET_KEY                                                                                 \
    {                                                                                              \
        .name = "offset", .kind = KL_KEY_NUMBERS, .offset = offsetof(path_joint, offset),          \
        .unit = "m", .size = 3, .fallback = "[0, 0, 0]",                                           \
        .help = "offset of the point from the track: forward, left, up"                            \
    }

static const kl_key path_keys[] = {
    TRACK_KEY,
    {.name     = "follow",
     .kind     = KL_KEY_WORD,
     .offset   = offsetof(path_joint, follow),
     .words    = "point direction frame",
     .fallback = "frame",
     .help = "constrained part of the motion: the point only, the point and the x axis of the body "
             "(the body may roll), or all axes"},
    OFFSET_KEY,
    START_KEYS,
    DRIVE_KEYS,
    {0}};

static const kl_key cam_keys[] = {TRACK_KEY, OFFSET_KEY, START_KEYS, {0}};

static const kl_output path_outputs[] = {
    {"s", "m", "length along the track"},
    {"speed", "m/s", "rate of s"},
    {"along", "N", "force of the track on the body, forward (driving force)"},
    {"lateral", "N", "force of the track on the body, to the left"},
    {"vertical", "N", "force of the track on the body, along the upward axis of the track"},
    {"roll_torque", "N m", "torque of the track on the body about the direction of travel"},
    {"pitch_torque", "N m", "torque about the left axis of the track"},
    {"yaw_torque", "N m", "torque about the upward axis of the track"},
    {0}};

#define FOLLOWER                                                                                   \
    .outputs = path_outputs, .attach = &kl_attach_follow, .data_size = sizeof(path_joint),         \
    .only_constrains = true, .own = 1, .begin = path_begin, .setup = path_setup,                   \
    .locate = path_locate, .eval = path_eval, .tangent = path_tangent,                             \
    .crossings = path_crossings, .commit = path_commit, .watch = path_watch,                       \
    .output = path_output, .upright = path_upright

static const int cam_trait = 1;

const kl_element_type kl_path_joint = {
    .name     = "path",
    .help     = "a body follows a track: its point, its direction, or all its axes",
    .equation = "r_j = r(s), x_j along r'(s), axes as the moving frame; s is a coordinate",
    .example  = "ride: {type: path, body: car, track: line}",
    .keys     = path_keys,
    FOLLOWER};

const kl_element_type kl_spatial_cam = {
    .name     = "spatial-cam",
    .help     = "a point of one body follows a groove of another body, given as a spatial curve",
    .equation = "r_j = r_i + A_i r(s); s is a coordinate",
    .example  = "roller: {type: spatial-cam, body: lever, on: drum, track: groove, s: 1.5 m}",
    .keys     = cam_keys,
    .traits   = &cam_trait,
    FOLLOWER};
