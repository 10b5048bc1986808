/* Friction in joints against closed forms and an independent integration, with all laws and methods;
 * forces that switch: a note, an end with a reason, a sampled controller. */
#include <math.h>

#include "unit/solve/simulate.h"

static const char *const methods[] = {"generalized-alpha", "runge-kutta", "gear"};

static double last_of(const rows *r, int k) { return r->value[r->count - 1][k]; }

static bool told(const kl_diag *d, const char *what)
{
    for (int i = 0; i < kl_diag_size(d); i++)
        if (strstr(kl_diag_at(d, i)->text, what)) return true;
    return false;
}

/* A block of 2 kg at 1 m/s with mu = 0.3 stops after v^2/(2 mu g), less what the elastic displacement
 * of 10 um gives back, and stays there. */
static void a_block_stops_and_sticks(void **unused)
{
    (void)unused;
    static const char *const laws[] = {"coulomb", "stribeck", "lugre"};
    static rows              r;
    for (int k = 0; k < 7; k++) {
        char        text[600];
        bool        lugre = k >= 6;
        const char *law = laws[lugre ? 2 : k / 3], *method = methods[lugre ? 0 : k % 3];
        snprintf(text, sizeof text,
                 "klingel: 1\nintegrator: {type: %s}\nbodies: {box: {mass: 2, inertia: [1, 1, 1], "
                 "velocity: [1, 0, 0]}}\njoints: {guide: {type: translational, between: [ground, "
                 "box], at: [0, 0, 0], axis: x, friction: {law: %s, mu: 0.3}}}\n",
                 method, law);
        built b = must_build(text);
        simulate(&b, 3.0, 1.0,
                 (const char *const[]){"guide.displacement", "guide.friction.normal",
                                       "guide.friction.sticks", NULL},
                 &r, NULL);
        double exact = 1.0 / (2.0 * 0.3 * 9.81);
        assert_close(last_of(&r, 0), exact, 2e-5);
        assert_close(last_of(&r, 1), 2.0 * 9.81, 1e-6);
        if (!lugre) assert_close(last_of(&r, 0), exact - 1e-5, 1e-6);
        assert_close(last_of(&r, 0), r.value[2][0], 1e-9); /* no creep from 2 s to 3 s */
        assert_close(last_of(&r, 2), 1.0, 0.0);
        built_free(&b);
    }
}

/* On an incline of 20 deg it sticks with mu_static above tan 20 deg = 0.364 and otherwise slides with
 * g (sin - mu cos). The weight begins to act at once, so that the force of friction rises to 1.04 of it:
 * 0.38 does not hold. */
static void a_block_on_an_incline_sticks_or_slides(void **unused)
{
    (void)unused;
    static rows r;
    for (int slides = 0; slides < 2; slides++) {
        char text[700];
        snprintf(text, sizeof text,
                 "klingel: 1\ngravity: [9.81*sin(20 deg), 0, -9.81*cos(20 deg)]\n"
                 "integrator: {type: generalized-alpha}\n" /* 1e-8 m of 1 m are looked at */
                 "bodies: {box: {mass: 2, inertia: [1, 1, 1]}}\njoints: {guide: {type: "
                 "translational, between: [ground, box], at: [0, 0, 0], axis: x, friction: {mu: "
                 "0.3, mu_static: %s}}}\n",
                 slides ? "0.36" : "0.40");
        built b = must_build(text);
        simulate(&b, 2.0, 1.0, (const char *const[]){"guide.displacement", "guide.speed", NULL}, &r,
                 NULL);
        double a = 9.81 * (sin(KL_PI / 9.0) - 0.3 * cos(KL_PI / 9.0));
        /* it slides as soon as the elastic displacement is used up, within about 2 ms */
        if (slides) assert_close(last_of(&r, 1), 2.0 * a, 4e-3 * a);
        else assert_close(last_of(&r, 0), 1e-5 * tan(KL_PI / 9.0) / 0.40, 1e-8);
        built_free(&b);
    }
}

