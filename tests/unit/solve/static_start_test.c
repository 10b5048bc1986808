/* Flexible bodies that start deformed as their loads have it: at rest the equilibrium, in a steady
 * spin a motion that stays, in a mechanism no ringing of modes that are far above the motion. */
#include "solve/static_start.h"

#include <unistd.h>

#include "language/start.h"

#include "solve/eigenvalues.h"
#include "solve/simulation.h"
#include "solve/statics.h"
#include "unit/solve/load.h"

/* A bent bar on a hub, held at one end or at both (which repeats constraints for rigid bodies). */
static const char frame[] =
    "klingel: 1\n"
    "parameters: {begin: static, conditions: eliminated, reference: as-in-file, attach: marker, "
    "both: "
    "false, k: 0 N/m, w: 0 rad/s, stiff: false}\n"
    "bodies:\n"
    "  rod: {type: flexible, start: \"{begin}\", conditions: \"{conditions}\", reference: "
    "\"{reference}\", attach: \"{attach}\", stiffening: stiff, omega: [0, 0, w], file: {mesh: "
    "{line: "
    "[[0, 0, 0], [1, 0, 0], [1, 0.4, 0]], parts: 5}, modes: 6, statics: attachment, interfaces: "
    "[left, right], stiffening: yes, materials: {steel: {E: 210 GPa, nu: 0.3, density: 7850 "
    "kg/m3}}, "
    "sections: {line: {material: steel, section: rectangle, width: 30 mm, height: 10 mm, "
    "orientation: [0, 0, 1]}}, markers: {left: {at: [0, 0, 0]}, right: {at: [1, 0.4, 0]}}}}\n"
    "  hub: {mass: 1, inertia: [1, 1, 1], omega: [0, 0, w]}\n"
    "joints:\n"
    "  pin: {type: revolute, between: [ground, hub], at: [0, 0, 0], axis: z}\n"
    "  motor: {type: driver, of: pin, coordinate: angle, value: {polynomial: [0, w]}}\n"
    "  clamp: {type: fixed, between: [hub, rod.left]}\n"
    "  other: {type: fixed, between: [hub, rod.right], when: both}\n"
    "forces:\n"
    "  spring: {type: spring-damper, between: [hub, rod.right], at: [[1, 0.4, -0.5], [1, 0.4, 0]], "
    "stiffness: k, length: 0.495 m}\n"
    "integrator: {tolerance: 1e-9}\n";

enum { RATE = 6 }; /* place of the first modal velocity */

static int rod_of(const loaded *l) { return kl_model_find_body(l->model, "rod"); }

static void start(loaded *l)
{
    kl_status status = kl_assemble_start(l->x, l->diag);
    if (status != KL_OK) print_messages(l->diag);
    assert_int_equal(status, KL_OK);
}

/* The largest modal coordinate, and how much another body of the same model differs there. */
static double apart(const loaded *a, const loaded *b, double *size)
{
    const kl_body *rod   = &a->model->body[rod_of(a)];
    double         worst = 0.0;
    *size                = 0.0;
    for (int k = 7; k < rod->nq; k++) {
        double one = a->x->s->q[rod->q + k], other = b->x->s->q[rod->q + k];
        *size = fmax(*size, fabs(other));
        worst = fmax(worst, fabs(one - other));
    }
    return worst;
}

static void at_rest_it_is_the_equilibrium(void **unused)
{
    (void)unused;
    static const kl_override ways[][5] = {
        {{.name = "both", .text = "false"}},
        {{.name = "conditions", .text = "constrained"}, {.name = "k", .text = "1e5 N/m"}},
        {{.name = "attach", .text = "virtual-body"}, {.name = "k", .text = "1e5 N/m"}},
        {{.name = "reference", .text = "principal-axis"},
         {.name = "conditions", .text = "constrained"}},
        {{.name = "both", .text = "true"}, {.name = "stiff", .text = "true"}},
        {{.name = "both", .text = "true"}, {.name = "attach", .text = "virtual-body"}},
    };
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        kl_override set[3] = {ways[i][0], ways[i][1]};
        int         n      = set[1].name ? 2 : 1;
        loaded      a      = load_text(frame, set, n, false);
        set[n]             = (kl_override){.name = "begin", .text = "given"};
        loaded         b   = load_text(frame, set, n + 1, true);
        kl_equilibrium e   = {0};
        double         size;
        assert_int_equal(kl_find_equilibrium(b.x, &e, b.diag), KL_OK);
        start(&a);
        double off = apart(&a, &b, &size);
        if (!(size > 1e-9) || off > 1e-6 * size) fail_msg("way %zu: %g of %g", i, off, size);
        unload(&a);
        unload(&b);
    }
}

/* In a spin the bent bar neither moves nor accelerates in its frame, and the linear model in axes that
 * turn with it is found. */
