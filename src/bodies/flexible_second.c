/* Inertia of a body with second-order motion u = X w + w'Y w/2 (geometric stiffening).
 *
 * Y itself is not known, only what it does on the twelve fields F = (e_c, e_c x_d):
 * <F, Y> = sum m F.Y (fe/geometric.h). Of all motions that do so the smallest is Y = F y with
 * <F, F> y = <F, Y>, and with `second_order: whole` that one is taken to every order:
 *
 *   u = X w + F eta(w),   eta = w'y w/2,   eta' = D w',   eta'' = D w'' + D(w') w',   D = y w
 *
 * This is a body with the modes [X F] and coordinates (w, eta(w)), whose kinetic energy is that of a
 * field of velocities:
 *
 *   M = P'M* P,   s = P'(s* - M* b),   P = [1; D],   b = [0; D(w') w']
 *
 * but for om.J om/2, which is cut off behind second order: there the fourth order of the shortening
 * itself, which is not known, would take back most of what comes in. To second order this is the
 * usual stiffening (`second_order: cut`). That one lets translation and rotation follow D, but not
 * the modes' own mass, so the kinetic energy of a bent body whose frame is held at nodes can come
 * out below zero: a bent rod swings about its chord when it is twisted, and this swing outweighs
 * its polar inertia. */
#include <string.h>

#include "bodies/flexible.h"

enum { FIELDS = FLEXIBLE_FIELDS };

/* ---- the body with the fields as modes ---- */

static kl_mat3 outer_of(const kl_mat3 *T) /* W of T = tr(W) 1 - W */
{
    kl_mat3 I = kl_identity(), H = kl_mat_scale(0.5 * (T->m[0][0] + T->m[1][1] + T->m[2][2]), &I);
    return kl_mat_axpy(-1.0, T, &H);
}

static kl_mat3 tensor_of(const kl_mat3 *W)
{
    kl_mat3 I = kl_identity(), H = kl_mat_scale(W->m[0][0] + W->m[1][1] + W->m[2][2], &I);
    return kl_mat_axpy(-1.0, W, &H);
}

static kl_vec3 cross_of(const kl_mat3 *W) /* sum m F x G of W = sum m F G' */
{
    return kl_vec(W->m[1][2] - W->m[2][1], W->m[2][0] - W->m[0][2], W->m[0][1] - W->m[1][0]);
}

/* field a moves along `component`, by 1 (moment 0) or by a coordinate (1, 2, 3) */
static int component_of(int a) { return a < 3 ? a : (a - 3) / 3; }
static int moment_of(int a) { return a < 3 ? 0 : 1 + (a - 3) % 3; }

static kl_vec3 axis(int a) { return kl_vec(a == 0, a == 1, a == 2); }

/* sum m (1, x)(1, x)' */
static void mass_moments(const flexible *p, double Q[4][4])
{
    kl_mat3 W = outer_of(&p->J0);
    Q[0][0]   = p->m;
    kl_store(Q[0] + 1, p->s0);
    for (int d = 0; d < 3; d++) {
        Q[1 + d][0] = Q[0][1 + d];
        for (int e = 0; e < 3; e++) Q[1 + d][1 + e] = W.m[d][e];
    }
}

/* W = sum m X_i X_j' with at least one field, j at or behind i */
static kl_mat3 pair_of(const flexible *p, double Q[4][4], int i, int j)
{
    int     n = p->n, b = j - n;
    kl_vec3 e = axis(component_of(b));
    if (i >= n) {
        kl_mat3 W = kl_outer(axis(component_of(i - n)), e);
        return kl_mat_scale(Q[moment_of(i - n)][moment_of(b)], &W);
    }
    kl_mat3 G = flexible_mat3(p->G0 + 9 * i), N = outer_of(&G);
    int     d = moment_of(b) - 1;
    return d < 0 ? kl_outer(kl_load(p->S1 + 3 * i), e)
                 : kl_outer(kl_vec(N.m[0][d], N.m[1][d], N.m[2][d]), e);
}

/* J2 += sign (G + G')/2 and H1 += sign sum m x x Y, W = sum m Y x', for all pairs of modes */
void flexible_add_second(const flexible *p, double sign, double *J2, double *H1, double *H1t)
{
    size_t n = (size_t)p->n;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            kl_mat3 W = flexible_mat3(p->second + FIELDS * (i * n + j) + 3), T = tensor_of(&W);
            double  h[3], *J = J2 + 9 * (i * n + j);
            kl_store(h, kl_neg(cross_of(&W)));
            for (int c = 0; c < 3; c++) {
                for (int d = 0; d < 3; d++) J[3 * c + d] += sign * 0.5 * (T.m[c][d] + T.m[d][c]);
                H1[3 * (i * n + j) + (size_t)c] += sign * h[c];
                H1t[3 * (j * n + i) + (size_t)c] += sign * h[c];
            }
        }
}

