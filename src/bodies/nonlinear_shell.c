/* One shell element of a nonlinear body, seen by the solvers: forces and moments on the markers that are
 * its nodes. */
#include <string.h>

#include "bodies/nonlinear.h"

enum { NODES = KL_LARGE_SHELL_NODES, DOF = KL_LARGE_SHELL_DOF };

/* Evaluates the element at its markers; K and C as kl_large_shell_eval. */
static kl_status eval_at(const kl_reading *in, kl_large_shell_answer *at, double *K, double *C)
{
    const nonlinear_shell *e    = in->data;
    double                 beta = e->p.rayleigh[1], V[DOF];
    kl_vec3                x[NODES];
    kl_mat3                A[NODES];
    for (int a = 0; a < in->nmarker; a++) {
        x[a] = in->m[a].r, A[a] = in->m[a].A;
        kl_store(V + 6 * a, in->m[a].v);
        kl_store(V + 6 * a + 3, in->m[a].w);
    }
    return kl_large_shell_eval(&e->s, x, A, V, beta, at, K, C);
}

static kl_status shell_setup(void *data, const kl_setup *s, const kl_motion *m, int nmarker,
                             kl_element_size *size)
{
    (void)data, (void)s, (void)m, (void)nmarker, (void)size;
    return KL_OK;
}

static kl_status shell_eval(const kl_reading *in, kl_writing *out)
{
    const nonlinear_shell *e = in->data;
    kl_large_shell_answer  at;
    KL_TRY(eval_at(in, &at, NULL, NULL));
    for (int i = 0; i < 6 * e->s.n; i++) out->wrench[i] = -at.f[i];
    out->energy = at.stored;
    out->loss   = at.loss + nonlinear_mass_damping(&e->p, in, out->wrench);
    return KL_OK;
}

static void shell_tangent(const kl_reading *in, const double *lambda, kl_slopes *out)
{
    const nonlinear_shell *e = in->data;
    kl_large_shell_answer  at;
    int                    n = 6 * e->s.n;
    (void)lambda;
    if (eval_at(in, &at, out->K, out->C) != KL_OK) { /* eval has told */
        memset(out->K, 0, (size_t)(n * n) * sizeof *out->K);
        return;
    }
    for (int i = 0; i < n * n; i++) out->K[i] = -out->K[i], out->C[i] = -out->C[i];
    for (int i = 0; i < n; i++)
        if (i % 6 < 3) out->C[i * n + i] -= e->p.rayleigh[0] * e->p.mass[i / 6];
}

const kl_element_type kl_nonlinear_shell = {
    .name      = "shell-element",
    .help      = "shell element of a nonlinear body",
    .data_size = sizeof(nonlinear_shell),
    .limit   = "a node of the element turns by more than a right angle against it; refine the mesh "
               "there, reduce the load, or check the material",
    .setup   = shell_setup,
    .eval    = shell_eval,
    .tangent = shell_tangent};
