/* Rigid bodies with a spin axis: the same motion as without that key, at the price of a body at rest. */
#include "unit/solve/simulate.h"

#include <math.h>

/* A heavy top on a point, a body without symmetry that tumbles, and a rotor in two bearings whose
 * frame swings. %s: the key, or nothing. */
static const char *const top =
    "klingel: 1\n"
    "bodies:\n"
    "  body: {mass: 2, inertia: [0.03, 0.03, 0.02], center: [0, 0, 0.3], omega: [0.4, 0.1, 60],\n"
    "         orientation: {axis: x, angle: 20 deg}%s}\n"
    "joints: {tip: {type: spherical, between: [ground, body], at: [0, 0, 0]}}\n"
    "outputs: {x: {of: body, point: [0, 0, 0.5], quantity: position.x},\n"
    "          y: {of: body, point: [0, 0, 0.5], quantity: position.y},\n"
    "          z: {of: body, point: [0.2, 0, 0.5], quantity: position.z}}\n";

static const char *const tumbler =
    "klingel: 1\ngravity: [0, 0, 0]\n"
    "bodies:\n"
    "  body: {mass: 2, inertia: [2, 2.5, 3, 0.1, 0.2, -0.1], center: [0.1, 0.2, -0.1],\n"
    "         omega: [1, 0.1, 12], velocity: [0.3, 0, 1]%s}\n"
    "outputs: {x: {of: body, point: [1, 0, 0], quantity: position.x},\n"
    "          y: {of: body, point: [1, 0, 0], quantity: position.y},\n"
    "          z: {of: body, point: [1, 0, 1], quantity: position.z}}\n";

static const char *const rotor =
    "klingel: 1\n"
    "bodies:\n"
    "  frame: {mass: 3, inertia: [0.2, 0.2, 0.2], position: [0, 0, -0.5], omega: [1, 0, 0.5]}\n"
    "  body: {mass: 4, inertia: [0.05, 0.05, 0.08], position: [0, 0, -0.5], omega: [1, 0, 200]%s}\n"
    "joints:\n"
    "  hang: {type: universal, between: [ground, frame], at: [0, 0, 0], axis: [x, y]}\n"
    "  bearing: {type: revolute, between: [frame, body], at: [0, 0, -0.5], axis: z}\n"
    "outputs: {x: {of: body, point: [0.1, 0, 0], quantity: position.x},\n"
    "          y: {of: frame, point: [0.1, 0, 0], quantity: position.y},\n"
    "          z: {expression: bearing.angle}}\n";

static const char *const axis_key = ", spin_axis: z";

static built build_with(const char *text, const char *key)
{
    char whole[2048];
    snprintf(whole, sizeof whole, text, key);
    return must_build(whole);
}

typedef struct end_of_run {
    double        x[3]; /* outputs */
    double        energy, L[3];
    kl_statistics count;
} end_of_run;

static end_of_run run(const char *text, const char *key, int integrator, double tolerance,
                      double step, double end)
{
    static rows              r;
    static const char *const names[] = {"x", "y", "z", "energy.total", NULL};
    built                    b       = build_with(text, key);
    end_of_run               out     = {0};
    b.model->settings.integrator     = integrator;
    b.model->settings.tolerance      = tolerance;
    if (step > 0.0) b.model->settings.step = step;
    simulate(&b, end, end, names, &r, &out.count);
    memcpy(out.x, r.value[r.count - 1], sizeof out.x);
    out.energy = r.value[r.count - 1][3] - r.value[0][3];
    built_free(&b);
    return out;
}

static double apart(const end_of_run *a, const end_of_run *b)
{
    return fmax(fabs(a->x[0] - b->x[0]), fmax(fabs(a->x[1] - b->x[1]), fabs(a->x[2] - b->x[2])));
}

/* Runge-Kutta of high accuracy on both, then every integrator against that. */
static void moves_as_an_ordinary_rigid_body(void **unused)
{
    (void)unused;
    const char *const text[] = {top, tumbler, rotor};
    for (int k = 0; k < 3; k++) {
        end_of_run plain   = run(text[k], "", KL_RUNGE_KUTTA, 1e-11, 0, 0.5),
                   exact   = run(text[k], axis_key, KL_RUNGE_KUTTA, 1e-11, 0, 0.5),
                   alpha   = run(text[k], axis_key, KL_GENERALIZED_ALPHA, 1e-9, 0, 0.5),
                   gear    = run(text[k], axis_key, KL_GEAR, 1e-9, 0, 0.5);
        assert_true(apart(&exact, &plain) < 2e-8);
        assert_true(apart(&alpha, &plain) < 2e-4);
        assert_true(apart(&gear, &plain) < 2e-4);
        assert_close(exact.energy, 0, 1e-7);
    }
}