/* H1 without the second-order motion in it */
static double *plain_pairs(const flexible *p, kl_arena *arena)
{
    size_t  nn  = (size_t)(p->n * p->n);
    double *J2  = kl_arena_array(arena, double, 9 * nn + 1);
    double *H1  = kl_arena_array(arena, double, 3 * nn + 1),
           *H1t = kl_arena_array(arena, double, 3 * nn + 1);
    if (!kl_arena_ok(arena)) return NULL;
    memcpy(H1, p->H1, 3 * nn * sizeof(double));
    flexible_add_second(p, -1.0, J2, H1, H1t);
    return H1;
}

static void fill_pairs(const flexible *p, double Q[4][4], const double *H1, flexible *whole)
{
    int n = p->n, N = whole->n;
    for (int i = 0; i < N; i++)
        for (int j = i; j < N; j++) {
            if (j < n) { /* as the body has it, whatever its mass */
                memcpy(whole->H1 + 3 * (i * N + j), H1 + 3 * (i * n + j), 3 * sizeof(double));
                memcpy(whole->H1 + 3 * (j * N + i), H1 + 3 * (j * n + i), 3 * sizeof(double));
                whole->M[i * N + j] = p->M[i * n + j];
                whole->M[j * N + i] = p->M[j * n + i];
                continue;
            }
            kl_mat3 W = pair_of(p, Q, i, j);
            kl_store(whole->H1 + 3 * (i * N + j), cross_of(&W));
            kl_store(whole->H1 + 3 * (j * N + i), kl_neg(cross_of(&W)));
            whole->M[i * N + j] = whole->M[j * N + i] = W.m[0][0] + W.m[1][1] + W.m[2][2];
        }
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            memcpy(whole->H1t + 3 * (j * N + i), whole->H1 + 3 * (i * N + j), 3 * sizeof(double));
}

/* y of <F, F> y = <F, Y>: about the centre of mass shift and slopes part */
static void find_fields(const flexible *p, double Q[4][4], double *y)
{
    int     n  = p->n;
    kl_mat3 cc = kl_outer(p->s0, p->s0), W = outer_of(&p->J0);
    W            = kl_mat_axpy(-1.0 / p->m, &cc, &W);
    double least = 1e-13 * (W.m[0][0] + W.m[1][1] + W.m[2][2]); /* a line has no width */
    for (int d = 0; d < 3; d++) W.m[d][d] += least;
    kl_mat3 inverse = kl_inverse(&W);
    for (int ij = 0; ij < n * n; ij++)
        for (int c = 0; c < 3; c++) {
            const double *f = p->second + FIELDS * ij, *fx = f + 3 + 3 * c;
            double        shift = f[c] / p->m, slope[3];
            kl_store(slope, kl_mul(&inverse, kl_axpy(-shift, p->s0, kl_load(fx))));
            y[FIELDS * ij + c] = shift - kl_dot(kl_load(slope), p->s0) / Q[0][0];
            memcpy(y + FIELDS * ij + 3 + 3 * c, slope, sizeof slope);
        }
}

kl_status flexible_second_setup(flexible *p, kl_arena *arena)
{
    if (!p->second || p->second_order == FLEXIBLE_CUT) return KL_OK;
    int       n = p->n, N = n + FIELDS;
    size_t    all = (size_t)N;
    double    Q[4][4], *H1 = plain_pairs(p, arena);
    flexible *whole = kl_arena_array(arena, flexible, 1);
    p->fields       = kl_arena_array(arena, double, FIELDS *(size_t)(n * n) + 1);
    if (!kl_arena_ok(arena)) return KL_E_MEMORY;
    *whole     = (flexible){.n = N, .m = p->m, .s0 = p->s0};
    whole->S1  = kl_arena_array(arena, double, 3 * all);
    whole->H0  = kl_arena_array(arena, double, 3 * all);
    whole->G0  = kl_arena_array(arena, double, 9 * all);
    whole->J2  = kl_arena_array(arena, double, 9 * all * all);
    whole->H1  = kl_arena_array(arena, double, 3 * all * all);
    whole->H1t = kl_arena_array(arena, double, 3 * all * all);
    whole->M   = kl_arena_array(arena, double, all *all);
    if (!kl_arena_ok(arena)) return KL_E_MEMORY;
    mass_moments(p, Q);
    memcpy(whole->S1, p->S1, 3 * (size_t)n * sizeof(double));
    memcpy(whole->H0, p->H0, 3 * (size_t)n * sizeof(double));
    for (int a = 0; a < FIELDS; a++) {
        const double *q = Q[moment_of(a)];
        kl_vec3       e = axis(component_of(a));
        kl_mat3       W = kl_outer(e, kl_load(q + 1));
        kl_store(whole->S1 + 3 * (n + a), kl_scale(q[0], e));
        kl_store(whole->H0 + 3 * (n + a), kl_neg(cross_of(&W)));
    }
    fill_pairs(p, Q, H1, whole);
    find_fields(p, Q, p->fields);
    p->whole = whole;
    return KL_OK;
}

