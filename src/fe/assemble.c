/* Assembly: the pattern from the nodes that meet in elements, then element matrices into their
 * slots.
 *
 * Unknowns are numbered node by node, so the block of two nodes is one run of rows in each column:
 * one search finds it. Solids couple only equal directions in the mass, so M has a third of K's
 * entries. */
#include "fe/assemble.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mesh/node_order.h"

/* how two nodes are coupled in M */
enum { APART = 0, SAME_DIRECTION = 1, ALL_DIRECTIONS = 2 };

typedef struct graph {
    int64_t       *start; /* nnode + 1: neighbours not before the node itself, in order */
    int           *node;
    unsigned char *mass; /* APART, ... */
} graph;

typedef struct assembly {
    const kl_mesh *m;
    kl_mass_rule   rule;
    kl_system     *s;
    int           *ndof; /* of each node: 0, 3 or 6 */
    int           *rank; /* of each node in the numbering of the unknowns */
    int           *node; /* node of each rank */
    graph          g;
    kl_diag       *diag;
} assembly;

static const int *element_nodes(const kl_mesh *m, int shape, int e)
{
    return &m->block[shape].node[(size_t)e * (size_t)kl_shape_info_of((kl_shape)shape)->nnode];
}

/* ---- unknowns ---- */

static void wants(int *ndof, int node, int n)
{
    if (ndof[node] < n) ndof[node] = n;
}

static void count_unknowns(assembly *a)
{
    const kl_mesh *m = a->m;
    for (int s = 0; s < KL_SHAPE_COUNT; s++)
        for (int e = 0; e < m->block[s].n; e++)
            for (int i = 0; i < kl_shape_info_of((kl_shape)s)->nnode; i++)
                wants(a->ndof, element_nodes(m, s, e)[i], kl_fe_type_of((kl_shape)s)->ndof_node);
    for (int i = 0; i < m->nspring; i++) {
        const kl_spring *k    = &m->spring[i];
        bool             turn = k->k[3] != 0 || k->k[4] != 0 || k->k[5] != 0;
        for (int end = 0; end < 2; end++)
            if (k->node[end] >= 0) wants(a->ndof, k->node[end], turn ? 6 : 3);
    }
    for (int i = 0; i < m->ntie; i++) {
        wants(a->ndof, m->tie[i].reference, 6);
        for (int k = 0; k < m->tie[i].n; k++) wants(a->ndof, m->tie[i].node[k], 3);
    }
    for (int i = 0; i < m->nmass; i++) wants(a->ndof, m->mass[i].node, 3);
}

static kl_status number_unknowns(assembly *a)
{
    int next = 0;
    KL_TRY(kl_order_near(a->m->nnode, a->m->x, a->node));
    for (int r = 0; r < a->m->nnode; r++) {
        int n            = a->node[r];
        a->rank[n]       = r;
        a->s->node_id[n] = a->m->node_id[n];
        a->s->x[n]       = a->m->x[n];
        for (int c = 0; c < a->ndof[n]; c++) a->s->dof[6 * n + c] = next++;
    }
    return kl_system_number(a->s);
}

/* ---- which nodes meet ---- */

typedef struct group {
    const int *node;
    int        n;
    int        coupling; /* in M, between different nodes */
} group;

/* all groups of nodes that are coupled: elements, then springs; index from 0 */
static int group_count(const kl_mesh *m) { return kl_mesh_count(m) + m->nspring + m->nmass; }

static group group_at(const assembly *a, int index)
{
    const kl_mesh *m = a->m;
    for (int s = 0; s < KL_SHAPE_COUNT; s++) {
        if (index < m->block[s].n) {
            bool solid    = kl_shape_info_of((kl_shape)s)->dimension == 3;
            int  coupling = !solid                      ? ALL_DIRECTIONS
                            : a->rule == KL_MASS_LUMPED ? APART
                                                        : SAME_DIRECTION;
            return (group){element_nodes(m, s, index), kl_shape_info_of((kl_shape)s)->nnode,
                           coupling};
        }
        index -= m->block[s].n;
    }
    if (index < m->nspring)
        return (group){m->spring[index].node, m->spring[index].node[1] >= 0 ? 2 : 1, APART};
    return (group){&m->mass[index - m->nspring].node, 1, ALL_DIRECTIONS};
}

