/* Kalker's coefficients of linear creep (Kalker 1967; Three-Dimensional Elastic Bodies in Rolling
 * Contact, 1990, table E3 and its asymptotes). */
#include <math.h>
#include <stdbool.h>

#include "base/vec.h"
#include "railway/creep.h"

enum { NRATIO = 19, MIDDLE = 9 };

/* C11, C22, C23, C33, each at nu = 0, 1/4, 1/2. Rows: a/b = 0.1 to 1, then b/a = 0.9 to 0.1. */
static const double table[NRATIO][4][3] = {
    // clang-format off
    {{2.51, 3.31, 4.85}, {2.51, 2.52, 2.53}, {0.334, 0.473, 0.731}, {6.42, 8.28, 11.7}}, /* a/b = 0.1 */
    {{2.59, 3.37, 4.81}, {2.59, 2.63, 2.66}, {0.483, 0.603, 0.809}, {3.46, 4.27, 5.66}}, /* a/b = 0.2 */
    {{2.68, 3.44, 4.8}, {2.68, 2.75, 2.81}, {0.607, 0.715, 0.889}, {2.49, 2.96, 3.72}}, /* a/b = 0.3 */
    {{2.78, 3.53, 4.82}, {2.78, 2.88, 2.98}, {0.72, 0.823, 0.977}, {2.02, 2.32, 2.77}}, /* a/b = 0.4 */
    {{2.88, 3.62, 4.83}, {2.88, 3.01, 3.14}, {0.827, 0.929, 1.07}, {1.74, 1.93, 2.22}}, /* a/b = 0.5 */
    {{2.98, 3.72, 4.91}, {2.98, 3.14, 3.31}, {0.93, 1.03, 1.18}, {1.56, 1.68, 1.86}}, /* a/b = 0.6 */
    {{3.09, 3.81, 4.97}, {3.09, 3.28, 3.48}, {1.03, 1.14, 1.29}, {1.43, 1.5, 1.6}}, /* a/b = 0.7 */
    {{3.19, 3.91, 5.05}, {3.19, 3.41, 3.65}, {1.13, 1.25, 1.4}, {1.34, 1.37, 1.42}}, /* a/b = 0.8 */
    {{3.29, 4.01, 5.12}, {3.29, 3.54, 3.82}, {1.23, 1.36, 1.51}, {1.27, 1.27, 1.27}}, /* a/b = 0.9 */
    {{3.4, 4.12, 5.2}, {3.4, 3.67, 3.98}, {1.33, 1.47, 1.63}, {1.21, 1.19, 1.16}}, /* a/b = 1 */
    {{3.51, 4.22, 5.3}, {3.51, 3.81, 4.16}, {1.44, 1.59, 1.77}, {1.16, 1.11, 1.06}}, /* b/a = 0.9 */
    {{3.65, 4.36, 5.42}, {3.65, 3.99, 4.39}, {1.58, 1.75, 1.94}, {1.1, 1.04, 0.954}}, /* b/a = 0.8 */
    {{3.82, 4.54, 5.58}, {3.82, 4.21, 4.67}, {1.76, 1.95, 2.18}, {1.05, 0.965, 0.852}}, /* b/a = 0.7 */
    {{4.06, 4.78, 5.8}, {4.06, 4.5, 5.04}, {2.01, 2.23, 2.5}, {1.01, 0.892, 0.751}}, /* b/a = 0.6 */
    {{4.37, 5.1, 6.11}, {4.37, 4.9, 5.56}, {2.35, 2.62, 2.96}, {0.958, 0.819, 0.65}}, /* b/a = 0.5 */
    {{4.84, 5.57, 6.57}, {4.84, 5.48, 6.31}, {2.88, 3.24, 3.7}, {0.912, 0.747, 0.549}}, /* b/a = 0.4 */
    {{5.57, 6.34, 7.34}, {5.57, 6.4, 7.51}, {3.79, 4.32, 5.01}, {0.868, 0.674, 0.446}}, /* b/a = 0.3 */
    {{6.96, 7.78, 8.82}, {6.96, 8.14, 9.79}, {5.72, 6.63, 7.89}, {0.828, 0.601, 0.341}}, /* b/a = 0.2 */
    {{10.7, 11.7, 12.9}, {10.7, 12.8, 16.0}, {12.2, 14.6, 18.0}, {0.795, 0.526, 0.228}}, /* b/a = 0.1 */
    // clang-format on
};

