#include "joints/coordinate.h"

#include <string.h>

#include "base/rotation.h"

enum { VI = 0, WI = 3, VJ = 6, WJ = 9 }; /* blocks of the twelve columns */

static void put(double *row, int block, kl_vec3 a) { kl_store(row + block, a); }

/* K[block r, block c] += s M */
static void add_block(double *K, int r, int c, double s, const kl_mat3 *M)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) K[(r + i) * 12 + c + j] += s * M->m[i][j];
}

void kl_add_outer(double scale, const double *p, const double *q, double *K)
{
    for (int i = 0; i < 12; i++) {
        double f = scale * p[i];
        if (f == 0.0) continue;
        for (int j = 0; j < 12; j++) K[i * 12 + j] += f * q[j];
    }
}

/* ---- dot1 ------------------------------------------------------------------------------------ */

static void dot1_of(kl_vec3 a, kl_vec3 b, const kl_motion *m, kl_scalar *out)
{
    kl_vec3 n = kl_cross(a, b);
    out->x    = kl_dot(a, b);
    memset(out->row, 0, sizeof out->row);
    put(out->row, WI, n);
    put(out->row, WJ, kl_neg(n));

    /* x'' at zero angular acceleration: a''.b + 2 a'.b' + a.b'' */
    kl_vec3 wi = m[0].w, wj = m[1].w, da = kl_cross(wi, a), db = kl_cross(wj, b);
    out->bias = kl_dot(kl_cross(wi, da), b) + 2.0 * kl_dot(da, db) + kl_dot(a, kl_cross(wj, db));
}

static void dot1_curvature_of(kl_vec3 a, kl_vec3 b, double s, double *K)
{
    kl_mat3 Sa = kl_skew(a), Sb = kl_skew(b), ba = kl_matmul(&Sb, &Sa), ab = kl_matmul(&Sa, &Sb);
    add_block(K, WI, WI, s, &ba);
    add_block(K, WI, WJ, -s, &ab);
    add_block(K, WJ, WI, -s, &ba);
    add_block(K, WJ, WJ, s, &ab);
}

static void dot1_eval(kl_coordinate c, const kl_motion *m, double turn, kl_scalar *out)
{
    (void)turn;
    dot1_of(kl_axis(&m[0].A, c.a), kl_axis(&m[1].A, c.b), m, out);
}

static void dot1_curvature(kl_coordinate c, const kl_motion *m, double s, double *K)
{
    dot1_curvature_of(kl_axis(&m[0].A, c.a), kl_axis(&m[1].A, c.b), s, K);
}

/* ---- dot2 ------------------------------------------------------------------------------------ */

static void dot2_eval(kl_coordinate c, const kl_motion *m, double turn, kl_scalar *out)
{
    (void)turn;
    kl_vec3 a = kl_axis(&m[0].A, c.a), d = kl_sub(m[1].r, m[0].r), dv = kl_sub(m[1].v, m[0].v);
    out->x = kl_dot(a, d);
    memset(out->row, 0, sizeof out->row);
    put(out->row, VI, kl_neg(a));
    put(out->row, VJ, a);
    put(out->row, WI, kl_cross(a, d));
    kl_vec3 da = kl_cross(m[0].w, a);
    out->bias  = 2.0 * kl_dot(da, dv) + kl_dot(kl_cross(m[0].w, da), d);
}

static void dot2_curvature(kl_coordinate c, const kl_motion *m, double s, double *K)
{
    kl_vec3 a = kl_axis(&m[0].A, c.a), d = kl_sub(m[1].r, m[0].r);
    kl_mat3 Sa = kl_skew(a), Sd = kl_skew(d), da = kl_matmul(&Sd, &Sa);
    add_block(K, VI, WI, s, &Sa);
    add_block(K, VJ, WI, -s, &Sa);
    add_block(K, WI, WI, s, &da);
    add_block(K, WI, VI, -s, &Sa);
    add_block(K, WI, VJ, s, &Sa);
}

/* ---- global component
 * --------------------------------------------------------------------------------------------- */

static void global_eval(kl_coordinate c, const kl_motion *m, double turn, kl_scalar *out)
{
    (void)turn;
    double d[3];
    kl_store(d, kl_sub(m[1].r, m[0].r));
    out->x    = d[c.a];
    out->bias = 0.0;
    memset(out->row, 0, sizeof out->row);
    out->row[VI + c.a] = -1.0;
    out->row[VJ + c.a] = 1.0;
}

static void global_curvature(kl_coordinate c, const kl_motion *m, double s, double *K)
{
    (void)c, (void)m, (void)s, (void)K; /* linear */
}

/* ---- distance -------------------------------------------------------------------------------- */

static void distance_eval(kl_coordinate c, const kl_motion *m, double turn, kl_scalar *out)
{
    (void)c, (void)turn;
    kl_vec3 d = kl_sub(m[1].r, m[0].r), dv = kl_sub(m[1].v, m[0].v);
    double  l     = kl_norm(d);
    kl_vec3 e     = l > 0.0 ? kl_scale(1.0 / l, d) : kl_vec(0, 0, 0);
    double  along = kl_dot(e, dv);
    out->x        = l;
    out->bias     = l > 0.0 ? (kl_dot(dv, dv) - along * along) / l : 0.0;
    memset(out->row, 0, sizeof out->row);
    put(out->row, VI, kl_neg(e));
    put(out->row, VJ, e);
}

