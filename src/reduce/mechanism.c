/* Parts of a mesh that move against each other without stiffness: hinges and pivots.
 *
 * A motion without energy is rigid in every element. Elements that share three corners (a face), or
 * one node with rotations on both sides (shells, beams), move as one: they are joined first, which
 * leaves one stiff part of any sound mesh. Where there are more, each part has six unknowns, its
 * shift and turn, and each node that two parts a, b share asks for
 *
 *     t_a + w_a x r = t_b + w_b x r,   r from the middle of the mesh, in units of its size.
 *
 * What satisfies all of these beyond the six motions of the whole is a mechanism, exactly as many
 * as the stiffness matrix would have zero eigenvalues too many. Components of nodes that the
 * reference holds are equations too, of the part that the node belongs to: for the parts, and for
 * the whole when it counts what that may still do. Springs and ties count as stiff,
 * those to ground as stiff among each other: nothing sound is refused, and what slips through shows
 * in the eigenvalues (modes_check.c). */
#include "reduce/mechanism.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algebra/dense.h"

enum {
    MOST_PARTS = 150, /* above it the dense count takes too long */
    NAMED      = 5    /* nodes in the message */
};

typedef struct parts {
    const kl_mesh      *m;
    int                 nheld;
    const kl_node_mask *held;
    int                 n; /* elements of all shapes */
    int                 first[KL_SHAPE_COUNT + 1];
    int                *start, *at; /* elements of each node: at[start[i]] .. */
    int                *parent;     /* of elements; after number_parts the number of the part */
    int                *shared, *touched;
    int                 count; /* parts */
} parts;

static const int *element(const parts *p, int e, const kl_shape_info **info)
{
    int s = 0;
    while (e >= p->first[s + 1]) s++;
    *info = kl_shape_info_of((kl_shape)s);
    return &p->m->block[s].node[(size_t)(e - p->first[s]) * (size_t)(*info)->nnode];
}

static int root_of(int *parent, int i)
{
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
}

static void unite(parts *p, int a, int b)
{
    p->parent[root_of(p->parent, a)] = root_of(p->parent, b);
}

static bool list_elements(parts *p)
{
    const kl_mesh       *m = p->m;
    const kl_shape_info *info;
    size_t               all = 0;
    for (int s = 0; s < KL_SHAPE_COUNT; s++) {
        p->first[s + 1] = p->first[s] + m->block[s].n;
        all += (size_t)m->block[s].n * (size_t)kl_shape_info_of((kl_shape)s)->nnode;
    }
    p->n       = p->first[KL_SHAPE_COUNT];
    p->start   = calloc((size_t)m->nnode + 2, sizeof(int));
    p->at      = malloc((all + 1) * sizeof(int));
    p->parent  = malloc(((size_t)p->n + 1) * sizeof(int));
    p->shared  = calloc((size_t)p->n + 1, sizeof(int));
    p->touched = malloc(((size_t)p->n + 1) * sizeof(int));
    if (!p->start || !p->at || !p->parent || !p->shared || !p->touched) return false;
    for (int e = 0; e < p->n; e++) {
        const int *node = element(p, e, &info);
        for (int i = 0; i < info->nnode; i++) p->start[node[i] + 2]++;
        p->parent[e] = e;
    }
    for (int i = 0; i < m->nnode; i++) p->start[i + 2] += p->start[i + 1];
    for (int e = 0; e < p->n; e++) {
        const int *node = element(p, e, &info);
        for (int i = 0; i < info->nnode; i++) p->at[p->start[node[i] + 1]++] = e;
    }
    return true;
}

/* Joins an element with those that it shares a face or a node with rotations with. */
static void join_neighbours(parts *p, int e)
{
    const kl_shape_info *mine, *other;
    const int           *node     = element(p, e, &mine);
    int                  ntouched = 0;
    for (int i = 0; i < mine->ncorner; i++)
        for (int k = p->start[node[i]]; k < p->start[node[i] + 1]; k++) {
            int f = p->at[k];
            if (f <= e) continue;
            if (p->shared[f]++ == 0) p->touched[ntouched++] = f;
        }
    for (int t = 0; t < ntouched; t++) {
        int f = p->touched[t];
        element(p, f, &other);
        bool rotations = mine->dimension < 3 && other->dimension < 3;
        if (p->shared[f] >= (rotations ? 1 : 3)) unite(p, e, f);
        p->shared[f] = 0;
    }
}

/* All elements of the node become one with `with`; returns an element of it, or `with`. */
static int join_node(parts *p, int node, int with)
{
    for (int k = p->start[node]; k < p->start[node + 1]; k++) {
        if (with >= 0) unite(p, p->at[k], with);
        with = p->at[k];
    }
    return with;
}

