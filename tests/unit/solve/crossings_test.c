/* Crossings: places where the equations of an element change, found by value, rate or bisection. */
#include <math.h>

#include "forces/forces.h"
#include "unit/solve/simulate.h"

static const int         each[]   = {KL_GENERALIZED_ALPHA, KL_RUNGE_KUTTA, KL_GEAR};
static const char *const called[] = {"generalized-alpha", "runge-kutta", "gear"};
enum { N = sizeof each / sizeof *each };

static rows r;

static const double *last_row(void) { return r.value[r.count - 1]; }

/* A linear stop at x = 0.5 m, k = 1e4 N/m, m = 1 kg, 1 m/s: out again after pi/100 s. */
static const char *const cart_and_stop =
    "klingel: 1\ngravity: 0\nbodies:\n"
    "  cart: {mass: 1 kg, inertia: [1, 1, 1], velocity: [1, 0, 0]}\njoints:\n"
    "  guide: {type: translational, between: [ground, cart], at: [0, 0, 0], axis: x}\n"
    "forces:\n  stop: {type: bump-stop, of: guide, upper: 0.5 m, stiffness: 1e4}\n";

static const char *const cart_names[] = {"cart.position.x", NULL};

static double after_the_stop(double t) { return 0.5 - (t - 0.5 - acos(-1.0) / 100.0); }

static kl_statistics run_with(const kl_element_type *stop, int k)
{
    kl_statistics count;
    built         b                                               = must_build(cart_and_stop);
    b.model->settings.integrator                                  = each[k];
    b.model->element[kl_model_find_element(b.model, "stop")].type = stop;
    simulate(&b, 1.0, 0.5, cart_names, &r, &count);
    built_free(&b);
    return count;
}

static void rates_unknown(const kl_reading *in, kl_crossing *out)
{
    kl_bump_stop.crossings(in, out);
    out[0].rate = out[1].rate = NAN;
}

/* Nothing is known but on which side it is: the value jumps. */
static void sides_only(const kl_reading *in, kl_crossing *out)
{
    rates_unknown(in, out);
    out[0].value = out[0].value > 0.0 ? 1.0 : -1.0;
}

static void a_crossing_of_unknown_rate_is_bisected(void **unused)
{
    (void)unused;
    for (int k = 0; k < N; k++) {
        kl_element_type stop = kl_bump_stop;
        kl_statistics   with = run_with(&stop, k), without;
        stop.crossings       = rates_unknown;
        without              = run_with(&stop, k);
        print_message(
            "%s: %.1e m off; %ld steps, %ld rejected, least %.1e s; with rates %ld steps\n",
            called[k], last_row()[0] - after_the_stop(1.0), without.steps, without.rejected,
            without.least_step, with.steps);
        assert_true(fabs(last_row()[0] - after_the_stop(1.0)) < 2e-5);
        assert_true(without.least_step > 1e-9);
        assert_true(without.steps < 2 * with.steps + 60);
    }
}

static void a_value_that_jumps_is_bisected_down_to_a_time(void **unused)
{
    (void)unused;
    for (int k = 0; k < N; k++) {
        kl_element_type stop = kl_bump_stop;
        stop.crossings       = sides_only;
        kl_statistics count  = run_with(&stop, k);
        print_message("%s: %.1e m off, %ld steps, %ld rejected\n", called[k],
                      last_row()[0] - after_the_stop(1.0), count.steps, count.rejected);
        assert_true(fabs(last_row()[0] - after_the_stop(1.0)) < 2e-5);
        assert_true(count.steps + count.rejected < 500);
    }
}

static void nothing_to_cross(const kl_reading *in, kl_crossing *out)
{
    (void)in;
    out[0] = out[1] = (kl_crossing){0};
}

static double nearest; /* to the stop that a step ended */

static void closely(const kl_reading *in, kl_crossing *out)
{
    kl_bump_stop.crossings(in, out);
    out[0].tolerance = 1e-9;
}

static void note_place(const kl_reading *in, double *h_new)
{
    kl_bump_stop.commit(in, h_new);
    nearest = fmin(nearest, fabs(h_new[0] - 0.5));
}

