/* Geometric stiffness of shells, taken as solids whose fibres stay straight (element.h has the form).
 *
 * A point at height z moves by u + z beta + w n. Its derivatives are F_a + z G_a along the plane and
 * b through the thickness,
 *
 *   F_a = (du/dx_a, dv/dx_a, gamma_a - beta_a),   G_a = (dbeta/dx_a, 0),   b = (beta, 0)
 *
 * so that the stress of a load does, with its resultants N, M, L = int s (1, z, z^2) dz and
 * Q, R = int t (1, z) dz,
 *
 *   N_ab F_a.F_b + 2 M_ab F_a.G_b + L_ab G_a.G_b + 2 Q_a F_a.b + 2 R_a G_a.b
 *
 * Q is the mean of the element, by equilibrium with its moments at the nodes: then a rigid turn of the
 * whole does on the loads exactly what it should.
 *
 * The slope of the middle surface is that of the rotations and the shear, which is a quadratic field
 * and needs no shape of the deflection, which these elements do not have.
 *
 * Rotations of nodes are vectors theta: a fibre n turns to n + theta x n + theta x (theta x n)/2. The
 * moment m of the element at a node, a force f = m x n at the head of the fibre, and the force F at
 * the end of a rigid arm a of a warped element do on this motion
 *
 *   (f.theta)(n.theta),   (F.theta)(a.theta) - (F.a) theta.theta
 *
 * Where elements lie in one plane the former cancel but for moments from outside; where they meet at
 * an angle they do not. Drilling moments act on both directions of the plane alike and give none. */
#include <string.h>

#include "fe/shell.h"

enum { MAXN = KL_SHELL_UNKNOWNS };

typedef struct maker {
    kl_shell            q;
    int                 n;              /* unknowns of the nodes */
    double              R[24 * 24];     /* local from global unknowns */
    double              X[4 * 24];      /* incompatible modes of the nodes' unknowns, or zero */
    double              force[24 * 24]; /* of the element on its nodes, local, per global unknown */
    kl_geometric_point *p;
} maker;

/* row over global unknowns += factor times a row over local ones and incompatible modes */
static void add_row(const maker *k, const double *local, double factor, double *row)
{
    for (int c = 0; c < k->n; c++) {
        double value = local[c];
        for (int a = 0; k->q.n == 4 && a < 4; a++) value -= local[24 + a] * k->X[c * 4 + a];
        if (value == 0.0) continue;
        const double *R = k->R + c * k->n + c / 6 * 6; /* a node's unknowns see only its own */
        for (int j = 0; j < 6; j++) row[c / 6 * 6 + j] += factor * value * R[j];
    }
}

static kl_status make(const kl_fe_element *e, maker *k)
{
    double local[MAXN * MAXN];
    KL_TRY(kl_shell_init(e, &k->q));
    k->n = 6 * k->q.n;
    kl_shell_to_local(&k->q, k->R);
    KL_TRY(kl_shell_local_stiffness(&k->q, local));
    if (k->q.n == 4) KL_TRY(kl_shell_condense(local, k->X));
    memset(k->force, 0, sizeof k->force);
    for (int i = 0; i < k->n; i++) add_row(k, local + i * MAXN, 1.0, k->force + i * k->n);
    return KL_OK;
}

static void put_fields(const maker *k, const kl_shell_operators *o)
{
    for (int b = 0; b < 2; b++) {
        for (int a = 0; a < 2; a++) {
            add_row(k, o->plane[a][b], 1.0, k->p->field[b][a]);
            add_row(k, o->slope[a][b], 1.0, k->p->field[2 + b][a]);
        }
        add_row(k, o->shear[b], 1.0, k->p->field[b][2]);
        add_row(k, o->beta[b], -1.0, k->p->field[b][2]);
        add_row(k, o->beta[b], 1.0, k->p->field[4][b]);
    }
    k->p->nfield = 5;
}