static void generalized_alpha_is_of_second_order(void **unused)
{
    (void)unused;
    const char *const text[] = {top, tumbler, rotor};
    for (int k = 0; k < 3; k++) {
        end_of_run exact  = run(text[k], "", KL_RUNGE_KUTTA, 1e-11, 0, 0.25),
                   coarse = run(text[k], axis_key, KL_GENERALIZED_ALPHA, 1e-6, 1e-3, 0.25),
                   fine   = run(text[k], axis_key, KL_GENERALIZED_ALPHA, 1e-6, 5e-4, 0.25);
        double     order  = log2(apart(&coarse, &exact) / apart(&fine, &exact));
        print_message("  order %.2f, error %.2g\n", order, apart(&fine, &exact));
        assert_true(order > 1.85 && order < 2.4);
    }
}

/* 4 wheelsets on springs, in boxes that do not turn: factorisations and steps do not depend on the speed */
static const char *const wheelsets =
    "klingel: 1\ngravity: [0, 0, 0]\n"
    "parameters: {speed: 0}\n"
    "bodies:\n"
    "  \"set{i}\": {for: {i: 1..4}, mass: 1200, inertia: [700, 100, 700], position: [2*i, 0, 0.46],\n"
    "             velocity: [0, 0.1, 0.2*i], omega: [0.01, speed, 0.02]%s}\n"
    "  \"box{i}\": {for: {i: 1..4}, mass: 60, inertia: [2, 2, 2], position: [2*i, 0, 0.46]}\n"
    "joints:\n"
    "  \"bearing{i}\": {for: {i: 1..4}, type: revolute, between: [\"box{i}\", \"set{i}\"], at: [2*i, 0, 0.46], axis: y}\n"
    "forces:\n"
    "  \"mount{i}\": {for: {i: 1..4}, type: bushing, between: [ground, \"box{i}\"], at: [2*i, 0, 0.46],\n"
    "     stiffness: [5e6, 3e6, 1e6, 1e5, 1e4, 1e5], damping: [5e2, 3e2, 1e3, 1e1, 1e1, 1e1]}\n"
    "outputs: {x: {expression: set1.position.x}, y: {expression: set3.position.y}, z: {expression: bearing2.angle}}\n";

static void spin_costs_neither_steps_nor_factorisations(void **unused)
{
    (void)unused;
    char fast[2048];
    snprintf(fast, sizeof fast, "%s", wheelsets);
    memcpy(strstr(fast, "speed: 0}"), "speed: 9}", 9);
    char *omega = strstr(fast, "[0.01, speed, 0.02]");
    memcpy(omega, "[0.01, 120*1, 0.02]", 19);
    end_of_run rest = run(wheelsets, ", spin_axis: y", KL_GENERALIZED_ALPHA, 1e-6, 0, 2.0),
               spun = run(fast, ", spin_axis: y", KL_GENERALIZED_ALPHA, 1e-6, 0, 2.0);
    print_message("  at rest %ld steps, %ld factorisations; at 120 rad/s %ld, %ld; longest step %.3g s\n",
                  rest.count.steps, rest.count.factorizations, spun.count.steps,
                  spun.count.factorizations, spun.count.largest_step);
    assert_true((double)spun.count.steps <= 1.3 * (double)rest.count.steps);
    assert_true((double)spun.count.factorizations <= 1.3 * (double)rest.count.factorizations + 1);
    assert_close(spun.x[2], 240.0, 1e-3); /* every turn is counted */
}

/* A rotor alone in its bearing: a step may be many turns long, and the joint counts them all. */
static void a_step_may_be_longer_than_a_turn(void **unused)
{
    (void)unused;
    static rows              r;
    static const char *const names[] = {"hinge.angle", "disc.spin", "back.angle", "disc.spin_rate", NULL};
    built                    b       = must_build(
        "klingel: 1\nbodies: {disc: {mass: 1, inertia: [1, 1, 2], omega: [0, 0, 300], spin_axis: z},\n"
        "  box: {mass: 1, inertia: [1, 1, 1]}}\n"
        "joints: {hinge: {type: revolute, between: [ground, disc], at: [0, 0, 0], axis: z},\n"
        "         back: {type: revolute, between: [disc, box], at: [0, 0, 0], axis: z},\n"
        "         hold: {type: translational, between: [ground, box], at: [0, 0, 0], axis: z}}\n");
    kl_statistics count;
    simulate(&b, 10.0, 5.0, names, &r, &count);
    assert_true(count.largest_step * 300.0 > 20.0);
    assert_close(r.value[r.count - 1][0], 3000.0, 1e-6);
    assert_close(r.value[r.count - 1][1], 3000.0, 1e-6);
    assert_close(r.value[r.count - 1][2], -3000.0, 1e-6);
    assert_close(r.value[r.count - 1][3], 300.0, 1e-9);
    built_free(&b);
}

