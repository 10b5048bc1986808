/* Turning mass; see the header. With X_i = u_i + theta_i x r and x the place itself,
 *
 *   int rho X_j (x + r)'  += (theta_j x mu) x' + [theta_j] W                     (G0)
 *   int rho X_i X_j'      += u_i (theta_j x mu)' + (theta_i x mu) u_j' + [theta_i] W [theta_j]'   (J2)
 *   int rho X_i x X_j     += (theta_i x mu) x u_j + that of the last one          (H1)
 *
 * beside what mass matrices give (invariants.c), which leaves r where it was. */
#include "reduce/offset_mass.h"

#include <stdlib.h>
#include <string.h>

#include "algebra/dense.h"

/* ---- going through them ---- */

typedef struct visit {
    int                 n;
    const double       *V;
    int                 ndof, q[KL_MAX_ELEMENT_DOF];
    double             *Ve;    /* n x ndof: motion of the element's unknowns */
    double             *moved; /* n x 6 */
    kl_offset_mass_sink sink;
    void               *context;
} visit;

static void take_nodes(visit *k, int nnode, const int *node)
{
    k->ndof = 6 * nnode;
    for (int i = 0; i < k->ndof; i++) {
        k->q[i] = 6 * node[i / 6] + i % 6;
        if (k->n > 0)
            memcpy(k->Ve + (size_t)i * (size_t)k->n, k->V + (size_t)k->q[i] * (size_t)k->n,
                   (size_t)k->n * sizeof(double));
    }
}

static void take_point(void *context, const kl_mass_point *p)
{
    visit *k = context;
    if (k->n > 0) {
        kl_gemm(false, false, k->n, 3, k->ndof, 1, k->Ve, k->n, p->u[0], KL_MAX_ELEMENT_DOF, 0,
                k->moved, k->n);
        kl_gemm(false, false, k->n, 3, k->ndof, 1, k->Ve, k->n, p->turn[0], KL_MAX_ELEMENT_DOF, 0,
                k->moved + 3 * k->n, k->n);
    }
    kl_offset_mass t = {p, k->ndof, k->q, k->moved, k->moved + 3 * k->n};
    k->sink(k->context, &t);
}

static void visit_lumps(visit *k, const kl_mesh *m, kl_mass_point *p)
{
    for (int i = 0; i < m->nmass; i++) {
        const kl_point_mass *a = &m->mass[i];
        kl_mat3              W = kl_moments_of_inertia(&a->J), d = kl_outer(a->offset, a->offset);
        p->second = kl_mat_axpy(a->mass, &d, &W);
        p->along  = kl_vec(0, 0, 0);
        p->first  = kl_scale(a->mass, a->offset);
        p->x      = m->x[a->node];
        memset(p->u, 0, sizeof p->u);
        memset(p->turn, 0, sizeof p->turn);
        for (int c = 0; c < 3; c++) p->u[c][c] = p->turn[c][3 + c] = 1.0;
        take_nodes(k, 1, &a->node);
        take_point(k, p);
    }
}

kl_status kl_offset_mass_visit(const kl_mesh *m, int n, const double *V, kl_offset_mass_sink sink,
                               void *context)
{
    size_t         wide   = (size_t)n + 1;
    kl_mass_point *p      = malloc(sizeof *p);
    visit          k      = {.n       = n,
                             .V       = V,
                             .Ve      = malloc(wide * KL_MAX_ELEMENT_DOF * sizeof(double)),
                             .moved   = malloc(wide * 6 * sizeof(double)),
                             .sink    = sink,
                             .context = context};
    kl_status      status = p && k.Ve && k.moved ? KL_OK : KL_E_MEMORY;
    for (int s = 0; s < KL_SHAPE_COUNT && status == KL_OK; s++) {
        const kl_fe_type *type  = kl_fe_type_of((kl_shape)s);
        int               nnode = kl_shape_info_of((kl_shape)s)->nnode;
        for (int i = 0; type->masses && i < m->block[s].n && status == KL_OK; i++) {
            kl_fe_element e;
            kl_fe_gather(m, (kl_shape)s, i, &e);
            take_nodes(&k, nnode, &m->block[s].node[(size_t)i * (size_t)nnode]);
            status = type->masses(&e, p, take_point, &k);
        }
    }
    if (status == KL_OK) visit_lumps(&k, m, p);
    free(p);
    free(k.Ve);
    free(k.moved);
    return status;
}

double *kl_system_motions(const kl_system *s, int k, const double *u)
{
    double *out = malloc(6 * (size_t)s->nnode * (size_t)(k + 1) * sizeof(double));
    for (int j = 0; out && j < k; j++)
        for (int node = 0; node < s->nnode; node++) {
            double motion[6];
            kl_system_motion(s, node, u + (size_t)j * (size_t)s->ndof, motion);
            for (int c = 0; c < 6; c++)
                out[((size_t)node * 6 + (size_t)c) * (size_t)k + (size_t)j] = motion[c];
        }
    return out;
}

