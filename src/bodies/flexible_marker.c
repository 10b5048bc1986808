/* Markers of a flexible body: exact derivatives of the motion of a frame on deformed nodes.
 *
 * A marker hangs on a frame by a rigid arm: with R the frame's rotation (node_frame.h), s = R arm,
 * E = G Y and D = X - [s] E, all in body axes,
 *
 *   r = r_body + A b,   b = x + X w + s            axes = A R A_marker
 *   B = [ I, -A [b], A D ; 0, A, A E ]
 *   a0  = A (om x (om x b) + 2 om x D w' + D' w'),   al0 = A (om x u + E' w'),   u = E w'
 *   E' w' = Q y',   D' w' = (E' w') x s + u x (u x s),   Q = d(G y')/dy
 *
 * Derivatives at fixed velocity and at fixed wrench (f, n) with F = A'f, N = A'n, q = s x F + N:
 *
 *   d(D w')/dw = -[s] Q Y - [u][s] E,   d(E w')/dw = Q Y
 *   d(D'F + E'N)/dw = Y'(q . dG/dy) Y + E'[F][s] E
 *
 * A marker that was attached to no frame (node 0) moves with the floating frame itself. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bodies/flexible.h"

/* ---- frames ---- */

/* sum_j x_j of columns of `rows` numbers */
static void combine(int n, int rows, const double *columns, const double *x, double *sum)
{
    for (int j = 0; j < n; j++)
        for (int a = 0; a < rows; a++) sum[a] += columns[rows * j + a] * x[j];
}

static kl_vec3 combine3(int n, const double *columns, const double *x)
{
    kl_vec3 s = {0, 0, 0};
    for (int j = 0; j < n; j++, columns += 3) {
        s.x += columns[0] * x[j];
        s.y += columns[1] * x[j];
        s.z += columns[2] * x[j];
    }
    return s;
}

/* y += Y x of a frame */
static void combine_turns(const flexible_frame *f, int n, const double *Y, const double *x,
                          double *y)
{
    if (f->kind == KL_FRAME_ROTATION) kl_store(y, kl_add(kl_load(y), combine3(n, Y, x)));
    else combine(n, (int)f->kind, Y, x, y);
}

/* angular velocity G y' of a frame */
static kl_vec3 turn_of(const flexible_frame *f, const double *G, const double *y_rate)
{
    double rate[3] = {0};
    int    kind    = (int)f->kind;
    for (int a = 0; a < 3; a++)
        for (int i = 0; i < kind; i++) rate[a] += G[a * kind + i] * y_rate[i];
    return kl_load(rate);
}

/* columns of `to` (3 x n) = M (3 x k, by rows) columns of Y (n x k) */
static void times_columns(const double *M, int k, int n, const double *Y, double *to)
{
    for (int j = 0; j < n; j++, Y += k, to += 3)
        for (int a = 0; a < 3; a++) {
            double s = 0.0;
            for (int i = 0; i < k; i++) s += M[a * k + i] * Y[i];
            to[a] = s;
        }
}

/* X and Y as they are at w, and what they add to b and y: half of it, for they are slopes */
static void second_order(const flexible *p, flexible_cache *c, int i)
{
    const flexible_frame *f = &p->frame[i];
    flexible_frame_cache *k = &c->frame[i];
    int                   n = p->n;
    double               *X = c->second + 6 * (size_t)i * (size_t)n, *Y = X + 3 * n;
    memset(X, 0, 6 * (size_t)n * sizeof(double));
    for (int j = 0; j < n; j++) {
        flexible_add(3 * n, c->w[j], f->X2 + 3 * (size_t)j * (size_t)n, X);
        if (f->Y2) flexible_add(3 * n, c->w[j], f->Y2 + 3 * (size_t)j * (size_t)n, Y);
    }
    k->b = kl_axpy(0.5, combine3(n, X, c->w), k->b);
    flexible_add(3 * n, 1.0, f->X, X);
    k->X = X;
    if (!f->Y2) return;
    kl_store(k->y, kl_axpy(0.5, combine3(n, Y, c->w), kl_load(k->y)));
    flexible_add(3 * n, 1.0, f->Y, Y);
    k->Y = Y;
}

/* w'A w' over blocks */
static kl_vec3 twice(int n, const double *blocks, const double *x)
{
    kl_vec3 sum = {0, 0, 0};
    for (int j = 0; blocks && j < n; j++)
        sum = kl_axpy(x[j], combine3(n, blocks + 3 * (size_t)j * (size_t)n, x), sum);
    return sum;
}

