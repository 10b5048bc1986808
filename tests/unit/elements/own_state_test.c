/* An element of this file alone that sets the start of its state and history and says from which
 * size on the state matters.
 *
 *   z' = -w y,  y' = w z with y the second state: a circle of radius `size`, whatever its unit is
 *
 * An error of z is measured against max(largest |z|, scale): a small state whose scale is small is
 * followed as closely as a large one; one that stays below its scale does not hold up a run. */
#include <stdlib.h>

#include "solve/simulation.h"
#include "unit/own_element.h"

typedef struct circle {
    double size, scale, w;
} circle;

static double history; /* that eval found */

static kl_status circle_setup(void *data, const kl_setup *s, const kl_motion *m, int nmarker,
                              kl_element_size *size)
{
    (void)data, (void)s, (void)m, (void)nmarker;
    size->nz = 2;
    size->nh = 1;
    return KL_OK;
}

static kl_status circle_start(const kl_reading *in, const kl_setup *s, kl_element_start *out)
{
    (void)s;
    const circle *p = in->data;
    out->z[0]       = p->size;
    out->scale[0] = out->scale[1] = p->scale;
    out->h[0]                     = in->m[0].r.x + 42.0;
    return KL_OK;
}

static kl_status circle_eval(const kl_reading *in, kl_writing *out)
{
    const circle *p = in->data;
    history         = in->h[0];
    out->z_dot[0]   = -p->w * in->z[1];
    out->z_dot[1]   = p->w * in->z[0];
    return KL_OK;
}

static const kl_key          no_keys[]   = {{0}};
static const kl_element_type circle_type = {.name      = "circle",
                                            .keys      = no_keys,
                                            .data_size = sizeof(circle),
                                            .setup     = circle_setup,
                                            .start     = circle_start,
                                            .eval      = circle_eval};

/* Error at the end over the size of the circle; steps taken in *steps. */
static double turn(int integrator, double size, double scale, long *steps)
{
    const double w = 30.0, end = 1.0;
    own_model    o           = own_begin("klingel: 1\ngravity: 0\nintegrator: {tolerance: 1e-6}\n"
                                                      "bodies: {a: {mass: 1, inertia: [1, 1, 1], position: [0.5, 0, 0]}}\n");
    o.m->settings.integrator = integrator;
    *(circle *)own_add(&o, &circle_type, "it", (const char *[]){"a", NULL}) =
        (circle){size, scale, w};
    own_finish(&o);
    kl_simulation *s = NULL;
    assert_int_equal(kl_simulation_create(o.m, o.text.diag, &s), KL_OK);
    assert_int_equal(kl_simulation_start(s, o.text.diag), KL_OK);
    assert_close(history, 42.5, 1e-15);
    assert_close(s->solver->s->z[0], size, 1e-15 * size);
    while (s->solver->s->t < end) assert_int_equal(kl_simulation_step(s, end, o.text.diag), KL_OK);
    const double *z     = s->solver->s->z;
    double        error = hypot(z[0] - size * cos(w * end), z[1] - size * sin(w * end)) / size;
    *steps              = s->count.steps;
    kl_simulation_destroy(s);
    own_free(&o);
    return error;
}

static const int         each[] = {KL_GENERALIZED_ALPHA, KL_RUNGE_KUTTA, KL_GEAR};
static const char *const name[] = {"generalized-alpha", "runge-kutta", "gear"};

static void a_small_state_is_followed_as_closely_as_a_large_one(void **unused)
{
    (void)unused;
    for (int k = 0; k < 3; k++) {
        long   steps[2];
        double large = turn(each[k], 1e5, 1e-3, &steps[0]);
        double small = turn(each[k], 1e-9, 1e-17, &steps[1]);
        print_message("  %s: %.1e in %ld steps, %.1e in %ld steps\n", name[k], large, steps[0],
                      small, steps[1]);
        assert_close(small, large, 0.05 * large + 1e-9);
        assert_true(labs(steps[0] - steps[1]) <= 2 + steps[0] / 20);
    }
}

static void a_state_below_its_scale_does_not_hold_up_a_run(void **unused)
{
    (void)unused;
    for (int k = 0; k < 3; k++) {
        long below, above;
        (void)turn(each[k], 1e-9, 1.0, &below);
        (void)turn(each[k], 1e-9, 1e-17, &above);
        print_message("  %s: %ld steps, %ld where it matters\n", name[k], below, above);
        assert_true(2 * below < above);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_small_state_is_followed_as_closely_as_a_large_one),
        cmocka_unit_test(a_state_below_its_scale_does_not_hold_up_a_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
