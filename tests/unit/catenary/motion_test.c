/* Current collection on the EN 50318:2002 model against an independent simulation of exactly that
 * model (reference/catenary/README.md): mean, sigma and uplift; droppers, energy, rollback. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "algebra/filter.h"
#include "catenary/collection.h"
#include "unit/catenary/designs.h"

/* A run at constant speed from x = 10 m, uplift ramped from 30 to 100 percent over 60 m. */
typedef struct journey {
    kl_arena      *arena;
    kl_line       *line;
    kl_collection *c;
    kl_collector   collector;
    double        *state, speed, uplift;
    int            step;
} journey;

static void journey_begin(journey *j, const test_design *t, double dt)
{
    j->arena = kl_arena_create();
    assert_int_equal(kl_line_create(&t->design, j->arena, NULL, &j->line), KL_OK);
    assert_int_equal(kl_collection_create(j->line, &j->collector, 1, dt, j->arena, NULL, &j->c),
                     KL_OK);
    j->state              = malloc((size_t)kl_collection_state_size(j->c) * sizeof(double));
    kl_collector_input in = {.x = 10.0, .speed = j->speed, .load.uplift = 0.3 * j->uplift};
    assert_int_equal(kl_collection_start(j->c, &in, j->state, NULL), KL_OK);
    j->step = 0;
}

static void journey_end(journey *j)
{
    free(j->state);
    kl_arena_destroy(j->arena);
}

static const kl_collector_output *journey_step(journey *j)
{
    double             x  = 10.0 + j->speed * j->c->dt * ++j->step;
    kl_collector_input in = {.x = x, .speed = j->speed};
    in.load.uplift        = j->uplift * fmin(1.0, 0.3 + 0.7 * (x - 10.0) / 60.0);
    assert_int_equal(kl_collection_step(j->c, &in, j->state), KL_OK);
    return kl_collection_output(j->c, j->state, 0);
}

static kl_collector en50318_collector(void)
{
    return (kl_collector){.pantograph = {.n         = 2,
                                         .mass      = {7.2, 15.0},
                                         .stiffness = {4200.0, 50.0},
                                         .damping   = {10.0, 90.0}},
                          .law        = {.stiffness = 5e4, .exponent = 1.0, .restitution = 1.0},
                          .nstrip     = 1};
}

typedef struct figures {
    double mean, sigma, uplift;
} figures;

/* Statistics of the filtered force over spans 5 and 6, uplift at the supports there. */
static figures run_en50318(double kmh, double presag, double dt, double element)
{
    enum { MOST = 40000 };
    test_design t;
    journey     j     = {.collector = en50318_collector(), .speed = kmh / 3.6, .uplift = 120.0};
    double     *force = malloc(MOST * sizeof *force), *x = malloc(MOST * sizeof *x);
    figures     f = {0};
    int         n = 0, count = 0;
    design_en50318(&t, 10, presag);
    t.design.element = element;
    journey_begin(&j, &t, dt);
    for (const kl_collector_output *o; n < MOST && (o = journey_step(&j))->x < 500.0; n++) {
        force[n] = o->force, x[n] = o->x;
        for (int s = 4; s <= 6; s++)
            f.uplift = fmax(f.uplift, 1e3 * j.state[j.line->support[s].dof]);
    }
    kl_filter filter;
    assert_int_equal(kl_filter_lowpass(&filter, 6, 20.0, 1.0 / dt), KL_OK);
    kl_filter_run_both_ways(&filter, force, n);
    for (int i = 0; i < n; i++)
        if (x[i] >= 240.0 && x[i] <= 360.0)
            f.mean += force[i], f.sigma += force[i] * force[i], count++;
    f.mean /= count;
    f.sigma = sqrt(f.sigma / count - f.mean * f.mean);
    journey_end(&j);
    free(force), free(x);
    return f;
}

static void check_figures(double kmh, double presag, figures expected)
{
    figures f = run_en50318(kmh, presag, 1e-3, 1.1);
    print_message(
        "%g km/h, presag %g m: mean %.2f (%.2f), sigma %.2f (%.2f) N, uplift %.2f (%.2f) mm\n", kmh,
        presag, f.mean, expected.mean, f.sigma, expected.sigma, f.uplift, expected.uplift);
    assert_true(fabs(f.mean - expected.mean) < 1.0);
    assert_true(fabs(f.sigma - expected.sigma) < 1.0);
    assert_true(fabs(f.uplift - expected.uplift) < 1.0);
}

static void figures_are_those_of_the_independent_simulation(void **state)
{
    (void)state;
    check_figures(250.0, 0.0, (figures){116.6270, 33.5219, 52.6736});
    check_figures(300.0, 0.0, (figures){115.8066, 36.2648, 62.0938});
    check_figures(250.0, 0.02, (figures){117.4, 30.8, 50.7});
    check_figures(300.0, 0.02, (figures){116.3, 36.6, 58.0});
}

