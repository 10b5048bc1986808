/* Shape functions and integration rules of the solids.
 *
 * Tetrahedra in volume coordinates, wedges as triangle times line, hexahedra as products; quadratic
 * ones are serendipity (Zienkiewicz and Taylor, The Finite Element Method, vol. 1, ch. 8). Rules:
 * Gauss-Legendre products, on triangles and tetrahedra through the collapsed cube (Stroud 1971),
 * and the 4-point rule of degree 2 on the tetrahedron (Hammer and Stroud 1956). */
#include "fe/shape_functions.h"

#include <string.h>

/* ---- tetrahedra ---- */

static const int    tet_edge[6][2]     = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};
static const double tet_gradient[4][3] = {{-1, -1, -1}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

static void tet_eval(int nnode, const double r[3], double *N, double (*dN)[3])
{
    const double L[4] = {1 - r[0] - r[1] - r[2], r[0], r[1], r[2]};
    if (nnode == 4) {
        memcpy(N, L, sizeof L);
        memcpy(dN, tet_gradient, sizeof tet_gradient);
        return;
    }
    for (int i = 0; i < 4; i++) {
        N[i] = L[i] * (2 * L[i] - 1);
        for (int k = 0; k < 3; k++) dN[i][k] = (4 * L[i] - 1) * tet_gradient[i][k];
    }
    for (int e = 0; e < 6; e++) {
        int a = tet_edge[e][0], b = tet_edge[e][1];
        N[4 + e] = 4 * L[a] * L[b];
        for (int k = 0; k < 3; k++)
            dN[4 + e][k] = 4 * (L[a] * tet_gradient[b][k] + L[b] * tet_gradient[a][k]);
    }
}

/* ---- hexahedra ---- */

static const double hex_node[20][3] = {
    {-1, -1, -1}, {1, -1, -1}, {1, 1, -1},  {-1, 1, -1}, {-1, -1, 1}, {1, -1, 1}, {1, 1, 1},
    {-1, 1, 1},   {0, -1, -1}, {1, 0, -1},  {0, 1, -1},  {-1, 0, -1}, {0, -1, 1}, {1, 0, 1},
    {0, 1, 1},    {-1, 0, 1},  {-1, -1, 0}, {1, -1, 0},  {1, 1, 0},   {-1, 1, 0}};

static void hex_corner(int i, int nnode, const double r[3], double *N, double dN[3])
{
    const double *c = hex_node[i];
    double        f[3], s = 1.0;
    for (int k = 0; k < 3; k++) f[k] = 1 + c[k] * r[k];
    if (nnode == 20) s = c[0] * r[0] + c[1] * r[1] + c[2] * r[2] - 2;
    *N = 0.125 * f[0] * f[1] * f[2] * s;
    for (int k = 0; k < 3; k++) {
        double others = f[(k + 1) % 3] * f[(k + 2) % 3];
        dN[k]         = 0.125 * c[k] * others * (nnode == 20 ? s + f[k] : 1.0);
    }
}

static void hex_edge(int i, const double r[3], double *N, double dN[3])
{
    const double *c = hex_node[i];
    double        f[3], df[3];
    for (int k = 0; k < 3; k++) {
        f[k]  = c[k] == 0 ? 1 - r[k] * r[k] : 1 + c[k] * r[k];
        df[k] = c[k] == 0 ? -2 * r[k] : c[k];
    }
    *N = 0.25 * f[0] * f[1] * f[2];
    for (int k = 0; k < 3; k++) dN[k] = 0.25 * df[k] * f[(k + 1) % 3] * f[(k + 2) % 3];
}

static void hex_eval(int nnode, const double r[3], double *N, double (*dN)[3])
{
    for (int i = 0; i < 8; i++) hex_corner(i, nnode, r, &N[i], dN[i]);
    for (int i = 8; i < nnode; i++) hex_edge(i, r, &N[i], dN[i]);
}

/* ---- wedges ---- */

static const double tri_gradient[3][2] = {{-1, -1}, {1, 0}, {0, 1}};
static const double wedge_node[15][3]  = {{0, 0, -1},   {1, 0, -1},  {0, 1, -1},    {0, 0, 1},
                                          {1, 0, 1},    {0, 1, 1},   {0.5, 0, -1},  {0.5, 0.5, -1},
                                          {0, 0.5, -1}, {0.5, 0, 1}, {0.5, 0.5, 1}, {0, 0.5, 1},
                                          {0, 0, 0},    {1, 0, 0},   {0, 1, 0}};

/* Triangle coordinates L_a times functions of t. Corners of 15 nodes: L (2 L - 1) (1 + z t)/2 - L (1 - t^2)/2,
 * where the second term makes them zero at the middle of the vertical edges; middle nodes: 4 L_a L_b (1 + z t)/2
 * and L_a (1 - t^2). */
static void wedge_eval(int nnode, const double r[3], double *N, double (*dN)[3])
{
    const double L[3] = {1 - r[0] - r[1], r[0], r[1]}, t = r[2];
    for (int i = 0; i < 6; i++) {
        int    a = i % 3;
        double z = i < 3 ? -1 : 1, h = 0.5 * (1 + z * t);
        if (nnode == 6) {
            N[i]     = L[a] * h;
            dN[i][2] = 0.5 * z * L[a];
            for (int k = 0; k < 2; k++) dN[i][k] = tri_gradient[a][k] * h;
        } else {
            double bend = 0.5 * (1 - t * t), g = 2 * L[a] - 1;
            N[i]     = L[a] * (g * h - bend);
            dN[i][2] = L[a] * (0.5 * z * g + t);
            for (int k = 0; k < 2; k++) dN[i][k] = tri_gradient[a][k] * ((4 * L[a] - 1) * h - bend);
        }
    }
    for (int i = 6; i < nnode && i < 12; i++) {
        int    a = (i - 6) % 3, b = (a + 1) % 3;
        double z = i < 9 ? -1 : 1, h = 0.5 * (1 + z * t);
        N[i]     = 4 * L[a] * L[b] * h;
        dN[i][2] = 2 * z * L[a] * L[b];
        for (int k = 0; k < 2; k++)
            dN[i][k] = 4 * h * (tri_gradient[a][k] * L[b] + tri_gradient[b][k] * L[a]);
    }
    for (int i = 12; i < nnode; i++) {
        int a    = i - 12;
        N[i]     = L[a] * (1 - t * t);
        dN[i][2] = -2 * t * L[a];
        for (int k = 0; k < 2; k++) dN[i][k] = tri_gradient[a][k] * (1 - t * t);
    }
}

void kl_shape_eval(kl_shape shape, const double r[3], double *N, double (*dN)[3])
{
    int nnode = kl_shape_info_of(shape)->nnode;
    if (shape <= KL_TET10) tet_eval(nnode, r, N, dN);
    else if (shape <= KL_HEX20) hex_eval(nnode, r, N, dN);
    else wedge_eval(nnode, r, N, dN);
}

void kl_shape_node(kl_shape shape, int node, double r[3])
{
    if (shape <= KL_TET10) {
        memset(r, 0, 3 * sizeof(double));
        if (node > 0 && node < 4) r[node - 1] = 1;
        for (int end = 0; node >= 4 && end < 2; end++) {
            int corner = tet_edge[node - 4][end];
            if (corner > 0) r[corner - 1] = 0.5;
        }
        return;
    }
    memcpy(r, shape <= KL_HEX20 ? hex_node[node] : wedge_node[node], 3 * sizeof(double));
}

void kl_shape_centre(kl_shape shape, double r[3])
{
    double c = shape <= KL_TET10 ? 0.25 : shape <= KL_HEX20 ? 0.0 : 1.0 / 3.0;
    r[0] = r[1] = c;
    r[2]        = shape <= KL_TET10 ? c : 0.0;
}

/* Moves r away from the centre: the corners of the linear element of that form, shrunk by it, are
 * the points of the rule of 4 (tetrahedra), 6 (wedges) or 8 points (hexahedra). */
static void stretch(kl_shape shape, const double r[3], bool shrink, double out[3])
{
    double c[3],
        across = shape <= KL_TET10   ? sqrt(5.0)
                 : shape <= KL_HEX20 ? sqrt(3.0)
                                     : 2.0,
        along  = shape <= KL_TET10 ? across : sqrt(3.0);
    kl_shape_centre(shape, c);
    for (int k = 0; k < 3; k++) {
        double f = k < 2 ? across : along;
        out[k]   = c[k] + (shrink ? 1.0 / f : f) * (r[k] - c[k]);
    }
}

void kl_shape_samples(kl_shape shape, const double r[3], kl_samples *s)
{
    kl_shape linear = shape <= KL_TET10 ? KL_TET4 : shape <= KL_HEX20 ? KL_HEX8 : KL_WEDGE6;
    double   far[3], dN[8][3];
    s->n = kl_shape_info_of(linear)->nnode;
    stretch(shape, r, false, far);
    kl_shape_eval(linear, far, s->weight, dN);
    for (int k = 0; k < s->n; k++) {
        double corner[3];
        kl_shape_node(linear, k, corner);
        stretch(shape, corner, true, s->place[k]);
    }
}

/* ---- rules ---- */

static const double gauss_x[6][5] = {
    {0},
    {0},
    {-0.577350269189625764509148780502, 0.577350269189625764509148780502},
    {-0.774596669241483377035853079956, 0, 0.774596669241483377035853079956},
    {-0.861136311594052575223946488893, -0.339981043584856264802665759103,
     0.339981043584856264802665759103, 0.861136311594052575223946488893},
    {-0.906179845938663992797626878299, -0.538469310105683091036314420700, 0,
     0.538469310105683091036314420700, 0.906179845938663992797626878299}};
static const double gauss_w[6][5] = {
    {0},
    {2},
    {1, 1},
    {5.0 / 9, 8.0 / 9, 5.0 / 9},
    {0.347854845137453857373063949222, 0.652145154862546142626936050778,
     0.652145154862546142626936050778, 0.347854845137453857373063949222},
    {0.236926885056189087514264040720, 0.478628670499366468041291514836,
     0.568888888888888888888888888889, 0.478628670499366468041291514836,
     0.236926885056189087514264040720}};

static void add_point(kl_rule *q, double r, double s, double t, double w)
{
    q->r[q->n][0] = r, q->r[q->n][1] = s, q->r[q->n][2] = t;
    q->weight[q->n++] = w;
}

static void tet_four(kl_rule *q)
{
    const double a = 0.585410196624968454461376050309, b = 0.138196601125010515179541316563;
    add_point(q, b, b, b, 1.0 / 24);
    add_point(q, a, b, b, 1.0 / 24);
    add_point(q, b, a, b, 1.0 / 24);
    add_point(q, b, b, a, 1.0 / 24);
}

/* the cube u, v, w in 0..1 collapsed: r = u, s = v (1-u), t = w (1-u)(1-v) */
static void tet_collapsed(kl_rule *q, int n)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < n; k++) {
                double u = 0.5 * (1 + gauss_x[n][i]), v = 0.5 * (1 + gauss_x[n][j]),
                       w = 0.5 * (1 + gauss_x[n][k]), p = 1 - u, o = 1 - v;
                double weight = 0.125 * gauss_w[n][i] * gauss_w[n][j] * gauss_w[n][k] * p * p * o;
                add_point(q, u, v * p, w * p * o, weight);
            }
}