/* v dv/dx = -g mu(v), mu(v) = mu + (mu_s - mu) exp(-(v/v0)^2): the distance by Simpson's rule. */
static void the_curve_of_stribeck_decides_how_far_it_slides(void **unused)
{
    (void)unused;
    static rows r;
    built b = must_build("klingel: 1\nbodies: {box: {mass: 2, inertia: [1, 1, 1], velocity: [1, 0, "
                         "0]}}\njoints: {guide: {type: translational, between: [ground, box], at: "
                         "[0, 0, 0], axis: x, friction: {law: stribeck, mu: 0.2, mu_static: 0.5, "
                         "stribeck_speed: 0.6, presliding: 1e-6}}}\n");
    simulate(&b, 2.0, 1.0, (const char *const[]){"guide.displacement", NULL}, &r, NULL);
    double sum = 0.0;
    enum { N = 2000 };
    for (int i = 0; i <= N; i++) {
        double v = (double)i / N, x = v / 0.6;
        double f = v / (9.81 * (0.2 + 0.3 * exp(-x * x)));
        sum += f * (i == 0 || i == N ? 1.0 : i % 2 ? 4.0 : 2.0) / (3.0 * N);
    }
    assert_close(last_of(&r, 0), sum, 5e-6);
    built_free(&b);
}

/* w' = -T/J about any axis of a ball joint; J w0/T later it stands. */
static void a_ball_joint_slows_a_spin_about_any_axis(void **unused)
{
    (void)unused;
    static rows r;
    built b = must_build("klingel: 1\ngravity: [0, 0, 0]\nbodies: {ball: {mass: 1, inertia: [0.2, "
                         "0.2, 0.2], omega: [1, 2, -2]}}\njoints: {j: {type: spherical, between: "
                         "[ground, ball], at: [0, 0, 0], friction: {torque: 0.3 N m}}}\n");
    simulate(&b, 3.0, 1.0,
             (const char *const[]){"ball.omega.x", "ball.omega.y", "ball.omega.z", NULL}, &r, NULL);
    double w = 3.0 - 0.3 / 0.2;
    assert_close(r.value[1][0], w / 3.0, 1e-4);
    assert_close(r.value[1][1], 2.0 * w / 3.0, 1e-4);
    assert_close(r.value[1][2], -2.0 * w / 3.0, 1e-4);
    for (int k = 0; k < 3; k++) assert_close(last_of(&r, k), 0.0, 1e-8);
    built_free(&b);
}

/* A sleeve with J = m r^2 that turns and slides: friction acts against the slip vector, so that both
 * rates fall in proportion and end together at t = |u| m/F. */
static void a_sleeve_stops_turning_and_sliding_together(void **unused)
{
    (void)unused;
    static rows r;
    built       b =
        must_build("klingel: 1\ngravity: [0, 0, 0]\nbodies: {sleeve: {mass: 2, inertia: [1, 1, "
                   "0.02], omega: [0, 0, 6], velocity: [0, 0, 0.8]}}\njoints: {j: {type: "
                   "cylindrical, between: [ground, sleeve], at: [0, 0, 0], axis: z, friction: "
                   "{force: 1 N, torque: 0.1 N m}}}\n");
    simulate(&b, 2.4, 1.2, (const char *const[]){"j.angular_speed", "j.speed", NULL}, &r, NULL);
    assert_close(r.value[1][0], 6.0 * 0.4, 1e-3); /* u = (0.6, 0.8) m/s, 0.5 m/s2 */
    assert_close(r.value[1][1], 0.8 * 0.4, 1e-4);
    assert_close(last_of(&r, 0), 0.0, 1e-6);
    assert_close(last_of(&r, 1), 0.0, 1e-6);
    built_free(&b);
}

/* Both bearings of a universal joint resist on their own: below the limit nothing turns, above it the
 * rest of the torque accelerates. */
