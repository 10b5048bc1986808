/* Flat shells with six unknowns a node: quadrilateral of 4 and triangle of 3 nodes, isotropic or
 * laminated.
 *
 * Bending and shear: discrete Kirchhoff-Mindlin elements (Katili 1993, IJNME 36, parts I and II).
 * The rotations beta (u = z beta_x, v = z beta_y) are linear plus a quadratic bubble on each edge,
 *   beta = sum N_i beta_i + sum_k P_k (C_k, S_k) db_k,  whose size follows from the edge's shear,
 *   db_k = -3 / (2 L (1 + phi_k)) [w_j - w_i + L/2 (C (bx_i + bx_j) + S (by_i + by_j))],
 *   edge shear g_k = -2/3 phi_k db_k,   phi_k = 12 D_k / (L^2 H_k)   along the edge.
 * Thin plates give the discrete Kirchhoff elements; no shear locking.
 *
 * Membrane: quadrilateral with incompatible modes 1 - r^2, 1 - s^2 (Taylor, Beresford, Wilson 1976)
 * and a weak tie of the drilling rotation to the mean in-plane rotation (Hughes and Brezzi 1989);
 * triangle: Felippa's optimal element with drilling rotations (Felippa 2003, CMAME 192).
 *
 * Warped quadrilaterals: the element lies in its mean plane, rigid arms run to the nodes.
 * Laminates: classical A, B, D from the plies and the shear stiffness of the stack. */
#include "fe/shell.h"

#include <string.h>

#include "algebra/dense.h"

enum { MAXN = KL_SHELL_UNKNOWNS };

typedef kl_shell           shell;
typedef kl_shell_operators operators;

/* ---- geometry ---- */

kl_status kl_shell_init(const kl_fe_element *e, shell *q)
{
    q->n         = kl_shape_info_of(e->shape)->nnode;
    kl_vec3 mean = {0, 0, 0}, normal;
    for (int i = 0; i < q->n; i++) mean = kl_axpy(1.0 / q->n, e->x[i], mean);
    if (q->n == 3) normal = kl_cross(kl_sub(e->x[1], e->x[0]), kl_sub(e->x[2], e->x[0]));
    else normal = kl_cross(kl_sub(e->x[2], e->x[0]), kl_sub(e->x[3], e->x[1]));
    q->area = 0.5 * kl_norm(normal);
    if (!(q->area > 0.0)) return KL_E_MODEL;

    /* local x along side 0-1, from which the material angle counts */
    kl_vec3 n = kl_unit(normal), side = kl_sub(e->x[1], e->x[0]);
    kl_vec3 x = kl_unit(kl_sub(side, kl_scale(kl_dot(side, n), n))), y = kl_cross(n, x);
    kl_mat3 columns = kl_from_axes(x, y, n);
    q->axes         = kl_transpose(&columns);
    for (int i = 0; i < q->n; i++) {
        kl_vec3 d = kl_sub(e->x[i], mean);
        q->x[i] = kl_dot(d, x), q->y[i] = kl_dot(d, y), q->z[i] = kl_dot(d, n);
    }
    kl_shell_section_init(e, &q->s);
    return KL_OK;
}

