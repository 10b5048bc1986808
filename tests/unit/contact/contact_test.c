/* The contact element in models: sticking without creep, sliding, equilibrium and modes of closed
 * contacts, all integrators, and what is refused. */
#include <stdlib.h>

#include "unit/solve/simulate.h"

static rows r;

static const double PI = 3.14159265358979323846;

static const char *const block =
    "klingel: 1\ngravity: [9.81*sin(%s), 0, -9.81*cos(%s)]\nbodies:\n"
    "  block: {mass: 2 kg, inertia: [0.01, 0.01, 0.02], position: [0, 0, 0.05 - "
    "2*9.81*cos(%s)/4e6]}\ncontacts:\n"
    "  table: {between: [block, ground], shapes: [{box: [0.2, 0.2, 0.1]}, plane], law: linear, "
    "stiffness: 1e6 N/m, damping: 500 N s/m, friction: %s, mu: 0.3, tangential_stiffness: 1e6 N/m, "
    "tangential_damping: 500 N s/m}\nintegrator: {tolerance: %s%s}\n";

static const char *tolerance = "1e-8";

static void run_block(const char *angle, const char *friction, const char *more, double end)
{
    static const char *const names[] = {"block.position.x", "block.velocity.x", "table.state",
                                        NULL};
    char                     text[2048];
    built                    b;
    snprintf(text, sizeof text, block, angle, angle, angle, friction, tolerance, more);
    if (try_build(text, &b) != KL_OK) {
        print_messages(b.diag);
        fail_msg("%s", text);
    }
    simulate(&b, end, end / 10.0, names, &r, NULL);
    built_free(&b);
}

static double gain(int channel) { return r.value[r.count - 1][channel] - r.value[1][channel]; }

/* tan(15 deg) = 0.268 < 0.3: at rest for ten minutes */
static void a_block_sticks_on_an_incline_without_creep(void **unused)
{
    (void)unused;
    run_block("15 deg", "stick-slip", ", type: gear", 600.0);
    assert_close(gain(0), 0.0, 1e-9);
    assert_true(r.value[r.count - 1][2] == 1.0);
    /* bristles: what creeps is the error of the method, 4e-3 of the tolerance each second */
    run_block("15 deg", "lugre", "", 100.0);
    double coarse = gain(0);
    tolerance     = "1e-9";
    run_block("15 deg", "lugre", "", 600.0);
    tolerance = "1e-8";
    assert_close(gain(0), 0.0, 1e-8);
    assert_true(fabs(gain(0)) / 540.0 < 0.2 * fabs(coarse) / 90.0);
    run_block("15 deg", "threlfall", "", 600.0); /* creeps at 7.45 mm/s, as its curve says */
    assert_close(r.value[r.count - 1][1], -0.01 / 3.0 * log(1.0 - tan(15 * PI / 180) / 0.3), 1e-6);
}

/* v' = g (sin a - mu cos a), once it slides at all four corners */
static void above_the_angle_it_slides_with_the_right_acceleration(void **unused)
{
    (void)unused;
    double a = 20 * PI / 180;
    run_block("20 deg", "stick-slip", "", 1.0);
    double got = (r.value[r.count - 1][1] - r.value[5][1]) / (r.t[r.count - 1] - r.t[5]);
    assert_close(got, 9.81 * (sin(a) - 0.3 * cos(a)), 1e-6 * 0.59);
    assert_true(r.value[r.count - 1][2] == 2.0);
}

static void all_integrators_take_a_block_at_rest(void **unused)
{
    (void)unused;
    static const char *const more[] = {", type: generalized-alpha", ", type: gear",
                                       ", type: runge-kutta", ", type: newmark, step: 1e-3",
                                       ", type: hht, step: 1e-3"};
    for (size_t i = 0; i < sizeof more / sizeof *more; i++) {
        run_block("10 deg", "stick-slip", more[i], 0.2);
        assert_close(r.value[r.count - 1][0], 2.0 * 9.81 * sin(PI / 18) / 4e6, 2e-6);
    }
}

