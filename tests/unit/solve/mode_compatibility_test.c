/* Joints that no mode of a flexible body can follow: found, named, and held or refused, so that no
 * run ends in a Newton iteration that fails. */
#include "unit/solve/simulate.h"

/* A rod between two joints (type and axis each, modes, more keys of the body, more bodies, more
 * joints); the load has a part in every direction. */
static const char rod_text[] =
    "klingel: 1\n"
    "gravity: [1, 2, -9.81]\n"
    "bodies:\n"
    "  rod: {type: flexible, damping: 0.01, modes: %d,%s\n"
    "    file: {mesh: {line: [[0, 0, 0], [1 m, 0, 0]], parts: 8}, modes: 12, stiffening: yes,\n"
    "      materials: {steel: {E: 210 GPa, nu: 0.3, density: 7850 kg/m3}},\n"
    "      sections: {line: {material: steel, section: circle, radius: 5 mm}},\n"
    "      markers: {left: {at: [0, 0, 0]}, middle: {at: [0.375, 0, 0]},\n"
    "        right: {at: [1 m, 0, 0]}}}}\n"
    "  bob: {mass: 0.1, inertia: [1e-3, 1e-3, 1e-3], position: [0.375, 0, -0.1]}\n"
    "joints:\n"
    "  L: {type: %s, between: [ground, rod.left], axis: %s}\n"
    "  R: {type: %s, between: [%s, rod.right], axis: %s}\n"
    "  H: {%s}\n"
    "run: {end: 0.01, every: 0.005}\n";

static const char        apart[] = "type: fixed, between: [ground, bob], at: [0, 0, 0]";
static const char *const at[]    = {"rod.position.z", NULL};

typedef struct ends {
    const char *left, *left_axis, *right, *right_axis;
} ends;

/* Builds it and, when it can be built, runs it; says whether it was built. Messages in b->diag. */
static bool try_rod(ends e, int modes, const char *keys, built *b)
{
    static rows told;
    char        text[2048];
    snprintf(text, sizeof text, rod_text, modes, keys, e.left, e.left_axis, e.right, "ground",
             e.right_axis, apart);
    if (try_build(text, b) != KL_OK) return false;
    simulate(b, 0.01, 0.005, at, &told, NULL);
    return true;
}

static bool says(const kl_diag *d, const char *words)
{
    for (int i = 0; i < kl_diag_size(d); i++)
        if (strstr(kl_diag_at(d, i)->text, words)) return true;
    return false;
}

static void must_say(const kl_diag *d, const char *words)
{
    if (says(d, words)) return;
    print_messages(d);
    fail_msg("nobody said: %s", words);
}

static const char *const kind[][2] = {
    {"fixed", "x"},         {"revolute", "y"},      {"revolute", "z"},
    {"spherical", "x"},     {"cylindrical", "x"},   {"cylindrical", "y"},
    {"planar", "z"},        {"planar", "x"},        {"universal", "[x, y]"},
    {"translational", "x"}, {"point-on-line", "y"}, {"point-on-plane", "x"},
};
enum { KINDS = sizeof kind / sizeof kind[0] };

/* a third of these pairs ended in a Newton iteration that did not converge, with no word of why */
static void every_pair_of_joints_runs(void **unused)
{
    (void)unused;
    for (int modes = 4; modes <= 8; modes += 4)
        for (int i = 0; i < KINDS; i++)
            for (int j = i; j < KINDS; j += modes == 4 ? 3 : 1) {
                ends  e = {kind[i][0], kind[i][1], kind[j][0], kind[j][1]};
                built b;
                if (!try_rod(e, modes, "", &b)) {
                    print_messages(b.diag);
                    fail_msg("%s %s, %d modes", e.left, e.right, modes);
                }
                built_free(&b);
            }
}

/* What is held must leave the other turns free however far they go and however the rod stands: axes
 * that were off by 1e-7, or chosen without regard to what may still turn, made rows contradict each
 * other, and the run stopped. */
static void held_turns_let_the_others_go_round(void **unused)
{
    (void)unused;
    static const char text[] =
        "klingel: 1\n"
        "gravity: [1, 2, -9.81]\n"
        "templates:\n"
        "  t:\n"
        "    bodies:\n"
        "      rod: {type: flexible, damping: 0.01, modes: 8,\n"
        "        file: {mesh: {line: [[0, 0, 0], [1 m, 0, 0]], parts: 8}, modes: 12,\n"
        "          materials: {steel: {E: 210 GPa, nu: 0.3, density: 7850 kg/m3}},\n"
        "          sections: {line: {material: steel, section: circle, radius: 5 mm}},\n"
        "          markers: {left: {at: [0, 0, 0]}, right: {at: [1 m, 0, 0]}}}}\n"
        "    joints:\n"
        "      L: {type: %s, between: [ground, rod.left], axis: %s}\n"
        "      R: {type: %s, between: [ground, rod.right], axis: %s}\n"
        "parts: {p: {template: t, orientation: {axis: [1, 2, 3], angle: %d deg}}}\n"
        "run: {end: 0.05, every: 0.01}\n";
    static const ends        cases[]   = {{"fixed", "x", "planar", "z"},
                                          {"planar", "z", "revolute", "z"},
                                          {"universal", "[x, y]", "planar", "x"},
                                          {"universal", "[x, y]", "point-on-line", "y"}};
    static const char *const at_part[] = {"p.rod.position.z", NULL};
    static rows              told;
    for (int i = 0; i < 8; i++) {
        ends e = cases[i / 2];
        char model[2048];
        snprintf(model, sizeof model, text, e.left, e.left_axis, e.right, e.right_axis,
                 i % 2 ? 77 : 0);
        built b = must_build(model);
        simulate(&b, 0.05, 0.01, at_part, &told, NULL);
        must_say(b.diag, "This locks the rotation of 'p.rod'");
        built_free(&b);
    }
}

