/* Templates of vehicle parts and the elements behind them against closed forms. */
#include <math.h>

#include "unit/solve/simulate.h"

static rows r;

/* A block on a slide under a constant force: where it comes to rest. */
static double rest(const char *part, const char *axis, double force, double mass)
{
    static const char *const names[] = {"way.displacement", NULL};
    char                     text[4096];
    snprintf(
        text, sizeof text,
        "klingel: 1\ninclude: [klingel:vehicles/suspension.yaml]\ngravity: 0\nbodies: {b: {mass: "
        "%g, "
        "inertia: [1, 1, 1]}}\njoints: {way: {type: translational, between: [ground, b], at: "
        "[0, 0, 0], axis: %s}}\nforces:\n  f: {type: force, on: b, at: [0, 0, 0], axis: %s, value: "
        "%g}\n  d: {type: slide-spring-damper, of: way, damping: 2e4}\nparts:\n  p: %s\n"
        "run: {start: equilibrium}\n",
        mass, axis, axis, force, part);
    built b = must_build(text);
    simulate(&b, 1e-3, 1e-3, names, &r, NULL);
    built_free(&b);
    return r.value[0][0];
}

/* Small load: 1/k = l^3/(12 B) + l/S with B, S of the coil; axial G d^4/(8 n D^3). A load of 60 kN
 * lowers the shear stiffness; it vanishes where the spring buckles sideways. */
static void a_coil_has_shear_stiffness(void **unused)
{
    (void)unused;
    const double d = 0.04, D = 0.24, n = 5.0, l = 0.4, E = 206e9, G = 78.5e9, pi = acos(-1.0);
    double       I = pi * pow(d, 4) / 64.0, R = D / 2.0;
    double       B = l / (pi * n * R * (1.0 / (E * I) + 1.0 / (2.0 * G * I))),
           S       = l * E * I / (pi * n * R * R * R);
    double soft =
        rest("{template: helical_spring, parameters: {first: ground, second: b, load: 0 N}}", "x",
             100.0, 1.0);
    assert_close(soft, 100.0 * (pow(l, 3) / (12.0 * B) + l / S), 1e-5 * soft);
    double up =
        rest("{template: helical_spring, parameters: {first: ground, second: b, load: 0 N}}", "z",
             100.0, 1.0);
    assert_close(up, 100.0 * 8.0 * n * pow(D, 3) / (G * pow(d, 4)), 1e-9);
    /* Haringx with a load, by the solution of the beam that shears: w'' + q^2 w = ..., from its transfer
     * matrix: the lateral force and the load turn the ends by nothing */
    double F = 60e3, q = sqrt(F / B * (1.0 + F / S)),
           k = F / (2.0 / q * (1.0 + F / S) * tan(q * l / 2.0) - l);
    double loaded =
        rest("{template: helical_spring, parameters: {first: ground, second: b, load: 60 kN}}", "y",
             100.0, 1.0);
    assert_close(loaded, 100.0 / k, 1e-6 * loaded);
    assert_true(loaded > 1.02 * soft);
}

/* Layers at angle a: the stiffness tensor of one chevron turned by its angles, added for a pair. */
static void a_chevron_adds_its_turned_layers(void **unused)
{
    (void)unused;
    const double pi = acos(-1.0), a = 12.0 * pi / 180.0, v = 35.0 * pi / 180.0, Kc = 7e6,
                 Ks  = 0.35e6;
    const char *part = "{template: chevron, parameters: {first: ground, second: b, load: 0 N}}";
    double      K[3] = {0};
    for (int flank = -1; flank <= 1;
         flank += 2) /* two halves, each half the stiffness, of each chevron */
        for (int end = -1; end <= 1; end += 2) {
            double nrm[3] = {end * cos(v) * cos(a), flank * sin(v), cos(v) * sin(a)};
            double size   = sqrt(nrm[0] * nrm[0] + nrm[1] * nrm[1] + nrm[2] * nrm[2]);
            assert_close(size, 1.0, 1e-12);
            for (int i = 0; i < 3; i++) K[i] += 0.5 * (Ks + (Kc - Ks) * nrm[i] * nrm[i]);
        }
    static const char *const axis[] = {"x", "y", "z"};
    for (int i = 0; i < 3; i++)
        assert_close(rest(part, axis[i], 1000.0, 1.0), 1000.0 / K[i], 1e-9 * 1000.0 / K[i]);
}

