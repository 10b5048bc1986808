#include "solve/kinematics.h"

#include "base/rotation.h"
#include "unit/solve/load.h"

typedef struct trace {
    loaded         l;
    kl_simulation *s;
    kl_kinematics  k;
    kl_status      status;
    double         t[2000], value[4][2000];
    int            channel[4], n;
} trace;

static kl_status keep_row(void *context, double t, const double *values)
{
    trace *r   = context;
    r->t[r->n] = t;
    for (int i = 0; i < 4; i++) r->value[i][r->n] = r->channel[i] < 0 ? 0.0 : values[r->channel[i]];
    r->n++;
    return KL_OK;
}

static void run(trace *r, loaded l, const char *const names[4], double end, double every)
{
    kl_sink sink = {.context = r, .row = keep_row};
    *r           = (trace){.l = l};
    assert_int_equal(kl_simulation_create(l.model, l.diag, &r->s), KL_OK);
    for (int i = 0; i < 4; i++)
        r->channel[i] = names[i] ? kl_channels_find(r->s->channels, names[i]) : -1;
    r->status = kl_kinematics_run(r->s, end, every, &sink, &r->k, l.diag);
}

static void done(trace *r)
{
    kl_simulation_destroy(r->s);
    unload(&r->l);
}

static int count(const trace *r, kl_special_kind kind)
{
    int n = 0;
    for (int i = 0; i < r->k.nspecial; i++) n += r->k.special[i].kind == kind;
    return n;
}

/* Angle of the rocker of the example: law of cosines. */
static double rocker_angle(double crank)
{
    double a = 0.2, b = 0.5, c = 0.4, d = 0.6, x = d - a * cos(crank), y = -a * sin(crank);
    double e = hypot(x, y); /* from crank pin to rocker pivot */
    return KL_PI + atan2(y, x) - acos((c * c + e * e - b * b) / (2.0 * c * e));
}

static void driven_four_bar_follows_the_law_of_cosines(void **unused)
{
    (void)unused;
    static trace      r;
    const char *const names[4] = {"crank_rad", "rocker_rad", NULL, NULL};
    run(&r, load_example("driven-four-bar", NULL, 0, false), names, 2 * KL_PI / 10,
        2 * KL_PI / 1000);
    assert_int_equal(r.status, KL_OK);
    assert_int_equal(r.n, 101);
    for (int i = 0; i < r.n; i++) {
        assert_close(r.value[0][i], 10.0 * r.t[i], 1e-12);
        assert_close(kl_wrap(r.value[1][i] - (rocker_angle(10.0 * r.t[i]) - rocker_angle(0.0))),
                     0.0, 1e-11);
    }
    /* the rocker stands still where crank and coupler lie in one line */
    double stretched = acos((0.7 * 0.7 + 0.6 * 0.6 - 0.4 * 0.4) / (2 * 0.7 * 0.6));
    double folded    = acos((0.3 * 0.3 + 0.6 * 0.6 - 0.4 * 0.4) / (2 * 0.3 * 0.6)) + KL_PI;
    assert_int_equal(count(&r, KL_TOGGLE), 2);
    assert_int_equal(r.k.nspecial, 2);
    assert_close(r.k.special[0].t, stretched / 10, 1e-6);
    assert_close(r.k.special[1].t, folded / 10, 1e-6);
    assert_true(says(r.l.diag, "rocker stops and reverses"));
    done(&r);
}

/* crank 0.3 and rod 0.5 at a right angle of crank to x: slider at 0.4, straight at 0.8 */
static const char *const slider_crank =
    "klingel: 1\n"
    "bodies:\n"
    "  crank:  {mass: 1, inertia: [1, 1, 1], position: [0, 0.15, 0]}\n"
    "  rod:    {mass: 1, inertia: [1, 1, 1], position: [0.2, 0.15, 0]}\n"
    "  slider: {mass: 1, inertia: [1, 1, 1], position: [0.4, 0, 0]}\n"
    "joints:\n"
    "  A: {type: revolute, between: [ground, crank], at: [0, 0, 0], axis: z}\n"
    "  B: {type: revolute, between: [crank, rod], at: [0, 0.3, 0], axis: z}\n"
    "  C: {type: revolute, between: [rod, slider], at: [0.4, 0, 0], axis: z}\n"
    "  D: {type: translational, between: [ground, slider], at: [0.4, 0, 0], axis: x}\n"
    "  pull: {type: driver, of: D, coordinate: displacement, value: {polynomial: [0, "
    "1 m/s]}}\n";

static void slider_that_pulls_the_crank_straight_locks_up(void **unused)
{
    (void)unused;
    static trace      r;
    const char *const names[4] = {NULL, NULL, NULL, NULL};
    run(&r, load_text(slider_crank, NULL, 0, false), names, 1.0, 0.01);
    assert_int_equal(r.status, KL_E_STEP);
    assert_int_equal(count(&r, KL_LOCK_UP), 1);
    assert_close(r.k.special[r.k.nspecial - 1].t, 0.4, 1e-7);
    assert_true(says(r.l.diag, "lock-up at t = 0.4"));
    done(&r);
}