static void a_crossing_is_met_within_its_own_tolerance(void **unused)
{
    (void)unused;
    for (int k = 0; k < N; k++) {
        kl_element_type stop = kl_bump_stop;
        stop.commit          = note_place;
        nearest              = 1.0;
        run_with(&stop, k);
        double by_default = nearest;
        stop.crossings    = closely;
        nearest           = 1.0;
        run_with(&stop, k);
        print_message("%s: met at %.1e m; by itself at %.1e m\n", called[k], nearest, by_default);
        assert_true(nearest < 1.01e-9 && by_default > 1.01e-9 && by_default < 1.01e-8);
    }
}

/* A latch that holds a cart against 10 N until t = 0.3 s: then x = 5 (t - 0.3)^2. The time is met in
 * seconds, whatever the size of the model and the penetration allowed are. */
static void a_latch_opens_at_its_time_to_the_second(void **unused)
{
    (void)unused;
    for (int k = 0; k < N; k++) {
        kl_statistics count;
        built         b = must_build(
                    "klingel: 1\ngravity: 0\nintegrator: {penetration: 50 mm}\nbodies:\n"
                            "  cart: {mass: 1 kg, inertia: [1, 1, 1]}\njoints:\n"
                            "  guide: {type: translational, between: [ground, cart], at: [0, 0, 0], axis: x}\n"
                            "forces:\n"
                            "  lock: {type: latch, of: guide, closed: true, until: 0.3 s, stiffness: 1e9, "
                            "damping: 1e5}\n"
                            "  push: {type: force, on: cart, at: [0, 0, 0], axis: x, value: 10}\n");
        b.model->settings.integrator = each[k];
        simulate(&b, 1.0, 0.5, cart_names, &r, &count);
        built_free(&b);
        print_message("%s: %.1e m off, %ld steps, %ld rejected\n", called[k],
                      last_row()[0] - 5.0 * 0.49, count.steps, count.rejected);
        /* x' = 7 m/s at the end: 1e-6 m are 1e-7 s */
        assert_true(fabs(last_row()[0] - 5.0 * 0.49) < 1e-6);
    }
}

/* A ball thrown up touches a ceiling 0.1 mm below the top of its flight: contact begins and ends
 * within a step of free flight, which gravity alone would make as long as the flight. */
static void a_contact_made_and_lost_within_a_step_is_seen(void **unused)
{
    (void)unused;
    static const char *const names[] = {"ball.position.z", "ball.velocity.z", "energy.total", NULL};
    for (int k = 0; k < N; k++) {
        kl_statistics count;
        built         b = must_build(
                    "klingel: 1\ngravity: [0, 0, -9.81]\nbodies:\n"
                            "  ball: {mass: 1 kg, inertia: [1, 1, 1], velocity: [0, 0, 3.132091953 m/s]}\njoints:\n"
                            "  guide: {type: translational, between: [ground, ball], at: [0, 0, 0], axis: z}\n"
                            "forces:\n  ceiling: {type: bump-stop, of: guide, upper: 499.9 mm, stiffness: 1e7}\n"
                            "integrator: {tolerance: 1e-8, length: 1 m}\n");
        b.model->settings.integrator = each[k];
        simulate(&b, 0.6, 0.6, names, &r, &count);
        built_free(&b);
        /* it meets the ceiling at v = sqrt(2 g 0.1 mm) = 44 mm/s, touches it for half a period of
         * k/m less what gravity takes, and is then ahead of the free flight by 2 v/g = 9 ms */
        double w = sqrt(1e7), v = sqrt(2.0 * 9.81 * 1e-4);
        double touches = (acos(-1.0) - 2.0 * atan(9.81 / (w * v))) / w;
        double t       = 0.6 + 2.0 * v / 9.81 - touches;
        double z       = 3.132091953 * t - 0.5 * 9.81 * t * t;
        print_message("%s: %.1e m off, %ld steps, %ld rejected\n", called[k], last_row()[0] - z,
                      count.steps, count.rejected);
        assert_true(fabs(last_row()[0] - z) < 2e-4); /* 24 mm without the ceiling */
        assert_true(fabs(last_row()[2] - r.value[0][2]) < 1e-3 * r.value[0][2]);
    }
}

/* ---- what an event costs ---- */

static kl_integrator_kind bounce_method = KL_GENERALIZED_ALPHA;

