/* Mean motion of nodes; see the header. */
#include "fe/mean.h"

#include "algebra/dense.h"

/* Nodes as near to a line as this (squared, of their extent) determine the rotation about it from their
 * rotations, if they have any, because displacements would give it with a thousand times the error;
 * without rotations only what is a line but for rounding is refused. */
static const double nearly_line = 1e-6, line = 1e-10;

double kl_mean_weight(const kl_tie *tie, int i) { return tie->weight ? tie->weight[i] : 1.0; }

static bool turns(const kl_system *s, int node)
{
    return kl_system_has(s, node, 3) && kl_system_has(s, node, 4) && kl_system_has(s, node, 5);
}

static void sum_up(const kl_system *s, const kl_tie *tie, kl_mean *k)
{
    for (int i = 0; i < tie->n; i++) {
        double w = kl_mean_weight(tie, i);
        k->sum += w;
        if (turns(s, tie->node[i])) k->turning += w;
        k->middle = kl_axpy(w, s->x[tie->node[i]], k->middle);
    }
    k->middle = kl_scale(1 / k->sum, k->middle);
    for (int i = 0; i < tie->n; i++) {
        kl_vec3 d = kl_sub(s->x[tie->node[i]], k->middle);
        kl_mat3 o = kl_outer(d, d);
        k->W      = kl_mat_axpy(kl_mean_weight(tie, i), &o, &k->W);
    }
}

kl_status kl_mean_find(const kl_system *s, const kl_tie *tie, kl_mean *k)
{
    *k = (kl_mean){0};
    sum_up(s, tie, k);
    double  size  = k->W.m[0][0] + k->W.m[1][1] + k->W.m[2][2], V[9], w[3];
    double  least = (k->turning > 0 ? nearly_line : line) * size;
    kl_mat3 J     = kl_inertia_of_moments(&k->W);
    for (int i = 0; i < 9; i++) V[i] = J.m[i / 3][i % 3];
    KL_TRY(kl_symmetric_eigen(3, V, w));
    if (w[0] > least) {
        k->inverse = kl_inverse(&J);
        return KL_OK;
    }
    for (int i = 0; i < 3; i++) {
        kl_vec3 e = kl_load(V + 3 * i);
        kl_mat3 P = kl_outer(e, e);
        if (w[i] > least) k->inverse = kl_mat_axpy(1 / w[i], &P, &k->inverse);
        else k->line = kl_mat_axpy(1, &P, &k->line), k->axis = e, k->unknown++;
    }
    return k->turning > 0 ? KL_OK : KL_E_SINGULAR;
}

kl_mat3 kl_mean_by_shift(const kl_mean *k, const kl_system *s, const kl_tie *tie, int i)
{
    kl_mat3 d = kl_skew(kl_scale(kl_mean_weight(tie, i), kl_sub(s->x[tie->node[i]], k->middle)));
    return kl_matmul(&k->inverse, &d);
}

kl_mat3 kl_mean_by_turn(const kl_mean *k, const kl_system *s, const kl_tie *tie, int i)
{
    bool used = k->unknown > 0 && turns(s, tie->node[i]);
    return kl_mat_scale(used ? kl_mean_weight(tie, i) / k->turning : 0.0, &k->line);
}