/* ---- in motion ---- */

/* D (FIELDS x n) = sum_i x_i y_i */
static void sum_fields(const flexible *p, const double *x, double *D)
{
    size_t n = (size_t)p->n;
    memset(D, 0, FIELDS * n * sizeof(double));
    for (size_t i = 0; i < n; i++)
        flexible_add((int)(FIELDS * n), x[i], p->fields + FIELDS * i * n, D);
}

/* to += scale D x */
static void along(int n, double scale, const double *D, const double *x, double *to)
{
    for (int j = 0; j < n; j++) flexible_add(FIELDS, scale * x[j], D + FIELDS * j, to);
}

void flexible_second_position(const flexible *p, flexible_cache *c)
{
    flexible_cache *in = c->inner;
    in->r = c->r, in->A = c->A;
    memcpy(in->w, c->w, (size_t)p->n * sizeof(double));
    memset(in->w + p->n, 0, FIELDS * sizeof(double));
    sum_fields(p, c->w, c->D);
    along(p->n, 0.5, c->D, c->w, in->w + p->n);
    flexible_position_inertia(p->whole, in);
}

void flexible_second_velocity(const flexible *p, flexible_cache *c)
{
    flexible_cache *in = c->inner;
    in->v = c->v, in->om = c->om;
    memcpy(in->w_rate, c->w_rate, (size_t)p->n * sizeof(double));
    memset(in->w_rate + p->n, 0, FIELDS * sizeof(double));
    sum_fields(p, c->w_rate, c->D_rate);
    along(p->n, 1.0, c->D, c->w_rate, in->w_rate + p->n);
    flexible_velocity_inertia(p->whole, in);
}

/* work space: four matrices of the whole body and four columns */
typedef struct work {
    int     N, L; /* velocities of the body and of the whole */
    double *M, *K, *C, *B, *s, *a, *F;
} work;

size_t flexible_second_work(int n)
{
    size_t L = (size_t)n + 6 + FIELDS;
    return 4 * L * L + 3 * L;
}

static work opened(const flexible *p, const flexible_cache *c)
{
    int    N = p->n + 6, L = N + FIELDS;
    size_t LL = (size_t)L * (size_t)L;
    work   k  = {.N = N, .L = L, .M = c->work};
    k.K = k.M + LL, k.C = k.K + LL, k.B = k.C + LL, k.s = k.B + LL, k.a = k.s + L, k.F = k.a + L;
    return k;
}

/* B (L x N) = A P */
static void times_P(const work *k, const double *D, const double *A, double *B)
{
    for (int r = 0; r < k->L; r++) {
        const double *row = A + r * k->L, *field = row + k->N;
        for (int v = 0; v < k->N; v++) {
            double sum = row[v];
            for (int a = 0; v >= 6 && a < FIELDS; a++) sum += field[a] * D[FIELDS * (v - 6) + a];
            B[r * k->N + v] = sum;
        }
    }
}

/* B += A X, where X (FIELDS x n) stands in the rows of the fields and the columns of the modes */
static void add_fields(const work *k, double scale, const double *A, const double *X, double *B)
{
    for (int r = 0; r < k->L; r++)
        for (int j = 0; j < k->N - 6; j++) {
            double sum = 0.0;
            for (int a = 0; a < FIELDS; a++) sum += A[r * k->L + k->N + a] * X[FIELDS * j + a];
            B[r * k->N + 6 + j] += scale * sum;
        }
}

/* to (N x columns) = P'B */
static void P_times(const work *k, const double *D, const double *B, int columns, double *to)
{
    memcpy(to, B, (size_t)(k->N * columns) * sizeof(double));
    for (int j = 0; j < k->N - 6; j++)
        for (int a = 0; a < FIELDS; a++)
            flexible_add(columns, D[FIELDS * j + a], B + (k->N + a) * columns,
                         to + (6 + j) * columns);
}

static kl_mat3 symmetric(const double *G) /* G + G' */
{
    kl_mat3 A = flexible_mat3(G), At = kl_transpose(&A);
    return kl_mat_axpy(1.0, &A, &At);
}

static void add3(double *M, int N, int r, int c, const kl_mat3 *B)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) M[(r + i) * N + c + j] += B->m[i][j];
}

