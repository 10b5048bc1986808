/* Slips of a first model that were accepted in silence, or reported without a place, and results that were
 * shown in an unusual way. */
#include "unit/cli/run_program.h"

#include <math.h>
#include <stdlib.h>

static void write_text(const world *w, const char *name, const char *text)
{
    FILE *f = fopen(path_of(w, name), "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static int count_of(const char *text, const char *what)
{
    int n = 0;
    for (const char *p = strstr(text, what); p; p = strstr(p + 1, what)) n++;
    return n;
}

/* A strip of 1.2 m x 40 mm x 6 mm that is soft in the plane of its rotation, 3.43 Hz = 21.5 rad/s. */
static void write_arm(const world *w, const char *size, const char *more)
{
    char text[1000];
    snprintf(text, sizeof text,
             "mesh: {line: [[0, 0, 0], [1.2 m, 0, 0]], parts: 12}\n"
             "materials: {alu: {E: 70 GPa, nu: 0.33, density: 2700 kg/m3}}\n"
             "sections: {line: {material: alu, section: rectangle, %s, orientation: [0, 0, 1]}}\n"
             "reference: {root: all}\n"
             "markers: {root: {at: [0, 0, 0]}, tip: {at: [1.2 m, 0, 0]}}\n"
             "modes: 6\nstatics: attachment\ninterfaces: [root, tip]\n%s",
             size, more);
    write_text(w, "arm.yaml", text);
}

static void write_slew(const world *w, double rate, const char *axis, const char *more)
{
    char text[1000];
    snprintf(text, sizeof text,
             "klingel: 1\ngravity: 0\nbodies: {arm: {type: flexible, file: arm.yaml%s}}\njoints:\n"
             "  root: {type: revolute, between: [ground, arm.root], axis: %s}\n"
             "  motor: {type: driver, of: root, value: {polynomial: [0, %g rad/s]}}\n"
             "run: {end: 0.2, every: 0.01}\n",
             more, axis, rate);
    write_text(w, "slew.yaml", text);
}

/* Without geometric stiffness a rotation at 20 % of the first natural frequency changes its stiffness by 4 %,
 * one at 10 % by 1 %. About its own axis the strip is not stretched. */
static void a_rotation_without_stiffening_is_reported(void **state)
{
    world *w = *state;
    write_arm(w, "width: 40 mm, height: 6 mm", "stiffening: yes\n");
    const struct {
        double      rate;
        const char *axis, *more;
        int         says;
    } cases[] = {{4.3, "z", "", 1},
                 {2.15, "z", "", 0},
                 {4.3, "z", ", stiffening: true", 0},
                 {4.3, "x", "", 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        write_slew(w, cases[i].rate, cases[i].axis, cases[i].more);
        assert_int_equal(run(w, "run", "slew.yaml", "-q", "-o", "slew.h5"), 0);
        print_message("%s", w->err);
        assert_int_equal(count_of(w->err, "write `stiffening: true`"), cases[i].says);
    }
}

static void implausible_numbers_are_reported(void **state)
{
    world *w = *state;
    write_arm(w, "width: 40, height: 6", "");
    (void)run(w, "fe", "arm.yaml", "-o", "arm.kbody");
    assert_says(w->err, "section of 'line': it is about 40 m high and the mesh is 1.2 m long");
    write_arm(w, "width: 40 mm, height: 6 mm", "");
    assert_int_equal(run(w, "fe", "arm.yaml", "-o", "arm.kbody"), 0);
    assert_null(strstr(w->err, "m high"));
    write_slew(w, 1.0, "z", ", damping: 5");
    assert_int_equal(run(w, "run", "slew.yaml", "-q", "-o", "slew.h5"), 0);
    assert_says(w->err, "slew.yaml:3:10: warning: body 'arm': damping is 5, 500 % of critical");
    write_text(w, "beam.yaml",
               "klingel: 1\nmaterials: {alu: {E: 70 GPa, nu: 0.33, density: 2700 kg/m3}}\n"
               "sections: {strip: {shape: rectangle, width: 40, height: 6 mm}}\n"
               "bodies: {arm: {type: beam, from: [0, 0, 0], to: [1.2 m, 0, 0], section: strip, "
               "material: alu}}\nrun: {end: 3 ms, every: 5 ms}\n");
    (void)run(w, "check", "beam.yaml");
    assert_says(w->err, "beam 'arm': its section is about 40 m high and it is 1.2 m long");
    assert_says(w->err, "run: `every` is 0.005 s and `end` 0.003 s");
}

static void a_missing_set_has_a_place(void **state)
{
    world *w = *state;
    write_arm(w, "width: 40 mm, height: 6 mm", "stress: {nodes: tips}\n");
    assert_int_equal(run(w, "fe", "arm.yaml", "-o", "arm.kbody"), 1);
    assert_says(w->err, "arm.yaml:9:17: the mesh has no set 'tips'");
    write_arm(w, "width: 40 mm, height: 6 mm", "stress: {nodes: all}\n");
    assert_int_equal(run(w, "fe", "arm.yaml", "-o", "arm.kbody"), 0);
}

/* The stress of a beam follows from its section forces; the message names them. */
static void stress_of_a_beam_names_its_section_forces(void **state)
{
    world *w = *state;
    write_text(w, "beam.yaml",
               "klingel: 1\nmaterials: {alu: {E: 70 GPa, nu: 0.33, density: 2700 kg/m3}}\n"
               "sections: {strip: {shape: rectangle, width: 40 mm, height: 6 mm}}\n"
               "bodies: {arm: {type: beam, from: [0, 0, 0], to: [1.2 m, 0, 0], section: strip, "
               "material: alu}}\nrun: {end: 5 ms, every: 5 ms}\n");
    assert_int_equal(run(w, "run", "beam.yaml", "-q", "-o", "beam.h5"), 0);
    assert_int_equal(run(w, "stress", "beam.h5"), 1);
    assert_says(w->err, "klingel export beam.h5 arm.e1.N arm.e1.My");
    assert_int_equal(run(w, "export", "beam.h5", "arm.e1.N", "arm.e1.My"), 0);
}

/* A crank drives three bodies that reverse together four times. */
static void a_dead_point_is_one_line(void **state)
{
    world *w = *state;
    write_text(w, "saw.yaml",
               "klingel: 1\ngravity: 0\nbodies:\n"
               "  crank: {mass: 1, inertia: [0.1, 0.1, 0.1]}\n"
               "  ram: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [0.1, 0, 0]}\n"
               "  tool: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [0.2, 0, 0]}\njoints:\n"
               "  O: {type: revolute, between: [ground, crank], at: [0, 0, 0], axis: y}\n"
               "  slot: {type: point-on-plane, between: [ram, crank], at: [0, 0, 0.1], axis: x}\n"
               "  guide: {type: translational, between: [ground, ram], at: [0.1, 0, 0], axis: x}\n"
               "  weld: {type: fixed, between: [ram, tool], at: [0.2, 0, 0]}\n"
               "  drive: {type: driver, of: O, value: {polynomial: [0, 6.283 rad/s]}}\n"
               "run: {end: 2, every: 5 ms}\n");
    assert_int_equal(run(w, "kinematics", "saw.yaml", "--csv"), 0);
    print_message("%s", w->err);
    assert_int_equal(count_of(w->err, "dead point at"), 4);
    assert_int_equal(count_of(w->err, "ram, tool stop and reverse"), 4);
}

/* Torque times angular velocity is a power, angular velocity times radius a speed. */
static void products_with_angular_velocities_have_usual_units(void **state)
{
    world *w = *state;
    write_text(
        w, "motor.yaml",
        "klingel: 1\nbodies: {rotor: {mass: 5, inertia: [0.02, 0.02, 0.04]}}\n"
        "joints: {axle: {type: revolute, between: [ground, rotor], at: [0, 0, 0], axis: z}}\n"
        "forces: {motor: {type: rotational-spring-damper, of: axle, damper: {linear_table: "
        "[[0, -12 N m], [240 rad/s, 12 N m]]}}}\noutputs:\n"
        "  power: {expression: -motor.pull*axle.angular_speed, limit: 2 kW}\n"
        "  rim: {expression: axle.angular_speed*0.1 m}\n"
        "  angle: {expression: axle.angle}\nrun: {end: 1, every: 10 ms}\n");
    assert_int_equal(run(w, "run", "motor.yaml", "-q", "-o", "motor.h5"), 0);
    assert_int_equal(run(w, "export", "motor.h5", "--list"), 0);
    print_message("%s", w->out);
    assert_null(strstr(w->out, "kg m2 rad/s3"));
    for (int i = 0; i < 3; i++) {
        const char *name[] = {"\npower ", "\nrim ", "\nangle "}, *unit[] = {" W", " m/s", " rad"};
        const char *line = strstr(w->out, name[i]);
        if (!line) line = strstr(w->out, name[i] + 1);
        assert_non_null(line);
        char text[200] = "";
        sscanf(line + 1, "%199[^\n]", text);
        assert_says(text, unit[i]);
    }
    /* what a motor supplies is in the report */
    assert_int_equal(run(w, "report", "motor.h5", "-o", "motor.html"), 0);
    enum { PAGE = 1 << 21 };
    char *page = malloc(PAGE);
    assert_non_null(page);
    read_whole(path_of(w, "motor.html"), page, PAGE);
    assert_non_null(strstr(page, "energy.supplied"));
    assert_null(strstr(page, "energy.lost"));
    free(page);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_rotation_without_stiffening_is_reported, setup, teardown),
        cmocka_unit_test_setup_teardown(implausible_numbers_are_reported, setup, teardown),
        cmocka_unit_test_setup_teardown(a_missing_set_has_a_place, setup, teardown),
        cmocka_unit_test_setup_teardown(stress_of_a_beam_names_its_section_forces, setup, teardown),
        cmocka_unit_test_setup_teardown(a_dead_point_is_one_line, setup, teardown),
        cmocka_unit_test_setup_teardown(products_with_angular_velocities_have_usual_units, setup,
                                        teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
