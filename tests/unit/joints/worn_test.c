/* Joints with clearance and limits: geometry of the fit, what stays free, stops on a joint, mistakes. */
#include "unit/build_model.h"

#include <math.h>

#include "contact/fit.h"
#include "contact/material.h"
#include "dynamics/channels.h"
#include "joints/worn.h"
#include "solve/simulation.h"

static double gap_of(const kl_spots *s, int key)
{
    for (int i = 0; i < s->n; i++)
        if (s->item[i].key == key) return s->item[i].gap;
    return (double)NAN;
}

/* p2 - p1 = gap n at each place, and gaps are what the sketch says. */
static void places_of_a_pin_have_their_gaps(void **unused)
{
    (void)unused;
    kl_fit   f = {.kind = KL_FIT_PIN, .radial = 1e-3, .axial = 2e-3, .radius = 0.02, .length = 0.1};
    kl_pose  A = {{0}, kl_identity()}, B = {{3e-4, 4e-4, 5e-4}, kl_identity()};
    kl_spots s;
    kl_fit_find(&f, &A, &B, &s);
    assert_int_equal(s.n, kl_fit_slots(&f));
    for (int i = 0; i < s.n; i++) {
        kl_vec3 d = kl_sub(s.item[i].p2, s.item[i].p1);
        assert_close(kl_norm(kl_axpy(-s.item[i].gap, s.item[i].n, d)), 0.0, 1e-15);
    }
    assert_close(gap_of(&s, 0), 1e-3 - 5e-4, 1e-15);
    assert_close(gap_of(&s, 1), 1e-3 - 5e-4, 1e-15);
    assert_close(gap_of(&s, 2), 2e-3 - 5e-4, 1e-15);
    assert_close(gap_of(&s, 3), 2e-3 + 5e-4, 1e-15);
}

static void corners_of_a_block_meet_its_slot(void **unused)
{
    (void)unused;
    kl_fit   f = {.kind = KL_FIT_BLOCK, .radial = 1e-3, .length = 0.1, .size = {0.02, 0.04}};
    kl_pose  A = {{0}, kl_identity()}, B = {{1.5e-3, 0, 0}, kl_identity()};
    kl_spots s;
    double   least = 1.0;
    kl_fit_find(&f, &A, &B, &s);
    assert_int_equal(s.n, 16);
    for (int i = 0; i < s.n; i++) least = fmin(least, s.item[i].gap);
    assert_close(least, -0.5e-3, 1e-15);
}

#define HEAD                                                                                       \
    "klingel: 1\n"                                                                                 \
    "bodies: {arm: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [0.1, 0, 0]}}\n"                  \
    "joints:\n"

typedef struct last {
    double value[4];
} last;

static kl_status ignore(void *context, double t, const double *values)
{
    (void)context, (void)t, (void)values;
    return KL_OK;
}

/* Channels at the end of a run. */
static last run(const char *text, const char *const *channel, int n)
{
    built          b    = must_build(text);
    kl_simulation *s    = NULL;
    last           l    = {{0}};
    kl_sink        sink = {.row = ignore};
    const double  *values;
    assert_int_equal(kl_simulation_create(b.model, b.diag, &s), KL_OK);
    const kl_settings *to     = &b.model->settings;
    kl_status          status = kl_simulation_run(s, to->end, to->every, &sink, b.diag);
    if (status != KL_OK) print_messages(b.diag);
    assert_int_equal(status, KL_OK);
    assert_int_equal(kl_simulation_sample(s, b.diag, &values), KL_OK);
    for (int i = 0; i < n; i++) l.value[i] = values[kl_channels_find(s->channels, channel[i])];
    kl_simulation_destroy(s);
    built_free(&b);
    return l;
}