static void each_bearing_of_a_universal_joint_sticks(void **unused)
{
    (void)unused;
    static rows r;
    built b = must_build("klingel: 1\ngravity: [0, 0, 0]\nbodies: {rod: {mass: 1, inertia: [2, 2, "
                         "2]}}\njoints: {j: {type: universal, between: [ground, rod], at: [0, 0, "
                         "0], axis: [x, y], friction: {torque: 1 N m}}}\nforces:\n"
                         "  tx: {type: torque, on: rod, axis: x, value: 0.9}\n"
                         "  ty: {type: torque, on: rod, axis: y, value: 1.2}\n");
    simulate(&b, 0.5, 0.5, (const char *const[]){"rod.omega.x", "rod.omega.y", NULL}, &r, NULL);
    assert_close(last_of(&r, 0), 0.0, 2e-4);
    assert_close(last_of(&r, 1), 0.2 / 2.0 * 0.5, 5e-3);
    built_free(&b);
}

/* A ring on a disc that turns, held by a spring: T/k - A < twist < T/k + A, A = hypot(0.5 T/k, w/wn), and
 * a cycle of 1.353638 s (examples/stick-slip). */
static const char *const ring =
    "klingel: 1\ngravity: [0, 0, 0]\nbodies:\n"
    "  disc: {mass: 1, inertia: [0.01, 0.01, 0.02]}\n"
    "  ring: {mass: 1, inertia: [0.02, 0.02, 0.02]}\n"
    "joints:\n"
    "  axle: {type: revolute, between: [ground, disc], at: [0, 0, 0], axis: z}\n"
    "  motor: {type: driver, of: axle, value: {expression: \"0.5 rad/s*t\"}}\n"
    "  clutch: {type: revolute, between: [disc, ring], at: [0, 0, 0], axis: z, friction: "
    "{torque: 1, static_ratio: 1.5}}\n"
    "forces: {spring: {type: rotational-spring-damper, between: [ground, ring], at: [0, 0, "
    "0], axis: z, stiffness: 2}}\n";

static void a_ring_on_a_disc_sticks_and_slips(void **unused)
{
    (void)unused;
    static rows r;
    built       b = must_build(ring);
    simulate(&b, 10.0, 5e-3, (const char *const[]){"spring.angle", "clutch.friction.sticks", NULL},
             &r, NULL);
    double A = hypot(0.25, 0.05), low = HUGE_VAL, high = 0.0, begun = NAN, cycle = NAN;
    for (int i = 1; i < r.count; i++) {
        if (r.t[i] > 2.0) low = fmin(low, r.value[i][0]);
        high = fmax(high, r.value[i][0]);
        if (r.value[i - 1][1] == 1.0 && r.value[i][1] == 0.0 && r.value[i][0] > 0.7) {
            cycle = r.t[i] - begun;
            begun = r.t[i];
        }
    }
    assert_close(high, 0.5 + A, 1e-3);
    assert_close(low, 0.5 - A, 1e-3);
    assert_close(cycle, 1.353638, 6e-3); /* rows each 5 ms */
    built_free(&b);
}

/* A step that breaks away begins with thousands of short steps, after which they grow: the torque of the spring then changes
 * by more within one step than within a hundred before. A run with few rows took that for a switch. */
static void growing_steps_are_no_chatter(void **unused)
{
    (void)unused;
    static rows r;
    char        text[1500];
    built       b;
    snprintf(text, sizeof text,
             "%srun: {end: 10, every: 10}\nintegrator: {type: gear, tolerance: 1e-11}\n", ring);
    b = must_build(text);
    simulate(&b, 10.0, 10.0, (const char *const[]){"spring.angle", NULL}, &r, NULL);
    built_free(&b);
}

/* Each break-away changes all that follows: errors are those that the tolerance promises, 100 tolerance^(2/3)
 * (docs/guide/integrators.md), only where each is met exactly. Gear's method with a far smaller tolerance gives the
 * reference. */
