#include <math.h>

#include "unit/solve/simulate.h"

static const int         each[]   = {KL_GENERALIZED_ALPHA, KL_RUNGE_KUTTA, KL_GEAR};
static const char *const called[] = {"generalized-alpha", "runge-kutta", "gear"};
enum { N = sizeof each / sizeof *each };

static rows r;

static kl_statistics run(const char *text, int k, double end, double every,
                         const char *const *names)
{
    kl_statistics count;
    built         b              = must_build(text);
    b.model->settings.integrator = each[k];
    simulate(&b, end, every, names, &r, &count);
    built_free(&b);
    return count;
}

static const double *last_row(void) { return r.value[r.count - 1]; }

/* ---- corners of functions of time ---- */

static void a_short_pulse_gives_its_whole_momentum(void **unused)
{
    (void)unused;
    static const struct {
        const char *value;
        double      momentum;
    } pulse[] = {
        {"{sum: [{step: {from: 0, to: 1000, start: 5, end: 5}}, "
         "{step: {from: 0, to: -1000, start: 5.001, end: 5.001}}]}",
         1.0},
        {"{linear_table: [[0, 0], [3.3, 0], [3.3005, 2000], [3.301, 0]]}", 1.0},
        {"{sum: [{step: {from: 0, to: 1000, start: 0.3, end: 0.3}}, "
         "{step: {from: 0, to: -1000, start: 0.301, end: 0.301}}]}",
         1.0},
        {"{sum: [{step: {from: 0, to: 1000, start: 7.7, end: 7.7005}}, "
         "{step: {from: 0, to: -1000, start: 7.701, end: 7.7015}}]}",
         1.0},
        {"{expression: \"if(t > 5 and t < 5.001, 1000, 0)\"}", 1.0},
        {"{expression: \"min(1000, max(0, 1e6*(t - 2))) - 1000*step(t - 2.0025)\"}", 2.0},
    };
    static const char *const names[] = {"cart.velocity.x", "energy.balance", NULL};
    for (size_t p = 0; p < sizeof pulse / sizeof *pulse; p++)
        for (int k = 0; k < N; k++) {
            char text[1024];
            snprintf(text, sizeof text,
                     "klingel: 1\ngravity: [0, 0, 0]\nbodies:\n"
                     "  cart: {mass: 1 kg, inertia: [1, 1, 1]}\nforces:\n"
                     "  push: {type: force, on: cart, at: [0, 0, 0], axis: x, value: %s}\n",
                     pulse[p].value);
            kl_statistics count = run(text, k, 10.0, 0.1, names);
            print_message("pulse %zu %s: %.3e, balance %.1e, %ld steps\n", p, called[k],
                          last_row()[0] - pulse[p].momentum, last_row()[1], count.steps);
            /* local errors of 1e-9 of a motion that changes within a millisecond */
            assert_true(fabs(last_row()[0] - pulse[p].momentum) < 1e-6);
            assert_int_equal(r.count, 101);
        }
}

/* A smooth force that wakes a model at rest, whatever the time between rows: no step may go over it. */
static void a_smooth_pulse_after_rest_is_seen(void **unused)
{
    (void)unused;
    static const char *const names[] = {"cart.velocity.x", NULL};
    static const double      every[] = {0.01, 0.5, 10.0};
    for (int k = 0; k < N; k++)
        for (int i = 0; i < 3; i++) {
            run("klingel: 1\ngravity: [0, 0, 0]\nrun: {end: 10}\nbodies:\n"
                "  cart: {mass: 1 kg, inertia: [1, 1, 1]}\nforces:\n"
                "  push: {type: force, on: cart, at: [0, 0, 0], axis: x,\n"
                "         value: {expression: \"1 N*exp(-((t - 6.3 s)/(0.02 s))^2)\"}}\n",
                k, 10.0, every[i], names);
            assert_close(last_row()[0], 0.02 * sqrt(KL_PI), 3e-6);
        }
}

/* A driver that follows straight lines: its speed jumps at the corners, and so does the body's. */
static void a_driver_with_a_kink_takes_the_body_along(void **unused)
{
    (void)unused;
    static const char *const names[] = {"cart.position.x", "cart.velocity.x", "energy.balance",
                                        NULL};
    for (int k = 0; k < N; k++) {
        run("klingel: 1\ngravity: [0, 0, 0]\nbodies:\n"
            "  cart: {mass: 2 kg, inertia: [1, 1, 1]}\njoints:\n"
            "  guide: {type: translational, between: [ground, cart], at: [0, 0, 0], axis: x}\n"
            "  drive: {type: driver, of: guide, coordinate: displacement,\n"
            "          value: {linear_table: [[0, 0], [0.35, 0], [0.65, 3], [2, 3]]}}\n",
            k, 1.0, 0.1, names);
        for (int i = 0; i < r.count; i++) {
            double t = r.t[i], x = t < 0.35 ? 0.0 : t < 0.65 ? 10.0 * (t - 0.35) : 3.0;
            assert_true(fabs(r.value[i][0] - x) < 1e-10);
            assert_true(fabs(r.value[i][1] - (t > 0.35 && t < 0.65 ? 10.0 : 0.0)) < 1e-8);
            assert_true(fabs(r.value[i][2]) < 1e-6); /* of 100 J that come and go */
        }
    }
}