/* A body that starts 0.9 m above a plate of 100 mm: its first steps are longer than the way through
 * the plate, and both ends of such a step are open. */
static void a_body_does_not_pass_through_a_plate(void **unused)
{
    (void)unused;
    static const char *const shape[] = {"{sphere: 5 mm}",
                                        "{capsule: {radius: 5 mm, length: 20 mm}}",
                                        "{box: [10 mm, 10 mm, 10 mm]}"};
    for (int i = 0; i < 6; i++) { /* the narrow plate: the nearest way out is sideways */
        static const char *const names[] = {"b.position.y", NULL};
        char                     text[1024];
        built                    b;
        snprintf(text, sizeof text,
                 "klingel: 1\ngravity: 0\n"
                 "bodies: {b: {mass: 1, inertia: [1, 1, 1], position: [0, 1, 0]}}\n"
                 "joints: {guide: {type: translational, between: [ground, b], at: [0, 1, 0], "
                 "axis: y}}\n"
                 "contacts: {c: {between: [b, ground], shapes: [%s, {box: [0.2, 0.1, %s]}], law: "
                 "linear, stiffness: 1e6}}\n"
                 "forces: {f: {type: force, on: b, axis: -y, value: 10}}\n",
                 shape[i / 2], i % 2 ? "0.2" : "0.02");
        assert_int_equal(try_build(text, &b), KL_OK);
        simulate(&b, 2.0, 0.1, names, &r, NULL);
        built_free(&b);
        for (int k = 0; k < r.count; k++)
            if (!(r.value[k][0] > 0.04))
                fail_msg("%s: y = %g m at %g s", shape[i / 2], r.value[k][0], r.t[k]);
    }
}

/* Thin bodies that meet at 1000 m/s each, so stiff that they indent each other by 0.5 mm at most: a step of the
 * free flight is longer than their thickness, yet they rebound. */
static void fast_thin_bodies_do_not_pass_through_each_other(void **unused)
{
    (void)unused;
    static const char *const shape[] = {
        "{cylinder: {radius: 50 mm, length: 5 mm, axis: x}}", "{box: [2 mm, 100 mm, 100 mm]}",
        "{ellipsoid: [2 mm, 50 mm, 50 mm]}", "{sphere: 5 mm}",
        "{torus: {radius: 50 mm, tube: 2 mm}, orientation: {axis: y, angle: 90 deg}}"};
    static const char *const type[]  = {"auto", "gear"};
    static const char *const names[] = {"a.position.x", "b.position.x", NULL};
    for (int i = 0; i < 10; i++) {
        char  text[1024];
        built b;
        snprintf(
            text, sizeof text,
            "klingel: 1\ngravity: 0\nbodies:\n  a: {mass: 0.1, inertia: [1e-4, 1e-4, 1e-4], "
            "position: "
            "[-3, 0, 0], velocity: [1000, 0, 0]}\n  b: {mass: 0.1, inertia: [1e-4, 1e-4, 1e-4], "
            "position: [3, 0, 0], velocity: [-1000, 0, 0]}\ncontacts: {c: {between: [a, b], "
            "shapes: "
            "[%s, %s], law: linear, stiffness: 1e12}}\nintegrator: {type: %s}\n",
            shape[i / 2], shape[i / 2], type[i % 2]);
        assert_int_equal(try_build(text, &b), KL_OK);
        simulate(&b, 8e-3, 1e-3, names, &r, NULL);
        built_free(&b);
        double x = r.value[r.count - 1][0];
        if (!(x < -4.9)) fail_msg("%s with %s: x = %g m", shape[i / 2], type[i % 2], x);
    }
}

/* A ball dropped from 0.2 m that moves at 1 m/s and spins: it strikes the floor several times within a second. Returns
 * the largest change of energy.balance over the energy at the start; `lost`: what the contact reports over what the
 * run dissipates. */
