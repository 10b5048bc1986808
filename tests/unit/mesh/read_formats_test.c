/* One mesh in every format (tests/data/mesh/make.py writes them) must be one mesh when read. */
#include "unit/mesh/read_help.h"

/* Same nodes to `tolerance` (small fields hold seven digits), same elements to the last node. */
static void same_mesh(const kl_mesh *a, const kl_mesh *b, double tolerance)
{
    assert_int_equal(a->nnode, b->nnode);
    for (int i = 0; i < a->nnode; i++) {
        int k = kl_mesh_find_node(b, a->node_id[i]);
        assert_true(k >= 0);
        assert_close(kl_norm(kl_sub(a->x[i], b->x[k])), 0.0, tolerance);
    }
    for (int s = 0; s < KL_SHAPE_COUNT; s++) {
        int n = kl_shape_info_of((kl_shape)s)->nnode;
        assert_int_equal(a->block[s].n, b->block[s].n);
        for (int e = 0; e < a->block[s].n; e++) {
            kl_element_ref ref;
            assert_true(kl_mesh_find_element(b, a->block[s].id[e], &ref));
            assert_int_equal(ref.shape, s);
            for (int k = 0; k < n; k++)
                assert_int_equal(a->node_id[a->block[s].node[e * n + k]],
                                 b->node_id[b->block[s].node[ref.index * n + k]]);
        }
    }
}

static const char *const structural[] = {"skin", "stiffener", NULL};

static void every_format_gives_the_same_mesh(void **unused)
{
    (void)unused;
    static const struct {
        const char *file;
        double      tolerance;
    } others[]                    = {{"shapes41.msh", 0},
                                     {"shapes.inp", 0},
                                     {"shapes_free.bdf", 0},
                                     {"shapes_large.bdf", 1e-15},
                                     {"shapes_small.bdf", 4e-8}};
    const kl_read_options options = {.structural = structural};
    kl_mesh              *first   = mesh_of_file(DATA "shapes22.msh", &options);
    assert_int_equal(kl_mesh_count(first), 11);
    for (int s = 0; s < KL_SHAPE_COUNT; s++) assert_true(first->block[s].n > 0);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        char path[512];
        snprintf(path, sizeof path, DATA "%s", others[i].file);
        kl_mesh *m = mesh_of_file(path, &options);
        same_mesh(first, m, others[i].tolerance);
        kl_mesh_destroy(m);
    }
    kl_mesh_destroy(first);
}

/* Each middle node of each file lies between the corners that the canonical order says. */
static void middle_nodes_lie_on_their_canonical_edges(void **unused)
{
    (void)unused;
    static const int tet[][2]   = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};
    static const int hex[][2]   = {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {4, 5}, {5, 6},
                                   {6, 7}, {7, 4}, {0, 4}, {1, 5}, {2, 6}, {3, 7}};
    static const int wedge[][2] = {{0, 1}, {1, 2}, {2, 0}, {3, 4}, {4, 5},
                                   {5, 3}, {0, 3}, {1, 4}, {2, 5}};
    static const struct {
        kl_shape shape;
        const int (*edge)[2];
    } shapes[]    = {{KL_TET10, tet}, {KL_HEX20, hex}, {KL_WEDGE15, wedge}};
    kl_mesh *mesh = mesh_of_file(DATA "shapes22.msh", NULL);
    for (int i = 0; i < 3; i++) {
        const kl_shape_info *info = kl_shape_info_of(shapes[i].shape);
        const int           *node = mesh->block[shapes[i].shape].node;
        for (int k = info->ncorner; k < info->nnode; k++) {
            const int *e   = shapes[i].edge[k - info->ncorner];
            kl_vec3    mid = kl_scale(0.5, kl_add(mesh->x[node[e[0]]], mesh->x[node[e[1]]]));
            assert_close(kl_norm(kl_sub(mid, mesh->x[node[k]])), 0.0, 1e-14);
        }
    }
    kl_mesh_destroy(mesh);
}

