/* A model written out in full runs to the same bits, and has no difference from the original. */
#include <stdlib.h>

#include "reference/write_model.h"
#include "solve/simulation.h"
#include "unit/build_model.h"

static kl_state *after(const built *b, double end)
{
    kl_simulation *s      = NULL;
    kl_status      status = kl_simulation_create(b->model, b->diag, &s);
    if (status == KL_OK) status = kl_simulation_start(s, b->diag);
    while (status == KL_OK && s->solver->s->t < end) status = kl_simulation_step(s, end, b->diag);
    if (status != KL_OK) print_messages(b->diag);
    assert_int_equal(status, KL_OK);
    kl_state *copy = kl_state_create(b->model);
    kl_state_copy(copy, s->solver->s);
    kl_simulation_destroy(s);
    return copy;
}

static char *full_text(const kl_model *m)
{
    kl_text t = {0};
    kl_write_model(&t, m);
    char *text = kl_text_finish(&t);
    assert_non_null(text);
    return text;
}

static void assert_full_is_the_same(built *a, double end)
{
    char     *text = full_text(a->model);
    built     b    = must_build(text);
    kl_text   t    = {0};
    int       n    = kl_model_diff(&t, a->model, b.model);
    char     *diff = kl_text_finish(&t);
    kl_state *x = after(a, end), *y = after(&b, end);
    if (n) print_message("%s", diff);
    assert_int_equal(n, 0);
    assert_int_equal(x->n, y->n);
    if (memcmp(x->x, y->x, (size_t)x->n * sizeof(double)) != 0) fail_msg("other bits:\n%s", text);
    kl_state_destroy(x);
    kl_state_destroy(y);
    built_free(&b);
    free(diff);
    free(text);
}

static const char machine[] =
    "klingel: 1\n"
    "parameters: {L: 0.3 m, k: 3, side: left}\n"
    "inputs: {u: {unit: N, value: 2}}\n"
    "templates:\n"
    "  arm:\n"
    "    parameters: {stiff: 20 N m/rad}\n"
    "    bodies:\n"
    "      a: {mass: 1, inertia: [0.01, 0.02, 0.02, 0.001, 0, 0], position: [L/3, 0, 0.01],\n"
    "          orientation: {cardan: [10 deg, 0, 5 deg]}, center: [0.01, 0, 0]}\n"
    "      b: {like: a, position: [1.2*L, 0, 0], omega: [0, 0, 1]}\n"
    "      p: {type: point, mass: 0.2, position: [2*L, 0.1, 0.2]}\n"
    "    joints:\n"
    "      h: {type: revolute, between: [ground, a], at: [0, 0, 0], axis: [0, 1, 0.2]}\n"
    "      h2: {type: revolute, between: [a, b], at: [L, 0, 0], axis: [0, 1, 0.2]}\n"
    "      g: {type: coupler, joints: [h, h2], ratio: -2}\n"
    "      d: {type: distance, between: [b, p], at: [[1.5*L, 0, 0], [2*L, 0.1, 0.2]]}\n"
    "    forces:\n"
    "      s: {type: rotational-spring-damper, of: h, stiffness: stiff,\n"
    "          actuator: {sum: [{expression: \"k*sin(7*t)\"}, {lua: \"k*t\"},\n"
    "                           {harmonic: {amplitude: 1, frequency: 3 Hz}}]}}\n"
    "      pull: {type: spring-damper, between: [b, p], at: [[L, 0, 0], [2*L, 0.1, 0.2]],\n"
    "             spring: {table: [[-1, -10], [0, 0], [1, 30]]}, actuator: {input: u}}\n"
    "      c: {type: controller, inputs: {x: h2.angle, w: p.velocity.z, u: input.u},\n"
    "          outputs: {T: h2.torque}, states: {e: 0.1}, lua: \"T = -k*x - e*u; e_dot = x - w\"}\n"
    "      push: {type: force, on: p, axis: x, value: {step: {to: 2, end: 0.2}}}\n"
    "    outputs:\n"
    "      turn: {expression: h.angle + k*h2.angle}\n"
    "      tip: {of: b, point: [0.1, 0, 0], quantity: position.x}\n"
    "parts:\n"
    "  one: {template: arm}\n"
    "  two: {template: arm, at: [0, 3, 0], orientation: {axis: z, angle: 30 deg}}\n"
    "  three: {template: arm, at: [0, 6, 0], mirror: y, parameters: {stiff: 5}}\n"
    "run: {end: 0.1, every: 0.01}\n";

