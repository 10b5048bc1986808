/* Two subsystems that step on their own: a mass on a spring (first) and a mass that the spring pulls
 * (second) against the exact motion of both; rollback; prediction alone. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "cosim/subsystem.h"

/* first: position of the second mass in, spring force out; second: force in, position out. Each
 * takes 20 steps of the trapezoidal rule on its own, with inputs that change linearly. */
enum { SUBSTEPS = 20 };
static const double k = 100.0;

static int two(const void *data) { return (void)data, 2; }

static kl_status spring_mass(const void *data, double *s, double t, double h, const double *from,
                             const double *to, double *out)
{
    (void)data, (void)t;
    double dt = h / SUBSTEPS;
    for (int i = 1; i <= SUBSTEPS; i++) { /* m = 1, pulled by k (u - x), held by k x */
        double u0 = from[0] + (to[0] - from[0]) * (i - 1) / SUBSTEPS;
        double u1 = from[0] + (to[0] - from[0]) * i / SUBSTEPS;
        double a0 = k * (u0 - 2.0 * s[0]);
        double v  = (s[1] + 0.5 * dt * (a0 + k * (u1 - 2.0 * s[0] - dt * s[1]))) /
                   (1.0 + 0.5 * dt * dt * k);
        s[0] += 0.5 * dt * (s[1] + v);
        s[1] = v;
    }
    out[0] = k * (s[0] - to[0]);
    return KL_OK;
}

static kl_status pulled_mass(const void *data, double *s, double t, double h, const double *from,
                             const double *to, double *out)
{
    (void)data, (void)t;
    /* m = 1 under a force that changes linearly: exact */
    double f0 = from[0], slope = (to[0] - from[0]) / h;
    s[0] += h * s[1] + h * h * (f0 / 2.0 + slope * h / 6.0);
    s[1] += h * (f0 + 0.5 * slope * h);
    out[0] = s[0];
    return KL_OK;
}

static const kl_subsystem_type first_type = {
    .name = "a", .state_size = two, .advance = spring_mass};
static const kl_subsystem_type second_type = {
    .name = "b", .state_size = two, .advance = pulled_mass};

/* Error of the second mass after one second; both let go from (0, 1). */
static double error_of(double step, int iterations, int *most)
{
    kl_pair      p = {.first      = {&first_type, NULL, 1, 1},
                      .second     = {&second_type, NULL, 1, 1},
                      .step       = step,
                      .iterations = iterations,
                      .tolerance  = 1e-13};
    double       block[64];
    const double a[2] = {0.0, 0.0}, b[2] = {1.0, 0.0}, in1[1] = {1.0}, in2[1] = {-k};
    kl_exchange  report;
    assert_true(kl_pair_size(&p) <= 64);
    kl_pair_begin(&p, block, a, b, in1, in2);
    *most = 0;
    for (int i = 0; i < (int)round(1.0 / step); i++) {
        assert_int_equal(kl_pair_step(&p, i * step, block, &report), KL_OK);
        if (report.iterations > *most) *most = report.iterations;
    }
    /* x1'' = -k (2 x1 - x2), x2'' = -k (x2 - x1): two modes */
    double g = sqrt(5.0), l1 = k * (3.0 - g) / 2.0, l2 = k * (3.0 + g) / 2.0;
    double r1 = 2.0 - l1 / k, r2 = 2.0 - l2 / k; /* x2/x1 */
    double c1 = -1.0 / (r2 - r1), c2 = -c1;
    double exact = c1 * r1 * cos(sqrt(l1)) + c2 * r2 * cos(sqrt(l2));
    return fabs(kl_pair_second(&p, block)[0] - exact);
}

static void iterated_exchange_is_of_second_order(void **state)
{
    (void)state;
    int    n;
    double coarse = error_of(0.01, 50, &n), fine = error_of(0.005, 50, &n);
    print_message("error %.2e, %.2e\n", coarse, fine);
    assert_true(fine < 1e-2);
    assert_true(log2(coarse / fine) > 1.8);
    assert_true(n > 1);
}

static void without_iteration_it_is_worse(void **state)
{
    (void)state;
    int    n;
    double loose = error_of(0.005, 1, &n), tight;
    assert_int_equal(n, 1);
    tight = error_of(0.005, 50, &n);
    assert_true(loose > 3.0 * tight);
}

/* A step repeated from a copy of the block gives the same bits. */
static void a_copied_block_is_a_rollback(void **state)
{
    (void)state;
    kl_pair      p         = {.first      = {&first_type, NULL, 1, 1},
                              .second     = {&second_type, NULL, 1, 1},
                              .step       = 0.01,
                              .iterations = 9};
    double       block[64] = {0}, kept[64], ahead[64];
    const double a[2] = {0.1, 0.0}, b[2] = {1.0, 2.0}, in1[1] = {1.0}, in2[1] = {-90.0};
    kl_exchange  report;
    kl_pair_begin(&p, block, a, b, in1, in2);
    memcpy(kept, block, sizeof kept);
    assert_int_equal(kl_pair_step(&p, 0.0, block, &report), KL_OK);
    memcpy(ahead, block, sizeof ahead);
    memcpy(block, kept, sizeof block);
    assert_int_equal(kl_pair_step(&p, 0.0, block, &report), KL_OK);
    assert_memory_equal(ahead, block, sizeof ahead);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(iterated_exchange_is_of_second_order),
        cmocka_unit_test(without_iteration_it_is_worse),
        cmocka_unit_test(a_copied_block_is_a_rollback),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
