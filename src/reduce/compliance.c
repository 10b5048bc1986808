#include "reduce/compliance.h"

#include <stdlib.h>
#include <string.h>

#include "algebra/dense.h"

/* ---- the mesh ---- */

typedef struct mesh_work {
    const kl_system *s;
    double          *R, *MR; /* ndof x 6: rigid motions about the origin, M times them */
    double           RMR[36];
    double          *u; /* ndof x 6 */
} mesh_work;

/* coefficients of the rigid part of a vector whose products with MR (or R, for loads) are in `c` */
static kl_status rigid_part(const mesh_work *w, int n, double *c)
{
    double A[36];
    memcpy(A, w->RMR, sizeof A);
    return kl_dense_solve(6, n, A, c);
}

/* unit loads on the node, made self-balanced, and what they do in mean axes, into w->u */
static kl_status respond(const mesh_work *w, const kl_modes *modes, int node, kl_diag *diag)
{
    int    N = w->s->ndof;
    double c[36];
    memset(w->u, 0, 6 * (size_t)N * sizeof(double));
    for (int k = 0; k < 6; k++)
        if (kl_system_has(w->s, node, k))
            kl_system_load(w->s, node, k, 1.0, w->u + (size_t)k * (size_t)N);
    kl_gemm(true, false, 6, 6, N, 1, w->R, N, w->u, N, 0, c, 6);
    KL_TRY(rigid_part(w, 6, c));
    kl_gemm(false, false, N, 6, 6, -1, w->MR, N, c, 6, 1, w->u, N);
    KL_TRY(kl_modes_static(w->s, modes, 6, w->u, diag));
    kl_gemm(true, false, 6, 6, N, 1, w->MR, N, w->u, N, 0, c, 6);
    KL_TRY(rigid_part(w, 6, c));
    kl_gemm(false, false, N, 6, 6, -1, w->R, N, c, 6, 1, w->u, N);
    return KL_OK;
}

kl_status kl_compliance_of_mesh(const kl_system *s, const kl_modes *modes, int n, const int *node,
                                double *G, kl_diag *diag)
{
    size_t    N = (size_t)s->ndof, wide = 6 * (size_t)n;
    mesh_work w      = {.s  = s,
                        .R  = malloc(6 * N * sizeof(double)),
                        .MR = malloc(6 * N * sizeof(double)),
                        .u  = malloc(6 * N * sizeof(double))};
    kl_status status = w.R && w.MR && w.u ? KL_OK : KL_E_MEMORY;
    if (status == KL_OK) {
        kl_system_rigid(s, kl_vec(0, 0, 0), w.R);
        kl_symmetric_multiply(&s->M, 6, w.R, w.MR);
        kl_gemm(true, false, 6, 6, (int)N, 1, w.R, (int)N, w.MR, (int)N, 0, w.RMR, 6);
    }
    for (int j = 0; j < n && status == KL_OK; j++) {
        status = respond(&w, modes, node[j], diag);
        for (size_t k = 0; k < 6 && status == KL_OK; k++)
            for (int i = 0; i < n; i++)
                kl_system_motion(s, node[i], w.u + k * N,
                                 G + (6 * (size_t)j + k) * wide + 6 * (size_t)i);
    }
    /* what a node does not have cannot be loaded: its row goes with its column */
    for (size_t i = 0; i < wide && status == KL_OK; i++)
        for (size_t j = 0; j < i; j++) {
            bool has = kl_system_has(s, node[i / 6], (int)(i % 6)) &&
                       kl_system_has(s, node[j / 6], (int)(j % 6));
            double mean     = has ? 0.5 * (G[i * wide + j] + G[j * wide + i]) : 0.0;
            G[i * wide + j] = G[j * wide + i] = mean;
        }
    free(w.R);
    free(w.MR);
    free(w.u);
    return status;
}

/* ---- modes ---- */

/* motion of all markers in mode j without its rigid part */
static void mean_axis_motion(const kl_kbody *b, int j, const kl_mat3 *inverse, double *x)
{
    kl_vec3 c = kl_kbody_centre(b), S = kl_load(b->inertia.S1 + 3 * (size_t)j);
    kl_vec3 H     = kl_sub(kl_load(b->inertia.H0 + 3 * (size_t)j), kl_cross(c, S));
    kl_vec3 shift = kl_scale(1.0 / b->inertia.m, S), turn = kl_mul(inverse, H);
    for (int i = 0; i < b->nmarker; i++) {
        const kl_kbody_marker *m    = &b->marker[i];
        kl_vec3                back = kl_add(shift, kl_cross(turn, kl_sub(m->position, c)));
        kl_store(x + 6 * i, kl_sub(kl_load(m->translation + 3 * (size_t)j), back));
        kl_store(x + 6 * i + 3, m->kind == KL_MARKER_TRIAD
                                    ? kl_vec(0, 0, 0)
                                    : kl_sub(kl_load(m->rotation + 3 * (size_t)j), turn));
    }
}

kl_status kl_compliance_of_modes(const kl_kbody *b, int n, const int *mode, double *G)
{
    size_t  wide = 6 * (size_t)b->nmarker, all = (size_t)b->nmode, k = (size_t)n;
    kl_mat3 J = kl_kbody_central_inertia(b), inverse = kl_inverse(&J);
    double *X = malloc((2 * wide * k + k * k + 1) * sizeof *X);
    if (!X) return KL_E_MEMORY;
    double *Xt = X + wide * k, *K = Xt + wide * k;
    for (size_t j = 0; j < k; j++) {
        int at = mode ? mode[j] : (int)j;
        mean_axis_motion(b, at, &inverse, X + wide * j);
        for (size_t i = 0; i < wide; i++) Xt[i * k + j] = X[wide * j + i];
        for (size_t i = 0; i < k; i++)
            K[j * k + i] = b->Kff[(size_t)(mode ? mode[i] : (int)i) * all + (size_t)at];
    }
    kl_status status = n > 0 ? kl_dense_solve(n, (int)wide, K, Xt) : KL_OK;
    if (n == 0) memset(G, 0, wide * wide * sizeof *G);
    else if (status == KL_OK)
        kl_gemm(false, false, (int)wide, (int)wide, n, 1, X, (int)wide, Xt, n, 0, G, (int)wide);
    free(X);
    return status;
}