static void in_a_spin_it_stays(void **unused)
{
    (void)unused;
    kl_override    set[] = {{.name = "w", .text = "15 rad/s"}};
    loaded         l     = load_text(frame, set, 1, false);
    kl_simulation *s     = NULL;
    assert_int_equal(kl_simulation_create(l.model, l.diag, &s), KL_OK);
    assert_int_equal(kl_simulation_start(s, l.diag), KL_OK);
    kl_solver     *x   = s->solver;
    const kl_body *rod = &l.model->body[rod_of(&l)];
    double         w0 = x->s->q[rod->q + 7], most = 0.0;
    assert_true(fabs(w0) > 1e-3);
    for (int k = RATE; k < rod->nv; k++) {
        double stiff = w0 * 1e4; /* an acceleration that its lowest mode would have, let go */
        assert_true(fabs(x->s->v[rod->v + k]) < 1e-9);
        assert_true(fabs(x->a[rod->v + k]) < 1e-6 * fabs(stiff));
    }
    while (x->s->t < 0.2) {
        assert_int_equal(kl_simulation_step(s, 0.2, l.diag), KL_OK);
        most = fmax(most, fabs(x->s->q[rod->q + 7] - w0));
    }
    assert_true(most < 1e-5 * fabs(w0));
    kl_simulation_destroy(s);
    unload(&l);

    l                = load_text(frame, set, 1, false);
    kl_equilibrium e = {.moving = true};
    start(&l);
    assert_int_equal(kl_find_equilibrium(l.x, &e, l.diag), KL_OK);
    assert_close(e.omega.z, 15.0, 1e-6);
    unload(&l);
}

/* In mean axes the frame of a blade is carried along far from the hub; at more than three times its
 * lowest frequency all the same, with the frequency out of the plane of the table of Wright and others
 * (1982): 13.17015 sqrt(EI/(m L^4)) at eta = 12. */
static void a_blade_in_mean_axes_starts_beyond_its_lowest_frequency(void **unused)
{
    (void)unused;
    kl_linear     *linear = NULL;
    kl_spectrum   *modes  = NULL;
    kl_equilibrium e      = {.moving = true};
    loaded         l      = load_text(
                     "klingel: 1\ngravity: 0\nparameters: {w: 12.9614813968}\n"
                                  "bodies:\n"
                                  "  hub: {mass: 1, inertia: [1, 1, 1], omega: [0, 0, w]}\n"
                                  "  rod: {type: flexible, start: static, stiffening: true, omega: [0, 0, w], file: {mesh: "
                                  "{line: [[0, 0, 0], [10, 0, 0]], parts: 40}, materials: {al: {E: 70 GPa, nu: 0.3, density: "
                                  "3000}}, sections: {line: {material: al, section: general, area: 4e-4, Iy: 2e-7, Iz: 2e-7, "
                                  "J: 4e-7, orientation: [0, 1, 0]}}, modes: 10, statics: attachment, interfaces: [root], "
                                  "stiffening: yes, markers: {root: {at: [0, 0, 0]}}}}\n"
                                  "joints:\n"
                                  "  axle: {type: revolute, between: [ground, hub], at: [0, 0, 0], axis: z}\n"
                                  "  clamp: {type: fixed, between: [hub, rod.root]}\n"
                                  "  drive: {type: driver, of: axle, value: {polynomial: [0, w]}}\n",
                     NULL, 0, false);
    double wanted = 13.17015 * sqrt(1.4e4 / 1.2) / 100.0, best = INFINITY;
    start(&l);
    assert_int_equal(kl_find_equilibrium(l.x, &e, l.diag), KL_OK);
    assert_int_equal(kl_linearize(l.x, NULL, l.diag, &linear), KL_OK);
    assert_int_equal(kl_spectrum_find(l.x, linear, false, l.diag, &modes), KL_OK);
    for (int i = 0; i < modes->n; i++) best = fmin(best, fabs(modes->mode[i].im - wanted));
    assert_true(best < 1e-3 * wanted);
    kl_spectrum_destroy(modes);
    kl_linear_destroy(linear);
    unload(&l);
}

/* A slider-crank at speed: modes that stretch ring when they start undeformed. */
static const char slider_crank[] =
    "klingel: 1\ngravity: 0\nparameters: {begin: static, w: 60 rad/s, flexible: true}\n"
    "bodies:\n"
    "  crank: {mass: 0.1, inertia: [1e-5, 2e-4, 2e-4], position: [0.075, 0, 0], velocity: [0, 0, "
    "0.075 m*w/1 rad], omega: [0, -w, 0], fixed: [omega]}\n"
    "  rod: {type: flexible, flexible: flexible, start: \"{begin}\", position: [0.15, 0, 0], "
    "velocity: "
    "[0, 0, 0.15 m*w/1 rad], omega: [0, w/2, 0], file: {mesh: {line: [[0, 0, 0], [0.3, 0, 0]], "
    "parts: "
    "8}, modes: 12, materials: {steel: {E: 210 GPa, nu: 0.3, density: 7850 kg/m3}}, sections: "
    "{line: "
    "{material: steel, section: circle, radius: 5 mm}}, markers: {left: {at: [0, 0, 0]}, right: "
    "{at: "
    "[0.3, 0, 0]}}}}\n"
    "  slider: {mass: 0.2, inertia: [1e-4, 1e-4, 1e-4], position: [0.45, 0, 0]}\n"
    "joints:\n"
    "  bearing: {type: revolute, between: [ground, crank], at: [0, 0, 0], axis: -y}\n"
    "  crank_pin: {type: spherical, between: [crank, rod.left]}\n"
    "  slider_pin: {type: cylindrical, between: [slider, rod.right], axis: -y}\n"
    "  guide: {type: translational, between: [ground, slider], at: [0.45, 0, 0], axis: x}\n"
    "  motor: {type: driver, of: bearing, coordinate: angle, value: {polynomial: [0, w]}}\n"
    "integrator: {step: 5 us}\n";

