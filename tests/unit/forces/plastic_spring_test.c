/* Crushed parts: closed forms of their work with all integrators, bottoming out, refused curves. */
#include "unit/solve/simulate.h"

#include <math.h>

/* 1000 kg at 10 m/s, 50 kJ, run against a wall */
static const char *const runner =
    "klingel: 1\ngravity: 0\nbodies:\n"
    "  car: {mass: 1000 kg, inertia: [100, 100, 100], position: [-5, 0, 0], velocity: [10, 0, 0]}\n"
    "joints:\n  rail: {type: translational, between: [ground, car], at: [-5, 0, 0], axis: x}\n"
    "forces:\n  nose: {type: crush, between: [car, ground], at: [[-5, 0, 0], [0, 0, 0]], %s}\n"
    "run: {end: 0.2, every: 1 ms}\nintegrator: {%s}\n";

enum { CRUSH, ABSORBED, SPEED, BALANCE };
static rows          r;
static kl_statistics count;

static void collide(const char *nose, const char *integrator)
{
    static const char *const names[] = {"nose.crush", "nose.absorbed", "car.velocity.x",
                                        "energy.balance", NULL};
    char                     text[1500];
    snprintf(text, sizeof text, runner, nose, integrator);
    built b = must_build(text);
    simulate(&b, 0.2, 1e-3, names, &r, &count);
    built_free(&b);
}

static double last(int k) { return r.value[r.count - 1][k]; }

static double worst_balance(void)
{
    double worst = 0.0;
    for (int i = 0; i < r.count; i++) worst = fmax(worst, fabs(r.value[i][BALANCE] - 50e3));
    return worst;
}

/* max_step: the trapezoidal rule for the energy of a force that depends on the speed needs steps that are
 * shorter than those of Runge-Kutta (0.4 % with its own); an explicit step knows no accuracy */
static const char *const methods[] = {"type: generalized-alpha", "type: gear",
                                      "type: runge-kutta, max_step: 1 ms",
                                      "type: central-differences, max_step: 0.02 ms"};
enum { METHODS = sizeof methods / sizeof *methods };

/* 0.3 m of 100 kN are absorbed, 30 kJ, and what is left comes back from the solid part */
static void a_part_that_bottoms_out_keeps_energy(void **unused)
{
    (void)unused;
    for (int i = 0; i < METHODS; i++) {
        collide("force: 100 kN, stiffness: 100 MN/m, stroke: 0.3 m, bottom_stiffness: 10 MN/m",
                methods[i]);
        assert_close(last(CRUSH), 0.3, 1e-12);
        assert_close(last(ABSORBED), 30e3, 1e-6);
        if (!(fabs(last(SPEED) + sqrt(40.0)) < 2e-3 && worst_balance() < 50.0))
            fail_msg("%s: rebound %.6g m/s, balance %.3g J off", methods[i], last(SPEED),
                     worst_balance());
    }
}

/* It stops before: the elastic energy F^2/2k comes back. The touch falls on the time of a row. */
static void a_part_that_is_not_used_up_gives_back_the_elastic_part(void **unused)
{
    (void)unused;
    for (int i = 0; i < METHODS; i++) {
        double elastic = 0.5 * 2e6 * 2e6 / 1e11;
        collide("force: 2 MN, stiffness: 1e11 N/m, gap: 20 mm", methods[i]);
        assert_close(last(ABSORBED), 50e3 - elastic, 5.0);
        assert_close(last(CRUSH), (50e3 - elastic) / 2e6, 1e-5);
    }
}

/* r = 1 + c v:  m v dv/dx = -F (1 + c v), so the crush is m/(F c^2) (c v0 - ln(1 + c v0)) */
static void a_force_that_grows_with_the_speed_follows_the_closed_form(void **unused)
{
    (void)unused;
    double c = 0.05, x = 1000.0 / (100e3 * c * c) * (10.0 * c - log(1.0 + 10.0 * c));
    for (int i = 0; i < METHODS; i++) {
        collide(
            "force: 100 kN, stiffness: 10 GN/m, rate_factor: {linear_table: [[0, 1], [10, 1.5]]}",
            methods[i]);
        assert_close(last(CRUSH), x, 2e-4 * x);
        if (!(worst_balance() < 2e-4 * 50e3))
            fail_msg("%s: balance %.3g J off", methods[i], worst_balance());
    }
}

