/* Initial assembly: closes what can be closed with little change, harms nothing, names the rest. */
#include "unit/build_model.h"

#include "solve/simulation.h"

static kl_status assemble(built *b, kl_solver **x)
{
    assert_int_equal(kl_solver_create(b->model, x), KL_OK);
    return kl_assemble(*x, b->diag);
}

static bool told(const kl_diag *d, const char *what)
{
    for (int i = 0; i < kl_diag_size(d); i++)
        if (strstr(kl_diag_at(d, i)->text, what)) return true;
    return false;
}

static void an_assembled_model_is_left_alone(void **unused)
{
    (void)unused;
    built b =
        must_build("klingel: 1\nbodies: {a: {mass: 1, inertia: [1, 1, 1], position: [0.5, 0, 0]}}\n"
                   "joints: {h: {type: revolute, between: [ground, a], at: [0, 0, 0], axis: y}}\n");
    kl_solver *x;
    assert_int_equal(assemble(&b, &x), KL_OK);
    assert_memory_equal(x->s->q, b.model->q0, (size_t)b.model->nq * sizeof(double));
    assert_int_equal(kl_diag_size(b.diag), 0);
    kl_solver_destroy(x);
    built_free(&b);
}

/* The nearest point of a circle lies on the ray through its centre. */
static void the_change_is_the_least(void **unused)
{
    (void)unused;
    built b =
        must_build("klingel: 1\nbodies: {p: {type: point, mass: 1, position: [0.9, 0.3, 0.2]}}\n"
                   "joints: {rod: {type: distance, between: [ground, p], at: [[0, 0, 0], [0.9, "
                   "0.3, 0.2]], length: 1.5}}\n");
    kl_solver *x;
    assert_int_equal(assemble(&b, &x), KL_OK);
    kl_vec3 ray = kl_scale(1.5, kl_unit(kl_vec(0.9, 0.3, 0.2)));
    assert_close(kl_norm(kl_sub(kl_load(x->s->q), ray)), 0, 1e-10);
    assert_true(told(b.diag, "assembly moved 'p'"));
    kl_solver_destroy(x);
    built_free(&b);
}

static void a_four_bar_closes_from_a_rough_start(void **unused)
{
    (void)unused;
    built b =
        must_build("klingel: 1\nbodies:\n"
                   "  a: {mass: 1, inertia: [1, 1, 1], position: [0, 0.5, 0], markers: {lo: {at: "
                   "[0, -0.5, 0]}, hi: {at: [0, 0.5, 0]}}}\n"
                   "  b: {mass: 1, inertia: [1, 1, 1], position: [1.1, 1.1, 0.1], markers: {lo: "
                   "{at: [-1, 0, 0]}, hi: {at: [1, 0, 0]}}}\n"
                   "  c: {mass: 1, inertia: [1, 1, 1], position: [2.2, 0.6, 0], markers: {lo: {at: "
                   "[0, -0.6, 0]}, hi: {at: [0, 0.6, 0]}}}\n"
                   "joints:\n"
                   "  j1: {type: revolute, between: [ground, a.lo], at: [0, 0, 0], axis: z}\n"
                   "  j2: {type: revolute, between: [a.hi, b.lo]}\n"
                   "  j3: {type: revolute, between: [b.hi, c.hi]}\n"
                   "  j4: {type: revolute, between: [ground, c.lo], at: [2, 0, 0], axis: z}\n");
    kl_solver *x;
    kl_status  status = assemble(&b, &x);
    if (status != KL_OK) print_messages(b.diag);
    assert_int_equal(status, KL_OK);
    kl_drift d = kl_solver_drift(x);
    assert_true(d.position < 1e-12 && d.rotation < 1e-12);
    kl_solver_destroy(x);
    built_free(&b);
}

