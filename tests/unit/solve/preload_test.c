#include "solve/preload.h"

#include <math.h>

#include "solve/statics.h"
#include "unit/solve/load.h"

/* A table on four springs, its centre of mass out of the middle: three conditions, four springs. */
static const char table[] =
    "klingel: 1\n"
    "parameters: {k: 1000 N/m, la: 0.5, lb: 0.5, lc: 0.5, ld: 0.5}\n"
    "bodies:\n"
    "  top: {mass: 10, inertia: [1, 1, 1], position: [0, 0, 0.5], center: [0.1, 0.2, 0]}\n"
    "joints:\n"
    "  post: {type: perpendicular, between: [ground, top], at: [0, 0, 0.5], axis: [x, y]}\n"
    "  on-x: {type: point-on-line, between: [ground, top], at: [0, 0, 0.5], axis: z}\n"
    "forces:\n"
    "  a: {type: spring-damper, between: [ground, top], at: [[1, 1, 0], [1, 1, 0.5]], stiffness: "
    "k, "
    "length: la}\n"
    "  b: {type: spring-damper, between: [ground, top], at: [[-1, 1, 0], [-1, 1, 0.5]], stiffness: "
    "k, length: lb}\n"
    "  c: {type: spring-damper, between: [ground, top], at: [[-1, -1, 0], [-1, -1, 0.5]], "
    "stiffness: k, length: lc}\n"
    "  d: {type: spring-damper, between: [ground, top], at: [[1, -1, 0], [1, -1, 0.5]], stiffness: "
    "k, length: ld}\n";

static void four_springs_of_a_table_share_its_weight(void **unused)
{
    (void)unused;
    loaded      l = load_text(table, NULL, 0, true);
    kl_preload *p = NULL;
    assert_int_equal(kl_find_preload(l.x, l.diag, &p), KL_OK);
    assert_int_equal(p->n, 4);
    /* least forces: linear over the table, f = W/4 (1 + x cx + y cy) at (+-1, +-1) */
    static const double corner[4][2] = {{1, 1}, {-1, 1}, {-1, -1}, {1, -1}};
    for (int i = 0; i < 4; i++) {
        double f = 10 * 9.81 / 4 * (1.0 + 0.1 * corner[i][0] + 0.2 * corner[i][1]);
        assert_close(p->item[i].value, 0.5 + f / 1000.0, 1e-10);
        assert_close(p->item[i].before, 0.5, 0.0);
        assert_string_equal(p->item[i].key, "length");
    }
    /* and with these the table stays where it is */
    char        text[4][64];
    const char *names[] = {"la", "lb", "lc", "ld"};
    kl_override set[4];
    for (int i = 0; i < 4; i++) {
        snprintf(text[i], sizeof text[i], "%.17g", p->item[i].value);
        set[i] = (kl_override){.name = names[i], .text = text[i]};
    }
    loaded         again = load_text(table, set, 4, true);
    kl_equilibrium e     = {0};
    assert_int_equal(kl_find_equilibrium(again.x, &e, again.diag), KL_OK);
    const double *q = again.x->s->q + again.model->body[1].q;
    assert_close(q[2], 0.5, 1e-10);
    assert_close(fabs(q[3]), 1.0, 1e-12);
    unload(&again);
    kl_preload_destroy(p);
    unload(&l);
}

/* A scissor lift: a cylinder without stiffness takes the load with its preload. With the angle a of the arms
 * and the length l of the cylinder, virtual work gives F dl/da = (m + m_arms/2) g L cos a. A damper beside
 * it takes nothing. */
static void a_cylinder_without_stiffness_takes_part_with_its_preload(void **unused)
{
    (void)unused;
    static const char lift[] =
        "klingel: 1\n"
        "parameters: {L: 1.2 m, a: 20 deg, w: L*cos(a), h: L*sin(a)}\n"
        "bodies:\n"
        "  one: {mass: 15, inertia: [1, 1, 1], position: [w/2, 0, h/2]}\n"
        "  two: {mass: 15, inertia: [1, 1, 1], position: [w/2, 0, h/2]}\n"
        "  deck: {mass: 400, inertia: [20, 40, 40], position: [w/2, 0, h]}\n"
        "joints:\n"
        "  foot: {type: revolute, between: [ground, one], at: [0, 0, 0], axis: y}\n"
        "  middle: {type: revolute, between: [one, two], at: [w/2, 0, h/2], axis: y}\n"
        "  roller: {type: point-on-line, between: [ground, two], at: [w, 0, 0], axis: x}\n"
        "  head: {type: revolute, between: [two, deck], at: [0, 0, h], axis: y}\n"
        "  slot: {type: point-on-line, between: [deck, one], at: [w, 0, h], axis: x}\n"
        "forces:\n"
        "  cylinder: {type: spring-damper, between: [ground, two], preload: -1,\n"
        "      at: [[0.05, 0, -0.1], [0.35*w, 0, 0.65*h]]}\n"
        "  damper: {type: spring-damper, between: [ground, deck], damping: 100,\n"
        "      at: [[0, 0, 0], [0, 0, h]]}\n";
    loaded      l = load_text(lift, NULL, 0, true);
    kl_preload *p = NULL;
    assert_int_equal(kl_find_preload(l.x, l.diag, &p), KL_OK);
    double L = 1.2, a = 20.0 * KL_PI / 180.0;
    double x = 0.35 * L * cos(a) - 0.05, z = 0.65 * L * sin(a) + 0.1;
    double slope = (-x * 0.35 * L * sin(a) + z * 0.65 * L * cos(a)) / hypot(x, z);
    assert_string_equal(p->item[0].key, "preload");
    assert_close(p->item[0].value, -415.0 * 9.81 * L * cos(a) / slope, 1e-6);
    assert_string_equal(p->item[1].key, "length");
    assert_close(p->item[1].value, p->item[1].before, 1e-12);
    kl_preload_destroy(p);
    unload(&l);
}

static void load_that_no_spring_carries_is_named(void **unused)
{
    (void)unused;
    loaded      l = load_text("klingel: 1\n"
                                   "bodies:\n"
                                   "  stone: {mass: 1, inertia: [1, 1, 1], position: [1, 0, 0]}\n"
                                   "forces:\n"
                                   "  level: {type: spring-damper, between: [ground, stone], at: [[0, 0, 0], "
                                   "[1, 0, 0]], stiffness: 100 N/m}\n",
                              NULL, 0, true);
    kl_preload *p = NULL;
    assert_int_equal(kl_find_preload(l.x, l.diag, &p), KL_E_MODEL);
    assert_true(says(l.diag, "no preloads balance this position"));
    assert_null(p);
    unload(&l);
}

static void model_without_springs_has_nothing_to_find(void **unused)
{
    (void)unused;
    loaded      l = load_example("double-pendulum", NULL, 0, true);
    kl_preload *p = NULL;
    assert_int_equal(kl_find_preload(l.x, l.diag, &p), KL_E_MODEL);
    assert_true(says(l.diag, "no spring or bushing whose preload"));
    unload(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(four_springs_of_a_table_share_its_weight),
        cmocka_unit_test(a_cylinder_without_stiffness_takes_part_with_its_preload),
        cmocka_unit_test(load_that_no_spring_carries_is_named),
        cmocka_unit_test(model_without_springs_has_nothing_to_find),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
