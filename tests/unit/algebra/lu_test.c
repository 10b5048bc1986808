/* Sparse factors: KLU for small matrices, MUMPS for large ones, both for any values of one pattern. */
#include "algebra/lu.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "algebra/lu_mumps.h"
#include "unit/test.h"

static double noise(unsigned *seed) /* -1..1 */
{
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / 8388608.0 - 1.0;
}

/* n^3 nodes of three unknowns, each node coupled to its neighbours, and `rows` constraints behind */
static void grid(kl_arena *a, int n, int rows, kl_pattern *p)
{
    int nodes = n * n * n;
    *p        = (kl_pattern){.n = 3 * nodes + rows};
    for (int i = 0; i < nodes; i++) {
        const int next[4] = {i, i + 1, i + n, i + n * n};
        for (int k = 0; k < 4; k++) {
            bool inside = next[k] < nodes && (k != 1 || (i + 1) % n != 0);
            if (!inside) continue;
            kl_pattern_add(a, p, 3 * i, 3, 3 * next[k], 3);
            kl_pattern_add(a, p, 3 * next[k], 3, 3 * i, 3);
        }
    }
    for (int r = 0; r < rows; r++) {
        kl_pattern_add(a, p, 3 * nodes + r, 1, 7 * r, 2);
        kl_pattern_add(a, p, 7 * r, 2, 3 * nodes + r, 1);
        kl_pattern_add(a, p, 3 * nodes + r, 1, 3 * nodes + r, 1);
    }
    assert_true(kl_pattern_close(a, p));
}

static void fill(const kl_pattern *p, int rows, double skew, double *values)
{
    unsigned seed = 3;
    int      n    = p->n - rows;
    for (int j = 0; j < p->n; j++)
        for (int i = p->start[j]; i < p->start[j + 1]; i++) {
            int    r = p->row[i];
            double v = r == j ? 12.0 : -0.3;
            if (r >= n || j >= n) v = r == j ? -1e-11 : 1.0;
            values[i] = v + (r < n && j < n ? skew * noise(&seed) : 0.0);
        }
}

static double residual(const kl_pattern *p, const double *values, const double *x, const double *b)
{
    double *r = calloc((size_t)p->n, sizeof *r), most = 0.0;
    for (int j = 0; j < p->n; j++)
        for (int i = p->start[j]; i < p->start[j + 1]; i++) r[p->row[i]] += values[i] * x[j];
    for (int i = 0; i < p->n; i++) most = fmax(most, fabs(r[i] - b[i]));
    free(r);
    return most;
}

static void check(int n, int rows, double skew, bool fronts)
{
    kl_arena  *a = kl_arena_create();
    kl_pattern p;
    grid(a, n, rows, &p);
    double  *values = kl_arena_array(a, double, p.nnz), *b = kl_arena_array(a, double, p.n);
    double  *x    = kl_arena_array(a, double, p.n);
    unsigned seed = 9;
    fill(&p, rows, skew, values);
    for (int i = 0; i < p.n; i++) b[i] = noise(&seed);
    for (int pass = 0; pass < 2; pass++) { /* factored again with other values */
        if (pass) fill(&p, rows, 0.0, values);
        memcpy(x, b, (size_t)p.n * sizeof *x);
        if (fronts) {
            kl_fronts *f = kl_fronts_create(&p);
            assert_int_equal(kl_fronts_factor(f, values), KL_OK);
            assert_int_equal(kl_fronts_solve(f, x), KL_OK);
            kl_fronts_destroy(f);
        } else {
            kl_lu *lu = kl_lu_create(&p);
            assert_int_equal(kl_lu_factor(lu, values), KL_OK);
            assert_int_equal(kl_lu_factor(lu, values), KL_OK);
            assert_int_equal(kl_lu_solve(lu, x), KL_OK);
            assert_true(kl_lu_condition(lu) > 0.0);
            kl_lu_destroy(lu);
        }
        assert_true(residual(&p, values, x, b) < 1e-10);
    }
    kl_arena_destroy(a);
}

static void small_and_large_matrices_are_solved(void **state)
{
    (void)state;
    check(3, 4, 0.1, false);
    check(3, 4, 0.1, true);
    check(3, 4, 0.0, true);
    check(14, 30, 0.0, false); /* symmetric: L D L' */
    check(14, 30, 0.1, false);
}

/* Two right-hand sides at once: the same numbers as one after the other, small matrix and large one (fronts). */
static void two_right_hand_sides_are_solved_at_once(void **state)
{
    (void)state;
    for (int n = 3; n < 20; n += 11) {
        kl_arena  *a = kl_arena_create();
        kl_pattern p;
        grid(a, n, 4, &p);
        double  *values = kl_arena_array(a, double, p.nnz), *both = kl_arena_array(a, double, 2 * p.n);
        double  *one  = kl_arena_array(a, double, p.n);
        unsigned seed = 5;
        fill(&p, 4, 0.1, values);
        kl_lu *lu = kl_lu_create(&p);
        assert_int_equal(kl_lu_factor(lu, values), KL_OK);
        for (int i = 0; i < 2 * p.n; i++) both[i] = noise(&seed);
        double *second = both + p.n;
        memcpy(one, second, (size_t)p.n * sizeof *one);
        assert_int_equal(kl_lu_solve(lu, one), KL_OK);
        assert_int_equal(kl_lu_solve_two(lu, both), KL_OK);
        for (int i = 0; i < p.n; i++) assert_true(fabs(second[i] - one[i]) <= 1e-14 * (1.0 + fabs(one[i])));
        kl_lu_destroy(lu);
        kl_arena_destroy(a);
    }
}

static void a_singular_matrix_is_told(void **state)
{
    (void)state;
    kl_arena  *a = kl_arena_create();
    kl_pattern p;
    grid(a, 4, 0, &p);
    double *values = kl_arena_array(a, double, p.nnz), *x = kl_arena_array(a, double, p.n);
    memset(values, 0, (size_t)p.nnz * sizeof *values);
    memset(x, 0, (size_t)p.n * sizeof *x);
    kl_fronts *f = kl_fronts_create(&p);
    assert_int_not_equal(kl_fronts_factor(f, values), KL_OK);
    assert_int_not_equal(kl_fronts_solve(f, x), KL_OK);
    kl_fronts_destroy(f);
    kl_arena_destroy(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_and_large_matrices_are_solved),
        cmocka_unit_test(two_right_hand_sides_are_solved_at_once),
        cmocka_unit_test(a_singular_matrix_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
