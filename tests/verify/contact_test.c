/* Contact examples against reference solutions that were computed elsewhere. Those of rigid contact are
 * met up to the compliance that the examples state. */
#include "verify/example.h"

#include "unit/csv_table.h"

typedef struct against {
    const char *example, *set, *reference, *column;
    double      end, allowed; /* in the unit of the column */
} against;

static double reference_at(const table *t, int row, const char *name)
{
    const char *word = t->header; /* names, each ended by zero */
    for (int c = 0; c < t->columns; c++, word += strlen(word) + 1)
        if (strcmp(word, name) == 0) return table_at(t, row, c);
    fail_msg("the reference has no column %s", name);
    return 0.0;
}

static example e;

/* Largest difference of one column over the rows up to `end`. */
static void compare(const against *a)
{
    char path[512];
    snprintf(path, sizeof path, "%s/tests/data/reference/%s.csv", KL_SOURCE_DIR, a->reference);
    table             t          = table_read(path);
    const char *const channels[] = {a->column, NULL};
    double            every = table_at(&t, 1, 0), worst = 0.0;
    int               rows = 0;
    example_run(a->example, a->set, a->end, every, channels, &e);
    for (int i = 0; i < e.n && i < t.rows; i++, rows++) {
        assert_close(e.t[i], table_at(&t, i, 0), 1e-9);
        worst = fmax(worst, fabs(e.value[i][0] - reference_at(&t, i, a->column)));
    }
    if (rows < 15 || !(worst <= a->allowed))
        fail_msg("%s %s, %s: %d rows, differs by %.3g, allowed %.3g", a->example, a->set, a->column,
                 rows, worst, a->allowed);
    table_free(&t);
}

static const against cases[] = {
    /* compliant references: 1e-6 of the size and better */
    {"bouncing-ball", "law=lankarani-nikravesh", "drop_LN", "h_m", 2.0, 1e-7},
    {"bouncing-ball", "law=hunt-crossley", "drop_HC", "h_m", 2.0, 1e-7},
    {"newtons-cradle", "incoming=1", "cradle_hertz_1in", "u5_m", 1e-3, 1e-9},
    {"newtons-cradle", "incoming=1", "cradle_hertz_1in", "v3_m_s", 1e-3, 1e-7},
    {"worn-slider-crank", "clearance=0.1mm", "slidercrank_clearance_0p1mm", "x_m", 0.006, 1e-8},
    {"football", "mu=0.1", "football_axisX_mu0.1", "penetration_m", 1.6,
     2e-5}, /* negative: a gap */
    {"football", "mu=0.1", "football_axisX_mu0.1", "z_m", 1.9, 2e-5},
    {"football", "mu=0.5", "football_axisX_mu0.5", "x_m", 3.0, 2e-5}, /* touches the end arcs */
    /* rigid references: the compliance of the examples is left */
    {"billiard-ball", "vx=2", "billiard_stun", "x_m", 2.0, 2e-6},
    {"billiard-ball", "vx=1.5 wx=40 wy=-30 wz=10", "billiard_masse", "y_m", 2.0, 2e-6},
    {"ball-in-bowl", "angle=60deg", "bowl_planar_60deg", "theta_rad", 2.0, 2e-5},
    {"ball-in-bowl", "angle=40deg v0=0.8", "bowl_3d_nospin", "y_m", 2.0, 2e-5},
    {"rolling-disc", "tilt=30deg", "disc_steady30", "dx", 0.5, 1e-6},
    {"tippe-top", "mu=0.3", "tippetop_coulomb", "z_m", 1.5, 2e-6},
    {"belt", "speed=0.1", "belt_stickslip", "x_m", 2.0, 2e-6},
};

static void examples_meet_their_references(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) compare(&cases[i]);
}

/* A compliant floor comes nearer to the rigid reference as its stiffness grows. */
static void error_of_the_tippe_top_falls_with_stiffness(void **unused)
{
    (void)unused;
    static const char *const sets[]     = {"k=1e4", "k=1e5"};
    static const char *const channels[] = {"z_m", NULL};
    double                   worst[2]   = {0, 0};
    table t = table_read(KL_SOURCE_DIR "/tests/data/reference/tippetop_coulomb.csv");
    for (int k = 0; k < 2; k++) {
        example_run("tippe-top", sets[k], 1.0, table_at(&t, 1, 0), channels, &e);
        for (int i = 0; i < e.n && i < t.rows; i++)
            worst[k] = fmax(worst[k], fabs(e.value[i][0] - reference_at(&t, i, "z_m")));
    }
    table_free(&t);
    assert_true(worst[1] < 0.2 * worst[0]);
}