/* On a body without symmetry, or with a force off its axis, steps still resolve the turns. */
static void what_goes_round_is_still_resolved(void **unused)
{
    (void)unused;
    end_of_run out = run(
        "klingel: 1\ngravity: [0, 0, 0]\n"
        "bodies: {body: {mass: 1, inertia: [1, 1, 2], omega: [0, 0, 300]%s}}\n"
        "joints: {hinge: {type: revolute, between: [ground, body], at: [0, 0, 0], axis: z}}\n"
        "forces: {pull: {type: spring-damper, between: [ground, body], at: [[5, 0, 0], [0.1, 0, 0]], stiffness: 1e-9}}\n"
        "outputs: {x: {expression: body.spin}, y: {expression: hinge.angle}, z: {expression: hinge.force.x}}\n",
        axis_key, KL_GENERALIZED_ALPHA, 1e-3, 0, 0.1);
    assert_true(out.count.largest_step * 300.0 < 1.0 + 1e-9);
    assert_close(out.x[0], 30.0, 1e-4);
}

/* A marker that does not spin: it stays level while the wheel turns, and carries no torque about the
 * axis. */
static void markers_may_stay_behind(void **unused)
{
    (void)unused;
    static rows              r;
    static const char *const names[] = {"x", "z", "wheel.spin_rate", "mount.torque.y", NULL};
    built                    b       = must_build(
        "klingel: 1\ngravity: [0, 0, 0]\n"
        "bodies: {wheel: {mass: 10, inertia: [1, 2, 1], omega: [0, 50, 0], spin_axis: y,\n"
        "  markers: {box: {at: [0, 0.5, 0], spins: false}, rim: {at: [0.4, 0, 0]}}}}\n"
        "forces: {mount: {type: bushing, between: [ground, wheel.box], stiffness: [1e4, 1e4, 1e4, 100, 100, 100]}}\n"
        "outputs: {x: {of: wheel.box, quantity: position.x}, z: {of: wheel.rim, quantity: position.z}}\n");
    simulate(&b, 0.3, 0.3, names, &r, NULL);
    double *last = r.value[r.count - 1];
    assert_close(last[0], 0.0, 1e-9);
    assert_close(last[1], -0.4 * sin(15.0), 1e-6);
    assert_close(last[2], 50.0, 1e-9);
    assert_close(last[3], 0.0, 1e-9);
    built_free(&b);
}

/* A quarter of a circle with the axle canted, in small turns: the marker stays level, as an axle box does.
 * Axes that never turned about the axle would be 90 degrees * sin(cant) off. */
static void markers_stay_level_in_a_canted_curve(void **unused)
{
    (void)unused;
    enum { TURNS = 2000 };
    const double cant = 0.1, quarter = 0.5 * KL_PI;
    built        b    = must_build("klingel: 1\nbodies: {wheel: {mass: 10, inertia: [1, 2, 1], spin_axis: y,\n"
                                   "  orientation: {axis: x, angle: 0.1}}}\n");
    const kl_body             *w   = &b.model->body[1];
    kl_marker                  box = {.body = 1, .A = kl_identity(), .node = KL_MARKER_UNSPUN};
    kl_motion                  at;
    double                     q[8], still[6] = {0}, dx[6] = {0};
    _Alignas(64) unsigned char cache[1024];
    assert_true(w->ncache <= sizeof cache);
    memcpy(q, b.model->q0 + w->q, sizeof q);
    for (int i = 0; i <= TURNS; i++) {
        w->type->position(w->data, q, cache);
        w->type->velocity(w->data, still, cache);
        if (i == TURNS) break;
        kl_axes axes = w->type->axes(w->data, cache);
        kl_store(dx + 3, kl_mul_t(&axes.A, kl_vec(0, 0, quarter / TURNS)));
        w->type->advance(w->data, q, dx, q);
    }
    w->type->pose(w->data, cache, &box, &at);
    kl_vec3 x = kl_axis(&at.A, 0), z = kl_axis(&at.A, 2);
    assert_close(kl_norm(kl_sub(x, kl_vec(0, 1, 0))), 0, 1e-3);
    assert_close(kl_norm(kl_sub(z, kl_vec(sin(cant), 0, cos(cant)))), 0, 1e-3);
    kl_axes axes = w->type->axes(w->data, cache);
    assert_close(acos(kl_dot(kl_axis(&axes.A, 0), x)), quarter * sin(cant), 1e-3);
    built_free(&b);
}

static void only_bodies_that_spin_have_markers_that_do_not(void **unused)
{
    (void)unused;
    built b;
    assert_true(try_build("klingel: 1\nbodies: {a: {mass: 1, inertia: [1, 1, 1], markers: {m: {spins: false}}}}\n",
                          &b) != KL_OK);
    assert_true(strstr(kl_diag_at(b.diag, 0)->text, "spin_axis") != NULL);
    built_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(moves_as_an_ordinary_rigid_body),
        cmocka_unit_test(generalized_alpha_is_of_second_order),
        cmocka_unit_test(spin_costs_neither_steps_nor_factorisations),
        cmocka_unit_test(a_step_may_be_longer_than_a_turn),
        cmocka_unit_test(what_goes_round_is_still_resolved),
        cmocka_unit_test(markers_may_stay_behind),
        cmocka_unit_test(markers_stay_level_in_a_canted_curve),
        cmocka_unit_test(only_bodies_that_spin_have_markers_that_do_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
