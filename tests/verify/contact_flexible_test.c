/* Contact with flexible bodies: a ball on a plate against the theory of Zener, a beam on a stop against
 * Euler and Bernoulli, joints with clearance by marker and by virtual body. */
#include "verify/example.h"

static example e, f;

/* An infinite plate answers a force with the velocity F / Z, Z = 8 sqrt(D rho h), before waves come back
 * from its edges (Zener 1941). A mass m on a spring k against a dashpot Z rebounds with
 * exp(-pi l / sqrt(1 - l^2)), l = sqrt(m k) / (2 Z). */
static double rebound_of_zener(double m, double k)
{
    double E = 210e9, nu = 0.3, h = 5e-3, rho = 7850.0;
    double D = E * h * h * h / (12.0 * (1.0 - nu * nu)), Z = 8.0 * sqrt(D * rho * h);
    double l = sqrt(m * k) / (2.0 * Z);
    return exp(-3.141592653589793 * l / sqrt(1.0 - l * l));
}

static double rebound(const char *set)
{
    const char *const channels[] = {"ball_v_m_s", NULL};
    example_run("ball-on-plate", set, 0.6e-3, 0.1e-3, channels, &e);
    return example_last(&e, 0);
}

static void rebound_from_a_plate_is_that_of_zener(void **unused)
{
    (void)unused;
    double exact = rebound_of_zener(0.1, 1e7), few = rebound("modes=60"),
           all = rebound("modes=160");
    print_message("rebound from a plate: 60 modes %.4f, 160 modes %.4f, infinite plate %.4f\n", few,
                  all, exact);
    /* waves of up to 10 kHz are in the modes: the error is what the higher ones would give way */
    assert_true(fabs(all - exact) < 0.022 * exact);
    assert_true(fabs(all - exact) < 0.75 * fabs(few - exact));
    double soft = rebound("modes=160 stiffness=4MN/m");
    assert_true(fabs(soft - rebound_of_zener(0.1, 4e6)) < 0.02);
}

/* Between nodes, on an edge and on a corner of the net the ball meets the same plate, up to what linear
 * interpolation over elements of 21 mm leaves out. */
static void a_ball_meets_the_same_plate_everywhere(void **unused)
{
    (void)unused;
    double exact = rebound_of_zener(0.1, 1e7), inside = rebound("modes=160 x=5mm y=8mm"),
           edge = rebound("modes=160 x=10mm"), corner = rebound("modes=160 x=20.8333mm");
    print_message("inside an element %.4f, on an edge %.4f, at a node %.4f\n", inside, edge,
                  corner);
    assert_true(fabs(inside - exact) < 0.03 * exact);
    assert_true(fabs(edge - exact) < 0.03 * exact);
    assert_true(fabs(corner - exact) < 0.03 * exact);
}

static void energy_of_a_ball_and_a_plate_is_kept(void **unused)
{
    (void)unused;
    const char *const channels[] = {"energy_J", NULL};
    double            drift[2];
    for (int k = 0; k < 2; k++) {
        example_run("ball-on-plate", k ? "modes=40 tolerance=1e-9" : "modes=40 tolerance=1e-7",
                    0.6e-3, 0.05e-3, channels, &e);
        drift[k] = 0.0;
        for (int i = 0; i < e.n; i++)
            drift[k] = fmax(drift[k], fabs(e.value[i][0] - e.value[0][0]));
    }
    print_message("energy of 0.05 J changes by %.2g and %.2g J\n", drift[0], drift[1]);
    assert_true(drift[1] < 1e-6 && drift[1] < 0.3 * drift[0]);
}

/* ---- cantilever of Euler and Bernoulli that hits a spring ---- */

enum { MODES = 5 };

typedef struct cantilever {
    double w2[MODES], tip[MODES], stop[MODES], mass;
} cantilever;

static double characteristic(double x) { return cos(x) * cosh(x) + 1.0; }

