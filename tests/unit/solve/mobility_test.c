#include "solve/mobility.h"

#include "unit/solve/load.h"

static kl_mobility *find(loaded *l)
{
    kl_mobility *b = NULL;
    assert_int_equal(kl_mobility_find(l->x, l->diag, &b), KL_OK);
    kl_mobility_describe(l->model, b, l->diag);
    return b;
}

static void expect(const kl_mobility *b, int mobility, int redundant, int singular, int locked)
{
    if (b->mobility != mobility || b->redundant != redundant || b->singular != singular ||
        b->locked != locked)
        fail_msg("mobility %d, redundant %d, singular %d, locked %d; expected %d, %d, %d, %d",
                 b->mobility, b->redundant, b->singular, b->locked, mobility, redundant, singular,
                 locked);
}

static void done(loaded *l, kl_mobility *b)
{
    kl_mobility_destroy(b);
    unload(l);
}

/* A planar four-bar in space, closed by hand. */
static const char closed_four_bar[] =
    "klingel: 1\n"
    "bodies:\n"
    "  crank:   {mass: 1, inertia: [1, 1, 1], position: [0, 0.5, 0]}\n"
    "  coupler: {mass: 1, inertia: [1, 1, 1], position: [1, 1, 0]}\n"
    "  rocker:  {mass: 1, inertia: [1, 1, 1], position: [2, 0.5, 0]}\n"
    "joints:\n"
    "  A: {type: revolute, between: [ground, crank], at: [0, 0, 0], axis: z}\n"
    "  B: {type: revolute, between: [crank, coupler], at: [0, 1, 0], axis: z}\n"
    "  C: {type: revolute, between: [coupler, rocker], at: [2, 1, 0], axis: z}\n"
    "  D: {type: revolute, between: [rocker, ground], at: [2, 0, 0], axis: z}\n";

static void planar_four_bar_in_space_is_redundant(void **unused)
{
    (void)unused;
    loaded       l = load_text(closed_four_bar, NULL, 0, true);
    kl_mobility *b = find(&l);
    expect(b, 1, 3, 0, 0);
    assert_int_equal(b->nrepeat, 1);
    assert_int_equal(b->repeat[0].count, 3);
    assert_true(says(l.diag, "joint D has 3 redundant constraints: directions that joints A, B and "
                             "C already constrain: along z, about y, about x"));
    assert_true(says(l.diag, "crank turns about z with coupler and rocker following"));
    assert_string_equal(b->undetermined, "A, B, C and D");
    done(&l, b);
}

static void flat_parallelogram_is_a_singular_position(void **unused)
{
    (void)unused;
    const char  *text = "klingel: 1\n"
                        "bodies:\n"
                        "  crank:   {mass: 1, inertia: [1, 1, 1], position: [0.5, 0, 0]}\n"
                        "  coupler: {mass: 1, inertia: [1, 1, 1], position: [2, 0, 0]}\n"
                        "  rocker:  {mass: 1, inertia: [1, 1, 1], position: [2.5, 0, 0]}\n"
                        "joints:\n"
                        "  A: {type: revolute, between: [ground, crank], at: [0, 0, 0], axis: z}\n"
                        "  B: {type: revolute, between: [crank, coupler], at: [1, 0, 0], axis: z}\n"
                        "  C: {type: revolute, between: [coupler, rocker], at: [3, 0, 0], axis: z}\n"
                        "  D: {type: revolute, between: [ground, rocker], at: [2, 0, 0], axis: z}\n";
    loaded       l    = load_text(text, NULL, 0, true);
    kl_mobility *b    = find(&l);
    expect(b, 1, 3, 1, 0);
    assert_int_equal(b->freedom, 2);
    assert_true(
        says(l.diag, "singular position: 2 directions are free here, 1 in nearby positions"));
    done(&l, b);
}

static void bricard_moves_although_counting_says_it_cannot(void **unused)
{
    (void)unused;
    loaded       l = load_example("bricard", NULL, 0, true);
    kl_mobility *b = find(&l);
    assert_int_equal(b->nv - b->nlam, 0);
    expect(b, 1, 1, 0, 0);
    assert_true(says(l.diag, "joint P6 has 1 redundant constraint"));
    done(&l, b);
}

