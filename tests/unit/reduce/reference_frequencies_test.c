/* Frequencies of the shipped meshes against CalculiX 2.20 and an independent program (examples/).
 */
#include <stdio.h>
#include <stdlib.h>

#include "fe/assemble.h"
#include "mesh/read.h"
#include "reduce/modes.h"
#include "unit/test.h"

enum { MODES = 20 };

static void steel(kl_mesh *m, double E, double rho)
{
    kl_material material = {.name = "steel", .rho = rho, .E = E, .nu = 0.3};
    kl_property solid    = {
           .name = "all", .kind = KL_SOLID, .material = kl_mesh_add_material(m, &material)};
    int p = kl_mesh_add_property(m, &solid);
    for (int e = 0; e < m->block[KL_TET10].n; e++) m->block[KL_TET10].property[e] = p;
}

/* column 1: CalculiX, 2: 4-point mass, 3: exact mass */
static void read_reference(const char *path, int column, double *f)
{
    char  line[512];
    FILE *in = fopen(path, "r");
    assert_non_null(in);
    for (int n = 0; n < MODES && fgets(line, sizeof line, in);) {
        double v[4];
        if (sscanf(line, "%lf,%lf,%lf,%lf", &v[0], &v[1], &v[2], &v[3]) > column)
            f[n++] = v[column];
    }
    fclose(in);
}

static void compare(const char *mesh, double E, double rho, bool clamped, kl_mass_rule rule,
                    const char *reference, int column, double tolerance)
{
    kl_diag *d = kl_diag_create();
    kl_mesh *m;
    assert_int_equal(kl_mesh_read(mesh, NULL, &m, d), KL_OK);
    steel(m, E, rho);
    assert_int_equal(kl_mesh_check(m, d), KL_OK);
    kl_system s;
    assert_int_equal(kl_fe_assemble(m, rule, &s, d), KL_OK);
    unsigned char *fixed = calloc((size_t)s.ndof, 1);
    for (int i = 0; clamped && i < s.ndof; i++) fixed[i] = fabs(s.x[s.dof_node[i]].x) < 1e-9;
    kl_mode_options o = {.count = MODES, .fixed = clamped ? fixed : NULL};
    kl_modes        modes;
    assert_int_equal(kl_modes_find(&s, &o, &modes, d), KL_OK);
    assert_int_equal(modes.nrigid, clamped ? 0 : 6);
    assert_int_equal(modes.n, MODES);
    double f[MODES] = {0};
    read_reference(reference, column, f);
    for (int i = 0; i < MODES; i++) {
        assert_close(sqrt(modes.omega2[i]) / (2 * 3.14159265358979323846) / f[i], 1.0, tolerance);
        assert_true(modes.residual[i] < 1e-6);
    }
    kl_modes_free(&modes);
    kl_system_free(&s);
    kl_mesh_destroy(m);
    kl_diag_destroy(d);
    free(fixed);
}

static void calculix_frequencies_come_out_with_its_mass_rule(void **unused)
{
    (void)unused;
    kl_mass_rule four = KL_MASS_CONSISTENT_4_POINT;
    compare("examples/fe-block/block.msh", 2.1e11, 7850, false, four,
            "examples/fe-block/fe_block_free_frequencies.csv", 1, 1e-6);
    compare("examples/fe-block/block.msh", 2.1e11, 7850, true, four,
            "examples/fe-block/fe_block_clamped_frequencies.csv", 1, 1e-6);
    compare("examples/fe-rod/rod.msh", 2.068e11, 7800, false, four,
            "examples/fe-rod/fe_rod_free_frequencies.csv", 1, 1e-6);
    compare("examples/fe-rod/rod.msh", 2.068e11, 7800, true, four,
            "examples/fe-rod/fe_rod_clamped_frequencies.csv", 1, 1e-6);
    compare("examples/locomotive/frame-coarse.msh", 2.1e11, 7850, false, four,
            "examples/locomotive/frame-coarse-frequencies.csv", 1, 1e-6);
}

static void exact_mass_agrees_with_an_independent_program(void **unused)
{
    (void)unused;
    kl_mass_rule exact = KL_MASS_CONSISTENT;
    compare("examples/fe-block/block.msh", 2.1e11, 7850, false, exact,
            "examples/fe-block/fe_block_free_frequencies.csv", 3, 1e-7);
    compare("examples/fe-rod/rod.msh", 2.068e11, 7800, true, exact,
            "examples/fe-rod/fe_rod_clamped_frequencies.csv", 3, 1e-6);
}

static void block_lanczos_and_arpack_agree(void **unused)
{
    (void)unused;
    kl_diag *d = kl_diag_create();
    kl_mesh *m;
    assert_int_equal(kl_mesh_read("examples/fe-block/block.msh", NULL, &m, d), KL_OK);
    steel(m, 2.1e11, 7850);
    kl_system s;
    assert_int_equal(kl_fe_assemble(m, KL_MASS_CONSISTENT, &s, d), KL_OK);
    kl_mode_options o = {.count = 12};
    kl_modes        a, b;
    assert_int_equal(kl_modes_find(&s, &o, &a, d), KL_OK);
    o.method = KL_ARPACK;
    assert_int_equal(kl_modes_find(&s, &o, &b, d), KL_OK);
    assert_int_equal(a.n, b.n);
    for (int i = 0; i < a.n; i++) assert_close(a.omega2[i] / b.omega2[i], 1, 1e-9);
    assert_true(a.nblock < b.nblock);
    kl_modes_free(&a);
    kl_modes_free(&b);
    kl_system_free(&s);
    kl_mesh_destroy(m);
    kl_diag_destroy(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calculix_frequencies_come_out_with_its_mass_rule),
        cmocka_unit_test(exact_mass_agrees_with_an_independent_program),
        cmocka_unit_test(block_lanczos_and_arpack_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