static void join_springs_and_ties(parts *p)
{
    const kl_mesh *m      = p->m;
    int            ground = -1;
    for (int i = 0; i < m->nspring; i++) {
        const int *node = m->spring[i].node;
        if (node[1] < 0) ground = join_node(p, node[0], ground);
        else join_node(p, node[1], join_node(p, node[0], -1));
    }
    for (int i = 0; i < m->ntie; i++) {
        const kl_tie *t = &m->tie[i];
        /* a mean of nodes that nothing else hangs on holds nothing together */
        if (t->kind == KL_RBE3 && p->start[t->reference] == p->start[t->reference + 1]) continue;
        int with = join_node(p, t->reference, -1);
        for (int k = 0; k < t->n; k++) with = join_node(p, t->node[k], with);
    }
}

static void number_parts(parts *p)
{
    p->count = 0;
    for (int e = 0; e < p->n; e++)
        if (root_of(p->parent, e) == e) p->shared[e] = p->count++;
    for (int e = 0; e < p->n; e++) p->touched[e] = p->shared[root_of(p->parent, e)];
    memcpy(p->parent, p->touched, (size_t)p->n * sizeof(int));
}

/* [1, -[r x]] of one part: row c of the motion at r */
static void row_of(kl_vec3 r, int c, double row[6])
{
    const double turn[3][3] = {{0, r.z, -r.y}, {-r.z, 0, r.x}, {r.y, -r.x, 0}};
    for (int k = 0; k < 3; k++) row[k] = k == c, row[3 + k] = turn[c][k];
}

/* G += g g' for the three equations of one shared node */
static void add_equations(double *G, size_t n, size_t a, size_t b, kl_vec3 r)
{
    for (int c = 0; c < 3; c++) {
        double row[6], g[12];
        size_t at[12];
        row_of(r, c, row);
        for (size_t k = 0; k < 6; k++)
            g[k] = row[k], g[6 + k] = -row[k], at[k] = 6 * a + k, at[6 + k] = 6 * b + k;
        for (int i = 0; i < 12; i++)
            for (int j = 0; j < 12; j++) G[at[j] * n + at[i]] += g[i] * g[j];
    }
}

/* The part that a node moves with, its turn included; -1: none, or the mean of several. */
static int part_of(const parts *p, int node)
{
    const kl_shape_info *info;
    int                  part = -1;
    for (int k = p->start[node]; k < p->start[node + 1]; k++) {
        element(p, p->at[k], &info);
        if (part < 0 || info->dimension < 3) part = p->parent[p->at[k]]; /* those that turn */
    }
    for (int i = 0; part < 0 && i < p->m->ntie; i++) {
        const kl_tie *t = &p->m->tie[i];
        if (t->reference != node) continue;
        for (int k = 0; k < t->n; k++) {
            int one = part_of(p, t->node[k]);
            if (k > 0 && one != part) return -1;
            part = one;
        }
    }
    return part;
}

/* G += g g' for what is held of one node, as a motion of the part whose unknowns start at `first` */
static void add_held(double *G, size_t n, size_t first, kl_vec3 r, unsigned components)
{
    for (int c = 0; c < 6; c++) {
        double row[6] = {0};
        if (!(components >> c & 1u)) continue;
        if (c < 3) row_of(r, c, row);
        else row[c] = 1.0;
        for (size_t i = 0; i < 6; i++)
            for (size_t j = 0; j < 6; j++) G[(first + j) * n + first + i] += row[i] * row[j];
    }
}

static void frame(const kl_mesh *m, kl_vec3 *middle, double *size)
{
    *middle = kl_vec(0, 0, 0);
    for (int i = 0; i < m->nnode; i++) *middle = kl_axpy(1.0 / m->nnode, m->x[i], *middle);
    *size = fmax(kl_mesh_size(m), 1e-300);
}

/* The next part after the first at `node`, from position k on: -1 at the end. */
static int other_part(const parts *p, int node, int *k)
{
    int mine = p->parent[p->at[p->start[node]]];
    for (; *k < p->start[node + 1]; (*k)++)
        if (p->parent[p->at[*k]] != mine) return p->parent[p->at[(*k)++]];
    return -1;
}

/* How much the parts turn against each other at a node in the motions without energy. */
static double turning(const double *V, size_t n, int nfree, size_t a, size_t b)
{
    double sum = 0;
    for (size_t j = 0; j < (size_t)nfree; j++)
        for (size_t k = 3; k < 6; k++) {
            double d = V[j * n + 6 * a + k] - V[j * n + 6 * b + k];
            sum += d * d;
        }
    return sum;
}

