/* Order of convergence of the integrator in positions, velocities and multipliers, at fixed and at varying steps; what its
 * one knob does; that Newton is quick. */
#include "unit/solve/simulate.h"

#include "solve/simulation.h"

/* A crank with an offset rod and slider in space: rotations about moving axes, closed loop, gravity. */
static const char *const spatial =
    "klingel: 1\ngravity: [0, 0, -9.81]\nbodies:\n"
    "  crank: {mass: 0.12, inertia: [1e-4, 1e-4, 1e-5], position: [0, 0.1, 0.16], omega: [6, 0, "
    "0], fixed: [omega]}\n"
    "  rod: {mass: 0.5, inertia: [4e-4, 4e-3, 4e-3], position: [0.1, 0.05, 0.1], orientation: {x: "
    "[0.2, -0.1, -0.2], y: [1, 2, 0]}}\n"
    "  slider: {mass: 2, inertia: [1e-4, 1e-4, 1e-4], position: [0.2, 0, 0]}\n"
    "joints:\n"
    "  A: {type: revolute, between: [ground, crank], at: [0, 0.1, 0.12], axis: x}\n"
    "  B: {type: spherical, between: [crank, rod], at: [0, 0.1, 0.2]}\n"
    "  C: {type: universal, between: [slider, rod], at: [0.2, 0, 0], axis: [x, [0, 0.2, -0.1]]}\n"
    "  D: {type: translational, between: [ground, slider], at: [0.2, 0, 0], axis: x}\n";

enum { MOST = 64 };

typedef struct sample {
    double q[MOST], v[MOST], lambda[MOST];
    int    nq, nv, nlam;
} sample;

/* State at t = 0.2 s after n steps; `uneven`: their lengths vary by a factor of three, smoothly. */
static sample after(const char *text, int n, bool uneven, int integrator, double radius)
{
    built          b                  = must_build(text);
    kl_simulation *s                  = NULL;
    const double   end                = 0.2;
    b.model->settings.integrator      = integrator;
    b.model->settings.spectral_radius = radius;
    b.model->settings.step = uneven ? end : end / n; /* uneven: each step goes where it is told */
    assert_int_equal(kl_simulation_create(b.model, b.diag, &s), KL_OK);
    /* the first step is known beforehand, for the start of the auxiliary acceleration */
    double depth = uneven ? 0.5 : 0.0, first = end / n * (1.0 + depth);
    b.model->settings.step = uneven ? first : end / n;
    if (kl_simulation_start(s, b.diag) != KL_OK) print_messages(b.diag), fail();
    b.model->settings.step = uneven ? end : end / n;
    for (int k = 1; k <= n; k++) {
        double x = (double)k / n, t = end * (x + depth * sin(2 * KL_PI * x) / (2 * KL_PI));
        if (k == n) t = end;
        while (s->solver->s->t < t)
            if (kl_simulation_step(s, t, b.diag) != KL_OK) print_messages(b.diag), fail();
    }
    const kl_solver *x   = s->solver;
    sample           out = {.nq = b.model->nq, .nv = b.model->nv, .nlam = b.model->nlam};
    memcpy(out.q, x->s->q, (size_t)out.nq * sizeof(double));
    memcpy(out.v, x->s->v, (size_t)out.nv * sizeof(double));
    memcpy(out.lambda, x->lambda, (size_t)out.nlam * sizeof(double));
    kl_simulation_destroy(s);
    built_free(&b);
    return out;
}

static double distance(const double *a, const double *b, int n)
{
    double d = 0;
    for (int i = 0; i < n; i++) d = fmax(d, fabs(a[i] - b[i]));
    return d;
}

static void check_order(const char *text, bool uneven, int integrator, double radius, double least)
{
    sample exact = after(text, 6400, false, KL_GENERALIZED_ALPHA, 0.9),
           a     = after(text, 200, uneven, integrator, radius),
           b     = after(text, 400, uneven, integrator, radius);
    double eq[2] = {distance(a.q, exact.q, a.nq), distance(b.q, exact.q, b.nq)};
    double ev[2] = {distance(a.v, exact.v, a.nv), distance(b.v, exact.v, b.nv)};
    double el[2] = {distance(a.lambda, exact.lambda, a.nlam),
                    distance(b.lambda, exact.lambda, b.nlam)};
    print_message(
        "%s steps, radius %g: order of positions %.2f, velocities %.2f, multipliers %.2f\n",
        uneven ? "varying" : "fixed", radius, log2(eq[0] / eq[1]), log2(ev[0] / ev[1]),
        log2(el[0] / el[1]));
    assert_true(log2(eq[0] / eq[1]) > least);
    assert_true(log2(ev[0] / ev[1]) > least);
    assert_true(log2(el[0] / el[1]) > least);
}

