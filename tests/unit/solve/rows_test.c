/* Rows that lie within steps: as good as the steps, and without influence on them. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "unit/solve/simulate.h"

/* A tumbling body on three springs: no joints, so that accelerations come from the step. */
static const char *const tumbler =
    "klingel: 1\nbodies:\n"
    "  top: {mass: 2 kg, inertia: [0.02, 0.05, 0.06], omega: [3, 8, 1], position: [0.1, 0, 0]}\n"
    "forces:\n"
    "  a: {type: spring-damper, between: [ground, top], at: [[1, 0, 1], [0.2, 0, 0.1]], stiffness: "
    "300 N/m, damping: 2 N s/m}\n"
    "  b: {type: spring-damper, between: [ground, top], at: [[-1, 1, 1], [0, 0.1, 0]], stiffness: "
    "200 N/m}\n"
    "  c: {type: series-spring-damper, between: [ground, top], at: [[-1, -1, 1], [0, -0.1, 0.1]], "
    "stiffness: 200 N/m, damping: 30 N s/m}\n";

static const char *const tumbler_names[] = {
    "top.position.x", "top.orientation.1", "top.omega.y", "top.acceleration.z",
    "top.alpha.x",    "a.force.z",         "c.force.x",   NULL};
static const char *const pendulum_names[] = {
    "lower.position.x", "lower.orientation.3", "lower.omega.z", "lower.acceleration.y",
    "lower.alpha.z",    "pivot.force.y",       "energy.total",  NULL};

static rows dense, exact, landed;

/* The same rows by steps that end on them. */
static void step_onto_rows(const char *text, double tolerance, double end, double every,
                           const char *const *names, rows *r)
{
    built          b = must_build(text);
    kl_simulation *s = NULL;
    const double  *values;
    b.model->settings.tolerance  = tolerance;
    b.model->settings.integrator = KL_GENERALIZED_ALPHA; /* its rows are tested here */
    assert_int_equal(kl_simulation_create(b.model, b.diag, &s), KL_OK);
    assert_int_equal(kl_simulation_start(s, b.diag), KL_OK);
    r->n = r->count = 0;
    for (; names[r->n]; r->n++) r->channel[r->n] = channel_of(s, names[r->n]);
    for (int i = 0; i <= (int)round(end / every); i++) {
        while (s->solver->s->t < i * every)
            assert_int_equal(kl_simulation_step(s, i * every, b.diag), KL_OK);
        assert_int_equal(kl_simulation_sample(s, b.diag, &values), KL_OK);
        rows_take(r, s->solver->s->t, values);
    }
    kl_simulation_destroy(s);
    built_free(&b);
}

static kl_statistics run(const char *text, double tolerance, double end, double every,
                         const char *const *names)
{
    kl_statistics count;
    built         b              = must_build(text);
    b.model->settings.tolerance  = tolerance;
    b.model->settings.integrator = KL_GENERALIZED_ALPHA;
    simulate(&b, end, every, names, &dense, &count);
    built_free(&b);
    return count;
}

static double error_of(const rows *r, int channel)
{
    double worst = 0.0;
    for (int i = 0; i < r->count; i++)
        worst = fmax(worst, fabs(r->value[i][channel] - exact.value[i][channel]));
    return worst;
}

static void check_rows(const char *text, const char *const *names)
{
    const double tolerance = 1e-7, every = 0.0037, end = 540 * every;
    long         steps = run(text, tolerance, end, every, names).steps;
    step_onto_rows(text, 1e-11, end, every, names, &exact);
    step_onto_rows(text, tolerance, end, every, names, &landed);
    print_message("%ld steps for %d rows\n", steps, dense.count);
    assert_int_equal(dense.count, exact.count);
    for (int k = 0; k < dense.n; k++) {
        double within = error_of(&dense, k), on = error_of(&landed, k);
        print_message("  %-22s %.1e; steps onto rows %.1e\n", names[k], within, on);
        assert_true(within < 3.0 * on);
    }
}

static void rows_of_a_free_body_are_as_good_as_its_steps(void **unused)
{
    (void)unused;
    check_rows(tumbler, tumbler_names);
}

static void rows_of_a_mechanism_are_as_good_as_its_steps(void **unused)
{
    (void)unused;
    check_rows(double_pendulum, pendulum_names);
}

/* Accelerations and reactions of a mechanism that are interpolated within its steps: a tolerance a thousand
 * times smaller makes steps ten times shorter, and their error, of second order, a hundred times smaller.
 * The motion is not touched. */