static void breaking_away_converges_with_the_tolerance(void **unused)
{
    (void)unused;
    static rows        exact, r;
    const char *const  names[]      = {"spring.angle", NULL};
    const double       tolerances[] = {1e-8, 1e-10};
    static const char *gear         = "integrator: {type: gear, tolerance: 1e-12}\n";
    char               text[1500];
    snprintf(text, sizeof text, "%s%s", ring, gear);
    built b = must_build(text);
    simulate(&b, 5.0, 1e-2, names, &exact, NULL);
    built_free(&b);
    for (int k = 0; k < 2; k++) {
        double worst = 0.0, promised = 100.0 * cbrt(tolerances[k] * tolerances[k]);
        snprintf(text, sizeof text, "%sintegrator: {type: generalized-alpha, tolerance: %g}\n",
                 ring, tolerances[k]);
        b = must_build(text);
        simulate(&b, 5.0, 1e-2, names, &r, NULL);
        built_free(&b);
        for (int i = 0; i < exact.count; i++)
            worst = fmax(worst, fabs(r.value[i][0] - exact.value[i][0]));
        print_message("tolerance %g: %.1e rad of %.1e\n", tolerances[k], worst, promised);
        assert_true(worst < promised);
    }
}

/* ---- friction that follows the reaction ---- */

enum { PENDULUM_STEPS = 20000 };

/* theta'' of a pendulum (1 kg, 0.5 m, J = 0.1 kg m2 about its centre) with mu = 0.2 on a pin of 60 mm,
 * and the reaction that belongs to it, by iteration. */
static double swing(double theta, double w)
{
    double m = 1.0, l = 0.5, J = 0.1 + m * l * l, g = 9.81, a = 0.0, N = m * g;
    for (int i = 0; i < 60; i++) {
        a              = (-m * g * l * sin(theta) - copysign(0.2 * 0.06 * N, w)) / J;
        double radial  = m * l * w * w + m * g * cos(theta);
        double tangent = m * l * a + m * g * sin(theta);
        N              = hypot(radial, tangent);
    }
    return a;
}

static double pendulum(double end)
{
    double theta = KL_PI / 2, w = -1e-12, h = end / PENDULUM_STEPS;
    for (int i = 0; i < PENDULUM_STEPS; i++) {
        double k1 = swing(theta, w), w2 = w + 0.5 * h * k1, k2 = swing(theta + 0.5 * h * w, w2);
        double w3 = w + 0.5 * h * k2, k3 = swing(theta + 0.5 * h * w2, w3);
        double w4 = w + h * k3, k4 = swing(theta + h * w3, w4);
        theta += h / 6.0 * (w + 2.0 * w2 + 2.0 * w3 + w4);
        w += h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
    }
    return theta;
}

static void friction_of_a_pin_follows_the_reaction(void **unused)
{
    (void)unused;
    static rows r;
    for (int k = 0; k < 3; k++) {
        char text[600];
        snprintf(text, sizeof text,
                 "klingel: 1\nintegrator: {type: %s, tolerance: 1e-7}\nbodies: {rod: {mass: 1, "
                 "inertia: [0.1, 0.1, "
                 "0.1], position: [0.5, 0, 0]}}\njoints: {pin: {type: revolute, between: [ground, "
                 "rod], at: [0, 0, 0], axis: y, friction: {mu: 0.2, radius: 60 mm, presliding: "
                 "1e-6}}}\n",
                 methods[k]);
        built b = must_build(text);
        simulate(&b, 0.7, 0.7, (const char *const[]){"pin.angle", NULL}, &r, NULL);
        /* about y the rod turns down with a positive angle */
        assert_close(KL_PI / 2 - last_of(&r, 0), pendulum(0.7), 2e-4);
        built_free(&b);
    }
}

/* Many reversals until it sticks: no event may hold the run there, whatever the friction. */
static void a_pendulum_reverses_and_comes_to_rest(void **unused)
{
    (void)unused;
    static rows   r;
    kl_statistics count;
    for (int k = 0; k < 6; k++) {
        char text[500];
        snprintf(
            text, sizeof text,
            "klingel: 1\nbodies: {rod: {mass: 1, inertia: [0.01, 0.01, 0.01], position: [0.5, 0, "
            "0]}}\njoints: {pin: {type: revolute, between: [ground, rod], at: [0, 0, 0], axis: "
            "y, friction: {mu: %g, radius: 50 mm}}}\n",
            0.3 + 0.17 * k);
        built b = must_build(text);
        simulate(&b, 8.0, 4.0, (const char *const[]){"pin.angle", "pin.friction.sticks", NULL}, &r,
                 &count);
        assert_true(count.steps < 40000);
        /* it rests where friction holds the weight: m g l sin <= mu r m g */
        if (k >= 3) assert_close(last_of(&r, 1), 1.0, 0.0);
        if (k >= 3)
            assert_true(fabs(sin(KL_PI / 2 - last_of(&r, 0))) <
                        1.01 * (0.3 + 0.17 * k) * 0.05 / 0.5);
        built_free(&b);
    }
}

