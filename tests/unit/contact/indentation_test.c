/* Contact that leaves a permanent indentation: closed forms of Walton and Braun's law. */
#include "unit/build_model.h"

#include <math.h>

#include "solve/simulation.h"

typedef struct end {
    double value[5], least, most;
    int    channel[5], rows;
} end;

static kl_status see(void *context, double t, const double *values)
{
    end *k = context;
    (void)t;
    for (int i = 0; i < 5; i++) k->value[i] = values[k->channel[i]];
    if (k->rows++ == 0) k->least = k->most = k->value[3];
    k->least = fmin(k->least, k->value[3]), k->most = fmax(k->most, k->value[3]);
    return KL_OK;
}

static end run_text(const char *text, const char *const *names, double until)
{
    built          b    = must_build(text);
    kl_simulation *s    = NULL;
    end            k    = {0};
    kl_sink        sink = {.context = &k, .row = see};
    assert_int_equal(kl_simulation_create(b.model, b.diag, &s), KL_OK);
    for (int i = 0; i < 5; i++)
        assert_true((k.channel[i] = kl_channels_find(s->channels, names[i])) >= 0);
    kl_status status = kl_simulation_run(s, until, until / 40, &sink, b.diag);
    if (status != KL_OK) print_messages(b.diag);
    assert_int_equal(status, KL_OK);
    kl_simulation_destroy(s);
    built_free(&b);
    return k;
}

static end run(const char *gravity, double restitution, const char *tolerance, double until)
{
    static const char *const names[] = {"ball.velocity.z", "hit.indentation", "hit.lost",
                                        "energy.balance", "ball.position.z"};
    char                     text[1000];
    snprintf(
        text, sizeof text,
        "klingel: 1\ngravity: %s\nbodies:\n  ball: {mass: 2, inertia: [1, 1, 1], position: [0, 0, "
        "0.11], velocity: [0, 0, -3]}\n"
        "joints:\n  g: {type: translational, between: [ground, ball], axis: z, at: [0, 0, 0]}\n"
        "contacts:\n  hit: {between: [ball, ground], shapes: [{sphere: 100 mm}, plane], law: "
        "indentation, stiffness: 1e6 N/m, restitution: %g}\n"
        "integrator: {tolerance: %s}\n",
        gravity, restitution, tolerance);
    return run_text(text, names, until);
}

/* D = v sqrt(m/k); it rebounds with e v, D (1 - e^2) stays and m v^2 (1 - e^2)/2 is lost. */
static void an_impact_leaves_the_indentation_of_the_law(void **unused)
{
    (void)unused;
    double D = 3.0 * sqrt(2.0 / 1e6), last = 1.0;
    for (double e = 0.1; e < 0.95; e += 0.4) {
        end k = run("0", e, "1e-11", 0.02);
        assert_close(k.value[0], 3.0 * e, 1e-4 * 3.0);
        assert_close(k.value[1], D * (1 - e * e), 1e-4 * D);
        assert_close(k.value[2], 9.0 * (1 - e * e), 1e-4 * 9.0);
        assert_close(k.least, 9.0, 1e-4 * 9.0);
        assert_close(k.most, 9.0, 1e-4 * 9.0);
    }
    static const char *const tolerance[] = {"1e-6", "1e-8", "1e-10"};
    for (int i = 0; i < 3; i++) { /* the error falls with the tolerance */
        double error = fabs(run("0", 0.3, tolerance[i], 0.02).value[0] - 0.9);
        assert_true(error < 0.5 * last);
        last = error;
    }
}

/* Later impacts at the same place are slower: they stay within the indentation and are elastic. */
static void slower_impacts_leave_no_further_mark(void **unused)
{
    (void)unused;
    end first = run("9.81", 0.3, "1e-10", 0.02), later = run("9.81", 0.3, "1e-10", 0.5);
    assert_true(later.value[1] > 3e-3);
    assert_close(later.value[1], first.value[1], 1e-3 * first.value[1]);
    assert_close(later.value[2], first.value[2], 1e-3 * first.value[2]);
}

/* A block hops in its own indentation under a load that comes and goes, while a spring pulls it to and fro: it sticks, slips
 * and opens many times. What the elastic gap of friction keeps is energy, not loss. */
static void hopping_and_rubbing_closes_the_energy_balance(void **unused)
{
    (void)unused;
    static const char *const names[] = {"rub.impacts", "rub.lost_friction", "rub.lost",
                                        "energy.balance", "energy.lost"};
    end k = run_text("klingel: 1\ngravity: 9.81\nbodies:\n  block: {mass: 10, inertia: [1, 1, 1], "
                     "position: [0, 0, 0.1], velocity: [3, 0, -1]}\n"
                     "forces:\n  push: {type: force, on: block, axis: -z, value: {expression: \"2 "
                     "kN*(1 + 1.5*sin(400*t))\"}}\n"
                     "  tie: {type: bushing, between: [ground, block], at: [0, 0, 0.1], stiffness: "
                     "[1 MN/m, 0 N/m, 0 N/m, 1 MN m/rad, 1 MN m/rad, 1 MN m/rad]}\n"
                     "contacts:\n  rub: {between: [block, ground], shapes: [{sphere: 0.1}, plane], "
                     "law: indentation, stiffness: 10 MN/m, restitution: 0.3,\n"
                     "        friction: stick-slip, mu: 1, tangential_stiffness: 2 MN/m}\n"
                     "integrator: {tolerance: 1e-7}\n",
                     names, 0.1);
    assert_true(k.value[0] >= 5.0 && k.value[1] > 30.0);
    assert_close(k.least, 59.81, 2e-4 * 131.0);
    assert_close(k.most, 59.81, 2e-4 * 131.0);
    assert_close(k.value[2], k.value[4], 2e-4 * 131.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_impact_leaves_the_indentation_of_the_law),
        cmocka_unit_test(slower_impacts_leave_no_further_mark),
        cmocka_unit_test(hopping_and_rubbing_closes_the_energy_balance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
