/* One shell element of a nonlinear body, seen by the solvers: forces and moments on the markers that are
 * its nodes. */
#include <string.h>

#include "bodies/nonlinear.h"
#include "fe/shell.h"

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
    if (eval_at(in, &at, out->K, out->C) != KL_OK) { /* eval has reported it */
        memset(out->K, 0, (size_t)(n * n) * sizeof *out->K);
        return;
    }
    for (int i = 0; i < n * n; i++) out->K[i] = -out->K[i], out->C[i] = -out->C[i];
    for (int i = 0; i < n; i++)
        if (i % 6 < 3) out->C[i * n + i] -= e->p.rayleigh[0] * e->p.mass[i / 6];
}

static double area_of(const kl_large_shell *s)
{
    kl_vec3 normal = s->n == 3 ? kl_cross(kl_sub(s->X[1], s->X[0]), kl_sub(s->X[2], s->X[0]))
                               : kl_cross(kl_sub(s->X[2], s->X[0]), kl_sub(s->X[3], s->X[1]));
    return 0.5 * kl_norm(normal);
}

/* equivalent stress at natural coordinates r, the third through the thickness */
static double mises_at(const nonlinear_shell *e, const kl_large_shell_answer *at, const double r[3])
{
    double strain[6 * DOF], stress[6 * DOF], sum[6] = {0};
    int    n = 6 * e->s.n;
    if (kl_shell_strain(&e->p.reference, r, strain, stress) != KL_OK) return 0.0;
    for (int k = 0; k < 6; k++)
        for (int j = 0; j < n; j++) sum[k] += stress[k * n + j] * at->d[j];
    return kl_mises(sum);
}

static void shell_point_values(const kl_reading *in, double *values)
{
    static const double    tri[3][2]  = {{0, 0}, {1, 0}, {0, 1}};
    static const double    quad[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
    const nonlinear_shell *e          = in->data;
    kl_large_shell_answer  at;
    double                 volume = area_of(&e->s) * kl_shell_thickness(e->p.reference.property);
    memset(values, 0, (size_t)(NONLINEAR_VALUES * e->s.n) * sizeof *values);
    if (eval_at(in, &at, NULL, NULL) != KL_OK) return;
    for (int a = 0; a < e->s.n; a++, values += NONLINEAR_VALUES) {
        const double *r          = e->s.n == 3 ? tri[a] : quad[a];
        double        top        = mises_at(e, &at, (double[3]){r[0], r[1], 1.0});
        double        low        = mises_at(e, &at, (double[3]){r[0], r[1], -1.0});
        values[NONLINEAR_ENERGY] = at.stored / volume;
        values[NONLINEAR_MISES]  = top > low ? top : low;
    }
}

const kl_element_type kl_nonlinear_shell = {
    .name      = "shell-element",
    .help      = "shell element of a nonlinear body",
    .data_size = sizeof(nonlinear_shell),
    .limit   = "a node rotates by more than 90 deg relative to its element; refine the mesh there, "
               "reduce the load, or check the material",
    .setup   = shell_setup,
    .eval    = shell_eval,
    .tangent = shell_tangent,
    .mass    = nonlinear_consistent_mass,
    .point_values = shell_point_values};
