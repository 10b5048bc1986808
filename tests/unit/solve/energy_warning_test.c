/* The warning of fixed steps about the energy balance: steps that are too long give it, a model at rest,
 * whose energies are rounding errors, does not. */
#include <stdio.h>
#include <string.h>

#include "unit/solve/simulate.h"

static kl_status no_row(void *context, double t, const double *values)
{
    (void)context, (void)t, (void)values;
    return KL_OK;
}

/* Number of warnings about the energy balance in a run of 1 s. */
static int warnings(const char *model)
{
    built          b     = must_build(model);
    kl_simulation *s     = NULL;
    kl_sink        sink  = {.row = no_row};
    int            found = 0;
    assert_int_equal(kl_simulation_create(b.model, b.diag, &s), KL_OK);
    assert_int_equal(kl_simulation_run(s, 1.0, 0.1, &sink, b.diag), KL_OK);
    for (int i = 0; i < kl_diag_size(b.diag); i++)
        found += strstr(kl_diag_at(b.diag, i)->text, "the energy balance is off") != NULL;
    kl_simulation_destroy(s);
    built_free(&b);
    return found;
}

/* 10 kg on 1e6/3 N/m, 0.1 m beyond equilibrium: 182.6 rad/s times 50 ms is 9.1 rad in one step. */
static void steps_that_are_too_long_are_said_once(void **unused)
{
    (void)unused;
    assert_int_equal(
        warnings("klingel: 1\nbodies: {m: {type: point, mass: 10, position: [0, 0, -0.9]}}\n"
                 "forces: {k: {type: spring-damper, between: [ground, m], at: [[0, 0, 1], [0, 0, "
                 "-0.9]], spring: 1e6/3, length: 1}}\n"
                 "integrator: {type: generalized-alpha, step: 50 ms}\nrun: {end: 1, every: 0.1}\n"),
        1);
}

/* The balance changes by 4e-16 to 4e-15 J, the kinetic energy is 1e-24 J or less. */
static void a_model_at_rest_gives_no_warning(void **unused)
{
    (void)unused;
    static const double mass[] = {3.0, 7.0}, radius[] = {0.1, 0.3};
    for (int i = 0; i < 2; i++) {
        char model[500];
        snprintf(model, sizeof model,
                 "klingel: 1\nbodies: {b: {mass: %g, inertia: [1, 1, 1], position: [0, 0, %g]}}\n"
                 "contacts: {c: {between: [ground, b], shapes: [{plane: [0, 0, 1]}, {sphere: %g}], "
                 "stiffness: 1e6}}\nintegrator: {type: generalized-alpha, step: 10 ms}\n"
                 "run: {end: 1, every: 0.1, start: equilibrium}\n",
                 mass[i], radius[i], radius[i]);
        assert_int_equal(warnings(model), 0);
    }
    assert_int_equal(
        warnings("klingel: 1\n"
                 "bodies: {b: {mass: 7, inertia: [1, 1, 1], position: [0, 0, -0.3]}}\n"
                 "forces: {k: {type: bushing, between: [ground, b], at: [0, 0, 0], stiffness: "
                 "[1e5, 1e5, 1e5]}}\nintegrator: {type: generalized-alpha, step: 10 ms}\n"
                 "run: {end: 1, every: 0.1, start: equilibrium}\n"),
        0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_that_are_too_long_are_said_once),
        cmocka_unit_test(a_model_at_rest_gives_no_warning),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
