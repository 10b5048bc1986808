/* Reference conditions of a flexible body: what ties its floating frame to its deformation.
 *
 * Any modes X may be turned into X + R c with rigid motions R: the body is the same, only its frame
 * moves otherwise. With six rows C of conditions C X = 0 that is c = -(C R)^-1 C X (elimination).
 * Or R stays in the basis and the six conditions hold as constraints (paper 000, eq. 19 to 39);
 * here as a frame that shows how far they are from being met and that a fixed joint keeps on the
 * ground, so that no solver learns of them.
 *
 *   mean axis        sum m X w = 0,  sum m (x - c) x X w = 0                 (eq. 36, linear in w)
 *   principal axis   sum m X w = 0,  products of inertia of J(w) stay zero   (eq. 26, quadratic)
 *   held nodes       C (X w + R c) = 0 at the nodes that the body file holds: its modes meet them,
 *                    C X = 0, and so c = 0
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "algebra/dense.h"
#include "bodies/flexible.h"

/* ---- new modes as sums of old ones ---- */

/* to (rows x m) = from (rows x n, mode after mode) T, T by rows n x m */
static void combine(int rows, int n, int m, const double *from, const double *T, double *to)
{
    memset(to, 0, (size_t)(rows * m) * sizeof(double));
    for (int j = 0; j < m; j++)
        for (int k = 0; k < n; k++)
            flexible_add(rows, T[k * m + j], from + (size_t)k * (size_t)rows,
                         to + (size_t)j * (size_t)rows);
}

/* both indices of an array of blocks: n x rows x n to m x rows x m */
static kl_status combine_pairs(int rows, int n, int m, double **array, const double *T,
                               kl_arena *arena)
{
    size_t  wide = (size_t)rows * (size_t)m;
    double *half = kl_arena_array(arena, double, (size_t)n *wide + 1);
    double *to   = kl_arena_array(arena, double, (size_t)m *wide + 1);
    if (!to || !half) return KL_E_MEMORY;
    for (int i = 0; i < n; i++)
        combine(rows, n, m, *array + (size_t)i * (size_t)rows * (size_t)n, T,
                half + (size_t)i * wide);
    combine((int)wide, n, m, half, T, to);
    *array = to;
    return KL_OK;
}

static kl_status replace(int rows, int n, int m, double **array, const double *T, kl_arena *arena)
{
    double *to = kl_arena_array(arena, double, (size_t)rows *(size_t)m + 1);
    if (!to) return KL_E_MEMORY;
    combine(rows, n, m, *array, T, to);
    *array = to;
    return KL_OK;
}

static kl_status recombine(flexible *p, int m, const double *T, kl_arena *arena)
{
    int n = p->n;
    KL_TRY(replace(3, n, m, &p->S1, T, arena));
    KL_TRY(replace(3, n, m, &p->H0, T, arena));
    KL_TRY(replace(9, n, m, &p->G0, T, arena));
    KL_TRY(combine_pairs(9, n, m, &p->J2, T, arena));
    KL_TRY(combine_pairs(3, n, m, &p->H1, T, arena));
    KL_TRY(combine_pairs(3, n, m, &p->H1t, T, arena));
    KL_TRY(combine_pairs(1, n, m, &p->M, T, arena));
    KL_TRY(combine_pairs(1, n, m, &p->K, T, arena));
    if (p->S2) KL_TRY(combine_pairs(3, n, m, &p->S2, T, arena));
    if (p->second) KL_TRY(combine_pairs(FLEXIBLE_FIELDS, n, m, &p->second, T, arena));
    for (int k = 0; k < p->nframe; k++) {
        flexible_frame *f = &p->frame[k];
        if (f->X2) KL_TRY(combine_pairs(3, n, m, &f->X2, T, arena));
        if (f->Y2) KL_TRY(combine_pairs(3, n, m, &f->Y2, T, arena));
        KL_TRY(replace(3, n, m, &p->frame[k].X, T, arena));
        KL_TRY(replace((int)p->frame[k].kind, n, m, &p->frame[k].Y, T, arena));
    }
    p->n = m;
    return KL_OK;
}