static void fixed_values_are_kept_and_guesses_follow(void **unused)
{
    (void)unused;
    built      b = must_build("klingel: 1\nbodies:\n"
                                   "  crank: {mass: 1, inertia: [1, 1, 1], position: [0.5, 0, 0], omega: [0, "
                                   "0, 3], fixed: [omega]}\n"
                                   "  rod: {mass: 1, inertia: [1, 1, 1], position: [1.5, 0, 0]}\n"
                                   "joints:\n"
                                   "  A: {type: revolute, between: [ground, crank], at: [0, 0, 0], axis: z}\n"
                                   "  B: {type: revolute, between: [crank, rod], at: [1, 0, 0], axis: z}\n");
    kl_solver *x;
    assert_int_equal(assemble(&b, &x), KL_OK);
    assert_close(x->s->v[5], 3.0, 1e-14);
    assert_close(x->s->v[1], 1.5, 1e-12);
    kl_drift d = kl_solver_drift(x);
    assert_true(d.rate < 1e-12);
    kl_solver_destroy(x);
    built_free(&b);
}

static void what_cannot_close_is_named_with_its_gap(void **unused)
{
    (void)unused;
    built b =
        must_build("klingel: 1\nbodies: {a: {mass: 1, inertia: [1, 1, 1], fixed: [position, "
                   "orientation], markers: {tip: {at: [1, 0, 0]}}}}\n"
                   "joints: {far: {type: spherical, between: [ground, a.tip], at: [1.5, 0, 0]}}\n");
    kl_solver *x;
    assert_int_equal(assemble(&b, &x), KL_E_ASSEMBLY);
    assert_true(told(b.diag, "'far' does not close: 500 mm"));
    kl_solver_destroy(x);
    built_free(&b);
}

static void contradicting_velocities_are_named(void **unused)
{
    (void)unused;
    built b = must_build("klingel: 1\nbodies: {a: {mass: 1, inertia: [1, 1, 1], velocity: [1, 0, "
                         "0], fixed: [velocity]}}\n"
                         "joints: {pin: {type: spherical, between: [ground, a], at: [0, 0, 0]}}\n");
    kl_solver *x;
    assert_int_equal(assemble(&b, &x), KL_E_ASSEMBLY);
    assert_true(told(b.diag, "'pin'"));
    assert_true(told(b.diag, "violate this joint by 1 m/s"));
    kl_solver_destroy(x);
    built_free(&b);
}

static void axes_that_meet_head_on_are_refused(void **unused)
{
    (void)unused;
    built      b = must_build("klingel: 1\nbodies: {a: {mass: 1, inertia: [1, 1, 1]}}\n"
                                   "joints: {h: {type: revolute, between: [ground, a], at: [0, 0, 0],\n"
                                   "  axis: [z, [0, -sin(175 deg), cos(175 deg)]]}}\n");
    kl_solver *x;
    kl_status  status = assemble(&b, &x);
    assert_int_equal(status, KL_E_ASSEMBLY);
    assert_true(told(b.diag, "axes in opposite directions"));
    kl_solver_destroy(x);
    built_free(&b);
}

/* A body across its track is as near to either way: it is turned the right one. */
static void a_body_across_its_track_is_turned_along_it(void **unused)
{
    (void)unused;
    for (int angle = -90; angle <= 90; angle += 15) {
        char text[600];
        snprintf(text, sizeof text,
                 "klingel: 1\ntracks: {c: {points: [[4, 0, 0], [0, 3, 0.5], [-4, 0, 0], [0, -3, "
                 "0.5]], closed: true, spline: quintic}}\n"
                 "bodies: {b: {mass: 2, inertia: [0.1, 0.2, 0.2], position: [4, 0, 0], "
                 "orientation: {axis: z, angle: %d deg}},\n"
                 "  free: {mass: 1, inertia: [1, 1, 1], position: [1, 2, 3]}}\n"
                 "joints: {j: {type: path, body: b, track: c, follow: direction, s: 0 m}}\n",
                 90 + angle);
        built      b = must_build(text);
        kl_solver *x;
        kl_status  status = assemble(&b, &x);
        if (status != KL_OK) fail_msg("%d deg off: %s", angle, kl_diag_at(b.diag, 0)->text);
        int q = b.model->body[2].q; /* what it does not concern stays */
        assert_memory_equal(x->s->q + q, b.model->q0 + q, 7 * sizeof(double));
        kl_solver_destroy(x);
        built_free(&b);
    }
}

