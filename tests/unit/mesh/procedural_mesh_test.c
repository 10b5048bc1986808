/* The meshes that scripts/mesh makes have the volume of their geometry, cut by what was asked for.
 */
#include "unit/mesh/read_help.h"

/* Runs scripts/mesh; skips the test when there is no gmsh. */
static kl_mesh *make(const char *arguments, const kl_read_options *options)
{
    char path[] = "/tmp/klingel-mesh-XXXXXX", command[512];
    if (system("command -v gmsh >/dev/null 2>&1") != 0) skip();
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    snprintf(command, sizeof command, KL_SOURCE_DIR "/scripts/mesh %s -o %s", arguments, path);
    assert_int_equal(system(command), 0);
    kl_mesh *m = mesh_of_file(path, options);
    remove(path);
    return m;
}

static double tetrahedron(const kl_mesh *m, const int *node, int a, int b, int c, int d)
{
    kl_vec3 o = m->x[node[a]];
    return kl_dot(kl_sub(m->x[node[d]], o),
                  kl_cross(kl_sub(m->x[node[b]], o), kl_sub(m->x[node[c]], o))) /
           6;
}

/* Of straight-sided solids; every piece must be positive. */
static double volume(const kl_mesh *m)
{
    static const int split[KL_SHAPE_COUNT][6][4] = {
        [KL_TET4]    = {{0, 1, 2, 3}},
        [KL_TET10]   = {{0, 1, 2, 3}},
        [KL_HEX8]    = {{0, 1, 2, 5}, {0, 2, 3, 7}, {0, 5, 7, 4}, {2, 7, 5, 6}, {0, 2, 7, 5}},
        [KL_HEX20]   = {{0, 1, 2, 5}, {0, 2, 3, 7}, {0, 5, 7, 4}, {2, 7, 5, 6}, {0, 2, 7, 5}},
        [KL_WEDGE6]  = {{0, 1, 2, 3}, {1, 2, 3, 4}, {2, 4, 5, 3}},
        [KL_WEDGE15] = {{0, 1, 2, 3}, {1, 2, 3, 4}, {2, 4, 5, 3}},
    };
    static const int pieces[KL_SHAPE_COUNT] = {1, 1, 5, 5, 3, 3};
    double           sum                    = 0.0;
    for (int s = 0; s < KL_SHAPE_COUNT; s++)
        for (int e = 0; e < m->block[s].n; e++) {
            const int *node = &m->block[s].node[e * kl_shape_info_of((kl_shape)s)->nnode];
            for (int k = 0; k < pieces[s]; k++) {
                const int *p = split[s][k];
                double     v = tetrahedron(m, node, p[0], p[1], p[2], p[3]);
                assert_true(v > 0);
                sum += v;
            }
        }
    return sum;
}

static void blocks_and_beams_lose_the_share_of_their_section(void **unused)
{
    (void)unused;
    static const struct {
        const char *arguments;
        double      volume;
        kl_shape    shape;
    } cases[] = {
        {"block size=0.02 order=1", 0.5 * 0.05 * 0.02, KL_TET4},
        {"block size=0.02 order=2", 0.5 * 0.05 * 0.02, KL_TET10},
        {"block size=0.02 incision=0.3 incision_width=0.01", 0.05 * 0.02 * (0.5 - 0.3 * 0.01),
         KL_TET10},
        {"beam", 0.05 * 0.1, KL_HEX20},
        {"beam order=1 incision=0.4", 0.05 * 0.1 * (1 - 0.4 * 0.005), KL_HEX8},
        {"beam wedges=1 --format 22", 0.05 * 0.1, KL_WEDGE15},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        kl_mesh *m = make(cases[i].arguments, NULL);
        assert_int_equal(kl_mesh_count(m), m->block[cases[i].shape].n);
        assert_close(volume(m) / cases[i].volume, 1.0, 1e-9);
        assert_true(set_of(m, KL_SURFACE_SET, "left")->n > 0);
        assert_true(set_of(m, KL_SURFACE_SET, "right")->n > 0);
        kl_mesh_destroy(m);
    }
}