static void second_order_at_fixed_steps(void **unused)
{
    (void)unused;
    check_order(spatial, false, KL_GENERALIZED_ALPHA, 0.9, 1.9);
    check_order(spatial, false, KL_GENERALIZED_ALPHA, 0.5, 1.9);
}

/* Steps of h, 2h, h, 2h, ...: the auxiliary acceleration must move to each new step. */
static sample after_uneven_pairs(int pairs)
{
    built          b   = must_build(spatial);
    kl_simulation *s   = NULL;
    const double   end = 0.2, h = end / (3.0 * pairs);
    b.model->settings.step = h;
    assert_int_equal(kl_simulation_create(b.model, b.diag, &s), KL_OK);
    assert_int_equal(kl_simulation_start(s, b.diag), KL_OK);
    b.model->settings.step = end; /* each step goes where it is told */
    for (int k = 0; k < 2 * pairs; k++) {
        double t = k == 2 * pairs - 1 ? end : h * (3 * (k / 2) + (k % 2 ? 3 : 1));
        while (s->solver->s->t < t) assert_int_equal(kl_simulation_step(s, t, b.diag), KL_OK);
    }
    assert_int_equal(s->count.steps, 2 * pairs);
    const kl_solver *x   = s->solver;
    sample           out = {.nq = b.model->nq, .nv = b.model->nv, .nlam = b.model->nlam};
    memcpy(out.q, x->s->q, (size_t)out.nq * sizeof(double));
    memcpy(out.v, x->s->v, (size_t)out.nv * sizeof(double));
    memcpy(out.lambda, x->lambda, (size_t)out.nlam * sizeof(double));
    kl_simulation_destroy(s);
    built_free(&b);
    return out;
}

static void second_order_at_steps_that_double_and_halve(void **unused)
{
    (void)unused;
    sample exact = after(spatial, 6400, false, KL_GENERALIZED_ALPHA, 0.9),
           a = after_uneven_pairs(75), b = after_uneven_pairs(150);
    double q = log2(distance(a.q, exact.q, a.nq) / distance(b.q, exact.q, b.nq)),
           v = log2(distance(a.v, exact.v, a.nv) / distance(b.v, exact.v, b.nv)),
           l = log2(distance(a.lambda, exact.lambda, a.nlam) /
                    distance(b.lambda, exact.lambda, b.nlam));
    print_message("h, 2h, h: order of positions %.2f, velocities %.2f, multipliers %.2f\n", q, v,
                  l);
    assert_true(q > 1.8 && v > 1.8 && l > 1.8);
}

static void second_order_at_varying_steps(void **unused)
{
    (void)unused;
    check_order(spatial, true, KL_GENERALIZED_ALPHA, 0.9, 1.8);
}

static void hht_is_of_second_order_and_damped_newmark_of_first(void **unused)
{
    (void)unused;
    check_order(spatial, false, KL_HHT, 0.8, 1.8);
    sample exact = after(spatial, 6400, false, KL_GENERALIZED_ALPHA, 0.9),
           a     = after(spatial, 200, false, KL_NEWMARK, 0.8),
           b     = after(spatial, 400, false, KL_NEWMARK, 0.8);
    double order = log2(distance(a.v, exact.v, a.nv) / distance(b.v, exact.v, b.nv));
    assert_true(order > 0.8 && order < 1.3);
}

