/* The model language: what is written in different ways gives the same model, and what cannot be
 * meant is told with its place and a way out. */
#define _XOPEN_SOURCE 700
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "language/build.h"
#include "reference/write_model.h"
#include "reference/write_values.h"
#include "solve/simulation.h"
#include "unit/test.h"

/* ---- helpers ---- */

typedef struct built {
    kl_diag   *diag;
    kl_source *source;
    kl_model  *model;
    kl_status  status;
} built;

static built build_with(const char *text, const kl_override *set, int nset)
{
    built b  = {.diag = kl_diag_create()};
    b.status = kl_source_parse(text, strlen(text), "model.yaml", b.diag, &b.source);
    if (b.status == KL_OK) b.status = kl_source_build(b.source, set, nset, b.diag, &b.model);
    return b;
}

static built build(const char *text) { return build_with(text, NULL, 0); }

static void release(built *b)
{
    kl_model_destroy(b->model);
    kl_source_destroy(b->source);
    kl_diag_destroy(b->diag);
}

static bool told(const built *b, const char *part)
{
    for (int i = 0; i < kl_diag_size(b->diag); i++)
        if (strstr(kl_diag_at(b->diag, i)->text, part)) return true;
    return false;
}

static void show(const built *b)
{
    for (int i = 0; i < kl_diag_size(b->diag); i++)
        fprintf(stderr, "  %s\n", kl_diag_at(b->diag, i)->text);
}

static void assert_fails(const char *text, const char *message)
{
    built b = build(text);
    if (b.status == KL_OK || !told(&b, message)) {
        show(&b);
        fail_msg("wanted the message: %s", message);
    }
    release(&b);
}

static void assert_builds(built *b)
{
    if (b->status != KL_OK) show(b);
    assert_int_equal(b->status, KL_OK);
}

/* State after `end` seconds; the caller frees it. */
static kl_state *after(const built *b, double end)
{
    kl_simulation *s = NULL;
    assert_int_equal(kl_simulation_create(b->model, b->diag, &s), KL_OK);
    assert_int_equal(kl_simulation_start(s, b->diag), KL_OK);
    while (s->solver->s->t < end) assert_int_equal(kl_simulation_step(s, end, b->diag), KL_OK);
    kl_state *copy = kl_state_create(b->model);
    kl_state_copy(copy, s->solver->s);
    kl_simulation_destroy(s);
    return copy;
}

/* ---- one machine, written in several ways ---- */

#define HEAD "klingel: 1\nparameters: {L: 300 mm, m: 2 kg}\n"
#define TAIL "run: {end: 0.2, every: 0.01}\n"

static const char explicit_text[] =
    HEAD "bodies:\n"
         "  left.arm: {mass: 2, inertia: [0.01, 0.02, 0.03], position: [0.15, 0, 0]}\n"
         "  right.arm: {mass: 2, inertia: [0.01, 0.02, 0.03], position: [1.15, 0, 0]}\n"
         "joints:\n"
         "  left.hinge: {type: revolute, between: [ground, left.arm], at: [0, 0, 0], axis: y}\n"
         "  right.hinge: {type: revolute, between: [ground, right.arm], at: [1, 0, 0], axis: y}\n"
         "forces:\n"
         "  left.spring: {type: rotational-spring-damper, of: left.hinge, stiffness: 2 N m/rad}\n"
         "  right.spring: {type: rotational-spring-damper, of: right.hinge, stiffness: 2 N "
         "m/rad}\n" TAIL;

static const char like_text[] =
    HEAD "bodies:\n"
         "  left.arm: {mass: m, inertia: [0.01, 0.02, 0.03], position: [L/2, 0, 0]}\n"
         "  right.arm: {like: left.arm, position: [1 m + L/2, 0, 0]}\n"
         "joints:\n"
         "  left.hinge: {type: revolute, between: [ground, left.arm], at: [0, 0, 0], axis: y}\n"
         "  right.hinge: {like: left.hinge, between: [ground, right.arm], at: [1, 0, 0]}\n"
         "forces:\n"
         "  left.spring: {type: rotational-spring-damper, of: left.hinge, stiffness: 2 N m/rad}\n"
         "  right.spring: {like: left.spring, of: right.hinge}\n" TAIL;

static const char template_text[] =
    HEAD "templates:\n"
         "  swing:\n"
         "    parameters: {k: 1 N m/rad}\n"
         "    bodies:\n"
         "      arm: {mass: m, inertia: [0.01, 0.02, 0.03], position: [L/2, 0, 0]}\n"
         "    joints:\n"
         "      hinge: {type: revolute, between: [ground, arm], at: [0, 0, 0], axis: y}\n"
         "    forces:\n"
         "      spring: {type: rotational-spring-damper, of: hinge, stiffness: k}\n"
         "    outputs:\n"
         "      fall: {expression: arm.position.z / L + k / (1 N m/rad)}\n"
         "parts:\n"
         "  left: {template: swing, parameters: {k: 2 N m/rad}}\n"
         "  right: {like: left, at: [1, 0, 0]}\n" TAIL;

