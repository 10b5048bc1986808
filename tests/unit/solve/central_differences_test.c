/* Explicit central differences: the stable step of damped systems, and that damping damps. */
#include "unit/solve/simulate.h"

#include <math.h>

static rows r;

static const char *said(const built *b)
{
    static char text[4000];
    text[0] = '\0';
    for (int i = 0; i < kl_diag_size(b->diag); i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s\n",
                 kl_diag_at(b->diag, i)->text);
    return text;
}

/* 1 kg on a rail, with a spring of 1e6 N/m and a damper */
static built must_build_block(double speed, double damping, const char *end, const char *step)
{
    char text[1000];
    snprintf(text, sizeof text,
             "klingel: 1\ngravity: 0\nbodies:\n"
             "  block: {mass: 1 kg, inertia: [1, 1, 1], position: [1, 0, 0], velocity: [%g, 0, 0]}\n"
             "joints:\n  rail: {type: translational, between: [ground, block], at: [1, 0, 0], axis: "
             "x}\n"
             "forces:\n  spring: {type: spring-damper, between: [ground, block], at: [[0, 0, 0], [1, "
             "0, 0]], stiffness: 1e6, damping: %g}\n"
             "run: {end: %s, every: %s}\nintegrator: {type: central-differences%s}\n",
             speed, damping, end, end, step);
    return must_build(text);
}

/* 1 kg on 1e6 N/m with a damper c: stable for h^2 w^2 + 4 h c/m < 4, of which nine tenths are taken */
static void the_step_of_a_damped_mass_is_the_stable_one(void **unused)
{
    (void)unused;
    static const char *const names[]   = {"block.position.x", "energy.balance", NULL};
    const double             dampers[] = {0.0, 20.0, 500.0, 2000.0, 2e4, 1e5}, w2 = 1e6;
    for (size_t i = 0; i < sizeof dampers / sizeof *dampers; i++) {
        double        c = dampers[i], h = (sqrt(4.0 * c * c + 4.0 * w2) - 2.0 * c) / w2;
        kl_statistics count;
        built         b = must_build_block(1.0, c, "200 ms", "");
        simulate(&b, 0.2, 0.2, names, &r, &count);
        if (!(count.largest_step < 0.901 * h && count.largest_step > 0.85 * h))
            fail_msg("c = %g: step %.4g s, limit %.4g s", c, count.largest_step, h);
        assert_close(r.value[1][0], 1.0,
                     2.4e-3); /* 1 mm/sqrt(1 - 0.9^2): amplitude of the differences */
        assert_int_equal(strstr(said(&b), "damping shortens") != NULL, c >= 2000.0);
        built_free(&b);
    }
}

/* Damping in proportion to the stiffness, from none to more than critical for the highest frequencies: the
 * tip follows that of generalized-alpha. */
static void compare(const char *model, const char *tip, double end, double near)
{
    static const double b[]     = {1e-8, 1e-7, 1e-6, 3e-6};
    const char         *names[] = {tip, "energy.balance", "energy.supplied", NULL};
    for (size_t i = 0; i < sizeof b / sizeof *b; i++) {
        double last[2];
        for (int k = 0; k < 2; k++) {
            char text[3000];
            snprintf(text, sizeof text, model, b[i],
                     k ? "type: central-differences" : "tolerance: 1e-8");
            built at = must_build(text);
            simulate(&at, end, end / 4, names, &r, NULL);
            last[k] = r.value[r.count - 1][0];
            if (!(fabs(r.value[r.count - 1][1]) < 0.01 * r.value[r.count - 1][2]))
                fail_msg("b = %g, method %d: balance %g J of %g J", b[i], k,
                         r.value[r.count - 1][1], r.value[r.count - 1][2]);
            built_free(&at);
        }
        if (!(fabs(last[1] - last[0]) < near * fabs(last[0])))
            fail_msg("b = %g: %.8g m, generalized-alpha %.8g m", b[i], last[1], last[0]);
    }
}