/* ---- the conditions ---- */

static const int products[3][2] = {{1, 2}, {2, 0}, {0, 1}};

/* entries (1,2), (2,0), (0,1) of P'T P */
static kl_vec3 products_of(const kl_mat3 *P, const kl_mat3 *T)
{
    double  out[3];
    kl_mat3 Pt = kl_transpose(P), TP = kl_matmul(T, P), Q = kl_matmul(&Pt, &TP);
    for (int k = 0; k < 3; k++) out[k] = Q.m[products[k][0]][products[k][1]];
    return kl_load(out);
}

static kl_vec3 scaled(kl_vec3 a, kl_vec3 b) { return kl_vec(a.x * b.x, a.y * b.y, a.z * b.z); }

static kl_status principal_axes(flexible *p, const kl_setup *s)
{
    kl_mat3 J = flexible_central(p);
    double  A[9], w[3];
    for (int a = 0; a < 9; a++) A[a] = J.m[a % 3][a / 3];
    KL_TRY(kl_symmetric_eigen(3, A, w));
    /* against the smallest: a slender rod has two that are nearly, but not quite, equal */
    if (w[1] - w[0] < 0.01 * w[0] || w[2] - w[1] < 0.01 * w[0])
        return kl_fail(
            s->diag, KL_E_SINGULAR, s->place,
            "body '%s': `reference: principal-axis` needs three different principal moments of "
            "inertia, but they are %.6g, %.6g and %.6g kg m2; use `reference: mean-axis`",
            s->name, w[0], w[1], w[2]);
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++) p->principal.m[a][b] = A[3 * b + a];
    p->spread = kl_vec(1 / (w[2] - w[1]), 1 / (w[0] - w[2]), 1 / (w[1] - w[0]));
    return KL_OK;
}

/* rows that elimination makes zero: shift of the centre of mass and turn, of each mode */
static void linear_rows(const flexible *p, double *rows)
{
    kl_vec3 c = flexible_centre_of(p);
    for (int j = 0; j < p->n; j++) {
        kl_vec3 S = kl_load(p->S1 + 3 * j), turn;
        kl_mat3 G = flexible_mat3(p->G0 + 9 * j), Gt = kl_transpose(&G);
        if (p->reference == FLEXIBLE_PRINCIPAL_AXIS) {
            /* of J about the centre of mass, which moves by S/m */
            kl_mat3 Sc = kl_outer(S, c), T = kl_inertia_of_moments(&Sc), Tt = kl_transpose(&T);
            kl_mat3 dJ = kl_mat_axpy(1.0, &G, &Gt);
            dJ         = kl_mat_axpy(-1.0, &T, &dJ);
            dJ         = kl_mat_axpy(-1.0, &Tt, &dJ);
            turn       = scaled(products_of(&p->principal, &dJ), p->spread);
        } else {
            turn = kl_sub(kl_load(p->H0 + 3 * j), kl_cross(c, S));
        }
        kl_store(rows + 6 * j, kl_scale(1.0 / p->m, S));
        kl_store(rows + 6 * j + 3, turn);
    }
}

/* X + R c instead of X */
static kl_status eliminate(flexible *p, kl_arena *arena)
{
    int     n    = p->n;
    double *rows = kl_arena_array(arena, double, 6 * (size_t)(n + 6));
    double *T    = kl_arena_array(arena, double, (size_t)(n + 6) * (size_t)n + 1);
    if (!kl_arena_ok(arena)) return KL_E_MEMORY;
    KL_TRY(flexible_extend(p, arena));
    linear_rows(p, rows);
    double CR[36], *CX = rows;
    memcpy(CR, rows + 6 * n, sizeof CR);
    KL_TRY(kl_dense_solve(6, n, CR, CX));
    for (int j = 0; j < n; j++) {
        T[j * n + j] = 1.0;
        for (int a = 0; a < 6; a++) T[(n + a) * n + j] = -CX[6 * j + a];
    }
    return recombine(p, n, T, arena);
}