void flexible_position_frames(const flexible *p, flexible_cache *c)
{
    for (int i = 0; i < p->nframe; i++) {
        const flexible_frame *f = &p->frame[i];
        flexible_frame_cache *k = &c->frame[i];
        if (!p->used[i]) continue;
        k->X = f->X, k->Y = f->Y;
        k->b = kl_add(f->position, combine3(p->n, f->X, c->w));
        memcpy(k->y, f->y0, sizeof k->y);
        combine_turns(f, p->n, f->Y, c->w, k->y);
        if (f->X2) second_order(p, c, i);
        kl_mat3 R;
        kl_node_frame_place(f->kind, k->y, &R, k->G);
        k->R = kl_matmul(&R, &f->start);
    }
}

void flexible_velocity_frames(const flexible *p, flexible_cache *c)
{
    for (int i = 0; i < p->nframe; i++) {
        const flexible_frame *f = &p->frame[i];
        flexible_frame_cache *k = &c->frame[i];
        double                Q[18];
        if (!p->used[i]) continue;
        k->b_rate = combine3(p->n, k->X, c->w_rate);
        k->b_bias = twice(p->n, f->X2, c->w_rate);
        k->y_bias = twice(p->n, f->Y2, c->w_rate);
        memset(k->y_rate, 0, sizeof k->y_rate);
        combine_turns(f, p->n, k->Y, c->w_rate, k->y_rate);
        k->u = turn_of(f, k->G, k->y_rate);
        kl_node_frame_rate(f->kind, k->y, k->y_rate, Q);
        k->u_rate = turn_of(f, Q, k->y_rate);
        if (f->Y2) {
            kl_mat3 G = flexible_mat3(k->G);
            k->u_rate = kl_add(k->u_rate, kl_mul(&G, k->y_bias));
        }
    }
}

/* ---- one marker ---- */

typedef struct point {
    const flexible_frame       *f; /* NULL: the floating frame */
    const flexible_frame_cache *k;
    const double               *E;                 /* only of point_with_turns */
    kl_vec3                     b, arm;            /* in body axes; arm = s */
    kl_vec3                     b_rate, u, u_rate; /* D w', E w', E' w' */
} point;

static point skin_point_of(const flexible *p, const flexible_cache *c, int node)
{
    const flexible_skin_point *k = p->skin[node];
    return (point){.f      = &k->f,
                   .k      = &k->rest,
                   .E      = p->none,
                   .b      = flexible_skin_place(p, c, node),
                   .b_rate = combine3(p->n, k->f.X, c->w_rate)};
}

static point point_of(const flexible *p, const flexible_cache *c, const kl_marker *marker)
{
    if (marker->node <= KL_MARKER_SKIN && p->n > 0)
        return skin_point_of(p, c, KL_MARKER_SKIN - marker->node);
    if (marker->node <= 0 || p->n == 0) return (point){.b = marker->r};
    int   i  = marker->node - 1;
    point t  = {.f = &p->frame[i], .k = &c->frame[i]};
    t.arm    = kl_mul(&t.k->R, kl_sub(marker->r, t.f->position));
    t.b      = kl_add(t.k->b, t.arm);
    t.u      = t.k->u;
    t.u_rate = t.k->u_rate;
    t.b_rate = kl_add(t.k->b_rate, kl_cross(t.u, t.arm));
    return t;
}

/* With E = G Y, which only matrices need. */
static point point_with_turns(const flexible *p, const flexible_cache *c, const kl_marker *marker)
{
    point t = point_of(p, c, marker);
    if (t.f && !t.E) {
        times_columns(t.k->G, (int)t.f->kind, p->n, t.k->Y, c->E);
        t.E = c->E;
    }
    return t;
}

/* columns j of D and E */
static kl_vec3 e_of(const point *t, int j) { return kl_load(t->E + 3 * j); }
static kl_vec3 d_of(const point *t, int j)
{
    return kl_add(kl_load(t->k->X + 3 * j), kl_cross(e_of(t, j), t->arm));
}

