/* Contact with the skin of a flexible body: derivatives, balance of forces, sticking, bad input. */
#include "unit/build_model.h"

#include <math.h>
#include <stdlib.h>

#include "contact/contact_data.h"
#include "contact/contact_skin.h"
#include "dynamics/work.h"
#include "solve/simulation.h"

/* A ball that stands `deep` in the plate of the example at (x, y). */
static built plate_with(const char *shape, const char *laws, double x, double y, double deep)
{
    char text[1500];
    snprintf(text, sizeof text,
             "klingel: 1\ngravity: 0\nbodies:\n"
             "  plate: {type: flexible, file: %s/examples/ball-on-plate/plate.yaml, modes: 12, "
             "deformation: [1e-5, 2e-5, -1e-5]}\n"
             "  ball: {mass: 0.1 kg, inertia: [1e-5, 1e-5, 1e-5], position: [%g, %g, %.12g], "
             "velocity: [0.2, 0.1, -0.3], omega: [1, 2, 3]}\n"
             "joints:\n  frame: {type: fixed, between: [ground, plate.edge]}\n"
             "contacts:\n  touch: {between: [ball, plate], shapes: [%s, skin], %s}\n",
             KL_SOURCE_DIR, x, y, 0.015 - deep, shape, laws);
    return must_build(text);
}

typedef struct probe { /* the contact, its markers and its cache, apart from the model */
    kl_reading in;
    kl_motion *m;
    void      *cache;
    double    *wrench;
    int        n;
} probe;

static void look(probe *p, const kl_element_type *t)
{
    kl_writing out = {.wrench = p->wrench};
    memset(p->wrench, 0, (size_t)(6 * p->n) * sizeof *p->wrench);
    assert_int_equal(t->locate(&p->in, p->cache), KL_OK);
    assert_int_equal(t->eval(&p->in, &out), KL_OK);
}

static probe probe_of(const kl_simulation *s, const kl_model *m, const kl_element *e)
{
    kl_reading in = kl_reading_of(m, s->solver->s, s->solver->w, e);
    probe      p  = {.in = in, .n = in.nmarker};
    p.m           = malloc((size_t)p.n * sizeof *p.m);
    p.cache       = malloc((size_t)e->ncache);
    p.wrench      = malloc((size_t)(6 * p.n) * sizeof *p.wrench);
    memcpy(p.m, in.m, (size_t)p.n * sizeof *p.m);
    p.in.m = p.m, p.in.cache = p.cache, p.in.accepted = NULL;
    return p;
}

static void check_slopes(const char *shape, const char *laws, double x, double y, double allowed)
{
    built             b = plate_with(shape, laws, x, y, 1e-5);
    kl_simulation    *s = NULL;
    const kl_element *e = &b.model->element[b.model->nelement - 1];
    assert_int_equal(kl_simulation_create(b.model, b.diag, &s), KL_OK);
    assert_int_equal(kl_eval_elements(b.model, s->solver->s, s->solver->w), KL_OK);
    probe p = probe_of(s, b.model, e);
    look(&p, e->type);
    kl_link link;
    double  K[576] = {0}, C[576] = {0}, most = 0.0, worst = 0.0, force[3] = {0};
    assert_true(e->type->link(&p.in, 0, &link));
    assert_int_equal(link.n, 4);
    kl_slopes slopes = {.K = K, .C = C};
    e->type->link_tangent(&p.in, 0, &slopes);
    /* what the ball feels, the nodes feel: forces add up to zero */
    for (int i = 0; i < p.n; i++)
        for (int c = 0; c < 3; c++) force[c] += p.wrench[6 * i + c];
    for (int c = 0; c < 3; c++) assert_true(fabs(force[c]) < 1e-9 * fabs(p.wrench[2]));
    for (int i = 0; i < 576; i++) most = fmax(most, fabs(K[i]));
    for (int col = 0; col < 24; col++) {
        int       at   = link.marker[col / 6];
        kl_motion keep = p.m[at];
        double    side[2][24], h = 1e-8;
        if (col % 6 >= 3) continue; /* nodes do not turn; of the ball only forces are compared */
        for (int k = 0; k < 2; k++) {
            double *r = col % 3 == 0 ? &p.m[at].r.x : col % 3 == 1 ? &p.m[at].r.y : &p.m[at].r.z;
            *r += k ? -h : h;
            look(&p, e->type);
            for (int i = 0; i < 24; i++) side[k][i] = p.wrench[6 * link.marker[i / 6] + i % 6];
            p.m[at] = keep;
        }
        for (int row = 0; row < 24; row++)
            worst = fmax(worst, fabs((side[0][row] - side[1][row]) / (2 * h) - K[24 * row + col]));
    }
    print_message("%s: slopes differ by %.2g of %.2g N/m\n", shape, worst, most);
    assert_true(most > 1e5 && worst < allowed * most);
    free(p.m), free(p.cache), free(p.wrench);
    kl_simulation_destroy(s);
    built_free(&b);
}

