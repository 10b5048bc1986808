/* Geometric stiffness of the modes for unit loads; see the header.
 *
 * Each kind of element says at its points what its stress does (element.h); here the stress is that
 * of the loads and the motion that of the modes. */
#include "reduce/geometric.h"

#include <stdlib.h>
#include <string.h>

#include "algebra/dense.h"
#include "fe/element.h"
#include "reduce/offset_mass.h"

enum { FIELDS = KL_GEOMETRIC_FIELDS, STRIP = 256, DOF = KL_MAX_ELEMENT_DOF };

/* ---- gathering ---- */

static void flush(kl_geometric *g)
{
    kl_gemm(false, true, g->nload, g->npair, g->used, 1, g->S, g->nload, g->P, g->npair, 1, g->K,
            g->nload);
    g->used = 0;
}

static bool is_zero(int n, const double *a)
{
    for (int i = 0; i < n; i++)
        if (a[i] != 0.0) return false;
    return true;
}

/* row (pairs i <= j) += factor (a_i.b_j + b_i.a_j)/2 */
static void add_pairs(int n, const double *a, const double *b, double factor, double *row)
{
    for (int c = 0; c < 3; c++, a += n, b += n) {
        double *to = row;
        if (is_zero(n, a) || is_zero(n, b)) continue; /* rotations are fields of one component */
        for (int i = 0; i < n; to += n - i, i++) {
            double ai = (a == b ? 1.0 : 0.5) * factor * a[i], bi = 0.5 * factor * b[i];
            if (a == b)
                for (int j = i; j < n; j++) to[j - i] += ai * a[j];
            else
                for (int j = i; j < n; j++) to[j - i] += ai * b[j] + bi * a[j];
        }
    }
}

void kl_geometric_put(kl_geometric *g, const double *force, int npair, const double *const *a,
                      const double *const *b, const double *factor)
{
    double *P = g->P + (size_t)g->used * (size_t)g->npair;
    memset(P, 0, (size_t)g->npair * sizeof(double));
    for (int k = 0; k < npair; k++) add_pairs(g->n, a[k], b[k], factor[k], P);
    memcpy(g->S + (size_t)g->used * (size_t)g->nload, force, (size_t)g->nload * sizeof(double));
    if (++g->used == STRIP) flush(g);
}

/* ---- elements ---- */

typedef struct gatherer {
    kl_geometric *g;
    int           dof;     /* of the element */
    double       *Ve, *Ue; /* n and nload x dof, by columns: its own motion */
    double       *fields;  /* n x 3 x fields */
    double       *forces;  /* nload x terms */
} gatherer;

static void take_point(void *context, const kl_geometric_point *p)
{
    gatherer     *k = context;
    kl_geometric *g = k->g;
    kl_gemm(false, false, g->n, 3 * p->nfield, k->dof, 1, k->Ve, g->n, p->field[0][0], DOF, 0,
            k->fields, g->n);
    for (int t = 0; t < p->nterm; t++) {
        const kl_geometric_term *term = &p->term[t];
        const double            *a[3], *b[3];
        kl_gemm(false, false, g->nload, 1, k->dof, 1, k->Ue, g->nload, term->force, DOF, 0,
                k->forces, g->nload);
        for (int i = 0; i < term->npair; i++) {
            a[i] = k->fields + 3 * (size_t)term->a[i] * (size_t)g->n;
            b[i] = k->fields + 3 * (size_t)term->b[i] * (size_t)g->n;
        }
        kl_geometric_put(g, k->forces, term->npair, a, b, term->factor);
    }
}

/* unknowns of an element, each with its columns */
static void collect(const double *motion, size_t columns, const int *node, int nnode, int each,
                    double *to)
{
    for (int a = 0; a < nnode; a++, to += (size_t)each * columns)
        memcpy(to, motion + 6 * (size_t)node[a] * columns, (size_t)each * columns * sizeof(double));
}

static kl_status add_shape(gatherer *k, kl_shape shape, const kl_fe_rules *rules,
                           kl_geometric_point *p)
{
    kl_geometric     *g     = k->g;
    const kl_fe_type *type  = kl_fe_type_of(shape);
    const kl_block   *block = &g->m->block[shape];
    int               nnode = kl_shape_info_of(shape)->nnode;
    k->dof                  = nnode * type->ndof_node;
    for (int i = 0; i < block->n; i++) {
        const int    *node = &block->node[(size_t)i * (size_t)nnode];
        kl_fe_element e;
        kl_fe_gather(g->m, shape, i, &e);
        collect(g->V, (size_t)g->n, node, nnode, type->ndof_node, k->Ve);
        collect(g->U, (size_t)g->nload, node, nnode, type->ndof_node, k->Ue);
        KL_TRY(type->geometric(&e, rules, p, take_point, k));
    }
    return KL_OK;
}