void flexible_pose(const void *data, const void *cache, const kl_marker *marker, kl_motion *m)
{
    const flexible       *p = data;
    const flexible_cache *c = cache;
    if (marker->node == KL_MARKER_CONDITIONS) {
        flexible_condition_pose(p, c, m);
        return;
    }
    bool    hangs = marker->node > 0 && p->n > 0;
    kl_vec3 b     = marker->r;
    kl_mat3 axes  = marker->A;
    if (hangs) {
        const flexible_frame_cache *k = &c->frame[marker->node - 1];
        b    = kl_add(k->b, kl_mul(&k->R, kl_sub(b, p->frame[marker->node - 1].position)));
        axes = kl_matmul(&k->R, &axes);
    } else if (marker->node <= KL_MARKER_SKIN && p->n > 0) {
        b = flexible_skin_place(p, c, KL_MARKER_SKIN - marker->node);
    }
    m->r = kl_add(c->r, kl_mul(&c->A, b));
    m->A = kl_matmul(&c->A, &axes);
}

void flexible_twist(const void *data, const void *cache, const kl_marker *marker, kl_motion *m)
{
    const flexible_cache *c = cache;
    if (marker->node == KL_MARKER_CONDITIONS) {
        flexible_condition_twist(data, c, m);
        return;
    }
    point   t  = point_of(data, c, marker);
    kl_vec3 om = c->om, turn = kl_cross(om, t.b);
    kl_vec3 D_rate = kl_add(kl_cross(t.u_rate, t.arm), kl_cross(t.u, kl_cross(t.u, t.arm)));
    if (t.f) D_rate = kl_add(D_rate, t.k->b_bias);
    m->v   = kl_add(c->v, kl_mul(&c->A, kl_add(turn, t.b_rate)));
    m->w   = kl_mul(&c->A, kl_add(om, t.u));
    m->a0  = kl_mul(&c->A, kl_add(kl_cross(om, kl_axpy(2.0, t.b_rate, turn)), D_rate));
    m->al0 = kl_mul(&c->A, kl_add(kl_cross(om, t.u), t.u_rate));
}

/* the 3 x 3 block (r, c) of a matrix with N columns = s M */
static void put3(double *B, int N, int r, int c, double s, const kl_mat3 *M)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) B[(r + i) * N + c + j] = s * M->m[i][j];
}

static void put_column(double *B, int N, int r, int c, kl_vec3 a)
{
    B[r * N + c] = a.x, B[(r + 1) * N + c] = a.y, B[(r + 2) * N + c] = a.z;
}

void flexible_map(const void *data, const void *cache, const kl_marker *marker, double *B)
{
    const flexible       *p = data;
    const flexible_cache *c = cache;
    if (marker->node == KL_MARKER_CONDITIONS) {
        flexible_condition_map(p, c, B);
        return;
    }
    point   t = point_with_turns(p, c, marker);
    int     N = 6 + p->n;
    kl_mat3 b = kl_skew(t.b), Ab = kl_matmul(&c->A, &b), I = kl_identity();
    memset(B, 0, 6 * (size_t)N * sizeof(double));
    put3(B, N, 0, 0, 1.0, &I);
    put3(B, N, 0, 3, -1.0, &Ab);
    put3(B, N, 3, 3, 1.0, &c->A);
    for (int j = 0; t.f && j < p->n; j++) {
        put_column(B, N, 0, 6 + j, kl_mul(&c->A, d_of(&t, j)));
        put_column(B, N, 3, 6 + j, kl_mul(&c->A, e_of(&t, j)));
    }
}

/* sum_i x_i A_ij, symmetric in i and j */
static kl_vec3 slope(const flexible *p, const double *blocks, int j, const double *x)
{
    return combine3(p->n, blocks + 3 * (size_t)j * (size_t)p->n, x);
}

void flexible_map_rate(const void *data, const void *cache, const kl_marker *marker, double *W)
{
    const flexible       *p = data;
    const flexible_cache *c = cache;
    if (marker->node == KL_MARKER_CONDITIONS) {
        flexible_condition_map_rate(p, c, W);
        return;
    }
    point   t = point_with_turns(p, c, marker);
    int     N = 6 + p->n;
    kl_mat3 V = kl_skew(kl_add(kl_cross(c->om, t.b), t.b_rate)), U = kl_skew(kl_add(c->om, t.u));
    kl_mat3 AV = kl_matmul(&c->A, &V), AU = kl_matmul(&c->A, &U);
    memset(W, 0, 6 * (size_t)N * sizeof(double));
    put3(W, N, 0, 3, -1.0, &AV);
    put3(W, N, 3, 3, -1.0, &AU);
    if (!t.f) return;
    double Q[18];
    int    kind = (int)t.f->kind;
    kl_node_frame_rate(t.f->kind, t.k->y, t.k->y_rate, Q);
    for (int j = 0; j < p->n; j++) {
        double QY[3];
        times_columns(Q, kind, 1, t.k->Y + kind * j, QY);
        kl_vec3 du = kl_load(QY);
        if (t.f->Y2) {
            kl_mat3 G = flexible_mat3(t.k->G);
            du        = kl_add(du, kl_mul(&G, slope(p, t.f->Y2, j, c->w_rate)));
        }
        kl_vec3 dv = kl_add(kl_cross(c->om, d_of(&t, j)), kl_cross(du, t.arm));
        dv         = kl_add(dv, kl_cross(t.u, kl_cross(e_of(&t, j), t.arm)));
        if (t.f->X2) dv = kl_add(dv, slope(p, t.f->X2, j, c->w_rate));
        put_column(W, N, 0, 6 + j, kl_mul(&c->A, dv));
        put_column(W, N, 3, 6 + j, kl_mul(&c->A, du));
    }
}