/* Balls that fall from different heights onto linear or nonlinear stops. */
static kl_statistics bounce(int n, double exponent, bool watched)
{
    static const char *const names[] = {"ball1.position.z", "energy.total", NULL};
    static const char *const text =
        "klingel: 1\nparameters: {n: %d}\nbodies:\n"
        "  \"ball{i}\": {for: {i: 1..n}, mass: 1 kg, inertia: [0.01, 0.01, 0.01], position: [0, "
        "i*0.1 m, 0.1 m + 0.02 m*i]}\njoints:\n"
        "  \"guide{i}\": {for: {i: 1..n}, type: translational, between: [ground, \"ball{i}\"], "
        "at: [0, i*0.1 m, 0.1 m + 0.02 m*i], axis: z}\nforces:\n"
        "  \"stop{i}\": {for: {i: 1..n}, type: bump-stop, of: \"guide{i}\", lower: -0.1 m - 0.02 "
        "m*i, stiffness: %g, exponent: %g}\n"
        "integrator: {tolerance: 1e-6, length: 1 m}\n";
    kl_element_type blind = kl_bump_stop;
    kl_statistics   count;
    char            model[1024];
    blind.crossings = nothing_to_cross;
    snprintf(model, sizeof model, text, n, exponent > 1.0 ? 1e5 : 1e4, exponent);
    built b = must_build(model);
    for (int i = 0; i < b.model->nelement && !watched; i++)
        if (b.model->element[i].type == &kl_bump_stop) b.model->element[i].type = &blind;
    b.model->settings.integrator = bounce_method;
    simulate(&b, 1.0, 0.01, names, &r, &count);
    built_free(&b);
    return count;
}

static void bounces_cost_less_than_when_they_are_not_watched(void **unused)
{
    (void)unused;
    for (int n = 1; n <= 16; n *= 4)
        for (int k = 0; k < 2; k++) {
            kl_statistics with = bounce(n, k ? 1.5 : 1.0, true), without;
            double        off  = last_row()[1] - r.value[0][1];
            without            = bounce(n, k ? 1.5 : 1.0, false);
            print_message("%2d balls: %ld steps, %ld rejected, %ld matrices, energy off by %.1e J; "
                          "unwatched %ld, %ld, %ld, %.1e J\n",
                          n, with.steps, with.rejected, with.factorizations, off, without.steps,
                          without.rejected, without.factorizations, last_row()[1] - r.value[0][1]);
            /* when every crossing restarted the integrator: 282 and 299 matrices with 16 balls */
            assert_true(with.factorizations < 60);
            assert_true(fabs(off) < 1e-4 * r.value[0][1] * (k ? 25.0 : 1.0));
        }
}

/* Gates that a cart on a spring passes: marks at which nothing changes. */
enum { GATES = 2 };
static int kind;

static void gates(const kl_reading *in, kl_crossing *out)
{
    kl_bump_stop.crossings(in, out);
    for (int k = 0; k < GATES; k++) {
        out[k].value += k ? 10.0 : -10.0; /* at x = 0.1 m and -0.1 m */
        out[k].kind = (kl_crossing_kind)kind;
    }
}

static int passed;

static void count_gates(const kl_reading *in, double *h_new)
{
    kl_bump_stop.commit(in, h_new);
    for (int k = 0; k < GATES; k++) {
        double gate = k ? -0.1 : 0.1;
        passed += (in->h[0] < gate) != (h_new[0] < gate);
    }
}

static kl_statistics pass_gates(const kl_element_type *stop, kl_integrator_kind method)
{
    static const char *const names[] = {"cart.position.x", NULL};
    kl_statistics            count;
    built                    b = must_build("klingel: 1\ngravity: 0\nbodies:\n"
                                                               "  cart: {mass: 1 kg, inertia: [1, 1, 1], velocity: [2, 0, 0]}\njoints:\n"
                                                               "  guide: {type: translational, between: [ground, cart], at: [0, 0, 0], "
                                                               "axis: x}\nforces:\n"
                                                               "  spring: {type: slide-spring-damper, of: guide, stiffness: 100}\n"
                                                               "  stop: {type: bump-stop, of: guide, lower: -10.1 m, upper: 10.1 m, "
                                                               "stiffness: 1e4}\nintegrator: {tolerance: 1e-6, length: 1 m}\n");
    b.model->element[kl_model_find_element(b.model, "stop")].type = stop;
    b.model->settings.integrator                                  = method;
    simulate(&b, 10.0, 1.0, names, &r, &count);
    built_free(&b);
    return count;
}

