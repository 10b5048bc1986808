#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "language/build.h"
#include "language/triangles.h"
#include "results/scene.h"
#include "unit/test.h"

/* A model with one body whose shape is `shape`; NULL when it is refused. */
static kl_model *model_with(const char *shape, kl_diag *diag)
{
    char       text[1024];
    kl_source *source = NULL;
    kl_model  *model  = NULL;
    snprintf(text, sizeof text,
             "klingel: 1\nparameters: {d: 40 mm}\nbodies:\n  b: {mass: 1, inertia: [1, 1, 1], "
             "shape: %s}\nrun: {end: 1, every: 0.1}\n",
             shape);
    assert_int_equal(kl_source_parse(text, strlen(text), "m.yaml", diag, &source), KL_OK);
    kl_source_build(source, NULL, 0, diag, &model);
    kl_source_destroy(source);
    return model;
}

static void shapes_carry_units_and_expressions(void **unused)
{
    (void)unused;
    kl_diag  *diag = kl_diag_create();
    kl_model *m    = model_with("[{box: [200 mm, d, d/2], color: \"#123abc\"}, {cylinder: {radius: "
                                   "d, length: 1 cm, axis: y}, at: [0, 0, d]}, {sphere: 0.5}]",
                                diag);
    assert_non_null(m);
    const kl_body *b = &m->body[1];
    assert_int_equal(b->nshape, 3);
    assert_close(b->shape[0].size.x, 0.2, 1e-15);
    assert_close(b->shape[0].size.z, 0.02, 1e-15);
    assert_string_equal(b->shape[0].color, "#123abc");
    kl_vec3 along = kl_axis(&b->shape[1].A, 2);
    assert_close(along.y, 1.0, 1e-12);
    assert_close(b->shape[1].length, 0.01, 1e-15);
    assert_close(b->shape[1].at.z, 0.04, 1e-15);
    char *json = kl_scene_json(m);
    assert_non_null(strstr(json, "\"kind\": \"cylinder\""));
    assert_non_null(strstr(json, "\"color\": \"#123abc\""));
    free(json);
    kl_model_destroy(m);
    kl_diag_destroy(diag);
}

static void wrong_shapes_are_refused_with_a_word_on_what_is_wrong(void **unused)
{
    (void)unused;
    const char *cases[][2] = {
        {"{box: [1 kg, 1, 1]}", "box"},
        {"{box: [1, -1, 1]}", "positive"},
        {"{ball: 3}", "ball"},
        {"{sphere: 1, box: [1, 1, 1]}", "one of"},
        {"{cylinder: 3}", "radius"},
        {"{sphere: 0}", "positive"},
        {"{file: nowhere.stl}", "nowhere.stl"},
        {"{sphere: 1, color: red}", "#"},
        {"7", "box"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        kl_diag  *diag = kl_diag_create();
        kl_model *m    = model_with(cases[i][0], diag);
        assert_null(m);
        assert_true(kl_diag_size(diag) > 0);
        if (!strstr(kl_diag_at(diag, 0)->text, cases[i][1]))
            fail_msg("'%s' does not say '%s'", kl_diag_at(diag, 0)->text, cases[i][1]);
        kl_diag_destroy(diag);
    }
}

static const char tetrahedron[] =
    "solid t\nfacet normal 0 0 -1\nouter loop\nvertex 0 0 0\nvertex 0 1 0\nvertex 1 0 "
    "0\nendloop\nendfacet\nfacet normal 0 -1 0\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 0 "
    "1\nendloop\nendfacet\nendsolid t\n";

static kl_status parse(const char *name, const char *bytes, size_t n, kl_triangles *out,
                       kl_arena *arena)
{
    return kl_triangles_parse(name, bytes, n, 2.0, arena, KL_NOWHERE, NULL, out);
}

static void text_and_binary_stl_and_obj_give_the_same_surface(void **unused)
{
    (void)unused;
    static const float corner[2][3][3]  = {{{0, 0, 0}, {0, 1, 0}, {1, 0, 0}},
                                           {{0, 0, 0}, {1, 0, 0}, {0, 0, 1}}};
    char               binary[84 + 100] = {0};
    binary[80]                          = 2;
    for (int i = 0; i < 2; i++) memcpy(binary + 84 + 50 * i + 12, corner[i], 36);
    const char   obj[] = "# t\nv 0 0 0\nv 0 1 0\nv 1 0 0\nv 0 0 1\nf 1/1/1 2/1/1 3/1/1\nf -4 3 4\n";
    kl_arena    *arena = kl_arena_create();
    kl_triangles a, b, c;
    assert_int_equal(parse("t.stl", tetrahedron, strlen(tetrahedron), &a, arena), KL_OK);
    assert_int_equal(parse("t.STL", binary, sizeof binary, &b, arena), KL_OK);
    assert_int_equal(parse("t.obj", obj, strlen(obj), &c, arena), KL_OK);
    const kl_triangles *all[] = {&a, &b, &c};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(all[i]->nvertex, 4);
        assert_int_equal(all[i]->ntriangle, 2);
        assert_memory_equal(all[i]->triangle, a.triangle, 6 * sizeof(int));
        assert_memory_equal(all[i]->vertex, a.vertex, 12 * sizeof(float));
    }
    assert_close((double)a.vertex[4], 2.0, 0.0); /* scaled */
    kl_arena_destroy(arena);
}

static void damaged_surfaces_are_refused(void **unused)
{
    (void)unused;
    kl_arena   *arena    = kl_arena_create();
    const char *bad[][2] = {{"a.stl", "nonsense"},
                            {"a.stl", "solid x\nvertex 1 2\n"},
                            {"a.stl", "solid x\nendsolid\n"},
                            {"a.stl", "solid x\nvertex 1 2 3\nvertex 1 2 4\n"},
                            {"a.obj", "v 0 0 0\nf 1 2 3\n"},
                            {"a.obj", "v 0 0 0\nv 1 0 0\nf 1 2\n"},
                            {"a.obj", "v 0 0 nan\n"},
                            {"a.gltf", "{}"},
                            {"a.stl", ""}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        kl_triangles s;
        assert_true(parse(bad[i][0], bad[i][1], strlen(bad[i][1]), &s, arena) < 0);
    }
    kl_arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes_carry_units_and_expressions),
        cmocka_unit_test(wrong_shapes_are_refused_with_a_word_on_what_is_wrong),
        cmocka_unit_test(text_and_binary_stl_and_obj_give_the_same_surface),
        cmocka_unit_test(damaged_surfaces_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