/* ---- forces that switch ---- */

static const char *const sliding = "klingel: 1\ngravity: [0, 0, 0]\nintegrator: {type: %s}\n"
                                   "bodies: {box: {mass: 1, inertia: [1, 1, 1], velocity: [1, 0, "
                                   "0]}}\njoints: {guide: {type: translational, between: [ground, "
                                   "box], at: [0, 0, 0], axis: x}}\nforces: {%s}\nrun: {end: 2}\n";

/* x'' = -100 x - 5 sign(x'): it turns at x1 = 62 mm, where the spring pulls with 6.2 N, and stops at
 * 0.1 m - x1, where it pulls with 3.8 N. There it creeps by less than 0.1 mm/s. */
static void a_jump_of_a_damper_becomes_a_slope(void **unused)
{
    (void)unused;
    static rows   r;
    kl_statistics count;
    for (int k = 0; k < 3; k++) {
        char text[800];
        snprintf(text, sizeof text, sliding, methods[k],
                 "spring: {type: slide-spring-damper, of: guide, stiffness: 100, damper: "
                 "{expression: \"5 N*sign(x)\"}}");
        built b = must_build(text);
        assert_true(told(b.diag, "jumps from -5 to 5 at 0 m/s"));
        simulate(&b, 2.0, 0.5, (const char *const[]){"guide.displacement", NULL}, &r, &count);
        double first = -0.05 + sqrt(0.05 * 0.05 + 0.01);
        assert_close(last_of(&r, 0), 0.1 - first, 1.5e-4);
        assert_true(count.steps < 40000);
        built_free(&b);
    }
}

/* On the line x + v/2 = 0 a relay switches in each step. With samples it slides along the line, where
 * x falls as exp(-2 t). */
static void a_relay_is_refused_or_sampled(void **unused)
{
    (void)unused;
    static rows r;
    for (int k = 0; k < 3; k++) {
        char text[1000], relay[300];
        snprintf(
            relay, sizeof relay,
            "relay: {type: controller, inputs: {x: guide.displacement, v: guide.speed}, "
            "outputs: {F: guide.force}, lua: \"if x + 0.5*v > 0 then F = -5 else F = 5 end\"}");
        snprintf(text, sizeof text, sliding, methods[k], relay);
        built          b    = must_build(text);
        kl_simulation *s    = NULL;
        kl_sink        none = {.context = &r, .row = rows_take};
        r.n = r.count = 0;
        assert_int_equal(kl_simulation_create(b.model, b.diag, &s), KL_OK);
        assert_int_equal(kl_simulation_run(s, 2.0, 0.01, &none, b.diag), KL_E_STEP);
        assert_true(told(b.diag, "because of 'relay': its force switches between -5 and 5 N"));
        assert_true(told(b.diag, "every: 1 ms"));
        kl_simulation_destroy(s);
        built_free(&b);
    }
    char text[1000];
    snprintf(
        text, sizeof text, sliding, "generalized-alpha",
        "relay: {type: controller, every: 1 ms, inputs: {x: guide.displacement, v: "
        "guide.speed}, outputs: {F: guide.force}, lua: \"if x + 0.5*v > 0 then F = -5 else F = "
        "5 end\"}");
    built b = must_build(text);
    simulate(&b, 2.0, 0.5, (const char *const[]){"guide.displacement", "guide.speed", NULL}, &r,
             NULL);
    assert_close(log(r.value[2][0] / r.value[1][0]), -1.0, 0.02);
    assert_close(r.value[3][0] + 0.5 * r.value[3][1], 0.0, 5e-3);
    built_free(&b);
}

/* The step that ends short of the threshold may still have crossed it in attempts: Gear's method ends all its
 * steps on one side of x + v/5 = 0 and would crawl along it for ever. */