/* in-plane shape functions and derivatives with respect to local x, y; det J */
static double plane_shapes(const shell *q, const double r[2], double *N, double (*g)[2],
                           double J[2][2])
{
    double dN[4][2];
    if (q->n == 3) {
        N[0] = 1 - r[0] - r[1], N[1] = r[0], N[2] = r[1];
        const double d[3][2] = {{-1, -1}, {1, 0}, {0, 1}};
        memcpy(dN, d, sizeof d);
    } else {
        static const double c[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
        for (int i = 0; i < 4; i++) {
            N[i]     = 0.25 * (1 + c[i][0] * r[0]) * (1 + c[i][1] * r[1]);
            dN[i][0] = 0.25 * c[i][0] * (1 + c[i][1] * r[1]);
            dN[i][1] = 0.25 * c[i][1] * (1 + c[i][0] * r[0]);
        }
    }
    memset(J, 0, 4 * sizeof(double)); /* J[k] = d(x, y)/dr_k */
    for (int i = 0; i < q->n; i++)
        for (int k = 0; k < 2; k++) J[k][0] += dN[i][k] * q->x[i], J[k][1] += dN[i][k] * q->y[i];
    double det = J[0][0] * J[1][1] - J[0][1] * J[1][0];
    for (int i = 0; i < q->n; i++) {
        g[i][0] = (J[1][1] * dN[i][0] - J[0][1] * dN[i][1]) / det;
        g[i][1] = (-J[1][0] * dN[i][0] + J[0][0] * dN[i][1]) / det;
    }
    return det;
}

double kl_shell_shapes_at(const shell *q, const double r[2], double *N)
{
    double g[4][2], J[2][2];
    return plane_shapes(q, r, N, g, J);
}

/* the edge bubbles and their natural derivatives; edge k runs from node k to k + 1 */
static void edge_bubbles(int n, const double r[2], double *P, double (*dP)[2])
{
    if (n == 3) {
        double       L[3]    = {1 - r[0] - r[1], r[0], r[1]};
        const double d[3][2] = {{-1, -1}, {1, 0}, {0, 1}};
        for (int k = 0; k < 3; k++) {
            int j = (k + 1) % 3;
            P[k]  = 4 * L[k] * L[j];
            for (int c = 0; c < 2; c++) dP[k][c] = 4 * (d[k][c] * L[j] + L[k] * d[j][c]);
        }
        return;
    }
    double x = r[0], y = r[1];
    P[0] = 0.5 * (1 - x * x) * (1 - y), P[1] = 0.5 * (1 - y * y) * (1 + x);
    P[2] = 0.5 * (1 - x * x) * (1 + y), P[3] = 0.5 * (1 - y * y) * (1 - x);
    dP[0][0] = -x * (1 - y), dP[0][1] = -0.5 * (1 - x * x);
    dP[1][0] = 0.5 * (1 - y * y), dP[1][1] = -y * (1 + x);
    dP[2][0] = -x * (1 + y), dP[2][1] = 0.5 * (1 - x * x);
    dP[3][0] = -0.5 * (1 - y * y), dP[3][1] = -y * (1 - x);
}

/* ---- bending and shear ---- */

typedef struct edge {
    double C, S, L, phi;
    double bubble[MAXN]; /* db_k as a row over local unknowns */
} edge;

/* beta_x = theta_y, beta_y = -theta_x */
static void edges_init(const shell *q, edge *edges)
{
    for (int k = 0; k < q->n; k++) {
        edge  *d = &edges[k];
        int    i = k, j = (k + 1) % q->n;
        double dx = q->x[j] - q->x[i], dy = q->y[j] - q->y[i];
        d->L = hypot(dx, dy), d->C = dx / d->L, d->S = dy / d->L;
        double C = d->C, S = d->S, t[3] = {C * C, S * S, C * S};
        /* bending stiffness along the edge and shear stiffness of the same direction */
        double D = 0, H = C * C * q->s.H[0][0] + S * S * q->s.H[1][1] + 2 * C * S * q->s.H[0][1];
        for (int a = 0; a < 3; a++)
            for (int b = 0; b < 3; b++)
                D += t[a] * q->s.D[a][b] * t[b] * (a == 2 ? 2 : 1) * (b == 2 ? 2 : 1);
        d->phi   = 12 * D / (H * d->L * d->L);
        double f = -1.5 / (d->L * (1 + d->phi));
        memset(d->bubble, 0, sizeof d->bubble);
        d->bubble[6 * i + 2] -= f, d->bubble[6 * j + 2] += f;
        for (int side = 0; side < 2; side++) {
            int node = side ? j : i;
            d->bubble[6 * node + 4] += f * 0.5 * d->L * C;
            d->bubble[6 * node + 3] -= f * 0.5 * d->L * S;
        }
    }
}

/* Rotations of the normal beta_x = theta_y, beta_y = -theta_x: bilinear (linear) in the nodes, plus a bubble P_k
 * along each edge k, which makes the rotation along the edge quadratic and the shear along it constant.
 * Curvatures: (beta_x,x; beta_y,y; beta_x,y + beta_y,x). */
static void bending_operator(const shell *q, const edge *edges, const double r[2], const double *N,
                             double (*g)[2], double J[2][2], double det, operators *o)
{
    double P[4], dP[4][2];
    for (int i = 0; i < q->n; i++) {
        o->beta[0][6 * i + 4] = N[i];
        o->beta[1][6 * i + 3] = -N[i];
        for (int b = 0; b < 2; b++) {
            o->slope[0][b][6 * i + 4] = g[i][b];
            o->slope[1][b][6 * i + 3] = -g[i][b];
        }
    }
    edge_bubbles(q->n, r, P, dP);
    for (int k = 0; k < q->n; k++) {
        double along[2] = {edges[k].C, edges[k].S},
               d[2]     = {(J[1][1] * dP[k][0] - J[0][1] * dP[k][1]) / det,
                           (-J[1][0] * dP[k][0] + J[0][0] * dP[k][1]) / det};
        for (int a = 0; a < 2; a++)
            for (int c = 0; c < 6 * q->n; c++) {
                o->beta[a][c] += P[k] * along[a] * edges[k].bubble[c];
                for (int b = 0; b < 2; b++)
                    o->slope[a][b][c] += d[b] * along[a] * edges[k].bubble[c];
            }
    }
    for (int c = 0; c < 6 * q->n; c++) {
        o->bending[0][c] = o->slope[0][0][c];
        o->bending[1][c] = o->slope[1][1][c];
        o->bending[2][c] = o->slope[0][1][c] + o->slope[1][0][c];
    }
}

/* shear along each edge is g_k = -2/3 phi db; inside, triangle: corner values from the two edges
 * that meet there, then linear; quadrilateral: natural components interpolated across (as in MITC4)
 */
static void shear_operator(const shell *q, const edge *edges, const double r[2], const double *N,
                           double J[2][2], double det, operators *o)
{
    if (q->n == 3) {
        for (int i = 0; i < 3; i++) {
            const edge *a = &edges[i], *b = &edges[(i + 2) % 3];
            double      d = a->C * b->S - b->C * a->S;
            for (int c = 0; c < 18; c++) {
                double ga = -2.0 / 3 * a->phi * a->bubble[c], gb = -2.0 / 3 * b->phi * b->bubble[c];
                o->shear[0][c] += N[i] * (b->S * ga - a->S * gb) / d;
                o->shear[1][c] += N[i] * (-b->C * ga + a->C * gb) / d;
            }
        }
        return;
    }
    /* edges 0 and 2 along r (2 runs backwards), 1 and 3 along s (3 runs backwards) */
    for (int c = 0; c < 24; c++) {
        double e[4];
        for (int k = 0; k < 4; k++)
            e[k] = -2.0 / 3 * edges[k].phi * edges[k].bubble[c] * 0.5 * edges[k].L;
        double gr      = 0.5 * (1 - r[1]) * e[0] - 0.5 * (1 + r[1]) * e[2];
        double gs      = 0.5 * (1 + r[0]) * e[1] - 0.5 * (1 - r[0]) * e[3];
        o->shear[0][c] = (J[1][1] * gr - J[0][1] * gs) / det;
        o->shear[1][c] = (-J[1][0] * gr + J[0][0] * gs) / det;
    }
}

/* ---- membrane ---- */

static void quad_membrane(const shell *q, const double r[2], const double *N, double (*g)[2],
                          double det, operators *o)
{
    for (int i = 0; i < 4; i++) {
        for (int b = 0; b < 2; b++) o->plane[0][b][6 * i] = o->plane[1][b][6 * i + 1] = g[i][b];
        o->drilling[6 * i + 5] = N[i];
        o->drilling[6 * i + 1] = -0.5 * g[i][0];
        o->drilling[6 * i]     = 0.5 * g[i][1];
    }
    /* incompatible modes with the centre's Jacobian */
    double N0[4], g0[4][2], J0[2][2], zero[2] = {0, 0};
    plane_shapes(q, zero, N0, g0, J0);
    for (int m = 0; m < 2; m++) {
        double d    = -2 * r[m] / det; /* det0 / det times the inverse Jacobian's 1 / det0 */
        double x[2] = {d * (m == 0 ? J0[1][1] : -J0[0][1]), d * (m == 0 ? -J0[1][0] : J0[0][0])};
        int    c    = 24 + 2 * m;
        for (int b = 0; b < 2; b++) o->plane[0][b][c] = o->plane[1][b][c + 1] = x[b];
    }
    for (int c = 0; c < MAXN; c++) {
        o->membrane[0][c] = o->plane[0][0][c];
        o->membrane[1][c] = o->plane[1][1][c];
        o->membrane[2][c] = o->plane[0][1][c] + o->plane[1][0][c];
    }
}

/* Membrane triangle with drilling rotations, Felippa 2003: strain = L' u / A + 3/2 sqrt(beta0) Te Q(point)
 * Ttheta u at the middle of side `mid`. The first part passes the patch test (alpha = 3/2), the second has no
 * mean and only stiffens in-plane bending; beta0 = (1 - 4 nu^2)/2 makes a beam of these triangles exact in pure
 * bending for any aspect ratio. Unknowns of a node: u, v, theta_z. */
static void triangle_membrane(const shell *q, int mid, operators *o)
{
    const double *x = q->x, *y = q->y;
    double        A = q->area, alpha = 1.5;
    double        x12 = x[0] - x[1], x23 = x[1] - x[2], x31 = x[2] - x[0], x21 = -x12, x32 = -x23,
           x13 = -x31;
    double y12 = y[0] - y[1], y23 = y[1] - y[2], y31 = y[2] - y[0], y21 = -y12, y32 = -y23,
           y13 = -y31;
    double l21 = x21 * x21 + y21 * y21, l32 = x32 * x32 + y32 * y32, l13 = x13 * x13 + y13 * y13;
    const double        L[9][3]  = {{y23, 0, x32},
                                    {0, x32, y23},
                                    {alpha / 6 * y23 * (y13 - y21), alpha / 6 * x32 * (x31 - x12),
                                     alpha / 3 * (x31 * y13 - x12 * y21)},
                                    {y31, 0, x13},
                                    {0, x13, y31},
                                    {alpha / 6 * y31 * (y21 - y32), alpha / 6 * x13 * (x12 - x23),
                                     alpha / 3 * (x12 * y21 - x23 * y32)},
                                    {y12, 0, x21},
                                    {0, x21, y12},
                                    {alpha / 6 * y12 * (y32 - y13), alpha / 6 * x21 * (x23 - x31),
                                     alpha / 3 * (x23 * y32 - x31 * y13)}};
    const double        T[9]     = {x32, y32, 0, x13, y13, 0, x21, y21, 0};
    const double        Te[3][3] = {{y23 * y13 * l21, y31 * y21 * l32, y12 * y32 * l13},
                                    {x23 * x13 * l21, x31 * x21 * l32, x12 * x32 * l13},
                                    {(y23 * x31 + x32 * y13) * l21, (y31 * x12 + x13 * y21) * l32,
                                     (y12 * x23 + x21 * y32) * l13}};
    static const double b1[3][3] = {{1, 2, 1}, {0, 1, -1}, {-1, -1, -2}};
    static const double b2[3][3] = {{-2, -1, -1}, {1, 1, 2}, {-1, 0, 1}};
    static const double b3[3][3] = {{1, -1, 0}, {-1, -2, -1}, {2, 1, 1}};
    const double        l2[3]    = {l21, l32, l13};
    const double(*first)[3]      = mid == 0 ? b1 : mid == 1 ? b2 : b3;
    const double(*second)[3]     = mid == 0 ? b2 : mid == 1 ? b3 : b1;
    double nu                    = q->s.A[0][1] / sqrt(q->s.A[0][0] * q->s.A[1][1]);
    double beta0 = fmax(0.5 * (1 - 4 * nu * nu), 0.01), scale = 1.5 * sqrt(beta0) / (4 * A * A);

    double TeQ[3][3] = {{0}};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 3; k++)
                TeQ[i][j] +=
                    scale * Te[i][k] * 2 * A / 3 / l2[k] * 0.5 * (first[k][j] + second[k][j]);
    static const int column[9] = {0, 1, 5, 6, 7, 11, 12, 13, 17};
    for (int i = 0; i < 3; i++)
        for (int c = 0; c < 9; c++) {
            double higher = 0;
            for (int j = 0; j < 3; j++)
                higher += TeQ[i][j] * (T[c] / (4 * A) + (c == 3 * j + 2 ? 1.0 : 0.0));
            o->membrane[i][column[c]] = 0.5 * L[c][i] / A + higher;
        }
}