/* The bellows driven up and down: slowly against both volumes, fast against the bellows alone. */
static double air_stiffness(const char *orifice, double frequency)
{
    static const char *const names[] = {"p.air.push", "m.value", NULL};
    char                     text[2048];
    snprintf(
        text, sizeof text,
        "klingel: 1\ninclude: [klingel:vehicles/suspension.yaml]\ngravity: 0\n"
        "bodies: {b: {mass: 1000, inertia: [1, 1, 1], position: [0, 0, 0.1]}}\n"
        "joints:\n  way: {type: translational, between: [ground, b], at: [0, 0, 0.1], axis: z}\n"
        "  m: {type: driver, of: way, coordinate: displacement, value: {harmonic: {amplitude: 0.1 "
        "mm, frequency: %g Hz}}}\n"
        "parts:\n  p: {template: air_spring, parameters: {first: ground, second: b, load: 45 kN, "
        "exponent: "
        "1.4, orifice: %s}}\n"
        "integrator: {tolerance: 1e-10}\n",
        frequency, orifice);
    built b = must_build(text);
    simulate(&b, 1.25 / frequency, 0.25 / frequency, names, &r, NULL);
    double k =
        (r.value[0][0] - r.value[r.count - 1][0]) / 1e-4; /* at the top of the second cycle */
    built_free(&b);
    return k;
}

static void an_air_spring_is_softer_with_its_auxiliary_volume(void **unused)
{
    (void)unused;
    double A = 0.18, p0 = 101325.0 + 45e3 / A, V1 = 0.03, V2 = 0.04;
    assert_close(air_stiffness("0 m2", 1.0), 1.4 * p0 * A * A / V1, 0.01 * 1.4 * p0 * A * A / V1);
    assert_close(air_stiffness("100 cm2", 1.0), 1.4 * p0 * A * A / (V1 + V2),
                 0.01 * 1.4 * p0 * A * A / V1);
}

/* Driven once around with amplitude a, far beyond the presliding length y0: the friction loses
 * 4 L (a - y0 ...) each cycle: exactly 4 L a (1 - y0/a tanh(a/y0)) for a constant limit L (Dahl's loop,
 * by integrating g(x) = +-1 -+ (1 -+ g0) exp(-|x|/y0)). The work of the driver over a cycle is that. */
static void a_friction_spring_loses_the_area_of_dahls_loop(void **unused)
{
    (void)unused;
    static const char *const names[] = {"energy.lost", "p.friction", NULL};
    const double             L = 500.0, a = 0.01, y0 = 0.004;
    built                    b = must_build(
                           "klingel: 1\ngravity: 0\nbodies: {b: {mass: 1, inertia: [1, 1, 1]}}\n"
                                              "joints:\n  way: {type: translational, between: [ground, b], at: [0, 0, 0], axis: z}\n"
                                              "  m: {type: driver, of: way, coordinate: displacement, value: {harmonic: {amplitude: 10 "
                                              "mm, frequency: 1 Hz}}}\n"
                                              "forces: {p: {type: friction-spring, between: [ground, b], at: [0, 0, 0], limit: 500 N, "
                                              "presliding: 4 "
                                              "mm}}\nintegrator: {tolerance: 1e-9}\n");
    simulate(&b, 7.25, 1.0, names, &r, NULL);
    double cycle = r.value[7][0] - r.value[6][0];
    double exact = 4.0 * L * a * (1.0 - y0 / a * tanh(a / y0));
    assert_close(cycle, exact, 2e-3 * exact);
    built_free(&b);
}