/* The share of a node follows the contact point and the normal follows its triangle: both change forces
 * by N over a length, which is left out. With 10 N on 1 MN/m over 15 mm that is a thousandth. */
static void slopes_are_those_of_the_force(void **unused)
{
    (void)unused;
    check_slopes("{sphere: 15 mm}", "law: linear, stiffness: 1 MN/m", 0.005, 0.008, 1e-3);
    check_slopes("{sphere: 15 mm}",
                 "law: linear, stiffness: 1 MN/m, damping: 10 N s/m, friction: smooth, mu: 0.3",
                 0.005, 0.008, 1e-3);
    check_slopes("{capsule: {radius: 15 mm, length: 10 mm, axis: x}}",
                 "law: linear, stiffness: 1 MN/m", 0.005, 0.008, 1e-3);
}

static void expect(const char *between, const char *shapes, const char *more, const char *words)
{
    char  text[1500], all[4096] = "";
    built b;
    snprintf(text, sizeof text,
             "klingel: 1\nbodies:\n"
             "  plate: {type: flexible, file: %s/examples/ball-on-plate/plate.yaml, modes: 3}\n"
             "  ball: {mass: 0.1 kg, inertia: [1e-5, 1e-5, 1e-5], position: [0, 0, 0.016]}\n"
             "contacts:\n  touch: {between: %s, shapes: %s, law: linear, %s}\n",
             KL_SOURCE_DIR, between, shapes, more);
    kl_status status = try_build(text, &b);
    for (int i = 0; i < kl_diag_size(b.diag); i++)
        snprintf(all + strlen(all), sizeof all - strlen(all), "%s\n", kl_diag_at(b.diag, i)->text);
    if (status == KL_OK || !strstr(all, words)) fail_msg("expected \"%s\", got:\n%s", words, all);
    built_free(&b);
}

static void mistakes_are_named(void **unused)
{
    (void)unused;
    const char *k = "stiffness: 1 MN/m", *both = "[ball, plate]";
    expect("[plate, ball]", "[skin, {sphere: 15 mm}]", k, "must be the second shape");
    expect("[plate, ball]", "[{sphere: 15 mm}, skin]", k, "belongs to a flexible body");
    expect(both, "[{torus: {radius: 20 mm, tube: 5 mm}}, skin]", k, "must be a sphere");
    expect(both, "[{sphere: 15 mm}, {skin: {from: [1, 1, 1], to: [2, 2, 2]}}]", k, "no triangle");
    expect(both, "[{sphere: 15 mm}, {skin: {from: [1, 1, 1], to: [0, 2, 2]}}]", k, "lower corner");
    expect(both, "[{sphere: 15 mm}, {skin: upper}]", k, "{skin: all}");
    expect(both, "[{sphere: 30 mm}, skin]", k, "penetrates the skin");
    expect(both, "[{sphere: 15 mm}, skin]", "stiffness: 1 MN/m, rolling_resistance: 1 mm",
           "take no moments");
    expect(both, "[{sphere: 15 mm}, skin]", "friction: none", "stiffness");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slopes_are_those_of_the_force),
        cmocka_unit_test(mistakes_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
