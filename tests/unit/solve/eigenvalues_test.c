#include "solve/eigenvalues.h"

#include <stdlib.h>

#include "solve/statics.h"
#include "unit/solve/load.h"

typedef struct result {
    loaded       l;
    kl_linear   *linear;
    kl_spectrum *s;
} result;

/* Linearised at the state as assembled, or at the equilibrium near it with velocities kept. */
static result analyse(loaded l, bool equilibrium)
{
    result         r      = {.l = l};
    kl_equilibrium e      = {.moving = true};
    kl_status      status = KL_OK;
    if (equilibrium) status = kl_find_equilibrium(l.x, &e, l.diag);
    if (status == KL_OK) status = kl_linearize(l.x, NULL, l.diag, &r.linear);
    if (status == KL_OK) status = kl_spectrum_find(l.x, r.linear, true, l.diag, &r.s);
    if (status != KL_OK) print_messages(l.diag);
    assert_int_equal(status, KL_OK);
    return r;
}

static void done(result *r)
{
    kl_spectrum_destroy(r->s);
    kl_linear_destroy(r->linear);
    unload(&r->l);
}

/* The eigenvalue nearest to (re, im) is there to 1e-6 of its size. */
static void expect(const result *r, double re, double im)
{
    double best = INFINITY;
    for (int i = 0; i < r->s->n; i++)
        best = fmin(best, hypot(r->s->mode[i].re - re, r->s->mode[i].im - im));
    if (!(best <= 1e-6 * hypot(re, im)))
        fail_msg("no eigenvalue %.9g %+.9g i; the nearest is %.3g away", re, im, best);
}

static void mass_spring_chain_has_its_closed_frequencies(void **unused)
{
    (void)unused;
    enum { N = 8 };
    result r = analyse(
        load_text(
            "klingel: 1\n"
            "parameters: {n: 8, m: 2 kg, k: 300 N/m}\n"
            "gravity: [0, 0, 0]\n"
            "bodies:\n"
            "  \"car{i}\": {for: {i: 1..n}, mass: m, inertia: [1, 1, 1], position: [i, 0, 0]}\n"
            "joints:\n"
            "  \"rail{i}\": {for: {i: 1..n}, type: translational, between: [ground, "
            "\"car{i}\"], at: [i, 0, 0], axis: x}\n"
            "forces:\n"
            "  wall: {type: spring-damper, between: [ground, car1], at: [[0, 0, 0], [1, 0, "
            "0]], stiffness: k}\n"
            "  \"spring{i}\": {for: {i: 1..n-1}, type: spring-damper, between: [\"car{i}\", "
            "\"car{i+1}\"], at: [[i, 0, 0], [i + 1, 0, 0]], stiffness: k}\n",
            NULL, 0, true),
        false);
    assert_int_equal(r.s->n, 2 * N);
    for (int j = 1; j <= N; j++) /* fixed at one end, free at the other */
        expect(&r, 0.0, 2.0 * sqrt(300.0 / 2.0) * sin((2 * j - 1) * KL_PI / (2.0 * (2 * N + 1))));
    assert_int_equal(r.s->unstable, 0);
    done(&r);
}

static const char rotor[] =
    "klingel: 1\n"
    "parameters: {spin: 300 rad/s, It: 0.4 kg m2, Ip: 0.6 kg m2, k: 5000 N m/rad, off: 0 m, lop: 0 "
    "kg m2}\n"
    "gravity: [0, 0, 0]\n"
    "bodies:\n"
    "  hub:   {mass: 1, inertia: [0.1, 0.1, 0.1]}\n"
    "  rotor: {mass: 10, inertia: [It + lop, It, Ip], omega: [0, 0, spin], fixed: [omega], "
    "center: [off, 0, 0]}\n"
    "joints:\n"
    "  bearing: {type: revolute, between: [hub, rotor], at: [0, 0, 0], axis: z}\n"
    "forces:\n"
    "  mount: {type: bushing, between: [ground, hub], at: [0, 0, 0], stiffness: [2e5, 2e5, 3e5, k, "
    "k, 7000 N m/rad]}\n";

