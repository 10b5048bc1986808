/* `limits:` on a joint: the stop pushes as its law says, on every joint that leaves the coordinate free, and a joint that
 * constrains it is refused by name. */
#include "unit/solve/simulate.h"

static rows r;

typedef struct joint_case {
    const char *joint, *coordinate;
    bool        turns;
    const char *clearance; /* NULL: a perfect joint */
} joint_case;

/* A body at rest that a force of 20 N along z and a torque of 5 N m about z press against the stop. */
static void text_of(const joint_case *c, char *text, size_t size)
{
    snprintf(
        text, size,
        "klingel: 1\ngravity: 0\nbodies:\n  a: {mass: 2, inertia: [0.5, 0.5, 0.5], position: [0, "
        "0, 0]}\n"
        "joints:\n  j: {%s, between: [ground, a], at: [0, 0, 0], limits: {coordinate: %s, "
        "upper: %s}%s%s}\nforces:\n  f: {type: force, on: a, axis: z, value: 20}\n"
        "  t: {type: torque, on: a, axis: z, value: 5}\n"
        "outputs:\n  az: {of: a, quantity: acceleration.z}\n  wz: {of: a, quantity: alpha.z}\n",
        c->joint, c->coordinate,
        c->turns ? "5 deg, stiffness: 1000 N m/rad" : "1 mm, stiffness: 1e4 N/m",
        c->clearance ? ", clearance: {radial: 0.1 mm, law: linear, stiffness: 1e7" : "",
        c->clearance ? c->clearance : "");
}

static void check(const joint_case *c)
{
    static const char *const names[] = {"j.limits.value", "j.limits.push", "az", "wz", NULL};
    char                     text[1024];
    int                      pushed = 0;
    text_of(c, text, sizeof text);
    built b = must_build(text);
    simulate(&b, 0.2, 0.005, names, &r, NULL);
    built_free(&b);
    double k = c->turns ? 1000.0 : 1e4, upper = c->turns ? 5.0 * acos(-1.0) / 180.0 : 1e-3;
    for (int i = 0; i < r.count; i++) {
        /* accelerations of a row within a step are interpolated where there are no constraints */
        double push  = k * fmax(0.0, r.value[i][0] - upper),
               moves = c->turns ? (5.0 - push) / 0.5 : (20.0 - push) / 2.0;
        if (fabs(r.value[i][1] - push) > 1e-9 * (1.0 + push) ||
            fabs(r.value[i][c->turns ? 3 : 2] - moves) > 1e-5 * 10.0)
            fail_msg("%s%s: pushes %g for %g, acceleration %g for %g", c->joint,
                     c->clearance ? " with clearance" : "", r.value[i][1], push,
                     r.value[i][c->turns ? 3 : 2], moves);
        pushed += push > 0.0;
    }
    if (pushed == 0) fail_msg("%s: never reached its limit", c->joint);
}

static const joint_case joints[] = {{"type: revolute, axis: z", "angle", true, NULL},
                                    {"type: translational, axis: z", "displacement", false, NULL},
                                    {"type: cylindrical, axis: z", "angle", true, NULL},
                                    {"type: cylindrical, axis: z", "displacement", false, NULL},
                                    {"type: spherical", "angle", true, NULL},
                                    {"type: planar, axis: z", "angle", true, NULL},
                                    {"type: point-on-line, axis: z", "displacement", false, NULL},
                                    {"type: parallel, axis: z", "angle", true, NULL},
                                    {"type: parallel, axis: z", "displacement", false, NULL}};

static void every_joint_that_leaves_a_coordinate_free_limits_it(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof joints / sizeof *joints; i++) check(&joints[i]);
}