static void distance_curvature(kl_coordinate c, const kl_motion *m, double s, double *K)
{
    (void)c;
    kl_vec3 d = kl_sub(m[1].r, m[0].r);
    double  l = kl_norm(d);
    if (l == 0.0) return;
    kl_vec3 e  = kl_scale(1.0 / l, d);
    kl_mat3 ee = kl_outer(e, e), I = kl_identity(), P = kl_mat_axpy(-1.0, &ee, &I);
    add_block(K, VI, VI, s / l, &P);
    add_block(K, VJ, VJ, s / l, &P);
    add_block(K, VI, VJ, -s / l, &P);
    add_block(K, VJ, VI, -s / l, &P);
}

/* ---- angle ----------------------------------------------------------------------------------- */

/* theta = atan2(s, c), s = y_i.x_j, c = x_i.x_j; n = s^2 + c^2 is 1 where the z axes agree */
static void angle_parts(const kl_motion *m, kl_scalar *s, kl_scalar *c)
{
    kl_vec3 x = kl_axis(&m[0].A, 0), y = kl_axis(&m[0].A, 1), xj = kl_axis(&m[1].A, 0);
    dot1_of(y, xj, m, s);
    dot1_of(x, xj, m, c);
}

static void angle_eval(kl_coordinate k, const kl_motion *m, double turn, kl_scalar *out)
{
    (void)k;
    kl_scalar s, c;
    angle_parts(m, &s, &c);
    double n = s.x * s.x + c.x * c.x;
    if (n == 0.0) n = 1e-300; /* x_j along z_i: no angle there; keep numbers finite */
    for (int i = 0; i < 12; i++) out->row[i] = (c.x * s.row[i] - s.x * c.row[i]) / n;
    double ds = kl_scalar_rate(&s, m), dc = kl_scalar_rate(&c, m);
    double rate = (c.x * ds - s.x * dc) / n;
    out->bias   = (c.x * s.bias - s.x * c.bias) / n - rate * 2.0 * (s.x * ds + c.x * dc) / n;
    double spin = m[1].turned - m[0].turned, near = turn + spin;
    out->x    = near + kl_wrap(atan2(s.x, c.x) - near);
    out->turn = out->x - spin;
}

static void angle_curvature(kl_coordinate k, const kl_motion *m, double scale, double *K)
{
    (void)k;
    kl_scalar s, c;
    angle_parts(m, &s, &c);
    double n = s.x * s.x + c.x * c.x;
    if (n == 0.0) return;
    kl_vec3 x = kl_axis(&m[0].A, 0), y = kl_axis(&m[0].A, 1), xj = kl_axis(&m[1].A, 0);
    dot1_curvature_of(y, xj, scale * c.x / n, K);
    dot1_curvature_of(x, xj, -scale * s.x / n, K);
    double ss = -2.0 * s.x * c.x / (n * n), sc = (s.x * s.x - c.x * c.x) / (n * n);
    kl_add_outer(scale * ss, s.row, s.row, K);
    kl_add_outer(-scale * ss, c.row, c.row, K);
    kl_add_outer(scale * sc, s.row, c.row, K);
    kl_add_outer(scale * sc, c.row, s.row, K);
}

/* ---- the table ------------------------------------------------------------------------------- */

static const struct {
    void (*eval)(kl_coordinate c, const kl_motion *m, double turn, kl_scalar *out);
    void (*curvature)(kl_coordinate c, const kl_motion *m, double scale, double *K);
} kinds[] = {
    [KL_DOT1]     = {dot1_eval, dot1_curvature},
    [KL_DOT2]     = {dot2_eval, dot2_curvature},
    [KL_GLOBAL]   = {global_eval, global_curvature},
    [KL_DISTANCE] = {distance_eval, distance_curvature},
    [KL_ANGLE]    = {angle_eval, angle_curvature},
};

void kl_coordinate_eval(kl_coordinate c, const kl_motion *m, double turn, kl_scalar *out)
{
    kinds[c.kind].eval(c, m, turn, out);
    if (c.kind != KL_ANGLE) out->turn = out->x;
}

void kl_coordinate_curvature(kl_coordinate c, const kl_motion *m, double scale, double *K)
{
    if (scale != 0.0) kinds[c.kind].curvature(c, m, scale, K);
}

kl_crossing_unit kl_coordinate_unit(kl_coordinate c)
{
    return c.kind == KL_ANGLE ? KL_CROSSING_RAD : KL_CROSSING_M;
}

double kl_scalar_rate(const kl_scalar *s, const kl_motion *m)
{
    return kl_dot(kl_load(s->row + VI), m[0].v) + kl_dot(kl_load(s->row + WI), m[0].w) +
           kl_dot(kl_load(s->row + VJ), m[1].v) + kl_dot(kl_load(s->row + WJ), m[1].w);
}

void kl_coordinate_rate_slope(kl_coordinate c, const kl_motion *m, double *slope)
{
    double D[144] = {0}, V[12];
    kl_coordinate_curvature(c, m, 1.0, D);
    kl_store(V + VI, m[0].v);
    kl_store(V + WI, m[0].w);
    kl_store(V + VJ, m[1].v);
    kl_store(V + WJ, m[1].w);

    /* x' = row . V, and D[r][c] = d row_r / d increment_c */
    for (int j = 0; j < 12; j++) {
        slope[j] = 0.0;
        for (int i = 0; i < 12; i++) slope[j] += V[i] * D[i * 12 + j];
    }
}

kl_status kl_coordinate_start(const kl_reading *in, const kl_setup *s, kl_element_start *out)
{
    (void)in;
    for (int k = 0; k < 2 && k < out->nh; k++) out->h[k] = s->turn[k];
    return KL_OK;
}