/* Mass on a spring, free: the amplitude after many steps of a stiff oscillator falls with the radius, and stays at 1. */
static double amplitude_left(double radius)
{
    built b = must_build("klingel: 1\ngravity: [0, 0, 0]\nbodies: {m: {type: point, mass: 1, "
                         "position: [1.5, 0, 0]}}\n"
                         "forces: {s: {type: spring-damper, between: [ground, m], at: [[0, 0, 0], "
                         "[1.5, 0, 0]], stiffness: 1e8, length: 1.4999}}\n");
    kl_simulation *s                  = NULL;
    b.model->settings.spectral_radius = radius;
    b.model->settings.step            = 0.01; /* omega h = 100: far above what can be resolved */
    assert_int_equal(kl_simulation_create(b.model, b.diag, &s), KL_OK);
    assert_int_equal(kl_simulation_start(s, b.diag), KL_OK);
    double last = 0;
    for (int k = 1; k <= 60; k++) {
        while (s->solver->s->t < 0.01 * k)
            assert_int_equal(kl_simulation_step(s, 0.01 * k, b.diag), KL_OK);
        if (k > 55) last = fmax(last, fabs(s->solver->s->q[0] - 1.4999));
    }
    kl_simulation_destroy(s);
    built_free(&b);
    return last / 1e-4;
}

/* Mass on a spring from rest at x = 1: with gamma = 1/2 Newmark's solution is cos(n theta) exactly,
 * cos theta = 1 - Omega^2/(2 (1 + beta Omega^2)), Omega = omega h. */
static void newmark_takes_beta_and_gamma(void **unused)
{
    (void)unused;
    const double beta = 0.3, h = 0.05, omega = 4.0, big = omega * h;
    built        b = must_build(
               "klingel: 1\ngravity: [0, 0, 0]\nbodies: {m: {type: point, mass: 1, position: [3, 0, 0]}}\n"
                      "forces: {s: {type: spring-damper, between: [ground, m], at: [[0, 0, 0], [3, 0, 0]], "
                      "stiffness: 16, length: 2}}\n"
                      "integrator: {type: newmark, beta: 0.3, gamma: 0.5, step: 0.05}\n");
    kl_simulation *s = NULL;
    assert_int_equal(kl_simulation_create(b.model, b.diag, &s), KL_OK);
    assert_int_equal(kl_simulation_start(s, b.diag), KL_OK);
    double theta = acos(1.0 - 0.5 * big * big / (1.0 + beta * big * big));
    for (int n = 1; n <= 40; n++) {
        while (s->solver->s->t < h * n - 1e-9)
            assert_int_equal(kl_simulation_step(s, h * n, b.diag), KL_OK);
        assert_close(s->solver->s->q[0], 2.0 + cos(n * theta), 1e-9);
    }
    kl_simulation_destroy(s);
    built_free(&b);
}

/* Error after two seconds of the mass above with beta = 1/12 and fixed steps. */
static double error_of_beta_twelfth(double h)
{
    char text[512];
    snprintf(
        text, sizeof text,
        "klingel: 1\ngravity: [0, 0, 0]\nbodies: {m: {type: point, mass: 1, position: [3, 0, 0]}}\n"
        "forces: {s: {type: spring-damper, between: [ground, m], at: [[0, 0, 0], [3, 0, 0]], "
        "stiffness: 16, length: 2}}\n"
        "integrator: {type: newmark, beta: 1/12, step: %g}\n",
        h);
    static rows r;
    built       b = must_build(text);
    simulate(&b, 2.0, 2.0, (const char *const[]){"m.position.x", NULL}, &r, NULL);
    built_free(&b);
    return fabs(r.value[r.count - 1][0] - 2.0 - cos(8.0));
}

/* Omega^2 = 2 (1 - cos theta) + O(theta^6) where beta is 1/12 */
static void newmark_with_beta_of_a_twelfth_has_periods_of_fourth_order(void **unused)
{
    (void)unused;
    double ratio = error_of_beta_twelfth(0.1) / error_of_beta_twelfth(0.05);
    print_message("newmark, beta 1/12: error of steps of 0.1 s over that of 0.05 s: %.2f\n", ratio);
    assert_true(ratio > 15.0 && ratio < 17.0);
}

/* A stiff mass that hardly moves, on a beam with a soft one: a tolerance that does not see it lets the steps grow
 * until they would be unstable. Its frequency is that of both masses, 3000 rad/s: w^2 = k (1/m1 + 1/m2). */
