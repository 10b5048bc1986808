/* Hertz contact with exact elliptic integrals (Johnson, Contact Mechanics, 1985, section 4.2).
 *
 * Semi-axes alpha >= beta, k1 = beta/alpha, k^2 = 1 - k1^2, p0 = 3 N/(2 pi alpha beta):
 *
 *   A = (p0/E*) (beta/alpha^2) D(k)           along the larger axis,  D = (K - E)/k^2
 *   B = (p0/E*) (beta/alpha^2) B(k)/k1^2      along the smaller axis, B = K - D
 *   depth = (p0/E*) beta K
 *
 * The ratio B/A = B(k)/(k1^2 D(k)) gives k1 by Newton's method in logarithms, where the function is
 * almost straight: slope -3/2 at the circle, tending to -2 at a line. */
#include "railway/hertz.h"

#include <math.h>

#include "base/vec.h"

kl_elastic_pair kl_elastic_same(double E, double nu)
{
    return (kl_elastic_pair){
        .E = E / (2.0 * (1.0 - nu * nu)), .G = E / (2.0 * (1.0 + nu)), .nu = nu};
}

/* Arithmetic-geometric mean: K = pi/(2 agm(1, k1)), (K - E)/K = sum of 2^(n-1) c_n^2 with c_0 = k.
 * Each c_n is divided by k before squaring, so that D stays exact when k vanishes. */
void kl_elliptic(double k1, double *K, double *D, double *B)
{
    double a = 1.0, g = k1, c = 1.0, power = 0.5, sum = 0.5;
    double k2 = (1.0 - k1) * (1.0 + k1);
    for (int n = 0; n < 12 && a - g > 1e-15 * a; n++) {
        double mean = 0.5 * (a + g);
        /* c_(n+1) = c_n^2/(4 a_(n+1)); `c` holds c_n/k */
        c = c * c * sqrt(k2) / (4.0 * mean);
        g = sqrt(a * g);
        a = mean;
        power *= 2.0;
        sum += power * c * c;
    }
    *K = KL_PI / (2.0 * a);
    *D = *K * sum;
    *B = *K - *D;
}

/* Ratio beta/alpha of an ellipse whose curvatures have the ratio `rho` >= 1. */
static double axes_ratio(double rho, double *K, double *D, double *B)
{
    double target = log(rho);
    /* start: slope -3/2 near the circle, steeper with the eccentricity */
    double y = -target / (1.5 + 0.045 * fmin(target, 8.0));
    for (int n = 0; n < 20; n++) {
        double k1 = exp(y), k2 = (1.0 - k1) * (1.0 + k1);
        kl_elliptic(k1, K, D, B);
        double gap = log(*B / *D) - 2.0 * y - target;
        /* d ln(B/D)/d ln k1; K' = -B/k1, D' = -(B - k1^2 D)/(k1 k^2), derivatives by k1 */
        double dD    = k2 > 1e-4 ? -(*B - k1 * k1 * *D) / k2 : -0.75 * *D;
        double slope = k2 > 1e-4 ? (-*B - dD) / *B - dD / *D - 2.0 : -1.5;
        double step  = gap / slope;
        y            = fmin(y - step, 0.0);
        if (fabs(step) < 1e-6) break; /* the next error is its square */
    }
    double k1 = exp(y);
    kl_elliptic(k1, K, D, B);
    return k1;
}

kl_hertz kl_hertz_of(double Ax, double By, double contact_modulus)
{
    double K, D, B, small = fmin(Ax, By), large = fmax(Ax, By);
    double k1 = axes_ratio(large / small, &K, &D, &B);
    /* alpha^2 = depth (D + B/k1^2)/(K (A + B)); N = 2 pi E* alpha depth/(3 K) */
    double   alpha = sqrt((D + B / (k1 * k1)) / (K * (small + large)));
    kl_hertz h     = {.a1        = Ax <= By ? alpha : k1 * alpha,
                      .b1        = Ax <= By ? k1 * alpha : alpha,
                      .stiffness = 2.0 * KL_PI * contact_modulus * alpha / (3.0 * K)};
    return h;
}

double kl_hertz_depth(const kl_hertz *h, double N)
{
    return cbrt(N * N / (h->stiffness * h->stiffness));
}

/* ---- by table ---- */

static const double LARGEST = 9.21; /* ln of the largest ratio of curvatures */

/* Scale-free: a1 and b1 for Ax + By = 1, stiffness over the contact modulus; x = ln(By/Ax). */
static void scale_free(double x, double out[3])
{
    double   r = exp(x);
    kl_hertz h = kl_hertz_of(1.0 / (1.0 + r), r / (1.0 + r), 1.0);
    out[0] = h.a1, out[1] = h.b1, out[2] = h.stiffness;
}

void kl_hertz_table_fill(kl_hertz_table *t)
{
    double step = 2.0 * LARGEST / (KL_HERTZ_NODES - 1), e = 0.02 * step;
    for (int i = 0; i < KL_HERTZ_NODES; i++) {
        double x = -LARGEST + i * step, low[3], high[3];
        scale_free(x, t->node[i].value);
        scale_free(x - e, low);
        scale_free(x + e, high);
        for (int k = 0; k < 3; k++) t->node[i].slope[k] = step * (high[k] - low[k]) / (2.0 * e);
    }
}

/* Cubic Hermite interpolation; lengths scale with 1/sqrt(Ax + By). */
kl_hertz kl_hertz_by_table(const kl_hertz_table *t, double Ax, double By, double contact_modulus)
{
    double x = (log(By / Ax) + LARGEST) * (KL_HERTZ_NODES - 1) / (2.0 * LARGEST);
    if (!(x > 0.0 && x < KL_HERTZ_NODES - 1)) return kl_hertz_of(Ax, By, contact_modulus);
    int    i = (int)x;
    double u = x - i, w = 1.0 - u, scale = 1.0 / sqrt(Ax + By), v[3];
    for (int k = 0; k < 3; k++)
        v[k] = w * w * ((1.0 + 2.0 * u) * t->node[i].value[k] + u * t->node[i].slope[k]) +
               u * u * ((1.0 + 2.0 * w) * t->node[i + 1].value[k] - w * t->node[i + 1].slope[k]);
    return (kl_hertz){v[0] * scale, v[1] * scale, v[2] * scale * contact_modulus};
}