/* A block pressed on a plate with 1 kN and friction 0.3 slides 5 m/s to rest: v^2/(2 mu N/m), straight
 * on in the direction that it was thrown in. */
static void a_side_bearer_brakes_in_its_plane(void **unused)
{
    (void)unused;
    static const char *const names[] = {"b.position.x", "b.position.y", "p.push", NULL};
    built                    b       = must_build(
                                 "klingel: 1\ngravity: 0\nbodies: {b: {mass: 50, inertia: [1, 1, 1], velocity: [3, 4, 0]}}\n"
                                                          "joints: {plate: {type: planar, between: [ground, b], at: [0, 0, 0], axis: z}}\n"
                                                          "forces: {p: {type: friction-spring, between: [ground, b], at: [0, 0, 0], direction: "
                                                          "plane, "
                                                          "stiffness: 1e6, load: 1 kN, friction: 0.3, presliding: 0.1 mm}}\n"
                                                          "integrator: {tolerance: 1e-7}\n");
    simulate(&b, 1.2, 0.4, names, &r, NULL);
    double way = 25.0 / (2.0 * 0.3 * 1000.0 / 50.0), x = r.value[r.count - 1][0],
           y = r.value[r.count - 1][1];
    assert_close(hypot(x, y), way, 1e-3 * way);
    assert_close(y / x, 4.0 / 3.0, 1e-3);
    assert_close(r.value[r.count - 1][2], 1000.0, 1e-6);
    built_free(&b);
}

/* A coupler pulls only and a buffer presses only, also when cars move apart and together at 2 m/s, so fast that damping
 * alone would turn their forces round. The closed form of the draft gear when it has slid far: (1 +- friction) N + c v. */
static void couplers_never_press_and_buffers_never_pull(void **unused)
{
    (void)unused;
    static const char *const names[] = {"hook.draft_gear.force.x", "pad.ring.force.x",
                                        "way.displacement", "way.speed", NULL};
    built                    b       = must_build(
                                 "klingel: 1\ninclude: [klingel:vehicles/suspension.yaml]\ngravity: 0\n"
                                                          "bodies: {b: {mass: 100, inertia: [1, 1, 1]}}\n"
                                                          "joints:\n  way: {type: translational, between: [ground, b], at: [0, 0, 0], axis: x}\n"
                                                          "  m: {type: driver, of: way, coordinate: displacement, value: {harmonic: {amplitude: 40 "
                                                          "mm, frequency: 8 Hz}}}\n"
                                                          "parts:\n  hook: {template: coupler, parameters: {first: ground, second: b}}\n"
                                                          "  pad: {template: buffer, parameters: {first: ground, second: b}}\n");
    simulate(&b, 0.5, 1e-3, names, &r, NULL);
    int slid = 0;
    for (int i = 0; i < r.count; i++) {
        double x = r.value[i][2], v = r.value[i][3], N = 20e3 + 6e6 * x;
        assert_true(r.value[i][0] <= 1e-6 && r.value[i][1] >= -1e-6);
        if (x < 0.02 || x > 0.035) continue;
        double pull = N * (1.0 + copysign(0.35, v)) + 20e3 * v;
        if (v < 0.0) continue; /* on its way out it slides from the slack on */
        assert_close(-r.value[i][0], pull, 0.01 * pull);
        slid++;
    }
    assert_true(slid > 5);
    built_free(&b);
}

/* A damper with valves behind a spring, drawn out at a constant speed V: below the knee f = c V (1 - exp(-k t/c)); from there
 * f = F + (f1 - F) exp(-k (t - t1)/d) with the slope d beyond the knee, F = f1 + d (V - knee), f1 = c knee. */