/* A pendulum in a bore with clearance hangs on its pin: r below the centre of the bore. */
static void a_worn_pendulum_rests_on_its_pin(void **unused)
{
    (void)unused;
    static const char *const channels[] = {"hinge.eccentricity", "hinge.normal",
                                           "hinge.penetration"};
    last                     l          = run(
                                     "klingel: 1\n"
                                                                  "bodies: {arm: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [0, 0, -0.1]}}\n"
                                                                  "joints:\n"
                                                                  "  hinge: {type: revolute, between: [ground, arm], at: [0, 0, 0], axis: y,\n"
                                                                  "          clearance: {radial: 1 mm, axial: 1 mm, radius: 10 mm, length: 50 mm, law: "
                                                                  "linear,\n"
                                                                  "                      stiffness: 1e5 N/m, damping: 300 N s/m, layer_damping: 20 N s/m}}\n"
                                                                  "run: {end: 3, every: 1}\n",
                                     channels, 3);
    assert_close(l.value[1], 9.81, 1e-3); /* both ends together */
    assert_close(l.value[0], 1e-3 + 0.5 * 9.81 / 1e5, 1e-6);
}

/* Steel on steel along the length of the pin: d = (N s/L)(ln(4 L R/(N s)) + 1), 1/R = 1/r_pin - 1/r_bore. */
static void a_pin_takes_the_law_of_its_line(void **unused)
{
    (void)unused;
    static const char *const channels[] = {"hinge.normal", "hinge.penetration"};
    static const char *const pendulum =
        "klingel: 1\nbodies: {arm: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [0, 0, -0.1]}}\n"
        "joints:\n  hinge: {type: revolute, between: [ground, arm], at: [0, 0, 0], axis: y,\n"
        "    clearance: {radial: 0.1 mm, radius: 10 mm, length: 50 mm, law: hertz-line, "
        "material: steel-steel, layer_damping: 500 N s/m}}\nrun: {end: 0.3, every: 0.3}\n";
    const kl_material *steel = kl_material_find("steel");
    last               l     = run(pendulum, channels, 2);
    double s = 2.0 * (1.0 - steel->poisson * steel->poisson) / (KL_PI * steel->young), L = 0.05,
           R = 1.0 / (1.0 / 9.9e-3 - 1.0 / 10e-3), N = 9.81;
    assert_close(l.value[0], N, 1e-3);
    assert_close(l.value[1] / (N * s / L * (log(4.0 * L * R / (N * s)) + 1.0)), 1.0, 1e-3);
}

/* An elastic layer alone is a bushing: m g/k. */
static void a_layer_alone_carries(void **unused)
{
    (void)unused;
    static const char *const channels[] = {"ball.eccentricity"};
    last                     l          = run(
                                     "klingel: 1\n"
                                                                  "bodies: {arm: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [0, 0, 0]}}\n"
                                                                  "joints:\n"
                                                                  "  ball: {type: spherical, between: [ground, arm], at: [0, 0, 0],\n"
                                                                  "         clearance: {radial: 1 mm, layer_stiffness: 1e4 N/m, layer_damping: 200 N s/m}}\n"
                                                                  "run: {end: 2, every: 1}\n",
                                     channels, 1);
    assert_close(l.value[0], 9.81 / 1e4, 1e-8);
}

/* limits: a hinge falls onto its stop and rests on it: torque m g x = k (angle - upper). */
static void a_limited_hinge_rests_on_its_stop(void **unused)
{
    (void)unused;
    static const char *const channels[] = {"hinge.angle", "hinge.limits.push"};
    last                     l =
        run(HEAD "  hinge: {type: revolute, between: [ground, arm], at: [0, 0, 0], axis: y,\n"
                 "          limits: {upper: 0.2 rad, stiffness: 1000 N m/rad, damping: 50 s/rad}}\n"
                 "forces: {brake: {type: rotational-spring-damper, of: hinge, damping: 2}}\n"
                 "run: {end: 4, every: 1}\n",
            channels, 2);
    assert_close(1000.0 * (l.value[0] - 0.2), 9.81 * 0.1 * cos(l.value[0]), 1e-4);
    assert_close(l.value[1], 9.81 * 0.1 * cos(l.value[0]), 1e-4);
}