/* of the displacement, which is linear; to the strain the drilling rotations add bending */
static void triangle_gradient(double (*g)[2], operators *o)
{
    for (int i = 0; i < 3; i++)
        for (int b = 0; b < 2; b++) o->plane[0][b][6 * i] = o->plane[1][b][6 * i + 1] = g[i][b];
}

/* ---- all operators at a point ---- */

double kl_shell_operators_at(const shell *q, const double r[2], int mid, operators *o)
{
    double N[4], g[4][2], J[2][2];
    edge   edges[4];
    memset(o, 0, sizeof *o);
    double det = plane_shapes(q, r, N, g, J);
    if (!(det > 0.0)) return 0.0;
    edges_init(q, edges);
    bending_operator(q, edges, r, N, g, J, det, o);
    shear_operator(q, edges, r, N, J, det, o);
    if (q->n == 3) {
        triangle_membrane(q, mid, o);
        triangle_gradient(g, o);
    } else quad_membrane(q, r, N, g, det, o);
    return det;
}

int kl_shell_points(int n, double (*r)[2], double *weight)
{
    if (n == 3) {
        const double mid[3][2] = {{0.5, 0}, {0.5, 0.5}, {0, 0.5}};
        memcpy(r, mid, sizeof mid);
        for (int p = 0; p < 3; p++) weight[p] = 1.0 / 6;
        return 3;
    }
    const double a = 0.577350269189625764509148780502;
    for (int p = 0; p < 4; p++) r[p][0] = p & 1 ? a : -a, r[p][1] = p & 2 ? a : -a, weight[p] = 1;
    return 4;
}