kl_status flexible_to_mean_axes(flexible *p, kl_arena *arena)
{
    p->reference = FLEXIBLE_MEAN_AXIS;
    return eliminate(p, arena);
}

static kl_status eliminate_or_report(flexible *p, const kl_setup *s)
{
    kl_status status = eliminate(p, s->arena);
    if (status == KL_OK || status == KL_E_MEMORY) return status;
    return kl_fail(s->diag, KL_E_SINGULAR, s->place,
                   "body '%s': its reference conditions leave a rigid body motion free; add "
                   "conditions under `reference` in the body file",
                   s->name);
}

kl_status flexible_refer(flexible *p, const kl_setup *s)
{
    int file = flexible_file_reference(p);
    if (p->reference == FLEXIBLE_AS_IN_FILE && p->conditions == FLEXIBLE_CONSTRAINED)
        p->reference = file;
    /* second-order motion is known best about the mean of the body (flexible_second.c): the modes
     * are those of the file, the frame is not */
    p->reframed = p->second && p->reference == FLEXIBLE_AS_IN_FILE && file == FLEXIBLE_AS_IN_FILE;
    if (p->reframed) p->reference = FLEXIBLE_MEAN_AXIS;
    if (p->n == 0) return KL_OK;
    if (p->reference == FLEXIBLE_PRINCIPAL_AXIS) KL_TRY(principal_axes(p, s));
    if (p->conditions == FLEXIBLE_CONSTRAINED) {
        p->central_inverse = flexible_central(p);
        KL_TRY(flexible_extend(p, s->arena));
        p->conditioned     = true;
        kl_mat3 J          = p->central_inverse;
        p->central_inverse = kl_inverse(&J);
        return KL_OK;
    }
    bool already = p->reference == FLEXIBLE_AS_IN_FILE ||
                   (p->reference == FLEXIBLE_MEAN_AXIS && file == FLEXIBLE_MEAN_AXIS);
    return already ? KL_OK : eliminate_or_report(p, s);
}

/* ---- the frame that shows how far the conditions are from being met ---- */

/* The nodes of the body file hold: its own modes do not move this frame. */
static bool held(const flexible *p) { return p->reference == FLEXIBLE_AS_IN_FILE; }

/* y, and columns of dy/dw and of the shift */
static void condition_columns(const flexible *p, const flexible_cache *c, int j, kl_vec3 *shift,
                              kl_vec3 *turn)
{
    if (held(p) && p->mode[j] >= 0) {
        *shift = *turn = kl_vec(0, 0, 0);
        return;
    }
    *shift = kl_scale(1.0 / p->m, kl_load((held(p) ? p->S1 : c->S1) + 3 * j));
    if (p->reference == FLEXIBLE_PRINCIPAL_AXIS) {
        kl_mat3 G = flexible_mat3(c->G + 9 * j), Gt = kl_transpose(&G),
                dJ = kl_mat_axpy(1.0, &G, &Gt);
        *turn      = scaled(products_of(&p->principal, &dJ), p->spread);
    } else {
        kl_vec3 h =
            kl_sub(kl_load(p->H0 + 3 * j), kl_cross(flexible_centre_of(p), kl_load(p->S1 + 3 * j)));
        *turn = kl_mul(&p->central_inverse, h);
    }
}

/* d2 y / dw_i dw_j */
static kl_vec3 condition_bend(const flexible *p, int i, int j)
{
    if (p->reference != FLEXIBLE_PRINCIPAL_AXIS) return kl_vec(0, 0, 0);
    kl_mat3 T = flexible_mat3(p->J2 + 9 * (i * p->n + j)), Tt = kl_transpose(&T),
            S = kl_mat_axpy(1.0, &T, &Tt);
    return scaled(products_of(&p->principal, &S), p->spread);
}

typedef struct condition {
    kl_vec3 y, y_rate, y_bias, r, v, v_bias;
} condition;