static void a_model_with_everything_runs_to_the_same_bits_in_full(void **unused)
{
    (void)unused;
    built b = must_build(machine);
    assert_full_is_the_same(&b, 0.1);
    built_free(&b);
}

static void shipped_examples_run_to_the_same_bits_in_full(void **unused)
{
    (void)unused;
    static const char *const names[] = {
        "double-pendulum",      "simple-pendulum", "andrews-squeezer", "flyball-governor",
        "spatial-slider-crank", "bricard",         "spinning-top"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[300];
        snprintf(path, sizeof path, "examples/%s/model.yaml", names[i]);
        built     b = {.diag = kl_diag_create()};
        kl_status s = kl_source_read(path, b.diag, &b.source);
        if (s == KL_OK) s = kl_source_build(b.source, NULL, 0, b.diag, &b.model);
        if (s != KL_OK) print_messages(b.diag);
        assert_int_equal(s, KL_OK);
        assert_full_is_the_same(&b, 0.01);
        built_free(&b);
    }
}

static void differences_are_told_in_words(void **unused)
{
    (void)unused;
    static const char one[] =
        "klingel: 1\nparameters: {L: 1 m, old: 1}\ninputs: {u: {unit: N, value: 1}}\nbodies:\n"
        "  a: {mass: 1, inertia: [1, 1, 1], markers: {p: {at: [0.1, 0, 0]}}}\n  b: {mass: 2}\n"
        "joints:\n"
        "  j: {type: revolute, between: [ground, a], at: [0, 0, 0], start: {angle: 0.5}}\n"
        "outputs: {o: {expression: a.position.x*2}}\n";
    static const char two[] =
        "klingel: 1\nparameters: {L: 2 m}\ninputs: {u: {unit: N, value: 2}}\nbodies:\n"
        "  a: {mass: 1.5, inertia: [1, 1, 1], markers: {p: {at: [0.2, 0, 0]}}}\n  c: {mass: 2}\n"
        "joints:\n"
        "  j: {type: revolute, between: [ground, a], at: [0, 0.01, 0],\n"
        "      start: {angle: 0.5, fixed: [angle]}}\n"
        "outputs: {o: {expression: a.position.x*3}, new: {of: a, quantity: position.y}}\n"
        "run: {end: 3}\n";
    built   a = must_build(one), b = must_build(two);
    kl_text t    = {0};
    int     n    = kl_model_diff(&t, a.model, b.model);
    char   *text = kl_text_finish(&t);
    assert_string_equal(
        text, "body 'a': mass was 1, is 1.5 kg\n"
              "body 'b' was removed\n"
              "body 'c' is new\n"
              "marker 'a.p' moved by 100 mm and rotated by 0 degrees\n"
              "joint 'j': its marker on 'ground' moved by 10 mm and rotated by 0 degrees\n"
              "joint 'j': its marker on 'a' moved by 10 mm and rotated by 0 degrees\n"
              "parameter 'L': was 1 m, is 2 m\n"
              "parameter 'old' was removed\n"
              "input 'u': was {unit: \"N\", value: 1}, is {unit: \"N\", value: 2}\n"
              "start of 'j.angle': was 0.5, is 0.5, fixed\n"
              "output 'o': was {expression: \"a.position.x*2\"}, is {expression: "
              "\"a.position.x*3\"}\n"
              "output 'new' is new\n"
              "run: end was 1, is 3 s\n");
    assert_int_equal(n, 13);
    free(text);
    built_free(&a);
    built_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_model_with_everything_runs_to_the_same_bits_in_full),
        cmocka_unit_test(shipped_examples_run_to_the_same_bits_in_full),
        cmocka_unit_test(differences_are_told_in_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