static double bounce(const char *contact, const char *integrator, double *lost)
{
    static const char *const names[] = {"energy.balance", "floor.lost", "energy.lost", NULL};
    char                     text[1024];
    double                   most = 0.0;
    bool                     line = strstr(contact, "hertz-line") != NULL; /* a law of rollers */
    snprintf(text, sizeof text,
             "klingel: 1\nbodies:\n  ball: {mass: 4, inertia: [4e-3, 4e-3, 4e-3], position: [0, 0, "
             "0.25], velocity: [1, 0, 0], omega: [0, 5, 3]}\ncontacts:\n  floor: {between: [ball, "
             "ground], shapes: [{%s}, plane], %s}\nintegrator: %s\n",
             line ? "cylinder: {radius: 50 mm, length: 1 mm, axis: y}" : "sphere: 50 mm", contact,
             integrator);
    built b = must_build(text);
    simulate(&b, 1.0, 0.01, names, &r, NULL);
    built_free(&b);
    for (int i = 0; i < r.count; i++) most = fmax(most, fabs(r.value[i][0] / r.value[0][0] - 1.0));
    const double *end = r.value[r.count - 1];
    *lost             = end[2] > 0.0 ? end[1] / end[2] : 1.0;
    return most;
}

/* What is dissipated is what the motion misses, with every law. The depth 1 mm is a corner of the table. */
static void every_law_closes_the_energy_balance(void **unused)
{
    (void)unused;
    static const char *const contacts[] = {
        "law: linear, stiffness: 1e6, damping: 100",
        "law: hertz, stiffness: 5e9",
        "law: hertz-line, material: steel-steel, length: 1 mm",
        "law: kelvin-voigt, stiffness: 1e6, restitution: 0.5",
        "law: hunt-crossley, stiffness: 5e9, restitution: 0.5",
        "law: lankarani-nikravesh, stiffness: 5e9, restitution: 0.5",
        "law: flores, stiffness: 5e9, restitution: 0.5",
        "law: indentation, stiffness: 1e6, restitution: 0.5",
        "law: table, force: {linear_table: [[0, 0], [1 mm, 1 kN], [10 mm, 20 kN]]}, damping: 50",
        "law: linear, stiffness: 1e6, damping: 100, friction: threlfall, mu: 0.3",
        "law: linear, stiffness: 1e6, damping: 100, friction: lugre, mu: 0.3",
        ("law: hunt-crossley, stiffness: 5e9, restitution: 0.5, friction: stick-slip, mu: 0.3, "
         "tangential_stiffness: 1e6")};
    for (size_t i = 0; i < sizeof contacts / sizeof *contacts; i++) {
        double lost, off = bounce(contacts[i], "{type: gear, tolerance: 1e-11}", &lost);
        print_message("%-60.60s %.1e, channel lost %.6f of it\n", contacts[i], off, lost);
        if (!(off < 1e-6) || !(fabs(lost - 1.0) < 2e-5)) fail_msg("%s", contacts[i]);
    }
}

/* The rate of the bristles jumps by the slip where a contact begins: no method may stop there. */
static void bristles_take_an_impact_with_every_method(void **unused)
{
    (void)unused;
    static const char *const types[] = {"{type: generalized-alpha}",
                                        "{type: generalized-alpha, tolerance: 1e-11}",
                                        "{type: hht}",
                                        "{type: newmark}",
                                        "{type: gear}",
                                        "{type: runge-kutta}"};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        double lost, off = bounce("law: hunt-crossley, stiffness: 5e9, restitution: 0.5, friction: "
                                  "lugre, mu: 0.3",
                                  types[i], &lost);
        print_message("%s: energy balance %.1e\n", types[i], off);
        assert_true(off < 2e-3);
    }
}

/* A ring that falls on an ellipsoid rolls so that its contact passes the point where angles on it begin. The contact keeps
 * its history there: it ended runs with generalized-alpha, and counted as another impact with gear. */