static void stretched_links_between_pins_are_locked(void **unused)
{
    (void)unused;
    const char  *text = "klingel: 1\n"
                        "bodies:\n"
                        "  left:  {mass: 1, inertia: [1, 1, 1], position: [0.5, 0, 0]}\n"
                        "  right: {mass: 1, inertia: [1, 1, 1], position: [1.5, 0, 0]}\n"
                        "joints:\n"
                        "  A: {type: revolute, between: [ground, left], at: [0, 0, 0], axis: z}\n"
                        "  B: {type: revolute, between: [left, right], at: [1, 0, 0], axis: z}\n"
                        "  C: {type: revolute, between: [right, ground], at: [2, 0, 0], axis: z}\n";
    loaded       l    = load_text(text, NULL, 0, true);
    kl_mobility *b    = find(&l);
    expect(b, 0, 3, 0, 1);
    assert_true(says(l.diag, "locked: joints A, B and C leave 1 direction free to first order"));
    done(&l, b);
}

/* A beam as four links with springs between, pinned at both ends: to first order three bends are
 * free, but each would stretch it. A support that slides sets them free. */
static const char *const beam =
    "klingel: 1\n"
    "parameters: {n: 4}\n"
    "bodies:\n"
    "  \"link{i}\": {for: {i: 1..n}, mass: 1, inertia: [0.01, 0.1, 0.1], position: [i - 0.5, 0, "
    "0]}\n"
    "  foot: {mass: 1, inertia: [1, 1, 1], position: [n*1 m, 0, 0]}\n"
    "joints:\n"
    "  pin1: {type: revolute, between: [ground, link1], at: [0, 0, 0], axis: z}\n"
    "  \"bend{i}\": {for: {i: 2..n}, type: revolute, between: [\"link{i-1}\", \"link{i}\"], at: "
    "[i - 1, 0, 0], axis: z}\n"
    "  pin2: {type: revolute, between: [link4, foot], at: [n*1 m, 0, 0], axis: z}\n"
    "  support: {type: %s, between: [ground, foot], at: [n*1 m, 0, 0], axis: x}\n"
    "forces:\n"
    "  \"stiff{i}\": {for: {i: 2..n}, type: rotational-spring-damper, of: \"bend{i}\", stiffness: "
    "100 N m/rad}\n";

static void beam_pinned_at_both_ends_is_locked(void **unused)
{
    (void)unused;
    static const struct {
        const char *support;
        int         mobility, locked;
    } ends[] = {{"fixed", 0, 3}, {"translational", 3, 0}};
    for (int k = 0; k < 2; k++) {
        char text[2048];
        snprintf(text, sizeof text, beam, ends[k].support);
        loaded       l = load_text(text, NULL, 0, true);
        kl_mobility *b = find(&l);
        print_message("%s: mobility %d, redundant %d, singular %d, locked %d\n", ends[k].support,
                      b->mobility, b->redundant, b->singular, b->locked);
        assert_int_equal(b->mobility, ends[k].mobility);
        assert_int_equal(b->locked, ends[k].locked);
        assert_true(says(l.diag, "locked:") == (ends[k].locked > 0));
        done(&l, b);
    }
}

/* Each pin would let it turn; the other holds it, along the beam twice. With the second one free to
 * slide along the beam it is held as well, but by no more than is needed in its plane. */
static void rigid_beam_between_two_pins_is_locked(void **unused)
{
    (void)unused;
    static const char *const text =
        "klingel: 1\nbodies:\n  beam: {mass: 1, inertia: [1, 1, 1], position: [1, 0, 0]}\njoints:\n"
        "  left:  {type: revolute, between: [ground, beam], at: [0, 0, 0], axis: y}\n"
        "  right: {type: %s, between: [ground, beam], at: [2, 0, 0], axis: y}\n";
    static const char *const second[] = {"revolute", "point-on-plane"};
    for (int k = 0; k < 2; k++) {
        char own[512];
        snprintf(own, sizeof own, text, second[k]);
        loaded       l = load_text(own, NULL, 0, true);
        kl_mobility *b = find(&l);
        assert_int_equal(b->locked, 0);
        assert_true(says(l.diag, "locked: joints left and right together allow no motion") ==
                    (k == 0));
        done(&l, b);
    }
}