/* 004, example 5.1: falls off the floor at mu 0.01 only; only mu 0.5 touches the end arcs */
static void football_falls_off_and_touches_as_in_the_thesis(void **unused)
{
    (void)unused;
    static const char *const channels[] = {"z_m", "curv_arc", "y_m", NULL};
    example_run("football", "mu=0.01", 3.0, 0.01, channels, &e);
    assert_true(example_last(&e, 2) >= 1.0 && e.t[e.n - 1] < 2.5); /* the run ends at the edge */
    example_run("football", "mu=0.1", 2.5, 0.01, channels, &e);
    assert_true(example_last(&e, 0) > 0.08);
    for (int i = 0; i < e.n; i++) assert_true(e.value[i][1] == 0.0 || e.value[i][1] == 2.0);
    bool ends = false;
    example_run("football", "mu=0.5", 2.5, 0.01, channels, &e);
    for (int i = 0; i < e.n; i++) ends |= e.value[i][1] == 1.0 || e.value[i][1] == 3.0;
    assert_true(ends);
}

/* How far the energy balance is from its start, from a time on. */
static double balance_off(double from)
{
    double worst = 0.0;
    for (int i = 0; i < e.n; i++)
        if (e.t[i] >= from) worst = fmax(worst, fabs(e.value[i][0] - e.value[0][0]));
    return worst;
}

/* 004, example 5.1: at mu 0.1 the energy is constant to 1e-4 J after 3 s. What the damper takes until it lets go, long
 * before the ball leaves the floor, is in the balance: its error falls with the tolerance. */
static void energy_of_the_football_is_constant_after_three_seconds(void **unused)
{
    (void)unused;
    static const char *const channels[] = {"energy.balance", "energy.total", NULL};
    double                   off[2];
    for (int k = 0; k < 2; k++) {
        example_run("football", k ? "mu=0.1 tolerance=1e-10" : "mu=0.1 tolerance=1e-8", 0.5, 0.01,
                    channels, &e);
        off[k] = balance_off(0.0);
    }
    example_run("football", "mu=0.1", 4.0, 0.01, channels, &e);
    double least = 1e9, most = 0.0;
    for (int i = 0; i < e.n; i++)
        if (e.t[i] >= 3.0) least = fmin(least, e.value[i][1]), most = fmax(most, e.value[i][1]);
    print_message("balance off by %.1e J after 0.5 s (tolerance 1e-10: %.1e), by %.1e J after 3 s; "
                  "energy then constant to %.1e J\n",
                  off[0], off[1], balance_off(3.0), most - least);
    assert_true(most - least < 1e-4);
    assert_true(off[1] < 0.1 * off[0]);
    assert_true(balance_off(3.0) < 3e-4);
}

/* Each law that the example names: rolling, theta'' = -(2/3) g sin(theta)/(R - r), here by its series at 60 degrees. */
static void roller_in_a_cylinder_rolls_with_every_law(void **unused)
{
    (void)unused;
    static const char *const channels[] = {"x_m", "z_m", NULL};
    static const char *const laws[]     = {"law=kelvin-voigt", "law=hunt-crossley", "law=linear"};
    const double             R = 0.45, t = 0.05, start = acos(0.5);
    double a = -2.0 / 3.0 * 9.81 / R * sin(start), b = -2.0 / 3.0 * 9.81 / R * cos(start) * a,
           theta = start + 0.5 * a * t * t + b * t * t * t * t / 24.0;
    for (size_t i = 0; i < sizeof laws / sizeof *laws; i++) {
        example_run("roller-in-cylinder", laws[i], t, t, channels, &e);
        print_message("%s: x off by %.1e m\n", laws[i], example_last(&e, 0) - R * sin(theta));
        assert_close(example_last(&e, 0), R * sin(theta), 1e-4); /* sliding: 1.8e-3 */
    }
}