static void spinning_rotor_splits_its_tilting_frequency(void **unused)
{
    (void)unused;
    result r = analyse(load_text(rotor, NULL, 0, true), false);
    double I = 0.5, G = 0.6 * 300.0, k = 5000.0, root = sqrt(G * G + 4.0 * I * k);
    expect(&r, 0.0, (root + G) / (2.0 * I));
    expect(&r, 0.0, (root - G) / (2.0 * I));
    expect(&r, 0.0, sqrt(2e5 / 11.0));
    expect(&r, 0.0, sqrt(3e5 / 11.0));
    /* the fast precession goes round with the spin, the slow one against it */
    int forward = 0, backward = 0;
    for (int i = 0; i < r.s->n; i++) {
        const kl_eigenmode *mode = &r.s->mode[i];
        if (mode->im <= 0.0) continue;
        bool fast = fabs(mode->im - (root + G) / (2.0 * I)) < 1e-6 * mode->im;
        bool slow = fabs(mode->im - (root - G) / (2.0 * I)) < 1e-6 * mode->im;
        forward += fast && strstr(mode->text, "forward whirl");
        backward += slow && strstr(mode->text, "backward whirl");
        if (fabs(mode->im - sqrt(3e5 / 11.0)) < 1e-6)
            assert_string_equal(mode->text, "rotor bounce 91 %");
    }
    assert_int_equal(forward, 1);
    assert_int_equal(backward, 1);
    done(&r);
}

/* A long beam-like body that sways in y on springs away from its centre: named by energy, not by the
 * small rotation that comes with it. */
static void swaying_body_is_said_to_sway(void **unused)
{
    (void)unused;
    result r = analyse(
        load_text("klingel: 1\nbodies:\n  car: {mass: 32000, inertia: [6e4, 2e6, 2e6], position: "
                  "[0, 0, 2]}\n"
                  "forces:\n  front: {type: bushing, between: [ground, car], at: [9, 0, 1.5], "
                  "stiffness: [1e6, 1e5, 1e6, 1e6, 0, 0]}\n  rear: {type: bushing, between: "
                  "[ground, car], at: [-9.01, 0, 1.5], stiffness: [1e6, 1e5, 1e6, 1e6, 0, 0]}\n",
                  NULL, 0, true),
        true);
    int swaying = 0;
    for (int i = 0; i < r.s->n; i++)
        if (fabs(r.s->mode[i].im - 2.5) < 0.1)
            swaying += strncmp(r.s->mode[i].text, "car sway", 8) == 0;
    assert_int_equal(swaying, 1);
    done(&r);
}

/* Unbalance alone: it wobbles. Two rotors without symmetry that turn at different rates: there are no
 * axes in which both stand. */
static void rotor_that_is_steady_in_no_axes_is_refused(void **unused)
{
    (void)unused;
    const kl_override off    = {.name = "off", .text = "1 mm"};
    loaded            l      = load_text(rotor, &off, 1, true);
    kl_linear        *linear = NULL;
    assert_int_equal(kl_linearize(l.x, NULL, l.diag, &linear), KL_E_MODEL);
    assert_true(says(l.diag, "not symmetric about its spin axis"));
    unload(&l);
}

/* Euler's equations of an unequal rotor on round springs, in axes that turn with it: with a, b the
 * tilts, I1 = It + lop + hub, I2 = It + hub: gyroscopic terms by the rotor alone. Ganged: the two
 * translations, which the asymmetry does not touch, stand at w_n +- spin. */
static void unequal_rotor_in_round_bearings_is_taken_in_its_own_axes(void **unused)
{
    (void)unused;
    const kl_override lop = {.name = "lop", .text = "0.05 kg m2"};
    result            r   = analyse(load_text(rotor, &lop, 1, true), false);
    double            w = sqrt(2e5 / 11.0), spin = 300.0;
    assert_close(r.linear->omega.z, spin, 1e-9);
    expect(&r, 0.0, fabs(w - spin));
    expect(&r, 0.0, w + spin);
    done(&r);
}

/* A heavy symmetric top that precesses at a constant rate Om, tilted by th: with w the spin,
 * m g l = Om (Ja w - Jt Om cos th), and it nods at root(Om^2 sin^2 th + (Ja w/Jt - 2 Om cos th)^2). */
