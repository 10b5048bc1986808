#include "unit/mesh/read_help.h"

#define BDF KL_FORMAT_NASTRAN

static const double degree = 0.017453292519943295;

#define SQUARE "GRID,1,,0.,0.,0.\nGRID,2,,1.,0.,0.\nGRID,3,,1.,1.,0.\nGRID,4,,0.,1.,0.\n"
#define MAT "MAT1,7,2.1+11,,.3,7850.\n"
#define TET "GRID,5,,0.,0.,1.\nCTETRA,1,1,1,2,4,5\nPSOLID,1,7\n" MAT

static void numbers_without_exponent_letter_are_read_in_every_field_format(void **unused)
{
    (void)unused;
    char text[512];
    snprintf(text, sizeof text,
             "%-8s%8d%8s%8s%8s%8s\n"             /* small */
             "%-8s%16d%16s%16s%16s*\n%-8s%16s\n" /* large */
             "GRID,3,,1.5E-3,-2.,5\n"
             "GRID\t4\t\t1.5-3\t-2.\t5.\n"
             "GRID*,5,,.0015,-2.,*\n*,5.\n",
             "GRID", 1, "", "1.5-3", "-2.", ".5+1", "GRID*", 2, "", "1.5-3", "-2.", "*", "5.D0");
    kl_mesh *m = mesh_of_text(BDF, text);
    for (int id = 1; id <= 5; id++) assert_vec(position(m, id), 1.5e-3, -2, 5, 0);
    kl_mesh_destroy(m);
}

static void only_bulk_data_is_read_of_a_whole_deck(void **unused)
{
    (void)unused;
    kl_mesh *m =
        mesh_of_text(BDF, "$ a deck\nSOL 103\nCEND\nTITLE = GRID\nSPC = 1\nBEGIN BULK\n" SQUARE TET
                          "EIGRL,1,,,10\nSPC1,1,123,1\nSPC1,1,123,2\nENDDATA\n"
                          "GRID,99,,0.,0.,0.\n");
    assert_int_equal(m->nnode, 5);
    assert_int_equal(m->nleftover, 2);
    assert_string_equal(m->leftover[1].text, "SPC1");
    assert_int_equal(m->leftover[1].count, 2);
    assert_int_equal(set_of(m, KL_ELEMENT_SET, "pid-1")->n, 1);
    kl_mesh_destroy(m);
}

static void coordinate_systems_are_followed_to_the_basic_one(void **unused)
{
    (void)unused;
    kl_mesh *m = mesh_of_text(BDF, SQUARE TET
                              /* 10: shifted to (1, 2, 3), z along global x, x along global y */
                              "CORD2R,10,,1.,2.,3.,2.,2.,3.,+\n+,1.,3.,3.\n"
                              "GRID,20,10,1.,0.,0.\nGRID,21,10,0.,0.,1.\nGRID,22,10,0.,1.,0.\n"
                              /* 11: cylinder in 10; 12: sphere by grid points 1, 5 (z), 2 (x) */
                              "CORD2C,11,10,0.,0.,0.,0.,0.,1.,+\n+,1.,0.,0.\nGRID,23,11,2.,90.,5.\n"
                              "CORD1S,12,1,5,2\nGRID,24,12,2.,60.,90.\n");
    assert_vec(position(m, 20), 1, 3, 3, 1e-15);
    assert_vec(position(m, 21), 2, 2, 3, 1e-15);
    assert_vec(position(m, 22), 1, 2, 4, 1e-15);
    assert_vec(position(m, 23), 6, 2, 5, 1e-14);
    assert_vec(position(m, 24), 0, sqrt(3.0), 1, 1e-15);
    kl_mesh_destroy(m);
    complains(BDF,
              "CORD2R,1,2,0.,0.,0.,0.,0.,1.,+\n+,1.,0.,0.\nCORD2R,2,1,0.,0.,0.,0.,0.,1.,+\n"
              "+,1.,0.,0.\nGRID,1,1,0.,0.,0.\n",
              "depends on itself");
    complains(BDF, "GRID,1,5,0.,0.,0.\n", "coordinate system 5 does not exist");
    complains(BDF, "CORD2R,1,,0.,0.,0.,0.,0.,1.,+\n+,0.,0.,2.\n", "lie on one line");
}

