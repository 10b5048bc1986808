/* Inertia invariants where the mass is the same in the three directions and couples none of them,
 * M = S (x) I as solid elements have it: one scalar matrix S over the nodes and the products of the
 * modes' components say everything, in a ninth of the work of the general way.
 *
 *   g(u, v) = u'S v for scalar fields u, v: 1, the coordinates x_a, the components X_ia of modes
 *   (e_a x u).(e_b x v) = (a = b) u.v - v_a u_b,   hence
 *
 *   J0_ab = (a = b) sum_c g(x_c, x_c) - g(x_a, x_b)
 *   G0_j,ab = (a = b) sum_c g(x_c, X_jc) - g(x_b, X_ja)
 *   J2_ij,ab = (a = b) sum_c g(X_ic, X_jc) - g(X_ia, X_jb)
 *   H0_j,a = g(x_a+1, X_j,a+2) - g(x_a+2, X_j,a+1),  H1_ij,a the same with X_i for x */
#include "reduce/invariants_solid.h"

#include <stdlib.h>
#include <string.h>

#include "algebra/dense.h"

enum { POSITION = 1, MODES = 4 }; /* columns: 1, x y z, then three a mode */

/* the part of M in one direction, nodes in their order */
static kl_status extract(const kl_mass_view *v, int component, kl_symmetric *S)
{
    int *keep = malloc(((size_t)v->n + 1) * sizeof(int)), n = 0;
    if (!keep) return KL_E_MEMORY;
    for (int d = 0; d < v->n; d++) keep[d] = v->component[d] == component ? n++ : -1;
    kl_status status = kl_symmetric_extract(v->M, keep, n, S);
    free(keep);
    return status;
}

/* no mass on rotations (nodes of ties have them without), none between directions */
static bool directions_apart(const kl_mass_view *v)
{
    for (int j = 0; j < v->n; j++)
        for (int64_t p = v->M->start[j]; p < v->M->start[j + 1]; p++) {
            bool same = v->component[v->M->row[p]] == v->component[j] && v->component[j] < 3;
            if (!same && v->M->value[p] != 0) return false;
        }
    return true;
}

/* rows of the translations, three a node; returns how many nodes, or 0 when a node lacks one */
static int find_rows(const kl_mass_view *v, int *row)
{
    int n = 0;
    for (int d = 0; d < v->n; d++) {
        if (v->component[d] > 2) continue;
        if (v->component[d] != n % 3 || (n % 3 > 0 && v->node[d] != v->node[row[n - 1]])) return 0;
        row[n++] = d;
    }
    return n % 3 == 0 ? n / 3 : 0;
}

static bool equal(const kl_symmetric *A, const kl_symmetric *B)
{
    size_t nnz = (size_t)kl_symmetric_nnz(A);
    return A->n == B->n && memcmp(A->start, B->start, ((size_t)A->n + 1) * sizeof *A->start) == 0 &&
           memcmp(A->row, B->row, nnz * sizeof *A->row) == 0 &&
           memcmp(A->value, B->value, nnz * sizeof *A->value) == 0;
}

/* S when M = S (x) I; `row` becomes the rows of the nodes' translations */
static kl_status scalar_mass(const kl_mass_view *v, kl_symmetric *S, int *row, bool *yes)
{
    *yes = false;
    if (!directions_apart(v) || find_rows(v, row) == 0) return KL_OK;
    KL_TRY(extract(v, 0, S));
    for (int c = 1; c < 3; c++) {
        kl_symmetric other  = {0};
        kl_status    status = extract(v, c, &other);
        bool         same   = status == KL_OK && equal(S, &other);
        kl_symmetric_free(&other);
        if (!same) {
            kl_symmetric_free(S);
            return status;
        }
    }
    *yes = true;
    return KL_OK;
}

