/* Catenary and pantograph as one system and in co-simulation: both ways agree, rollback leaves no
 * trace, two pantographs, loss and regain of contact. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "algebra/filter.h"
#include "catenary/coupling.h"
#include "unit/catenary/designs.h"

typedef struct journey {
    double speed, uplift, start, distance;
    int    n;
} journey;

static void drive(const void *context, double t, kl_collector_input *in)
{
    const journey *j = context;
    for (int i = 0; i < j->n; i++) {
        double x = j->start + j->speed * t, share = fmin(1.0, 0.3 + 0.7 * (x - j->start) / 60.0);
        in[i]             = (kl_collector_input){.x = x - i * j->distance, .speed = j->speed};
        in[i].load.uplift = j->uplift * share;
    }
}

static const kl_collector en50318 = {.pantograph = {.n         = 2,
                                                    .mass      = {7.2, 15.0},
                                                    .stiffness = {4200.0, 50.0},
                                                    .damping   = {10.0, 90.0}},
                                     .law = {.stiffness = 5e4, .exponent = 1.0, .restitution = 1.0},
                                     .nstrip = 1};

typedef struct figures {
    double mean[2], sigma[2], least; /* of each pantograph; smallest raw force of the first */
    double energy_error, iterations; /* largest */
} figures;

enum { MOST = 60000 };

static figures run(const journey *j, const kl_collector *collector, const kl_coupling_options *o,
                   double from, double to)
{
    test_design        t;
    kl_line           *line;
    kl_coupling       *k;
    figures            f     = {.least = HUGE_VAL};
    kl_arena          *arena = kl_arena_create();
    kl_coupling_motion m     = {drive, j};
    design_en50318(&t, 7, 0.0);
    assert_int_equal(kl_line_create(&t.design, arena, NULL, &line), KL_OK);
    assert_int_equal(kl_coupling_create(line, collector, j->n, o, arena, NULL, &k), KL_OK);
    double *state = malloc((size_t)kl_coupling_state_size(k) * sizeof *state);
    double *force = calloc(2 * MOST, sizeof *force), *x = calloc(2 * MOST, sizeof *x);
    int     n = 0;
    assert_int_equal(kl_coupling_start(k, m, 0.0, state, NULL), KL_OK);
    for (; n < MOST && j->start + j->speed * n * k->interval < to + (j->n > 1 ? j->distance : 30.0);
         n++) {
        assert_int_equal(kl_coupling_step(k, m, n * k->interval, state), KL_OK);
        for (int i = 0; i < j->n; i++) {
            const kl_collector_output *out = kl_coupling_output(k, state, i);
            force[i * MOST + n] = out->force, x[i * MOST + n] = out->x;
        }
        f.energy_error = fmax(f.energy_error, fabs(kl_coupling_energy_error(state)));
        f.iterations   = fmax(f.iterations, kl_coupling_iterations(state));
    }
    for (int i = 0; i < j->n; i++) {
        int     count = 0;
        double *F     = force + i * MOST;
        for (int s = 0; s < n && i == 0; s++)
            if (x[s] >= from && x[s] <= to) f.least = fmin(f.least, F[s]);
        kl_filter filter;
        assert_int_equal(kl_filter_lowpass(&filter, 6, 20.0, 1.0 / k->interval), KL_OK);
        kl_filter_run_both_ways(&filter, F, n);
        for (int s = 0; s < n; s++)
            if (x[i * MOST + s] >= from && x[i * MOST + s] <= to)
                f.mean[i] += F[s], f.sigma[i] += F[s] * F[s], count++;
        f.mean[i] /= count;
        f.sigma[i] = sqrt(f.sigma[i] / count - f.mean[i] * f.mean[i]);
    }
    free(state), free(force), free(x);
    kl_arena_destroy(arena);
    return f;
}

/* The catenary keeps its step of 1 ms, the pantograph its own: how often they exchange values changes
 * nothing, whether in each tenth of a step or in each second one. */
static void co_simulation_agrees_with_one_system(void **state)
{
    (void)state;
    const journey       j   = {.speed = 250.0 / 3.6, .uplift = 120.0, .start = 10.0, .n = 1};
    kl_coupling_options o   = {.step = 1e-3, .own = 1e-4, .exchange = 1e-3, .iterations = 20};
    figures             one = run(&j, &en50318, &o, 120.0, 240.0);
    const double        exchange[] = {1e-4, 5e-4, 1e-3, 2e-3};
    o.cosim                        = true;
    for (int i = 0; i < 4; i++) {
        o.exchange  = exchange[i];
        figures two = run(&j, &en50318, &o, 120.0, 240.0);
        print_message("exchange %g ms: mean %.3f (%.3f), sigma %.3f (%.3f) N, energy error %.2e J, "
                      "%g iterations\n",
                      1e3 * exchange[i], two.mean[0], one.mean[0], two.sigma[0], one.sigma[0],
                      two.energy_error, two.iterations);
        assert_true(fabs(two.mean[0] - one.mean[0]) < 0.05);
        assert_true(fabs(two.sigma[0] - one.sigma[0]) < 0.05);
        assert_true(two.energy_error < 1e-8);
    }
}