static void laminates_and_directions_of_shells_are_read(void **unused)
{
    (void)unused;
    kl_mesh           *m = mesh_of_text(BDF, SQUARE "CORD2R,9,,0.,0.,0.,0.,0.,1.,+\n+,1.,1.,0.\n"
                                                              "CQUAD4,1,30,1,2,3,4,45.\nCQUAD4,2,30,2,3,4,1,9\n"
                                                              "CQUAD4,3,30,1,2,3,4,,.25\n"
                                                              "PCOMP,30,,.5,,,,,SYM,+\n+,40,.001,0.,YES,,,90.\n"
                                                              "MAT8,40,1.4+11,1.+10,.3,5.+9,4.+9,3.+9,1600.\n");
    const kl_property *p = &m->property[m->block[KL_QUAD4].property[0]];
    assert_int_equal(p->nply, 4);
    assert_close(p->ply[1].angle, 90 * degree, 1e-15);
    assert_close(p->ply[1].thickness, 0.001, 0); /* blank repeats */
    assert_close(p->ply[3].angle, 0, 0);
    assert_close(p->thickness, 0.004, 1e-18);
    assert_close(p->nsm, 0.5, 0);
    assert_true(isnan(p->bottom));
    assert_close(m->block[KL_QUAD4].angle[0], 45 * degree, 1e-15);
    assert_close(m->block[KL_QUAD4].angle[1], -45 * degree,
                 1e-15); /* side 2-3 is y, the axis x + y */
    const kl_property *q = &m->property[m->block[KL_QUAD4].property[2]];
    assert_close(q->bottom, 0.25 - 0.002, 1e-15);
    assert_close(m->material[0].G13, 4e9, 0);
    assert_close(m->material[0].G23, 3e9, 0);
    assert_int_equal(set_of(m, KL_ELEMENT_SET, "pid-30")->n, 3);
    kl_mesh_destroy(m);
}

static void beams_have_vectors_offsets_and_sections(void **unused)
{
    (void)unused;
    kl_mesh           *m    = mesh_of_text(BDF, SQUARE MAT
                                           "CBAR,1,50,1,2,0.,0.,1.\nCBAR,2,51,2,3,4\n"
                                                        "CBEAM,3,52,1,4,1.,0.,0.,,+\n+,,,0.,0.,.5,0.,0.,.5\n"
                                                        "PBAR,50,7,1.-3,2.-6,3.-6,4.-6,.1,,+\n+,.1,.2,,,,,,,+\n+,.8,.7\n"
                                                        "PBARL,51,7,,I,,,,,+\n+,.2,.1,.1,.01,.02,.02,.3\n"
                                                        "PBEAM,52,7,1.-3,2.-6,3.-6,0.,4.-6\n");
    const kl_property *bar  = &m->property[m->block[KL_BEAM2].property[0]],
                      *i    = &m->property[m->block[KL_BEAM2].property[1]],
                      *beam = &m->property[m->block[KL_BEAM2].property[2]];
    assert_close(bar->Iz, 2e-6, 0);
    assert_close(bar->Iy, 3e-6, 0);
    assert_close(bar->ky, 0.8, 0);
    assert_close(bar->stress_y[0], 0.1, 0);
    assert_close(bar->nsm, 0.1, 0);
    /* height 0.2 along y: strong against bending in the x-y plane */
    assert_close(i->Iz, (0.1 * pow(0.2, 3) - 0.09 * pow(0.16, 3)) / 12, 1e-15);
    assert_close(i->nsm, 0.3, 0);
    assert_close(beam->ky, 1.0, 0); /* the default of PBEAM, not of PBAR */
    assert_vec(m->block[KL_BEAM2].orientation[0], 0, 0, 1, 0);
    assert_vec(m->block[KL_BEAM2].orientation[1], -1, 1, 0, 0); /* from grid 2 to G0 = 4 */
    /* the offset ends are nodes of their own, tied rigidly */
    assert_int_equal(m->nnode, 6);
    assert_int_equal(m->ntie, 2);
    const int *node = &m->block[KL_BEAM2].node[4];
    assert_vec(m->x[node[0]], 0, 0, 0.5, 0);
    assert_vec(m->x[node[1]], 0, 1, 0.5, 0);
    assert_int_equal(m->node_id[m->tie[1].reference], 4);
    kl_mesh_destroy(m);
}