static const struct {
    const char *joint, *says;
} mistakes[] = {
    {"  j: {type: fixed, between: [ground, arm], at: [0, 0, 0], clearance: 1 mm}\n",
     "belongs to revolute, cylindrical, spherical"},
    {"  j: {type: revolute, between: [ground, arm], at: [0, 0, 0], clearance: 1 mm}\n",
     "give the clearance a `stiffness`"},
    {"  j: {type: cylindrical, between: [ground, arm], at: [0, 0, 0], clearance: {radial: 1 mm, "
     "law: linear, stiffness: 1e6}}\n",
     "give `length`"},
    {"  j: {type: spherical, between: [ground, arm], at: [0, 0, 0], clearance: {radial: 1 mm, "
     "radius: 0.5 "
     "mm, law: linear, stiffness: 1e6}}\n",
     "give a `radius` larger than the clearance"},
    {"  j: {type: revolute, between: [ground, arm], at: [0, 0, 0], limits: {lower: 1, upper: 0, "
     "stiffness: "
     "1}}\n",
     "lower limit"},
    {"  j: {type: revolute, between: [ground, arm], at: [0, 0, 0], limits: {coordinate: "
     "displacement, upper: "
     "0, stiffness: 1}}\n",
     "displacement"},
};

static void mistakes_are_told(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        char  text[1000];
        bool  told = false;
        built b;
        snprintf(text, sizeof text, HEAD "%s", mistakes[i].joint);
        assert_int_not_equal(try_build(text, &b), KL_OK);
        for (int k = 0; k < kl_diag_size(b.diag); k++)
            told |= strstr(kl_diag_at(b.diag, k)->text, mistakes[i].says) != NULL;
        if (!told) print_messages(b.diag);
        assert_true(told);
        built_free(&b);
    }
}

/* What is most likely a slip runs, with a warning: a start deep inside, and friction of the perfect joint where the
 * joint has clearance. */
static void slips_are_told(void **unused)
{
    (void)unused;
#define BALL "clearance: {radial: 1 mm, radius: 10 mm, law: linear, stiffness: 1e6}}\n"
#define SLOT                                                                                       \
    "clearance: {radial: 1 mm, length: 60 mm, size: [20 mm, 20 mm], law: linear, stiffness: "      \
    "1e6}}\n"
    static const struct {
        const char *joint, *says;
        bool        told;
    } slips[] = {
        {"spherical, at: [[0, 0, 0], [0, 0, 9 mm]], " BALL, "penetrate each other by 0.008 m",
         true},
        {"spherical, at: [[0, 0, 0], [0, 0, 2 mm]], " BALL, "penetrate each other", false},
        {"translational, at: [0, 0, 0], axis: [z, x], " SLOT, "penetrate each other", true},
        {"translational, at: [0, 0, 0], axis: z, " SLOT, "penetrate each other", false},
        {"revolute, at: [0, 0, 0], friction: {torque: 1}, " BALL, "acts without clearance", true},
        {"revolute, at: [0, 0, 0], friction: {torque: 1}, clearance: {when: 0, radial: 1 mm}}\n",
         "acts without clearance", false}};
    for (size_t i = 0; i < sizeof slips / sizeof *slips; i++) {
        char  text[1000];
        bool  told = false;
        built b;
        snprintf(text, sizeof text, HEAD "  j: {between: [ground, arm], type: %s", slips[i].joint);
        assert_int_equal(try_build(text, &b), KL_OK);
        for (int k = 0; k < kl_diag_size(b.diag); k++)
            told |= strstr(kl_diag_at(b.diag, k)->text, slips[i].says) != NULL;
        if (told != slips[i].told) fail_msg("%s: told %d", slips[i].joint, told);
        built_free(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(places_of_a_pin_have_their_gaps),
        cmocka_unit_test(corners_of_a_block_meet_its_slot),
        cmocka_unit_test(a_worn_pendulum_rests_on_its_pin),
        cmocka_unit_test(a_pin_takes_the_law_of_its_line),
        cmocka_unit_test(a_layer_alone_carries),
        cmocka_unit_test(a_limited_hinge_rests_on_its_stop),
        cmocka_unit_test(mistakes_are_told),
        cmocka_unit_test(slips_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