/* c_ij += w a_i' S b_j */
static void add_product(int n, const double *a, const double *b, double w, double *K)
{
    for (int i = 0; i < n; i++) {
        if (a[i] == 0.0) continue;
        double f = w * a[i];
        for (int j = 0; j < n; j++) K[i * MAXN + j] += f * b[j];
    }
}

static void add_point(const shell *q, const operators *o, double w, double *K)
{
    const kl_shell_section *s = &q->s;
    for (int i = 0; i < 3; i++) {
        double N[MAXN] = {0}, M[MAXN] = {0};
        for (int k = 0; k < 3; k++)
            for (int j = 0; j < MAXN; j++) {
                N[j] += s->A[i][k] * o->membrane[k][j] + s->B[i][k] * o->bending[k][j];
                M[j] += s->B[i][k] * o->membrane[k][j] + s->D[i][k] * o->bending[k][j];
            }
        add_product(MAXN, o->membrane[i], N, w, K);
        add_product(MAXN, o->bending[i], M, w, K);
    }
    for (int i = 0; i < 2; i++) {
        double Q[MAXN];
        for (int j = 0; j < MAXN; j++)
            Q[j] = s->H[i][0] * o->shear[0][j] + s->H[i][1] * o->shear[1][j];
        add_product(MAXN, o->shear[i], Q, w, K);
    }
    /* a hundredth of the membrane's shear stiffness ties the drilling rotation and stays soft */
    add_product(MAXN, o->drilling, o->drilling, w * 0.01 * s->A[2][2], K);
}