static void both_structural_formats_give_the_same_section(void **unused)
{
    (void)unused;
    kl_mesh *a    = mesh_of_file(DATA "shapes.inp", NULL),
            *b    = mesh_of_file(DATA "shapes_free.bdf", NULL);
    kl_property p = a->property[a->block[KL_BEAM2].property[0]],
                q = b->property[b->block[KL_BEAM2].property[0]];
    assert_close(p.area, 0.001, 1e-15);
    assert_close(q.area, p.area, 1e-15);
    /* Abaqus: 0.02 along n1 = global y = local y; Nastran: DIM2 = 0.02 along local y, the vector */
    assert_close(p.Iz, 0.05 * pow(0.02, 3) / 12, 1e-18);
    assert_close(q.Iz, p.Iz, 1e-18);
    assert_close(q.Iy, p.Iy, 1e-18);
    assert_vec(p.orientation, 0, 1, 0, 0);
    assert_vec(b->block[KL_BEAM2].orientation[0], 0, 1, 0, 0);
    assert_close(a->material[0].rho, b->material[0].rho, 0);
    assert_close(a->property[a->block[KL_QUAD4].property[0]].thickness, 0.01, 0);
    assert_close(b->property[b->block[KL_QUAD4].property[0]].thickness, 0.01, 0);
    kl_mesh_destroy(a);
    kl_mesh_destroy(b);
}

static void files_that_are_no_mesh_are_refused(void **unused)
{
    (void)unused;
    complains(KL_FORMAT_AUTO, "hello world\n", "this is not a supported mesh file");
    complains(KL_FORMAT_AUTO, "", "this is not a supported mesh file");
    kl_diag *diag = kl_diag_create();
    kl_mesh *mesh;
    assert_int_equal(kl_mesh_read("/nowhere/to/be.found", NULL, &mesh, diag), KL_E_FILE);
    assert_non_null(strstr(all_messages(diag), "cannot be opened"));
    assert_int_equal(kl_mesh_read("/tmp", NULL, &mesh, diag), KL_E_FILE);
    assert_non_null(strstr(all_messages(diag), "is not a regular file"));
    kl_diag_destroy(diag);
}

/* Cut, or with one byte changed, a file is read or refused, and never worse. */
static void no_damaged_file_does_harm(void **unused)
{
    (void)unused;
    static const char *const files[] = {"shapes22.msh", "shapes41.msh",     "shapes.inp",
                                        "parts.inp",    "shapes_small.bdf", "shapes_large.bdf"};
    const kl_read_options    options = {.structural = structural, .no_includes = true};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char path[512], data[16384];
        snprintf(path, sizeof path, DATA "%s", files[i]);
        FILE *f = fopen(path, "rb");
        assert_non_null(f);
        size_t n = fread(data, 1, sizeof data, f);
        fclose(f);
        uint32_t state = 1;
        for (int k = 0; k < 400; k++) {
            kl_diag *diag = kl_diag_create();
            kl_mesh *mesh;
            state      = state * 1664525u + 1013904223u;
            size_t at  = (state >> 8) % n;
            char   old = data[at];
            bool   cut = k & 1;
            data[at]   = (char)(state >> 3);
            kl_status status =
                kl_mesh_read_memory(files[i], data, cut ? at : n, &options, &mesh, diag);
            assert_int_equal(status == KL_OK, mesh != NULL);
            assert_int_equal(status != KL_OK, kl_diag_failed(diag));
            data[at] = old;
            kl_mesh_destroy(mesh);
            kl_diag_destroy(diag);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_format_gives_the_same_mesh),
        cmocka_unit_test(middle_nodes_lie_on_their_canonical_edges),
        cmocka_unit_test(both_structural_formats_give_the_same_section),
        cmocka_unit_test(files_that_are_no_mesh_are_refused),
        cmocka_unit_test(no_damaged_file_does_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