static void a_rod_is_cut_to_the_depth_of_its_share(void **unused)
{
    (void)unused;
    const double r = 0.0031715, share = 0.4, pi = 3.14159265358979323846;
    kl_mesh     *m      = make("rod size=0.0025 incision=0.4 incision_width=0.002", NULL);
    double       floor_ = -r;
    for (int i = 0; i < m->nnode; i++) /* the highest point within the cut is its floor */
        if (fabs(m->x[i].x - 0.1524) < 0.00095) floor_ = fmax(floor_, m->x[i].z);
    double a = acos(floor_ / r);
    assert_close((a - sin(a) * cos(a)) / pi, share, 1e-6);
    kl_mesh_destroy(m);
}

static void frames_have_the_volume_of_their_boxes_and_a_face_on_every_pad(void **unused)
{
    (void)unused;
    const double t = 0.014, inner = 0.9;
    const double section = 0.32 * 0.2 - (0.32 - 2 * t) * (0.2 - 2 * t); /* of the transom */
    for (int k = 0; k < 2; k++) {
        kl_mesh *m = make(k ? "bogie-frame size=0.15 order=1 incision=0.4"
                            : "bogie-frame size=0.15 order=1 axles=3 wheelbase=1.6",
                          NULL);
        int    axles = k ? 2 : 3, pads = 2 * axles + 3;
        double length = (k ? 2.5 : 3.2) + 0.9;
        double sides =
            2 * (length * 0.2 * 0.26 - (length - 2 * t) * (0.2 - 2 * t) * (0.26 - 2 * t));
        double whole = sides + (axles - 1) * 2 * inner * section + pads * 0.16 * 0.16 * 0.03;
        if (k) whole -= 0.4 * section * 0.01;
        assert_close(volume(m) / whole, 1.0, 1e-6);
        for (int i = 1; i <= axles; i++) {
            char name[32];
            snprintf(name, sizeof name, "primary-%d-right", i);
            const kl_set *pad = set_of(m, KL_NODE_SET, name);
            for (int q = 0; q < pad->n; q++) {
                assert_close(m->x[pad->node[q]].z, -0.16, 1e-9);
                assert_true(m->x[pad->node[q]].y < -0.9);
            }
        }
        assert_true(set_of(m, KL_SURFACE_SET, "pivot")->n > 0);
        assert_true(set_of(m, KL_SURFACE_SET, "secondary-left")->n > 0);
        kl_mesh_destroy(m);
    }
}

static void plates_are_shells_and_grillages_beams(void **unused)
{
    (void)unused;
    kl_mesh *m = make("plate along=4 across=3", NULL);
    assert_int_equal(m->block[KL_QUAD4].n, 12);
    assert_int_equal(set_of(m, KL_NODE_SET, "left")->n, 4);
    kl_mesh_destroy(m);
    m = make("plate along=4 across=3 triangles=1", NULL);
    assert_int_equal(m->block[KL_TRI3].n, 24);
    kl_mesh_destroy(m);
    m             = make("grillage members=3 size=0.2", NULL);
    double length = 0.0;
    for (int e = 0; e < m->block[KL_BEAM2].n; e++) {
        const int *node = &m->block[KL_BEAM2].node[2 * e];
        length += kl_norm(kl_sub(m->x[node[1]], m->x[node[0]]));
    }
    assert_close(length, 2 * 3.6 + 3 * 2.0, 1e-9);
    kl_mesh_destroy(m);
}

static void a_wrong_parameter_is_refused(void **unused)
{
    (void)unused;
    assert_int_not_equal(
        system(KL_SOURCE_DIR "/scripts/mesh rod -o /tmp/x.msh lenght=1 2>/dev/null"), 0);
    assert_int_not_equal(system(KL_SOURCE_DIR "/scripts/mesh rood 2>/dev/null"), 0);
    assert_int_equal(system(KL_SOURCE_DIR "/scripts/mesh bogie-frame | grep -q wheelbase"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_and_beams_lose_the_share_of_their_section),
        cmocka_unit_test(a_rod_is_cut_to_the_depth_of_its_share),
        cmocka_unit_test(frames_have_the_volume_of_their_boxes_and_a_face_on_every_pad),
        cmocka_unit_test(plates_are_shells_and_grillages_beams),
        cmocka_unit_test(a_wrong_parameter_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