static condition condition_of(const flexible *p, const flexible_cache *c)
{
    condition k = {.r = {0, 0, 0}};
    if (!held(p)) {
        k.r = kl_scale(1.0 / p->m, kl_sub(c->S, p->s0));
        k.v = kl_scale(1.0 / p->m, c->S_rate), k.v_bias = kl_scale(1.0 / p->m, c->S_bias);
    }
    for (int j = 0; j < p->n; j++) {
        kl_vec3 shift, turn;
        condition_columns(p, c, j, &shift, &turn);
        if (held(p)) k.r = kl_axpy(c->w[j], shift, k.r), k.v = kl_axpy(c->w_rate[j], shift, k.v);
        k.y_rate = kl_axpy(c->w_rate[j], turn, k.y_rate);
        if (p->reference != FLEXIBLE_PRINCIPAL_AXIS) k.y = kl_axpy(c->w[j], turn, k.y);
        for (int i = 0; i < p->n; i++)
            k.y_bias = kl_axpy(c->w_rate[i] * c->w_rate[j], condition_bend(p, i, j), k.y_bias);
    }
    if (p->reference == FLEXIBLE_PRINCIPAL_AXIS) {
        kl_mat3 dJ = kl_mat_axpy(-1.0, &p->J0, &c->J);
        k.y        = scaled(products_of(&p->principal, &dJ), p->spread);
    }
    return k;
}

static kl_mat3 map_of(const condition *k, void (*fill)(kl_node_frame, const double *, double *))
{
    double y[3], G[9];
    kl_store(y, k->y);
    fill(KL_FRAME_ROTATION, y, G);
    return flexible_mat3(G);
}

static kl_mat3 rate_of(const condition *k, kl_vec3 u)
{
    double y[3], x[3], Q[9];
    kl_store(y, k->y);
    kl_store(x, u);
    kl_node_frame_rate(KL_FRAME_ROTATION, y, x, Q);
    return flexible_mat3(Q);
}

void flexible_condition_pose(const flexible *p, const flexible_cache *c, kl_motion *m)
{
    condition k = condition_of(p, c);
    double    y[3];
    kl_store(y, k.y);
    m->r = k.r;
    m->A = kl_node_frame_axes(KL_FRAME_ROTATION, y);
}

void flexible_condition_twist(const flexible *p, const flexible_cache *c, kl_motion *m)
{
    condition k = condition_of(p, c);
    kl_mat3   G = map_of(&k, kl_node_frame_map), Q = rate_of(&k, k.y_rate);
    m->v   = k.v;
    m->w   = kl_mul(&G, k.y_rate);
    m->a0  = k.v_bias;
    m->al0 = kl_add(kl_mul(&G, k.y_bias), kl_mul(&Q, k.y_rate));
}

static void put_column(double *B, int N, int r, int col, kl_vec3 a)
{
    B[r * N + col] = a.x, B[(r + 1) * N + col] = a.y, B[(r + 2) * N + col] = a.z;
}

void flexible_condition_map(const flexible *p, const flexible_cache *c, double *B)
{
    int       N = 6 + p->n;
    condition k = condition_of(p, c);
    kl_mat3   G = map_of(&k, kl_node_frame_map);
    memset(B, 0, 6 * (size_t)N * sizeof(double));
    for (int j = 0; j < p->n; j++) {
        kl_vec3 shift, turn;
        condition_columns(p, c, j, &shift, &turn);
        put_column(B, N, 0, 6 + j, shift);
        put_column(B, N, 3, 6 + j, kl_mul(&G, turn));
    }
}