static kl_status add_elements(kl_geometric *g)
{
    size_t              n = (size_t)g->n + 1, nload = (size_t)g->nload;
    kl_fe_rules        *rules  = malloc(sizeof *rules);
    kl_geometric_point *p      = malloc(sizeof *p);
    gatherer            k      = {.g      = g,
                                  .Ve     = malloc(n * DOF * sizeof(double)),
                                  .Ue     = malloc(nload * DOF * sizeof(double)),
                                  .fields = malloc(n * 3 * KL_MAX_FIELDS * sizeof(double)),
                                  .forces = malloc(nload * sizeof(double))};
    bool                ok     = rules && p && k.Ve && k.Ue && k.fields && k.forces;
    kl_status           status = ok ? KL_OK : KL_E_MEMORY;
    for (int s = 0; s < KL_SHAPE_COUNT && status == KL_OK; s++) {
        if (g->m->block[s].n == 0) continue;
        kl_fe_rules_init(rules, (kl_shape)s);
        status = add_shape(&k, (kl_shape)s, rules, p);
    }
    free(rules);
    free(p);
    free(k.Ve);
    free(k.Ue);
    free(k.fields);
    free(k.forces);
    return status;
}

/* ---- the whole ---- */

/* Y = -Kg of load l, full */
static void take(const kl_geometric *g, int l, double *out)
{
    int           n = g->n;
    const double *K = g->K + l;
    for (int i = 0; i < n; i++)
        for (int j = i; j < n; j++, K += g->nload) out[i * n + j] = out[j * n + i] = -*K;
}

static kl_status keep(const kl_geometric *g, kl_kbody *body)
{
    size_t nn         = (size_t)(g->n * g->n);
    body->second_mass = kl_arena_array(body->arena, double, FIELDS *nn + 1);
    for (int i = 0; i < body->nmarker; i++)
        body->marker[i].second = kl_arena_array(body->arena, double, 6 * nn + 1);
    if (!kl_arena_ok(body->arena)) return KL_E_MEMORY;
    for (int k = 0; k < FIELDS; k++) take(g, k, body->second_mass + (size_t)k * nn);
    for (int i = 0; i < body->nmarker; i++)
        for (int c = 0; c < 6; c++)
            take(g, FIELDS + 6 * i + c, body->marker[i].second + (size_t)c * nn);
    return KL_OK;
}

static kl_status run(kl_geometric *g, double *loads, kl_kbody *body, kl_diag *diag)
{
    KL_TRY(kl_geometric_loads(g, loads));
    KL_TRY(kl_basis_static(g->s, g->basis, g->nload, loads, diag));
    g->V = kl_system_motions(g->s, g->n, g->X);
    g->U = kl_system_motions(g->s, g->nload, loads);
    if (!g->V || !g->U) return KL_E_MEMORY;
    KL_TRY(add_elements(g));
    KL_TRY(kl_geometric_ties(g));
    KL_TRY(kl_geometric_masses(g));
    flush(g);
    return keep(g, body);
}

kl_status kl_geometric_find(const kl_mesh *m, const kl_system *s, const kl_basis *basis,
                            const double *X, kl_mass_rule rule, const int *marker_node,
                            kl_kbody *body, kl_diag *diag)
{
    kl_geometric g     = {.m           = m,
                          .s           = s,
                          .basis       = basis,
                          .X           = X,
                          .rule        = rule,
                          .n           = body->nmode,
                          .nload       = FIELDS + 6 * body->nmarker,
                          .npair       = body->nmode * (body->nmode + 1) / 2,
                          .marker_node = marker_node};
    size_t       nload = (size_t)g.nload, npair = (size_t)g.npair, N = (size_t)kl_system_mass(s).n;
    double      *loads = calloc(nload * (size_t)s->ndof + 1, sizeof(double));
    g.field_load       = calloc(FIELDS * N + 1, sizeof(double));
    g.MR               = calloc(6 * N + 1, sizeof(double));
    g.relief           = calloc(6 * nload, sizeof(double));
    g.K                = calloc(nload * npair + 1, sizeof(double));
    g.S                = malloc(nload * STRIP * sizeof(double));
    g.P                = malloc((npair + 1) * STRIP * sizeof(double));
    bool      ok       = loads && g.field_load && g.MR && g.relief && g.K && g.S && g.P;
    kl_status status   = ok ? run(&g, loads, body, diag) : KL_E_MEMORY;
    double   *mine[]   = {loads, g.field_load, g.MR, g.relief, g.K, g.S, g.P, g.V, g.U};
    for (size_t i = 0; i < sizeof mine / sizeof *mine; i++) free(mine[i]);
    return status;
}
