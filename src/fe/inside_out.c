#include "fe/inside_out.h"

#include <math.h>

/* Columns dx/dr_k of J by their control values: of tetrahedra at the corners 0 to 3; of hexahedra, whose
 * column k is bilinear in the next two coordinates, at 2 i + j, i and j the ends of these. */
typedef struct columns {
    kl_vec3 c[3][4];
} columns;

enum { TRIPLES = 64, MOST_SPLITS = 15 };

/* ---- control values ---- */

/* Bezier form of the quadratic map: Q_kk = x_k, Q_kl = 2 x_(middle of kl) - (x_k + x_l)/2; at the corner k
 * dx/dr_m = 2 (Q_mk - Q_0k). */
static void tetrahedron(const kl_vec3 *x, columns *J)
{
    static const int edge[6][2] = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};
    kl_vec3          Q[4][4];
    for (int k = 0; k < 4; k++) Q[k][k] = x[k];
    for (int e = 0; e < 6; e++) {
        int k = edge[e][0], l = edge[e][1];
        Q[k][l] = Q[l][k] = kl_axpy(2.0, x[4 + e], kl_scale(-0.5, kl_add(x[k], x[l])));
    }
    for (int m = 0; m < 3; m++)
        for (int k = 0; k < 4; k++) J->c[m][k] = kl_scale(2.0, kl_sub(Q[m + 1][k], Q[0][k]));
}

static void hexahedron(const kl_vec3 *x, columns *J)
{
    static const int node[2][2][2] = {{{0, 4}, {3, 7}}, {{1, 5}, {2, 6}}}; /* ends of r, s, t */
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 2; i++)
            for (int j = 0; j < 2; j++) {
                int at[3], low, high;
                at[(k + 1) % 3] = i, at[(k + 2) % 3] = j;
                at[k] = 0, low = node[at[0]][at[1]][at[2]];
                at[k] = 1, high = node[at[0]][at[1]][at[2]];
                J->c[k][2 * i + j] = kl_scale(0.5, kl_sub(x[high], x[low]));
            }
}

/* ---- bounds ---- */

/* Which Bernstein coefficient the determinant of the control values a, b, c of the three columns adds to: a
 * number that is the same for all triples with the same monomial. */
static int coefficient(kl_shape shape, const int at[3])
{
    int index = 0;
    if (shape == KL_TET10) { /* how often each corner occurs */
        for (int k = 0; k < 3; k++) index += at[k] ? 1 << (2 * at[k] - 2) : 0;
        return index; /* at most 48 */
    }
    for (int axis = 0, unit = 1; axis < 3; axis++, unit *= 3)
        index += unit * ((at[(axis + 2) % 3] >> 1) + (at[(axis + 1) % 3] & 1));
    return index;
}

/* Smallest coefficient and smallest corner value of det J. */
static void bounds(kl_shape shape, const columns *J, double *low, double *corner)
{
    double sum[TRIPLES]   = {0};
    int    count[TRIPLES] = {0}, list[TRIPLES], n = 0, at[3];
    for (at[0] = 0; at[0] < 4; at[0]++)
        for (at[1] = 0; at[1] < 4; at[1]++) {
            kl_vec3 normal = kl_cross(J->c[0][at[0]], J->c[1][at[1]]);
            for (at[2] = 0; at[2] < 4; at[2]++) {
                int i = coefficient(shape, at);
                if (count[i]++ == 0) list[n++] = i;
                sum[i] += kl_dot(normal, J->c[2][at[2]]);
            }
        }
    *low = *corner = HUGE_VAL;
    for (int k = 0; k < n; k++) {
        double b = sum[list[k]] / count[list[k]];
        *low     = fmin(*low, b);
        if (count[list[k]] == 1) *corner = fmin(*corner, b);
    }
}

/* ---- splitting ---- */

static double change(kl_vec3 a, kl_vec3 b)
{
    kl_vec3 d = kl_sub(a, b);
    return kl_dot(d, d);
}

/* in the middle of the edge along which J changes most */
static void split_tetrahedron(const columns *J, columns half[2])
{
    double most = -1.0;
    int    a = 0, b = 1;
    for (int i = 0; i < 4; i++)
        for (int j = i + 1; j < 4; j++) {
            double d = 0.0;
            for (int k = 0; k < 3; k++) d += change(J->c[k][i], J->c[k][j]);
            if (d > most) most = d, a = i, b = j;
        }
    half[0] = half[1] = *J;
    for (int k = 0; k < 3; k++)
        half[0].c[k][b] = half[1].c[k][a] = kl_scale(0.5, kl_add(J->c[k][a], J->c[k][b]));
}

/* where control value i of column k begins a pair along an axis; -1: it ends one, or the column is constant */
static int partner(int k, int i, int axis)
{
    int bit = axis == (k + 1) % 3 ? 2 : 1;
    return axis == k || (i & bit) ? -1 : i | bit;
}

/* across the coordinate along which J changes most */
static void split_hexahedron(const columns *J, columns half[2])
{
    double most = -1.0;
    int    axis = 0;
    for (int a = 0; a < 3; a++) {
        double d = 0.0;
        for (int k = 0; k < 3; k++)
            for (int i = 0; i < 4; i++)
                if (partner(k, i, a) >= 0) d += change(J->c[k][i], J->c[k][partner(k, i, a)]);
        if (d > most) most = d, axis = a;
    }
    half[0] = half[1] = *J;
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 4; i++) {
            int j = partner(k, i, axis);
            if (j >= 0)
                half[0].c[k][j] = half[1].c[k][i] = kl_scale(0.5, kl_add(J->c[k][i], J->c[k][j]));
        }
}

static double least_bernstein(kl_shape shape, const columns *J, double rounding, int splits)
{
    double  low, corner;
    columns half[2];
    bounds(shape, J, &low, &corner);
    if (corner < -rounding || splits == MOST_SPLITS) return low < -rounding ? low : fmax(low, 0.0);
    if (low >= -rounding) return fmax(low, 0.0);
    (shape == KL_TET10 ? split_tetrahedron : split_hexahedron)(J, half);
    double a = least_bernstein(shape, &half[0], rounding, splits + 1);
    return a < 0.0 ? a : fmin(a, least_bernstein(shape, &half[1], rounding, splits + 1));
}

double kl_least_jacobian(kl_shape shape, const kl_vec3 *x, double scale)
{
    columns J;
    if (shape == KL_TET10) tetrahedron(x, &J);
    else hexahedron(x, &J);
    return least_bernstein(shape, &J, 1e-9 * fabs(scale), 0);
}