static const char steady_top[] =
    "klingel: 1\n"
    "parameters: {th: 40 deg, Om: 3, Jt: 0.2, Ja: 0.02, m: 2, l: 0.3, key: none,\n"
    "  w: (m*9.81*l/Om + Jt*Om*cos(th))/Ja}\n"
    "bodies:\n"
    "  top: {mass: m, inertia: [Jt - m*l^2, Jt - m*l^2, Ja], position: [0, l*sin(th), l*cos(th)],\n"
    "        orientation: {axis: x, angle: -th}, spin_axis: z, velocity: [-Om*l*sin(th), 0, 0],\n"
    "        omega: [0, (w - Om*cos(th))*sin(th), Om + (w - Om*cos(th))*cos(th)]}\n"
    "joints: {tip: {type: spherical, between: [ground, top], at: [0, 0, 0]}}\n";

/* `text` with or without its spin axis */
static result analyse_with(const char *text, const kl_override *set, int nset, const char *key,
                           const char *with)
{
    char        whole[2048];
    const char *at = strstr(text, key);
    assert_non_null(at);
    snprintf(whole, sizeof whole, "%.*s%s%s", (int)(at - text), text, with, at + strlen(key));
    return analyse(load_text(whole, set, nset, true), false);
}

static void expect_all(const result *a, const result *b)
{
    assert_int_equal(a->s->n, b->s->n);
    for (int i = 0; i < a->s->n; i++)
        if (hypot(a->s->mode[i].re, a->s->mode[i].im) > 1e-3)
            expect(b, a->s->mode[i].re, a->s->mode[i].im);
}

static void a_spin_axis_changes_no_eigenvalue(void **unused)
{
    (void)unused;
    const kl_override lop = {.name = "lop", .text = "0.05 kg m2"};
    const char       *key = "center: [off, 0, 0]", *with = "center: [off, 0, 0], spin_axis: z";
    for (int nset = 0; nset < 2; nset++) {
        result plain = analyse_with(rotor, &lop, nset, key, key),
               spun  = analyse_with(rotor, &lop, nset, key, with);
        expect_all(&plain, &spun);
        if (nset == 0) assert_close(kl_norm(spun.linear->omega), 0, 0); /* no turning axes */
        done(&plain);
        done(&spun);
    }
}

static void a_precessing_top_nods_at_its_closed_frequency(void **unused)
{
    (void)unused;
    result plain = analyse_with(steady_top, NULL, 0, " spin_axis: z,", ""),
           spun  = analyse_with(steady_top, NULL, 0, "key: none", "key: no");
    double th = 40 * KL_PI / 180, Om = 3, Jt = 0.2, Ja = 0.02, mgl = 2 * 9.81 * 0.3,
           w = (mgl / Om + Jt * Om * cos(th)) / Ja, a = Ja * w / Jt - 2 * Om * cos(th);
    expect(&plain, 0.0, sqrt(Om * Om * sin(th) * sin(th) + a * a));
    expect(&spun, 0.0, sqrt(Om * Om * sin(th) * sin(th) + a * a));
    expect_all(&plain, &spun);
    done(&plain);
    done(&spun);
}

/* theta'' = -(g/L) (1 + 3 cos^2)/cos dtheta about the cone; Symon, Mechanics, or any other. */
static void conical_pendulum_has_its_closed_frequency(void **unused)
{
    (void)unused;
    result r = analyse(load_text("klingel: 1\ngravity: [0, 0, -9.81]\nbodies:\n"
                                 "  bob: {type: point, mass: 2 kg, position: [sin(30 deg), 0, "
                                 "-cos(30 deg)], velocity: [0, (9.81/cos(30 deg))^0.5*0.5, 0]}\n"
                                 "joints:\n  string: {type: distance, between: [ground, bob], at: "
                                 "[[0, 0, 0], [sin(30 deg), 0, -cos(30 deg)]]}\n",
                                 NULL, 0, true),
                       true);
    double c = cos(KL_PI / 6.0);
    expect(&r, 0.0, sqrt(9.81 * (1.0 + 3.0 * c * c) / c));
    assert_int_equal(r.s->unstable, 0);
    done(&r);
}