static const char loop_text[] =
    HEAD "templates:\n"
         "  swing:\n"
         "    bodies:\n"
         "      arm: {mass: m, inertia: [0.01, 0.02, 0.03], position: [L/2, 0, 0]}\n"
         "    joints:\n"
         "      hinge: {type: revolute, between: [ground, arm], at: [0, 0, 0], axis: y}\n"
         "    forces:\n"
         "      spring: {type: rotational-spring-damper, of: hinge, stiffness: 2}\n"
         "parts:\n"
         "  \"{side}\": {template: swing, for: {side: [left, right]}, at: [\"where\", 0, 0],\n"
         "             when: side == left}\n"
         "  \"{side}2\": {template: swing, for: {side: [right]}, at: [1, 0, 0]}\n" TAIL;

/* By name, since the order of joints and forces may differ. */
static void assert_same_motion(const char *one, const char *two)
{
    built a = build(one), b = build(two);
    assert_builds(&a);
    assert_builds(&b);
    kl_state *x = after(&a, 0.2), *y = after(&b, 0.2);
    assert_int_equal(a.model->nbody, b.model->nbody);
    for (int i = 1; i < a.model->nbody; i++) {
        const kl_body *p = &a.model->body[i];
        int            k = kl_model_find_body(b.model, p->name);
        assert_true(k > 0);
        const kl_body *q = &b.model->body[k];
        assert_memory_equal(x->q + p->q, y->q + q->q, 7 * sizeof(double));
        assert_memory_equal(x->v + p->v, y->v + q->v, 6 * sizeof(double));
    }
    kl_state_destroy(x);
    kl_state_destroy(y);
    release(&a);
    release(&b);
}

static void explicit_like_and_template_give_the_same_bits(void **unused)
{
    (void)unused;
    assert_same_motion(explicit_text, like_text);
    assert_same_motion(explicit_text, template_text);
}

static void outputs_of_a_part_know_its_names_and_parameters(void **unused)
{
    (void)unused;
    built b = build(template_text);
    assert_builds(&b);
    kl_channels *c = NULL;
    kl_status    s = kl_channels_create(b.model, b.diag, &c);
    show(&b);
    assert_int_equal(s, KL_OK);
    assert_true(kl_channels_find(c, "left.fall") >= 0);
    assert_true(kl_channels_find(c, "right.fall") >= 0);
    assert_string_equal(kl_channels_at(c, kl_channels_find(c, "right.fall"))->unit, "1");
    kl_channels_destroy(c);
    release(&b);
}

/* a marker of the body, or of a flexible body's file, is a point for outputs too */
static void outputs_are_taken_at_markers(void **unused)
{
    (void)unused;
    static const char text[] =
        "klingel: 1\ngravity: 0\nbodies:\n"
        "  a: {mass: 1, position: [1, 0, 0], markers: {tip: {at: [0, 2, 0]}}}\n"
        "  rod: {type: flexible, position: [0, 0, 3], file: {mesh: {line: [[0, 0, 0], [1, 0, 0]], "
        "parts: 2}, modes: 2, materials: {s: {E: 210 GPa, nu: 0.3, density: 7850 kg/m3}}, "
        "sections: {line: {material: s, section: circle, radius: 5 mm}}, markers: {left: {at: [0, "
        "0, 0]}, right: {at: [1, 0, 0]}}}}\n"
        "outputs:\n  y: {of: a.tip, quantity: position.y}\n"
        "  x: {of: rod.right, quantity: position.x}\n  z: {of: rod.frame, quantity: position.z}\n";
    built b = build(text);
    assert_builds(&b);
    assert_int_equal(b.model->marker[b.model->wanted[1].marker].node, 2);
    assert_int_equal(b.model->marker[b.model->wanted[2].marker].node, KL_MARKER_FRAME);
    assert_true(b.model->marker[b.model->wanted[0].marker].r.y == 2.0);
    kl_text full = {0};
    for (int i = 0; i < 3; i++) kl_write_output(&full, b.model, i);
    assert_non_null(strstr(full.data, "{of: a, point: [0, 2, 0], quantity: position.y}"));
    assert_non_null(strstr(full.data, "{of: rod.right, quantity: position.x}"));
    assert_non_null(strstr(full.data, "{of: rod.frame, quantity: position.z}"));
    kl_text_free(&full);
    release(&b);
    assert_fails("klingel: 1\nbodies:\n  a: {mass: 1, markers: {tip: {at: [0, 2, 0]}}}\n"
                 "outputs: {y: {of: a.tipp, quantity: position.y}}\n",
                 "body 'a' has no marker 'tipp'; did you mean 'a.tip'?");
    assert_fails("klingel: 1\nbodies:\n  a: {mass: 1, markers: {tip: {at: [0, 2, 0]}}}\n"
                 "outputs: {y: {of: a.tip, point: [1, 0, 0], quantity: position.y}}\n",
                 "the marker `of: a.tip` already defines a point");
}

