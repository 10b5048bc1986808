#include "unit/mesh/read_help.h"

#define INP KL_FORMAT_ABAQUS

#define HEX_NODES "*NODE\n1,0,0,0\n2,1,0,0\n3,1,1,0\n4,0,1,0\n5,0,0,1\n6,1,0,1\n7,1,1,1\n8,0,1,1\n"
#define HEX "*ELEMENT,TYPE=C3D8,ELSET=E\n1,1,2,3,4,5,6,7,8\n"
#define STEEL "*MATERIAL,NAME=STEEL\n*ELASTIC\n2.1e11,.3\n*DENSITY\n7850\n"

static void instances_are_placed_by_shift_and_then_turn(void **unused)
{
    (void)unused;
    kl_mesh *m = mesh_of_file(DATA "parts.inp", NULL);
    assert_int_equal(m->block[KL_QUAD4].n, 2);
    assert_int_equal(m->block[KL_BEAM2].n, 1);
    assert_vec(position(m, 2), 1, 0, 0, 0);      /* Plate-1.2 */
    assert_vec(position(m, 6), 0, 1, 2, 1e-15);  /* Plate-2.2: up by 2, then 90 degrees about z */
    assert_vec(position(m, 7), -1, 1, 2, 1e-15); /* Plate-2.3 */
    assert_vec(position(m, 8 + 11), 0, 0, 2, 0); /* Post-1.11 */
    assert_vec(position(m, 19 + 1), 5, 5, 5, 0); /* the assembly's own */
    assert_int_equal(set_of(m, KL_NODE_SET, "feet")->n, 2);
    assert_int_equal(set_of(m, KL_NODE_SET, "Plate-2.corner")->n, 1);
    assert_int_equal(set_of(m, KL_NODE_SET, "foot")->n, 1); /* only one instance has it */
    const kl_set *mixed = set_of(m, KL_NODE_SET, "mixed");
    assert_int_equal(mixed->n, 4);
    assert_int_equal(set_of(m, KL_ELEMENT_SET, "both")->n, 2);
    assert_int_equal(set_of(m, KL_ELEMENT_SET, "PlateOne")->n, 1);
    assert_int_equal(set_of(m, KL_SURFACE_SET, "top")->n, 2);
    kl_mesh_destroy(m);
}

static void couplings_become_ties(void **unused)
{
    (void)unused;
    kl_mesh *m = mesh_of_file(DATA "parts.inp", NULL);
    assert_int_equal(m->ntie, 2);
    assert_int_equal(m->tie[0].kind, KL_RBE2);
    assert_int_equal(m->tie[0].components, 0x7);
    assert_int_equal(m->tie[0].n, 8);
    assert_int_equal(m->node_id[m->tie[0].reference], 20);
    assert_int_equal(m->tie[1].components, 0x3f);
    assert_int_equal(m->tie[1].n, 1);
    kl_mesh_destroy(m);
}

static void composite_shells_carry_plies_offset_and_direction(void **unused)
{
    (void)unused;
    kl_mesh           *m = mesh_of_file(DATA "parts.inp", NULL);
    const kl_property *p = &m->property[m->block[KL_QUAD4].property[0]];
    assert_int_equal(p->kind, KL_LAMINATE);
    assert_int_equal(p->nply, 2);
    assert_close(p->ply[1].thickness, 0.002, 0);
    assert_close(p->ply[1].angle, -atan(1.0), 1e-15);
    assert_close(p->thickness, 0.003, 1e-18);
    assert_close(p->bottom, -0.003, 1e-18); /* SPOS: the nodes are the top */
    /* the system's x is global y, turned by 30 degrees about its z: 120 degrees from side 1-2 */
    assert_close(m->block[KL_QUAD4].angle[0], 120 * atan(1.0) / 45, 1e-14);
    /* the second instance is turned with its material */
    assert_close(m->block[KL_QUAD4].angle[1], 120 * atan(1.0) / 45, 1e-14);
    const kl_material *cfrp = &m->material[kl_mesh_find_material(m, "CFRP")];
    assert_int_equal(cfrp->kind, KL_ORTHOTROPIC);
    assert_close(cfrp->G23, 3.5e9, 0);
    assert_close(cfrp->rho, 1600, 0);
    kl_mesh_destroy(m);
}

