/* The beam of Shabana and Wang (paper 003): reference conditions that agree with finite elements,
 * and joints that no mode can follow. References: the paper's table 1 and the independent linear
 * solutions of reference/multibody (shabana_beam_*.csv). */
#include "verify/example.h"

#include "unit/csv_table.h"

static const char *const channels[] = {"load_node_m", "free_end_m", NULL};

static example one;

static void ends_at(const char *set, double load, double end, double share)
{
    example_run("overhanging-beam", set, 1.0, 0.01, channels, &one);
    double here[] = {example_last(&one, 0), example_last(&one, 1)};
    if (!(fabs(here[0] - load) < share * fabs(load) && fabs(here[1] - end) < share * fabs(end)))
        fail_msg("%s: %.6g and %.6g m instead of %.6g and %.6g", set, here[0], here[1], load, end);
}

static void held_references_agree_with_finite_elements(void **unused)
{
    (void)unused;
    /* shabana_beam_static_truncation.csv: two modes; 24 of them are the finite elements */
    ends_at("", -0.0105637, 0.0160474, 1e-4);
    ends_at("reference=pinned-pinned", -0.0105637, 0.0160474, 1e-3);
    ends_at("modes=11", -0.0107208, 0.0160811, 1e-3);
}

static void pins_that_two_free_modes_cannot_follow_give_the_papers_error(void **unused)
{
    (void)unused;
    ends_at("reference=free-free", -3.0557e-3, -4.7052e-3, 1e-4); /* 71.5 % and 129.3 % off */
    /* the program says it itself */
    assert_non_null(
        strstr(one.said, "no mode of 'beam' can follow joint O along x against joint A along x"));
    assert_non_null(strstr(one.said, "This locks the rotation of 'beam' about y"));
    assert_non_null(strstr(one.said, "a permanent singular position"));
}

/* virtual bodies and constraints stand between the joints and the modes, and change nothing */
static void a_lock_is_found_however_the_motion_is_written_down(void **unused)
{
    (void)unused;
    static const char *const how[] = {"attach=virtual-body", "conditions=constrained",
                                      "attach=virtual-body conditions=constrained"};
    for (int i = 0; i < 3; i++) {
        char set[160];
        snprintf(set, sizeof set, "reference=free-free %s", how[i]);
        ends_at(set, -3.0557789e-3, -4.7051013e-3, 1e-6);
        assert_non_null(strstr(one.said, "no mode of 'beam' can follow joint O along x against "
                                         "joint A along x"));
        assert_non_null(strstr(one.said, "This locks the rotation of 'beam' about y"));
        snprintf(set, sizeof set, "reference=free-free stiffening=true %s", how[i]);
        example_try("overhanging-beam", set, 1.0, 0.01, channels, KL_E_MODEL, &one);
        assert_non_null(strstr(one.said, "the model cannot be computed"));
    }
}

/* held nodes too: damped as they swing there, not as a free beam does */
static void held_nodes_hold_as_constraints(void **unused)
{
    (void)unused;
    static const char *const held[] = {"", "modes=11", "reference=pinned-pinned",
                                       "support=roller modes=5 stiffening=true tolerance=1e-12"};
    for (int i = 0; i < 4; i++) {
        char          set[160];
        static double path[200][2];
        example_run("overhanging-beam", held[i], 0.1, 1e-3, channels, &one);
        int n = one.n;
        assert_true(n > 50 && n <= 200);
        for (int r = 0; r < n; r++)
            for (int c = 0; c < 2; c++) path[r][c] = one.value[r][c];
        snprintf(set, sizeof set, "%s conditions=constrained", held[i]);
        example_run("overhanging-beam", set, 0.1, 1e-3, channels, &one);
        assert_int_equal(one.n, n);
        for (int r = 0; r < n; r++)
            for (int c = 0; c < 2; c++) assert_close(one.value[r][c], path[r][c], 1e-6 * 0.02);
        assert_null(strstr(one.said, "no mode"));
    }
}