static void a_contact_keeps_its_history_round_a_ring(void **unused)
{
    (void)unused;
    static const char *const names[]   = {"ring.position.x", "ring.position.z", "touch.impacts",
                                          NULL};
    static const char *const methods[] = {"generalized-alpha", "gear"};
    double                   end[2][2];
    char                     text[1024];
    for (int k = 0; k < 2; k++) {
        snprintf(
            text, sizeof text,
            "klingel: 1\nbodies: {ring: {mass: 1, inertia: [0.01, 0.01, 0.02], position: [0.02, 0, "
            "0.45], omega: [0.3, 0, 5]}}\ncontacts: {touch: {between: [ground, ring], shapes: "
            "[{ellipsoid: [0.2, 0.3, 0.25]}, {torus: {radius: 0.15, tube: 0.02}}], stiffness: 1e5, "
            "law: hunt-crossley, restitution: 0.5, friction: stick-slip, mu: 0.3}}\nintegrator: "
            "{type: %s, tolerance: 1e-8}\n",
            methods[k]);
        built b = must_build(text);
        simulate(&b, 0.7, 0.1, names, &r, NULL);
        built_free(&b);
        const double *last = r.value[r.count - 1];
        end[k][0] = last[0], end[k][1] = last[1];
        assert_close(last[2], 6.0, 0.0);
    }
    print_message("ring at (%.6f, %.6f) and (%.6f, %.6f) m\n", end[0][0], end[0][1], end[1][0],
                  end[1][1]);
    assert_true(hypot(end[0][0] - end[1][0], end[0][1] - end[1][1]) < 2e-4);
}

static void refuses(const char *contact, const char *words)
{
    char  text[1024];
    built b;
    snprintf(text, sizeof text,
             "klingel: 1\nbodies:\n  a: {mass: 1, inertia: [1, 1, 1], position: [0, 0, 1]}\n"
             "contacts:\n  it: {between: [a, ground], %s}\n",
             contact);
    assert_int_not_equal(try_build(text, &b), KL_OK);
    bool said = false;
    for (int i = 0; i < kl_diag_size(b.diag); i++) {
        said |= strstr(kl_diag_at(b.diag, i)->text, words) != NULL;
    }
    if (!said) {
        print_messages(b.diag);
        fail_msg("%s: nothing says '%s'", contact, words);
    }
    built_free(&b);
}

/* Without gravity a body of 1 kg that comes at 2 m/s is stopped where k d^(n + 1)/(n + 1) = m v^2/2. Long steps
 * pass an impact in three or four steps, w h up to 1.2; the cubic within them is exact to (w h)^4/384. */
static void the_peak_of_an_impact_does_not_depend_on_the_steps(void **unused)
{
    (void)unused;
    static const char *const names[]   = {"touch.peak", NULL};
    static const char *const methods[] = {"auto", "generalized-alpha", "runge-kutta", "gear"};
    static const struct {
        const char *law;
        double      k, n;
    } laws[]       = {{"linear", 1e6, 1.0}, {"hertz", 1e8, 1.5}, {"indentation", 1e6, 1.0}};
    const double v = 2.0, bound = pow(1.2, 4) / 384.0;
    char         text[1024];
    for (size_t i = 0; i < sizeof laws / sizeof *laws; i++)
        for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
            double n = laws[i].n, d = pow(0.5 * (n + 1.0) * v * v / laws[i].k, 1.0 / (n + 1.0));

            snprintf(
                text, sizeof text,
                "klingel: 1\ngravity: 0\nbodies:\n  b: {mass: 1, inertia: [1, 1, 1], position: "
                "[0, 0, 0.15], velocity: [0, 0, %g]}\ncontacts:\n  touch: {between: [b, "
                "ground], shapes: [{sphere: 0.1}, plane], law: %s, stiffness: %g%s}\n"
                "integrator: {type: %s, accuracy: 1e-4}\n",
                -v, laws[i].law, laws[i].k, i == 2 ? ", restitution: 0.5" : "", methods[k]);
            built b = must_build(text);
            simulate(&b, 0.05, 0.01, names, &r, NULL);
            double peak = r.value[r.count - 1][0], right = laws[i].k * pow(d, n);
            print_message("%-12s %-18s peak %.2f N, exactly %.2f N\n", laws[i].law, methods[k],
                          peak, right);
            assert_close(peak / right, 1.0, bound);
            built_free(&b);
        }
}

