#include "unit/solve/simulate.h"

static const char *const xy[] = {"x", "y", NULL};
static rows              r, exact;

static int formulation = KL_PROJECTION;

static const int         each[]   = {KL_PROJECTION, KL_BAUMGARTE, KL_STABILIZED};
static const char *const called[] = {"projection", "baumgarte", "stabilized"};

static kl_statistics run_with(const char *text, int integrator, double tolerance, double end,
                              rows *out)
{
    kl_statistics count;
    built         b               = must_build(text);
    b.model->settings.formulation = formulation;
    b.model->settings.integrator  = integrator;
    b.model->settings.tolerance   = tolerance;
    simulate(&b, end, 0.05, xy, out, &count);
    built_free(&b);
    return count;
}

static double worst(void)
{
    double largest = 0.0;
    assert_int_equal(r.count, exact.count);
    for (int i = 0; i < r.count; i++)
        largest = fmax(largest,
                       hypot(r.value[i][0] - exact.value[i][0], r.value[i][1] - exact.value[i][1]));
    return largest;
}

static void error_falls_with_the_tolerance(void **unused)
{
    (void)unused;
    double tolerance[] = {1e-6, 1e-8, 1e-10}, error[3];
    run_with(double_pendulum, KL_RUNGE_KUTTA, 1e-13, 3.0, &exact);
    for (int f = 0; f < 3; f++)
        for (int k = 0; k < 3; k++) {
            formulation         = each[f];
            kl_statistics count = run_with(double_pendulum, KL_GEAR, tolerance[k], 3.0, &r);
            error[k]            = worst();
            print_message("%s, tolerance %.0e: error %.2e m, %ld steps, %ld iterations, %ld "
                          "matrices\n",
                          called[f], tolerance[k], error[k], count.steps, count.iterations,
                          count.factorizations);
            assert_true(error[k] < 2e4 * tolerance[k]);
            assert_true(k == 0 || error[k] < 0.2 * error[k - 1]);
        }
}

/* Projection and stabilised index 2 hold the constraints far below the tolerance at the points; the
 * rest of Baumgarte's is of its size. */
static void constraints_are_kept_as_each_formulation_can(void **unused)
{
    (void)unused;
    static const char *const names[] = {"drift.position", "step.order", "step.size", NULL};
    const double             most[]  = {1e-9, 1e-7, 1e-9};
    for (int f = 0; f < 3; f++) {
        built b                       = must_build(double_pendulum);
        b.model->settings.formulation = each[f];
        b.model->settings.integrator  = KL_GEAR;
        b.model->settings.tolerance   = 1e-9;
        kl_statistics count;
        simulate(&b, 3.0, 0.05, names, &r, &count);
        built_free(&b);
        double drift = 0.0, order = 0.0;
        for (int i = 1; i < r.count; i++) {
            drift = fmax(drift, r.value[i][0]);
            order = fmax(order, r.value[i][1]);
            assert_true(r.value[i][1] >= 1.0 && r.value[i][1] <= 5.0);
            assert_true(r.value[i][2] > 0.0 && r.value[i][2] < 0.1);
        }
        print_message("%s: gap %.1e m, order up to %g, %ld steps, %ld evaluations, %ld matrices\n",
                      called[f], drift, order, count.steps, count.evaluations,
                      count.factorizations);
        assert_true(drift < most[f]);
        assert_true(order >= 4.0);
    }
}

/* Stiff: c/k of the governor's damper is far below the steps. */
static void stiff_forces_do_not_shorten_the_steps(void **unused)
{
    (void)unused;
    static const char *const text =
        "klingel: 1\ngravity: [0, 0, 0]\nbodies:\n"
        "  a: {mass: 1 kg, inertia: [1, 1, 1], position: [0, 0, 0], velocity: [1, 0, 0]}\n"
        "  b: {mass: 1 kg, inertia: [1, 1, 1], position: [1, 0, 0], velocity: [1, 0, 0]}\n"
        "forces:\n"
        "  bar: {type: spring-damper, between: [a, b], at: [[0, 0, 0], [1, 0, 0]], stiffness: 1 "
        "GN/m, damping: 1 MN s/m}\n"
        "  pull: {type: force, on: b, at: [1, 0, 0], axis: x, value: {harmonic: {amplitude: 1 N, "
        "frequency: 1 Hz}}}\n"
        "outputs:\n"
        "  x: {of: a, point: [0, 0, 0], quantity: position.x}\n"
        "  y: {of: b, point: [0, 0, 0], quantity: position.x}\n";
    for (int f = 0; f < 3; f++) {
        formulation         = each[f];
        kl_statistics count = run_with(text, KL_GEAR, 1e-7, 5.0, &r);
        print_message("%s: %ld steps, %ld rejected\n", called[f], count.steps, count.rejected);
        assert_true(each[f] == KL_STABILIZED || count.steps < 600);
        assert_true(fabs(r.value[r.count - 1][1] - r.value[r.count - 1][0] - 1.0) < 1e-6);
    }
}

