/* Inputs that are set while a model moves. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "klingel/klingel.h"

#include "unit/solve/simulate.h"

/* A cart on a spring, pushed by an input that follows 100 N sin(10 t) in stairs of 1 ms. */
static const char *const cart =
    "klingel: 1\ngravity: 0\ninputs: {F: {unit: N}}\nbodies:\n"
    "  cart: {mass: 2 kg, inertia: [1, 1, 1]}\njoints:\n"
    "  guide: {type: translational, between: [ground, cart], at: [0, 0, 0], axis: x}\nforces:\n"
    "  spring: {type: slide-spring-damper, of: guide, stiffness: 500, damping: 3}\n"
    "  push: {type: force, on: cart, at: [0, 0, 0], axis: x, value: {input: F}}\n"
    "integrator: {type: generalized-alpha, tolerance: 1e-7, length: 1 m}\n";

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

/* End of the cart under 100 N sin(10 t), whose course the exchanges give as polynomials of this degree. */
static double end_with(int degree, int exchanges, const char *integrator)
{
    char text[1024];
    snprintf(text, sizeof text, "%s", cart);
    snprintf(strstr(text, "integrator:"), 200,
             "integrator: {type: %s, tolerance: 1e-12, length: 1 m}\n", integrator);
    kl_machine *m = kl_machine_parse(text, strlen(text), "cart");
    double      H = 1.0 / exchanges, w = 10.0;
    assert_int_equal(kl_machine_start(m), KL_OK);
    for (int i = 0; i < exchanges; i++) {
        double t    = i * H,
               c[4] = {100.0 * sin(w * t), 100.0 * w * cos(w * t), -50.0 * w * w * sin(w * t),
                       -100.0 / 6.0 * w * w * w * cos(w * t)};
        assert_int_equal(kl_machine_input_polynomial(m, "F", c, degree + 1), KL_OK);
        assert_int_equal(kl_machine_advance(m, (i + 1) * H), KL_OK);
    }
    double x = kl_machine_value(m, kl_machine_channel(m, "cart.position.x"));
    kl_machine_free(m);
    return x;
}

/* x'' + 2 d x' + w0^2 x = 50 sin(10 t) from rest: forced motion and the free one that starts it. */
static double forced_end(double t)
{
    double p = 10.0, d = 0.75, k = 250.0, D = (k - p * p) * (k - p * p) + 4.0 * d * d * p * p;
    double S = 50.0 * (k - p * p) / D, C = -50.0 * 2.0 * d * p / D, w = sqrt(k - d * d);
    double a = -C, b = (-p * S + d * a) / w;
    return S * sin(p * t) + C * cos(p * t) + exp(-d * t) * (a * cos(w * t) + b * sin(w * t));
}

static void polynomials_converge_with_their_order(void **unused)
{
    (void)unused;
    static const char *const method[] = {"generalized-alpha", "runge-kutta"};
    for (int k = 0; k < 2; k++)
        for (int degree = 0; degree <= 2; degree++) {
            double coarse = fabs(end_with(degree, 20, method[k]) - forced_end(1.0));
            double fine   = fabs(end_with(degree, 40, method[k]) - forced_end(1.0));
            print_message("%s, degree %d: %.2e, %.2e m off, order %.2f\n", method[k], degree,
                          coarse, fine, log2(coarse / fine));
            assert_true(log2(coarse / fine) > degree + 0.75);
        }
}

/* A driver whose value is the input moves with its rate: no gap, and the speed is that of the course. */
static void a_driver_follows_the_rate_of_its_input(void **unused)
{
    (void)unused;
    static const char text[] =
        "klingel: 1\ninputs: {x: {unit: m}}\nbodies:\n  cart: {mass: 2 kg, inertia: [1, 1, 1]}\n"
        "joints:\n  guide: {type: translational, between: [ground, cart], at: [0, 0, 0], axis: x}\n"
        "  move: {type: driver, of: guide, coordinate: displacement, value: {input: x}}\n"
        "integrator: {length: 1 m}\n";
    kl_machine  *m   = kl_machine_parse(text, strlen(text), "cart");
    const double c[] = {0.0, 0.0, 2.0};
    if (kl_machine_start(m) != KL_OK) fail_msg("%s", kl_machine_message(m, 0));
    assert_int_equal(kl_machine_input_polynomial(m, "x", c, 3), KL_OK);
    assert_int_equal(kl_machine_advance(m, 0.5), KL_OK);
    assert_close(kl_machine_value(m, kl_machine_channel(m, "cart.position.x")), 0.5, 1e-9);
    assert_close(kl_machine_value(m, kl_machine_channel(m, "cart.velocity.x")), 2.0, 1e-6);
    assert_close(kl_machine_value(m, kl_machine_channel(m, "cart.acceleration.x")), 4.0, 1e-5);
    assert_int_equal(kl_machine_input_polynomial(m, "x", c, 9), KL_E_USAGE);
    assert_int_equal(kl_machine_input_ramp(m, "x", 0.5, 1.5, 0.4), KL_E_USAGE);
    kl_machine_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(setting_an_input_does_not_restart_the_integrator),
        cmocka_unit_test(polynomials_converge_with_their_order),
        cmocka_unit_test(a_driver_follows_the_rate_of_its_input),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
