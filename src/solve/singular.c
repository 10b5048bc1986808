/* Accelerations in and near singular positions that a mechanism passes.
 *
 * Where the weakest direction of Phi_q has the singular value sigma, the constraints give the
 * acceleration in it as gamma/sigma: 0/0 in the singular position, though the motion itself is
 * smooth. Errors r of positions (rounding, at best) come out as r/sigma in positions that are
 * brought onto the constraints, r/sigma^2 in velocities, r/sigma^3 in accelerations, so within some
 * degrees of the singular position nothing is left of a tolerance of 1e-12, and an integrator that
 * shortens its steps only stops there.
 *
 * So the acceleration is taken from both sides: at positions moved along the velocity,
 *
 *   q_k = q + k tau v,  t_k = t + k tau,  k = +-1 .. +-4,  brought onto the constraints,
 *
 * where that of each is well determined, and Lagrange's polynomial through those gives a^ at k = 0.
 * Along the directions that are free, where nothing is singular, dynamics at the position itself
 * has the last word:
 *
 *   [M, Phi_q'; Phi_q, -eps] [d; lambda] = [g + s - M a^; 0],   a = a^ + d,   eps = 1e-16. */
#include <math.h>
#include <string.h>

#include "solve/index1.h"

static const double apart = 0.03; /* rad, or lengths of the model, between two nodes */
static const double pole  = 10.0; /* so much weaker than some node is a position that is passed */
enum { SIDE = KL_INDEX1_NODES / 2, LEAST = 4, REST = 200 };

/* Weakness is eps/sigma^2 with eps = 1e-10; accelerations are off by some 1e-15/sigma^3, which
 * must be no more than the tolerance. */
double kl_index1_near(double tolerance)
{
    return fmax(1e-8, 1e-10 * pow(1e15 * tolerance, 2.0 / 3.0));
}

/* Masses that are very unequal make all positions weak: only what is far weaker than others counts.
 */
bool kl_index1_weak(const kl_index1 *i)
{
    const double more = 30.0;
    return kl_matrix_weakness(i->x->matrix) > fmax(i->near, more * i->usual);
}

/* The point k tau away and its acceleration into `node`. False: none, or weak. */
static bool at_node(kl_index1 *i, double t, const double *y, double tau, double *node)
{
    const kl_model *m = i->x->model;
    const double   *v = y + m->nq;
    memcpy(node, y, (size_t)i->n * sizeof *y);
    for (int k = 0; k < m->nv; k++) i->dx[k] = tau * v[k];
    kl_index1_advance(m, i->dx, node);
    if (kl_index1_project_onto_constraints(i, t + tau, node) != KL_OK ||
        kl_index1_accelerate(i) != KL_OK)
        return false;
    memcpy(node + i->n, i->a, (size_t)m->nv * sizeof *node);
    return !kl_index1_weak(i);
}

/* The point in the middle of n nodes at `tau` into i->on, its acceleration into i->a. */
static void interpolate(kl_index1 *i, const double *tau, int n)
{
    int nv = i->x->model->nv, wide = i->n + nv;
    memset(i->on, 0, (size_t)i->n * sizeof *i->on);
    memset(i->a, 0, (size_t)nv * sizeof *i->a);
    for (int k = 0; k < n; k++) {
        const double *node = i->ahead + (size_t)k * (size_t)wide;
        double        l    = 1.0;
        for (int j = 0; j < n; j++)
            if (j != k) l *= tau[j] / (tau[j] - tau[k]);
        for (int c = 0; c < i->n; c++) i->on[c] += l * node[c];
        for (int c = 0; c < nv; c++) i->a[c] += l * node[i->n + c];
    }
}

static kl_status factor_with(kl_index1 *i, double softness)
{
    kl_weights only_mass = {.mass = 1.0, .state = 1.0};
    kl_matrix_soften(i->firm, softness);
    i->factorizations++;
    return kl_matrix_factor(i->x->model, i->s, i->x->w, i->firm, only_mass, NULL, NULL, NULL);
}

/* i->a += d at y. */
static kl_status accelerations_from_constraints(kl_index1 *i)
{
    kl_solver      *x = i->x;
    const kl_model *m = x->model;
    double         *l = x->y + m->nv + m->nz;
    KL_TRY(factor_with(i, KL_INDEX1_SOFTEST));
    for (int pass = 0; pass < 3; pass++) {
        memset(x->y, 0, (size_t)(m->nv + m->nz) * sizeof(double));
        kl_eval_gamma(m, x->w, l);
        kl_matrix_rows_times(m, x->w, i->firm, i->a, x->rate);
        for (int k = 0; k < m->nlam; k++) l[k] -= x->rate[k];
        KL_TRY(kl_matrix_solve(i->firm, x->y));
        for (int k = 0; k < m->nv; k++) i->a[k] += x->y[k];
    }
    return KL_OK;
}

/* i->a += d at y. */
static kl_status accelerations_from_forces(kl_index1 *i)
{
    kl_solver      *x = i->x;
    const kl_model *m = x->model;
    KL_TRY(factor_with(i, 1e-5));
    memset(x->y, 0, (size_t)(m->nv + m->nz + m->nlam) * sizeof(double));
    kl_eval_residual(m, x->w, i->a, NULL, x->y);
    for (int k = 0; k < m->nv; k++) x->y[k] = -x->y[k];
    KL_TRY(kl_matrix_solve(i->firm, x->y));
    for (int k = 0; k < m->nv; k++) i->a[k] += x->y[k];
    return KL_OK;
}

kl_status kl_index1_across(kl_index1 *i, double t, const double *y)
{
    const kl_model *m     = i->x->model;
    double          speed = kl_increment_norm(m, y + m->nq, NULL), tau[KL_INDEX1_NODES];
    double          here = kl_matrix_weakness(i->x->matrix), firmest = here;
    int             n = 0;
    if (i->blocked > 0) {
        i->blocked--;
        return KL_RETRY;
    }
    if (speed < 1e-2 * i->pace) return KL_RETRY;
    for (int wider = 1; wider <= 4 && n < LEAST; wider *= 4) {
        n = 0;
        for (int k = 1; k <= SIDE; k++)
            for (int side = -1; side <= 1; side += 2) {
                tau[n] = side * k * wider * apart / speed;
                if (at_node(i, t, y, tau[n], i->ahead + (size_t)n * (size_t)(i->n + m->nv))) n++;
                firmest = fmin(firmest, kl_matrix_weakness(i->x->matrix));
            }
    }
    if (n < LEAST || here < pole * firmest) { /* weak all around: not a position that is passed */
        i->blocked = REST;
        return KL_RETRY;
    }
    interpolate(i, tau, n);
    KL_TRY(kl_index1_project_regularised(i, t, i->on));
    KL_TRY(accelerations_from_constraints(i));
    return accelerations_from_forces(i);
}
