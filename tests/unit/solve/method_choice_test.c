/* `integrator: {type: auto}`: the method that suits, and results as good as with either. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "unit/solve/simulate.h"

/* A mass on a spring [N/m] and a damper [N s/m]. */
static const char *const oscillator =
    "klingel: 1\nbodies:\n  m: {mass: 1 kg, inertia: [1, 1, 1], position: [0, 0, 0]}\n"
    "joints:\n  guide: {type: translational, between: [ground, m], at: [0, 0, 0], axis: z}\n"
    "  arm: {type: spherical, between: [m, p], at: [0, 0, 0]}\n"
    "forces:\n  s: {type: slide-spring-damper, of: guide, stiffness: %g, damping: %g}\n%s"
    "integrator: {type: auto, tolerance: 1e-7}\n";

static const kl_integrator *chosen(const char *text, char *why, double end)
{
    built          b = must_build(text);
    kl_simulation *s = NULL;
    assert_int_equal(kl_simulation_create(b.model, b.diag, &s), KL_OK);
    assert_int_equal(kl_simulation_start(s, b.diag), KL_OK);
    while (s->solver->s->t < end) assert_int_equal(kl_simulation_step(s, end, b.diag), KL_OK);
    const kl_integrator *with = s->integrator;
    if (why) snprintf(why, 160, "%s", s->chosen);
    kl_simulation_destroy(s);
    built_free(&b);
    return with;
}

static void sprung(char *text, size_t size, double stiffness, double damping, const char *more)
{
    snprintf(text, size, oscillator, stiffness, damping, more);
    char *bodies = strstr(text, "joints:"), rest[1024];
    snprintf(rest, sizeof rest, "%s", bodies);
    snprintf(bodies, size - (size_t)(bodies - text),
             "  p: {mass: 1 kg, inertia: [0.1, 0.1, 0.1], position: [0.5, 0, 0]}\n%s", rest);
}

static void smooth_motion_takes_runge_kutta_and_stiff_forces_do_not(void **unused)
{
    (void)unused;
    char text[2048], why[160];
    snprintf(text, sizeof text, "%sintegrator: {type: auto}\n", double_pendulum);
    assert_true(chosen(text, why, 0.0) == &kl_runge_kutta);
    assert_non_null(strstr(why, "smooth"));
    sprung(text, sizeof text, 100.0, 1.0, "");
    assert_true(chosen(text, why, 1.0) == &kl_runge_kutta);
    sprung(text, sizeof text, 1e9, 10.0, ""); /* 3.2e4 rad/s */
    assert_true(chosen(text, why, 0.1) == &kl_generalized_alpha);
    assert_non_null(strstr(why, "stiff"));
    sprung(text, sizeof text, 10.0, 1e6, "");
    assert_true(chosen(text, why, 0.1) == &kl_generalized_alpha);
    sprung(text, sizeof text, 100.0, 1.0,
           "  stop: {type: bump-stop, of: guide, lower: -1, stiffness: 1e4}\n");
    assert_true(chosen(text, why, 0.1) == &kl_runge_kutta); /* events alone make nothing stiff */
}

/* A damper across the way of a slider: it does nothing at the start, and holds more and more. */
static void what_becomes_stiff_is_noticed(void **unused)
{
    (void)unused;
    char        why[160];
    const char *text =
        "klingel: 1\ngravity: [9.81, 0, 0]\nbodies:\n"
        "  m: {mass: 1 kg, inertia: [1, 1, 1], velocity: [1, 0, 0]}\n"
        "joints:\n  guide: {type: translational, between: [ground, m], at: [0, 0, 0], axis: x}\n"
        "forces:\n  s: {type: spring-damper, between: [ground, m], at: [[0, 1, 0], [0, 0, 0]], "
        "stiffness: 1, damping: 1e5}\n"
        "integrator: {type: auto, tolerance: 1e-7}\n";
    assert_true(chosen(text, why, 0.0) == &kl_runge_kutta);
    assert_true(chosen(text, why, 20.0) == &kl_generalized_alpha);
    assert_non_null(strstr(why, "stiff forces hold explicit steps"));
}