static double root_near(double x)
{
    double a = x - 0.4, b = x + 0.4;
    for (int k = 0; k < 80; k++) {
        double c = 0.5 * (a + b);
        if ((characteristic(a) < 0.0) == (characteristic(c) < 0.0)) a = c;
        else b = c;
    }
    return 0.5 * (a + b);
}

static double mode_at(double root, double x) /* x: share of the length */
{
    double s = (cosh(root) + cos(root)) / (sinh(root) + sin(root)), y = root * x;
    return cosh(y) - cos(y) - s * (sinh(y) - sin(y));
}

static cantilever cantilever_of_steel(void)
{
    cantilever c = {.mass = 7850.0 * 4e-4 * 0.5};
    double     I = pow(0.02, 4) / 12.0;
    for (int i = 0; i < MODES; i++) {
        double root = root_near(i == 0 ? 1.875 : (i + 0.5) * 3.141592653589793);
        c.w2[i]     = pow(root / 0.5, 4) * 210e9 * I / (7850.0 * 4e-4);
        c.tip[i] = mode_at(root, 1.0), c.stop[i] = mode_at(root, 0.9);
    }
    return c;
}

static void rates(const cantilever *c, const double y[2 * MODES], double d[2 * MODES])
{
    double depth = -1e-3;
    for (int i = 0; i < MODES; i++) depth -= c->stop[i] * y[i];
    double F = 2e6 * fmax(depth, 0.0);
    for (int i = 0; i < MODES; i++) {
        d[i]         = y[MODES + i];
        d[MODES + i] = (-200.0 * c->tip[i] + F * c->stop[i]) / c->mass - c->w2[i] * y[i];
    }
}

/* Classical Runge-Kutta with steps of a microsecond. */
static void step(const cantilever *c, double y[2 * MODES])
{
    static const double at[] = {0.0, 0.5, 0.5, 1.0}, weight[] = {1.0, 2.0, 2.0, 1.0};
    double              h = 1e-6, d[2 * MODES] = {0}, sum[2 * MODES] = {0};
    for (int s = 0; s < 4; s++) {
        double x[2 * MODES];
        for (int i = 0; i < 2 * MODES; i++) x[i] = y[i] + at[s] * h * d[i];
        rates(c, x, d);
        for (int i = 0; i < 2 * MODES; i++) sum[i] += weight[s] * d[i];
    }
    for (int i = 0; i < 2 * MODES; i++) y[i] += h / 6.0 * sum[i];
}

static void a_beam_on_a_stop_moves_as_euler_and_bernoulli_say(void **unused)
{
    (void)unused;
    const char *const channels[]   = {"tip_m", "stop.impacts", NULL};
    cantilever        c            = cantilever_of_steel();
    double            y[2 * MODES] = {0}, worst = 0.0;
    int               k = 0;
    example_run("beam-on-stop", "", 0.010, 0.1e-3, channels, &e);
    for (int i = 0; i <= 10000 && k < e.n; i++) {
        double tip = 0.0;
        for (int j = 0; j < MODES; j++) tip += c.tip[j] * y[j];
        if (i % 100 == 0) worst = fmax(worst, fabs(tip - e.value[k++][0]));
        step(&c, y);
    }
    print_message("tip of the beam differs by %.2g of %.2g mm from Euler and Bernoulli\n",
                  1e3 * worst, 1e3 * example_peak(&e, 0));
    /* shear and rotary inertia, which the theory leaves out, are of the order (h/L)^2 a wavelength */
    assert_true(worst < 0.03 * example_peak(&e, 0));
    assert_true(example_last(&e, 1) >= 2.0);
}

/* ---- both ways to attach ---- */