/* ---- contact ---- */

static void a_mass_between_stops_keeps_its_energy(void **unused)
{
    (void)unused;
    static const char *const names[]  = {"energy.total", "cart.position.x", NULL};
    static const double      speeds[] = {0.1, 1.0, 10.0, 100.0};
    for (int s = 0; s < 4; s++)
        for (int k = 0; k < N; k++) {
            char text[1024];
            snprintf(text, sizeof text,
                     "klingel: 1\ngravity: [0, 0, 0]\nbodies:\n"
                     "  cart: {mass: 1 kg, inertia: [1, 1, 1], velocity: [%g, 0, 0]}\njoints:\n"
                     "  guide: {type: translational, between: [ground, cart], at: [0, 0, 0], "
                     "axis: x}\nforces:\n"
                     "  stop: {type: bump-stop, of: guide, lower: -0.5 m, upper: 0.5 m, "
                     "stiffness: 1e6, exponent: %g}\n",
                     speeds[s], s % 2 ? 1.5 : 1.0);
            kl_statistics count = run(text, k, 21.5 / speeds[s], 0.5 / speeds[s], names);
            double        e0 = 0.5 * speeds[s] * speeds[s], worst = 0.0, far = 0.0;
            for (int i = 0; i < r.count; i++) {
                worst = fmax(worst, fabs(r.value[i][0] / e0 - 1.0));
                far   = fmax(far, fabs(r.value[i][1]));
            }
            print_message("%g m/s %s: energy to %.1e, %ld steps, %ld given back\n", speeds[s],
                          called[k], worst, count.steps, count.rejected);
            assert_true(worst < 3e-4);
            assert_true(far < 0.5 + 2.0 * speeds[s] / 1e3 + 0.01);
        }
}

/* Ever smaller bounces, down to microns: no Zeno, and the books are kept. */
static void a_ball_on_a_damped_stop_bounces_itself_to_rest(void **unused)
{
    (void)unused;
    static const char *const names[] = {"ball.position.z", "energy.balance", NULL};
    for (int k = 0; k < N; k++) {
        kl_statistics count =
            run("klingel: 1\nbodies:\n  ball: {mass: 1 kg, inertia: [1, 1, 1], position: [0, 0, 1 "
                "m]}\njoints:\n"
                "  guide: {type: translational, between: [ground, ball], at: [0, 0, 0], axis: z}\n"
                "forces:\n  floor: {type: bump-stop, of: guide, lower: -1 m, stiffness: 1e6, "
                "damping: 0.3 s/m}\n",
                k, 6.0, 0.05, names);
        print_message("%s: rests at %.9f, balance off by %.1e, %ld steps\n", called[k],
                      last_row()[0], last_row()[1] - r.value[0][1], count.steps);
        assert_true(fabs(last_row()[0]) < 1e-4);
        assert_true(fabs(last_row()[1] - r.value[0][1]) < 3e-4 * 19.6);
    }
}

/* Straight lines between points: a corner each 10 mm, and the end of the table. */
static void a_spring_with_corners_keeps_its_energy(void **unused)
{
    (void)unused;
    static const char *const names[] = {"energy.total", NULL};
    for (int k = 0; k < N; k++) {
        kl_statistics count = run(
            "klingel: 1\ngravity: [0, 0, 0]\nbodies:\n"
            "  cart: {mass: 1 kg, inertia: [1, 1, 1], velocity: [3, 0, 0]}\njoints:\n"
            "  guide: {type: translational, between: [ground, cart], at: [0, 0, 0], axis: x}\n"
            "forces:\n  spring: {type: slide-spring-damper, of: guide, spring: "
            "{linear_table: [[-0.1, -100], [-0.01, 0], [0.01, 0], [0.02, 1000], [0.1, 1500]]}}\n",
            k, 3.0, 0.1, names);
        double worst = 0.0;
        for (int i = 0; i < r.count; i++) worst = fmax(worst, fabs(r.value[i][0] / 4.5 - 1.0));
        print_message("%s: energy to %.1e, %ld steps\n", called[k], worst, count.steps);
        assert_true(worst < 1e-4);
    }
}

