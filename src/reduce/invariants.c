/* Inertia invariants: every block of the mass matrix of a floating body is R(b)'M R(b), R(b)'M X or
 * X'M X with b = x + X w and, a node, R = [I, -[b]; 0, I]; sorted by powers of w (symbols:
 * docs/theory/flexible.md). With fields over the nodes, for axes a, b and modes i, j:
 *
 *   E_a: unit translation      R_a: e_a x x on translations, e_a on rotations
 *   Z_ia: e_a x X_i on translations, zero on rotations
 *
 *   m I = E'M E,  -[s0] = E'M R,  S1 = E'M X,  J0 = R'M R,  G0_j = R'M Z_j,  J2_ij = Z_j'M Z_i,
 *   H0 = R'M X,   H1_i = Z_i'M X
 *
 * For point masses these are the sums of section 2. */
#include "reduce/invariants.h"

#include <stdlib.h>
#include <string.h>

#include "algebra/dense.h"
#include "reduce/invariants_solid.h"

enum { TOGETHER = 8 }; /* modes a strip: 24 fields */

typedef struct inertia {
    const kl_system *s;
    kl_mass_view     v;
    int              n;
    size_t           N;
    const double    *X;             /* N x n, all nodes */
    double          *E, *R;         /* N x 3 each, neighbours: one N x 6 block */
    double          *ME;            /* N x 6: M E, M R */
    double          *Zi, *Zj, *MZi; /* N x 24 */
    int             *row_of;        /* 6 nnode: row of a node's component, or -1 */
} inertia;

void kl_system_spread(const kl_system *s, int n, const double *X, double *full)
{
    kl_mass_view v = kl_system_mass(s);
    for (int j = 0; j < n; j++) {
        const double *x = X + (size_t)j * (size_t)s->ndof;
        double       *y = full + (size_t)j * (size_t)v.n;
        for (int d = 0; d < v.n; d++) {
            int    q   = 6 * v.node[d] + v.component[d];
            double sum = 0;
            for (int t = s->term_start[q]; t < s->term_start[q + 1]; t++)
                sum += s->term_factor[t] * x[s->term_dof[t]];
            y[d] = sum;
        }
    }
}

static double component(kl_vec3 a, int c) { return c == 0 ? a.x : c == 1 ? a.y : a.z; }

static kl_vec3 axis(int a) { return kl_vec(a == 0, a == 1, a == 2); }

static void rigid_fields(inertia *w)
{
    memset(w->E, 0, 6 * w->N * sizeof(double));
    for (size_t d = 0; d < w->N; d++) {
        int     c = w->v.component[d];
        kl_vec3 x = w->s->x[w->v.node[d]];
        for (int a = 0; a < 3; a++) {
            if (c < 3) {
                w->E[(size_t)a * w->N + d] = a == c;
                w->R[(size_t)a * w->N + d] = component(kl_cross(axis(a), x), c);
            } else {
                w->R[(size_t)a * w->N + d] = a == c - 3;
            }
        }
    }
}

/* Z_ia for `some` modes from `first` on: columns 3 k + a */
static void turned_modes(const inertia *w, int first, int some, double *Z)
{
    memset(Z, 0, 3 * (size_t)some * w->N * sizeof(double));
    for (size_t d = 0; d < w->N; d++) {
        int c = w->v.component[d];
        if (c >= 3) continue;
        const int *row = w->row_of + 6 * w->v.node[d];
        for (int k = 0; k < some; k++) {
            const double *x = w->X + (size_t)(first + k) * w->N;
            kl_vec3       u = kl_vec(row[0] < 0 ? 0 : x[row[0]], row[1] < 0 ? 0 : x[row[1]],
                               row[2] < 0 ? 0 : x[row[2]]);
            for (int a = 0; a < 3; a++)
                Z[(size_t)(3 * k + a) * w->N + d] = component(kl_cross(axis(a), u), c);
        }
    }
}

static void rigid_part(const inertia *w, kl_invariants *out)
{
    double G[36];
    int    N = (int)w->N;
    kl_gemm(true, false, 6, 6, N, 1, w->E, N, w->ME, N, 0, G, 6); /* [E R]'M [E R] by columns */
    out->m = (G[0] + G[7] + G[14]) / 3;
    /* -[s0]: entries (1,2) = s.x, (2,0) = s.y, (0,1) = s.z, and their negatives mirrored */
    const double *C = G + 18; /* columns 3..5 */
#define ER(a, b) C[6 * (b) + (a)]
    out->s0 = kl_vec(0.5 * (ER(1, 2) - ER(2, 1)), 0.5 * (ER(2, 0) - ER(0, 2)),
                     0.5 * (ER(0, 1) - ER(1, 0)));
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++) out->J0.m[a][b] = ER(3 + a, b);
#undef ER
}

