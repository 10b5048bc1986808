/* The bogie frame of the locomotive under a slow sine load through its suspension: damage of the ride against Miner's sum in closed
 * form with the stress of a quasi-static analysis. */
#include "unit/cli/run_program.h"

#include <math.h>

static void copy_example(const world *w)
{
    char command[400];
    snprintf(command, sizeof command,
             "cp %s/examples/locomotive/frame* %s/examples/locomotive/sine.yaml %s", KL_SOURCE_DIR,
             KL_SOURCE_DIR, w->folder);
    assert_int_equal(system(command), 0);
}

typedef struct hot_spot {
    int    node;
    double mises, least, most, damage; /* MPa */
} hot_spot;

/* the first line of the table that `klingel stress` prints */
static hot_spot first_hot_spot(const world *w)
{
    hot_spot    h    = {0};
    const char *line = strstr(w->out, "  node ");
    assert_non_null(line);
    assert_int_equal(sscanf(line, " node %d %*f %*f %*f %lf %*f %lf %lf %lf", &h.node, &h.mises,
                            &h.least, &h.most, &h.damage),
                     5);
    return h;
}

/* From 10 to 100 s the load begins and ends at zero: 18 extremes of size S, between them 17 half cycles of range 2 S, and two
 * half cycles of range S at the ends. D = (17/2 + 2/2/2^3)/2e6 (2 S/71 MPa)^3. */
static void damage_under_a_sine_is_the_closed_form(void **state)
{
    world *w = *state;
    copy_example(w);
    assert_int_equal(run(w, "run", "sine.yaml", "-q", "-o", "still.h5", "--set",
                         "method=load-steps", "--end", "2.5"),
                     0);
    assert_int_equal(run(w, "stress", "still.h5", "--top", "1"), 0);
    hot_spot still = first_hot_spot(w);
    assert_int_equal(run(w, "run", "sine.yaml", "-q", "-o", "out.h5"), 0);
    assert_int_equal(run(w, "stress", "out.h5", "--top", "1", "--from", "10"), 0);
    hot_spot h = first_hot_spot(w);
    assert_int_equal(h.node, still.node);
    assert_true(still.mises > 10.0);
    assert_close(h.most / still.mises, 1.0, 3e-4);
    assert_close(h.least / still.mises, -1.0, 3e-4);
    double form = (8.5 + 0.125) / 2e6 * pow(2.0 * still.mises / 71.0, 3.0);
    assert_close(h.damage / form, 1.0, 1e-3);
}

/* Damage of the hot spot with settings of the model, `NAME=VALUE` each */
static hot_spot spot_with(world *w, const char *modes, const char *statics, const char *row)
{
    assert_int_equal(run(w, "run", "sine.yaml", "-q", "-o", "out.h5", "--set", modes, "--set",
                         statics, "--set", row, "--end", "50"),
                     0);
    assert_int_equal(run(w, "stress", "out.h5", "--top", "1", "--from", "10"), 0);
    return first_hot_spot(w);
}

/* With static correction six modes suffice, because the load is slow; without it thirty show another hot spot. 33 rows a period
 * find the extremes of the sine to 1 - cos(pi/33) = 0.45 %, their third power to 1.4 %. */
static void damage_converges_with_modes_and_rows(void **state)
{
    world *w = *state;
    copy_example(w);
    hot_spot best  = spot_with(w, "modes=30", "statics=attachment", "row=0.1s");
    hot_spot few   = spot_with(w, "modes=6", "statics=attachment", "row=0.1s");
    hot_spot plain = spot_with(w, "modes=30", "statics=none", "row=0.1s");
    hot_spot rare  = spot_with(w, "modes=30", "statics=attachment", "row=0.3s");
    assert_int_equal(few.node, best.node);
    assert_close(few.damage / best.damage, 1.0, 1e-3);
    assert_close(rare.damage / best.damage, 1.0, 0.014);
    assert_true(rare.damage < 0.999 * best.damage);
    assert_true(plain.node != best.node && plain.damage > 1.2 * best.damage);
}

int main(void)
{
    const struct CMUnitTest tests[] = {CASE(damage_under_a_sine_is_the_closed_form),
                                       CASE(damage_converges_with_modes_and_rows)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
