/* Two records of the same process are told apart no more often than asked for; a planted difference is found. */
#include "post/compare_spectra.h"

#include <math.h>
#include <stdlib.h>

#include "post/statistics.h"
#include "unit/test.h"

enum { N = 8192, SEGMENT = 512, TRIALS = 300 };
static const double PI = 3.141592653589793, RATE = 200.0;

/* Gaussian numbers by Box and Muller over a 64 bit generator. */
static double uniform(unsigned long long *s)
{
    *s = *s * 6364136223846793005ull + 1442695040888963407ull;
    return ((double)(*s >> 11) + 0.5) / 9007199254740992.0;
}

/* Noise through a resonance at f [Hz]: what a frame does to an irregular track. */
static void record(double *x, double f, unsigned long long *seed)
{
    double r = 0.97, a1 = -2.0 * r * cos(2.0 * PI * f / RATE), a2 = r * r, y1 = 0.0, y2 = 0.0;
    for (int i = -500; i < N; i++) {
        double e = sqrt(-2.0 * log(uniform(seed))) * cos(2.0 * PI * uniform(seed));
        double y = e - a1 * y1 - a2 * y2;
        y2 = y1, y1 = y;
        if (i >= 0) x[i] = y;
    }
}

/* The strength of the noise drifts like that of a track with rough and smooth sections: e^(m/2), m a
 * Gaussian process that forgets in a fraction of a window. */
static void modulate(double *x, unsigned long long *seed)
{
    double keep = exp(-4.0 / SEGMENT), m = 0.0;
    for (int i = -4 * SEGMENT; i < N; i++) {
        double e = sqrt(-2.0 * log(uniform(seed))) * cos(2.0 * PI * uniform(seed));
        m        = keep * m + sqrt(1.0 - keep * keep) * e;
        if (i >= 0) x[i] *= exp(0.5 * m);
    }
}

static kl_comparison compare(double f1, double f2, double alpha, unsigned long long *seed)
{
    static double x[N];
    kl_density    a, b;
    kl_comparison c;
    kl_welch      how = {.segment = SEGMENT};
    record(x, f1, seed);
    assert_int_equal(kl_density_find(x, N, RATE, &how, &a), KL_OK);
    record(x, f2, seed);
    assert_int_equal(kl_density_find(x, N, RATE, &how, &b), KL_OK);
    assert_int_equal(kl_spectra_compare(&a, &b, 1.0, 99.0, alpha, &c), KL_OK);
    kl_density_free(&a), kl_density_free(&b);
    return c;
}

static void false_alarms_come_at_the_asked_rate(void **unused)
{
    (void)unused;
    unsigned long long seed   = 42;
    int                alarms = 0;
    for (int k = 0; k < TRIALS; k++) {
        kl_comparison c = compare(30.0, 30.0, 0.1, &seed);
        alarms += c.differs;
        kl_comparison_free(&c);
    }
    /* 30 expected; three standard deviations of a binomial count are 16 */
    print_message("%d false alarms in %d comparisons at a rate of 0.1\n", alarms, (int)TRIALS);
    assert_true(alarms >= 14 && alarms <= 46);
}

/* As Welch's formula has it: how many of the pairs have an F ratio that it would give in one comparison of ten? */
static bool f_test(const kl_comparison *c, double freedom)
{
    for (int k = 0; k < c->n; k++) {
        double r = c->line[k].second / c->line[k].first;
        if (kl_f_distribution(fmin(r, 1.0 / r), freedom, freedom) < 0.05 / c->n) return true;
    }
    return false;
}

