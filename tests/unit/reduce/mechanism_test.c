/* Parts on pivots and hinges are refused, by the mesh alone and by the modes of ready matrices. */
#include "unit/mesh/read_help.h"

#include "fe/assemble.h"
#include "reduce/mechanism.h"
#include "reduce/reduce.h"

#define STEEL "*MATERIAL,NAME=S\n*ELASTIC\n2.1e11,.3\n*DENSITY\n7850\n"
#define SOLIDS STEEL "*SOLID SECTION,ELSET=E,MATERIAL=S\n"
/* a cube at the origin */
#define CUBE                                                                                       \
    "*NODE\n1,0,0,0\n2,1,0,0\n3,1,1,0\n4,0,1,0\n5,0,0,1\n6,1,0,1\n7,1,1,1\n8,0,1,1\n"              \
    "*ELEMENT,TYPE=C3D8,ELSET=E\n1,1,2,3,4,5,6,7,8\n"
/* one more that touches it at node 7; its others are new */
#define AT_A_NODE                                                                                  \
    "*NODE\n9,2,1,1\n10,2,2,1\n11,1,2,1\n12,1,1,2\n13,2,1,2\n14,2,2,2\n15,1,2,2\n"                 \
    "*ELEMENT,TYPE=C3D8,ELSET=E\n2,7,9,10,11,12,13,14,15\n"
/* and one that touches it along its edge 3-7 */
#define AT_AN_EDGE                                                                                 \
    "*NODE\n9,2,1,0\n10,2,2,0\n11,1,2,0\n13,2,1,1\n14,2,2,1\n15,1,2,1\n"                           \
    "*ELEMENT,TYPE=C3D8,ELSET=E\n2,3,9,10,11,7,13,14,15\n"

/* what is said of the mesh: "" when it is sound */
static const char *verdict(const char *text)
{
    static char said[1024];
    kl_mesh    *m      = mesh_of_text(KL_FORMAT_ABAQUS, text);
    kl_diag    *diag   = kl_diag_create();
    kl_status   status = kl_mesh_check_mechanism(m, 0, NULL, diag);
    snprintf(said, sizeof said, "%.1000s", all_messages(diag));
    assert_true((status == KL_OK) == (said[0] == '\0'));
    kl_diag_destroy(diag);
    kl_mesh_destroy(m);
    return said;
}

static void says(const char *text, const char *words)
{
    const char *said = verdict(text);
    if (!strstr(said, words)) fail_msg("expected '%s', got '%s'", words, said);
}

static void pivots_and_hinges_are_counted_and_placed(void **unused)
{
    (void)unused;
    says(CUBE AT_A_NODE SOLIDS, "3 motions without stiffness");
    says(CUBE AT_A_NODE SOLIDS, "at node 7;");
    says(CUBE AT_AN_EDGE SOLIDS, "1 motion without stiffness");
    says(CUBE AT_AN_EDGE SOLIDS, "at nodes 3, 7;");
    /* a beam has a turn that a solid's node has not */
    says(CUBE "*NODE\n20,2,1,1\n*ELEMENT,TYPE=B31,ELSET=B\n9,7,20\n" SOLIDS,
         "3 motions without stiffness");
    /* a plate that stands on a solid's edge */
    says(CUBE "*NODE\n20,2,1,0\n21,2,1,1\n*ELEMENT,TYPE=S4,ELSET=P\n9,3,20,21,7\n" SOLIDS,
         "1 motion without stiffness");
}

static void what_holds_together_passes(void **unused)
{
    (void)unused;
    assert_string_equal(verdict(CUBE SOLIDS), "");
    /* by a face */
    assert_string_equal(verdict(CUBE "*NODE\n9,0,0,2\n10,1,0,2\n11,1,1,2\n12,0,1,2\n"
                                     "*ELEMENT,TYPE=C3D8,ELSET=E\n2,5,6,7,8,9,10,11,12\n" SOLIDS),
                        "");
    /* a hinge that a rigid tie closes */
    assert_string_equal(verdict(CUBE AT_AN_EDGE SOLIDS "*NODE\n50,5,5,5\n*NSET,NSET=T\n1,10,14\n"
                                                       "*RIGID BODY,REF NODE=50,NSET=T\n"),
                        "");
    /* a plate on a face */
    assert_string_equal(verdict(CUBE "*ELEMENT,TYPE=S4,ELSET=P\n9,5,6,7,8\n" SOLIDS), "");
    /* three cubes on three hinges of different lines share no face, and yet are stiff */
    assert_string_equal(verdict(CUBE AT_AN_EDGE
                                "*NODE\n30,0,1,2\n31,1,1,2\n32,1,2,2\n33,0,2,2\n34,0,2,1\n"
                                "*ELEMENT,TYPE=C3D8,ELSET=E\n3,8,7,15,34,30,31,32,33\n" SOLIDS),
                        "");
}