/* a joint on the floating frame, or on one of two markers in one place, is the same written in full */
static void markers_say_what_they_are_fixed_to(void **unused)
{
    (void)unused;
#define ROD(markers)                                                                               \
    "klingel: 1\ngravity: 0\nbodies:\n"                                                            \
    "  rod: {type: flexible, " markers "file: {mesh: {line: [[0, 0, 0], [1, 0, 0]], parts: 2}, "   \
    "modes: 2, materials: {s: {E: 210 GPa, nu: 0.3, density: 7850 kg/m3}}, sections: {line: "      \
    "{material: s, section: circle, radius: 5 mm}}, markers: {left: {at: [0, 0, 0]}, again: {at: " \
    "[0, 0, 0]}, right: {at: [1, 0, 0]}}}}\n"
    built b = build(
        ROD("markers: {far: {at: [0, 0, 0], on: right}}, ") "joints:\n  one: {type: spherical, "
                                                            "between: [ground, rod.again]}\n"
                                                            "  two: {type: point-on-plane, "
                                                            "between: [ground, rod.frame]}\n"
                                                            "  three: {type: point-on-plane, "
                                                            "between: [ground, rod.far]}\n");
    assert_builds(&b);
    const int nodes[] = {2, KL_MARKER_FRAME, 3};
    for (int i = 0; i < 3; i++)
        assert_int_equal(b.model->marker[b.model->element[i].marker + 1].node, nodes[i]);
    kl_text full = {0};
    kl_write_model(&full, b.model);
    built again = build(full.data);
    assert_builds(&again);
    for (int i = 0; i < 3; i++)
        assert_int_equal(again.model->marker[again.model->element[i].marker + 1].node, nodes[i]);
    kl_text_free(&full);
    release(&again);
    release(&b);
    assert_fails(ROD("markers: {far: {at: [0, 0, 0], on: rigth}}, "),
                 "its body file has no marker 'rigth'");
    assert_fails("klingel: 1\nbodies: {a: {mass: 1, markers: {p: {at: [0, 0, 0], on: q}}}}\n",
                 "'a' is rigid");
#undef ROD
}

static void when_leaves_out_what_is_not_meant(void **unused)
{
    (void)unused;
    char text[2000];
    snprintf(text, sizeof text, "%s", loop_text);
    char *hole = strstr(text, "\"where\"");
    memcpy(hole, "    0  ", 7);
    built b = build(text);
    assert_builds(&b);
    assert_true(kl_model_find_body(b.model, "left.arm") > 0);
    assert_true(kl_model_find_body(b.model, "right.arm") < 0);
    assert_true(kl_model_find_body(b.model, "right2.arm") > 0);
    release(&b);
    assert_fails("klingel: 1\nparameters: {on: false}\nbodies:\n  a: {mass: 1, when: on}\n"
                 "joints:\n  j: {type: fixed, between: [ground, a], at: [0, 0, 0]}\n",
                 "model.yaml:6:38: body 'a' is left out by its `when` in line 4");
    assert_fails("klingel: 1\nparameters: {drive: electric}\nbodies:\n"
                 "  a: {mass: 1, when: drive}\n",
                 "compare it: `drive == electric`");
}

static int bodies_when(const char *condition)
{
    char text[300];
    snprintf(text, sizeof text,
             "klingel: 1\nparameters: {kind: soft, other: soft, n: 3, sprung: true}\nbodies:\n"
             "  a: {mass: 1, when: %s}\n  rest: {mass: 1}\n",
             condition);
    built b = build(text);
    assert_builds(&b);
    int n = b.model->nbody - 2;
    release(&b);
    return n;
}

static void conditions_on_words_and_numbers_combine(void **unused)
{
    (void)unused;
    assert_int_equal(bodies_when("kind == soft and n == 3"), 1);
    assert_int_equal(bodies_when("kind == soft and n == 4"), 0);
    assert_int_equal(bodies_when("sprung and kind == soft"), 1);
    assert_int_equal(bodies_when("n == 4 or kind != 'hard'"), 1);
    assert_int_equal(bodies_when("not (kind == soft) or n == 2"), 0);
    assert_int_equal(bodies_when("sprung == true"), 1);
    assert_int_equal(bodies_when("kind == other"), 1);
    assert_fails("klingel: 1\nparameters: {kind: soft}\nbodies:\n  a: {mass: 1, when: kind > 3}\n",
                 "'kind' is the word 'soft'; compare it: `kind == soft`");
}