static void skins_do_not_depend_on_virtual_bodies(void **unused)
{
    (void)unused;
    const char *const channels[] = {"tip_m", NULL};
    double            apart[2];
    for (int k = 0; k < 2; k++) {
        const char *marker = k ? "tolerance=1e-10" : "tolerance=1e-8";
        const char *body =
            k ? "attach=virtual-body tolerance=1e-10" : "attach=virtual-body tolerance=1e-8";
        example_run("beam-on-stop", marker, 0.006, 0.1e-3, channels, &e);
        example_run("beam-on-stop", body, 0.006, 0.1e-3, channels, &f);
        apart[k] = example_apart(&e, &f, 0);
    }
    print_message("skin, marker against virtual body: %.2g and %.2g m\n", apart[0], apart[1]);
    assert_true(apart[1] < 3e-7 && apart[1] < 0.2 * apart[0]);
}

/* Two flexible bars, the second one on a worn joint that is damped so that it settles. */
static const char *const worn_bars =
    "klingel: 1\n"
    "bodies:\n"
    "  upper: {type: flexible, file: %s/examples/flexible-double-pendulum/bar.yaml, attach: %s, "
    "modes: 4, damping: 0.02}\n"
    "  lower: {like: upper, position: [1, 0, 0]}\n"
    "joints:\n"
    "  pivot: {type: revolute, between: [ground, upper.left], axis: y}\n"
    "  hinge: {between: [upper.right, lower.left], %s, law: linear, stiffness: 1 MN/m, damping: "
    "500 N s/m}}\n"
    "outputs: {x: {of: lower, point: [1, 0, 0], quantity: position.x}, used: {expression: "
    "hinge.penetration}}\n"
    "run: {end: 0.2, every: 0.01}\n"
    "integrator: {tolerance: %g}\n";

static void run_bars(const char *attach, const char *joint, double tolerance, example *out)
{
    char text[2000];
    snprintf(text, sizeof text, worn_bars, KL_SOURCE_DIR, attach, joint, tolerance);
    built          b = must_build(text);
    kl_simulation *s = NULL;
    memset(out, 0, sizeof *out);
    assert_int_equal(kl_simulation_create(b.model, b.diag, &s), KL_OK);
    out->nchannel   = 2;
    out->channel[0] = kl_channels_find(s->channels, "x");
    out->channel[1] = kl_channels_find(s->channels, "used");
    kl_sink sink    = {.context = out, .row = example_row};
    assert_int_equal(kl_simulation_run(s, 0.2, 0.01, &sink, b.diag), KL_OK);
    kl_simulation_destroy(s);
    built_free(&b);
}

static void worn_joints_of_flexible_bodies_agree_both_ways(void **unused)
{
    (void)unused;
    static const char *const joints[] = {
        "type: revolute, axis: y, clearance: {radial: 0.2 mm, axial: 0.2 mm, radius: 20 mm, "
        "length: 40 "
        "mm",
        "type: cylindrical, axis: y, clearance: {radial: 0.2 mm, radius: 20 mm, length: 40 mm",
        "type: spherical, clearance: {radial: 0.2 mm, radius: 20 mm",
        "type: translational, axis: x, clearance: {radial: 0.2 mm, size: [40 mm, 40 mm], "
        "length: "
        "40 mm"};
    for (size_t k = 0; k < sizeof joints / sizeof *joints; k++) {
        run_bars("marker", joints[k], 1e-8, &e);
        run_bars("virtual-body", joints[k], 1e-8, &f);
        print_message("%.40s: marker against virtual body %.2g m, penetration %.2g m\n", joints[k],
                      example_apart(&e, &f, 0), example_peak(&e, 1));
        assert_true(example_peak(&e, 1) > 1e-7); /* the inner part has reached the outer one */
        assert_true(example_apart(&e, &f, 0) < 2e-6);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rebound_from_a_plate_is_that_of_zener),
        cmocka_unit_test(a_ball_meets_the_same_plate_everywhere),
        cmocka_unit_test(energy_of_a_ball_and_a_plate_is_kept),
        cmocka_unit_test(a_beam_on_a_stop_moves_as_euler_and_bernoulli_say),
        cmocka_unit_test(skins_do_not_depend_on_virtual_bodies),
        cmocka_unit_test(worn_joints_of_flexible_bodies_agree_both_ways),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