static void a_relay_that_gear_never_sees_switched_is_refused(void **unused)
{
    (void)unused;
    static rows r;
    built       b = must_build(
              "klingel: 1\ngravity: [0, 0, 0]\nintegrator: {type: gear}\n"
                    "bodies: {box: {mass: 2, inertia: [1, 1, 1], position: [0.5, 0, 0]}}\n"
                    "joints: {guide: {type: translational, between: [ground, box], at: [0.5, 0, 0], axis: x}}\n"
                    "forces: {relay: {type: controller, inputs: {x: box.position.x, v: box.velocity.x}, "
                    "outputs: "
                    "{F: box.force.x}, lua: \"if x + 0.2*v > 0 then F = -10 else F = 10 end\"}}\n"
                    "run: {end: 5, every: 0.1}\n");
    kl_simulation *s    = NULL;
    kl_sink        none = {.context = &r, .row = rows_take};
    r.n = r.count = 0;
    assert_int_equal(kl_simulation_create(b.model, b.diag, &s), KL_OK);
    assert_int_equal(kl_simulation_run(s, 0.6, 0.1, &none, b.diag), KL_E_STEP);
    assert_true(told(b.diag, "because of 'relay': its force switches between -10 and 10 N"));
    kl_simulation_destroy(s);
    built_free(&b);
}

/* A lift of 800 kg slides down its guide onto a stop, where it bounces and comes to rest. Bristles take as
 * exact a course as the lift needs, not one of nine digits of their own. */
static void bristles_do_not_hold_up_a_lift(void **unused)
{
    (void)unused;
    static rows r;
    double      end[2];
    for (int k = 0; k < 2; k++) {
        char          text[900];
        kl_statistics count;
        snprintf(
            text, sizeof text,
            "klingel: 1\nintegrator: {type: generalized-alpha, tolerance: %s}\n"
            "bodies: {car: {mass: 800, inertia: [500, 500, 300], position: [0, 0, 3], velocity: "
            "[0, 0, -1]}}\njoints: {guide: {type: translational, between: [ground, car], at: [0, "
            "0, 3], axis: z, friction: {law: lugre, force: 200 N, static_ratio: 1.2}}}\n"
            "forces: {rope: {type: force, on: car, axis: z, value: 7000 N}, stop: {type: "
            "bump-stop, "
            "of: guide, lower: -1.5, stiffness: 5e5, damping: 0.2}}\nrun: {end: 10, every: 1}\n",
            k == 0 ? "1e-9" : "1e-11");
        built b = must_build(text);
        simulate(&b, 10.0, 5.0, (const char *const[]){"car.position.z", NULL}, &r, &count);
        end[k] = last_of(&r, 0);
        if (k == 0) printf("lift with bristles: %ld steps\n", count.steps);
        if (k == 0) assert_true(count.steps < 30000);
        built_free(&b);
    }
    assert_close(end[0], end[1], 1e-6);
}

/* A crank moves a ram by a slotted lever, and the ram rubs in its guide. Behind each reversal, where the
 * friction has turned round within microseconds, the limit follows the reaction of the guide again. The default
 * method chooses its steps by the work it counts, so the methods are named. */
