/* Shells with large rotations against published figures (Sze, Liu, Lo 2004, Finite Elements in Analysis and
 * Design 40, 1551-1569) and the elastica. Differences fall with the mesh. */
#include "verify/example.h"

static example one;

/* relative difference of the last value of channel i */
static double apart(int i, double value) { return fabs(example_last(&one, i) / value - 1.0); }

/* Mattiasson 1981 for a tip force of 3 EI/L^2. The clamped edge is held across too, which a beam is not. */
static void a_cantilever_of_shells_is_the_elastica(void **state)
{
    (void)state;
    static const char *const channels[] = {"x_m", "z_m", NULL};
    example_run("large-cantilever", "elements=quad4 nx=40 nz=0", 6.0, 1.0, channels, &one);
    double x = apart(0, 1.0 - 0.25442), z = apart(1, 0.60325);
    print_message("cantilever of shells: x %.2g, z %.2g\n", x, z);
    assert_true(x < 2e-3 && z < 2e-3);
}

/* W_A 13.891, W_B 17.528 */
static double annular_plate(const char *set, double *outer)
{
    static const char *const channels[] = {"inner_m", "outer_m", NULL};
    example_run("slit-annular-plate", set, 10.0, 1.0, channels, &one);
    double inner = apart(0, 13.891);
    *outer       = apart(1, 17.528);
    print_message("annular plate %s: inner edge %.2g, outer edge %.2g\n", set, inner, *outer);
    return inner;
}

static void a_slit_annular_plate_rises_as_published(void **state)
{
    (void)state;
    double outer[3];
    double inner[3] = {annular_plate("nx=30", &outer[0]), annular_plate("nx=60", &outer[1]),
                       annular_plate("elements=tri3 nx=60", &outer[2])};
    assert_true(inner[1] < 5e-3 && outer[1] < 5e-3);
    assert_true(inner[1] < 0.7 * inner[0] && outer[1] < 0.7 * outer[0]);
    assert_true(inner[2] < 0.025 && outer[2] < 0.02);
}

/* W_A 2.768, U_B 4.551 */
static void a_pinched_cylinder_opens_as_published(void **state)
{
    (void)state;
    static const char *const channels[] = {"up_m", "in_m", NULL};
    example_run("pinched-cylinder", "around=24 along=8", 40.0, 2.0, channels, &one);
    double up = apart(0, 2.768), in = apart(1, 4.551);
    print_message("pinched cylinder, 24 x 8: %.2g, %.2g\n", up, in);
    assert_true(up < 0.02 && in < 0.016);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cantilever_of_shells_is_the_elastica),
        cmocka_unit_test(a_slit_annular_plate_rises_as_published),
        cmocka_unit_test(a_pinched_cylinder_opens_as_published),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