static void without_orientation_fibres_follow_global_x(void **unused)
{
    (void)unused;
    /* side 1-2 along y: x lies -90 degrees from it; the other shell stands across x: z is taken */
    kl_mesh *m = mesh_of_text(INP, "*NODE\n1,0,0,0\n2,0,1,0\n3,-1,1,0\n4,-1,0,0\n5,0,0,1\n6,0,1,1\n"
                                   "*ELEMENT,TYPE=S4,ELSET=S\n1,1,2,3,4\n2,1,2,6,5\n" STEEL
                                   "*SHELL SECTION,ELSET=S,COMPOSITE\n.001,,STEEL,0\n");
    assert_close(m->block[KL_QUAD4].angle[0], -2 * atan(1.0), 1e-15);
    assert_close(m->block[KL_QUAD4].angle[1], 2 * atan(1.0), 1e-15);
    kl_mesh_destroy(m);
}

static void sets_are_listed_generated_and_nested(void **unused)
{
    (void)unused;
    kl_mesh *m = mesh_of_text(INP, "*NSET,NSET=LATER\nODD,2\n" /* names a set that comes after it */
                              HEX_NODES HEX "*NSET,NSET=ODD,GENERATE\n1,7,2\n"
                                   "*NSET,NSET=OfElement,ELSET=E\n"
                                   "*NSET,NSET=EVERY,GENERATE\n1,2000000000,1\n"
                                   "*Elset, Elset=\"With blanks\"\nE\n"
                                   "*SURFACE,NAME=OUT\nE\n*SURFACE,NAME=TOP\nE,S2\n1,S1\n");
    assert_int_equal(set_of(m, KL_NODE_SET, "ODD")->n, 4);
    assert_int_equal(set_of(m, KL_NODE_SET, "LATER")->n, 5);
    assert_int_equal(set_of(m, KL_NODE_SET, "OfElement")->n, 8);
    assert_int_equal(set_of(m, KL_NODE_SET, "EVERY")->n, 8);
    assert_int_equal(set_of(m, KL_ELEMENT_SET, "With blanks")->n, 1);
    assert_int_equal(set_of(m, KL_SURFACE_SET, "OUT")->n, 6);
    const kl_set *top = set_of(m, KL_SURFACE_SET, "TOP");
    assert_int_equal(top->n, 2);
    assert_int_equal(top->element[0].face, 1);
    assert_int_equal(top->element[1].face, 0);
    kl_mesh_destroy(m);
}

static void orthotropy_comes_as_constants_or_stiffnesses(void **unused)
{
    (void)unused;
    kl_mesh *m = mesh_of_text(
        INP, HEX_NODES HEX "*MATERIAL,NAME=A\n*ELASTIC,TYPE=ENGINEERING CONSTANTS\n"
                           "1e11,2e10,1e10,.3,.2,.25,5e9,4e9,\n3e9\n"
                           /* the isotropic D of E = 1, nu = 0.25: D11 = 1.2, D12 = 0.4, G = 0.4 */
                           "*MATERIAL,NAME=B\n*ELASTIC,TYPE=ORTHO\n1.2,.4,1.2,.4,.4,1.2,.4,.4\n.4\n"
                           "*ORIENTATION,NAME=O\n0,1,0,0,0,1\n"
                           "*SOLID SECTION,ELSET=E,MATERIAL=A,ORIENTATION=O\n");
    const kl_material *a = &m->material[0], *b = &m->material[1];
    assert_close(a->E3, 1e10, 0);
    assert_close(a->nu23, 0.25, 0);
    assert_close(a->G23, 3e9, 0);
    assert_close(b->E1, 1.0, 1e-14);
    assert_close(b->nu12, 0.25, 1e-14);
    assert_close(b->nu23, 0.25, 1e-14);
    assert_close(b->G13, 0.4, 0);
    assert_true(m->property[0].has_axes);
    assert_vec(kl_axis(&m->property[0].axes, 0), 0, 1, 0, 0);
    assert_vec(kl_axis(&m->property[0].axes, 2), 1, 0, 0, 0);
    kl_mesh_destroy(m);
}

