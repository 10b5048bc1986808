#include "algebra/rank.h"

#include <math.h>

#include "unit/test.h"

/* Rows i: x_i - x_i+1 = 0, closed to a ring: n columns, n rows, rank n - 1. */
static kl_rank *ring(int n, bool in_order)
{
    int size[200] = {0};
    for (int i = 0; i < n; i++) size[i] = 1;
    kl_rank *r = kl_rank_create(n, size);
    for (int i = 0; i < n; i++) {
        int    group[]  = {i, (i + 1) % n};
        double values[] = {1.0, -1.0};
        kl_rank_add(r, 1, 2, group, values);
    }
    assert_int_equal(kl_rank_eliminate(r, 1e-10, in_order), KL_OK);
    return r;
}

static void ring_has_one_null_vector_of_equal_entries(void **unused)
{
    (void)unused;
    for (int order = 0; order < 2; order++) {
        kl_rank *r      = ring(150, order);
        double   x[200] = {0};
        assert_int_equal(kl_rank_value(r), 149);
        assert_int_equal(kl_rank_nullity(r), 1);
        x[kl_rank_free(r)[0]] = 2.5;
        kl_rank_null(r, x);
        for (int i = 0; i < 150; i++) assert_close(x[i], 2.5, 1e-12);
        kl_rank_destroy(r);
    }
}

static void in_order_the_last_column_is_free(void **unused)
{
    (void)unused;
    kl_rank *r = ring(20, true);
    assert_int_equal(kl_rank_free(r)[0], 19);
    kl_rank_destroy(r);
}

static void columns_that_nothing_touches_are_free(void **unused)
{
    (void)unused;
    int      size[] = {2, 3};
    int      group  = 1;
    double   row[]  = {1.0, 2.0, 3.0};
    kl_rank *r      = kl_rank_create(2, size);
    kl_rank_add(r, 1, 1, &group, row);
    assert_int_equal(kl_rank_eliminate(r, 1e-10, false), KL_OK);
    assert_int_equal(kl_rank_value(r), 1);
    assert_int_equal(kl_rank_nullity(r), 4);
    kl_rank_destroy(r);
}

static void null_vectors_are_orthogonal_to_the_rows(void **unused)
{
    (void)unused;
    enum { N = 6, ROWS = 4 };
    int      size[] = {2, 3, 1}, group[] = {0, 1, 2};
    double   A[ROWS * N];
    unsigned seed = 3;
    for (int i = 0; i < ROWS * N; i++) {
        seed = seed * 1664525u + 1013904223u;
        A[i] = (double)(seed >> 8) / 8388608.0 - 1.0;
    }
    for (int j = 0; j < N; j++) A[3 * N + j] = A[j] - 2.0 * A[N + j]; /* row 3 depends on 0 and 1 */
    kl_rank *r = kl_rank_create(3, size);
    kl_rank_add(r, ROWS, 3, group, A);
    assert_int_equal(kl_rank_eliminate(r, 1e-10, false), KL_OK);
    assert_int_equal(kl_rank_value(r), 3);
    for (int k = 0; k < kl_rank_nullity(r); k++) {
        double x[N]           = {0};
        x[kl_rank_free(r)[k]] = 1.0;
        kl_rank_null(r, x);
        for (int i = 0; i < ROWS; i++) {
            double sum = 0.0;
            for (int j = 0; j < N; j++) sum += A[i * N + j] * x[j];
            assert_close(sum, 0.0, 1e-12);
        }
    }
    kl_rank_destroy(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ring_has_one_null_vector_of_equal_entries),
        cmocka_unit_test(in_order_the_last_column_is_free),
        cmocka_unit_test(columns_that_nothing_touches_are_free),
        cmocka_unit_test(null_vectors_are_orthogonal_to_the_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
