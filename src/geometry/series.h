/* Truncated power series f(x) = sum_n c[n] x^n: products, sines, roots. From them composed curves
 * get polynomials that are exact to rounding over a short stretch.
 *
 * Recurrences: Knuth, The Art of Computer Programming 2, section 4.7; for u = cos p, v = sin p from
 * u' = -v p', v' = u p'. */
#ifndef KL_GEOMETRY_SERIES_H
#define KL_GEOMETRY_SERIES_H

enum { KL_SERIES = 14 }; /* terms kept: degree 13 */

typedef struct kl_series {
    double c[KL_SERIES];
} kl_series;

/* Coefficient n of a b. */
double kl_series_product_term(const kl_series *a, const kl_series *b, int n);

kl_series kl_series_product(const kl_series *a, const kl_series *b);

/* cos and sin of a series. */
void kl_series_cos_sin(const kl_series *a, kl_series *cosine, kl_series *sine);

/* a^p for c[0] > 0. */
kl_series kl_series_power(const kl_series *a, double p);

/* Integral with the constant `c0`. */
kl_series kl_series_integral(const kl_series *a, double c0);

double kl_series_value(const kl_series *a, double x);

/* Moves the constant so that the value at x is `value`. */
void kl_series_anchor(kl_series *a, double x, double value);

/* f(x0 + x) of the polynomial f with n coefficients, n <= KL_SERIES. */
kl_series kl_series_shift(const double *coefficient, int n, double x0);

#endif