static void a_switch_costs_two_steps_and_no_factorisation(void **unused)
{
    (void)unused;
    kl_element_type stop    = kl_bump_stop;
    kl_statistics   without = pass_gates(&stop, KL_GENERALIZED_ALPHA);
    double          end     = last_row()[0];
    stop.crossings          = gates;
    stop.commit             = count_gates;
    for (kind = KL_CROSSING_SWITCH; kind <= KL_CROSSING_KINK; kind++) {
        passed             = 0;
        kl_statistics with = pass_gates(&stop, KL_GENERALIZED_ALPHA);
        print_message("%d gates: %ld steps, %ld rejected, %ld matrices; without %ld, %ld, %ld\n",
                      passed, with.steps, with.rejected, with.factorizations, without.steps,
                      without.rejected, without.factorizations);
        assert_true(passed > 50);
        assert_true(with.steps + with.rejected <= without.steps + without.rejected + 2 * passed);
        assert_true(with.factorizations <= without.factorizations + 2);
        assert_true(fabs(last_row()[0] - end) < 1e-2);
    }
}

/* Runge-Kutta goes on across kinks with the length of its steps; Gear goes on across switches, but its
 * polynomial over earlier points cannot bend, so that its order begins again at kinks. */
static void other_methods_restart_only_where_they_must(void **unused)
{
    (void)unused;
    static const struct {
        kl_integrator_kind method;
        kl_crossing_kind   last;
    } run[] = {{KL_RUNGE_KUTTA, KL_CROSSING_KINK}, {KL_GEAR, KL_CROSSING_SWITCH}};
    for (size_t k = 0; k < sizeof run / sizeof *run; k++) {
        kl_element_type stop    = kl_bump_stop;
        kl_statistics   without = pass_gates(&stop, run[k].method);
        double          end     = last_row()[0];
        stop.crossings          = gates;
        stop.commit             = count_gates;
        for (kind = KL_CROSSING_SWITCH; kind <= (int)run[k].last; kind++) {
            passed             = 0;
            kl_statistics with = pass_gates(&stop, run[k].method);
            print_message("%d gates: %ld steps, %ld rejected; without %ld, %ld; %.1e m\n", passed,
                          with.steps, with.rejected, without.steps, without.rejected,
                          last_row()[0] - end);
            assert_true(passed > 50);
            assert_true(with.steps + with.rejected <=
                        without.steps + without.rejected + 2 * passed);
            assert_true(fabs(last_row()[0] - end) < 1e-4);
        }
    }
}

/* A kink that the method restarts at costs 73 steps instead of 45. */
static void runge_kutta_bounces_without_restarts(void **unused)
{
    (void)unused;
    for (int n = 1; n <= 16; n *= 4) {
        bounce_method      = KL_RUNGE_KUTTA;
        kl_statistics with = bounce(n, 1.0, true);
        bounce_method      = KL_GENERALIZED_ALPHA;
        double off         = last_row()[1] - r.value[0][1];
        print_message("%2d balls: %ld steps, %ld rejected, energy off by %.1e J\n", n, with.steps,
                      with.rejected, off);
        /* rows within a step that ends at a kink are as good as others; those in the step after it come
         * from a cubic, as after a start */
        for (int i = 0; i < r.count; i++)
            assert_true(fabs(r.value[i][1] - r.value[0][1]) < 1e-3 * r.value[0][1]);
        assert_true(with.steps < 30 + 20 * n);
        assert_true(fabs(off) < 2e-5 * r.value[0][1]);
    }
}

/* A mass of 30 t on a spring and a rubber stop, 10 MN/m3, as a table of straight pieces 5 mm long; beside it a
 * faster mass, which determines the step size, as wheels do under a coach. */
static const char *soft_kinks(void)
{
    static char text[4096];
    int         n =
        snprintf(text, sizeof text,
                 "klingel: 1\ngravity: 0\nbodies:\n"
                 "  car: {mass: 30 t, inertia: [1, 1, 1], velocity: [0.2, 0, 0]}\n  fast: {mass: 1 "
                 "kg, inertia: [1, 1, 1], velocity: [0, 2, 0]}\njoints:\n"
                 "  guide: {type: translational, between: [ground, car], at: [0, 0, 0], axis: x}\n"
                 "  across: {type: translational, between: [ground, fast], at: [0, 0, 0], axis: "
                 "y}\nforces:\n  k: {type: slide-spring-damper, of: across, stiffness: 4000}\n  "
                 "stop: {type: slide-spring-damper, of: guide, stiffness: 300 kN/m, spring: "
                 "{linear_table: [");
    for (int i = -20; i <= 20; i++)
        n += snprintf(text + n, sizeof text - (size_t)n, "%s[%g, %g]", i > -20 ? ", " : "",
                      0.005 * i, 1e7 * pow(0.005 * i, 3));
    snprintf(text + n, sizeof text - (size_t)n, "]}}\n");
    return text;
}