/* ---- the end of a run ---- */

static void a_run_ends_where_its_condition_becomes_true(void **unused)
{
    (void)unused;
    static const char *const names[] = {"ball.position.z", NULL};
    for (int k = 0; k < N; k++) {
        run("klingel: 1\nparameters: {floor: 0.5 m}\nrun: {stop_when: \"ball.position.z < "
            "floor\"}\n"
            "bodies:\n  ball: {mass: 1 kg, inertia: [1, 1, 1], position: [0, 0, 1 m]}\n",
            k, 2.0, 0.1, names);
        double t = sqrt(2.0 * 0.5 / 9.81);
        print_message("%s: ended %.1e s late\n", called[k], r.t[r.count - 1] - t);
        assert_true(fabs(r.t[r.count - 1] - t) < 1e-8);
        assert_true(fabs(last_row()[0] - 0.5) < 1e-7);
    }
}

static void a_condition_with_a_mistake_is_told_at_its_place(void **unused)
{
    (void)unused;
    kl_simulation *s = NULL;
    built          b = must_build("klingel: 1\nrun: {stop_when: \"ball.position.q > 1 m\"}\n"
                                           "bodies:\n  ball: {mass: 1 kg, inertia: [1, 1, 1]}\n");
    assert_int_equal(kl_simulation_create(b.model, b.diag, &s), KL_E_NAME);
    assert_non_null(strstr(kl_diag_at(b.diag, 0)->text, "ball.position.q"));
    built_free(&b);
}

/* ---- first-order states ---- */

/* Largest deviation of the energy balance of a cart of 5000 J that pulls at a Maxwell element [J]. */
static double maxwell_balance(double damping, int k, const char *tolerance, long *steps)
{
    static const char *const names[] = {"energy.balance", NULL};
    char                     text[1024];
    snprintf(
        text, sizeof text,
        "klingel: 1\ngravity: [0, 0, 0]\nbodies:\n"
        "  cart: {mass: 100 kg, inertia: [1, 1, 1], position: [1, 0, 0], velocity: [10, 0, 0]}\n"
        "forces:\n  link: {type: series-spring-damper, between: [ground, cart], at: [[0, 0, 0], "
        "[1, 0, 0]], stiffness: 100 MN/m, damping: %g N s/m}\nintegrator: {tolerance: %s}\n",
        damping, tolerance);
    kl_statistics count = run(text, k, 0.5, 0.01, names);
    double        worst = 0.0;
    for (int i = 0; i < r.count; i++) worst = fmax(worst, fabs(r.value[i][0] - 5000.0));
    *steps = count.steps;
    return worst;
}

/* 5e-6 of the energy with a tolerance of 1e-10; with ten times that the error is no more than ten times
 * as large. */
static void a_stiff_maxwell_element_keeps_the_balance(void **unused)
{
    (void)unused;
    static const double damping[] = {1e2, 1e4, 1e6};
    for (int c = 0; c < 3; c++)
        for (int k = 0; k < N; k++) {
            if (each[k] == KL_RUNGE_KUTTA && damping[c] < 1e4) continue; /* stiff: not for it */
            long   steps[2];
            double coarse = maxwell_balance(damping[c], k, "1e-9", &steps[0]),
                   fine   = maxwell_balance(damping[c], k, "1e-10", &steps[1]);
            print_message("c = %g %s: balance to %.1e and %.1e J of 5000, %ld and %ld steps\n",
                          damping[c], called[k], coarse, fine, steps[0], steps[1]);
            assert_true(fine < 0.025 && coarse < 0.25);
        }
}

/* ---- turns ---- */

/* A motor shaft at 6000 revolutions a minute, a screw, a rack and a gear on it; rows each ten
 * revolutions. */