static void beam_sections_have_their_axes(void **unused)
{
    (void)unused;
    kl_mesh *m = mesh_of_text(INP, "*NODE\n1,0,0,0\n2,1,0,0\n3,2,0,0\n4,0,0,5\n*ELEMENT,TYPE=B31,"
                                   "ELSET=B\n1,1,2\n*ELEMENT,TYPE=B31,ELSET=C\n2,2,3,4\n" STEEL
                                   "*BEAM SECTION,ELSET=B,MATERIAL=STEEL,SECTION=BOX\n"
                                   ".1,.2,.01,.005,.01,.005\n0,1,0\n"
                                   "*BEAM GENERAL SECTION,ELSET=C,DENSITY=7800\n"
                                   "1e-3,2e-6,0,3e-6,4e-6\n0,0,1\n2e11,8e10\n");
    const kl_property *box = &m->property[0], *general = &m->property[1];
    assert_close(box->area, 0.1 * 0.2 - 0.08 * 0.19, 1e-15);
    assert_close(box->Iy, (0.1 * pow(0.2, 3) - 0.08 * pow(0.19, 3)) / 12, 1e-15);
    assert_close(box->J, 4 * pow(0.09 * 0.195, 2) / (2 * 0.09 / 0.005 + 2 * 0.195 / 0.01), 1e-15);
    assert_vec(box->orientation, 0, 1, 0, 0);
    assert_close(general->Iy, 2e-6, 0);
    assert_close(general->Iz, 3e-6, 0);
    assert_close(m->material[general->material].nu, 0.25, 1e-15);
    assert_close(m->material[general->material].rho, 7800, 0);
    assert_vec(m->block[KL_BEAM2].orientation[1], -1, 0, 5, 0); /* to the third node */
    kl_mesh_destroy(m);

    /* without a direction: (0, 0, -1), but a round section needs none */
    m = mesh_of_text(INP, "*NODE\n1,0,0,0\n2,0,0,1\n3,1,0,1\n*ELEMENT,TYPE=B31,ELSET=B\n1,1,2\n"
                          "*ELEMENT,TYPE=B31,ELSET=C\n2,2,3\n" STEEL
                          "*BEAM SECTION,ELSET=B,MATERIAL=STEEL,SECTION=CIRC\n.1\n"
                          "*BEAM SECTION,ELSET=C,MATERIAL=STEEL,SECTION=RECT\n.1,.2\n");
    assert_vec(m->property[0].orientation, 0, 0, 0, 0);
    assert_vec(m->property[1].orientation, 0, 0, -1, 0);
    kl_mesh_destroy(m);
}

