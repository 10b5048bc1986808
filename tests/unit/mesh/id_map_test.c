#include "unit/test.h"

#include <limits.h>
#include <stdlib.h>

#include "mesh/id_map.h"

/* Ids of every kind of spread: dense, with a stride, far away, all of them mixed. */
static int spread(int kind, int i)
{
    switch (kind) {
    case 0: return i + 1;
    case 1: return 100000 - i;
    case 2: return 4096 * i;
    case 3: return INT_MAX - 7 * i;
    default: return i % 2 ? i : 1 + (int)((unsigned)i * 2654435761u >> 1);
    }
}

static void every_id_is_found_again_and_no_other(void **unused)
{
    (void)unused;
    enum { N = 20000 };
    for (int kind = 0; kind < 5; kind++) {
        kl_id_map map = {0};
        for (int i = 0; i < N; i++) {
            if (kl_id_map_find(&map, spread(kind, i)) >= 0) continue; /* kind 4 may repeat */
            assert_true(kl_id_map_put(&map, spread(kind, i), i));
        }
        for (int i = 0; i < N; i++) {
            int index = kl_id_map_find(&map, spread(kind, i));
            assert_true(index >= 0);
            assert_int_equal(spread(kind, index), spread(kind, i));
        }
        assert_int_equal(kl_id_map_find(&map, -5), -1);
        assert_int_equal(kl_id_map_find(&map, 2000000011), -1);
        kl_id_map_free(&map);
    }
}

static void distant_ids_cost_no_table(void **unused)
{
    (void)unused;
    kl_id_map map = {0};
    assert_true(kl_id_map_put(&map, 2000000000, 0));
    assert_true(kl_id_map_put(&map, 5, 1));
    assert_true(map.ndirect < 10000);
    assert_int_equal(kl_id_map_find(&map, 2000000000), 0);
    assert_int_equal(kl_id_map_find(&map, 5), 1);
    kl_id_map_free(&map);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_id_is_found_again_and_no_other),
        cmocka_unit_test(distant_ids_cost_no_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