void kl_shell_to_local(const shell *q, double *R)
{
    int n = 6 * q->n;
    memset(R, 0, (size_t)(n * n) * sizeof(double));
    for (int i = 0; i < q->n; i++)
        for (int k = 0; k < 3; k++)
            for (int c = 0; c < 3; c++) {
                double a                               = q->axes.m[k][c];
                R[(6 * i + k) * n + 6 * i + c]         = a;
                R[(6 * i + 3 + k) * n + 6 * i + 3 + c] = a;
                /* theta x (0, 0, -z) = (-z th_y, z th_x, 0) in local axes */
                if (k == 0) R[(6 * i + 1) * n + 6 * i + 3 + c] += q->z[i] * a;
                if (k == 1) R[(6 * i) * n + 6 * i + 3 + c] -= q->z[i] * a;
            }
}

/* K (n x n) = R' local R */
static void to_global(const shell *q, const double *local, int ld, double *K)
{
    int    n = 6 * q->n;
    double R[24 * 24], T[24 * 24];
    kl_shell_to_local(q, R);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double sum = 0;
            for (int k = 0; k < n; k++) sum += local[i * ld + k] * R[k * n + j];
            T[i * n + j] = sum;
        }
    for (int i = 0; i < n; i++)
        for (int j = i; j < n; j++) {
            double sum = 0;
            for (int k = 0; k < n; k++) sum += R[k * n + i] * T[k * n + j];
            K[i * n + j] = K[j * n + i] = sum;
        }
}

