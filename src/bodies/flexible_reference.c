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
 *
 * With fields over the body, W(F, G) = sum m F G', all invariants of R follow from those of the
 * body, because W is known from them: W = tr(T)/2 I - T for T = sum m (F.G I - F G'). This is exact
 * where mass is that of points or of solid elements; for beams and shells the rotary inertia of the
 * second-order terms of R is put where translation has it. */
#include <math.h>
#include <string.h>

#include "algebra/dense.h"
#include "bodies/flexible.h"

/* ---- rigid motions ---- */

static kl_vec3 axis(int a) { return kl_vec(a == 0, a == 1, a == 2); }

static kl_vec3 centre_of(const flexible *p) { return kl_scale(1.0 / p->m, p->s0); }

/* about the centre of mass */
static kl_mat3 central(const flexible *p)
{
    kl_vec3 c  = centre_of(p);
    kl_mat3 cc = kl_outer(c, c), t = flexible_tensor_of(&cc);
    return kl_mat_axpy(-p->m, &t, &p->J0);
}

/* ---- six rigid motions behind the modes ---- */

/* W(column i, column j) of modes and rigid motions, j at or behind i */
static kl_mat3 pair_of(const flexible *p, int n, int i, int j, const kl_mat3 *Wyy)
{
    kl_mat3 zero = {{{0}}};
    int     a = i - n, b = j - n;
    if (i < n && j < n) {
        kl_mat3 T = flexible_mat3(p->J2 + 9 * (j * n + i)); /* block j, mode i: J2_ij */
        return flexible_outer_of(&T);
    }
    if (i < n) {
        kl_vec3 S = kl_load(p->S1 + 3 * i);
        if (b < 3) return kl_outer(S, axis(b));
        kl_mat3 T = flexible_mat3(p->G0 + 9 * i), W = flexible_outer_of(&T);
        kl_mat3 Sc = kl_outer(S, centre_of(p)), E = kl_skew(kl_neg(axis(b - 3)));
        W = kl_mat_axpy(-1.0, &Sc, &W);
        return kl_matmul(&W, &E);
    }
    if (a < 3 && b < 3) {
        kl_mat3 W = kl_outer(axis(a), axis(b));
        return kl_mat_scale(p->m, &W);
    }
    if (a < 3 || b < 3) return zero; /* about the centre of mass */
    kl_mat3 Ea = kl_skew(axis(a - 3)), Eb = kl_skew(kl_neg(axis(b - 3))), W = kl_matmul(&Ea, Wyy);
    return kl_matmul(&W, &Eb);
}

static void extend_frame(const flexible *p, const flexible_frame *old, flexible_frame *f,
                         kl_arena *arena, const double *size)
{
    int n = p->n, kind = (int)f->kind;
    f->X = kl_arena_array(arena, double, 3 * (size_t)(n + 6));
    f->Y = kl_arena_array(arena, double, (size_t)kind *(size_t)(n + 6));
    if (!kl_arena_ok(arena)) return;
    memcpy(f->X, old->X, 3 * (size_t)n * sizeof(double));
    memcpy(f->Y, old->Y, (size_t)(kind * n) * sizeof(double));
    for (int a = 0; a < 6; a++) {
        kl_vec3 e = kl_scale(size[a], axis(a % 3));
        double *Y = f->Y + kind * (n + a);
        kl_store(f->X + 3 * (n + a), a < 3 ? e : kl_cross(e, kl_sub(f->position, centre_of(p))));
        if (a < 3) continue;
        if (kind == KL_FRAME_ROTATION) {
            kl_store(Y, e);
        } else {
            kl_store(Y, kl_cross(e, kl_load(f->y0)));
            kl_store(Y + 3, kl_cross(e, kl_load(f->y0 + 3)));
        }
    }
}

static void fill_square(const flexible *p, const kl_mat3 *Jc, const double *size, double *M)
{
    int n = p->n, N = n + 6;
    memset(M, 0, (size_t)(N * N) * sizeof(double));
    for (int i = 0; i < n; i++) {
        kl_vec3 S = kl_load(p->S1 + 3 * i);
        double  six[6];
        kl_store(six, S);
        kl_store(six + 3, kl_sub(kl_load(p->H0 + 3 * i), kl_cross(centre_of(p), S)));
        memcpy(M + i * N, p->M + i * n, (size_t)n * sizeof(double));
        for (int a = 0; a < 6; a++) M[i * N + n + a] = M[(n + a) * N + i] = size[a] * six[a];
    }
    for (int a = 0; a < 3; a++) {
        M[(n + a) * N + n + a] = p->m * size[a] * size[a];
        for (int b = 0; b < 3; b++)
            M[(n + 3 + a) * N + n + 3 + b] = Jc->m[a][b] * size[3 + a] * size[3 + b];
    }
}

/* blocks of n x rows x n numbers with six zero rows and columns more */
static kl_status widen(int rows, int n, double **blocks, kl_arena *arena)
{
    int N = n + 6;
    if (!*blocks) return KL_OK;
    double *to = kl_arena_array(arena, double, (size_t)rows *(size_t)(N * N));
    if (!to) return KL_E_MEMORY;
    for (int i = 0; i < n; i++)
        memcpy(to + rows * i * N, *blocks + rows * i * n, (size_t)(rows * n) * sizeof(double));
    *blocks = to;
    return KL_OK;
}

static kl_vec3 turn_of(int n, int i, const double *size)
{
    return i < n + 3 ? kl_vec(0, 0, 0) : kl_scale(size[i - n], axis(i - n - 3));
}

/* ([a][b] + [b][a])/2 */
static kl_mat3 turned_twice(kl_vec3 a, kl_vec3 b)
{
    kl_mat3 A = kl_skew(a), B = kl_skew(b), AB = kl_matmul(&A, &B), BA = kl_matmul(&B, &A);
    AB = kl_mat_axpy(1.0, &BA, &AB);
    return kl_mat_scale(0.5, &AB);
}

/* Y of a point at y from the centre that the modes i and j move by Xi and Xj */
static kl_vec3 turned_point(kl_vec3 ti, kl_vec3 tj, kl_vec3 y, kl_vec3 Xi, kl_vec3 Xj)
{
    kl_mat3 E = turned_twice(ti, tj);
    return kl_add(kl_mul(&E, y), kl_add(kl_cross(ti, Xj), kl_cross(tj, Xi)));
}

static kl_vec3 column_or_zero(const double *columns, int n, int j)
{
    return j < n ? kl_load(columns + 3 * j) : kl_vec(0, 0, 0);
}

static void turn_frame(const flexible *old, const double *size, int i, int j, flexible_frame *f)
{
    int     n = old->n, at = 3 * (i * (n + 6) + j);
    kl_vec3 ti = turn_of(n, i, size), tj = turn_of(n, j, size);
    kl_vec3 Y = turned_point(ti, tj, kl_sub(f->position, centre_of(old)),
                             column_or_zero(f->X, n, i), column_or_zero(f->X, n, j));
    kl_store(f->X2 + at, Y);
    if (!f->Y2) return;
    kl_vec3 yi = column_or_zero(f->Y, n, i), yj = column_or_zero(f->Y, n, j);
    kl_store(f->Y2 + at, kl_scale(0.5, kl_add(kl_cross(ti, yj), kl_cross(tj, yi))));
}

/* A turn t is one by an angle, not a field t x y alone: y + X w goes to exp([t])(y + X w), whose second
 * order t x (t x y)/2 + t x X w belongs to the second-order motion of the body. */
static kl_status turn_second(const flexible *old, const kl_mat3 *Wyy, const double *size,
                             flexible *p, kl_arena *arena)
{
    enum { FIELDS = FLEXIBLE_FIELDS };
    int     n = old->n, N = n + 6;
    kl_mat3 zero  = {{{0}}};
    double *added = kl_arena_array(arena, double, FIELDS *(size_t)(N * N));
    if (!added) return KL_E_MEMORY;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            if (i < n + 3 && j < n + 3) continue;
            kl_mat3 G[2] = {i < n ? flexible_mat3(old->G0 + 9 * i) : zero,
                            j < n ? flexible_mat3(old->G0 + 9 * j) : zero};
            kl_vec3 ti = turn_of(n, i, size), tj = turn_of(n, j, size), o = kl_vec(0, 0, 0);
            kl_mat3 Ti = kl_skew(ti), Tj = kl_skew(tj), E = turned_twice(ti, tj);
            kl_mat3 Ni = flexible_outer_of(&G[0]), Nj = flexible_outer_of(&G[1]);
            kl_mat3 W = kl_matmul(&E, Wyy), A = kl_matmul(&Ti, &Nj), B = kl_matmul(&Tj, &Ni);
            W          = kl_mat_axpy(1.0, &A, &W);
            W          = kl_mat_axpy(1.0, &B, &W);
            double *to = added + FIELDS * (i * N + j);
            kl_store(to, turned_point(ti, tj, o, column_or_zero(old->S1, n, i),
                                      column_or_zero(old->S1, n, j)));
            memcpy(to + 3, W.m, 9 * sizeof(double));
            memcpy(p->second + FIELDS * (i * N + j), to, FIELDS * sizeof(double));
            memcpy(p->S2 + 3 * (i * N + j), to, 3 * sizeof(double));
            for (int k = 0; k < p->nframe; k++) turn_frame(old, size, i, j, &p->frame[k]);
        }
    flexible_add_second(N, added, 1.0, p->J2, p->H1, p->H1t);
    return KL_OK;
}

