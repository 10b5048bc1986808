/* Solid elements: tetrahedra, hexahedra, wedges with three translations a node.
 *
 *   K = int B' D B dV,   M = int rho N N' dV
 *
 * The hexahedron of 8 nodes and the wedge of 6 bend without locking: they carry incompatible modes
 * 1 - r^2, 1 - s^2, 1 - t^2 (wedge: only 1 - t^2 along its axis) whose gradients are formed with
 * the Jacobian of the element's centre, so that the patch test holds for any shape (Taylor,
 * Beresford, Wilson 1976). The hexahedron has six more, each a shear strain such as r t between r and s:
 * without them plates of elements whose faces converge lock in transverse shear (Andelfinger and Ramm
 * 1993, International Journal for Numerical Methods in Engineering 36, 1311-1337, add the same strains).
 * Modes are condensed out element by element. */
#include "fe/element.h"

#include <string.h>

#include "algebra/dense.h"

enum { MAX_NODES = KL_MAX_SOLID_NODES, MAX_MODES = 15, MODE_DOF = 24 };

/* B of one node from its gradient g: rows xx yy zz xy yz zx */
static void strain_matrix(const double g[3], double B[6][3])
{
    memset(B, 0, 18 * sizeof(double));
    B[0][0] = B[3][1] = B[5][2] = g[0];
    B[1][1] = B[3][0] = B[4][2] = g[1];
    B[2][2] = B[4][1] = B[5][0] = g[2];
}

/* The 6 x 3 product D B is formed for node b, then rows of node a: most of B is zero. */
static void add_pair(const double ga[3], const double DB[6][3], double w, double *K, int n)
{
    for (int j = 0; j < 3; j++) {
        K[0 * n + j] += w * (ga[0] * DB[0][j] + ga[1] * DB[3][j] + ga[2] * DB[5][j]);
        K[1 * n + j] += w * (ga[1] * DB[1][j] + ga[0] * DB[3][j] + ga[2] * DB[4][j]);
        K[2 * n + j] += w * (ga[2] * DB[2][j] + ga[1] * DB[4][j] + ga[0] * DB[5][j]);
    }
}

static void times_D(const double D[6][6], const double g[3], double DB[6][3])
{
    for (int i = 0; i < 6; i++) {
        DB[i][0] = D[i][0] * g[0] + D[i][3] * g[1] + D[i][5] * g[2];
        DB[i][1] = D[i][1] * g[1] + D[i][3] * g[0] + D[i][4] * g[2];
        DB[i][2] = D[i][2] * g[2] + D[i][4] * g[1] + D[i][5] * g[0];
    }
}

/* upper triangle of sum_p w B' D B over `count` gradients, in a matrix of n columns */
static void accumulate(int count, double (*g)[3], const double D[6][6], double w, double *K, int n)
{
    for (int b = 0; b < count; b++) {
        double DB[6][3];
        times_D(D, g[b], DB);
        for (int a = 0; a <= b; a++)
            add_pair(g[a], (const double(*)[3])DB, w, K + (size_t)(3 * a) * (size_t)n + 3 * b, n);
    }
}

static void mirror(int n, double *K)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++) K[(size_t)i * (size_t)n + j] = K[(size_t)j * (size_t)n + i];
}

/* ---- incompatible modes ---- */

static int mode_count(kl_shape shape)
{
    return shape == KL_HEX8 ? MAX_MODES : shape == KL_WEDGE6 ? 3 : 0;
}

typedef struct centre {
    kl_mat3 inverse; /* dr/dx at the centre */
    double  det;
} centre;

static kl_status centre_of(const kl_fe_element *e, int nnode, centre *c)
{
    double r[3], N[MAX_NODES], dN[MAX_NODES][3];
    kl_shape_centre(e->shape, r);
    kl_shape_eval(e->shape, r, N, dN);
    kl_mat3 J = {{{0}}};
    for (int a = 0; a < nnode; a++)
        for (int k = 0; k < 3; k++) {
            J.m[0][k] += e->x[a].x * dN[a][k];
            J.m[1][k] += e->x[a].y * dN[a][k];
            J.m[2][k] += e->x[a].z * dN[a][k];
        }
    c->det = kl_det(&J);
    if (!(c->det > 0.0)) return KL_E_MODEL;
    c->inverse = kl_inverse(&J);
    return KL_OK;
}

/* Displacement gradients du_i/dx_j of the modes at r, scaled by det0/det so that they integrate to zero:
 * -2 r_a e_i grad r_a, and on hexahedra r_a r_b grad r_c x grad r_a for a, b, c different, which shears
 * between c and a alone. */
