#include "algebra/filter.h"

#include <math.h>

static const double         PI = 3.141592653589793;
static const double complex J  = (double complex)I;

/* Pole k of the analog Butterworth low-pass of order n with corner 1 rad/s, upper half plane. */
static double complex prototype_pole(int k, int order)
{
    return cexp(J * PI * (2.0 * k + order + 1.0) / (2.0 * order));
}

/* The section of a pole pair p, conj(p) of the s-plane under s = (z - 1)/(z + 1) (time scaled so
 * that the tangents of the prewarped corners are frequencies), with numerator b as given. */
static kl_section section_of(double complex p, double b0, double b1, double b2)
{
    /* (s - p)(s - p*) (z + 1)^2 = (z - 1)^2 - 2 Re p (z - 1)(z + 1) + |p|^2 (z + 1)^2 */
    double re = creal(p), power = re * re + cimag(p) * cimag(p);
    double a0 = 1.0 - 2.0 * re + power;
    return (kl_section){.b0 = b0 / a0,
                        .b1 = b1 / a0,
                        .b2 = b2 / a0,
                        .a1 = (2.0 * power - 2.0) / a0,
                        .a2 = (1.0 + 2.0 * re + power) / a0};
}

kl_status kl_filter_lowpass(kl_filter *f, int order, double corner, double rate)
{
    f->n = 0;
    if (order < 2 || order % 2 || order / 2 > KL_FILTER_MOST) return KL_E_RANGE;
    if (!(corner > 0.0) || !(corner < 0.5 * rate)) return KL_E_RANGE;
    double w = tan(PI * corner / rate);
    for (int k = 0; k < order / 2; k++)
        f->section[f->n++] = section_of(w * prototype_pole(k, order), w * w, 2.0 * w * w, w * w);
    return KL_OK;
}

kl_status kl_filter_bandpass(kl_filter *f, int order, double low, double high, double rate)
{
    f->n = 0;
    if (order < 2 || order % 2 || order > KL_FILTER_MOST) return KL_E_RANGE;
    if (!(low > 0.0) || !(high > low) || !(high < 0.5 * rate)) return KL_E_RANGE;
    double a = tan(PI * low / rate), b = tan(PI * high / rate), wide = b - a, middle = a * b;
    for (int k = 0; k < order / 2; k++) {
        /* s -> (s^2 + a b)/(wide s): each pole of the prototype becomes two */
        double complex p    = 0.5 * wide * prototype_pole(k, order);
        double complex root = csqrt(p * p - middle);
        /* numerator wide s (z + 1)^2 = wide (z^2 - 1) */
        f->section[f->n++] = section_of(p + root, wide, 0.0, -wide);
        f->section[f->n++] = section_of(p - root, wide, 0.0, -wide);
    }
    return KL_OK;
}

double complex kl_filter_gain(const kl_filter *f, double frequency, double rate)
{
    double complex z = cexp(-J * 2.0 * PI * frequency / rate), gain = 1.0;
    for (int k = 0; k < f->n; k++) {
        const kl_section *s = &f->section[k];
        gain *= (s->b0 + s->b1 * z + s->b2 * z * z) / (1.0 + s->a1 * z + s->a2 * z * z);
    }
    return gain;
}

/* Passes x[first], x[first + step], ... through one section. */
static void run_section(const kl_section *s, double *x, int n, int first, int step)
{
    double x1 = x[first], x2 = x1;
    double y1 = x1 * (s->b0 + s->b1 + s->b2) / (1.0 + s->a1 + s->a2), y2 = y1;
    for (int i = 0; i < n; i++) {
        double now = x[first + i * step];
        double y   = s->b0 * now + s->b1 * x1 + s->b2 * x2 - s->a1 * y1 - s->a2 * y2;
        x2 = x1, x1 = now, y2 = y1, y1 = y;
        x[first + i * step] = y;
    }
}

void kl_filter_run(const kl_filter *f, double *x, int n)
{
    for (int k = 0; k < f->n && n > 0; k++) run_section(&f->section[k], x, n, 0, 1);
}

void kl_filter_run_both_ways(const kl_filter *f, double *x, int n)
{
    kl_filter_run(f, x, n);
    for (int k = 0; k < f->n && n > 0; k++) run_section(&f->section[k], x, n, n - 1, -1);
}
