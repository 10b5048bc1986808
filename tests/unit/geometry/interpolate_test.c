#include "geometry/interpolate.h"

#include <string.h>

#include "unit/test.h"

enum { MOST = 400 };

typedef struct fit {
    int    n;
    bool   closed;
    double x[MOST + 1], f[MOST], c[6 * MOST];
} fit;

static void make(fit *t, kl_interpolation kind, const kl_end *ends)
{
    kl_arena *scratch = kl_arena_create();
    assert_int_equal(kl_interpolate(kind, t->x, t->f, 1, t->n, t->closed, ends, t->c, 1, scratch),
                     KL_OK);
    kl_arena_destroy(scratch);
}

/* derivative `order` at x - x_i on piece i */
static double value(const fit *t, int i, double x, int order)
{
    double sum = 0.0;
    for (int k = 5; k >= order; k--) {
        double factor = 1.0;
        for (int j = 0; j < order; j++) factor *= k - j;
        sum = sum * x + factor * t->c[6 * i + k];
    }
    return sum;
}

static double worst_error(const fit *t, double (*exact)(double))
{
    double worst = 0.0;
    int    np    = t->closed ? t->n : t->n - 1;
    for (int i = 0; i < np; i++)
        for (int k = 0; k <= 10; k++) {
            double x = 0.1 * k * (t->x[i + 1] - t->x[i]);
            worst    = fmax(worst, fabs(value(t, i, x, 0) - exact(t->x[i] + x)));
        }
    return worst;
}

static double wave(double x) { return sin(x) + 0.3 * cos(2.0 * x + 0.4); }

/* points at uneven steps of sin and cos over one period */
static double wave_error(kl_interpolation kind, int n, bool closed)
{
    static fit t;
    t.n = n, t.closed = closed;
    double period = 6.283185307179586;
    for (int i = 0; i < n + 1; i++) {
        double e = (double)i / (closed ? n : n - 1);
        if (i < n || closed) t.x[i] = period * (e + 0.03 * sin(period * e));
        if (i < n) t.f[i] = wave(t.x[i]);
    }
    make(&t, kind, NULL);
    return worst_error(&t, wave);
}

static double rate(kl_interpolation kind, bool closed)
{
    return log2(wave_error(kind, 40, closed) / wave_error(kind, 80, closed));
}

static void errors_fall_with_the_order_of_each_kind(void **unused)
{
    (void)unused;
    for (int closed = 0; closed < 2; closed++) {
        assert_true(rate(KL_LINEAR, closed) > 1.8);
        assert_true(rate(KL_CUBIC, closed) > 3.8);
        assert_true(rate(KL_AKIMA, closed) > 1.8);
        assert_true(rate(KL_MONOTONE, closed) > 1.8);
        assert_true(rate(KL_QUINTIC, closed) > 5.6);
    }
}

static void pieces_meet_with_the_promised_smoothness(void **unused)
{
    (void)unused;
    static fit t;
    for (int closed = 0; closed < 2; closed++)
        for (int kind = 0; kind < KL_CONCAVITY; kind++) {
            t.n = 12, t.closed = closed;
            for (int i = 0; i <= t.n; i++) t.x[i] = i + 0.3 * sin(1.7 * i);
            for (int i = 0; i < t.n; i++) t.f[i] = sin(2.1 * i) + 0.2 * i * (t.n - i);
            make(&t, (kl_interpolation)kind, NULL);
            int np     = closed ? t.n : t.n - 1,
                smooth = kl_interpolation_smoothness((kl_interpolation)kind);
            for (int i = closed ? 0 : 1; i < np; i++) {
                int    before = i > 0 ? i - 1 : np - 1;
                double h      = t.x[before + 1] - t.x[before];
                for (int order = 0; order <= smooth; order++)
                    assert_close(value(&t, before, h, order), value(&t, i, 0.0, order), 1e-8);
            }
        }
}

static void polynomials_come_back(void **unused)
{
    (void)unused;
    static fit t;
    /* free ends: a cubic through cubic data, a quintic through quintic data, a line by all */
    for (int n = 2; n < 9; n++) {
        int degree[KL_CONCAVITY] = {1, n < 4 ? n - 1 : 3, 1, 1, n < 6 ? n - 1 : 5};
        for (int kind = 0; kind < KL_CONCAVITY; kind++) {
            t.n = n, t.closed = false;
            for (int i = 0; i < n; i++) {
                t.x[i] = i + 0.2 * i * i, t.f[i] = 0.0;
                for (int k = 0; k <= degree[kind]; k++) t.f[i] += (k + 1) * pow(0.3 * t.x[i], k);
            }
            make(&t, (kl_interpolation)kind, NULL);
            for (int i = 0; i < n - 1; i++) {
                double x = 0.37 * (t.x[i + 1] - t.x[i]), want = 0.0, size = 0.0;
                for (int k = 0; k <= degree[kind]; k++) {
                    want += (k + 1) * pow(0.3 * (t.x[i] + x), k);
                    size = fmax(size, fabs(want));
                }
                assert_close(value(&t, i, x, 0), want, 1e-10 * size);
            }
        }
    }
}

