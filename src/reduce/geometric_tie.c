/* What ties do on motion of second order: a rigid arm a turns to a + theta x a + theta x (theta x a)/2.
 *
 * With r the force that the mesh, less what loads act there, puts on a follower of an RBE2 at the arm
 * a, its turn does
 *
 *   r.(theta x (theta x a)) = (r.theta)(a.theta) - (r.a) theta.theta
 *
 * The reference of an RBE3 rides on the mean motion of its leaders with the arm d from their middle.
 * Leaders that turn by theta as one have th = theta - J^-1 (theta x W theta)/2 as their linear mean
 * rotation, W = sum w x x', J = tr(W) - W; so with (r, m) on the reference
 *
 *   r.(theta x (theta x d)) + (m + d x r).J^-1 (theta x W theta)
 *
 * and with J^+ the same of leaders on a line (mean.h), whose rotations tell the rest as it is.
 *
 * A tie whose leader follows another tie passes its forces on: the last follower comes first. */
#include <stdlib.h>
#include <string.h>

#include "algebra/dense.h"
#include "fe/element.h"
#include "fe/mean.h"
#include "reduce/geometric.h"

enum { FIELDS = KL_GEOMETRIC_FIELDS, DOF = KL_MAX_ELEMENT_DOF };

typedef struct tied {
    kl_geometric     *g;
    int               nslot;
    int              *slot;  /* of each node: of a node that follows others; -1: it does not */
    double           *force; /* nslot x 6 x nload: of the mesh less the loads */
    int              *waits; /* of each node: ties not yet done that lead by it */
    bool             *done;
    kl_geometric_arms arms;
} tied;

static double *force_at(const tied *t, int node, int component)
{
    if (t->slot[node] < 0) return NULL;
    return t->force + (6 * (size_t)t->slot[node] + (size_t)component) * (size_t)t->g->nload;
}

static int follower_count(const kl_tie *tie) { return tie->kind == KL_RBE2 ? tie->n : 1; }
static int leader_count(const kl_tie *tie) { return tie->kind == KL_RBE2 ? 1 : tie->n; }
static int follower(const kl_tie *tie, int i)
{
    return tie->kind == KL_RBE2 ? tie->node[i] : tie->reference;
}
static int leader(const kl_tie *tie, int i)
{
    return tie->kind == KL_RBE2 ? tie->reference : tie->node[i];
}

/* ---- forces on followers ---- */

static void add_element_forces(tied *t, kl_shape shape, int index, const kl_fe_rules *rules,
                               double *K)
{
    const kl_geometric *g     = t->g;
    const kl_fe_type   *type  = kl_fe_type_of(shape);
    int                 nnode = kl_shape_info_of(shape)->nnode, each = type->ndof_node;
    const int          *node = &g->m->block[shape].node[(size_t)index * (size_t)nnode];
    bool                here = false;
    kl_fe_element       e;
    for (int a = 0; a < nnode; a++) here = here || t->slot[node[a]] >= 0;
    if (!here) return;
    kl_fe_gather(g->m, shape, index, &e);
    if (type->stiffness(&e, rules, K) != KL_OK) return; /* assembly has said so */
    for (int i = 0; i < nnode * each; i++) {
        double *to = force_at(t, node[i / each], i % each);
        for (int j = 0; to && j < nnode * each; j++) {
            const double *u =
                g->U + (6 * (size_t)node[j / each] + (size_t)(j % each)) * (size_t)g->nload;
            kl_vaxpy(g->nload, K[i * nnode * each + j], u, to);
        }
    }
}

static void add_springs(tied *t)
{
    const kl_geometric *g = t->g;
    for (int i = 0; i < g->m->nspring; i++) {
        const kl_spring *k = &g->m->spring[i];
        for (int end = 0; end < 2; end++)
            for (int c = 0; c < 6 && k->node[end] >= 0; c++) {
                double *to = force_at(t, k->node[end], c);
                if (!to || k->k[c] == 0.0) continue;
                for (int other = 0; other < 2; other++)
                    if (k->node[other] >= 0)
                        kl_vaxpy(g->nload, other == end ? k->k[c] : -k->k[c],
                                 g->U + (6 * (size_t)k->node[other] + (size_t)c) * (size_t)g->nload,
                                 to);
            }
    }
}