void flexible_condition_map_rate(const flexible *p, const flexible_cache *c, double *W)
{
    int       N = 6 + p->n;
    condition k = condition_of(p, c);
    kl_mat3   G = map_of(&k, kl_node_frame_map), Q = rate_of(&k, k.y_rate);
    memset(W, 0, 6 * (size_t)N * sizeof(double));
    for (int j = 0; j < p->n; j++) {
        kl_vec3 shift, turn, bend = {0, 0, 0};
        condition_columns(p, c, j, &shift, &turn);
        for (int i = 0; i < p->n; i++) bend = kl_axpy(c->w_rate[i], condition_bend(p, i, j), bend);
        put_column(W, N, 3, 6 + j, kl_add(kl_mul(&Q, turn), kl_mul(&G, bend)));
        kl_vec3 moved = {0, 0, 0};
        for (int i = 0; p->S2 && !held(p) && i < p->n; i++)
            moved = kl_axpy(c->w_rate[i] / p->m, kl_load(p->S2 + 3 * (i * p->n + j)), moved);
        put_column(W, N, 0, 6 + j, moved);
    }
}

void flexible_condition_pull(const flexible *p, const flexible_cache *c, const double wrench[6],
                             double *g)
{
    condition k = condition_of(p, c);
    kl_mat3   G = map_of(&k, kl_node_frame_map);
    kl_vec3   q = kl_mul_t(&G, kl_load(wrench + 3));
    for (int j = 0; j < p->n; j++) {
        kl_vec3 shift, turn;
        condition_columns(p, c, j, &shift, &turn);
        g[6 + j] += kl_dot(shift, kl_load(wrench)) + kl_dot(turn, q);
    }
}

void flexible_condition_geometric(const flexible *p, const flexible_cache *c,
                                  const double wrench[6], double *K)
{
    int       N      = 6 + p->n;
    condition k      = condition_of(p, c);
    kl_mat3   G      = map_of(&k, kl_node_frame_map), P;
    kl_vec3   moment = kl_load(wrench + 3), q = kl_mul_t(&G, moment);
    for (int i = 0; i < 3; i++) { /* P_ij = moment . d(G e_i)/dy_j */
        kl_mat3 Q   = rate_of(&k, flexible_axis(i));
        kl_vec3 row = kl_mul_t(&Q, moment);
        P.m[i][0] = row.x, P.m[i][1] = row.y, P.m[i][2] = row.z;
    }
    for (int j = 0; j < p->n; j++) {
        kl_vec3 shift, turn_j, turn_i;
        condition_columns(p, c, j, &shift, &turn_j);
        kl_vec3 Pt = kl_mul(&P, turn_j);
        for (int i = 0; i < p->n; i++) {
            condition_columns(p, c, i, &shift, &turn_i);
            K[(6 + i) * N + 6 + j] += kl_dot(turn_i, Pt) + kl_dot(q, condition_bend(p, i, j));
            if (p->S2 && !held(p))
                K[(6 + i) * N + 6 + j] +=
                    kl_dot(kl_load(wrench), kl_load(p->S2 + 3 * (i * p->n + j))) / p->m;
        }
    }
}

/* The conditions turn the modes by as much as the frame turns against them, as a field and not by an
 * angle; principal axes of a slender body that is bent farther than it is wide turn all the way. */
void flexible_watch_conditions(const flexible *p, const double *w, kl_notice *notice)
{
    enum { WARNED = 1, LOST = 2 };
    kl_vec3 turn = {0, 0, 0};
    for (int j = 0; j < p->n; j++) {
        if (p->mode[j] >= 0) continue;
        kl_vec3 h =
            kl_sub(kl_load(p->H0 + 3 * j), kl_cross(flexible_centre_of(p), kl_load(p->S1 + 3 * j)));
        turn = kl_axpy(w[j], kl_mul(&p->central_inverse, h), turn);
    }
    double angle = kl_norm(turn);
    int    level = angle > 0.5 ? LOST : angle > 0.2 ? WARNED : 0;
    if (level <= notice->count) return;
    notice->count = level;
    notice->stop  = level == LOST;
    snprintf(notice->text, sizeof notice->text,
             "has a frame rotated by %.2g rad relative to its modes, valid for small rotations "
             "only%s; use `reference: mean-axis` or `conditions: eliminated`",
             angle, level == LOST ? "" : " (error about its square)");
}