static int compare_int(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

/* groups by node: start (nnode + 1) and list */
static kl_status groups_by_node(const assembly *a, int64_t **start, int **list)
{
    int      nnode = a->m->nnode, ngroup = group_count(a->m);
    int64_t *first = calloc((size_t)nnode + 2, sizeof(int64_t));
    if (!first) return KL_E_MEMORY;
    for (int i = 0; i < ngroup; i++) {
        group g = group_at(a, i);
        for (int k = 0; k < g.n; k++) first[g.node[k] + 2]++;
    }
    for (int n = 0; n <= nnode; n++) first[n + 1] += first[n];
    int *groups = malloc((size_t)(first[nnode + 1] + 1) * sizeof(int));
    if (!groups) {
        free(first);
        return KL_E_MEMORY;
    }
    for (int i = 0; i < ngroup; i++) {
        group g = group_at(a, i);
        for (int k = 0; k < g.n; k++) groups[first[g.node[k] + 1]++] = i;
    }
    *start = first, *list = groups;
    return KL_OK;
}

/* ranks of the neighbours of node n that do not come before it; returns how many; their coupling
 * in `mass` */
static int neighbours(const assembly *a, int n, const int64_t *start, const int *list, int *seen,
                      int *out, unsigned char *mass)
{
    int count = 0, here = a->rank[n];
    seen[here]   = n;
    mass[here]   = SAME_DIRECTION;
    out[count++] = here;
    for (int64_t p = start[n]; p < start[n + 1]; p++) {
        group g = group_at(a, list[p]);
        for (int k = 0; k < g.n; k++) {
            int b = a->rank[g.node[k]];
            if (b < here) continue;
            if (seen[b] != n) seen[b] = n, mass[b] = APART, out[count++] = b;
            if (mass[b] < g.coupling) mass[b] = (unsigned char)g.coupling;
        }
    }
    qsort(out, (size_t)count, sizeof(int), compare_int);
    return count;
}

static kl_status find_graph(assembly *a)
{
    int      nnode = a->m->nnode;
    int64_t *start = NULL;
    int     *list = NULL, *seen = malloc((size_t)nnode * sizeof(int)),
        *out              = malloc((size_t)nnode * sizeof(int));
    unsigned char *mass   = malloc((size_t)nnode);
    kl_status      status = seen && out && mass ? groups_by_node(a, &start, &list) : KL_E_MEMORY;
    graph         *g      = &a->g;
    g->start              = calloc((size_t)nnode + 1, sizeof(int64_t));
    if (!g->start) status = KL_E_MEMORY;
    for (int pass = 0; pass < 2 && status == KL_OK; pass++) { /* count, then fill */
        for (int n = 0; n < nnode; n++) seen[n] = -1;
        for (int n = 0; n < nnode; n++) {
            int count = neighbours(a, n, start, list, seen, out, mass);
            if (pass == 0) g->start[n + 1] = g->start[n] + count;
            for (int i = 0; pass == 1 && i < count; i++) {
                g->node[g->start[n] + i] = a->node[out[i]];
                g->mass[g->start[n] + i] = mass[out[i]];
            }
        }
        if (pass == 1) break;
        g->node = malloc((size_t)g->start[nnode] * sizeof(int));
        g->mass = malloc((size_t)g->start[nnode]);
        if (!g->node || !g->mass) status = KL_E_MEMORY;
    }
    free(start);
    free(list);
    free(seen);
    free(out);
    free(mass);
    return status;
}

/* ---- patterns ---- */

/* rows of column (n, c); written to `row` unless NULL */
static int64_t column_rows(const assembly *a, int n, int c, bool mass, int *row)
{
    const kl_system *s     = a->s;
    int64_t          count = 0;
    for (int64_t p = a->g.start[n]; p < a->g.start[n + 1]; p++) {
        int b = a->g.node[p], how = mass ? a->g.mass[p] : ALL_DIRECTIONS;
        if (how == APART) continue;
        for (int d = b == n ? c : 0; d < a->ndof[b]; d++) {
            if (how == SAME_DIRECTION && d != c) continue;
            if (row) row[count] = s->dof[6 * b + d];
            count++;
        }
    }
    return count;
}

static kl_status make_pattern(const assembly *a, bool mass, kl_symmetric *A)
{
    int n = a->s->ndof;
    *A    = (kl_symmetric){n, calloc((size_t)n + 1, sizeof(int64_t)), NULL, NULL};
    if (!A->start) return KL_E_MEMORY;
    for (int d = 0; d < n; d++)
        A->start[d + 1] =
            A->start[d] + column_rows(a, a->s->dof_node[d], a->s->dof_component[d], mass, NULL);
    A->row   = malloc((size_t)(A->start[n] + 1) * sizeof(int));
    A->value = calloc((size_t)(A->start[n] + 1), sizeof(double));
    if (!A->row || !A->value) return KL_E_MEMORY;
    for (int d = 0; d < n; d++)
        column_rows(a, a->s->dof_node[d], a->s->dof_component[d], mass, A->row + A->start[d]);
    return KL_OK;
}

/* ---- adding ---- */

/* adds `nc` unknowns a node of the block (node i of the element at columns ci) to A */
static void add_element(const assembly *a, kl_symmetric *A, const int *node, int nnode, int nc,
                        const double *k, bool diagonal_only)
{
    int n = nnode * nc;
    for (int i = 0; i < nnode; i++)
        for (int j = 0; j < nnode; j++) {
            int column = node[i], row = node[j];
            if (a->rank[row] < a->rank[column]) continue;
            const int *col_dof = &a->s->dof[6 * column], *row_dof = &a->s->dof[6 * row];
            for (int c = 0; c < nc; c++) {
                const double *value = k + (size_t)(nc * i + c) * (size_t)n + nc * j;
                if (diagonal_only) {
                    int64_t p = kl_symmetric_find(A, row_dof[c], col_dof[c]);
                    if (p >= 0) A->value[p] += value[c];
                    continue;
                }
                int     first = row == column ? c : 0;
                int64_t p     = kl_symmetric_find(A, row_dof[first], col_dof[c]);
                for (int d = first; p >= 0 && d < nc; d++) A->value[p++] += value[d];
            }
        }
}

typedef struct offenders {
    int  count;
    char text[96];
} offenders;

static void note(offenders *o, int id)
{
    size_t used = strlen(o->text);
    if (o->count < 5) snprintf(o->text + used, sizeof o->text - used, o->count ? ", %d" : "%d", id);
    o->count++;
}

static void add_shape(assembly *a, kl_shape shape, const kl_fe_rules *rules, double *k,
                      offenders *bad)
{
    const kl_fe_type *type  = kl_fe_type_of(shape);
    int               nnode = kl_shape_info_of(shape)->nnode;
    for (int e = 0; e < a->m->block[shape].n; e++) {
        const int    *node = element_nodes(a->m, (int)shape, e);
        kl_fe_element element;
        kl_fe_gather(a->m, shape, e, &element);
        if (type->stiffness(&element, rules, k) != KL_OK) {
            note(bad, element.id);
            continue;
        }
        add_element(a, &a->s->K, node, nnode, type->ndof_node, k, false);
        if (type->mass(&element, rules, a->rule, k) != KL_OK) note(bad, element.id);
        else add_element(a, &a->s->M, node, nnode, type->ndof_node, k, type->ndof_node == 3);
    }
}

static kl_status add_elements(assembly *a)
{
    kl_fe_rules *rules  = malloc(sizeof *rules);
    double      *k      = malloc(KL_MAX_ELEMENT_DOF * KL_MAX_ELEMENT_DOF * sizeof(double));
    offenders    bad    = {0, ""};
    kl_status    status = rules && k ? KL_OK : KL_E_MEMORY;
    for (int s = 0; s < KL_SHAPE_COUNT && status == KL_OK; s++) {
        if (a->m->block[s].n == 0) continue;
        kl_fe_rules_init(rules, (kl_shape)s);
        add_shape(a, (kl_shape)s, rules, k, &bad);
    }
    free(rules);
    free(k);
    if (bad.count > 0)
        return kl_fail(a->diag, KL_E_MODEL, (kl_place){a->m->source, 0, 0},
                       "%d elements are invalid (first: %s): their Jacobian is negative, or the "
                       "orientation of a beam is parallel to its axis; correct the mesh",
                       bad.count, bad.text);
    return status;
}

static void add_entry(kl_symmetric *A, int i, int j, double value)
{
    int64_t p = kl_symmetric_find(A, i, j);
    if (p >= 0) A->value[p] += value;
}

static void add_springs(assembly *a)
{
    for (int i = 0; i < a->m->nspring; i++) {
        const kl_spring *s = &a->m->spring[i];
        for (int c = 0; c < 6; c++) {
            if (s->k[c] == 0.0) continue;
            int p = a->s->dof[6 * s->node[0] + c],
                q = s->node[1] >= 0 ? a->s->dof[6 * s->node[1] + c] : -1;
            add_entry(&a->s->K, p, p, s->k[c]);
            if (q < 0) continue;
            add_entry(&a->s->K, q, q, s->k[c]);
            add_entry(&a->s->K, p, q, -s->k[c]);
        }
    }
}

/* M of a lump at offset d: [m I, -m [d]; m [d], J - m [d][d]] */
static void add_masses(assembly *a)
{
    int ignored = 0;
    for (int i = 0; i < a->m->nmass; i++) {
        const kl_point_mass *p   = &a->m->mass[i];
        const int           *dof = &a->s->dof[6 * p->node];
        kl_mat3              D = kl_skew(p->offset), DD = kl_matmul(&D, &D);
        for (int c = 0; c < 3; c++) add_entry(&a->s->M, dof[c], dof[c], p->mass);
        bool turns = kl_norm(p->offset) > 0;
        for (int c = 0; c < 9; c++) turns = turns || p->J.m[c / 3][c % 3] != 0;
        if (!turns) continue;
        if (dof[3] < 0) {
            ignored++;
            continue;
        }
        for (int c = 0; c < 3; c++)
            for (int d = 0; d < 3; d++) {
                add_entry(&a->s->M, dof[c], dof[3 + d], -p->mass * D.m[c][d]);
                if (d <= c)
                    add_entry(&a->s->M, dof[3 + c], dof[3 + d],
                              p->J.m[c][d] - p->mass * DD.m[c][d]);
            }
    }
    if (ignored > 0)
        kl_warn(a->diag, (kl_place){a->m->source, 0, 0},
                "%d point masses with inertia or offset are on nodes without rotations, so only "
                "their mass is used; connect them with an RBE2 or RBE3",
                ignored);
}

kl_status kl_fe_assemble(const kl_mesh *m, kl_mass_rule mass, kl_system *s, kl_diag *diag)
{
    size_t    nnode  = (size_t)m->nnode + 1;
    assembly  a      = {.m    = m,
                        .rule = mass,
                        .s    = s,
                        .ndof = calloc(nnode, sizeof(int)),
                        .rank = calloc(nnode, sizeof(int)),
                        .node = calloc(nnode, sizeof(int)),
                        .diag = diag};
    kl_status status = kl_system_init(s, m->nnode);
    if (!a.ndof || !a.rank || !a.node) status = KL_E_MEMORY;
    if (status == KL_OK) {
        count_unknowns(&a);
        status = number_unknowns(&a);
    }
    if (status == KL_OK) status = find_graph(&a);
    if (status == KL_OK) status = make_pattern(&a, false, &s->K);
    if (status == KL_OK) status = make_pattern(&a, true, &s->M);
    free(a.g.start);
    free(a.g.node);
    free(a.g.mass);
    if (status == KL_OK) status = add_elements(&a);
    free(a.ndof);
    free(a.rank);
    free(a.node);
    if (status == KL_OK) {
        add_springs(&a);
        add_masses(&a);
        status = kl_system_tie(s, m->ntie, m->tie, diag);
    }
    if (status == KL_E_MEMORY) kl_fail(diag, status, KL_NOWHERE, "out of memory during assembly");
    if (status != KL_OK) kl_system_free(s);
    return status;
}