static void interpolated_accelerations_are_of_second_order(void **unused)
{
    (void)unused;
    static const char *const names[] = {"lower.acceleration.y", "lower.alpha.z", "pivot.force.y",
                                        "lower.position.x", NULL};
    const double             every = 0.0037, end = 270 * every, tolerance[] = {1e-5, 1e-8};
    double                   error[2][4], solved[4], last[2];
    step_onto_rows(double_pendulum, 1e-11, end, every, names, &exact);
    for (int k = 0; k < 2; k++) {
        built b                      = must_build(double_pendulum);
        b.model->settings.integrator = KL_GENERALIZED_ALPHA; /* others solve for them */
        b.model->settings.tolerance  = tolerance[k];
        b.model->settings.rows       = KL_ROWS_INTERPOLATED;
        simulate(&b, end, every, names, &dense, NULL);
        built_free(&b);
        for (int i = 0; i < 4; i++) error[k][i] = error_of(&dense, i);
    }
    last[0] = dense.value[dense.count - 1][3];
    run(double_pendulum, tolerance[1], end, every, names);
    last[1] = dense.value[dense.count - 1][3];
    for (int i = 0; i < 3; i++) {
        solved[i] = error_of(&dense, i);
        print_message("  %-22s %.1e, %.1e; solved %.1e\n", names[i], error[0][i], error[1][i],
                      solved[i]);
        assert_true(error[0][i] > 30.0 * error[1][i]);
    }
    assert_true(error[1][0] > 1.5 * solved[0]); /* they are not solved for */
    assert_true(last[0] == last[1]);
}

/* The interval of the rows changes neither the number of steps nor a bit of the motion. */
static void rows_do_not_change_the_steps(void **unused)
{
    (void)unused;
    static const char *const  text[]  = {tumbler, double_pendulum};
    static const char *const *names[] = {tumbler_names, pendulum_names};
    for (int k = 0; k < 2; k++) {
        kl_statistics few = run(text[k], 1e-7, 1.0, 0.5, names[k]);
        double        last[8];
        memcpy(last, dense.value[dense.count - 1], sizeof last);
        kl_statistics many = run(text[k], 1e-7, 1.0, 0.001, names[k]);
        assert_int_equal(dense.count, 1001);
        assert_int_equal(few.steps, many.steps);
        assert_int_equal(few.iterations, many.iterations);
        assert_int_equal(few.factorizations, many.factorizations);
        assert_memory_equal(last, dense.value[dense.count - 1], (size_t)dense.n * sizeof(double));
    }
}

/* Rows that evaluate a few channels only have the same values there, with joints and without. */
static void rows_of_few_channels_are_those_of_all(void **unused)
{
    (void)unused;
    static const struct {
        const char *text, *name[4];
    } of[] = {{tumbler, {"top.position.x", "top.omega.y", NULL}},
              {tumbler, {"c.force.x", "top.alpha.x", NULL}},
              {tumbler, {"a.loss", "energy.balance", "top.momentum.x", NULL}},
              {double_pendulum, {"lower.position.x", "x", NULL}},
              {double_pendulum, {"hinge.force.x", "lower.omega.z", NULL}},
              {double_pendulum, {"drift.rate", "energy.lost", NULL}}};
    for (size_t k = 0; k < sizeof of / sizeof *of; k++) {
        for (int few = 0; few < 2; few++) {
            built          b = must_build(of[k].text);
            kl_simulation *s = NULL;
            rows          *r = few ? &dense : &exact;
            assert_int_equal(kl_simulation_create(b.model, b.diag, &s), KL_OK);
            r->n = r->count = 0;
            for (; of[k].name[r->n]; r->n++) r->channel[r->n] = channel_of(s, of[k].name[r->n]);
            if (few) kl_channels_want(s->channels, r->channel, r->n, false);
            kl_sink sink = {.context = r, .row = rows_take};
            assert_int_equal(kl_simulation_run(s, 0.5, 0.001, &sink, b.diag), KL_OK);
            kl_simulation_destroy(s);
            built_free(&b);
        }
        assert_int_equal(dense.count, exact.count);
        for (int i = 0; i < dense.count; i++)
            for (int c = 0; c < dense.n; c++) assert_true(dense.value[i][c] == exact.value[i][c]);
    }
}

static int recorded(const char *record, kl_status expected, const char *message)
{
    char text[2048];
    snprintf(text, sizeof text, "%srun: {end: 1, every: 0.1, record: %s}\n", double_pendulum,
             record);
    built          b = must_build(text);
    kl_simulation *s = NULL;
    int            n = 0;
    assert_int_equal(kl_simulation_create(b.model, b.diag, &s), expected);
    for (int i = 0; s && i < kl_channels_count(s->channels); i++)
        n += kl_channels_at(s->channels, i)->recorded;
    if (message) {
        assert_int_equal(kl_diag_size(b.diag), 1);
        assert_non_null(strstr(kl_diag_at(b.diag, 0)->text, message));
    }
    kl_simulation_destroy(s);
    built_free(&b);
    return n;
}