void flexible_pull(const void *data, const void *cache, const kl_marker *marker,
                   const double wrench[6], double *g)
{
    const flexible       *p = data;
    const flexible_cache *c = cache;
    if (marker->node == KL_MARKER_CONDITIONS) {
        flexible_condition_pull(p, c, wrench, g);
        return;
    }
    point   t = point_of(p, c, marker);
    kl_vec3 F = kl_mul_t(&c->A, kl_load(wrench)), N = kl_mul_t(&c->A, kl_load(wrench + 3));
    kl_vec3 about = kl_add(N, kl_cross(t.b, F));
    for (int i = 0; i < 3; i++) g[i] += wrench[i];
    g[3] += about.x, g[4] += about.y, g[5] += about.z;
    if (!t.f) return;
    double q[3], Gq[6] = {0};
    int    kind = (int)t.f->kind;
    kl_store(q, kl_add(N, kl_cross(t.arm, F)));
    for (int a = 0; a < 3; a++)
        for (int i = 0; i < kind; i++) Gq[i] += t.k->G[a * kind + i] * q[a];
    for (int j = 0; j < p->n; j++) {
        const double *Y   = t.k->Y + kind * j;
        double        sum = kl_dot(kl_load(t.k->X + 3 * j), F); /* E_j.q = Y_j.G'q */
        for (int i = 0; i < kind; i++) sum += Y[i] * Gq[i];
        g[6 + j] += sum;
    }
}

/* P_ij = q . d(G e_i)/dy_j */
static void bent_map(const point *t, kl_vec3 q, double *P)
{
    int kind = (int)t->f->kind;
    for (int i = 0; i < kind; i++) {
        double unit[6] = {0}, Q[18];
        unit[i]        = 1.0;
        kl_node_frame_rate(t->f->kind, t->k->y, unit, Q);
        for (int j = 0; j < kind; j++)
            P[i * kind + j] = q.x * Q[j] + q.y * Q[kind + j] + q.z * Q[2 * kind + j];
    }
}

/* Column j of L (3 + kind x n, by rows): [F][s] E_j, P Y_j. */
static void fill_lever(const point *t, int n, int j, kl_vec3 lever, const double *P, double *L)
{
    int kind = (int)t->f->kind;
    L[j] = lever.x, L[n + j] = lever.y, L[2 * n + j] = lever.z;
    for (int a = 0; a < kind; a++) {
        double sum = 0.0;
        for (int i = 0; i < kind; i++) sum += P[a * kind + i] * t->k->Y[kind * j + i];
        L[(3 + a) * n + j] = sum;
    }
}

/* Modes by modes: K += E'L_1 + Y'L_2 with the rows L_1 and L_2 of L; nearly all of the work. */
static void add_modes(const point *t, int n, const double *restrict L, double *restrict K)
{
    int kind = (int)t->f->kind, N = 6 + n;
    for (int i = 0; i < n; i++) {
        const double *e = t->E + 3 * i, *y = t->k->Y + kind * i;
        double       *row = K + (6 + i) * N + 6;
        for (int j = 0; j < n; j++)
            row[j] += (e[0] * L[j] + e[1] * L[n + j] + e[2] * L[2 * n + j]) +
                      (y[0] * L[3 * n + j] + y[1] * L[4 * n + j] + y[2] * L[5 * n + j]);
        for (int j = 0; kind == 6 && j < n; j++)
            row[j] += y[3] * L[6 * n + j] + y[4] * L[7 * n + j] + y[5] * L[8 * n + j];
    }
}

