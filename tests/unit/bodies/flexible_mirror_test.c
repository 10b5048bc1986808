/* Mirror images of flexible bodies: in mirrored parts, and against a mesh that is mirrored itself. */
#include <math.h>

#include "reduce/kbody.h"
#include "unit/solve/simulate.h"

/* A bent arm of beams with an oblique section: nothing about it is symmetric. `%s`: more keys, the
 * sign of y in the mesh. */
#define ARM(keys, y)                                                                               \
    "{type: flexible, modes: 6, damping: 0.02,\n    " keys                                         \
    "\n    file: {mesh: {line: [[0, 0, 0], "                                                       \
    "[1 m, " y "0.1, 0], [1 m, " y "0.5 m, 0.3]], parts: 4},\n"                                    \
    "      modes: 8, stiffening: yes, reference: {1: all},\n"                                      \
    "      materials: {steel: {E: 2 GPa, nu: 0.3, density: 7850 kg/m3}},\n"                        \
    "      sections: {line: {material: steel, section: rectangle, width: 10 mm, height: 20 mm,\n"  \
    "        orientation: [0.1, " y "0.2, 1]}}, stress: {nodes: surface},\n"                       \
    "      markers: {root: {at: [0, 0, 0]}, mid: {at: [1, " y "0.1, 0]},\n"                        \
    "        tip: {at: [1, " y "0.5, 0.3]}}}}"

static const char parts_text[] =
    "klingel: 1\n"
    "gravity: [0.5, 0, -9.81]\n"
    "templates:\n"
    "  arm:\n"
    "    bodies:\n"
    "      arm: " ARM("%s position: [0.1, 0.3, 0], orientation: {axis: [1, 1, 0], angle: 20 deg},\n"
                      "    omega: [0, 0.5, 0], velocity_axes: body, deformation: [0.01],",
                      "") "\n"
                          "    joints: {root: {type: spherical, between: [ground, arm.root]}}\n"
                          "    forces:\n"
                          "      push: {type: force, on: arm.mid, axis: [0.3, 1, 0], value: 3}\n"
                          "      turn: {type: torque, on: arm.tip, axis: [1, 1, 0.5], value: 0.05, "
                          "follows: true}\n"
                          "parts:\n"
                          "  l: {template: arm, at: [0, 1, 0]}\n"
                          "  r: {template: arm, at: [0, -1, 0], mirror: y}\n"
                          "outputs:\n"
                          "  lx: {of: l.arm.tip, quantity: position.x}\n"
                          "  ly: {of: l.arm.tip, quantity: position.y}\n"
                          "  lz: {of: l.arm.tip, quantity: position.z}\n"
                          "  rx: {of: r.arm.tip, quantity: position.x}\n"
                          "  ry: {of: r.arm.tip, quantity: position.y}\n"
                          "  rz: {of: r.arm.tip, quantity: position.z}\n";

static const char *const both[] = {"lx", "ly", "lz", "rx", "ry", "rz", "l.arm.w.3", NULL};

static rows told;

static void the_arm_of_a_mirrored_part_moves_as_the_mirror_image(void **unused)
{
    (void)unused;
    static const char *const keys[] = {"", "stiffening: true,", "reference: mean-axis,",
                                       "conditions: constrained,", "attach: virtual-body,"};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        char   text[4096];
        double bent = 0.0;
        snprintf(text, sizeof text, parts_text, keys[i]);
        built b = must_build(text);
        simulate(&b, 0.1, 0.01, both, &told, NULL);
        for (int k = 0; k < told.count; k++) {
            const double *v = told.value[k];
            assert_close(v[3], v[0], 1e-9);
            assert_close(v[4], -v[1], 1e-9);
            assert_close(v[5], v[2], 1e-9);
            bent = fmax(bent, fabs(v[6]));
        }
        assert_true(bent > 1e-3);
        built_free(&b);
    }
}

/* the same arm, mirrored by the model and made of a mirrored mesh, tells the same tale */
static const char roads_text[] =
    "klingel: 1\n"
    "gravity: [0.5, 1, -9.81]\n"
    "bodies:\n"
    "  l: " ARM(
        "mirror: y, stiffening: true,",
        "") "\n"
            "  r: " ARM(
                "stiffening: true,",
                "-") "\n"
                     "joints:\n"
                     "  lj: {type: revolute, between: [ground, l.root], axis: [0.2, 1, 0.1]}\n"
                     "  rj: {type: revolute, between: [ground, r.root], axis: [0.2, 1, 0.1]}\n"
                     "forces:\n"
                     "  lf: {type: force, on: l.mid, axis: [0.3, 1, 0], value: 3}\n"
                     "  rf: {type: force, on: r.mid, axis: [0.3, 1, 0], value: 3}\n"
                     "  lt: {type: torque, on: l.tip, axis: [1, 1, 0.5], value: 0.05, follows: "
                     "true}\n"
                     "  rt: {type: torque, on: r.tip, axis: [1, 1, 0.5], value: 0.05, follows: "
                     "true}\n"
                     "outputs:\n"
                     "  lx: {of: l.tip, quantity: position.x}\n"
                     "  ly: {of: l.tip, quantity: position.y}\n"
                     "  lz: {of: l.tip, quantity: position.z}\n"
                     "  rx: {of: r.tip, quantity: position.x}\n"
                     "  ry: {of: r.tip, quantity: position.y}\n"
                     "  rz: {of: r.tip, quantity: position.z}\n";

