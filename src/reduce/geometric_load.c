/* The loads whose stress counts: mass times the fields e_c and e_c x_d on all nodes, unit wrenches at
 * markers, and what of them inertia balances on a free body. */
#include <stdlib.h>
#include <string.h>

#include "algebra/dense.h"
#include "reduce/geometric.h"
#include "reduce/offset_mass.h"

enum { FIELDS = KL_GEOMETRIC_FIELDS };

static kl_vec3 axis(int c) { return kl_vec(c == 0, c == 1, c == 2); }

/* e_c, then e_c x_d; nodes that turn do so as the field does, by half its curl e_d x e_c */
static void fill_fields(const kl_system *s, const kl_mass_view *v, double *field)
{
    for (int q = 0; q < v->n; q++) {
        double x[3], curl[3];
        int    k = v->component[q];
        kl_store(x, s->x[v->node[q]]);
        for (int c = 0; c < 3; c++) {
            field[(size_t)c * (size_t)v->n + (size_t)q] = k == c;
            for (int d = 0; d < 3; d++) {
                kl_store(curl, kl_cross(axis(d), axis(c)));
                field[(size_t)(3 + 3 * c + d) * (size_t)v->n + (size_t)q] = k >= 3
                                                                                ? 0.5 * curl[k - 3]
                                                                            : k == c ? x[d]
                                                                                     : 0.0;
            }
        }
    }
}

/* ---- mass beside the nodes, which the field pulls at its own place ---- */

typedef struct pulls {
    const kl_mass_view *v;
    const int          *row; /* 6 nnode: row of a node's component, or -1 */
    double             *load;
} pulls;

/* The turn that the mass matrix has been given for the field e_c x_d: half its curl; the middle line of
 * a beam turns as the field bends it. */
static kl_vec3 turn_of(kl_vec3 along, int c, int d)
{
    double  a[3];
    kl_vec3 half = kl_scale(0.5, kl_cross(axis(d), axis(c)));
    if (kl_norm(along) == 0.0) return half;
    kl_store(a, along);
    return kl_add(kl_scale(a[d], kl_cross(along, axis(c))), kl_scale(kl_dot(along, half), along));
}

/* What has turned with the field is in the mass matrix, the force t x mu and the moment J t. It should
 * be mu_d e_c and W e_d x e_c. */
static void add_pull(void *context, const kl_offset_mass *t)
{
    pulls               *k = context;
    const kl_mass_point *p = t->p;
    double               mu[3], f[3], m[3];
    kl_mat3              J = kl_inertia_of_moments(&p->second);
    kl_store(mu, p->first);
    for (int c = 0; c < 3; c++)
        for (int d = 0; d < 3; d++) {
            kl_vec3 turn = turn_of(p->along, c, d);
            double *to   = k->load + (size_t)(3 + 3 * c + d) * (size_t)k->v->n;
            kl_store(f, kl_sub(kl_scale(mu[d], axis(c)), kl_cross(turn, p->first)));
            kl_store(m, kl_sub(kl_cross(kl_mul(&p->second, axis(d)), axis(c)), kl_mul(&J, turn)));
            for (int i = 0; i < t->ndof; i++) {
                int row = k->row[t->q[i]];
                for (int a = 0; row >= 0 && a < 3; a++)
                    to[row] += f[a] * p->u[a][i] + m[a] * p->turn[a][i];
            }
        }
}

/* Half the curl at the nodes is not how a beam's line lies in the field: its mass times what is left. */
static kl_status add_lines(const kl_geometric *g, const pulls *k)
{
    const kl_block *block = &g->m->block[KL_BEAM2];
    for (int i = 0; i < block->n; i++) {
        kl_fe_element e;
        double        M[144];
        const int    *node = &block->node[2 * (size_t)i];
        kl_fe_gather(g->m, KL_BEAM2, i, &e);
        KL_TRY(kl_beam_mass(&e, NULL, g->rule, M));
        kl_vec3 along = kl_unit(kl_sub(e.x[1], e.x[0]));
        for (int l = 0; l < 9; l++) {
            double  left[3];
            int     c = l / 3, d = l % 3;
            kl_vec3 half = kl_scale(0.5, kl_cross(axis(d), axis(c)));
            kl_store(left, kl_sub(turn_of(along, c, d), half));
            for (int r = 0; r < 12; r++) {
                int row = k->row[6 * node[r / 6] + r % 6];
                for (int a = 0; row >= 0 && a < 3; a++)
                    k->load[(size_t)(3 + l) * (size_t)k->v->n + (size_t)row] +=
                        (M[12 * r + 3 + a] + M[12 * r + 9 + a]) * left[a];
            }
        }
    }
    return KL_OK;
}