static void a_damper_with_valves_follows_its_table(void **unused)
{
    (void)unused;
    static const char *const names[] = {"p.oil.pull", "energy.lost", "energy.balance", NULL};
    const double             c = 20e3, d = 4e3, k = 1e5, knee = 0.1, V = 0.5, f1 = c * knee,
                 F = f1 + d * (V - knee);
    built b        = must_build(
               "klingel: 1\ninclude: [klingel:vehicles/running-gear.yaml]\ngravity: 0\n"
                      "bodies: {b: {mass: 100, inertia: [1, 1, 1], position: [0, 0, 1]}}\n"
                      "joints:\n  way: {type: translational, between: [ground, b], at: [0, 0, 1], axis: z}\n"
                      "  m: {type: driver, of: way, coordinate: displacement, value: {polynomial: [0, 0.5]}}\n"
                      "parts: {p: {template: damper, parameters: {first: ground, second: b, stiffness: 100 kN/m, "
                      "knee: 0.1 m/s}}}\n"
                      "integrator: {tolerance: 1e-9, max_step: 1 ms} # steps do not end at the knee\n");
    simulate(&b, 0.5, 0.01, names, &r, NULL);
    double t1 = -c / k * log(1.0 - f1 / (c * V));
    for (int i = 0; i < r.count; i++) {
        double t = 0.01 * i,
               f = t < t1 ? c * V * (1.0 - exp(-k * t / c)) : F + (f1 - F) * exp(-k * (t - t1) / d);
        assert_close(r.value[i][0], f, 2e-4 * F);
        assert_close(r.value[i][2], r.value[0][2],
                     0.01); /* of 900 J; the knee is passed within a step */
    }
    built_free(&b);
}

/* Height of the frame and its pitch angle under a force down and a torque, rolling steadily. */
static void three_axle_frame(double force, double torque, double *z, double *angle)
{
    static const char *const names[] = {"p.frame.position.z", "p.frame.orientation.2", NULL};
    char                     model[2048];
    snprintf(
        model, sizeof model,
        "klingel: 1\ninclude: [klingel:vehicles/running-gear.yaml]\ngravity: [0, 0, -9.81]\n"
        "joints: {hold: {type: point-on-plane, between: [ground, p.frame], at: [0, 0, 0.75], axis: "
        "x}}\n"
        "forces:\n  load: {type: force, on: p.frame, at: [0, 0, 0.75], axis: -z, value: %g}\n"
        "  turn: {type: torque, on: p.frame, axis: y, value: %g}\n"
        "parts: {p: {template: three_axle_bogie, parameters: {speed: 10 m/s, preload: 16.35 kN}}}\n"
        "run: {start: steady}\n",
        force, torque);
    built b = must_build(model);
    simulate(&b, 1e-3, 1e-3, names, &r, NULL);
    *z = r.value[0][0], *angle = 2.0 * r.value[0][1];
    built_free(&b);
}

/* Six springs of 1.6 MN/m in bounce, four of them 1.9 m from the middle in pitch; the wheels on their rails give way by
 * a thousandth of that. */
static void a_three_axle_frame_stands_on_six_springs(void **unused)
{
    (void)unused;
    double z0, a0, z, a;
    three_axle_frame(0.0, 0.0, &z0, &a0);
    three_axle_frame(60e3, 20e3, &z, &a);
    assert_close(z0 - z, 60e3 / (6.0 * 1.6e6), 3e-3 * (z0 - z));
    assert_close(a - a0, 20e3 / (4.0 * 1.6e6 * 1.9 * 1.9), 3e-3 * (a - a0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_coil_has_shear_stiffness),
        cmocka_unit_test(a_chevron_adds_its_turned_layers),
        cmocka_unit_test(an_air_spring_is_softer_with_its_auxiliary_volume),
        cmocka_unit_test(a_friction_spring_loses_the_area_of_dahls_loop),
        cmocka_unit_test(a_side_bearer_brakes_in_its_plane),
        cmocka_unit_test(couplers_never_press_and_buffers_never_pull),
        cmocka_unit_test(a_damper_with_valves_follows_its_table),
        cmocka_unit_test(a_three_axle_frame_stands_on_six_springs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
