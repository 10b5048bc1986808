#include "geometry/series.h"

#include <math.h>

double kl_series_product_term(const kl_series *a, const kl_series *b, int n)
{
    double sum = 0.0;
    for (int k = 0; k <= n; k++) sum += a->c[k] * b->c[n - k];
    return sum;
}

kl_series kl_series_product(const kl_series *a, const kl_series *b)
{
    kl_series r;
    for (int n = 0; n < KL_SERIES; n++) r.c[n] = kl_series_product_term(a, b, n);
    return r;
}

void kl_series_cos_sin(const kl_series *a, kl_series *cosine, kl_series *sine)
{
    cosine->c[0] = cos(a->c[0]);
    sine->c[0]   = sin(a->c[0]);
    for (int n = 1; n < KL_SERIES; n++) {
        double u = 0.0, v = 0.0;
        for (int k = 1; k <= n; k++) {
            u -= k * a->c[k] * sine->c[n - k];
            v += k * a->c[k] * cosine->c[n - k];
        }
        cosine->c[n] = u / n;
        sine->c[n]   = v / n;
    }
}

kl_series kl_series_power(const kl_series *a, double p)
{
    kl_series r = {{pow(a->c[0], p)}};
    for (int n = 1; n < KL_SERIES; n++) {
        double sum = 0.0;
        for (int k = 1; k <= n; k++) sum += ((p + 1.0) * k - n) * a->c[k] * r.c[n - k];
        r.c[n] = sum / (n * a->c[0]);
    }
    return r;
}

kl_series kl_series_integral(const kl_series *a, double c0)
{
    kl_series r = {{c0}};
    for (int n = 1; n < KL_SERIES; n++) r.c[n] = a->c[n - 1] / n;
    return r;
}

double kl_series_value(const kl_series *a, double x)
{
    double sum = 0.0;
    for (int n = KL_SERIES - 1; n >= 0; n--) sum = sum * x + a->c[n];
    return sum;
}

void kl_series_anchor(kl_series *a, double x, double value)
{
    a->c[0] = 0.0;
    a->c[0] = value - kl_series_value(a, x);
}

kl_series kl_series_shift(const double *coefficient, int n, double x0)
{
    kl_series r = {{0}};
    /* Horner's scheme in the variable x0 + x */
    for (int k = n - 1; k >= 0; k--) {
        for (int j = KL_SERIES - 1; j > 0; j--) r.c[j] = r.c[j] * x0 + r.c[j - 1];
        r.c[0] = r.c[0] * x0 + coefficient[k];
    }
    return r;
}
