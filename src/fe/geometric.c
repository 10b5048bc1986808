/* Geometric stiffness of the modes for unit loads; see the header.
 *
 *   solids   Kg = int s_kl (du_i/dx_k . du_j/dx_l) dV,   s the stress of the load
 *   beams    Kg = N int (v_i' v_j' + w_i' w_j') dx,      N the normal force of the load */
#include "fe/geometric.h"

#include <stdlib.h>
#include <string.h>

#include "algebra/dense.h"
#include "fe/element.h"

enum { FIELDS = 12 };

typedef struct geometry {
    const kl_mesh   *m;
    const kl_system *s;
    int              n, nload;
    double          *V;      /* nnode x 6 x n: motion of the modes */
    double          *U;      /* nnode x 6 x nload: motion under the loads */
    double          *K;      /* nload x n x n */
    double          *F, *SF; /* 9 x n: gradients of the modes, times stress */
} geometry;

/* ---- loads ---- */

static void field_loads(const kl_system *s, double *field)
{
    for (int d = 0; d < s->ndof; d++) {
        int c = s->dof_component[d];
        if (c >= 3) continue;
        double x[3];
        kl_store(x, s->x[s->dof_node[d]]);
        field[(size_t)c * (size_t)s->ndof + (size_t)d] = 1.0;
        for (int k = 0; k < 3; k++)
            field[(size_t)(3 + 3 * c + k) * (size_t)s->ndof + (size_t)d] = x[k];
    }
}

/* motion of all nodes, node after node, then component, then column */
static double *spread(const kl_system *s, int columns, const double *u)
{
    double *out = malloc(6 * (size_t)s->nnode * (size_t)(columns + 1) * sizeof(double));
    for (int j = 0; out && j < columns; j++)
        for (int node = 0; node < s->nnode; node++) {
            double motion[6];
            kl_system_motion(s, node, u + (size_t)j * (size_t)s->ndof, motion);
            for (int c = 0; c < 6; c++)
                out[((size_t)node * 6 + (size_t)c) * (size_t)columns + (size_t)j] = motion[c];
        }
    return out;
}

/* ---- elements ---- */

static const int *nodes_of(const kl_mesh *m, kl_shape shape, int e)
{
    return &m->block[shape].node[(size_t)e * (size_t)kl_shape_info_of(shape)->nnode];
}

/* columns x 9 (c, k): sum over the nodes of motion times gradient, column after column */
static void gradients(const double *motion, int columns, const int *node, int nnode, double (*g)[3],
                      double *out)
{
    memset(out, 0, 9 * (size_t)columns * sizeof(double));
    for (int a = 0; a < nnode; a++)
        for (int c = 0; c < 3; c++) {
            const double *v = motion + ((size_t)node[a] * 6 + (size_t)c) * (size_t)columns;
            for (int j = 0; j < columns; j++)
                for (int k = 0; k < 3; k++) out[9 * j + 3 * c + k] += v[j] * g[a][k];
        }
}

static void stress_of(const double D[6][6], const double *u, double S[3][3])
{
    double e[6] = {u[0], u[4], u[8], u[1] + u[3], u[5] + u[7], u[2] + u[6]}, s[6];
    for (int i = 0; i < 6; i++) {
        s[i] = 0;
        for (int j = 0; j < 6; j++) s[i] += D[i][j] * e[j];
    }
    S[0][0] = s[0], S[1][1] = s[1], S[2][2] = s[2];
    S[0][1] = S[1][0] = s[3], S[1][2] = S[2][1] = s[4], S[0][2] = S[2][0] = s[5];
}

/* K += w F'(I x S) F, upper triangle */
static void add_stress(const geometry *g, double S[3][3], double w, double *K)
{
    int n = g->n;
    for (int j = 0; j < n; j++)
        for (int c = 0; c < 3; c++)
            for (int k = 0; k < 3; k++) {
                const double *f          = g->F + 9 * j + 3 * c;
                g->SF[9 * j + 3 * c + k] = w * (S[k][0] * f[0] + S[k][1] * f[1] + S[k][2] * f[2]);
            }
    for (int i = 0; i < n; i++)
        for (int j = i; j < n; j++) {
            double        sum = 0;
            const double *a = g->F + 9 * i, *b = g->SF + 9 * j;
            for (int k = 0; k < 9; k++) sum += a[k] * b[k];
            K[i * n + j] += sum;
        }
}

static kl_status add_solid(geometry *g, kl_shape shape, int index, const kl_rule *q, double *load)
{
    kl_fe_element e;
    double        D[6][6], gx[KL_MAX_SOLID_NODES][3], dN[KL_MAX_SOLID_NODES][3];
    int           nnode = kl_shape_info_of(shape)->nnode;
    const int    *node  = nodes_of(g->m, shape, index);
    kl_fe_gather(g->m, shape, index, &e);
    kl_mat3 axes = e.property->has_axes ? e.property->axes : kl_identity();
    KL_TRY(kl_material_solid(&e.material[e.property->material], &axes, D));
    for (int p = 0; p < q->n; p++) {
        memcpy(dN, q->dN[p], sizeof dN);
        double det = kl_shape_gradient(nnode, e.x, dN, gx);
        if (!(det > 0)) return KL_E_MODEL;
        gradients(g->V, g->n, node, nnode, gx, g->F);
        gradients(g->U, g->nload, node, nnode, gx, load);
        for (int l = 0; l < g->nload; l++) {
            double S[3][3];
            stress_of((const double(*)[6])D, load + 9 * l, S);
            add_stress(g, S, q->weight[p] * det, g->K + (size_t)l * (size_t)(g->n * g->n));
        }
    }
    return KL_OK;
}

