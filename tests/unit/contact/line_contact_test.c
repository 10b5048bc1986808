/* Contact along lines and rims: cylinders and cones along a box, and cylinders that stand on an end. */
#include "unit/solve/simulate.h"

#include "solve/eigenvalues.h"
#include "solve/statics.h"

static rows r;

/* A roll dropped on a table 1 m wide, along y. Gravity and law are the same for all. */
static void drop_a_roll(const char *shape, double tilt, double vx, double wy, double drop,
                        double end)
{
    static const char *const names[] = {"roll.position.z", "roll.position.x", "touch.impacts",
                                        NULL};
    char                     text[1024];
    built                    b;
    snprintf(
        text, sizeof text,
        "klingel: 1\nbodies:\n  roll: {mass: 2, inertia: [0.01, 0.004, 0.01], position: "
        "[0, 0, %.9g], orientation: {axis: x, angle: %.9g deg}, velocity: [%.9g, 0, 0], omega: "
        "[0, %.9g, 0]}\ncontacts:\n  touch: {between: [roll, ground], shapes: [%s, {box: [1, 1, "
        "0.1], "
        "at: [0, 0, -0.05]}], law: linear, stiffness: 1e6, damping: 100, friction: "
        "threlfall, mu: 0.3}\n",
        0.05 + drop, tilt, vx, wy, shape);
    assert_int_equal(try_build(text, &b), KL_OK);
    simulate(&b, end, 0.01, names, &r, NULL);
    built_free(&b);
}

/* It lands, opens and lands again, and never sinks by more than sqrt(m/k) v: all the mass on one end. */
static void rolls_land_on_a_table_again_and_again(void **unused)
{
    (void)unused;
    static const char *const cylinder = "{cylinder: {radius: 50 mm, length: 200 mm, axis: y}}",
                             *const cone =
                                 "{cone: {radius: 50 mm, top: 30 mm, length: 200 mm, axis: y}}";
    const struct {
        const char *shape;
        double      tilt, vx, wy, drop;
    } list[] = {
        {cylinder, 0, 0, 0, 5e-3},   {cylinder, 0, 0.5, 0, 5e-3}, {cylinder, 0.5, 0, 0, 5e-3},
        {cylinder, 0.1, 2, 0, 5e-3}, {cylinder, 0, 1, 0, -1e-5},  {cylinder, 0, 2, -60, 0.03},
        {cone, 0, 0.5, 0, 5e-3},     {cone, 0.5, 0, 0, 5e-3},     {cone, 0.1, 1, 0, 5e-3}};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        bool   closed = false;
        double least  = list[i].shape == cone ? 0.038 : 0.048; /* a cone lies down on its side */
        double vz     = sqrt(2.0 * 9.81 * fmax(list[i].drop, 1e-3));
        drop_a_roll(list[i].shape, list[i].tilt, list[i].vx, list[i].wy, list[i].drop, 0.2);
        for (int k = 0; k < r.count; k++) {
            closed |= r.value[k][2] > 0.0 || list[i].drop < 0.0;
            if (!(r.value[k][0] > least - sqrt(2.0 / 1e6) * vz))
                fail_msg("case %zu: z = %g m at %g s", i, r.value[k][0], r.t[k]);
        }
        assert_true(closed);
    }
}

/* Over the edge of the table: the normal turns from that of the face to that of the edge, and the roll falls. */
static void a_roll_falls_off_the_edge_of_a_table(void **unused)
{
    (void)unused;
    drop_a_roll("{cylinder: {radius: 50 mm, length: 200 mm, axis: y}}", 0, 2, 40, -1e-5, 0.5);
    assert_true(r.value[r.count - 1][1] > 0.6);
    assert_true(r.value[r.count - 1][0] < -0.1);
}

/* n springs k at equal angles of a rim of radius R, h below the centre of mass, each with k_t = k tangentially.
 * Sliding x and rocking a: M = diag(m, J), K = [n k, -n k h; -n k h, n k h^2 + n k R^2/2 - m g h]. */