/* ---- invariants ---- */

enum { STRIP = 96 }; /* columns that are summed up together */

/* Columns of 3 n numbers, component after component: [theta] W [theta]' = sum_k (theta x e_k)(theta x
 * W e_k)' gives three a point, mu one. */
typedef struct summing {
    int            n, used, shifted;
    kl_invariants *out;
    double        *A, *B, *M, *U; /* 3 n x STRIP: theta x e_k, theta x W e_k; theta x mu, u */
    double        *W, *S;         /* 3 n x 3 n: A B', M U' */
} summing;

static kl_vec3 of_mode(const double *motion, int n, int j)
{
    return kl_vec(motion[j], motion[n + j], motion[2 * n + j]);
}

/* to (3 x n) = theta x v for all modes */
static void turned(int n, const double *turn, kl_vec3 v, double *to)
{
    for (int j = 0; j < n; j++) {
        kl_vec3 t = kl_cross(of_mode(turn, n, j), v);
        to[j] = t.x, to[n + j] = t.y, to[2 * n + j] = t.z;
    }
}

static void flush(summing *k)
{
    int N = 3 * k->n;
    kl_gemm(false, true, N, N, k->used, 1, k->A, N, k->B, N, 1, k->W, N);
    kl_gemm(false, true, N, N, k->shifted, 1, k->M, N, k->U, N, 1, k->S, N);
    k->used = k->shifted = 0;
}

static void add_point(void *context, const kl_offset_mass *t)
{
    summing *k = context;
    int      n = k->n;
    size_t   N = 3 * (size_t)n;
    if (k->used + 3 > STRIP || k->shifted + 1 > STRIP) flush(k);
    for (int c = 0; c < 3; c++, k->used++) {
        kl_vec3 e = kl_vec(c == 0, c == 1, c == 2);
        turned(n, t->turn, e, k->A + (size_t)k->used * N);
        turned(n, t->turn, kl_mul(&t->p->second, e), k->B + (size_t)k->used * N);
    }
    if (kl_norm(t->p->first) > 0) {
        turned(n, t->turn, t->p->first, k->M + (size_t)k->shifted * N);
        memcpy(k->U + (size_t)k->shifted++ * N, t->u, N * sizeof(double));
    }
    for (int j = 0; j < n; j++) {
        kl_mat3 turn = kl_skew(of_mode(t->turn, n, j)), C = kl_matmul(&turn, &t->p->second);
        kl_mat3 arm   = kl_outer(kl_mul(&turn, t->p->first), t->p->x);
        C             = kl_mat_axpy(1.0, &arm, &C);
        C             = kl_inertia_of_moments(&C);
        k->out->G0[j] = kl_mat_axpy(1.0, &C, &k->out->G0[j]);
    }
}

/* the 3 x 3 block of modes i, j */
static kl_mat3 block(const double *A, int n, int i, int j)
{
    kl_mat3 B;
    for (int c = 0; c < 9; c++)
        B.m[c / 3][c % 3] = A[(size_t)(c % 3 * n + j) * 3 * (size_t)n + (size_t)(c / 3 * n + i)];
    return B;
}

static void take(const summing *k)
{
    for (int i = 0; i < k->n; i++)
        for (int j = 0; j < k->n; j++) {
            size_t  at = (size_t)i * (size_t)k->n + (size_t)j;
            double *H  = k->out->H1 + 3 * at;
            kl_mat3 W = block(k->W, k->n, i, j), S = block(k->S, k->n, i, j);
            kl_mat3 other = block(k->S, k->n, j, i), back = kl_transpose(&other);
            W         = kl_mat_axpy(1.0, &S, &W);
            kl_vec3 h = kl_vec(W.m[1][2] - W.m[2][1], W.m[2][0] - W.m[0][2], W.m[0][1] - W.m[1][0]);
            kl_store(H, kl_add(kl_load(H), h));
            W              = kl_mat_axpy(1.0, &back, &W);
            W              = kl_inertia_of_moments(&W);
            k->out->J2[at] = kl_mat_axpy(1.0, &W, &k->out->J2[at]);
        }
}

kl_status kl_invariants_turn(const kl_mesh *m, const kl_system *s, int n, const double *X,
                             kl_invariants *out)
{
    size_t    N = 3 * (size_t)n, strip = (N + 1) * STRIP;
    double   *space  = calloc(4 * strip + 2 * N * N, sizeof(double));
    double   *V      = kl_system_motions(s, n, X);
    kl_status status = space && V ? KL_OK : KL_E_MEMORY;
    if (status == KL_OK) {
        summing k = {.n = n, .out = out, .A = space};
        k.B = k.A + strip, k.M = k.B + strip, k.U = k.M + strip;
        k.W = k.U + strip, k.S = k.W + N * N;
        status = kl_offset_mass_visit(m, n, V, add_point, &k);
        flush(&k);
        take(&k);
    }
    free(space);
    free(V);
    return status;
}