static void a_damped_beam_stays_stable(void **unused)
{
    (void)unused;
    compare("klingel: 1\ngravity: 0\n"
            "materials: {metal: {E: 200 GPa, nu: 0.3, density: 7800 kg/m3}}\n"
            "sections: {bar: {shape: rectangle, width: 10 mm, height: 20 mm}}\nbodies:\n"
            "  rod: {type: beam, from: [0, 0, 0], to: [1, 0, 0], section: bar, material: metal, "
            "elements: 8, damping: %g}\n"
            "joints: {clamp: {type: fixed, between: [ground, rod.start]}}\nforces:\n"
            "  tip: {type: force, on: rod.end, axis: [0, 1, 2], value: {step: {from: 0 N, to: 500 N, "
            "start: 0, end: 1 ms}}}\n"
            "run: {end: 2 ms, every: 0.5 ms}\nintegrator: {%s}\n",
            "rod.end.position.y", 2e-3, 1e-4);
}

static void a_damped_nonlinear_body_stays_stable(void **unused)
{
    (void)unused;
    compare(
        "klingel: 1\ngravity: 0\nbodies:\n"
        "  bar:\n    type: flexible\n    flexible: nonlinear\n    rayleigh: [0, %g]\n    file:\n"
        "      mesh: {box: [0.1 m, 10 mm, 10 mm], parts: [4, 1, 1]}\n"
        "      material: {E: 210 GPa, nu: 0.3, density: 7850 kg/m3}\n"
        "      markers: {left: {set: x0, tie: rbe2}, right: {set: x1, tie: rbe2}}\n"
        "joints: {clamp: {type: fixed, between: [ground, bar.left]}}\nforces:\n"
        "  tip: {type: force, on: bar.right, axis: z, value: {step: {from: 0 N, to: 100 N, "
        "start: 0, end: 0.2 ms}}}\n"
        "run: {end: 0.4 ms, every: 0.1 ms}\nintegrator: {%s}\n",
        "bar.right.position.z", 0.4e-3, 1e-3);
}

/* steps that the model asks for */
static void a_step_that_is_too_long_is_told(void **unused)
{
    (void)unused;
    static const char *const names[] = {"block.position.x", NULL};
    for (int k = 0; k < 2; k++) {
        built b = must_build_block(0.0, 0.0, "10 ms", k ? ", step: 2.1 ms" : ", step: 1.9 ms");
        simulate(&b, 10e-3, 10e-3, names, &r, NULL);
        assert_int_equal(strstr(said(&b), "are longer than the stable step") != NULL, k);
        built_free(&b);
    }
}

/* A ball falls on a plane of the same steel: k d^1.5 has no stiffness at the touch and much soon after. It
 * rises again as high as it fell from. */
static void a_ball_rebounds_on_the_stiffness_of_hertz(void **unused)
{
    (void)unused;
    static const char *const names[] = {"ball.position.z", "energy.balance", NULL};
    const double             fall = 0.01, end = 2.0 * sqrt(2.0 * fall / 9.81);
    char                     text[800];
    snprintf(text, sizeof text,
             "klingel: 1\nbodies:\n  ball: {mass: 1 kg, inertia: [1e-3, 1e-3, 1e-3], position: "
             "[0, 0, %g]}\ncontacts:\n  touch: {between: [ball, ground], shapes: [{sphere: 0.05}, "
             "plane], law: hertz, material: steel-steel}\nrun: {end: %g, every: %g}\n"
             "integrator: {type: central-differences}\n",
             0.05 + fall, end, end / 9.0);
    built b = must_build(text);
    simulate(&b, end, end / 9.0, names, &r, NULL);
    assert_close(r.value[r.count - 1][0], 0.05 + fall, 0.1 * fall);
    assert_close(r.value[r.count - 1][1], r.value[0][1], 0.05 * 9.81 * fall);
    built_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_step_of_a_damped_mass_is_the_stable_one),
        cmocka_unit_test(a_damped_beam_stays_stable),
        cmocka_unit_test(a_damped_nonlinear_body_stays_stable),
        cmocka_unit_test(a_step_that_is_too_long_is_told),
        cmocka_unit_test(a_ball_rebounds_on_the_stiffness_of_hertz),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
