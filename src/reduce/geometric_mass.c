/* What loads do on mass beside the nodes as it turns: r goes to r + theta x r + theta x (theta x r)/2,
 * and the field e_c (x_d + r_d) works on the last of it, e_c.(theta x (theta x (mu x_d + W e_d)))/2. */
#include <stdlib.h>
#include <string.h>

#include "reduce/geometric.h"
#include "reduce/offset_mass.h"

enum { FIELDS = KL_GEOMETRIC_FIELDS };

typedef struct pulled {
    kl_geometric_arms arms;
    double           *share; /* 12 x nload: of each field in each load, balance and all */
} pulled;

static void find_shares(const kl_geometric *g, double *share)
{
    for (int l = 0; l < g->nload; l++) {
        const double *a = g->relief + 6 * l;
        for (int k = 0; k < FIELDS; k++) share[k * g->nload + l] = k == l;
        for (int c = 0; c < 3; c++) {
            int e = (c + 1) % 3, f = (c + 2) % 3; /* (al x x)_c = al_e x_f - al_f x_e */
            share[c * g->nload + l] -= a[c];
            share[(3 + 3 * c + f) * g->nload + l] -= a[3 + e];
            share[(3 + 3 * c + e) * g->nload + l] += a[3 + f];
        }
    }
}

static void add_mass(void *context, const kl_offset_mass *t)
{
    pulled              *k = context;
    const kl_geometric  *g = k->arms.g;
    const kl_mass_point *p = t->p;
    double               x[3];
    kl_arms_clear(&k->arms);
    kl_store(x, p->x);
    for (int c = 0; c < 3; c++) {
        memcpy(kl_arms_turn(&k->arms, c), t->turn + c * g->n, (size_t)g->n * sizeof(double));
        kl_arms_add(&k->arms, -1.0, k->share + c * g->nload, c, p->first);
        for (int d = 0; d < 3; d++) {
            kl_vec3 e = kl_vec(d == 0, d == 1, d == 2);
            kl_arms_add(&k->arms, -1.0, k->share + (3 + 3 * c + d) * g->nload, c,
                        kl_axpy(x[d], p->first, kl_mul(&p->second, e)));
        }
    }
    kl_arms_put(&k->arms);
}

kl_status kl_geometric_masses(kl_geometric *g)
{
    pulled    k      = {.share = malloc(FIELDS * (size_t)g->nload * sizeof(double))};
    kl_status status = kl_arms_open(g, &k.arms);
    if (!k.share) status = KL_E_MEMORY;
    if (status == KL_OK) {
        find_shares(g, k.share);
        status = kl_offset_mass_visit(g->m, g->n, g->V, add_mass, &k);
    }
    kl_arms_close(&k.arms);
    free(k.share);
    return status;
}