/* Akima's own data (1970): a cubic spline swings under zero and over the step. */
static void fill_step(fit *t)
{
    static const double x[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    static const double f[] = {10, 10, 10, 10, 10, 10, 10.5, 15, 50, 60, 85};
    t->n = 11, t->closed = false;
    memcpy(t->x, x, sizeof x);
    memcpy(t->f, f, sizeof f);
}

static double overshoot(const fit *t)
{
    double worst = 0.0;
    for (int i = 0; i < t->n - 1; i++)
        for (int k = 0; k <= 100; k++) {
            double y   = value(t, i, 0.01 * k * (t->x[i + 1] - t->x[i]), 0);
            double low = fmin(t->f[i], t->f[i + 1]), high = fmax(t->f[i], t->f[i + 1]);
            worst = fmax(worst, fmax(low - y, y - high));
        }
    return worst;
}

static void monotone_never_overshoots_where_cubic_does(void **unused)
{
    (void)unused;
    static fit t;
    fill_step(&t);
    make(&t, KL_CUBIC, NULL);
    assert_true(overshoot(&t) > 1.0);
    make(&t, KL_MONOTONE, NULL);
    assert_close(overshoot(&t), 0.0, 1e-12);
    /* and on many random steps, closed or not */
    unsigned seed = 1;
    for (int trial = 0; trial < 200; trial++) {
        t.n = 20, t.closed = trial % 2;
        for (int i = 0; i <= t.n; i++) {
            seed   = seed * 1664525u + 1013904223u;
            t.x[i] = (i > 0 ? t.x[i - 1] : 0.0) + 0.05 + (seed >> 8) / 16777216.0;
            if (i < t.n) t.f[i] = ((seed >> 16) & 255u) * 0.01;
        }
        make(&t, KL_MONOTONE, NULL);
        assert_close(overshoot(&t), 0.0, 1e-12);
    }
}

static void end_slopes_are_met(void **unused)
{
    (void)unused;
    static fit   t;
    const kl_end ends[2] = {{KL_END_SLOPE, 0.7}, {KL_END_SLOPE, -1.3}};
    for (int kind = KL_CUBIC; kind < KL_CONCAVITY; kind++)
        for (int n = 2; n < 6; n++) {
            t.n = n, t.closed = false;
            for (int i = 0; i < n; i++) t.x[i] = 1.5 * i, t.f[i] = cos(i);
            make(&t, (kl_interpolation)kind, ends);
            assert_close(value(&t, 0, 0.0, 1), 0.7, 1e-12);
            assert_close(value(&t, n - 2, 1.5, 1), -1.3, 1e-12);
        }
}

static void natural_ends_bend_nothing(void **unused)
{
    (void)unused;
    static fit   t;
    const kl_end ends[2] = {{KL_END_NATURAL, 0}, {KL_END_NATURAL, 0}};
    t.n = 9, t.closed = false;
    for (int i = 0; i < t.n; i++) t.x[i] = i, t.f[i] = cos(2 * i);
    make(&t, KL_CUBIC, ends);
    assert_close(value(&t, 0, 0.0, 2), 0.0, 1e-12);
    assert_close(value(&t, t.n - 2, 1.0, 2), 0.0, 1e-12);
    make(&t, KL_QUINTIC, ends);
    assert_close(value(&t, 0, 0.0, 3), 0.0, 1e-10);
    assert_close(value(&t, 0, 0.0, 4), 0.0, 1e-10);
    assert_close(value(&t, t.n - 2, 1.0, 4), 0.0, 1e-10);
}

static void senseless_input_is_refused(void **unused)
{
    (void)unused;
    double    x[3] = {0, 1, 1}, f[3] = {0}, c[18];
    kl_arena *s = kl_arena_create();
    assert_int_equal(kl_interpolate(KL_CUBIC, x, f, 1, 3, false, NULL, c, 1, s), KL_E_USAGE);
    assert_int_equal(kl_interpolate(KL_CUBIC, x, f, 1, 1, false, NULL, c, 1, s), KL_E_USAGE);
    assert_int_equal(kl_interpolate(KL_CUBIC, x, f, 1, 2, true, NULL, c, 1, s), KL_E_USAGE);
    kl_interpolation kind;
    assert_false(kl_interpolation_find("cubik", &kind));
    assert_true(kl_interpolation_find("shape-preserving", &kind));
    kl_arena_destroy(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_fall_with_the_order_of_each_kind),
        cmocka_unit_test(pieces_meet_with_the_promised_smoothness),
        cmocka_unit_test(polynomials_come_back),
        cmocka_unit_test(monotone_never_overshoots_where_cubic_does),
        cmocka_unit_test(end_slopes_are_met),
        cmocka_unit_test(natural_ends_bend_nothing),
        cmocka_unit_test(senseless_input_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
