#include "solve/statics.h"

#include <stdlib.h>

#include "solve/simulation.h"
#include "unit/solve/load.h"

static kl_equilibrium rest(loaded *l)
{
    kl_equilibrium e      = {0};
    kl_status      status = kl_find_equilibrium(l->x, &e, l->diag);
    if (status != KL_OK) print_messages(l->diag);
    assert_int_equal(status, KL_OK);
    return e;
}

/* A chain of n equal links of length `link`, massless but for a point mass in the middle of each,
 * between two pins `span` apart: it starts as a polygon on a circular arc. */
static char *chain_text(int n, double span, double length)
{
    static char text[4096];
    snprintf(text, sizeof text,
             "klingel: 1\n"
             "parameters: {n: %d, span: %.17g m, link: %.17g m, a: %.17g rad, b: a/n, R: "
             "link/2/sin(b)}\n"
             "gravity: [0, -9.81, 0]\n"
             "bodies:\n"
             "  \"link{i}\": {for: {i: 1..n}, mass: link/(1 m)*1 kg, inertia: [1e-3, 1e-3, 1e-3],\n"
             "     position: [span/2 + R*cos(b)*sin((2*i - 1 - n)*b), R*cos(a) - "
             "R*cos(b)*cos((2*i - 1 - n)*b), 0],\n"
             "     orientation: {axis: z, angle: (2*i - 1 - n)*b}}\n"
             "joints:\n"
             "  left: {type: revolute, between: [ground, link1], at: [0, 0, 0], axis: z}\n"
             "  \"pin{i}\": {for: {i: 1..n-1}, type: spherical, between: [\"link{i}\", "
             "\"link{i+1}\"],\n"
             "     at: [span/2 + R*sin((2*i - n)*b), R*cos(a) - R*cos((2*i - n)*b), 0]}\n"
             "  \"flat{i}\": {for: {i: 1..n-1}, type: parallel, between: [\"link{i}\", "
             "\"link{i+1}\"],\n"
             "     at: [0, 0, 0], axis: z}\n"
             "  right: {type: point-on-line, between: [ground, \"link{n}\"], at: [span, 0, 0], "
             "axis: z}\n",
             n, span, length / n, 0.0);
    return text;
}

/* Half the opening angle a of the arc: n links of `link` on a chord `span`: R = link/(2 sin(a/n)),
 * span = 2 R sin a. */
static double arc_angle(int n, double span, double link)
{
    double low = 1e-6, high = KL_PI - 1e-6;
    for (int k = 0; k < 200; k++) {
        double a = 0.5 * (low + high), chord = link * sin(a) / sin(a / n);
        if (chord > span) low = a;
        else high = a;
    }
    return 0.5 * (low + high);
}

static loaded load_chain(int n, double span, double length)
{
    char value[64];
    snprintf(value, sizeof value, "%.17g rad", arc_angle(n, span, length / n));
    kl_override set = {.name = "a", .text = value};
    return load_text(chain_text(n, span, length), &set, 1, true);
}

/* The exact polygon: with tension H and weight per link w, link i leans at tan = (w/H)(i -
 * (n+1)/2); H is found from the span. Largest distance of the links' middles from it. */
static double polygon_error(const loaded *l, int n, double span, double length)
{
    double link = length / n, weight = link * 9.81, low = 1e-6, high = 1e9;
    for (int k = 0; k < 300; k++) {
        double H = sqrt(low * high), x = 0.0;
        for (int i = 1; i <= n; i++) x += link * cos(atan(weight / H * (i - 0.5 * (n + 1))));
        if (x > span) high = H;
        else low = H;
    }
    double H = sqrt(low * high), x = 0.0, y = 0.0, worst = 0.0;
    for (int i = 1; i <= n; i++) {
        double angle = atan(weight / H * (i - 0.5 * (n + 1)));
        double mx = x + 0.5 * link * cos(angle), my = y + 0.5 * link * sin(angle);
        char   name[32];
        snprintf(name, sizeof name, "link%d", i);
        const kl_body *b = &l->model->body[kl_model_find_body(l->model, name)];
        worst            = fmax(worst, hypot(l->x->s->q[b->q] - mx, l->x->s->q[b->q + 1] - my));
        x += link * cos(angle);
        y += link * sin(angle);
    }
    return worst;
}

static void chain_of_fifty_links_hangs_as_the_exact_polygon(void **unused)
{
    (void)unused;
    loaded         l = load_chain(50, 1.0, 1.5);
    kl_equilibrium e = rest(&l);
    assert_close(polygon_error(&l, 50, 1.0, 1.5), 0.0, 1e-9);
    assert_int_equal(e.unstable, 0);
    unload(&l);
}