/* columns 1, x, y, z and the components of the modes over the nodes: n x (4 + 3 nmode) */
static void fill_fields(const kl_system *s, const kl_mass_view *v, int n, const int *row, int nmode,
                        const double *X, double *F)
{
    size_t N = (size_t)n;
    for (size_t i = 0; i < N; i++) {
        kl_vec3 x = s->x[v->node[row[3 * i]]];
        F[i]      = 1;
        F[N + i] = x.x, F[2 * N + i] = x.y, F[3 * N + i] = x.z;
    }
    for (int j = 0; j < nmode; j++) {
        const double *x = X + (size_t)j * (size_t)v->n;
        double       *f = F + (MODES + 3 * (size_t)j) * N;
        for (size_t i = 0; i < N; i++)
            for (size_t c = 0; c < 3; c++) f[c * N + i] = x[row[3 * i + c]];
    }
}

/* g = F'S F, columns in strips */
static kl_status products(const kl_symmetric *S, int n, int k, const double *F, double *g)
{
    enum { STRIP = 24 };
    size_t  N  = (size_t)n;
    double *SF = malloc(N * STRIP * sizeof(double));
    if (!SF) return KL_E_MEMORY;
    for (int j = 0; j < k; j += STRIP) {
        int some = k - j < STRIP ? k - j : STRIP;
        kl_symmetric_multiply(S, some, F + (size_t)j * N, SF);
        kl_gemm(true, false, k, some, n, 1, F, n, SF, n, 0, g + (size_t)j * (size_t)k, k);
    }
    free(SF);
    return KL_OK;
}

typedef struct table {
    int           k;
    const double *g; /* k x k */
} table;

static double at(const table *t, int i, int j)
{
    return t->g[(size_t)j * (size_t)t->k + (size_t)i];
}

/* (e_a x u).(e_b x v) for vector fields whose components begin at columns u and v */
static kl_mat3 turned(const table *t, int u, int v)
{
    double  dot = at(t, u, v) + at(t, u + 1, v + 1) + at(t, u + 2, v + 2);
    kl_mat3 A;
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++) A.m[a][b] = (a == b ? dot : 0) - at(t, u + b, v + a);
    return A;
}

/* u x v summed over the body */
static void cross(const table *t, int u, int v, double *out)
{
    for (int a = 0; a < 3; a++) {
        int b = (a + 1) % 3, c = (a + 2) % 3;
        out[a] = at(t, u + b, v + c) - at(t, u + c, v + b);
    }
}

static void combine(const table *t, int n, kl_invariants *out)
{
    out->m  = at(t, 0, 0);
    out->s0 = kl_vec(at(t, 0, 1), at(t, 0, 2), at(t, 0, 3));
    out->J0 = turned(t, POSITION, POSITION);
    for (int j = 0; j < n; j++) {
        int X = MODES + 3 * j;
        for (int a = 0; a < 3; a++) out->S1[3 * j + a] = at(t, 0, X + a);
        out->G0[j] = turned(t, POSITION, X);
        cross(t, POSITION, X, out->H0 + 3 * (size_t)j);
        for (int i = 0; i < n; i++) {
            size_t ij = (size_t)i * (size_t)n + (size_t)j;
            cross(t, MODES + 3 * i, X, out->H1 + 3 * ij);
            out->J2[ij] = turned(t, X, MODES + 3 * i);
        }
    }
}

kl_status kl_invariants_solid(const kl_system *s, const kl_mass_view *v, int n, const double *X,
                              kl_invariants *out, bool *done)
{
    kl_symmetric S   = {0};
    size_t       k   = MODES + 3 * (size_t)n;
    int         *row = malloc(((size_t)v->n + 1) * sizeof(int));
    if (!row) return KL_E_MEMORY;
    kl_status status = scalar_mass(v, &S, row, done);
    if (status == KL_OK && *done) {
        double *F = malloc((size_t)S.n * k * sizeof(double)), *g = malloc(k * k * sizeof(double));
        if (F && g) {
            fill_fields(s, v, S.n, row, n, X, F);
            status = products(&S, S.n, (int)k, F, g);
            if (status == KL_OK) combine(&(table){(int)k, g}, n, out);
        } else status = KL_E_MEMORY;
        free(F);
        free(g);
    }
    kl_symmetric_free(&S);
    free(row);
    return status;
}
