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
        assert_true(count.steps + count.rejected < 400);
    }
}

static double depth; /* at which the run found the cart when the crossing was first passed */

static void closely(const kl_reading *in, kl_crossing *out)
{
    kl_bump_stop.crossings(in, out);
    out[0].tolerance = 1e-9;
}

static void note_depth(const kl_reading *in, double *h_new)
{
    kl_bump_stop.commit(in, h_new);
    if (in->h[0] <= 0.5 && h_new[0] > 0.5) depth = h_new[0] - 0.5;
}

static void a_crossing_is_met_within_its_own_tolerance(void **unused)
{
    (void)unused;
    for (int k = 0; k < N; k++) {
        kl_element_type stop = kl_bump_stop;
        stop.commit          = note_depth;
        depth                = 0.0;
        run_with(&stop, k);
        assert_true(depth > 0.0 && depth < 1e-4);
        stop.crossings = closely;
        depth          = 0.0;
        run_with(&stop, k);
        print_message("%s: found %.1e m beyond\n", called[k], depth);
        assert_true(depth > 0.0 && depth < 1.01e-9);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_crossing_of_unknown_rate_is_bisected),
        cmocka_unit_test(a_value_that_jumps_is_bisected_down_to_a_time),
        cmocka_unit_test(a_crossing_is_met_within_its_own_tolerance),
        cmocka_unit_test(a_latch_opens_at_its_time_to_the_second),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