/* 0.1*3 is not 0.3 in a computer; a micrometre is meant. */
static void a_point_mass_forgives_rounding_and_no_more(void **unused)
{
    (void)unused;
    built b =
        must_build("klingel: 1\nbodies: {p: {type: point, mass: 1, position: [0.1*3, 0, 0]}}\n"
                   "forces: {s: {type: spring-damper, between: [ground, p], at: [[0, 0, 1], [0.3, "
                   "0, 0]], stiffness: 10}}\n");
    built_free(&b);
    assert_int_not_equal(
        try_build("klingel: 1\nbodies: {p: {type: point, mass: 1, position: [0.300001, 0, 0]}}\n"
                  "forces: {s: {type: spring-damper, between: [ground, p], at: [[0, 0, 1], [0.3, "
                  "0, 0]], stiffness: 10}}\n",
                  &b),
        KL_OK);
    assert_true(told(b.diag, "attach at its position"));
    built_free(&b);
}

/* Two hinges on one line hold four directions twice: the motion is that of one hinge, the reactions are the smallest. */
static void redundant_joints_share_the_load(void **unused)
{
    (void)unused;
    built b = must_build(
        "klingel: 1\nbodies: {door: {mass: 10, inertia: [1, 1, 1], position: [0.4, 0, 1]}}\n"
        "joints:\n"
        "  low: {type: revolute, between: [ground, door], at: [0, 0, 0.2], axis: z}\n"
        "  high: {type: revolute, between: [ground, door], at: [0, 0, 1.8], axis: z}\n");
    kl_simulation *s = NULL;
    const double  *v;
    assert_int_equal(kl_simulation_create(b.model, b.diag, &s), KL_OK);
    assert_int_equal(kl_simulation_start(s, b.diag), KL_OK);
    assert_int_equal(kl_simulation_sample(s, b.diag, &v), KL_OK);
    double low  = v[kl_channels_find(s->channels, "low.force.z")],
           high = v[kl_channels_find(s->channels, "high.force.z")];
    assert_close(low + high, 98.1, 1e-8);
    assert_close(low, high, 1e-8);
    assert_close(v[kl_channels_find(s->channels, "door.acceleration.z")], 0, 1e-10);
    kl_simulation_destroy(s);
    built_free(&b);
}

/* Newton's step keeps links in one line there; the triangle of sides 1, 1 and 1.6 is reached from a
 * nudge, on one side or the other. */
static void links_in_one_line_fold(void **unused)
{
    (void)unused;
    built b = must_build(
        "klingel: 1\nbodies:\n"
        "  a: {mass: 1, inertia: [1, 1, 1], position: [0.5, 0, 0]}\n"
        "  b: {mass: 1, inertia: [1, 1, 1], position: [1.5, 0, 0]}\n"
        "joints:\n"
        "  A: {type: revolute, between: [ground, a], at: [0, 0, 0], axis: z}\n"
        "  B: {type: revolute, between: [a, b], at: [1, 0, 0], axis: z}\n"
        "  C: {type: revolute, between: [ground, b], at: [[1.6, 0, 0], [2, 0, 0]], axis: z}\n");
    kl_solver *x;
    assert_int_equal(assemble(&b, &x), KL_OK);
    assert_true(told(b.diag, "to choose a side"));
    assert_close(x->s->q[b.model->body[1].q], 0.4, 1e-9);
    assert_close(fabs(x->s->q[b.model->body[1].q + 1]), 0.3, 1e-9);
    kl_solver_destroy(x);
    built_free(&b);
}

