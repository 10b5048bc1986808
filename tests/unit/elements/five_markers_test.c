/* An element of this file alone with five markers and no tangent: a spring and damper between one
 * body and the mean of four others. Differences must give its whole tangent, 30 columns of it.
 *
 *   d = r_0 - (r_1 + r_2 + r_3 + r_4)/4,   f_0 = -k d - c d',   f_i = -f_0/4 */
#include "solve/simulation.h"
#include "unit/own_element.h"

typedef struct web {
    double k, c;
} web;

static kl_status web_setup(void *data, const kl_setup *s, const kl_motion *m, int nmarker,
                           kl_element_size *size)
{
    (void)data, (void)s, (void)m, (void)size;
    return nmarker == 5 ? KL_OK : KL_E_MODEL;
}

static kl_status web_eval(const kl_reading *in, kl_writing *out)
{
    const web *p = in->data;
    kl_vec3    d = in->m[0].r, v = in->m[0].v;
    for (int i = 1; i < 5; i++) {
        d = kl_axpy(-0.25, in->m[i].r, d);
        v = kl_axpy(-0.25, in->m[i].v, v);
    }
    kl_vec3 f = kl_add(kl_scale(-p->k, d), kl_scale(-p->c, v));
    kl_store(out->wrench, f);
    for (int i = 1; i < 5; i++) kl_store(out->wrench + 6 * i, kl_scale(-0.25, f));
    out->energy = 0.5 * p->k * kl_dot(d, d);
    out->loss   = p->c * kl_dot(v, v);
    return KL_OK;
}

static const kl_key          no_keys[] = {{0}};
static const kl_element_type five      = {
         .name = "web", .keys = no_keys, .data_size = sizeof(web), .setup = web_setup, .eval = web_eval};

static const char *const text = "klingel: 1\ngravity: 0\nintegrator: {tolerance: 1e-6}\nbodies:\n"
                                "  m: {mass: 2 kg, inertia: [1, 1, 1], position: [0.01, 0, 0]}\n"
                                "  a: {mass: 1 kg, inertia: [1, 1, 1], position: [1, 0, 0]}\n"
                                "  b: {mass: 1 kg, inertia: [1, 1, 1], position: [-1, 0, 0]}\n"
                                "  c: {type: point, mass: 1 kg, position: [0, 1, 0]}\n"
                                "  d: {type: point, mass: 1 kg, position: [0, -1, 0]}\n"
                                "forces:\n  push: {type: force, on: d, axis: z, value: 50}\n";

/* A quarter of the force acts on each of four bodies of 1 kg, so their mean accelerates with f/4: an
 * effective mass of 4 kg. With the 2 kg of the middle the reduced mass is 4/3 kg. */
static void it_swings_with_the_reduced_mass(void **unused)
{
    (void)unused;
    const double k = 1e8, end = 5e-3;
    own_model    o = own_begin(text);
    *(web *)own_add(&o, &five, "web", (const char *[]){"m", "a", "b", "c", "d", NULL}) =
        (web){k, 0.0};
    o.m->settings.max_step = 5e-6;
    own_finish(&o);
    kl_simulation *s = NULL;
    assert_int_equal(kl_simulation_create(o.m, o.text.diag, &s), KL_OK);
    assert_int_equal(kl_simulation_start(s, o.text.diag), KL_OK);
    while (s->solver->s->t < end) assert_int_equal(kl_simulation_step(s, end, o.text.diag), KL_OK);
    const double *q = s->solver->s->q;
    double        d = q[o.m->body[1].q];
    for (int i = 2; i < 6; i++) d -= 0.25 * q[o.m->body[i].q];
    double exact    = 0.01 * cos(sqrt(k / (4.0 / 3.0)) * end);
    double per_step = (double)s->count.iterations / (double)s->count.steps;
    print_message("  d %.7f m, exact %.7f m; %ld steps, %.2f iterations a step, %ld matrices\n", d,
                  exact, s->count.steps, per_step, s->count.factorizations);
    assert_close(d, exact, 2e-4);
    assert_true(per_step < 3.0);
    assert_true(s->count.steps < 1200);
    kl_simulation_destroy(s);
    own_free(&o);
}

/* Steps of a thousandth of a second, far longer than a period: Newton needs the tangent of all five
 * markers. */
static void long_steps_converge_too(void **unused)
{
    (void)unused;
    own_model o             = own_begin(text);
    o.m->settings.max_step  = 1e-3;
    o.m->q0[o.m->body[1].q] = 0.0; /* at rest length */
    *(web *)own_add(&o, &five, "web", (const char *[]){"m", "a", "b", "c", "d", NULL}) =
        (web){1e8, 0.0};
    own_finish(&o);
    kl_simulation *s = NULL;
    assert_int_equal(kl_simulation_create(o.m, o.text.diag, &s), KL_OK);
    assert_int_equal(kl_simulation_start(s, o.text.diag), KL_OK);
    while (s->solver->s->t < 0.1) assert_int_equal(kl_simulation_step(s, 0.1, o.text.diag), KL_OK);
    double per_step = (double)s->count.iterations / (double)s->count.steps;
    print_message("  %ld steps, %.2f iterations a step\n", s->count.steps, per_step);
    assert_true(per_step < 4.0 && s->count.steps < 200);
    kl_simulation_destroy(s);
    own_free(&o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(it_swings_with_the_reduced_mass),
                                       cmocka_unit_test(long_steps_converge_too)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