/* The same errors, whichever was chosen; and those of the choice are what the tolerance promises. */
static void errors_are_those_of_the_tolerance(void **unused)
{
    (void)unused;
    static const char *const names[] = {"x", "y", NULL};
    static rows              exact, found;
    built                    b   = must_build(double_pendulum);
    b.model->settings.integrator = KL_RUNGE_KUTTA;
    b.model->settings.tolerance  = 1e-13;
    simulate(&b, 1.5, 0.01, names, &exact, NULL);
    built_free(&b);
    for (int k = -9; k <= -6; k += 3) {
        b                            = must_build(double_pendulum);
        b.model->settings.integrator = KL_AUTO;
        b.model->settings.tolerance  = pow(10.0, k);
        simulate(&b, 1.5, 0.01, names, &found, NULL);
        double worst = 0.0, promise = 2.0 * pow(10.0, k / 1.5); /* of 2 m */
        for (int i = 0; i < found.count; i++)
            for (int c = 0; c < 2; c++)
                worst = fmax(worst, fabs(found.value[i][c] - exact.value[i][c]));
        print_message("tolerance 1e%d: %.1e m off, of %.1e m\n", k, worst, promise);
        assert_true(worst < promise);
        built_free(&b);
    }
}

/* `accuracy` is the error of positions over the run, relative to the size, whatever the method. */
static void accuracy_means_the_same_with_every_method(void **unused)
{
    (void)unused;
    static const char *const names[]   = {"x", "y", NULL};
    static const char *const methods[] = {"auto", "generalized-alpha", "runge-kutta", "gear"};
    static rows              exact, found;
    char                     text[2048];
    built                    b   = must_build(double_pendulum);
    b.model->settings.integrator = KL_RUNGE_KUTTA;
    b.model->settings.tolerance  = 1e-13;
    simulate(&b, 1.5, 0.01, names, &exact, NULL);
    built_free(&b);
    for (double accuracy = 1e-3; accuracy > 1e-7; accuracy *= 0.1)
        for (int k = 0; k < 4; k++) {
            snprintf(text, sizeof text, "%sintegrator: {type: %s, accuracy: %g}\n", double_pendulum,
                     methods[k], accuracy);
            b = must_build(text);
            simulate(&b, 1.5, 0.01, names, &found, NULL);
            double worst = 0.0;
            for (int i = 0; i < found.count; i++)
                for (int c = 0; c < 2; c++)
                    worst = fmax(worst, fabs(found.value[i][c] - exact.value[i][c]));
            print_message("accuracy %.0e, %-18s %.1e\n", accuracy, methods[k],
                          worst / b.model->length);
            assert_true(worst / b.model->length < accuracy);
            built_free(&b);
        }
}

static void accuracy_and_tolerance_together_are_refused(void **unused)
{
    (void)unused;
    char text[2048];
    snprintf(text, sizeof text, "%sintegrator: {accuracy: 1e-4, tolerance: 1e-8}\n",
             double_pendulum);
    built b;
    assert_int_not_equal(try_build(text, &b), KL_OK);
    assert_non_null(strstr(kl_diag_at(b.diag, 0)->text, "not both"));
    built_free(&b);
}

/* Rows within the long steps of Runge-Kutta satisfy the constraints, positions and velocities. */
static void rows_within_steps_satisfy_the_constraints(void **unused)
{
    (void)unused;
    static const char *const names[] = {"drift.position", "drift.rate", NULL};
    static rows              found;
    built                    b = must_build(double_pendulum);
    kl_statistics            count;
    simulate(&b, 1.5, 0.002, names, &found, &count);
    assert_true(3 * count.steps < found.count); /* most rows lie within steps */
    for (int i = 0; i < found.count; i++) {
        assert_true(found.value[i][0] < 1e-9);
        assert_true(found.value[i][1] < 1e-8);
    }
    built_free(&b);
}

/* A rod whose pin slips is smooth; where it sticks, the stiff elastic displacement holds explicit steps. */
static void friction_that_sticks_takes_generalized_alpha(void **unused)
{
    (void)unused;
    static const char *const rod = "klingel: 1\nbodies: {rod: {mass: 1, inertia: [0.1, 0.1, 0.1], "
                                   "position: [0.5, 0, 0], omega: "
                                   "[0, %g, 0], velocity: [0, 0, %g]}}\njoints: {pin: {type: "
                                   "revolute, between: [ground, rod], at: "
                                   "[0, 0, 0], axis: y, friction: {torque: %g N m}}}\n";
    char                     text[512], why[160];
    snprintf(text, sizeof text, rod, 1.0, -0.5, 0.1);
    assert_true(chosen(text, why, 0.3) == &kl_runge_kutta);
    snprintf(text, sizeof text, rod, 0.5, -0.25, 20.0); /* stops at once and is held */
    assert_true(chosen(text, why, 2.0) == &kl_generalized_alpha);
    assert_non_null(strstr(why, "stiff"));
}