/* Redundant, and held by its driver alone: without it the shaft turns. */
static void driven_cardan_shaft_is_not_locked(void **unused)
{
    (void)unused;
    const char *text =
        "klingel: 1\nparameters: {b: 30 deg}\nbodies:\n"
        "  s1: {mass: 1, inertia: [.1, .1, .1], position: [-0.5, 0, 0]}\n"
        "  s2: {mass: 1, inertia: [.1, .1, .1], position: [0.5*cos(b), 0.5*sin(b), 0],\n"
        "       orientation: {axis: z, angle: b}}\n"
        "joints:\n"
        "  j1: {type: revolute, between: [ground, s1], at: [-1, 0, 0], axis: x}\n"
        "  j2: {type: cylindrical, between: [ground, s2], at: [cos(b), sin(b), 0],\n"
        "       axis: [cos(b), sin(b), 0]}\n"
        "  u: {type: universal, between: [s1, s2], at: [0, 0, 0], axis: [z, [-sin(b), cos(b), "
        "0]]}\n"
        "  m: {type: driver, of: j1, coordinate: angle, value: {polynomial: [0, 5 rad/s]}}\n";
    loaded       l = load_text(text, NULL, 0, true);
    kl_mobility *b = find(&l);
    expect(b, 0, 2, 0, 0);
    assert_null(b->locked_text);
    done(&l, b);
}

static void second_hinge_on_one_axis_repeats_all(void **unused)
{
    (void)unused;
    const char *text =
        "klingel: 1\n"
        "bodies:\n"
        "  door: {mass: 1, inertia: [1, 1, 1], position: [0.5, 0, 0]}\n"
        "joints:\n"
        "  front-hinge: {type: revolute, between: [ground, door], at: [0, 0, 0], axis: z}\n"
        "  rear-hinge:  {type: revolute, between: [ground, door], at: [0, 0, 2], axis: z}\n";
    loaded       l = load_text(text, NULL, 0, true);
    kl_mobility *b = find(&l);
    expect(b, 1, 5, 0, 0);
    assert_true(says(l.diag, "joint rear-hinge has 5 redundant constraints: directions that joint "
                             "front-hinge already constrains"));
    assert_true(says(l.diag, "free: door turns about z"));
    done(&l, b);
}

/* nodes of solids under loads of their own turn their markers thousands of times as far as the body */
static void virtual_bodies_neither_lock_nor_repeat(void **unused)
{
    (void)unused;
    const char *text =
        "klingel: 1\nbodies: {f: {type: flexible, attach: virtual-body, file: {mesh: {line: [[0, "
        "0, "
        "0], [1 m, 0, 0]], parts: 20}, materials: {steel: {E: 210 GPa, nu: 0.3, density: 7850 "
        "kg/m3}}, sections: {line: {material: steel, section: rectangle, width: 20 mm, height: 30 "
        "mm, orientation: [0, 1, 0]}}, modes: 8, reference: mean-axis, statics: attachment, "
        "interfaces: {root: all, tip: "
        "all}, markers: {root: {at: [0, 0, 0]}, tip: {at: [1, 0, 0]}}}, conditions: constrained, "
        "reference: principal-axis}}\n"
        "joints: {clamp: {type: fixed, between: [ground, f.root]}}\n"
        "forces: {load: {type: force, on: f.tip, axis: z, value: -10 N}}\n";
    loaded       l = load_text(text, NULL, 0, true);
    kl_mobility *b = find(&l);
    assert_int_equal(b->redundant + b->locked + b->singular, 0);
    assert_int_equal(b->mobility, b->nv - b->nlam);
    assert_null(b->locked_text);
    done(&l, b);
}

