/* The mesh: building, sets, units, sections, and the checks that name what is wrong. */
#include "mesh/mesh.h"

#include <string.h>

#include "unit/test.h"

static kl_mesh *two_tets(void)
{
    kl_mesh      *m    = kl_mesh_create("two.msh");
    const kl_vec3 x[5] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}};
    for (int i = 0; i < 5; i++) kl_mesh_add_node(m, 10 + i, x[i]);
    kl_material steel = {.name = "steel", .rho = 7850, .E = 2.1e11, .nu = 0.3};
    kl_property solid = {
        .name = "all", .kind = KL_SOLID, .material = kl_mesh_add_material(m, &steel)};
    int p = kl_mesh_add_property(m, &solid);
    kl_mesh_add_element(m, KL_TET4, 1, p, (const int[]){0, 1, 2, 3});
    kl_mesh_add_element(m, KL_TET4, 2, p, (const int[]){1, 2, 3, 4});
    return m;
}

/* the check fails and one message holds the words */
static void assert_said(kl_diag *d, const char *words)
{
    for (int i = 0; i < kl_diag_size(d); i++)
        if (strstr(kl_diag_at(d, i)->text, words)) return;
    fail_msg("no message says '%s'", words);
}

static void a_sound_mesh_passes(void **unused)
{
    (void)unused;
    kl_mesh *m = two_tets();
    kl_diag *d = kl_diag_create();
    assert_int_equal(kl_mesh_finish(m, d), KL_OK);
    assert_int_equal(kl_mesh_check(m, d), KL_OK);
    assert_int_equal(kl_diag_size(d), 0);
    assert_int_equal(kl_mesh_find_node(m, 13), 3);
    assert_int_equal(kl_mesh_find_node(m, 99), -1);
    kl_element_ref ref;
    assert_true(kl_mesh_find_element(m, 2, &ref));
    assert_int_equal(ref.index, 1);
    kl_diag_destroy(d);
    kl_mesh_destroy(m);
}

static void each_fault_is_named(void **unused)
{
    (void)unused;
    kl_mesh *m = two_tets();
    kl_diag *d = kl_diag_create();
    kl_mesh_add_node(m, 10, kl_vec(9, 9, 9));
    kl_mesh_add_element(m, KL_TET4, 2, 0, (const int[]){0, 2, 1, 3});  /* inside out, id again */
    kl_mesh_add_element(m, KL_TET4, 3, -1, (const int[]){1, 2, 3, 4}); /* no property */
    kl_mesh_add_element(m, KL_TET4, 4, 0, (const int[]){1, 1, 3, 4});
    kl_mesh_add_element(m, KL_TET4, 5, 0, (const int[]){1, 2, 3, 77});
    kl_mesh_add_element(m, KL_BEAM2, 6, 0, (const int[]){0, 4});
    for (int i = 0; i < 4; i++) kl_mesh_add_node(m, 20 + i, kl_add(kl_vec(5, 5, 5), m->x[i]));
    kl_mesh_add_element(m, KL_TET4, 7, 0, (const int[]){5, 6, 7, 8});
    m->material[0].nu = 0.5;
    assert_int_equal(kl_mesh_check(m, d), KL_E_MODEL);
    assert_said(d, "1 node numbers are given twice with different coordinates (first: 10)");
    assert_said(d, "1 element numbers are given twice (first: 2)");
    assert_said(d, "1 elements have a negative or zero volume (first: 2)");
    assert_said(d, "1 elements have no property");
    assert_said(d, "use a node twice (first: 4)");
    assert_said(d, "not in the mesh (first: 5)");
    assert_said(d, "1 parts are not connected");
    assert_said(d, "of another kind (solid, shell, beam) (first: 6)");
    assert_said(d, "Poisson");
    kl_diag_destroy(d);
    kl_mesh_destroy(m);
}

static void units_that_do_not_fit_are_told(void **unused)
{
    (void)unused;
    kl_mesh *m         = two_tets();
    kl_diag *d         = kl_diag_create();
    m->material[0].rho = 7.85e-9;
    m->material[0].E   = 2.1e5;
    for (int i = 0; i < m->nnode; i++) m->x[i] = kl_scale(1000, m->x[i]);
    assert_int_equal(kl_mesh_check(m, d), KL_OK);
    assert_int_equal(kl_mesh_check_units(m, false, d), KL_E_RANGE);
    assert_said(d, "tonne");
    kl_diag_clear(d);
    assert_int_equal(kl_mesh_check_units(m, true, d), KL_OK);
    assert_said(d, "tonne");
    kl_diag_clear(d);
    kl_mesh_to_si(m, 1e-3, 1e3, 1);
    assert_close(m->material[0].rho, 7850, 1e-9);
    assert_close(m->material[0].E / 2.1e11, 1, 1e-12);
    assert_int_equal(kl_mesh_check(m, d), KL_OK);
    assert_int_equal(kl_mesh_check_units(m, false, d), KL_OK);
    assert_int_equal(kl_diag_size(d), 0);
    m->material[0].rho = 7.85; /* g/cm3 */
    assert_int_equal(kl_mesh_check_units(m, false, d), KL_OK);
    assert_said(d, "which hardly any solid has");
    m->material[0].rho = 7850;
    m->material[0].E   = 2.1e5; /* MPa */
    assert_int_equal(kl_mesh_check_units(m, false, d), KL_E_RANGE);
    assert_said(d, "which no solid has");
    kl_diag_destroy(d);
    kl_mesh_destroy(m);
}

