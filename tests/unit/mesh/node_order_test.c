/* The order of unknowns: a permutation, the same each time, neighbours near each other. */
#include "mesh/node_order.h"

#include <stdlib.h>

#include "algebra/order.h"
#include "unit/test.h"

enum { SIDE = 12, COUNT = SIDE * SIDE * SIDE };

/* a grid in an order that a mesher might choose: far jumps between neighbours */
static void scattered_grid(kl_vec3 *x)
{
    for (int i = 0; i < COUNT; i++) {
        int k = (int)((i * 941L) % COUNT); /* 941 is prime to the count */
        x[i]  = kl_vec(k % SIDE, k / SIDE % SIDE, k / (SIDE * SIDE));
    }
}

static double mean_jump(const kl_vec3 *x, const int *order)
{
    double sum = 0;
    for (int i = 1; i < COUNT; i++) {
        kl_vec3 a = x[order ? order[i - 1] : i - 1], b = x[order ? order[i] : i];
        sum += kl_norm(kl_sub(a, b));
    }
    return sum / (COUNT - 1);
}

static void assert_permutation(const int *order, int n, int base)
{
    unsigned char *seen = calloc((size_t)n, 1);
    for (int i = 0; i < n; i++) {
        assert_true(order[i] >= base && order[i] < n + base);
        assert_false(seen[order[i] - base]);
        seen[order[i] - base] = 1;
    }
    free(seen);
}

static void neighbours_in_space_become_neighbours_in_the_list(void **unused)
{
    (void)unused;
    static kl_vec3 x[COUNT];
    static int     order[COUNT];
    scattered_grid(x);
    assert_int_equal(kl_order_near(COUNT, x, order), KL_OK);
    assert_permutation(order, COUNT, 0);
    assert_true(mean_jump(x, order) < 2.0);
    assert_true(mean_jump(x, NULL) > 4.0);
}

static void points_in_one_place_or_nowhere_keep_their_order(void **unused)
{
    (void)unused;
    kl_vec3 x[4] = {{1, 2, 3}, {1, 2, 3}, {1, 2, 3}, {NAN, NAN, NAN}};
    int     order[4];
    assert_int_equal(kl_order_near(4, x, order), KL_OK);
    for (int i = 0; i < 4; i++) assert_int_equal(order[i], i);
    assert_int_equal(kl_order_near(0, x, order), KL_OK);
}

/* eliminating a square grid by dissection: the last separator cuts it in two halves */
static void dissection_is_a_permutation_and_repeats_itself(void **unused)
{
    (void)unused;
    enum { M = 40, N = M * M };
    static int row[2 * N], column[2 * N], first[N], second[N];
    int        nnz = 0;
    for (int j = 0; j < M; j++)
        for (int i = 0; i < M; i++) {
            int v = j * M + i + 1;
            if (i + 1 < M) row[nnz] = v + 1, column[nnz++] = v;
            if (j + 1 < M) row[nnz] = v + M, column[nnz++] = v;
        }
    assert_true(kl_order_dissect(N, nnz, row, column, first));
    assert_true(kl_order_dissect(N, nnz, row, column, second));
    assert_permutation(first, N, 1);
    assert_memory_equal(first, second, sizeof first);
}

/* a star: its middle touches all others and is eliminated among the last two, wherever it stands in
 * the numbering, at its ends too */
static void every_vertex_takes_part_in_the_dissection(void **unused)
{
    (void)unused;
    enum { MOST = 600 };
    static int row[MOST], column[MOST], position[MOST];
    for (int n = 50; n <= MOST; n += 275)
        for (int t = 0; t < 3; t++) {
            int nnz = 0, middle = t == 0 ? 1 : t == 1 ? n / 2 : n;
            for (int v = 1; v <= n; v++) {
                if (v == middle) continue;
                row[nnz]      = v > middle ? v : middle;
                column[nnz++] = v > middle ? middle : v;
            }
            assert_true(kl_order_dissect(n, nnz, row, column, position));
            assert_permutation(position, n, 1);
            assert_true(position[middle - 1] >= n - 1);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(neighbours_in_space_become_neighbours_in_the_list),
        cmocka_unit_test(points_in_one_place_or_nowhere_keep_their_order),
        cmocka_unit_test(every_vertex_takes_part_in_the_dissection),
        cmocka_unit_test(dissection_is_a_permutation_and_repeats_itself),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