static void turns_are_counted_at_six_thousand_a_minute(void **unused)
{
    (void)unused;
    static const char *const text =
        "klingel: 1\ngravity: [0, 0, 0]\nparameters: {w: 200*pi*1 rad/s}\nbodies:\n"
        "  shaft: {mass: 1 kg, inertia: [0.1, 0.1, 0.1], omega: [0, 0, w]}\n"
        "  wheel: {mass: 1 kg, inertia: [0.1, 0.1, 0.1], position: [1, 0, 0], omega: [0, 0, "
        "-2*w]}\n"
        "  rack:  {mass: 1 kg, inertia: [0.1, 0.1, 0.1], position: [2, 0, 0], velocity: [0.05 "
        "m/rad*w, 0, 0]}\n"
        "  nut:   {mass: 1 kg, inertia: [0.1, 0.1, 0.1], position: [0, 0, 1], velocity: [0, 0, "
        "-w*5 mm/(2*pi*1 rad)]}\n"
        "joints:\n"
        "  bearing: {type: revolute, between: [ground, shaft], at: [0, 0, 0], axis: z}\n"
        "  other: {type: revolute, between: [ground, wheel], at: [1, 0, 0], axis: z}\n"
        "  gear: {type: coupler, joints: [bearing, other], ratio: -2}\n"
        "  rail: {type: translational, between: [ground, rack], at: [2, 0, 0], axis: x}\n"
        "  pinion: {type: coupler, joints: [bearing, rail], first: angle, second: displacement, "
        "ratio: 50 mm/rad}\n"
        "  slot: {type: translational, between: [ground, nut], at: [0, 0, 1], axis: z}\n"
        "  thread: {type: screw, between: [shaft, nut], at: [0, 0, 0], axis: z, pitch: 5 mm}\n"
        "%s"
        "forces:\n"
        "  stop: {type: bump-stop, of: bearing, coordinate: angle, upper: 1e6 rad, stiffness: 1}\n";
    static const char *const names[] = {"bearing.angle",  "other.angle", "rack.position.x",
                                        "nut.position.z", "stop.value",  NULL};
    const double             w = 200.0 * acos(-1.0), turn = 0.005 / (2.0 * acos(-1.0));
    for (int driven = 0; driven < 2; driven++)
        for (int k = 0; k < N; k++) {
            char model[4096];
            snprintf(model, sizeof model, text,
                     driven ? "  motor: {type: driver, of: bearing, coordinate: angle, value: "
                              "{polynomial: [0, w]}}\n"
                            : "");
            kl_statistics count = run(model, k, 0.5, 0.1, names);
            double        angle = w * 0.5, way = fabs(last_row()[3] - 1.0);
            print_message("%s: off by %.1e, %.1e rad, %.1e, %.1e m; %ld steps\n", called[k],
                          last_row()[0] - angle, last_row()[1] + 2.0 * angle,
                          last_row()[2] - 2.0 - 0.05 * angle, way - turn * angle, count.steps);
            assert_true(fabs(last_row()[0] - angle) < 1e-5);
            assert_true(fabs(last_row()[1] + 2.0 * angle) < 2e-5);
            assert_true(fabs(last_row()[2] - 2.0 - 0.05 * angle) < 1e-6);
            assert_true(fabs(way - turn * angle) < 1e-6);
            assert_true(fabs(last_row()[4] - angle) < 1e-5);
        }
}

/* A step fifty times the period of the stop: the run goes on, finds the stop, and says what it is
 * worth. */
static void a_stop_too_stiff_for_equal_steps_is_met_and_told(void **unused)
{
    (void)unused;
    const int with[] = {KL_GENERALIZED_ALPHA, KL_NEWMARK, KL_HHT, KL_RUNGE_KUTTA};
    int       off    = 0;
    for (int k = 0; k < 12; k++) {
        char text[600];
        snprintf(
            text, sizeof text,
            "klingel: 1\ngravity: [0, 0, -9.81]\nbodies:\n"
            "  ball: {mass: 1 kg, inertia: [1, 1, 1], position: [0, 0, 0.5 m]}\njoints:\n"
            "  guide: {type: translational, between: [ground, ball], at: [0, 0, 0], axis: z}\n"
            "forces:\n  floor: {type: bump-stop, of: guide, lower: -0.5 m, stiffness: %s N/m}\n"
            "outputs: {z: {of: ball, quantity: position.z}}\n",
            k % 8 < 4 ? "1e7" : "1e9");
        static const char *const names[] = {"z", "energy.balance", NULL};
        built                    b       = must_build(text);
        kl_statistics            count;
        b.model->settings.integrator = with[k % 4];
        b.model->settings.step       = 0.01;
        if (k >= 8) b.model->settings.spectral_radius = 0.0; /* loses energy in a stiff stop */
        simulate(&b, 1.0, 0.01, names, &r, &count);
        assert_int_equal(r.count, 101);
        for (int i = 0; i < r.count; i++) assert_true(r.value[i][0] > -0.1);
        bool told = false, lost = fabs(last_row()[1] - r.value[0][1]) > 0.5; /* of 4.9 J */
        for (int i = 0; i < kl_diag_size(b.diag); i++)
            told |= strstr(kl_diag_at(b.diag, i)->text, "too long for the fastest motion") != NULL;
        assert_true(told == lost);
        off += lost;
        built_free(&b);
    }
    assert_true(off > 0);
}