/* one degree of freedom is left: a closed form (paper 003, eq. 19 to 22) */
static void what_is_left_moves_as_the_closed_form_does(void **unused)
{
    (void)unused;
    example_run("overhanging-beam", "reference=free-free step=5e-6", 0.02, 1e-4, channels, &one);
    double last = -3.05578e-3, w = 1333.57, zeta = 0.01689, wd = w * sqrt(1.0 - zeta * zeta),
           worst = 0.0;
    assert_close(w, 1333.84,
                 5e-4 * w); /* shabana_beam_freefree_two_modes.csv, without rotary inertia */
    for (int i = 0; i < one.n; i++) {
        double t = one.t[i], u = exp(-zeta * w * t) * (cos(wd * t) + zeta * w / wd * sin(wd * t));
        worst = fmax(worst, fabs(one.value[i][0] - last * (1.0 - u)));
    }
    if (!(worst < 3e-4 * fabs(last)))
        fail_msg("%.3g of the static deflection from the closed form", worst / fabs(last));
}

static void the_same_modes_are_right_where_they_can_follow(void **unused)
{
    (void)unused;
    ends_at("reference=free-free support=roller", -1.0488e-2, 1.5584e-2, 1e-4);
    assert_null(strstr(one.said, "no mode"));
    ends_at("reference=free-free support=roller stiffening=true", -1.0488e-2, 1.5584e-2, 1e-4);
    /* axial modes among eleven (ten that bend: -0.0107152, 0.0160793) */
    ends_at("reference=free-free modes=11", -0.0107152, 0.0160793, 2e-3);
    assert_null(strstr(one.said, "no mode"));
    /* the whole load turns the frame by some degrees: not linear any more */
    example_run("overhanging-beam", "reference=free-free support=roller fraction=1", 1.0, 0.01,
                channels, &one);
    assert_close(example_last(&one, 0), -1.0488e-2, 0.01 * 1.0488e-2);
}

/* one mode that stretches, or static modes, beside the two that bend: as on a roller, nearly, and with
 * shortening as they bend too (the pins pull then) */
static void modes_that_stretch_free_the_pins(void **unused)
{
    (void)unused;
    static const char *const set[] = {"reference=free-free modes=3 third=11",
                                      "reference=free-free-static modes=4"};
    for (int i = 0; i < 2; i++) {
        char more[120];
        ends_at(set[i], -1.0488e-2, 1.5584e-2, 5e-4);
        assert_null(strstr(one.said, "no mode"));
        snprintf(more, sizeof more, "%s stiffening=true", set[i]);
        ends_at(more, -1.0488e-2, 1.5584e-2, 2e-3);
        assert_null(strstr(one.said, "no mode"));
    }
}

/* Modes of two held nodes do not stretch the beam between them: in the frame of these nodes that
 * does no harm, in mean axes it locks, however many they are. It ended in a Newton iteration that
 * did not converge: they bend sideways too, so that what is locked has curvatures of both signs. */
static void held_modes_in_mean_axes_lock_and_say_so(void **unused)
{
    (void)unused;
    static const char *const how[] = {"", "attach=virtual-body", "conditions=constrained"};
    for (int i = 0; i < 3; i++) {
        char set[160];
        snprintf(set, sizeof set, "reference=pinned-pinned frame=mean-axis modes=11 %s", how[i]);
        ends_at(set, -3.28404e-3, -4.35507e-3, 1e-5);
        assert_non_null(strstr(one.said, "no mode of 'beam' can follow joint O along x against "
                                         "joint A along x (to stretch it)"));
        assert_non_null(strstr(one.said, "This locks the rotation of 'beam' about y and z"));
        assert_non_null(strstr(one.said, "fix the reference frame at these markers"));
    }
    ends_at("reference=pinned-pinned frame=mean-axis modes=11 support=roller", -0.0107208,
            0.0160811, 1e-3);
    assert_null(strstr(one.said, "no mode"));
}