/* m (eta'' + 2 w x eta' - w^2 eta) + k eta = 0: w_n - w and w_n + w in axes that turn with w. */
static void unbalanced_rotor_whirls_at_the_sum_and_difference(void **unused)
{
    (void)unused;
    result r = analyse(
        load_text(
            "klingel: 1\ngravity: [0, 0, 0]\nparameters: {x0: 0.01 m*25/75}\nbodies:\n"
            "  disc: {mass: 2 kg, inertia: [0.02, 0.02, 0.04], center: [0.01, 0, 0], "
            "position: [x0, 0, 0], velocity: [0, 5*x0/(1 s), 0], omega: [0, 0, 5]}\n"
            "joints:\n  plane: {type: planar, between: [ground, disc], at: [0, 0, 0], axis: z}\n"
            "  turn: {type: driver, of: plane, value: {polynomial: [0, 5 rad/s]}}\n"
            "forces:\n  springs: {type: bushing, between: [ground, disc], at: [[0, 0, 0], "
            "[x0, 0, 0]], stiffness: [200, 200, 0]}\n",
            NULL, 0, true),
        true);
    assert_int_equal(r.s->n, 4);
    expect(&r, 0.0, 5.0);
    expect(&r, 0.0, 15.0);
    done(&r);
}

static void hanging_double_pendulum_has_its_closed_frequencies(void **unused)
{
    (void)unused;
    result r = analyse(load_example("double-pendulum", NULL, 0, true), true);
    double L = 0.276, m = 1.377, J = 0.0100, g = 9.81;
    double a = J + 1.25 * m * L * L, b = 0.5 * m * L * L, c = J + 0.25 * m * L * L;
    double k1 = 1.5 * m * g * L, k2 = 0.5 * m * g * L;
    /* (a c - b^2) s^2 - (a k2 + c k1) s + k1 k2 = 0, s = omega^2 */
    double A = a * c - b * b, B = a * k2 + c * k1, C = k1 * k2, root = sqrt(B * B - 4.0 * A * C);
    assert_int_equal(r.s->n, 4);
    expect(&r, 0.0, sqrt((B - root) / (2.0 * A)));
    expect(&r, 0.0, sqrt((B + root) / (2.0 * A)));
    assert_non_null(strstr(r.s->mode[0].text, "lower surge"));
    done(&r);
}

static void carter_wheelset_has_the_reference_eigenvalues(void **unused)
{
    (void)unused;
    /* roots of Carter's equations, computed outside (see tests/verify) to 8 digits */
    static const struct {
        const char *speed;
        double      re, im;
    } known[] = {{"20 m/s", -2.97117804, 11.60347097}, {"40 m/s", -4.46728938, 23.69635975},
                 {"60 m/s", -2.93993654, 35.48861209}, {"70 m/s", -0.99260017, 40.58460627},
                 {"80 m/s", 1.43417057, 44.87468444},  {"100 m/s", 6.67889511, 51.13994264}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        kl_override set = {.name = "speed", .text = known[i].speed};
        result      r   = analyse(load_example("carter-wheelset", &set, 1, true), true);
        assert_int_equal(r.s->n, 4);
        expect(&r, known[i].re, known[i].im);
        assert_int_equal(r.s->unstable, known[i].re > 0.0 ? 2 : 0);
        done(&r);
    }
}

static void damped_oscillator_reports_frequency_and_damping(void **unused)
{
    (void)unused;
    result r = analyse(
        load_text(
            "klingel: 1\n"
            "gravity: [0, 0, 0]\n"
            "bodies:\n"
            "  load: {mass: 4, inertia: [1, 1, 1]}\n"
            "joints:\n"
            "  guide: {type: translational, between: [ground, load], at: [0, 0, 0], axis: z}\n"
            "forces:\n"
            "  strut: {type: slide-spring-damper, of: guide, stiffness: 400 N/m, damping: 8 N "
            "s/m}\n",
            NULL, 0, true),
        false);
    assert_int_equal(r.s->n, 2);
    assert_close(r.s->mode[0].frequency, 10.0 / (2.0 * KL_PI), 1e-9);
    assert_close(r.s->mode[0].damping, 0.1, 1e-9);
    assert_close(r.s->mode[0].im, sqrt(99.0), 1e-8);
    assert_string_equal(r.s->mode[0].text, "load bounce");
    done(&r);
}