kl_status kl_shell_local_stiffness(const shell *q, double *K)
{
    double r[4][2], weight[4];
    int    np = kl_shell_points(q->n, r, weight);
    memset(K, 0, MAXN * MAXN * sizeof(double));
    for (int p = 0; p < np; p++) {
        operators o;
        double    det = kl_shell_operators_at(q, r[p], p, &o);
        if (!(det > 0.0)) return KL_E_MODEL;
        add_point(q, &o, weight[p] * det, K);
    }
    return KL_OK;
}

kl_status kl_shell_condense(const double *K, double *X)
{
    double Kaa[16];
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < 4; j++) Kaa[j * 4 + i] = K[(24 + i) * MAXN + 24 + j];
        for (int j = 0; j < 24; j++) X[j * 4 + i] = K[(24 + i) * MAXN + j];
    }
    return kl_dense_solve(4, 24, Kaa, X);
}

kl_status kl_shell_stiffness(const kl_fe_element *e, const kl_fe_rules *rules, double *K)
{
    (void)rules;
    shell  q;
    double local[MAXN * MAXN];
    KL_TRY(kl_shell_init(e, &q));
    KL_TRY(kl_shell_local_stiffness(&q, local));
    if (q.n == 4) {
        double X[4 * 24];
        KL_TRY(kl_shell_condense(local, X));
        for (int i = 0; i < 24; i++)
            for (int j = 0; j < 24; j++)
                for (int k = 0; k < 4; k++)
                    local[i * MAXN + j] -= local[i * MAXN + 24 + k] * X[j * 4 + k];
    }
    to_global(&q, local, MAXN, K);
    return KL_OK;
}

