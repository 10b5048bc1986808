#include "script/characteristic.h"

#include <math.h>

bool kl_characteristic_init(kl_characteristic *c, kl_arena *a, const kl_function *f)
{
    *c = (kl_characteristic){.f = f, .ncorner = kl_function_corners(f, NULL, 0)};
    if (c->ncorner == 0) return true;
    double *corner = kl_arena_array(a, double, c->ncorner);
    if (!corner) return false;
    c->ncorner = kl_function_corners(f, corner, c->ncorner);
    c->corner  = corner;
    return true;
}

/* Integral between corners: Gauss with five points on n panels. */
static double panels(const kl_function *f, double from, double to, int n, const double *u)
{
    static const double at[5] = {-0.9061798459386640, -0.5384693101056831, 0, 0.5384693101056831,
                                 0.9061798459386640};
    static const double weight[5] = {0.2369268850561891, 0.4786286704993665, 0.5688888888888889,
                                     0.4786286704993665, 0.2369268850561891};
    double              sum = 0.0, half = 0.5 * (to - from) / n;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 5; k++) {
            double y[3];
            kl_function_eval(f, from + half * (2 * i + 1 + at[k]), u, y);
            sum += weight[k] * half * y[0];
        }
    return sum;
}

double kl_characteristic_work(const kl_characteristic *c, double x, const double *u)
{
    /* tables of force laws are polynomials of third degree between their points, which are all corners:
     * one panel is exact */
    int    n   = c->ncorner > 0 && !kl_function_hides(c->f) ? 1 : 16;
    double sum = 0.0, from = 0.0;
    for (int i = 0; i < c->ncorner; i++) {
        double corner = c->corner[x > 0.0 ? i : c->ncorner - 1 - i];
        if (corner * x <= 0.0 || fabs(corner) >= fabs(x)) continue;
        sum += panels(c->f, from, corner, n, u);
        from = corner;
    }
    return sum + panels(c->f, from, x, n, u);
}