static void the_same_steps_from_a_copied_state_give_the_same_bits(void **state)
{
    (void)state;
    test_design t;
    journey     j = {.collector = en50318_collector(), .speed = 80.0, .uplift = 120.0};
    design_en50318(&t, 5, 0.0);
    journey_begin(&j, &t, 1e-3);
    for (int i = 0; i < 200; i++) journey_step(&j);
    size_t  bytes = (size_t)kl_collection_state_size(j.c) * sizeof(double);
    double *kept = malloc(bytes), *ahead = malloc(bytes);
    memcpy(kept, j.state, bytes);
    for (int i = 0; i < 50; i++) journey_step(&j);
    memcpy(ahead, j.state, bytes);
    memcpy(j.state, kept, bytes);
    j.step -= 50;
    for (int i = 0; i < 50; i++) journey_step(&j);
    assert_memory_equal(ahead, j.state, kl_stepper_state_size(j.line) * sizeof(double));
    free(kept), free(ahead);
    journey_end(&j);
}

/* Droppers never push: the tension found from the state is never negative, and under a strong
 * pantograph some are slack while the line's weight is still carried. */
static void droppers_go_slack_under_a_strong_pantograph(void **state)
{
    (void)state;
    test_design t;
    journey     j     = {.collector = en50318_collector(), .speed = 80.0, .uplift = 250.0};
    int         slack = 0, worst = 0;
    design_en50318(&t, 5, 0.0);
    journey_begin(&j, &t, 1e-3);
    for (int i = 0; i < 2500; i++) {
        journey_step(&j);
        slack = 0;
        for (int k = 0; k < j.line->ndropper; k++) {
            double p = j.state[3 * j.line->ndof + k];
            assert_true(p <= 1e-9); /* only ever takes push back */
            slack += kl_stepper_dropper_force(j.line, j.state, k) == 0.0;
        }
        worst = slack > worst ? slack : worst;
    }
    assert_true(worst >= 2);
    journey_end(&j);
}

/* A line left alone after a push: worst change of its energy in 3 s, slack droppers included. */
static double energy_change(double stiffness, double dt)
{
    test_design t;
    kl_line    *line;
    kl_stepper *s;
    kl_arena   *arena = kl_arena_create();
    design_en50318(&t, 3, 0.0);
    t.part.dropper.stiffness = stiffness;
    assert_int_equal(kl_line_create(&t.design, arena, NULL, &line), KL_OK);
    assert_int_equal(kl_stepper_create(line, dt, arena, NULL, &s), KL_OK);
    double *x                  = calloc((size_t)kl_stepper_state_size(line), sizeof *x),
           *f                  = calloc((size_t)line->ndof, sizeof *f);
    f[line->dropper[13].lower] = 300.0;
    assert_int_equal(kl_line_deflect(line, f, x), KL_OK); /* several droppers are slack */
    for (int j = 0; j < line->ndropper; j++) {
        const kl_line_dropper *d = &line->dropper[j];
        double                 e = x[d->upper] - x[d->lower];
        if (d->rest + e < 0.0) x[3 * line->ndof + j] = d->k * e + d->force;
    }
    /* the first step finds the accelerations that belong to the shape without the push */
    kl_stepper_free_step(s, x);
    assert_true(kl_stepper_finish(s, x, NULL, 0, NULL, NULL, 1e-12) >= 0);
    double before = kl_stepper_energy(s, x, f), worst = 0.0;
    int    switches = 0;
    bool   slack    = true;
    for (int i = 0; i * dt < 3.0; i++) {
        kl_stepper_free_step(s, x);
        assert_true(kl_stepper_finish(s, x, NULL, 0, NULL, NULL, 1e-12) >= 0);
        worst    = fmax(worst, fabs(kl_stepper_energy(s, x, f) / before - 1.0));
        bool now = kl_stepper_dropper_force(line, x, 13) == 0.0;
        switches += now != slack, slack = now;
    }
    print_message(
        "%g kN/m, %g ms: energy %.4g J, worst change %.2e, one dropper switches %d times\n",
        1e-3 * stiffness, 1e3 * dt, before, worst, switches);
    assert_true(switches > 20);
    free(x), free(f);
    kl_arena_destroy(arena);
    return worst;
}

static void a_line_without_damping_keeps_its_energy(void **state)
{
    (void)state;
    double coarse = energy_change(1e5, 1e-3), fine = energy_change(1e5, 2.5e-4);
    assert_true(coarse < 0.02); /* Newmark's rule: droppers that snap tight within a step */
    assert_true(fine < 0.2 * coarse);
}

/* A unit of (dt omega/2)^2 and more: Newmark's rule would multiply the energy. */
static void stiff_droppers_keep_the_energy_whatever_the_step(void **state)
{
    (void)state;
    assert_true(energy_change(3e6, 1e-3) < 1e-10);
    assert_true(energy_change(1e8, 1e-3) < 1e-9);
    assert_true(energy_change(1e8, 2e-4) < 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figures_are_those_of_the_independent_simulation),
        cmocka_unit_test(the_same_steps_from_a_copied_state_give_the_same_bits),
        cmocka_unit_test(droppers_go_slack_under_a_strong_pantograph),
        cmocka_unit_test(a_line_without_damping_keeps_its_energy),
        cmocka_unit_test(stiff_droppers_keep_the_energy_whatever_the_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
