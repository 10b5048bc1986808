#include "unit/test.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mesh/read.h"

static const char rod[] = KL_SOURCE_DIR "/examples/fe-rod/rod.msh";

/* ---- help ---- */

static kl_mesh *read_text(const char *text, const kl_read_options *options)
{
    kl_diag *diag = kl_diag_create();
    kl_mesh *mesh;
    if (kl_mesh_read_memory("test.msh", text, strlen(text), options, &mesh, diag) != KL_OK)
        fail_msg("%s", kl_diag_at(diag, 0)->text);
    kl_diag_destroy(diag);
    return mesh;
}

/* All messages of a reading that must fail, one a line. */
static const char *complaint(const char *text)
{
    static char all[4096];
    kl_diag    *diag = kl_diag_create();
    kl_mesh    *mesh;
    assert_int_not_equal(kl_mesh_read_memory("test.msh", text, strlen(text), NULL, &mesh, diag),
                         KL_OK);
    assert_null(mesh);
    all[0] = '\0';
    for (int i = 0; i < kl_diag_size(diag); i++) {
        size_t used = strlen(all);
        snprintf(all + used, sizeof all - used, "%s\n", kl_diag_at(diag, i)->text);
    }
    kl_diag_destroy(diag);
    return all;
}

static void complains(const char *text, const char *words)
{
    const char *all = complaint(text);
    if (!strstr(all, words)) fail_msg("expected '%s', got\n%s", words, all);
}

#define HEAD "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
#define NODES "$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n"
#define TET "$Elements\n1\n1 4 2 0 1 1 2 3 4\n$EndElements\n"

/* ---- tests ---- */

static void sets_of_a_volume_mesh_come_from_physical_groups(void **unused)
{
    (void)unused;
    kl_mesh *m =
        read_text(HEAD "$PhysicalNames\n4\n3 1 \"body\"\n2 2 \"bottom face\"\n0 9 \"tip\"\n"
                       "3 3 \"all\"\n$EndPhysicalNames\n" NODES "$Elements\n5\n"
                       "1 15 2 9 1 4\n"    /* a point */
                       "2 2 2 2 1 1 2 3\n" /* a triangle of a face */
                       "3 1 2 5 1 1 2\n"   /* a line of a group without a name */
                       "4 4 2 1 7 1 2 3 4\n"
                       "5 4 2 3 7 1 2 3 4\n" /* the same once more, for the other group */
                       "$EndElements\n",
                  NULL);
    assert_int_equal(kl_mesh_count(m), 1);
    assert_int_equal(m->block[KL_TET4].n, 1);
    assert_int_equal(m->set[kl_mesh_find_set(m, KL_ELEMENT_SET, "body")].n, 1);
    assert_int_equal(m->set[kl_mesh_find_set(m, KL_ELEMENT_SET, "all")].n, 1);
    assert_int_equal(m->set[kl_mesh_find_set(m, KL_NODE_SET, "bottom face")].n, 3);
    assert_int_equal(m->set[kl_mesh_find_set(m, KL_NODE_SET, "curve-5")].n, 2);
    const kl_set *tip = &m->set[kl_mesh_find_set(m, KL_NODE_SET, "tip")];
    assert_int_equal(tip->n, 1);
    assert_int_equal(m->node_id[tip->node[0]], 4);
    const kl_set *faces = &m->set[kl_mesh_find_set(m, KL_SURFACE_SET, "bottom face")];
    assert_int_equal(faces->n, 1);
    assert_int_equal(faces->element[0].face, 0); /* nodes 0 2 1: S1 */
    kl_mesh_destroy(m);
}

static void triangles_are_shells_when_nothing_is_thicker_or_options_say_so(void **unused)
{
    (void)unused;
    static const char shell[] =
        HEAD          NODES "$Elements\n2\n1 2 2 6 1 1 2 3\n2 1 2 8 1 1 2\n$EndElements\n";
    kl_mesh          *m = read_text(shell, NULL);
    assert_int_equal(m->block[KL_TRI3].n, 1);
    assert_int_equal(m->block[KL_BEAM2].n, 0);
    kl_mesh_destroy(m);

    const char *const     names[] = {"curve-8", NULL};
    const kl_read_options stiff   = {.structural = names};
    m                             = read_text(shell, &stiff);
    assert_int_equal(m->block[KL_TRI3].n, 1);
    assert_int_equal(m->block[KL_BEAM2].n, 1);
    assert_int_equal(m->set[kl_mesh_find_set(m, KL_ELEMENT_SET, "curve-8")].n, 1);
    kl_mesh_destroy(m);
}