/* Rounding errors of a coordinate of 1e7 m are 2e-9 m: the motion is as good as that. */
static void a_pendulum_swings_far_from_the_origin(void **unused)
{
    (void)unused;
    const int each[] = {KL_GENERALIZED_ALPHA, KL_RUNGE_KUTTA, KL_GEAR};
    double    near[3];
    for (int far = 0; far < 2; far++)
        for (int k = 0; k < 3; k++) {
            char text[512];
            snprintf(
                text, sizeof text,
                "klingel: 1\ngravity: [0, 0, -9.81]\nbodies: {a: {mass: 1, inertia: [1, 1, 1], "
                "position: [%s + 0.5, 0, 0]}}\njoints: {h: {type: revolute, between: [ground, a], "
                "at: [%s, 0, 0], axis: y}}\nrun: {end: 1}\n",
                far ? "1e7" : "0", far ? "1e7" : "0");
            built          b = must_build(text);
            kl_simulation *s;
            b.model->settings.integrator = each[k];
            b.model->settings.tolerance  = 1e-9;
            assert_int_equal(kl_simulation_create(b.model, b.diag, &s), KL_OK);
            assert_int_equal(kl_simulation_start(s, b.diag), KL_OK);
            while (s->solver->s->t < 1.0)
                assert_int_equal(kl_simulation_step(s, 1.0, b.diag), KL_OK);
            double z = s->solver->s->q[b.model->body[1].q + 2];
            if (!far) near[k] = z;
            else assert_close(z, near[k], 1e-5);
            kl_simulation_destroy(s);
            built_free(&b);
        }
}

/* how a motion is written down decides nothing: massless bodies between marker and joint follow */
static void virtual_bodies_have_no_say_in_where_a_body_is_brought(void **unused)
{
    (void)unused;
    static const char text[] =
        "klingel: 1\n"
        "bodies:\n"
        "  arm: {type: flexible, modes: 6, attach: %s, omega: [0.3, 0.5, 2], velocity: [0.1, 0.2, "
        "0.3],\n"
        "    file: {mesh: {line: [[0, 0, 0], [1 m, 0.1, 0], [1 m, 0.5 m, 0.3]], parts: 4}, modes: "
        "8,\n"
        "      materials: {steel: {E: 2 GPa, nu: 0.3, density: 7850 kg/m3}},\n"
        "      sections: {line: {material: steel, section: circle, radius: 10 mm}},\n"
        "      markers: {root: {at: [0, 0, 0]}, tip: {at: [1, 0.5, 0.3]}}}}\n"
        "  bob: {mass: 0.2, inertia: [1e-3, 2e-3, 3e-3]}\n"
        "joints:\n"
        "  root: {type: revolute, between: [ground, arm.root], axis: [0.2, 1, 0.1]}\n"
        "  hang: {type: universal, between: [arm.tip, bob], axis: [x, y], at: [0.05, 0, 0]}\n";
    double q[2][7], v[2][6];
    for (int i = 0; i < 2; i++) {
        char       model[1500];
        kl_solver *x;
        snprintf(model, sizeof model, text, i ? "virtual-body" : "marker");
        built b = must_build(model);
        assert_int_equal(assemble(&b, &x), KL_OK);
        memcpy(q[i], x->s->q + b.model->body[1].q, sizeof q[i]);
        memcpy(v[i], x->s->v + b.model->body[1].v, sizeof v[i]);
        kl_solver_destroy(x);
        built_free(&b);
    }
    for (int k = 0; k < 7; k++) assert_close(q[1][k], q[0][k], 1e-6);
    for (int k = 0; k < 6; k++) assert_close(v[1][k], v[0][k], 1e-5);
}

/* The impulse of the driver acts on both bodies and changes no momentum: with z as the axis,
 * J_tub w_tub + J_drum w_drum = 0 and w_drum - w_tub = 100 rad/s. */