static void masses_springs_and_constraints_are_read(void **unused)
{
    (void)unused;
    kl_mesh *m = mesh_of_text(
        INP,
        HEX_NODES "9,5,5,5\n10,0,0,3\n" HEX "*ELEMENT,TYPE=MASS,ELSET=M\n2,9\n*MASS,ELSET=M\n12.5\n"
                  "*ELEMENT,TYPE=ROTARYI,ELSET=R\n3,9\n*ROTARY INERTIA,ELSET=R\n1,2,3,.1,.2,.3\n"
                  "*ELEMENT,TYPE=SPRING1,ELSET=S1\n4,1\n*SPRING,ELSET=S1\n3\n1e6\n"
                  "*ELEMENT,TYPE=SPRING2,ELSET=S2\n5,1,2\n*SPRING,ELSET=S2\n2,2\n2e6\n"
                  "*ELEMENT,TYPE=SPRINGA,ELSET=SA\n6,5,10\n*SPRING,ELSET=SA\n\n3e6\n"
                  "*NSET,NSET=FACE\n1,2,3,4\n*RIGID BODY,NSET=FACE,REF NODE=9\n"
                  "*MPC\nBEAM,5,9\n"
                  "*SURFACE,NAME=TOP\n1,S2\n"
                  "*COUPLING,CONSTRAINT NAME=C,REF NODE=9,SURFACE=TOP\n*DISTRIBUTING\n1,3\n"
                  "*ELEMENT,TYPE=DCOUP3D,ELSET=D\n7,10\n*DISTRIBUTING COUPLING,ELSET=D\n"
                  "5,1.\nFACE,2.\n");
    assert_int_equal(m->nmass, 2);
    assert_close(m->mass[0].mass, 12.5, 0);
    assert_close(m->mass[1].J.m[1][2], 0.3, 0);
    assert_int_equal(m->nspring, 3);
    assert_close(m->spring[0].k[2], 1e6, 0);
    assert_int_equal(m->spring[0].node[1], -1);
    assert_close(m->spring[1].k[1], 2e6, 0);
    assert_close(m->spring[2].k[2], 3e6, 0);
    assert_int_equal(m->ntie, 4);
    assert_int_equal(m->tie[0].n, 4);
    assert_int_equal(m->tie[1].n, 1);
    assert_int_equal(m->tie[2].kind, KL_RBE3);
    assert_int_equal(m->tie[2].components, 7);
    assert_int_equal(m->tie[3].n, 5);
    assert_close(m->tie[3].weight[0], 1, 0);
    assert_close(m->tie[3].weight[4], 2, 0);
    kl_mesh_destroy(m);
}

static void node_systems_are_turned_into_global_axes(void **unused)
{
    (void)unused;
    kl_mesh *m = mesh_of_text(INP, "*NODE,SYSTEM=C\n1,2,90,3\n*NODE,SYSTEM=S\n2,2,90,30\n"
                                   "*SYSTEM\n1,1,1,1,2,1\n0,1,1\n*NODE\n3,1,0,0\n4,0,1,0\n"
                                   "*SYSTEM\n*NODE\n5,1,2,3\n");
    assert_vec(position(m, 1), 0, 2, 3, 1e-15);
    assert_vec(position(m, 2), 0, sqrt(3.0), 1, 1e-15);
    assert_vec(position(m, 3), 1, 2, 1, 1e-15);
    assert_vec(position(m, 4), 0, 1, 1, 1e-15);
    assert_vec(position(m, 5), 1, 2, 3, 0);
    kl_mesh_destroy(m);
}

static void write_file(const char *path, const char *text)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static void included_files_go_on_within_a_card_and_circles_are_named(void **unused)
{
    (void)unused;
    char folder[] = "/tmp/klingel-inp-XXXXXX", main_file[64], nodes[64], loop[64];
    assert_non_null(mkdtemp(folder));
    snprintf(main_file, sizeof main_file, "%s/main.inp", folder);
    snprintf(nodes, sizeof nodes, "%s/nodes.txt", folder);
    snprintf(loop, sizeof loop, "%s/loop.inp", folder);
    write_file(main_file,
               "*NODE\n*INCLUDE,INPUT=nodes.txt\n5,0,0,1\n6,1,0,1\n7,1,1,1\n8,0,1,1\n" HEX);
    write_file(nodes, "1,0,0,0\n2,1,0,0\n3,1,1,0\n4,0,1,0\n");
    kl_mesh *m = mesh_of_file(main_file, NULL);
    assert_int_equal(m->nnode, 8);
    kl_mesh_destroy(m);

    write_file(main_file, "*INCLUDE,INPUT=loop.inp\n");
    write_file(loop, "*INCLUDE,INPUT=main.inp\n");
    kl_diag *diag = kl_diag_create();
    assert_int_equal(kl_mesh_read(main_file, NULL, &m, diag), KL_E_FILE);
    assert_non_null(strstr(all_messages(diag), "already being read"));
    assert_non_null(strstr(all_messages(diag), "loop.inp:1:1"));
    kl_diag_destroy(diag);
    remove(main_file);
    remove(nodes);
    remove(loop);
    remove(folder);
}

