/* Body files: what is written is read back; damaged and foreign files are refused by name. The body
 * file of `klingel fe` says what is wrong with it. */
#include "reduce/kbody_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fe/assemble.h"
#include "language/body.h"
#include "unit/test.h"

static const char kbody_path[] = "/tmp/kl_kbody_test.kbody",
                  yaml_path[] = "/tmp/kl_kbody_test.yaml", mesh_path[] = "/tmp/kl_kbody_test.msh";

static void write_file(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

/* four tetrahedra around an inner node would do; two stacked cubes of five each are a body */
static const char mesh_text[] =
    "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n2\n3 1 \"body\"\n2 2 "
    "\"root\"\n$EndPhysicalNames\n"
    "$Nodes\n12\n1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n5 0 0 1\n6 1 0 1\n7 1 1 1\n8 0 1 1\n9 0 0 "
    "2\n10 1 0 2\n11 1 1 2\n12 0 1 2\n$EndNodes\n"
    "$Elements\n4\n1 2 2 2 1 1 2 3\n2 2 2 2 1 1 3 4\n3 5 2 1 1 1 2 3 4 5 6 7 8\n4 5 2 1 1 5 6 7 8 "
    "9 10 11 12\n$EndElements\n";

static const char good_yaml[] = "title: Two cubes\nmesh: kl_kbody_test.msh\nmaterial: {E: 210 GPa, "
                                "nu: 0.3, density: 7850 kg/m3}\nmodes: 5\n"
                                "markers:\n  foot: {set: root, tie: rbe2}\n  mean: {set: root, "
                                "tie: rbe3, at: [0.5, 0.5, -0.2]}\n  tip: {at: [1, 1, 2]}\n"
                                "stress: {elements: body, nodes: surface}\n";

static kl_status reduce(const char *yaml, kl_kbody **b, kl_diag *d)
{
    kl_body_file file;
    write_file(mesh_path, mesh_text);
    write_file(yaml_path, yaml);
    *b               = NULL;
    kl_status status = kl_body_file_read(yaml_path, &file, d);
    if (status == KL_OK) status = kl_reduce(file.mesh, NULL, &file.recipe, b, NULL, d);
    kl_body_file_free(&file);
    return status;
}

static void assert_same(const double *a, const double *b, size_t n)
{
    assert_memory_equal(a, b, n * sizeof(double));
}

static void a_body_is_read_back_bit_by_bit(void **unused)
{
    (void)unused;
    kl_diag  *d = kl_diag_create();
    kl_kbody *a, *b;
    /* the same nodes cannot follow an RBE2 and lead an RBE3 marker? they can: the mean follows the
     * rigid foot */
    if (reduce(good_yaml, &a, d) != KL_OK) fail_msg("%s", kl_diag_at(d, 0)->text);
    assert_int_equal(kl_kbody_write(a, kbody_path, d), KL_OK);
    if (kl_kbody_read(kbody_path, &b, d) != KL_OK) fail_msg("%s", kl_diag_at(d, 0)->text);
    size_t n = (size_t)a->nmode;
    assert_int_equal(b->nmode, a->nmode);
    assert_string_equal(b->title, "Two cubes");
    assert_same(a->Kff, b->Kff, n * n);
    assert_same(a->inertia.H1, b->inertia.H1, 3 * n * n);
    assert_memory_equal(a->inertia.J2, b->inertia.J2, n * n * sizeof(kl_mat3));
    assert_memory_equal(&a->inertia.J0, &b->inertia.J0, sizeof(kl_mat3));
    assert_close(b->inertia.m, 2 * 7850, 1e-9);
    assert_int_equal(b->nmarker, 3);
    const kl_kbody_marker *tip  = kl_kbody_find_marker(b, "tip"),
                          *foot = kl_kbody_find_marker(b, "foot"),
                          *mean = kl_kbody_find_marker(b, "mean");
    assert_int_equal(tip->kind, KL_MARKER_TRIAD);
    assert_int_equal(foot->kind, KL_MARKER_NODE);
    assert_same(tip->triad_motion[1], kl_kbody_find_marker(a, "tip")->triad_motion[1], 3 * n);
    /* the mean of a rigid face turns as the face does */
    for (size_t j = 0; j < 3 * n; j++) assert_close(mean->rotation[j], foot->rotation[j], 1e-9);
    assert_same(a->compliance, b->compliance, 18 * 18);
    assert_int_equal(b->stress.n, 2 + b->skin.nnode);
    assert_int_equal(b->skin.nnode, 12);
    assert_int_equal(b->skin.ntriangle, 20);
    assert_memory_equal(a->skin.motion, b->skin.motion, 12 * n * 3 * sizeof(float));
    kl_kbody_destroy(a);
    kl_kbody_destroy(b);
    kl_diag_destroy(d);
    unlink(kbody_path);
}

static void damaged_files_are_refused(void **unused)
{
    (void)unused;
    kl_diag  *d = kl_diag_create();
    kl_kbody *b;
    assert_int_equal(kl_kbody_read("/nowhere/x.kbody", &b, d), KL_E_FILE);
    write_file(kbody_path, "this is text");
    assert_int_equal(kl_kbody_read(kbody_path, &b, d), KL_E_FILE);
    assert_non_null(strstr(kl_diag_at(d, 1)->text, "not a reduced body"));
    /* cut short at many places: never a crash, never a body */
    kl_kbody *a;
    assert_int_equal(reduce(good_yaml, &a, d), KL_OK);
    assert_int_equal(kl_kbody_write(a, kbody_path, d), KL_OK);
    FILE *f = fopen(kbody_path, "rb");
    fseek(f, 0, SEEK_END);
    long size = ftell(f);
    fclose(f);
    for (int k = 1; k < 8; k++) {
        assert_int_equal(kl_kbody_write(a, kbody_path, d), KL_OK);
        assert_int_equal(truncate(kbody_path, size * k / 8), 0);
        assert_int_not_equal(kl_kbody_read(kbody_path, &b, d), KL_OK);
        assert_null(b);
    }
    kl_kbody_destroy(a);
    kl_diag_destroy(d);
    unlink(kbody_path);
}

/* one bit in an array: the same size, and numbers that look like numbers */
static void a_bit_that_turned_over_is_found(void **unused)
{
    (void)unused;
    kl_diag  *d = kl_diag_create();
    kl_kbody *a, *b;
    assert_int_equal(reduce(good_yaml, &a, d), KL_OK);
    assert_int_equal(kl_kbody_write(a, kbody_path, d), KL_OK);
    static unsigned char bytes[1 << 20];
    FILE                *f    = fopen(kbody_path, "r+b");
    size_t               size = fread(bytes, 1, sizeof bytes, f), at = 0, n = (size_t)a->nmode;
    while (at < size && memcmp(bytes + at, a->Kff, n * n * sizeof(double)) != 0) at++;
    assert_true(at < size);
    fseek(f, (long)at, SEEK_SET);
    fputc(bytes[at] ^ 1, f);
    fclose(f);
    assert_int_equal(kl_kbody_read(kbody_path, &b, d), KL_E_FILE);
    assert_non_null(strstr(kl_diag_at(d, 0)->text, "is damaged: 'modes/Kff'"));
    kl_kbody_destroy(a);
    kl_diag_destroy(d);
    unlink(kbody_path);
}

/* the name of a mesh, a folder or a device given by mistake: what is there stays */
static void a_body_replaces_nothing_but_a_body(void **unused)
{
    (void)unused;
    kl_diag  *d = kl_diag_create();
    kl_kbody *a;
    assert_int_equal(reduce(good_yaml, &a, d), KL_OK);
    assert_int_equal(kl_kbody_check_name(mesh_path, d), KL_E_FILE);
    assert_non_null(strstr(kl_diag_at(d, 0)->text, "exists and is not a body file"));
    assert_int_equal(kl_kbody_check_name("/nowhere/x.kbody", d), KL_E_FILE);
    assert_int_equal(kl_kbody_check_name("/tmp", d), KL_E_FILE);
    assert_int_equal(kl_kbody_write(a, "/tmp", d), KL_E_FILE);
    assert_int_equal(kl_kbody_check_name(kbody_path, d), KL_OK);
    assert_int_equal(kl_kbody_write(a, kbody_path, d), KL_OK);
    assert_int_equal(kl_kbody_check_name(kbody_path, d), KL_OK);
    kl_kbody_destroy(a);
    kl_diag_destroy(d);
    unlink(kbody_path);
}

static void mistakes_in_the_body_file_are_named(void **unused)
{
    (void)unused;
    static const struct {
        const char *yaml, *said;
    } cases[] = {
        {"mesh: kl_kbody_test.msh\nmaterial: {E: 210 GPa, nu: 0.3, density: 7850 kg/m3}\nmodez: "
         "5\n",
         "did you mean `modes`"},
        {"mesh: kl_kbody_test.msh\nmaterial: {E: 210 m, nu: 0.3, density: 7850 kg/m3}\n",
         "material"},
        {"mesh: kl_kbody_test.msh\nmaterial: {E: 210 GPa, nu: 0.6, density: 7850 kg/m3}\n",
         "Poisson"},
        {"mesh: kl_kbody_test.msh\n", "no property"},
        {"mesh: kl_kbody_test.msh\nmaterial: {E: 210 GPa, nu: 0.3, density: 7850}\nmarkers: {a: "
         "{set: rot}}\n",
         "did you mean 'root'"},
        {"mesh: kl_kbody_test.msh\nmaterial: {E: 210 GPa, nu: 0.3, density: 7850}\nmarkers: {a: "
         "{node: 77}}\n",
         "node 77"},
        {"mesh: kl_kbody_test.msh\nmaterial: {E: 210 GPa, nu: 0.3, density: 7850}\nmass: lumpd\n",
         "lumped"},
        {"mesh: kl_kbody_test.msh\nmaterial: {E: 210 GPa, nu: 0.3, density: 7850}\nstatics: "
         "attachment\n",
         "interfaces"},
        {"mesh: kl_kbody_test.msh\nmaterial: {E: 210 GPa, nu: 0.3, density: 7850}\nreference: "
         "{root: [x]}\n",
         "rigid body motion"},
        {"modes: 3\n", "either `mesh:` or `matrices:`"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        kl_diag  *d = kl_diag_create();
        kl_kbody *b;
        assert_int_not_equal(reduce(cases[i].yaml, &b, d), KL_OK);
        bool said = false;
        for (int k = 0; k < kl_diag_size(d); k++)
            said = said || strstr(kl_diag_at(d, k)->text, cases[i].said);
        if (!said)
            fail_msg("case %d: no message says '%s'; the first is: %s", (int)i, cases[i].said,
                     kl_diag_size(d) ? kl_diag_at(d, 0)->text : "none");
        kl_diag_destroy(d);
    }
}

/* clamped at the root: effective masses add up towards the whole */
static void participation_adds_up(void **unused)
{
    (void)unused;
    kl_diag  *d = kl_diag_create();
    kl_kbody *b;
    if (reduce("mesh: kl_kbody_test.msh\nmaterial: {E: 210 GPa, nu: 0.3, density: 7850}\nmodes: "
               "24\nreference: {root: all}\n",
               &b, d) != KL_OK)
        fail_msg("%s", kl_diag_at(d, 0)->text);
    assert_int_equal(b->nmode, 24); /* eight free nodes */
    double sum = 0;
    for (int j = 0; j < b->nmode; j++) {
        double L[6], effective[6];
        kl_kbody_participation(b, j, L, effective);
        sum += effective[2];
    }
    /* all modes: everything but the held nodes' own share */
    assert_true(sum > 0.7 * b->inertia.m && sum <= b->inertia.m * (1 + 1e-9));
    kl_kbody_destroy(b);
    kl_diag_destroy(d);
}

/* ---- the matrices of another program ---- */

static void write_matrix(const char *path, const kl_symmetric *A)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fprintf(f, "%%%%MatrixMarket matrix coordinate real symmetric\n%d %d %lld\n", A->n, A->n,
            (long long)kl_symmetric_nnz(A));
    for (int j = 0; j < A->n; j++)
        for (int64_t p = A->start[j]; p < A->start[j + 1]; p++)
            fprintf(f, "%d %d %.17g\n", A->row[p] + 1, j + 1, A->value[p]);
    fclose(f);
}

/* the same system with its unknowns in the order of the nodes, as another program would write it */
static void in_order_of_nodes(const kl_system *s, const kl_symmetric *A, kl_symmetric *out)
{
    int *number = calloc((size_t)s->ndof, sizeof(int)), next = 0;
    for (int q = 0; q < 6 * s->nnode; q++)
        if (s->dof[q] >= 0) number[s->dof[q]] = next++;
    int64_t nnz = kl_symmetric_nnz(A), k = 0;
    int    *row = calloc((size_t)nnz, sizeof(int)), *column = calloc((size_t)nnz, sizeof(int));
    for (int j = 0; j < A->n; j++)
        for (int64_t p = A->start[j]; p < A->start[j + 1]; p++, k++)
            row[k] = number[A->row[p]], column[k] = number[j];
    assert_int_equal(kl_symmetric_from_triplets(out, A->n, nnz, row, column, A->value), KL_OK);
    free(number);
    free(row);
    free(column);
}

static void write_matrices(const char *yaml)
{
    kl_diag     *d = kl_diag_create();
    kl_body_file file;
    kl_system    s;
    write_file(yaml_path, yaml);
    assert_int_equal(kl_body_file_read(yaml_path, &file, d), KL_OK);
    assert_int_equal(kl_fe_assemble(file.mesh, file.recipe.mass, &s, d), KL_OK);
    kl_symmetric K, M;
    in_order_of_nodes(&s, &s.K, &K);
    in_order_of_nodes(&s, &s.M, &M);
    write_matrix("/tmp/kl_kbody_test_K.mtx", &K);
    write_matrix("/tmp/kl_kbody_test_M.mtx", &M);
    FILE *f = fopen("/tmp/kl_kbody_test_nodes.csv", "w");
    assert_non_null(f);
    fprintf(f, "id,x,y,z\n");
    for (int i = 0; i < s.nnode; i++)
        fprintf(f, "%d,%.17g,%.17g,%.17g\n", s.node_id[i], s.x[i].x, s.x[i].y, s.x[i].z);
    fclose(f);
    kl_symmetric_free(&K);
    kl_symmetric_free(&M);
    kl_system_free(&s);
    kl_body_file_free(&file);
    kl_diag_destroy(d);
}

static kl_kbody *reduce_matrices(const char *yaml)
{
    kl_diag     *d = kl_diag_create();
    kl_body_file file;
    kl_kbody    *b = NULL;
    write_file(yaml_path, yaml);
    kl_status status = kl_body_file_read(yaml_path, &file, d);
    if (status == KL_OK)
        status = kl_reduce(file.mesh, file.has_matrices ? &file.system : NULL, &file.recipe, &b,
                           NULL, d);
    if (status != KL_OK) fail_msg("%s", kl_diag_at(d, 0)->text);
    kl_body_file_free(&file);
    kl_diag_destroy(d);
    return b;
}

static void assert_same_body(const kl_kbody *a, const kl_kbody *b)
{
    assert_int_equal(a->nmode, b->nmode);
    assert_close(a->inertia.m / b->inertia.m, 1, 1e-12);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            assert_close(a->inertia.J0.m[i][j] / a->inertia.J0.m[0][0],
                         b->inertia.J0.m[i][j] / a->inertia.J0.m[0][0], 1e-12);
    /* of modes with one frequency only their sum is the same: any turn among them is as good */
    double sum_a = 0, sum_b = 0;
    for (int j = 0; j < a->nmode; j++) {
        assert_close(a->frequency[j] / b->frequency[j], 1, 1e-9);
        sum_a += a->inertia.J2[j * a->nmode + j].m[0][0];
        sum_b += b->inertia.J2[j * a->nmode + j].m[0][0];
        if (j + 1 == a->nmode || a->frequency[j + 1] < (1 + 1e-6) * a->frequency[j]) continue;
        assert_close(sum_a, sum_b, 1e-6);
    }
    assert_int_equal(a->nmarker, b->nmarker);
    for (int i = 0; i < a->nmarker; i++) {
        assert_int_equal(a->marker[i].node_id, b->marker[i].node_id);
        assert_int_equal(a->marker[i].kind, b->marker[i].kind);
    }
}

static const char from_matrices[] =
    "matrices: {stiffness: kl_kbody_test_K.mtx, mass: kl_kbody_test_M.mtx, nodes: "
    "kl_kbody_test_nodes.csv}\nmodes: 5\nmarkers: {tip: {node: 11}}\n";

static void ready_matrices_give_the_body_of_the_mesh_with_three_unknowns_a_node(void **unused)
{
    (void)unused;
    static const char yaml[] = "mesh: kl_kbody_test.msh\nmaterial: {E: 210 GPa, nu: 0.3, density: "
                               "7850 kg/m3}\nmodes: 5\nmarkers: {tip: {node: 11}}\n";
    write_file(mesh_path, mesh_text);
    write_matrices(yaml);
    kl_kbody *mesh = reduce_matrices(yaml), *ready = reduce_matrices(from_matrices);
    assert_same_body(mesh, ready);
    assert_string_equal(ready->mass_rule, "given");
    kl_kbody_destroy(mesh);
    kl_kbody_destroy(ready);
}

/* a folded strip of shells, every node with rotations */
static const char shell_text[] =
    "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n1\n2 1 \"skin\"\n$EndPhysicalNames\n"
    "$Nodes\n8\n1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n11 2 0 0.5\n6 2 1 0.5\n7 3 0 0\n8 3 1 "
    "0\n$EndNodes\n$Elements\n3\n1 3 2 1 1 1 2 3 4\n2 3 2 1 1 2 11 6 3\n3 3 2 1 1 11 7 8 "
    "6\n$EndElements\n";

/* Thin: a mesh knows that the mass of a shell lies beside its nodes and turns with them, matrices do
 * not, and that grows as the thickness squared (3e-7 of the modes' inertia here, 9e-6 at 3 mm). */
static void ready_matrices_give_the_body_of_the_mesh_with_six_unknowns_a_node(void **unused)
{
    (void)unused;
    static const char yaml[] =
        "mesh: kl_kbody_test.msh\nmaterials: {steel: {E: 210 GPa, nu: 0.3, density: 7850 "
        "kg/m3}}\nsections: {all: {material: steel, thickness: 0.5 mm}}\nmodes: 5\nmarkers: {tip: "
        "{node: 11}}\n";
    write_file(mesh_path, shell_text);
    write_matrices(yaml);
    kl_kbody *mesh = reduce_matrices(yaml), *ready = reduce_matrices(from_matrices);
    assert_same_body(mesh, ready);
    kl_kbody_destroy(mesh);
    kl_kbody_destroy(ready);
}

/* CalculiX's own files of two cubes: its stiffness is that of plain hexahedra, so frequencies lie
 * above ours, which do not lock; mass and inertia are the same */
static void what_calculix_stored_goes_the_whole_way(void **unused)
{
    (void)unused;
    char yaml[2048], folder[256];
    snprintf(folder, sizeof folder, "%s/tests/data/mesh", KL_SOURCE_DIR);
    snprintf(yaml, sizeof yaml,
             "matrices: {stiffness: %s/ccx_block.sti, mass: %s/ccx_block.mas, dof: "
             "%s/ccx_block.dof, nodes: %s/ccx_block.inp}\nmodes: 5\n",
             folder, folder, folder, folder);
    kl_kbody *ready = reduce_matrices(yaml);
    snprintf(yaml, sizeof yaml, "mesh: %s/ccx_block.inp\nmodes: 5\n", folder);
    kl_kbody *mesh = reduce_matrices(yaml);
    assert_close(ready->inertia.m, 2 * 7850.0, 1e-7);
    assert_close(ready->inertia.s0.x, 2 * 7850.0, 1e-6);
    assert_close(mesh->inertia.J0.m[0][0] / ready->inertia.J0.m[0][0], 1, 1e-9);
    for (int j = 0; j < 5; j++) {
        assert_true(ready->frequency[j] > 0.999999 * mesh->frequency[j]);
        assert_true(ready->residual[j] < 1e-9);
    }
    kl_kbody_destroy(ready);
    kl_kbody_destroy(mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_body_is_read_back_bit_by_bit),
        cmocka_unit_test(damaged_files_are_refused),
        cmocka_unit_test(a_bit_that_turned_over_is_found),
        cmocka_unit_test(a_body_replaces_nothing_but_a_body),
        cmocka_unit_test(mistakes_in_the_body_file_are_named),
        cmocka_unit_test(participation_adds_up),
        cmocka_unit_test(ready_matrices_give_the_body_of_the_mesh_with_three_unknowns_a_node),
        cmocka_unit_test(ready_matrices_give_the_body_of_the_mesh_with_six_unknowns_a_node),
        cmocka_unit_test(what_calculix_stored_goes_the_whole_way),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(yaml_path);
    unlink(mesh_path);
    return failed;
}