/* 004, section 6.2: at 10.3 s wheel arc SG78 (7) on rail arc SE56 (5), the tread has lost contact; when
 * the force is gone, tread on crown and flange root on shoulder. The push comes 8 s earlier here. */
static void wheelset_touches_the_arcs_of_the_thesis(void **unused)
{
    (void)unused;
    static const char *const channels[] = {"wheel_arcs_right", "rail_arcs_right", "y_m", NULL};
    bool                     both       = false;
    example_run("wheelset-of-arcs", "early=8", 2.6, 0.01, channels, &e);
    for (int i = 0; i < e.n; i++) {
        if (fabs(e.t[i] - 2.3) < 1e-9) {
            assert_close(e.value[i][0], 64.0, 0.0);
            assert_close(e.value[i][1], 16.0, 0.0);
        }
        if (e.t[i] > 2.4) both |= e.value[i][0] == 192.0 && e.value[i][1] == 12.0;
        if (e.t[i] > 1.5 && e.t[i] < 1.9) assert_close(e.value[i][0], 128.0, 0.0);
    }
    assert_true(both);
}

/* The flange must be found in time whatever the step: contact that is noticed late throws the wheel up. */
static void wheelset_meets_the_flange_at_any_step(void **unused)
{
    (void)unused;
    static const char *const steps[]    = {"early=8 step=1e-3", "early=8 step=5e-4"};
    static const char *const channels[] = {"y_m", NULL};
    double                   y[2];
    for (int k = 0; k < 2; k++) {
        example_run("wheelset-of-arcs", steps[k], 2.3, 0.1, channels, &e);
        y[k] = example_last(&e, 0);
    }
    assert_close(y[0], y[1], 1e-4);
}

/* Sticks for ten minutes below the friction angle. Laws without memory creep: that can be seen. */
static void block_on_an_incline_sticks(void **unused)
{
    (void)unused;
    static const char *const channels[] = {"x_m", NULL};
    example_run("block-on-incline", "angle=15deg", 600.0, 10.0, channels, &e);
    assert_close(example_last(&e, 0), e.value[1][0], 1e-11);
    example_run("block-on-incline", "angle=15deg friction=threlfall", 600.0, 10.0, channels, &e);
    assert_true(example_last(&e, 0) > 1.0);
}

/* a = g (sin - mu cos) above the friction angle, with each integrator; without tangential damping the
 * change from sticking to slipping is met once and not again and again */
static void block_on_an_incline_slides(void **unused)
{
    (void)unused;
    static const char *const sets[]     = {"angle=20deg", "angle=20deg integrator=1", "angle=17deg",
                                           "angle=20deg c_t=0", "angle=20deg c_t=0 integrator=1"};
    static const char *const channels[] = {"a_m_s2", NULL};
    for (size_t k = 0; k < sizeof sets / sizeof *sets; k++) {
        double angle = (k == 2 ? 17.0 : 20.0) * KL_PI / 180.0,
               a     = 9.81 * (sin(angle) - 0.3 * cos(angle));
        example_run("block-on-incline", sets[k], 2.0, 0.1, channels, &e);
        for (int i = 10; i < e.n; i++) assert_close(e.value[i][0], a, 1e-6 * a);
        assert_true(e.steps < 1000);
    }
}

/* 002, section 1.4.3: revolutions fall with the clearance of the bearing of the crank and the stroke ends
 * later; zero clearance comes to lie on the perfect joint as its stiffness grows. */
static void worn_spatial_slider_crank_loses_revolutions(void **unused)
{
    (void)unused;
    static const char *const sets[]     = {"tolerance=1e-7", "tolerance=1e-7 clearance=0.1mm",
                                           "tolerance=1e-7 clearance=1mm"};
    static const char *const channels[] = {"crank_angle_rad", "slider_x_m", NULL};
    double                   turned[3], later[3];
    for (int k = 0; k < 3; k++) {
        example_run("spatial-slider-crank", sets[k], 1.2, 0.005, channels, &e);
        turned[k] = example_last(&e, 0);
        later[k]  = 0.0;
        for (int i = 100; i < e.n && e.value[i][1] >= e.value[i - 1][1] - 1e-3; i++)
            later[k] = e.t[i]; /* the second end of the stroke, after 0.5 s */
    }
    assert_true(turned[0] > turned[1] + 0.5 && turned[1] > turned[2] + 1.0);
    assert_true(later[1] > later[0]);
}

