#include "unit/mesh/read_help.h"

#include "fe/assemble.h"
#include "reduce/reduce.h"

/* a bar of three bricks with named ends and a material */
static kl_mesh *bar(void)
{
    return mesh_of_text(
        KL_FORMAT_ABAQUS,
        "*NODE\n1,0,0,0\n2,2,0,0\n3,2,1,0\n4,0,1,0\n5,0,0,3\n6,2,0,3\n7,2,1,3\n8,0,1,3\n9,0,0,6\n"
        "10,2,0,6\n11,2,1,6\n12,0,1,6\n13,0,0,9\n14,2,0,9\n15,2,1,9\n16,0,1,9\n"
        "*ELEMENT,TYPE=C3D8,ELSET=E\n1,1,2,3,4,5,6,7,8\n2,5,6,7,8,9,10,11,12\n"
        "3,9,10,11,12,13,14,15,16\n*NSET,NSET=FOOT\n1,2,3,4\n*NSET,NSET=HEAD\n13,14,15,16\n"
        "*MATERIAL,NAME=S\n*ELASTIC\n2.1e11,.3\n*DENSITY\n7850\n*SOLID "
        "SECTION,ELSET=E,MATERIAL=S\n");
}

static kl_kbody *reduced(kl_mesh *mesh, kl_system *matrices, const kl_recipe *recipe)
{
    kl_diag  *diag = kl_diag_create();
    kl_kbody *body;
    if (kl_reduce(mesh, matrices, recipe, &body, NULL, diag) != KL_OK)
        fail_msg("%s", all_messages(diag));
    kl_diag_destroy(diag);
    return body;
}

/* sets of the file of their nodes serve ready matrices as they serve a mesh: markers, interfaces */
static void ready_matrices_with_sets_give_the_body_of_their_mesh(void **unused)
{
    (void)unused;
    static const kl_statics statics[] = {KL_ATTACHMENT, KL_CRAIG_BAMPTON};
    for (int k = 0; k < 2; k++) {
        kl_mat3                 I        = kl_identity();
        const kl_marker_request marker[] = {
            {.name                 = "foot",
             .how                  = KL_AT_SET,
             .set                  = "FOOT",
             .tie                  = KL_RBE2,
             .axes                 = I,
             .interface_components = 0x3f},
            {.name                 = "head",
             .how                  = KL_AT_SET,
             .set                  = "HEAD",
             .tie                  = k ? KL_RBE2 : KL_RBE3,
             .axes                 = I,
             .interface_components = 0x3f,
             .has_point            = true,
             .point                = {1, 0.5, 9.5}},
        };
        kl_mesh  *mesh = bar(), *names = bar();
        kl_diag  *diag = kl_diag_create();
        kl_system s;
        assert_int_equal(kl_fe_assemble(names, KL_MASS_CONSISTENT, &s, diag), KL_OK);
        kl_recipe recipe = {
            .modes = 3, .statics = statics[k], .nmarker = 2, .marker = marker, .sets = names};
        kl_kbody *a = reduced(mesh, NULL, &recipe), *b = reduced(NULL, &s, &recipe);
        assert_int_equal(a->nmode, b->nmode);
        for (int j = 0; j < a->nmode; j++) assert_close(b->frequency[j] / a->frequency[j], 1, 1e-9);
        assert_close(b->inertia.m / a->inertia.m, 1, 1e-12);
        for (int i = 0; i < 2; i++) {
            assert_int_equal(b->marker[i].kind, KL_MARKER_NODE);
            for (int c = 0; c < 3; c++) /* signs of modes are fixed, so the shapes are the same */
                assert_close(b->marker[i].translation[c], a->marker[i].translation[c], 1e-7);
        }
        kl_kbody_destroy(a);
        kl_kbody_destroy(b);
        kl_system_free(&s);
        kl_diag_destroy(diag);
        kl_mesh_destroy(mesh);
        kl_mesh_destroy(names);
    }
}

static void a_set_that_ready_matrices_do_not_have_is_named(void **unused)
{
    (void)unused;
    kl_mesh             *names = bar();
    kl_diag             *diag  = kl_diag_create();
    kl_system            s;
    kl_kbody            *body;
    const kl_fix_request hold = {.name = "FOTO", .components = 7};
    assert_int_equal(kl_fe_assemble(names, KL_MASS_CONSISTENT, &s, diag), KL_OK);
    kl_recipe recipe = {.modes = 3, .reference = KL_NODAL, .nfix = 1, .fix = &hold, .sets = names};
    assert_true(kl_reduce(NULL, &s, &recipe, &body, NULL, diag) < 0);
    assert_non_null(strstr(all_messages(diag), "no set 'FOTO'; did you mean 'FOOT'?"));
    kl_system_free(&s);
    kl_diag_destroy(diag);
    kl_mesh_destroy(names);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ready_matrices_with_sets_give_the_body_of_their_mesh),
        cmocka_unit_test(a_set_that_ready_matrices_do_not_have_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