/* A state that is kept within a step of the catenary and restored goes on with the same bits. */
static void an_exchange_within_a_step_is_rolled_back_bit_for_bit(void **state)
{
    (void)state;
    const journey       j = {.speed = 300.0 / 3.6, .uplift = 120.0, .start = 10.0, .n = 1};
    kl_coupling_options o = {
        .cosim = true, .step = 1e-3, .own = 1e-4, .exchange = 2.5e-4, .iterations = 20};
    kl_coupling_motion m = {drive, &j};
    test_design        t;
    kl_line           *line;
    kl_coupling       *k;
    kl_arena          *arena = kl_arena_create();
    design_en50318(&t, 4, 0.0);
    assert_int_equal(kl_line_create(&t.design, arena, NULL, &line), KL_OK);
    assert_int_equal(kl_coupling_create(line, &en50318, 1, &o, arena, NULL, &k), KL_OK);
    assert_true(k->c->dt == 1e-3); /* keeps its own step */
    size_t  bytes = (size_t)kl_coupling_state_size(k) * sizeof(double);
    double *x = malloc(bytes), *kept = malloc(bytes), *ahead = malloc(bytes);
    assert_int_equal(kl_coupling_start(k, m, 0.0, x, NULL), KL_OK);
    for (int i = 0; i < 61; i++) {
        if (i == 41) memcpy(kept, x, bytes); /* a quarter of a step done */
        assert_int_equal(kl_coupling_step(k, m, i * k->interval, x), KL_OK);
    }
    memcpy(ahead, x, bytes);
    memcpy(x, kept, bytes);
    for (int i = 41; i < 61; i++)
        assert_int_equal(kl_coupling_step(k, m, i * k->interval, x), KL_OK);
    assert_memory_equal(x, ahead, bytes);
    free(x), free(kept), free(ahead);
    kl_arena_destroy(arena);
}

/* One iteration: the head that the catenary saw is the predicted one. */
static void without_iteration_the_energy_error_shows(void **state)
{
    (void)state;
    const journey       j = {.speed = 250.0 / 3.6, .uplift = 120.0, .start = 10.0, .n = 1};
    kl_coupling_options o = {.cosim = true, .step = 1e-3, .own = 1e-4, .exchange = 1e-3};
    o.iterations          = 1;
    figures loose         = run(&j, &en50318, &o, 120.0, 240.0);
    o.iterations          = 20;
    figures tight         = run(&j, &en50318, &o, 120.0, 240.0);
    print_message("energy error %.2e J without, %.2e J with iteration\n", loose.energy_error,
                  tight.energy_error);
    assert_true(loose.energy_error > 100.0 * tight.energy_error);
    assert_true(fabs(loose.sigma[0] - tight.sigma[0]) < 1.0);
}

static void a_second_pantograph_far_behind_meets_a_wire_in_motion(void **state)
{
    (void)state;
    const journey j = {
        .speed = 250.0 / 3.6, .uplift = 120.0, .start = 110.0, .distance = 100.0, .n = 2};
    kl_coupling_options o       = {.step = 1e-3};
    kl_collector        both[2] = {en50318, en50318};
    figures             f       = run(&j, both, &o, 180.0, 300.0);
    print_message("front sigma %.2f N, rear sigma %.2f N, rear mean %.2f N\n", f.sigma[0],
                  f.sigma[1], f.mean[1]);
    assert_true(f.sigma[1] > f.sigma[0]);
    assert_true(f.mean[1] > 105.0 && f.mean[1] < 120.0);
}

/* A weak uplift at high speed: contact is lost and found again; the force is never negative. */
static void contact_is_lost_and_regained(void **state)
{
    (void)state;
    const journey       j   = {.speed = 100.0, .uplift = 120.0, .start = 10.0, .n = 1};
    kl_coupling_options o   = {.step = 1e-3, .exchange = 1e-3, .own = 1e-4, .iterations = 30};
    figures             one = run(&j, &en50318, &o, 180.0, 300.0);
    o.cosim                 = true;
    figures two             = run(&j, &en50318, &o, 180.0, 300.0);
    print_message("least force %.2f, %.2f N; sigma %.2f, %.2f N\n", one.least, two.least,
                  one.sigma[0], two.sigma[0]);
    assert_true(one.least == 0.0 && two.least == 0.0);
    assert_true(fabs(one.sigma[0] - two.sigma[0]) < 0.1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(co_simulation_agrees_with_one_system),
        cmocka_unit_test(an_exchange_within_a_step_is_rolled_back_bit_for_bit),
        cmocka_unit_test(without_iteration_the_energy_error_shows),
        cmocka_unit_test(a_second_pantograph_far_behind_meets_a_wire_in_motion),
        cmocka_unit_test(contact_is_lost_and_regained),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