/* shortening without stretching leaves nothing that could move between two pins */
static void what_cannot_be_held_is_refused(void **unused)
{
    (void)unused;
    example_try("overhanging-beam", "reference=free-free stiffening=true", 1.0, 0.01, channels,
                KL_E_MODEL, &one);
    assert_non_null(strstr(one.said, "1 bending shape"));
    assert_non_null(strstr(
        one.said,
        "bending would shorten the distance between its ends, but its modes cannot stretch"));
    assert_non_null(strstr(one.said, "the model cannot be computed"));
}

/* Released from the shape that the load bends it to (loaded node at -9.1669 mm with all modes), figures 4
 * and 5: free decay against an independent modal solution without rotary inertia, whose frequencies are
 * 2e-4 higher: 2e-3 of the amplitude after 0.02 s. */
static void a_released_beam_swings_as_the_reference(void **unused)
{
    (void)unused;
    static const struct {
        const char *set;
        int         column; /* of the loaded node; the free end follows */
        double      first;  /* [m] */
    } cases[] = {{"modes=1", 1, -6.08998e-3}, {"", 3, -9.03259e-3}, {"modes=11", 5, -9.1669e-3}};
    table ref = table_read(KL_SOURCE_DIR "/tests/data/reference/shabana_beam_transient_ss.csv");
    assert_int_equal(ref.rows, 201);
    for (int c = 0; c < 3; c++) {
        char set[80];
        snprintf(set, sizeof set, "start=static step=1e-5 %s", cases[c].set);
        example_run("overhanging-beam", set, 0.02, 1e-4, channels, &one);
        assert_int_equal(one.n, ref.rows);
        assert_close(one.value[0][0], cases[c].first, 7e-4 * fabs(cases[c].first));
        for (int i = 0; i < one.n; i++)
            for (int k = 0; k < 2; k++) {
                double expected = ref.values[i * ref.columns + cases[c].column + k];
                assert_close(one.t[i], ref.values[i * ref.columns], 1e-9);
                assert_close(one.value[i][k], expected, k ? 6e-5 : 3e-5);
            }
    }
    free(ref.values);
}

/* Pins at both ends: 4 F L^3/(243 E I) under the load at a third of the length. Free-free modes that
 * bend are near (the paper's section 5) where they are 71 % off with an overhang; with modes that
 * stretch they are right. */
static void free_modes_suit_pins_at_both_ends(void **unused)
{
    (void)unused;
    double r = 3.175e-3, EI = 2.0684e11 * KL_PI * r * r * r * r / 4.0;
    double exact = -300.0 * pow(0.4572, 3) * 4.0 / (243.0 * EI);
    static const struct {
        const char *set;
        double      share;
    } cases[] = {{"support=end-pin modes=2", 0.1},
                 {"support=end-pin modes=4", 0.06},
                 {"support=end-pin modes=11", 1e-3},
                 {"support=end-roller modes=11", 1e-3}};
    for (int c = 0; c < 4; c++) {
        char set[120];
        snprintf(set, sizeof set, "reference=free-free %s", cases[c].set);
        example_run("overhanging-beam", set, 1.0, 0.01, channels, &one);
        assert_close(example_last(&one, 0), exact, cases[c].share * fabs(exact));
        assert_close(example_last(&one, 1), 0.0, 1e-9);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_released_beam_swings_as_the_reference),
        cmocka_unit_test(free_modes_suit_pins_at_both_ends),
        cmocka_unit_test(held_references_agree_with_finite_elements),
        cmocka_unit_test(pins_that_two_free_modes_cannot_follow_give_the_papers_error),
        cmocka_unit_test(a_lock_is_found_however_the_motion_is_written_down),
        cmocka_unit_test(held_nodes_hold_as_constraints),
        cmocka_unit_test(what_is_left_moves_as_the_closed_form_does),
        cmocka_unit_test(the_same_modes_are_right_where_they_can_follow),
        cmocka_unit_test(modes_that_stretch_free_the_pins),
        cmocka_unit_test(held_modes_in_mean_axes_lock_and_say_so),
        cmocka_unit_test(what_cannot_be_held_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