/* what om.J om/2 adds to M and s */
static void add_spin(const flexible *p, const flexible_cache *c, double *M, double *s)
{
    kl_vec3 Jom = kl_mul(&c->J, c->om), turn = kl_cross(c->om, Jom);
    add3(M, p->n + 6, 3, 3, &c->J);
    for (int j = 0; j < p->n; j++) {
        kl_mat3 Jj = symmetric(c->G + 9 * j);
        kl_vec3 h  = kl_mul(&Jj, c->om);
        turn       = kl_axpy(c->w_rate[j], h, turn);
        s[6 + j] += 0.5 * kl_dot(c->om, h);
    }
    double t[3];
    kl_store(t, turn);
    for (int i = 0; i < 3; i++) s[3 + i] -= t[i];
}

static void add_spin_tangent(const flexible *p, const flexible_cache *c, const double *a, double *K,
                             double *C)
{
    int     n = p->n, N = n + 6;
    kl_vec3 om = c->om, al = kl_load(a + 3);
    kl_mat3 O = kl_skew(om), L = kl_skew(kl_mul(&c->J, om)), turn = kl_matmul(&O, &c->J);
    turn = kl_mat_axpy(-1.0, &L, &turn);
    memset(c->scratch, 0, 9 * (size_t)n * sizeof(double)); /* sum_i w'_i J2_ki for all k */
    for (int i = 0; i < n; i++)
        flexible_add(9 * n, c->w_rate[i], p->J2 + 9 * (size_t)i * (size_t)n, c->scratch);
    for (int k = 0; k < n; k++) {
        kl_mat3 Jk = symmetric(c->G + 9 * k), Jk_rate = symmetric(c->scratch + 9 * k);
        kl_vec3 h = kl_mul(&Jk, om);
        double  by_w[3], by_rate[3];
        turn = kl_mat_axpy(c->w_rate[k], &Jk, &turn);
        kl_store(by_rate, h);
        kl_store(by_w, kl_add(kl_mul(&Jk, al), kl_add(kl_mul(&Jk_rate, om), kl_cross(om, h))));
        for (int i = 0; i < 3; i++) {
            K[(3 + i) * N + 6 + k] += by_w[i];
            C[(3 + i) * N + 6 + k] += by_rate[i];
            C[(6 + k) * N + 3 + i] -= by_rate[i];
        }
        for (int j = 0; j < n; j++) {
            kl_mat3 G = flexible_mat3(p->J2 + 9 * ((size_t)k * (size_t)n + (size_t)j));
            K[(6 + j) * N + 6 + k] -= kl_dot(om, kl_mul(&G, om));
        }
    }
    add3(C, N, 3, 3, &turn);
}

void flexible_second_inertia(const flexible *p, const flexible_cache *c, double *M, double *s)
{
    work   k            = opened(p, c);
    double bias[FIELDS] = {0};
    flexible_inertia(p->whole, c->inner, k.M, k.s);
    along(p->n, 1.0, c->D_rate, c->w_rate, bias);
    for (int r = 0; r < k.L; r++)
        for (int a = 0; a < FIELDS; a++) k.s[r] -= k.M[r * k.L + k.N + a] * bias[a];
    times_P(&k, c->D, k.M, k.B);
    P_times(&k, c->D, k.B, k.N, M);
    P_times(&k, c->D, k.s, 1, s);
    add_spin(p, c, M, s);
}

void flexible_second_tangent(const flexible *p, const flexible_cache *c, const double *a, double *K,
                             double *C)
{
    work    k     = opened(p, c);
    double *D_acc = c->D_acc;
    memcpy(k.a, a, (size_t)k.N * sizeof(double));
    memset(k.a + k.N, 0, FIELDS * sizeof(double));
    along(p->n, 1.0, c->D, a + 6, k.a + k.N);
    along(p->n, 1.0, c->D_rate, c->w_rate, k.a + k.N);
    sum_fields(p, a + 6, D_acc);
    flexible_inertia(p->whole, c->inner, k.M, k.s);
    flexible_inertia_tangent(p->whole, c->inner, k.a, k.K, k.C);
    for (int r = 0; r < k.L; r++) {
        k.F[r] = -k.s[r];
        for (int v = 0; v < k.L; v++) k.F[r] += k.M[r * k.L + v] * k.a[v];
    }
    times_P(&k, c->D, k.K, k.B);
    add_fields(&k, 1.0, k.C, c->D_rate, k.B);
    add_fields(&k, 1.0, k.M, D_acc, k.B);
    P_times(&k, c->D, k.B, k.N, K);
    for (int i = 0; i < p->n; i++) /* P itself turns */
        for (int j = 0; j < p->n; j++)
            for (int f = 0; f < FIELDS; f++)
                K[(6 + i) * k.N + 6 + j] += p->fields[FIELDS * (i * p->n + j) + f] * k.F[k.N + f];
    times_P(&k, c->D, k.C, k.B);
    add_fields(&k, 2.0, k.M, c->D_rate, k.B);
    P_times(&k, c->D, k.B, k.N, C);
    add_spin_tangent(p, c, a, K, C);
}