/* The same in a run with forces: the message names driver, body and time, whatever the method. */
static void a_run_to_a_dead_point_names_the_driver(void **unused)
{
    (void)unused;
    static const kl_integrator_kind method[] = {KL_AUTO, KL_GENERALIZED_ALPHA, KL_RUNGE_KUTTA,
                                                KL_GEAR};
    for (size_t k = 0; k < sizeof method / sizeof *method; k++) {
        static trace r;
        loaded       l               = load_text(slider_crank, NULL, 0, false);
        kl_sink      sink            = {.context = &r, .row = keep_row};
        l.model->settings.integrator = method[k];
        r                            = (trace){.l = l, .channel = {-1, -1, -1, -1}};
        assert_int_equal(kl_simulation_create(l.model, l.diag, &r.s), KL_OK);
        assert_int_equal(kl_simulation_run(r.s, 1.0, 0.01, &sink, l.diag), KL_E_STEP);
        assert_close(r.s->solver->s->t, 0.4, 1e-4);
        assert_true(says(l.diag, "dead point; driver 'pull' cannot continue"));
        done(&r);
    }
}

static void parallelogram_passes_its_flat_position_and_says_so(void **unused)
{
    (void)unused;
    static trace      r;
    const char *const names[4] = {"A.angle", "D.angle", NULL, NULL};
    run(&r,
        load_text("klingel: 1\n"
                  "bodies:\n"
                  "  left:  {mass: 1, inertia: [1, 1, 1], position: [0, 0.5, 0]}\n"
                  "  beam:  {mass: 1, inertia: [1, 1, 1], position: [1, 1, 0]}\n"
                  "  right: {mass: 1, inertia: [1, 1, 1], position: [2, 0.5, 0]}\n"
                  "joints:\n"
                  "  A: {type: revolute, between: [ground, left], at: [0, 0, 0], axis: z}\n"
                  "  B: {type: revolute, between: [left, beam], at: [0, 1, 0], axis: z}\n"
                  "  C: {type: revolute, between: [beam, right], at: [2, 1, 0], axis: z}\n"
                  "  D: {type: revolute, between: [ground, right], at: [2, 0, 0], axis: z}\n"
                  "  drive: {type: driver, of: A, value: {polynomial: [0, -1 rad/s]}}\n",
                  NULL, 0, false),
        names, 3.0, 0.1);
    assert_int_equal(r.status, KL_OK);
    for (int i = 0; i < r.n; i++) assert_close(r.value[1][i], -r.t[i], 1e-9);
    assert_int_equal(count(&r, KL_BRANCHING), 1);
    assert_close(r.k.special[0].t, 0.5 * KL_PI, 1e-6);
    assert_true(says(r.l.diag, "the motion has several branches"));
    done(&r);
}

static void bodies_that_deform_are_named_and_may_be_made_rigid(void **unused)
{
    (void)unused;
    static trace             r;
    static const char *const names[4] = {"rocker_angle_rad"};
    kl_override              rigid[]  = {{.name = "flexible", .text = "false"}};
    run(&r, load_example("flexible-four-bar", NULL, 0, false), names, 0.1, 0.05);
    assert_int_equal(r.status, KL_E_MODEL);
    assert_true(says(r.l.diag, "'crank' is flexible"));
    done(&r);
    run(&r, load_example("flexible-four-bar", rigid, 1, false), names, 0.1, 0.05);
    assert_int_equal(r.status, KL_OK);
    done(&r);
}

static void what_is_not_driven_is_named(void **unused)
{
    (void)unused;
    static trace      r;
    const char *const names[4] = {NULL, NULL, NULL, NULL};
    run(&r, load_example("double-pendulum", NULL, 0, false), names, 1.0, 0.1);
    assert_int_equal(r.status, KL_E_MODEL);
    assert_true(says(r.l.diag, "2 are not driven (upper turns about z"));
    done(&r);
}

static void inverse_dynamics_of_a_driven_pendulum_is_its_equation(void **unused)
{
    (void)unused;
    static trace      r;
    const char *const names[4] = {"drive.effort", "pivot.angle", "bar.alpha.x", NULL};
    run(&r,
        load_text(
            "klingel: 1\n"
            "bodies:\n"
            "  bar: {mass: 2, inertia: [0.3, 0.3, 0.3], center: [0, 0, -0.7]}\n"
            "joints:\n"
            "  pivot: {type: revolute, between: [ground, bar], at: [0, 0, 0], axis: x}\n"
            "  drive: {type: driver, of: pivot, value: {polynomial: [0, 1 rad/s, 2 rad/s2]}}\n",
            NULL, 0, false),
        names, 1.0, 0.05);
    assert_int_equal(r.status, KL_OK);
    for (int i = 0; i < r.n; i++) {
        double angle  = r.t[i] + 2.0 * r.t[i] * r.t[i];
        double torque = (0.3 + 2 * 0.49) * 4.0 + 2 * 9.81 * 0.7 * sin(angle);
        assert_close(r.value[1][i], angle, 1e-11);
        assert_close(r.value[0][i], torque, 1e-9);
    }
    done(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(driven_four_bar_follows_the_law_of_cosines),
        cmocka_unit_test(slider_that_pulls_the_crank_straight_locks_up),
        cmocka_unit_test(a_run_to_a_dead_point_names_the_driver),
        cmocka_unit_test(parallelogram_passes_its_flat_position_and_says_so),
        cmocka_unit_test(bodies_that_deform_are_named_and_may_be_made_rigid),
        cmocka_unit_test(what_is_not_driven_is_named),
        cmocka_unit_test(inverse_dynamics_of_a_driven_pendulum_is_its_equation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