static void newmark_that_is_stable_for_short_steps_chooses_them(void **unused)
{
    (void)unused;
    built b = must_build(
        "klingel: 1\ngravity: [0, 0, 0]\nbodies:\n"
        "  a: {type: point, mass: 1, position: [3, 0, 0]}\n"
        "  b: {type: point, mass: 0.125, position: [4.00001, 0, 0]}\n"
        "joints:\n  x: {type: point-on-line, between: [ground, a], at: [3, 0, 0], axis: x}\n"
        "  y: {type: point-on-line, between: [ground, b], at: [4.00001, 0, 0], axis: x}\n"
        "forces:\n"
        "  soft: {type: spring-damper, between: [ground, a], at: [[0, 0, 0], [3, 0, "
        "0]], stiffness: 18, length: 2}\n"
        "  stiff: {type: spring-damper, between: [a, b], at: [[3, 0, 0], [4.00001, 0, "
        "0]], stiffness: 1e6, length: 1}\n"
        "integrator: {type: newmark, beta: 1/12, tolerance: 1e-2}\n");
    static rows   r;
    kl_statistics count;
    double        largest = 0.0, limit = sqrt(6.0) / 3000.0;
    simulate(&b, 2.0, 0.01, (const char *const[]){"a.position.x", "stiff.length", NULL}, &r,
             &count);
    for (int i = 0; i < r.count; i++) {
        largest = fmax(largest, fabs(r.value[i][1] - 1.0));
        assert_close(r.value[i][0], 2.0 + cos(4.0 * r.t[i]), 1e-4);
    }
    print_message("longest step %.3g of the stable one, largest strain %.3g of the first\n",
                  count.largest_step / limit, largest / 1e-5);
    assert_true(count.largest_step < 0.7 * limit && count.largest_step > 0.5 * limit);
    assert_true(largest < 2e-5);
    built_free(&b);
}

/* Fixed steps, cut short at the zeros of a load on a separate body: what swings beside it must not feel
 * the short steps. */
static void short_steps_at_events_do_not_disturb_fixed_steps(void **unused)
{
    (void)unused;
    built b = must_build(
        "klingel: 1\nbodies:\n"
        "  a: {mass: 3, inertia: [0.03, 0.05, 0.04], center: [0.3, 0, 0], omega: [0, 5, 0]}\n"
        "  b: {mass: 1, inertia: [0.01, 0.01, 0.01], position: [0.6, 0, 0], velocity: [0, 0, "
        "-2.5]}\n"
        "  p: {type: point, mass: 2, position: [3, 0, 1]}\n"
        "joints:\n"
        "  h: {type: revolute, between: [ground, a], at: [0, 0, 0], axis: y}\n"
        "  j: {type: revolute, between: [a, b], at: [0.5, 0, 0], axis: y}\n"
        "forces: {d: {type: force, on: p, axis: x, value: {expression: \"sin(40*t)\"}}}\n"
        "integrator: {step: 0.01}\n");
    kl_simulation *s = NULL;
    assert_int_equal(kl_simulation_create(b.model, b.diag, &s), KL_OK);
    assert_int_equal(kl_simulation_start(s, b.diag), KL_OK);
    int drift = kl_channels_find(s->channels, "drift.rate");
    while (s->solver->s->t < 1.0 - 1e-9) {
        const double *v;
        assert_int_equal(kl_simulation_step(s, 1.0, b.diag), KL_OK);
        assert_int_equal(kl_simulation_sample(s, b.diag, &v), KL_OK);
        assert_true(v[drift] < 0.02); /* [m/s]: 1.05 if the rough accelerations were used */
    }
    kl_simulation_destroy(s);
    built_free(&b);
}

static void the_spectral_radius_damps_what_cannot_be_resolved(void **unused)
{
    (void)unused;
    double none = amplitude_left(1.0), some = amplitude_left(0.8);
    assert_true(none > 0.3);
    assert_true(some < 1e-3 * none);
}

