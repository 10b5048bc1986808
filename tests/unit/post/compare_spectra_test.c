/* Two records of the same process are told apart no more often than asked for; a planted difference is found. */
#include "post/compare_spectra.h"

#include <math.h>
#include <stdlib.h>

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
        alarms += c.different > 0;
        kl_comparison_free(&c);
    }
    /* 30 expected; three standard deviations of a binomial count are 16 */
    print_message("%d false alarms in %d comparisons at a rate of 0.1\n", alarms, (int)TRIALS);
    assert_true(alarms >= 14 && alarms <= 46);
}

static void a_shifted_resonance_is_found_where_it_is(void **unused)
{
    (void)unused;
    unsigned long long seed  = 7;
    int                found = 0;
    for (int k = 0; k < 20; k++) {
        kl_comparison c = compare(30.0, 32.0, 0.05, &seed);
        found += c.different > 0;
        int worst = 0;
        for (int i = 0; i < c.n; i++)
            if (c.line[i].p < c.line[worst].p) worst = i;
        assert_true(c.line[worst].frequency > 26.0 && c.line[worst].frequency < 36.0);
        kl_comparison_free(&c);
    }
    assert_int_equal(found, 20);
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
        cmocka_unit_test(a_shifted_resonance_is_found_where_it_is),
        cmocka_unit_test(spectra_of_different_lengths_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