static void a_mirrored_part_moves_as_the_mirror_image(void **unused)
{
    (void)unused;
    static const char text[] =
        "klingel: 1\n"
        "templates:\n"
        "  arm:\n"
        "    bodies:\n"
        "      hub: {mass: 3, inertia: [0.03, 0.04, 0.05, 0.002, 0.003, 0.001],\n"
        "            center: [0.02, 0.03, 0.01], position: [0.3, 0.4, 0.1],\n"
        "            orientation: {axis: [1, 2, 3], angle: 20 deg}, velocity: [0, 0.1, 0]}\n"
        "      tip: {mass: 1, inertia: [0.01, 0.01, 0.01], position: [0.6, 0.9, 0.1],\n"
        "            omega: [0.2, 0.1, 0], markers: {eye: {at: [0.1, 0.05, 0], axis: [1, 1, 0]}}}\n"
        "      far: {mass: 1, inertia: [0.02, 0.01, 0.02], position: [0.9, 1.1, 0.2]}\n"
        "    joints:\n"
        "      hinge: {type: revolute, between: [ground, hub], at: [0.1, 0.2, 0], axis: [1, 2, "
        "2]}\n"
        "      slide: {type: translational, between: [hub, tip], at: [0.5, 0.6, 0.1],\n"
        "              axis: [2, 1, 0]}\n"
        "      screw: {type: screw, between: [tip.eye, far], pitch: 200 mm}\n"
        "    forces:\n"
        "      motor: {type: rotational-spring-damper, of: hinge, stiffness: 5,\n"
        "              actuator: {harmonic: {amplitude: 4, frequency: 2 Hz}}}\n"
        "      push: {type: slide-spring-damper, of: slide, stiffness: 100, preload: 3}\n"
        "      turn: {type: torque, on: tip, axis: [0, 1, 1], value: 0.7}\n"
        "      wind: {type: force, on: hub, at: [0.3, 0.5, 0.2], axis: [1, -1, 0.5], value: 2}\n"
        "      mount: {type: bushing, between: [hub, ground], at: [0.3, 0.3, 0], axis: [1, 0, 2],\n"
        "              stiffness: [[90, 5, 3, 1, 2, 1], [5, 80, 4, 2, 1, 3], [3, 4, 70, 1, 1, 1],\n"
        "                          [1, 2, 1, 9, 1, 1], [2, 1, 1, 1, 8, 1], [1, 3, 1, 1, 1, 7]],\n"
        "              preload: [1, 2, 3, 0.1, 0.2, 0.3]}\n"
        "parts:\n"
        "  a: {template: arm}\n"
        "  b: {template: arm, mirror: y}\n"
        "  c: {template: arm, mirror: x, at: [0, 0, 5]}\n"
        "integrator: {tolerance: 1e-8}\n";
    built b = build(text);
    assert_builds(&b);
    kl_state *s = after(&b, 0.3);
    for (int i = 1; i <= 3; i++) {
        const double *p = s->q + b.model->body[i].q, *q = s->q + b.model->body[i + 3].q,
                     *r = s->q + b.model->body[i + 6].q;
        assert_close(q[0], p[0], 1e-9);
        assert_close(q[1], -p[1], 1e-9);
        assert_close(q[2], p[2], 1e-9);
        assert_close(r[0], -p[0], 1e-9);
        assert_close(r[1], p[1], 1e-9);
        assert_close(r[2], p[2] + 5.0, 1e-9);
    }
    kl_state_destroy(s);
    release(&b);
}

