/* Arms that turn to second order: r.(theta x (theta x a)) = (r.theta)(a.theta) - (r.a) theta.theta. */
#include <stdlib.h>
#include <string.h>

#include "algebra/dense.h"
#include "reduce/geometric.h"

kl_status kl_arms_open(kl_geometric *g, kl_geometric_arms *a)
{
    *a = (kl_geometric_arms){.g     = g,
                             .turn  = calloc(9 * (size_t)g->n + 1, sizeof(double)),
                             .terms = calloc(6 * (size_t)g->nload + 1, sizeof(double))};
    return a->turn && a->terms ? KL_OK : KL_E_MEMORY;
}

void kl_arms_close(kl_geometric_arms *a)
{
    free(a->turn);
    free(a->terms);
}

void kl_arms_clear(kl_geometric_arms *a)
{
    memset(a->turn, 0, 9 * (size_t)a->g->n * sizeof(double));
    memset(a->terms, 0, 6 * (size_t)a->g->nload * sizeof(double));
}

double *kl_arms_turn(kl_geometric_arms *a, int p)
{
    return a->turn + 3 * (size_t)p * (size_t)a->g->n;
}

/* place of A_pq among the six terms */
static double *term(const kl_geometric_arms *a, int p, int q)
{
    int k = p == q ? p : (p + 1) % 3 == q ? 3 + p : 3 + q;
    return a->terms + (size_t)k * (size_t)a->g->nload;
}

void kl_arms_add(kl_geometric_arms *a, double scale, const double *f, int p, kl_vec3 arm)
{
    double x[3];
    int    n = a->g->nload;
    kl_store(x, kl_scale(scale, arm));
    for (int q = 0; q < 3; q++) {
        kl_vaxpy(n, q == p ? x[q] : 0.5 * x[q], f, term(a, p, q));
        kl_vaxpy(n, -x[p], f, term(a, q, q));
    }
}

void kl_arms_add_matrix(kl_geometric_arms *a, const double *f, const kl_mat3 *B)
{
    for (int p = 0; p < 3; p++)
        for (int q = 0; q < 3; q++)
            kl_vaxpy(a->g->nload, (p == q ? 1.0 : 0.5) * B->m[p][q], f, term(a, p, q));
}

void kl_arms_put(kl_geometric_arms *a)
{
    for (int k = 0; k < 6; k++) {
        int           p = k < 3 ? k : k - 3, q = k < 3 ? k : (k - 2) % 3;
        const double *one = kl_arms_turn(a, p), *two = kl_arms_turn(a, q),
                     factor = k < 3 ? 1.0 : 2.0;
        kl_geometric_put(a->g, a->terms + (size_t)k * (size_t)a->g->nload, 1, &one, &two, &factor);
    }
}