static void zero_clearance_is_the_perfect_joint(void **unused)
{
    (void)unused;
    static const char *const sets[]     = {"tolerance=1e-8",
                                           "tolerance=1e-8 clearance=0 restitution=1 k=1e9",
                                           "tolerance=1e-8 clearance=0 restitution=1 k=1e11"};
    static const char *const channels[] = {"crank_angle_rad", NULL};
    double                   turned[3];
    for (int k = 0; k < 3; k++) {
        example_run("spatial-slider-crank", sets[k], 0.3, 0.01, channels, &e);
        turned[k] = example_last(&e, 0);
    }
    assert_true(fabs(turned[2] - turned[0]) < 0.2 * fabs(turned[1] - turned[0]));
    assert_close(turned[2], turned[0], 1e-3);
}

/* What a law delivers is what comes back: energy is in the balance. */
static void energy_balance_of_impacts_closes(void **unused)
{
    (void)unused;
    static const char *const channels[] = {"energy.balance", "energy.lost", NULL};
    example_run("bouncing-ball", "law=flores", 2.0, 0.01, channels, &e);
    for (int i = 0; i < e.n; i++) assert_close(e.value[i][0], e.value[0][0], 1e-6 * 40.0);
    assert_true(example_last(&e, 1) > 30.0);
}

/* Depth of a ball at the end of the step that meets the floor, with steps of 1 ms (Ambrosio 2019, figure
 * 1.14): as far as it falls in a step, or no more than is allowed. */
static double depth_at_touch(const char *penetration, double height)
{
    char text[600];
    snprintf(text, sizeof text,
             "klingel: 1\nbodies: {ball: {mass: 1, inertia: [1, 1, 1], position: [0, 0, %g]}}\n"
             "contacts:\n  floor: {between: [ball, ground], shapes: [{sphere: 0.1}, plane], law: "
             "linear, stiffness: 1e5}\nintegrator: {step: 1 ms%s}\n",
             0.1 + height, penetration);
    built          b     = must_build(text);
    kl_simulation *s     = NULL;
    double         depth = 0.0;
    assert_int_equal(kl_simulation_create(b.model, b.diag, &s), KL_OK);
    assert_int_equal(kl_simulation_start(s, b.diag), KL_OK);
    while (depth == 0.0 && s->solver->s->t < 1.0) {
        double before = s->solver->s->q[2] - 0.1;
        assert_int_equal(kl_simulation_step(s, 1.0, b.diag), KL_OK);
        double after = s->solver->s->q[2] - 0.1;
        if (before > 1e-5 && after < 1e-5) depth = fabs(after);
    }
    kl_simulation_destroy(s);
    built_free(&b);
    return depth;
}

static void penetration_at_first_touch_is_controlled(void **unused)
{
    (void)unused;
    double most[2] = {0.0, 0.0};
    for (int i = 0; i < 12; i++) {
        double height = 0.5 + 0.003 * i;
        most[0]       = fmax(most[0], depth_at_touch(", penetration: 1 m", height));
        most[1]       = fmax(most[1], depth_at_touch(", penetration: 1e-6", height));
    }
    print_message(
        "penetration at first touch: %.2g m without control, %.2g m with 1e-6 m allowed\n", most[0],
        most[1]);
    assert_true(most[0] > 1e-3 && most[1] <= 1e-6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(examples_meet_their_references),
        cmocka_unit_test(error_of_the_tippe_top_falls_with_stiffness),
        cmocka_unit_test(football_falls_off_and_touches_as_in_the_thesis),
        cmocka_unit_test(energy_of_the_football_is_constant_after_three_seconds),
        cmocka_unit_test(roller_in_a_cylinder_rolls_with_every_law),
        cmocka_unit_test(wheelset_touches_the_arcs_of_the_thesis),
        cmocka_unit_test(wheelset_meets_the_flange_at_any_step),
        cmocka_unit_test(block_on_an_incline_sticks),
        cmocka_unit_test(block_on_an_incline_slides),
        cmocka_unit_test(worn_spatial_slider_crank_loses_revolutions),
        cmocka_unit_test(zero_clearance_is_the_perfect_joint),
        cmocka_unit_test(energy_balance_of_impacts_closes),
        cmocka_unit_test(penetration_at_first_touch_is_controlled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
