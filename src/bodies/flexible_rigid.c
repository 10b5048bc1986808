/* Rigid motions R of a flexible body as six modes more, with all invariants.
 *
 * With fields over the body, W(F, G) = sum m F G', all invariants of R follow from those of the
 * body, because W is known from them: W = tr(T)/2 I - T for T = sum m (F.G I - F G'). This is exact
 * where mass is that of points or of solid elements; of beams up to the square of their length, as their
 * mass matrix knows what lies between their nodes only by its motion. */
#include <math.h>
#include <string.h>

#include "bodies/flexible.h"

/* ---- six rigid motions behind the modes ---- */

/* W(column i, column j) of modes and rigid motions, j at or behind i */
static kl_mat3 pair_of(const flexible *p, int n, int i, int j, const kl_mat3 *Wyy)
{
    kl_mat3 zero = {{{0}}};
    int     a = i - n, b = j - n;
    if (i < n && j < n) {
        kl_mat3 T = flexible_mat3(p->J2 + 9 * (j * n + i)); /* block j, mode i: J2_ij */
        return kl_moments_of_inertia(&T);
    }
    if (i < n) {
        kl_vec3 S = kl_load(p->S1 + 3 * i);
        if (b < 3) return kl_outer(S, flexible_axis(b));
        kl_mat3 T = flexible_mat3(p->G0 + 9 * i), W = kl_moments_of_inertia(&T);
        kl_mat3 Sc = kl_outer(S, flexible_centre_of(p)), E = kl_skew(kl_neg(flexible_axis(b - 3)));
        W = kl_mat_axpy(-1.0, &Sc, &W);
        return kl_matmul(&W, &E);
    }
    if (a < 3 && b < 3) {
        kl_mat3 W = kl_outer(flexible_axis(a), flexible_axis(b));
        return kl_mat_scale(p->m, &W);
    }
    if (a < 3 || b < 3) return zero; /* about the centre of mass */
    kl_mat3 Ea = kl_skew(flexible_axis(a - 3)), Eb = kl_skew(kl_neg(flexible_axis(b - 3))),
            W = kl_matmul(&Ea, Wyy);
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
        kl_vec3 e = kl_scale(size[a], flexible_axis(a % 3));
        double *Y = f->Y + kind * (n + a);
        kl_store(f->X + 3 * (n + a),
                 a < 3 ? e : kl_cross(e, kl_sub(f->position, flexible_centre_of(p))));
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
        kl_store(six + 3, kl_sub(kl_load(p->H0 + 3 * i), kl_cross(flexible_centre_of(p), S)));
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
    return i < n + 3 ? kl_vec(0, 0, 0) : kl_scale(size[i - n], flexible_axis(i - n - 3));
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
    kl_vec3 Y = turned_point(ti, tj, kl_sub(f->position, flexible_centre_of(old)),
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
            kl_mat3 Ni = kl_moments_of_inertia(&G[0]), Nj = kl_moments_of_inertia(&G[1]);
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

/* J2 and H1 of modes and rigid motions */
static void extend_pairs(const flexible *old, const kl_mat3 *Wyy, const double *size, flexible *p)
{
    int n = old->n, N = n + 6;
    for (int i = 0; i < N; i++)
        for (int j = i; j < N; j++) {
            double  s = (i < n ? 1.0 : size[i - n]) * (j < n ? 1.0 : size[j - n]);
            kl_mat3 W = pair_of(old, n, i, j, Wyy), T = kl_inertia_of_moments(&W),
                    Tt = kl_transpose(&T);
            kl_vec3 h  = flexible_cross_of(&W);
            if (i < n && j < n) { /* as the body has it, whatever its mass */
                memcpy(p->J2 + 9 * (i * N + j), old->J2 + 9 * (i * n + j), 9 * sizeof(double));
                memcpy(p->J2 + 9 * (j * N + i), old->J2 + 9 * (j * n + i), 9 * sizeof(double));
                memcpy(p->H1 + 3 * (i * N + j), old->H1 + 3 * (i * n + j), 3 * sizeof(double));
                memcpy(p->H1 + 3 * (j * N + i), old->H1 + 3 * (j * n + i), 3 * sizeof(double));
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
}

/* The body with its rigid motions as modes n .. n + 5, each of unit modal mass. */
kl_status flexible_extend(flexible *p, kl_arena *arena)
{
    flexible old = *p;
    int      n = p->n, N = n + 6;
    size_t   all = (size_t)N;
    kl_mat3  Jc = flexible_central(p), Wyy = kl_moments_of_inertia(&Jc);
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
        kl_vec3 e = kl_scale(size[a], flexible_axis(a % 3));
        kl_mat3 E = kl_skew(e);
        kl_mat3 W = a < 3 ? kl_outer(e, old.s0) : kl_matmul(&E, &Wyy),
                T = kl_inertia_of_moments(&W);
        kl_store(p->S1 + 3 * (n + a), a < 3 ? kl_scale(p->m, e) : kl_vec(0, 0, 0));
        kl_store(p->H0 + 3 * (n + a), a < 3 ? kl_cross(old.s0, e) : kl_mul(&Jc, e));
        memcpy(p->G0 + 9 * (n + a), T.m, 9 * sizeof(double));
    }
    extend_pairs(&old, &Wyy, size, p);
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