/* a term of int s z^m: membrane strain with S, curvature with T */
static kl_geometric_term *put_stress(const maker *k, const kl_shell_operators *o, const double *S,
                                     const double *T, double weight, int a, int b, double factor)
{
    kl_geometric_term *t = kl_geometric_add(k->p, a, b, factor);
    for (int c = 0; c < 3; c++) {
        add_row(k, o->membrane[c], weight * S[c], t->force);
        add_row(k, o->bending[c], weight * T[c], t->force);
    }
    return t;
}

static void add_force(const maker *k, int i, double factor, double *row)
{
    for (int c = 0; c < k->n; c++) row[c] += factor * k->force[i * k->n + c];
}

static void put_point(const maker *k, const kl_shell_operators *o, double weight)
{
    const kl_shell_section *s = &k->q.s;
    kl_geometric_clear(k->p);
    put_fields(k, o);
    for (int c = 0; c < 3; c++) { /* xx yy xy */
        int    a = c == 1, b = c > 0;
        double twice = c == 2 ? 2.0 : 1.0;
        put_stress(k, o, s->A[c], s->B[c], weight, a, b, twice);
        kl_geometric_term *t = put_stress(k, o, s->B[c], s->D[c], weight, a, 2 + b, 2.0);
        if (c == 2) t->npair = 2, t->a[1] = 1, t->b[1] = 2, t->factor[1] = 2.0;
        put_stress(k, o, s->D[c], s->E[c], weight, 2 + a, 2 + b, twice);
    }
    for (int a = 0; a < 2; a++)
        for (int z = 0; z < (s->middle != 0.0 ? 2 : 1); z++) {
            kl_geometric_term *t    = kl_geometric_add(k->p, 2 * z + a, 4, 2.0);
            double             part = weight / k->q.area * (z ? s->middle : 1.0);
            for (int i = 0; i < k->q.n; i++) /* m x n = (m_y, -m_x) */
                add_force(k, 6 * i + 4 - a, a == 0 ? part : -part, t->force);
        }
}

/* rotations of a node about local x, y and the normal; m x n = (m_y, -m_x, 0), arm -z n */
static void put_node(const maker *k, int i)
{
    double arm = -k->q.z[i];
    kl_geometric_clear(k->p);
    k->p->nfield = 3;
    for (int c = 0; c < 3; c++)
        for (int j = 0; j < 3; j++) k->p->field[c][0][6 * i + 3 + j] = k->q.axes.m[c][j];
    kl_geometric_term *x = kl_geometric_add(k->p, 0, 2, 1.0);
    add_force(k, 6 * i + 4, 1.0, x->force);
    add_force(k, 6 * i, arm, x->force);
    kl_geometric_term *y = kl_geometric_add(k->p, 1, 2, 1.0);
    add_force(k, 6 * i + 3, -1.0, y->force);
    add_force(k, 6 * i + 1, arm, y->force);
    if (arm == 0.0) return;
    kl_geometric_term *z = kl_geometric_add(k->p, 0, 0, 1.0);
    add_force(k, 6 * i + 2, -arm, z->force);
    z->npair = 2, z->a[1] = z->b[1] = 1, z->factor[1] = 1.0;
}

kl_status kl_shell_geometric(const kl_fe_element *e, const kl_fe_rules *rules,
                             kl_geometric_point *p, kl_geometric_sink sink, void *context)
{
    (void)rules;
    maker  k = {.p = p};
    double r[4][2], weight[4];
    KL_TRY(make(e, &k));
    int np = kl_shell_points(k.q.n, r, weight);
    for (int i = 0; i < np; i++) {
        kl_shell_operators o;
        double             det = kl_shell_operators_at(&k.q, r[i], i, &o);
        if (!(det > 0.0)) return KL_E_MODEL;
        put_point(&k, &o, weight[i] * det);
        sink(context, p);
    }
    for (int i = 0; i < k.q.n; i++) {
        put_node(&k, i);
        sink(context, p);
    }
    return KL_OK;
}
