/* Inputs that are set while a model moves. */
#include <math.h>

#include "unit/solve/simulate.h"

/* A cart on a spring, pushed by an input that follows 100 N sin(10 t) in stairs of 1 ms. */
static const char *const cart =
    "klingel: 1\ngravity: 0\ninputs: {F: {unit: N}}\nbodies:\n"
    "  cart: {mass: 2 kg, inertia: [1, 1, 1]}\njoints:\n"
    "  guide: {type: translational, between: [ground, cart], at: [0, 0, 0], axis: x}\nforces:\n"
    "  spring: {type: slide-spring-damper, of: guide, stiffness: 500, damping: 3}\n"
    "  push: {type: force, on: cart, at: [0, 0, 0], axis: x, value: {input: F}}\n"
    "integrator: {tolerance: 1e-7, length: 1 m}\n";

enum { EXCHANGES = 1000 };

/* The motion by exact steps of the oscillator with constant force in each stair. */
static double exact_end(void)
{
    const double m = 2.0, c = 3.0, k = 500.0, h = 1e-3;
    double       x = 0.0, v = 0.0;
    const double d = c / (2.0 * m), w = sqrt(k / m - d * d);
    for (int i = 0; i < EXCHANGES; i++) {
        double rest = 100.0 * sin(10.0 * i * h) / k, a = x - rest, b = (v + d * a) / w;
        double e = exp(-d * h), cosine = cos(w * h), sine = sin(w * h);
        x = rest + e * (a * cosine + b * sine);
        v = e * ((w * b - d * a) * cosine - (w * a + d * b) * sine);
    }
    return x;
}

static void setting_an_input_does_not_restart_the_integrator(void **unused)
{
    (void)unused;
    built          b = must_build(cart);
    kl_simulation *s = NULL;
    const double  *values;
    assert_int_equal(kl_simulation_create(b.model, b.diag, &s), KL_OK);
    assert_int_equal(kl_simulation_start(s, b.diag), KL_OK);
    for (int i = 0; i < EXCHANGES; i++) {
        s->solver->s->u[0] = 100.0 * sin(10.0 * i * 1e-3);
        assert_int_equal(kl_simulation_input(s, b.diag), KL_OK);
        while (s->solver->s->t < (i + 1) * 1e-3)
            assert_int_equal(kl_simulation_step(s, (i + 1) * 1e-3, b.diag), KL_OK);
    }
    assert_int_equal(kl_simulation_sample(s, b.diag, &values), KL_OK);
    double off     = values[channel_of(s, "cart.position.x")] - exact_end();
    double balance = values[channel_of(s, "energy.balance")];
    print_message("%ld steps, %ld matrices for %d exchanges; %.1e m off, balance %.1e J\n",
                  s->count.steps, s->count.factorizations, EXCHANGES, off, balance);
    assert_true(s->count.steps <= 2 * EXCHANGES);
    assert_true(s->count.factorizations <= 10);
    assert_true(fabs(off) < 3e-5); /* of 0.3 m */
    assert_true(fabs(balance) < 1e-3);
    kl_simulation_destroy(s);
    built_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(setting_an_input_does_not_restart_the_integrator),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