static void free_body_has_twelve_neutral_eigenvalues(void **unused)
{
    (void)unused;
    result r = analyse(load_text("klingel: 1\ngravity: [0, 0, 0]\nbodies:\n  stone: {mass: 1, "
                                 "inertia: [1, 2, 2.5]}\n",
                                 NULL, 0, true),
                       false);
    assert_int_equal(r.s->n, 12);
    for (int i = 0; i < 12; i++) { /* no rounding noise, which would have a damping ratio of +-1 */
        assert_true(r.s->mode[i].neutral);
        assert_true(r.s->mode[i].re == 0.0 && r.s->mode[i].im == 0.0);
        assert_true(r.s->mode[i].frequency == 0.0 && r.s->mode[i].damping == 0.0);
    }
    assert_int_equal(r.s->unstable, 0);
    done(&r);
}

/* Uniform cantilever clamped to a hub that turns with eta sqrt(EI/(m L^4)): out of the plane it swings
 * with 7.36037 and 26.80908 of that unit at eta = 6 (shooting, and the table of Wright, Smith, Thresher
 * and Wang, 1982), in the plane with lambda^2 - eta^2. */
static double blade_error(const char *modes, double eta, const double *lambda, int n)
{
    double      unit = sqrt(1.4e4 / 1.2) / 100.0, worst = 0.0;
    char        speed[32];
    kl_override over[2] = {{.name = "speed", .text = speed}, {.name = "n", .text = modes}};
    snprintf(speed, sizeof speed, "%.12g", eta * unit);
    result r = analyse(
        load_text(
            "klingel: 1\ngravity: 0\nparameters: {speed: 0, n: 4}\n"
            "bodies:\n"
            "  hub: {mass: 1, inertia: [1, 1, 1], omega: [0, 0, speed]}\n"
            "  blade: {type: flexible, stiffening: true, modes: n, omega: [0, 0, speed],\n"
            "    file: {mesh: {line: [[0, 0, 0], [10, 0, 0]], parts: 40}, materials: {al: {E: 70 "
            "GPa, nu: 0.3, density: 3000}}, sections: {line: {material: al, section: general, "
            "area: 4e-4, Iy: 2e-7, Iz: 2e-7, J: 4e-7, orientation: [0, 1, 0]}}, modes: 12, "
            "reference: {root: all}, stiffening: yes, markers: {root: {at: [0, 0, 0]}}}}\n"
            "joints:\n"
            "  axle: {type: revolute, between: [ground, hub], at: [0, 0, 0], axis: z}\n"
            "  clamp: {type: fixed, between: [hub, blade.root]}\n"
            "  drive: {type: driver, of: axle, value: {expression: \"speed*t\"}}\n",
            over, 2, true),
        true);
    for (int k = 0; k < 2 * n; k++) {
        double square = k % 2 ? -eta * eta : 0.0, best = INFINITY;
        double wanted = unit * sqrt(lambda[k / 2] * lambda[k / 2] + square);
        for (int i = 0; i < r.s->n; i++) best = fmin(best, fabs(r.s->mode[i].im - wanted));
        worst = fmax(worst, best / wanted);
    }
    done(&r);
    return worst;
}

static void a_spinning_blade_has_its_published_frequencies(void **unused)
{
    (void)unused;
    static const double six[] = {7.36037, 26.80908}, twelve[] = {13.17015, 37.60311};
    assert_true(blade_error("12", 6.0, six, 2) < 2e-4);
    assert_true(blade_error("12", 12.0, twelve, 2) < 2e-3);
    assert_true(blade_error("12", 6.0, six, 2) < 0.5 * blade_error("6", 6.0, six, 2));
}

/* A force on a marker works on the second-order motion of the marker: a clamped column under pi^2 EI/(4 L^2)
 * has nothing left to hold it, whatever its frame is tied to. */