/* What an element states decides, not how much it remembers: a hinge that yields over the time of the motion has
 * more history than a plate that keeps an indentation. */
static void elements_state_that_their_path_matters(void **unused)
{
    (void)unused;
    char              why[160], text[600];
    const char *const hinge =
        "klingel: 1\nbodies: {rod: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [0.5, 0, 0]}}\n"
        "joints: {pin: {type: revolute, between: [ground, rod], at: [0, 0, 0], axis: y}}\n"
        "forces: {yields: {type: plastic-hinge, of: pin, moment: {linear_table: [[0, 1], [1, 2]]}, "
        "stiffness: "
        "100}}\n";
    const char *const plate =
        "klingel: 1\nbodies: {ball: {mass: 1, inertia: [0.01, 0.01, 0.01], position: [0, 0, 1]}}\n"
        "contacts: {floor: {between: [ground, ball], shapes: [{plane: [0, 0, 1]}, {sphere: 0.1}], "
        "stiffness: "
        "1e4, law: %s}}\n";
    static const struct {
        const char *law;
        bool        matters;
    } plates[] = {{"linear", false},
                  {"linear, friction: smooth, mu: 0.2, full_speed: 0.01", false},
                  {"linear, friction: stick-slip, mu: 0.2", true},
                  {"indentation, restitution: 0.5", true}};
    assert_true(chosen(hinge, why, 0.2) == &kl_runge_kutta);
    for (size_t k = 0; k < sizeof plates / sizeof *plates; k++) {
        snprintf(text, sizeof text, plate, plates[k].law);
        const kl_integrator *with = chosen(text, why, 0.1);
        assert_true(with == (plates[k].matters ? &kl_generalized_alpha : &kl_runge_kutta));
        if (plates[k].matters) assert_non_null(strstr(why, "history"));
    }
}

/* A point slides obliquely over a floor, stops and swings on the elastic contact: the path decides where it stops. The
 * exact values are limits of all three methods for small tolerances. Runge-Kutta with the steps of its
 * own error estimate is 3.8e-5 m off, and an elastic gap that a damper turns by a share of each step
 * moves the place by 4e-4 m from one tolerance to the next. */
static void methods_agree_where_the_path_matters(void **unused)
{
    (void)unused;
    static const char *const names[] = {"b.position.x", "b.position.y", NULL};
    static const char *const slide =
        "klingel: 1\nbodies: {b: {type: point, mass: 1, position: [0, 0, -9.81e-5], velocity: "
        "[0.5, 0.2, 0]}}\nforces: {spring: {type: bushing, between: [ground, b], at: [0, 0, "
        "-9.81e-5], stiffness: [30, 20, 0, 0, 0, 0]}}\ncontacts: {floor: {between: [b, ground], "
        "shapes: [{sphere: 1e-3, at: [0, 0, 1e-3]}, plane], stiffness: 1e5, damping: 50, law: "
        "linear, friction: stick-slip, mu: 0.3, tangential_stiffness: 1e4, tangential_damping: "
        "%g}}\nintegrator: {type: %s, tolerance: 1e-8}\n";
    static const char *const methods[]   = {"runge-kutta", "gear", "generalized-alpha"};
    static const double      exact[2][3] = {{0.0, 0.03720389, 0.01528136},
                                            {10.0, 0.03735095, 0.01537448}};
    static rows              found;
    char                     text[1024];
    for (int c = 0; c < 2; c++)
        for (int k = 0; k < 3; k++) {
            snprintf(text, sizeof text, slide, exact[c][0], methods[k]);
            built b = must_build(text);
            simulate(&b, 1.0, 1.0, names, &found, NULL);
            built_free(&b);
            const double *end   = found.value[found.count - 1];
            double        error = hypot(end[0] - exact[c][1], end[1] - exact[c][2]);
            print_message("damping %g, %-17s %.1e m off\n", exact[c][0], methods[k], error);
            assert_true(error < 2e-6);
        }
}

/* A pendulum on a stiff, damped rod: generalized-alpha needs short steps for its accuracy, Runge-Kutta for its
 * stability, Gear's method neither. The run ends where the other methods end. */