/* Middle nodes lie half way between the corners that the canonical order says, but for `bulge` of
 * the edge: rounding of Gmsh's own curves where edges are straight. A wrong order would miss by the
 * size of an element. */
enum { STRAIGHT, CURVED };

static void middles_are_in_the_middle(const kl_mesh *m, kl_shape shape, const int (*edge)[2],
                                      int form)
{
    const kl_shape_info *info = kl_shape_info_of(shape);
    for (int e = 0; e < m->block[shape].n; e++) {
        const int *node = &m->block[shape].node[e * info->nnode];
        for (int k = info->ncorner; k < info->nnode; k++) {
            const int *ab     = edge[k - info->ncorner];
            kl_vec3    mid    = kl_scale(0.5, kl_add(m->x[node[ab[0]]], m->x[node[ab[1]]]));
            double     length = kl_norm(kl_sub(m->x[node[ab[1]]], m->x[node[ab[0]]]));
            double     bulge  = kl_norm(kl_sub(mid, m->x[node[k]])) / length;
            /* an arc of a quarter circle over one edge bulges by (sqrt(2) - 1) / 2 = 0.207 */
            assert_true(bulge < (form == STRAIGHT ? 1e-9 : 0.2));
        }
    }
}

static const int tet10_edges[][2]   = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};
static const int hex20_edges[][2]   = {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {4, 5}, {5, 6},
                                       {6, 7}, {7, 4}, {0, 4}, {1, 5}, {2, 6}, {3, 7}};
static const int wedge15_edges[][2] = {{0, 1}, {1, 2}, {2, 0}, {3, 4}, {4, 5},
                                       {5, 3}, {0, 3}, {1, 4}, {2, 5}};

/* Runs gmsh on a script with options; false when there is no gmsh. */
static bool gmsh(const char *script, const char *options, char path[64])
{
    char geo[64], command[512];
    strcpy(path, "/tmp/klingel-read-XXXXXX");
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    snprintf(geo, sizeof geo, "%s.geo", path);
    FILE *f = fopen(geo, "w");
    assert_non_null(f);
    fputs(script, f);
    fclose(f);
    snprintf(command, sizeof command, "gmsh -v 0 -3 %s %s -o %s </dev/null >/dev/null 2>&1",
             options, geo, path);
    bool ok = system(command) == 0;
    remove(geo);
    if (!ok) remove(path);
    return ok;
}

static kl_mesh *read_and_remove(const char *path)
{
    kl_diag              *diag    = kl_diag_create();
    const kl_read_options options = {.format = KL_FORMAT_GMSH};
    kl_mesh              *mesh;
    kl_status             status = kl_mesh_read(path, &options, &mesh, diag);
    if (status != KL_OK) fail_msg("%s", kl_diag_at(diag, 0)->text);
    remove(path);
    kl_diag_destroy(diag);
    return mesh;
}

static const char block_geo[] =
    "SetFactory(\"OpenCASCADE\");\nBox(1) = {0, 0, 0, 1, 0.5, 0.25};\n"
    "Physical Volume(\"body\") = {1};\nPhysical Surface(\"left\") = {1};\n"
    "Physical Surface(\"ends\") = {1, 2};\nPhysical Point(\"tip\") = {1};\n"
    "Mesh.CharacteristicLengthMax = 0.3;\nMesh.ElementOrder = 2;\n";

static void same_mesh(const kl_mesh *a, const kl_mesh *b)
{
    assert_int_equal(a->nnode, b->nnode);
    for (int i = 0; i < a->nnode; i++) {
        assert_int_equal(a->node_id[i], b->node_id[i]);
        assert_close(kl_norm(kl_sub(a->x[i], b->x[i])), 0.0, 1e-15);
    }
    for (int s = 0; s < KL_SHAPE_COUNT; s++) {
        assert_int_equal(a->block[s].n, b->block[s].n);
        if (a->block[s].n == 0) continue;
        assert_int_equal(0, memcmp(a->block[s].node, b->block[s].node,
                                   sizeof(int) * (size_t)a->block[s].n *
                                       (size_t)kl_shape_info_of((kl_shape)s)->nnode));
    }
    assert_int_equal(a->nset, b->nset);
    for (int i = 0; i < a->nset; i++) {
        const kl_set *p = &a->set[i], *q = &b->set[kl_mesh_find_set(b, p->kind, p->name)];
        assert_int_equal(p->n, q->n);
        if (p->kind == KL_NODE_SET)
            assert_memory_equal(p->node, q->node, sizeof(int) * (size_t)p->n);
        else assert_memory_equal(p->element, q->element, sizeof *p->element * (size_t)p->n);
    }
}

