#include "fe/plasticity.h"

#include <math.h>

static const double ROOT23 = 0.816496580927726; /* sqrt(2/3) */

void kl_solid_law_elastic(double E, double nu, kl_solid_law *law)
{
    *law = (kl_solid_law){.lambda    = E * nu / ((1.0 + nu) * (1.0 - 2.0 * nu)),
                          .mu        = 0.5 * E / (1.0 + nu),
                          .isotropic = 1.0};
}

double kl_yield_at(const kl_solid_law *law, double a, double *slope)
{
    int i = 0;
    if (law->nrow == 1) {
        *slope = 0.0;
        return law->yield[0].stress;
    }
    while (i < law->nrow - 2 && a > law->yield[i + 1].strain) i++;
    const kl_yield_row *r = law->yield + i;
    *slope                = (r[1].stress - r[0].stress) / (r[1].strain - r[0].strain);
    return r[0].stress + *slope * (a - r[0].strain);
}

double kl_mises(const double s[6])
{
    double x = s[0] - s[1], y = s[1] - s[2], z = s[2] - s[0];
    return sqrt(0.5 * (x * x + y * y + z * z) + 3.0 * (s[3] * s[3] + s[4] * s[4] + s[5] * s[5]));
}

/* T of an elastic strain */
static void hooke(const kl_solid_law *law, const double e[6], double T[6])
{
    double p = law->lambda * (e[0] + e[1] + e[2]);
    for (int k = 0; k < 3; k++) T[k] = p + 2.0 * law->mu * e[k];
    for (int k = 3; k < 6; k++) T[k] = law->mu * e[k];
}

/* bulk + 2 mu theta (I - 1 1/3) - 2 mu theta_n n n' */
static void stiffness(const kl_solid_law *law, double theta, double theta_n, const double n[6],
                      double D[6][6])
{
    double g = law->mu * theta, bulk = law->lambda + 2.0 / 3.0 * law->mu;
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++)
            D[i][j] = -2.0 * law->mu * theta_n * (theta_n != 0.0 ? n[i] * n[j] : 0.0);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) D[i][j] += bulk - 2.0 / 3.0 * g;
    for (int i = 0; i < 3; i++) D[i][i] += 2.0 * g, D[3 + i][3 + i] += g;
}

static double dot_stress(const double a[6], const double b[6])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] +
           2.0 * (a[3] * b[3] + a[4] * b[4] + a[5] * b[5]);
}

static double work_of(const double T[6], const double e[6])
{
    double sum = 0.0;
    for (int k = 0; k < 6; k++) sum += T[k] * e[k];
    return sum;
}

/* The plastic multiplier: |xi| - sqrt(2/3)(s(a) + kinematic part) - 2 mu g = 0 with a = a0 + sqrt(2/3) g.
 * The left side falls and has straight pieces, so Newton from below stops at the root. */
static double multiplier(const kl_solid_law *law, double xi, double a0, double *slope)
{
    double start, b = law->isotropic, Y0 = kl_yield_at(law, a0, &start), s0 = law->yield[0].stress;
    double fixed = b * Y0 + (1.0 - b) * s0, g = 0.0; /* s(a0) */
    for (int pass = 0; pass <= law->nrow + 2; pass++) {
        double Y    = kl_yield_at(law, a0 + ROOT23 * g, slope);
        double gap  = xi - ROOT23 * (fixed + Y - Y0) - 2.0 * law->mu * g;
        double step = gap / (2.0 * law->mu + 2.0 / 3.0 * *slope);
        g += step;
        if (fabs(step) <= 1e-15 * fabs(g)) break;
    }
    return g;
}

void kl_solid_law_eval(const kl_solid_law *law, const double E[6], const kl_plastic_state *old,
                       kl_stress_answer *out, double D[6][6], kl_plastic_state *new)
{
    double elastic[6], none[6] = {0}, slope;
    for (int k = 0; k < 6; k++) elastic[k] = E[k] - (old ? old->Ep[k] : 0.0);
    hooke(law, elastic, out->T);
    out->work = old ? old->work : 0.0, out->a = old ? old->a : 0.0;
    if (new) *new = *old;
    if (law->nrow == 0 || !old) {
        out->stored = 0.5 * work_of(out->T, elastic);
        if (D) stiffness(law, 1.0, 0.0, none, D);
        return;
    }

    /* trial: relative stress against the yield surface */
    double p = (out->T[0] + out->T[1] + out->T[2]) / 3.0, xi[6];
    for (int k = 0; k < 6; k++) xi[k] = out->T[k] - (k < 3 ? p : 0.0) - old->X[k];
    double size = sqrt(dot_stress(xi, xi)), b = law->isotropic,
           Y0    = kl_yield_at(law, old->a, &slope);
    double limit = ROOT23 * (b * Y0 + (1.0 - b) * law->yield[0].stress);
    if (size <= limit) {
        out->stored = 0.5 * work_of(out->T, elastic);
        if (D) stiffness(law, 1.0, 0.0, none, D);
        return;
    }

    /* return along n */
    double n[6], flow[6], g = multiplier(law, size, old->a, &slope), a = old->a + ROOT23 * g,
                          unused;
    double back = ROOT23 * (1.0 - b) * (kl_yield_at(law, a, &unused) - Y0);
    for (int k = 0; k < 6; k++) {
        n[k]    = xi[k] / size;
        flow[k] = g * n[k] * (k < 3 ? 1.0 : 2.0);
        out->T[k] -= 2.0 * law->mu * g * n[k];
        elastic[k] -= flow[k];
    }
    out->stored = 0.5 * work_of(out->T, elastic);
    out->a      = a;
    /* along n the stress grows by sqrt(2/3) (Y(a) - Y0) while it flows: its mean does the work */
    out->work += work_of(out->T, flow) - 0.5 * g * ROOT23 * (kl_yield_at(law, a, &unused) - Y0);
    if (D) {
        double theta = 1.0 - 2.0 * law->mu * g / size;
        stiffness(law, theta, 1.0 / (1.0 + slope / (3.0 * law->mu)) - (1.0 - theta), n, D);
    }
    if (!new) return;
    for (int k = 0; k < 6; k++) {
        new->Ep[k] += flow[k];
        new->X[k] += back *n[k];
    }
    new->a = a, new->work = out->work;
}
