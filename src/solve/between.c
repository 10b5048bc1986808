#include "solve/between.h"

#include <string.h>

#include "solve/index1.h"

enum { POINTS = 3 };

/* q = sum of value x[i] + slope y[i], over the nodes in use; times in steps from the start. */
struct kl_between {
    const kl_model *m;
    kl_arena       *arena;
    bool            ready;
    int             n;                     /* nodes */
    double          node[POINTS];          /* 0, 1 and perhaps the older one */
    const double   *x[POINTS];             /* nq: q */
    double         *y[POINTS];             /* nq: h q' */
    double         *bend[2], *more, *less; /* nq: h^2 q'' of both ends; scratch */
    double         *slope[2];              /* nv: v' of both ends */
};

kl_between *kl_between_create(const kl_model *m)
{
    kl_arena   *arena = kl_arena_create();
    kl_between *b     = kl_arena_array(arena, kl_between, 1);
    if (!b) {
        kl_arena_destroy(arena);
        return NULL;
    }
    double **all[] = {&b->y[0], &b->y[1], &b->y[2], &b->bend[0], &b->bend[1], &b->more, &b->less};
    b->m           = m;
    b->arena       = arena;
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        *all[k] = kl_arena_array(arena, double, m->nq + 1);
    for (int k = 0; k < 2; k++) b->slope[k] = kl_arena_array(arena, double, m->nv + 1);
    if (kl_arena_ok(arena)) return b;
    kl_arena_destroy(arena);
    return NULL;
}

void kl_between_destroy(kl_between *b)
{
    if (b) kl_arena_destroy(b->arena); /* it lives in its own arena */
}

void kl_between_renew(kl_between *b) { b->ready = false; }

static void add_node(kl_between *b, const kl_state *s, double node, double h)
{
    int k      = b->n++;
    b->node[k] = node;
    b->x[k]    = s->q;
    kl_index1_rates(b->m, s->q, s->v, b->y[k]);
    for (int i = 0; i < b->m->nq; i++) b->y[k][i] *= h;
}

/* With q' = R(q) v:  q'' = R(q) a + d/dt R(q) v at fixed v. R is linear in q for Euler parameters,
 * so that the difference is exact; for other coordinates it is of second order. */
static void find_bend(kl_between *b, const kl_state *s, const double *a, double h, int k)
{
    const kl_model *m    = b->m;
    const double    tiny = 1e-3; /* of the step */
    double         *out  = b->bend[k];
    for (int i = 0; i < m->nq; i++) b->more[i] = s->q[i] + tiny * b->y[k][i];
    kl_index1_rates(m, b->more, s->v, out);
    for (int i = 0; i < m->nq; i++) b->more[i] = s->q[i] - tiny * b->y[k][i];
    kl_index1_rates(m, b->more, s->v, b->less);
    kl_index1_rates(m, s->q, a, b->more);
    for (int i = 0; i < m->nq; i++)
        out[i] = h * h * b->more[i] + h * (out[i] - b->less[i]) / (2.0 * tiny);
}

/* v' of both ends. No force gives those of an element's own coordinates, which have no mass: they
 * are what the velocities of the last three points say. */
static void find_slopes(kl_between *b, const kl_step *k, double h)
{
    const kl_model *m = b->m;
    for (int e = 0; e < 2; e++) memcpy(b->slope[e], k->a[e], (size_t)m->nv * sizeof(double));
    for (int i = 0; k->older && i < m->nbody; i++)
        for (int c = m->body[i].v; m->body[i].own && c < m->body[i].v + m->body[i].nv; c++) {
            double h_older = k->start->t - k->older->t, now = (k->end->v[c] - k->start->v[c]) / h;
            double then    = (k->start->v[c] - k->older->v[c]) / h_older;
            b->slope[0][c] = (h_older * now + h * then) / (h_older + h);
            b->slope[1][c] = 2.0 * now - b->slope[0][c];
        }
}

static void prepare(kl_between *b, const kl_step *k, double h)
{
    b->n = 0;
    find_slopes(b, k, h);
    add_node(b, k->start, 0.0, h);
    add_node(b, k->end, 1.0, h);
    if (k->exact) {
        find_bend(b, k->start, k->a[0], h, 0);
        find_bend(b, k->end, k->a[1], h, 1);
    } else if (k->older) {
        add_node(b, k->older, (k->older->t - k->start->t) / h, h);
    }
    b->ready = true;
}

/* Through values, slopes and second derivatives of both ends. */
static void mix_with_bends(const kl_between *b, double x, double *q)
{
    double y = 1.0 - x, x3 = x * x * x, y3 = y * y * y;
    double f0 = y3 * (1.0 + 3.0 * x + 6.0 * x * x), f1 = x3 * (1.0 + 3.0 * y + 6.0 * y * y);
    double g0 = x * y3 * (1.0 + 3.0 * x), g1 = -y * x3 * (1.0 + 3.0 * y);
    double c0 = 0.5 * x * x * y3, c1 = 0.5 * y * y * x3;
    for (int i = 0; i < b->m->nq; i++)
        q[i] = f0 * b->x[0][i] + f1 * b->x[1][i] + g0 * b->y[0][i] + g1 * b->y[1][i] +
               c0 * b->bend[0][i] + c1 * b->bend[1][i];
}

/* Through values and slopes of the nodes: (1 - 2 l'(x_k) (x - x_k)) l^2 and (x - x_k) l^2, with l
 * Lagrange's polynomial of node k. */
static void mix_nodes(const kl_between *b, double x, double *q)
{
    memset(q, 0, (size_t)b->m->nq * sizeof *q);
    for (int k = 0; k < b->n; k++) {
        double l = 1.0, dl = 0.0, from = x - b->node[k];
        for (int j = 0; j < b->n; j++) {
            if (j == k) continue;
            l *= (x - b->node[j]) / (b->node[k] - b->node[j]);
            dl += 1.0 / (b->node[k] - b->node[j]);
        }
        double value = (1.0 - 2.0 * dl * from) * l * l, slope = from * l * l;
        for (int i = 0; i < b->m->nq; i++) q[i] += value * b->x[k][i] + slope * b->y[k][i];
    }
}

/* Hermite's cubic. */
static void mix_cubic(int n, const double *a, const double *a1, const double *b, const double *b1,
                      double h, double x, double *out)
{
    double y = 1.0 - x, fa = y * y * (1.0 + 2.0 * x), fb = x * x * (1.0 + 2.0 * y);
    double ga = h * x * y * y, gb = -h * y * x * x;
    for (int i = 0; i < n; i++) out[i] = fa * a[i] + fb * b[i] + ga * a1[i] + gb * b1[i];
}

void kl_between_state(kl_between *b, const kl_step *k, double t, kl_state *s)
{
    const kl_model *m = b->m;
    double          h = k->end->t - k->start->t, x = (t - k->start->t) / h;
    kl_state_copy(s, k->end);
    s->t = t;
    if (x >= 1.0) return;
    if (!b->ready) prepare(b, k, h);
    if (k->exact) mix_with_bends(b, x, s->q);
    else mix_nodes(b, x, s->q);
    for (int i = 0; i < m->nbody; i++)
        if (m->body[i].type->settle) m->body[i].type->settle(m->body[i].data, s->q + m->body[i].q);
    mix_cubic(m->nv, k->start->v, b->slope[0], k->end->v, b->slope[1], h, x, s->v);
    mix_cubic(m->nz, k->start->z, k->z_dot[0], k->end->z, k->z_dot[1], h, x, s->z);
}
