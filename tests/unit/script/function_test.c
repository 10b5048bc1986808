#include "script/function.h"

#include <string.h>

#include "unit/test.h"

/* Derivatives of f at x against central differences of the one below; h near the optimum. */
static void check_derivatives(const kl_function *f, double x, const double *u, double tolerance)
{
    double h = 1e-5, at[3], up[3], down[3];
    kl_function_eval(f, x, u, at);
    kl_function_eval(f, x + h, u, up);
    kl_function_eval(f, x - h, u, down);
    assert_close(at[1], (up[0] - down[0]) / (2 * h), tolerance);
    assert_close(at[2], (up[1] - down[1]) / (2 * h), tolerance);
}

static void derivatives_are_those_of_the_value(void **unused)
{
    (void)unused;
    kl_arena    *a   = kl_arena_create();
    double       c[] = {1, -2, 0.5, 3};
    double       x[] = {0, 0.7, 1.1, 2, 3}, y[] = {1, 2, 0, -1, 4}, u[] = {5, 7};
    kl_function *parts[] = {
        kl_function_constant(a, 3),
        kl_function_polynomial(a, c, 4),
        kl_function_harmonic(a, 1, 2, 3, 0.4),
        kl_function_table(a, x, y, 5, true, NULL, KL_NOWHERE),
        kl_function_step(a, 0.5, 1, 2.5, -4),
        kl_function_input(a, 1, NULL),
    };
    int          n   = sizeof parts / sizeof *parts;
    kl_function *all = kl_function_sum(a, parts, n);
    for (double t = 0.123; t < 2.9; t += 0.0931) {
        double sum[3] = {0}, out[3];
        for (int i = 0; i < n; i++) {
            check_derivatives(parts[i], t, u, 1e-7);
            kl_function_eval(parts[i], t, u, out);
            for (int k = 0; k < 3; k++) sum[k] += out[k];
        }
        check_derivatives(all, t, u, 1e-7);
        kl_function_eval(all, t, u, out);
        for (int k = 0; k < 3; k++) assert_close(out[k], sum[k], 1e-13 * (1 + fabs(sum[k])));
    }
    double out[3];
    kl_function_eval(parts[1], 2, NULL, out);
    assert_true(out[0] == 1 - 4 + 2 + 24 && out[1] == -2 + 2 + 36 && out[2] == 1 + 36);
    kl_function_eval(parts[5], 2, u, out);
    assert_true(out[0] == 7 && out[1] == 0 && out[2] == 0);
    kl_arena_destroy(a);
}

static void a_step_joins_both_levels_twice_differentiably(void **unused)
{
    (void)unused;
    kl_arena    *a = kl_arena_create();
    kl_function *f = kl_function_step(a, 1, 10, 3, 20), *back = kl_function_step(a, 3, 20, 1, 10);
    double       out[3], other[3], eps = 1e-7;
    for (int end = 0; end < 2; end++)
        for (int side = -1; side <= 1; side += 2) {
            kl_function_eval(f, (end ? 3 : 1) + side * eps, NULL, out);
            assert_close(out[0], end ? 20 : 10, 1e-12);
            assert_close(out[1], 0, 1e-11);
            assert_close(out[2], 0, 1e-5);
        }
    for (double x = 0; x < 4; x += 0.01) {
        kl_function_eval(f, x, NULL, out);
        kl_function_eval(back, x, NULL, other);
        assert_true(out[1] >= 0); /* never overshoots */
        for (int k = 0; k < 3; k++) assert_true(out[k] == other[k]);
    }
    kl_function *jump = kl_function_step(a, 2, 0, 2, 1);
    kl_function_eval(jump, 2, NULL, out);
    assert_true(out[0] == 1 && out[1] == 0);
    kl_function_eval(jump, nextafter(2, 0), NULL, out);
    assert_true(out[0] == 0);
    kl_arena_destroy(a);
}