static void the_limit_follows_the_reaction_after_a_reversal(void **unused)
{
    (void)unused;
    static rows              r;
    static const char *const named[] = {"generalized-alpha", "gear", "runge-kutta"};
    static const char *const slotted =
        "klingel: 1\nbodies:\n"
        "  crank: {mass: 4.3, inertia: [0.3, 0.5, 0.3]}\n"
        "  lever: {mass: 3, inertia: [0.0625, 0.0625, 0.001], position: [0, 0, -0.05]}\n"
        "  rod: {mass: 1, inertia: [1e-4, 0.0133, 0.0133], position: [0.2, 0, 0.2]}\n"
        "  ram: {mass: 8, inertia: [0.02, 0.1, 0.1], position: [0.4, 0, 0.2]}\njoints:\n"
        "  O: {type: revolute, between: [ground, crank], at: [0, 0, 0], axis: y}\n"
        "  slot: {type: point-on-plane, between: [lever, crank], at: [0, 0, 0.1], axis: x}\n"
        "  P: {type: revolute, between: [ground, lever], at: [0, 0, -0.3], axis: y}\n"
        "  B: {type: universal, between: [lever, rod], at: [0, 0, 0.2], axis: [y, z]}\n"
        "  C: {type: spherical, between: [rod, ram], at: [0.4, 0, 0.2]}\n"
        "  guide: {type: translational, between: [ground, ram], at: [0.4, 0, 0.2], axis: x, "
        "friction: {mu: 0.15}}\nforces:\n"
        "  motor: {type: rotational-spring-damper, of: O, damper: {polynomial: [-60, 3]}}\n"
        "  return: {type: slide-spring-damper, of: guide, stiffness: 300}\nintegrator: {type: "
        "%s}\n";
    for (int k = 0; k < 3; k++) {
        char text[2000];
        snprintf(text, sizeof text, slotted, named[k]);
        built b = must_build(text);
        simulate(
            &b, 2.0, 0.002,
            (const char *const[]){"guide.friction.normal", "guide.force.y", "guide.force.z", NULL},
            &r, NULL);
        double worst = 0.0;
        for (int i = 1; i < r.count; i++) {
            double reaction = hypot(r.value[i][1], r.value[i][2]);
            worst           = fmax(worst, fabs(r.value[i][0] - reaction) / reaction);
        }
        print_message("%s: largest difference of the limit and the reaction: %.2f %%\n", named[k],
                      100.0 * worst);
        assert_true(worst < 0.03);
        built_free(&b);
    }
}

static void bad_friction_is_refused(void **unused)
{
    (void)unused;
    static const struct {
        const char *joint, *text;
    } bad[] = {
        {"type: revolute, friction: {mu: 0.1}", "needs the radius"},
        {"type: revolute, friction: {force: 3}", "give `torque` for a joint that turns"},
        {"type: revolute, friction: {radius: 1}", "give the coefficient of friction `mu`"},
        {"type: revolute, friction: 0.1", "give `friction: {mu: 0.1, radius: 10 mm}`"},
        {"type: translational, friction: {mu: 0.3, mu_static: 0.2}", "must not be smaller"},
        {"type: planar, friction: {mu: 0.3}", "friction belongs to"},
        {"type: translational, friction: {mju: 0.3}", "unknown key `mju`"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char  text[400];
        built b;
        snprintf(
            text, sizeof text,
            "klingel: 1\nbodies: {a: {mass: 1, inertia: [1, 1, 1]}}\njoints: {j: {%s, between: "
            "[ground, a], at: [0, 0, 0]}}\n",
            bad[i].joint);
        assert_int_not_equal(try_build(text, &b), KL_OK);
        if (!told(b.diag, bad[i].text)) {
            print_messages(b.diag);
            fail_msg("not told: %s", bad[i].text);
        }
        built_free(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_block_stops_and_sticks),
        cmocka_unit_test(a_block_on_an_incline_sticks_or_slides),
        cmocka_unit_test(the_curve_of_stribeck_decides_how_far_it_slides),
        cmocka_unit_test(a_ball_joint_slows_a_spin_about_any_axis),
        cmocka_unit_test(a_sleeve_stops_turning_and_sliding_together),
        cmocka_unit_test(each_bearing_of_a_universal_joint_sticks),
        cmocka_unit_test(a_ring_on_a_disc_sticks_and_slips),
        cmocka_unit_test(growing_steps_are_no_chatter),
        cmocka_unit_test(breaking_away_converges_with_the_tolerance),
        cmocka_unit_test(friction_of_a_pin_follows_the_reaction),
        cmocka_unit_test(a_pendulum_reverses_and_comes_to_rest),
        cmocka_unit_test(a_jump_of_a_damper_becomes_a_slope),
        cmocka_unit_test(a_relay_is_refused_or_sampled),
        cmocka_unit_test(a_relay_that_gear_never_sees_switched_is_refused),
        cmocka_unit_test(bristles_do_not_hold_up_a_lift),
        cmocka_unit_test(the_limit_follows_the_reaction_after_a_reversal),
        cmocka_unit_test(bad_friction_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