static void mode_gradients(kl_shape shape, const centre *c, const double r[3], double det,
                           kl_mat3 *H)
{
    const double(*grad)[3] = c->inverse.m; /* rows: grad r_a */
    double ratio           = c->det / det;
    for (int axis = shape == KL_HEX8 ? 0 : 2; axis < 3; axis++)
        for (int i = 0; i < 3; i++, H++) {
            *H = (kl_mat3){{{0}}};
            for (int j = 0; j < 3; j++) H->m[i][j] = -2 * r[axis] * grad[axis][j] * ratio;
        }
    for (int m = 0; shape == KL_HEX8 && m < 6; m++, H++) {
        int a = m % 3, b = (a + 1 + m / 3) % 3, third = 3 - a - b;
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                H->m[i][j] = r[a] * r[b] * grad[third][i] * grad[a][j] * ratio;
    }
}

static void mode_strain(const kl_mat3 *H, double strain[6])
{
    for (int k = 0; k < 3; k++) {
        int l         = (k + 1) % 3;
        strain[k]     = H->m[k][k];
        strain[3 + k] = H->m[k][l] + H->m[l][k];
    }
}

/* Gradients of nodes g and of the displacements of modes H at one point; det J. */
static double all_gradients(const kl_fe_element *e, int nnode, const centre *c, const double r[3],
                            double (*dN)[3], double (*g)[3], kl_mat3 *H)
{
    double det = kl_shape_gradient(nnode, e->x, dN, g);
    if (det > 0.0 && mode_count(e->shape) > 0) mode_gradients(e->shape, c, r, det, H);
    return det;
}

/* Columns of the modes: w B' D m over the nodes and w m' D m among themselves, upper triangle. */
static void accumulate_modes(int nnode, int modes, double (*g)[3], const kl_mat3 *H,
                             const double D[6][6], double w, double *K)
{
    int    n = 3 * nnode + modes;
    double strain[MAX_MODES][6];
    for (int m = 0; m < modes; m++) {
        double stress[6], *column = K + 3 * nnode + m;
        mode_strain(&H[m], strain[m]);
        for (int i = 0; i < 6; i++) {
            stress[i] = 0;
            for (int j = 0; j < 6; j++) stress[i] += w * D[i][j] * strain[m][j];
        }
        for (int a = 0; a < nnode; a++, column += 3 * n) {
            column[0 * n] += g[a][0] * stress[0] + g[a][1] * stress[3] + g[a][2] * stress[5];
            column[1 * n] += g[a][1] * stress[1] + g[a][0] * stress[3] + g[a][2] * stress[4];
            column[2 * n] += g[a][2] * stress[2] + g[a][1] * stress[4] + g[a][0] * stress[5];
        }
        for (int l = 0; l <= m; l++, column += n)
            for (int i = 0; i < 6; i++) column[0] += strain[l][i] * stress[i];
    }
}

/* The full matrix with incompatible modes as the last unknowns. */
static kl_status full_stiffness(const kl_fe_element *e, const kl_rule *q, const double D[6][6],
                                double *K)
{
    int    nnode = kl_shape_info_of(e->shape)->nnode, modes = mode_count(e->shape);
    int    n = 3 * nnode + modes;
    centre c = {0};
    memset(K, 0, (size_t)(n * n) * sizeof(double));
    if (modes > 0) KL_TRY(centre_of(e, nnode, &c));
    for (int p = 0; p < q->n; p++) {
        double  g[MAX_NODES][3], dN[MAX_NODES][3];
        kl_mat3 H[MAX_MODES];
        memcpy(dN, q->dN[p], sizeof dN);
        double det = all_gradients(e, nnode, &c, q->r[p], dN, g, H);
        if (!(det > 0.0)) return KL_E_MODEL;
        accumulate(nnode, g, D, q->weight[p] * det, K, n);
        accumulate_modes(nnode, modes, g, H, D, q->weight[p] * det, K);
    }
    mirror(n, K);
    return KL_OK;
}

/* X = Kaa^-1 Kau (by columns: modes x 3 nnode) for the condensation */
static kl_status condense(int nu, int na, const double *K, double *X)
{
    int    n = nu + na;
    double Kaa[MAX_MODES * MAX_MODES];
    for (int i = 0; i < na; i++)
        for (int j = 0; j < na; j++) Kaa[j * na + i] = K[(nu + i) * n + nu + j];
    for (int j = 0; j < nu; j++)
        for (int i = 0; i < na; i++) X[j * na + i] = K[(nu + i) * n + j];
    return kl_dense_solve(na, nu, Kaa, X);
}