/* a hinge on which both sides are held: the reference stops what the hinge leaves free, or does not */
static void hinges_that_the_reference_holds_pass(void **unused)
{
    (void)unused;
    static const struct {
        kl_fix_request fix[3];
        int            n;
        const char    *says;
    } cases[] = {
        {{{"A", 0, 0x3f, {0}}},
         1,
         "1 motion without stiffness, which the reference conditions do not prevent"},
        {{{"A", 0, 0x3f, {0}}, {"B", 0, 0x3f, {0}}}, 2, NULL},
        {{{"A", 0, 0x3f, {0}}, {NULL, 10, 0x1, {0}}}, 2, NULL},
        /* node 9 moves along y about the line 3-7, not along x */
        {{{"A", 0, 0x3f, {0}}, {NULL, 9, 0x1, {0}}},
         2,
         "which the reference conditions do not prevent"},
        {{{"A", 0, 0x3f, {0}}, {NULL, 9, 0x2, {0}}}, 2, NULL},
        {{{NULL, 3, 0x7, {0}}, {NULL, 7, 0x3, {0}}, {NULL, 1, 0x1, {0}}},
         3,
         "1 motion without stiffness, which the reference conditions do not prevent"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        kl_mesh  *m      = mesh_of_text(KL_FORMAT_ABAQUS, CUBE AT_AN_EDGE SOLIDS
                                        "*NSET,NSET=A\n1,4,5,8\n*NSET,NSET=B\n9,10,13,14\n");
        kl_diag  *diag   = kl_diag_create();
        kl_kbody *body   = NULL;
        kl_recipe recipe = {
            .modes = 4, .reference = KL_NODAL, .nfix = cases[i].n, .fix = cases[i].fix};
        kl_status status = kl_reduce(m, NULL, &recipe, &body, NULL, diag);
        if ((status == KL_OK) != !cases[i].says) fail_msg("case %zu: %s", i, all_messages(diag));
        if (cases[i].says && !strstr(all_messages(diag), cases[i].says))
            fail_msg("case %zu: %s", i, all_messages(diag));
        if (body) assert_true(body->frequency[0] > 100.0); /* stiff steel */
        kl_kbody_destroy(body);
        kl_diag_destroy(diag);
        kl_mesh_destroy(m);
    }
}

static void modes_without_stiffness_are_refused_and_others_ordered(void **unused)
{
    (void)unused;
    kl_mesh  *m    = mesh_of_text(KL_FORMAT_ABAQUS, CUBE AT_A_NODE SOLIDS);
    kl_diag  *diag = kl_diag_create();
    kl_system s;
    kl_kbody *body   = NULL;
    kl_recipe recipe = {.modes = 8};
    assert_int_equal(kl_fe_assemble(m, KL_MASS_CONSISTENT, &s, diag), KL_OK);
    assert_int_not_equal(kl_reduce(NULL, &s, &recipe, &body, NULL, diag), KL_OK);
    assert_null(body);
    if (!strstr(all_messages(diag), "are spurious")) fail_msg("%s", all_messages(diag));
    double   omega2[3] = {9, 1, 4}, residual[3] = {0.9, 0.1, 0.4}, vector[3] = {3, 1, 2};
    kl_modes modes = {.ndof = 1, .n = 3, .omega2 = omega2, .residual = residual, .vector = vector};
    kl_modes_sort(&modes);
    for (int i = 0; i < 3; i++) {
        assert_close(omega2[i], (i + 1) * (i + 1), 0);
        assert_close(vector[i], i + 1, 0);
        assert_close(residual[i], omega2[i] / 10, 1e-15);
    }
    kl_system_free(&s);
    kl_diag_destroy(diag);
    kl_mesh_destroy(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pivots_and_hinges_are_counted_and_placed),
        cmocka_unit_test(what_holds_together_passes),
        cmocka_unit_test(hinges_that_the_reference_holds_pass),
        cmocka_unit_test(modes_without_stiffness_are_refused_and_others_ordered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