static void a_standing_cylinder_rocks_as_its_rim_says(void **unused)
{
    (void)unused;
    static const struct {
        const char *floor;
        double      n;
    } list[]       = {{"plane", 4}, {"{box: [1, 1, 0.1], at: [0, 0, -0.05]}", 8}};
    const double k = 1e6, R = 0.05, h = 0.1, m = 2.0, J = 0.01;
    for (int i = 0; i < 2; i++) {
        char           text[1024];
        kl_equilibrium e      = {.moving = true};
        kl_linear     *linear = NULL;
        kl_spectrum   *modes  = NULL;
        snprintf(
            text, sizeof text,
            "klingel: 1\nbodies:\n  p: {mass: 2, inertia: [0.01, 0.01, 0.004], position: [0, 0, "
            "0.1]}\ncontacts:\n  c: {between: [p, ground], shapes: [{cylinder: {radius: 50 mm, "
            "length: 200 mm}}, %s], law: linear, stiffness: 1e6, friction: stick-slip, mu: 0.5, "
            "tangential_stiffness: 1e6}\n",
            list[i].floor);
        built      b;
        kl_solver *x = NULL;
        assert_int_equal(try_build(text, &b), KL_OK);
        assert_int_equal(kl_solver_create(b.model, &x), KL_OK);
        assert_int_equal(kl_assemble(x, b.diag), KL_OK);
        assert_int_equal(kl_find_equilibrium(x, &e, b.diag), KL_OK);
        assert_int_equal(kl_linearize(x, NULL, b.diag, &linear), KL_OK);
        assert_int_equal(kl_spectrum_find(x, linear, true, b.diag, &modes), KL_OK);
        assert_int_equal(modes->unstable, 0);
        double s = list[i].n * k, a = s / m, d = (s * h * h + s * R * R / 2 - m * 9.81 * h) / J,
               bc = s * h / m * (s * h / J), root = sqrt((a - d) * (a - d) / 4 + bc);
        for (int j = -1; j <= 1; j += 2) {
            double wanted = sqrt((a + d) / 2 + j * root), best = INFINITY;
            for (int q = 0; q < modes->n; q++) best = fmin(best, fabs(modes->mode[q].im - wanted));
            if (!(best < 1e-3 * wanted))
                fail_msg("%s: no %g 1/s, off by %g", list[i].floor, wanted, best);
        }
        kl_spectrum_destroy(modes);
        kl_linear_destroy(linear);
        kl_solver_destroy(x);
        built_free(&b);
    }
}

/* A load of 1 kN that turns carries a pin round in its hole, 0.1 um to 0.2 mm wider: both ends press with half of
 * it, the displacement stays clearance + F/(2 k) + ..., and steps stay long. */
static void a_pin_runs_round_in_its_hole_without_jitter(void **unused)
{
    (void)unused;
    static const double      clearance[] = {1e-7, 2e-5, 2e-4};
    static const char *const names[]     = {"e", "c.normal", "c.contacts", NULL};
    for (int i = 0; i < 3; i++) {
        char          text[1600];
        built         b;
        kl_statistics count;
        double        c = clearance[i], deep = 1000.0 / 2e7;
        snprintf(
            text, sizeof text,
            "klingel: 1\ngravity: 0\nbodies:\n  pin: {mass: 1, inertia: [0.001, 0.001, "
            "0.0005]}\ncontacts:\n  c: {between: [pin, ground], shapes: [{cylinder: {radius: 10 "
            "mm, "
            "length: 40 mm}}, {cylinder: {radius: %.9g, length: 40 mm, inside: true}}], law: "
            "linear, stiffness: 1e7, damping: 500, friction: threlfall, mu: 0.1}\nforces:\n  fx: "
            "{type: force, on: pin, axis: x, value: {expression: \"1000*cos(6.283*t)\"}}\n  fy: "
            "{type: force, on: pin, axis: y, value: {expression: "
            "\"1000*sin(6.283*t)\"}}\noutputs:\n"
            "  e: {expression: \"hypot(pin.position.x, pin.position.y)\"}\nintegrator: {type: "
            "generalized-alpha}\n",
            0.01 + c);
        assert_int_equal(try_build(text, &b), KL_OK);
        simulate(&b, 1.0, 0.02, names, &r, &count);
        built_free(&b);
        for (int k = r.count / 2; k < r.count; k++) {
            assert_true(r.value[k][2] == 2.0);
            assert_close(r.value[k][1], 1000.0, 0.02); /* and m e w^2 */
            assert_close(r.value[k][0], c + deep, 1e-3 * deep);
        }
        if (count.steps > 4000) fail_msg("clearance %g: %ld steps", c, (long)count.steps);
    }
}