static void masses_springs_and_ties_are_read(void **unused)
{
    (void)unused;
    kl_mesh *m = mesh_of_text(
        BDF, SQUARE TET "PARAM,WTMASS,.5\nCORD2R,9,,0.,0.,0.,1.,0.,0.,+\n+,0.,1.,0.\n"
                        "CONM2,10,1,,4.,.1,.2,.3,,+\n+,1.,.1,2.,.2,.3,3.\n"
                        "CONM2,11,3,-1,4.,1.,1.,5.\n"
                        "CELAS2,12,1.+6,1,3\nCELAS1,13,60,1,1,2,1\nPELAS,60,2.+6\n"
                        "CBUSH,14,61,1,,,,,0\nPBUSH,61,K,1.,2.,3.,4.,5.,6.\n"
                        "RBE2,20,5,123,1,2,3,4\nRBE2,21,5,123456,1,THRU,3\n"
                        "RBE3,22,,5,123456,1.,123,1,2,+\n+,2.5,123,3,4\nRBAR,23,1,2,123456,,,\n"
                        "SET1,5,1,THRU,3\nASET1,123456,4,5\nGRID,30,,0.,0.,0.,9\n"
                        "CELAS2,15,3.+6,30,1\n");
    assert_int_equal(m->nmass, 2);
    assert_close(m->mass[0].mass, 2.0, 0); /* WTMASS */
    assert_vec(m->mass[0].offset, 0.1, 0.2, 0.3, 0);
    assert_close(m->mass[0].J.m[0][1], -0.05, 0);
    assert_close(m->mass[0].J.m[2][2], 1.5, 0);
    assert_vec(m->mass[1].offset, 0, 0, 5, 0);
    assert_close(m->material[0].rho, 0.5 * 7850, 0);
    assert_int_equal(m->nspring, 4);
    assert_close(m->spring[0].k[2], 1e6, 0);
    assert_int_equal(m->spring[0].node[1], -1);
    assert_close(m->spring[1].k[0], 2e6, 0);
    assert_close(m->spring[2].k[5], 6, 0);
    assert_close(m->spring[3].k[1], 3e6, 0); /* direction 1 of its own axes is global y */
    assert_int_equal(m->ntie, 4);
    assert_int_equal(m->tie[0].components, 7);
    assert_int_equal(m->tie[0].n, 4);
    assert_int_equal(m->tie[1].n, 3);
    assert_int_equal(m->tie[2].kind, KL_RBE3);
    assert_int_equal(m->tie[2].n, 4);
    assert_close(m->tie[2].weight[3], 2.5, 0);
    assert_int_equal(set_of(m, KL_NODE_SET, "set-5")->n, 3);
    assert_int_equal(set_of(m, KL_NODE_SET, "ASET")->n, 2);
    kl_mesh_destroy(m);
}

static void missing_elastic_constants_follow_from_the_others(void **unused)
{
    (void)unused;
    kl_mesh *m =
        mesh_of_text(BDF, SQUARE "MAT1,1,2.6+11,1.+11\nMAT1,2,,1.+11,.3\nMAT1,3,2.6+11,,.3\n");
    for (int i = 0; i < 3; i++) {
        assert_close(m->material[i].E, 2.6e11, 1e-3);
        assert_close(m->material[i].nu, 0.3, 1e-14);
    }
    kl_mesh_destroy(m);
    remarks(BDF, SQUARE "MAT1,1,2.6+11,5.+11,.3\n", "does not fit E and NU");
}

