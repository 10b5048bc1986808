/* Modes in the order of their frequencies, and none that is only rounding; see modes.h. */
#include <math.h>
#include <string.h>

#include "reduce/modes.h"

/* Of true modes the residual stays below 1e-4 even where a mesh is so fine that rounding eats into
 * the lowest ones; where the stiffness is nothing but rounding, K x stands anywhere and the residual
 * is of the size of one. */
static const double worst_residual = 0.1;

static void swap(double *a, double *b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        double t = a[i];
        a[i]     = b[i];
        b[i]     = t;
    }
}

void kl_modes_sort(kl_modes *m)
{
    size_t N = (size_t)m->ndof;
    for (int i = 1; i < m->n; i++)
        for (int j = i; j > 0 && m->omega2[j] < m->omega2[j - 1]; j--) {
            swap(m->omega2 + j, m->omega2 + j - 1, 1);
            swap(m->residual + j, m->residual + j - 1, 1);
            swap(m->vector + (size_t)j * N, m->vector + (size_t)(j - 1) * N, N);
        }
}

/* The node that moves most in mode j. */
static int node_of_largest_motion(const kl_system *s, const kl_modes *m, int j)
{
    int    best = 0;
    double most = -1;
    for (int i = 0; i < s->nnode; i++) {
        double motion[6];
        kl_system_motion(s, i, m->vector + (size_t)j * (size_t)m->ndof, motion);
        double size = kl_norm(kl_load(motion));
        if (size > most) most = size, best = i;
    }
    return best;
}

kl_status kl_modes_check(const kl_system *s, const kl_modes *m, kl_diag *diag)
{
    int bad = 0, first = -1;
    for (int j = 0; j < m->n; j++)
        if (!(m->omega2[j] > 0) || !(m->residual[j] < worst_residual)) {
            if (first < 0) first = j;
            bad++;
        }
    if (bad == 0) return KL_OK;
    return kl_fail(diag, KL_E_SINGULAR, KL_NOWHERE,
                   "%d of the %d computed modes are spurious (not converged); the first has %.3g "
                   "Hz, residual %.2g, and is largest at node %d. Some part there has no stiffness "
                   "or is not connected to the rest; check how the parts of the mesh are connected",
                   bad, m->n, sqrt(fmax(m->omega2[first], 0)) / 6.28318530717958647693,
                   m->residual[first], s->node_id[node_of_largest_motion(s, m, first)]);
}