/* Sag of the catenary of this length over this span. */
static double catenary_sag(double span, double length)
{
    double low = 1e-3, high = 1e3; /* parameter c: length = 2 c sinh(span/2c) */
    for (int k = 0; k < 300; k++) {
        double c = sqrt(low * high);
        if (2.0 * c * sinh(0.5 * span / c) > length) low = c;
        else high = c;
    }
    double c = sqrt(low * high);
    return c * (cosh(0.5 * span / c) - 1.0);
}

static double chain_sag(int n)
{
    loaded l = load_chain(n, 1.0, 1.5);
    rest(&l);
    double low = 0.0;
    char   name[32];
    snprintf(name, sizeof name, "link%d", n / 2); /* even n: the lowest pin is its right end */
    const kl_body *b  = &l.model->body[kl_model_find_body(l.model, name)];
    kl_marker      at = {.r = kl_vec(0.75 / n, 0, 0), .A = kl_identity()};
    kl_motion      end;
    kl_body_motion(b, kl_work_cache(l.model, l.x->w, kl_model_find_body(l.model, name)), &at, &end);
    low = -end.r.y;
    unload(&l);
    return low;
}

static void chain_goes_to_the_catenary_with_second_order(void **unused)
{
    (void)unused;
    double exact  = catenary_sag(1.0, 1.5);
    double coarse = chain_sag(12) - exact, fine = chain_sag(24) - exact;
    assert_close(log2(fabs(coarse / fine)), 2.0, 0.05);
}

static void weight_on_a_spring_sags_by_its_weight_over_stiffness(void **unused)
{
    (void)unused;
    loaded l = load_text(
        "klingel: 1\n"
        "bodies:\n"
        "  load: {mass: 2, inertia: [1, 1, 1], position: [0, 0, 1]}\n"
        "joints:\n"
        "  guide: {type: translational, between: [ground, load], at: [0, 0, 0], axis: z}\n"
        "forces:\n"
        "  spring: {type: slide-spring-damper, of: guide, stiffness: 500 N/m}\n",
        NULL, 0, true);
    kl_equilibrium e = rest(&l);
    assert_close(l.x->s->q[l.model->body[1].q + 2], 1.0 - 2 * 9.81 / 500, 1e-13);
    assert_int_equal(e.unstable, 0);
    unload(&l);
}

static const char pendulum[] =
    "klingel: 1\n"
    "parameters: {start: 3 rad}\n"
    "bodies:\n"
    "  bar: {mass: 1, inertia: [0.1, 0.1, 0.1], center: [0, 0, -1], orientation: {axis: x, angle: "
    "start}}\n"
    "joints:\n"
    "  pivot: {type: revolute, between: [ground, bar], at: [0, 0, 0], axis: x}\n";

static void pendulum_falls_to_the_lower_position(void **unused)
{
    (void)unused;
    const char *starts[] = {"3 rad", "1.5707963267948966 rad", "0.2 rad", "-2.9 rad"};
    for (int i = 0; i < 4; i++) {
        kl_override    set = {.name = "start", .text = starts[i]};
        loaded         l   = load_text(pendulum, &set, 1, true);
        kl_equilibrium e   = rest(&l);
        assert_close(fabs(l.x->s->q[l.model->body[1].q + 3]), 1.0, 1e-12);
        assert_int_equal(e.unstable, 0);
        unload(&l);
    }
}

static void pendulum_set_upright_stays_and_is_called_unstable(void **unused)
{
    (void)unused;
    kl_override    set = {.name = "start", .text = "180 deg"};
    loaded         l   = load_text(pendulum, &set, 1, true);
    kl_equilibrium e   = rest(&l);
    assert_int_equal(e.unstable, 1);
    assert_true(says(l.diag, "the equilibrium is unstable: the motion 'bar "));
    unload(&l);
}

/* A load above a stop, a shallow arch that snaps through: let go and stopped at each peak of the
 * kinetic energy, they come to rest where Newton finds them at rest. */