static void a_column_buckles_at_the_load_of_euler(void **unused)
{
    (void)unused;
    static const char *const reference[] = {"as-in-file", "mean-axis"};
    double critical = KL_PI * KL_PI * 210e9 * (0.02 * 1e-6 / 12.0) / 4.0; /* 20 x 10 mm */
    for (int i = 0; i < 4; i++) {
        char        load[32];
        kl_override over[2] = {{.name = "P", .text = load},
                               {.name = "ref", .text = reference[i / 2]}};
        snprintf(load, sizeof load, "%.12g", critical * (i % 2 ? 1.001 : 0.999));
        result r = analyse(
            load_text(
                "klingel: 1\ngravity: 0\nparameters: {P: 0, ref: as-in-file}\n"
                "bodies:\n"
                "  column: {type: flexible, stiffening: true, reference: \"{ref}\", file: {mesh: "
                "{line: [[0, 0, 0], [0, 0, 1]], parts: 20}, materials: {steel: {E: 210 GPa, nu: "
                "0.3, density: 7850}}, sections: {line: {material: steel, section: rectangle, "
                "width: 10 mm, height: 20 mm, orientation: [0, 1, 0]}}, modes: 12, reference: "
                "{root: all}, stiffening: yes, markers: {root: {at: [0, 0, 0]}, tip: {at: [0, 0, "
                "1]}}}}\n"
                "joints: {clamp: {type: fixed, between: [ground, column.root]}}\n"
                "forces: {P: {type: force, on: column.tip, axis: -z, value: P}}\n",
                over, 2, true),
            false);
        assert_int_equal(r.s->unstable, i % 2);
        done(&r);
    }
}

/* `damping` is that of the modes of the free body, whatever ties its frame to it */
static void damping_is_that_of_the_free_modes_in_every_frame(void **unused)
{
    (void)unused;
    static const char *const frames[][2] = {{"mean-axis", "eliminated"},
                                            {"mean-axis", "constrained"},
                                            {"principal-axis", "eliminated"},
                                            {"principal-axis", "constrained"}};
    for (int in_file = 0; in_file < 2; in_file++)
        for (size_t i = 0; i < sizeof frames / sizeof *frames; i++) {
            kl_override set[] = {{.name = "own", .text = in_file ? frames[i][0] : "mean-axis"},
                                 {.name = "frame", .text = in_file ? "as-in-file" : frames[i][0]},
                                 {.name = "held", .text = frames[i][1]}};
            result      r     = analyse(
                         load_text(
                             "klingel: 1\ngravity: 0\nparameters: {own: mean-axis, frame: as-in-file, held: "
                                      "eliminated}\nbodies:\n"
                                      "  f: {type: flexible, damping: 0.05, reference: \"{frame}\", conditions: "
                                      "\"{held}\", file: {mesh: {line: [[0, 0, 0], [0.8, 0, 0], [0.8, 0.5, 0], [0.8, "
                                      "0.5, 0.3]], parts: 4}, modes: 6, reference: \"{own}\", materials: {s: {E: 210 "
                                      "GPa, nu: 0.3, density: 7850}}, sections: {line: {material: s, section: "
                                      "circle, "
                                      "radius: 6 mm}}}}\n",
                             set, 3, true),
                         true);
            int found = 0;
            for (int k = 0; k < r.s->n; k++) {
                double re = r.s->mode[k].re, im = r.s->mode[k].im;
                if (im < 1.0) continue;
                found++;
                assert_close(-re / hypot(re, im), 0.05, 1e-6);
            }
            assert_int_equal(found, 6);
            done(&r);
        }
}

/* A strip of 60 x 2 mm, 1 m long, clamped, pressed across its thickness at the tip: bent farther than it
 * is wide, its twist moves it sideways, so that inertia of second-order motion matters. CalculiX
 * (NLGEOM, then FREQUENCY) finds 252.9 and 399.6 rad/s at 1 N (4 % of the length), 196.3 and 450.1 at
 * 2 N; modes with a clamped root or free, whatever the frame is tied to. */