/* The body with its rigid motions as modes n .. n + 5, each of unit modal mass. */
static kl_status extend(flexible *p, kl_arena *arena)
{
    flexible old = *p;
    int      n = p->n, N = n + 6;
    size_t   all = (size_t)N;
    kl_mat3  Jc = central(p), Wyy = flexible_outer_of(&Jc);
    double   size[6];
    for (int a = 0; a < 6; a++)
        size[a] = 1.0 / sqrt(a < 3 ? p->m : fmax(Jc.m[a - 3][a - 3], 1e-12 * p->m));
    p->S1    = kl_arena_array(arena, double, 3 * all);
    p->H0    = kl_arena_array(arena, double, 3 * all);
    p->G0    = kl_arena_array(arena, double, 9 * all);
    p->J2    = kl_arena_array(arena, double, 9 * all * all);
    p->H1    = kl_arena_array(arena, double, 3 * all * all);
    p->H1t   = kl_arena_array(arena, double, 3 * all * all);
    p->M     = kl_arena_array(arena, double, all *all);
    p->K     = kl_arena_array(arena, double, all *all);
    p->D     = kl_arena_array(arena, double, all *all);
    p->frame = kl_arena_array(arena, flexible_frame, old.nframe + 1);
    if (!kl_arena_ok(arena)) return KL_E_MEMORY;

    memcpy(p->S1, old.S1, 3 * (size_t)n * sizeof(double));
    memcpy(p->H0, old.H0, 3 * (size_t)n * sizeof(double));
    memcpy(p->G0, old.G0, 9 * (size_t)n * sizeof(double));
    for (int a = 0; a < 6; a++) {
        kl_vec3 e = kl_scale(size[a], axis(a % 3));
        kl_mat3 E = kl_skew(e);
        kl_mat3 W = a < 3 ? kl_outer(e, old.s0) : kl_matmul(&E, &Wyy), T = flexible_tensor_of(&W);
        kl_store(p->S1 + 3 * (n + a), a < 3 ? kl_scale(p->m, e) : kl_vec(0, 0, 0));
        kl_store(p->H0 + 3 * (n + a), a < 3 ? kl_cross(old.s0, e) : kl_mul(&Jc, e));
        memcpy(p->G0 + 9 * (n + a), T.m, 9 * sizeof(double));
    }
    for (int i = 0; i < N; i++)
        for (int j = i; j < N; j++) {
            double  s = (i < n ? 1.0 : size[i - n]) * (j < n ? 1.0 : size[j - n]);
            kl_mat3 W = pair_of(&old, n, i, j, &Wyy), T = flexible_tensor_of(&W),
                    Tt = kl_transpose(&T);
            kl_vec3 h  = flexible_cross_of(&W);
            if (i < n && j < n) { /* as the body has it, whatever its mass */
                memcpy(p->J2 + 9 * (i * N + j), old.J2 + 9 * (i * n + j), 9 * sizeof(double));
                memcpy(p->J2 + 9 * (j * N + i), old.J2 + 9 * (j * n + i), 9 * sizeof(double));
                memcpy(p->H1 + 3 * (i * N + j), old.H1 + 3 * (i * n + j), 3 * sizeof(double));
                memcpy(p->H1 + 3 * (j * N + i), old.H1 + 3 * (j * n + i), 3 * sizeof(double));
                continue;
            }
            T = kl_mat_scale(s, &T), Tt = kl_mat_scale(s, &Tt);
            memcpy(p->J2 + 9 * (j * N + i), T.m, 9 * sizeof(double)); /* J2_ij */
            memcpy(p->J2 + 9 * (i * N + j), Tt.m, 9 * sizeof(double));
            kl_store(p->H1 + 3 * (i * N + j), kl_scale(s, h));
            kl_store(p->H1 + 3 * (j * N + i), kl_scale(-s, h));
        }
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            memcpy(p->H1t + 3 * (j * N + i), p->H1 + 3 * (i * N + j), 3 * sizeof(double));
    fill_square(&old, &Jc, size, p->M);
    for (int i = 0; i < n; i++) memcpy(p->K + i * N, old.K + i * n, (size_t)n * sizeof(double));
    for (int k = 0; k < old.nframe; k++) {
        p->frame[k] = old.frame[k];
        extend_frame(&old, &old.frame[k], &p->frame[k], arena, size);
    }
    KL_TRY(widen(3, n, &p->S2, arena));
    KL_TRY(widen(FLEXIBLE_FIELDS, n, &p->second, arena));
    for (int k = 0; k < old.nframe; k++) {
        KL_TRY(widen(3, n, &p->frame[k].X2, arena));
        KL_TRY(widen(3, n, &p->frame[k].Y2, arena));
    }
    if (p->second) KL_TRY(turn_second(&old, &Wyy, size, p, arena));
    for (int a = 0; a < 6; a++) p->mode[n + a] = -1;
    p->n = N;
    return kl_arena_ok(arena) ? KL_OK : KL_E_MEMORY;
}

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
    kl_mat3 J = central(p);
    double  A[9], w[3];
    for (int a = 0; a < 9; a++) A[a] = J.m[a % 3][a / 3];
    KL_TRY(kl_symmetric_eigen(3, A, w));
    /* against the smallest: a slender rod has two that are nearly, but not quite, equal */
    if (w[1] - w[0] < 0.01 * w[0] || w[2] - w[1] < 0.01 * w[0])
        return kl_fail(s->diag, KL_E_SINGULAR, s->place,
                       "body '%s': principal axes need three different moments of inertia; these "
                       "are %.6g, %.6g and %.6g kg m2, so the axes could turn freely: use "
                       "`reference: mean-axis`",
                       s->name, w[0], w[1], w[2]);
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++) p->principal.m[a][b] = A[3 * b + a];
    p->spread = kl_vec(1 / (w[2] - w[1]), 1 / (w[0] - w[2]), 1 / (w[1] - w[0]));
    return KL_OK;
}

