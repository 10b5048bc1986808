/* Entries into curves: signals whose sliding means are known in closed form. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "post/comfort.h"
#include "post/comfort_transitions.h"

enum { ROWS = 4001 };
static const double RATE = 200.0, BEGIN = 5.0, END = 9.0, SLOPE = 0.25, ROLL = 0.02;

/* The acceleration rises linearly from BEGIN to END, then stays; the car body rolls at a constant rate
 * meanwhile. A swing that the mean over 1 s removes is added. */
static void fill(double *a, double *roll, double swing)
{
    for (int i = 0; i < ROWS; i++) {
        double t = i / RATE, rise = fmin(fmax(t - BEGIN, 0.0), END - BEGIN);
        a[i]    = SLOPE * rise + swing * sin(2.0 * acos(-1.0) * 10.0 * t);
        roll[i] = t >= BEGIN && t <= END ? ROLL : 0.0;
    }
}

static kl_transition_figures figures(double swing)
{
    static double a[ROWS], roll[ROWS], work[ROWS];
    fill(a, roll, swing);
    kl_transition t = {.acceleration = a, .roll = roll, .n = ROWS, .rate = RATE};
    t.first         = (int)lround(BEGIN * RATE);
    t.last          = (int)lround(END * RATE);
    return kl_transition_figures_of(&t, work);
}

static void a_ramp_has_its_level_and_its_slope(void **state)
{
    (void)state;
    kl_transition_figures f = figures(0.0);
    assert_true(fabs(f.acceleration - SLOPE * (END - BEGIN)) < 1e-12);
    assert_true(fabs(f.jerk - SLOPE) < 1e-12);
    assert_true(fabs(f.roll - ROLL) < 1e-12);
}

/* Ten periods fit into the window of 201 rows but for one row: 1/201 of the swing may remain. */
static void vibration_does_not_count(void **state)
{
    (void)state;
    kl_transition_figures f = figures(0.5);
    assert_true(fabs(f.acceleration - SLOPE * (END - BEGIN)) < 1.01 * 0.5 / 201.0);
    assert_true(fabs(f.jerk - SLOPE) < 2.02 * 0.5 / 201.0);
}

/* A level that comes only 2 s behind the transition belongs to another event. */
static void what_happens_later_does_not_count(void **state)
{
    (void)state;
    static double a[ROWS], roll[ROWS], work[ROWS];
    fill(a, roll, 0.0);
    for (int i = (int)((END + 2.2) * RATE); i < ROWS; i++) a[i] = 3.0;
    kl_transition t = {.acceleration = a,
                       .roll         = roll,
                       .n            = ROWS,
                       .rate         = RATE,
                       .first        = (int)lround(BEGIN * RATE),
                       .last         = (int)lround(END * RATE)};
    assert_true(fabs(kl_transition_figures_of(&t, work).acceleration - 1.0) < 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ramp_has_its_level_and_its_slope),
        cmocka_unit_test(vibration_does_not_count),
        cmocka_unit_test(what_happens_later_does_not_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