static void a_turned_part_moves_as_the_turned_image(void **unused)
{
    (void)unused;
    static const char text[] =
        "klingel: 1\ngravity: 0\n"
        "templates:\n"
        "  inner:\n"
        "    bodies:\n"
        "      a: {mass: 2, inertia: [0.1, 0.2, 0.2], position: [0.5, 0, 0.1], velocity: [0, 1, "
        "0],\n"
        "          omega: [0, 0, 2]}\n"
        "    joints:\n"
        "      j: {type: revolute, between: [ground, a], at: [0, 0, 0], axis: z}\n"
        "    forces:\n"
        "      s: {type: spring-damper, between: [ground, a], at: [[1, 1, 0], [0.6, 0, 0]],\n"
        "          stiffness: 100, length: 1}\n"
        "  outer:\n"
        "    parts:\n"
        "      in: {template: inner, at: [1, 2, 3], orientation: {axis: x, angle: 90 deg}}\n"
        "parts:\n"
        "  p: {template: inner}\n"
        "  q: {template: outer, at: [1, 1, 1], orientation: {axis: x, angle: -90 deg}}\n";
    built b = build(text);
    assert_builds(&b);
    kl_state     *s = after(&b, 0.5);
    int           i = kl_model_find_body(b.model, "p.a"), k = kl_model_find_body(b.model, "q.in.a");
    const double *p = s->q + b.model->body[i].q, *q = s->q + b.model->body[k].q;
    /* the turns cancel; the inner part stands at (1, 2, 3) turned by -90 deg about x */
    assert_close(q[0], p[0] + 2.0, 1e-9);
    assert_close(q[1], p[1] + 4.0, 1e-9);
    assert_close(q[2], p[2] - 1.0, 1e-9);
    kl_state_destroy(s);
    release(&b);
}

/* ---- parameters ---- */

static void parameters_come_in_any_order_and_circles_are_named(void **unused)
{
    (void)unused;
    built b = build("klingel: 1\nparameters: {a: 2*b, b: c + 1 m, c: 3 m}\n"
                    "bodies:\n  x: {mass: 1, position: [a, b, c]}\n");
    assert_builds(&b);
    assert_close(b.model->q0[b.model->body[1].q], 8.0, 0.0);
    release(&b);
    assert_fails(
        "klingel: 1\nparameters: {a: 2*b, b: a + 1}\n",
        "parameter 'a' depends on itself; give one of the parameters in the cycle a number");
}

static void set_reaches_parameters_of_parts(void **unused)
{
    (void)unused;
    const kl_override set[] = {{"left.k", "7"}, {"L", "400mm"}};
    built             b     = build_with(template_text, set, 2);
    assert_builds(&b);
    assert_close(b.model->q0[b.model->body[1].q], 0.2, 1e-15);
    release(&b);
    const kl_override wrong[] = {{"left.q", "7"}};
    b                         = build_with(template_text, wrong, 1);
    assert_true(told(&b, "--set: the model has no parameter 'left.q'"));
    release(&b);
}

/* a misspelt word would leave out what it was meant to choose */
static void a_word_that_nothing_asks_for_is_told(void **unused)
{
    (void)unused;
    static const char *const text =
        "klingel: 1\nparameters: {kind: soft, side: left, mood: calm, yes: true, load: tare, "
        "mass: \"if(load == laden, 2, 1)\"}\n"
        "templates: {point: {parameters: {load: 1 N}, bodies: {f: {mass: 1}}}}\n"
        "parts: {p: {template: point}}\nbodies:\n"
        "  a: {mass: 1, when: kind == soft}\n  b: {mass: 1, when: kind == hard}\n"
        "  c: {mass: 1, when: mood == angry}\n"
        "  d: {mass: 1, when: side != left}\n  \"{side}\": {mass: 1, when: side == left}\n"
        "  e: {mass: 1}\n";
    static const struct {
        const char *name, *value, *says;
    } set[] = {
        {"kind", "hrad",
         "parameter 'kind' is 'hrad', but no condition of the model compares with that word; "
         "possible words are 'soft', 'hard'"},
        {"kind", "hard", NULL},
        {"mood", "calm", NULL}, /* as it is */
        {"mood", "cross", "possible words are 'calm', 'angry'"},
        {"load", "full", "possible words are 'tare', 'laden'"}, /* in an expression */
        {"load", "laden", NULL},
        {"side", "right", NULL}, /* any other is meant by != */
        {"yes", "soft", "parameter 'yes' is true or false, not 'soft'"}};
    for (size_t i = 0; i < sizeof set / sizeof *set; i++) {
        const kl_override one     = {set[i].name, set[i].value};
        built             b       = build_with(text, &one, 1);
        bool              refused = set[i].says != NULL;
        if ((b.status != KL_OK) != refused)
            fail_msg("%s=%s: %d", set[i].name, set[i].value, b.status);
        if (set[i].says ? !told(&b, set[i].says) : told(&b, "compares with that word"))
            fail_msg("%s=%s", set[i].name, set[i].value);
        release(&b);
    }
}

static void gravity_that_points_up_is_warned_of(void **unused)
{
    (void)unused;
    static const char *const model =
        "klingel: 1\ngravity: %s\nbodies: {b: {mass: 1 kg, inertia: [1, 1, 1]}}\n";
    char text[200];
    snprintf(text, sizeof text, model, "-9.81");
    built up = build(text);
    assert_int_equal(up.status, KL_OK);
    assert_true(told(&up, "model.yaml:2:10") && told(&up, "write `gravity: 9.81`"));
    release(&up);
    snprintf(text, sizeof text, model, "9.81");
    built down = build(text);
    assert_false(told(&down, "gravity"));
    release(&down);
}

