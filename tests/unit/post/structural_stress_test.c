/* Extrapolation of stress to the toe of a weld: exact for what it assumes. */
#include <math.h>

#include "post/structural_stress.h"
#include "unit/test.h"

/* sum of shares times place^power */
static double moment(const kl_weld_rule *r, int power)
{
    double sum = 0.0;
    for (int k = 0; k < r->n; k++) sum += r->share[k] * pow(r->place[k], power);
    return sum;
}

/* On an edge the plate's thickness does not matter, and a parabola through 4, 8 and 12 mm is continued to the toe. */
static void edges_take_a_parabola(void **unused)
{
    (void)unused;
    kl_weld      w = {.toe = {0, 0, 0}, .normal = {1, 0, 0}, .thickness = 0.0};
    kl_weld_rule r = kl_weld_rule_of(&w);
    assert_int_equal(r.n, 3);
    assert_close(r.place[0], 4e-3, 1e-15);
    assert_close(r.place[2], 12e-3, 1e-15);
    assert_close(moment(&r, 0), 1.0, 1e-14);
    assert_close(moment(&r, 1) / r.place[0], 0.0, 1e-14);
    assert_close(moment(&r, 2) / (r.place[0] * r.place[0]), 0.0, 1e-13);
}

/* On a face the places grow with the thickness, and a straight line is continued to the toe (to the two digits of
 * the recommendation). */
static void faces_take_a_line(void **unused)
{
    (void)unused;
    for (double t = 5e-3; t < 0.1; t *= 2.0) {
        kl_weld      w = {.toe = {0, 0, 0}, .normal = {1, 0, 0}, .thickness = t};
        kl_weld_rule r = kl_weld_rule_of(&w);
        assert_int_equal(r.n, 2);
        assert_close(r.place[1] / t, 1.0, 1e-15);
        assert_close(moment(&r, 0), 1.0, 1e-14);
        assert_close(moment(&r, 1) / t, 0.0, 5e-3);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(edges_take_a_parabola),
        cmocka_unit_test(faces_take_a_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