/* The two outputs of the model are always there. */
static void patterns_choose_the_channels(void **unused)
{
    (void)unused;
    assert_int_equal(recorded("upper.position.x", KL_OK, NULL), 1 + 2);
    assert_int_equal(recorded("[upper.position.*, \"*.momentum.y\"]", KL_OK, NULL), 3 + 2 + 2);
    assert_int_equal(recorded("[\"*er.*.x\"]", KL_OK, NULL), 2 * 9 + 2);
    (void)recorded("[uper.position.x]", KL_E_NAME, "did you mean `upper.position.x`?");
    (void)recorded("[\"upper.*.w\"]", KL_E_NAME, "no channel fits `upper.*.w`");
}

/* A wheel that turns many times between rows: its Euler parameters follow the half angle. */
static void euler_parameters_of_a_spinning_body_do_not_jump(void **unused)
{
    (void)unused;
    built b =
        must_build("klingel: 1\ngravity: [0, 0, 0]\nbodies:\n  w: {mass: 1 kg, inertia: [1, 2, "
                   "1], omega: [0, 20, 0], spin_axis: y}\n");
    static const char *const names[] = {"w.orientation.0", "w.orientation.2", NULL};
    simulate(&b, 2.0, 0.001, names, &dense, NULL);
    for (int i = 0; i < dense.count; i++) {
        assert_close(dense.value[i][0], cos(10.0 * dense.t[i]), 1e-6);
        assert_close(dense.value[i][1], sin(10.0 * dense.t[i]), 1e-6);
    }
    built_free(&b);
}

/* The largest error of the constraints is that of all rows, whatever they record. */
static void the_largest_drift_does_not_depend_on_what_is_recorded(void **unused)
{
    (void)unused;
    static const char *const only[] = {NULL, "lower.position.x", "energy.total", "drift.rate"};
    kl_drift                 all    = {0};
    for (size_t k = 0; k < sizeof only / sizeof *only; k++) {
        built          b = must_build(double_pendulum);
        kl_simulation *s = NULL;
        dense.n = dense.count       = 0;
        kl_sink sink                = {.context = &dense, .row = rows_take};
        b.model->settings.tolerance = 1e-5;
        assert_int_equal(kl_simulation_create(b.model, b.diag, &s), KL_OK);
        int channel = only[k] ? channel_of(s, only[k]) : -1;
        if (only[k]) kl_channels_want(s->channels, &channel, 1, false);
        assert_int_equal(kl_simulation_run(s, 2.0, 0.01, &sink, b.diag), KL_OK);
        print_message("%s: %.3e m, %.3e rad, %.3e m/s\n", only[k] ? only[k] : "all",
                      s->worst.position, s->worst.rotation, s->worst.rate);
        if (k == 0) all = s->worst;
        assert_true(all.position > 0.0 && all.rate > 0.0);
        assert_true(s->worst.position == all.position && s->worst.rotation == all.rotation &&
                    s->worst.rate == all.rate);
        kl_simulation_destroy(s);
        built_free(&b);
    }
}

/* Fixed and loose steps are so long that a polynomial between two points leaves the constraints by 1e-4 of the
 * length: their rows are moved back onto them. */
static void rows_within_long_steps_satisfy_the_constraints(void **unused)
{
    (void)unused;
    static const struct {
        int    integrator;
        double step, tolerance;
    } of[] = {{KL_GENERALIZED_ALPHA, 0.03, 1e-9},
              {KL_NEWMARK, 0.03, 1e-9},
              {KL_HHT, 0.03, 1e-9},
              {KL_RUNGE_KUTTA, 0.03, 1e-9},
              {KL_GENERALIZED_ALPHA, NAN, 1e-4}};
    for (size_t k = 0; k < sizeof of / sizeof *of; k++) {
        built          b    = must_build(double_pendulum);
        kl_simulation *s    = NULL;
        kl_sink        sink = {.context = &dense, .row = rows_take};
        dense.n = dense.count        = 0;
        b.model->settings.integrator = of[k].integrator;
        b.model->settings.step       = of[k].step;
        b.model->settings.tolerance  = of[k].tolerance;
        assert_int_equal(kl_simulation_create(b.model, b.diag, &s), KL_OK);
        assert_int_equal(kl_simulation_run(s, 2.0, 0.01, &sink, b.diag), KL_OK);
        print_message("%.1e m, %.1e rad\n", s->worst.position, s->worst.rotation);
        assert_true(s->worst.position < 1e-9 && s->worst.rotation < 1e-9);
        kl_simulation_destroy(s);
        built_free(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_within_long_steps_satisfy_the_constraints),
        cmocka_unit_test(rows_of_a_free_body_are_as_good_as_its_steps),
        cmocka_unit_test(rows_of_a_mechanism_are_as_good_as_its_steps),
        cmocka_unit_test(interpolated_accelerations_are_of_second_order),
        cmocka_unit_test(rows_do_not_change_the_steps),
        cmocka_unit_test(rows_of_few_channels_are_those_of_all),
        cmocka_unit_test(patterns_choose_the_channels),
        cmocka_unit_test(euler_parameters_of_a_spinning_body_do_not_jump),
        cmocka_unit_test(the_largest_drift_does_not_depend_on_what_is_recorded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