kl_status kl_shell_mass(const kl_fe_element *e, const kl_fe_rules *rules, kl_mass_rule rule,
                        double *M)
{
    (void)rules;
    shell  q;
    double local[24 * 24] = {0}, m[4][4] = {{0}}, r[4][2], weight[4];
    KL_TRY(kl_shell_init(e, &q));
    int np = kl_shell_points(q.n, r, weight), n = 6 * q.n;
    for (int p = 0; p < np; p++) {
        double N[4], g[4][2], J[2][2], det = plane_shapes(&q, r[p], N, g, J);
        if (!(det > 0.0)) return KL_E_MODEL;
        for (int i = 0; i < q.n; i++)
            for (int j = 0; j < q.n; j++) {
                bool lumped = rule == KL_MASS_LUMPED;
                m[i][lumped ? i : j] += weight[p] * det * N[i] * N[j];
            }
    }
    /* velocity of a fibre: (u + z th_y, v - z th_x, w); no inertia of drilling */
    for (int i = 0; i < q.n; i++)
        for (int j = 0; j < q.n; j++) {
            double w = m[i][j];
            for (int k = 0; k < 3; k++) local[(6 * i + k) * n + 6 * j + k] = q.s.mass * w;
            local[(6 * i + 3) * n + 6 * j + 3] = local[(6 * i + 4) * n + 6 * j + 4] =
                q.s.second * w;
            if (rule == KL_MASS_LUMPED) continue;
            local[(6 * i) * n + 6 * j + 4] = local[(6 * i + 4) * n + 6 * j] = q.s.first * w;
            local[(6 * i + 1) * n + 6 * j + 3] = local[(6 * i + 3) * n + 6 * j + 1] =
                -q.s.first * w;
        }
    to_global(&q, local, n, M);
    return KL_OK;
}

/* fibres, all at once in the middle: they are short; the arms of warped quadrilaterals are left out */
kl_status kl_shell_masses(const kl_fe_element *e, kl_mass_point *p, kl_mass_sink sink,
                          void *context)
{
    shell  q;
    double r[4][2], weight[4], share[4] = {0};
    KL_TRY(kl_shell_init(e, &q));
    int np = kl_shell_points(q.n, r, weight);
    for (int k = 0; k < np; k++) {
        double N[4], g[4][2], J[2][2], det = plane_shapes(&q, r[k], N, g, J);
        for (int i = 0; i < q.n; i++) share[i] += weight[k] * det * N[i] / q.area;
    }
    kl_vec3 normal = kl_vec(q.axes.m[2][0], q.axes.m[2][1], q.axes.m[2][2]);
    kl_mat3 nn     = kl_outer(normal, normal);
    memset(p->u, 0, sizeof p->u);
    memset(p->turn, 0, sizeof p->turn);
    p->x = kl_vec(0, 0, 0);
    for (int i = 0; i < q.n; i++) {
        p->x = kl_axpy(share[i], e->x[i], p->x);
        for (int c = 0; c < 3; c++) p->u[c][6 * i + c] = p->turn[c][6 * i + 3 + c] = share[i];
    }
    p->along  = kl_vec(0, 0, 0);
    p->first  = kl_scale(q.area * q.s.first, normal);
    p->second = kl_mat_scale(q.area * q.s.second, &nn);
    sink(context, p);
    return KL_OK;
}

/* a 3-component plane row (xx yy xy) and shear row (xz yz) into a global tensor row, order xx yy zz
 * xy yz zx; `shear` is 2 for engineering strain, 1 for stress */