/* Where the load is along or about the free direction alone the clearance takes no part. */
static void worn_joints_limit_the_same_coordinates(void **unused)
{
    (void)unused;
    static const joint_case worn[] = {
        {"type: revolute, axis: z", "angle", true, ", radius: 10 mm, length: 20 mm}"},
        {"type: cylindrical, axis: z", "angle", true, ", radius: 10 mm, length: 20 mm}"},
        {"type: cylindrical, axis: z", "displacement", false, ", radius: 10 mm, length: 20 mm}"},
        {"type: spherical", "angle", true, ", radius: 10 mm}"},
        {"type: translational, axis: z", "displacement", false,
         ", length: 60 mm, size: [20 mm, 20 mm]}"}};
    for (size_t i = 0; i < sizeof worn / sizeof *worn; i++) check(&worn[i]);
}

/* A universal joint whose second body spins about the second axis, many times through a right angle, while a torque
 * presses the first axis against its stop: its angle is that of the second axis about the first. */
static void check_universal(const char *axes, const char *second, double spin)
{
    static const char *const names[] = {"j.limits.value", "j.limits.push", "sine", "cosine", NULL};
    char                     text[1024];
    double                   upper = 0.3, largest = 0.0;
    snprintf(
        text, sizeof text,
        "klingel: 1\ngravity: 0\nbodies:\n  a: {%s, mass: 2, inertia: [0.5, 0.5, 0.5], omega: [0, "
        "0, %g]}\n"
        "joints:\n  j: {type: universal, between: [ground, a], at: [0, 0, 0], axis: %s, limits: "
        "{upper: 0.3, stiffness: 1000 N m/rad}}\n"
        "forces:\n  t: {type: torque, on: a, axis: y, value: 5}\n"
        "outputs:\n  sine: {of: a, point: [0, 0, 1], quantity: position.x}\n"
        "  cosine: {of: a, point: [0, 0, 1], quantity: position.z}\n",
        second, spin, axes);
    built b = must_build(text);
    simulate(&b, 1.0, 0.01, names, &r, NULL);
    built_free(&b);
    for (int i = 0; i < r.count; i++) {
        const double *v = r.value[i];
        double        x = atan2(v[2], v[3]), push = 1000.0 * fmax(0.0, x - upper);
        if (fabs(v[0] - x) > 1e-7 || fabs(v[1] - push) > 1e-4)
            fail_msg("universal, axis %s, row %d: angle %g for %g, pushes %g for %g", axes, i, v[0],
                     x, v[1], push);
        largest = fmax(largest, x);
    }
    if (largest < upper) fail_msg("universal, axis %s: never reached its limit", axes);
}

static void a_universal_joint_limits_the_turn_about_its_first_axis(void **unused)
{
    (void)unused;
    check_universal("[y, z]", "position: [0, 0, 0]", 10.0);
    check_universal("[y, z]", "position: [0, 0, 0]", 0.0);
    check_universal("[y, z]", "type: rigid, spin_axis: z", 300.0);
}

static void a_constrained_coordinate_is_refused_by_name(void **unused)
{
    (void)unused;
    static const joint_case list[] = {
        {"type: fixed", "angle", true, NULL},
        {"type: fixed", "displacement", false, NULL},
        {"type: revolute, axis: z", "displacement", false, NULL},
        {"type: translational, axis: z", "angle", true, NULL},
        {"type: point-on-plane, axis: z", "displacement", false, NULL}};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        char  text[1024], wanted[64];
        built b;
        bool  said = false;
        text_of(&list[i], text, sizeof text);
        snprintf(wanted, sizeof wanted, "constrains its %s", list[i].coordinate);
        assert_int_not_equal(try_build(text, &b), KL_OK);
        for (int k = 0; k < kl_diag_size(b.diag); k++)
            said |= strstr(kl_diag_at(b.diag, k)->text, wanted) != NULL;
        if (!said) fail_msg("%s: nothing says '%s'", list[i].joint, wanted);
        built_free(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_joint_that_leaves_a_coordinate_free_limits_it),
        cmocka_unit_test(worn_joints_limit_the_same_coordinates),
        cmocka_unit_test(a_universal_joint_limits_the_turn_about_its_first_axis),
        cmocka_unit_test(a_constrained_coordinate_is_refused_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