static void mistakes_are_named_with_their_place(void **unused)
{
    (void)unused;
    complains(BDF, SQUARE "GRID,4,,9.,9.,9.\n", "test:5:6: GRID 4 is given twice");
    complains(BDF, SQUARE "CTETRA,1,1,1,2,4,99\nPSOLID,1,7\n" MAT,
              "test:5:18: CTETRA 1 refers to GRID 99");
    complains(BDF, SQUARE "GRID           9           zero      0.      0.\n",
              "test:5:28: GRID, field 4: 'zero' is not a number");
    complains(BDF, SQUARE "GRID,x,,0.,0.,0.\n", "'x' is not a whole number");
    complains(BDF, SQUARE "GRID,9,,inf,0.,0.\n", "is not a finite number");
    complains(BDF, SQUARE "GRID,5,,0.,0.,1.\nCTETRA,1,1,1,2,4,5\n",
              "property 1, which does not exist");
    complains(BDF, SQUARE "GRID,5,,0.,0.,1.\nCTETRA,1,1,1,2,4,5\nPSOLID,1,7\n",
              "refers to material 7, which does not exist");
    complains(BDF, SQUARE "GRID,5,,0.,0.,1.\nCTETRA,1,1,1,2,4,5,1\nPSOLID,1,7\n" MAT,
              "has 5 nodes: give all 10 or only the 4 corners");
    complains(BDF, SQUARE "CQUAD4,1,1,1,2,3,4\nPSOLID,1,7\n" MAT, "needs a PSHELL or PCOMP");
    complains(BDF, SQUARE "CQUAD8,1,1,1,2,3,4,1,2,+\n+,3,4\n", "CQUAD8 cannot be used here");
    complains(BDF, SQUARE "CQUAD4,1,1,1,2,3,4\nPSHELL,1,9,.1,9\nMAT2,9,1.\n", "use MAT1 or MAT8");
    complains(BDF, SQUARE "MPC,1,1,1,1.,2,1,-1.\n", "MPC cannot be used here");
    char text[256];
    snprintf(text, sizeof text, SQUARE "%-8s%-8d%-8s%-8s%-8s%-8s%-24s+A\n+B      1\n", "GRID", 9,
             "", "0.", "0.", "0.", "");
    complains(BDF, text, "sort the lines");
    complains(BDF, "+,1\n" SQUARE, "continues a card, but there is none");
    complains(BDF, SQUARE "RBE2,1,1,127,2\n", "must be digits from 1 to 6");
    complains(BDF, SQUARE "CBAR,1,1,1,2,0.,0.,1.,,+\n+,4\nPBAR,1,7,1.,1.,1.,1.\n" MAT,
              "released directions");
    complains(BDF, SQUARE "PBARL,1,7,,HAT,,,,,+\n+,1.,1.,1.,1.\n" MAT,
              "a section 'HAT' cannot be used");
    complains(BDF, "INCLUDE 'not/there.bdf'\n" SQUARE, "the file 'not/there.bdf' cannot be opened");
}

static void an_own_system_of_a_node_is_not_passed_over(void **unused)
{
    (void)unused;
    static const char skewed[] = "CORD2R,9,,0.,0.,0.,0.,0.,1.,+\n+,1.,1.,0.\nGRID,1,,0.,0.,0.,9\n"
                                 "GRID,2,,1.,0.,0.\n";
    char              text[512];
    snprintf(text, sizeof text, "%sCELAS2,1,1.,1,1\n", skewed);
    complains(BDF, text, "the same global direction");
    snprintf(text, sizeof text, "%sRBE2,1,2,12,1\n", skewed);
    complains(BDF, text, "has its own axes");
    snprintf(text, sizeof text, "%sRBE2,1,2,123,1\n", skewed);
    kl_mesh *m = mesh_of_text(BDF, text); /* all three: the axes do not matter */
    assert_int_equal(m->ntie, 1);
    kl_mesh_destroy(m);
}