static void free_body_has_six_ways(void **unused)
{
    (void)unused;
    const char  *text = "klingel: 1\nbodies:\n  crate: {mass: 1, inertia: [1, 1, 1]}\n";
    loaded       l    = load_text(text, NULL, 0, true);
    kl_mobility *b    = find(&l);
    expect(b, 6, 0, 0, 0);
    assert_true(says(l.diag, "free: crate moves along y"));
    assert_true(says(l.diag, "free: crate turns about z"));
    done(&l, b);
}

static void regular_mechanisms_have_their_known_freedom(void **unused)
{
    (void)unused;
    static const struct {
        const char *example;
        int         mobility, redundant;
    } known[] = {{"spatial-slider-crank", 1, 0}, {"double-pendulum", 2, 0},
                 {"simple-pendulum", 2, 0},      {"spinning-top", 3, 0},
                 {"andrews-squeezer", 1, 9},     {"flyball-governor", 4, 0}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        loaded       l = load_example(known[i].example, NULL, 0, true);
        kl_mobility *b = find(&l);
        if (b->mobility != known[i].mobility) print_message("%s\n", known[i].example);
        expect(b, known[i].mobility, known[i].redundant, 0, 0);
        done(&l, b);
    }
}

static void forty_loops_are_analysed_in_no_time(void **unused)
{
    (void)unused;
    kl_override  set = {.name = "loops", .text = "40"};
    loaded       l   = load_example("n-four-bar", &set, 1, true);
    kl_mobility *b   = find(&l);
    expect(b, 1, 120, 0, 0);
    assert_int_equal(b->nrepeat, 40);
    done(&l, b);
}

static void chain_of_a_thousand_links_has_a_thousand_ways(void **unused)
{
    (void)unused;
    const char *text =
        "klingel: 1\n"
        "bodies:\n"
        "  \"link{i}\": {for: {i: 1..1000}, mass: 1, inertia: [1, 1, 1], position: [i - 0.5, 0, "
        "0]}\n"
        "joints:\n"
        "  wall: {type: revolute, between: [ground, link1], at: [0, 0, 0], axis: z}\n"
        "  \"pin{i}\": {for: {i: 1..999}, type: revolute, between: [\"link{i}\", \"link{i+1}\"], "
        "at: "
        "[i, 0, 0], axis: z}\n";
    loaded       l = load_text(text, NULL, 0, true);
    kl_mobility *b = find(&l);
    expect(b, 1000, 0, 0, 0);
    assert_true(says(l.diag, "free: 976 more directions"));
    done(&l, b);
}

static void analysis_leaves_the_state_alone(void **unused)
{
    (void)unused;
    loaded l = load_text(closed_four_bar, NULL, 0, true);
    double before[64];
    memcpy(before, l.x->s->x, (size_t)l.x->s->n * sizeof(double));
    kl_mobility *b = find(&l);
    assert_memory_equal(before, l.x->s->x, (size_t)l.x->s->n * sizeof(double));
    done(&l, b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(planar_four_bar_in_space_is_redundant),
        cmocka_unit_test(flat_parallelogram_is_a_singular_position),
        cmocka_unit_test(bricard_moves_although_counting_says_it_cannot),
        cmocka_unit_test(stretched_links_between_pins_are_locked),
        cmocka_unit_test(beam_pinned_at_both_ends_is_locked),
        cmocka_unit_test(rigid_beam_between_two_pins_is_locked),
        cmocka_unit_test(driven_cardan_shaft_is_not_locked),
        cmocka_unit_test(second_hinge_on_one_axis_repeats_all),
        cmocka_unit_test(virtual_bodies_neither_lock_nor_repeat),
        cmocka_unit_test(free_body_has_six_ways),
        cmocka_unit_test(regular_mechanisms_have_their_known_freedom),
        cmocka_unit_test(forty_loops_are_analysed_in_no_time),
        cmocka_unit_test(chain_of_a_thousand_links_has_a_thousand_ways),
        cmocka_unit_test(analysis_leaves_the_state_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