static kl_status add_mesh(tied *t)
{
    kl_fe_rules *rules  = malloc(sizeof *rules);
    double      *K      = malloc(DOF * DOF * sizeof(double));
    kl_status    status = rules && K ? KL_OK : KL_E_MEMORY;
    for (int s = 0; s < KL_SHAPE_COUNT && status == KL_OK; s++) {
        if (t->g->m->block[s].n == 0) continue;
        kl_fe_rules_init(rules, (kl_shape)s);
        for (int i = 0; i < t->g->m->block[s].n; i++)
            add_element_forces(t, (kl_shape)s, i, rules, K);
    }
    if (status == KL_OK) add_springs(t);
    free(rules);
    free(K);
    return status;
}

static void take_loads(tied *t)
{
    const kl_geometric *g = t->g;
    kl_mass_view        v = kl_system_mass(g->s);
    size_t              N = (size_t)v.n;
    for (size_t q = 0; q < N; q++) {
        double *to = force_at(t, v.node[q], v.component[q]);
        if (!to) continue;
        for (int l = 0; l < FIELDS; l++) to[l] -= g->field_load[(size_t)l * N + q];
        for (int l = 0; l < g->nload; l++)
            for (int a = 0; a < 6; a++) to[l] += g->MR[(size_t)a * N + q] * g->relief[6 * l + a];
    }
    for (int l = FIELDS; l < g->nload; l++) {
        double *to = force_at(t, g->marker_node[(l - FIELDS) / 6], (l - FIELDS) % 6);
        if (to) to[l] -= 1.0;
    }
}

/* ---- one tie ---- */

static void add_scaled_force(tied *t, int node, int component, double factor, const double *f)
{
    double *to = force_at(t, node, component);
    if (to && factor != 0.0) kl_vaxpy(t->g->nload, factor, f, to);
}

static void add_rbe2(tied *t, const kl_tie *tie)
{
    const kl_geometric *g = t->g;
    for (int p = 0; p < 3; p++)
        memcpy(kl_arms_turn(&t->arms, p),
               g->V + (6 * (size_t)tie->reference + 3 + (size_t)p) * (size_t)g->n,
               (size_t)g->n * sizeof(double));
    for (int i = 0; i < tie->n; i++) {
        int     node = tie->node[i];
        kl_vec3 arm  = kl_sub(g->s->x[node], g->s->x[tie->reference]);
        if (node == tie->reference) continue;
        for (int c = 0; c < 6; c++) {
            const double *f = force_at(t, node, c);
            if (!(tie->components >> c & 1u)) continue;
            add_scaled_force(t, tie->reference, c, 1.0, f);
            if (c >= 3) continue;
            kl_arms_add(&t->arms, 1.0, f, c, arm);
            double turn[3]; /* arm x e_c */
            kl_store(turn, kl_cross(arm, kl_vec(c == 0, c == 1, c == 2)));
            for (int a = 0; a < 3; a++) add_scaled_force(t, tie->reference, 3 + a, turn[a], f);
        }
    }
}

/* the moment f e_a about the middle: on its own second order, and to the leaders */
static void add_moment(tied *t, const kl_tie *tie, const kl_mean *k, const double *f, kl_vec3 e)
{
    /* y.(theta x W theta), y = J^-1 e: theta'B theta with B = -[y] W */
    kl_vec3 y = kl_mul(&k->inverse, e);
    kl_mat3 S = kl_skew(kl_neg(y)), B = kl_matmul(&S, &k->W);
    kl_arms_add_matrix(&t->arms, f, &B);
    for (int i = 0; i < tie->n; i++) {
        kl_mat3 shift = kl_mean_by_shift(k, t->g->s, tie, i);
        kl_mat3 turn  = kl_mean_by_turn(k, t->g->s, tie, i);
        double  factor[6];
        shift = kl_transpose(&shift), turn = kl_transpose(&turn);
        kl_store(factor, kl_mul(&shift, e));
        kl_store(factor + 3, kl_mul(&turn, e));
        for (int c = 0; c < 6; c++) add_scaled_force(t, tie->node[i], c, factor[c], f);
    }
}