static void a_bent_strip_twists_and_sways_as_it_should(void **unused)
{
    (void)unused;
    static const char *const reference[] = {"as-in-file", "mean-axis", "principal-axis"};
    static const double      wanted[][2] = {{252.9, 399.6}, {196.3, 450.1}};
    for (int i = 0; i < 6; i++) {
        int         k       = i % 2;
        kl_override over[2] = {{.name = "P", .text = k ? "2 N" : "1 N"},
                               {.name = "ref", .text = reference[i / 2]}};
        result      r       = analyse(
                       load_text(
                           "klingel: 1\ngravity: 0\nparameters: {P: 1 N, ref: as-in-file}\n"
                                      "bodies: {strip: {type: flexible, stiffening: true, reference: \"{ref}\", file: "
                                      "{mesh: {line: [[0, 0, 0], [1 m, 0, 0]], parts: 20}, materials: {steel: {E: 210 "
                                      "GPa, nu: 0.3, density: 7850 kg/m3}}, sections: {line: {material: steel, section: "
                                      "rectangle, width: 2 mm, height: 60 mm, orientation: [0, 0, 1]}}, modes: 24, "
                                      "stiffening: yes, reference: {root: all}, markers: {root: {at: [0, 0, 0]}, tip: "
                                      "{at: [1, 0, 0]}}}}}\n"
                                      "joints: {clamp: {type: fixed, between: [ground, strip.root]}}\n"
                                      "forces: {P: {type: force, on: strip.tip, axis: -z, value: P}}\n",
                           over, 2, true),
                       true);
        for (int n = 0; n < 2; n++) {
            double best = INFINITY;
            for (int m = 0; m < r.s->n; m++)
                best = fmin(best, fabs(r.s->mode[m].im - wanted[k][n]));
            assert_true(best < (n ? 0.01 : 0.045) * wanted[k][n]);
        }
        done(&r);
    }
}

/* A thin beam has frequencies over seven powers of ten. Its rigid body motions are exactly zero, and its lowest
 * bending mode is not mistaken for one of them: f1 = 4.730041^2/(2 pi L^2) sqrt(E h^2/(12 rho)). */
static void a_slow_mode_of_a_stiff_beam_is_no_rigid_body_motion(void **unused)
{
    (void)unused;
    const double L = 1.2, h = 0.006, E = 70e9, rho = 2700;
    double       f1 = 4.730041 * 4.730041 / (2 * KL_PI * L * L) * sqrt(E * h * h / (12 * rho));
    result       r  = analyse(
               load_text("klingel: 1\ngravity: [0, 0, 0]\n"
                                "materials: {alu: {E: 70 GPa, nu: 0.33, density: 2700 kg/m3}}\n"
                                "sections: {strip: {shape: rectangle, width: 40 mm, height: 6 mm}}\n"
                                "bodies: {arm: {type: beam, from: [0, 0, 0], to: [1.2, 0, 0], section: strip, "
                                "material: alu, elements: 12, element_nodes: 3}}\n",
                         NULL, 0, true),
               false);
    int neutral = 0;
    for (int i = 0; i < r.s->n; i++) neutral += r.s->mode[i].neutral;
    assert_int_equal(neutral, 12);
    assert_false(r.s->mode[12].neutral);
    print_message("f1 %.4f Hz, formula %.4f Hz\n", r.s->mode[12].frequency, f1);
    assert_close(r.s->mode[12].frequency, f1, 5e-3 * f1);
    done(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mass_spring_chain_has_its_closed_frequencies),
        cmocka_unit_test(spinning_rotor_splits_its_tilting_frequency),
        cmocka_unit_test(swaying_body_is_said_to_sway),
        cmocka_unit_test(rotor_that_is_steady_in_no_axes_is_refused),
        cmocka_unit_test(unequal_rotor_in_round_bearings_is_taken_in_its_own_axes),
        cmocka_unit_test(a_spin_axis_changes_no_eigenvalue),
        cmocka_unit_test(a_precessing_top_nods_at_its_closed_frequency),
        cmocka_unit_test(conical_pendulum_has_its_closed_frequency),
        cmocka_unit_test(unbalanced_rotor_whirls_at_the_sum_and_difference),
        cmocka_unit_test(hanging_double_pendulum_has_its_closed_frequencies),
        cmocka_unit_test(carter_wheelset_has_the_reference_eigenvalues),
        cmocka_unit_test(damped_oscillator_reports_frequency_and_damping),
        cmocka_unit_test(a_column_buckles_at_the_load_of_euler),
        cmocka_unit_test(a_bent_strip_twists_and_sways_as_it_should),
        cmocka_unit_test(a_spinning_blade_has_its_published_frequencies),
        cmocka_unit_test(free_body_has_twelve_neutral_eigenvalues),
        cmocka_unit_test(a_slow_mode_of_a_stiff_beam_is_no_rigid_body_motion),
        cmocka_unit_test(damping_is_that_of_the_free_modes_in_every_frame),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
