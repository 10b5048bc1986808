#include "solve/preload.h"

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
        cmocka_unit_test(load_that_no_spring_carries_is_named),
        cmocka_unit_test(model_without_springs_has_nothing_to_find),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