static const kl_material *material_of(const kl_fe_element *e)
{
    return &e->material[e->property->material];
}

static kl_status elasticity(const kl_fe_element *e, double D[6][6])
{
    kl_mat3 axes = e->property->has_axes ? e->property->axes : kl_identity();
    return kl_material_solid(material_of(e), &axes, D);
}

kl_status kl_solid_stiffness(const kl_fe_element *e, const kl_fe_rules *rules, double *K)
{
    double D[6][6];
    KL_TRY(elasticity(e, D));
    int nu = 3 * kl_shape_info_of(e->shape)->nnode, na = mode_count(e->shape), n = nu + na;
    if (na == 0) return full_stiffness(e, &rules->stiffness, (const double(*)[6])D, K);

    double full[(MODE_DOF + MAX_MODES) * (MODE_DOF + MAX_MODES)], X[MAX_MODES * MODE_DOF];
    KL_TRY(full_stiffness(e, &rules->stiffness, (const double(*)[6])D, full));
    KL_TRY(condense(nu, na, full, X));
    for (int i = 0; i < nu; i++)
        for (int j = i; j < nu; j++) {
            double sum = full[i * n + j];
            for (int k = 0; k < na; k++) sum -= full[i * n + nu + k] * X[j * na + k];
            K[i * nu + j] = K[j * nu + i] = sum;
        }
    return KL_OK;
}

/* det J alone */
static double jacobian(const kl_fe_element *e, int nnode, const double (*dN)[3])
{
    kl_vec3 c[3] = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    for (int a = 0; a < nnode; a++)
        for (int k = 0; k < 3; k++) c[k] = kl_axpy(dN[a][k], e->x[a], c[k]);
    return kl_dot(c[0], kl_cross(c[1], c[2]));
}

/* middles of the edges in the middle: det J is the same everywhere */
static bool straight(const kl_fe_element *e)
{
    static const int edge[6][2] = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};
    if (e->shape == KL_TET4) return true;
    if (e->shape != KL_TET10) return false;
    for (int i = 0; i < 6; i++) {
        kl_vec3 a = e->x[edge[i][0]], b = e->x[edge[i][1]];
        kl_vec3 off = kl_sub(e->x[4 + i], kl_scale(0.5, kl_add(a, b)));
        if (kl_norm(off) > 1e-12 * kl_norm(kl_sub(b, a))) return false;
    }
    return true;
}

kl_status kl_solid_mass(const kl_fe_element *e, const kl_fe_rules *rules, kl_mass_rule rule,
                        double *M)
{
    const kl_rule *q     = rule == KL_MASS_CONSISTENT_4_POINT ? &rules->stiffness : &rules->mass;
    int            nnode = kl_shape_info_of(e->shape)->nnode, n = 3 * nnode;
    double         m[MAX_NODES][MAX_NODES] = {{0}}, total = 0.0, diagonal = 0.0;
    double         rho = material_of(e)->rho, det = jacobian(e, nnode, q->dN[0]);
    if (straight(e) && q == &rules->mass) {
        /* the reference element's matrix, scaled */
        if (!(det > 0.0)) return KL_E_MODEL;
        total = rho * det * rules->volume;
        for (int a = 0; a < nnode; a++)
            for (int b = a; b < nnode; b++) m[a][b] = rho * det * rules->NN[a][b];
    } else {
        for (int p = 0; p < q->n; p++) {
            det = jacobian(e, nnode, q->dN[p]);
            if (!(det > 0.0)) return KL_E_MODEL;
            double w = q->weight[p] * det * rho;
            total += w;
            for (int a = 0; a < nnode; a++)
                for (int b = a; b < nnode; b++) m[a][b] += w * q->N[p][a] * q->N[p][b];
        }
    }
    for (int a = 0; a < nnode; a++) diagonal += m[a][a];
    memset(M, 0, (size_t)(n * n) * sizeof(double));
    for (int a = 0; a < nnode; a++)
        for (int b = a; b < nnode; b++) {
            double value = m[a][b];
            if (rule == KL_MASS_LUMPED)
                value = a == b && diagonal > 0 ? m[a][a] * total / diagonal : 0;
            for (int k = 0; k < 3; k++)
                M[(3 * a + k) * n + 3 * b + k] = M[(3 * b + k) * n + 3 * a + k] = value;
        }
    return KL_OK;
}

/* all that strain at a point needs */
typedef struct sampler {
    int    nnode, modes, n;
    double D[6][6], X[MAX_MODES * MODE_DOF]; /* incompatible modes = -X u */
    centre c;
} sampler;