static void add_rbe3(tied *t, const kl_tie *tie)
{
    const kl_geometric *g = t->g;
    kl_mean             k;
    (void)kl_mean_find(g->s, tie, &k); /* assembly has refused what has no mean */
    kl_vec3 d = kl_sub(g->s->x[tie->reference], k.middle);
    for (int i = 0; i < tie->n; i++) {
        kl_mat3 by[2] = {kl_mean_by_shift(&k, g->s, tie, i), kl_mean_by_turn(&k, g->s, tie, i)};
        for (int p = 0; p < 3; p++)
            for (int j = 0; j < 6; j++)
                kl_vaxpy(g->n, by[j / 3].m[p][j % 3],
                         g->V + (6 * (size_t)tie->node[i] + (size_t)j) * (size_t)g->n,
                         kl_arms_turn(&t->arms, p));
    }
    for (int c = 0; c < 6; c++) {
        const double *f = force_at(t, tie->reference, c);
        kl_vec3       e = kl_vec(c % 3 == 0, c % 3 == 1, c % 3 == 2);
        if (!(tie->components >> c & 1u)) continue;
        add_moment(t, tie, &k, f, c < 3 ? kl_cross(d, e) : e);
        if (c >= 3) continue;
        kl_arms_add(&t->arms, 1.0, f, c, d);
        for (int i = 0; i < tie->n; i++)
            add_scaled_force(t, tie->node[i], c, kl_mean_weight(tie, i) / k.sum, f);
    }
}

/* ---- all ties ---- */

static bool ready(const tied *t, const kl_tie *tie)
{
    for (int i = 0; i < follower_count(tie); i++)
        if (follower(tie, i) != tie->reference || tie->kind == KL_RBE3)
            if (t->waits[follower(tie, i)] > 0) return false;
    return true;
}

static void add_tie(tied *t, int which)
{
    const kl_tie *tie = &t->g->m->tie[which];
    kl_arms_clear(&t->arms);
    if (tie->kind == KL_RBE2) add_rbe2(t, tie);
    else add_rbe3(t, tie);
    kl_arms_put(&t->arms);
    t->done[which] = true;
    for (int i = 0; i < leader_count(tie); i++) t->waits[leader(tie, i)]--;
}

/* followers of no other tie first; there is no cycle, because assembly would have refused it */
static void add_ties(tied *t)
{
    const kl_mesh *m = t->g->m;
    for (bool some = true; some;) {
        some = false;
        for (int i = 0; i < m->ntie; i++)
            if (!t->done[i] && ready(t, &m->tie[i])) add_tie(t, i), some = true;
    }
}

static void find_slots(tied *t)
{
    const kl_mesh *m = t->g->m;
    for (int i = 0; i < m->nnode; i++) t->slot[i] = -1;
    for (int i = 0; i < m->ntie; i++) {
        const kl_tie *tie = &m->tie[i];
        for (int k = 0; k < follower_count(tie); k++) {
            int node = follower(tie, k);
            if (tie->kind == KL_RBE2 && node == tie->reference) continue;
            if (t->slot[node] < 0) t->slot[node] = t->nslot++;
        }
        for (int k = 0; k < leader_count(tie); k++) t->waits[leader(tie, k)]++;
    }
}

kl_status kl_geometric_ties(kl_geometric *g)
{
    if (g->m->ntie == 0) return KL_OK;
    size_t    nload = (size_t)g->nload, nnode = (size_t)g->m->nnode;
    tied      t      = {.g     = g,
                        .slot  = malloc((nnode + 1) * sizeof(int)),
                        .waits = calloc(nnode + 1, sizeof(int)),
                        .done  = calloc((size_t)g->m->ntie + 1, sizeof(bool))};
    kl_status status = kl_arms_open(g, &t.arms);
    if (!t.slot || !t.waits || !t.done) status = KL_E_MEMORY;
    if (status == KL_OK) {
        find_slots(&t);
        t.force = calloc(6 * (size_t)t.nslot * nload + 1, sizeof(double));
        status  = t.force ? add_mesh(&t) : KL_E_MEMORY;
    }
    if (status == KL_OK) {
        take_loads(&t);
        add_ties(&t);
    }
    free(t.slot);
    free(t.waits);
    free(t.done);
    kl_arms_close(&t.arms);
    free(t.force);
    return status;
}