static void a_driver_whose_value_jumps_is_refused_with_the_time(void **unused)
{
    (void)unused;
    static const struct {
        const char *value, *says;
    } driven[] = {{"expression: \"floor(t*4)*0.1 m\"", "jumps by 0.1 at t = 0.25 s"},
                  {"lua: \"t < 0.5 and 0 or 0.1\"", "jumps by 0.1 at t = 0.5 s"},
                  {"lua: \"t < 0.5003 and 0 or 0.1\"", "jumps by 0.1 at t = 0.5003 s"},
                  {"lua: \"0.1*math.sin(40*t)\"", NULL},
                  {"lua: \"0.1/(1 + math.exp(-2000*(t - 0.5)))\"", NULL}, /* steep, but smooth */
                  {"expression: \"sin(40*t)*0.1 m\"", NULL},
                  {"expression: \"abs(t - 0.3)*1 m\"", NULL}};
    for (size_t k = 0; k < sizeof driven / sizeof *driven; k++) {
        char text[600];
        snprintf(text, sizeof text,
                 "klingel: 1\nbodies: {b: {mass: 1, inertia: [1, 1, 1]}}\njoints:\n"
                 "  g: {type: translational, between: [ground, b], at: [0, 0, 0], axis: x}\n"
                 "  d: {type: driver, of: g, coordinate: displacement, value: {%s}}\n"
                 "run: {end: 1}\n",
                 driven[k].value);
        built b;
        assert_true((try_build(text, &b) != KL_OK) == (driven[k].says != NULL));
        if (driven[k].says) assert_non_null(strstr(kl_diag_at(b.diag, 0)->text, driven[k].says));
        built_free(&b);
    }
}

/* Where a smooth expression turns round nothing begins: it takes the steps of the same harmonic. */
static void a_smooth_expression_is_no_event(void **unused)
{
    (void)unused;
    static const char *const course[][2] = {
        {"expression: \"10 N*sin(40*t)\"", "harmonic: {amplitude: 10 N, omega: 40 rad/s}"},
        {"expression: \"10 N*sin(4*t)\"", "harmonic: {amplitude: 10 N, omega: 4 rad/s}"},
        {"expression: \"10 N*sin(0.2*t)\"", "harmonic: {amplitude: 10 N, omega: 0.2 rad/s}"}};
    static const char *const names[] = {"b.position.x", NULL};
    for (int k = 0; k < N; k++)
        for (size_t c = 0; c < sizeof course / sizeof *course; c++) {
            kl_statistics count[2];
            double        x[2];
            for (int i = 0; i < 2; i++) {
                char text[600];
                snprintf(
                    text, sizeof text,
                    "klingel: 1\ngravity: 0\nbodies: {b: {mass: 1, inertia: [1, 1, 1]}}\njoints:\n"
                    "  g: {type: translational, between: [ground, b], at: [0, 0, 0], axis: x}\n"
                    "forces:\n  s: {type: slide-spring-damper, of: g, stiffness: 100, damping: 1}\n"
                    "  f: {type: force, on: b, axis: x, value: {%s}}\n"
                    "integrator: {tolerance: 1e-6}\nrun: {end: 10}\n",
                    course[c][i]);
                count[i] = run(text, k, 10.0, 1.0, names);
                x[i]     = last_row()[0];
            }
            print_message("%s %s: %ld steps, harmonic %ld\n", called[k], course[c][0],
                          count[0].steps, count[1].steps);
            assert_int_equal(count[0].steps, count[1].steps);
            assert_true(fabs(x[0] - x[1]) < 1e-9);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_smooth_pulse_after_rest_is_seen),
        cmocka_unit_test(a_smooth_expression_is_no_event),
        cmocka_unit_test(a_short_pulse_gives_its_whole_momentum),
        cmocka_unit_test(a_driver_with_a_kink_takes_the_body_along),
        cmocka_unit_test(a_mass_between_stops_keeps_its_energy),
        cmocka_unit_test(a_ball_on_a_damped_stop_bounces_itself_to_rest),
        cmocka_unit_test(a_spring_with_corners_keeps_its_energy),
        cmocka_unit_test(a_run_ends_where_its_condition_becomes_true),
        cmocka_unit_test(a_condition_with_a_mistake_is_told_at_its_place),
        cmocka_unit_test(a_stiff_maxwell_element_keeps_the_balance),
        cmocka_unit_test(turns_are_counted_at_six_thousand_a_minute),
        cmocka_unit_test(a_stop_too_stiff_for_equal_steps_is_met_and_told),
        cmocka_unit_test(a_driver_whose_value_jumps_is_refused_with_the_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