/* Two windows: twelve redundant constraints and singular positions on the way. */
static void redundant_joints_and_singular_positions_are_passed(void **unused)
{
    (void)unused;
    char two[4096];
    snprintf(two, sizeof two, "%s", four_bars);
    strstr(two, "loops: 6")[7] = '2';
    run_with(two, KL_RUNGE_KUTTA, 1e-9, 4.0, &exact);
    for (int f = 0; f < 3; f++) {
        formulation = each[f];
        run_with(two, KL_GEAR, 1e-8, 4.0, &r);
        print_message("%s: %.1e\n", called[f], worst());
        assert_true(worst() < 1e-3);
    }
}

/* The windows turn over through flat positions; with Baumgarte's terms at this tolerance they fold
 * there, and the energy tells. */
static kl_status take_nothing(void *context, double t, const double *values)
{
    return (void)context, (void)t, (void)values, KL_OK;
}

/* A trapdoor on two hinges moves as on one: its second hinge only repeats the first. */
static void a_door_on_two_hinges_moves_as_on_one(void **unused)
{
    (void)unused;
    char text[2][700];
    for (int hinges = 1; hinges <= 2; hinges++)
        snprintf(text[hinges - 1], sizeof text[0],
                 "klingel: 1\n"
                 "bodies: {d: {mass: 20, inertia: [5, 1, 5], position: [0.5, 0.3, 0]}}\n"
                 "joints:\n"
                 "  h1: {type: revolute, between: [ground, d], at: [0, -0.2, 0], axis: y}\n"
                 "%s"
                 "outputs: {x: {of: d, quantity: position.x}, y: {of: d, quantity: position.z}}\n",
                 hinges == 1 ? ""
                             : "  h2: {type: revolute, between: [ground, d], at: [0, 0.9, 0], "
                               "axis: y}\n");
    (void)run_with(text[0], KL_RUNGE_KUTTA, 1e-11, 3.0, &exact);
    for (int k = 0; k < 3; k++) {
        formulation         = each[k];
        kl_statistics count = run_with(text[1], KL_GEAR, 1e-8, 3.0, &r);
        printf("%s: %.1e m, %ld steps, %ld rejected\n", called[k], worst(), count.steps,
               count.rejected);
        assert_true(worst() < 1e-5);
        assert_true(count.steps < 3000);
    }
    formulation = KL_PROJECTION;
}

static void leaving_a_branch_ends_the_run_in_words(void **unused)
{
    (void)unused;
    kl_diag       *diag = kl_diag_create();
    kl_source     *source;
    kl_model      *m;
    kl_simulation *sim;
    assert_int_equal(kl_source_read(KL_SOURCE_DIR "/examples/n-four-bar/model.yaml", diag, &source),
                     KL_OK);
    assert_int_equal(kl_source_build(source, NULL, 0, diag, &m), KL_OK);
    m->settings.integrator  = KL_GEAR;
    m->settings.formulation = KL_BAUMGARTE;
    m->settings.tolerance   = 1e-7;
    assert_int_equal(kl_simulation_create(m, diag, &sim), KL_OK);
    kl_sink   sink   = {.row = take_nothing};
    kl_status status = kl_simulation_run(sim, 10.0, 0.02, &sink, diag);
    assert_int_equal(status, KL_E_STEP);
    assert_non_null(strstr(kl_diag_at(diag, kl_diag_size(diag) - 1)->text, "changed its branch"));
    kl_simulation_destroy(sim);
    kl_model_destroy(m);
    kl_source_destroy(source);
    kl_diag_destroy(diag);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(error_falls_with_the_tolerance),
        cmocka_unit_test(constraints_are_kept_as_each_formulation_can),
        cmocka_unit_test(stiff_forces_do_not_shorten_the_steps),
        cmocka_unit_test(redundant_joints_and_singular_positions_are_passed),
        cmocka_unit_test(a_door_on_two_hinges_moves_as_on_one),
        cmocka_unit_test(leaving_a_branch_ends_the_run_in_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