static void tensor_to_global(const kl_mat3 *axes, const double plane[3], const double transverse[2],
                             double shear, double out[6])
{
    double           L[3][3]  = {{plane[0], plane[2] / shear, transverse[0] / shear},
                                 {plane[2] / shear, plane[1], transverse[1] / shear},
                                 {transverse[0] / shear, transverse[1] / shear, 0}};
    static const int first[6] = {0, 1, 2, 0, 1, 2}, second[6] = {0, 1, 2, 1, 2, 0};
    for (int i = 0; i < 6; i++) {
        double sum = 0;
        for (int k = 0; k < 3; k++)
            for (int l = 0; l < 3; l++)
                sum += axes->m[k][first[i]] * L[k][l] * axes->m[l][second[i]];
        out[i] = (i < 3 ? 1 : shear) * sum;
    }
}

/* Transverse shear over its mean: a parabola; in a stack of plies only that the outer faces are
 * free. */
static double shear_at(const kl_property *p, double r)
{
    if (p->kind != KL_LAMINATE) return 1.5 * (1.0 - r * r);
    return fabs(r) > 1.0 - 1e-4 ? 0.0 : 1.0;
}

kl_status kl_shell_strain(const kl_fe_element *e, const double at[3], double *strain,
                          double *stress)
{
    shell     q;
    operators o;
    double    R[24 * 24], X[4 * 24] = {0}, Q[3][3], G[2][2], angle;
    KL_TRY(kl_shell_init(e, &q));
    /* triangles have their membrane at the middles of the sides: their mean is the centre's */
    if (q.n == 3) {
        operators part;
        if (!(kl_shell_operators_at(&q, at, 0, &o) > 0.0)) return KL_E_MODEL;
        for (int mid = 1; mid < 3; mid++) {
            kl_shell_operators_at(&q, at, mid, &part);
            for (int i = 0; i < 3; i++)
                for (int c = 0; c < MAXN; c++) o.membrane[i][c] += part.membrane[i][c];
        }
        for (int i = 0; i < 3; i++)
            for (int c = 0; c < MAXN; c++) o.membrane[i][c] /= 3;
    } else {
        double local[MAXN * MAXN];
        if (!(kl_shell_operators_at(&q, at, 0, &o) > 0.0)) return KL_E_MODEL;
        KL_TRY(kl_shell_local_stiffness(&q, local));
        KL_TRY(kl_shell_condense(local, X));
    }
    double t                 = kl_shell_thickness(e->property),
           z                 = kl_shell_bottom(e->property) + 0.5 * t * (1 + at[2]);
    const kl_material *p     = kl_shell_ply_at(e, z, &angle);
    double             shear = shear_at(e->property, at[2]);
    kl_ply_stiffness(p, angle, Q, G);
    kl_shell_to_local(&q, R);
    int n = 6 * q.n;
    for (int j = 0; j < n; j++) {
        double plane[3] = {0}, transverse[2] = {0}, sp[3] = {0}, st[2] = {0}, out[6];
        for (int k = 0; k < n; k++) {
            double u = R[k * n + j];
            if (u == 0.0) continue;
            for (int i = 0; i < 3; i++) {
                double inner = 0;
                for (int a = 0; q.n == 4 && a < 4; a++)
                    inner += o.membrane[i][24 + a] * X[k * 4 + a];
                plane[i] += u * (o.membrane[i][k] - inner + z * o.bending[i][k]);
            }
            for (int i = 0; i < 2; i++) transverse[i] += u * shear * o.shear[i][k];
        }
        for (int i = 0; i < 3; i++)
            for (int k = 0; k < 3; k++) sp[i] += Q[i][k] * plane[k];
        for (int i = 0; i < 2; i++) st[i] = G[i][0] * transverse[0] + G[i][1] * transverse[1];
        tensor_to_global(&q.axes, plane, transverse, 2, out);
        for (int i = 0; i < 6; i++) strain[i * n + j] = out[i];
        tensor_to_global(&q.axes, sp, st, 1, out);
        for (int i = 0; i < 6; i++) stress[i * n + j] = out[i];
    }
    return KL_OK;
}