/* Welch's degrees of freedom are those of stationary noise: by them most pairs would differ. */
static void drifting_strength_is_no_difference(void **unused)
{
    (void)unused;
    static double      x[N];
    kl_welch           how  = {.segment = SEGMENT / 4};
    unsigned long long seed = 11;
    int                with = 0, without = 0;
    for (int k = 0; k < TRIALS; k++) {
        kl_density    d[2];
        kl_comparison c;
        for (int i = 0; i < 2; i++) {
            record(x, 30.0, &seed);
            modulate(x, &seed);
            assert_int_equal(kl_density_find(x, N, RATE, &how, &d[i]), KL_OK);
        }
        assert_int_equal(kl_spectra_compare(&d[0], &d[1], 1.0, 99.0, 0.1, &c), KL_OK);
        with += c.differs;
        without += f_test(&c, d[0].freedom);
        for (int i = 0; i < 2; i++) kl_density_free(&d[i]);
        kl_comparison_free(&c);
    }
    print_message("%d false alarms in %d comparisons at a rate of 0.1, %d by Welch's formula\n",
                  with, (int)TRIALS, without);
    assert_true(with >= 10 && with <= 46);
    assert_true(without > 100);
}

static void a_shifted_resonance_is_found_where_it_is(void **unused)
{
    (void)unused;
    unsigned long long seed  = 7;
    int                found = 0;
    for (int k = 0; k < 20; k++) {
        kl_comparison c = compare(30.0, 32.0, 0.05, &seed);
        found += c.different > 0 && c.differs;
        int worst = 0;
        for (int i = 0; i < c.n; i++)
            if (c.line[i].p < c.line[worst].p) worst = i;
        assert_true(c.line[worst].frequency > 26.0 && c.line[worst].frequency < 36.0);
        kl_comparison_free(&c);
    }
    assert_int_equal(found, 20);
}

/* The same noise, 1.5 times as strong: a level of 2.25, and no frequency by itself. */
static void a_stronger_record_has_another_level(void **unused)
{
    (void)unused;
    static double      x[N];
    unsigned long long seed = 5;
    kl_density         d[2];
    kl_comparison      c;
    for (int i = 0; i < 2; i++) {
        record(x, 30.0, &seed);
        for (int k = 0; i == 1 && k < N; k++) x[k] *= 1.5;
        assert_int_equal(kl_density_find(x, N, RATE, &(kl_welch){.segment = 128}, &d[i]), KL_OK);
    }
    assert_int_equal(kl_spectra_compare(&d[0], &d[1], 1.0, 99.0, 0.01, &c), KL_OK);
    assert_true(c.differs && c.level.different && c.different == 0 && c.p > 0.005);
    assert_close(c.level.ratio, 2.25, 0.1);
    kl_comparison_free(&c);
    /* few frequencies have no level */
    assert_int_equal(kl_spectra_compare(&d[0], &d[1], 50.0, 56.0, 0.01, &c), KL_OK);
    assert_true(c.n < KL_LEAST_LINES && c.different > 0);
    for (int i = 0; i < 2; i++) kl_density_free(&d[i]);
    kl_comparison_free(&c);
}

static void spectra_of_different_lengths_are_refused(void **unused)
{
    (void)unused;
    static double      x[N];
    unsigned long long seed = 3;
    kl_density         a, b;
    kl_comparison      c;
    record(x, 20.0, &seed);
    assert_int_equal(kl_density_find(x, N, RATE, &(kl_welch){.segment = 256}, &a), KL_OK);
    assert_int_equal(kl_density_find(x, N, RATE, &(kl_welch){.segment = 512}, &b), KL_OK);
    assert_int_equal(kl_spectra_compare(&a, &b, 0.0, 99.0, 0.05, &c), KL_E_RANGE);
    kl_density_free(&b);
    assert_int_equal(kl_spectra_compare(&a, &a, 500.0, 600.0, 0.05, &c), KL_E_RANGE);
    kl_density_free(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(false_alarms_come_at_the_asked_rate),
        cmocka_unit_test(drifting_strength_is_no_difference),
        cmocka_unit_test(a_shifted_resonance_is_found_where_it_is),
        cmocka_unit_test(a_stronger_record_has_another_level),
        cmocka_unit_test(spectra_of_different_lengths_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