static void relaxation_arrives_where_newton_does(void **unused)
{
    (void)unused;
    static const char *const texts[] = {
        "klingel: 1\nbodies:\n  ball: {mass: 1 kg, inertia: [1, 1, 1], position: [0, 0, 1 m]}\n"
        "joints:\n  guide: {type: translational, between: [ground, ball], at: [0, 0, 0], axis: "
        "z}\nforces:\n  floor: {type: bump-stop, of: guide, lower: -1 m, stiffness: 10 kN/m}\n",
        "klingel: 1\nbodies:\n  top: {type: point, mass: 40 kg, position: [0, 0, 0.1]}\n"
        "forces:\n  l: {type: spring-damper, between: [ground, top], at: [[-1, 0, 0], [0, 0, "
        "0.1]], stiffness: 20 kN/m}\n"
        "  r: {type: spring-damper, between: [ground, top], at: [[1, 0, 0], [0, 0, 0.1]], "
        "stiffness: 20 kN/m}\n"
        "  s: {type: spring-damper, between: [ground, top], at: [[0, 1, 0], [0, 0, 0.1]], "
        "stiffness: 20 kN/m}\n",
    };
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        double z[2];
        for (int relax = 0; relax < 2; relax++) {
            loaded         l = load_text(texts[k], NULL, 0, true);
            kl_equilibrium e = {.relax = relax};
            if (kl_find_equilibrium(l.x, &e, l.diag) != KL_OK) print_messages(l.diag);
            z[relax] = l.x->s->q[l.model->body[1].q + 2];
            print_message(
                "model %zu: %d iterations, %d peaks, residual_acceleration %.1e, z %.9f\n", k,
                e.iterations, e.peaks, e.residual_acceleration, z[relax]);
            assert_true(e.residual_acceleration < 1e-6);
            assert_int_equal(e.peaks > 0, relax);
            unload(&l);
        }
        assert_close(z[0], z[1], 1e-7);
    }
}

static void falling_body_has_no_equilibrium(void **unused)
{
    (void)unused;
    loaded l =
        load_text("klingel: 1\nbodies:\n  stone: {mass: 1, inertia: [1, 1, 1]}\n", NULL, 0, true);
    kl_equilibrium e = {0};
    assert_int_equal(kl_find_equilibrium(l.x, &e, l.diag), KL_E_STEP);
    assert_true(says(l.diag, "'stone' still accelerates"));
    unload(&l);
}

static void run_may_start_from_the_equilibrium(void **unused)
{
    (void)unused;
    const char *text =
        "klingel: 1\n"
        "bodies:\n"
        "  load: {mass: 2, inertia: [1, 1, 1], position: [0, 0, 1]}\n"
        "joints:\n"
        "  guide: {type: translational, between: [ground, load], at: [0, 0, 0], axis: z}\n"
        "forces:\n"
        "  spring: {type: slide-spring-damper, of: guide, stiffness: 500 N/m}\n"
        "run: {end: 1, start: equilibrium}\n";
    loaded         l = load_text(text, NULL, 0, false);
    kl_simulation *s = NULL;
    assert_int_equal(kl_simulation_create(l.model, l.diag, &s), KL_OK);
    assert_int_equal(kl_simulation_start(s, l.diag), KL_OK);
    while (s->solver->s->t < 1.0) assert_int_equal(kl_simulation_step(s, 1.0, l.diag), KL_OK);
    assert_close(s->solver->s->q[l.model->body[1].q + 2], 1.0 - 2 * 9.81 / 500, 1e-11);
    kl_simulation_destroy(s);
    unload(&l);
}

static void examples_come_to_rest(void **unused)
{
    (void)unused;
    static const char *const names[] = {
        "double-pendulum",  "simple-pendulum",     "bricard", "spinning-top", "andrews-squeezer",
        "flyball-governor", "spatial-slider-crank"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        loaded         l      = load_example(names[i], NULL, 0, true);
        kl_equilibrium e      = {0};
        kl_status      status = kl_find_equilibrium(l.x, &e, l.diag);
        if (status != KL_OK) print_messages(l.diag);
        assert_int_equal(status, KL_OK);
        assert_int_equal(e.peaks, 0); /* Newton does it alone */
        assert_true(e.residual_acceleration < 1e-9);
        unload(&l);
    }
}

/* flexible links that nothing loads: what is left is rounding of positions times stiff modes */
static void what_nothing_loads_is_at_rest(void **unused)
{
    (void)unused;
    kl_override set[] = {{.name = "speed", .text = "0 rad/s"}};
    loaded      l     = load_example("flexible-four-bar", set, 1, false);
    l.model->gravity  = kl_vec(0, 0, 0);
    assert_int_equal(kl_assemble(l.x, l.diag), KL_OK);
    rest(&l);
    unload(&l);
}

/* A toggle press sinks on its stop. Newton's method folds it up, from where it does not come back, so that it
 * is let go from the start. Virtual work: the stop carries the ram and half of both links, whose centres
 * move by 1/4 and 3/4 of its way: (20 + 3) g. `modes` and `start: steady` keep velocities, but there are none. */