static kl_status sampler_init(const kl_fe_element *e, const kl_rule *stiffness, sampler *k)
{
    k->nnode = kl_shape_info_of(e->shape)->nnode, k->modes = mode_count(e->shape);
    k->n = 3 * k->nnode, k->c = (centre){0};
    KL_TRY(elasticity(e, k->D));
    if (k->modes == 0) return KL_OK;
    double full[(MODE_DOF + MAX_MODES) * (MODE_DOF + MAX_MODES)];
    KL_TRY(centre_of(e, k->nnode, &k->c));
    KL_TRY(full_stiffness(e, stiffness, (const double(*)[6])k->D, full));
    return condense(k->n, k->modes, full, k->X);
}

/* strain and stress from the gradients of nodes and modes */
static void strain_of(const sampler *k, double (*g)[3], const kl_mat3 *H, double *strain,
                      double *stress)
{
    int n = k->n, modes = k->modes;
    for (int a = 0; a < k->nnode; a++) {
        double B[6][3];
        strain_matrix(g[a], B);
        for (int i = 0; i < 6; i++)
            for (int c = 0; c < 3; c++) strain[i * n + 3 * a + c] = B[i][c];
    }
    for (int m = 0; m < modes; m++) {
        double own[6];
        mode_strain(&H[m], own);
        for (int i = 0; i < 6; i++)
            for (int j = 0; j < n; j++) strain[i * n + j] -= own[i] * k->X[j * modes + m];
    }
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < n; j++) {
            double sum = 0;
            for (int c = 0; c < 6; c++) sum += k->D[i][c] * strain[c * n + j];
            stress[i * n + j] = sum;
        }
}

kl_status kl_solid_strain(const kl_fe_element *e, const double r[3], double *strain, double *stress)
{
    sampler k;
    double  N[MAX_NODES], dN[MAX_NODES][3], g[MAX_NODES][3];
    kl_mat3 H[MAX_MODES];
    kl_rule rule;
    if (mode_count(e->shape) > 0) kl_rule_init(&rule, e->shape, KL_RULE_STIFFNESS);
    KL_TRY(sampler_init(e, &rule, &k));
    kl_shape_eval(e->shape, r, N, dN);
    if (!(all_gradients(e, k.nnode, &k.c, r, dN, g, H) > 0.0)) return KL_E_MODEL;
    strain_of(&k, g, H, strain, stress);
    return KL_OK;
}

/* the fields du/dx, du/dy, du/dz and the stress at a point */
static void put_point(const sampler *k, double (*g)[3], const kl_mat3 *H, double weight,
                      kl_geometric_point *p)
{
    double           strain[6 * 3 * MAX_NODES], stress[6 * 3 * MAX_NODES];
    static const int first[6] = {0, 1, 2, 0, 1, 2}, second[6] = {0, 1, 2, 1, 2, 0};
    strain_of(k, g, H, strain, stress);
    kl_geometric_clear(p);
    p->nfield = 3;
    for (int d = 0; d < 3; d++)
        for (int c = 0; c < 3; c++) {
            for (int a = 0; a < k->nnode; a++) p->field[d][c][3 * a + c] = g[a][d];
            for (int m = 0; m < k->modes; m++)
                for (int j = 0; j < k->n; j++)
                    p->field[d][c][j] -= H[m].m[c][d] * k->X[j * k->modes + m];
        }
    for (int i = 0; i < 6; i++) {
        kl_geometric_term *t = kl_geometric_add(p, first[i], second[i], i < 3 ? 1.0 : 2.0);
        for (int j = 0; j < k->n; j++) t->force[j] = weight * stress[i * k->n + j];
    }
}

kl_status kl_solid_geometric(const kl_fe_element *e, const kl_fe_rules *rules,
                             kl_geometric_point *p, kl_geometric_sink sink, void *context)
{
    const kl_rule *q = &rules->stiffness;
    sampler        k;
    KL_TRY(sampler_init(e, q, &k));
    for (int i = 0; i < q->n; i++) {
        double  g[MAX_NODES][3], dN[MAX_NODES][3];
        kl_mat3 H[MAX_MODES];
        memcpy(dN, q->dN[i], sizeof dN);
        double det = all_gradients(e, k.nnode, &k.c, q->r[i], dN, g, H);
        if (!(det > 0.0)) return KL_E_MODEL;
        put_point(&k, g, H, q->weight[i] * det, p);
        sink(context, p);
    }
    return KL_OK;
}
