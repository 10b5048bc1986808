/* Body files from the text to the reduced body: sections of shells, units, bad meshes. */
#include "language/body.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "unit/test.h"

static const double pi       = 3.14159265358979323846;
static char         folder[] = "/tmp/klingel-body-XXXXXX", path[64], mesh_path[64];

static int make_folder(void **unused)
{
    (void)unused;
    if (!mkdtemp(folder)) return -1;
    snprintf(path, sizeof path, "%s/body.yaml", folder);
    snprintf(mesh_path, sizeof mesh_path, "%s/m.inp", folder);
    return 0;
}

static int remove_folder(void **unused)
{
    (void)unused;
    remove(path);
    remove(mesh_path);
    return rmdir(folder);
}

static void write_file(const char *name, const char *text)
{
    FILE *f = fopen(name, "wb");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

/* the body, or NULL; all messages in `said` */
static kl_kbody *reduce(const char *yaml, char *said, size_t size)
{
    kl_diag     *d = kl_diag_create();
    kl_body_file file;
    kl_kbody    *b = NULL;
    write_file(path, yaml);
    kl_status status = kl_body_file_read(path, &file, d);
    if (status == KL_OK) status = kl_reduce(file.mesh, NULL, &file.recipe, &b, NULL, d);
    said[0] = '\0';
    for (int i = 0; i < kl_diag_size(d); i++) {
        size_t used = strlen(said);
        snprintf(said + used, size - used, "%s\n", kl_diag_at(d, i)->text);
    }
    assert_true((status == KL_OK) == (b != NULL));
    kl_body_file_free(&file);
    kl_diag_destroy(d);
    return b;
}

/* a square plate of n x n quadrilaterals or twice as many triangles in the x-y plane, each with its
 * first node chosen as a mesher might; edges are the set EDGE */
static void write_plate(int n, double a, bool triangles)
{
    FILE *f = fopen(mesh_path, "wb");
    assert_non_null(f);
    fprintf(f, "*NODE\n");
    for (int j = 0; j <= n; j++)
        for (int i = 0; i <= n; i++)
            fprintf(f, "%d,%.12g,%.12g,0\n", j * (n + 1) + i + 1, a * i / n, a * j / n);
    fprintf(f, "*ELEMENT,TYPE=%s,ELSET=PLATE\n", triangles ? "S3" : "S4");
    unsigned seed = 7;
    for (int j = 0, e = 0; j < n; j++)
        for (int i = 0; i < n; i++) {
            int v = j * (n + 1) + i + 1, q[4] = {v, v + 1, v + n + 2, v + n + 1};
            for (int t = 0; t < (triangles ? 2 : 1); t++) {
                int c[4] = {q[0], q[t + 1], q[t + 2], q[3]}, k = triangles ? 3 : 4;
                seed  = seed * 1664525u + 1013904223u;
                int s = (int)(seed >> 24) % k;
                fprintf(f, "%d", ++e);
                for (int l = 0; l < k; l++) fprintf(f, ",%d", c[(l + s) % k]);
                fprintf(f, "\n");
            }
        }
    fprintf(f, "*NSET,NSET=EDGE\n");
    for (int j = 0; j <= n; j++)
        for (int i = 0; i <= n; i++)
            if (i == 0 || j == 0 || i == n || j == n) fprintf(f, "%d\n", j * (n + 1) + i + 1);
    fclose(f);
}

#define CARBON                                                                                     \
    "materials: {ply: {E1: 140 GPa, E2: 10 GPa, nu12: 0.3, G12: 5 GPa, G13: 5 GPa, G23: 5 GPa, "   \
    "density: 1600 kg/m3}}\nmodes: 2\nreference: {EDGE: [x, y, z]}\n"

/* Simply supported single layer, fibres along x: w = pi^2 sqrt((D11 m^4 + 2 (D12 + 2 D66) m^2 n^2 +
 * D22 n^4) / rho t) on a unit square (Jones, Mechanics of Composite Materials, section 5.5). Mode 2
 * has one half wave along the fibres and two across. */
static void fibres_follow_their_orientation_and_not_the_order_of_nodes(void **unused)
{
    (void)unused;
    const double t = 0.004, E1 = 140e9, E2 = 10e9, nu = 0.3, G = 5e9, rho = 1600;
    double       d = 1 - nu * nu * E2 / E1, h3 = t * t * t / 12;
    double       D11 = E1 / d * h3, D22 = E2 / d * h3, D12 = nu * E2 / d * h3, D66 = G * h3;
    double       mixed                = 2 * (D12 + 2 * D66), exact[2];
    exact[0]                          = 0.5 * pi * sqrt((D11 + mixed + D22) / (rho * t));
    exact[1]                          = 0.5 * pi * sqrt((D11 + 4 * mixed + 16 * D22) / (rho * t));
    static const char *const along[3] = {"", ", orientation: [0, 1, 0]",
                                         ", orientation: [1, 1, 0]"};
    for (int shape = 0; shape < 2; shape++) {
        double f[3][2];
        write_plate(16, 1, shape == 0);
        for (int k = 0; k < 3; k++) {
            char yaml[512], said[1024];
            snprintf(yaml, sizeof yaml,
                     "mesh: m.inp\n" CARBON "sections: {PLATE: {plies: [{material: ply, thickness: "
                     "4 mm, angle: 0}]%s}}\n",
                     along[k]);
            kl_kbody *b = reduce(yaml, said, sizeof said);
            if (!b) fail_msg("%s", said);
            for (int j = 0; j < 2; j++) f[k][j] = b->frequency[j];
            kl_kbody_destroy(b);
        }
        for (int j = 0; j < 2; j++) {
            assert_close(f[0][j] / exact[j], 1, 0.02);
            assert_close(f[1][j] / f[0][j], 1, 0.005); /* the square looks the same from there */
        }
        assert_true(f[2][0] > 1.02 * exact[0]); /* a diagonal layer is stiffer */
    }
}

#define BLOCK                                                                                      \
    "*NODE\n1,0,0,0\n2,2,0,0\n3,2,1,0\n4,0,1,0\n5,0,0,3\n6,2,0,3\n7,2,1,3\n8,0,1,3\n"              \
    "*ELEMENT,TYPE=C3D8,ELSET=E\n1,1,2,3,4,5,6,7,8\n"
#define STEEL "material: {E: 210 GPa, nu: 0.3, density: 7850 kg/m3}\n"

static void units_that_do_not_fit_show_in_the_result(void **unused)
{
    (void)unused;
    const struct {
        const char *yaml, *said; /* NULL: nothing */
        bool        refused;
    } cases[] = {
        {"mesh: m.inp\n" STEEL "modes: 3\n", NULL, false},
        {"mesh: m.inp\nunits: {length: mm}\n" STEEL "modes: 3\n", NULL, false},
        {"mesh: m.inp\nunits: {length: km}\nmaterial: {E: 1 MPa, nu: 0.3, density: 0.01}\n"
         "modes: 3\n",
         "if lengths are in mm", false},
        {"mesh: m.inp\nunits: {length: km}\n" STEEL "modes: 3\n", "if lengths are in mm", true},
        {"mesh: m.inp\nunits: {length: km}\nlenient: yes\n" STEEL "modes: 3\n",
         "if lengths are in mm", false},
        {"mesh: m.inp\nmaterial: {E: 210 GPa, nu: 0.3, density: 40000 kg/m3}\nmodes: 3\n",
         "denser than any solid", false},
        {"mesh: m.inp\nunits: {length: nm}\n" STEEL "modes: 3\n",
         "check that density and lengths are in SI units", false},
        {"mesh: m.inp\nmaterial: {E: 210000, nu: 0.3, density: 7850}\nmodes: 3\n",
         "check that E and density use the same system of units", true},
        {"mesh: m.inp\nmaterial: {E: 210000, nu: 0.3, density: 7.85e-9}\nmodes: 3\n",
         "looks like tonne/mm3", true},
    };
    write_file(mesh_path, BLOCK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char      said[2048];
        kl_kbody *b = reduce(cases[i].yaml, said, sizeof said);
        if (!b != cases[i].refused) fail_msg("case %zu: %s", i, said);
        kl_kbody_destroy(b);
        if (cases[i].said ? !strstr(said, cases[i].said) : said[0] != '\0')
            fail_msg("case %zu: expected '%s', got\n%s", i, cases[i].said ? cases[i].said : "",
                     said);
    }
}

static void meshes_that_cannot_be_are_named_with_counts_and_first_offenders(void **unused)
{
    (void)unused;
    static const char nodes[] = "*NODE\n1,0,0,0\n2,2,0,0\n3,2,1,0\n4,0,1,0\n5,0,0,3\n6,2,0,3\n"
                                "7,2,1,3\n8,0,1,3\n",
                      one[]   = "*ELEMENT,TYPE=C3D8,ELSET=E\n1,1,2,3,4,5,6,7,8\n",
                      bare[]  = "mesh: m.inp\nmodes: 3\n",
                      steel[] = "mesh: m.inp\n" STEEL "modes: 3\n";
    const struct {
        const char *a, *b, *yaml, *said;
    } cases[] = {
        {nodes, "5,0,0,4\n*ELEMENT,TYPE=C3D8\n1,1,2,3,4,5,6,7,8\n", steel, "node 5 is given twice"},
        {nodes, "*ELEMENT,TYPE=C3D8\n1,5,6,7,8,1,2,3,4\n", steel,
         "1 elements have a negative or zero volume (first: 1)"},
        {nodes, one, bare, "1 elements have no property and therefore no material (first: 1)"},
        {nodes,
         "9,9,0,0\n10,10,0,0\n11,9,1,0\n12,9,0,1\n*ELEMENT,TYPE=C3D8\n1,1,2,3,4,5,6,7,8\n"
         "*ELEMENT,TYPE=C3D4\n2,9,10,11,12\n",
         steel, "1 parts are not connected to the first one"},
        {nodes, "*ELEMENT,TYPE=C3D8\n1,1,2,3,4,5,6,7,88\n", steel, "node 88"},
        {nodes, "*ELEMENT,TYPE=C3D8\n1,1,2,3,4,5,6", steel, "C3D8 has 8 nodes, but 6 are given"},
        {nodes, "*ELEMENT,TYPE=C3D8\n1,1,2,3,4,5,6,7,7\n", steel, "1 elements use a node twice"},
        {"*NODE\n1,0,0,nan\n", one, steel, "nan"},
        {nodes,
         "*ELEMENT,TYPE=C3D8,ELSET=E\n1,1,2,3,4,5,6,7,8\n*MATERIAL,NAME=LIGHT\n*ELASTIC\n2e11,.3\n"
         "*SOLID SECTION,ELSET=E,MATERIAL=LIGHT\n",
         bare, "material 'LIGHT' has no density, so the body has no mass"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[1024], said[2048];
        snprintf(text, sizeof text, "%s%s", cases[i].a, cases[i].b);
        write_file(mesh_path, text);
        kl_kbody *b = reduce(cases[i].yaml, said, sizeof said);
        if (b || !strstr(said, cases[i].said))
            fail_msg("case %zu: expected '%s', got\n%s", i, cases[i].said, said);
    }
}

static void what_follows_a_tie_cannot_be_held(void **unused)
{
    (void)unused;
    char said[1024];
    write_file(mesh_path, BLOCK "*NSET,NSET=ROOT\n1,2,3,4\n");
    kl_kbody *b = reduce("mesh: m.inp\n" STEEL "modes: 2\nmarkers: {foot: {set: ROOT, tie: rbe2}}\n"
                         "reference: {ROOT: all}\n",
                         said, sizeof said);
    assert_null(b);
    assert_non_null(strstr(said, "no component of 'ROOT' can be fixed"));
    b = reduce("mesh: m.inp\n" STEEL "modes: 2\nmarkers: {foot: {set: ROOT, tie: rbe2}}\n"
               "reference: {foot: all}\n",
               said, sizeof said);
    if (!b) fail_msg("%s", said);
    kl_kbody_destroy(b);
}

/* a set of one node is that node; nodes on a line give no hold against a turn about it */
static void sets_that_cannot_be_tied_are_told(void **unused)
{
    (void)unused;
    char said[1024];
    write_file(mesh_path, BLOCK "*NSET,NSET=CORNER\n7\n*NSET,NSET=EDGE\n1,2\n"
                                "*NSET,NSET=FACE\n1,2,3,4\n*NSET,NSET=SIDE\n1,2,5,6\n");
    kl_kbody *b = reduce("mesh: m.inp\n" STEEL "modes: 2\nmarkers: {c: {set: CORNER}}\n"
                         "statics: attachment\ninterfaces: [c]\n",
                         said, sizeof said);
    if (!b) fail_msg("%s", said);
    assert_int_equal(b->marker[0].node_id, 7);
    assert_int_equal(b->marker[0].kind, KL_MARKER_TRIAD);
    kl_kbody_destroy(b);
    const struct {
        const char *yaml, *said;
    } cases[] = {
        {"markers: {edge: {set: EDGE}}\n", "marker 'edge': its 2 nodes have no rotations"},
        {"markers: {c: {set: CORNER, at: [2, 1, 4]}}\n", "marker 'c': its 1 nodes"},
        {"markers: {edge: {set: EDGE, tie: rbe3}}\n", "marker 'edge': its nodes lie on one line"},
        {"markers: {face: {set: FACE}, side: {set: SIDE}}\n",
         "node 1 depends on two ties, marker 'face' and marker 'side'"},
        {"markers: {face: {set: FACE}}\nreference: {face: all}\nstatics: craig-bampton\n"
         "interfaces: [face]\n",
         "interface 'face': component x is fixed by `reference:`"},
        {"markers: {face: {set: FACE, tie: rbe3}}\nstatics: craig-bampton\ninterfaces: [face]\n",
         "interface 'face': component x depends on other nodes"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char yaml[512];
        snprintf(yaml, sizeof yaml, "mesh: m.inp\n" STEEL "modes: 2\n%s", cases[i].yaml);
        b = reduce(yaml, said, sizeof said);
        if (b || !strstr(said, cases[i].said))
            fail_msg("case %zu: expected '%s', got\n%s", i, cases[i].said, said);
    }
}

/* `at:` is a place of the mesh, wherever the frame of the body goes */
static void a_point_is_found_before_the_frame_moves_to_the_centre_of_mass(void **unused)
{
    (void)unused;
    char said[1024];
    write_file(mesh_path, BLOCK);
    kl_kbody *b = reduce("mesh: m.inp\n" STEEL "modes: 2\nframe: centre-of-mass\n"
                         "markers: {near: {at: [0, 0, 0]}, far: {at: [2, 1, 3]}}\n",
                         said, sizeof said);
    if (!b) fail_msg("%s", said);
    assert_int_equal(b->marker[0].node_id, 1);
    assert_int_equal(b->marker[1].node_id, 7);
    assert_close(b->marker[1].position.z, 1.5, 1e-12);
    assert_close(kl_norm(b->inertia.s0), 0, 1e-9);
    kl_kbody_destroy(b);
}

/* how the marker turns about an axis under a moment of one about it */
static double turn_of(const kl_kbody *b, int axis)
{
    double sum = 0;
    for (int j = 0; j < b->nmode; j++) {
        double turn = b->marker[0].rotation[3 * j + axis];
        sum += turn * turn / b->Kff[j * (b->nmode + 1)];
    }
    return sum;
}

/* The end of a strip of shells, bent by M l/(E I) about the very line on which its nodes lie; half a
 * shaft, twisted about the line of its nodes: half the torque on each, the mean of what they turn. */
static void a_mean_of_nodes_in_a_line_turns_as_they_do(void **unused)
{
    (void)unused;
    static const struct {
        const char *mesh, *section, *held;
        int         axis;
        double      stiffness, length;
    } cases[2] = {{"*ELEMENT,TYPE=S4,ELSET=E\n1,1,2,5,6\n2,2,3,4,5\n*NSET,NSET=TIP\n3,4\n",
                   "thickness: 0.02", "1: all, 6: all", 1, 0.2 * 0.02 * 0.02 * 0.02 / 12, 2.0},
                  {"*ELEMENT,TYPE=B31,ELSET=E\n1,1,2\n2,2,3\n*NSET,NSET=TIP\n2,3\n",
                   "section: circle, radius: 0.1", "1: all", 0, 3.14159265358979 * 1e-4 / 4, 1.25}};
    for (int k = 0; k < 2; k++) {
        char said[1024], text[1024];
        snprintf(text, sizeof text,
                 "*NODE\n1,0,0,0\n2,1,0,0\n3,2,0,0\n4,2,0.2,0\n5,1,0.2,0\n6,0,0.2,0\n%s",
                 cases[k].mesh);
        write_file(mesh_path, text);
        snprintf(text, sizeof text,
                 "mesh: m.inp\nmaterials: {s: {E: 210 GPa, nu: 0, density: 7850}}\nmodes: 2\n"
                 "sections: {E: {material: s, %s}}\nmarkers: {tip: {set: TIP, tie: rbe3}}\n"
                 "statics: attachment\ninterfaces: [tip]\nreference: {%s}\n",
                 cases[k].section, cases[k].held);
        kl_kbody *b = reduce(text, said, sizeof said);
        if (!b) fail_msg("%s", said);
        double stiffness = 210e9 * cases[k].stiffness; /* nu = 0: G J = E I of a circle */
        assert_close(turn_of(b, cases[k].axis) * stiffness / cases[k].length, 1, 1e-6);
        kl_kbody_destroy(b);
    }
}

/* plain vectors overlap: single effective masses add up to more than there is, all together not */
static void plain_craig_bampton_vectors_carry_no_more_than_the_mass(void **unused)
{
    (void)unused;
    char said[1024];
    write_file(mesh_path, BLOCK "2,5,6,7,8,9,10,11,12\n*NODE\n9,0,0,6\n10,2,0,6\n11,2,1,6\n"
                                "12,0,1,6\n*NSET,NSET=TOP\n9,10,11,12\n*NSET,NSET=FOOT\n1,2,3,4\n");
    double together[2][6], alone[6] = {0};
    for (int plain = 0; plain < 2; plain++) {
        char yaml[512];
        snprintf(
            yaml, sizeof yaml,
            "mesh: m.inp\n" STEEL "modes: 2\nstatics: craig-bampton\ninterfaces: [top]\n"
            "reference: {foot: all}\nmarkers: {top: {set: TOP}, foot: {set: FOOT}}\nform: %s\n",
            plain ? "plain" : "orthogonal");
        kl_kbody *b = reduce(yaml, said, sizeof said);
        if (!b) fail_msg("%s", said);
        assert_int_equal(kl_kbody_is_orthogonal(b), !plain);
        assert_int_equal(kl_kbody_effective_mass(b, together[plain]), KL_OK);
        for (int j = 0; !plain && j < b->nmode; j++) {
            double L[6], one[6];
            kl_kbody_participation(b, j, L, one);
            for (int k = 0; k < 6; k++) alone[k] += one[k];
        }
        for (int k = 0; k < 3; k++) assert_true(together[plain][k] < b->inertia.m);
        kl_kbody_destroy(b);
    }
    for (int k = 0; k < 6; k++) { /* one space, two bases */
        assert_close(together[0][k] / alone[k], 1, 1e-9);
        assert_close(together[1][k] / alone[k], 1, 1e-9);
    }
}

static void sections_that_make_no_sense_are_refused(void **unused)
{
    (void)unused;
    const struct {
        const char *section, *said;
    } cases[] = {
        {"{material: ply, orientation: [1, 0, 0]}", "orientation is for beams and shells"},
        {"{material: ply, thickness: 4 mm, orientation: [0, 0, 0]}", "orientation has no length"},
        {"{plies: [{material: play, thickness: 4 mm}]}", "there is no material 'play'"},
        {"{plies: [{material: ply}]}", "a ply's thickness is 0"},
        {"{plies: [{material: ply, thickness: 4 mm, angel: 3}]}", "did you mean `angle`?"},
        {"{material: ply, section: circel, radius: 4 mm}", "did you mean 'circle'?"},
        {"{material: ply, section: circle, radius: -10 mm}", "`radius` is -0.01; it must be pos"},
        {"{material: ply, section: circle}", "`section: circle` needs `radius`"},
        {"{material: ply, section: i, height: 9 mm, width: 1 mm, web: 1 mm}", "needs `flange`"},
        {"{material: ply, section: general, area: 1 mm2, Iy: 1 mm4, Iz: 1 mm4}", "needs `J`"},
        {"{material: ply, section: tube, radius: 4 mm, thickness: 5 mm}", "walls are thicker"},
        {"{material: ply, section: rectangle, width: 1 mm, height: 1 mm, web: 1 mm}",
         "`section: rectangle` has no `web`"},
    };
    write_plate(2, 1, false);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char yaml[512], said[1024];
        snprintf(yaml, sizeof yaml, "mesh: m.inp\n" CARBON "sections: {PLATE: %s}\n",
                 cases[i].section);
        kl_kbody *b = reduce(yaml, said, sizeof said);
        if (b || !strstr(said, cases[i].said))
            fail_msg("case %zu: expected '%s', got\n%s", i, cases[i].said, said);
    }
}

static void own_vectors_are_kept_or_refused_by_line(void **unused)
{
    (void)unused;
    static const char yaml[] = "mesh: m.inp\n" STEEL "modes: 2\nvectors: v.csv\n";
    const struct {
        const char *csv, *said; /* NULL: accepted */
    } cases[] = {
        {"vector,node,direction,value\n1,7,x,1\n1,8,x,-1\n2,1,z,0.5\n# end\n", NULL},
        {"1,7,x,1\n2,99,x,1\n", "v.csv:2:0: there is no node 99"},
        {"1,7,q,1\n", "there is no direction 'q'"},
        {"1,7,x,nan\n", "the value is not a finite number"},
        {"1,7,x\n", "expected vector, node, direction and value"},
        {"0,7,x,1\n", "numbered from 1"},
        {"2,7,x,1\n", "1 of 2 vectors are zero (first: 1)"},
        {"vector,node,direction,value\n", "this file contains no vectors"},
    };
    char csv[64];
    snprintf(csv, sizeof csv, "%s/v.csv", folder);
    write_file(mesh_path, BLOCK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char said[1024];
        write_file(csv, cases[i].csv);
        kl_kbody *b = reduce(yaml, said, sizeof said);
        if (cases[i].said ? b || !strstr(said, cases[i].said) : !b)
            fail_msg("case %zu: got\n%s", i, said);
        if (b) assert_int_equal(b->nmode, 4);
        kl_kbody_destroy(b);
    }
    remove(csv);
}

static void what_is_asked_for_and_not_there_is_told(void **unused)
{
    (void)unused;
    const struct {
        const char *yaml, *said;
        bool        taken;
    } cases[] = {
        {"markers: {tip: {at: [5, 0, 0]}}", "is 2 at (2, 0, 0), 3 m away in a mesh of 3.74 m",
         false},
        {"markers: {tip: {at: [2.1, 0, 0]}}",
         "is placed on node 2 at (2, 0, 0), 0.1 m from its `at`", true},
        {"markers: {tip: {at: [2, 0, 0], tie: rbe2}}", "`tie` needs the nodes that it ties", false},
        {"markers: {tip: {node: 2, tie: rbe3}}", "the marker is the node itself", false},
        {"markers: {tip: {node: 2, at: [2, 0, 0]}}", "`node` already gives the position", false},
        {"modes: 100000", "`modes: 100000` exceeds the 18 modes of a mesh with 24", true},
    };
    write_file(mesh_path, BLOCK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char yaml[512], said[1024];
        snprintf(yaml, sizeof yaml, "mesh: m.inp\n" STEEL "%s\n", cases[i].yaml);
        kl_kbody *b = reduce(yaml, said, sizeof said);
        if (!b == cases[i].taken || !strstr(said, cases[i].said))
            fail_msg("case %zu: expected '%s', got\n%s", i, cases[i].said, said);
        kl_kbody_destroy(b);
    }
    char      said[1024];
    kl_kbody *b = reduce("mesh: m.inp\n" STEEL, said, sizeof said);
    assert_string_equal(said, ""); /* nobody asked for the twenty modes that it has not */
    kl_kbody_destroy(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fibres_follow_their_orientation_and_not_the_order_of_nodes),
        cmocka_unit_test(units_that_do_not_fit_show_in_the_result),
        cmocka_unit_test(meshes_that_cannot_be_are_named_with_counts_and_first_offenders),
        cmocka_unit_test(own_vectors_are_kept_or_refused_by_line),
        cmocka_unit_test(what_follows_a_tie_cannot_be_held),
        cmocka_unit_test(sets_that_cannot_be_tied_are_told),
        cmocka_unit_test(a_point_is_found_before_the_frame_moves_to_the_centre_of_mass),
        cmocka_unit_test(a_mean_of_nodes_in_a_line_turns_as_they_do),
        cmocka_unit_test(plain_craig_bampton_vectors_carry_no_more_than_the_mass),
        cmocka_unit_test(sections_that_make_no_sense_are_refused),
        cmocka_unit_test(what_is_asked_for_and_not_there_is_told),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