static void a_stiff_rod_that_swings_smoothly_takes_gear(void **unused)
{
    (void)unused;
    static const char *const names[] = {"m.position.x", "m.position.z", NULL};
    static rows              exact, found;
    static const char *const rod = "klingel: 1\nbodies: {m: {mass: 1, inertia: [1, 1, 1], "
                                   "position: [1, 0, 0], fixed: [position]}}\n"
                                   "forces: {rod: {type: spring-damper, between: [ground, m], at: "
                                   "[[0, 0, 0], [1, 0, 0]], stiffness: "
                                   "1e7, damping: 1e4}}\nintegrator: {type: %s}\nrun: {end: 10}\n";
    char                     text[600], why[160];
    snprintf(text, sizeof text, rod, "auto, accuracy: 1e-5");
    assert_true(chosen(text, why, 10.0) == &kl_gear_index1);
    assert_non_null(strstr(why, "of the work of generalized-alpha"));
    built b = must_build(text);
    simulate(&b, 10.0, 0.1, names, &found, NULL);
    built_free(&b);
    snprintf(text, sizeof text, rod, "gear, tolerance: 1e-12");
    b = must_build(text);
    simulate(&b, 10.0, 0.1, names, &exact, NULL);
    built_free(&b);
    double worst = 0.0;
    for (int i = 0; i < found.count; i++)
        for (int c = 0; c < 2; c++)
            worst = fmax(worst, fabs(found.value[i][c] - exact.value[i][c]));
    print_message("gear by itself: %.1e m off\n", worst);
    assert_true(worst < 1e-5);
}

/* Work decides and no clock: a trial that does not pay goes back, and the next one comes later. */
static void a_trial_of_gear_that_does_not_pay_is_given_up(void **unused)
{
    (void)unused;
    kl_method_trial w      = {0};
    kl_statistics   count  = {0};
    bool            gear   = false;
    int             trials = 0, gears = 0;
    double          pays;
    for (int k = 0; k < 60000;
         k++) { /* a step of Gear's takes four times the work, for the same time */
        count.evaluations += gear ? 8 : 2;
        kl_method_verdict v =
            kl_method_compare(&w, 1.0, 1e-3 * k, &count, KL_TRIAL_BESIDE_ALPHA, &pays);
        assert_int_not_equal(v, KL_METHOD_KEEPS);
        gears += gear;
        if (v == KL_METHOD_TRIES) gear = true, trials++;
        if (v == KL_METHOD_LEAVES) {
            assert_close(pays, 4.0, 0.2);
            gear = false;
        }
    }
    assert_int_equal(trials, 2); /* after 3000 steps, and 24 000 later */
    assert_true(gears < 300);
}

/* A third of the work beside Runge-Kutta: kept after 300 steps and a trial of 120, and for good. */
static void a_trial_that_pays_is_kept(void **unused)
{
    (void)unused;
    kl_method_trial w     = {0};
    kl_statistics   count = {0};
    double          pays, t = 0.0;
    int             kept = 0;
    for (int k = 0; k < 10000; k++) {
        count.evaluations += w.on ? 2 : 12;
        t += w.on ? 1e-3 : 2e-3;
        bool              was = w.on;
        kl_method_verdict v =
            kl_method_compare(&w, 1.0, t, &count, KL_TRIAL_BESIDE_RUNGE_KUTTA, &pays);
        assert_int_not_equal(v, KL_METHOD_LEAVES);
        if (v == KL_METHOD_TRIES) assert_false(was);
        if (v != KL_METHOD_KEEPS) continue;
        assert_close(pays, 1.0 / 3.0, 1e-6);
        kept = k;
    }
    assert_int_equal(kept, 300 + 120 - 1);
    assert_true(w.on && w.kept);
}

/* A beam with consistent mass: each evaluation of Runge-Kutta factors a matrix that costs as much as two evaluations,
 * so that its longer steps do not pay. A mass on its own is priced lower than a beam. */
static void the_work_of_a_matrix_counts(void **unused)
{
    (void)unused;
    static const char *const beam =
        "klingel: 1\ngravity: 0\nsections: {soft: {shape: stiffness, EA: 1e4, GA: [1e4, 1e4], GJ: "
        "100, EI: [100, "
        "100], mass: 1 kg/m, inertia: [10, 10, 10]}}\nbodies: {rod: {type: beam, from: [0, 8, 0], "
        "to: [6, 0, 0], "
        "section: soft, elements: %d, element_nodes: 3}}\nforces:\n"
        "  push: {type: force, on: rod.end, axis: x, value: 8}\n"
        "  turn: {type: torque, on: rod.end, axis: z, value: -80}\nintegrator: {accuracy: 1e-4}\n";
    char   text[900], why[160];
    double price[2];
    for (int k = 0; k < 2; k++) {
        snprintf(text, sizeof text, beam, k ? 48 : 2);
        built          b = must_build(text);
        kl_simulation *s = NULL;
        assert_int_equal(kl_simulation_create(b.model, b.diag, &s), KL_OK);
        price[k] = kl_method_price_of_matrix(b.model, s->solver->matrix);
        print_message("price of a matrix: %.2f evaluations\n", price[k]);
        kl_simulation_destroy(s);
        built_free(&b);
    }
    assert_true(price[0] < 1.2 && price[1] > 1.6 && price[1] < 2.5);
    assert_true(chosen(text, why, 0.08) == &kl_generalized_alpha);
    assert_non_null(strstr(why, "of the work of runge-kutta"));
}

