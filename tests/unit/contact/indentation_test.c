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

static end run(const char *gravity, double restitution, const char *tolerance, double until)
{
    static const char *const names[] = {"ball.velocity.z", "hit.indentation", "hit.lost", "energy.balance", "ball.position.z"};
    char                     text[1000];
    snprintf(text, sizeof text,
             "klingel: 1\ngravity: %s\nbodies:\n  ball: {mass: 2, inertia: [1, 1, 1], position: [0, 0, 0.11], velocity: [0, 0, -3]}\n"
             "joints:\n  g: {type: translational, between: [ground, ball], axis: z, at: [0, 0, 0]}\n"
             "contacts:\n  hit: {between: [ball, ground], shapes: [{sphere: 100 mm}, plane], law: indentation, stiffness: 1e6 N/m, restitution: %g}\n"
             "integrator: {tolerance: %s}\n",
             gravity, restitution, tolerance);
    built          b    = must_build(text);
    kl_simulation *s    = NULL;
    end            k    = {0};
    kl_sink        sink = {.context = &k, .row = see};
    assert_int_equal(kl_simulation_create(b.model, b.diag, &s), KL_OK);
    for (int i = 0; i < 5; i++) assert_true((k.channel[i] = kl_channels_find(s->channels, names[i])) >= 0);
    kl_status status = kl_simulation_run(s, until, until / 40, &sink, b.diag);
    if (status != KL_OK) print_messages(b.diag);
    assert_int_equal(status, KL_OK);
    kl_simulation_destroy(s);
    built_free(&b);
    return k;
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_impact_leaves_the_indentation_of_the_law),
        cmocka_unit_test(slower_impacts_leave_no_further_mark),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