/* A table that falls: 20 kJ on the first 0.1 m, then 100 kN. */
static void a_curve_may_fall(void **unused)
{
    (void)unused;
    for (int i = 0; i < METHODS; i++) {
        collide(
            "force: {linear_table: [[0, 300 kN], [0.1, 100 kN], [1, 100 kN]]}, stiffness: 1 GN/m",
            methods[i]);
        assert_close(last(CRUSH), 0.1 + 30e3 / 100e3, 1e-3);
        assert_true(worst_balance() < 20.0);
    }
}

static void curves_without_sense_are_refused(void **unused)
{
    (void)unused;
    static const struct {
        const char *nose, *text;
    } list[] = {
        {"force: {linear_table: [[0, 1e5], [0.5, -1e5]]}, stiffness: 1e8", "`force` is "},
        {"force: -1 kN, stiffness: 1e8", "`force` is -1000"},
        {"force: 0, stiffness: 1e8", "`force` is zero everywhere"},
        {"force: 1 kN, stiffness: 1e8, rate_factor: 0", "`rate_factor` is zero everywhere"},
        {"force: {linear_table: [[0, 1e5], [0.5, 5e4]]}, stiffness: 1e8", "two equal values"},
        {"force: 1 kN, stiffness: 1e8, rate_factor: {linear_table: [[0, 1], [10, -0.5]]}",
         "`rate_factor` is "},
        {"force: 1 kN, stiffness: 1e8, rate_factor: -1", "`rate_factor` is -1"},
        {"force: {linear_table: [[0, 1e6], [0.001, 1e5], [1, 1e5]]}, stiffness: 1e8",
         "falls faster than `stiffness`"},
        {"force: 1e5, stiffness: 1e8, gap: 1 m, stroke: 4 m", "`gap` and `stroke` together are 5 m"},
        {"force: 1e5, stiffness: 1e8, gap: 6 m", "`gap` is 6 m"}};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        char  text[1500];
        built b;
        snprintf(text, sizeof text, runner, list[i].nose, "tolerance: 1e-6");
        bool refused = try_build(text, &b) != KL_OK, found = false;
        for (int k = 0; k < kl_diag_size(b.diag); k++)
            found |= strstr(kl_diag_at(b.diag, k)->text, list[i].text) != NULL;
        if (!refused || !found) {
            print_messages(b.diag);
            fail_msg("nobody says: %s", list[i].text);
        }
        built_free(&b);
    }
    /* a curve that falls is not read beyond the stroke */
    built b;
    char  text[1500];
    snprintf(text, sizeof text, runner,
             "force: {linear_table: [[0, 1e5], [0.5, 5e4]]}, stiffness: 1e8, stroke: 0.6 m",
             "tolerance: 1e-6");
    assert_int_equal(try_build(text, &b), KL_OK);
    built_free(&b);
}

static kl_status ignore_row(void *context, double t, const double *values)
{
    (void)context, (void)t, (void)values;
    return KL_OK;
}

/* 1000 kg at 10 m/s, 5 m before the wall: 5 kN take 25 of its 50 kJ, then its two points pass each other. */
static void ends_do_not_pass_each_other_in_silence(void **unused)
{
    (void)unused;
    for (int i = 0; i < METHODS; i++) {
        char           text[1500];
        kl_simulation *s    = NULL;
        kl_sink        sink = {.row = ignore_row};
        snprintf(text, sizeof text, runner, "force: 5 kN, stiffness: 100 MN/m", methods[i]);
        built b = must_build(text);
        assert_int_equal(kl_simulation_create(b.model, b.diag, &s), KL_OK);
        assert_int_not_equal(kl_simulation_run(s, 0.9, 1e-2, &sink, b.diag), KL_OK);
        const char *last_said = kl_diag_at(b.diag, kl_diag_size(b.diag) - 1)->text;
        /* v = 10 - 5 t and v^2 = 100 - 10 x: at x = 5 m after (10 - sqrt(50))/5 s */
        assert_true(fabs(s->solver->s->t - (10.0 - sqrt(50.0)) / 5.0) < 2e-2);
        if (!strstr(last_said, "passed each other")) fail_msg("%s: %s", methods[i], last_said);
        kl_simulation_destroy(s);
        built_free(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_part_that_bottoms_out_keeps_energy),
        cmocka_unit_test(a_part_that_is_not_used_up_gives_back_the_elastic_part),
        cmocka_unit_test(a_force_that_grows_with_the_speed_follows_the_closed_form),
        cmocka_unit_test(a_curve_may_fall),
        cmocka_unit_test(curves_without_sense_are_refused),
        cmocka_unit_test(ends_do_not_pass_each_other_in_silence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