/* A free rotor: no force, so momentum and energy stay, whatever the shape. */
static void a_free_body_keeps_energy_and_momentum(void **unused)
{
    (void)unused;
    built          b = must_build("klingel: 1\ngravity: [0, 0, 0]\n"
                                           "bodies: {r: {mass: 2, inertia: [1, 2, 2.8], center: [0.1, 0.2, 0], "
                                           "velocity: [1, 0, 0.5], omega: [0.3, 2, 0.1]}}\n");
    kl_simulation *s = NULL;
    assert_int_equal(kl_simulation_create(b.model, b.diag, &s), KL_OK);
    assert_int_equal(kl_simulation_start(s, b.diag), KL_OK);
    kl_measures    first, last;
    const kl_body *r = &b.model->body[1];
    kl_eval_motion(b.model, s->solver->s, s->solver->w);
    r->type->measures(r->data, kl_work_cache(b.model, s->solver->w, 1), &first);
    while (s->solver->s->t < 10) assert_int_equal(kl_simulation_step(s, 10, b.diag), KL_OK);
    kl_eval_motion(b.model, s->solver->s, s->solver->w);
    r->type->measures(r->data, kl_work_cache(b.model, s->solver->w, 1), &last);
    assert_close(last.kinetic, first.kinetic, 1e-5 * first.kinetic);
    assert_close(kl_norm(kl_sub(last.p, first.p)), 0, 1e-5 * kl_norm(first.p));
    assert_close(kl_norm(kl_sub(last.L, first.L)), 0, 1e-4 * kl_norm(first.L));
    kl_simulation_destroy(s);
    built_free(&b);
}

/* The same bits twice: nothing hangs on addresses or leftovers. */
static void a_repeated_run_gives_the_same_bits(void **unused)
{
    (void)unused;
    sample a = after(spatial, 100, true, KL_GENERALIZED_ALPHA, 0.9),
           b = after(spatial, 100, true, KL_GENERALIZED_ALPHA, 0.9);
    assert_memory_equal(a.q, b.q, (size_t)a.nq * sizeof(double));
    assert_memory_equal(a.lambda, b.lambda, (size_t)a.nlam * sizeof(double));
}

/* A slider-crank whose rod is as long as its crank, driven: each half turn it folds, where it could as well go on turning as
 * one bar. It moves as x = 2 L cos(w t); a row falls exactly on the fold, where the rail's reaction is not determined. */
static const char *const folding =
    "klingel: 1\nparameters: {L: 0.5, w: 2*pi}\nbodies:\n"
    "  crank: {mass: 1, inertia: [1e-4, 0.02, 0.02], position: [L/2, 0, 0], omega: [0, 0, w]}\n"
    "  rod: {mass: 1, inertia: [1e-4, 0.02, 0.02], position: [1.5*L, 0, 0]}\n"
    "  slider: {mass: 1, inertia: [1e-3, 1e-3, 1e-3], position: [2*L, 0, 0]}\n"
    "joints:\n"
    "  foot: {type: revolute, between: [ground, crank], at: [0, 0, 0], axis: z}\n"
    "  knee: {type: revolute, between: [crank, rod], at: [L, 0, 0], axis: z}\n"
    "  pin: {type: revolute, between: [rod, slider], at: [2*L, 0, 0], axis: z}\n"
    "  rail: {type: translational, between: [ground, slider], at: [0, 0, 0], axis: x}\n"
    "  motor: {type: driver, of: foot, coordinate: angle, value: {polynomial: [0, w]}}\n";

typedef struct fold {
    const kl_channels *channels;
    double             motion, force, energy, energy0;
} fold;

static kl_status watch_fold(void *context, double t, const double *row)
{
    fold  *f       = context;
    double x       = row[kl_channels_find(f->channels, "slider.position.x")],
           balance = row[kl_channels_find(f->channels, "energy.balance")];
    if (t == 0.0) f->energy0 = balance;
    f->motion = fmax(f->motion, fabs(x - cos(2 * KL_PI * t)));
    f->force  = fmax(f->force, fabs(row[kl_channels_find(f->channels, "knee.force.y")]));
    f->energy = fmax(f->energy, fabs(balance - f->energy0));
    return KL_OK;
}

static void a_driven_mechanism_passes_where_it_folds(void **unused)
{
    (void)unused;
    const int kinds[] = {KL_GENERALIZED_ALPHA, KL_RUNGE_KUTTA};
    for (int k = 0; k < 2; k++) {
        built          b             = must_build(folding);
        kl_simulation *s             = NULL;
        b.model->settings.integrator = kinds[k];
        assert_int_equal(kl_simulation_create(b.model, b.diag, &s), KL_OK);
        fold    f    = {.channels = s->channels};
        kl_sink sink = {.context = &f, .row = watch_fold};
        if (kl_simulation_run(s, 2.0, 0.01, &sink, b.diag) != KL_OK) print_messages(b.diag), fail();
        assert_true(f.motion < 1e-6);
        assert_true(f.force <
                    50.0); /* (5/4) (2 pi)^2 = 49.3 N at most, as on either side of the fold */
        assert_true(f.energy < 1e-3);
        kl_simulation_destroy(s);
        built_free(&b);
    }
}