/* `nfree` motions without energy, `whole` of them of the whole body */
static kl_status report_mechanism(const parts *p, const double *V, int nfree, int whole,
                                  kl_diag *diag)
{
    char   text[128] = "";
    int    named     = 0;
    size_t used      = 0;
    for (int i = 0; i < p->m->nnode && named <= NAMED; i++) {
        bool loose = false;
        for (int k = p->start[i], b;
             (b = p->start[i] < p->start[i + 1] ? other_part(p, i, &k) : -1) >= 0;)
            loose = loose || turning(V, 6 * (size_t)p->count, nfree,
                                     (size_t)p->parent[p->at[p->start[i]]], (size_t)b) > 1e-6;
        if (!loose) continue;
        int more = named < NAMED ? snprintf(text + used, sizeof text - used, "%s%d",
                                            named ? ", " : "", p->m->node_id[i])
                                 : snprintf(text + used, sizeof text - used, ", ...");
        if (more > 0 && used + (size_t)more < sizeof text) used += (size_t)more;
        named++;
    }
    return kl_fail(diag, KL_E_MODEL, (kl_place){p->m->source, 0, 0},
                   "%d motion%s without stiffness%s%s: its %d stiff parts are connected only at "
                   "single nodes or along a line, like a hinge, at node%s %s; connect them by "
                   "faces or a tie (RBE2), or model them as separate bodies with a joint",
                   nfree - whole, nfree - whole == 1 ? "" : "s",
                   whole == 6  ? " in addition to the six rigid body motions"
                   : whole > 0 ? " in addition to the rigid body motions"
                               : "",
                   p->nheld > 0 ? ", which the reference conditions do not prevent" : "", p->count,
                   named == 1 ? "" : "s", text);
}

/* how many of the n eigenvalues, ascending, are zero beside the largest */
static int zeros(const double *w, int n)
{
    int count = 0;
    while (count < n && w[count] <= 1e-13 * w[n - 1]) count++;
    return count;
}

/* rigid motions of the whole that the held components H (6 x 6, destroyed) leave */
static int count_rigid_motions_left(double *H)
{
    double w[6];
    return kl_symmetric_eigen(6, H, w) == KL_OK && w[5] > 0.0 ? zeros(w, 6) : 6;
}

static kl_status count_motions(const parts *p, kl_diag *diag)
{
    size_t    n = 6 * (size_t)p->count;
    double   *G = calloc(n * n, sizeof(double)), *w = malloc(n * sizeof(double)), size, H[36] = {0};
    kl_vec3   middle;
    kl_status status = G && w ? KL_OK : KL_E_MEMORY;
    frame(p->m, &middle, &size);
    for (int i = 0; i < p->m->nnode && status == KL_OK; i++) {
        if (p->start[i] == p->start[i + 1]) continue;
        kl_vec3 r = kl_scale(1 / size, kl_sub(p->m->x[i], middle));
        for (int k = p->start[i], b; (b = other_part(p, i, &k)) >= 0;)
            add_equations(G, n, (size_t)p->parent[p->at[p->start[i]]], (size_t)b, r);
    }
    for (int i = 0; i < p->nheld && status == KL_OK; i++) {
        int     part = part_of(p, p->held[i].node);
        kl_vec3 r    = kl_scale(1 / size, kl_sub(p->m->x[p->held[i].node], middle));
        if (part < 0) continue;
        add_held(G, n, 6 * (size_t)part, r, p->held[i].components);
        add_held(H, 6, 0, r, p->held[i].components);
    }
    if (status == KL_OK) status = kl_symmetric_eigen((int)n, G, w);
    if (status == KL_OK) {
        int nfree = zeros(w, (int)n), whole = count_rigid_motions_left(H);
        if (nfree > whole) status = report_mechanism(p, G, nfree, whole, diag);
    }
    free(G);
    free(w);
    return status;
}

kl_status kl_mesh_check_mechanism(const kl_mesh *m, int nheld, const kl_node_mask *held,
                                  kl_diag *diag)
{
    parts     p      = {.m = m, .nheld = nheld, .held = held};
    kl_status status = list_elements(&p) ? KL_OK : KL_E_MEMORY;
    if (status == KL_OK) {
        for (int e = 0; e < p.n; e++) join_neighbours(&p, e);
        join_springs_and_ties(&p);
        number_parts(&p);
        if (p.count > 1 && p.count <= MOST_PARTS) status = count_motions(&p, diag);
    }
    free(p.start);
    free(p.at);
    free(p.parent);
    free(p.shared);
    free(p.touched);
    return status;
}
