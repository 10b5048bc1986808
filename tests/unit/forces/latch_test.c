/* The latch: where it catches, that it holds from there and not before, and that it lets go. */
#include "unit/solve/simulate.h"

/* 2 kg sliding at 1 m/s; a seat of 200 N/m at 0.5 m */
static const char *const slider =
    "klingel: 1\ngravity: 0\nbodies:\n"
    "  block: {mass: 2 kg, inertia: [1, 1, 1], velocity: [1, 0, 0], fixed: [velocity]}\n"
    "joints:\n  guide: {type: translational, between: [ground, block], at: [0, 0, 0], axis: x}\n";

static rows r;

static void slide(const char *latch, const char *integrator)
{
    static const char *const names[] = {"block.position.x", "lock.held", "energy.balance", NULL};
    char                     text[1024];
    built                    b;
    snprintf(text, sizeof text,
             "%sforces:\n  lock: {type: latch, of: guide, stiffness: 200, %s}\nintegrator: {%s}\n",
             slider, latch, integrator);
    if (try_build(text, &b) != KL_OK) {
        print_messages(b.diag);
        fail_msg("%s", text);
    }
    simulate(&b, 2.0, 0.01, names, &r, NULL);
    built_free(&b);
}

/* then x = mark + v/w sin(w (t - t1)), w = sqrt(k/m), from t1 = mark/v on */
static void it_catches_at_its_mark_and_holds_with_all_integrators(void **unused)
{
    (void)unused;
    static const char *const integrators[] = {"type: generalized-alpha, tolerance: 1e-10",
                                              "type: gear, tolerance: 1e-9",
                                              "type: runge-kutta, tolerance: 1e-9"};
    for (size_t k = 0; k < sizeof integrators / sizeof *integrators; k++) {
        double worst = 0.0;
        slide("mark: 0.5 m", integrators[k]);
        for (int i = 0; i < r.count; i++) {
            double t = r.t[i], x = t < 0.5 ? t : 0.5 + 0.1 * sin(10.0 * (t - 0.5));
            worst = fmax(worst, fabs(r.value[i][0] - x));
            assert_close(r.value[i][2], r.value[0][2], 1e-5);
            if (fabs(t - 0.5) > 0.005) assert_close(r.value[i][1], t > 0.5, 0);
        }
        if (!(worst < 2e-5)) fail_msg("%s: %.3g m from the closed form", integrators[k], worst);
    }
}

static void it_catches_from_above_too(void **unused)
{
    (void)unused;
    static const char *const names[] = {"block.position.x", "lock.held", NULL};
    built                    b;
    assert_int_equal(
        try_build(
            "klingel: 1\ngravity: 0\nbodies:\n"
            "  block: {mass: 2 kg, inertia: [1, 1, 1], velocity: [-1, 0, 0], fixed: [velocity]}\n"
            "joints:\n  guide: {type: translational, between: [ground, block], at: [0, 0, 0], "
            "axis: x}\nforces:\n"
            "  lock: {type: latch, of: guide, mark: -0.5, stiffness: 200, damping: 40}\n",
            &b),
        KL_OK);
    simulate(&b, 2.0, 0.01, names, &r, NULL);
    assert_close(r.value[r.count - 1][0], -0.5, 1e-4);
    assert_close(r.value[r.count - 1][1], 1, 0);
    built_free(&b);
}

/* held by a seat without damping it swings, and flies off with the speed of that moment */
static void a_closed_one_lets_go_at_its_time(void **unused)
{
    (void)unused;
    slide("closed: true, until: 1 s", "tolerance: 1e-10");
    for (int i = 0; i < r.count; i++) {
        double t = r.t[i],
               x = t < 1.0 ? 0.1 * sin(10.0 * t) : 0.1 * sin(10.0) + cos(10.0) * (t - 1.0);
        assert_close(r.value[i][0], x, 3e-5);
    }
}

static void mistakes_are_told(void **unused)
{
    (void)unused;
    static const struct {
        const char *latch, *text;
    } list[] = {{"damping: 1", "needs `mark`"},
                {"mark: 1, until: 2", "add `closed: true`"},
                {"mark: 1, stifness: 3", "unknown key"}};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        char  text[1024];
        built b;
        snprintf(text, sizeof text,
                 "%sforces:\n  lock: {type: latch, of: guide, stiffness: 200, %s}\n", slider,
                 list[i].latch);
        assert_int_not_equal(try_build(text, &b), KL_OK);
        bool found = false;
        for (int k = 0; k < kl_diag_size(b.diag); k++)
            found |= strstr(kl_diag_at(b.diag, k)->text, list[i].text) != NULL;
        if (!found) {
            print_messages(b.diag);
            fail_msg("nobody says: %s", list[i].text);
        }
        built_free(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_catches_at_its_mark_and_holds_with_all_integrators),
        cmocka_unit_test(it_catches_from_above_too),
        cmocka_unit_test(a_closed_one_lets_go_at_its_time),
        cmocka_unit_test(mistakes_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