static kl_status ignore_row(void *context, double t, const double *row)
{
    (void)context, (void)t, (void)row;
    return KL_OK;
}

/* A negative spring throws its mass away, ever faster: that ends in words, not in ever shorter steps. */
/* Nothing but a driver: Newton is done after one iteration, which must reach the positions. */
static void a_driver_is_held_at_the_position(void **unused)
{
    (void)unused;
    static const char text[] =
        "klingel: 1\nbodies: {b: {mass: 2, inertia: [1, 1, 1]}}\njoints:\n"
        "  s: {type: translational, between: [ground, b], at: [0, 0, 0], axis: z}\n"
        "  d: {type: driver, of: s, coordinate: displacement,\n"
        "      value: {harmonic: {amplitude: 50 mm, frequency: 2 Hz}}}\n";
    for (int n = 20; n <= 80; n *= 2) {
        sample x = after(text, n, false, KL_GENERALIZED_ALPHA, 0.9);
        assert_close(x.q[2], 0.05 * sin(2 * KL_PI * 2.0 * 0.2), 1e-9);
    }
}

static void growth_without_end_is_told(void **unused)
{
    (void)unused;
    const int kinds[] = {KL_GENERALIZED_ALPHA, KL_RUNGE_KUTTA, KL_GEAR};
    for (int k = 0; k < 3; k++) {
        built b = must_build("klingel: 1\ngravity: [0, 0, 0]\nbodies: {a: {mass: 1, inertia: [1, "
                             "1, 1], position: [1, 0, 0]}}\n"
                             "forces: {f: {type: spring-damper, between: [ground, a], at: [[0, 0, "
                             "0], [1, 0, 0]], stiffness: -1e4, length: 0.9}}\n");
        kl_simulation *s             = NULL;
        kl_sink        sink          = {.row = ignore_row};
        b.model->settings.integrator = kinds[k];
        assert_int_equal(kl_simulation_create(b.model, b.diag, &s), KL_OK);
        assert_int_equal(kl_simulation_run(s, 100.0, 0.1, &sink, b.diag), KL_E_STEP);
        if (k == 0)
            assert_non_null(
                strstr(kl_diag_at(b.diag, kl_diag_size(b.diag) - 1)->text, "grows without limit"));
        kl_simulation_destroy(s);
        built_free(&b);
    }
}

/* A sliding mass of 1 kg with fixed steps of 20 ms; `force` acts along its guide. Returns what was counted. */
static kl_statistics slide(const char *force, double end)
{
    char text[1024];
    snprintf(
        text, sizeof text,
        "klingel: 1\ngravity: [0, 0, 0]\n"
        "bodies: {a: {mass: 1 kg, inertia: [1, 1, 1], velocity: [1, 0, 0]}}\n"
        "joints: {guide: {type: translational, between: [ground, a], at: [3, 0, 0], axis: x}}\n"
        "forces: {f: {type: slide-spring-damper, of: guide, %s}}\n"
        "integrator: {type: generalized-alpha, step: 20 ms, tolerance: 1e-10}\n",
        force);
    built                    b       = must_build(text);
    static const char *const names[] = {"a.velocity.x", NULL};
    static rows              r;
    kl_statistics            count;
    simulate(&b, end, 0.02, names, &r, &count);
    built_free(&b);
    return count;
}

/* Newton's method of a fixed step fails where the matrix of its first iteration lacks a stiffness that begins in
 * the step, or where two matrices alternate: beside a force that changes its sign within 1/100 of the speed of one
 * step, undamped iterations jump to and fro. The step is then repeated with a matrix for each iteration and with
 * damped changes, and must not become shorter. */