/* how far the slider's acceleration strays from that of the first moment */
static double ringing(const char *begin, const char *flexible)
{
    kl_override set[] = {{.name = "begin", .text = begin}, {.name = "flexible", .text = flexible}};
    loaded      l     = load_text(slider_crank, set, 2, false);
    kl_simulation *s  = NULL;
    const double  *unused;
    assert_int_equal(kl_simulation_create(l.model, l.diag, &s), KL_OK);
    assert_int_equal(kl_simulation_start(s, l.diag), KL_OK);
    int    at    = l.model->body[kl_model_find_body(l.model, "slider")].v;
    double first = NAN, most = 0.0;
    while (s->solver->s->t < 0.0005) {
        assert_int_equal(kl_simulation_sample(s, l.diag, &unused), KL_OK);
        if (isnan(first)) first = s->a[at];
        most = fmax(most, fabs(s->a[at] - first));
        assert_int_equal(kl_simulation_step(s, 0.0005, l.diag), KL_OK);
    }
    kl_simulation_destroy(s);
    unload(&l);
    return most;
}

static void a_mechanism_at_speed_does_not_ring(void **unused)
{
    (void)unused;
    double rigid = ringing("given", "false"), still = ringing("static", "true");
    double rings = ringing("given", "true");
    if (!(rings > 100.0 * rigid && still < 0.02 * rings))
        fail_msg("rigid %g, static %g, undeformed %g m/s2", rigid, still, rings);
}

static void what_contradicts_it_is_told(void **unused)
{
    (void)unused;
    const char *place = strstr(frame, "omega: [0, 0, w], file");
    static char changed[4096];
    snprintf(changed, sizeof changed, "%.*sfixed: [deformation], %s", (int)(place - frame), frame,
             place);
    kl_diag   *d = kl_diag_create();
    kl_source *source;
    kl_model  *m = NULL;
    assert_int_equal(kl_source_parse(changed, strlen(changed), "test.yaml", d, &source), KL_OK);
    assert_int_not_equal(kl_source_build(source, NULL, 0, d, &m), KL_OK);
    assert_true(says(d, "`start: static` computes the deformation"));
    kl_model_destroy(m);
    kl_source_destroy(source);
    kl_diag_destroy(d);

    kl_override set[] = {
        {.name = "w", .text = "1000 rad/s"}}; /* far beyond what linear modes follow */
    loaded l = load_text(frame, set, 1, false);
    if (kl_assemble_start(l.x, l.diag) != KL_OK)
        assert_true(says(l.diag, "no static deformation was found"));
    unload(&l);
}

/* a state that a failed run left is where it goes on, whatever it would start with */
static void a_saved_state_is_kept(void **unused)
{
    (void)unused;
    static char text[16384];
    char        path[64];
    snprintf(path, sizeof path, "/tmp/klingel-static-%ld.yaml", (long)getpid());
    loaded l = load_text(frame, NULL, 0, false);
    start(&l);
    double *w = l.x->s->q + l.model->body[rod_of(&l)].q + 7, moved = w[0] += 1e-3;
    assert_int_equal(kl_start_write(path, frame, l.model, l.x->s), KL_OK);
    unload(&l);
    FILE  *f    = fopen(path, "r");
    size_t size = fread(text, 1, sizeof text - 1, f);
    fclose(f);
    remove(path);
    text[size] = '\0';
    l          = load_text(text, NULL, 0, false);
    start(&l);
    /* assembly closes the clamp again that this opened */
    assert_close(l.x->s->q[l.model->body[rod_of(&l)].q + 7], moved, 1e-6);
    unload(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(at_rest_it_is_the_equilibrium),
        cmocka_unit_test(in_a_spin_it_stays),
        cmocka_unit_test(a_blade_in_mean_axes_starts_beyond_its_lowest_frequency),
        cmocka_unit_test(a_mechanism_at_speed_does_not_ring),
        cmocka_unit_test(what_contradicts_it_is_told),
        cmocka_unit_test(a_saved_state_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