static kl_status add_pulls(kl_geometric *g, const kl_mass_view *v)
{
    size_t total = 6 * (size_t)g->s->nnode;
    int   *row   = malloc((total + 1) * sizeof(int));
    pulls  k     = {v, row, g->field_load};
    if (!row) return KL_E_MEMORY;
    for (size_t q = 0; q < total; q++) row[q] = -1;
    for (int q = 0; q < v->n; q++) row[6 * v->node[q] + v->component[q]] = q;
    kl_status status = kl_offset_mass_visit(g->m, 0, NULL, add_pull, &k);
    if (status == KL_OK) status = add_lines(g, &k);
    free(row);
    return status;
}

/* ---- balance ---- */

/* rigid motion a of component c at x, about the origin */
static double rigid(int a, int c, kl_vec3 x)
{
    double turn[3];
    if (a < 3 || c >= 3) return a == c;
    kl_store(turn, kl_cross(axis(a - 3), x));
    return turn[c];
}

/* relief = (R'M R)^-1 R'f */
static kl_status find_relief(kl_geometric *g, const kl_mass_view *v)
{
    size_t  N = (size_t)v->n;
    double  G[36];
    double *R = malloc((6 * N + 1) * sizeof(double));
    if (!R) return KL_E_MEMORY;
    for (int a = 0; a < 6; a++)
        for (size_t q = 0; q < N; q++)
            R[(size_t)a * N + q] = rigid(a, v->component[q], g->s->x[v->node[q]]);
    kl_symmetric_multiply(v->M, 6, R, g->MR);
    kl_gemm(true, false, 6, 6, v->n, 1, R, v->n, g->MR, v->n, 0, G, 6);
    kl_gemm(true, false, 6, FIELDS, v->n, 1, R, v->n, g->field_load, v->n, 0, g->relief, 6);
    free(R);
    for (int l = FIELDS; l < g->nload; l++) {
        int node = g->marker_node[(l - FIELDS) / 6], c = (l - FIELDS) % 6;
        for (int a = 0; a < 6; a++)
            g->relief[6 * l + a] = kl_system_has(g->s, node, c) ? rigid(a, c, g->s->x[node]) : 0.0;
    }
    return kl_dense_solve(6, g->nload, G, g->relief);
}

kl_status kl_geometric_loads(kl_geometric *g, double *loads)
{
    const kl_system *s     = g->s;
    kl_mass_view     v     = kl_system_mass(s);
    double          *field = calloc(FIELDS * (size_t)v.n + 1, sizeof(double));
    if (!field) return KL_E_MEMORY;
    fill_fields(s, &v, field);
    kl_symmetric_multiply(v.M, FIELDS, field, g->field_load);
    free(field);
    KL_TRY(add_pulls(g, &v));
    for (int l = 0; l < FIELDS; l++)
        for (int q = 0; q < v.n; q++)
            kl_system_load(s, v.node[q], v.component[q],
                           g->field_load[(size_t)l * (size_t)v.n + (size_t)q],
                           loads + (size_t)l * (size_t)s->ndof);
    for (int l = FIELDS; l < g->nload; l++) {
        int node = g->marker_node[(l - FIELDS) / 6], c = (l - FIELDS) % 6;
        if (kl_system_has(s, node, c))
            kl_system_load(s, node, c, 1.0, loads + (size_t)l * (size_t)s->ndof);
    }
    return g->basis->free ? find_relief(g, &v) : KL_OK;
}