static kl_status add_beam(geometry *g, int index)
{
    kl_fe_element e;
    double        axial[12], Kg[144], v[12];
    int           n    = g->n;
    const int    *node = nodes_of(g->m, KL_BEAM2, index);
    kl_fe_gather(g->m, KL_BEAM2, index, &e);
    KL_TRY(kl_beam_geometric(&e, axial, Kg));
    for (int j = 0; j < n; j++) {
        double Kv[12] = {0};
        for (int r = 0; r < 12; r++)
            v[r] = g->V[((size_t)node[r / 6] * 6 + (size_t)(r % 6)) * (size_t)n + (size_t)j];
        for (int r = 0; r < 12; r++)
            for (int c = 0; c < 12; c++) Kv[r] += Kg[12 * r + c] * v[c];
        for (int i = 0; i <= j; i++) {
            double unit = 0;
            for (int r = 0; r < 12; r++)
                unit += Kv[r] *
                        g->V[((size_t)node[r / 6] * 6 + (size_t)(r % 6)) * (size_t)n + (size_t)i];
            for (int l = 0; l < g->nload; l++) {
                double N = 0;
                for (int r = 0; r < 12; r++)
                    N += axial[r] *
                         g->U[((size_t)node[r / 6] * 6 + (size_t)(r % 6)) * (size_t)g->nload +
                              (size_t)l];
                g->K[(size_t)l * (size_t)(n * n) + (size_t)(i * n + j)] += N * unit;
            }
        }
    }
    return KL_OK;
}

static kl_status add_elements(geometry *g, kl_diag *diag)
{
    kl_rule  *q      = malloc(sizeof *q);
    double   *load   = malloc(9 * (size_t)(g->nload + 1) * sizeof(double));
    kl_status status = q && load ? KL_OK : KL_E_MEMORY;
    for (int s = 0; s < KL_SHAPE_COUNT && status == KL_OK; s++) {
        kl_shape shape     = (kl_shape)s;
        int      dimension = kl_shape_info_of(shape)->dimension;
        if (g->m->block[s].n == 0) continue;
        if (dimension == 2)
            status = kl_fail(diag, KL_E_MODEL, KL_NOWHERE,
                             "stiffening: the mesh has shells, whose geometric stiffness is not "
                             "there yet; use solids or beams, or leave `stiffening` out");
        if (dimension == 3) kl_rule_init(q, shape, KL_RULE_STIFFNESS);
        for (int e = 0; e < g->m->block[s].n && status == KL_OK; e++)
            status = dimension == 3 ? add_solid(g, shape, e, q, load) : add_beam(g, e);
    }
    free(load);
    free(q);
    return status;
}

/* ---- the whole ---- */

/* Y = -Kg of load l, full */
static void take(const geometry *g, int l, double *out)
{
    int           n = g->n;
    const double *K = g->K + (size_t)l * (size_t)(n * n);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) out[i * n + j] = -(i <= j ? K[i * n + j] : K[j * n + i]);
}

static kl_status run(geometry *g, const kl_modes *modes, const double *X, const int *marker_node,
                     double *loads, kl_kbody *body, kl_diag *diag)
{
    const kl_system *s  = g->s;
    size_t           nn = (size_t)(g->n * g->n), N = (size_t)s->ndof;
    double          *field = calloc(FIELDS * N + 1, sizeof(double));
    if (!field) return KL_E_MEMORY;
    field_loads(s, field);
    kl_symmetric_multiply(&s->M, FIELDS, field, loads);
    free(field);
    int l = FIELDS;
    for (int i = 0; i < body->nmarker; i++)
        for (int c = 0; c < 6; c++, l++)
            if (kl_system_has(s, marker_node[i], c))
                kl_system_load(s, marker_node[i], c, 1.0, loads + (size_t)l * N);
    KL_TRY(kl_modes_static(s, modes, g->nload, loads, diag));
    g->V = spread(s, g->n, X);
    g->U = spread(s, g->nload, loads);
    if (!g->V || !g->U) return KL_E_MEMORY;
    KL_TRY(add_elements(g, diag));
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

kl_status kl_geometric_find(const kl_mesh *m, const kl_system *s, const kl_modes *modes,
                            const double *X, const int *marker_node, kl_kbody *body, kl_diag *diag)
{
    geometry g       = {.m = m, .s = s, .n = body->nmode, .nload = FIELDS + 6 * body->nmarker};
    size_t   n       = (size_t)g.n;
    double  *loads   = calloc((size_t)g.nload * (size_t)s->ndof + 1, sizeof(double));
    g.K              = calloc((size_t)g.nload * n * n + 1, sizeof(double));
    g.F              = malloc(9 * (n + 1) * sizeof(double));
    g.SF             = malloc(9 * (n + 1) * sizeof(double));
    kl_status status = loads && g.K && g.F && g.SF
                           ? run(&g, modes, X, marker_node, loads, body, diag)
                           : KL_E_MEMORY;
    free(loads);
    free(g.K);
    free(g.F);
    free(g.SF);
    free(g.V);
    free(g.U);
    return status;
}