/* Steps that Runge-Kutta took before count more than any estimate. */
static void what_was_measured_decides(void **unused)
{
    (void)unused;
    char            why[128];
    kl_method_watch w    = {.rival = 1.0};
    int             step = 1;
    while (step < 1000 &&
           !kl_method_is_inefficient(&w, NULL, NULL, 1e-9, 0.02, false, why, sizeof why))
        step++;
    assert_int_equal(step, 250);
    assert_non_null(strstr(why, "steps of 1 s before, 0.02 s with generalized-alpha"));
}

/* ---- checkpoints ---- */

typedef struct ended {
    double pack[1000], speed;
    int    n;
} ended;

static kl_status ignore(void *context, double t, const double *values)
{
    (void)context, (void)t, (void)values;
    return KL_OK;
}

static kl_status keep_pack(void *context, const double *pack)
{
    ended *e = context;
    memcpy(e->pack, pack, (size_t)e->n * sizeof *pack);
    return KL_OK;
}

static void run_ring(const ended *from, ended *out)
{
    kl_simulation *s    = NULL;
    kl_sink        sink = {.context = out, .row = ignore, .checkpoint = keep_pack};
    built          b    = {.diag = kl_diag_create()};
    assert_int_equal(
        kl_source_read(KL_SOURCE_DIR "/examples/stick-slip/model.yaml", b.diag, &b.source), KL_OK);
    assert_int_equal(kl_source_build(b.source, NULL, 0, b.diag, &b.model), KL_OK);
    assert_int_equal(kl_simulation_create(b.model, b.diag, &s), KL_OK);
    s->checkpoint = 1.7;
    out->n        = kl_simulation_pack_size(s);
    assert_in_range(out->n, 1, sizeof out->pack / sizeof *out->pack);
    if (from) assert_int_equal(kl_simulation_resume(s, from->pack, from->n, b.diag), KL_OK);
    assert_int_equal(kl_simulation_run(s, 3.0, 0.5, &sink, b.diag), KL_OK);
    out->speed = s->solver->s->v[b.model->body[kl_model_find_body(b.model, "ring")].v + 5];
    kl_simulation_destroy(s);
    built_free(&b);
}

/* A ring that has stuck keeps generalized-alpha. At the checkpoint it slips, which suits Runge-Kutta: there the run that
 * goes on forgets what it has learned, so that one that is resumed does the same. */
static void a_resumed_run_chooses_as_one_that_goes_on(void **unused)
{
    (void)unused;
    static ended whole, resumed;
    run_ring(NULL, &whole);
    run_ring(&whole, &resumed);
    assert_true(whole.speed == resumed.speed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(smooth_motion_takes_runge_kutta_and_stiff_forces_do_not),
        cmocka_unit_test(what_becomes_stiff_is_noticed),
        cmocka_unit_test(errors_are_those_of_the_tolerance),
        cmocka_unit_test(accuracy_means_the_same_with_every_method),
        cmocka_unit_test(accuracy_and_tolerance_together_are_refused),
        cmocka_unit_test(rows_within_steps_satisfy_the_constraints),
        cmocka_unit_test(friction_that_sticks_takes_generalized_alpha),
        cmocka_unit_test(elements_state_that_their_path_matters),
        cmocka_unit_test(methods_agree_where_the_path_matters),
        cmocka_unit_test(a_stiff_rod_that_swings_smoothly_takes_gear),
        cmocka_unit_test(a_trial_of_gear_that_does_not_pay_is_given_up),
        cmocka_unit_test(a_trial_that_pays_is_kept),
        cmocka_unit_test(the_work_of_a_matrix_counts),
        cmocka_unit_test(what_was_measured_decides),
        cmocka_unit_test(a_resumed_run_chooses_as_one_that_goes_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