static const double poisson[3] = {0.0, 0.25, 0.5};

/* Slender ellipse across the rolling direction, g = a/b << 1. */
static void across(double g, double nu, double *c)
{
    double big = log(16.0 / (g * g));
    c[0]       = KL_PI * KL_PI / (4.0 * (1.0 - nu));
    c[1]       = KL_PI * KL_PI / 4.0;
    c[2]       = KL_PI * sqrt(g) / (3.0 * (1.0 - nu)) * (1.0 + nu * (0.5 * big + log(4.0) - 5.0));
    c[3]       = KL_PI * KL_PI / (16.0 * (1.0 - nu) * g);
}

/* Slender ellipse along the rolling direction, g = b/a << 1. */
static void along(double g, double nu, double *c)
{
    double big = log(16.0 / (g * g)), q = 3.0 - log(4.0);
    double p0 = big - 2.0 * nu, p1 = (1.0 - nu) * big + 2.0 * nu,
           p2 = (1.0 - nu) * big - 2.0 + 4.0 * nu;
    c[0]      = 2.0 * KL_PI / (p0 * g) * (1.0 + q / p0);
    c[1]      = 2.0 * KL_PI / (p1 * g) * (1.0 + (1.0 - nu) * q / p1);
    c[2]      = 2.0 * KL_PI / (3.0 * g * sqrt(g) * p2);
    c[3]      = KL_PI / 4.0 * (1.0 - nu * (big - 2.0) / p2);
}

/* Coefficients at one of the three values of nu, for the position `row` (with fraction) in the
 * table. */
static void in_table(double row, int column, double *c)
{
    int    i = row >= NRATIO - 1 ? NRATIO - 2 : (int)row;
    double w = row - i;
    for (int k = 0; k < 4; k++)
        c[k] = (1.0 - w) * table[i][k][column] + w * table[i + 1][k][column];
}

/* Beyond the table: the asymptote times a factor that goes from that of the last row to 1. */
static void extrapolate(double g, bool flat, int column, double *c)
{
    double       edge[4];
    const double nu        = poisson[column];
    const double(*last)[3] = table[flat ? 0 : NRATIO - 1];
    (flat ? across : along)(g, nu, c);
    (flat ? across : along)(0.1, nu, edge);
    for (int k = 0; k < 4; k++) c[k] *= 1.0 + (last[k][column] / edge[k] - 1.0) * g / 0.1;
}

kl_kalker kl_kalker_of(double a_over_b, double nu)
{
    double c[3][4], out[4];
    bool   flat = a_over_b <= 1.0; /* wider across than along */
    double g    = flat ? a_over_b : 1.0 / a_over_b;
    double row  = flat ? 10.0 * g - 1.0 : MIDDLE + 10.0 * (1.0 - g);
    for (int j = 0; j < 3; j++) {
        if (g < 0.1) extrapolate(g, flat, j, c[j]);
        else in_table(row, j, c[j]);
    }
    /* parabola through the reciprocals at nu = 0, 1/4, 1/2 */
    double w0 = (nu - 0.25) * (nu - 0.5) / 0.125, w1 = nu * (nu - 0.5) / -0.0625,
           w2 = nu * (nu - 0.25) / 0.125;
    for (int k = 0; k < 4; k++) { /* 1/(w0/c0 + w1/c1 + w2/c2) with one division */
        double a = c[0][k] * c[1][k], b = c[1][k] * c[2][k], d = c[2][k] * c[0][k];
        out[k] = a * c[2][k] / (w0 * b + w1 * d + w2 * a);
    }
    return (kl_kalker){out[0], out[1], out[2], out[3]};
}
