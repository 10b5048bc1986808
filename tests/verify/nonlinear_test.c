/* Nonlinear bodies against CalculiX: the decks are made by tests/data/calculix/cases.py, its answers are
 * in tests/data/reference/calculix. With ten-node tetrahedra and Green's strain both programs have the
 * same element and material. Each row of a reference is one unit of time of the example. */
#include "verify/example.h"

#include "unit/csv_table.h"

static example one;

static table reference(const char *name)
{
    char path[512];
    snprintf(path, sizeof path, "%s/tests/data/reference/calculix/%s.csv", KL_SOURCE_DIR, name);
    return table_read(path);
}

/* Largest difference of channel i (less where it starts) from column c, over the largest value; row k of the
 * reference at time (k + 1) * every. */
static double apart(const table *t, int c, int i, const int *row)
{
    double most = 0.0, off = 0.0;
    for (int k = 0; k < t->rows; k++) {
        double r = t->values[k * t->columns + c];
        int    n = row ? row[k] : k + 1;
        most     = fmax(most, fabs(r));
        off      = fmax(off, fabs(one.value[n][i] - one.value[0][i] - r));
    }
    return off / most;
}

static void cantilever(const char *name, const char *set, double tolerance)
{
    static const char *const channels[] = {"x_m", "z_m", NULL};
    table                    t          = reference(name);
    example_run("large-cantilever", set, 6.0, 1.0, channels, &one);
    double x = apart(&t, 1, 0, NULL), z = apart(&t, 2, 1, NULL);
    print_message("%s: x %.2g, z %.2g of the largest\n", name, x, z);
    assert_true(x < 2 * tolerance && z < tolerance);
    table_free(&t);
}

static void a_cantilever_bends_as_in_calculix(void **state)
{
    (void)state;
    cantilever("cantilever-C3D10-20x1x1", "elements=tet10 nz=1", 5e-6);
    cantilever("cantilever-C3D8I-20x1x2", "", 1e-3);
}

static void ring(const char *name, const char *set, double tolerance)
{
    static const char *const channels[] = {"x_m", "y_m", "z_m", NULL};
    static const int         row[]      = {1, 2, 4, 8};
    table                    t          = reference(name);
    example_run("slit-ring", set, 8.0, 1.0, channels, &one);
    double off[3];
    for (int i = 0; i < 3; i++) off[i] = apart(&t, 1 + i, i, row);
    print_message("%s: x %.2g, y %.2g, z %.2g\n", name, off[0], off[1], off[2]);
    assert_true(off[0] < 4 * tolerance && off[1] < tolerance && off[2] < 4 * tolerance);
    table_free(&t);
}

static void a_slit_ring_rises_as_in_calculix(void **state)
{
    (void)state;
    ring("ring-C3D10-40x1x2", "elements=tet10 nz=2", 2e-5);
    ring("ring-C3D8I-60x1x6", "", 4e-3);
}

/* Faces that converge: with 20 cells around, each turns by 18 degrees. Elements of plates lock there in transverse shear unless
 * their shear strains are free to vary: nine strain modes rise 7 % too little at the full load and 15 % at an eighth of it. The
 * mesh of 60 x 1 x 6 cells is the reference; CalculiX's own element, which does not pass the patch test, is 5 % off on 20 x 1 x 2. */
static void faces_that_converge_do_not_lock(void **state)
{
    (void)state;
    static const char *const channels[] = {"x_m", "y_m", "z_m", NULL};
    static const int         row[]      = {1, 2, 4, 8};
    table  fine = reference("ring-C3D8I-60x1x6"), coarse = reference("ring-C3D8I-20x1x2");
    double theirs = 0.0;
    example_run("slit-ring", "nx=20 nz=2", 8.0, 1.0, channels, &one);
    double full = apart(&fine, 2, 1, row), least = one.value[1][1] - one.value[0][1];
    for (int k = 0; k < fine.rows; k++)
        theirs = fmax(theirs, fabs(coarse.values[4 * k + 2] - fine.values[4 * k + 2]));
    theirs /= fine.values[4 * 3 + 2];
    print_message("ring of 20 cells: %.2g of the largest, %.2g at 50 N; C3D8I %.2g\n", full,
                  1.0 - least / fine.values[2], theirs);
    assert_true(full < 0.6 * theirs);
    assert_true(fabs(1.0 - least / fine.values[2]) < 0.03);
    table_free(&fine), table_free(&coarse);
}

/* force at a displacement, by the parabola through the three rows about it */
static double force_at(double down)
{
    int k = 1;
    while (k < one.n - 2 && one.value[k][0] < down) k++;
    double f = 0.0;
    for (int i = k - 1; i <= k + 1; i++) {
        double w = one.value[i][1];
        for (int j = k - 1; j <= k + 1; j++)
            if (j != i) w *= (down - one.value[j][0]) / (one.value[i][0] - one.value[j][0]);
        f += w;
    }
    return f;
}

static void an_arch_snaps_as_in_calculix(void **state)
{
    (void)state;
    static const char *const channels[] = {"down_m", "force_N", NULL};
    table                    t          = reference("arch-C3D8I-80x2x1");
    double                   most = 0.0, off = 0.0;
    example_run("snapping-arch", "", 60.0, 1.0, channels, &one);
    for (int k = 0; k < t.rows; k++) {
        most = fmax(most, t.values[2 * k + 1]);
        off  = fmax(off, fabs(force_at(t.values[2 * k]) - t.values[2 * k + 1]));
    }
    print_message("arch: %.2g of the limit load\n", off / most);
    assert_true(off < 0.01 * most);
    table_free(&t);
}

static void a_bar_yields_as_in_calculix(void **state)
{
    (void)state;
    static const char *const channels[] = {"force_N", NULL};
    static const int         row[]      = {5, 10, 15, 20, 25, 30};
    table                    t          = reference("bar-C3D10-4x2x2");
    example_run("tension-bar", "elements=tet10 nx=4", 6.0, 0.2, channels, &one);
    double off = apart(&t, 1, 0, row);
    print_message("bar: %.2g\n", off);
    assert_true(off < 2e-3); /* CalculiX has another elastic law under its plasticity */
    table_free(&t);
}

static void a_bent_beam_springs_back_as_in_calculix(void **state)
{
    (void)state;
    static const char *const channels[] = {"x_m", "z_m", NULL};
    static const int         row[]      = {2, 4, 6, 8, 10, 12};
    table                    t          = reference("bending-C3D10-20x1x2");
    example_run("plastic-bending", "elements=tet10 nx=20 nz=2", 6.0, 0.5, channels, &one);
    double off = apart(&t, 2, 1, row);
    print_message("bending: %.2g\n", off);
    assert_true(off < 3e-4);
    table_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cantilever_bends_as_in_calculix),
        cmocka_unit_test(a_slit_ring_rises_as_in_calculix),
        cmocka_unit_test(faces_that_converge_do_not_lock),
        cmocka_unit_test(an_arch_snaps_as_in_calculix),
        cmocka_unit_test(a_bar_yields_as_in_calculix),
        cmocka_unit_test(a_bent_beam_springs_back_as_in_calculix),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
