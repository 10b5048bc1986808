/* Whether an element is inside out anywhere: known limits, and values of det J on a fine grid. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "fe/inside_out.h"
#include "fe/large_solid.h"
#include "fe/shape_functions.h"

static double noise(unsigned *seed) /* -1..1 */
{
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / 8388608.0 - 1.0;
}

static void shape_of(kl_shape shape, kl_vec3 *x)
{
    for (int a = 0; a < kl_shape_info_of(shape)->nnode; a++) {
        double r[3];
        kl_shape_node(shape, a, r);
        x[a] = kl_vec(r[0], 0.8 * r[1] + 0.1 * r[0], 1.2 * r[2] + 0.2 * r[0]);
    }
}

static double det_at(kl_shape shape, const kl_vec3 *x, const double r[3])
{
    double  N[KL_MAX_SOLID_NODES], dN[KL_MAX_SOLID_NODES][3];
    kl_vec3 c[3] = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    kl_shape_eval(shape, r, N, dN);
    for (int a = 0; a < kl_shape_info_of(shape)->nnode; a++)
        for (int k = 0; k < 3; k++) c[k] = kl_axpy(dN[a][k], x[a], c[k]);
    return kl_dot(c[0], kl_cross(c[1], c[2]));
}

/* smallest det J on a grid that contains corners, edges and faces */
static double sampled(kl_shape shape, const kl_vec3 *x)
{
    enum { N = 24 };
    double least = HUGE_VAL;
    for (int i = 0; i <= N; i++)
        for (int j = 0; j <= N; j++)
            for (int k = 0; k <= N; k++) {
                double r[3] = {(double)i / N, (double)j / N, (double)k / N};
                if (shape == KL_TET10 && i + j + k > N) continue;
                for (int c = 0; shape == KL_HEX8 && c < 3; c++) r[c] = 2 * r[c] - 1;
                least = fmin(least, det_at(shape, x, r));
            }
    return least;
}

static const kl_shape SHAPES[2] = {KL_TET10, KL_HEX8};

/* The bound is never above the smallest value, and where it refuses an element that value is below zero or
 * within a hundredth of the mean of it. */
static void bounds_hold_on_a_fine_grid(void **state)
{
    (void)state;
    unsigned seed    = 3;
    int      refused = 0, kept = 0;
    for (int i = 0; i < 400; i++) {
        kl_shape shape = SHAPES[i % 2];
        kl_vec3  x[10];
        double   wild = (shape == KL_TET10 ? 0.4 : 1.2) * (noise(&seed) + 1.0) / 2.0, centre[3];
        shape_of(shape, x);
        kl_shape_centre(shape, centre);
        double scale = det_at(shape, x, centre);
        for (int a = 0; a < kl_shape_info_of(shape)->nnode; a++) {
            kl_vec3 d = kl_vec(noise(&seed), noise(&seed), noise(&seed));
            x[a]      = kl_axpy(wild, d, x[a]);
        }
        double bound = kl_least_jacobian(shape, x, scale), seen = sampled(shape, x);
        assert_true(bound <= seen + 1e-12 * scale || (bound < 0.0 && seen < 0.0));
        if (bound < 0.0) assert_true(seen < 0.01 * scale);
        bound < 0.0 ? refused++ : kept++;
    }
    print_message("%d refused, %d kept\n", refused, kept);
    assert_true(refused > 50 && kept > 50);
}

/* A middle node at a quarter of its edge makes det J zero at the near corner: the limit is known. */
static void a_middle_node_may_go_to_the_quarter_point(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        double  part = i ? 0.26 : 0.24;
        kl_vec3 x[10];
        shape_of(KL_TET10, x);
        x[4] = kl_axpy(part, kl_sub(x[1], x[0]), x[0]);
        assert_int_equal(kl_least_jacobian(KL_TET10, x, 1.0) > 0.0, i);
    }
}

/* Four integration points do not see it: at 0.2 of the edge all of them have a volume. */
static void an_element_inside_out_at_a_corner_is_refused(void **state)
{
    (void)state;
    kl_arena      *arena = kl_arena_create();
    kl_fe_element  e     = {.shape = KL_TET10};
    kl_solid_law   law;
    kl_large_solid s;
    kl_solid_law_elastic(210e9, 0.3, &law);
    shape_of(KL_TET10, e.x);
    assert_int_equal(kl_large_solid_init(&e, &law, arena, &s), KL_OK);
    kl_vec3 x[10];
    memcpy(x, e.x, sizeof x);
    assert_false(kl_large_solid_is_inside_out(&s, x));
    x[4] = e.x[4] = kl_axpy(0.2, kl_sub(x[1], x[0]), x[0]);
    assert_true(kl_large_solid_least_volume(&s, x) > 0.2);
    assert_true(kl_large_solid_is_inside_out(&s, x));
    assert_int_equal(kl_large_solid_init(&e, &law, arena, &s), KL_E_MODEL);
    kl_arena_destroy(arena);
}

/* Two nodes at one place: det J is zero there, and the element may be used. */
static void a_collapsed_edge_is_not_inside_out(void **state)
{
    (void)state;
    kl_vec3 x[8];
    shape_of(KL_HEX8, x);
    x[1] = x[0], x[5] = x[4]; /* a wedge */
    assert_true(kl_least_jacobian(KL_HEX8, x, 1.0) == 0.0);
    x[1] = kl_add(x[0], kl_vec(-0.01, 0, 0));
    assert_true(kl_least_jacobian(KL_HEX8, x, 1.0) < 0.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bounds_hold_on_a_fine_grid),
        cmocka_unit_test(a_middle_node_may_go_to_the_quarter_point),
        cmocka_unit_test(an_element_inside_out_at_a_corner_is_refused),
        cmocka_unit_test(a_collapsed_edge_is_not_inside_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