static void functions_of_time_may_be_expressions(void **unused)
{
    (void)unused;
    static const char *const texts[] = {"2*t + 0.1*sin(3*t)", "2 rad/s*t + 0.1 rad*sin(3 rad/s*t)",
                                        "w*t + 0.1*sin(1.5*w*t)", "w*t + ~*sin(1.5*w*t)"};
    for (int i = 0; i < 3; i++) {
        char text[600];
        snprintf(text, sizeof text,
                 "klingel: 1\nparameters: {w: %s}\nbodies:\n  a: {mass: 1, inertia: [1, 1, 1]}\n"
                 "joints:\n  j: {type: revolute, between: [ground, a], at: [0, 0, 0]}\n"
                 "  d: {type: driver, of: j, value: {expression: \"%s\"}}\n",
                 "2", texts[i]);
        built b = build(text);
        assert_builds(&b);
        kl_state *s = after(&b, 0.4);
        double    t = 0.4;
        assert_close(s->v[5], 2 + 0.3 * cos(3 * t), 1e-6);
        kl_state_destroy(s);
        release(&b);
    }
    assert_fails("klingel: 1\nbodies:\n  a: {mass: 1, inertia: [1, 1, 1]}\n"
                 "joints:\n  j: {type: revolute, between: [ground, a], at: [0, 0, 0]}\n"
                 "  d: {type: driver, of: j, value: {expression: \"2 m/s*t\"}}\n",
                 "model.yaml:6:49: joint 'd': value");
    assert_fails("klingel: 1\nbodies:\n  a: {mass: 1, inertia: [1, 1, 1]}\n"
                 "joints:\n  j: {type: revolute, between: [ground, a], at: [0, 0, 0]}\n"
                 "  d: {type: driver, of: j, value: {expression: \"2*t + foo\"}}\n",
                 "model.yaml:6:55: ");
}

/* ---- templates and includes that go wrong ---- */

static void mistakes_with_templates_are_told(void **unused)
{
    (void)unused;
    assert_fails("klingel: 1\ntemplates:\n  a: {parts: {x: {template: b}}}\n"
                 "  b: {parts: {y: {template: a}}}\nparts:\n  p: {template: a}\n",
                 "template 'a' contains itself");
    assert_fails("klingel: 1\ntemplates:\n  bogie: {bodies: {}}\nparts:\n  p: {template: bogy}\n",
                 "model.yaml:5:17: part 'p': there is no template 'bogy'; did you mean 'bogie'?");
    assert_fails("klingel: 1\ntemplates:\n  bogie: {bodis: {}}\n",
                 "unknown key `bodis` in template 'bogie'; did you mean `bodies`?");
    assert_fails("klingel: 1\ntemplates:\n  t: {parameters: {a: 1 m}}\nparts:\n"
                 "  p: {template: t, parameters: {a: 2 kg}}\n",
                 "model.yaml:5:36: part 'p': parameter 'a' must have the unit that it has in the "
                 "template: a length");
    assert_fails("klingel: 1\ntemplates:\n  t: {parameters: {a: 1 m}}\nparts:\n"
                 "  p: {template: t, parameters: {b: 2 kg}}\n",
                 "template 't' has no parameter 'b'");
    assert_fails("klingel: 1\nparts:\n  p: {at: [0, 0, 0]}\n", "`template` is missing");
    assert_fails(
        "klingel: 1\ntemplates:\n  t: {parameters: {car: none}, bodies: {a: {mass: 1}},\n"
        "      joints: {j: {type: fixed, between: [car, a]}}}\nparts: {p: {template: t}}\n",
        "part 'p': its parameter 'car' names the body 'none', which does not exist");
    assert_fails(
        "klingel: 1\ntemplates: {t: {bodies: {}}}\nparts:\n  p: {template: t, mirror: xy}\n",
        "give x, y or z");
}

static void like_reaches_into_templates(void **unused)
{
    (void)unused;
    built b =
        build("klingel: 1\ntemplates:\n  t: {bodies: {frame: {mass: 7, inertia: [1, 1, 1]}}}\n"
              "bodies:\n  mine: {like: t.frame, position: [1, 2, 3]}\n");
    assert_builds(&b);
    assert_int_equal(b.model->nbody, 2);
    release(&b);
    assert_fails("klingel: 1\nbodies:\n  frame: {mass: 1}\n  b: {like: fram}\n",
                 "body 'b': `like` names 'fram', but there is no such body; did you mean 'frame'?");
}