static void a_driver_between_free_bodies_keeps_their_momentum(void **unused)
{
    (void)unused;
    built      b = must_build("klingel: 1\ngravity: [0, 0, 0]\nbodies:\n"
                                   "  tub: {mass: 1000, inertia: [90, 90, 120]}\n"
                                   "  drum: {mass: 1, inertia: [0.1, 0.1, 0.2]}\n"
                                   "joints:\n"
                                   "  bearing: {type: revolute, between: [tub, drum], at: [0.1, 0, 0], axis: "
                                   "z}\n"
                                   "  motor: {type: driver, of: bearing, value: {expression: \"100 rad/s * "
                                   "t\"}}\n");
    kl_solver *x;
    assert_int_equal(assemble(&b, &x), KL_OK);
    const double *tub = x->s->v + b.model->body[1].v, *drum = x->s->v + b.model->body[2].v;
    assert_close(drum[5] - tub[5], 100.0, 1e-9);
    for (int k = 0; k < 3; k++) assert_close(1000.0 * tub[k] + drum[k], 0.0, 1e-9);
    assert_close(120.0 * tub[5] + 0.2 * drum[5], 0.0, 1e-8);
    assert_true(told(b.diag, "least kinetic energy: 'drum' starts with"));
    kl_solver_destroy(x);
    built_free(&b);
}

/* Joints that fix all velocities leave nothing to choose and nothing to tell. */
static void a_driven_mechanism_without_a_choice_is_not_told_of(void **unused)
{
    (void)unused;
    built      b = must_build("klingel: 1\nbodies:\n"
                                   "  crank: {mass: 1, inertia: [1, 1, 1], position: [0.5, 0, 0]}\n"
                                   "joints:\n"
                                   "  A: {type: revolute, between: [ground, crank], at: [0, 0, 0], axis: z}\n"
                                   "  motor: {type: driver, of: A, value: {expression: \"3 rad/s * t\"}}\n");
    kl_solver *x;
    assert_int_equal(assemble(&b, &x), KL_OK);
    assert_close(x->s->v[b.model->body[1].v + 5], 3.0, 1e-9);
    assert_int_equal(kl_diag_size(b.diag), 0);
    kl_solver_destroy(x);
    built_free(&b);
}

/* A gap of 0.1 m between 99 kg and 1 kg is closed by 1 mm and 99 mm. */
static void the_lighter_body_moves(void **unused)
{
    (void)unused;
    built      b = must_build("klingel: 1\nbodies:\n"
                                   "  heavy: {type: point, mass: 99, position: [0, 0, 0]}\n"
                                   "  light: {type: point, mass: 1, position: [1.1, 0, 0]}\n"
                                   "joints: {rod: {type: distance, between: [heavy, light], at: [[0, 0, 0], "
                                   "[1.1, 0, 0]], length: 1}}\n");
    kl_solver *x;
    assert_int_equal(assemble(&b, &x), KL_OK);
    assert_close(x->s->q[b.model->body[1].q], 0.001, 1e-12);
    assert_close(x->s->q[b.model->body[2].q], 1.001, 1e-12);
    assert_true(told(b.diag, "assembly moved 'light' by 99 mm"));
    kl_solver_destroy(x);
    built_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_assembled_model_is_left_alone),
        cmocka_unit_test(the_change_is_the_least),
        cmocka_unit_test(a_four_bar_closes_from_a_rough_start),
        cmocka_unit_test(a_driver_between_free_bodies_keeps_their_momentum),
        cmocka_unit_test(a_driven_mechanism_without_a_choice_is_not_told_of),
        cmocka_unit_test(the_lighter_body_moves),
        cmocka_unit_test(fixed_values_are_kept_and_guesses_follow),
        cmocka_unit_test(what_cannot_close_is_named_with_its_gap),
        cmocka_unit_test(contradicting_velocities_are_named),
        cmocka_unit_test(axes_that_meet_head_on_are_refused),
        cmocka_unit_test(a_body_across_its_track_is_turned_along_it),
        cmocka_unit_test(a_point_mass_forgives_rounding_and_no_more),
        cmocka_unit_test(redundant_joints_share_the_load),
        cmocka_unit_test(links_in_one_line_fold),
        cmocka_unit_test(a_pendulum_swings_far_from_the_origin),
        cmocka_unit_test(virtual_bodies_have_no_say_in_where_a_body_is_brought),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