/* a point with a broken position is told once, not by every element on it */
static void a_broken_point_is_told_once(void **unused)
{
    (void)unused;
    static const char *const points[] = {"GRID,5,44,0.,0.,1.\n", "GRID,5,,nan,0.,1.\n",
                                         "GRID,5,,x,0.,1.\n"};
    for (int i = 0; i < 3; i++) {
        char                  text[512];
        const kl_read_options options = {.format = BDF};
        kl_diag              *diag    = kl_diag_create();
        kl_mesh              *mesh;
        snprintf(text, sizeof text, SQUARE "%sCTETRA,1,1,1,2,4,5\nPSOLID,1,7\n" MAT, points[i]);
        assert_true(kl_mesh_read_memory("test", text, strlen(text), &options, &mesh, diag) < 0);
        assert_int_equal(kl_diag_size(diag), 1);
        assert_null(mesh);
        kl_diag_destroy(diag);
    }
}

static void beams_in_a_row_share_the_node_at_their_offset(void **unused)
{
    (void)unused;
    static const char row[] =
        SQUARE "PBAR,1,7,1.,1.,1.,1.\n" MAT "CBAR,1,1,1,2,0.,0.,1.,,+\n+,,,0.,0.,.1,0.,0.,.1\n"
               "CBAR,2,1,2,3,0.,0.,1.,,+\n+,,,0.,0.,.1,0.,-0.,.1\n"
               "CBAR,3,1,3,4,0.,0.,1.,,+\n+,,,0.,0.,.2,0.,0.,.1\n";
    kl_mesh *m = mesh_of_text(BDF, row);
    assert_int_equal(m->nnode, 4 + 5); /* over 1, 2, 3, higher over 3, over 4 */
    assert_int_equal(m->ntie, 5);
    assert_int_equal(m->block[KL_BEAM2].node[1], m->block[KL_BEAM2].node[2]);
    assert_int_not_equal(m->block[KL_BEAM2].node[3], m->block[KL_BEAM2].node[4]);
    kl_mesh_destroy(m);
}

static void lists_and_decks_that_end_early_are_told(void **unused)
{
    (void)unused;
    complains(BDF, SQUARE "SET1,1,1,2,1.0\n", "SET1: '1.0' is not a valid number in a list");
    complains(BDF, SQUARE "ASET1,123,1,two\n", "ASET1: 'two' is not a valid number in a list");
    complains(BDF, SQUARE "ASET,77,123\n", "refers to GRID 77");
    complains(BDF, SQUARE "RBE3,9,,1,123456,1.,1246,2,3\n", "single directions cannot be used");
    remarks(BDF, SQUARE "SET1,1,1,2,77,78\n", "2 of 4 numbers are not in the mesh (first: 77)");
    remarks(BDF, "BEGIN BULK\n" SQUARE, "no ENDDATA; check that the file is complete");
    remarks(BDF, SQUARE TET "SPC1,1,123,1\n", "fix nodes with `reference:`");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_without_exponent_letter_are_read_in_every_field_format),
        cmocka_unit_test(only_bulk_data_is_read_of_a_whole_deck),
        cmocka_unit_test(coordinate_systems_are_followed_to_the_basic_one),
        cmocka_unit_test(laminates_and_directions_of_shells_are_read),
        cmocka_unit_test(beams_have_vectors_offsets_and_sections),
        cmocka_unit_test(masses_springs_and_ties_are_read),
        cmocka_unit_test(missing_elastic_constants_follow_from_the_others),
        cmocka_unit_test(mistakes_are_named_with_their_place),
        cmocka_unit_test(an_own_system_of_a_node_is_not_passed_over),
        cmocka_unit_test(a_broken_point_is_told_once),
        cmocka_unit_test(beams_in_a_row_share_the_node_at_their_offset),
        cmocka_unit_test(lists_and_decks_that_end_early_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