static void what_gmsh_writes_in_any_format_is_the_same_mesh(void **unused)
{
    (void)unused;
    static const char *const formats[] = {
        "-format msh22",
        "-format msh22 -bin",
        "-format msh41",
        "-format msh41 -bin",
        "-format msh22 -setnumber Mesh.SaveParametric 1",
        "-format msh22 -bin -setnumber Mesh.SaveParametric 1",
        "-format msh41 -setnumber Mesh.SaveParametric 1",
        "-format msh41 -bin -setnumber Mesh.SaveParametric 1",
    };
    kl_mesh *first = NULL;
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        char path[64];
        if (!gmsh(block_geo, formats[i], path)) skip();
        kl_mesh *m = read_and_remove(path);
        if (first) same_mesh(first, m);
        else assert_true(m->block[KL_TET10].n > 20);
        middles_are_in_the_middle(m, KL_TET10, tet10_edges, STRAIGHT);
        assert_true(m->set[kl_mesh_find_set(m, KL_SURFACE_SET, "ends")].n >= 4);
        if (first) kl_mesh_destroy(m);
        else first = m;
    }
    kl_mesh_destroy(first);
}

static void quadratic_hexahedra_and_prisms_come_in_canonical_order(void **unused)
{
    (void)unused;
    static const char sweep[] = "Point(1) = {0,0,0}; Point(2) = {1,0,0}; Point(3) = {0,1,0};\n"
                                "Point(4) = {1,1,0};\n"
                                "Line(1)={1,2}; Line(2)={2,4}; Line(3)={4,3}; Line(4)={3,1};\n"
                                "Line Loop(1)={1,2,3,4}; Plane Surface(1)={1};\n"
                                "Transfinite Line{1:4} = 3; Transfinite Surface{1};\n%s\n"
                                "out[] = Extrude{0,0,2}{Surface{1}; Layers{2}; Recombine;};\n"
                                "Mesh.ElementOrder = 2; Mesh.SecondOrderIncomplete = %d;\n"
                                "Physical Volume(\"v\") = {out[1]};\n";
    for (int k = 0; k < 4; k++) {
        char script[1024], path[64];
        bool hex = k & 1, incomplete = k & 2;
        snprintf(script, sizeof script, sweep, hex ? "Recombine Surface{1};" : "", incomplete);
        if (!gmsh(script, k < 2 ? "-format msh22" : "-format msh41", path)) skip();
        kl_mesh *m = read_and_remove(path);
        assert_int_equal(m->block[KL_HEX20].n, hex ? 8 : 0);
        assert_int_equal(m->block[KL_WEDGE15].n, hex ? 0 : 16);
        middles_are_in_the_middle(m, KL_HEX20, hex20_edges, STRAIGHT);
        middles_are_in_the_middle(m, KL_WEDGE15, wedge15_edges, STRAIGHT);
        kl_mesh_destroy(m);
    }
}

static void big_endian_binary_is_understood(void **unused)
{
    (void)unused;
    /* a 2.2 file written by hand with the bytes reversed */
    unsigned char file[512];
    size_t        n = 0;
#define TEXT(s) (memcpy(file + n, s, strlen(s)), n += strlen(s))
#define INT(v)                                                                                     \
    do {                                                                                           \
        unsigned v_ = (unsigned)(v);                                                               \
        for (int b = 3; b >= 0; b--) file[n++] = (unsigned char)(v_ >> 8 * b);                     \
    } while (0)
    TEXT("$MeshFormat\n2.2 1 8\n");
    INT(1);
    TEXT("\n$EndMeshFormat\n$Nodes\n4\n");
    for (int i = 0; i < 4; i++) {
        INT(i + 1);
        for (int k = 0; k < 3; k++) {
            double   v = i == k + 1;
            uint64_t bits;
            memcpy(&bits, &v, 8);
            for (int b = 7; b >= 0; b--) file[n++] = (unsigned char)(bits >> 8 * b);
        }
    }
    TEXT("\n$EndNodes\n$Elements\n1\n");
    const int numbers[] = {4, 1, 2, 77, 5, 1, 1, 2, 3, 4};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) INT(numbers[i]);
    TEXT("\n$EndElements\n");

    kl_diag *diag = kl_diag_create();
    kl_mesh *m;
    assert_int_equal(kl_mesh_read_memory("b.msh", (char *)file, n, NULL, &m, diag), KL_OK);
    assert_int_equal(m->nnode, 4);
    assert_true(m->x[2].y == 1.0);
    assert_int_equal(m->block[KL_TET4].id[0], 77);
    kl_mesh_destroy(m);

    /* cut anywhere it is an error, unless whole sections remain: nodes without elements */
    for (size_t cut = 0; cut + 1 < n; cut++) {
        if (kl_mesh_read_memory("b.msh", (char *)file, cut, NULL, &m, diag) != KL_OK) continue;
        assert_int_equal(m->nnode, 4);
        assert_int_equal(kl_mesh_count(m), 0);
        kl_mesh_destroy(m);
    }
    kl_diag_destroy(diag);
}