static void coincident_nodes_are_counted(void **unused)
{
    (void)unused;
    kl_mesh *m = two_tets();
    kl_diag *d = kl_diag_create();
    int      n = kl_mesh_add_node(m, 50, kl_vec(0, 0, 1));
    kl_mesh_add_node(m, 51, kl_vec(2, 2, 3));
    kl_mesh_add_element(m, KL_TET4, 9, 0, (const int[]){1, 2, n, 6});
    kl_mesh_check(m, d);
    assert_said(d, "1 nodes coincide with another node (first: 50)");
    kl_diag_destroy(d);
    kl_mesh_destroy(m);
}

static void sets_give_their_nodes_once(void **unused)
{
    (void)unused;
    kl_mesh *m = two_tets();
    int      s = kl_mesh_set(m, KL_SURFACE_SET, "top");
    kl_mesh_set_put_element(m, s, (kl_element_ref){KL_TET4, 0, 2});
    kl_mesh_set_put_node(m, kl_mesh_set(m, KL_NODE_SET, "top"), 0);
    kl_mesh_set_put_node(m, kl_mesh_set(m, KL_NODE_SET, "top"), 1);
    int        n;
    const int *node = kl_mesh_set_nodes(m, "top", &n);
    assert_int_equal(n, 4);
    for (int i = 0; i < 4; i++) assert_int_equal(node[i], i);
    assert_null(kl_mesh_set_nodes(m, "bottom", &n));
    kl_mesh_destroy(m);
}

static void face_normals_point_outwards(void **unused)
{
    (void)unused;
    const kl_vec3 hex[8]   = {{-1, -1, -1}, {1, -1, -1}, {1, 1, -1}, {-1, 1, -1},
                              {-1, -1, 1},  {1, -1, 1},  {1, 1, 1},  {-1, 1, 1}};
    const kl_vec3 wedge[6] = {{0, 0, -1}, {1, 0, -1}, {0, 1, -1}, {0, 0, 1}, {1, 0, 1}, {0, 1, 1}};
    const kl_vec3 tet[4]   = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const struct {
        kl_shape       shape;
        const kl_vec3 *x;
    } cases[] = {{KL_TET4, tet},  {KL_TET10, tet},    {KL_HEX8, hex},
                 {KL_HEX20, hex}, {KL_WEDGE6, wedge}, {KL_WEDGE15, wedge}};
    for (int c = 0; c < 6; c++) {
        const kl_shape_info *info   = kl_shape_info_of(cases[c].shape);
        kl_vec3              centre = {0, 0, 0};
        for (int i = 0; i < info->ncorner; i++)
            centre = kl_axpy(1.0 / info->ncorner, cases[c].x[i], centre);
        for (int f = 0; f < info->nface; f++) {
            kl_vec3 a = cases[c].x[info->face[f][0]], b = cases[c].x[info->face[f][1]],
                    e      = cases[c].x[info->face[f][2]];
            kl_vec3 normal = kl_cross(kl_sub(b, a), kl_sub(e, a));
            assert_true(kl_dot(normal, kl_sub(a, centre)) > 0);
        }
    }
}

static void sections_know_their_limits(void **unused)
{
    (void)unused;
    kl_property p = {0}, q = {0};
    kl_section_rectangle(&p, 0.02, 0.02);
    assert_close(p.J / (0.140577 * pow(0.02, 4)), 1, 1e-5); /* Timoshenko's table for a square */
    kl_section_rectangle(&p, 1.0, 0.001);
    assert_close(p.J / (1e-9 / 3), 1, 1e-3); /* thin strip */
    kl_section_circle(&p, 0.01);
    kl_section_tube(&q, 0.01, 0.01);
    assert_close(q.area, p.area, 1e-18);
    assert_close(q.J, p.J, 1e-20);
    kl_section_i(&p, 0.2, 0.1, 0.1, 0.1); /* flanges that meet: a full rectangle */
    kl_section_rectangle(&q, 0.1, 0.2);
    assert_close(p.Iy, q.Iy, 1e-15);
    assert_close(p.Iz, q.Iz, 1e-15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sound_mesh_passes),
        cmocka_unit_test(each_fault_is_named),
        cmocka_unit_test(units_that_do_not_fit_are_told),
        cmocka_unit_test(coincident_nodes_are_counted),
        cmocka_unit_test(sets_give_their_nodes_once),
        cmocka_unit_test(face_normals_point_outwards),
        cmocka_unit_test(sections_know_their_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
