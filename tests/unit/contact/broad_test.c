/* Sweep and prune finds the pairs of boxes that overlap, all of them, in the same order always. */
#include <stdio.h>

#include "unit/test.h"

#include "contact/broad.h"

static unsigned long long seed = 7;

static double uniform(double a, double b)
{
    seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
    return a + (b - a) * (double)(seed >> 11) / 9007199254740992.0;
}

static void it_finds_what_a_double_loop_finds(void **unused)
{
    (void)unused;
    enum { N = 60 };
    kl_arena *arena = kl_arena_create();
    kl_broad *b     = kl_broad_create(N, arena);
    int       pair[N * N][2];
    for (int round = 0; round < 50; round++) {
        for (int i = 0; i < N; i++) {
            kl_vec3 c     = kl_vec(uniform(-5, 5), uniform(-2, 2), uniform(-1, 1));
            double  r     = uniform(0.1, 0.8);
            b->box[i].low = kl_sub(c, kl_vec(r, r, r)), b->box[i].high = kl_add(c, kl_vec(r, r, r));
        }
        b->box[3].low  = kl_vec(-INFINITY, -INFINITY, -INFINITY); /* a plane */
        b->box[3].high = kl_neg(b->box[3].low);
        int n = kl_broad_pairs(b, pair, N * N), k = 0;
        for (int i = 0; i < N; i++)
            for (int j = i + 1; j < N; j++) {
                kl_vec3 al = b->box[i].low, ah = b->box[i].high, bl = b->box[j].low,
                        bh = b->box[j].high;
                if (ah.x < bl.x || bh.x < al.x || ah.y < bl.y || bh.y < al.y || ah.z < bl.z ||
                    bh.z < al.z)
                    continue;
                assert_true(k < n);
                assert_int_equal(pair[k][0], i);
                assert_int_equal(pair[k][1], j);
                k++;
            }
        assert_int_equal(k, n);
    }
    kl_arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(it_finds_what_a_double_loop_finds)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
