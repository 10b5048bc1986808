/* An element of this file alone that holds two bodies in one direction and pulls them together in
 * another: a guide with a spring. It must cost no more than the same as two elements; a matrix
 * without the tangent of the spring between the two bodies would take ten times the iterations.
 *
 *   d = r_j - r_i,   phi = d.y = 0,   f = k (d.x - l) along x */
#include "solve/simulation.h"
#include "unit/own_element.h"

typedef struct sprung {
    double k, length;
    bool   holds, pulls;
} sprung;

static kl_status sprung_setup(void *data, const kl_setup *s, const kl_motion *m, int nmarker,
                              kl_element_size *size)
{
    (void)s, (void)m, (void)nmarker;
    size->nphi = ((const sprung *)data)->holds;
    return KL_OK;
}

static kl_status sprung_eval(const kl_reading *in, kl_writing *out)
{
    const sprung *p = in->data;
    kl_vec3       d = kl_sub(in->m[1].r, in->m[0].r);
    if (p->holds) out->phi[0] = d.y, out->rows[1] = -1.0, out->rows[7] = 1.0;
    if (!p->pulls) return KL_OK;
    double f       = p->k * (d.x - p->length);
    out->wrench[0] = f, out->wrench[6] = -f;
    out->energy = 0.5 * f * f / p->k;
    return KL_OK;
}

static const kl_key          no_keys[]    = {{0}};
static const kl_element_type sprung_guide = {.name      = "sprung-guide",
                                             .keys      = no_keys,
                                             .data_size = sizeof(sprung),
                                             .setup     = sprung_setup,
                                             .eval      = sprung_eval};

static const double K = 1e8, LENGTH = 1.0;

typedef struct result {
    double        x; /* of the second body against the first at the end */
    kl_statistics count;
} result;

/* Two bodies of 1 kg and 2 kg, stretched by some way and let go; pushed so that the guide has
 * something to hold. */
static result run(bool together, double stretch, double max_step, double end)
{
    char text[1024];
    snprintf(text, sizeof text,
             "klingel: 1\ngravity: 0\nintegrator: {tolerance: 1e-6, max_step: %g}\nbodies:\n"
             "  a: {mass: 1 kg, inertia: [1, 1, 1]}\n"
             "  b: {mass: 2 kg, inertia: [1, 1, 1], position: [%.9g, 0, 0]}\n"
             "forces:\n  push: {type: force, on: b, axis: [1, 1, 0], value: 50}\n",
             max_step, LENGTH + stretch);
    own_model         o      = own_begin(text);
    const char *const both[] = {"a", "b", NULL};
    if (together) {
        *(sprung *)own_add(&o, &sprung_guide, "guide", both) = (sprung){K, LENGTH, true, true};
    } else {
        *(sprung *)own_add(&o, &sprung_guide, "hold", both) = (sprung){K, LENGTH, true, false};
        *(sprung *)own_add(&o, &sprung_guide, "pull", both) = (sprung){K, LENGTH, false, true};
    }
    own_finish(&o);
    kl_simulation *s = NULL;
    result         r;
    assert_int_equal(kl_simulation_create(o.m, o.text.diag, &s), KL_OK);
    assert_int_equal(kl_simulation_start(s, o.text.diag), KL_OK);
    while (s->solver->s->t < end) assert_int_equal(kl_simulation_step(s, end, o.text.diag), KL_OK);
    r.x     = s->solver->s->q[o.m->body[2].q] - s->solver->s->q[o.m->body[1].q];
    r.count = s->count;
    kl_simulation_destroy(s);
    own_free(&o);
    return r;
}

static void it_swings_with_the_reduced_mass(void **unused)
{
    (void)unused;
    /* reduced mass 2/3 kg; the push shifts the middle by 50/sqrt(2) N/2 kg over w^2 */
    const double end = 2e-3, w = sqrt(K * 1.5), shift = 50.0 / sqrt(2.0) / 2.0 / (w * w);
    result       r     = run(true, 1e-3, 5e-6, end);
    double       exact = LENGTH + shift + (1e-3 - shift) * cos(w * end);
    print_message("  x %.9f, exact %.9f\n", r.x, exact);
    assert_close(r.x, exact, 2e-5);
}

/* Steps of a thousandth of a second, a hundred times those that the mass alone would let Newton
 * converge with. */
static void one_element_costs_no_more_than_two(void **unused)
{
    (void)unused;
    result one = run(true, 0.0, 1e-3, 0.1), two = run(false, 0.0, 1e-3, 0.1);
    double per_step[2] = {(double)one.count.iterations / (double)one.count.steps,
                          (double)two.count.iterations / (double)two.count.steps};
    print_message("  one element: %ld steps, %.2f iterations a step; two: %ld, %.2f\n",
                  one.count.steps, per_step[0], two.count.steps, per_step[1]);
    assert_true(one.count.steps <= two.count.steps + 2);
    assert_true(per_step[0] < 1.1 * per_step[1] && per_step[0] < 5.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(it_swings_with_the_reduced_mass),
                                       cmocka_unit_test(one_element_costs_no_more_than_two)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