static void corners_come_sorted_and_once(void **unused)
{
    (void)unused;
    kl_arena    *a   = kl_arena_create();
    double       x[] = {0, 1, 2}, y[] = {1, 2, 0}, corner[16];
    kl_function *parts[] = {
        kl_function_step(a, 5, 0, 7, 1),
        kl_function_table(a, x, y, 3, false, NULL, KL_NOWHERE),
        kl_function_harmonic(a, 0, 1, 1, 0),
        kl_function_step(a, 1, 0, 6, 1),
    };
    kl_function *f      = kl_function_sum(a, parts, 4);
    int          enough = kl_function_corners(f, NULL, 0);
    assert_true(enough >= 6 && enough <= 16);
    assert_int_equal(kl_function_corners(f, corner, enough), 6);
    static const double expected[] = {0, 1, 2, 5, 6, 7};
    for (int i = 0; i < 6; i++) assert_true(corner[i] == expected[i]);
    assert_int_equal(kl_function_corners(parts[2], corner, 16), 0);
    assert_int_equal(kl_function_corners(kl_function_step(a, 2, 0, 2, 1), corner, 16), 1);
    kl_arena_destroy(a);
}

static void a_bad_table_says_which_point(void **unused)
{
    (void)unused;
    kl_arena *a     = kl_arena_create();
    kl_diag  *d     = kl_diag_create();
    kl_place  place = {"f.yaml", 3, 7};
    double    x[] = {0, 1, 1}, y[] = {0, 0, 0}, good[] = {0, 1, 2}, bad[] = {0, NAN, 2};
    assert_null(kl_function_table(a, x, y, 3, true, d, place));
    assert_string_equal(kl_diag_at(d, 0)->text,
                        "f.yaml:3:7: table: x must increase from point to point, but point 3 has x "
                        "= 1 after x = 1; sort the points by x and give each x once");
    assert_null(kl_function_table(a, good, bad, 3, false, d, place));
    assert_string_equal(kl_diag_at(d, 1)->text,
                        "f.yaml:3:7: table: y of point 2 is not a finite number");
    assert_null(kl_function_table(a, bad, good, 3, false, d, place));
    assert_null(kl_function_table(a, x, y, 0, false, d, place));
    assert_int_equal(kl_diag_count(d, KL_ERROR), 4);
    kl_function *parts[] = {NULL};
    assert_null(kl_function_sum(a, parts, 1));
    kl_diag_destroy(d);
    kl_arena_destroy(a);
}

static void empty_sums_and_polynomials_are_zero(void **unused)
{
    (void)unused;
    kl_arena *a = kl_arena_create();
    double    out[3];
    kl_function_eval(kl_function_sum(a, NULL, 0), 3, NULL, out);
    assert_true(out[0] == 0 && out[1] == 0 && out[2] == 0);
    kl_function_eval(kl_function_polynomial(a, NULL, 0), 3, NULL, out);
    assert_true(out[0] == 0 && out[1] == 0 && out[2] == 0);
    kl_arena_destroy(a);
}

static void a_linear_end_keeps_the_stiffness_of_a_force_law(void **unused)
{
    (void)unused;
    kl_arena    *a   = kl_arena_create();
    double       x[] = {-1, 0, 1}, y[] = {-3, 0, 5}, out[3];
    kl_function *f = kl_function_table_ends(a, x, y, 3, false, KL_ENDS_LINEAR, NULL, KL_NOWHERE);
    kl_function_eval(f, 3, NULL, out);
    assert_true(out[0] == 15 && out[1] == 5);
    kl_function_eval(f, -3, NULL, out);
    assert_true(out[0] == -9 && out[1] == 3);
    kl_arena_destroy(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(derivatives_are_those_of_the_value),
        cmocka_unit_test(a_step_joins_both_levels_twice_differentiably),
        cmocka_unit_test(corners_come_sorted_and_once),
        cmocka_unit_test(a_bad_table_says_which_point),
        cmocka_unit_test(empty_sums_and_polynomials_are_zero),
        cmocka_unit_test(a_linear_end_keeps_the_stiffness_of_a_force_law),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