static void a_press_sinks_on_its_stop(void **unused)
{
    (void)unused;
    static const char press[] =
        "klingel: 1\n"
        "parameters: {a: 300 mm, al: 20 deg}\n"
        "bodies:\n"
        "  upper: {mass: 3, inertia: [0.0225, 0.0225, 0.001], orientation: {axis: y, angle: -al},\n"
        "          position: [a/2*sin(al), 0, -a/2*cos(al)]}\n"
        "  lower: {mass: 3, inertia: [0.0225, 0.0225, 0.001], orientation: {axis: y, angle: al},\n"
        "          position: [a/2*sin(al), 0, -3*a/2*cos(al)]}\n"
        "  ram: {mass: 20, inertia: [0.1, 0.1, 0.1], position: [0, 0, -2*a*cos(al)]}\n"
        "joints:\n"
        "  top: {type: revolute, between: [ground, upper], at: [0, 0, 0], axis: y}\n"
        "  knee: {type: revolute, between: [upper, lower], at: [a*sin(al), 0, -a*cos(al)], axis: "
        "y}\n"
        "  wrist: {type: revolute, between: [lower, ram], at: [0, 0, -2*a*cos(al)], axis: y}\n"
        "  guide: {type: translational, between: [ground, ram], at: [0, 0, -2*a*cos(al)], axis: "
        "-z,\n"
        "          limits: {upper: 25 mm, stiffness: 50 MN/m, damping: 5 s/m}}\n"
        "forces:\n  brake: {type: slide-spring-damper, of: guide, damping: 2000}\n";
    for (int moving = 0; moving < 2; moving++) {
        loaded         l      = load_text(press, NULL, 0, true);
        kl_equilibrium e      = {.moving = moving};
        kl_status      status = kl_find_equilibrium(l.x, &e, l.diag);
        if (status != KL_OK) print_messages(l.diag);
        assert_int_equal(status, KL_OK);
        const double *q      = l.x->s->q + l.model->body[kl_model_find_body(l.model, "ram")].q;
        double        stroke = -q[2] - 0.6 * cos(20.0 * KL_PI / 180.0);
        assert_close(stroke, 0.025 + 23.0 * 9.81 / 50e6, 1e-10);
        unload(&l);
    }
}

/* A pendulum of 2 kg is held by a driver that would accelerate it with 9 rad/s2: its joint carries the
 * whole weight, and the driver the weight at a lever of 0.5 m. */
static void reactions_at_rest_are_those_of_held_drivers(void **unused)
{
    (void)unused;
    loaded l =
        load_text("klingel: 1\n"
                  "bodies: {arm: {mass: 2, inertia: [0.01, 0.04, 0.04], position: [0.5, 0, 0]}}\n"
                  "joints:\n"
                  "  hinge: {type: revolute, between: [ground, arm], at: [0, 0, 0], axis: y}\n"
                  "  motor: {type: driver, of: hinge, coordinate: angle, value: {expression: \"1 - "
                  "cos(3*t)\"}}\n",
                  NULL, 0, true);
    rest(&l);
    assert_int_equal(kl_eval(l.model, l.x->s, l.x->w), KL_OK);
    kl_eval_residual(l.model, l.x->w, l.x->a, l.x->lambda, l.x->y);
    double reaction[2][6];
    for (int i = 0; i < 2; i++) {
        const kl_element *e = &l.model->element[i];
        memcpy(reaction[i], l.x->w->total + 6 * (e->marker + e->nmarker - 1), sizeof *reaction);
    }
    assert_close(reaction[0][2], 2.0 * 9.81, 1e-10);
    assert_close(reaction[1][4], -2.0 * 9.81 * 0.5, 1e-10);
    unload(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reactions_at_rest_are_those_of_held_drivers),
        cmocka_unit_test(weight_on_a_spring_sags_by_its_weight_over_stiffness),
        cmocka_unit_test(pendulum_falls_to_the_lower_position),
        cmocka_unit_test(pendulum_set_upright_stays_and_is_called_unstable),
        cmocka_unit_test(relaxation_arrives_where_newton_does),
        cmocka_unit_test(falling_body_has_no_equilibrium),
        cmocka_unit_test(chain_of_fifty_links_hangs_as_the_exact_polygon),
        cmocka_unit_test(chain_goes_to_the_catenary_with_second_order),
        cmocka_unit_test(run_may_start_from_the_equilibrium),
        cmocka_unit_test(examples_come_to_rest),
        cmocka_unit_test(a_press_sinks_on_its_stop),
        cmocka_unit_test(what_nothing_loads_is_at_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