static void write_file(const char *folder, const char *name, const char *text)
{
    char path[300];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static built build_file(const char *folder, const char *name)
{
    char path[300];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    built b  = {.diag = kl_diag_create()};
    b.status = kl_source_read(path, b.diag, &b.source);
    if (b.status == KL_OK) b.status = kl_source_build(b.source, NULL, 0, b.diag, &b.model);
    return b;
}

static void includes_are_found_beside_the_file_and_overruled_by_it(void **unused)
{
    (void)unused;
    char folder[] = "/tmp/klingel-language-XXXXXX", inner[300];
    assert_non_null(mkdtemp(folder));
    snprintf(inner, sizeof inner, "mkdir %s/lib", folder);
    assert_int_equal(system(inner), 0);
    write_file(folder, "main.yaml",
               "klingel: 1\ninclude: [lib/a.yaml, lib/b.yaml]\nparameters: {L: 5}\n");
    write_file(folder, "lib/a.yaml", "include: common.yaml\nbodies: {x: {mass: twice}}\n");
    write_file(folder, "lib/b.yaml", "include: common.yaml\ngravity: 1\n");
    write_file(folder, "lib/common.yaml",
               "parameters: {L: 1, twice: 2*L}\nbodies: {c: {mass: 1}}\n");
    built b = build_file(folder, "main.yaml");
    assert_builds(&b);
    assert_int_equal(b.model->nbody, 3);
    assert_close(b.model->gravity.z, -1.0, 0.0);
    assert_close(*(const double *)b.model->body[2].data, 10.0, 0.0); /* mass is first */
    release(&b);

    write_file(folder, "lib/common.yaml", "include: a.yaml\n");
    b = build_file(folder, "main.yaml");
    assert_true(told(
        &b, "lib/common.yaml:1:10: 'a.yaml' includes itself (a.yaml -> common.yaml -> a.yaml)"));
    release(&b);
    write_file(folder, "main.yaml", "klingel: 1\ninclude: nowhere.yaml\n");
    b = build_file(folder, "main.yaml");
    assert_true(told(&b, "nowhere.yaml: there is no such file"));
    assert_true(told(&b, "main.yaml:2:10: note: the file is included here"));
    release(&b);
    snprintf(inner, sizeof inner, "rm -r %s", folder);
    assert_int_equal(system(inner), 0);
}

/* ---- a train ---- */

static kl_status no_row(void *context, double t, const double *values)
{
    (void)context, (void)t, (void)values;
    return KL_OK;
}

/* Twenty cars in under sixty lines; what the brake takes is what all bodies lose: m dv = integral
 * F, 50 kN from 0.45 s on (in the mean) over 744 t. */
static void a_train_of_twenty_cars_takes_less_than_sixty_lines(void **unused)
{
    (void)unused;
    const char    *path  = KL_SOURCE_DIR "/examples/train/model.yaml";
    FILE          *f     = fopen(path, "r");
    int            lines = 0;
    built          b     = {.diag = kl_diag_create()};
    kl_simulation *s     = NULL;
    kl_sink        sink  = {.row = no_row};
    assert_non_null(f);
    for (int c; (c = fgetc(f)) != EOF;) lines += c == '\n';
    fclose(f);
    assert_true(lines < 60);
    assert_int_equal(kl_source_read(path, b.diag, &b.source), KL_OK);
    assert_int_equal(kl_source_build(b.source, NULL, 0, b.diag, &b.model), KL_OK);
    assert_int_equal(b.model->nbody, 1 + 20 * 3);
    assert_int_equal(kl_simulation_create(b.model, b.diag, &s), KL_OK);
    assert_int_equal(kl_simulation_run(s, 1.0, 0.1, &sink, b.diag), KL_OK);
    double p = 0.0, mass = 0.0;
    for (int i = 1; i < b.model->nbody; i++) {
        const kl_body *body = &b.model->body[i];
        kl_measures    m;
        body->type->measures(body->data, kl_work_cache(b.model, s->solver->w, i), &m);
        p += m.p.x;
        mass += m.mass;
    }
    assert_true(fabs(mass - 744e3) < 1e-6);
    assert_true(fabs(mass * 20.0 - p - 50e3 * 0.55) < 1e-3 * 50e3 * 0.55);
    kl_simulation_destroy(s);
    release(&b);
}

/* ---- bombs ---- */

/* of this process: other programs on the machine do not count */
static double seconds(void) { return (double)clock() / CLOCKS_PER_SEC; }

static void a_hundred_thousand_bodies_are_built(void **unused)
{
    (void)unused;
    double start = seconds();
    built  b     = build("klingel: 1\nparameters: {n: 100000}\nbodies:\n"
                              "  \"b{i}\": {for: {i: 1..n}, mass: 1 kg, inertia: [0.1, 0.1, 0.1],\n"
                              "           position: [i*1 m, 0, 0], markers: {pin: {at: [0.5, 0, 0]}}}\n"
                              "joints:\n"
                              "  \"j{i}\": {type: revolute, for: {i: 1..n-1},\n"
                              "           between: [\"b{i}.pin\", \"b{i+1}\"], axis: y}\n");
    assert_builds(&b);
    assert_int_equal(b.model->nbody, 100001);
    assert_int_equal(b.model->nelement, 99999);
    fprintf(stderr, "  built in %.2f s, %.0f MB\n", seconds() - start,
            (double)kl_arena_bytes(b.model->arena) / 1e6);
    assert_true(kl_arena_bytes(b.model->arena) < 260000000u); /* docs/guide/limits.md */
    release(&b);
}

static void bombs_are_refused(void **unused)
{
    (void)unused;
    double start = seconds();
    assert_fails("klingel: 1\nbodies:\n  \"b{i}\": {for: {i: 1..2000000}, mass: 1}\n",
                 "the range 1..2000000 has more than 100000 members");
    assert_fails("klingel: 1\nbodies:\n"
                 "  \"b{i}_{j}\": {for: {i: 1..100000, j: 1..100000}, mass: 1}\n",
                 "creates more than 100000 entries");
    /* a chain of parameters, each waiting for the next */
    char *chain = malloc(400000);
    assert_non_null(chain);
    size_t m = (size_t)sprintf(chain, "klingel: 1\nparameters:\n");
    for (int i = 0; i < 9000; i++)
        m += (size_t)sprintf(chain + m, "  p%d: p%d + p%d\n", i, i + 1, i + 1);
    sprintf(chain + m, "  p9000: 0\n");
    assert_fails(chain, "is at the end of a chain of 300 parameters that depend on one another");
    free(chain);
    /* templates that double 40 times */
    char text[8000];
    int n = snprintf(text, sizeof text, "klingel: 1\ntemplates:\n  t0: {bodies: {b: {mass: 1}}}\n");
    for (int i = 1; i <= 25; i++)
        n +=
            snprintf(text + n, sizeof text - (size_t)n,
                     "  t%d: {parts: {a: {template: t%d}, b: {template: t%d}}}\n", i, i - 1, i - 1);
    snprintf(text + n, sizeof text - (size_t)n, "parts: {p: {template: t25}}\n");
    assert_fails(text, "more than 100000 parts");
    /* aliases of aliases */
    n = snprintf(text, sizeof text,
                 "klingel: 1\nparameters:\n  a0: &a0 [x, x, x, x, x, x, x, x]\n");
    for (int i = 1; i <= 12; i++)
        n += snprintf(text + n, sizeof text - (size_t)n,
                      "  a%d: &a%d [*a%d, *a%d, *a%d, *a%d, *a%d, *a%d, *a%d, *a%d]\n", i, i, i - 1,
                      i - 1, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1);
    assert_fails(text, "more than 2000000 values once aliases are expanded");
    /* nesting */
    char *deep = malloc(1000001);
    memset(deep, '[', 1000000);
    deep[1000000] = '\0';
    assert_fails(deep, "nested more than 100 levels deep");
    free(deep);
    fprintf(stderr, "  refused in %.2f s\n", seconds() - start);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(explicit_like_and_template_give_the_same_bits),
        cmocka_unit_test(outputs_of_a_part_know_its_names_and_parameters),
        cmocka_unit_test(outputs_are_taken_at_markers),
        cmocka_unit_test(markers_say_what_they_are_fixed_to),
        cmocka_unit_test(when_leaves_out_what_is_not_meant),
        cmocka_unit_test(conditions_on_words_and_numbers_combine),
        cmocka_unit_test(a_mirrored_part_moves_as_the_mirror_image),
        cmocka_unit_test(a_turned_part_moves_as_the_turned_image),
        cmocka_unit_test(parameters_come_in_any_order_and_circles_are_named),
        cmocka_unit_test(set_reaches_parameters_of_parts),
        cmocka_unit_test(a_word_that_nothing_asks_for_is_told),
        cmocka_unit_test(gravity_that_points_up_is_warned_of),
        cmocka_unit_test(functions_of_time_may_be_expressions),
        cmocka_unit_test(mistakes_with_templates_are_told),
        cmocka_unit_test(like_reaches_into_templates),
        cmocka_unit_test(includes_are_found_beside_the_file_and_overruled_by_it),
        cmocka_unit_test(a_train_of_twenty_cars_takes_less_than_sixty_lines),
        cmocka_unit_test(a_hundred_thousand_bodies_are_built),
        cmocka_unit_test(bombs_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