static void mistakes_are_named_with_their_place(void **unused)
{
    (void)unused;
    complains(INP, HEX_NODES "8,9,9,9\n" HEX, "test:10:1: node 8 is given twice");
    complains(INP, HEX_NODES "*ELEMENT,TYPE=C3D8\n1,1,2,3,4,5,6,7,99\n",
              "test:11:1: element 1 refers to node 99");
    complains(INP, HEX_NODES "*ELEMENT,TYPE=C3D8\n1,1,2,3,4,5,6,7\n2,1,2,3,4,5,6,7,8\n",
              "test:11:1: an element of type C3D8 has 8 nodes, but 7 are given");
    complains(INP, "*NODE\n1,0,zero,0\n", "test:2:5: 'zero' is not a number");
    complains(INP, "*NODE\n1,0,nan,0\n", "is not finite");
    complains(INP, HEX_NODES HEX STEEL "*SOLID SECTION,ELSET=E,MATERIAL=STEAL\n",
              "the material 'STEAL', which does not exist; is it 'STEEL'?");
    complains(INP, HEX_NODES HEX STEEL "*SOLID SECTION,ELSET=F,MATERIAL=STEEL\n",
              "refers to the element set 'F', which does not exist");
    complains(INP, HEX_NODES HEX STEEL "*SHELL SECTION,ELSET=E,MATERIAL=STEEL\n1\n",
              "is for shells, but 1 elements of 'E' are not");
    complains(INP, HEX_NODES "*ELEMENT,TYPE=S8R\n1,1,2,3,4,5,6,7,8\n",
              "elements of type S8R are not");
    complains(INP, HEX_NODES HEX "*TIE,NAME=T\nA,B\n",
              "*TIE cannot be used here; connect the meshes");
    complains(INP, HEX_NODES "*ELEMENT,TYPE=MASS,ELSET=M\n2,1\n",
              "no *MASS card that gives it a value");
    complains(INP, HEX_NODES "*NSET,NSET=A\nB\n*NSET,NSET=B\nA\n",
              "node set 'B', which does not exist");
    complains(INP, "*INSTANCE,NAME=I,PART=P\n*END INSTANCE\n", "there is no part 'P' above");
    complains(INP, "*PART,NAME=P\n*NODE\n1,0,0,0\n", "is not closed by *END PART");
    complains(INP, "*ELASTIC\n1,2\n", "must follow a *MATERIAL card");
}

static void what_is_not_understood_is_listed(void **unused)
{
    (void)unused;
    kl_mesh *m = mesh_of_text(INP, HEX_NODES HEX "*AMPLITUDE,NAME=A\n0,0\n*STEP\n*AMPLITUDE\n1\n");
    assert_int_equal(m->nleftover, 2);
    assert_string_equal(m->leftover[0].text, "*AMPLITUDE");
    assert_int_equal(m->leftover[0].count, 2);
    assert_int_equal(m->leftover[0].line, 12);
    kl_mesh_destroy(m);

    /* structural parts only when asked for */
    static const char text[]                     = HEX_NODES HEX "*TIE,NAME=T\nA,B\n";
    const kl_read_options                lenient = {.lenient = true, .format = INP};
    assert_int_equal(kl_mesh_read_memory("t", text, strlen(text), &lenient, &m, NULL), KL_OK);
    assert_string_equal(m->leftover[0].text, "*TIE");
    kl_mesh_destroy(m);
}

static void a_node_given_twice_is_told_even_where_both_are_alike(void **unused)
{
    (void)unused;
    static const char     text[]  = HEX_NODES "1,0,0,0\n2,1,0,0\n" HEX;
    const kl_read_options options = {.format = INP};
    kl_diag              *diag    = kl_diag_create();
    kl_mesh              *m;
    assert_int_equal(kl_mesh_read_memory("t", text, strlen(text), &options, &m, diag), KL_OK);
    if (!strstr(all_messages(diag), "t:10:1: warning: 2 nodes are given twice"))
        fail_msg("%s", all_messages(diag));
    kl_mesh_destroy(m);
    kl_diag_destroy(diag);
    complains(INP, HEX_NODES "1,0,0,1\n" HEX, "node 1 is given twice, at (0, 0, 0) and (0, 0, 1)");
}