/* one that shortens as it bends and cannot stretch is refused just where both ends hold x */
static void what_shortens_and_cannot_stretch_is_refused(void **unused)
{
    (void)unused;
    /* of kind[] */
    static const bool holds_x[] = {true,  true, true, true,  false, true,
                                   false, true, true, false, true,  true};
    for (int j = 0; j < KINDS; j++) {
        ends  e = {"revolute", "y", kind[j][0], kind[j][1]};
        built b;
        bool  runs = try_rod(e, 8, " stiffening: true,", &b);
        if (runs == holds_x[j]) fail_msg("%s: %s", e.right, runs ? "runs" : "refused");
        if (!runs) {
            must_say(b.diag, "joint L along x against joint R along x (to stretch it)");
            must_say(b.diag, "bending shape");
            must_say(b.diag, "bending would shorten the distance between its ends, but its modes "
                             "cannot stretch");
            must_say(b.diag, "statics: attachment");
        }
        built_free(&b);
    }
}

static void each_direction_is_named_once_and_in_readable_axes(void **unused)
{
    (void)unused;
    static const struct {
        ends        e;
        int         modes;
        const char *keys, *words, *locks;
    } cases[] = {
        {{"fixed", "x", "fixed", "x"},
         8,
         "",
         "no mode of 'rod' can follow joint L along x against joint R along x (to stretch it). ",
         "This locks the rotation of 'rod' about y and z,"},
        {{"fixed", "x", "fixed", "x"},
         8,
         " attach: virtual-body,",
         "no mode of 'rod' can follow joint L along x against joint R along x (to stretch it). ",
         "This locks the rotation of 'rod' about y and z,"},
        {{"fixed", "x", "fixed", "x"},
         8,
         " conditions: constrained,",
         "no mode of 'rod' can follow joint L along x against joint R along x (to stretch it). ",
         "This locks the rotation of 'rod' about y and z,"},
        {{"revolute", "z", "revolute", "y"},
         8,
         "",
         "joint L along x against joint R along x (to stretch it), nor joint L about x against "
         "joint R about x (to twist it). ",
         "This locks the rotation of 'rod' about y and z,"},
        {{"spherical", "x", "spherical", "x"},
         4,
         " orientation: {axis: z, angle: 30 deg},",
         "joint L along (0.866, 0.5, 0) against joint R along (0.866, 0.5, 0) (to stretch it). ",
         "This locks the rotation of 'rod' about "},
        {{"planar", "x", "planar", "x"},
         8,
         "",
         "joint L along x against joint R along x (to stretch it). ",
         "This locks the rotation"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        built b;
        assert_true(try_rod(cases[i].e, cases[i].modes, cases[i].keys, &b));
        must_say(b.diag, cases[i].words);
        must_say(b.diag, cases[i].locks);
        assert_false(says(b.diag, "warning: locked"));
        built_free(&b);
    }
}

/* of joints that hold a rigid thing twice, and of modes that follow, nothing is said */
static void joints_that_modes_can_follow_are_not_named(void **unused)
{
    (void)unused;
    static const ends fine[] = {{"fixed", "x", "cylindrical", "x"},
                                {"revolute", "y", "point-on-plane", "z"},
                                {"spherical", "x", "point-on-line", "x"}};
    for (int i = 0; i < 3; i++) {
        built b;
        assert_true(try_rod(fine[i], 8, "", &b));
        assert_false(says(b.diag, "no mode"));
        assert_int_equal(b.model->nunfollowed, 0);
        built_free(&b);
    }
}

/* what hangs on the rod does not hide the lock, nor does a body that is fixed to the ground */
static void locks_are_found_beside_other_bodies(void **unused)
{
    (void)unused;
    static const char *const hang[] = {"type: fixed, between: [rod.middle, bob]",
                                       "type: revolute, between: [rod.middle, bob], axis: y",
                                       "type: fixed, between: [ground, bob], at: [0, 0, 0]"};
    static rows              told;
    for (int i = 0; i < 3; i++) {
        char text[2048];
        snprintf(text, sizeof text, rod_text, 8, "", "revolute", "y", "revolute",
                 i == 2 ? "bob" : "ground", "y", hang[i]);
        built b = must_build(text);
        simulate(&b, 0.01, 0.005, at, &told, NULL);
        must_say(b.diag, "joint L along x against joint R along x (to stretch it)");
        must_say(b.diag, "This locks the rotation of 'rod' about y and z");
        built_free(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_pair_of_joints_runs),
        cmocka_unit_test(held_turns_let_the_others_go_round),
        cmocka_unit_test(what_shortens_and_cannot_stretch_is_refused),
        cmocka_unit_test(each_direction_is_named_once_and_in_readable_axes),
        cmocka_unit_test(joints_that_modes_can_follow_are_not_named),
        cmocka_unit_test(locks_are_found_beside_other_bodies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