static void the_reference_rod_is_read(void **unused)
{
    (void)unused;
    FILE *f = fopen(rod, "rb");
    if (!f) skip();
    fclose(f);
    kl_diag *diag = kl_diag_create();
    kl_mesh *m;
    assert_int_equal(kl_mesh_read(rod, NULL, &m, diag), KL_OK);
    assert_int_equal(m->nnode, 3743);
    middles_are_in_the_middle(m, KL_TET10, tet10_edges, CURVED);
    kl_mesh_destroy(m);
    kl_diag_destroy(diag);
}

static void mistakes_are_named_with_their_place(void **unused)
{
    (void)unused;
    complains(HEAD "$Nodes\n4\n1 0 0 0\n2 1 0 0\n2 1 2 3\n4 0 0 1\n$EndNodes\n" TET,
              "test.msh:8:1: node 2 is given twice, at (1, 0, 0) and (1, 2, 3)");
    complains(HEAD NODES "$Elements\n1\n1 4 2 0 1 1 2 3 44\n$EndElements\n",
              "test.msh:13:1: element 1 refers to node 44, which does not exist");
    complains(HEAD "$Nodes\n4\n1 0 0 0\n2 1 x 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n" TET,
              "test.msh:7:5: 'x' is not a number");
    complains(HEAD "$Nodes\n5\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n" TET,
              "declares 5 entries but contains 4");
    complains(HEAD "$Nodes\n3\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n" TET,
              "contains more entries than it declares");
    complains(HEAD "$Nodes\n4\n1 0 nan 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n" TET,
              "is not finite");
    complains(HEAD "$Nodes\n4\n1 0 0 0\n2 1 0", "the file ends in $Nodes after 1 of 4 entries");
    complains(HEAD NODES "$Elements\n2\n1 4 2 0 1 1 2 3 4\n1 4 2 0 1 1 2 4 3\n$EndElements\n",
              "element 1 is given twice");
    complains(HEAD NODES "$Elements\n1\n1 7 2 0 1 1 2 3 4 1\n$EndElements\n", "without pyramids");
    complains("$MeshFormat\n4.0 0 8\n$EndMeshFormat\n", "save the mesh as 2.2 or 4.1");
    complains(HEAD TET NODES, "$Elements precedes $Nodes");
    complains("$Nodes\n", "precedes $MeshFormat");
}

static void many_mistakes_are_counted(void **unused)
{
    (void)unused;
    char text[8192] = HEAD NODES "$Elements\n100\n";
    for (int i = 0; i < 100; i++) {
        char line[64];
        snprintf(line, sizeof line, "%d 4 2 0 1 1 2 3 99\n", i + 1);
        strcat(text, line);
    }
    strcat(text, "$EndElements\n");
    const char *all = complaint(text);
    assert_non_null(strstr(all, "and 95 more references to missing nodes"));
}

static void other_sections_are_listed(void **unused)
{
    (void)unused;
    kl_mesh *m = read_text(HEAD NODES TET "$NodeData\n1\n\"x\"\n$EndNodeData\n$Periodic\n0\n"
                                          "$EndPeriodic\n$NodeData\n$EndNodeData\n",
                           NULL);
    assert_int_equal(m->nleftover, 2);
    assert_string_equal(m->leftover[0].text, "$NodeData");
    assert_int_equal(m->leftover[0].count, 2);
    assert_int_equal(m->leftover[0].line, 15);
    kl_mesh_destroy(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sets_of_a_volume_mesh_come_from_physical_groups),
        cmocka_unit_test(triangles_are_shells_when_nothing_is_thicker_or_options_say_so),
        cmocka_unit_test(what_gmsh_writes_in_any_format_is_the_same_mesh),
        cmocka_unit_test(quadratic_hexahedra_and_prisms_come_in_canonical_order),
        cmocka_unit_test(big_endian_binary_is_understood),
        cmocka_unit_test(the_reference_rod_is_read),
        cmocka_unit_test(mistakes_are_named_with_their_place),
        cmocka_unit_test(many_mistakes_are_counted),
        cmocka_unit_test(other_sections_are_listed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