/* Gmsh writes the surfaces of a solid as plane elements, and its groups as sets of them. */
#define PLANE                                                                                      \
    HEX_NODES "*ELEMENT,TYPE=CPS4,ELSET=Surface1\n7,1,2,3,4\n8,5,6,7,8\n" HEX                      \
              "*ELSET,ELSET=foot\n7\n*ELSET,ELSET=mixed\n1,8\n" STEEL                              \
              "*SOLID SECTION,ELSET=mixed,MATERIAL=STEEL\n"

static void sets_of_elements_left_out_are_sets_of_nodes(void **unused)
{
    (void)unused;
    kl_diag              *diag    = kl_diag_create();
    const kl_read_options options = {.format = INP};
    kl_mesh              *m;
    int                   n;
    if (kl_mesh_read_memory("t", PLANE, strlen(PLANE), &options, &m, diag) != KL_OK)
        fail_msg("%s", all_messages(diag));
    assert_non_null(
        strstr(all_messages(diag), "2 plane elements (CPS4) on surfaces of solids are ignored"));
    assert_int_equal(kl_mesh_count(m), 1);
    assert_int_equal(set_of(m, KL_NODE_SET, "foot")->n, 4);
    assert_int_equal(set_of(m, KL_ELEMENT_SET, "mixed")->n, 1);
    assert_int_equal(kl_mesh_find_set(m, KL_ELEMENT_SET, "foot"), -1);
    kl_mesh_set_nodes(m, "Surface1", &n);
    assert_int_equal(n, 8);
    assert_int_equal(m->block[KL_HEX8].property[0], 0);
    kl_mesh_destroy(m);
    kl_diag_destroy(diag);
    /* without a solid they would be the structure */
    complains(INP, HEX_NODES "*ELEMENT,TYPE=CPS4,ELSET=S\n7,1,2,3,4\n",
              "type CPS4 are not supported");
    /* of others nothing follows but their own refusal; lenient they are listed with their count */
    static const char shells[] = HEX_NODES HEX
        "*ELEMENT,TYPE=S8R,ELSET=S\n7,1,2,3,4,5,6,7,8\n8,5,6,7,8,\n1,2,3,4\n*ELSET,ELSET=T\n7,8\n"
        "*SHELL SECTION,ELSET=S,MATERIAL=STEEL\n.1\n" STEEL;
    const kl_read_options lenient = {.lenient = true, .format = INP};
    complains(INP, shells, "type S8R are not supported");
    assert_int_equal(kl_mesh_read_memory("t", shells, strlen(shells), &lenient, &m, NULL), KL_OK);
    assert_string_equal(m->leftover[0].text, "*ELEMENT, TYPE=S8R");
    assert_int_equal(m->leftover[0].count, 2);
    assert_int_equal(set_of(m, KL_NODE_SET, "T")->n, 8);
    kl_mesh_destroy(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(instances_are_placed_by_shift_and_then_turn),
        cmocka_unit_test(couplings_become_ties),
        cmocka_unit_test(composite_shells_carry_plies_offset_and_direction),
        cmocka_unit_test(without_orientation_fibres_follow_global_x),
        cmocka_unit_test(sets_are_listed_generated_and_nested),
        cmocka_unit_test(orthotropy_comes_as_constants_or_stiffnesses),
        cmocka_unit_test(beam_sections_have_their_axes),
        cmocka_unit_test(masses_springs_and_constraints_are_read),
        cmocka_unit_test(node_systems_are_turned_into_global_axes),
        cmocka_unit_test(included_files_go_on_within_a_card_and_circles_are_named),
        cmocka_unit_test(mistakes_are_named_with_their_place),
        cmocka_unit_test(what_is_not_understood_is_listed),
        cmocka_unit_test(a_node_given_twice_is_told_even_where_both_are_alike),
        cmocka_unit_test(sets_of_elements_left_out_are_sets_of_nodes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