/* A capsule lies across the edge of a plate, its middle 30 mm inside: it rests on the edge and on its inner end,
 * which is at 20 mm, with forces by the rule of the lever; x is where the middle came to rest. */
static void a_capsule_rests_on_the_edge_of_a_plate(void **unused)
{
    (void)unused;
    static const char *const names[]  = {"a.position.x", "touch.penetration", "touch.contacts",
                                         "touch.normal", NULL};
    static const char *const plates[] = {
        "{box: [0.3, 0.3, 0.1], at: [0, 0, -0.05]}",
        "{cylinder: {radius: 0.15, length: 0.1}, at: [0, 0, -0.05]}"};
    for (size_t i = 0; i < sizeof plates / sizeof *plates; i++) {
        char text[1024];
        snprintf(
            text, sizeof text,
            "klingel: 1\nbodies:\n  a: {mass: 1, inertia: [3e-3, 3e-3, 5e-4], position: [0.12, 0, "
            "0.0201], orientation: {axis: y, angle: 90 deg}}\ncontacts:\n  touch: {between: [a, "
            "ground], shapes: [{capsule: {radius: 20 mm, length: 0.2}}, %s], law: linear, "
            "stiffness: 1e5, damping: 50, friction: stick-slip, mu: 0.5}\n",
            plates[i]);
        built b = must_build(text);
        simulate(&b, 1.0, 0.1, names, &r, NULL);
        built_free(&b);
        const double *end = r.value[r.count - 1], weight = 9.81, inner = end[0] - 0.1;
        print_message("middle at %.6f m, depth at the edge %.6g m\n", end[0], end[1]);
        assert_close(end[2], 2.0, 0.0);
        assert_close(end[3] / weight, 1.0, 1e-4);
        assert_close(end[1] * 1e5 / (weight * (end[0] - inner) / (0.15 - inner)), 1.0, 1e-4);
    }
}

/* Parallel capsules, 1 mm apart along their axes, meet at 1000 m/s each: the ends of what they share carry. Nothing
 * dissipates. */
static void capsules_beside_each_other_rebound(void **unused)
{
    (void)unused;
    static const char *const names[] = {"energy.total", "a.position.x", "touch.impacts", NULL};
    static const char *const types[] = {"auto", "gear"};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        char text[1024];
        snprintf(
            text, sizeof text,
            "klingel: 1\ngravity: 0\nbodies:\n  a: {mass: 0.1, inertia: [1e-4, 1e-4, 1e-4], "
            "position: [-3, 0, 0], velocity: [1000, 0, 0]}\n  b: {mass: 0.1, inertia: [1e-4, "
            "1e-4, 1e-4], position: [3, 0, 1 mm], velocity: [-1000, 0, 0]}\ncontacts:\n  touch: "
            "{between: [a, b], shapes: [{capsule: {radius: 5 mm, length: 100 mm}}, {capsule: "
            "{radius: 5 mm, length: 100 mm}}], law: linear, stiffness: 1e12}\nintegrator: {type: "
            "%s}\n",
            types[i]);
        built b = must_build(text);
        simulate(&b, 8e-3, 1e-3, names, &r, NULL);
        built_free(&b);
        const double *end = r.value[r.count - 1];
        print_message("%s: energy %.9g J of 1e5 J, x = %.3f m\n", types[i], end[0], end[1]);
        assert_close(end[0] / r.value[0][0], 1.0, 1e-3);
        assert_true(end[1] < -4.9 && end[2] >= 1.0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rolls_land_on_a_table_again_and_again),
        cmocka_unit_test(a_roll_falls_off_the_edge_of_a_table),
        cmocka_unit_test(a_pin_runs_round_in_its_hole_without_jitter),
        cmocka_unit_test(a_standing_cylinder_rocks_as_its_rim_says),
        cmocka_unit_test(a_capsule_rests_on_the_edge_of_a_plate),
        cmocka_unit_test(capsules_beside_each_other_rebound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