/* The stop of the cart as a table. */
static const char *const hard_kink =
    "klingel: 1\ngravity: 0\nbodies:\n"
    "  car: {mass: 1 kg, inertia: [1, 1, 1], velocity: [1, 0, 0]}\njoints:\n"
    "  guide: {type: translational, between: [ground, car], at: [0, 0, 0], axis: x}\nforces:\n"
    "  stop: {type: slide-spring-damper, of: guide, spring: {linear_table: [[-1, 0], [0.5, 0], [1, "
    "5000]]}}\n";

static int corners; /* of the table */

/* Every kink ends a step. */
static void ending_steps(const kl_reading *in, kl_crossing *out)
{
    kl_slide_spring_damper.crossings(in, out);
    for (int i = 0; i < corners; i++) out[i].mild = false;
}

static double place_after(const char *model, double t, bool ends, double tolerance, int k,
                          kl_statistics *count)
{
    static const char *const names[] = {"car.position.x", NULL};
    kl_element_type          stop    = kl_slide_spring_damper;
    built                    b       = must_build(model);
    if (ends) stop.crossings = ending_steps;
    b.model->settings.integrator = each[k];
    b.model->settings.tolerance  = tolerance;
    kl_element *e                = &b.model->element[kl_model_find_element(b.model, "stop")];
    e->type                      = &stop;
    corners                      = e->nevent;
    simulate(&b, t, t, names, &r, count);
    built_free(&b);
    return last_row()[0];
}

static void steps_go_over_kinks_that_bend_the_force_little(void **unused)
{
    (void)unused;
    kl_statistics over, ending, unused_count;
    double        exact = place_after(soft_kinks(), 4.0, true, 1e-9, 0, &unused_count);
    double        with  = place_after(soft_kinks(), 4.0, false, 1e-6, 0, &over) - exact,
           without      = place_after(soft_kinks(), 4.0, true, 1e-6, 0, &ending) - exact;
    print_message("over kinks %.1e m off, %ld steps, %ld rejected; ending there %.1e m, %ld, %ld\n",
                  with, over.steps, over.rejected, without, ending.steps, ending.rejected);
    assert_true(fabs(with) < 2.0 * fabs(without) + 1e-5);
    /* the others come from the fast mass */
    assert_true(over.rejected + 50 < ending.rejected);
    assert_true(over.iterations < ending.iterations);
}

static void a_hard_stop_in_a_table_still_ends_a_step(void **unused)
{
    (void)unused;
    for (int k = 0; k < N; k++) {
        kl_statistics count;
        double ending = place_after(hard_kink, 1.0, true, 1e-6, k, &count) - after_the_stop(1.0),
               off    = place_after(hard_kink, 1.0, false, 1e-6, k, &count) - after_the_stop(1.0);
        print_message("%s: %.1e m off, %ld steps; ending there %.1e m\n", called[k], off,
                      count.steps, ending);
        assert_true(fabs(off) < fabs(ending) + 1e-5);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_crossing_of_unknown_rate_is_bisected),
        cmocka_unit_test(a_value_that_jumps_is_bisected_down_to_a_time),
        cmocka_unit_test(a_crossing_is_met_within_its_own_tolerance),
        cmocka_unit_test(a_latch_opens_at_its_time_to_the_second),
        cmocka_unit_test(a_contact_made_and_lost_within_a_step_is_seen),
        cmocka_unit_test(a_switch_costs_two_steps_and_no_factorisation),
        cmocka_unit_test(bounces_cost_less_than_when_they_are_not_watched),
        cmocka_unit_test(other_methods_restart_only_where_they_must),
        cmocka_unit_test(runge_kutta_bounces_without_restarts),
        cmocka_unit_test(steps_go_over_kinks_that_bend_the_force_little),
        cmocka_unit_test(a_hard_stop_in_a_table_still_ends_a_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
