/* The finite element system: memory and numbering. */
#include "mesh/system.h"

#include <stdlib.h>

kl_status kl_system_init(kl_system *s, int nnode)
{
    *s         = (kl_system){.nnode = nnode};
    size_t n   = nnode > 0 ? (size_t)nnode : 1;
    s->node_id = calloc(n, sizeof(int));
    s->x       = calloc(n, sizeof(kl_vec3));
    s->dof     = malloc(6 * n * sizeof(int));
    if (!s->node_id || !s->x || !s->dof) {
        kl_system_free(s);
        return KL_E_MEMORY;
    }
    for (size_t i = 0; i < 6 * n; i++) s->dof[i] = -1;
    return KL_OK;
}

/* every unknown is its own only term */
static kl_status identity_terms(kl_system *s)
{
    free(s->term_start);
    free(s->term_dof);
    free(s->term_factor);
    s->term_start  = malloc((6 * (size_t)s->nnode + 1) * sizeof(int));
    s->term_dof    = malloc(((size_t)s->ndof + 1) * sizeof(int));
    s->term_factor = malloc(((size_t)s->ndof + 1) * sizeof(double));
    if (!s->term_start || !s->term_dof || !s->term_factor) return KL_E_MEMORY;
    int n = 0;
    for (int q = 0; q < 6 * s->nnode; q++) {
        s->term_start[q] = n;
        if (s->dof[q] < 0) continue;
        s->term_dof[n]      = s->dof[q];
        s->term_factor[n++] = 1.0;
    }
    s->term_start[6 * s->nnode] = n;
    return KL_OK;
}

kl_status kl_system_number(kl_system *s)
{
    int used = 0;
    for (int i = 0; i < 6 * s->nnode; i++) used += s->dof[i] >= 0;
    free(s->dof_node);
    free(s->dof_component);
    s->ndof          = used;
    s->dof_node      = malloc(((size_t)used + 1) * sizeof(int));
    s->dof_component = malloc((size_t)used + 1);
    if (!s->dof_node || !s->dof_component) return KL_E_MEMORY;
    for (int d = 0; d < used; d++) s->dof_node[d] = -1;
    for (int i = 0; i < 6 * s->nnode; i++) {
        int d = s->dof[i];
        if (d < 0) continue;
        if (d >= used || s->dof_node[d] >= 0) return KL_E_RANGE;
        s->dof_node[d]      = i / 6;
        s->dof_component[d] = (unsigned char)(i % 6);
    }
    return identity_terms(s);
}

/* six columns more with nothing but a zero on the diagonal */
static bool append_zeros(kl_symmetric *A)
{
    size_t   n = (size_t)A->n, nnz = (size_t)kl_symmetric_nnz(A);
    int64_t *start = realloc(A->start, (n + 7) * sizeof *start);
    if (start) A->start = start;
    int *row = realloc(A->row, (nnz + 6) * sizeof *row);
    if (row) A->row = row;
    double *value = realloc(A->value, (nnz + 6) * sizeof *value);
    if (value) A->value = value;
    if (!start || !row || !value) return false;
    for (size_t c = 0; c < 6; c++) {
        A->row[nnz + c]     = (int)(n + c);
        A->value[nnz + c]   = 0.0;
        A->start[n + c + 1] = (int64_t)(nnz + c + 1);
    }
    A->n += 6;
    return true;
}

int kl_system_add_node(kl_system *s, int id, kl_vec3 x)
{
    size_t n   = (size_t)s->nnode + 1;
    int   *ids = realloc(s->node_id, n * sizeof *ids);
    if (ids) s->node_id = ids;
    kl_vec3 *xs = realloc(s->x, n * sizeof *xs);
    if (xs) s->x = xs;
    int *dof = realloc(s->dof, 6 * n * sizeof *dof);
    if (dof) s->dof = dof;
    if (!ids || !xs || !dof || !append_zeros(&s->K) || !append_zeros(&s->M)) return -1;
    s->node_id[s->nnode] = id;
    s->x[s->nnode]       = x;
    for (int c = 0; c < 6; c++) s->dof[6 * s->nnode + c] = s->ndof + c;
    s->nnode++;
    return kl_system_number(s) == KL_OK ? s->nnode - 1 : -1;
}

void kl_system_free(kl_system *s)
{
    free(s->node_id);
    free(s->x);
    free(s->dof);
    free(s->dof_node);
    free(s->dof_component);
    free(s->term_start);
    free(s->term_dof);
    free(s->term_factor);
    kl_symmetric_free(&s->K);
    kl_symmetric_free(&s->M);
    kl_symmetric_free(&s->node_mass);
    free(s->node_mass_node);
    free(s->node_mass_component);
    *s = (kl_system){0};
}

bool kl_system_has(const kl_system *s, int node, int component)
{
    int q = 6 * node + component;
    return s->term_start[q + 1] > s->term_start[q];
}

void kl_system_motion(const kl_system *s, int node, const double *u, double motion[6])
{
    for (int c = 0; c < 6; c++) {
        int q     = 6 * node + c;
        motion[c] = 0.0;
        for (int t = s->term_start[q]; t < s->term_start[q + 1]; t++)
            motion[c] += s->term_factor[t] * u[s->term_dof[t]];
    }
}

void kl_system_load(const kl_system *s, int node, int component, double size, double *f)
{
    int q = 6 * node + component;
    for (int t = s->term_start[q]; t < s->term_start[q + 1]; t++)
        f[s->term_dof[t]] += size * s->term_factor[t];
}

void kl_system_rigid(const kl_system *s, kl_vec3 origin, double *R)
{
    size_t n = (size_t)s->ndof;
    for (size_t i = 0; i < 6 * n; i++) R[i] = 0.0;
    for (size_t d = 0; d < n; d++) {
        int     c = s->dof_component[d];
        kl_vec3 b = kl_sub(s->x[s->dof_node[d]], origin);
        if (c >= 3) {
            R[(size_t)c * n + d] = 1.0;
            continue;
        }
        R[(size_t)c * n + d] = 1.0;
        for (int axis = 0; axis < 3; axis++) {
            kl_vec3 e = kl_vec(axis == 0, axis == 1, axis == 2), t = kl_cross(e, b);
            double  v[3]                  = {t.x, t.y, t.z};
            R[(size_t)(3 + axis) * n + d] = v[c];
        }
    }
}

kl_mass_view kl_system_mass(const kl_system *s)
{
    if (s->node_mass.n > 0)
        return (kl_mass_view){&s->node_mass, s->node_mass_ndof, s->node_mass_node,
                              s->node_mass_component};
    return (kl_mass_view){&s->M, s->ndof, s->dof_node, s->dof_component};
}