static void a_mirrored_body_is_that_of_the_mirrored_mesh(void **unused)
{
    (void)unused;
    static const char *const names[] = {"lx", "ly", "lz", "rx", "ry", "rz", NULL};
    built                    b       = must_build(roads_text);
    simulate(&b, 0.2, 0.01, names, &told, NULL);
    for (int k = 0; k < told.count; k++)
        for (int c = 0; c < 3; c++) assert_close(told.value[k][c], told.value[k][3 + c], 1e-6);
    assert_true(fabs(told.value[told.count - 1][2] - told.value[0][2]) > 0.05);

    /* the size of stress does not depend on the signs of modes */
    assert_int_equal(b.model->nkbody, 3); /* the file's, its image, that of the mirrored mesh */
    const kl_kbody *image = b.model->kbody[1], *made = b.model->kbody[2];
    assert_int_equal(image->stress.n, made->stress.n);
    double most = 0.0;
    for (int i = 0; i < image->stress.n * image->nmode * 6; i++)
        most = fmax(most, fabs(made->stress.stress[i]));
    for (int p = 0; p < image->stress.n; p++)
        assert_close(image->stress.position[p].y, made->stress.position[p].y, 1e-12);
    for (int p = 0; p < image->stress.n; p += 4) /* four fibres a node, counted another way */
        for (int i = 0; i < image->nmode * 6; i++) {
            double x = 0.0, y = 0.0;
            for (int k = 0; k < 4; k++) {
                x += pow(image->stress.stress[(p + k) * image->nmode * 6 + i], 2);
                y += pow(made->stress.stress[(p + k) * image->nmode * 6 + i], 2);
            }
            assert_close(sqrt(x), sqrt(y), 1e-5 * most);
        }
    int wide = 6 * image->nmarker;
    for (int i = 0; i < wide * wide; i++) {
        double size = sqrt(fabs(made->compliance[i / wide * (wide + 1)] *
                                made->compliance[i % wide * (wide + 1)]));
        assert_close(image->compliance[i], made->compliance[i], 1e-6 * size + 1e-300);
    }
    built_free(&b);
}

/* solids whose markers follow three nodes; two mirrors are half a turn, the same twice is nothing */
static void mirrors_of_solids_and_twice(void **unused)
{
    (void)unused;
    static const char text[] =
        "klingel: 1\n"
        "gravity: [3, 2, 0]\n"
        "templates:\n"
        "  arm:\n"
        "    parameters: {own: none}\n"
        "    bodies:\n"
        "      arm: {type: flexible, mirror: \"{own}\", orientation: {axis: [1, 2, 0], angle: 30 "
        "deg},\n"
        "        omega: [0, 1, 0], velocity_axes: body,\n"
        "        file: {mesh: " KL_SOURCE_DIR "/examples/fatigue-beam/beam.inp, modes: 4,\n"
        "          material: {E: 0.2 GPa, nu: 0.3, density: 7850 kg/m3}, reference: {root: all},\n"
        "          markers: {root: {set: root, tie: rbe2}, tip: {at: [0.5, 0.01, 0.01]}}}}\n"
        "    joints: {root: {type: spherical, between: [ground, arm.root]}}\n"
        "    forces: {turn: {type: torque, on: arm.tip, axis: [1, 1, 0.5], value: 1, follows: "
        "true}}\n"
        "parts:\n"
        "  l: {template: arm}\n"
        "  r: {template: arm, mirror: z}\n"
        "  twice: {template: arm, mirror: z, parameters: {own: z}}\n"
        "  once:  {template: arm, parameters: {own: z}}\n"
        "  other:  {template: arm, parameters: {own: y}}\n"
        "  turned: {template: arm, mirror: z, parameters: {own: y}}\n"
        "outputs:\n"
        "  lx: {of: l.arm.tip, quantity: position.x}\n"
        "  lz: {of: l.arm.tip, quantity: position.z}\n"
        "  rx: {of: r.arm.tip, quantity: position.x}\n"
        "  rz: {of: r.arm.tip, quantity: position.z}\n"
        "  ox: {of: once.arm.tip, quantity: position.x}\n"
        "  tx: {of: twice.arm.tip, quantity: position.x}\n"
        "  ay: {of: other.arm.tip, quantity: position.y}\n"
        "  az: {of: other.arm.tip, quantity: position.z}\n"
        "  by: {of: turned.arm.tip, quantity: position.y}\n"
        "  bz: {of: turned.arm.tip, quantity: position.z}\n";
    static const char *const names[] = {"lz", "rz", "ox", "tx", "ay", "by", "az", "bz", NULL};
    built                    b       = must_build(text);
    assert_int_equal(b.model->nkbody, 3); /* itself, its images in z and in y; each once */
    simulate(&b, 0.02, 0.005, names, &told, NULL);
    for (int k = 0; k < told.count; k++) {
        const double *v = told.value[k];
        assert_close(v[1], -v[0], 1e-9);
        assert_close(v[3], v[2], 1e-9); /* the image of `once` in z */
        assert_close(v[5], v[4], 1e-9); /* that of `other` */
        assert_close(v[7], -v[6], 1e-9);
    }
    built_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_arm_of_a_mirrored_part_moves_as_the_mirror_image),
        cmocka_unit_test(a_mirrored_body_is_that_of_the_mirrored_mesh),
        cmocka_unit_test(mirrors_of_solids_and_twice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
