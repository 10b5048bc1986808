#include "unit/mesh/read_help.h"

#include <stdarg.h>

#include "reduce/modes.h"

/* A folder of files for one test. */
static char folder[64];

static int make_folder(void **unused)
{
    (void)unused;
    strcpy(folder, "/tmp/klingel-matrix-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **unused)
{
    (void)unused;
    char command[128];
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

static const char *file(const char *name, const char *text)
{
    static char paths[64][128];
    static int  next;
    char       *path = paths[next++ % 64];
    snprintf(path, 128, "%s/%s", folder, name);
    if (text) {
        FILE *f = fopen(path, "wb");
        assert_non_null(f);
        fputs(text, f);
        fclose(f);
    }
    return path;
}

static kl_system system_of(const kl_matrix_files *files)
{
    kl_diag  *diag = kl_diag_create();
    kl_system s;
    if (kl_system_read(&s, files, NULL, NULL, diag) != KL_OK) fail_msg("%s", all_messages(diag));
    kl_diag_destroy(diag);
    return s;
}

static void refuses(const kl_matrix_files *files, const char *words)
{
    kl_diag  *diag = kl_diag_create();
    kl_system s;
    assert_int_not_equal(kl_system_read(&s, files, NULL, NULL, diag), KL_OK);
    if (!strstr(all_messages(diag), words))
        fail_msg("expected '%s', got\n%s", words, all_messages(diag));
    assert_null(s.x);
    kl_diag_destroy(diag);
}

/* u' A u for the motion u of all nodes along direction k */
static double along(const kl_system *s, const kl_symmetric *A, int k)
{
    double sum = 0.0, *u = calloc((size_t)s->ndof, sizeof *u),
           *Au = calloc((size_t)s->ndof, sizeof *u);
    for (int i = 0; i < s->ndof; i++) u[i] = s->dof_component[i] == k;
    kl_symmetric_multiply(A, 1, u, Au);
    for (int i = 0; i < s->ndof; i++) sum += u[i] * Au[i];
    free(u);
    free(Au);
    return sum;
}

static const char two_nodes[] = "id,x,y,z\n10,0,0,0\n20,1,0,0\n";
/* a bar along x between two nodes, and a little stiffness across it so that no diagonal is empty */
static const char bar_K[] = "%%MatrixMarket matrix coordinate real symmetric\n% a bar\n6 6 9\n"
                            "1 1 2\n4 1 -2\n4 4 2\n2 2 1\n3 3 1\n5 5 1\n6 6 1\n5 2 -1\n6 3 -1\n";
static const char bar_M[] = "%%MatrixMarket matrix coordinate real symmetric\n6 6 6\n"
                            "1 1 .5\n2 2 .5\n3 3 .5\n4 4 .5\n5 5 .5\n6 6 .5\n";

static void what_calculix_wrote_has_its_mass_and_rigid_motions(void **unused)
{
    (void)unused;
    kl_system s = system_of(
        &(kl_matrix_files){.stiffness = DATA "ccx_block.sti", .nodes = DATA "ccx_block.inp"});
    assert_int_equal(s.nnode, 12);
    assert_int_equal(s.ndof, 36);
    for (int k = 0; k < 3; k++) {
        assert_close(along(&s, &s.M, k), 2 * 7850.0,
                     1e-8); /* two unit cubes; 14 digits in the file */
        assert_close(along(&s, &s.K, k) / kl_symmetric_norm(&s.K), 0.0, 1e-12);
    }
    int node12 = 11;
    assert_int_equal(s.node_id[node12], 12);
    assert_close(s.x[node12].x, 2.0, 0);
    assert_int_equal(s.dof_node[s.dof[6 * node12 + 1]], node12);
    assert_int_equal(s.dof[6 * node12 + 4], -1);
    kl_system_free(&s);
}

/* CalculiX 2.20 wrote the matrices of a clamped bar of two C3D20 and, in another run, its
 * frequencies with seven digits */
static void frequencies_of_calculix_come_from_its_matrices(void **unused)
{
    (void)unused;
    kl_diag  *diag = kl_diag_create();
    kl_system s;
    assert_int_equal(kl_system_read(&s,
                                    &(kl_matrix_files){.stiffness = DATA "ccx_bar.sti",
                                                       .nodes     = DATA "ccx_bar.inp"},
                                    NULL, NULL, diag),
                     KL_OK);
    assert_non_null(strstr(all_messages(diag), "8 of 32 nodes lack unknowns (first: 1)"));
    kl_modes        modes;
    kl_mode_options o = {.count = 12};
    assert_int_equal(kl_modes_find(&s, &o, &modes, diag), KL_OK);
    assert_int_equal(modes.nrigid, 0);
    FILE *f = fopen(DATA "ccx_bar.csv", "r");
    char  line[64];
    assert_non_null(f);
    assert_non_null(fgets(line, sizeof line, f));
    for (int i = 0; i < 12; i++) {
        int    mode;
        double hz;
        assert_int_equal(fscanf(f, "%d,%lf", &mode, &hz), 2);
        assert_int_equal(mode, i + 1);
        assert_close(sqrt(modes.omega2[i]) / 6.28318530717958647693, hz, 1e-6 * hz);
    }
    fclose(f);
    kl_modes_free(&modes);
    kl_system_free(&s);
    kl_diag_destroy(diag);
}

static void matrix_market_says_the_same_in_all_its_forms(void **unused)
{
    (void)unused;
    static const char *const K_forms[] = {
        bar_K,
        "%%MatrixMarket matrix coordinate real general\n6 6 12\n1 1 2\n4 1 -2\n1 4 -2\n4 4 2\n2 2 "
        "1\n"
        "3 3 1\n5 5 1\n6 6 1\n5 2 -1\n2 5 -1\n3 6 -1\n6 3 -1\n",
        "%%MatrixMarket matrix array real general\n6 6\n2 0 0 -2 0 0\n0 1 0 0 -1 0\n0 0 1 0 0 -1\n"
        "-2 0 0 2 0 0\n0 -1 0 0 1 0\n0 0 -1 0 0 1\n",
        "%%MatrixMarket matrix array integer symmetric\n6 6\n2 0 0 -2 0 0\n1 0 0 -1 0\n1 0 0 -1\n"
        "2 0 0\n1 0\n1\n",
    };
    const char *nodes  = file("nodes.csv", two_nodes);
    const char *lumped = file(
        "lumped.mtx", "%%MatrixMarket matrix array real general\n6 1\n.5\n.5\n.5\n.5\n.5\n.5\n");
    const char *mass = file("M.mtx", bar_M);
    for (size_t i = 0; i < sizeof K_forms / sizeof *K_forms; i++) {
        kl_system s = system_of(&(kl_matrix_files){
            .stiffness = file("K.mtx", K_forms[i]), .mass = i & 1 ? lumped : mass, .nodes = nodes});
        assert_int_equal(s.ndof, 6);
        assert_close(s.K.value[kl_symmetric_find(&s.K, 3, 0)], -2.0, 0);
        assert_close(s.K.value[kl_symmetric_find(&s.K, 5, 2)], -1.0, 0);
        assert_close(along(&s, &s.M, 1), 1.0, 1e-15);
        assert_int_equal(s.node_id[1], 20);
        kl_system_free(&s);
    }
}

static void six_unknowns_a_node_are_told_from_the_size(void **unused)
{
    (void)unused;
    const char *K =
        file("K6.mtx", "%%MatrixMarket matrix coordinate real symmetric\n6 6 6\n1 1 1\n2 2 1\n"
                       "3 3 1\n4 4 1\n5 5 1\n6 6 1\n");
    const char *one = file("one.csv", "# one node\n0.5;1.5;2.5\n");
    kl_system   s   = system_of(&(kl_matrix_files){.stiffness = K, .mass = K, .nodes = one});
    assert_int_equal(s.nnode, 1);
    assert_int_equal(s.node_id[0], 1);
    assert_vec(s.x[0], 0.5, 1.5, 2.5, 0);
    assert_int_equal(s.dof_component[5], 5);
    kl_system_to_si(&s, 1e-3, 1e3, 1.0); /* mm, tonnes: N/mm, N mm/rad */
    assert_close(s.K.value[s.K.start[0]], 1e3, 1e-12);
    assert_close(s.K.value[s.K.start[3]], 1e-3, 1e-18);
    assert_close(s.M.value[s.M.start[0]], 1e3, 0);
    assert_close(s.x[0].y, 1.5e-3, 1e-18);
    kl_system_free(&s);
}

static void a_mass_that_is_missing_or_zero_says_what_to_run(void **unused)
{
    (void)unused;
    const char *nodes = file("nodes.csv", two_nodes), *K = file("K.mtx", bar_K);
    refuses(&(kl_matrix_files){.stiffness = K, .nodes = nodes}, "the mass matrix is missing");
    const char *zero =
        file("zero.mtx", "%%MatrixMarket matrix coordinate real symmetric\n6 6 1\n1 1 0\n");
    refuses(&(kl_matrix_files){.stiffness = K, .mass = zero, .nodes = nodes},
            "the mass matrix is zero; run CalculiX with a step *FREQUENCY");
    const char *sti = file("job.sti", "1 1 1.0\n2 2 1.0\n");
    refuses(&(kl_matrix_files){.stiffness = sti, .nodes = nodes},
            "job.mas' is missing; run CalculiX");
    file("job.mas", "1 1 1.0\n2 2 1.0\n");
    refuses(&(kl_matrix_files){.stiffness = sti, .nodes = nodes},
            "job.dof', which assigns rows to nodes");
    file("job.dof", "10.1\n30.1\n");
    refuses(&(kl_matrix_files){.stiffness = sti, .nodes = nodes},
            "job.dof:2:1: node 30 of row 2 has no position");
    file("job.dof", "10.1\n20.1\n");
    kl_system s = system_of(&(kl_matrix_files){.stiffness = sti, .nodes = nodes});
    assert_int_equal(s.ndof, 2);
    assert_int_equal(s.dof[0], 0);
    assert_int_equal(s.dof[6], 1);
    kl_system_free(&s);
}

static void mistakes_are_named_with_their_place(void **unused)
{
    (void)unused;
    const char *nodes = file("nodes.csv", two_nodes), *M = file("M.mtx", bar_M);
#define WITH(text)                                                                                 \
    (&(kl_matrix_files){.stiffness = file("bad.mtx", text), .mass = M, .nodes = nodes})
#define SYM "%%MatrixMarket matrix coordinate real symmetric\n"
    refuses(WITH("%%MatrixMarket matrix coordinate complex symmetric\n1 1 1\n"), "can be used");
    refuses(WITH(SYM "6 6 2\n1 1 1\n"), "ends after 1 of 2 entries");
    refuses(WITH(SYM "6 6 1\n1 1 x\n"), "bad.mtx:3:5: 'x' is not a number");
    refuses(WITH(SYM "6 6 1\n1 1 nan\n"), "is not finite");
    refuses(WITH(SYM "6 6 1\n7 1 1\n"), "bad.mtx:3:1: entry (7, 1) is outside");
    refuses(WITH(SYM "6 6 1\n1 1 1\n2 2 1\n"), "contains more entries than it declares");
    refuses(WITH(SYM "6 6 2\n2 1 1\n1 2 1\n"), "entry (2, 1) is given twice");
    refuses(WITH(SYM "9 9 1\n1 1 1\n"), "the matrix has 9 rows, but 2 nodes");
    refuses(WITH("%%MatrixMarket matrix coordinate real general\n6 6 2\n2 1 1\n1 2 3\n"),
            "not symmetric");
    refuses(WITH("%%MatrixMarket matrix coordinate real general\n6 6 1\n2 1 1\n"),
            "only one triangle");
    refuses(WITH(SYM "6 6 1\n1 1 1\n"),
            "5 unknowns have no stiffness (first: node 10, direction 2)");
    const char *K = file("K.mtx", bar_K);
    refuses(
        &(kl_matrix_files){.stiffness = K, .mass = M, .nodes = file("n.csv", "1,0,0,0\n2,x,0,0\n")},
        "n.csv:2:1: expected a node");
    refuses(
        &(kl_matrix_files){.stiffness = K, .mass = M, .nodes = file("n.csv", "1,0,0,0\n1,1,0,0\n")},
        "node 1 is given twice");
    refuses(&(kl_matrix_files){.stiffness = file("empty.sti", ""), .mass = M, .nodes = nodes},
            "the file is empty");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frequencies_of_calculix_come_from_its_matrices),
        cmocka_unit_test(what_calculix_wrote_has_its_mass_and_rigid_motions),
        cmocka_unit_test(matrix_market_says_the_same_in_all_its_forms),
        cmocka_unit_test(six_unknowns_a_node_are_told_from_the_size),
        cmocka_unit_test(a_mass_that_is_missing_or_zero_says_what_to_run),
        cmocka_unit_test(mistakes_are_named_with_their_place),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