static void mistakes_are_told_with_their_line_and_a_remedy(void **unused)
{
    (void)unused;
    refuses("shapes: [{sphere: 0}, plane], stiffness: 1e5, law: linear", "radius must be positive");
    refuses("shapes: [{box: [1, 0, 1]}, plane], stiffness: 1e5, law: linear",
            "three positive edge lengths");
    refuses("shapes: [{ball: 1}, plane], stiffness: 1e5, law: linear", "no shape 'ball'");
    refuses("shapes: [plane, plane], stiffness: 1e5, law: linear", "is not supported");
    refuses("shapes: [{sphere: 0.1}, plane]", "a positive `stiffness`");
    refuses("shapes: [{sphere: 0.1}, plane], stiffness: 0, law: linear", "a positive `stiffness`");
    refuses("shapes: [{sphere: 3}, plane], stiffness: 1e5, law: linear", "penetrate each other");
    refuses("shapes: [{sphere: 0.1}, plane], stiffness: 1e5, law: linear, mu: -0.1", "mu");
    refuses("shapes: [{sphere: 0.1}, plane], stiffness: 1e5, law: linear, mu: 0.3, mu_static: 0.2",
            "must not be smaller than mu");
    refuses("shapes: [{sphere: 0.1}, plane], stiffness: 1e5, law: flores, restitution: 0",
            "a positive `restitution`");
    refuses("shapes: [{box: [0.1, 0.1, 0.1]}, plane], material: steel-steel", "give `stiffness`");
    refuses("shapes: [{sphere: 0.1}, plane], law: table", "needs `force");
    static const char *const laws[] = {"kelvin-voigt", "hunt-crossley", "lankarani-nikravesh",
                                       "flores", "indentation"};
    for (size_t i = 0; i < sizeof laws / sizeof *laws; i++) {
        char keys[128];
        snprintf(keys, sizeof keys, "shapes: [{sphere: 0.1}, plane], stiffness: 1e5, law: %s",
                 laws[i]);
        refuses(keys, "needs `restitution`");
    }
    refuses("shapes: [{sphere: 0.1}, plane], material: steel-steel, law: flores",
            "for example `restitution: 0.8`");
    refuses("shapes: [{mesh: nowhere.stl}, plane], stiffness: 1e5, law: linear", "nowhere.stl");
}

/* The stiffness of Hertz's theory is one of forces k d^1.5: as that of a linear law it would be wrong by
 * the square root of a metre. */
static void the_stiffness_of_a_material_is_that_of_hertz(void **unused)
{
    (void)unused;
    static const char *const laws[] = {"linear", "kelvin-voigt, restitution: 0.5",
                                       "indentation, restitution: 0.5",
                                       "hunt-crossley, exponent: 1.2"};
    for (size_t i = 0; i < sizeof laws / sizeof *laws; i++) {
        char text[200];
        snprintf(text, sizeof text,
                 "shapes: [{sphere: 0.1}, plane], material: steel-steel, law: %s", laws[i]);
        refuses(text, "theory in N/m^1.5");
    }
}

/* Number of messages of an impact at 2 m/s with these words; the text of the last one in `said`. The
 * first row of r is the start, the last one the rebound. */
static int messages_of_impact(const char *contact, const char *words, char said[400])
{
    char text[1024];
    snprintf(text, sizeof text,
             "klingel: 1\ngravity: 0\nbodies:\n  b: {mass: 1, inertia: [1, 1, 1], position: [0, 0, "
             "0.15], velocity: [0, 0, -2]}\ncontacts:\n  touch: {between: [b, ground], shapes: "
             "[{sphere: 0.1}, plane], %s}\n",
             contact);
    built b = must_build(text);
    int   n = 0;
    simulate(&b, 0.05, 0.01, (const char *const[]){"b.velocity.z", NULL}, &r, NULL);
    for (int i = 0; i < kl_diag_size(b.diag); i++) {
        if (!strstr(kl_diag_at(b.diag, i)->text, words)) continue;
        snprintf(said, 400, "%s", kl_diag_at(b.diag, i)->text);
        n++;
    }
    built_free(&b);
    return n;
}