static void fixed_steps_stay_where_forces_begin(void **unused)
{
    (void)unused;
    static const char *const force[] = {
        "spring: {expression: \"if(x > 0.1 m, 1e4 N/m*(x - 0.1 m), 0 N)\"}",
        "damper: {expression: \"20 N*tanh(x/0.01)\"}",
        "damper: {expression: \"20 N*tanh(x/0.005)\"}",
    };
    for (size_t k = 0; k < sizeof force / sizeof *force; k++) {
        kl_statistics count = slide(force[k], 0.4);
        print_message("%ld steps, the shortest %g s, %ld repeated\n", (long)count.steps,
                      count.least_step, (long)count.rejected);
        assert_true(count.rejected > 0); /* the first matrix alone did not do */
        assert_int_equal(count.steps, 20);
        assert_close(count.least_step, 0.02, 1e-9);
    }
}

/* A falling beam: the kept matrix ages slowly, from 2 iterations a step to 5, while Newton's method still
 * converges. With one matrix for 50 steps they are 3.4 a step. */
static void a_matrix_that_ages_is_made_anew(void **state)
{
    (void)state;
    built b = must_build(
        "klingel: 1\nsections: {bar: {shape: rectangle, width: 30 mm, height: 20 mm}}\n"
        "bodies: {rod: {type: beam, from: [0, 0, 0], to: [10, 0, 0], section: bar, material: "
        "steel, "
        "elements: 100}}\n"
        "joints: {clamp: {type: fixed, between: [ground, rod.start]}}\nintegrator: {step: 1 ms}\n");
    kl_simulation *s = NULL;
    assert_int_equal(kl_simulation_create(b.model, b.diag, &s), KL_OK);
    assert_int_equal(kl_simulation_start(s, b.diag), KL_OK);
    while (s->solver->s->t < 0.05) assert_int_equal(kl_simulation_step(s, 0.05, b.diag), KL_OK);
    assert_true((double)s->count.iterations < 3.1 * (double)s->count.steps);
    assert_true(s->count.factorizations <= 6);
    kl_simulation_destroy(s);
    built_free(&b);
}

/* The last of the fixed steps is 5 % shorter. */
static void a_matrix_with_states_serves_steps_of_nearly_its_size(void **unused)
{
    (void)unused;
    static const char *const text =
        "klingel: 1\nbodies:\n  m: {type: point, mass: 1 kg, position: [1.2, 0, 0]}\nforces:\n"
        "  s: {type: series-spring-damper, between: [ground, m], at: [[0, 0, 0], [1.2, 0, 0]], "
        "stiffness: 100, "
        "damping: 5, length: 1}\n";
    static const char *const names[] = {"m.position.x", NULL};
    static rows              r;
    kl_statistics            count;
    built                    b   = must_build(text);
    b.model->settings.integrator = KL_GENERALIZED_ALPHA;
    b.model->settings.step       = 0.01;
    simulate(&b, 0.0995, 0.0995, names, &r, &count);
    print_message("%ld steps, %ld matrices\n", count.steps, count.factorizations);
    assert_int_equal(count.steps, 10);
    assert_int_equal(count.factorizations, 1);
    built_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(second_order_at_fixed_steps),
        cmocka_unit_test(second_order_at_varying_steps),
        cmocka_unit_test(second_order_at_steps_that_double_and_halve),
        cmocka_unit_test(hht_is_of_second_order_and_damped_newmark_of_first),
        cmocka_unit_test(newmark_takes_beta_and_gamma),
        cmocka_unit_test(newmark_with_beta_of_a_twelfth_has_periods_of_fourth_order),
        cmocka_unit_test(newmark_that_is_stable_for_short_steps_chooses_them),
        cmocka_unit_test(short_steps_at_events_do_not_disturb_fixed_steps),
        cmocka_unit_test(the_spectral_radius_damps_what_cannot_be_resolved),
        cmocka_unit_test(a_free_body_keeps_energy_and_momentum),
        cmocka_unit_test(a_driven_mechanism_passes_where_it_folds),
        cmocka_unit_test(a_driver_is_held_at_the_position),
        cmocka_unit_test(growth_without_end_is_told),
        cmocka_unit_test(fixed_steps_stay_where_forces_begin),
        cmocka_unit_test(a_repeated_run_gives_the_same_bits),
        cmocka_unit_test(a_matrix_that_ages_is_made_anew),
        cmocka_unit_test(a_matrix_with_states_serves_steps_of_nearly_its_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