/* rows that elimination makes zero: shift of the centre of mass and turn, of each mode */
static void linear_rows(const flexible *p, double *rows)
{
    kl_vec3 c = centre_of(p);
    for (int j = 0; j < p->n; j++) {
        kl_vec3 S = kl_load(p->S1 + 3 * j), turn;
        kl_mat3 G = flexible_mat3(p->G0 + 9 * j), Gt = kl_transpose(&G);
        if (p->reference == FLEXIBLE_PRINCIPAL_AXIS) {
            /* of J about the centre of mass, which moves by S/m */
            kl_mat3 Sc = kl_outer(S, c), T = flexible_tensor_of(&Sc), Tt = kl_transpose(&T);
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
static kl_status eliminate(flexible *p, const kl_setup *s)
{
    int     n    = p->n;
    double *rows = kl_arena_array(s->arena, double, 6 * (size_t)(n + 6));
    double *T    = kl_arena_array(s->arena, double, (size_t)(n + 6) * (size_t)n + 1);
    if (!kl_arena_ok(s->arena)) return KL_E_MEMORY;
    KL_TRY(extend(p, s->arena));
    linear_rows(p, rows);
    double CR[36], *CX = rows;
    memcpy(CR, rows + 6 * n, sizeof CR);
    if (kl_dense_solve(6, n, CR, CX) != KL_OK)
        return kl_fail(s->diag, KL_E_SINGULAR, s->place,
                       "body '%s': its reference conditions leave rigid motion free", s->name);
    for (int j = 0; j < n; j++) {
        T[j * n + j] = 1.0;
        for (int a = 0; a < 6; a++) T[(n + a) * n + j] = -CX[6 * j + a];
    }
    return recombine(p, n, T, s->arena);
}

kl_status flexible_refer(flexible *p, const kl_setup *s)
{
    if (p->reference == FLEXIBLE_AS_IN_FILE && p->conditions == FLEXIBLE_CONSTRAINED) {
        const char *file = p->file.body->reference;
        if (strcmp(file, "principal-axis") == 0) p->reference = FLEXIBLE_PRINCIPAL_AXIS;
        if (strcmp(file, "mean-axis") == 0) p->reference = FLEXIBLE_MEAN_AXIS;
    }
    if (p->n == 0) return KL_OK;
    if (p->reference == FLEXIBLE_PRINCIPAL_AXIS) KL_TRY(principal_axes(p, s));
    if (p->conditions == FLEXIBLE_CONSTRAINED) {
        p->central_inverse = central(p);
        KL_TRY(extend(p, s->arena));
        p->conditioned     = true;
        kl_mat3 J          = p->central_inverse;
        p->central_inverse = kl_inverse(&J);
        return KL_OK;
    }
    bool already =
        p->reference == FLEXIBLE_AS_IN_FILE ||
        (p->reference == FLEXIBLE_MEAN_AXIS && strcmp(p->file.body->reference, "mean-axis") == 0);
    return already ? KL_OK : eliminate(p, s);
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
        kl_vec3 h = kl_sub(kl_load(p->H0 + 3 * j), kl_cross(centre_of(p), kl_load(p->S1 + 3 * j)));
        *turn     = kl_mul(&p->central_inverse, h);
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

void flexible_condition_motion(const flexible *p, const flexible_cache *c, kl_motion *m)
{
    condition k = condition_of(p, c);
    kl_mat3   G = map_of(&k, kl_node_frame_map), Q = rate_of(&k, k.y_rate);
    double    y[3];
    kl_store(y, k.y);
    m->r   = k.r;
    m->A   = kl_node_frame_axes(KL_FRAME_ROTATION, y);
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
        kl_mat3 Q   = rate_of(&k, axis(i));
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