/* The rebound that the note foretells is the one of the run; with `exact` there is nothing to foretell. */
static void a_rebound_other_than_asked_is_told_at_the_first_impact(void **unused)
{
    (void)unused;
    static const char *const laws[]  = {"hunt-crossley", "lankarani-nikravesh", "flores"};
    static const char *const stiff[] = {"stiffness: 1e8", "material: steel-steel"};
    for (int i = 0; i < 6; i++) {
        char contact[200], said[400];
        snprintf(contact, sizeof contact, "%s, law: %s, restitution: 0.5", stiff[i / 3],
                 laws[i % 3]);
        assert_int_equal(messages_of_impact(contact, "rebounds with", said), 1);
        double foretold = strtod(strstr(said, "rebounds with") + strlen("rebounds with"), NULL);
        assert_close(foretold, r.value[r.count - 1][0] / 2.0, 0.006);
        strcat(contact, ", exact: true");
        assert_int_equal(messages_of_impact(contact, "rebounds with", said), 0);
        assert_close(r.value[r.count - 1][0] / 2.0, 0.5, 1e-3);
    }
}

/* One impact above the limit of Hertz's theory is one message, not another one when the contact opens. */
static void an_impact_is_told_once(void **unused)
{
    (void)unused;
    char said[400];
    assert_int_equal(messages_of_impact("material: steel-steel", "impact speed", said), 1);
    assert_int_equal(messages_of_impact("stiffness: 1e8", "opens for the first time", said), 1);
}

static void a_key_that_the_law_does_not_use_is_told(void **unused)
{
    (void)unused;
    char said[400];
    assert_int_equal(messages_of_impact("stiffness: 1e6, law: linear, restitution: 0.3",
                                        "`restitution` has no effect with law linear", said),
                     1);
    assert_int_equal(messages_of_impact("stiffness: 1e6, law: hertz, restitution: 0.3",
                                        "`restitution` has no effect with law hertz", said),
                     1);
    assert_int_equal(messages_of_impact("stiffness: 1e6, law: linear, exact: true",
                                        "`exact` has no effect", said),
                     1);
    assert_int_equal(
        messages_of_impact("stiffness: 1e6, damping: 3", "`damping` has no effect", said), 1);
    assert_int_equal(
        messages_of_impact("stiffness: 1e6, law: linear, damping: 3", "has no effect", said), 0);
    assert_int_equal(messages_of_impact("stiffness: 1e6, law: kelvin-voigt, restitution: 0.3",
                                        "has no effect", said),
                     0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_block_sticks_on_an_incline_without_creep),
        cmocka_unit_test(above_the_angle_it_slides_with_the_right_acceleration),
        cmocka_unit_test(all_integrators_take_a_block_at_rest),
        cmocka_unit_test(a_body_does_not_pass_through_a_plate),
        cmocka_unit_test(fast_thin_bodies_do_not_pass_through_each_other),
        cmocka_unit_test(the_peak_of_an_impact_does_not_depend_on_the_steps),
        cmocka_unit_test(every_law_closes_the_energy_balance),
        cmocka_unit_test(a_contact_keeps_its_history_round_a_ring),
        cmocka_unit_test(bristles_take_an_impact_with_every_method),
        cmocka_unit_test(the_stiffness_of_a_material_is_that_of_hertz),
        cmocka_unit_test(a_rebound_other_than_asked_is_told_at_the_first_impact),
        cmocka_unit_test(an_impact_is_told_once),
        cmocka_unit_test(a_key_that_the_law_does_not_use_is_told),
        cmocka_unit_test(mistakes_are_told_with_their_line_and_a_remedy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