/* F.X2_ji + turn.Y2_ji */
static void add_second_order(const point *t, int n, kl_vec3 F, kl_vec3 turn, double *K)
{
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) {
            size_t at  = 3 * ((size_t)j * (size_t)n + (size_t)i);
            double sum = kl_dot(F, kl_load(t->f->X2 + at));
            if (t->f->Y2) sum += kl_dot(turn, kl_load(t->f->Y2 + at));
            K[(6 + i) * (6 + n) + 6 + j] += sum;
        }
}

void flexible_add_geometric(const void *data, const void *cache, const kl_marker *marker,
                            const double wrench[6], double *K)
{
    const flexible       *p = data;
    const flexible_cache *c = cache;
    if (marker->node == KL_MARKER_CONDITIONS) {
        flexible_condition_geometric(p, c, wrench, K);
        return;
    }
    point   t = point_with_turns(p, c, marker);
    int     N = 6 + p->n;
    kl_vec3 F = kl_mul_t(&c->A, kl_load(wrench)), M = kl_mul_t(&c->A, kl_load(wrench + 3));
    kl_mat3 Fs = kl_skew(F), Ms = kl_skew(M), b = kl_skew(t.b), bF = kl_matmul(&b, &Fs);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) K[(3 + i) * N + 3 + j] += bF.m[i][j] + Ms.m[i][j];
    if (!t.f) return;

    double  P[36], row[3];
    kl_vec3 q = kl_add(M, kl_cross(t.arm, F)), turn = {0, 0, 0};
    bent_map(&t, q, P);
    if (t.f->Y2) {
        kl_mat3 G = flexible_mat3(t.k->G);
        turn      = kl_mul_t(&G, q);
    }
    for (int j = 0; j < p->n; j++) {
        kl_vec3 d = d_of(&t, j), e = e_of(&t, j);
        kl_store(row, kl_neg(kl_cross(F, d))); /* turn by w_j */
        for (int i = 0; i < 3; i++) K[(3 + i) * N + 6 + j] += row[i];
        kl_store(row, kl_add(kl_cross(d, F), kl_cross(e, M))); /* mode j by turn */
        for (int i = 0; i < 3; i++) K[(6 + j) * N + 3 + i] += row[i];
        kl_vec3 lever = kl_cross(F, kl_cross(t.arm, e)); /* [F][s] E_j */
        fill_lever(&t, p->n, j, lever, P, c->scratch);
    }
    add_modes(&t, p->n, c->scratch, K);
    if (t.f->X2) add_second_order(&t, p->n, F, turn, K);
}

/* ---- triads ---- */

enum { LOST = 2 };

/* What is left of a triad: the sine between its arms, or what is left of their length; negative
 * when it was turned inside out. */
static double triad_health(const flexible_frame *f, const double *y)
{
    kl_vec3 a0 = kl_load(f->y0), b0 = kl_load(f->y0 + 3), a = kl_load(y), b = kl_load(y + 3);
    double  sine = kl_node_frame_spread(f->kind, y);
    if (kl_dot(kl_cross(a0, b0), kl_cross(a, b)) < 0.0) sine = -sine;
    return fmin(sine, fmin(kl_norm(a) / kl_norm(a0), kl_norm(b) / kl_norm(b0)));
}

/* The limit is that of the start (flexible_setup.c); five times that is worth a word before. */
void flexible_watch(const void *data, const double *q, kl_notice *notice)
{
    const flexible *p = data;
    for (int i = 0; i < p->nframe; i++) {
        const flexible_frame  *f = &p->frame[i];
        const kl_kbody_marker *m = &p->file.body->marker[i];
        double                 y[6];
        if (f->kind != KL_FRAME_TRIAD || !p->used[i]) continue;
        memcpy(y, f->y0, sizeof y);
        combine(p->n, 6, f->Y, q + 7, y);
        double health = triad_health(f, y);
        if (health > 0.05) continue;
        int level = health > 0.01 ? 1 : LOST;
        if (level <= notice->count) continue;
        notice->count = level;
        notice->stop  = level == LOST;
        snprintf(notice->text, sizeof notice->text,
                 "deforms so much at marker '%.40s' (node %d) that nodes %d, %d, %d %s (%.2g of "
                 "their triangle left); connect a node set to it",
                 m->name, m->node_id, m->triad_id[0], m->triad_id[1], m->triad_id[2],
                 level == LOST ? "lie on a line" : "almost lie on a line", health);
    }
}