static void hex_product(kl_rule *q, int n)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < n; k++)
                add_point(q, gauss_x[n][i], gauss_x[n][j], gauss_x[n][k],
                          gauss_w[n][i] * gauss_w[n][j] * gauss_w[n][k]);
}

static void wedge_product(kl_rule *q, int n, int line)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < line; k++) {
                double u = 0.5 * (1 + gauss_x[n][i]), v = 0.5 * (1 + gauss_x[n][j]), p = 1 - u;
                add_point(q, u, v * p, gauss_x[line][k],
                          0.25 * gauss_w[n][i] * gauss_w[n][j] * p * gauss_w[line][k]);
            }
}

void kl_rule_init(kl_rule *q, kl_shape shape, kl_rule_kind kind)
{
    bool mass = kind == KL_RULE_MASS;
    q->n      = 0;
    switch (shape) {
    case KL_TET4:
        if (mass) tet_four(q);
        else add_point(q, 0.25, 0.25, 0.25, 1.0 / 6);
        break;
    case KL_TET10:
        if (mass) tet_collapsed(q, 5);
        else tet_four(q);
        break;
    case KL_HEX8: hex_product(q, mass ? 3 : 2); break;
    case KL_HEX20: hex_product(q, mass ? 4 : 3); break;
    case KL_WEDGE6: wedge_product(q, mass ? 3 : 2, mass ? 3 : 2); break;
    default: wedge_product(q, mass ? 5 : 3, mass ? 4 : 3); break;
    }
    for (int p = 0; p < q->n; p++) kl_shape_eval(shape, q->r[p], q->N[p], q->dN[p]);
}

double kl_shape_gradient(int nnode, const kl_vec3 *x, double (*dN)[3], double (*dNx)[3])
{
    /* J = dx/dr, columns by natural coordinate */
    kl_mat3 J = {{{0}}};
    for (int a = 0; a < nnode; a++)
        for (int k = 0; k < 3; k++) {
            J.m[0][k] += x[a].x * dN[a][k];
            J.m[1][k] += x[a].y * dN[a][k];
            J.m[2][k] += x[a].z * dN[a][k];
        }
    double det = kl_det(&J);
    if (!(fabs(det) > 0.0)) return 0.0;
    kl_mat3 inverse = kl_inverse(&J);
    for (int a = 0; a < nnode; a++)
        for (int k = 0; k < 3; k++)
            dNx[a][k] = dN[a][0] * inverse.m[0][k] + dN[a][1] * inverse.m[1][k] +
                        dN[a][2] * inverse.m[2][k];
    return det;
}