/* S1 = E'M X and H0 = R'M X, each mode's 3-vector in a row of memory */
static void coupling_part(const inertia *w, kl_invariants *out)
{
    int N = (int)w->N;
    kl_gemm(true, false, 3, w->n, N, 1, w->ME, N, w->X, N, 0, out->S1, 3);
    kl_gemm(true, false, 3, w->n, N, 1, w->ME + 3 * w->N, N, w->X, N, 0, out->H0, 3);
}

static void mode_part(const inertia *w, kl_invariants *out)
{
    int    n = w->n, N = (int)w->N;
    double G[3 * 3 * TOGETHER * 3 * TOGETHER];
    for (int i = 0; i < n; i += TOGETHER) {
        int some = n - i < TOGETHER ? n - i : TOGETHER, width = 3 * some;
        turned_modes(w, i, some, w->Zi);
        /* G0_j = R'M Z_j */
        kl_gemm(true, false, 3, width, N, 1, w->ME + 3 * w->N, N, w->Zi, N, 0, G, 3);
        for (int k = 0; k < some; k++)
            for (int a = 0; a < 3; a++)
                for (int b = 0; b < 3; b++) out->G0[i + k].m[a][b] = G[3 * (3 * k + b) + a];
        kl_symmetric_multiply(w->v.M, width, w->Zi, w->MZi);
        /* H1_i = Z_i'M X */
        for (int k = 0; k < some; k++)
            kl_gemm(true, false, 3, n, N, 1, w->MZi + (size_t)(3 * k) * w->N, N, w->X, N, 0,
                    out->H1 + 3 * (size_t)(i + k) * (size_t)n, 3);
        /* J2_ij = Z_j'M Z_i; J2_ji is its transpose */
        for (int j = i; j < n; j += TOGETHER) {
            int others = n - j < TOGETHER ? n - j : TOGETHER, height = 3 * others;
            turned_modes(w, j, others, w->Zj);
            kl_gemm(true, false, height, width, N, 1, w->Zj, N, w->MZi, N, 0, G, height);
            for (int k = 0; k < some; k++)
                for (int l = 0; l < others; l++)
                    for (int a = 0; a < 3; a++)
                        for (int b = 0; b < 3; b++) {
                            double value = G[(3 * k + b) * height + 3 * l + a];
                            out->J2[(size_t)(i + k) * (size_t)n + (size_t)(j + l)].m[a][b] = value;
                            out->J2[(size_t)(j + l) * (size_t)n + (size_t)(i + k)].m[b][a] = value;
                        }
        }
    }
}

/* for any mass matrix */
static kl_status general(inertia *w, kl_invariants *out)
{
    double *scratch = malloc(w->N * (12 + 9 * TOGETHER) * sizeof(double));
    w->row_of       = malloc((6 * (size_t)w->s->nnode + 1) * sizeof(int));
    bool ok         = scratch && w->row_of;
    if (ok) {
        w->E = scratch, w->R = w->E + 3 * w->N, w->ME = w->E + 6 * w->N;
        w->Zi = w->E + 12 * w->N, w->Zj = w->Zi + 3 * TOGETHER * w->N,
        w->MZi = w->Zj + 3 * TOGETHER * w->N;
        for (int q = 0; q < 6 * w->s->nnode; q++) w->row_of[q] = -1;
        for (int d = 0; d < w->v.n; d++) w->row_of[6 * w->v.node[d] + w->v.component[d]] = d;
        rigid_fields(w);
        kl_symmetric_multiply(w->v.M, 6, w->E, w->ME);
        rigid_part(w, out);
        coupling_part(w, out);
        mode_part(w, out);
    }
    free(scratch);
    free(w->row_of);
    return ok ? KL_OK : KL_E_MEMORY;
}

static kl_status run(inertia *w, kl_arena *arena, kl_invariants *out)
{
    size_t n = (size_t)w->n;
    out->S1  = kl_arena_array(arena, double, 3 * n);
    out->H0  = kl_arena_array(arena, double, 3 * n);
    out->G0  = kl_arena_array(arena, kl_mat3, n);
    out->J2  = kl_arena_array(arena, kl_mat3, n * n);
    out->H1  = kl_arena_array(arena, double, 3 * n * n);
    if (!kl_arena_ok(arena)) return KL_E_MEMORY;
    bool done = false;
    KL_TRY(kl_invariants_solid(w->s, &w->v, w->n, w->X, out, &done));
    return done ? KL_OK : general(w, out);
}

kl_status kl_invariants_find(const kl_system *s, int n, const double *X, kl_arena *arena,
                             kl_invariants *out)
{
    inertia w        = {.s = s, .v = kl_system_mass(s), .n = n, .X = X};
    w.N              = (size_t)w.v.n;
    bool      tied   = w.v.M != &s->M;
    double   *full   = tied ? malloc(w.N * (size_t)(n + 1) * sizeof(double)) : NULL;
    kl_status status = KL_E_MEMORY;
    if (full || !tied) {
        if (tied) {
            kl_system_spread(s, n, X, full);
            w.X = full;
        }
        status = run(&w, arena, out);
    }
    free(full);
    return status;
}
